"""What luck alone does: nights and endpoints drawn again from recorded ones, by SHA-256 of a recorded seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction

import msgspec

from generator.records.calibration import CalibrationRule, EqualEndpoints, hundredths_of_points
from generator.records.draws import Draws


class DrawnFleet(msgspec.Struct, frozen=True, kw_only=True):
    """Who stands in one resampled window, and which recorded nights it is made of."""

    endpoints: tuple[str, ...]
    """As many as the model has, drawn with replacement."""
    nights: tuple[int, ...]
    """Indices of recorded nights, all different, in the order drawn."""


def draw_fleet(draws: Draws, endpoints: Sequence[str], nights: int, window: int) -> DrawnFleet:
    """Return a drawn window: endpoints with replacement, nights without (a night held against itself shows no noise).

    Args:
        draws: the window's own stream.
        endpoints: of the model, in a fixed order.
        nights: how many recorded nights there are.
        window: how many of them a window holds.
    """
    chosen = tuple(draws.choice(endpoints) for _ in endpoints)
    return DrawnFleet(endpoints=chosen, nights=tuple(draws.sample(range(nights), window)))


def steady_answer(answers: Sequence[str]) -> str:
    """Return the answer given most often, at least one; of several given equally often, the first alphabetically."""
    counted = Counter(answers)
    return min(counted, key=lambda answer: (-counted[answer], answer))


def equal_endpoints(
    model: str, cells: Sequence[tuple[int, int]], *, seed: str, rule: CalibrationRule
) -> tuple[EqualEndpoints, ...]:
    """Return, for each k, how far the average of k equal endpoints stands below the best of them.

    Each of the k answers each keyed prompt of each night as one of the model's endpoints did, drawn anew for each: so
    all of them are equally good, and what stands between them is luck.

    Args:
        model: whose prompts these are.
        cells: for each keyed prompt and night of a window, how many endpoints were correct, of how many counted.
        seed: every draw follows from it.
        rule: the k, and how many draws.
    """
    most = max(rule.equal_endpoints)
    total: dict[int, Fraction] = dict.fromkeys(rule.equal_endpoints, Fraction(0))
    for draw in range(rule.draws):
        correct = _correct(Draws(seed, "equal endpoints", model, str(draw)), cells, most)
        for k in rule.equal_endpoints:
            among = correct[:k]
            total[k] += Fraction(k * max(among) - sum(among), k * len(cells))
    return tuple(
        EqualEndpoints(
            model=model, endpoints=k, draws=rule.draws, hundredths_of_points=hundredths_of_points(found / rule.draws)
        )
        for k, found in total.items()
    )


def _correct(draws: Draws, cells: Sequence[tuple[int, int]], endpoints: int) -> list[int]:
    """Return how many cells each of so many equal endpoints has correct."""
    counts = [0] * endpoints
    for right, asked in cells:
        # One draw below asked ** endpoints holds a fair digit for each endpoint.
        number = draws.below(asked**endpoints)
        for endpoint in range(endpoints):
            number, digit = divmod(number, asked)
            counts[endpoint] += digit < right
    return counts


def cells_of(correct: Iterable[Sequence[bool]]) -> list[tuple[int, int]]:
    """Return (correct, counted) of each prompt and night that anybody began to answer."""
    return [(sum(given), len(given)) for given in correct if given]
