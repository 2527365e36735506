"""Two method versions over one archive: what was issued stays, and what links versions together tells of both."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from generator.records.grade import Superseded
from generator.workflows.grading import Graded, grade
from generator.workflows.world import Root
from tests import site_material as made
from tests.kept_site import ENDPOINTS, FIRST, Silent, add_night, make_root
from tests.two_versions import (
    LAST,
    NIGHTS,
    TODAY,
    grades_of,
    index_page,
    kept,
    laid_out,
    permanent_page,
    regrade,
    settle,
    write_method,
)


@pytest.fixture(scope="module")
def first_version(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of eight nights graded under 0.1; nobody may write into it."""
    return make_root(tmp_path_factory.mktemp("versions") / "site", NIGHTS, rendered=False).path


@pytest.fixture
def root(first_version: Path, tmp_path: Path) -> Root:
    """Return eight nights graded under 0.1."""
    shutil.copytree(first_version, tmp_path / "site")
    return Root(tmp_path / "site")


class TestOldPagesStayAsTheyAreByteForByte:
    def test_through_a_candidate_that_becomes_current(self, root: Root) -> None:
        """0.1 alone, 0.2 as candidate, 0.2 as current, one more night: no archived or permanent byte changes."""
        first = kept(laid_out(root), "0.1")
        assert sum("/v0.1/" in name for name in first) == 2 * NIGHTS * len(ENDPOINTS)

        settle(root, candidates=["0.2"])
        assert regrade(root) == Graded(windows=NIGHTS, grades=NIGHTS * len(ENDPOINTS))
        second = kept(laid_out(root), "0.1", "0.2")
        assert {name: second.get(name) for name in first} == first
        assert sum("/v0.2/" in name for name in second) == 2 * NIGHTS * len(ENDPOINTS)

        settle(root, method="0.2")
        assert regrade(root) == Graded(windows=0, grades=0)
        third = kept(laid_out(root), "0.1", "0.2")
        assert third == second

        add_night(root, LAST + timedelta(days=1))
        assert regrade(root) == Graded(windows=1, grades=len(ENDPOINTS))
        fourth = kept(laid_out(root), "0.1", "0.2")
        assert {name: fourth.get(name) for name in third} == third
        assert root.store.grades.windows("0.1")[-1] == LAST
        assert root.store.grades.windows("0.2")[-1] == LAST + timedelta(days=1)

    def test_grading_again_writes_nothing(self, root: Root) -> None:
        """What has been graded under both versions is graded under neither again."""
        settle(root, candidates=["0.2"])
        regrade(root)
        before = kept(root, "0.1", "0.2")
        assert regrade(root) == Graded(windows=0, grades=0)
        assert kept(root, "0.1", "0.2") == before

    def test_records_of_both_versions_read_what_each_rule_says(self, root: Root) -> None:
        """Mill answers one of four fixed prompts otherwise on every second night: outside the floor under both.

        Loom and kiln never do, so the fleet's median is 0 and floors stay what the percentile makes them.
        """
        settle(root, candidates=["0.2"])
        regrade(root)
        old, new = (
            {each.endpoint: each for each in root.store.grades.get(version, LAST)} for version in ("0.1", "0.2")
        )
        assert {e: g.m_letter for e, g in old.items()} == {e: g.m_letter for e, g in new.items()}
        assert old["mill"].method_digest != new["mill"].method_digest
        assert (old["mill"].m_night, old["mill"].m_family) == (new["mill"].m_night, new["mill"].m_family)


class TestARegradeIsIssuedOnTheDayItWasMade:
    def test_a_first_grade_bears_its_nights_finish_and_a_regrade_the_day(self, root: Root) -> None:
        """Under 0.1 each window was issued when its night ended; under 0.2 all of them on the later day."""
        settle(root, candidates=["0.2"])
        regrade(root)
        assert {(each.window_end, each.issued) for each in grades_of(root, "0.1")} == {
            (FIRST + timedelta(days=i), FIRST + timedelta(days=i)) for i in range(NIGHTS)
        }
        assert {each.issued for each in grades_of(root, "0.2")} == {TODAY}

    def test_a_new_window_is_no_regrade_under_either_version(self, root: Root) -> None:
        """A night graded under the current version and a candidate in one run bears its own finish under both."""
        settle(root, candidates=["0.2"])
        regrade(root)
        night = LAST + timedelta(days=1)
        add_night(root, night)
        grade(root, today=night, progress=Silent())
        found = [root.store.grades.get(version, night) for version in ("0.1", "0.2")]
        assert {each.issued for grades in found for each in grades} == {night}
        assert {root.store.grades.manifest(version, night).regrade for version in ("0.1", "0.2")} == {False}

    def test_the_newest_window_is_a_regrade_like_any_other(self, root: Root) -> None:
        """The last night's window, graded under 0.2 weeks later, bears the later day."""
        regrade(root, only="0.2", window_end=LAST)
        assert {each.issued for each in root.store.grades.get("0.2", LAST)} == {TODAY}
        assert root.store.grades.manifest("0.2", LAST).regrade


