"""Every change that the feeds know as a line of text, gathered while the feeds are made: no grade is held. Pure."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from datetime import date

import msgspec

from generator.records.grade import Grade
from generator.records.reading import change_words, provisional_words, short_form
from generator.site.between import Reported
from generator.site.history import VersionChange


class Letters(msgspec.Struct, frozen=True, kw_only=True):
    """A grade as a line names it: a letter with its version and its columns, and the window that is linked."""

    letter: str
    short: str
    standing: str
    version: str
    window_end: date


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One change of letter or declared precision of one endpoint."""

    issued: date
    """When the first grade that shows it was issued."""
    night: date
    model: str
    endpoint: str
    provider: str
    precision: str | None
    """The change of declared precision in words; None where it is the letter that changed."""
    before: Letters | None
    """None where the endpoint has no grade before."""
    after: Letters

    @property
    def day(self) -> date:
        """The end of the window that shows it first: when it became known, however late that was graded."""
        return self.after.window_end


class Ledger:
    """The lines of one build."""

    def __init__(self) -> None:
        """Begin without a line."""
        self._lines: list[Line] = []
        self.versions: tuple[VersionChange, ...] = ()
        """The changes of the current version that were noted."""
        self._letters: dict[Letters, Letters] = {}

    def noting(self, found: Iterable[Reported]) -> Iterator[Reported]:
        """Yield changes as they come, each noted."""
        for change in found:
            grade = change.grade
            line = Line(
                issued=grade.issued,
                night=change.night,
                # Thousands of lines name the same few.
                model=sys.intern(grade.model),
                endpoint=sys.intern(grade.endpoint),
                provider=sys.intern(grade.provider),
                precision=None if isinstance(change.what, Grade) else change_words(change.what),
                before=None if change.before is None else self._of(change.before),
                after=self._of(grade),
            )
            self._lines.append(line)
            yield change

    def note_versions(self, found: Iterable[VersionChange]) -> tuple[VersionChange, ...]:
        """Return the changes of the current version as they came, noted."""
        self.versions = tuple(found)
        return self.versions

    def newest_first(self) -> tuple[Line | VersionChange, ...]:
        """Return every change, newest first; on one day that of a version comes first."""
        lines = sorted(self._lines, key=lambda line: (line.day, line.issued, line.night), reverse=True)
        return tuple(sorted((*self.versions, *lines), key=lambda each: each.day, reverse=True))

    def _of(self, grade: Grade) -> Letters:
        """Return a grade as lines name it; endpoints that read alike over one window share it."""
        letters = Letters(
            letter=grade.letter,
            short=sys.intern(short_form(grade)),
            standing=provisional_words(grade),
            version=sys.intern(grade.method_version),
            window_end=grade.window_end,
        )
        return self._letters.setdefault(letters, letters)
