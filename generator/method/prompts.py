"""What each fixed prompt separates, over some nights: so that the next prompt set can be chosen on evidence."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import msgspec

from generator.method.interface import NightTables
from generator.method.reference import reference
from generator.records.definition import Definition
from generator.records.observation import Outcome
from generator.records.prompt_report import PromptLine, PromptReport

_COLUMNS = ["model", "endpoint", "prompt_id", "family", "fixed", "outcome", "answer"]


class _Asked(msgspec.Struct, kw_only=True):
    """One fixed prompt of one model on one night."""

    text: str
    answers: dict[str, str]
    """By endpoint; those that answered."""


_Night = dict[tuple[str, str, str], _Asked]
"""By (model, family, prompt_id)."""


def prompt_report(nights: Sequence[NightTables], definition: Definition) -> PromptReport:
    """Return what each fixed prompt did for each model.

    Args:
        nights: ascending.
        definition: says what makes an answer the reference.
    """
    asked = [_asked(night) for night in nights]
    keys = sorted({key for night in asked for key in night})
    return PromptReport(
        nights=tuple(night.night for night in nights),
        method_version=definition.version,
        prompts=tuple(_line(key, asked, definition) for key in keys),
    )


def _asked(night: NightTables) -> _Night:
    """Return what was answered to each fixed prompt that was sent."""
    texts = {row["prompt_id"]: row["prompt"] for row in night.prompts.select(["prompt_id", "prompt"]).to_pylist()}
    found: _Night = {}
    for row in night.observations.select(_COLUMNS).to_pylist():
        if row["fixed"] and row["outcome"] != Outcome.UNSENT:
            key = (row["model"], row["family"], row["prompt_id"])
            asked = found.setdefault(key, _Asked(text=texts[row["prompt_id"]], answers={}))
            if row["outcome"] == Outcome.ANSWERED:
                asked.answers[row["endpoint"]] = row["answer"]
    return found


def _line(key: tuple[str, str, str], nights: Sequence[_Night], definition: Definition) -> PromptLine:
    model, family, prompt_id = key
    asked = [night[key] for night in nights if key in night]
    answered = gave = with_reference = pairs = changes = 0
    for each in asked:
        expected = reference(each.answers.values(), definition)
        if expected is not None:
            with_reference += 1
            answered += len(each.answers)
            gave += sum(answer == expected for answer in each.answers.values())
    for earlier, later in pairwise(nights):
        before, after = earlier.get(key), later.get(key)
        if before is not None and after is not None and before.text == after.text:
            both = before.answers.keys() & after.answers.keys()
            pairs += len(both)
            changes += sum(before.answers[endpoint] != after.answers[endpoint] for endpoint in both)
    return PromptLine(
        model=model,
        family=family,
        prompt_id=prompt_id,
        text=asked[-1].text,
        nights_asked=len(asked),
        nights_with_reference=with_reference,
        answered=answered,
        gave_reference=gave,
        own_pairs=pairs,
        own_changes=changes,
        never_separates=with_reference > 0 and answered == gave,
        never_has_a_reference=with_reference == 0,
    )
