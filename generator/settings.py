"""Settings: content/site.toml and the environment as one frozen value. Keys never stand in a repr."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

import msgspec

Positive = Annotated[int, msgspec.Meta(ge=1)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=3600)]


class _Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of site.toml; unknown keys are refused."""


class RouterSettings(_Table, frozen=True, kw_only=True):
    """Which router is asked."""

    kind: Literal["openrouter", "demo"]
    address: Annotated[str, msgspec.Meta(pattern="^https?://")]
    """Up to and without the closing slash, e.g. ending in /api/v1."""
    key_variable: Annotated[str, msgspec.Meta(pattern="^[A-Z][A-Z0-9_]*$")] | None = None
    """The environment variable that holds the key; the key itself never stands in a file."""


class ProbingSettings(_Table, frozen=True, kw_only=True):
    """How a night is asked."""

    concurrency: Positive = 60
    """Requests in flight at once."""
    concurrency_per_endpoint: Positive = 4
    total_deadline_s: Seconds = 120
    idle_deadline_s: Seconds = 60
    max_body_bytes: Positive = 1_000_000
    attempts: Positive = 4
    """How often at most a request that never reached its endpoint is sent."""
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] = 0.0
    sampling_seed: int | None = 20_260
    reasoning_budget_tokens: Annotated[int, msgspec.Meta(ge=0)] = 2048
    hour_utc: Annotated[int, msgspec.Meta(ge=0, le=23)] = 3
    """The hour at which a night is meant to begin."""
    late_after_h: Positive = 6
    """A night that begins more than so many hours after it is marked late."""


class BudgetSettings(_Table, frozen=True, kw_only=True):
    """What a night may cost."""

    max_usd: Decimal | None = None
    """The cap of one night in US dollars; a router that charges needs one."""


class Settings(_Table, frozen=True, kw_only=True):
    """Everything that content/site.toml says."""

    format: Literal[1]
    title: Annotated[str, msgspec.Meta(min_length=1)]
    address: Annotated[str, msgspec.Meta(pattern="^https?://[^/]+(/.*)?/$")]
    """The site's base address, with its closing slash."""
    publisher: Annotated[str, msgspec.Meta(min_length=1)]
    """Who publishes the grades: the author in citations."""
    contact: Annotated[str, msgspec.Meta(min_length=1)]
    """Where corrections go: an e-mail or web address."""
    method: str
    """The current method version."""
    candidates: tuple[str, ...] = ()
    """Method versions graded beside it, replacing nothing."""
    prompt_set: str
    models: tuple[str, ...]
    """The models watched, `author/name`."""
    router: RouterSettings
    probing: ProbingSettings = ProbingSettings()
    budget: BudgetSettings = BudgetSettings()


class Key:
    """A router's key: readable only on purpose, never printed."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        """Hold the key."""
        self._value = value

    def reveal(self) -> str:
        """Return the key, for the one request header that needs it."""
        return self._value

    def __repr__(self) -> str:
        """Return a text that does not hold the key."""
        return "Key(...)"

    __str__ = __repr__
