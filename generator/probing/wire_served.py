"""Whether who answered is who was asked.

Provider: the same name, case and surrounding white space aside. The body names it, and the router's metadata does; the
connection tells where neither does. One name that is another's is enough: nothing may be an answer of the endpoint that
anything says is another's.

Model: a router may echo a dated or an alias name of the same model. Two names are the same model where
1. the authors are the same, if both names give one (letters and digits compared, so x-ai is xai);
2. the words of the names are the same, in any order, once a closing date is taken off (claude-4.5-sonnet is
   claude-sonnet-4.5). A variant after a colon (:free, :thinking) is a word: it is another offer;
3. a dated echo carries a date that the asked names carry, if they carry any: another date is another snapshot.
A date is a closing 20250929, 2025-09-29, or four digits such as 0324 or 2507: month and day, or year and month, of the
same snapshot's longer date. What the body names is not compared where it is the provider's own name of the model.
"""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from generator.probing.interface import Ask, Reply
from generator.probing.wire_body import Body
from generator.probing.wire_kinds import ErrorKind

_DATE = re.compile(r"(?<=[^-])-((?:19|20)[0-9]{2}-?[01][0-9]-?[0-3][0-9]|[0-9]{4})$")


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """Who a reply says that it comes from; where it says more than one, the one that was not asked."""

    provider: str | None = None
    model: str | None = None
    misrouted: ErrorKind | None = None
    """Why this is not who was asked; null where it is."""


class _Name(msgspec.Struct, frozen=True, kw_only=True):
    author: str | None
    words: tuple[str, ...]
    date: str | None


def served(ask: Ask, reply: Reply, body: Body | None) -> Served:
    """Return who a reply comes from.

    Args:
        ask: what was asked of whom.
        reply: what came back.
        body: its body's values; None where it is no JSON object.
    """
    if body is None:
        return Served(provider=reply.speaker if reply.status is not None else None)
    routes = body.routes.answered
    providers = [name for name in (body.named_provider, *(route.provider for route in routes)) if name is not None]
    providers = providers or [name for name in (body.routes.failed_provider, reply.speaker) if name is not None][:1]
    models = [name for name in (body.model, *(route.model for route in routes)) if name is not None]
    compared = models[1:] if reply.model_is_providers and body.model is not None else models
    other_provider = next((name for name in providers if not same_provider(ask.provider, name)), None)
    other_model = next((name for name in compared if not same_model((ask.model, ask.model_id), name)), None)
    misrouted = ErrorKind.OTHER_MODEL if other_model is not None else None
    return Served(
        provider=other_provider or next(iter(providers), None),
        model=other_model or next(iter(models), None),
        misrouted=ErrorKind.OTHER_PROVIDER if other_provider is not None else misrouted,
    )


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
    if echo.date is not None and dates and not any(_same_date(echo.date, date) for date in dates):
        return False
    return any(_alike(name, echo) for name in names)


def _same_date(one: str, other: str) -> bool:
    """True for equal dates, and where one is the other's month and day or its year and month."""
    short, long = sorted((one, other), key=len)
    return short in {long, long[4:], long[2:6]}


def _alike(asked: _Name, echo: _Name) -> bool:
    authors_agree = asked.author is None or echo.author is None or asked.author == echo.author
    return authors_agree and asked.words == echo.words


@lru_cache(maxsize=1024)
def _name(text: str) -> _Name:
    """Return a name taken apart; a night asks for few, and hears hardly any other."""
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
