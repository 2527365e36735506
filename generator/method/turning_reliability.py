"""What would have changed column R: so many errors, truncated answers or misrouted ones, fewer or more.

More of any of them never reads a better letter, so the count at which the letter turns is found by halving.
"""

from __future__ import annotations

from bisect import bisect_left

import msgspec

from generator.method.letters import reliability_letter
from generator.method.night_tally import OutcomeCounts
from generator.method.turning_match import rank
from generator.records.definition import Definition
from generator.records.explanation import Turn
from generator.records.grade import Column, Grade, Letter
from generator.records.telling import listed, were

_NEAREST_FIRST = (Letter.C, Letter.B, Letter.A)


class _Kind(msgspec.Struct, frozen=True, kw_only=True):
    """One count that column R holds against an endpoint."""

    field: str
    """Of `OutcomeCounts`."""
    count: int
    most: int
    """What it can come to at most."""
    noun: str


def reliability_turns(grade: Grade, definition: Definition) -> tuple[Turn, ...]:
    """Return the nearest conditions for a better and for a worse letter; none where R is not measured."""
    if grade.r_letter is None:
        return ()
    found = (_fewer(grade, grade.r_letter, definition), _more(grade, grade.r_letter, definition))
    return tuple(turn for turn in found if turn is not None)


def _fewer(grade: Grade, letter: Letter, definition: Definition) -> Turn | None:
    """Return the largest counts with which R would read the next better letter.

    The three conditions of a letter stand alone, so each count is tried while nothing else fails.
    """
    clean = OutcomeCounts(sent=grade.r_sent, answered=grade.r_answered + grade.r_truncated)
    for target in _NEAREST_FIRST:
        if rank(target) >= rank(letter) or rank(_letter(clean, definition)) > rank(target):
            continue
        needs = [
            f"at most {most} {kind.noun} ({were(kind.count)})"
            for kind in _kinds(grade)
            if (most := _most(clean, kind, target, definition)) < kind.count
        ]
        return Turn(column=Column.R, letter=target, words=f"R would read {target} with {listed(needs)}")
    return None


def _most(base: OutcomeCounts, kind: _Kind, target: Letter, definition: Definition) -> int:
    """Return the largest count, up to what was counted, with which R reads a letter or a better one."""
    failing = bisect_left(
        range(kind.count + 1),
        True,  # noqa: FBT003 - what is looked for
        key=lambda count: rank(_letter(_with(base, kind, count), definition)) > rank(target),
    )
    return failing - 1


def _more(grade: Grade, letter: Letter, definition: Definition) -> Turn | None:
    """Return the one count that needs the fewest more for R to read worse, all others as they were."""
    base = OutcomeCounts(
        sent=grade.r_sent,
        errors=grade.r_errors,
        answered=grade.r_answered,
        truncated=grade.r_truncated,
        misrouted=grade.r_misrouted,
    )
    found = [
        (count - kind.count, order, kind, count)
        for order, kind in enumerate(_kinds(grade))
        if (count := _least(base, kind, letter, definition)) is not None
    ]
    if not found:
        return None
    _, _, kind, count = min(found, key=lambda each: each[:2])
    reached = _letter(_with(base, kind, count), definition)
    words = f"R would read {reached} from {count} {kind.noun} on ({were(kind.count)})"
    return Turn(column=Column.R, letter=reached, words=words)


def _least(base: OutcomeCounts, kind: _Kind, letter: Letter, definition: Definition) -> int | None:
    """Return the smallest count, past what was counted, with which R reads a worse letter."""
    tries = range(kind.count + 1, kind.most + 1)
    place = bisect_left(
        tries,
        True,  # noqa: FBT003 - what is looked for
        key=lambda count: rank(_letter(_with(base, kind, count), definition)) > rank(letter),
    )
    return tries[place] if place < len(tries) else None


def _with(base: OutcomeCounts, kind: _Kind, count: int) -> OutcomeCounts:
    """Return counts with one of them changed; what is truncated was begun and not answered whole."""
    changed = msgspec.structs.replace(base, **{kind.field: count})
    if kind.field == "truncated":
        return msgspec.structs.replace(changed, answered=base.answered + base.truncated - count)
    return changed


def _letter(counts: OutcomeCounts, definition: Definition) -> Letter:
    return reliability_letter(counts, definition)


def _kinds(grade: Grade) -> tuple[_Kind, ...]:
    """Return the three counts of column R."""
    began = grade.r_answered + grade.r_truncated
    return (
        _Kind(field="errors", count=grade.r_errors, most=grade.r_sent, noun=f"failed of {grade.r_sent} sent"),
        _Kind(field="truncated", count=grade.r_truncated, most=began, noun=f"truncated of {began} begun"),
        _Kind(field="misrouted", count=grade.r_misrouted, most=grade.r_sent, noun="misrouted"),
    )
