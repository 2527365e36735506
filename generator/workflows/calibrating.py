"""A calibration: what the first fourteen recorded nights say, written as a new method version with its evidence."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import msgspec

from generator.archive import files
from generator.archive.nights import hidden_answers
from generator.errors import UsageError
from generator.method.calibration import choose_latency, choose_threshold, families_of, side_by_side
from generator.method.grading import grade_window
from generator.method.interface import Issue, NightTables
from generator.method.prompts import prompt_report
from generator.method.tally import NightTally, tally_night
from generator.records.calibration import CalibrationEvidence, CalibrationRule
from generator.records.canonical import canonical_json
from generator.records.definition import Method
from generator.records.definition_file import parse_method
from generator.records.grade import Grade
from generator.records.prompt_report import PromptReport
from generator.workflows.calibrating_noise import luck_of_equals, noise_rates
from generator.workflows.calibrating_text import calibrated_definition
from generator.workflows.windows import bound_method, night_tables
from generator.workflows.world import Progress, Root

FIRST_FINAL = "1.0"


class Calibrated(msgspec.Struct, frozen=True, kw_only=True):
    """A calibration's files before they are written."""

    definition: bytes
    prose: bytes
    evidence: CalibrationEvidence
    prompts: PromptReport


def calibrate(  # noqa: PLR0913 - what a calibration is made from, all of it recorded
    root: Root,
    *,
    made: date,
    seed: str,
    progress: Progress,
    from_version: str | None = None,
    version: str = FIRST_FINAL,
    rule: CalibrationRule | None = None,
) -> CalibrationEvidence:
    """Write a method version calibrated on the first recorded nights, with its evidence and its prompt report.

    Writes `content/calibration/<version>.json`, `content/calibration/prompts-<version>.json` and
    `content/methods/<version>.md`, and last `content/methods/<version>.toml`, with which the version exists. It makes
    no version current: `method` in site.toml does.

    Args:
        root: the site root.
        made: the date that the definition is released under.
        seed: of the resampling, 64 hexadecimal digits from the system's entropy; recorded.
        progress: who is told.
        from_version: the version calibrated from; None for the current one.
        version: the version to make.
        rule: how to choose; None for the rule that holds today.

    Raises:
        UsageError: where there are too few recorded nights, or the version is there already.
        ContentError: where the version calibrated from is missing or malformed, or cannot be edited.
    """
    rule = CalibrationRule() if rule is None else rule
    if version in root.content.method_versions() or root.content.holds_calibration(version):
        raise UsageError(
            f"expected a version that is not there yet, found {version}",
            where="content/methods and content/calibration",
            do="A definition is never replaced: give another --version",
        )
    kept = [found for night in root.store.nights.kept() if (found := root.store.nights.get(night)).counts]
    if len(kept) < rule.nights:
        raise UsageError(
            f"expected at least {rule.nights} recorded nights, found {len(kept)}",
            where="archive/nights",
            do=f"Run calibrate again after {rule.nights - len(kept)} more recorded nights",
        )
    source = bound_method(root, root.content.settings().method if from_version is None else from_version)
    toml, markdown = root.content.method_files(source.version)
    hidden = hidden_answers(kept)
    nights = [night_tables(root, each, hidden) for each in kept[: rule.nights]]
    calibration = calibrated(
        nights, source, toml, markdown, version=version, made=made, seed=seed, rule=rule, progress=progress
    )
    folder = "content/calibration"
    for name, data in (
        (f"{folder}/{version}.json", canonical_json(calibration.evidence)),
        (f"{folder}/prompts-{version}.json", canonical_json(calibration.prompts)),
        (f"content/methods/{version}.md", calibration.prose),
        (f"content/methods/{version}.toml", calibration.definition),
    ):
        files.create(root.path, name, data)
        progress.say(f"wrote {name}")
    return calibration.evidence


def prompts_so_far(root: Root, rule: CalibrationRule | None = None) -> PromptReport:
    """Return the prompt report of the last recorded nights, at most as many as a calibration reads, current method."""
    rule = CalibrationRule() if rule is None else rule
    kept = [found for night in root.store.nights.kept() if (found := root.store.nights.get(night)).counts]
    method = root.content.method(root.content.settings().method)
    hidden = hidden_answers(kept)
    return prompt_report([night_tables(root, each, hidden) for each in kept[-rule.nights :]], method.definition)


def calibrated(  # noqa: PLR0913 - what a calibration is made from, all of it recorded
    nights: Sequence[NightTables],
    source: Method,
    toml: bytes,
    markdown: bytes,
    *,
    version: str,
    made: date,
    seed: str,
    rule: CalibrationRule,
    progress: Progress,
) -> Calibrated:
    """Return the files of a calibration: the same for the same nights, version calibrated from, rule and seed."""
    tallies = [tally_night(night, source.definition) for night in nights]
    grades = _graded(tallies, tallies, source)
    families = families_of(grades)
    threshold = choose_threshold(families, rule)
    if threshold is None:
        raise UsageError(
            "expected endpoints that answered a fixed prompt on two consecutive nights, found none",
            where="archive/nights",
            do="Look at what the nights recorded before calibrating",
        )
    latency = choose_latency(grades, source.definition, rule)
    kept = "stay as they were" if latency.kept_because else "are calibrated on the same nights"
    threshold_words = (
        f"Calibrated on {len(nights)} recorded nights, {nights[0].night} to {nights[-1].night}, from version "
        f"{source.version}: the stability threshold is {threshold.threshold_percent} %."
    )
    changes = (threshold_words, f"The boundaries of the latency classes {kept}.")
    definition = calibrated_definition(
        toml, version=version, made=made, changes=changes, threshold=threshold, latency=latency
    )
    method = parse_method(definition, markdown, where=f"content/methods/{version}.toml")
    half = rule.nights // 2
    letters, agreement = side_by_side(
        _graded(tallies[:half], tallies[:half], method), _graded(tallies[half:], tallies, method)
    )
    evidence = CalibrationEvidence(
        version=version,
        from_version=source.version,
        from_digest=source.digest,
        made=made,
        seed=seed,
        nights=tuple(night.night for night in nights),
        rule=rule,
        families=families,
        threshold=threshold,
        latency=latency,
        letters=letters,
        agreement=agreement,
        noise=noise_rates(nights, method, seed=seed, rule=rule, progress=progress),
        equal=luck_of_equals(nights, method.definition, seed=seed, rule=rule, progress=progress),
    )
    report = prompt_report(nights, method.definition)
    return Calibrated(definition=definition, prose=markdown, evidence=evidence, prompts=report)


def _graded(tallies: Sequence[NightTally], recorded: Sequence[NightTally], method: Method) -> tuple[Grade, ...]:
    """Return the grades over some nights taken as one window; nothing of them is issued."""
    issue = Issue(issued=tallies[-1].night, supersedes={})
    return grade_window(tallies, method=method, recorded=[each.night for each in recorded], issue=issue)
