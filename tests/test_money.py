"""Money around a night: what a listing's prices come to, what a request lets the router charge, what kills leave."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import kept_site
import msgspec
import pytest

from generator.archive.store import Store
from generator.errors import ArchiveError
from generator.probing.budget import Budget, worst_case
from generator.probing.carrying_on import carried_on, in_flight
from generator.probing.collect import collect
from generator.probing.demo.request import ChatRequest, read_request
from generator.probing.interface import Ask, Reply
from generator.probing.prices import PRICE_HEADROOM, Prices, listed_prices, price_limit
from generator.probing.wire import decisive, request_body, retryable
from generator.records.account import Account, AccountState
from generator.records.endpoint import Endpoint
from generator.records.night import NightPlan
from generator.records.observation import Observation, Outcome
from generator.settings import BudgetSettings
from tests.probing_makers import SETTINGS, ask, completion, listed, prompt, reply, seen, with_settings

REFUSAL = {
    "error": {
        "code": 404,
        "message": "No endpoints found that satisfy the max price for this request",
        "metadata": {"failed_routing_step": "Filter by Max Price"},
    }
}
"""The router's words as of August 2026; the shape as several public projects report it."""


def named(*pricings: dict[str, object] | None, **changes: Decimal | None) -> Prices | None:
    """Return the prices of an endpoint whose entries have such a `pricing` in their raw JSON."""
    entries = [listed("elm", raw=json.dumps({"pricing": pricing})) for pricing in pricings]
    fields = {"price_prompt": Decimal("0.1"), "price_completion": Decimal("0.2")} | changes
    made = Endpoint(
        model="author/model",
        model_id="author/model",
        endpoint="elm",
        provider="Elm",
        tag="elm",
        listings=len(entries),
        declared_precision=None,
        context_length=None,
        max_completion_tokens=None,
        first_listed=None,
        succeeded_from=None,
        status=0,
        raw="",
        **fields,
    )
    return listed_prices(made, entries)


class TestListedPrices:
    def test_the_plain_ones(self):
        """Without anything else, the prices are the endpoint's, and there is no fee for a request."""
        assert named(None) == Prices(prompt=Decimal("0.1"), completion=Decimal("0.2"))

    def test_overrides_for_hours_and_long_prompts(self):
        """The highest of any override counts, for any hour of the day; what is no price is passed over."""
        overrides = [{"utc_start": "8", "prompt": "0.3"}, {"completion": "-1", "request": "2"}, 7, {"prompt": "0.05"}]
        found = named({"prompt": "0.1", "completion": "0.2", "overrides": overrides})
        assert found == Prices(prompt=Decimal("0.3"), completion=Decimal("0.2"), request=Decimal(2))

    def test_a_fee_for_each_request(self):
        """`pricing.request` is charged whatever the length; one that is no amount leaves the price unknown."""
        assert named({"request": "0.01"}) == Prices(
            prompt=Decimal("0.1"), completion=Decimal("0.2"), request=Decimal("0.01")
        )
        assert named({"request": "-1"}) is None

    def test_thinking_and_keeping_have_prices_of_their_own(self):
        """A thinking token may cost more than another, and a prompt more where the provider keeps it."""
        found = named({"internal_reasoning": "0.5", "input_cache_write": "0.125", "input_cache_read": "9"})
        assert found == Prices(prompt=Decimal("0.125"), completion=Decimal("0.5"))

    def test_a_discount_lowers_nothing(self):
        """It may end between listing and asking."""
        assert named({"prompt": "0.1", "completion": "0.2", "discount": 0.5}) == named(None)

    @pytest.mark.parametrize("missing", ["price_prompt", "price_completion"])
    def test_missing_or_minus_one(self, missing: str):
        """The listing's reader gives None for both, and then the endpoint has no price."""
        assert named({"prompt": "-1", "completion": "-1"}, **{missing: None}) is None

    def test_the_dearest_of_inseparable_entries(self):
        """Where two entries share a tag, either may answer."""
        found = named({"request": "1"}, {"internal_reasoning": "4"})
        assert found == Prices(prompt=Decimal("0.1"), completion=Decimal(4), request=Decimal(1))


