"""A grade: what one method version says of one endpoint over one window, in integers that every figure follows from."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from enum import StrEnum

import msgspec


class Letter(StrEnum):
    """A to D, each with wider limits than the one before, or U."""

    A = "A"
    B = "B"
    C = "C"
    D = "D"
    U = "U"
    """Unrated."""


class Column(StrEnum):
    """The four columns."""

    M = "M"
    """Match."""
    T = "T"
    """Task accuracy."""
    D = "D"
    """Declared precision."""
    R = "R"
    """Reliability."""


class UnratedReason(StrEnum):
    """Why a grade is U; every reason that holds is recorded."""

    TOO_FEW_NIGHTS = "too_few_nights"
    ABSENT = "absent"
    NO_REFERENCE = "no_reference"
    NO_STABLE_FAMILY = "no_stable_family"
    NOT_MEASURED = "not_measured"


class DeclaredState(StrEnum):
    """What an endpoint declared over the nights on which it was listed."""

    PRESENT = "present"
    """A precision, the same throughout."""
    ABSENT = "absent"
    """None, throughout."""
    CHANGED = "changed"


class ChangeKind(StrEnum):
    """The kind of a change of declared precision."""

    NEWLY_DECLARED = "newly declared"
    WITHDRAWN = "withdrawn"
    REFINED = "refined"
    """The router's vocabulary grew: the newer word is a narrower name of the older one."""
    CHANGED = "changed"


class MatchNight(msgspec.Struct, frozen=True, kw_only=True):
    """One measured night of column M."""

    night: date
    prompts: int
    """Prompts of stable families that have a reference and that the endpoint answered."""
    mismatches: int
    """Those answered otherwise than the reference."""
    allowed_numerator: int
    """Over allowed_denominator: how many mismatches the floors allow that night. The night is outside above it."""
    allowed_denominator: int


class MatchFamily(msgspec.Struct, frozen=True, kw_only=True):
    """One family over the window."""

    family: str
    stable: bool
    floor_numerator: int | None
    """Over floor_denominator: the model's floor in this family, a ratio from 0 to 1; null where there is none."""
    floor_denominator: int | None
    prompts: int
    """Prompts with a reference that the endpoint answered."""
    mismatches: int
    pairs: int
    """The endpoint's own night-to-night pairs."""
    pairs_differing: int


class TaskFamily(msgspec.Struct, frozen=True, kw_only=True):
    """One keyed family over the window."""

    family: str
    correct: int
    counted: int
    """Answered or truncated."""


class DeclaredChange(msgspec.Struct, frozen=True, kw_only=True):
    """One change of declared precision."""

    night: date
    """The first night that shows it."""
    before: str | None
    after: str | None
    kind: ChangeKind


class Superseded(msgspec.Struct, frozen=True, kw_only=True):
    """An earlier letter that a re-grade replaces for readers; its page stays."""

    method_version: str
    letter: Letter


class Grade(msgspec.Struct, frozen=True, kw_only=True):
    """One row of a grades file; fields in column order. `grade.json` is this record as RFC 8785 JSON."""

    model: str
    endpoint: str
    provider: str
    """As last listed in the window, like tag and listings."""
    tag: str
    listings: int
    window_start: date
    """The window's first night."""
    window_end: date
    """The window's last night, which names it."""
    nights: tuple[date, ...]
    """The window's recorded nights, ascending."""
    method_version: str
    method_digest: str
    letter: Letter
    provisional: bool
    m_letter: Letter | None
    """Null when not measured, like the other columns' letters."""
    t_letter: Letter | None
    d_letter: Letter | None
    r_letter: Letter | None
    m_nights_observed: int
    m_nights_outside: int
    m_own_variation_above_floor: bool
    m_night: tuple[MatchNight, ...]
    m_family: tuple[MatchFamily, ...]
    t_correct: int
    t_counted: int
    t_planned: int
    """Keyed prompts planned for the endpoint in the window."""
    t_best_correct: int | None
    """Over t_best_counted: the best qualifying endpoint's share correct; null where none qualifies."""
    t_best_counted: int | None
    t_within_floor: bool
    """The measured T is smaller than the floor of the keyed families: it reads 'within the floor', and as 0."""
    t_family: tuple[TaskFamily, ...]
    d_state: DeclaredState
    d_precision: str | None
    """The last one declared in the window; null when absent."""
    d_changes: tuple[DeclaredChange, ...]
    r_sent: int
    r_errors: int
    """Errors and empty answers."""
    r_answered: int
    r_truncated: int
    r_misrouted: int
    unrated_reasons: tuple[UnratedReason, ...]
    nights_since_listed: int
    """Recorded nights from the first listing to the window's end."""
    nights_absent: int
    """Nights of the window, since the first listing, not listed or with nothing sent."""
    pairs: int
    """The model's (night, prompt) pairs in the window."""
    pairs_without_reference: int
    issued: date
    latency_class: str | None
    """'I' to 'IV'; 'replayed' where no latency was measured; null where nothing was answered."""
    median_latency_ms: int | None
    """Rounded down to a whole millisecond; null where nothing was answered."""
    price_prompt: Decimal | None
    """USD per token, as last listed in the window."""
    price_completion: Decimal | None
    context_declared: int | None
    context_observed: int | None
    """The size in tokens of the longest context probe answered in the window."""
    supersedes: tuple[Superseded, ...]

    @property
    def column_letters(self) -> tuple[Letter | None, Letter | None, Letter | None, Letter | None]:
        """The letters that the columns read, in their order; None where one was not measured."""
        return self.m_letter, self.t_letter, self.d_letter, self.r_letter

    def column_letter(self, column: Column) -> Letter | None:
        """Return the letter that a column reads, or None when it was not measured."""
        return {
            Column.M: self.m_letter,
            Column.T: self.t_letter,
            Column.D: self.d_letter,
            Column.R: self.r_letter,
        }[column]
