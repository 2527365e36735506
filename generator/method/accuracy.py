"""Column T: the points between the best endpoint's accuracy and this one's, on the families with keys."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import msgspec

from generator.method.letters import task_letter
from generator.method.totals import EndpointWindow, ModelWindow
from generator.records.comparison import is_difference
from generator.records.definition import Definition, ratio
from generator.records.grade import Letter, TaskFamily, UnratedReason


class Accuracy(msgspec.Struct, frozen=True, kw_only=True):
    """An endpoint's keyed prompts over a window."""

    correct: int
    counted: int
    planned: int
    families: tuple[TaskFamily, ...]

    @property
    def share(self) -> Fraction:
        """Correct over counted; asks for at least one counted."""
        return Fraction(self.correct, self.counted)


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """What column T says of one endpoint over one window."""

    letter: Letter | None
    within_floor: bool


def accuracy(endpoint: EndpointWindow, model: ModelWindow) -> Accuracy:
    """Return an endpoint's keyed prompts, family by family and together."""
    counts = {family: endpoint.family(family) for family in model.keyed_families}
    return Accuracy(
        correct=sum(family.correct for family in counts.values()),
        counted=sum(family.counted for family in counts.values()),
        planned=sum(family.planned_keyed for family in counts.values()),
        families=tuple(
            TaskFamily(family=name, correct=family.correct, counted=family.counted) for name, family in counts.items()
        ),
    )


def best_accuracy(
    accuracies: Mapping[str, Accuracy], reasons: Mapping[str, tuple[UnratedReason, ...]], definition: Definition
) -> Accuracy | None:
    """Return the best accuracy among the endpoints that qualify, or None where none does.

    Among equal shares the one with most prompts counted is taken, so that the figures do not depend on an order.

    Args:
        accuracies: of each endpoint of the model.
        reasons: each endpoint's reasons, in its nights, to be unrated.
        definition: says who qualifies.
    """
    rule = definition.task.best
    least = rule.min_counted_percent
    qualified = [
        found
        for endpoint, found in accuracies.items()
        if found.counted
        and not any(reason in rule.excluded_reasons for reason in reasons[endpoint])
        and (least is None or found.counted >= ratio(least) * found.planned)
    ]
    return max(qualified, key=lambda found: (found.share, found.counted), default=None)


def task_column(own: Accuracy, best: Accuracy | None, model: ModelWindow, definition: Definition) -> Task:
    """Return column T: not measured where nothing was counted or no endpoint qualifies as best."""
    if not own.counted or best is None:
        return Task(letter=None, within_floor=False)
    shortfall = max(best.share - own.share, Fraction(0))
    within = not is_difference(shortfall, _floor(own, model, definition))
    return Task(letter=task_letter(Fraction(0) if within else shortfall, definition), within_floor=within)


def _floor(own: Accuracy, model: ModelWindow, definition: Definition) -> Fraction | None:
    """Return the mean floor of the keyed families, weighted by the endpoint's counted prompts in each."""
    if definition.task.floor is None:
        return None
    weighed = [
        (family.counted, noise.floor)
        for family in own.families
        if (noise := model.noise[family.family]).floor is not None
    ]
    weight = sum(counted for counted, _ in weighed)
    return sum((counted * floor for counted, floor in weighed), Fraction(0)) / weight if weight else None
