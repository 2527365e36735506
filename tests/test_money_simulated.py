"""Ten thousand simulated nights: by the router's own account, none costs more than its cap.

The budget, the asking and the collecting are the real ones; router, clock and journal are simulated. Prices jump
between listing and asking and in mid-night; usage is missing or wrong; credit ends; runs are killed at any instant and
carried on with from what they had written down; context probes come after what is graded.

What the cap rests on, the simulated router keeps to: it refuses a request whose price limit is passed, makes no more
tokens than are allowed, charges nothing for what never reached an endpoint, and says no cost that is below its charge.
The second class takes the first of these away.
"""

from __future__ import annotations

from decimal import Decimal

import pytest

from generator.probing.interface import Stop
from tests.money_router import Rules
from tests.money_world import Killed, Night, nights

SEEN = {"jump", "402", "price_changed", "missing usage", "wrong usage"}
WITHOUT_LIMITS = Rules(honours_max_price=False, always_says_the_cost=True)


def check_within(found: list[Night]) -> None:
    """Require that no night passed its cap, and that what could have made one pass it did happen."""
    assert [night for night in found if night.router.billed > night.cap] == []
    assert {what for night in found for what in night.router.seen} == SEEN
    ends = {end if isinstance(end, Stop) else type(end) for night in found for end in night.ends}
    assert ends == {Stop.BUDGET, Stop.NO_CREDIT, Killed, type(None)}
    # Some came close: caps that are never near to being passed would show nothing.
    assert max(night.router.billed / night.cap for night in found if night.cap) > Decimal("0.95")


def check_bounded(found: list[Night]) -> None:
    """Require that no night passed its cap by more than the requests that were in flight at a stop or a kill."""
    for night in found:
        in_flight = night.settings.concurrency * night.router.dearest
        assert night.router.billed - night.cap <= in_flight * (night.kills + 1)


class TestSpendNeverPassesTheCap:
    def test_in_four_hundred_nights(self):
        """A router that keeps to price limits never bills more than the cap, whatever else happens."""
        check_within(nights(range(400), Rules()))

    @pytest.mark.ci
    def test_in_ten_thousand_nights(self):
        """The same over 10,000 nights."""
        check_within(nights(range(10_000), Rules()))


class TestARouterThatTakesNoPriceLimit:
    """It charges what its prices have become: the cap can be passed, by what was in flight and no more."""

    def test_no_more_is_overspent_than_was_in_flight(self):
        """Some nights pass their cap, none by more than a request for each worker of a run that ended early."""
        found = nights(range(400), WITHOUT_LIMITS)
        check_bounded(found)
        assert any(night.router.billed > night.cap for night in found)

    @pytest.mark.ci
    def test_over_thousands_of_nights(self):
        """The same over 4,000 nights."""
        check_bounded(nights(range(4_000), WITHOUT_LIMITS))
