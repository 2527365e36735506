"""An explanation: the arithmetic of one grade, night by night and prompt by prompt, from the archive alone.

Everything here can be counted again from a window's nights and a method definition. Answers and texts stand as the
archive keeps them, unchanged: whoever shows them makes them visible and safe. Exact values are integers over integers;
the figure beside them is how they print. Endpoints are in alphabetical order, values that come of several endpoints
stand without their names, and no endpoint is called the best.
"""

from __future__ import annotations

from datetime import date
from enum import StrEnum

import msgspec

from generator.records.grade import Column, DeclaredChange, Grade, Letter, TaskFamily, UnratedReason
from generator.records.observation import Outcome

EXPLANATION_FORMAT = 1


class Exact(msgspec.Struct, frozen=True, kw_only=True):
    """An exact value and how it prints."""

    numerator: int
    denominator: int
    figure: str
    """A decimal on the same side of every limit as the value; in percent where the value is a ratio from 0 to 1."""


class NightPart(StrEnum):
    """What a night of the window is to the endpoint."""

    ASKED = "asked"
    NOTHING_SENT = "nothing sent"
    """Listed, and nothing reached it: counts as an absence."""
    NOT_LISTED = "not listed"
    """After its first listing: an absence."""
    NOT_YET_LISTED = "not yet listed"
    """Before its first listing: no absence."""


class WindowNight(msgspec.Struct, frozen=True, kw_only=True):
    """One night of the window, as the grades' manifest lists it."""

    night: date
    sha256: str
    """Of night.json: what the grade was made from."""
    part: NightPart
    sent: int
    """Observations of this endpoint that reached it."""
    declared: str | None
    """The precision that its listing declared; null when absent or not listed."""
    tag: str | None
    """Null when not listed."""


class NoReference(StrEnum):
    """Why a prompt of a night has no reference."""

    NO_ANSWER = "no endpoint answered"
    TOO_FEW = "too few gave the same answer"
    TIE = "a tie for first place"
    SHARE = "too small a share gave the same answer"


class MatchPrompt(msgspec.Struct, frozen=True, kw_only=True):
    """One prompt of a stable family on one night, and this endpoint's answer to it."""

    prompt_id: str
    family: str
    fixed: bool
    prompt: str
    """As it was asked, word for word."""
    answered: int
    """Endpoints of the model that answered it."""
    most_given: int
    """How many of them gave the answer that was given most."""
    reference: str | None
    no_reference: NoReference | None
    """Null where there is a reference."""
    agreed: tuple[str, ...]
    """The endpoints that gave the reference, alphabetically; `most_given` of them. None where there is no reference."""
    outcome: Outcome
    """What came of asking this endpoint."""
    answer: str | None
    """Normalised, as it is compared; null unless answered, truncated or misrouted."""
    text: str | None
    """As received."""
    compared: bool
    """There is a reference and the endpoint answered: the prompt counts in the night's arithmetic."""
    differs: bool
    """Compared, and the answer is not the reference."""


class MatchFamilyNight(msgspec.Struct, frozen=True, kw_only=True):
    """What one stable family adds to a night: n(f) x F(f)."""

    family: str
    compared: int
    """n(f): prompts with a reference that the endpoint answered."""
    mismatches: int
    floor: Exact
    """F(f), a ratio."""
    allowed: Exact
    """n(f) x F(f), in prompts."""


class ExplainedMatchNight(msgspec.Struct, frozen=True, kw_only=True):
    """One night of column M: counted against allowed."""

    night: date
    compared: int
    """No prompt compared: the night is not measured."""
    mismatches: int
    allowed: Exact
    """In prompts, as the grade records it; a night is outside only above it."""
    tail: str | None
    """In percent: how often independent chance at the floors' pooled rate gives so many mismatches or more. Null where
    the definition has no margin, or the mismatches do not pass what is allowed."""
    level: str | None
    """In percent: a night above what is allowed is outside only where the tail is under this. Null without a margin."""
    reading: str
    """'within', 'within the margin', 'outside' or 'not measured'."""
    words: str
    """The night in a sentence."""
    families: tuple[MatchFamilyNight, ...]
    prompts: tuple[MatchPrompt, ...]
    """Every prompt of the stable families that was planned for the endpoint, sorted by family and id."""


class SelfDisagreement(msgspec.Struct, frozen=True, kw_only=True):
    """One endpoint's self-disagreement in one family; whose it is does not stand beside it."""

    differing: int
    pairs: int
    figure: str
    """In percent."""


class ExplainedFloor(msgspec.Struct, frozen=True, kw_only=True):
    """How a family's floor and stability came about."""

    family: str
    values: tuple[SelfDisagreement, ...]
    """Of the model's endpoints that have one, smallest first."""
    percentile: str
    """In percent."""
    index: int | None
    """Of the value taken, counted from 0: floor(percentile x (values - 1)). Null without a value."""
    fleet: tuple[Exact, ...]
    """Each endpoint's share of prompts answered otherwise than the reference, smallest first; empty where the
    definition has no such rule."""
    fleet_median: Exact | None
    """The floor is never below it. Null without the rule, or without a share."""
    floor: Exact | None
    """A ratio; null where no endpoint has a self-disagreement."""
    self_agreement_median: Exact | None
    """The median over endpoints of 1 - S, a ratio."""
    threshold: str
    """In percent: the family is stable where the median is at or above it."""
    stable: bool
    compared: int
    """This endpoint's prompts with a reference over the window."""
    mismatches: int
    pairs: int
    """This endpoint's own night-to-night pairs."""
    pairs_differing: int


