"""A reply: what somebody whom a grade concerns answered to it, as a file under content/replies/ holds it.

    From: who replied
    Date: 2026-11-20
    Window: 2026-11-14

    Markdown.

`Window` is the last night of the one window that the reply is about, and may be left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import msgspec

from generator.errors import ContentError

MOST_CHARACTERS = 20_000
"""Of the words of a reply: it stands on pages that others read too."""
_MOST_WHO = 200
_FIELDS = ("From", "Date", "Window")
_DO = "Begin the file with the lines 'From: ...' and 'Date: YYYY-MM-DD', then an empty line, then the reply"


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """One reply to the grades of one endpoint."""

    folder: str
    """`<author>/<name>/<endpoint>`, as the endpoint's address below /models/ has them."""
    name: str
    """What its file is called, without the ending."""
    who: str
    """Who replied; a stranger's text."""
    day: date
    """When."""
    window_end: date | None
    """The window that it is about; None where it is about the endpoint's grades altogether."""
    text: str
    """Markdown, a stranger's text."""

    @property
    def where(self) -> str:
        """The file, for messages."""
        return f"content/replies/{self.folder}/{self.name}.md"


def parse_reply(text: str, *, folder: str, name: str) -> Reply:
    """Return the reply that a file holds.

    Args:
        text: the whole file.
        folder: of the endpoint, below content/replies/.
        name: of the file, without its ending.

    Raises:
        ContentError: naming the line that is missing, unknown, given twice or malformed.
    """
    where = f"content/replies/{folder}/{name}.md"
    head, _, words = text.removeprefix("\ufeff").replace("\r\n", "\n").partition("\n\n")
    fields = _fields(head.rstrip("\n"), where)
    who = fields.get("From", "")
    if not 0 < len(who) <= _MOST_WHO:
        found = "none" if not who else f"{len(who)} characters"
        raise ContentError(f"expected who replied, in 1 to {_MOST_WHO} characters, found {found}", where=where, do=_DO)
    if not words.strip():
        raise ContentError("expected a reply below an empty line, found none", where=where, do=_DO)
    if len(words) > MOST_CHARACTERS:
        raise ContentError(
            f"expected a reply of at most {MOST_CHARACTERS:,} characters, found {len(words):,}",
            where=where,
            do="Ask for a shorter one that links to the whole",
        )
    return Reply(
        folder=folder,
        name=name,
        who=who,
        day=_day(fields.get("Date", "none"), "Date", where),
        window_end=_day(fields["Window"], "Window", where) if "Window" in fields else None,
        text=words,
    )


def _fields(head: str, where: str) -> Mapping[str, str]:
    """Return the lines above the reply, by their names."""
    fields: dict[str, str] = {}
    for number, line in enumerate(head.split("\n"), start=1):
        name, colon, value = line.partition(":")
        if not colon or name not in _FIELDS or name in fields:
            raise ContentError(
                "expected one line each of 'From:', 'Date:' and, about one window alone, 'Window:', found another",
                where=f"{where}, line {number}",
                do=_DO,
            )
        fields[name] = value.strip()
    return fields


def _day(text: str, name: str, where: str) -> date:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or day.isoformat() != text:
        raise ContentError(
            f"expected a date such as 2026-11-20, found {text[:40]!a}", where=f"{where}, '{name}:'", do=_DO
        )
    return day
