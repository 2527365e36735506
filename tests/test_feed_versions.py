"""The feed of a real archive over two method versions: each change once, when it became known, and no re-grade."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from generator.records.permalink import feed_path
from generator.records.reading import NO_LETTER
from generator.workflows.grading import grade
from generator.workflows.site_material import holding
from generator.workflows.world import Root
from tests import site_material as made
from tests.kept_site import MODEL, Silent, add_night, make_root
from tests.two_versions import LAST, NIGHTS, TODAY, laid_out, regrade, settle

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture(scope="module")
def first_version(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of eight nights graded under 0.1; nobody may write into it."""
    return make_root(tmp_path_factory.mktemp("feeds") / "site", NIGHTS, rendered=False).path


@pytest.fixture
def root(first_version: Path, tmp_path: Path) -> Root:
    """Return eight nights graded under 0.1."""
    shutil.copytree(first_version, tmp_path / "site")
    return Root(tmp_path / "site")


def feeds_of(root: Root) -> dict[str, bytes]:
    """Return a root's feeds as they would be laid out now."""
    with holding(root, root.content.settings()) as material:
        return made.feeds_of(material)[0]


def entries(root: Root, model: str | None = None) -> list[tuple[str, str]]:
    """Return title and id of each entry of a feed, newest first, without the model's name."""
    feed = ET.fromstring(feeds_of(root)[feed_path(model)])  # noqa: S314 - our own feed
    found = feed.findall(f"{ATOM}entry")
    return [
        ((each.findtext(f"{ATOM}title") or "").removeprefix(f"{MODEL} at "), each.findtext(f"{ATOM}id") or "")
        for each in found
    ]


FIRST = [
    "Mill: C 0.1 · M C T A D A R A (provisional), then D 0.1 · M D T A D A R A (provisional)",
    f"Kiln: U 0.1 · M A T {NO_LETTER} D A R A (provisional), then A 0.1 · M A T A D A R A (provisional)",
    f"Loom: U 0.1 · M A T {NO_LETTER} D A R A (provisional), then A 0.1 · M A T A D A R A (provisional)",
    f"Mill: U 0.1 · M C T {NO_LETTER} D A R A (provisional), then C 0.1 · M C T A D A R A (provisional)",
]
CURRENT = "Method version 0.2 is current; it was 0.1 before"


def test_of_one_version(root: Root) -> None:
    """Seven nights make three endpoints rated, and the eighth takes one of them further: four entries."""
    assert [title for title, _ in entries(root)] == FIRST
    assert entries(root, MODEL) == entries(root)
    site = laid_out(root).site
    assert {path: (site / path).read_bytes() for path in feeds_of(root)} == feeds_of(root)


@pytest.mark.ci
def test_a_candidate_is_no_news(root: Root) -> None:
    """All windows graded under a candidate too: the feed is what it was."""
    before = entries(root)
    settle(root, candidates=["0.2"])
    regrade(root)
    assert entries(root) == before


@pytest.mark.ci
def test_another_current_version_is_one_entry(root: Root) -> None:
    """All windows graded again under the new current version: one entry on that day, none for a grade."""
    before = entries(root)
    settle(root, method="0.2")
    regrade(root)
    after = entries(root)
    assert after[1:] == before
    assert after[0] == (CURRENT, f"tag:kept.example,{TODAY.isoformat()}:/method/0.2/#current")
    assert entries(root, MODEL) == before


def test_a_candidate_that_becomes_current(root: Root) -> None:
    """It is said once, with the first window that it grades as the current version; what changes then is told."""
    before = entries(root)
    settle(root, candidates=["0.2"])
    regrade(root)
    settle(root, method="0.2")
    regrade(root)
    assert entries(root) == before
    for later in (1, 2):
        night = LAST + timedelta(days=later)
        add_night(root, night)
        grade(root, today=night, progress=Silent())
    told = "Mill: C 0.2 · M C T A D A R A (provisional), then D 0.2 · M D T A D A R A (provisional)"
    assert [title for title, _ in entries(root)] == [told, CURRENT, *FIRST]
