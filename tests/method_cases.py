"""One crafted case for each value of the definition: nights on which another value moves a figure or a letter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from generator.method.disagreement import floor
from generator.method.window import is_void, window_nights
from generator.records.definition import Definition, Method
from generator.records.grade import Grade
from tests.method_archive import FIRST, Fleet

FOUR = ("amber", "birch", "cedar", "ember")


class Case(NamedTuple):
    """One value of the definition, another one, and what reads otherwise under it."""

    path: str
    value: str | None
    """As TOML; None takes the rule away."""
    look: Callable[[Method], object]
    before: object
    after: object
    also: Mapping[str, str | None] = MappingProxyType({})
    """Other values that must follow, because limits may not fall from A to C."""

    @property
    def changes(self) -> dict[str, str | None]:
        """Every value that is another one."""
        return {self.path: self.value, **self.also}


def dune(fleet: Fleet, *fields: str) -> Callable[[Method], object]:
    """Return how to read some fields of dune's grade under a method: one value, or a tuple of them."""

    def look(method: Method) -> object:
        grade = fleet.grades(method)["dune"]
        values = tuple(_plain(grade, field) for field in fields)
        return values[0] if len(values) == 1 else values

    return look


def _plain(grade: Grade, field: str) -> object:
    match field:
        case "floor":
            family = grade.m_family[0]
            return Fraction(family.floor_numerator or 0, family.floor_denominator or 1)
        case "stable":
            return grade.m_family[0].stable
        case "kind":
            return grade.d_changes[-1].kind
        case _:
            return getattr(grade, field)


def of_definition(look: Callable[[Definition], object]) -> Callable[[Method], object]:
    """Return how to read something that needs the definition alone."""
    return lambda method: look(method.definition)


def outside(nights: int) -> Fleet:
    """Dune is outside on so many nights, by a drawn prompt that adds nothing to its own variation."""
    fleet = Fleet(fixed={"tides": 10}, drawn={"tides": 10})
    fleet.put(range(1, nights + 1), "dune", "tides-1-of-*", "no")
    return fleet


def behind(points: int) -> Fleet:
    """Dune stands so many points behind the best, where the floor is 0."""
    fleet = Fleet(fixed={"tides": 100}, keyed=["tides"])
    fleet.put_first(7 * points, "dune", "no")
    return fleet


def failing(cell: str, percent: int) -> Fleet:
    """So many percent of dune's observations read one cell."""
    fleet = Fleet(fixed={"tides": 100}, endpoints=("amber", "birch", "dune"))
    fleet.put_first(7 * percent, "dune", cell)
    return fleet


def turned(count: int) -> Fleet:
    """So many of the fleet's 60 pairs differ at every endpoint alike."""
    fleet = Fleet(fixed={"tides": 10})
    fleet.turn(count, "tides")
    return fleet


def restless() -> Fleet:
    """Self-disagreement of 0, 0, 1/60, 2/60 and 3/60, in alphabetical order of the endpoints."""
    fleet = Fleet(fixed={"tides": 10}, endpoints=("amber", "birch", "cedar", "dune", "ember"))
    for count, endpoint in enumerate(("cedar", "dune", "ember"), start=1):
        for i in range(1, count + 1):
            fleet.put(7, endpoint, f"tides-{i}", "no")
    return fleet


def lone_voices() -> Fleet:
    """On the first night dune alone answers one prompt."""
    fleet = Fleet(fixed={"tides": 10})
    fleet.put(1, FOUR, "tides-1", "!")
    return fleet


def half_counted() -> Fleet:
    """Dune alone is always right, on the 60 of 70 prompts that it answers; the others are wrong once."""
    fleet = Fleet(fixed={"tides": 10}, keyed=["tides"])
    fleet.put_first(10, "dune", "!", ["tides-2", "tides-3"])
    fleet.put(7, FOUR, "tides-1", "no")
    return fleet


def away(nights: list[int]) -> Fleet:
    """Dune is off some nights' listings."""
    fleet = Fleet(fixed={"tides": 10})
    fleet.leave(nights, "dune")
    return fleet


def newcomer() -> Fleet:
    """Dune is first listed on the second of the window's seven nights."""
    fleet = away([1])
    fleet.list_as(range(2, 8), "dune", first_listed=fleet.days[1])
    return fleet


def short_window() -> Fleet:
    """Six nights, of an endpoint that was listed long before."""
    fleet = Fleet(fixed={"tides": 10}, days=6)
    fleet.list_as(fleet.nights, "dune", first_listed=FIRST - timedelta(days=30))
    return fleet


def long_known(fleet: Fleet) -> Callable[[Method], object]:
    """Return how to read the letter where the archive holds twenty earlier nights."""
    recorded = [FIRST - timedelta(days=days) for days in range(30, 10, -1)] + fleet.days
    return lambda method: fleet.grades(method, recorded)["dune"].letter


