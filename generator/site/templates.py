"""Every template and picture of a site, read once: a root's own file wins over the packaged one of the same name.

This module is the only reader of templates/. What it returns renders without touching a file.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from datetime import date, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import (
    Environment,
    FunctionLoader,
    StrictUndefined,
    Template,
    TemplateError,
    TemplateNotFound,
    TemplateSyntaxError,
)
from jinja2.runtime import Macro
from markupsafe import Markup, escape

from generator.errors import ContentError
from generator.records.figures import decimal_text
from generator.records.reading import LETTER_WORDS, NO_LETTER, provisional_words, short_form
from generator.site.text import told, visible, visible_lines, visible_plain

_Source = tuple[str, str, Callable[[], bool]]

_SUFFIXES = frozenset({".css", ".html", ".js"})
_PICTURES = "og"
"""The folder of the pictures among the templates."""

_REMEMBERED = 1024
"""Dates that are kept as they were shown: one night stands on the pages of every endpoint."""

_FILLING_ERRORS = (TypeError, ArithmeticError, LookupError, ValueError, RecursionError)
"""What a root's own template can raise beside Jinja's errors, e.g. by dividing by zero or including itself."""


class Templates:
    """The templates of a site, compiled as they are first used."""

    __slots__ = ("_environment", "_files", "_pictures", "_searched", "_unvarying")

    def __init__(self, files: dict[str, tuple[str, str]], pictures: dict[str, bytes], searched: str) -> None:
        """Hold template sources.

        Args:
            files: by name, the source and the file it was read from.
            pictures: by name, the bytes of each.
            searched: the folders that were read, for messages.
        """
        self._files = files
        self._pictures = pictures
        self._searched = searched
        self._unvarying: dict[str, Markup] = {}
        self._environment = _Environment(
            loader=FunctionLoader(self._source),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            auto_reload=False,
        )
        self._environment.filters.update(
            told=told,
            visible=visible,
            visible_lines=visible_lines,
            visible_plain=visible_plain,
            grouped=lambda number: f"{number:,}",
            decimal=decimal_text,
            timed=_timed,
        )
        self._environment.globals.update(
            letter_words=LETTER_WORDS,
            no_letter=NO_LETTER,
            short_form=short_form,
            provisional_words=provisional_words,
            keeps_last_step=False,
            breadth=None,
            unvarying=self.unvarying,
            remembered=self.remembered,
        )

    def render(self, name: str, /, **values: object) -> bytes:
        """Return a page's bytes.

        Raises:
            ContentError: naming the file and line of a template that is missing, broken or uses what is not there.
        """
        with self._told(name):
            return self._environment.get_template(name).render(**values).encode("utf-8")

    def compile(self) -> int:
        """Compile every template, and return how many there are.

        Raises:
            ContentError: naming the file and line of one that is broken.
        """
        for name in self._files:
            with self._told(name):
                self._environment.get_template(name)
        return len(self._files)

    def picture(self, name: str) -> bytes:
        """Return a picture's bytes.

        Raises:
            ContentError: where there is no picture of the name.
        """
        if name not in self._pictures:
            raise ContentError(
                f"expected a picture '{name}', found none", where=self._searched, do="Restore it, or draw one"
            )
        return self._pictures[name]

    @contextmanager
    def _told(self, name: str) -> Iterator[None]:
        """Turn what Jinja raises into a message that names file and line."""
        try:
            yield
        except TemplateNotFound as error:
            raise ContentError(
                f"expected a template '{error.name}', found none", where=self._searched, do="Restore it"
            ) from None
        except TemplateSyntaxError as error:
            raise ContentError(
                f"expected a template, found an error: {error.message}",
                where=f"{error.filename or error.name}, line {error.lineno}",
            ) from None
        except (TemplateError, *_FILLING_ERRORS) as error:
            where = self._line_of(error) or name
            raise ContentError(f"the template cannot be filled: {error}", where=where) from None

    def unvarying(self, name: str) -> Markup:
        """Return what a template says that asks for nothing: it says the same on every page, and is filled once."""
        if name not in self._unvarying:
            filled = self._environment.get_template(name).render()
            self._unvarying[name] = Markup(filled)  # noqa: S704 - a template's own text, escaped as it was filled
        return self._unvarying[name]

    @staticmethod
    def remembered(macro: Macro, *values: Hashable) -> Markup:
        """Return what a macro makes of some values, kept: what stands around one page stands around thousands."""
        return _filled(macro, *values)

    def _source(self, name: str) -> _Source | None:
        found = self._files.get(name)
        return None if found is None else (*found, lambda: True)

    def _line_of(self, error: Exception) -> str | None:
        """Return the template file and line that an error was raised from, innermost."""
        files = {file for _, file in self._files.values()}
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in files]
        return f"{frames[-1].filename}, line {frames[-1].lineno}" if frames else None


def load(folders: Iterable[Path]) -> Templates:
    """Return the templates that lie in some folders; the first folder that has a name wins.

    Args:
        folders: the root's own first; one that is not there is passed over.

    Raises:
        ContentError: naming a file that cannot be read or is no UTF-8.
    """
    files: dict[str, tuple[str, str]] = {}
    pictures: dict[str, bytes] = {}
    searched = []
    for folder in folders:
        searched.append(str(folder))
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if path.suffix in _SUFFIXES and path.name not in files:
                files[path.name] = (_text(path), str(path))
        for path in sorted((folder / _PICTURES).glob("*.png")):
            if path.name not in pictures:
                pictures[path.name] = _read(path)
    return Templates(files, pictures, ", ".join(searched) or "no folder")


def _text(path: Path) -> str:
    data = _read(path)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ContentError(f"expected UTF-8, found {error.reason}", where=f"{path}, line {line}") from None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ContentError(f"expected a readable template: {error.strerror}", where=str(path)) from None


class _Template(Template):
    """A template whose text is escaped by `_escaped`."""

    @classmethod
    def from_code(cls, *arguments: Any, **named: Any) -> Template:
        made = super().from_code(*arguments, **named)
        # Where a later Jinja looks elsewhere for its `escape`, that one is used: slower, and no less safe.
        made.root_render_func.__globals__["escape"] = _escaped
        return made


class _Environment(Environment):
    template_class = _Template


def _escaped(value: object) -> str:
    """Return what a template prints as HTML, as markupsafe's `escape` does, and in a quarter of its time.

    A page has hundreds of printed values; nearly all are numbers and words in which there is nothing to escape.
    """
    if type(value) is str:
        special = "&" in value or "<" in value or ">" in value or '"' in value or "'" in value
        return escape(value) if special else value
    return str(value) if type(value) is int or type(value) is Markup else escape(value)


def _timed(moment: date) -> Markup:
    """Return a date, or a moment in UTC, as `<time>`."""
    if isinstance(moment, datetime):
        # HTML knows no more than three digits of a fraction.
        machine = moment.isoformat(timespec="milliseconds" if moment.microsecond else "seconds").replace("+00:00", "Z")
        return Markup('<time datetime="{}">{} UTC</time>').format(machine, moment.strftime("%Y-%m-%d %H:%M:%S"))
    return _dated(moment)


@lru_cache(_REMEMBERED, typed=True)  # Markup is equal to its text, and says of itself that it is escaped.
def _filled(macro: Macro, *values: Hashable) -> Markup:
    return Markup(macro(*values))  # noqa: S704 - escaped as it was filled


@lru_cache(_REMEMBERED)
def _dated(day: date) -> Markup:
    return Markup('<time datetime="{0}">{0}</time>').format(day.isoformat())
