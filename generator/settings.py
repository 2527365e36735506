"""Settings: content/site.toml and the environment as one frozen value. Keys never stand in a repr."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Any, Literal

import msgspec

from generator.records.night import ModelSettings

Positive = Annotated[int, msgspec.Meta(ge=1, le=1_000_000_000)]
_VERSION = r"^(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})$"
Version = Annotated[str, msgspec.Meta(pattern=_VERSION)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=3600)]
_SLUG = r"^[A-Za-z0-9~][A-Za-z0-9._~-]*/[A-Za-z0-9][A-Za-z0-9._~-]*(:[A-Za-z0-9._-]+)?$"
Slug = Annotated[str, msgspec.Meta(pattern=_SLUG)]
"""A model as a router lists it, `author/name`."""
_VARIABLE = "^[A-Z][A-Z0-9_]*$"
Variable = Annotated[str, msgspec.Meta(pattern=_VARIABLE)]
"""The name of an environment variable."""
_PRICE = r"^[0-9]{1,6}(\.[0-9]{1,12})?$"
Price = Annotated[str, msgspec.Meta(pattern=_PRICE)]
"""US dollars, as text."""


class _Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of site.toml; unknown keys are refused."""


_ADDRESS = r"^(https://|http://(127\.0\.0\.1|localhost|\[::1\])[:/])[^@]*$"
"""TLS, or this machine."""
_SERVER_ADDRESS = "^https?://[^@]*$"
_SERVER_NAME = "^[A-Za-z0-9][A-Za-z0-9._ -]{0,62}[A-Za-z0-9]$|^[A-Za-z0-9]$"
_SITE_ADDRESS = r"^https?://[a-z0-9.-]+(:[0-9]+)?(/[A-Za-z0-9_~-]+)*/$"
_PROMPT_SET = "^[a-z0-9][a-z0-9-]*$"

PATTERN_WORDS = {
    _VERSION: "a method version as text, such as '0.1'",
    _SLUG: "a model as author/name",
    _VARIABLE: "the name of an environment variable, in capitals, digits and underscores",
    _PRICE: "US dollars as text, such as '2.50' (at most 6 digits before the point and 12 after it)",
    _ADDRESS: "an address with https, or with http on this machine (127.0.0.1, localhost or [::1]), and without a user",
    _SERVER_ADDRESS: "an address with http or https, and without a user",
    _SERVER_NAME: "a name of at most 64 letters, digits, dots, dashes, underscores and spaces, "
    "with a letter or digit at both ends",
    _SITE_ADDRESS: "an address with http or https, its host in lower case, that ends with a slash",
    _PROMPT_SET: "a name of lower-case letters, digits and dashes",
}
"""By pattern, what a text that fits it is: for messages."""


class RouterSettings(_Table, frozen=True, kw_only=True):
    """Which router is asked."""

    kind: Literal["openrouter", "huggingface", "direct", "demo"]
    """'direct' asks the servers that the settings list, without a router between."""
    address: Annotated[str, msgspec.Meta(pattern=_ADDRESS)] | None = None
    """Up to and without the closing slash, e.g. ending in /api/v1; without TLS only on this machine: a key travels."""
    key_variable: Variable | None = None
    """The environment variable that holds the key; the key itself never stands in a file."""

    def __post_init__(self) -> None:
        """Refuse a router without an address, and an address or key where each server has its own."""
        if self.kind == "direct" and (self.address is not None or self.key_variable is not None):
            found = "address" if self.address is not None else "key_variable"
            raise ValueError(
                f"expected neither address nor key_variable of a router of kind 'direct', where each of 'servers' has "
                f"its own, found '{found}'"
            )
        if self.kind != "direct" and self.address is None:
            raise ValueError("expected the router's address, found none")

    @property
    def charges(self) -> bool:
        """True for a router that takes money: a night on it needs a cap."""
        return self.kind not in ("demo", "direct")


class ServerSettings(_Table, frozen=True, kw_only=True):
    """A server that is asked directly: one's own vLLM, SGLang, llama.cpp or Ollama, or anybody's of that protocol."""

    name: Annotated[str, msgspec.Meta(pattern=_SERVER_NAME)]
    """What it is called on the site, as a provider is."""
    address: Annotated[str, msgspec.Meta(pattern=_SERVER_ADDRESS)]
    """Up to and without the closing slash, e.g. ending in /v1."""
    model: Slug
    """The model that it is compared within, `author/name`: the same for all servers of one model."""
    model_id: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None
    """What the server calls the model; null where that is its slug."""
    key_variable: Variable | None = None
    """The environment variable that holds its key; null for a server that asks for none."""
    declared_precision: Annotated[str, msgspec.Meta(min_length=1, max_length=40)] | None = None
    """What whoever runs it says of its precision; null where nothing is said."""
    context_length: Positive | None = None
    """Tokens; what whoever runs it says."""
    price_prompt: Price = "0"
    """US dollars per token."""
    price_completion: Price = "0"
    """US dollars per token."""
    parameters: dict[str, Any] = {}
    """Members added to each request, such as chat_template_kwargs; they stand in the listing that is kept."""

    def __post_init__(self) -> None:
        """Refuse to send a key without TLS over a network."""
        if self.key_variable is not None and re.match(_ADDRESS, self.address) is None:
            raise ValueError("expected https:// where a key is sent to another machine, found http://")


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


