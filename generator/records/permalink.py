"""Addresses of the site, relative to its base address; each ends with a slash and is a folder with an index.html."""

from __future__ import annotations

from datetime import date
from functools import lru_cache

from generator.records.slug import path_segment

PROOF = "grade.tlog-proof"
"""What the proof beside a permanent page is called."""

_REMEMBERED = 4096
"""Models and grades whose part of an address is kept: it stands many times on each of their pages."""


def model_path(model: str) -> str:
    """Return where a model's page lies: `models/<author>/<name>/`."""
    return f"models/{_model_segments(model)}/"


def author_path(model: str) -> str:
    """Return where the models of a model's author are listed: `models/<author>/`."""
    return f"models/{_model_segments(model).partition('/')[0]}/"


def endpoint_path(model: str, endpoint: str) -> str:
    """Return where an endpoint's page lies: `models/<author>/<name>/<endpoint>/`."""
    return f"models/{_model_segments(model)}/{path_segment(endpoint)}/"


def author_grades_path(model: str) -> str:
    """Return where the grades of a model's author are counted: `grades/<author>/`."""
    return f"grades/{_model_segments(model).partition('/')[0]}/"


def grades_path(model: str, endpoint: str | None = None) -> str:
    """Return where a model's grades are counted, or one endpoint's: `grades/<author>/<name>/<endpoint>/`."""
    return f"grades/{_model_segments(model)}/" + ("" if endpoint is None else f"{path_segment(endpoint)}/")


@lru_cache(_REMEMBERED)
def grade_index_path(model: str, endpoint: str, window_end: date) -> str:
    """Return where a grade's index lies: every method version it was graded under."""
    return f"grades/{_model_segments(model)}/{path_segment(endpoint)}/{window_end.isoformat()}/"


def permalink_path(model: str, endpoint: str, window_end: date, method_version: str) -> str:
    """Return where the permanent page of a grade lies, for ever."""
    return f"{grade_index_path(model, endpoint, window_end)}v{method_version}/"


def feed_path(model: str | None = None) -> str:
    """Return where the feed of a model's changes lies, or the feed of the whole site."""
    return "feed.xml" if model is None else f"{model_path(model)}feed.xml"


def badge_path(model: str, endpoint: str) -> str:
    """Return where an endpoint's badges lie, without the ending: `badges/<author>/<name>/<endpoint>`."""
    return f"badges/{_model_segments(model)}/{path_segment(endpoint)}"


def night_path(night: date) -> str:
    """Return where a night's page lies."""
    return f"nights/{night.isoformat()}/"


def method_path(version: str | None = None) -> str:
    """Return where the list of method versions lies, or the page of one version."""
    return "method/" if version is None else f"method/{version}/"


@lru_cache(_REMEMBERED)
def _model_segments(model: str) -> str:
    """Return `<author>/<name>`; a model without an author lies under `_`."""
    author, slash, name = model.partition("/")
    if not slash:
        return f"_/{path_segment(model)}"
    return f"{path_segment(author)}/{path_segment(name)}"
