"""Two method versions over one archive: what was issued stays, and what links versions together tells of both."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import Path

import pytest
import site_material as made
from kept_site import ENDPOINTS, FIRST, MODEL, SITE_TOML, Silent, add_night, make_root

from generator.errors import ContentError, UsageError
from generator.records.grade import Grade, Letter, Superseded
from generator.records.permalink import grade_index_path, permalink_path
from generator.workflows.grading import Graded, grade
from generator.workflows.rendering import render
from generator.workflows.world import Root
from tests.method_variants import METHODS

NIGHTS = 8
LAST = FIRST + timedelta(days=NIGHTS - 1)
TODAY = date(2026, 5, 1)
"""The day of the re-grade: weeks after the last night."""


@pytest.fixture(scope="module")
def first_version(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of eight nights graded under 0.1; nobody may write into it."""
    return make_root(tmp_path_factory.mktemp("versions") / "site", NIGHTS, rendered=False).path


@pytest.fixture
def root(first_version: Path, tmp_path: Path) -> Root:
    """Return eight nights graded under 0.1."""
    shutil.copytree(first_version, tmp_path / "site")
    return Root(tmp_path / "site")


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
            assert said.index("Method version 0.2") < said.index("Method version 0.1")
            assert "A candidate: it replaces nothing." in said
            assert "The current version." in said
        settle(root, method="0.2")
        regrade(root)
        said = index_page(laid_out(root))
        assert said.index("Method version 0.2") < said.index("Method version 0.1")
        assert "A candidate: it replaces nothing." not in said

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


class TestADefinitionNeverChangesOnceAGradeHasBeenPublishedUnderIt:
    @pytest.mark.parametrize("suffix", ["toml", "md"])
    @pytest.mark.parametrize("only", [None, "0.1"])
    def test_a_changed_file_is_refused(self, root: Root, suffix: str, only: str | None) -> None:
        """One more comment in the definition, or one more word in the prose, and nothing is graded under it."""
        write_method(root, "0.1", source="0.1")
        file = root.path / "content" / "methods" / f"0.1.{suffix}"
        file.write_text(file.read_text() + "\n# more\n")
        add_night(root, LAST + timedelta(days=1))
        before = kept(root, "0.1")
        with pytest.raises(ContentError, match="expected the definition that grades were published under"):
            grade(root, today=TODAY, progress=Silent(), only=only)
        assert kept(root, "0.1") == before

    def test_the_same_bytes_from_another_folder_are_accepted(self, root: Root) -> None:
        """The digest is of the bytes: a root's own copy of the definition grades on."""
        write_method(root, "0.1", source="0.1")
        add_night(root, LAST + timedelta(days=1))
        assert regrade(root).windows == 1

    def test_a_version_that_nothing_was_published_under_may_change(self, root: Root) -> None:
        """Until its first grade a definition is a draft; from then on it is bound."""
        write_method(root, "0.2", source="0.2")
        file = root.path / "content" / "methods" / "0.2.toml"
        file.write_text(file.read_text() + "\n# a draft\n")
        assert regrade(root, only="0.2", window_end=FIRST).windows == 1
        file.write_text(file.read_text() + "\n# and another\n")
        with pytest.raises(ContentError, match="a changed method needs a new version"):
            regrade(root, only="0.2")

    def test_each_grade_and_method_page_records_the_digest(self, root: Root) -> None:
        """Both versions' grades carry their own digest, and so does what lies beside the method page."""
        settle(root, candidates=["0.2"])
        regrade(root)
        for version in ("0.1", "0.2"):
            digest = root.content.method(version).digest
            assert {each.method_digest for each in grades_of(root, version)} == {digest}
            assert root.store.pages.method_manifest(version).method_digest == digest


class TestGradeUnderOneVersion:
    def test_all_of_the_archive(self, root: Root) -> None:
        """Every recorded night's window, first to last, under a version that site.toml does not name."""
        assert regrade(root, only="0.2") == Graded(windows=NIGHTS, grades=NIGHTS * len(ENDPOINTS))
        assert root.store.grades.windows("0.2") == root.store.grades.windows("0.1")
        assert regrade(root, only="0.2") == Graded(windows=0, grades=0)

    def test_one_window_and_then_the_rest(self, root: Root) -> None:
        """One window in mid-archive reads the same whether it is graded alone or among all."""
        middle = FIRST + timedelta(days=6)
        assert regrade(root, only="0.2", window_end=middle) == Graded(windows=1, grades=len(ENDPOINTS))
        assert root.store.grades.windows("0.2") == (middle,)
        alone = root.store.grades.get("0.2", middle)
        assert [each.nights for each in alone] == [tuple(FIRST + timedelta(days=i) for i in range(7))] * len(ENDPOINTS)
        assert regrade(root, only="0.2", window_end=middle) == Graded(windows=0, grades=0)
        assert regrade(root, only="0.2").windows == NIGHTS - 1
        assert root.store.grades.get("0.2", middle) == alone

    @pytest.mark.parametrize("asked", [FIRST - timedelta(days=1), LAST + timedelta(days=1), date(2020, 2, 29)])
    def test_a_date_that_ends_no_window_is_refused(self, root: Root, asked: date) -> None:
        """A night that was not recorded names no window; the message names the last one that does."""
        with pytest.raises(UsageError, match=f"found {asked.isoformat()}"):
            grade(root, today=TODAY, progress=Silent(), only="0.2", window_end=asked)
        assert "0.2" not in root.store.grades.versions()

    def test_a_version_that_is_not_there_is_refused_with_those_that_are(self, root: Root) -> None:
        """`--method 0.7` names the versions that can be graded under."""
        with pytest.raises(ContentError, match=r"0\.1, 0\.2"):
            grade(root, today=TODAY, progress=Silent(), only="0.7")

    def test_letters_stay_among_the_five(self, root: Root) -> None:
        """The first six windows are short and unrated under both versions, the last two have seven nights."""
        regrade(root, only="0.2")
        for version in ("0.1", "0.2"):
            short = {each.letter for each in grades_of(root, version) if each.window_end < FIRST + timedelta(days=6)}
            assert short == {Letter.U}
            assert {len(each.nights) for each in grades_of(root, version) if each.letter is not Letter.U} == {7}
