"""Numbers in texts, read strictly: thousands separators off, zeros that say nothing off, nothing guessed.

A comma or a space groups thousands only where every group has three digits. Digits in any other arrangement
('12,34', '1.2.3') are kept as they stand, and so equal no key.
"""

from __future__ import annotations

import re

from generator.probing.families.text import bare, bounded, outside_brackets

# Neither start nor end may touch another number by a space, so '100 200 3' groups nothing.
_SPACED = re.compile(r"(?<![0-9A-Za-z.,])(?<![0-9][ ])[0-9]{1,3}(?:[ ][0-9]{3})+(?![0-9]|[ ,.][0-9])")
# A digit after a letter belongs to a unit or a name ('m2'), not to an answer. A point before digits is a decimal's.
_NUMBER = re.compile(r"(?:(?<![0-9A-Za-z)])-)?(?:(?<![0-9A-Za-z])[0-9]+(?:[,.][0-9]+)*|(?<![0-9A-Za-z.])\.[0-9]+)")
_GROUPED = re.compile(r"-?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_DECIMAL = re.compile(r"(-?)([0-9]*)(?:\.([0-9]+))?")


def last_number(text: str) -> str:
    """Return the last number of a text as received, outside round brackets where one is there; '' without any."""
    whole = bare(text)
    found = numbers(outside_brackets(whole)) or numbers(whole)
    return bounded(found[-1]) if found else ""


def numbers(text: str) -> list[str]:
    """Return the numbers of a bare text in their order, each in its shortest form."""
    joined = _SPACED.sub(lambda spaced: spaced[0].replace(" ", ""), text)
    return [_shortest(token) for token in _NUMBER.findall(joined)]


def _shortest(token: str) -> str:
    """Return a number without grouping, leading zeros, trailing decimal zeros or a minus before nothing."""
    ungrouped = token.replace(",", "") if _GROUPED.fullmatch(token) else token
    parts = _DECIMAL.fullmatch(ungrouped)
    if parts is None:
        return token
    sign, whole, decimals = parts[1], parts[2].lstrip("0") or "0", (parts[3] or "").rstrip("0")
    number = f"{whole}.{decimals}" if decimals else whole
    return number if number == "0" else sign + number
