"""The method page: every sentence it must hold, and every number from the definition."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import msgspec
import pytest
import site_material as made

from generator.errors import ContentError
from generator.records.definition import Definition, Method
from generator.records.grade import Letter
from generator.site import method_page
from generator.site.anchors import ANCHORS
from generator.site.method_tables import leaves
from generator.site.prose import to_html

METHOD = made.method()
FLOOR = Fraction(4)


def page(method: Method = METHOD, floor: Fraction = FLOOR) -> bytes:
    """Return a method version's page."""
    return method_page.render(method, floor, made.settings(), made.TEMPLATES)


OWN = page()


@cache
def own_text() -> str:
    """Return what the page of the repository's own version says."""
    return made.page_text(OWN)


def said(method: Method = METHOD, floor: Fraction = FLOOR) -> str:
    """Return what a method version's page says."""
    return own_text() if (method, floor) == (METHOD, FLOOR) else made.page_text(page(method, floor))


@cache
def own_prose() -> str:
    """Return the repository's own prose without the table of every number."""
    return told(METHOD.definition)


def told(definition: Definition) -> str:
    """Return what a method's prose says without the table of every number."""
    prose = method_page.fill(msgspec.structs.replace(METHOD, definition=definition), FLOOR)
    before, _, rest = str(prose.html).partition('<h2 id="numbers">')
    return before + rest.partition('<h2 id="additions">')[2]


def changed(**replaced: Any) -> Method:
    """Return the method with some tables of its definition replaced."""
    return msgspec.structs.replace(METHOD, definition=msgspec.structs.replace(METHOD.definition, **replaced))


MUST_SAY = (
    "One procedure makes every grade, its version is printed with every grade, and it is not changed to sell anything.",
    "A declared precision is a claim; a grade is a measurement.",
    (
        "Agreement with the plurality is evidence that an endpoint served what the reference endpoints served. "
        "It is no proof of weights, quantization or configuration, and none of these has been verified."
    ),
    "Agreement is not correctness, which is why task accuracy has answer keys of its own.",
    "A grade is no ranking, and it does not say which endpoint is best.",
    "The best endpoint is never named.",
    (
        "The families are narrow so that a difference can be attributed. They say nothing about depth of reasoning, "
        "coding, tool use or following instructions over long tasks."
    ),
    (
        "Prompts generated each night from a seed limit tuning to the set. The seed comes from the operating system's "
        "entropy, never from the date, and is published with the night."
    ),
    "The numbers of the worked example are invented.",
    (
        "Letters are provisional until the first calibration and final under a version after it; a later version "
        "re-grades the archive and says so."
    ),
    "This is a provisional version, and every letter under it says so.",
    "Nothing here speaks of intent, or of why anyone serves as they do.",
    "With two endpoints the estimator gives the smaller of the two values.",
    "because one or two restless endpoints must not widen the tolerance for all.",
    "No difference smaller than the floor is reported as a difference, on any surface",
    "so the floor is 4 % and a match of 96 or better is within noise.",
    "never contradicts its letter: where the limit is 2, a figure just above it prints as 2.04, not as 2",
    "A definition never changes once a grade has been published under it.",
    "What an endpoint declares is not tested for truth.",
    "where the operator's side failed: where under 50 % of its planned observations were sent.",
    "the last 7 recorded nights within the 10 calendar days that end with its last night",
    "with at least 2 endpoints giving it. A tie for first place",
    "Exactly one request decides an observation",
    "A replayed latency reads 'replayed, not measured' and has no class.",
    "its M reads C or a worse letter, and the grade says so.",
    "answered or began to answer at least 90 % of the keyed prompts planned for them in the window",
    "not listed on 3 nights of the window or more",
    "more than 20 % of its pairs of night and prompt",
)


