"""What a window comes to, in one form for every engine, so that each figure can be held against the others'."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

Figures = dict[str, dict[tuple[object, ...], tuple[int, ...]]]
"""By table: by key, the counts.

match: (endpoint, family) to compared and mismatches; keyed: (endpoint, family) to counted and correct; outcomes:
(endpoint,) to sent, errors, answered, truncated and misrouted; pairs: (endpoint, family) to pairs and differing;
references: (model,) to questions asked and those that have a reference.
"""

COLUMNS = {
    "match": (("endpoint", "family"), ("compared", "mismatches")),
    "keyed": (("endpoint", "family"), ("counted", "correct")),
    "outcomes": (("endpoint",), ("sent", "errors", "answered", "truncated", "misrouted")),
    "pairs": (("endpoint", "family"), ("pairs", "differing")),
    "references": (("model",), ("asked", "referenced")),
}
"""By table: the names of its keys and of its counts."""


def figures(tables: Mapping[str, Iterable[Mapping[str, object]]], words: Mapping[str, list[str]]) -> Figures:
    """Return an engine's rows as figures; lines without a count are left out, so that absent and zero are the same.

    Args:
        tables: by name, rows by column.
        words: by column, the words that codes stand for; empty where the rows hold words.
    """
    return {name: _table(rows, *COLUMNS[name], words) for name, rows in tables.items()}


def _table(
    rows: Iterable[Mapping[str, object]], keys: tuple[str, ...], counts: tuple[str, ...], words: Mapping[str, list[str]]
) -> dict[tuple[object, ...], tuple[int, ...]]:
    found = {}
    for row in rows:
        key = tuple(words[name][row[name]] if name in words else row[name] for name in keys)  # type: ignore[index]
        found[key] = tuple(int(row[name] or 0) for name in counts)  # type: ignore[call-overload]
    return {key: values for key, values in found.items() if any(values)}
