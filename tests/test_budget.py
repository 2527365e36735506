"""The budget: the cap is never passed, whatever requests cost and in whatever order they end."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.errors import BudgetError, ExitCode
from generator.probing.budget import TEMPLATE_TOKENS, Budget, worst_case
from tests.probing_makers import SETTINGS, ask, prompt

PRICES = st.decimals(min_value=0, max_value="0.01", places=9)


class TestWorstCase:
    def test_every_byte_a_token_and_every_token_allowed(self):
        """The worst case counts the prompt's bytes, room for a template, and the request's token limit."""
        asked = ask(prompt=prompt(prompt="é" * 10, max_tokens=32), price_prompt=Decimal(1), price_completion=Decimal(2))
        assert worst_case(asked, SETTINGS) == (20 + TEMPLATE_TOKENS) + 2 * 32

    def test_thinking_counts(self):
        """Where a model must think, its budget is part of the worst case."""
        free = {"price_prompt": Decimal(0), "price_completion": Decimal(1)}
        assert worst_case(ask(reasoning_mandatory=True, **free), SETTINGS) == 24 + 2048
        assert worst_case(ask(reasoning_supported=True, **free), SETTINGS) == 24

    @pytest.mark.parametrize("missing", ["price_prompt", "price_completion"])
    def test_unknown_without_a_price(self, missing: str):
        """Without a price there is no worst case."""
        assert worst_case(ask(**{missing: None}), SETTINGS) is None


class TestCap:
    def test_what_would_pass_it_is_not_reserved(self):
        """A request is held only where cap, spent and held leave room for its worst case; the cap itself is room."""
        worst = worst_case(ask(), SETTINGS)
        assert worst is not None
        budget = Budget(2 * worst)
        assert budget.reserve(ask(), SETTINGS) == worst
        assert budget.reserve(ask(), SETTINGS) == worst
        assert budget.reserve(ask(), SETTINGS) is None

    def test_its_own_cost_takes_the_place_of_the_worst(self):
        """What a request did not cost is free for others again."""
        worst = worst_case(ask(), SETTINGS)
        assert worst is not None
        budget = Budget(worst)
        assert budget.reserve(ask(), SETTINGS) == worst
        budget.settle(worst, Decimal(0))
        assert budget.reserve(ask(), SETTINGS) == worst
        budget.settle(worst, None)
        assert (budget.spent, budget.held) == (worst, 0)
        assert budget.reserve(ask(), SETTINGS) is None

    def test_an_earlier_run_counts(self):
        """What was spent before the run is spent of the same cap."""
        assert Budget(Decimal(1), Decimal(1)).reserve(ask(), SETTINGS) is None

    def test_without_a_cap(self):
        """A router that charges nothing needs neither cap nor prices."""
        budget = Budget(None)
        assert budget.reserve(ask(price_prompt=None), SETTINGS) == 0
        assert budget.reserve(ask(), SETTINGS) == worst_case(ask(), SETTINGS)

    def test_an_endpoint_without_a_price_is_refused_by_name(self):
        """Under a cap, what has no price is refused before anything is sent."""
        with pytest.raises(BudgetError, match="author/model-20260101 at elm") as caught:
            Budget(Decimal(1)).check((ask(price_completion=None),))
        assert caught.value.exit_code is ExitCode.BUDGET
        with pytest.raises(BudgetError):
            Budget(Decimal(1)).reserve(ask(price_prompt=None), SETTINGS)

    @given(
        st.decimals(min_value=0, max_value=50, places=6),
        st.lists(st.tuples(PRICES, PRICES, st.booleans(), st.none() | st.fractions(0, 1), st.integers(0, 5))),
    )
    def test_it_is_never_passed(self, cap: Decimal, steps: list[tuple[Decimal, Decimal, bool, object, int]]):
        """For any prices, any costs up to the worst, missing ones included, and any order of ending."""
        budget = Budget(cap)
        held: list[tuple[Decimal, object]] = []
        spent = Decimal(0)
        for price_prompt, price_completion, mandatory, share, ending in steps:
            asked = ask(price_prompt=price_prompt, price_completion=price_completion, reasoning_mandatory=mandatory)
            reserved = budget.reserve(asked, SETTINGS)
            if reserved is not None:
                assert reserved == worst_case(asked, SETTINGS)
                held.append((reserved, share))
            for _ in range(min(ending, len(held))):
                worst, part = held.pop(0)
                cost = None if part is None else worst * part.numerator / part.denominator
                budget.settle(worst, cost)
                spent += worst if cost is None else cost
            assert budget.spent == spent
            assert budget.spent + sum(worst for worst, _ in held) <= cap
