"""A method definition: every number, estimator, rule choice and letter condition of one method version.

The grader reads nothing else, and the method page is generated from the same value, so page and grading cannot
differ. An absent key means that the rule is off. Percentages and points are whole or decimal numbers in the file and
exact fractions here.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Literal

import msgspec

from generator.records.grade import Letter

DEFINITION_FORMAT = 1

CONDITION_LETTERS = (Letter.A, Letter.B, Letter.C)
"""The letters that have conditions, best first."""

Percent = Decimal
"""From 0 to 100; `_check_bounds` holds every Decimal of the definition to it."""
Positive = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
Natural = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]


class _Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of the definition: unknown keys are refused, so that no rule is misspelled into being off."""


class WindowRule(_Table, frozen=True, kw_only=True):
    """Which nights a window holds."""

    nights: Positive
    """At most this many recorded nights, the last ones."""
    calendar_days: Annotated[int, msgspec.Meta(ge=1, le=3660)]
    """Within this many calendar days that end with the window's last night."""


class NightRule(_Table, frozen=True, kw_only=True):
    """When a night is void."""

    void_below_sent_percent: Percent
    """A night is void where less than this share of its planned observations was sent."""


class ReferenceRule(_Table, frozen=True, kw_only=True):
    """What makes an answer the reference."""

    min_agreeing: Positive
    """At least this many endpoints gave it."""
    tie: Literal["none"]
    """A tie for first place gives no reference."""
    min_share: Percent | None = None
    """And at least this share, in percent, of the endpoints that answered gave it; absent: no such rule."""


class PairRule(_Table, frozen=True, kw_only=True):
    """What self-disagreement compares."""

    nights: Literal["consecutive in window"]
    """Two consecutive entries of the window's list of nights, whatever the calendar gap."""
    prompts: Literal["fixed"]
    """The same fixed prompt, same id and same text, answered on both."""


class FloorRule(_Table, frozen=True, kw_only=True):
    """How a family's floor comes from its endpoints' self-disagreement."""

    percentile: Percent
    estimator: Literal["lower"]
    """Sorted, the value at index floor(p (n - 1)); no interpolation."""
    fleet: Literal["median mismatch"] | None = None
    """The floor is never below the median, over the model's endpoints, of the share of a family's prompts with a
    reference that an endpoint answered otherwise over the window; absent: no such rule."""


class MarginRule(_Table, frozen=True, kw_only=True):
    """How far above the floors is more than chance."""

    level: Percent
    """In percent: what passes the floors is outside only where so many or more mismatches would come of independent
    chance at the floors' pooled rate less often than this."""
    own_variation: bool = False
    """The same holds for the endpoint's own variation."""

    @property
    def ratio(self) -> Fraction:
        """The level as a ratio."""
        return ratio(self.level)


class StabilityRule(_Table, frozen=True, kw_only=True):
    """When a family is stable."""

    threshold_percent: Percent
    """The median of 100 - S over endpoints is at or above this."""
    median: Literal["mean of the middle two"]
    """What the median of an even count is."""


class MatchRule(_Table, frozen=True, kw_only=True):
    """How column M judges a night."""

    pooling: Literal["stable families together"]
    own_variation_best: Literal["B", "C", "D"] | None = None
    """The best letter M can read where the endpoint's own variation is above the floor; absent: no such rule."""


class BestRule(_Table, frozen=True, kw_only=True):
    """Which endpoints may stand for 'best' in column T."""

    min_counted_percent: Percent | None = None
    """Answered or began to answer at least this share of the keyed prompts planned; absent: no such rule."""
    excluded_reasons: tuple[Literal["too_few_nights", "absent"], ...] = ()
    """Endpoints unrated for one of these reasons are left out."""


class TaskRule(_Table, frozen=True, kw_only=True):
    """How column T compares."""

    best: BestRule
    floor: Literal["weighted by counted prompts"] | None = None
    """A T smaller than the mean floor of the keyed families reads 0; absent: nothing is zeroed."""


