"""Definition 0.2: what differs from 0.1 and nothing else, every number of it at work, and its page."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import msgspec
import pytest

from generator.records.definition import Definition, Method
from generator.records.definition_file import parse_method
from generator.records.grade import Letter
from generator.site import method_page
from generator.site.anchors import ANCHORS
from generator.site.method_tables import leaves as table_rows
from tests import site_material as made
from tests.method_archive import Fleet
from tests.method_cases import CHOICES, NUMBERS, Case, dune
from tests.method_variants import METHOD, METHOD_0_2, METHODS, TOML_0_2, is_numeric, leaves, varied, with_rules
from tests.test_method_numbers import FIXED_VALUES
from tests.test_site_method_page import MUST_SAY

A, B, C, D, U = Letter
FLOOR = Fraction(4)
SHIPPED: Method = parse_method(
    (METHODS / "0.2.toml").read_bytes(), (METHODS / "0.2.md").read_bytes(), where="content/methods/0.2.toml"
)


def apart() -> Fleet:
    """Cedar, dune and ember each differ steadily on one of ten fixed prompts of their own; all repeat themselves."""
    fleet = Fleet(fixed={"tides": 10})
    for i, endpoint in enumerate(("cedar", "dune", "ember"), start=1):
        fleet.put(fleet.nights, endpoint, f"tides-{i}", "no")
    return fleet


def just_above() -> Fleet:
    """Dune differs on 4 of 20 prompts of one night, where the floor allows 2."""
    fleet = Fleet(fixed={"tides": 10}, drawn={"tides": 10})
    fleet.turn(6, "tides")
    for i in range(1, 5):
        fleet.put(4, "dune", f"tides-{i}-of-*", "no")
    return fleet


OWN_CASES = (
    # Four or more of 20 at 1/10 come of chance in 13.3 % of nights.
    Case("margin.level", "13.4", dune(just_above(), "m_nights_outside", "m_letter"), (0, "A"), (1, "C")),
    Case("floor.fleet", None, dune(apart(), "floor", "m_letter"), (Fraction(1, 10), "A"), (Fraction(0), "D")),
)
VERSION = Case("version", '"1.0"', dune(apart(), "method_version", "provisional"), ("0.2", True), ("1.0", False))
SHARED_CASES = tuple(case for case in (*NUMBERS, *CHOICES) if case.path != "version")


class TestItIsVersion01WithTwoMoreRules:
    def test_what_differs(self) -> None:
        """The fleet's floor and the margin are on at 1 %; the share and the margin of own variation are off."""
        ours, theirs = leaves(TOML_0_2), leaves()
        assert {path: value for path, value in ours.items() if theirs.get(path) != value} == {
            "version": "0.2",
            "released": SHIPPED.definition.released,
            "changes": list(SHIPPED.definition.changes),
            "floor.fleet": "median mismatch",
            "margin.level": 1,
        }
        assert set(theirs) <= set(ours)
        assert SHIPPED.definition.reference.min_share is None
        assert SHIPPED.definition.margin is not None
        assert not SHIPPED.definition.margin.own_variation

    def test_off_under_0_1(self) -> None:
        """None of the three settings stands in 0.1."""
        definition = METHOD.definition
        assert (definition.reference.min_share, definition.floor.fleet, definition.margin) == (None, None, None)

    def test_it_is_provisional_and_says_so_in_its_changes(self) -> None:
        """Letters under 0.2 are provisional, and the list of changes says why."""
        assert SHIPPED.definition.provisional
        assert SHIPPED.definition.changes[-1].startswith("Provisional")

    @pytest.mark.parametrize("case", [*OWN_CASES, VERSION, *SHARED_CASES], ids=lambda case: f"{case.path}={case.value}")
    def test_another_value_reads_otherwise(self, case: Case) -> None:
        """One value of 0.2 changed moves a figure or a letter, those that it shares with 0.1 included."""
        assert case.look(METHOD_0_2) == case.before
        assert case.look(varied(case.changes, TOML_0_2)) == case.after

    def test_every_value_has_a_case_or_a_reason(self) -> None:
        """No leaf of 0.2 is without a case, and no number has only a reason."""
        cases = {case.path for case in (*OWN_CASES, VERSION, *SHARED_CASES)}
        assert set(leaves(TOML_0_2)) - cases == set(FIXED_VALUES)
        numbers = {path for path, value in leaves(TOML_0_2).items() if is_numeric(value)}
        assert numbers - cases == {"format"}


