"""A context probe: what came of one look-up buried in filler. It is shown and never graded."""

from __future__ import annotations

from decimal import Decimal

import msgspec

from generator.records.observation import Outcome


class ContextProbe(msgspec.Struct, frozen=True, kw_only=True):
    """One row of context.parquet; fields in its column order."""

    model: str
    endpoint: str
    rung_tokens: int
    """The size asked; see archive/FORMAT.md."""
    prompt_tokens: int | None
    """As the answer counts them."""
    outcome: Outcome
    correct: bool | None
    """Whether the code was found; false for a truncated answer, null where the outcome is neither answered nor so."""
    latency_ms: int | None
    cost_usd: Decimal | None
