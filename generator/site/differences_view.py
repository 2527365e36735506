"""Which letters of the latest window differ between the current version and each candidate, and by which rule."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import msgspec

from generator.records.definition import version_key
from generator.records.grade import Column
from generator.records.reading import NO_LETTER
from generator.site.frame import Step, frame, replayed_line
from generator.site.interface import LetterDifference, VersionLetters
from generator.site.library import Library
from generator.site.links import INDEX, Links
from generator.site.templates import Templates

PATH = f"method/differences/{INDEX}"


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """One candidate beside the current version over one window."""

    candidate: str
    window_end: date
    endpoints: int
    """Graded under both."""
    differences: tuple[LetterDifference, ...]
    """Alphabetically by model and endpoint."""


def compared(library: Library) -> tuple[Compared, ...]:
    """Return each candidate that graded the window that the current version graded last, newest candidate first."""
    end, graded = library.newest, library.graded_newest
    if end is None or library.current not in graded:
        return ()
    candidates = sorted(library.material.settings.candidates, key=version_key, reverse=True)
    return tuple(
        Compared(
            candidate=candidate,
            window_end=end,
            endpoints=len(graded[candidate] & graded[library.current]),
            differences=tuple(
                sorted(
                    (
                        each
                        for each in library.material.differences
                        if (each.candidate_version, each.window_end) == (candidate, end)
                    ),
                    key=lambda each: (each.model, each.endpoint),
                )
            ),
        )
        for candidate in candidates
        if candidate in graded
    )


def render(library: Library, templates: Templates) -> Iterator[tuple[str, bytes]]:
    """Yield the page, where there is a candidate to compare with."""
    found = compared(library)
    if not found:
        return
    links = Links(PATH)
    providers = {(story.model, story.endpoint): story.provider for model in library.models for story in model.endpoints}
    page = templates.render(
        "differences.html",
        page=frame(
            PATH,
            library.material.settings,
            title="Letters under the current version and under candidates",
            description="Which letters of the latest window differ between method versions, and by which rule.",
            steps=(Step(text="method", href=links.method()), Step(text="differences", href=INDEX)),
            replayed=replayed_line(night.record for night in library.material.nights),
        ),
        links=links,
        library=library,
        compared=found,
        providers=providers,
        short_letters=short_letters,
    )
    yield PATH, page


def short_letters(version: str, letters: VersionLetters) -> str:
    """Return letters as they stand where space is short: 'B 0.2 · M B T A D A R A'."""
    pairs = zip(Column, letters.columns, strict=True)
    return f"{letters.letter} {version} · {' '.join(f'{column} {letter or NO_LETTER}' for column, letter in pairs)}"