class TestPriceLimit:
    """Each request tells the router the most that it may charge."""

    def test_twice_the_listed_price(self):
        """Per million tokens, and per request, with the headroom that is also held."""
        assert price_limit(ask(price_request=Decimal("0.01"))) == {"prompt": 2.0, "completion": 4.0, "request": 0.02}
        assert request_body(ask(), SETTINGS)["provider"]["max_price"] == price_limit(ask())

    def test_a_price_of_nothing_is_left_out(self):
        """A router that compares strictly would find no endpoint under a limit of nothing."""
        free = ask(price_prompt=Decimal(0), price_completion=Decimal(0))
        assert price_limit(free) is None
        assert price_limit(ask(price_prompt=Decimal(0))) == {"completion": 4.0}

    def test_none_without_a_price(self):
        """What is listed without a price is asked without a limit, where it is asked at all."""
        assert price_limit(ask(price_prompt=None)) is None
        assert "max_price" not in request_body(ask(price_prompt=None), SETTINGS)["provider"]

    def test_the_demo_router_takes_it(self):
        """The demo's router reads a request that carries a limit."""
        assert isinstance(read_request(json.dumps(request_body(ask(), SETTINGS)).encode()), ChatRequest)

    def test_a_refusal_is_nobodys_fault(self):
        """A 404 that speaks of the limit is unsent, for its price, decided and not sent again."""
        observation = seen(REFUSAL, 404)
        assert (observation.outcome, observation.error_kind) == (Outcome.UNSENT, "price_changed")
        assert decisive(observation)
        assert not retryable(observation)

    def test_a_refused_request_costs_nothing(self):
        """It is asked once, and what was held for it is free again."""
        budget, rows = Budget(Decimal(1)), []

        class Refusing:
            kind, latency, asked = "refusing", "measured", 0

            async def ask(self, asked: Ask) -> Reply:
                """Refuse."""
                del asked
                self.asked += 1
                return reply(REFUSAL, 404)

        async def sleep(_: float) -> None: ...

        router = Refusing()
        done = asyncio.run(
            collect(
                router,  # type: ignore[arg-type]
                [ask()],
                settings=SETTINGS,
                budget=budget,
                sink=rows.append,
                progress=lambda _done, _total: None,
                monotonic=lambda: 0.0,
                sleep=sleep,
            )
        )
        assert (done.decided, router.asked, len(rows)) == (1, 1, 1)
        assert (budget.spent, budget.held) == (0, 0)


def asks(*endpoints: str, each: int = 6) -> list[Ask]:
    """Return some asks of each endpoint, the later of each the dearer."""
    return [
        ask(endpoint=name, prompt=prompt(prompt_id=f"capital-f{number:02}", prompt="x" * (10 * number)))
        for name in endpoints
        for number in range(each)
    ]


def row_of(asked: Ask, **changes: object) -> Observation:
    """Return the observation of an ask."""
    observation = seen(completion(), of=asked)
    return msgspec.structs.replace(observation, **changes)


def left(
    planned: Sequence[Ask], decided: Sequence[Observation], account: Account | None = None, **changes: object
) -> Budget:
    """Return the budget of a night that an earlier run began."""
    options = {"counted": 0, "settings": SETTINGS, "begun": True} | changes
    return carried_on(BudgetSettings(max_usd="1"), planned, decided, account, **options)


def worst(*some: Ask) -> Decimal:
    """Return the sum of some worst cases."""
    return sum((worst_case(each, SETTINGS) or Decimal(0) for each in some), start=Decimal(0))


class TestCarryingOn:
    """A resumed night counts what its journal says was spent, and the most that it cannot say."""

    def test_a_night_that_begins_has_spent_nothing(self):
        """Before the first run nothing can have been in flight."""
        assert left(asks("elm"), [], begun=False).spent == 0

    def test_answers_count_by_their_own_cost_and_others_by_their_worst_case(self):
        """A row without a cost counts as all that was held for it, an unsent one as nothing."""
        planned = asks("elm", each=3)
        decided = [
            row_of(planned[0], cost_usd=Decimal("0.001")),
            row_of(planned[1], cost_usd=None),
            row_of(planned[2], outcome=Outcome.UNSENT, cost_usd=None),
        ]
        assert left(planned, decided).spent == Decimal("0.001") + worst(planned[1])

    def test_what_may_have_been_in_flight(self):
        """The dearest asks without an observation: of each endpoint its share at most, in all as many as allowed."""
        settings = with_settings(concurrency=5, concurrency_per_endpoint=3)
        planned = asks("elm", "oak")
        decided = [row_of(planned[5], cost_usd=Decimal(0))]
        dearest = (planned[4], planned[3], planned[11], planned[10], planned[9])
        assert left(planned, decided, settings=settings).spent == worst(*dearest)
        alone = with_settings(concurrency=50, concurrency_per_endpoint=2)
        assert in_flight(planned, Budget(Decimal(1)), alone) == worst(*planned[4:6], *planned[10:12])

    def test_a_run_that_ended_in_order_left_nothing_in_flight(self):
        """Its account is what is spent; rows before it are counted in it, later ones beside it."""
        planned = asks("elm")
        decided = [row_of(each, cost_usd=Decimal("0.01")) for each in planned[:3]]
        ended = Account(account=AccountState.ENDED, spent_usd=Decimal("0.5"))
        assert left(planned, decided, ended, counted=3).spent == Decimal("0.5")
        assert left(planned, decided, ended, counted=2).spent == Decimal("0.51")

    def test_what_one_kill_left_unknown_stays_counted_after_the_next(self):
        """A run begins by writing down what it counts; the next adds what was in flight since then."""
        planned = asks("elm")
        once = left(planned, [])
        begun = Account(account=AccountState.BEGUN, spent_usd=once.spent)
        assert left(planned, [], begun).spent == 2 * once.spent > 0

    def test_what_cost_too_much_is_remembered(self):
        """An answer in the journal that cost more than was held for it makes its endpoint dearer in the next run."""
        planned = asks("elm", each=2)
        decided = [row_of(planned[0], cost_usd=5 * worst(planned[0]))]
        ended = Account(account=AccountState.ENDED, spent_usd=Decimal("0.1"))
        held = left(planned, decided, ended, counted=1).hold(planned[1], SETTINGS)
        assert held is not None
        assert held.usd == 5 * worst(planned[1])

    def test_endpoints_without_a_price(self):
        """They are refused unless allowed; allowed ones are held for at the highest price beside them."""
        planned = [*asks("elm", each=1), ask(endpoint="oak", price_prompt=None)]
        decided = [row_of(planned[1], cost_usd=None)]
        refused = left(planned, decided[:0], begun=False)
        assert refused.hold(planned[1], SETTINGS) is None
        allowed = carried_on(
            BudgetSettings(max_usd="1", allow_unpriced=True),
            planned,
            decided,
            None,
            counted=0,
            settings=SETTINGS,
            begun=False,
        )
        prices = Prices(prompt=Decimal("0.000001"), completion=Decimal("0.000002"))
        assert allowed.spent == worst_case(planned[1], SETTINGS, prices)
        # Asked while it was allowed, and refused now: what it said that it cost is spent all the same.
        assert left(planned, decided, begun=False).spent == 0
        told = [row_of(planned[1], cost_usd=Decimal("0.5"))]
        assert left(planned, told, begun=False).spent == Decimal("0.5")

    def test_a_row_that_is_none_of_the_nights_asks(self):
        """What a journal holds beside its plan counts by its own account."""
        planned = asks("elm", each=1)
        strange = [row_of(ask(endpoint="oak"), cost_usd=cost) for cost in (Decimal("0.25"), None)]
        assert left(planned, strange, begun=False).spent == Decimal("0.25")

    def test_the_headroom_is_part_of_it(self):
        """What is held and counted is at the price that the request allows, not at the listed one."""
        (planned,) = asks("elm", each=1)
        allowed = price_limit(planned)
        assert allowed is not None
        assert Decimal(str(allowed["prompt"])) == PRICE_HEADROOM * 1


