"""What a night had cost when a run of it began or ended: a line of the journal, beside the observations."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum

import msgspec


class AccountState(StrEnum):
    """What the run did when it wrote the line."""

    BEGUN = "begun"
    """Nothing of it was sent yet. Where no later line says that it ended, requests may have been in flight."""
    ENDED = "ended"
    """Nothing of it was in flight any more."""


class Account(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One such line. Its first member tells it from an observation."""

    account: AccountState
    spent_usd: Decimal
    """By then: what every line before it cost, and the most that was in flight when earlier runs were killed."""
