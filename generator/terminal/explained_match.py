"""Column M in the terminal: floors with the values they came from, own pairs, and the nights prompt by prompt."""

from __future__ import annotations

from collections.abc import Callable

from generator.records.explanation import (
    ExplainedFloor,
    ExplainedMatch,
    ExplainedMatchNight,
    MatchFamilyNight,
    MatchPrompt,
    OwnVariation,
)
from generator.records.figures import counted

Say = Callable[[str, int], None]
"""Takes a line, in which strangers' words are not yet made visible, and how far it is indented."""


def told(text: str | None) -> str:
    """Return a stranger's text, or a word of ours where there is none."""
    return "(none)" if text is None else text


def say_match(match: ExplainedMatch, say: Say, *, whole: bool) -> None:
    """Say column M.

    Args:
        match: what is said.
        say: takes a line and its indent.
        whole: with every prompt's text and every family's arithmetic.
    """
    say("floors, from the endpoints' self-disagreement in percent, smallest first", 1)
    for floor in match.floors:
        _say_floor(floor, say)
    say("nights", 1)
    for night in match.nights:
        _say_night(night, say, whole=whole)
    say("own night-to-night variation", 1)
    _say_own(match.own_variation, say, whole=whole)


def _say_floor(floor: ExplainedFloor, say: Say) -> None:
    kept = "stable" if floor.stable else "not stable, no part of M"
    if floor.floor is None or floor.self_agreement_median is None:
        say(f"{floor.family}: no endpoint has a pair of nights to compare: no floor, {kept}", 2)
        return
    say(
        f"{floor.family}: floor {floor.floor.figure} %; median self-agreement {floor.self_agreement_median.figure} %, "
        f"{floor.threshold} % is needed: {kept}",
        2,
    )
    values = ", ".join(f"{value.figure} ({value.differing}/{value.pairs})" for value in floor.values)
    say(f"{values}; percentile {floor.percentile}: the value at index {floor.index}, counted from 0", 3)
    if floor.fleet_median is not None:
        say(f"never below the fleet's median mismatch, {floor.fleet_median.figure} %, of", 3)
        say(", ".join(value.figure for value in floor.fleet), 4)


def _say_night(night: ExplainedMatchNight, say: Say, *, whole: bool) -> None:
    say(night.words, 2)
    if whole:
        for family in night.families:
            say(_family(family), 3)
        say(f"allowed together: {night.allowed.numerator}/{night.allowed.denominator}", 3)
    for prompt in night.prompts:
        if prompt.differs:
            _say_mismatch(prompt, say, whole=whole)
    if not whole:
        return
    same = [f"{each.prompt_id} ({_given(each)})" for each in night.prompts if each.compared and not each.differs]
    if same:
        say(f"answered with the reference, given by as many of all that answered: {', '.join(same)}", 3)
    missing = [f"{each.prompt_id} ({_missing(each)})" for each in night.prompts if not each.compared]
    if missing:
        say(f"not compared: {', '.join(missing)}", 3)


def _say_mismatch(prompt: MatchPrompt, say: Say, *, whole: bool) -> None:
    say(f"{prompt.prompt_id}: the reference was given by {_given(prompt)}: {', '.join(prompt.agreed)}", 3)
    if whole:
        say(f"prompt: {prompt.prompt}", 4)
    say(f"reference: {told(prompt.reference)}", 4)
    say(f"answer: {told(prompt.answer)}", 4)
    if whole:
        say(f"as received: {told(prompt.text)}", 4)


def _family(family: MatchFamilyNight) -> str:
    return (
        f"{family.family}: {counted(family.mismatches, 'mismatch', 'mismatches')} in {family.compared}; allowed "
        f"{family.compared} x {family.floor.numerator}/{family.floor.denominator} = "
        f"{family.allowed.numerator}/{family.allowed.denominator}, {family.allowed.figure}"
    )


def _given(prompt: MatchPrompt) -> str:
    return f"{prompt.most_given} of {prompt.answered}"


def _missing(prompt: MatchPrompt) -> str:
    if prompt.no_reference is None:
        return prompt.outcome
    return f"no reference, {prompt.no_reference}: {prompt.most_given} of {prompt.answered} alike"


def _say_own(own: OwnVariation, say: Say, *, whole: bool) -> None:
    say(own.words, 2)
    for pair in own.differ:
        if not pair.stable and not whole:
            continue
        note = "" if pair.stable else " (family not stable, not counted)"
        say(f"{pair.prompt_id}{note}", 3)
        if whole:
            say(f"prompt: {pair.prompt}", 4)
        for night, answer, text in (
            (pair.earlier, pair.earlier_answer, pair.earlier_text),
            (pair.later, pair.later_answer, pair.later_text),
        ):
            say(f"{night.isoformat()}, answer: {answer}", 4)
            if whole:
                say(f"{night.isoformat()}, as received: {told(text)}", 4)