def unlike(pairs: int) -> Fleet:
    """So many of the model's 35 pairs have no reference."""
    fleet = Fleet(fixed={"tides": 3}, drawn={"moons": 2})
    for i in range(pairs):
        for e in fleet.endpoints:
            fleet.put(i % 7 + 1, e, f"moons-{i // 7 + 1}-of-*", f"{e}'s own")
    return fleet


def taking(latency_ms: int) -> Fleet:
    """Dune takes so long for every answer."""
    fleet = Fleet(fixed={"tides": 2})
    fleet.latency["dune"] = latency_ms
    return fleet


def declared(*precisions: str | None) -> Fleet:
    """Dune declares these, the last one to the window's end."""
    fleet = Fleet(fixed={"tides": 10})
    for n in fleet.nights:
        fleet.list_as([n], "dune", declared_precision=precisions[min(n, len(precisions)) - 1])
    return fleet


def slightly_behind() -> Fleet:
    """T of 9 points against a floor of 10."""
    fleet = Fleet(fixed={"tides": 10}, drawn={"tides": 10}, keyed=["tides"])
    fleet.turn(6, "tides")
    fleet.put_first(13, "dune", "no", ["tides-1-of-*", "tides-2-of-*"])
    return fleet


def barred() -> Fleet:
    """Dune alone is always right, and was absent on three nights."""
    fleet = Fleet(fixed={"tides": 10}, keyed=["tides"])
    fleet.leave([2, 3, 4], "dune")
    fleet.put(7, FOUR, "tides-1", "no")
    return fleet


def young() -> Fleet:
    """Dune alone is always right, and was first listed on the second night."""
    fleet = Fleet(fixed={"tides": 10}, keyed=["tides"])
    fleet.leave([1], "dune")
    fleet.list_as(range(2, 8), "dune", first_listed=fleet.days[1])
    fleet.put(7, FOUR, "tides-1", "no")
    return fleet


def quiet_but_restless() -> Fleet:
    """Within on every night, with one pair more than the floor tolerates."""
    fleet = Fleet(fixed={"tides": 10}, drawn={"tides": 10})
    fleet.turn(6, "tides")
    fleet.put(7, "dune", "tides-10", "no")
    return fleet


NIGHTLY = [FIRST + timedelta(days=days) for days in range(9)]
SPARSE = [FIRST + timedelta(days=days) for days in (0, 4, 9)]
EXAMPLE = of_definition(lambda d: floor([Fraction(s) / 100 for s in d.worked_example.self_disagreement], d))

NUMBERS = (
    Case("window.nights", "5", of_definition(lambda d: len(window_nights(NIGHTLY, NIGHTLY[-1], d))), 7, 5),
    Case("window.calendar_days", "9", of_definition(lambda d: len(window_nights(SPARSE, SPARSE[-1], d))), 3, 2),
    Case("night.void_below_sent_percent", "60", of_definition(lambda d: is_void(100, 55, d)), before=False, after=True),
    Case("reference.min_agreeing", "1", dune(lone_voices(), "pairs_without_reference"), 1, 0),
    Case("reference.min_agreeing", "5", dune(outside(1), "pairs_without_reference"), 0, 1),
    Case("floor.percentile", "100", dune(restless(), "floor"), Fraction(2, 60), Fraction(3, 60)),
    Case("floor.percentile", "74.9", dune(restless(), "floor"), Fraction(2, 60), Fraction(1, 60)),
    Case("stability.threshold_percent", "91", dune(turned(6), "stable", "letter"), (True, "A"), (False, "U")),
    Case("stability.threshold_percent", "88", dune(turned(7), "stable", "letter"), (False, "U"), (True, "A")),
    Case("task.best.min_counted_percent", "85", dune(half_counted(), "t_best_correct"), 69, 60),
    Case(
        "letters.M.A.max_nights_outside",
        "2",
        dune(outside(2), "m_letter"),
        "C",
        "A",
        also={"letters.M.B.max_nights_outside": "2"},
    ),
    Case("letters.M.B.max_nights_outside", "2", dune(outside(2), "m_letter"), "C", "B"),
    Case("letters.M.C.max_nights_outside", "4", dune(outside(4), "m_letter"), "D", "C"),
    Case("letters.T.A.max_points", "3", dune(behind(3), "t_letter"), "B", "A"),
    Case("letters.T.B.max_points", "4", dune(behind(5), "t_letter"), "B", "C"),
    Case("letters.T.C.max_points", "9", dune(behind(10), "t_letter"), "C", "D"),
    Case("letters.R.A.errors_below_percent", "1.5", dune(failing("!", 1), "r_letter"), "B", "A"),
    Case("letters.R.A.truncation_below_percent", "2.5", dune(failing("ye~", 2), "r_letter"), "B", "A"),
    Case("letters.R.A.max_misrouted", "7", dune(failing("?yes", 1), "r_letter"), "B", "A"),
    Case("letters.R.B.errors_below_percent", "4", dune(failing("!", 3), "r_letter"), "C", "B"),
    Case("letters.R.C.errors_below_percent", "11", dune(failing("!", 10), "r_letter"), "D", "C"),
    Case("unrated.min_nights_since_listed", "6", dune(newcomer(), "letter"), "U", "A"),
    Case("unrated.min_nights_in_window", "6", long_known(short_window()), "U", "A"),
    Case("unrated.nights_absent", "4", dune(away([2, 3, 4]), "letter"), "U", "A"),
    Case("unrated.nights_absent", "2", dune(away([2, 4]), "letter"), "A", "U"),
    Case("unrated.max_without_reference_percent", "17", dune(unlike(6), "letter"), "A", "U"),
    Case("latency.classes[0].below_ms", "1001", dune(taking(1000), "latency_class"), "II", "I"),
    Case("latency.classes[1].below_ms", "2500", dune(taking(2500), "latency_class"), "II", "III"),
    Case("latency.classes[2].below_ms", "10001", dune(taking(10000), "latency_class"), "IV", "III"),
    Case(
        "worked_example.self_disagreement",
        "[0, 0, 1, 1, 2, 2, 3, 5, 6, 8, 11]",
        EXAMPLE,
        Fraction(1, 25),
        Fraction(1, 20),
    ),
)

