"""A night's own run opens as many files of an archive of forty nights as of one of twenty."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import kept_site
import pytest
from log_makers import KEY, add_graded

from generator.workflows.grading import grade
from generator.workflows.knowing import known_endpoints
from generator.workflows.log_keeping import keep_log
from generator.workflows.world import Root

_LISTENING: list[list[str]] = []
"""Who is told of what is opened: nobody but while something is done."""


def _heard(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open":
        for each in _LISTENING:
            each.append(str(arguments[0]))


sys.addaudithook(_heard)


def opened(root: Root, work: Callable[[], object]) -> Counter[str]:
    """Return how often files of which of a root's folders are opened while something is done."""
    names: list[str] = []
    _LISTENING.append(names)
    try:
        work()
    finally:
        _LISTENING.clear()
    return Counter(Path(name).relative_to(root.path).parts[1] for name in names if name.startswith(f"{root.path}/"))


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> dict[int, dict[str, Counter[str]]]:
    """Return what the steps of the newest night open, by the number of nights."""
    root, found = kept_site.make_root(tmp_path_factory.mktemp("opens") / "root", 0, graded=False, rendered=False), {}
    for nights in (20, 40):
        for index in range(len(root.store.nights.kept()), nights - 1):
            kept_site.add_night(root, kept_site.FIRST + timedelta(days=index))
        grade(root, today=kept_site.FIRST, progress=kept_site.Silent())
        keep_log(root, KEY, progress=kept_site.Silent())
        known_endpoints(root)
        add_graded(root, kept_site.FIRST + timedelta(days=nights - 1))
        found[nights] = {
            "plan": opened(root, lambda: known_endpoints(Root(root.path))),
            "log": opened(root, lambda: keep_log(Root(root.path), KEY, progress=kept_site.Silent())),
        }
    return found


def test_who_is_known_is_read_of_the_newest_nights(steps: dict[int, dict[str, Counter[str]]]):
    """Two nights are opened: of the one that is remembered the record, of the one after it the listings too."""
    assert steps[20]["plan"] == steps[40]["plan"]
    assert steps[20]["plan"]["nights"] == 3


def test_the_log_is_kept_from_the_newest_night(steps: dict[int, dict[str, Counter[str]]]):
    """Appending, signing and proving open the new night, its grades and the tree's right edge."""
    assert steps[20]["log"] == steps[40]["log"]
    assert steps[20]["log"]["nights"] > 0