class DeclaredRule(_Table, frozen=True, kw_only=True):
    """How column D words a change."""

    refinements: dict[str, tuple[str, ...]] = {}
    """By the older word, the newer words that are narrower names of it."""


class MatchLetter(_Table, frozen=True, kw_only=True):
    """What column M needs for a letter."""

    max_nights_outside: Natural


class TaskLetter(_Table, frozen=True, kw_only=True):
    """What column T needs for a letter."""

    max_points: Percent


class DeclaredLetter(_Table, frozen=True, kw_only=True):
    """What column D needs for a letter."""

    states: tuple[Literal["present", "absent", "changed"], ...]


class ReliabilityLetter(_Table, frozen=True, kw_only=True):
    """What column R needs for a letter; an absent key is no condition."""

    errors_below_percent: Percent | None = None
    truncation_below_percent: Percent | None = None
    max_misrouted: Natural | None = None


class LetterConditions(_Table, frozen=True, kw_only=True):
    """For each column, the conditions of A, B and C in this order; what meets none of them reads D where D exists.

    Column D has no letter D: its C must take every state.
    """

    M: dict[Letter, MatchLetter]
    T: dict[Letter, TaskLetter]
    D: dict[Letter, DeclaredLetter]
    R: dict[Letter, ReliabilityLetter]


class UnratedRule(_Table, frozen=True, kw_only=True):
    """When a grade is U; an absent key is no such reason."""

    min_nights_since_listed: Positive | None = None
    min_nights_in_window: Positive | None = None
    nights_absent: Positive | None = None
    """Not listed, or listed with nothing sent, on this many nights of the window or more."""
    max_without_reference_percent: Percent | None = None
    no_stable_family: bool = False
    not_measured: bool = False
    """M is not measured and no column reads D."""


class LatencyClass(_Table, frozen=True, kw_only=True):
    """One latency class."""

    name: Annotated[str, msgspec.Meta(pattern="^[A-Z]{1,4}$")]
    below_ms: Positive | None = None
    """Its upper bound, exclusive; absent for the last class."""


class LatencyRule(_Table, frozen=True, kw_only=True):
    """How the latency class, shown and not graded, is found."""

    median: Literal["mean of the middle two, rounded down"]
    classes: tuple[LatencyClass, ...]


class WorkedExample(_Table, frozen=True, kw_only=True):
    """The invented numbers that the method page works through."""

    self_disagreement: tuple[Percent, ...]
    """S of each endpoint, in percent."""


class Definition(_Table, frozen=True, kw_only=True):
    """One method version."""

    format: int
    version: Annotated[str, msgspec.Meta(pattern=r"^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$")]
    released: date
    changes: tuple[str, ...]
    """What this version changed, a sentence each."""
    window: WindowRule
    night: NightRule
    reference: ReferenceRule
    self_disagreement: PairRule
    floor: FloorRule
    stability: StabilityRule
    match: MatchRule
    margin: MarginRule | None = None
    """Absent: whatever passes the floors is outside."""
    task: TaskRule
    declared: DeclaredRule
    letters: LetterConditions
    unrated: UnratedRule
    latency: LatencyRule
    worked_example: WorkedExample

    @property
    def provisional(self) -> bool:
        """True for versions 0.x: every letter under them says so."""
        return self.version.startswith("0.")


class Method(msgspec.Struct, frozen=True, kw_only=True):
    """A definition with its prose and the digest of both: what a grade records as its method."""

    definition: Definition
    prose: str
    """Markdown with {{ placeholders }} that the definition fills."""
    digest: str
    """SHA-256 of the .toml bytes followed by the .md bytes."""

    @property
    def version(self) -> str:
        """The method version."""
        return self.definition.version


def ratio(percent: Decimal) -> Fraction:
    """Return a percentage, or points, as an exact ratio: 2.5 becomes 1/40."""
    return Fraction(percent) / 100


def version_key(version: str) -> tuple[int, ...]:
    """Return what orders method versions: 0.9 before 0.10. A name that is no version comes first."""
    parts = version.split(".")
    return tuple(int(part) for part in parts) if all(part.isdecimal() for part in parts) else ()
