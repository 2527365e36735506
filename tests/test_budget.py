"""The budget: the cap is never passed, whatever requests cost and in whatever order they end."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.errors import BudgetError, ExitCode
from generator.probing.budget import TEMPLATE_TOKENS, Budget, Held, stand_ins, worst_case
from generator.probing.interface import Ask
from generator.probing.prices import PRICE_HEADROOM, Prices
from tests.probing_makers import SETTINGS, ask, prompt

PRICES = st.decimals(min_value=0, max_value="0.01", places=9)


def worst_of(asked: Ask) -> Decimal:
    """Return the worst case of an ask that has one."""
    worst = worst_case(asked, SETTINGS)
    assert worst is not None
    return worst


def reserved(budget: Budget, asked: Ask) -> Held:
    """Return what a budget holds for an ask that it has room for."""
    held = budget.reserve(asked, SETTINGS)
    assert held is not None
    return held


class TestWorstCase:
    def test_every_byte_a_token_and_every_token_allowed(self):
        """The worst case counts the prompt's bytes, room for a template, and the token limit, at twice the price."""
        asked = ask(prompt=prompt(prompt="é" * 10, max_tokens=32), price_prompt=Decimal(1), price_completion=Decimal(2))
        assert worst_case(asked, SETTINGS) == PRICE_HEADROOM * ((20 + TEMPLATE_TOKENS) + 2 * 32)

    def test_a_fee_for_each_request_counts(self):
        """What a request costs whatever its length is part of it."""
        free = {"price_prompt": Decimal(0), "price_completion": Decimal(0)}
        assert worst_case(ask(price_request=Decimal("0.5"), **free), SETTINGS) == 1

    def test_thinking_counts(self):
        """Where a model must think, its budget is part of the worst case."""
        free = {"price_prompt": Decimal(0), "price_completion": Decimal(1)}
        assert worst_case(ask(reasoning_mandatory=True, **free), SETTINGS) == 2 * (24 + 2048)
        assert worst_case(ask(reasoning_mandatory=True, reasoning_budget_tokens=8, **free), SETTINGS) == 2 * (24 + 8)
        assert worst_case(ask(reasoning_supported=True, **free), SETTINGS) == 2 * 24

    @pytest.mark.parametrize("missing", ["price_prompt", "price_completion"])
    def test_unknown_without_a_price(self, missing: str):
        """Without a price there is no worst case, unless other prices stand in."""
        asked = ask(**{missing: None})
        assert worst_case(asked, SETTINGS) is None
        other = Prices(prompt=Decimal(0), completion=Decimal(1))
        assert worst_case(asked, SETTINGS, other) == 2 * 24


class TestCap:
    def test_what_would_pass_it_is_not_reserved(self):
        """A request is held only where cap, spent and held leave room for its worst case; the cap itself is room."""
        budget = Budget(2 * worst_of(ask()))
        assert reserved(budget, ask()).usd == worst_of(ask())
        assert reserved(budget, ask()).usd == worst_of(ask())
        assert budget.reserve(ask(), SETTINGS) is None

    def test_its_own_cost_takes_the_place_of_the_worst(self):
        """What a request did not cost is free for others again."""
        budget = Budget(worst_of(ask()))
        budget.settle(reserved(budget, ask()), Decimal(0))
        budget.settle(reserved(budget, ask()), None)
        assert (budget.spent, budget.held) == (worst_of(ask()), 0)
        assert budget.reserve(ask(), SETTINGS) is None

    def test_an_earlier_run_counts(self):
        """What was spent before the run is spent of the same cap."""
        assert Budget(Decimal(1), Decimal(1)).reserve(ask(), SETTINGS) is None

    def test_without_a_cap(self):
        """A router that charges nothing needs neither cap nor prices."""
        budget = Budget(None)
        budget.check((ask(price_prompt=None),))
        assert reserved(budget, ask(price_prompt=None)).usd == 0
        assert reserved(budget, ask()).usd == worst_of(ask())

    def test_an_endpoint_without_a_price_is_refused_by_name(self):
        """Under a cap, what has no price is refused before anything is sent."""
        with pytest.raises(BudgetError, match="author/model-20260101 at elm") as caught:
            Budget(Decimal(1)).check((ask(price_completion=None),))
        assert caught.value.exit_code is ExitCode.BUDGET
        assert Budget(Decimal(1)).hold(ask(price_prompt=None), SETTINGS) is None
        with pytest.raises(BudgetError):
            Budget(Decimal(1)).reserve(ask(price_prompt=None), SETTINGS)

    @given(
        st.decimals(min_value=0, max_value=100, places=6),
        st.lists(st.tuples(PRICES, PRICES, st.booleans(), st.none() | st.fractions(0, 1), st.integers(0, 5))),
    )
    def test_it_is_never_passed(self, cap: Decimal, steps: list[tuple[Decimal, Decimal, bool, object, int]]):
        """For any prices, any costs up to the worst, missing ones included, and any order of ending."""
        budget = Budget(cap)
        held: list[tuple[Held, object]] = []
        spent = Decimal(0)
        for price_prompt, price_completion, mandatory, share, ending in steps:
            asked = ask(price_prompt=price_prompt, price_completion=price_completion, reasoning_mandatory=mandatory)
            found = budget.reserve(asked, SETTINGS)
            if found is not None:
                assert found.usd == worst_of(asked)
                held.append((found, share))
            for _ in range(min(ending, len(held))):
                worst, part = held.pop(0)
                cost = None if part is None else worst.usd * part.numerator / part.denominator
                budget.settle(worst, cost)
                spent += worst.usd if cost is None else cost
            assert budget.spent == spent
            assert budget.spent + sum(worst.usd for worst, _ in held) <= cap


