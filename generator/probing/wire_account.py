"""What a router says of the key and the account that ask: each fact null where its body does not tell.

OpenRouter: GET /key says what is left of the key's own limit, GET /credits (for management keys alone) what the
account has bought and used. Source: https://openrouter.ai/docs/api-reference, as of 2026.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from email.utils import parsedate_to_datetime

from generator.probing.wire_values import NotJsonError, read_json, usd


def key_limit_left(body: bytes) -> Decimal | None:
    """Return what is left of a key's own limit in USD, 0 where it is overdrawn; None where it has none."""
    return _amount(_data(body).get("limit_remaining"))


def credit_left(body: bytes) -> Decimal | None:
    """Return what is left of an account's credit in USD, below 0 where it is overdrawn; None where it is not told."""
    data = _data(body)
    bought, used = usd(data.get("total_credits")), usd(data.get("total_usage"))
    return None if bought is None or used is None else bought - used


def date_of(headers: Mapping[str, str]) -> datetime | None:
    """Return the far clock as a reply's `Date` says it, UTC; None where it says nothing that is a date.

    Args:
        headers: names in lower case.
    """
    try:
        said = parsedate_to_datetime(headers.get("date", ""))
        return said.replace(tzinfo=UTC) if said.tzinfo is None else said.astimezone(UTC)
    # What is no date raises ValueError or, in parts, the others; so does a year at either end of the calendar.
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _amount(value: object) -> Decimal | None:
    overdrawn = isinstance(value, int | Decimal) and not isinstance(value, bool) and value < 0
    return Decimal(0) if overdrawn else usd(value)


def _data(body: bytes) -> Mapping[str, object]:
    try:
        document = read_json(body)
    except NotJsonError:
        return {}
    data = document.get("data") if isinstance(document, dict) else None
    return data if isinstance(data, dict) else {}
