"""Collecting: every ask decided once or left undecided with its reason, within concurrency and budget."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.errors import BudgetError, UsageError
from generator.probing.budget import Budget, worst_case
from generator.probing.collect import Collected, collect
from generator.probing.giving_up import complete_without
from generator.probing.interface import Ask, End, Reply, Router, Stop
from generator.probing.openrouter import OpenRouter
from generator.probing.pauses import LONGEST_S, pause_s, retry_after_s
from generator.probing.wire import observe
from generator.records.listing import ModelListing
from generator.records.observation import Observation, Outcome
from generator.settings import ProbingSettings
from tests.fault_server import FaultServer, Script, answer, raw, run, silence
from tests.probing_makers import LINE, SETTINGS, ask, completion, error, prompt, reply, with_settings

REFUSED = Reply(end=End.NOT_CONNECTED)
NOW = datetime(2026, 11, 29, 3, tzinfo=UTC)
ROUTER_429 = reply(error(429, limit_source="account"), 429)


class Time:
    """A time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        """Return the time in seconds."""
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Let so much time pass."""
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


class Scripted:
    """A router whose replies a function chooses, and which counts what is in flight."""

    kind = "scripted"
    latency = "measured"

    def __init__(self, choose: Callable[[Ask, int], Reply | Awaitable[Reply]]) -> None:
        self._choose = choose
        self.asked: Counter[str] = Counter()
        self.order: list[str] = []
        self.in_flight: Counter[str] = Counter()
        self.most: Counter[str] = Counter()

    async def listing(self, models: tuple[str, ...]) -> tuple[ModelListing, ...]:  # noqa: ARG002 - lists nothing
        """Return no listing."""
        return ()

    async def ask(self, ask: Ask) -> Reply:
        """Return the reply chosen for an ask and its attempt."""
        name = f"{ask.endpoint}/{ask.prompt.prompt_id}"
        self.asked[name] += 1
        self.order.append(name)
        for key in (ask.endpoint, "all"):
            self.in_flight[key] += 1
            self.most[key] = max(self.most[key], self.in_flight[key])
        try:
            await asyncio.sleep(0)
            chosen = self._choose(ask, self.asked[name])
            return chosen if isinstance(chosen, Reply) else await chosen
        finally:
            for key in (ask.endpoint, "all"):
                self.in_flight[key] -= 1


def asks(count: int, endpoints: Sequence[str] = ("elm",), **changes: Any) -> tuple[Ask, ...]:
    """Return so many asks, over the endpoints in turn."""
    return tuple(
        ask(endpoint=endpoints[n % len(endpoints)], prompt=prompt(prompt_id=f"capital-f{n:05}"), **changes)
        for n in range(count)
    )


def good(_ask: Ask, _attempt: int) -> Reply:
    """Return a good answer."""
    return reply(completion())


async def until(true: Callable[[], bool]) -> None:
    """Let other tasks run until something is true."""
    while not true():  # noqa: ASYNC110 - what is waited for sets no event
        await asyncio.sleep(0)


class Collection:
    """One call of `collect`, and everything that came out of it."""

    def __init__(
        self, router: Router, planned: Sequence[Ask], *, of: ProbingSettings = SETTINGS, **options: Any
    ) -> None:
        self.seen: list[Observation] = []
        self.progress: list[tuple[int, int]] = []
        self.time = Time()
        self._arguments = {
            "settings": of,
            "budget": Budget(None),
            "sink": self.seen.append,
            "progress": lambda done, total: self.progress.append((done, total)),
            "monotonic": self.time.monotonic,
            "sleep": self.time.sleep,
        } | options
        self._router = router
        self._planned = planned

    async def result(self) -> Collected:
        """Collect."""
        return await collect(self._router, self._planned, **self._arguments)

    def run(self) -> Collected:
        """Collect in an event loop of its own."""
        return run(self.result())


class TestEveryAskIsDecided:
    def test_once_each(self):
        """Every ask has one observation, handed to the sink as it is decided."""
        collection = Collection(Scripted(good), asks(500, ("elm", "oak", "yew")))
        collected = collection.run()
        assert (collected.decided, collected.stop, collected.undecided) == (500, None, ())
        assert len({(o.endpoint, o.prompt_id) for o in collection.seen}) == len(collection.seen) == 500
        assert collection.progress == [(n, 500) for n in range(1, 501)]
        assert collected.cost_usd == 500 * Decimal("0.000013")

    def test_nothing_to_do(self):
        """An empty plan is done."""
        assert Collection(Scripted(good), ()).run() == Collected(
            decided=0, stop=None, undecided=(), cost_usd=Decimal(0)
        )

    @given(
        st.lists(st.sampled_from("abcd"), max_size=40),
        st.integers(1, 9),
        st.integers(1, 4),
    )
    @settings(deadline=None)
    def test_within_both_limits(self, endpoints: list[str], everywhere: int, each: int):
        """No more are in flight than allowed, in all and to one endpoint, and nothing is left."""
        router = Scripted(good)
        planned = tuple(
            ask(endpoint=name, prompt=prompt(prompt_id=f"capital-f{n:05}")) for n, name in enumerate(endpoints)
        )
        collected = Collection(
            router, planned, of=with_settings(concurrency=everywhere, concurrency_per_endpoint=each)
        ).run()
        assert collected.decided == len(endpoints)
        assert router.most.pop("all", 0) <= everywhere
        assert all(most <= each for most in router.most.values())

    def test_the_limits_are_used(self):
        """As many are in flight as allowed."""
        router = Scripted(good)
        Collection(
            router, asks(200, ("elm", "oak")), of=with_settings(concurrency=20, concurrency_per_endpoint=4)
        ).run()
        assert router.most == {"all": 8, "elm": 4, "oak": 4}

    def test_in_the_plans_order(self):
        """One at a time, asks go out as planned."""
        router = Scripted(good)
        planned = asks(30, ("elm", "oak"))
        Collection(router, planned, of=with_settings(concurrency=1)).run()
        assert router.order == [f"{each.endpoint}/{each.prompt.prompt_id}" for each in planned]

    def test_a_slow_endpoint_holds_up_no_other(self):
        """While one endpoint's requests hang, all the others are decided."""

        async def held_up() -> tuple[Collected, list[str]]:
            free = asyncio.Event()

            async def slowly() -> Reply:
                await free.wait()
                return reply(completion())

            router = Scripted(lambda each, _: slowly() if each.endpoint == "slow" else reply(completion()))
            collection = Collection(router, asks(300, ("slow", "elm", "oak")), of=with_settings(concurrency=8))
            task = asyncio.create_task(collection.result())
            await until(lambda: len(collection.seen) == 200)
            others = [each.endpoint for each in collection.seen]
            free.set()
            return await task, others

        collected, others = run(held_up())
        assert "slow" not in others
        assert collected.decided == 300


