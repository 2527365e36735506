"""A night, counted: what is kept of it for every window that it stands in."""

from __future__ import annotations

import weakref
from datetime import date
from functools import cached_property

import msgspec
import pyarrow as pa

from generator.method.columns import Codes
from generator.records.endpoint import Endpoint


class FamilyCounts(msgspec.Struct, frozen=True, kw_only=True):
    """One endpoint's prompts of one family, on one night or over a window. Fields in the order of the columns."""

    compared: int = 0
    """Answered prompts that have a reference."""
    mismatches: int = 0
    """Those answered otherwise than the reference."""
    planned_keyed: int = 0
    """Prompts with a key that were planned, whatever came of them."""
    counted: int = 0
    """Prompts with a key that were answered or truncated."""
    correct: int = 0


class OutcomeCounts(msgspec.Struct, frozen=True, kw_only=True):
    """What requests came to, over a night or a window. Fields in the order of the columns."""

    sent: int = 0
    """All but unsent."""
    errors: int = 0
    """Errors and empty answers."""
    answered: int = 0
    truncated: int = 0
    misrouted: int = 0


class NightTally(msgspec.Struct, frozen=True, kw_only=True, dict=True, weakref=True, eq=False):
    """One night, counted, in columns."""

    night: date
    latency_replayed: bool
    keyed: dict[str, bool]
    """By family of the night's prompts, whether any of them has a key."""
    fixed_prompts: dict[str, tuple[str, str]]
    """By prompt_id, the family and the text of each fixed prompt."""
    listings: pa.Table
    """As the archive keeps them: a row of the arrays below is a row of this table."""
    keys: tuple[tuple[str, str], ...]
    """The (model, endpoint) of each row."""
    families: tuple[str, ...]
    """Those of the columns of `counts`."""
    counts: Codes
    """Rows x families x the fields of `FamilyCounts`."""
    outcomes: Codes
    """Rows x the fields of `OutcomeCounts`."""
    models: tuple[str, ...]
    """Sorted."""
    questions: Codes
    """Models x 2: prompts sent to at least one endpoint, and those of them without a reference."""
    fixed_ids: tuple[str, ...]
    """The prompt_ids of the columns of `fixed`."""
    fixed: Codes
    """Rows x fixed prompts: the answer's place in `answers`, -1 where the prompt was not answered."""
    answers: pa.Array
    """The distinct answers to fixed prompts."""
    latencies_ms: Codes
    """Of answered observations, row by row."""
    latency_starts: Codes
    """For each row, where its latencies start, and at last where all end."""
    contexts: dict[int, int]
    """By row, the size in tokens of the longest context probe answered."""

    @cached_property
    def row_of(self) -> dict[tuple[str, str], int]:
        """By (model, endpoint), its row."""
        return {key: row for row, key in enumerate(self.keys)}

    @cached_property
    def neighbours(self) -> weakref.WeakKeyDictionary[NightTally, object]:
        """What was counted between another night and this one, for as long as the other is in use."""
        return weakref.WeakKeyDictionary()

    @cached_property
    def endpoints(self) -> tuple[EndpointNight, ...]:
        """Each listed endpoint, row by row."""
        listed = self.listings.to_pylist()
        return tuple(EndpointNight(tally=self, row=row, listed=Endpoint(**listed[row])) for row in range(len(listed)))

    def __hash__(self) -> int:
        """Return what tells this tally from others: a tally is the same as itself alone."""
        return id(self)


class EndpointNight(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """One endpoint on one night."""

    tally: NightTally
    row: int
    listed: Endpoint

    def family(self, family: str) -> FamilyCounts:
        """Return a family's counts; none of its prompts were planned where there are none."""
        if family not in self.tally.families:
            return FamilyCounts()
        return family_counts(self.tally.counts[self.row, self.tally.families.index(family)])

    @property
    def outcomes(self) -> OutcomeCounts:
        """What its requests came to."""
        return outcome_counts(self.tally.outcomes[self.row])

    @property
    def latencies_ms(self) -> list[int]:
        """Of answered observations."""
        start, end = self.tally.latency_starts[self.row : self.row + 2].tolist()
        latencies: list[int] = self.tally.latencies_ms[start:end].tolist()
        return latencies

    @property
    def fixed_answers(self) -> dict[str, str]:
        """By prompt_id, the answers to fixed prompts."""
        codes = self.tally.fixed[self.row].tolist()
        answers = self.tally.answers
        return {
            prompt_id: answers[code].as_py()
            for prompt_id, code in zip(self.tally.fixed_ids, codes, strict=True)
            if code >= 0
        }

    @property
    def context_observed(self) -> int | None:
        """The size in tokens of the longest context probe answered."""
        return self.tally.contexts.get(self.row)


def family_counts(columns: Codes) -> FamilyCounts:
    """Return the counts of one line of columns."""
    return FamilyCounts(**_named(FamilyCounts, columns))


def outcome_counts(columns: Codes) -> OutcomeCounts:
    """Return the outcomes of one line of columns."""
    return OutcomeCounts(**_named(OutcomeCounts, columns))


def _named(kind: type[msgspec.Struct], columns: Codes) -> dict[str, int]:
    """Return a line of columns by the names of a record's fields."""
    return dict(zip(kind.__struct_fields__, columns.tolist(), strict=True))
