"""Methods 0.1 and 0.2, and variants of them that differ in some values of the definition's text."""

from __future__ import annotations

import re
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

from generator.records.definition import Method
from generator.records.definition_file import parse_method

ROOT = Path(__file__).parent.parent
METHODS = ROOT / "content" / "methods"
TOML = (METHODS / "0.1.toml").read_text(encoding="utf-8")
TOML_0_2 = (METHODS / "0.2.toml").read_text(encoding="utf-8")
PROSE = b"The prose of a method.\n"

_INDEX = re.compile(r"\[[0-9]+\]")
_SCALAR = r'(?:"[^"]*"|\[[^\[\]]*\]|[^\s,}\]]+)'


def method_of(text: str = TOML) -> Method:
    """Return the method that a definition's text says."""
    return parse_method(text.encode(), PROSE, where="0.1.toml")


METHOD = method_of()
METHOD_0_2 = method_of(TOML_0_2)


def leaves(text: str = TOML) -> dict[str, object]:
    """Return every value of the definition by its key path, e.g. 'letters.T.A.max_points' or 'latency.classes[0].name'.

    A list of plain values is one leaf.
    """
    found: dict[str, object] = {}

    def walk(value: Any, path: str) -> None:  # noqa: ANN401 - whatever TOML holds
        if isinstance(value, dict):
            for key, item in value.items():
                walk(item, f"{path}.{key}".lstrip("."))
        elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
            for index, item in enumerate(value):
                walk(item, f"{path}[{index}]")
        else:
            found[path] = value

    walk(tomllib.loads(text, parse_float=Decimal), "")
    return found


def is_numeric(value: object) -> bool:
    """True for a number and for a list of numbers."""
    if isinstance(value, list):
        return bool(value) and all(is_numeric(item) for item in value)
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


def with_rules(share: str | None = None, fleet: str | None = None, margin: str | None = None) -> Method:
    """Return method 0.1 with some of the three later rules on: lines of TOML for their tables.

    Args:
        share: the reference's least share, in percent.
        fleet: 'median mismatch' for a floor that is never below the fleet's.
        margin: the body of the margin's table.
    """
    text = TOML
    for head, line in (("[reference]", share and f"min_share = {share}"), ("[floor]", fleet and f'fleet = "{fleet}"')):
        if line:
            text = text.replace(f"{head}\n", f"{head}\n{line}\n")
    return method_of(text if margin is None else f"{text}\n[margin]\n{margin}\n")


def varied(changes: dict[str, str | None], base: str = TOML) -> Method:
    """Return a method, 0.1 if no other is given, with some values written otherwise, as TOML, or taken away where None.

    Raises:
        AssertionError: where a path does not stand in the text, or where anything else changed with it.
    """
    text = base
    for path, value in changes.items():
        text = _edited(text, path, value)
    before, after = leaves(base), leaves(text)
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert changed == set(changes), f"the edit changed {sorted(changed)}"
    return method_of(text)


def _edited(text: str, path: str, value: str | None) -> str:
    head, key = path.rsplit(".", 1) if "." in path else ("", path)
    if _INDEX.search(head):
        return _edited_item(text, key, int(head[head.index("[") + 1 : -1]), value)
    for section, inner in ((head, None), tuple(head.rsplit(".", 1)) if "." in head else ("", head)):
        start = text.find(f"[{section}]\n") if section else 0
        if start < 0 or (inner is None and section == "" and head):
            continue
        end = text.find("\n[", start + 1)
        block = text[start : end if end > 0 else len(text)]
        line = rf"^{key} = .*$" if inner is None else rf"^{inner} = {{.*$"
        found = re.search(line, block, re.MULTILINE)
        if found is None:
            continue
        if inner is None:
            new = "" if value is None else f"{key} = {value}"
        elif value is None:
            new = re.sub(rf",? ?\b{key} = {_SCALAR}", "", found[0], count=1).replace("{,", "{")
        else:
            new = re.sub(rf"\b{key} = {_SCALAR}", f"{key} = {value}", found[0], count=1)
        return text[:start] + block[: found.start()] + new + block[found.end() :] + text[start + len(block) :]
    raise AssertionError(path)


def _edited_item(text: str, key: str, index: int, value: str | None) -> str:
    found = list(re.finditer(rf"\b{key} = {_SCALAR}", text))[index]
    assert value is not None
    return text[: found.start()] + f"{key} = {value}" + text[found.end() :]