class TestWhatCostsMoreThanWasHeld:
    """The budget learns: that endpoint's later requests are held for at the scale that it has shown."""

    def test_later_requests_are_held_for_at_that_scale(self):
        """A cost of three times the worst case triples what is held for the endpoint, and for no other."""
        budget = Budget(Decimal(1))
        budget.settle(reserved(budget, ask()), 3 * worst_of(ask()))
        longer = ask(prompt=prompt(prompt="x" * 5000))
        assert reserved(budget, longer).usd == 3 * worst_of(longer)
        assert reserved(budget, ask(endpoint="oak")).usd == worst_of(ask())

    def test_requests_in_flight_at_once_teach_it_once(self):
        """Ten answers held for alike that cost three times as much make the scale three, not three to the ten."""
        budget = Budget(Decimal(1))
        for held in [reserved(budget, ask()) for _ in range(10)]:
            budget.settle(held, 3 * worst_of(ask()))
        assert reserved(budget, ask()).usd == 3 * worst_of(ask())

    def test_the_scale_never_falls(self):
        """A cheaper answer afterwards changes nothing."""
        budget = Budget(Decimal(1))
        for times in (5, 3, 1):
            budget.settle(reserved(budget, ask()), times * worst_of(ask()))
        assert reserved(budget, ask()).usd == 5 * worst_of(ask())

    def test_what_was_free_is_held_for_at_what_it_cost(self):
        """An endpoint listed as free that charges is held for at the most that it charged."""
        free = ask(price_prompt=Decimal(0), price_completion=Decimal(0))
        budget = Budget(Decimal(1))
        budget.settle(reserved(budget, free), Decimal("0.25"))
        assert reserved(budget, free).usd == Decimal("0.25")
        budget.settle(reserved(budget, free), Decimal("0.5"))
        assert budget.hold(free, SETTINGS) == Held(ask=free, worst=Decimal(0), usd=Decimal("0.5"))


class TestEndpointsWithoutAPriceThatAreAllowed:
    """The highest price of tonight's listing for their model, else for any, is held for them."""

    def test_by_model_and_else_of_all(self):
        """Each price is the highest by itself; a model without any price takes the highest of all models."""
        priced = {"price_prompt": Decimal(1), "price_completion": Decimal(5), "price_request": Decimal(2)}
        cheap = {"price_prompt": Decimal(3), "price_completion": Decimal(4)}
        none = {"price_prompt": None}
        found = stand_ins(
            [ask(**priced), ask(**cheap), ask(**none), ask(model="b/b", **none), ask(model="c/c", **cheap)]
        )
        highest = Prices(prompt=Decimal(3), completion=Decimal(5), request=Decimal(2))
        assert found == {
            "author/model-20260101": highest,
            "b/b": highest,
            "c/c": Prices(prompt=Decimal(3), completion=Decimal(4)),
        }

    def test_nothing_stands_in_where_nothing_is_listed(self):
        """Where the listing gives no price at all, there is nothing to hold, and they stay refused."""
        assert stand_ins([ask(price_prompt=None)]) == {}

    def test_they_are_held_for(self):
        """What stands in is held with its headroom; other models stay refused."""
        budget = Budget(Decimal(1000), unpriced={"b/b": Prices(prompt=Decimal(0), completion=Decimal(1))})
        allowed = ask(model="b/b", price_completion=None)
        budget.check((allowed,))
        assert reserved(budget, allowed).usd == 2 * 24
        with pytest.raises(BudgetError):
            budget.check((ask(price_completion=None),))
