"""Addresses between pages: relative, ending in index.html, so that the site opens from disk as it does over HTTP."""

from __future__ import annotations

import posixpath
from datetime import date
from urllib.parse import quote

from generator.records import permalink
from generator.records.grade import Grade

INDEX = "index.html"


class Links:
    """The addresses that one page refers to, as seen from that page."""

    __slots__ = ("_absolute", "_folder")

    def __init__(self, path: str, *, absolute: str | None = None) -> None:
        """Stand on a page.

        Args:
            path: the page's own path, relative to the site's folder.
            absolute: the path of the site on its host, with its closing slash, for a page that is served at any
                depth (404.html); None for all others.
        """
        self._folder = posixpath.dirname(path)
        self._absolute = absolute

    def file(self, path: str, fragment: str = "") -> str:
        """Return the address of a file of the site, percent-encoded, with a fragment where one is given."""
        if self._absolute is not None:
            address = self._absolute + path
        else:
            # Both from the root: relpath would ask for the working folder otherwise.
            address = posixpath.relpath(f"/{path}", f"/{self._folder}")
        return quote(address) + (f"#{quote(fragment)}" if fragment else "")

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

    def grade_index(self, grade: Grade) -> str:
        """Return the address of a grade's index."""
        return self.folder(permalink.grade_index_path(grade.model, grade.endpoint, grade.window_end))

    def night(self, night: date) -> str:
        """Return the address of a night's page."""
        return self.folder(permalink.night_path(night))

    def method(self, version: str | None = None, anchor: str = "") -> str:
        """Return the address of a method version's page, or of the list of versions."""
        return self.folder(permalink.method_path(version), anchor)