class TestExactlyOneRequestDecides:
    """The endpoint's own errors are not retried; only what never reached the endpoint is."""

    @pytest.mark.parametrize(
        "failed",
        [
            reply(error(502, provider="Elm"), 502),
            reply(error(429, provider="Elm"), 429),
            reply(error(500), 200),
            reply(completion("")),
            reply(completion(provider="Oak")),
            reply(error(404), 404),
            Reply(end=End.TIMED_OUT),
            Reply(end=End.BROKEN),
        ],
    )
    def test_an_endpoints_error_is_final(self, failed: Reply):
        """It is asked once, although a second request would have been answered."""
        router = Scripted(lambda _, attempt: failed if attempt == 1 else reply(completion()))
        collection = Collection(router, asks(1))
        assert collection.run().decided == 1
        assert collection.seen[0].outcome not in {Outcome.ANSWERED, Outcome.UNSENT}
        assert router.asked.total() == 1

    @pytest.mark.parametrize("replied", [reply(error(403), 403), reply(b"", 302), reply(b"no such page", 404)])
    def test_what_the_operator_can_mend_stays_undecided(self, replied: Reply):
        """A refused account, or an address that leads elsewhere, is asked again by a later run and not by this one."""
        router = Scripted(lambda _, __: replied)
        collection = Collection(router, asks(1))
        collected = collection.run()
        assert (collected.decided, len(collected.undecided), router.asked.total()) == (0, 1, 1)

    @pytest.mark.parametrize("status", [400, 413, 422])
    def test_our_own_mistakes_are_final(self, status: int):
        """A request that is refused as such would be refused again: it is decided, unsent."""
        router = Scripted(lambda _, __: reply(error(status), status))
        collection = Collection(router, asks(1))
        assert collection.run().decided == 1
        assert (collection.seen[0].outcome, router.asked.total()) == (Outcome.UNSENT, 1)

    @pytest.mark.parametrize(
        "passing",
        [REFUSED, ROUTER_429, reply(b"", 503), reply(completion(), x_openrouter_cache_status="HIT")],
    )
    def test_what_never_reached_it_is_sent_again(self, passing: Reply):
        """The first reply that is the endpoint's decides."""
        router = Scripted(lambda _, attempt: passing if attempt < 3 else reply(completion()))
        collection = Collection(router, asks(1))
        assert collection.run().decided == 1
        assert (collection.seen[0].outcome, router.asked.total()) == (Outcome.ANSWERED, 3)
        assert len(collection.time.slept) == 2
        assert collection.time.slept[1] > collection.time.slept[0]

    @pytest.mark.parametrize("passing", [REFUSED, ROUTER_429, reply(b"", 503)])
    def test_until_the_attempts_are_used_up(self, passing: Reply):
        """Then the ask is undecided, with its last observation; the sink never hears of it."""
        router = Scripted(lambda each, _: passing if each.prompt.prompt_id.endswith("1") else reply(completion()))
        collection = Collection(router, asks(3))
        collected = collection.run()
        assert (collected.decided, collected.stop, router.asked["elm/capital-f00001"]) == (2, None, 3)
        (left,) = collected.undecided
        assert (left.ask.prompt.prompt_id, left.observation.outcome) == ("capital-f00001", Outcome.UNSENT)
        assert left.observation.http_status == passing.status
        assert {each.prompt_id for each in collection.seen} == {"capital-f00000", "capital-f00002"}


