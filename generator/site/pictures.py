"""The pictures that a shared address of a permanent page is shown with: one for each letter.

A picture cannot hold a grade's version, columns and window, so it says that they stand on the page, and whatever names
it gives them beside it. `tests/og_pictures.py` draws them.
"""

from __future__ import annotations

from collections.abc import Iterator

from generator.records.grade import Letter
from generator.site.templates import Templates


def picture_path(letter: Letter) -> str:
    """Return where a letter's picture lies in the site."""
    return f"og/{letter}.png"


def render(templates: Templates) -> Iterator[tuple[str, bytes]]:
    """Yield path and bytes of every letter's picture.

    Raises:
        ContentError: naming a picture that is missing.
    """
    for letter in Letter:
        yield picture_path(letter), templates.picture(f"{letter}.png")
