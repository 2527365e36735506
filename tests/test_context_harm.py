"""Nothing about a context probe can make a night partial, void or late, or stop it: whole nights by the command."""

from __future__ import annotations

import signal
import time
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from aiohttp import web
from lookup_router import PROVIDERS, LookupRouter, LookupSite, completion, probed, refused, sealed

from generator.archive.codec import records_of
from generator.records.context import ContextProbe
from generator.records.observation import Outcome

HOSTILE = {
    "Alder": (lambda _: completion("Alder", "\u202e\x00" * 9 + "<script>", 9), Outcome.ANSWERED),
    "Birch": (lambda _: completion("Birch", "x" * 900_000, 2**70), Outcome.ANSWERED),
    "Cedar": (lambda _: completion("Cedar", "BB123", float("nan")), Outcome.ERROR),
    "Dune": (lambda _: completion("Dune", "  ", -1), Outcome.EMPTY),
    "Ember": (lambda _: completion("Ember", {"a": 1}, "many"), Outcome.ERROR),
    "Fjord": (lambda _: completion("Fir", "BB123", 9), Outcome.MISROUTED),
    "Gale": (lambda _: web.Response(text="<html>", content_type="text/html"), Outcome.ERROR),
    "Heath": (lambda _: web.Response(body=b"[" * 100_000), Outcome.ERROR),
    "Inlet": (lambda _: web.Response(body=b"x" * 2_000_000), Outcome.ERROR),
    "Jetty": (lambda _: refused(400, "Jetty"), Outcome.ERROR),
    "Knoll": (lambda _: refused(413), Outcome.UNSENT),
}
"""By provider, how it answers a context probe, and what comes of it."""


@pytest.fixture
def router() -> Iterator[LookupRouter]:
    """Yield a running router."""
    with LookupRouter().running() as made:
        yield made


@pytest.fixture
def site(router: LookupRouter, tmp_path: Path) -> LookupSite:
    """Return a root that watches it."""
    return LookupSite(tmp_path / "root", router)


class TestNothingAboutAProbeCanHarmTheNight:
    def test_a_probe_that_the_budget_does_not_reach_for_is_left_unsent(self, site: LookupSite, router: LookupRouter):
        """The dear endpoint's probe is given up, the others are asked; the night is complete, its cap not passed."""
        router.listed["Fir"] = {"pricing": {"prompt": "0.00001", "completion": "0.00001"}}
        site.write_settings(rungs="[1024]", max_usd="0.06")
        record, probes = probed(site)
        assert {name: probe.outcome for name, probe in probes.items()} == {
            "elm": Outcome.ANSWERED,
            "fir": Outcome.UNSENT,
            "oak": Outcome.ANSWERED,
        }
        assert Decimal(record.cost_usd) < Decimal("0.06")

    @pytest.mark.ci
    def test_where_nothing_is_left_none_is_asked(self, site: LookupSite, router: LookupRouter):
        """The graded prompts come first: what they leave may reach for no probe at all."""
        site.write_settings(rungs="[16384]", max_usd="0.06")
        _, probes = probed(site)
        assert {probe.outcome for probe in probes.values()} == {Outcome.UNSENT}
        assert not router.probes()

    @pytest.mark.ci
    def test_answers_that_hide_their_cost_leave_less_for_the_others(self, site: LookupSite, router: LookupRouter):
        """What was held for them stays spent: two of three fit under the cap, the third is given up in the end."""
        router.buried = {name: lambda _: completion("Elm", "BB123", None) for name in PROVIDERS}
        site.write_settings(rungs="[1024]", max_usd="0.035")
        _, probes = probed(site)
        assert Counter(probe.outcome is Outcome.UNSENT for probe in probes.values()) == {False: 2, True: 1}
        assert len(router.probes()) == 2

    def test_an_endpoint_without_a_price_is_left_out_as_of_the_night(self, site: LookupSite, router: LookupRouter):
        """Under a cap nothing is sent to it, graded or not, and the others have their night and probes."""
        router.listed["Fir"] = {"pricing": {}}
        done = site.run("probe")
        assert done.returncode == 0, done.stdout + done.stderr
        nights = site.root.store.nights
        record = nights.get(nights.kept()[0]).record
        probes = records_of(nights.table(record, "context"), ContextProbe)
        assert record.counts.unsent == 6
        assert [probe.outcome for probe in probes] == [Outcome.ANSWERED, Outcome.UNSENT, Outcome.ANSWERED]
        assert {each.provider for each in router.asked} == {"Elm", "Oak"}

    @pytest.mark.parametrize("status", [402, 401])
    def test_no_credit_or_a_refused_key_end_the_probes_alone(self, site: LookupSite, router: LookupRouter, status: int):
        """What would stop a night stops its probes: nothing more is sent, and the night is recorded."""
        router.buried = dict.fromkeys(PROVIDERS, lambda _prompt: refused(status))
        site.write_settings(probing="concurrency = 1")
        _, probes = probed(site)
        assert {probe.outcome for probe in probes.values()} == {Outcome.UNSENT}
        assert len(router.probes()) == 1

    def test_whatever_endpoints_answer(self, site: LookupSite, router: LookupRouter):
        """Each hostile answer is one row with an outcome, and what it says of itself stays in bounds."""
        router.listed |= {name: {} for name in HOSTILE}
        router.buried = {name: play for name, (play, _) in HOSTILE.items()}
        _, probes = probed(site)
        assert {name: probes[name.lower()].outcome for name in HOSTILE} == {
            name: outcome for name, (_, outcome) in HOSTILE.items()
        }
        for name in HOSTILE:
            assert not probes[name.lower()].correct
            assert probes[name.lower()].prompt_tokens in {None, 9}
        assert all(probes[name.lower()].correct for name in PROVIDERS)

    def test_an_interrupt_among_the_probes_gives_the_rest_up(self, site: LookupSite, router: LookupRouter):
        """What is in flight is awaited and kept, the rest are unsent, and the night is sealed."""
        router.hold.set()
        site.write_settings(probing="concurrency = 1")
        process = site.start()
        assert router.waiting.acquire(timeout=60)
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        router.hold.clear()
        said, _ = process.communicate(timeout=60)
        assert process.returncode == 0, said
        _, probes = sealed(site)
        assert Counter(probe.outcome for probe in probes.values()) == {Outcome.ANSWERED: 1, Outcome.UNSENT: 2}