class TestGivingUp:
    """An endpoint that the router lets nobody through to is left for a later run."""

    def collected(self, choose: Callable[[Ask, int], Reply], count: int = 20) -> tuple[Collected, Scripted]:
        """Return what came of some asks of elm and as many of oak, and who was asked."""
        router = Scripted(lambda each, attempt: choose(each, attempt) if each.endpoint == "elm" else good(each, 1))
        planned = asks(2 * count, ("elm", "oak"))
        return Collection(router, planned, of=with_settings(concurrency=1)).run(), router

    @pytest.mark.parametrize("refused", [ROUTER_429, reply(completion(), x_openrouter_cache_status="HIT")])
    def test_after_five_in_a_row(self, refused: Reply):
        """The sixth is not sent; all are undecided with the refusal's kind, and the other endpoint is asked in full."""
        collected, router = self.collected(lambda _, __: refused)
        kind = {429: "router_rate_limit", 200: "cache_hit"}[refused.status or 0]
        assert sum(count for name, count in router.asked.items() if name.startswith("elm")) == 5 * SETTINGS.attempts
        assert collected.decided == 20
        assert {left.observation.error_kind for left in collected.undecided} == {kind}
        assert [(each.endpoint, each.kind) for each in collected.given_up] == [("elm", kind)]

    def test_one_that_is_decided_between_begins_anew(self):
        """Four refused, one answered, four refused: nothing is given up."""
        answered = {f"capital-f{number:05}" for number in range(8, 40, 10)}
        collected, _ = self.collected(
            lambda each, _: reply(completion()) if each.prompt.prompt_id in answered else ROUTER_429
        )
        assert (collected.given_up, collected.decided, len(collected.undecided)) == ((), 24, 16)

    @pytest.mark.parametrize("other", [REFUSED, reply(b"", 503)])
    def test_what_can_pass_by_itself_counts_for_nothing(self, other: Reply):
        """An ask of which one attempt met an outage or no network is none of the row, and does not end it."""
        collected, router = self.collected(
            lambda each, attempt: other if attempt == 1 and each.prompt.prompt_id < "capital-f00010" else ROUTER_429
        )
        assert len(collected.given_up) == 1
        elm = [name for name in router.asked if name.startswith("elm")]
        assert len(elm) == 10

    def test_little_may_be_missing(self):
        """A night is complete without a tenth that the router refused, and without nothing else."""
        refused = [observe(ask(), ROUTER_429, LINE)] * 10
        assert complete_without(refused, decided=90)
        assert not complete_without(refused, decided=89)
        assert not complete_without([*refused, observe(ask(), REFUSED, LINE)], decided=1000)


