"""The latest grade of an endpoint, explained on its page: the prompts that differed, and the arithmetic around them.

The page stays light: one row for each prompt and pair of answers, with all its nights; whatever was alike is left out,
and `bitdepth explain` has all of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import date

import msgspec

from generator.records.explanation import (
    Exact,
    ExplainedFloor,
    ExplainedMatch,
    ExplainedMatchNight,
    Explanation,
    Failure,
    OwnVariation,
)
from generator.records.grade import Column
from generator.site.tables import NONE, Table, counted

THE_GRADE = "The grade"


class Differing(msgspec.Struct, frozen=True, kw_only=True):
    """One prompt that was answered otherwise than its reference, in one way; every text is a stranger's."""

    prompt_id: str
    family: str
    prompt: str
    reference: str
    answer: str
    nights: tuple[tuple[date, int, int], ...]
    """Night, endpoints that gave the reference, endpoints that answered; ascending."""


class Explained(msgspec.Struct, frozen=True, kw_only=True):
    """What an endpoint's page says of its latest grade beside letter and columns."""

    turns: tuple[tuple[str, str], ...]
    """(column or grade and letter, sentence): what would have changed the letter."""
    columns: tuple[tuple[str, str], ...]
    """(column, sentence) for M's own variation, T and D."""
    differing: tuple[Differing, ...]
    """By family, prompt and first night."""
    answers: int
    """Answers that differ, over all nights."""
    tables: tuple[Table, ...]
    folded: tuple[Table, ...]


def explained(explanation: Explanation) -> Explained:
    """Return the explanation of a grade as its endpoint's page tells it."""
    match, columns = explanation.match, []
    tables: list[Table] = []
    folded: list[Table] = []
    if match is not None:
        columns.append(("M, own variation", match.own_variation.words))
        tables += [_nights(match.nights), _floors(match.floors)]
        folded += [_families(match.nights), *_own(match.own_variation)]
    if explanation.task is not None:
        task = explanation.task
        columns.append((Column.T, f"{task.words}; {task.correct:,} correct of {task.counted:,} counted"))
    if explanation.declared is not None:
        columns.append((f"{Column.D}, declared", explanation.declared.words))
    if explanation.reliability is not None:
        columns.append((Column.R, explanation.reliability.words))
        tables += _failures(explanation.reliability.failures)
    return Explained(
        turns=tuple((f"{turn.column or THE_GRADE} at {turn.letter}", turn.words) for turn in explanation.turns),
        columns=tuple(columns),
        differing=_differing(match),
        answers=0 if match is None else sum(prompt.differs for night in match.nights for prompt in night.prompts),
        tables=tuple(tables),
        folded=tuple(table for table in folded if table.rows),
    )


def _differing(match: ExplainedMatch | None) -> tuple[Differing, ...]:
    """Return the prompts that differ; nights on which both answers were the same ones stand together."""
    found: dict[tuple[str, str, str, str, str], list[tuple[date, int, int]]] = defaultdict(list)
    for night in match.nights if match is not None else ():
        for each in night.prompts:
            if each.differs:
                key = (each.family, each.prompt_id, each.prompt, each.reference or "", each.answer or "")
                found[key].append((night.night, each.most_given, each.answered))
    return tuple(
        Differing(
            family=family,
            prompt_id=prompt_id,
            prompt=prompt,
            reference=reference,
            answer=answer,
            nights=tuple(nights),
        )
        for (family, prompt_id, prompt, reference, answer), nights in sorted(found.items())
    )


def _nights(nights: Iterable[ExplainedMatchNight]) -> Table:
    return Table(
        caption="Counted against allowed, night by night: prompts of stable families that have a reference and were "
        "answered",
        heads=("Night", "Compared", "Mismatches", "Allowed", "Reading"),
        rows=tuple(
            (night.night.isoformat(), str(night.compared), str(night.mismatches), night.allowed.figure, _reading(night))
            for night in nights
        ),
        figures=frozenset({"Compared", "Mismatches", "Allowed"}),
    )