class TestWhatThePageMustSay:
    """'Each of these is a sentence on /method/, and a test finds each'."""

    @pytest.mark.parametrize("sentence", MUST_SAY)
    def test_sentence(self, sentence: str):
        """The sentence stands on the page."""
        assert sentence in said()

    @pytest.mark.parametrize(
        "term",
        [
            *("model", "endpoint", "night", "window", "family", "fixed prompt", "generated prompt", "observation"),
            *("reference", "match", "declared", "measured", "floor", "unit", "column", "letter", "self-disagreement"),
            *("answered", "truncated", "empty", "error", "misrouted", "unsent"),
            *("pooling", "own variation", "truncated answers", "the T floor", "endpoint identity"),
        ],
    )
    def test_term(self, term: str):
        """Each term, outcome and addition heads a row or an item."""
        tree = made.parsed(OWN)
        heads = [made.text_of(head) for head in tree.iterfind(".//tbody/tr/th")]
        heads += [made.text_of(item).partition(":")[0] for item in tree.iter("li")]
        assert term in heads

    @pytest.mark.parametrize(
        "code", ["too_few_nights", "absent", "no_reference", "no_stable_family", "not_measured", "newly declared"]
    )
    def test_reason_and_kind(self, code: str):
        """Each reason code and kind of change stands on the page."""
        assert code in said()

    def test_additions_close_the_page(self):
        """A closing section lists what this version adds to its source."""
        assert re.search(
            r'<h2 id="additions">(?!.*<h2).*endpoint identity', str(method_page.fill(METHOD, FLOOR).html), re.DOTALL
        )

    def test_digest_and_changes(self):
        """The page shows the digest of definition and prose, and what the version changed."""
        assert METHOD.digest in said()
        assert METHOD.definition.changes[0] in said()


class TestLetterTable:
    """'The letter table is generated from the definition's conditions'."""

    def test_every_condition(self):
        """The rows say what the definition says, absent rules included."""
        text = said()
        for row in (
            (
                "A within the floor on every night at most 2 points present, unchanged "
                "errors under 1 %; truncation under 2 %; misrouted none"
            ),
            (
                "B within the floor on every night at most 5 points present or absent, unchanged "
                "errors under 3 %; truncation no condition; misrouted no condition"
            ),
            (
                "C outside the floor on at most 3 nights at most 10 points "
                "present or absent, unchanged; or changed during the window, each change dated "
                "errors under 10 %; truncation no condition; misrouted no condition"
            ),
            "D outside the floor on 4 or more nights over 10 points this column has no letter D errors 10 % or more",
        ):
            assert row in text

    def test_a_reliability_c_with_more_conditions(self):
        """Where C asks for more than errors, D is whatever meets none of the conditions."""
        letters = METHOD.definition.letters
        rule = msgspec.structs.replace(letters.R[Letter.C], max_misrouted=4)
        table = msgspec.structs.replace(letters, R={**letters.R, Letter.C: rule})
        assert "whatever meets none of the conditions above" in said(changed(letters=table))
        assert "misrouted at most 4" in said(changed(letters=table))

    def test_a_reliability_c_without_conditions(self):
        """Where C asks for nothing, reliability has no letter D."""
        letters = METHOD.definition.letters
        rule = msgspec.structs.replace(letters.R[Letter.C], errors_below_percent=None)
        text = said(changed(letters=msgspec.structs.replace(letters, R={**letters.R, Letter.C: rule})))
        assert "over 10 points this column has no letter D this column has no letter D" in text
        assert "errors no condition; truncation no condition; misrouted no condition" in text


class TestAbsentRules:
    """'An absent key in a definition means off', and the page says so."""

    def test_every_optional_rule_off(self):
        """Each rule that is off is said to be off, and its number is gone from the prose."""
        definition = METHOD.definition
        rule = msgspec.structs.replace
        off = changed(
            match=rule(definition.match, own_variation_best=None),
            task=rule(
                definition.task,
                floor=None,
                best=rule(definition.task.best, min_counted_percent=None, excluded_reasons=()),
            ),
            declared=rule(definition.declared, refinements={}),
            unrated=rule(
                definition.unrated,
                min_nights_since_listed=None,
                min_nights_in_window=None,
                nights_absent=None,
                max_without_reference_percent=None,
                no_stable_family=False,
                not_measured=False,
            ),
        )
        text = said(off)
        for sentence in (
            "This version has no rule on an endpoint's own variation.",
            "this version has no rule on which qualify",
            "This version sets no T to 0",
            "(this version knows no such pair of words)",
        ):
            assert sentence in text
        assert text.count("this version has no such reason") == 5
        assert text.count("absent: no such rule") >= 6

    def test_one_part_of_a_rule_off(self):
        """Where one of two parts is off, the other stands alone in its sentence."""
        definition = METHOD.definition
        rule = msgspec.structs.replace
        text = said(
            changed(
                task=rule(definition.task, best=rule(definition.task.best, excluded_reasons=())),
                unrated=rule(definition.unrated, min_nights_in_window=None),
            )
        )
        assert "'Best' is taken among the endpoints that answered or began to answer at least 90 %" in text
        assert "fewer than 7 recorded nights since the endpoint was first listed. Absent" in text