class TestSupersedesListsOnlyVersionsThatWereCurrent:
    def test_a_new_current_version_names_the_earlier_letter(self, root: Root) -> None:
        """0.2 made current at once: each of its grades names the letter that 0.1 gave the same window."""
        letters = {(each.endpoint, each.window_end): each.letter for each in grades_of(root, "0.1")}
        settle(root, method="0.2")
        regrade(root)
        found = grades_of(root, "0.2")
        assert len(found) == NIGHTS * len(ENDPOINTS)
        for each in found:
            letter = letters[each.endpoint, each.window_end]
            assert each.supersedes == (Superseded(method_version="0.1", letter=letter),)

    def test_a_candidate_supersedes_nothing(self, root: Root) -> None:
        """Graded beside 0.1, 0.2 names no earlier letter, and its pages are marked."""
        settle(root, candidates=["0.2"])
        regrade(root)
        assert {each.supersedes for each in grades_of(root, "0.2")} == {()}
        assert "Issued as a candidate beside method version 0.1: it replaces nothing." in permanent_page(root, "0.2")

    def test_a_candidate_is_superseded_by_nothing(self, root: Root) -> None:
        """0.2 is still a candidate when 0.3 becomes current: 0.3 replaces 0.1 alone."""
        write_method(root, "0.3")
        settle(root, candidates=["0.2"])
        regrade(root)
        settle(root, method="0.3", candidates=["0.2"])
        regrade(root)
        assert {tuple(s.method_version for s in each.supersedes) for each in grades_of(root, "0.3")} == {("0.1",)}

    def test_a_candidate_that_was_dropped_never_was_current(self, root: Root) -> None:
        """0.2 was a candidate and is none any more when 0.3 becomes current: 0.3 replaces 0.1 alone."""
        write_method(root, "0.3")
        settle(root, candidates=["0.2"])
        regrade(root)
        settle(root, method="0.3")
        regrade(root)
        assert {tuple(s.method_version for s in each.supersedes) for each in grades_of(root, "0.3")} == {("0.1",)}

    @pytest.mark.ci
    def test_a_later_version_that_is_not_current_supersedes_nothing(self, root: Root) -> None:
        """Graded by name alone, neither current nor a candidate, 0.2 replaces nothing, and its pages say so."""
        regrade(root, only="0.2")
        assert {each.supersedes for each in grades_of(root, "0.2")} == {()}
        assert "it replaces nothing" in permanent_page(root, "0.2")


class TestTheIndexPagesListAllVersions:
    def test_each_grade_s_index_lists_both_with_their_standing(self, root: Root) -> None:
        """As a candidate and as the current version, beside 0.1, on every window's index page."""
        assert "Method version 0.2" not in index_page(laid_out(root))
        settle(root, candidates=["0.2"])
        regrade(root)
        laid_out(root)
        for number in range(NIGHTS):
            said = index_page(root, end=FIRST + timedelta(days=number))
            assert said.index("Method version 0.1") < said.index("Method version 0.2")
            assert "A candidate: it replaces nothing." in said
            assert "The current version." in said
        settle(root, method="0.2")
        regrade(root)
        said = index_page(laid_out(root))
        assert said.index("Method version 0.2") < said.index("Method version 0.1")
        assert "A candidate: it replaces nothing." not in said

    @pytest.mark.ci
    def test_the_method_page_lists_both(self, root: Root) -> None:
        """/method/ names each version with what it changed, and each has its own permanent page."""
        settle(root, candidates=["0.2"])
        regrade(root)
        site = laid_out(root).path / "site" / "method"
        said = made.page_text((site / "index.html").read_bytes())
        for version in ("0.1", "0.2"):
            method = root.content.method(version)
            assert all(sentence in said for sentence in method.definition.changes)
            assert method.digest in made.page_text((site / version / "index.html").read_bytes())
