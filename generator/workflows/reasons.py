"""What a declaration says for a reason: a sentence that stands on pages and in leaves for ever."""

from __future__ import annotations

from generator.errors import UsageError
from generator.site.text import visible_plain

MOST_CHARACTERS = 300


def checked_reason(text: str) -> str:
    """Return a reason without the blanks around it.

    Raises:
        UsageError: where it is empty, too long, or holds what no page shows as it is: line ends, or whatever is hidden.
    """
    reason = text.strip()
    do = "Say in one line of plain words what happened; it is published and never changes"
    if not reason:
        raise UsageError("expected a reason, found none", where="--reason", do=do)
    if len(reason) > MOST_CHARACTERS:
        raise UsageError(f"expected at most {MOST_CHARACTERS} characters, found {len(reason)}", where="--reason", do=do)
    if visible_plain(reason) != reason:
        raise UsageError(f"expected characters that can be seen, found '{reason}'", where="--reason", do=do)
    return reason