class TestPauses:
    def test_a_routers_429_holds_back_every_request(self):
        """After the router's own 429 nothing at all is sent for as long as it asks."""
        times: list[float] = []

        def choose(each: Ask, attempt: int) -> Reply:
            times.append(collection.time.now)
            first = each.prompt.prompt_id.endswith("0") and attempt == 1
            return reply(error(429, limit_source="account"), 429, retry_after="30") if first else reply(completion())

        collection = Collection(Scripted(choose), asks(5), of=with_settings(concurrency=1))
        assert collection.run().decided == 5
        assert times[0] == 0
        assert all(time >= 30 for time in times[1:])

    @pytest.mark.parametrize("failed", [error(429, provider="Elm"), error(503, provider="Elm")])
    def test_an_endpoints_own_wish_to_wait_holds_back_nothing(self, failed: dict[str, Any]):
        """`Retry-After` with an endpoint's own error delays neither its other requests nor anybody else's."""
        router = Scripted(lambda _, __: reply(failed, failed["error"]["code"], retry_after="30"))
        collection = Collection(router, asks(6, ("elm", "oak")))
        assert collection.run().decided == 6
        assert (collection.time.slept, router.asked.total()) == ([], 6)

    def test_a_503_of_the_routers_own_is_waited_for(self):
        """An outage of the router's is waited out by the request that met it, for as long as the router says."""
        times: dict[str, float] = {}

        def choose(each: Ask, attempt: int) -> Reply:
            times[each.prompt.prompt_id] = collection.time.now
            first = each.prompt.prompt_id.endswith("0") and attempt == 1
            return reply(b"", 503, retry_after="20") if first else reply(completion())

        collection = Collection(Scripted(choose), asks(4), of=with_settings(concurrency=1))
        assert collection.run().decided == 4
        assert collection.time.slept == [20]
        assert times["capital-f00000"] == 20

    def test_back_off_doubles_and_draws_apart(self):
        """Without a word from the router each pause is twice the one before, and no two asks' are the same."""
        router = Scripted(lambda _, __: REFUSED)
        collection = Collection(router, asks(3), of=with_settings(concurrency=1, attempts=4))
        assert collection.run().decided == 0
        first, second, third = (collection.time.slept[at : at + 3] for at in (0, 3, 6))
        for pauses in (first, second, third):
            assert [pause / pauses[0] for pause in pauses] == [1, 2, 4]
        assert len({pauses[0] for pauses in (first, second, third)}) == 3
        assert all(1 <= pauses[0] <= 1.25 for pauses in (first, second, third))

    @pytest.mark.parametrize(
        ("headers", "seconds"),
        [
            ({}, 0),
            ({"retry-after": "7"}, 7),
            ({"retry-after": " 7 "}, 7),
            ({"retry-after": "-7"}, 0),
            ({"retry-after": "soon"}, 0),
            ({"retry-after": "\u0667"}, 0),
            ({"retry-after": "Sun, 29 Nov 2026 03:00:09 GMT", "date": "Sun, 29 Nov 2026 03:00:00 GMT"}, 9),
            ({"retry-after": "Sun, 29 Nov 2026 03:00:00 GMT", "date": "Sun, 29 Nov 2026 03:00:09 GMT"}, 0),
            ({"retry-after": "Sun, 29 Nov 2026 03:00:09 GMT"}, 0),
            ({"retry-after": "Sun, 29 Nov 2026 03:00:09 -0000", "date": "Sun, 29 Nov 2026 03:00:00 GMT"}, 0),
        ],
    )
    def test_retry_after(self, headers: dict[str, str], seconds: float):
        """Seconds and dates are understood, anything else asks for nothing."""
        assert retry_after_s(headers) == seconds

    @given(st.integers(0, 10**6), st.text(max_size=40), st.text(max_size=40), st.floats(0, 1))
    def test_never_longer_than_a_minute(self, attempt: int, after: str, date: str, spread: float):
        """Whatever a router asks for, a pause is more than nothing and has an end."""
        assert 0 < pause_s(attempt, {"retry-after": after, "date": date}, spread) <= LONGEST_S
        assert pause_s(attempt, {"retry-after": "9" * 40}, spread) == LONGEST_S


