"""`plan` and --dry-run: what a night would ask and cost at most, from live prices, with nothing asked or written."""

from __future__ import annotations

import asyncio
import io
import itertools
import re
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import kept_site
import msgspec
import pytest
from demo_site import KEY, DemoSite
from rich.console import Console
from typer.testing import CliRunner

from generator.cli import app
from generator.probing.budget import worst_case
from generator.probing.demo.process import running_router
from generator.records.account import Account, AccountState
from generator.records.cost_plan import CostPlan, Pricing
from generator.records.figures import decimal_text
from generator.records.night import NightPlan
from generator.settings import BudgetSettings
from generator.terminal.plan import print_plan
from generator.terminal.routers import demo_at, router_of
from generator.workflows.costing import cost_plan
from generator.workflows.planning import plan_night, planned_asks
from generator.workflows.world import World
from tests.fault_server import FaultServer, answer, run
from tests.probing_makers import seen

ONE_MODEL = '["huggingfacetb/smollm2-135m-instruct"]'
ENDPOINTS = 5
PROMPTS = 120
SEED = "5eed" * 8
NOW = datetime(2026, 11, 29, 3, tzinfo=UTC)
WORLD = World(now=lambda: NOW, monotonic=time.monotonic, sleep=asyncio.sleep, entropy=lambda count: b"s" * count)


@pytest.fixture(scope="module")
def router() -> Iterator[str]:
    """Yield the address of a router for all tests: none of them asks it anything but by `probe`."""
    with running_router() as address:
        yield address


