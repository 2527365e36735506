"""A version is bound to its definition once grades are published under it, and any window can be graded under one."""

from __future__ import annotations

import shutil
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

from generator.errors import ContentError, UsageError
from generator.records.grade import Letter
from generator.workflows.grading import Graded, grade
from generator.workflows.windows import Windows
from generator.workflows.world import Root
from tests.kept_site import ENDPOINTS, FIRST, Silent, add_night, make_root
from tests.two_versions import (
    LAST,
    NIGHTS,
    TODAY,
    grades_of,
    kept,
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


class TestADefinitionIsBound:
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


class TestANightIsVoidByTheDefinition:
    def test_a_definition_that_asks_for_more_leaves_a_night_out(self, root: Root) -> None:
        """A night sealed as recorded is void under a version that asks for more of it to be sent."""
        night = LAST + timedelta(days=1)
        sparse = add_night(root, night, sent_below=18)
        assert (sparse.counts.sent, sparse.counts.planned) == (18, 24)
        lenient = Windows(root, root.content.method("0.1"))
        assert lenient.recorded[-1] == night
        rule = root.content.method("0.1").definition.night
        assert rule.void_below_sent_percent == Decimal(50)
        strict = msgspec.structs.replace(
            root.content.method("0.1").definition,
            night=msgspec.structs.replace(rule, void_below_sent_percent=Decimal(76)),
        )
        method = msgspec.structs.replace(root.content.method("0.1"), definition=strict)
        assert Windows(root, method).recorded[-1] == LAST