def variants() -> list[Any]:
    """Return, for each number of the definition, a copy of the definition in which it alone is another."""
    found: list[Any] = []

    def walk(value: object, rebuild: Callable[..., Definition], path: str) -> None:
        match value:
            case bool():
                found.append(pytest.param(rebuild(not value), id=path))
            case int() | Decimal():
                found.append(pytest.param(rebuild(value + 1), id=path))
            case msgspec.Struct():
                for name in value.__struct_fields__:
                    walk(
                        getattr(value, name),
                        lambda new, name=name: rebuild(msgspec.structs.replace(value, **{name: new})),
                        f"{path}.{name}".lstrip("."),
                    )
            case dict():
                for key, item in value.items():
                    walk(item, lambda new, key=key: rebuild({**value, key: new}), f"{path}.{key}")
            case tuple():
                for index, item in enumerate(value):
                    walk(
                        item,
                        lambda new, index=index: rebuild((*value[:index], new, *value[index + 1 :])),
                        f"{path}[{index}]",
                    )
            case _:
                pass

    walk(msgspec.structs.replace(METHOD.definition, format=1), lambda new: new, "")
    return found


class TestChangingAnyNumberChangesThePage:
    """'No literal threshold in the prose: changing any number in a copy of the definition must change the page'."""

    def test_every_number_is_tried(self):
        """The copies are as many as the definition has numbers and switches."""
        assert len(variants()) > 35

    @pytest.mark.parametrize("definition", variants())
    def test_page_changes(self, definition: Definition):
        """The page is another page."""
        assert page(changed_to(definition)) != OWN

    @pytest.mark.parametrize("definition", [each for each in variants() if each.id != "format"])
    def test_prose_changes_without_the_table_of_numbers(self, definition: Definition):
        """The prose alone is another too: no rule is told without its number."""
        assert told(definition) != own_prose()

    def test_table_lists_every_key(self):
        """Every key path of the definition stands in the table with its value."""
        text = said()
        rows = dict(leaves(METHOD.definition))
        assert {"window.nights", "letters.R.A.errors_below_percent", "latency.classes[0].below_ms"} <= set(rows)
        for path, value in rows.items():
            assert f"{path} {value}" in text

    def test_release_date_is_shown(self):
        """The day of release stands on the page."""
        later = METHOD.definition.released + timedelta(days=1)
        assert later.isoformat() in said(changed(released=later))


def changed_to(definition: Definition) -> Method:
    """Return the method with another definition."""
    return msgspec.structs.replace(METHOD, definition=definition)


class TestWorkedExample:
    """'list of numbers, floor and resulting match all computed'."""

    def test_given_numbers(self):
        """Numbers, place and floor of the example stand in one sentence."""
        assert (
            "11 endpoints with a self-disagreement of 0, 0, 1, 1, 2, 2, 3, 4, 6, 8, 11 %: the value at position 7, "
            "counted from 0, is 4, so the floor is 4 %" in said()
        )

    def test_other_floor(self):
        """Another floor gives another match."""
        assert "the floor is 2.5 % and a match of 97.5 or better is within noise" in said(floor=Fraction(5, 2))


class TestHeadings:
    """'Headings have stable ids so that figures can link to #floor, #match'."""

    def test_every_anchor(self):
        """Each place that grade pages link to is an id on the page."""
        tree = made.parsed(OWN)
        assert {element.get("id") for element in tree.iter()} >= ANCHORS

    def test_a_missing_heading_is_refused(self):
        """Prose without one of them is refused, naming file and id."""
        without = msgspec.structs.replace(METHOD, prose=METHOD.prose.replace("{#floor}", "{#flour}"))
        with pytest.raises(ContentError, match=r"id 'floor' in content/methods/0\.1\.md"):
            method_page.fill(without, FLOOR)

    def test_an_id_that_stands_twice_is_refused(self):
        """Two headings with one id are refused."""
        doubled = msgspec.structs.replace(METHOD, prose=METHOD.prose + "\n## Again {#floor}\n")
        with pytest.raises(ContentError, match="'floor' twice"):
            method_page.fill(doubled, FLOOR)


