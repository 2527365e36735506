"""A root of eight nights, graded under 0.1 and then under a second version: what the tests of versions share."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from datetime import date, timedelta

from generator.records.grade import Grade
from generator.records.permalink import grade_index_path, permalink_path
from generator.workflows.grading import Graded, grade
from generator.workflows.rendering import render
from generator.workflows.world import Root
from tests import site_material as made
from tests.kept_site import FIRST, MODEL, SITE_TOML, Silent
from tests.method_variants import METHODS

NIGHTS = 8
LAST = FIRST + timedelta(days=NIGHTS - 1)
TODAY = date(2026, 5, 1)
"""The day of the re-grade: weeks after the last night."""


def settle(root: Root, method: str = "0.1", candidates: Iterable[str] = ()) -> None:
    """Name the current version and the candidates in a root's settings."""
    listed = ", ".join(f'"{version}"' for version in candidates)
    text = SITE_TOML.replace('method = "0.1"', f'method = "{method}"\ncandidates = [{listed}]')
    (root.path / "content" / "site.toml").write_text(text)


def regrade(root: Root, only: str | None = None, window_end: date | None = None) -> Graded:
    """Grade on a later day."""
    return grade(root, today=TODAY, progress=Silent(), only=only, window_end=window_end)


def laid_out(root: Root) -> Root:
    """Return the root with its site laid out."""
    render(root, progress=Silent())
    return root


def kept(root: Root, *versions: str) -> dict[str, str]:
    """Return the digest of every archived file, and of every permanent page of some versions in the site, if any."""
    folders = [root.path / "archive", root.path / "site"]
    files = {file.relative_to(root.path).as_posix(): file for each in folders for file in each.rglob("*")}
    return {
        name: hashlib.sha256(file.read_bytes()).hexdigest()
        for name, file in files.items()
        if file.is_file()
        and (
            name.startswith("archive/")
            or any(f"/v{version}/" in name or name.startswith(f"site/method/{version}/") for version in versions)
        )
    }


def grades_of(root: Root, version: str) -> list[Grade]:
    """Return every grade of a version, window by window."""
    store = root.store.grades
    return [each for end in store.windows(version) for each in store.get(version, end)]


def index_page(root: Root, endpoint: str = "mill", end: date = LAST) -> str:
    """Return what a grade's index page says."""
    path = root.path / "site" / grade_index_path(MODEL, endpoint, end) / "index.html"
    return made.page_text(path.read_bytes())


def permanent_page(root: Root, version: str, endpoint: str = "mill", end: date = LAST) -> str:
    """Return what a grade's permanent page says."""
    pages = dict(root.store.pages.get(version, end))
    return made.page_text(pages[f"{permalink_path(MODEL, endpoint, end, version)}index.html"])


def write_method(root: Root, version: str, source: str = "0.2") -> None:
    """Give a root a definition of its own: another version's under a new number."""
    folder = root.path / "content" / "methods"
    folder.mkdir(exist_ok=True)
    toml = (METHODS / f"{source}.toml").read_text().replace(f'version = "{source}"', f'version = "{version}"')
    (folder / f"{version}.toml").write_text(toml)
    shutil.copy(METHODS / f"{source}.md", folder / f"{version}.md")
