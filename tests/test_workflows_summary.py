"""A night in figures of our own: what a workflow shows where strangers' words must not stand."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import kept_site
import logged_site
import msgspec
import pytest
from kept_site import FIRST
from lookup_router import LookupRouter, LookupSite
from typer.testing import CliRunner

from generator.archive import layout
from generator.cli import app
from generator.errors import IntegrityError, UsageError
from generator.records.canonical import canonical_json, sealed
from generator.records.night import NightState
from generator.workflows.logged import log_head
from generator.workflows.summary import NightSummary, summary, summary_text
from generator.workflows.world import Root


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Root:
    """Return a root whose log is signed; nobody may write into it."""
    return logged_site.make_logged(tmp_path_factory.mktemp("made") / "root", nights=7)


class TestANightThatIsKept:
    def test_counts_outcomes_letters_and_leaves(self, made: Root):
        """The last night's, where none is named."""
        night, head = FIRST + timedelta(days=8), log_head(made)
        assert head is not None
        found = summary(made)
        letters = [grade.letter for grade in made.store.grades.get("0.1", night)]
        assert found == NightSummary(
            night=night,
            state="recorded",
            planned=24,
            outcomes={"answered": 24, "truncated": 0, "empty": 0, "error": 0, "misrouted": 0, "unsent": 0},
            cost_usd="0.000024",
            letters={"0.1": {each: letters.count(each) for each in "ABCDU"}},
            log_size=head.size,
            log_root=head.root.hex(),
            signed_size=head.size,
        )

    def test_reads_as_markdown_without_a_name(self, made: Root):
        """A table; no provider, no model, no endpoint and no answer of the night's is in it."""
        done = CliRunner().invoke(app, ["summary", FIRST.isoformat(), "--root", str(made.path)])
        assert done.exit_code == 0
        assert done.stdout.startswith(f"### Night {FIRST}\n\n| | |\n| --- | --- |\n| state | recorded |\n")
        assert "| grades, method 0.1 | A 0, B 0, C 0, D 0, U 3 |\n" in done.stdout
        words = [kept_site.MODEL, *kept_site.ENDPOINTS, "otherwise", *(each.prompt_id for each in kept_site.PROMPTS)]
        assert not [word for word in words if word in done.stdout.lower()]

    def test_that_is_void_says_so(self, tmp_path: Path):
        """It has no grades; an archive without a log says that nothing is logged or signed."""
        root = kept_site.make_root(tmp_path / "root", nights=0, rendered=False)
        kept_site.add_night(root, FIRST, state=NightState.VOID, sent_below=2)
        text = summary_text(summary(root, FIRST))
        assert "| state | void |" in text
        assert "| unsent | 22 |" in text
        assert text.endswith("| log | 0 leaves |\n| signed | no |")
        assert "grades" not in text

    @pytest.mark.parametrize("cost", ["::error::x", "NaN", "Infinity", ""])
    def test_whose_cost_is_no_amount_is_refused(self, tmp_path: Path, cost: str):
        """A figure is read before it is printed."""
        root = kept_site.make_root(tmp_path / "root", nights=1, graded=False, rendered=False)
        record = msgspec.structs.replace(root.store.nights.get(FIRST).record, cost_usd=cost)
        (root.store.local / layout.night_file(FIRST)).write_bytes(canonical_json(sealed(record)))
        with pytest.raises(IntegrityError, match="expected an amount"):
            summary(root)

    def test_is_json_for_a_machine(self, made: Root):
        """The same record."""
        done = CliRunner().invoke(app, ["summary", "--json", "--root", str(made.path)])
        assert msgspec.json.decode(done.stdout, type=NightSummary) == summary(made)


class TestANightThatIsNotSealed:
    @pytest.fixture
    def begun(self, tmp_path: Path) -> Iterator[Root]:
        """Yield a root whose night stopped at its cap."""
        with LookupRouter().running() as router:
            site = LookupSite(tmp_path / "root", router)
            site.write_settings(max_usd="0.003", rungs="[256]", probing="concurrency = 1\nconcurrency_per_endpoint = 1")
            assert CliRunner().invoke(app, ["probe", "--root", str(site.path)]).exit_code == 4
            yield site.root

    def test_counts_what_was_decided_so_far(self, begun: Root):
        """Of what it set out for; context probes are none of it."""
        found = summary(begun)
        assert (found.night, found.state, found.planned) == (datetime.now(UTC).date(), "not sealed", 18)
        assert 0 < found.outcomes["answered"] < 18
        assert 0 < float(found.cost_usd) < 0.003
        assert found.letters == {}


class TestNoNight:
    def test_that_was_never_begun_counts_nothing(self, made: Root):
        """It is no mistake to ask."""
        found = summary(made, FIRST + timedelta(days=30))
        assert (found.state, found.planned, found.cost_usd) == ("not begun", 0, "0")

    def test_in_a_new_archive_is_said(self, tmp_path: Path):
        """With what to do."""
        root = kept_site.make_root(tmp_path / "root", nights=0, rendered=False)
        with pytest.raises(UsageError, match="found none kept and none begun"):
            summary(root)
