"""An observation: what came of one prompt sent to one endpoint on one night."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from enum import StrEnum

import msgspec


class Outcome(StrEnum):
    """The six things that can come of a request. `method.md` and the method page define each."""

    ANSWERED = "answered"
    """A complete answer from the endpoint asked."""
    TRUNCATED = "truncated"
    """An answer that stopped at the token limit, or broke off after some text."""
    EMPTY = "empty"
    """A normal finish and nothing but white space."""
    ERROR = "error"
    """The endpoint's fault."""
    MISROUTED = "misrouted"
    """Served by another provider or another model than was asked for."""
    UNSENT = "unsent"
    """Never reached the endpoint."""


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """One row of observations.parquet; fields in its column order."""

    model: str
    endpoint: str
    prompt_id: str
    family: str
    fixed: bool
    outcome: Outcome
    answer: str | None = None
    """Normalised; null unless answered, truncated or misrouted."""
    text: str | None = None
    """As received; null unless answered, truncated or misrouted."""
    correct: bool | None = None
    """False for a truncated answer; null without a key, or where the outcome is neither answered nor truncated."""
    error_kind: str | None = None
    """A short code of ours for what went wrong: never the router's words."""
    http_status: int | None = None
    finish_reason: str | None = None
    native_finish_reason: str | None = None
    served_provider: str | None = None
    served_model: str | None = None
    generation_id: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    latency_ms: int | None = None
    """From sending the request to the last byte of a complete body."""
    cost_usd: Decimal | None = None
    requested_at: datetime | None = None
    """UTC, to the millisecond; null where nothing was sent."""
