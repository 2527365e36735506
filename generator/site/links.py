"""Addresses between pages: relative, ending in index.html, so that the site opens from disk as it does over HTTP."""

from __future__ import annotations

from datetime import date
from functools import lru_cache
from urllib.parse import quote

from generator.records import permalink
from generator.records.grade import Grade

INDEX = "index.html"
_REMEMBERED = 4096
"""Addresses that are kept: pages of one depth refer to the same nights, sentences of the method and prose."""


class Links:
    """The addresses that one page refers to, as seen from that page."""

    __slots__ = ("_absolute", "_folder", "_top")

    def __init__(self, path: str, *, absolute: str | None = None) -> None:
        """Stand on a page.

        Args:
            path: the page's own path, relative to the site's folder.
            absolute: the path of the site on its host, with its closing slash, for a page that is served at any
                depth (404.html); None for all others.
        """
        self._folder = path.split("/")[:-1]
        self._top = f"{self._folder[0]}/" if self._folder else ""
        self._absolute = absolute

    @property
    def up(self) -> str:
        """The way to the site's folder, ending in a slash, or empty where the page lies in it."""
        return "../" * len(self._folder) if self._absolute is None else quote(self._absolute)

    def file(self, path: str, fragment: str = "") -> str:
        """Return the address of a file of the site, percent-encoded, with a fragment where one is given."""
        if self._absolute is not None:
            return _address(self._absolute + path, fragment)
        if not self._folder or not path.startswith(self._top):
            return _below(len(self._folder), path, fragment)
        # Every path is plain, without '.', '..' or an empty part: what both share goes, the rest is climbed.
        parts, shared = path.split("/"), 1
        while shared < min(len(self._folder), len(parts) - 1) and self._folder[shared] == parts[shared]:
            shared += 1
        return _address("../" * (len(self._folder) - shared) + "/".join(parts[shared:]), fragment)

    def folder(self, path: str, fragment: str = "") -> str:
        """Return the address of the page of a folder; the path ends with a slash, or is empty for the site's."""
        return self.file(path + INDEX, fragment)

    def home(self) -> str:
        """Return the address of the first page."""
        return self.folder("")

    def page(self, name: str) -> str:
        """Return the address of a prose page."""
        return self.folder(f"{name}/")

    def model(self, model: str) -> str:
        """Return the address of a model's page."""
        return self.folder(permalink.model_path(model))

    def endpoint(self, model: str, endpoint: str) -> str:
        """Return the address of an endpoint's page."""
        return self.folder(permalink.endpoint_path(model, endpoint))

    def grade(self, grade: Grade) -> str:
        """Return the address of a grade's permanent page."""
        return self.folder(
            permalink.permalink_path(grade.model, grade.endpoint, grade.window_end, grade.method_version)
        )

    def version_of(self, grade: Grade, version: str) -> str:
        """Return the address of the permanent page of the same window under another method version."""
        return self.permanent(grade.model, grade.endpoint, grade.window_end, version)

    def permanent(self, model: str, endpoint: str, window_end: date, version: str) -> str:
        """Return the address of a permanent page by what names it."""
        return self.folder(permalink.permalink_path(model, endpoint, window_end, version))

    def window(self, model: str, endpoint: str, window_end: date) -> str:
        """Return the address of the index of a window's grades by what names it."""
        return self.folder(permalink.grade_index_path(model, endpoint, window_end))

    def grade_index(self, grade: Grade) -> str:
        """Return the address of a grade's index."""
        return self.folder(permalink.grade_index_path(grade.model, grade.endpoint, grade.window_end))

    def night(self, night: date) -> str:
        """Return the address of a night's page."""
        return self.folder(permalink.night_path(night))

    def method(self, version: str | None = None, anchor: str = "") -> str:
        """Return the address of a method version's page, or of the list of versions."""
        return self.folder(permalink.method_path(version), anchor)


def _address(path: str, fragment: str) -> str:
    return quote(path) + (f"#{quote(fragment)}" if fragment else "")


@lru_cache(_REMEMBERED)
def _below(depth: int, path: str, fragment: str) -> str:
    """Return the address of a file as seen from a page so many folders deep in another of the site's folders."""
    return _address("../" * depth + path, fragment)
