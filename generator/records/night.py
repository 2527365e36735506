"""A night: one probe run, named by the UTC date on which it began."""

from __future__ import annotations

from datetime import date, datetime
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
    tool_version: str


PLAN_FORMAT = 1
"""The format of the journal that this program writes."""