@pytest.fixture
def site(router: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DemoSite:
    """Return a root that watches one model, under a cap, and the key in the environment."""
    made = DemoSite(tmp_path / "root", router)
    made.write_settings(models=ONE_MODEL, max_usd='"1"')
    monkeypatch.setenv("DEMO_KEY", KEY)
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("NO_COLOR", "1")
    return made


def files(site: DemoSite) -> dict[str, bytes]:
    """Return everything that lies in a root."""
    return {str(path.relative_to(site.path)): path.read_bytes() for path in site.path.rglob("*") if path.is_file()}


def told(site: DemoSite, *arguments: str) -> str:
    """Return what a command that must succeed prints, and require that it wrote and asked nothing."""
    before, served = files(site), site.served().requests
    folders = sorted(site.path.iterdir())
    done = CliRunner().invoke(app, [*arguments, "--root", str(site.path)])
    assert done.exit_code == 0, done.output
    assert (files(site), sorted(site.path.iterdir()), site.served().requests) == (before, folders, served)
    return done.stdout


def planned(site: DemoSite, *arguments: str) -> dict[str, Any]:
    """Return what `plan --json` says."""
    found: dict[str, Any] = msgspec.json.decode(told(site, "plan", "--json", *arguments))
    return found


def begun(site: DemoSite, *, unpriced: bool = False) -> NightPlan:
    """Begin tonight's journal with its plan, and return it."""
    now = datetime.now(UTC)
    world = World(now=lambda: now, monotonic=time.monotonic, sleep=asyncio.sleep, entropy=bytes)

    async def listed() -> NightPlan:
        settings = site.root.content.settings()
        async with demo_at(site.address)(settings, world) as opened:
            return await plan_night(site.root, settings, now, SEED, opened, now.date(), kept_site.Silent())

    plan = asyncio.run(listed())
    if unpriced:
        endpoints = (msgspec.structs.replace(plan.endpoints[0], price_prompt=None), *plan.endpoints[1:])
        plan = msgspec.structs.replace(plan, endpoints=endpoints)
    site.root.store.nights.start_journal(plan)
    return plan


class TestPlan:
    def test_every_request_and_its_worst_case(self, site: DemoSite):
        """Requests, worst cases and prices by endpoint come to the sums, as the budget itself would hold them."""
        found = planned(site)
        (model,) = found["models"]
        assert (found["requests"], found["context_requests"]) == (ENDPOINTS * PROMPTS, 0)
        assert (found["carried_on"], found["sealed"], found["left_out"], found["unknown"]) == (False, False, 0, 0)
        assert [each["requests"] for each in model["endpoints"]] == [PROMPTS] * ENDPOINTS
        assert {each["pricing"] for each in model["endpoints"]} == {"listed"}
        assert {each["price_prompt"] for each in model["endpoints"]} == {"0.00000001"}
        total = sum(Decimal(each["worst_usd"]) for each in model["endpoints"])
        assert Decimal(found["worst_usd"]) == Decimal(model["worst_usd"]) == total > 0
        assert Decimal(found["most_usd"]) == 2 * total
        assert total < Decimal(found["needed_usd"]) < 2 * total

    def test_in_words(self, site: DemoSite):
        """A reader is told what was sized, each endpoint's row, the sums and what the cap comes to."""
        text = told(site, "plan")
        assert "nothing was asked and nothing written" in text
        assert "the night draws its own" in text
        assert "At tonight's listed prices: 600 graded requests, at most 0.00" in text
        assert "0.01 / 0.02" in text
        assert "At the price limit, 2 times the listed prices: at most 0.0" in text
        assert "The cap of 1 USD is enough even at the price limit" in text
        assert "before its hour" not in text

    def test_what_is_printed_adds_up(self, site: DemoSite):
        """Rows come to the model's sums, models to the night's, and the cap's need to its parts: to the last digit."""
        path = site.path / "content/site.toml"
        path.write_text(path.read_text().replace("rungs = []", "rungs = [1024]"))
        text = told(site, "plan")
        rows = re.findall(r"│ +([0-9,]+) +│ +([0-9.]+) +│ +([0-9,]+) +│ +([0-9.]+) +│", text)
        assert len(rows) == ENDPOINTS
        graded, worst, probes, context = (sum(Decimal(row[place]) for row in rows) for place in range(4))
        said = (
            f"{graded} graded requests, at most {decimal_text(worst)} USD; {probes} context probes, at most "
            f"{decimal_text(context)} USD; together at most {decimal_text(worst + context)} USD"
        )
        assert " ".join(text.split()).count(said) == 2  # Of the one model, and of the night.
        assert f"at most {decimal_text(2 * (worst + context))} USD. Past that limit" in text
        needed = re.search(r"A cap of ([0-9.]+) USD cannot stop .* and ([0-9.]+) USD because", text)
        assert needed is not None
        assert Decimal(needed[1]) == worst + context + Decimal(needed[2])

    def test_a_night_before_its_hour(self, site: DemoSite, monkeypatch: pytest.MonkeyPatch):
        """A plan made hours before the night is meant to begin says so in one line."""
        monkeypatch.setattr("generator.cli._now", lambda: datetime(2026, 11, 30, 0, 20, tzinfo=UTC))
        done = CliRunner().invoke(app, ["plan", "--root", str(site.path)])
        assert done.stderr.count("night 2026-11-30 begins 2 h before its hour (03:00 UTC)") == 1

    @pytest.mark.parametrize(
        ("line", "version"), [('method = "9.9"', "9.9"), ('candidates = ["8.8"]\nmethod = "0.1"', "8.8")]
    )
    def test_a_method_that_nightly_refuses(self, site: DemoSite, line: str, version: str):
        """What could not be graded under is refused by the plan as it is before anything is paid."""
        path = site.path / "content/site.toml"
        path.write_text(path.read_text().replace('method = "0.1"', line))
        for command in ("plan", "nightly"):
            done = CliRunner().invoke(app, [command, "--root", str(site.path)])
            assert done.exit_code == 1
            assert f"content/methods/{version}.toml" in done.stderr

    def test_settings_of_a_model_that_the_rule_does_not_find(self, site: DemoSite):
        """With a rule it is said in one line; without one it is refused, as nothing could ever be asked by it."""
        path = site.path / "content/site.toml"
        own = '[per_model."nobody/unknown"]\nmax_tokens = 64\n'
        sound = path.read_text()
        path.write_text(sound + own)
        refused = CliRunner().invoke(app, ["plan", "--root", str(site.path)])
        assert refused.exit_code == 1
        assert "found 'nobody/unknown'" in refused.stderr
        path.write_text(f"min_providers = 50\n{sound}{own}")
        done = CliRunner().invoke(app, ["plan", "--root", str(site.path)])
        assert done.exit_code == 0
        assert done.stderr.count('per_model."nobody/unknown" is for no model that is watched tonight') == 1

    @pytest.mark.parametrize("command", ["nightly", "probe"])
    def test_a_dry_run_is_the_same(self, site: DemoSite, command: str):
        """`nightly --dry-run` and `probe --dry-run` print the plan, exit 0, and leave no lock, folder or file."""
        found = msgspec.json.decode(told(site, command, "--dry-run", "--json", "--max-usd", "0.25"))
        again = planned(site, "--max-usd", "0.25")
        assert found["cap_usd"] == again["cap_usd"] == "0.25"
        assert found["requests"] == again["requests"]
        assert not (site.path / "archive").exists()

    def test_context_probes_stand_apart(self, site: DemoSite):
        """One for each endpoint, with a worst case of their own, and part of the whole night."""
        path = site.path / "content/site.toml"
        path.write_text(path.read_text().replace("rungs = []", "rungs = [1024]"))
        found = planned(site)
        assert found["context_requests"] == ENDPOINTS
        context = Decimal(found["context_worst_usd"])
        assert Decimal(found["most_usd"]) == 2 * (Decimal(found["worst_usd"]) + context) > 2 * context > 0

    def test_no_lock_is_needed(self, site: DemoSite):
        """While a night is under way in another process, its plan can be read."""
        begun(site)
        with site.root.store.lock():
            assert planned(site)["carried_on"] is True


class TestCap:
    def test_each_verdict(self, site: DemoSite):
        """A cap is told to suffice, to suffice at tonight's prices, or to stop the night: with what it needs."""
        found = planned(site)
        most, needed = (Decimal(found[name]).quantize(Decimal("1e-12")) for name in ("most_usd", "needed_usd"))
        caps = {f"{most + Decimal('0.001'):f}": True, f"{needed + Decimal('0.001'):f}": True, "0.0001": False}
        assert [planned(site, "--max-usd", cap)["suffices"] for cap in caps] == list(caps.values())
        texts = [told(site, "plan", "--max-usd", cap) for cap in caps]
        assert "is enough even at the price limit" in texts[0]
        assert "is enough for that" in texts[1]
        assert "is less and may stop the night before its end" in texts[2]
        assert all("USD cannot stop the night as long as prices stay" in text for text in texts)

    def test_a_router_that_charges_and_no_cap(self, site: DemoSite):
        """The plan is printed all the same, and says what to set; probing refuses."""
        path = site.path / "content/site.toml"
        path.write_text(path.read_text().replace('kind = "demo"', 'kind = "openrouter"').replace('max_usd = "1"', ""))
        text = told(site, "plan")
        assert "cannot stop the night" in text
        assert "None is set, and this router charges" in text
        assert planned(site)["cap_usd"] is None
        refused = CliRunner().invoke(app, ["probe", "--root", str(site.path)])
        assert refused.exit_code == 1
        assert "--max-usd" in refused.stderr

    def test_a_router_that_charges_nothing(self, site: DemoSite):
        """No cap is no trouble there."""
        path = site.path / "content/site.toml"
        path.write_text(path.read_text().replace('max_usd = "1"', ""))
        assert "No cap: this router charges nothing" in told(site, "plan")

    @pytest.mark.parametrize("amount", ["", "-1", "1e3", "NaN", "two"])
    def test_an_amount_that_is_none(self, site: DemoSite, amount: str):
        """Anything but a plain amount is a usage error that names the option."""
        done = CliRunner().invoke(app, ["plan", "--max-usd", amount, "--root", str(site.path)])
        assert done.exit_code == 2
        assert "--max-usd" in done.stderr

    def test_it_overrides_the_one_of_site_toml(self, site: DemoSite):
        """A night that stopped at its cap goes on under --max-usd, and no answer is paid for twice."""
        site.write_settings(models=ONE_MODEL, max_usd='"0.0002"')
        served = site.served().requests
        stopped = CliRunner().invoke(app, ["probe", "--root", str(site.path)])
        assert stopped.exit_code == 4
        assert "--max-usd" in stopped.stderr
        done = CliRunner().invoke(app, ["probe", "--max-usd", "1", "--root", str(site.path)])
        assert done.exit_code == 0, done.output
        assert site.served().requests - served == ENDPOINTS * PROMPTS


class TestANightThatIsBegun:
    def test_only_what_is_missing(self, site: DemoSite):
        """Its own plan is counted, without what its journal holds, and what that cost is spent."""
        plan = begun(site)
        asks = planned_asks(plan)
        with site.root.store.nights.open_journal(plan.night) as journal:
            for ask in asks[:100]:
                row = msgspec.structs.replace(seen({}, of=ask), cost_usd=Decimal("0.0000001"))
                journal.add(row)
            journal.add_account(Account(account=AccountState.ENDED, spent_usd=Decimal("0.00001")))
        found = planned(site)
        assert (found["carried_on"], found["requests"]) == (True, ENDPOINTS * PROMPTS - 100)
        assert found["spent_usd"] == "0.00001"
        settings = site.root.content.settings().probing
        worst = sum(worst_case(ask, settings) or 0 for ask in asks[100:])
        assert Decimal(found["most_usd"]) == Decimal("0.00001") + worst
        assert "begun already" in told(site, "plan")
        assert "what has changed in content/site.toml since then waits for the next night" in told(site, "plan")
        assert "earlier runs may have cost up to" in told(site, "plan")

    def test_what_a_killed_run_had_in_flight_is_spent(self, site: DemoSite):
        """Without an account of its end, the dearest requests that it may have had in flight are counted."""
        plan = begun(site)
        with site.root.store.nights.open_journal(plan.night) as journal:
            journal.add_account(Account(account=AccountState.BEGUN, spent_usd=Decimal(0)))
        settings = site.root.content.settings().probing
        share = settings.concurrency_per_endpoint
        by_endpoint = itertools.groupby(
            sorted(planned_asks(plan), key=lambda ask: ask.endpoint), lambda ask: ask.endpoint
        )
        dearest = [sorted(worst_case(ask, settings) or 0 for ask in asks)[-share:] for _, asks in by_endpoint]
        assert Decimal(planned(site)["spent_usd"]) == sum(itertools.chain(*dearest))

    def test_a_sealed_night_has_nothing_left(self, site: DemoSite):
        """Its plan is empty, and says why."""
        assert CliRunner().invoke(app, ["probe", "--root", str(site.path)]).exit_code == 0
        assert (planned(site)["sealed"], planned(site)["models"]) == (True, [])
        assert "sealed already" in told(site, "plan")

    def test_a_night_that_is_over_is_refused(self, site: DemoSite):
        """As `probe` refuses it."""
        done = CliRunner().invoke(app, ["plan", "--night", "2020-01-01", "--root", str(site.path)])
        assert done.exit_code == 2


class TestEndpointsWithoutAPrice:
    def test_left_out_unless_allowed(self, site: DemoSite):
        """Under a cap they are marked and left out; allowed, they are asked, and said to cost what nobody knows."""
        begun(site, unpriced=True)
        first = planned(site)["models"][0]["endpoints"][0]
        assert (first["pricing"], first["requests"], first["price_prompt"]) == ("left_out", 0, None)
        assert planned(site)["left_out"] == PROMPTS
        assert "no price listed: left out" in told(site, "plan")
        assert "120 graded requests left out for want of a price" in told(site, "plan")
        allowed = planned(site, "--allow-unpriced")
        first = allowed["models"][0]["endpoints"][0]
        assert (first["pricing"], first["requests"], allowed["left_out"], allowed["unknown"]) == (
            "unknown",
            120,
            0,
            120,
        )
        assert Decimal(first["worst_usd"]) == Decimal(allowed["models"][0]["endpoints"][1]["worst_usd"]) > 0
        text = told(site, "plan", "--allow-unpriced")
        assert "not known beforehand" in text

    def test_asked_where_allowed(self, site: DemoSite):
        """`probe --allow-unpriced` asks them too and says so; every observation is sent."""
        plan = begun(site, unpriced=True)
        done = CliRunner().invoke(app, ["probe", "--allow-unpriced", "--root", str(site.path)])
        assert done.exit_code == 0, done.output
        assert "what they cost is not known beforehand" in done.stderr
        counts = site.root.store.nights.get(plan.night).record.counts
        assert (counts.planned, counts.sent) == (ENDPOINTS * PROMPTS, ENDPOINTS * PROMPTS)


class TestLivePrices:
    """Prices are strings in the router's own listing, read as the plan is made."""

    @staticmethod
    def cost(path: Path, pricing: Mapping[str, object], *, allow_unpriced: bool = False) -> CostPlan:
        """Return the plan of a root that watches one model of OpenRouter's, listed at a price."""
        site = kept_site.make_root(path, nights=0, graded=False, rendered=False)
        entry = {"provider_name": "Elm", "tag": "elm/fp8", "quantization": "fp8", "context_length": 200_000}
        other = entry | {"provider_name": "Oak", "tag": "oak", "pricing": {"prompt": "0.000001", "completion": "0"}}
        endpoints = {"data": {"endpoints": [entry | {"pricing": pricing}, other]}}
        models = {"data": [{"id": kept_site.MODEL, "canonical_slug": kept_site.MODEL}]}
        before = sorted(path.rglob("*"))

        async def made() -> CostPlan:
            server = FaultServer(answer(b"", 500))
            server.paths["/api/v1/models"] = answer(models)
            server.paths[f"/api/v1/models/{kept_site.MODEL}/endpoints"] = answer(endpoints)
            async with server.open():
                settings = path / "content/site.toml"
                settings.write_text(settings.read_text().replace("http://127.0.0.1:9/api/v1", server.address))
                budget = BudgetSettings(max_usd="1", allow_unpriced=allow_unpriced)
                found = await cost_plan(site, WORLD, router_of, progress=kept_site.Silent(), budget=budget)
                assert {request.method for request in server.requests} == {"GET"}
                return found

        found = run(made())
        assert sorted(path.rglob("*")) == before
        return found

    def test_strings_overrides_fees_and_thinking(self, tmp_path: Path):
        """What is shown is the highest of any hour, and the fee of a request."""
        overrides = [{"utc_start": 8, "utc_end": 20, "prompt": "0.000004"}]
        pricing = {
            "prompt": "0.000002",
            "completion": "0.000006",
            "internal_reasoning": "0.000009",
            "request": "0.005",
            "discount": 0.5,
            "overrides": overrides,
        }
        elm = self.cost(tmp_path, pricing).models[0].endpoints[0]
        assert (elm.price_prompt, elm.price_completion) == (Decimal("0.000004"), Decimal("0.000009"))
        assert elm.price_request == Decimal("0.005")
        assert elm.worst_usd > elm.requests * Decimal("0.005")

    @pytest.mark.parametrize(
        "pricing",
        [{}, {"prompt": "-1", "completion": "-1"}, {"prompt": "0.1"}, {"prompt": "x", "completion": "0"},
         {"prompt": "0.1", "completion": "0.1", "request": "-1"}],
    )  # fmt: skip
    def test_missing_and_minus_one(self, tmp_path: Path, pricing: Mapping[str, object]):
        """Without a whole price an endpoint is left out under a cap; allowed, its neighbour's price stands in."""
        (tmp_path / "a").mkdir()
        elm, oak = self.cost(tmp_path / "a", pricing).models[0].endpoints
        assert (elm.pricing, oak.pricing) == (Pricing.LEFT_OUT, Pricing.LISTED)
        assert (elm.requests, elm.worst_usd) == (0, 0)
        (tmp_path / "b").mkdir()
        elm, oak = self.cost(tmp_path / "b", pricing, allow_unpriced=True).models[0].endpoints
        assert elm.pricing == Pricing.UNKNOWN
        assert (elm.requests, elm.worst_usd) == (oak.requests, oak.worst_usd)

    def test_a_fee_is_printed(self, tmp_path: Path):
        """A table's row says what a request costs beside its tokens."""
        console = Console(record=True, width=160, file=io.StringIO())
        print_plan(console, self.cost(tmp_path, {"prompt": "0.000002", "completion": "0.000006", "request": "0.005"}))
        assert "2 / 6, 0.005 USD a request" in console.export_text()

    def test_a_router_that_does_not_tell_costs(self, tmp_path: Path):
        """Where answers do not say what they cost, the night needs all that would be held."""
        found = self.cost(tmp_path, {"prompt": "0.000002", "completion": "0.000006"})
        assert found.costs_told
        untold = msgspec.structs.replace(
            found, costs_told=False, needed_usd=found.most_usd, suffices=False, cap_usd=Decimal("0.001")
        )
        console = Console(record=True, width=500, file=io.StringIO())
        print_plan(console, untold)
        assert "does not say what an answer cost" in console.export_text()
