"""What can be found on the site by a name, and the index that finds it.

An entry's words change only where a name, a tag or a declared precision does, so that the index of one night is mostly
that of the night before. No letter is in it: what a search finds is a row of the search page's own list, which has
the letter with its version and columns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import msgspec

from generator.records.permalink import endpoint_path, model_path
from generator.site.library import Library
from generator.site.text import visible_plain


class SearchEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A model or an endpoint as it is found."""

    path: str
    """Of its page, relative to the site's folder: its own, and no other entry's."""
    words: str
    """What it is found by; a stranger's text, made visible."""


class SearchIndex(msgspec.Struct, frozen=True, kw_only=True):
    """An index of entries as files of the site."""

    files: Mapping[str, bytes]
    """By path within the index's own folder."""
    ids: Mapping[str, str]
    """By an entry's path, what the index calls it; an entry of no word is not in it."""


ABSENT = "absent"
"""What an endpoint is found by that declares no precision, as its row says it."""
_BETWEEN_WORDS = re.compile(r"[^\w.]+|_")
"""What parts names, here and in templates/search.js: 'llama-3.3-70b' is found as 'llama', '3.3' and '70b'."""

Indexer = Callable[[tuple[SearchEntry, ...]], SearchIndex | None]
"""Makes the index of some entries, or None where this machine cannot."""


def entries(library: Library) -> tuple[SearchEntry, ...]:
    """Return every model and endpoint, in the order of the list."""
    found = []
    for model in library.models:
        found.append(SearchEntry(path=model_path(model.model), words=_words(model.model)))
        for story in model.endpoints:
            precision = "" if story.latest is None else story.latest.d_precision or ABSENT
            words = _words(model.model, story.provider, story.tag, precision)
            found.append(SearchEntry(path=endpoint_path(story.model, story.endpoint), words=words))
    return tuple(found)


def _words(*texts: str) -> str:
    """Return strangers' texts as they are found, part by part."""
    return _BETWEEN_WORDS.sub(" ", " ".join(visible_plain(text) for text in texts)).strip()
