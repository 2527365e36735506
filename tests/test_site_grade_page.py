"""The permanent page: everything that it must carry, for every kind of grade."""

from __future__ import annotations

import re
from fractions import Fraction
from posixpath import dirname, normpath
from xml.etree.ElementTree import Element

import msgspec
import pytest
import site_material as made

from generator.records.canonical import canonical_json, sha256
from generator.records.grade import DeclaredState, Grade, Letter
from generator.records.permalink import grade_index_path
from generator.records.reading import LETTER_WORDS, NO_LETTER, allowed_figure, night_words, readings, reason_words
from generator.site import grade_page
from generator.site.citation import Citation, cite, named

MATERIAL = made.material()
SETTINGS = MATERIAL.settings
EVERY = [pytest.param(each, id=f"{each.endpoint}-{each.window_end}-{each.method_version}") for each in made.history()]
KINDS = [pytest.param(each, id=each.endpoint) for each in made.kinds()]


def render(grade: Grade) -> bytes:
    """Return a grade's permanent page."""
    return made.permanent_page(grade, made.context(grade, MATERIAL))


def cited(grade: Grade) -> Citation:
    """Return a grade's citation."""
    return cite(grade, named(grade, SETTINGS), SETTINGS)


def said(grade: Grade) -> str:
    """Return what a grade's permanent page says."""
    return made.page_text(render(grade))


def tree(grade: Grade) -> Element:
    """Return the tree of a grade's permanent page."""
    return made.parsed(render(grade))


def squeezed(text: str) -> str:
    """Return a text with its white space collapsed."""
    return " ".join(text.split())