class TestProse:
    """Prose is CommonMark with tables, captions and heading ids, and no raw HTML."""

    @pytest.mark.parametrize(
        ("markdown", "html"),
        [
            ("## No id given", '<h2 id="no-id-given">No id given</h2>\n'),
            ("## With *em* {#own}", '<h2 id="own">With <em>em</em></h2>\n'),
            ("| a | b |\n|---|--:|\n| x | 1 |", 'scope="col" class="n"'),
            ("plain\n\n| a |\n|---|\n| x |", "<p>plain</p>\n<table>\n<thead>"),
            ("Table: said\n\n| a |\n|---|\n| x |", "<table>\n<caption>said</caption>"),
            ("| a | b | c | d | e |\n|---|---|---|---|---|\n| v | w | x | y | z |", "<table>\n"),
            (
                "| a | b | c | d | e | f |\n|---|---|---|---|---|---|\n| u | v | w | x | y | z |",
                '<table class="wide">\n',
            ),
            ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
        ],
    )
    def test_becomes(self, markdown: str, html: str):
        """What is written becomes this."""
        found = str(to_html(markdown, where="x.md").html)
        assert html.replace('scope="col" class="n"', "") in found
        assert all(attribute in found for attribute in re.findall(r'(?:scope|class)="\w+"', html))

    def test_title_is_taken_out(self):
        """A first-level heading that opens the prose is its title and no part of the body."""
        prose = to_html("# Title\n\ntext", where="x.md")
        assert (prose.title, str(prose.html)) == ("Title", "<p>text</p>\n")


class TestBrokenProse:
    @pytest.mark.parametrize(
        ("prose", "message"),
        [
            ("{% if %}", r"content/methods/0\.1\.md, line 1"),
            ("{{ no_such_key }}", "'no_such_key' is undefined"),
            ("{{ window.knights }}", "knights"),
            ("{{ 1 / 0 }}", "division by zero"),
            ("{{ window.__class__.__mro__ }}", "__class__"),
        ],
    )
    def test_is_refused_by_name(self, prose: str, message: str):
        """A syntax error, an unknown key, an impossible sum and a way out of the sandbox are refused."""
        with pytest.raises(ContentError, match=message):
            method_page.fill(msgspec.structs.replace(METHOD, prose=prose), FLOOR)

    def test_raw_html_is_text(self):
        """Raw HTML in prose is shown, not run."""
        prose = METHOD.prose + "\n<script>alert(1)</script>\n"
        assert "&lt;script&gt;" in str(method_page.fill(msgspec.structs.replace(METHOD, prose=prose), FLOOR).html)

    @pytest.mark.parametrize(
        ("percentile", "word"),
        [("75", "75th"), ("1", "1st"), ("22", "22nd"), ("93", "93rd"), ("12", "12th"), ("12.5", "12.5th")],
    )
    def test_ordinals(self, percentile: str, word: str):
        """A percentile is written as it is spoken."""
        rule = msgspec.structs.replace(METHOD.definition.floor, percentile=Decimal(percentile))
        assert f"is the {word} percentile" in said(changed(floor=rule))

    def test_hundredth_percentile(self):
        """At 100 the page no longer says that it is not the maximum, and the larger of two is taken."""
        rule = msgspec.structs.replace(METHOD.definition.floor, percentile=Decimal(100))
        text = said(changed(floor=rule))
        assert "not the maximum" not in text
        assert "the larger of the two values" in text


class TestListOfVersions:
    """'/method/ lists all versions and what each changed'."""

    def test_newest_first_with_standing(self):
        """Versions stand newest first with what each changed and whether it is current, candidate or neither."""
        text = made.page_text(made.sites()["live"]["method/index.html"])
        order = [
            text.index(part)
            for part in ("0.2 2026-11-29 candidate", "0.1 2026-11-29 current", "0.0 2026-11-29 superseded")
        ]
        assert order == sorted(order)
        assert METHOD.definition.changes[0] in text
        assert METHOD.digest in text