class TestWhatItIsFor:
    """Hosts that repeat themselves exactly push the floor to 0, and one steady difference then reads C or D."""

    def test_steady_differences_of_an_honest_fleet(self) -> None:
        """Three of five differ on one prompt each: D under 0.1, and A under 0.2, whose floor is 1/10 and allows one."""
        old, new = apart().grades(METHOD), apart().grades(METHOD_0_2)
        assert {e: g.m_letter for e, g in old.items()} == {"amber": A, "birch": A, "cedar": D, "dune": D, "ember": D}
        assert {g.m_letter for g in new.values()} == {A}
        assert {n.allowed_numerator for g in new.values() for n in g.m_night} == {1}

    @pytest.mark.parametrize(("wrong", "outside"), [(1, 0), (2, 0), (4, 0), (5, 7), (10, 7)])
    def test_one_that_stands_apart_is_still_outside(self, wrong: int, outside: int) -> None:
        """Cedar and ember differ on one of 20 prompts each and dune on more: the median is 1/20, which allows 1.

        Four or more of 20 at 1/20 come of chance in 1.59 % of nights, five or more in 0.26 %.
        """
        fleet = Fleet(fixed={"tides": 10}, drawn={"tides": 10})
        fleet.put(fleet.nights, "cedar", "tides-1", "no")
        fleet.put(fleet.nights, "ember", "tides-2", "no")
        for i in range(1, wrong + 1):
            fleet.put(fleet.nights, "dune", f"tides-{i}-of-*", "no")
        grade = fleet.grades(METHOD_0_2)["dune"]
        assert {(n.prompts, n.mismatches, n.allowed_numerator) for n in grade.m_night} == {(20, wrong, 1)}
        assert grade.m_nights_outside == outside

    @pytest.mark.parametrize(
        ("fleet", "margin", "letter"),
        [
            (None, None, D),
            ("median mismatch", None, D),
            (None, "level = 1", D),
            ("median mismatch", "level = 1", A),
        ],
    )
    def test_neither_rule_does_it_alone(self, fleet: str | None, margin: str | None, letter: Letter) -> None:
        """Dune differs on 2 of 10, two others on 1: a floor of 1/10 allows 1, and 2 of 10 come of chance in 26 %."""
        nights = Fleet(fixed={"tides": 10})
        for endpoint, prompts in (("cedar", (1,)), ("ember", (2,)), ("dune", (3, 4))):
            for i in prompts:
                nights.put(nights.nights, endpoint, f"tides-{i}", "no")
        assert nights.grades(with_rules(fleet=fleet, margin=margin))["dune"].m_letter is letter

    def test_where_it_fails_the_plurality_is_itself_different(self) -> None:
        """Three of five share one wrong answer to every prompt: the two that do not are outside, or set the floor.

        Stated on the page: where the plurality is what changed, no floor shows it.
        """
        fleet = Fleet(fixed={"tides": 10})
        for i in range(1, 11):
            fleet.put(fleet.nights, ("cedar", "dune", "ember"), f"tides-{i}", "no")
        found = {e: g.m_letter for e, g in fleet.grades(METHOD_0_2).items()}
        assert found == {"amber": D, "birch": D, "cedar": A, "dune": A, "ember": A}


def fill(method: Method = SHIPPED) -> str:
    """Return the prose of a method as HTML."""
    return str(method_page.fill(method, FLOOR).html)


def said(method: Method = SHIPPED) -> str:
    """Return what a method's page says."""
    return made.page_text(method_page.render(method, FLOOR, made.settings(), made.TEMPLATES))


def changed(**replaced: Any) -> Method:
    """Return 0.2 with some tables of its definition replaced."""
    return msgspec.structs.replace(SHIPPED, definition=msgspec.structs.replace(SHIPPED.definition, **replaced))