class TestStops:
    @pytest.mark.parametrize(
        ("status", "why", "kind"), [(402, Stop.NO_CREDIT, "no_credit"), (401, Stop.KEY_REFUSED, "key_refused")]
    )
    def test_sending_ends_at_once(self, status: int, why: Stop, kind: str):
        """Nothing more is sent, what is in flight is kept, and everything else is undecided with the reason."""
        router = Scripted(
            lambda each, _: reply(error(status), status) if each.prompt.prompt_id.endswith("4") else reply(completion())
        )
        collection = Collection(router, asks(200, ("a", "b", "c")), of=with_settings(concurrency=3))
        collected = collection.run()
        assert collected.stop is why
        assert router.asked.total() <= 8
        assert collected.decided == len(collection.seen) == router.asked.total() - 1
        assert collected.decided + len(collected.undecided) == 200
        assert {left.observation.error_kind for left in collected.undecided} == {kind}
        assert [left.ask.prompt.prompt_id for left in collected.undecided] == sorted(
            left.ask.prompt.prompt_id for left in collected.undecided
        )

    def test_a_providers_402_ends_nothing(self):
        """A provider without credit at the router is no reason to stop."""
        router = Scripted(lambda _, __: reply(error(402, provider="Elm"), 402))
        collected = Collection(router, asks(5)).run()
        assert (collected.decided, collected.stop) == (5, None)

    def test_a_pause_ends_with_the_run(self):
        """Nobody waits out a pause for a request that will not be sent."""

        async def forever(_seconds: float) -> None:
            await asyncio.Event().wait()

        def choose(each: Ask, _attempt: int) -> Reply:
            return REFUSED if each.prompt.prompt_id.endswith("0") else reply(error(402), 402)

        collected = Collection(Scripted(choose), asks(2), sleep=forever).run()
        assert (collected.stop, collected.decided) == (Stop.NO_CREDIT, 0)
        assert [left.observation.error_kind for left in collected.undecided] == ["network", "no_credit"]


class TestBudgetStop:
    def test_the_cap_is_not_passed(self):
        """Where the router never says what a request cost, as many are sent as worst cases fit."""
        worst = worst_case(ask(), SETTINGS)
        assert worst is not None
        router = Scripted(lambda _, __: reply(completion(usage={})))
        budget = Budget(worst * 7)
        collected = Collection(router, asks(50), budget=budget).run()
        assert (collected.decided, collected.stop) == (7, Stop.BUDGET)
        assert (budget.spent, budget.held) == (worst * 7, 0)
        assert {left.observation.error_kind for left in collected.undecided} == {"budget"}

    def test_what_is_held_is_waited_for(self):
        """Requests in flight that will cost less than was held for them end no run."""
        worst = worst_case(ask(), SETTINGS)
        assert worst is not None
        collected = Collection(Scripted(good), asks(50), budget=Budget(worst * 2)).run()
        assert (collected.decided, collected.stop) == (50, None)
        assert collected.cost_usd == 50 * Decimal("0.000013")

    def test_earlier_runs_count(self):
        """What earlier runs spent is spent of the same cap."""
        collected = Collection(Scripted(good), asks(3), budget=Budget(Decimal(1), spent=Decimal(1))).run()
        assert (collected.decided, collected.stop) == (0, Stop.BUDGET)

    def test_what_was_never_sent_costs_nothing(self):
        """Attempts that did not reach the endpoint leave the budget as it was."""
        budget = Budget(Decimal(1))
        Collection(Scripted(lambda _, __: REFUSED), asks(4), budget=budget).run()
        assert (budget.spent, budget.held) == (0, 0)

    def test_an_unpriced_endpoint_is_refused_before_anything_is_sent(self):
        """Under a cap, a plan with an endpoint without a price is not begun."""
        router = Scripted(good)
        planned = (*asks(3), ask(endpoint="oak", price_prompt=None))
        with pytest.raises(BudgetError, match="oak"):
            Collection(router, planned, budget=Budget(Decimal(1))).run()
        assert not router.asked


