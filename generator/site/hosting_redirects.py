"""`_redirects`: addresses that lead to whatever is the latest version, which no permanent address may be.

    /method/latest/                              the page of the current method version
    /grades/<author>/<name>/<endpoint>/latest/   the permanent page of an endpoint's latest grade

Each endpoint has a line of its own up to the number that Cloudflare Pages takes (2,000); one past it, or without a
grade, leads to the endpoint's page, which begins with the latest grade. The first line that matches is taken, on
every host. All are temporary (302): nobody may remember where they led.

https://docs.netlify.com/manage/routing/redirects/overview/
https://developers.cloudflare.com/pages/configuration/redirects/
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from generator.records.permalink import grades_path, method_path, permalink_path
from generator.site.frame import site_path
from generator.site.library import Library

PATH = "_redirects"
MOST_LINES = 2000
"""Redirects without a placeholder that Cloudflare Pages takes."""
FOUND = 302

_LATEST = "latest/"
_PLACEHOLDER = re.compile(r":([a-z]+)")


def redirects_file(library: Library) -> bytes:
    """Return the file."""
    start = site_path(library.material.settings.address)
    latest = list(_latest(library))[: MOST_LINES - 1]
    lines = [
        f"/{method_path()}{_LATEST} {start}{method_path(library.current)} {FOUND}",
        *(f"/{source} {start}{target} {FOUND}" for source, target in latest),
        f"/grades/:author/:name/:endpoint/{_LATEST} {start}models/:author/:name/:endpoint/ {FOUND}",
    ]
    return "\n".join(("# Made by 'bitdepth render'.", *lines, "")).encode()


def redirected(file: str, address: str) -> str | None:
    """Return where an address leads by the lines of such a file; None for one that no line matches.

    Args:
        file: the text of the file.
        address: below the site's folder, with its first slash; a closing slash may be missing.
    """
    for line in file.splitlines():
        if line.startswith("#"):
            continue
        source, target, _ = line.split(" ")
        pattern = _PLACEHOLDER.sub(r"(?P<\1>[^/]+)", re.escape(source.rstrip("/")))
        if found := re.fullmatch(f"{pattern}/?", address):
            return _PLACEHOLDER.sub(lambda name, found=found: found[name[1]], target)  # type: ignore[misc]
    return None


def _latest(library: Library) -> Iterator[tuple[str, str]]:
    """Yield each endpoint's address, and that of its latest grade's permanent page."""
    for model in library.models:
        for story in model.endpoints:
            grade = story.latest
            if grade is not None:
                page = permalink_path(grade.model, grade.endpoint, grade.window_end, grade.method_version)
                yield f"{grades_path(grade.model, grade.endpoint)}{_LATEST}", page
