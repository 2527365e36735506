"""Every template and picture of a site, read once: a root's own file wins over the packaged one of the same name.

This module is the only reader of templates/. What it returns renders without touching a file.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from jinja2 import FunctionLoader, TemplateError, TemplateNotFound, TemplateSyntaxError
from jinja2.runtime import Macro
from markupsafe import Markup

from generator.errors import ContentError
from generator.records.canonical import sha256
from generator.site.environment import environment
from generator.site.forms import Form, Slot, Texts, Values, apart, filled

_Source = tuple[str, str, Callable[[], bool]]

_SUFFIXES = frozenset({".css", ".html", ".js"})
_PICTURES = "og"
"""The folder of the pictures among the templates."""

_REMEMBERED = 1024
"""Parts of pages that are kept as they were filled."""

_MOST_FORMS = 256
"""Forms that are kept: as many kinds of page as a window has, and each as large as a page."""

_FILLING_ERRORS = (TypeError, ArithmeticError, LookupError, ValueError, RecursionError)
"""What a root's own template can raise beside Jinja's errors, e.g. by dividing by zero or including itself."""


class Templates:
    """The templates of a site, compiled as they are first used."""

    __slots__ = ("_environment", "_files", "_forms", "_pictures", "_searched", "_unvarying")

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
        self._forms: dict[Hashable, Form] = {}
        self._environment = environment(FunctionLoader(self._source))
        self._environment.globals.update(unvarying=self.unvarying, remembered=self.remembered)

    @property
    def sha256(self) -> str:
        """What tells these templates and pictures from any others."""
        sources = {name: source for name, (source, _) in self._files.items()}
        return sha256(repr((sorted(sources.items()), sorted(self._pictures.items()))).encode())

    def render(self, name: str, /, **values: object) -> bytes:
        """Return a page's bytes.

        Raises:
            ContentError: naming the file and line of a template that is missing, broken or uses what is not there.
        """
        with self._told(name):
            return self._environment.get_template(name).render(**values).encode("utf-8")

    def fill(self, name: str, values: Values) -> bytes:
        """Return a page's bytes as `render` does, from its form.

        Raises:
            ContentError: as `render`; or naming a template that does more with a text than print it.
        """
        with self._told(name):
            form, texts = self.form(name, values)
            return form.fill(texts)

    def form(self, name: str, values: Values) -> tuple[Form, Texts]:
        """Return the form of a page, and the page's texts in order."""
        shape, texts = apart(values)
        key = (name, shape)
        form = self._forms.get(key)
        if form is None:
            template = self._environment.get_template(name)
            form = Form(template.render(filled(values, slots=True)), len(texts))
            if form.fill(texts) != template.render(filled(values, slots=False)).encode():
                raise ValueError("it does more with a text than print it")
            while len(self._forms) >= _MOST_FORMS:
                del self._forms[next(iter(self._forms))]
            self._forms[key] = form
        return form, texts

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
        if any(isinstance(value, Slot) for value in values):
            return Markup(macro(*values))  # noqa: S704 - escaped as it was filled
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


@lru_cache(_REMEMBERED, typed=True)  # Markup is equal to its text, and says of itself that it is escaped.
def _filled(macro: Macro, *values: Hashable) -> Markup:
    return Markup(macro(*values))  # noqa: S704 - escaped as it was filled
