"""Whether who answered is who was asked.

Provider: the same name, case and surrounding white space aside.

Model: a router may echo a dated or an alias name of the same model. Two names are the same model where
1. the authors are the same, if both names give one (letters and digits compared, so x-ai is xai);
2. the words of the names are the same, in any order, once a closing date is taken off (claude-4.5-sonnet is
   claude-sonnet-4.5). A variant after a colon (:free, :thinking) is a word: it is another offer;
3. a dated echo carries a date that the asked names carry, if they carry any: another date is another snapshot.
A date is a closing 20250929, 2025-09-29, or four digits such as 0324 or 2507.
"""

from __future__ import annotations

import re

import msgspec

_DATE = re.compile(r"(?<=[^-])-((?:19|20)[0-9]{2}-?[01][0-9]-?[0-3][0-9]|[0-9]{4})$")


class _Name(msgspec.Struct, frozen=True, kw_only=True):
    author: str | None
    words: tuple[str, ...]
    date: str | None


def same_provider(asked: str, served: str) -> bool:
    """True where an answer names the provider that was asked."""
    return asked.strip().casefold() == served.strip().casefold()


def same_model(asked: tuple[str, ...], served: str) -> bool:
    """True where an answer names the model that was asked, under any of its names.

    Args:
        asked: the model's permanent slug and the id that the request named.
        served: what the answer names.
    """
    if any(served == name for name in asked):
        return True
    echo = _name(served)
    names = [_name(name) for name in asked]
    dates = {name.date for name in names if name.date is not None}
    if echo.date is not None and dates and echo.date not in dates:
        return False
    return any(_alike(name, echo) for name in names)


def _alike(asked: _Name, echo: _Name) -> bool:
    authors_agree = asked.author is None or echo.author is None or asked.author == echo.author
    return authors_agree and asked.words == echo.words


def _name(text: str) -> _Name:
    author, _, rest = text.strip().casefold().rpartition("/")
    plain, colon, variant = rest.partition(":")
    dated = _DATE.search(plain)
    undated = plain[: dated.start()] if dated else plain
    words = sorted(word for word in re.split(r"[-_ ]+", undated) if word)
    return _Name(
        author=re.sub(r"[^a-z0-9]", "", author.rpartition("/")[2]) or None,
        words=(*words, f":{variant}") if colon else tuple(words),
        date=dated[1].replace("-", "") if dated else None,
    )
