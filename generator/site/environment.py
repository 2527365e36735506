"""Jinja as this site uses it: every text is escaped, whatever is missing is an error, and filters know a slot."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from functools import lru_cache
from typing import Any

from jinja2 import BaseLoader, BytecodeCache, Environment, StrictUndefined, Template
from jinja2.bccache import Bucket
from markupsafe import Markup, escape

from generator.records.figures import decimal_text
from generator.records.reading import LETTER_WORDS, NO_LETTER, provisional_words, short_form
from generator.site.forms import SHOWS, Slot
from generator.site.text import visible_lines, visible_plain

_REMEMBERED = 1024
"""Dates that are kept as they were shown: one night stands on the pages of every endpoint."""


class _Template(Template):
    """A template whose text is escaped by `escaped`."""

    @classmethod
    def from_code(cls, *arguments: Any, **named: Any) -> Template:
        made = super().from_code(*arguments, **named)
        # Where a later Jinja looks elsewhere for its `escape`, that one is used: slower, and no less safe.
        made.root_render_func.__globals__["escape"] = escaped
        return made


class _Compiled(BytecodeCache):
    """What templates were compiled to, for every environment of this process: a night renders and then verifies.

    Jinja looks a template up by its name and the SHA-1 of its source, and all environments here have the same options.
    """

    def __init__(self) -> None:
        self._code: dict[str, tuple[str, bytes]] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        checksum, code = self._code.get(bucket.key, ("", b""))
        if checksum == bucket.checksum:
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._code[bucket.key] = (bucket.checksum, bucket.bytecode_to_string())


class _Environment(Environment):
    template_class = _Template


_COMPILED = _Compiled()


def environment(loader: BaseLoader) -> Environment:
    """Return an environment with the filters and words that all templates of a site share."""
    made = _Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
        bytecode_cache=_COMPILED,
    )
    made.filters.update(
        {how: _slotted(how, show) for how, show in SHOWS.items()},
        visible_lines=visible_lines,
        visible_plain=visible_plain,
        grouped=lambda number: f"{number:,}",
        decimal=decimal_text,
        timed=_timed,
    )
    made.globals.update(
        letter_words=LETTER_WORDS,
        no_letter=NO_LETTER,
        short_form=short_form,
        provisional_words=provisional_words,
        keeps_last_step=False,
        breadth=None,
    )
    return made


def escaped(value: object) -> str:
    """Return what a template prints as HTML, as markupsafe's `escape` does, and in a quarter of its time.

    A page has hundreds of printed values; nearly all are numbers and words in which there is nothing to escape.
    """
    if type(value) is str:
        special = "&" in value or "<" in value or ">" in value or '"' in value or "'" in value
        return escape(value) if special else value
    return str(value) if type(value) is int or type(value) is Markup else escape(value)


def _slotted(how: str, show: Callable[[str], Markup]) -> Callable[[Any], object]:
    """Return a filter that shows a text, and leaves a slot to be shown once there is one."""
    return lambda value: value.shown(how) if type(value) is Slot else show(value)


def _timed(moment: date) -> Markup:
    """Return a date, or a moment in UTC, as `<time>`."""
    if isinstance(moment, datetime):
        # HTML knows no more than three digits of a fraction.
        machine = moment.isoformat(timespec="milliseconds" if moment.microsecond else "seconds").replace("+00:00", "Z")
        return Markup('<time datetime="{}">{} UTC</time>').format(machine, moment.strftime("%Y-%m-%d %H:%M:%S"))
    return _dated(moment)


@lru_cache(_REMEMBERED)
def _dated(day: date) -> Markup:
    return Markup('<time datetime="{0}">{0}</time>').format(day.isoformat())
