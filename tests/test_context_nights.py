"""Whole nights with context probes, by the command, on a router that really looks codes up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest
from kept_site import Silent
from lookup_router import PROVIDERS, LookupRouter, LookupSite, probed, sealed

from generator.archive.codec import records_of
from generator.probing.context import context_prompt
from generator.records.finding import FindingKind
from generator.records.night import NightRecord
from generator.records.observation import Observation, Outcome
from generator.verification.findings import Findings
from generator.verification.night_figures import check_night_figures
from generator.workflows.sealing import seal

RUNGS = (256, 512, 1024)
GRADED = 6 * len(PROVIDERS)


@pytest.fixture
def router() -> Iterator[LookupRouter]:
    """Yield a running router."""
    with LookupRouter().running() as made:
        yield made


@pytest.fixture
def site(router: LookupRouter, tmp_path: Path) -> LookupSite:
    """Return a root that watches it."""
    return LookupSite(tmp_path / "root", router)


def observations(site: LookupSite, record: NightRecord) -> tuple[Observation, ...]:
    """Return a night's observations."""
    return records_of(site.root.store.nights.table(record, "observations"), Observation)


def tonight(night: date) -> int:
    """Return the size of a night on which every size fits."""
    return RUNGS[night.toordinal() % len(RUNGS)]


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LookupSite]:
    """Yield a root after `nightly`; nobody may write into it."""
    with LookupRouter().running() as router:
        site = LookupSite(tmp_path_factory.mktemp("context") / "root", router)
        done = site.run("nightly")
        assert done.returncode == 0, done.stdout + done.stderr
        yield site


class TestANightWithContextProbes:
    def test_each_endpoint_is_asked_one_and_the_same(self, night: LookupSite):
        """One probe an endpoint, of tonight's size, the text redrawn from the published seed; and the code is found."""
        record, probes = sealed(night)
        rung = tonight(record.night)
        assert record.settings.context_rungs == RUNGS
        assert {each.provider: each.prompt for each in night.router.probes()} == dict.fromkeys(
            PROVIDERS, context_prompt(record.seed, rung).prompt
        )
        assert len(night.router.probes()) == len(PROVIDERS)
        assert set(probes) == {"elm", "fir", "oak"}
        for probe in probes.values():
            assert (probe.rung_tokens, probe.outcome, probe.correct) == (rung, Outcome.ANSWERED, True)
            assert probe.prompt_tokens is not None
            assert probe.prompt_tokens > rung
            assert probe.latency_ms is not None

    def test_it_is_asked_after_everything_that_is_graded(self, night: LookupSite):
        """No probe is sent before the last graded prompt is."""
        assert [each.buried for each in night.router.asked] == [False] * GRADED + [True] * len(PROVIDERS)

    def test_it_is_no_observation_and_no_prompt_but_costs(self, night: LookupSite):
        """Rows, counts and prompts are of what is graded; the night's cost is of both."""
        record, probes = sealed(night)
        rows = observations(night, record)
        assert {row.family for row in rows} == {"lookup"}
        assert len(rows) == GRADED
        prompts = night.root.store.nights.table(record, "prompts").column("family").to_pylist()
        assert set(prompts) == {"lookup"}
        costs = [each.cost_usd for each in (*rows, *probes.values())]
        assert Decimal(record.cost_usd) == sum(cost for cost in costs if cost is not None)
        assert all(probe.cost_usd for probe in probes.values())

    def test_pages_show_it_as_measured_with_its_size(self, night: LookupSite):
        """A grade page and the model's page name tonight's size, beside the context that the listing declares."""
        record, _ = sealed(night)
        size = f"{tonight(record.night):,}"
        pages = list((night.path / "site").glob(f"grades/**/elm/{record.night}/*/index.html"))
        assert pages
        for text in (" ".join(page.read_text().split()) for page in pages):
            assert f"{size} tokens, the longest probe answered" in text
            assert "100,000 tokens" in text
        models = [path.read_text() for path in (night.path / "site").rglob("*.html")]
        assert any(f"{size} measured" in text and "100,000 declared" in text for text in models)

    def test_verify_finds_nothing(self, night: LookupSite):
        """Counts and cost follow from the rows that are kept."""
        done = night.run("verify", "--json")
        assert done.returncode == 0, done.stdout + done.stderr
        assert msgspec.json.decode(done.stdout)["findings"] == []

    def test_a_second_run_asks_nothing(self, night: LookupSite):
        """A sealed night's probes are not asked again."""
        asked = len(night.router.asked)
        assert night.run("probe").returncode == 0
        assert len(night.router.asked) == asked

    @pytest.mark.parametrize(
        "change",
        [{"endpoint": "nobody"}, {"rung_tokens": 257}, {"outcome": "splendid"}, {"cost_usd": Decimal(1)}, None],
    )
    def test_a_probe_that_the_night_cannot_have_asked_is_a_finding(
        self, night: LookupSite, change: dict[str, Any] | None
    ):
        """Another endpoint, size, outcome or cost than the night's, and a row twice, are named."""
        record, probes = sealed(night)
        rows = [msgspec.structs.asdict(probe) for probe in probes.values()]
        rows = [*rows, rows[0]] if change is None else [rows[0] | change, *rows[1:]]
        findings = Findings()
        check_night_figures(
            "archive/nights/x/night.json",
            record,
            [(r.model, r.endpoint, r.prompt_id, r.outcome, r.cost_usd) for r in observations(night, record)],
            frozenset((probe.model, probe.endpoint) for probe in probes.values()),
            frozenset(row.prompt_id for row in observations(night, record)),
            [(r["model"], r["endpoint"], r["rung_tokens"], r["outcome"], r["cost_usd"]) for r in rows],
            findings,
        )
        found = findings.report().findings
        assert found
        assert {each.kind for each in found} == {FindingKind.DIFFERENT}


