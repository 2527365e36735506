"""The sentences that were claimed of the candidate, each beside what was counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from generator.records.candidate import Combination, CombinationEvidence, EndpointEvidence, StatementCheck
from generator.records.figures import percent
from generator.records.grade import Grade, Letter

LARGER = "google/gemma-3-270m"
"""The larger of the two recorded models."""

_NEARLY = Fraction(9, 10)
"""'Nearly every': at least so many."""
_HALF = (Fraction(2, 5), Fraction(3, 5))
"""'Half': between these."""
_THIRD = (Fraction(3, 10), Fraction(7, 20))
"""'Up to a third': the worst window is between these."""


def check_statements(
    combinations: Sequence[CombinationEvidence], draws: Sequence[Mapping[Combination, Sequence[Grade]]]
) -> tuple[StatementCheck, ...]:
    """Return each statement with its count.

    Args:
        combinations: all eight, counted.
        draws: each draw's grades by combination.
    """
    by = {each.combination: each.endpoints for each in combinations}
    none = by[Combination(fleet_floor=False, margin=False, min_share=False)]
    fleet = by[Combination(fleet_floor=True, margin=False, min_share=False)]
    both = by[Combination(fleet_floor=True, margin=True, min_share=False)]
    honest, larger = _honest, [each for each in both if each.model == LARGER]
    cut = [each for each in larger if each.equal_to_reference is None]
    different = _named(larger, "hazel", "juniper", "maple")
    part, whole = _count(honest(none), Letter.D)
    half, of = _count(honest(fleet), Letter.C)
    return (
        _check(
            "Under 0.1 nearly every endpoint with the model's own weights reads D on M.",
            (part, whole),
            holds=Fraction(part, whole) >= _NEARLY,
        ),
        _check(
            "With the fleet floor alone half of the windows of endpoints with the model's own weights still read C.",
            (half, of),
            holds=_HALF[0] <= Fraction(half, of) <= _HALF[1],
        ),
        _every(
            "With fleet floor and margin every window of the larger model's own weights reads A on M.",
            _count(honest(larger), Letter.A),
        ),
        _every(
            "With fleet floor and margin every window of the smaller model's own weights reads A on M.",
            _count(honest([each for each in both if each.model != LARGER]), Letter.A),
        ),
        _every(
            "With fleet floor and margin every window of the larger model's hosts with weights requantised to Q2_K, a "
            "4-bit cache and a temperature of 0.7 reads D on M.",
            _count(different, Letter.D),
        ),
        _every(
            "With fleet floor and margin every window of the larger model's host with weights requantised to Q4_0 "
            "reads D on M.",
            _count(_named(larger, "larch"), Letter.D),
        ),
        _every(
            "With fleet floor and margin every window of the host with a system prompt put before each request reads C "
            "or D on M.",
            _count(_named(larger, "oak"), Letter.C, Letter.D),
        ),
        _every(
            "With fleet floor and margin every window of the host that cuts its answers reads A on M.",
            _count(cut, Letter.A),
        ),
        _every(
            "Every window of the host that cuts its answers reads C or D on T.",
            _count(cut, Letter.C, Letter.D, column="t"),
        ),
        _every(
            "Every window of the host that cuts its answers reads B, C or D on R.",
            _count(cut, Letter.B, Letter.C, Letter.D, column="r"),
        ),
        _share_left(draws),
        _task_letters(draws),
    )


def _share_left(draws: Sequence[Mapping[Combination, Sequence[Grade]]]) -> StatementCheck:
    """Return the window in which the share left most prompts without a reference."""
    share = Combination(fleet_floor=False, margin=False, min_share=True)
    windows = {(grade.pairs_without_reference, grade.pairs) for draw in draws for grade in draw[share]}
    part, whole = max(windows, key=lambda found: Fraction(*found))
    return _check(
        "A share of 60 % leaves up to a third of a model's prompts without a reference.",
        (part, whole),
        holds=_THIRD[0] <= Fraction(part, whole) <= _THIRD[1],
        of="night and prompt pairs in the window with the most",
    )


def _task_letters(draws: Sequence[Mapping[Combination, Sequence[Grade]]]) -> StatementCheck:
    """Return how often the fleet floor, from which the floor of T is made too, leaves T's letter as it was."""
    same = whole = 0
    for draw in draws:
        plain = draw[Combination(fleet_floor=False, margin=False, min_share=False)]
        fleet = draw[Combination(fleet_floor=True, margin=True, min_share=False)]
        for before, after in zip(plain, fleet, strict=True):
            same += before.t_letter == after.t_letter
            whole += 1
    statement = "Fleet floor and margin leave the letter of T as it was."
    return _every(statement, (same, whole))


def _honest(endpoints: Iterable[EndpointEvidence]) -> list[EndpointEvidence]:
    return [each for each in endpoints if each.equal_to_reference]


def _named(endpoints: Iterable[EndpointEvidence], *names: str) -> list[EndpointEvidence]:
    return [each for each in endpoints if each.endpoint in names]


def _count(endpoints: Iterable[EndpointEvidence], *letters: Letter, column: str = "m") -> tuple[int, int]:
    """Return how many windows read one of the letters, of all windows."""
    found = list(endpoints)
    read = sum(getattr(each, column).get(letter, 0) for each in found for letter in letters)
    return read, sum(sum(each.grades.values()) for each in found)


def _every(statement: str, counted: tuple[int, int]) -> StatementCheck:
    return _check(statement, counted, holds=counted[0] == counted[1])


def _check(statement: str, counted: tuple[int, int], *, holds: bool, of: str = "windows") -> StatementCheck:
    part, whole = counted
    return StatementCheck(
        statement=statement,
        part=part,
        whole=whole,
        holds=holds,
        found=f"{part} of {whole} {of}, {percent(part, whole, (Fraction(0), Fraction(100)))} %.",
    )