def _reading(night: ExplainedMatchNight) -> str:
    """Return a night's reading, with the chance that a margin asks about."""
    if night.tail is None or night.level is None:
        return night.reading
    return f"{night.reading}: so many by chance {night.tail} %, level {night.level} %"


def _floors(floors: Iterable[ExplainedFloor]) -> Table:
    rows = []
    for each in floors:
        values = ", ".join(value.figure for value in each.values) or NONE
        taken = "" if each.index is None else f"; the one at index {each.index}, counted from 0"
        fleet = ""
        if each.fleet_median is not None:
            fleet = f"; not below the fleet's median mismatch, {each.fleet_median.figure} %"
        stable = "stable" if each.stable else "not stable"
        median = "" if each.self_agreement_median is None else f": median {each.self_agreement_median.figure} %, "
        limit = f"{median}threshold {each.threshold} %" if median else ""
        rows.append((each.family, values + taken + fleet, _percent(each.floor), stable + limit))
    return Table(
        caption="Each family's floor, from the self-disagreement of the model's endpoints in percent, smallest first",
        heads=("Family", "Sorted values", "Floor", "Stable"),
        rows=tuple(rows),
    )


def _families(nights: Iterable[ExplainedMatchNight]) -> Table:
    return Table(
        caption="What each stable family adds to a night: prompts compared, times the floor, is what is allowed",
        heads=("Night and family", "Compared", "Mismatches", "Floor", "Allowed"),
        rows=tuple(
            (
                f"{night.night.isoformat()}, {each.family}",
                str(each.compared),
                str(each.mismatches),
                _percent(each.floor),
                each.allowed.figure,
            )
            for night in nights
            for each in night.families
        ),
        figures=frozenset({"Compared", "Mismatches", "Floor", "Allowed"}),
    )


def _own(own: OwnVariation) -> tuple[Table, ...]:
    """Return the prompts that the endpoint answered in two ways on two nights in a row, with those nights."""
    found: dict[tuple[str, str], list[date]] = defaultdict(list)
    for pair in own.differ:
        found[pair.family, pair.prompt_id].append(pair.later)
    table = Table(
        caption=f"The endpoint's own variation: {own.differing:,} of {counted(own.pairs, 'pair')} of stable families "
        f"differ, {own.allowed.figure} allowed",
        heads=("Prompt", "Family", "Another answer than on the night before"),
        rows=tuple(
            (prompt_id, family, ", ".join(night.isoformat() for night in nights))
            for (family, prompt_id), nights in sorted(found.items())
        ),
    )
    return (table,)


def _failures(failures: Iterable[Failure]) -> tuple[Table, ...]:
    """Return what did not end with an answer, by kind."""
    found: dict[tuple[str, str, str], list[tuple[date, int]]] = defaultdict(list)
    for each in failures:
        found[str(each.outcome), _how(each), _served(each)].append((each.night, len(each.prompts)))
    if not found:
        return ()
    table = Table(
        caption="Requests that did not end with an answer, by kind",
        heads=("Outcome", "How", "Served by", "Requests", "Nights"),
        rows=tuple(
            (
                *key,
                str(sum(count for _, count in nights)),
                ", ".join(f"{night.isoformat()} ({n})" for night, n in nights),
            )
            for key, nights in sorted(found.items())
        ),
        figures=frozenset({"Requests"}),
    )
    return (table,)


def _how(failure: Failure) -> str:
    """Return the code, the HTTP status and the finish reason, as far as there are any."""
    status = None if failure.http_status is None else f"HTTP {failure.http_status}"
    reason = None if failure.finish_reason is None else f"finish reason {failure.finish_reason}"
    return ", ".join(words for words in (failure.kind, status, reason) if words)


def _served(failure: Failure) -> str:
    return ", ".join(name for name in (failure.served_provider, failure.served_model) if name)


def _percent(exact: Exact | None) -> str:
    return "no floor" if exact is None else f"{exact.figure} %"
