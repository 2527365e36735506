"""Settings: content/site.toml and the environment as one frozen value. Keys never stand in a repr."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

import msgspec

Positive = Annotated[int, msgspec.Meta(ge=1, le=1_000_000_000)]
Version = Annotated[str, msgspec.Meta(pattern=r"^(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})$")]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=3600)]


class _Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of site.toml; unknown keys are refused."""


class RouterSettings(_Table, frozen=True, kw_only=True):
    """Which router is asked."""

    kind: Literal["openrouter", "demo"]
    address: Annotated[str, msgspec.Meta(pattern=r"^(https://|http://(127\.0\.0\.1|localhost|\[::1\])[:/])")]
    """Up to and without the closing slash, e.g. ending in /api/v1; without TLS only on this machine: a key travels."""
    key_variable: Annotated[str, msgspec.Meta(pattern="^[A-Z][A-Z0-9_]*$")] | None = None
    """The environment variable that holds the key; the key itself never stands in a file."""

    @property
    def charges(self) -> bool:
        """True for a router that takes money: a night on it needs a cap."""
        return self.kind != "demo"


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
    sampling_seed: Annotated[int, msgspec.Meta(ge=0, le=2_147_483_647)] | None = 20_260
    reasoning_budget_tokens: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 2048
    hour_utc: Annotated[int, msgspec.Meta(ge=0, le=23)] = 3
    """The hour at which a night is meant to begin."""
    late_after_h: Positive = 6
    """A night that begins more than so many hours after it is marked late."""


class BudgetSettings(_Table, frozen=True, kw_only=True):
    """What a night may cost."""

    max_usd: Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,6}(\.[0-9]{1,12})?$")] | None = None
    """The cap of one night in US dollars, as text; a router that charges needs one."""

    @property
    def cap(self) -> Decimal | None:
        """The cap as a number; None without one."""
        return None if self.max_usd is None else Decimal(self.max_usd)


class Settings(_Table, frozen=True, kw_only=True):
    """Everything that content/site.toml says."""

    format: Literal[1]
    title: Annotated[str, msgspec.Meta(min_length=1)]
    address: Annotated[str, msgspec.Meta(pattern=r"^https?://[a-z0-9.-]+(:[0-9]+)?(/[A-Za-z0-9_~-]+)*/$")]
    """The site's base address, with its closing slash."""
    publisher: Annotated[str, msgspec.Meta(min_length=1)]
    """Who publishes the grades: the author in citations."""
    contact: Annotated[str, msgspec.Meta(min_length=1)]
    """Where corrections go: an e-mail or web address."""
    method: Version
    """The current method version."""
    candidates: tuple[Version, ...] = ()
    """Method versions graded beside it, replacing nothing."""
    prompt_set: Annotated[str, msgspec.Meta(pattern="^[a-z0-9][a-z0-9-]*$")]
    models: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
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