NEW_SENTENCES = (
    "The floor is never below the fleet's.",
    "The fleet's floor is the median of that share over the endpoints that have one",
    "F is the larger of the percentile and the fleet's floor.",
    "A family in which no endpoint has an S stays without a floor, and stability is read from S alone.",
    "many hosts repeat themselves exactly",
    "an endpoint that runs them differs steadily from the plurality and agrees with itself",
    "one such difference then reads C or D",
    "Where half of a fleet or more stands apart from the plurality, the floor rises with it.",
    "where the plurality is itself what changed, no floor shows it",
    "A night whose mismatches pass what the floors allow is outside only where chance does not explain them.",
    "would come of that in less than 1 % of nights; at exactly 1 % it is within.",
    "Where the floors allow nothing, chance explains nothing, and a single mismatch is outside.",
    "One prompt of chance is not a difference.",
    "reads 'within the margin' and counts as within.",
    "An endpoint's own variation is held to the floors alone",
    "This version asks for no share of the answers beyond that.",
    "The night is outside where x is more than that by more than the margin allows",
)


class TestItsPage:
    @pytest.mark.parametrize("sentence", [*MUST_SAY, *NEW_SENTENCES])
    def test_sentence(self, sentence: str) -> None:
        """What the page of 0.1 must say stands here too, and the two new rules in plain words."""
        assert sentence in said()

    def test_every_anchor(self) -> None:
        """Each place that grade pages link to is an id on the page, and the two new rules have one."""
        ids = {element.get("id") for element in made.parsed(fill_page()).iter()}
        assert ids >= ANCHORS | {"fleet-floor", "margin", "additions"}

    def test_its_links_within_the_page_lead_somewhere(self) -> None:
        """Every link to a place on the page has its place."""
        html = fill()
        assert set(re.findall(r'href="#([^"]+)"', html)) <= set(re.findall(r' id="([^"]+)"', html))

    def test_additions_close_the_page(self) -> None:
        """The closing section lists what it adds to its source and, apart from that, to 0.1."""
        closing = fill().rpartition('<h2 id="additions">')[2]
        assert "<h2" not in closing
        items = re.findall(r"<li>\s*(?:<p>)?<em>(.*?)</em>", closing)
        assert items[-3:] == ["endpoint identity", "the fleet's floor", "the margin"]
        assert "own variation" in items

    def test_digest_changes_and_every_key(self) -> None:
        """The page shows the digest, each change and each key with its value."""
        text = said()
        assert SHIPPED.digest in text
        for sentence in SHIPPED.definition.changes:
            assert sentence in text
        for path, value in table_rows(SHIPPED.definition):
            assert f"{path} {value}" in text

    def test_rules_that_are_off_are_said_to_be_off(self) -> None:
        """Under a definition without them the same prose tells the rules of 0.1."""
        rule = msgspec.structs.replace
        text = said(changed(floor=rule(SHIPPED.definition.floor, fleet=None), margin=None))
        for sentence in (
            "This version has no rule on the fleet: the floor is the percentile alone.",
            "This version has no margin: whatever passes the floors is outside.",
            "The night is outside where x is more than that, and within otherwise: on the floor is within.",
            "With one stable family this is the plain rule: within, at a match of 100 \N{MINUS SIGN} F or better.",
            "where endpoints hardly ever differ from themselves the floor is often 0",
        ):
            assert sentence in text
        assert "To version 0.1 it adds" not in text
        assert "within the margin" not in text

    def test_rules_that_are_on_are_told(self) -> None:
        """The share and the margin of own variation, where a definition has them, are sentences with their number."""
        rule = msgspec.structs.replace
        definition: Definition = SHIPPED.definition
        assert definition.margin is not None
        text = said(
            changed(
                reference=rule(definition.reference, min_share=Decimal("62.5")),
                margin=rule(definition.margin, own_variation=True, level=Decimal("2.5")),
            )
        )
        assert "It must also be the answer of at least 62.5 % of the endpoints that answered." in text
        assert "in less than 2.5 % of nights; at exactly 2.5 % it is within" in text
        assert "The same holds for an endpoint's own variation" in text
        assert "a reference needs a share of the answers" in text


def fill_page() -> bytes:
    """Return the bytes of the page."""
    return method_page.render(SHIPPED, FLOOR, made.settings(), made.TEMPLATES)
