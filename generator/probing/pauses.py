"""How long to wait before a request that never reached its endpoint is sent again."""

from __future__ import annotations

from collections.abc import Mapping
from email.utils import parsedate_to_datetime

FIRST_S = 1.0
LONGEST_S = 60.0
"""No pause is longer, whatever the router asks for: what is still refused then is left for a later run."""

_MAX_DIGITS = 9


def pause_s(attempt: int, headers: Mapping[str, str], spread: float) -> float:
    """Return a pause in seconds: doubled with each attempt, or the router's `Retry-After` where that is longer.

    Args:
        attempt: how many attempts came before the one that just failed.
        headers: of the reply, names in lower case.
        spread: from 0 to 1; draws out by so much what would else be sent again all at once.
    """
    own = FIRST_S * 2.0 ** min(attempt, 10)
    return min(LONGEST_S, max(own, retry_after_s(headers)) * (1 + spread / 4))


def retry_after_s(headers: Mapping[str, str]) -> float:
    """Return what `Retry-After` asks for in seconds, 0 where it is missing or malformed (RFC 9110, 10.2.3).

    A date is taken relative to the reply's own `Date`, so that two clocks need not agree.
    """
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdecimal():
        return float(text[:_MAX_DIGITS])
    try:
        until, now = parsedate_to_datetime(text), parsedate_to_datetime(headers.get("date", ""))
        return max(0.0, (until - now).total_seconds())
    # What is no date raises ValueError or, in parts, the others; so does taking an offset from none.
    except (ValueError, TypeError, IndexError, OverflowError):
        return 0.0