class TestInterruption:
    def test_cancelled_once(self):
        """What is in flight is awaited and kept, nothing more is sent, and the run ends as interrupted."""

        async def interrupted() -> tuple[Collected, Collection, Scripted]:
            free = asyncio.Event()

            async def held() -> Reply:
                await free.wait()
                return reply(completion())

            router = Scripted(lambda _, __: held())
            collection = Collection(router, asks(20, "abcdefgh"), of=with_settings(concurrency=5))
            task = asyncio.create_task(collection.result())
            await until(lambda: router.in_flight["all"] == 5)
            task.cancel()
            await asyncio.sleep(0)
            free.set()
            return await task, collection, router

        async def not_cancelled_any_more() -> int:
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
            assert (await Collection(Scripted(good), asks(3)).result()).stop is Stop.INTERRUPTED
            return task.cancelling()

        assert run(not_cancelled_any_more()) == 0
        collected, collection, router = run(interrupted())
        assert (collected.stop, collected.decided, len(collection.seen)) == (Stop.INTERRUPTED, 5, 5)
        assert router.asked.total() == 5
        assert {left.observation.error_kind for left in collected.undecided} == {"interrupted"}
        assert len(collected.undecided) == 15

    def test_cancelled_twice(self):
        """A second time gives up what is in flight too; its worst case stays spent."""
        budget = Budget(Decimal(1))

        async def interrupted() -> Collected:
            async def never() -> Reply:
                await asyncio.Event().wait()
                return REFUSED

            router = Scripted(lambda _, __: never())
            task = asyncio.create_task(Collection(router, asks(20, "abcdefgh"), budget=budget).result())
            for _ in range(2):
                await asyncio.sleep(0.02)
                task.cancel()
            return await task

        collected = run(interrupted())
        assert (collected.stop, collected.decided, len(collected.undecided)) == (Stop.INTERRUPTED, 0, 20)
        assert budget.held == 0
        assert budget.spent > 0

    def test_ctrl_c(self):
        """The signal that the keyboard sends ends a run like that, and `asyncio.run` returns its result."""
        sent: list[bool] = []

        async def interrupt() -> Reply:
            if not sent:
                sent.append(True)
                os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(0.01)
            return reply(completion())

        collection = Collection(Scripted(lambda _, __: interrupt()), asks(100), of=with_settings(concurrency=2))
        collected = asyncio.run(collection.result())
        assert collected.stop is Stop.INTERRUPTED
        assert collected.decided == len(collection.seen) == 2

    def test_a_keyboard_interrupt_from_within(self):
        """Where the signal breaks into the loop itself, the run ends as interrupted all the same."""

        def choose(each: Ask, _attempt: int) -> Reply:
            if each.prompt.prompt_id.endswith("3"):
                raise KeyboardInterrupt
            return reply(completion())

        collected = Collection(Scripted(choose), asks(50), of=with_settings(concurrency=1)).run()
        assert (collected.stop, collected.decided, len(collected.undecided)) == (Stop.INTERRUPTED, 3, 47)


class TestDefects:
    def test_a_sink_that_fails_ends_the_run_with_its_own_error(self):
        """A journal that cannot be written stops the spending, and its error is the one raised."""
        router = Scripted(good)

        def full(_observation: Observation) -> None:
            raise OSError(28, "No space left on device")

        with pytest.raises(OSError, match="No space"):
            Collection(router, asks(100), of=with_settings(concurrency=2), sink=full).run()
        assert router.asked.total() <= 4

    def test_a_kind_without_a_family_is_refused_before_anything_is_sent(self):
        """A plan that names an unknown kind is not begun."""
        router = Scripted(good)
        with pytest.raises(UsageError, match="riddle"):
            Collection(router, asks(3, kind="riddle")).run()
        assert not router.asked


class TestOverHttp:
    """The whole of it against a real server."""

    def collected(self, server: FaultServer, count: int, **options: Any) -> tuple[Collected, Collection]:
        """Collect so many asks from a server."""

        async def over_http() -> tuple[Collected, Collection]:
            loop = asyncio.get_running_loop()
            async with server.open(), OpenRouter(server.address, None, SETTINGS, lambda: NOW, loop.time) as router:
                collection = Collection(router, asks(count, "abcdefgh"), **options)
                return await collection.result(), collection

        return run(over_http())

    def test_faults_among_answers(self):
        """Each reply is the outcome of its own ask, retried or not."""
        scripts: list[Script] = [
            answer(error(502, provider="Elm"), 502),
            answer(b"", 503),
            answer(error(429, limit_source="shared pool"), 429, retry_after=5),
            raw(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"),
            silence(),
            answer(completion()),
        ]
        server = FaultServer(*scripts)
        collected, collection = self.collected(server, 40)
        assert (collected.decided, collected.undecided) == (40, ())
        outcomes = Counter((o.outcome, o.error_kind) for o in collection.seen)
        assert outcomes == {
            ("answered", None): 37,
            ("error", "server_error"): 1,
            ("error", "broken"): 1,
            ("error", "timeout"): 1,
        }
        assert len(server.requests) == 42

    def test_no_credit_in_the_middle(self):
        """After the first 402 the server hears of nothing new."""
        server = FaultServer(*[answer(completion())] * 10, answer(error(402), 402))
        collected, collection = self.collected(server, 100, of=with_settings(concurrency=4))
        assert (collected.stop, collected.decided) == (Stop.NO_CREDIT, 10)
        assert len(server.requests) <= 14
        assert len(collection.seen) == 10

    def test_what_each_request_was(self):
        """Each ask is one request, pinned to its own endpoint with its own prompt."""
        server = FaultServer(answer(completion()))
        self.collected(server, 16)
        sent = [json.loads(request.body) for request in server.requests]
        assert all(body["provider"]["only"] == ["elm/fp8"] for body in sent)
        assert len(sent) == 16
