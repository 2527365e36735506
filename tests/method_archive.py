"""Nights written by hand: compact cells become the tables of a recorded night, with the archive's schemas.

A cell says what came of one prompt at one endpoint:

    x     answered, with the answer 'x'
    x~    truncated after 'x'
    _     empty
    !     error
    ?x    misrouted, with the text 'x'
    .     unsent
    -     no observation: the endpoint was not listed
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import pyarrow as pa

from generator.archive.schema import CONTEXT, LISTINGS, OBSERVATIONS, PROMPTS
from generator.method.grading import grade_window
from generator.method.interface import Issue, NightTables
from generator.method.tally import tally_night
from generator.records.definition import Method
from generator.records.grade import Grade

Row = dict[str, Any]

ISSUE = Issue(issued=date(2031, 6, 1), supersedes={})
MODEL = "harbor/pilot"
FIRST = date(2031, 5, 1)
LATENCY_MS = 1500


def ask(prompt_id: str, family: str, *, fixed: bool = True, key: str | None = None, text: str | None = None) -> Row:
    """Return one row of prompts; the text is the prompt's id where none is given."""
    text = text or f"what is {prompt_id}?"
    return {"prompt_id": prompt_id, "family": family, "fixed": fixed, "prompt": text, "expected": key, "max_tokens": 16}


def listed(model: str, endpoint: str, first: date, precision: str | None = "fp8", **changes: object) -> Row:
    """Return one row of listings."""
    row: Row = {
        "model": model,
        "model_id": model,
        "endpoint": endpoint,
        "provider": endpoint.title(),
        "tag": f"{endpoint}/{precision}" if precision else endpoint,
        "listings": 1,
        "declared_precision": precision,
        "first_listed": first,
        "raw": "{}",
    }
    return row | changes


def seen(model: str, endpoint: str, prompt: Row, cell: str, latency_ms: int | None = LATENCY_MS) -> Row:
    """Return one row of observations for a cell."""
    outcome, answer = _read(cell)
    keyed = prompt["expected"] is not None
    correct = None
    if keyed and outcome in {"answered", "truncated"}:
        correct = outcome == "answered" and answer == prompt["expected"]
    return {
        "model": model,
        "endpoint": endpoint,
        "prompt_id": prompt["prompt_id"],
        "family": prompt["family"],
        "fixed": prompt["fixed"],
        "outcome": outcome,
        "answer": answer,
        "text": answer,
        "correct": correct,
        "latency_ms": None if outcome == "unsent" else latency_ms,
    }


def _read(cell: str) -> tuple[str, str | None]:
    plain = {"_": "empty", "!": "error", ".": "unsent"}
    if cell in plain:
        return plain[cell], None
    if cell.startswith("?"):
        return "misrouted", cell[1:]
    if cell.endswith("~"):
        return "truncated", cell[:-1]
    return "answered", cell


def grid(text: str) -> dict[tuple[str, str], str]:
    """Return cells by (endpoint, prompt id) from a table: endpoints in the first line, a prompt in each other."""
    head, *lines = [line.split() for line in text.strip().splitlines()]
    return {
        (endpoint, prompt_id): cell
        for prompt_id, *cells in lines
        for endpoint, cell in zip(head, cells, strict=True)
        if cell != "-"
    }


def night_tables(
    night: date,
    *,
    prompts: Iterable[Row],
    listings: Iterable[Row],
    observations: Iterable[Row],
    context: Iterable[Row] = (),
    replayed: bool = False,
) -> NightTables:
    """Return a night's tables, rows sorted as the archive sorts them."""

    def table(rows: Iterable[Row], schema: pa.Schema, *order: str) -> pa.Table:
        ordered = sorted(rows, key=lambda row: tuple(row[name] for name in order))
        # The whole row: from_pylist takes a column that the first row lacks as null throughout.
        return pa.Table.from_pylist([{name: row.get(name) for name in schema.names} for row in ordered], schema=schema)

    return NightTables(
        night=night,
        observations=table(observations, OBSERVATIONS, "model", "endpoint", "prompt_id"),
        prompts=table(prompts, PROMPTS, "prompt_id"),
        listings=table(listings, LISTINGS, "model", "endpoint"),
        context=table(context, CONTEXT, "model", "endpoint", "rung_tokens"),
        latency_replayed=replayed,
    )


def graded(
    window: Sequence[NightTables], method: Method, recorded: Sequence[date] | None = None, issue: Issue = ISSUE
) -> tuple[Grade, ...]:
    """Return the grades of a window as the method under test gives them."""
    tallies = [tally_night(tables, method.definition) for tables in window]
    nights = recorded if recorded is not None else [tables.night for tables in window]
    return grade_window(tallies, method=method, recorded=nights, issue=issue)


