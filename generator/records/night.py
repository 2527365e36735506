"""A night: one probe run, named by the UTC date on which it began."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Annotated

import msgspec

from generator.records.endpoint import Endpoint
from generator.records.listing import ModelListing
from generator.records.prompt import Prompt

Sha256 = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
"""A SHA-256 in lower-case hexadecimal."""

Count = Annotated[int, msgspec.Meta(ge=0)]


REPLAYED = "replayed"
"""What a night's settings say of its latency, and a grade of its latency class, where answers were played back."""


class NightState(StrEnum):
    """Whether a night counts."""

    RECORDED = "recorded"
    """Complete enough to count."""
    VOID = "void"
    """The operator's side failed: kept, marked, in no window."""


class NightCounts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many observations a night planned, sent, and had of each outcome."""

    planned: Count
    """Prompts times endpoints."""
    sent: Count
    """All but unsent."""
    answered: Count
    truncated: Count
    empty: Count
    error: Count
    misrouted: Count
    unsent: Count


class ModelSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is asked of one model otherwise than of all others; null where nothing is."""

    reasoning_budget_tokens: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] | None = None
    """In place of the night's own."""
    max_tokens: Annotated[int, msgspec.Meta(ge=16, le=32_768)] | None = None
    """The cut of every prompt for this model, in place of the prompt's own."""


class NightSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whatever can move a result, as it was that night."""

    temperature: float
    """Sampling temperature asked for."""
    sampling_seed: int | None
    """The `seed` sent to endpoints that list the parameter; null where none was sent."""
    total_deadline_ms: Count
    """A request takes no longer than this, from its first byte sent to its last byte read."""
    idle_deadline_ms: Count
    """No pause between two reads is longer than this."""
    max_body_bytes: Count
    """A decoded body longer than this is an error."""
    concurrency: Count
    """Requests in flight at once."""
    concurrency_per_endpoint: Count
    """Requests in flight at once to one endpoint."""
    attempts: Count
    """How often at most a request that never reached its endpoint is sent."""
    reasoning_budget_tokens: Count
    """Tokens allowed for thinking, on top of a prompt's max_tokens, where a model must think."""
    models: dict[str, ModelSettings] = {}
    """By model, what is asked otherwise than of the others."""
    context_rungs: tuple[Count, ...] = ()
    """Sizes of the context probes in tokens, ascending; one of them a night. Empty: no context probes."""
    latency: str
    """'measured', or 'replayed' where the router plays back recorded answers."""


class PreviousNight(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The night kept before this one, recorded or void: a chain that a missing night breaks."""

    night: date
    sha256: Sha256
    """Of that night's night.json as it lies."""


class NightRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What night.json says. A night exists once this file does."""

    format: int
    night: date
    state: NightState
    reason: str | None
    """Why the night is void; null for a recorded one."""
    late: bool
    """True where it began later than `probing.late_after_h` hours after `probing.hour_utc` of site.toml."""
    seed: str
    """From the operating system's entropy; hexadecimal."""
    prompt_set: str
    prompt_set_sha256: Sha256
    """Digest over the prompt set's files; see `records.prompt.PromptSet`."""
    router: str
    """The router's kind: 'openrouter', 'demo', ..."""
    started_at: datetime
    finished_at: datetime
    counts: NightCounts
    cost_usd: str
    """What the night cost, in US dollars, as a decimal."""
    settings: NightSettings
    files: dict[str, Sha256]
    """The SHA-256 of each other file of the night, by name."""
    previous: PreviousNight | None
    """Null for the first night of an archive."""
    missed: tuple[date, ...] = ()
    """The dates between the previous night and this one: no night was begun on them."""
    tool_version: str
    seal: str
    """SHA-256 of this record's canonical JSON without this member."""


class VoidRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What void.json says: a recorded night that was declared void afterwards."""

    format: int
    night: date
    reason: str
    declared_at: datetime
    seal: str
    """SHA-256 of this record's canonical JSON without this member."""


class NightPlan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a night set out to do: the first line of its journal, written before anything is asked."""

    format: int
    night: date
    late: bool
    seed: str
    prompt_set: str
    prompt_set_sha256: Sha256
    router: str
    started_at: datetime
    settings: NightSettings
    kinds: dict[str, str]
    """By family, the kind that normalises its answers."""
    listings: tuple[ModelListing, ...]
    endpoints: tuple[Endpoint, ...]
    prompts: tuple[Prompt, ...]
    context: tuple[Prompt, ...] = ()
    """The context probes, one for each size that an endpoint is asked tonight; not graded."""
    tool_version: str


PLAN_FORMAT = 1
"""The format of the journal that this program writes."""


def missed(previous: PreviousNight | None, night: date) -> tuple[date, ...]:
    """Return the dates between a night and the one kept before it, ascending: no night was begun on them."""
    if previous is None:
        return ()
    return tuple(previous.night + timedelta(days=day) for day in range(1, (night - previous.night).days))


def date_runs(dates: Iterable[date]) -> tuple[tuple[date, date], ...]:
    """Return the first and last date of each run of consecutive days, in the dates' own order."""
    runs: list[tuple[date, date]] = []
    for day in dates:
        if runs and (day - runs[-1][1]).days == 1:
            runs[-1] = (runs[-1][0], day)
        else:
            runs.append((day, day))
    return tuple(runs)


def date_words(dates: Iterable[date]) -> str:
    """Return dates as a sentence takes them, runs as ranges: 'on 2026-03-02, from 2026-03-04 to 2026-03-09'."""
    return ", ".join(f"on {first}" if first == last else f"from {first} to {last}" for first, last in date_runs(dates))