class TestASizeThatDoesNotFit:
    def test_a_small_context_is_asked_small_probes_and_a_tiny_one_none(self, site: LookupSite, router: LookupRouter):
        """256 fits into 1,500 tokens and 512 does not; nothing fits into 1,000; an unknown context takes any."""
        router.listed["Elm"] = {"context_length": 1500}
        router.listed["Fir"] = {"context_length": 1000}
        router.listed["Oak"] = {"context_length": None}
        record, probes = probed(site)
        assert {name: probe.rung_tokens for name, probe in probes.items()} == {"elm": 256, "oak": tonight(record.night)}
        assert {each.provider for each in router.probes()} == {"Elm", "Oak"}

    def test_without_sizes_no_probe_is_asked(self, site: LookupSite, router: LookupRouter):
        """An empty ladder leaves an empty table, and the night is as good."""
        site.write_settings(rungs="[]")
        record, probes = probed(site)
        assert (probes, router.probes(), record.settings.context_rungs) == ({}, [], ())


class TestKilledBetweenGradedPromptsAndProbes:
    def test_the_rerun_asks_the_probes_alone(self, site: LookupSite, router: LookupRouter):
        """No graded prompt is asked twice, and of the probes those in flight at most; all of them are answered."""
        router.hold.set()
        _kill_among_probes(site, router)
        assert site.root.store.nights.kept() == ()
        router.hold.clear()
        _, probes = probed(site)
        assert Counter(each.buried for each in router.asked)[False] == GRADED
        assert {probe.outcome for probe in probes.values()} == {Outcome.ANSWERED}

    def test_a_probe_that_was_answered_is_not_asked_again(self, site: LookupSite, router: LookupRouter):
        """With one in flight at a time, a run killed at the second has the first, and it is asked once."""
        router.hold.set()
        site.write_settings(probing="concurrency = 1")
        process = site.start()
        assert router.waiting.acquire(timeout=60)
        first = router.probes()[0].provider
        router.passes.release()
        assert router.waiting.acquire(timeout=60)
        process.kill()
        process.communicate()
        router.hold.clear()
        _, probes = probed(site)
        assert Counter(each.provider for each in router.probes())[first] == 1
        assert {probe.outcome for probe in probes.values()} == {Outcome.ANSWERED}

    def test_a_night_that_is_over_is_sealed_with_its_probes_unsent(self, site: LookupSite, router: LookupRouter):
        """What was never asked is a row all the same: planned, unsent."""
        router.hold.set()
        _kill_among_probes(site, router)
        (night,) = site.root.store.nights.unsealed()
        seal(site.root, night, Silent())
        record, probes = sealed(site)
        assert record.night == night <= record.finished_at.date()
        assert {name: probe.outcome for name, probe in probes.items()} == dict.fromkeys(
            ("elm", "fir", "oak"), Outcome.UNSENT
        )


def _kill_among_probes(site: LookupSite, router: LookupRouter) -> None:
    """Kill a run with SIGKILL once one of its probes waits for an answer."""
    process = site.start()
    assert router.waiting.acquire(timeout=60)
    process.kill()
    process.communicate()