class Fleet:
    """One model's nights, all alike until a test edits them: every endpoint answers 'yes', which is every key.

    Nights are numbered from 1. Prompts are called `<family>-<i>` where fixed and `<family>-<i>-of-<night>` where drawn
    for a night, i from 1.
    """

    def __init__(
        self,
        *,
        fixed: Mapping[str, int],
        drawn: Mapping[str, int] | None = None,
        keyed: Iterable[str] = (),
        endpoints: Sequence[str] = ("amber", "birch", "cedar", "dune", "ember"),
        days: Sequence[date] | int = 7,
    ) -> None:
        """Hold the nights of a fleet.

        Args:
            fixed: fixed prompts by family.
            drawn: prompts drawn each night by family.
            keyed: the families with keys.
            endpoints: listed on every night, since the first.
            days: the nights' dates, or how many consecutive ones.
        """
        self.days = [FIRST + timedelta(days=i) for i in range(days)] if isinstance(days, int) else list(days)
        self.endpoints = tuple(endpoints)
        keys = frozenset(keyed)
        self.asked: dict[int, dict[str, Row]] = {}
        for n in range(1, len(self.days) + 1):
            rows = [(f"{f}-{i}", f, True) for f, count in fixed.items() for i in range(1, count + 1)]
            rows += [(f"{f}-{i}-of-{n}", f, False) for f, count in (drawn or {}).items() for i in range(1, count + 1)]
            self.asked[n] = {p: ask(p, f, fixed=stays, key="yes" if f in keys else None) for p, f, stays in rows}
        self.cells = {(n, e, p): "yes" for n in self.asked for e in self.endpoints for p in self.asked[n]}
        self.listing = {(n, e): listed(MODEL, e, self.days[0]) for n in self.asked for e in self.endpoints}
        self.latency: dict[str, int] = {}

    @property
    def nights(self) -> range:
        """The nights' numbers."""
        return range(1, len(self.days) + 1)

    def put(self, nights: int | Iterable[int], endpoint: str | Iterable[str], prompt: str, cell: str) -> None:
        """Write one cell for some nights and endpoints; '*' in the prompt stands for the night's number."""
        for n in [nights] if isinstance(nights, int) else nights:
            for e in [endpoint] if isinstance(endpoint, str) else endpoint:
                key = (n, e, prompt.replace("*", str(n)))
                if key not in self.cells:
                    raise KeyError(key)
                self.cells[key] = cell

    def put_first(self, count: int, endpoint: str, cell: str, prompts: Iterable[str] | None = None) -> None:
        """Write one cell over the first so many observations of an endpoint, prompt by prompt and night by night."""
        names = prompts if prompts is not None else self.asked[1]
        keys = [(n, endpoint, p.replace("*", str(n))) for p in names for n in self.nights]
        for key in keys[:count]:
            self.cells[key] = cell
        if len(keys) < count:
            raise ValueError(count)

    def turn(self, count: int, family: str) -> None:
        """Let so many fixed prompts' answers change once, for every endpoint alike: each adds one differing pair."""
        for i in range(count):
            turned = range(2 + i % (len(self.days) - 1), len(self.days) + 1)
            self.put(turned, self.endpoints, f"{family}-{i + 1}", "turned")

    def leave(self, nights: Iterable[int], endpoint: str) -> None:
        """Take an endpoint off some nights' listings."""
        for n in nights:
            del self.listing[n, endpoint]
            for p in self.asked[n]:
                del self.cells[n, endpoint, p]

    def list_as(self, nights: Iterable[int], endpoint: str, **changes: object) -> None:
        """Change an endpoint's row in some nights' listings."""
        for n in nights:
            self.listing[n, endpoint] = self.listing[n, endpoint] | changes

    def tables(self) -> list[NightTables]:
        """Return the nights' tables, ascending."""
        return [
            night_tables(
                self.days[n - 1],
                prompts=self.asked[n].values(),
                listings=[row for (m, _), row in self.listing.items() if m == n],
                observations=[
                    seen(MODEL, e, self.asked[n][p], cell, self.latency.get(e, LATENCY_MS))
                    for (m, e, p), cell in self.cells.items()
                    if m == n
                ],
            )
            for n in self.nights
        ]

    def grades(self, method: Method, recorded: Sequence[date] | None = None) -> dict[str, Grade]:
        """Return the grades by endpoint."""
        return {grade.endpoint: grade for grade in graded(self.tables(), method, recorded)}