class DifferingPair(msgspec.Struct, frozen=True, kw_only=True):
    """One fixed prompt that the endpoint answered in two ways on two consecutive nights of the window."""

    prompt_id: str
    family: str
    stable: bool
    """Only pairs of stable families count against the endpoint."""
    prompt: str
    earlier: date
    later: date
    earlier_answer: str
    later_answer: str
    earlier_text: str | None
    """As received, like the later one."""
    later_text: str | None


class OwnVariation(msgspec.Struct, frozen=True, kw_only=True):
    """The endpoint's own night-to-night variation, pooled over the stable families."""

    pairs: int
    differing: int
    allowed: Exact
    """In pairs: the sum over stable families of pairs x floor."""
    tail: str | None
    """As for a night; null unless the definition's margin holds for own variation too and the pairs pass the floors."""
    level: str | None
    above: bool
    words: str
    differ: tuple[DifferingPair, ...]
    """Every pair that differs, of every family, by prompt and night."""


class ExplainedMatch(msgspec.Struct, frozen=True, kw_only=True):
    """Column M."""

    letter: Letter | None
    words: str
    floors: tuple[ExplainedFloor, ...]
    """Of every family of the window's prompts, sorted by name."""
    nights: tuple[ExplainedMatchNight, ...]
    """The nights that listed the endpoint."""
    own_variation: OwnVariation


class WrongAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One keyed prompt that counted and was not correct."""

    night: date
    prompt_id: str
    family: str
    prompt: str
    expected: str
    """The key, normalised as answers are."""
    outcome: Outcome
    """Answered or truncated."""
    answer: str | None
    text: str | None


class ExplainedTask(msgspec.Struct, frozen=True, kw_only=True):
    """Column T."""

    letter: Letter | None
    words: str
    families: tuple[TaskFamily, ...]
    correct: int
    counted: int
    planned: int
    best_correct: int | None
    """Over best_counted: the best share among the endpoints that qualify, whichever it is; null where none does."""
    best_counted: int | None
    floor: Exact | None
    """A ratio: the mean floor of the keyed families, weighted by the counted prompts. Null where nothing is zeroed."""
    within_floor: bool
    """What was measured is smaller than the floor: T reads 0 and is no difference."""
    points: Exact | None
    """A ratio, its figure in points, as T reads: 0 where the floor zeroes it. Null when not measured."""
    wrong: tuple[WrongAnswer, ...]


class ExplainedDeclared(msgspec.Struct, frozen=True, kw_only=True):
    """Column D; what was declared on each night stands with the window's nights."""

    letter: Letter | None
    words: str
    changes: tuple[DeclaredChange, ...]


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """Requests of one night that ended alike and not with an answer."""

    night: date
    outcome: Outcome
    """Error, empty, truncated, misrouted or unsent; what was unsent counts in nothing."""
    kind: str | None
    """The code of an error."""
    http_status: int | None
    finish_reason: str | None
    served_provider: str | None
    """Who served it, where the router said so."""
    served_model: str | None
    prompts: tuple[str, ...]
    """Their ids, sorted."""


class ExplainedReliability(msgspec.Struct, frozen=True, kw_only=True):
    """Column R."""

    letter: Letter | None
    words: str
    sent: int
    errors: int
    """Errors and empty answers."""
    answered: int
    truncated: int
    misrouted: int
    failures: tuple[Failure, ...]
    """By night, outcome and kind."""


class Reason(msgspec.Struct, frozen=True, kw_only=True):
    """One reason to be unrated."""

    reason: UnratedReason
    words: str


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """The nearest condition under which a column, or the grade, would have read another letter."""

    column: Column | None
    """Null for the grade as a whole."""
    letter: Letter
    """What it would have read."""
    words: str
    """The condition, and what was counted, in a sentence."""


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """One grade explained. A column that was not asked for is null."""

    format: int
    grade: Grade
    """As recorded; every figure of it was counted again before anything was explained."""
    method_version: str
    method_digest: str
    nights: tuple[WindowNight, ...]
    """The window's, ascending."""
    voided: tuple[date, ...]
    """Recorded nights that had been declared void when the grade was issued: they are in no window."""
    reasons: tuple[Reason, ...]
    """Why the grade is U; empty where it is not."""
    turns: tuple[Turn, ...]
    """What would have changed the letter: the grade as a whole first, then column by column."""
    match: ExplainedMatch | None
    task: ExplainedTask | None
    declared: ExplainedDeclared | None
    reliability: ExplainedReliability | None

    def only(self, columns: frozenset[Column]) -> Explanation:
        """Return the explanation narrowed to some columns; nights, reasons and the grade as a whole stay."""
        return msgspec.structs.replace(
            self,
            turns=tuple(turn for turn in self.turns if turn.column is None or turn.column in columns),
            match=self.match if Column.M in columns else None,
            task=self.task if Column.T in columns else None,
            declared=self.declared if Column.D in columns else None,
            reliability=self.reliability if Column.R in columns else None,
        )