class TestAccountsInTheJournal:
    """What a night had cost when a run began or ended stands between its observations."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Store:
        """Return a store with a night's journal begun."""
        store = Store(tmp_path)
        store.nights.start_journal(
            NightPlan(
                format=1,
                night=kept_site.FIRST,
                late=False,
                seed="ab" * 16,
                prompt_set="p1",
                prompt_set_sha256="0" * 64,
                router="openrouter",
                started_at=datetime(2026, 3, 1, 3, tzinfo=UTC),
                settings=kept_site.SETTINGS,
                kinds={"riddles": "line"},
                listings=(),
                endpoints=(kept_site.listed("kiln"),),
                prompts=kept_site.PROMPTS,
                tool_version="0",
            )
        )
        return store

    def test_the_last_one_and_how_many_observations_it_counts(self, store: Store):
        """Observations come back without the accounts, in their order; those before the last account are counted."""
        rows = kept_site.observations(kept_site.FIRST, "kiln")[:3]
        begun = Account(account=AccountState.BEGUN, spent_usd=Decimal(0))
        ended = Account(account=AccountState.ENDED, spent_usd=Decimal("0.000000000001"))
        assert (store.nights.read_journal(kept_site.FIRST).account, store.nights.unsealed()) == (
            None,
            (kept_site.FIRST,),
        )
        with store.nights.open_journal(kept_site.FIRST) as journal:
            journal.add_account(begun)
            journal.add(rows[0])
            journal.add(rows[1])
            journal.add_account(ended)
            journal.add(rows[2])
        found = store.nights.read_journal(kept_site.FIRST)
        assert (found.account, found.counted, list(found.observations)) == (ended, 2, rows)
        assert list(store.nights.load_journal(kept_site.FIRST)[1]) == rows

    def test_reading_alone_writes_nothing(self, store: Store, tmp_path: Path):
        """A line that another run is writing is passed over and left; only a run that carries on takes it off."""
        path = tmp_path / f"archive/journal/{kept_site.FIRST}.jsonl"
        whole = path.read_bytes()
        path.write_bytes(whole + b'{"account":"be')
        assert store.nights.read_journal(kept_site.FIRST).account is None
        assert path.read_bytes() != whole
        store.nights.load_journal(kept_site.FIRST)
        assert path.read_bytes() == whole

    def test_a_broken_account_is_named(self, store: Store, tmp_path: Path):
        """What begins as an account and is none stops with its line: nothing is sent on a guess."""
        path = tmp_path / f"archive/journal/{kept_site.FIRST}.jsonl"
        path.write_bytes(path.read_bytes() + b'{"account":"begun","spent_usd":"much"}\n')
        with pytest.raises(ArchiveError, match="line 2"):
            store.nights.read_journal(kept_site.FIRST)