class TestThePermanentPageCarries:
    """'The permanent page carries: ...', one part a test."""

    @pytest.mark.parametrize("grade", EVERY)
    def test_letter_word_version_and_standing(self, grade: Grade):
        """The letter and its word (never colour alone), the method version, and whether it is provisional."""
        glyph = tree(grade).find(".//p[@class='glyph " + grade.letter + "']")
        assert glyph is not None
        shown = made.text_of(glyph)
        word = LETTER_WORDS[grade.letter]
        candidate = ", candidate" if grade.method_version == "0.2" else ""
        assert shown == f"{grade.letter}, {word}, method {grade.method_version}, provisional{candidate}"

    @pytest.mark.parametrize("grade", KINDS)
    def test_four_columns_in_words_and_figures(self, grade: Grade):
        """The four column values as records.reading words them."""
        for reading in readings(grade, made.method().definition):
            assert f"{reading.letter or NO_LETTER} {reading.words}" in said(grade)

    @pytest.mark.parametrize("grade", KINDS)
    def test_method_version_linked_to_its_page(self, grade: Grade):
        """The method version leads to that version's page, and each figure's heading to its place there."""
        hrefs = {anchor.get("href") for anchor in tree(grade).iter("a")}
        up = "../../../../../../"
        assert f"{up}method/0.1/index.html" in hrefs
        for anchor in ("match", "floor", "task-accuracy", "declared-precision", "reliability", "unit", "latency"):
            assert f"{up}method/0.1/index.html#{anchor}" in hrefs

    def test_listings_behind_an_inseparable_endpoint(self):
        """How many listings stand behind an endpoint that cannot be separated."""
        assert "2 listings, not separable" in said(made.kinds()[3])
        assert "not separable" not in said(made.kinds()[0])

    @pytest.mark.parametrize("grade", KINDS)
    def test_each_nights_reading(self, grade: Grade):
        """First and last night, and for each night prompts, mismatches, what was allowed, and the reading."""
        text = said(grade)
        assert f"Window of {grade.window_start} to {grade.window_end}, 7 recorded nights" in text
        measured = {night.night: night for night in grade.m_night}
        for night in grade.nights:
            if night in measured:
                match = measured[night]
                reading = night_words(match, made.method().definition)
                row = f"{night} {match.prompts} {match.mismatches} {allowed_figure(match)} {reading}"
            else:
                row = f"{night} {f'{NO_LETTER}not measured ' * 3}not measured"
            assert row in text

    @pytest.mark.parametrize("grade", KINDS)
    def test_no_cell_is_silent(self, grade: Grade):
        """Every cell of every table says something, if only that there is nothing."""
        assert all(made.text_of(cell) for cell in tree(grade).iter("td"))

    @pytest.mark.parametrize("grade", KINDS)
    def test_each_figures_heading_leads_to_the_method(self, grade: Grade):
        """Above every column of figures stands a link to the sentences that define it."""
        figures = tree(grade).findall(".//thead//th[@class='n']")
        assert len(figures) >= 6
        for head in figures:
            assert head.find("a[@class='why']") is not None, made.text_of(head)

    def test_titles_of_two_versions_differ(self):
        """The title of a page says the method version, and no letter."""
        titles = [tree(made.grade(method_version=version)).findtext(".//title") for version in ("0.1", "0.2")]
        assert titles == [f"google/gemma-3-270m at Alder, 2026-11-27, method {v} · bitdepth" for v in ("0.1", "0.2")]

    def test_declared_precision_of_each_night(self):
        """Where it is given, each night's declared precision stands beside its reading; where not, no column does."""
        grade = made.grade()
        assert "2026-11-20 96 2 3.5 within not listed" in said(grade)
        assert "2026-11-21 96 3 3.5 within int4" in said(grade)
        bare = msgspec.structs.replace(made.context(grade, MATERIAL), precision_before={})
        page = made.page_text(made.permanent_page(grade, bare))
        assert "2026-11-21 96 3 3.5 within 2026-11-22" in page

    def test_each_family(self):
        """For each family: stable or not, floor, prompts, mismatches, and the endpoint's own pairs."""
        text = said(made.grade())
        assert "arith not stable 0 % 84 0 72 0" in text
        assert "unit stable 9.72 % 77 7 72 1" in text
        assert "sort not stable no floor 78 6 0 0" in text

    def test_each_keyed_family(self):
        """For each keyed family correct and counted, and all together; the endpoint counted from is not named."""
        text = said(made.kinds()[1])
        assert "arith 60 105" in text
        assert "All keyed families 473 735" in text
        assert "The endpoint that T is counted from, which is not named, has 503 correct of 736 counted." in text

    def test_within_the_floor_shows_no_measured_figure(self):
        """A T that the floor zeroes reads within the floor, and its measured figure is in the data alone."""
        text = said(made.grade())
        assert "Task accuracy reads within the floor" in text
        assert "503 correct" not in text
        assert not re.search(r"\bpoints?\b", text)

    @pytest.mark.parametrize("grade", KINDS)
    def test_unit_marks_each_attribute(self, grade: Grade):
        """Each attribute of the unit is marked *declared* or *measured* by word."""
        table = next(t for t in tree(grade).iter("table") if "Depends on" in made.text_of(t))
        marks = {made.text_of(row[0]): made.text_of(row[2]) for row in table.findall("tbody/tr")}
        assert marks == {
            "Declared precision": "declared",
            "Price": "declared",
            "Context listed": "declared",
            "Context observed": "measured",
            "Latency class": "measured",
            "Match": "measured",
            "Task accuracy": "measured",
            "Declaration": "declared, held to consistency",
            "Reliability": "measured",
            "Letter": "declared and measured",
        }

    def test_every_reason_when_unrated(self):
        """A grade that is U prints every reason that holds, and the columns that exist."""
        grade = made.kinds()[4]
        for reason in grade.unrated_reasons:
            assert reason_words(reason, grade, made.method().definition) in said(grade)
        assert "B absent, unchanged" in said(grade)
        assert "Why unrated" not in said(made.grade())

    def test_what_a_regrade_replaced(self):
        """A re-grade names the letter and version that it replaces, and leads to the page that stays."""
        grade = next(each for each in made.history() if each.supersedes)
        assert "B 0.0 · M B T A D A R A provisional, superseded , then A 0.1 · M A T A D A R A provisional" in said(
            grade
        )
        assert "../v0.0/index.html" in {anchor.get("href") for anchor in tree(grade).iter("a")}
        assert "replaces" not in said(made.grade())

    def test_a_candidate_says_so(self):
        """A page under a candidate version is marked, and replaces nothing."""
        grade = made.grade(method_version="0.2")
        assert "Issued as a candidate beside method version 0.1: it replaces nothing." in said(grade)

    @pytest.mark.parametrize("grade", EVERY)
    def test_record_permalink_date_and_promise(self, grade: Grade):
        """Permalink in full, date issued, the record's SHA-256, and the constant line."""
        text = said(grade)
        address = made.address(grade)
        assert f"Permalink {address}" in text
        assert f"Issued {grade.issued}" in text
        assert f"SHA-256 of the record {sha256(canonical_json(grade))}" in text
        index = address.removesuffix(f"v{grade.method_version}/")
        assert f"This page never changes; later versions are listed at {index}." in text

    def test_reliability_in_counts_and_shares(self):
        """Errors of what was sent, truncated of what was begun, misrouted as a count."""
        text = said(made.kinds()[3])
        assert "errors and empty answers 33 840 sent 3.9 %" in text
        assert "truncated 4 837 begun 0.5 %" in text
        assert "misrouted 0" in text
        assert "errors and empty answers 0 0 sent not measured" in said(made.kinds()[4])

    def test_latency(self):
        """The latency class with its median, or 'replayed, not measured', or 'not measured'."""
        assert "Latency class class II, median 1,312 ms to a complete answer measured" in said(made.grade())
        assert "Latency class replayed, not measured measured" in said(made.grade(latency_class="replayed"))
        assert "Latency class not measured measured" in said(made.kinds()[4])

    def test_unchanged_or_dated(self):
        """Declared precision reads unchanged, or each change with its date and kind."""
        assert "int4, unchanged over the nights" in said(made.grade())
        absent = made.grade(d_state=DeclaredState.ABSENT, d_precision=None, d_letter=Letter.B, letter=Letter.B)
        assert "absent, unchanged over the nights" in said(absent)
        assert "mxfp4, then absent, on 2026-11-25 (withdrawn)" in said(made.kinds()[2])


