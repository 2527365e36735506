"""A definition's text with what a calibration changes, and nothing else: its comments and other rules stay."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal

import msgspec

from generator.errors import ContentError
from generator.records.calibration import LatencyChoice, ThresholdChoice
from generator.records.definition import LatencyRule
from generator.records.definition_file import parse_definition

_VERSION = re.compile(r'^version = "[^"\n]*"$', re.MULTILINE)
_RELEASED = re.compile(r"^released = \S+$", re.MULTILINE)
_CHANGES = re.compile(r"^changes = \[.*?\]$", re.MULTILINE | re.DOTALL)
_THRESHOLD = re.compile(r"^threshold_percent = \S+$", re.MULTILINE)
_CLASSES = re.compile(r"^classes = \[.*?^\]$", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r"^# The method definition, version [0-9.]+:", re.MULTILINE)


def calibrated_definition(  # noqa: PLR0913 - what a calibration changes
    toml: bytes,
    *,
    version: str,
    made: date,
    changes: Sequence[str],
    threshold: ThresholdChoice,
    latency: LatencyChoice,
) -> bytes:
    """Return the new definition's file.

    Args:
        toml: the file calibrated from.
        version: the new one.
        made: the date it is released under.
        changes: what it changed, a sentence each.
        threshold: the stability threshold.
        latency: the class boundaries; where there is a reason to keep them, they stay.

    Raises:
        ContentError: where the file is written in a way that cannot be edited so that only these values change.
    """
    where = f"content/methods/{version}.toml"
    before = parse_definition(toml, where=where)
    rule = before.latency if latency.kept_because else _classes(before.latency, latency.boundaries_ms)
    text = toml.decode("utf-8")
    text = _TITLE.sub(f"# The method definition, version {version}:", text)
    text = _put(_VERSION, f'version = "{version}"', text, where)
    text = _put(_RELEASED, f"released = {made.isoformat()}", text, where)
    text = _put(_CHANGES, f"changes = [{', '.join(json.dumps(each) for each in changes)}]", text, where)
    text = _put(_THRESHOLD, f"threshold_percent = {threshold.threshold_percent}", text, where)
    if rule is not before.latency:
        text = _put(_CLASSES, _classes_text(rule), text, where)
    expected = msgspec.structs.replace(
        before,
        version=version,
        released=made,
        changes=tuple(changes),
        stability=msgspec.structs.replace(before.stability, threshold_percent=Decimal(threshold.threshold_percent)),
        latency=rule,
    )
    made_text = text.encode("utf-8")
    if parse_definition(made_text, where=where) != expected:
        raise _cannot_edit(where)
    return made_text


def _classes(before: LatencyRule, boundaries_ms: Sequence[int]) -> LatencyRule:
    bounds = (*boundaries_ms, None)
    classes = tuple(
        msgspec.structs.replace(each, below_ms=bound) for each, bound in zip(before.classes, bounds, strict=True)
    )
    return msgspec.structs.replace(before, classes=classes)


def _classes_text(rule: LatencyRule) -> str:
    lines = [
        f'  {{ name = "{each.name}"' + (f", below_ms = {each.below_ms}" if each.below_ms is not None else "") + " },"
        for each in rule.classes
    ]
    return "\n".join(("classes = [", *lines, "]"))


def _put(pattern: re.Pattern[str], line: str, text: str, where: str) -> str:
    """Replace the one place where a value stands."""
    edited, places = pattern.subn(lambda _: line, text)
    if places != 1:
        raise _cannot_edit(where)
    return edited


def _cannot_edit(where: str) -> ContentError:
    return ContentError(
        "expected a definition in which version, released, changes, threshold_percent and classes stand once each, at "
        "the beginning of a line",
        where=where,
        do="Write the definition that is calibrated from as the project's own is written",
    )
