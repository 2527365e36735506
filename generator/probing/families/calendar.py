"""Dates some days on or back, and the weekday of a date some days on from one whose weekday is given.

Difficulty: spans of 8 to 31 days cross a month's end more often than not, and 8 to 20 days leave one division by
seven, which a good model manages most of the time; the weekday of a bare date is left out, because without working
it is a guess.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from generator.probing.draws import Draws
from generator.probing.families.interface import Family, Generated
from generator.probing.families.text import bare, outside_brackets

_MAX_TOKENS = 32
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_FIRST, _LAST = date(1950, 1, 1), date(2039, 12, 31)
_SPANS = {"after": (8, 31), "before": (8, 31), "weekday": (8, 20)}
"""By form: the least and the greatest number of days."""
_ANSWER = re.compile(
    r"(?<![0-9-])[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9-])|(?<![a-z])(?:mon|tues|wednes|thurs|fri|satur|sun)day(?![a-z])",
    re.IGNORECASE | re.ASCII,
)


def generate(draws: Draws) -> Generated:
    """Return a question for a date or a weekday, with its key in the form that it asks for."""
    start = _FIRST + timedelta(days=draws.below((_LAST - _FIRST).days + 1))
    form = draws.choice(tuple(_SPANS))
    days = draws.between(*_SPANS[form])
    end = start - timedelta(days=days) if form == "before" else start + timedelta(days=days)
    if form == "weekday":
        prompt = (
            f"{start.isoformat()} is a {_DAYS[start.weekday()]}. What day of the week is {end.isoformat()}? "
            "Answer with the name of the day only."
        )
        expected = _DAYS[end.weekday()].lower()
    else:
        prompt = f"What date is {days} days {form} {start.isoformat()}? Answer in the form YYYY-MM-DD only."
        expected = end.isoformat()
    return Generated(prompt=prompt, expected=expected, max_tokens=_MAX_TOKENS)


def normalise(text: str) -> str:
    """Return the last date in the form asked for or the last weekday, whichever stands later, brackets left out."""
    whole = bare(text)
    found = _ANSWER.findall(outside_brackets(whole)) or _ANSWER.findall(whole)
    return found[-1].lower() if found else ""


FAMILY = Family(kind="calendar", normalise=normalise, generate=generate)