class TestCitation:
    """'how to cite (text, BibTeX, CSL-JSON)'."""

    @pytest.mark.parametrize("grade", EVERY)
    def test_each_form_is_on_the_page_with_letter_version_and_columns(self, grade: Grade):
        """Each form stands on the page and never gives the letter without version, columns and permalink."""
        citation = cited(grade)
        text = squeezed(said(grade))
        for form in (citation.text, citation.bibtex, citation.csl_json):
            assert squeezed(form) in text
            assert made.address(grade) in form
            assert f"method {grade.method_version} (M " in form
            assert "provisional" in form


class TestRecord:
    def test_grade_json_is_the_canonical_record(self):
        """grade.json lies beside the page and is exactly the bytes that are hashed."""
        grade = made.grade()
        page, record = grade_page.paths(grade)
        assert record == page.replace("index.html", "grade.json")
        assert grade_page.record_bytes(grade) == canonical_json(grade)
        assert msgspec.json.decode(canonical_json(grade), type=Grade) == grade

    def test_page_and_record_are_made_together(self):
        """What lies in a grade's folder is its page, which names the record's digest, and the record."""
        grade = made.grade()
        page, record = grade_page.paths(grade)
        made_files = dict(grade_page.files(grade, made.context(grade, MATERIAL), made.TEMPLATES))
        assert made_files == {page: render(grade), record: canonical_json(grade)}
        assert sha256(canonical_json(grade)).encode() in made_files[page]

    def test_its_index_lies_above_it(self):
        """The page links its index, whose folder the page's own folder lies in."""
        grade = made.grade()
        page, _ = grade_page.paths(grade)
        index = grade_index_path(grade.model, grade.endpoint, grade.window_end)
        (href,) = re.findall(r'later versions are listed at <a href="([^"]+)"', render(grade).decode())
        assert normpath(f"{dirname(page)}/{href}") == f"{index}index.html"


class TestAPrintedFigureNeverContradictsItsLetter:
    """'A printed figure never contradicts its letter'."""

    @pytest.mark.parametrize(("numerator", "denominator"), [(299, 100), (301, 100), (3, 1), (300001, 100000)])
    def test_allowed_agrees_with_the_nights_reading(self, numerator: int, denominator: int):
        """Three mismatches are outside what is printed as allowed exactly where the night reads outside."""
        night = made.match_night(made.NIGHTS[-1], 3)
        night = msgspec.structs.replace(night, allowed_numerator=numerator, allowed_denominator=denominator)
        text = said(made.grade(m_night=(night,)))
        found = re.search(r"2026-11-27 96 3 ([\d.]+) (outside|within)", text)
        assert found is not None
        assert (Fraction(found[1]) < 3) == (found[2] == "outside")
