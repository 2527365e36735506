"""Slugs: parts of an address that are ASCII, safe as a path on every file system, and never two for one thing."""

from __future__ import annotations

import base64
import hashlib
import re
import unicodedata
from functools import lru_cache

MAX_SLUG = 80
"""Longest slug in characters: a path of four of them stays under every host's limit."""

_PLAIN = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?")
# Names that Windows reserves for devices, with or without an extension.
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?")
_REMEMBERED = 4096
"""Names whose segment is kept: each stands in many addresses."""
_DIGEST = 20
"""Characters of a digest in base 32, a hundred bits: whoever wants two names to share an address finds no such pair."""


def slug(text: str) -> str:
    """Return a lower-case ASCII slug that reads like the text, possibly the same one for two texts."""
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    dashed = re.sub(r"[^a-z0-9._-]+", "-", ascii_text)
    return re.sub(r"\.{2,}", ".", dashed)[:MAX_SLUG].strip("-._")


def is_plain(text: str) -> bool:
    """True where a text can stand in an address as it is."""
    return (
        len(text) <= MAX_SLUG
        and ".." not in text
        and _PLAIN.fullmatch(text) is not None
        and _RESERVED.fullmatch(text) is None
        and "--" not in text
    )


@lru_cache(_REMEMBERED)
def path_segment(text: str) -> str:
    """Return one path segment for a text, never the same for two texts.

    A text that is safe as it is stays; any other becomes its slug, two dashes and the start of its SHA-256 in base 32.
    No plain text holds two dashes in a row, so the two kinds never meet.
    """
    if is_plain(text):
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    told = base64.b32encode(digest).decode().lower()[:_DIGEST]
    # No dot: what stands before one could be a name that Windows reserves.
    readable = slug(text).replace(".", "-")[: MAX_SLUG - _DIGEST - 2].strip("-_")
    return f"{readable or 'x'}--{told}"


def unused_slug(candidates: tuple[str, ...], taken: frozenset[str]) -> str:
    """Return the first slug made from the candidates, in order, that is not taken; else the last with a number."""
    # No dot: an endpoint called index.html would stand where its model's page does.
    slugs = (slug(candidate).replace(".", "-") for candidate in candidates)
    made = [made for made in slugs if is_plain(made)] or ["endpoint"]
    for candidate in made:
        if candidate not in taken:
            return candidate
    number = 2
    while (numbered := _numbered(made[-1], number)) in taken:
        number += 1
    return numbered


def _numbered(text: str, number: int) -> str:
    """Return a slug with a number, cut where the two would be longer than a slug may be."""
    end = f"-{number}"
    return text[: MAX_SLUG - len(end)].rstrip("-_") + end