BOTH = ("no_stable_family", "not_measured")
CHOICES = (
    Case("version", '"1.0"', dune(turned(0), "method_version", "provisional"), ("0.1", True), ("1.0", False)),
    Case("match.own_variation_best", '"D"', dune(quiet_but_restless(), "m_letter"), "C", "D"),
    Case("match.own_variation_best", '"B"', dune(quiet_but_restless(), "m_letter"), "C", "B"),
    Case("match.own_variation_best", None, dune(quiet_but_restless(), "m_letter"), "C", "A"),
    Case("task.floor", None, dune(slightly_behind(), "t_within_floor", "t_letter"), (True, "A"), (False, "C")),
    Case("task.best.min_counted_percent", None, dune(half_counted(), "t_best_correct"), 69, 60),
    Case("task.best.excluded_reasons", '["too_few_nights"]', dune(barred(), "t_best_counted"), 70, 40),
    Case("task.best.excluded_reasons", '["absent"]', dune(young(), "t_best_counted"), 70, 60),
    Case("declared.refinements.int4", '["nvfp4"]', dune(declared("int4", "mxfp4"), "kind"), "refined", "changed"),
    Case("declared.refinements.fp4", '["mxfp4"]', dune(declared("fp4", "nvfp4"), "kind"), "refined", "changed"),
    Case("declared.refinements.fp8", "[]", dune(declared("fp8", "mxfp8"), "kind"), "refined", "changed"),
    Case("letters.D.A.states", '["present", "absent"]', dune(declared(None), "d_letter"), "B", "A"),
    Case("letters.D.B.states", '["absent", "changed"]', dune(declared("fp8", "int4"), "d_letter"), "C", "B"),
    Case(
        "letters.R.A.errors_below_percent",
        None,
        dune(failing("!", 50), "r_letter"),
        "D",
        "A",
        also={"letters.R.B.errors_below_percent": None, "letters.R.C.errors_below_percent": None},
    ),
    Case("letters.R.A.truncation_below_percent", None, dune(failing("ye~", 50), "r_letter"), "B", "A"),
    Case("letters.R.A.max_misrouted", None, dune(failing("?yes", 50), "r_letter"), "B", "A"),
    Case("letters.R.C.errors_below_percent", None, dune(failing("!", 50), "r_letter"), "D", "C"),
    Case("unrated.min_nights_since_listed", None, dune(newcomer(), "letter"), "U", "A"),
    Case("unrated.min_nights_in_window", None, long_known(short_window()), "U", "A"),
    Case("unrated.nights_absent", None, dune(away([2, 3, 4]), "letter"), "U", "A"),
    Case("unrated.max_without_reference_percent", None, dune(unlike(8), "letter"), "U", "A"),
    Case("unrated.no_stable_family", "false", dune(turned(7), "unrated_reasons"), BOTH, BOTH[1:]),
    Case("unrated.not_measured", "false", dune(turned(7), "unrated_reasons"), BOTH, BOTH[:1]),
    Case("latency.classes[0].name", '"FAST"', dune(taking(10), "latency_class"), "I", "FAST"),
    Case("latency.classes[1].name", '"WALK"', dune(taking(1000), "latency_class"), "II", "WALK"),
    Case("latency.classes[2].name", '"SLOW"', dune(taking(9999), "latency_class"), "III", "SLOW"),
    Case("latency.classes[3].name", '"V"', dune(taking(10000), "latency_class"), "IV", "V"),
)