class ContextSettings(_Table, frozen=True, kw_only=True):
    """The context probes, which are not graded."""

    rungs: Annotated[tuple[Annotated[int, msgspec.Meta(ge=256, le=2_000_000)], ...], msgspec.Meta(max_length=12)] = (
        1024,
        4096,
        16_384,
    )
    """Sizes in tokens, ascending, one a night in rotation; empty for none."""

    def __post_init__(self) -> None:
        """Refuse rungs that do not ascend."""
        if list(self.rungs) != sorted(set(self.rungs)):
            raise ValueError(f"expected 'rungs' to ascend, found {', '.join(map(str, self.rungs))}")


class BudgetSettings(_Table, frozen=True, kw_only=True):
    """What a night may cost."""

    max_usd: Price | None = None
    """The cap of one night in US dollars, as text; a router that charges needs one."""
    allow_unpriced: bool = False
    """True to ask endpoints too whose listing gives no price, although what they cost cannot be held back."""

    @property
    def cap(self) -> Decimal | None:
        """The cap as a number; None without one."""
        return None if self.max_usd is None else Decimal(self.max_usd)


Address = Annotated[str, msgspec.Meta(pattern=_SITE_ADDRESS)]
"""Where a site begins, with its closing slash."""


class Settings(_Table, frozen=True, kw_only=True):
    """Everything that content/site.toml says."""

    format: Literal[1]
    title: Annotated[str, msgspec.Meta(min_length=1)]
    address: Address
    """The site's base address."""
    publisher: Annotated[str, msgspec.Meta(min_length=1)]
    """Who publishes the grades: the author in citations."""
    contact: Annotated[str, msgspec.Meta(min_length=1)]
    """Where corrections go: an e-mail or web address."""
    method: Version
    """The current method version."""
    candidates: tuple[Version, ...] = ()
    """Method versions graded beside it, replacing nothing."""
    prompt_set: Annotated[str, msgspec.Meta(pattern=_PROMPT_SET)]
    models: tuple[Slug, ...] = ()
    """The models watched."""
    min_providers: Annotated[int, msgspec.Meta(ge=2, le=1000)] | None = None
    """Watch, besides, every model that so many providers serve; null to watch the models named alone."""
    exclude: tuple[Slug, ...] = ()
    """Models that this rule leaves out."""
    archive: str | None = None
    """Where the archive lies: the address of a folder or bucket; null for the folder archive/ of the site root."""
    router: RouterSettings
    servers: tuple[ServerSettings, ...] = ()
    """What a direct router asks."""
    probing: ProbingSettings = ProbingSettings()
    context: ContextSettings = ContextSettings()
    budget: BudgetSettings = BudgetSettings()
    per_model: dict[Slug, ModelSettings] = {}
    """By model, what is asked of it otherwise than of the others."""

    def __post_init__(self) -> None:
        """Refuse settings that watch nothing, or that list servers which nobody asks."""
        if self.router.kind == "direct":
            self._check_servers()
        elif self.servers:
            raise ValueError(
                f"expected no 'servers', which a router of kind 'direct' alone asks, found {len(self.servers)} and a "
                f"router of kind '{self.router.kind}'"
            )
        elif not self.models and self.min_providers is None:
            raise ValueError("expected 'models' or 'min_providers', without which nothing is watched, found neither")

    def _check_servers(self) -> None:
        if not self.servers:
            raise ValueError("expected 'servers' for a router of kind 'direct', found none")
        named = {"models": self.models, "min_providers": self.min_providers, "exclude": self.exclude}
        for name, value in named.items():
            if value:
                raise ValueError(
                    f"expected no 'models', 'min_providers' or 'exclude' beside 'servers', where the servers name "
                    f"their models, found '{name}'"
                )
        seen = set()
        for server in self.servers:
            own = (server.model, server.name.casefold())
            if own in seen:
                raise ValueError(
                    f"expected each of 'servers' of a model to have a name of its own, found '{server.name}' twice for "
                    f"{server.model}"
                )
            seen.add(own)


class Key:
    """A router's key: readable only on purpose, never printed."""

    __slots__ = ("_value", "variable")

    def __init__(self, value: str, variable: str | None = None) -> None:
        """Hold the key, and the name of the environment variable that it was read from."""
        self._value = value
        self.variable = variable

    def reveal(self) -> str:
        """Return the key, for the one request header that needs it."""
        return self._value

    def __repr__(self) -> str:
        """Return a text that does not hold the key."""
        return "Key(...)"

    __str__ = __repr__
