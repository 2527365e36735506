"""Every sentence of the method page is quoted by a test class, tested where it is named here, or said to be no rule."""

from __future__ import annotations

import pytest

from tests import test_method_sentences, test_method_sentences_letters
from tests.method_sentences import quotations, sentences, stands

RULES = (
    *("nights", "outcomes", "reference", "self-disagreement", "floor", "stability", "columns", "match"),
    *("task-accuracy", "declared-precision", "reliability", "letters", "unrated", "latency", "price-and-context"),
    *("unit", "identity", "figures", "versions"),
)
"""The sections that hold rules; 'what' and 'additions' are checked word for word in test_site_method_page."""

ELSEWHERE = {
    "A void night is kept in the archive, marked, and stands in no window.": (
        "test_verification.test_a_void_night_is_kept_and_in_no_window"
    ),
    "Exactly one request decides an observation, and": "test_collect.TestExactlyOneRequestDecides",
    "Only what never reached the endpoint is sent again.": "test_wire_outcomes.TestRetryable",
    "In an open-ended family, a continuation,": "test_wire_outcomes.TestOpenEnded",
    "An incomplete JSON body is an error,": "test_wire_outcomes.test_what_comes_of_a_reply",
    "An answer in which the family's normaliser finds nothing": (
        "test_wire_outcomes.test_nothing_found_is_answered_with_its_cleaned_text_and_not_correct"
    ),
    "A server error that names no provider": "test_wire_outcomes.TestStop",
    "A request refused as malformed,": "test_wire_outcomes.TestRetryable",
    "A refusal for want of a key,": "test_wire_outcomes.TestStop",
    "No difference smaller than the floor is reported": (
        "test_site_grade_page.test_within_the_floor_shows_no_measured_figure"
    ),
    "A change of letter is always reported,": "test_site_pages.TestGradeIndex",
    "The match and the floor of each family are recorded": "test_site_grade_page.test_each_family",
    "The night's declared precision is what the router's listing says;": "test_wire_listing.test_absent_precision",
    "A change has a kind that is printed with it:": "test_method_reference.TestDeclared",
    "A replayed latency reads": "test_site_pages.test_latency_reads_replayed_not_measured",
    "A unit is a model at a declared precision": "test_site_grade_page.test_unit_marks_each_attribute",
    "Every attribute on it is marked": "test_site_grade_page.test_unit_marks_each_attribute",
    "Declared: precision, price,": "test_site_grade_page.test_unit_marks_each_attribute",
    "Measured:": "test_site_grade_page.test_unit_marks_each_attribute",
    "M, T, R, latency, observed context.": "test_site_grade_page.test_unit_marks_each_attribute",
    "D is declared, and held to consistency.": "test_site_grade_page.test_unit_marks_each_attribute",
    "The letter depends on both.": "test_site_grade_page.test_unit_marks_each_attribute",
    "A model is its router's permanent name,": "test_wire_listing.TestModelNames",
    "A tag is provider": "test_identity.TestBase",
    "The base is the tag without its precision part:": "test_identity.TestBase",
    "Without a tag, the provider's name serves.": "test_wire_listing.test_missing_tag",
    "The latest tag of an endpoint already known": "test_identity.TestRule1",
    "Otherwise, where exactly one known endpoint": "test_identity.TestRule2",
    "The archive notes the night and both tags,": "test_method_histories.TestASuccessionOfTags",
    "Otherwise it is a new endpoint,": "test_identity.TestRule3",
    "Its address is made once,": "test_identity.TestRule3",
    "Listed endpoints with one and the same tag": "test_identity.TestRule4",
    "They are one endpoint, marked": "test_identity.TestRule4",
    "All comparisons with a threshold are exact,": "test_method_numbers.TestAllComparisonsAreExactNeverOnFloats",
    "A printed figure never contradicts its letter:": "test_records.TestAPrintedFigureNeverContradictsItsLetter",
    "The method version stands beside the letter": "test_site_pages.TestALetterNeverStandsAlone",
    "A definition never changes once": ("test_versions_bound.TestADefinitionIsBound"),
    "Its digest, over the definition and this prose,": ("test_versions_bound.TestADefinitionIsBound"),
    "Versions that begin with 0 are provisional,": "test_records.test_a_later_major_version_is_final",
    "A later version re-grades the archive:": "test_versions.TestOldPagesStayAsTheyAreByteForByte",
    "What links versions together": "test_versions.TestTheIndexPagesListAllVersions",
    "One version is current:": "test_versions.TestSupersedesListsOnlyVersionsThatWereCurrent",
    "Candidates may be graded beside it;": "test_versions.TestSupersedesListsOnlyVersionsThatWereCurrent",
}
"""By how a sentence begins, the test of another module that holds it."""

NO_RULE = {
    "Worked example.": "a heading",
    "It is a percentile and not the maximum,": "gives a reason",
    "Counts and answers may stand anywhere.": "permits",
    "A subtraction, a comparing word,": "says the same of surfaces as the sentence before it",
    "Families are pooled because,": "gives a reason; simulated in the calibration",
    "Pooled, it mostly stays within,": "gives a reason; simulated in the calibration",
    "The best endpoint is never named.": "held by test_site_pages.TestEveryPage over all pages",
    "This matters, because": "gives a reason",
    "What an endpoint declares is not tested for truth.": "says what is not done",
    "Identity is settled once a night,": "says when; held by the nightly tests as a whole",
    "The first calibration reads": "a promise; the calibration's own tests hold it",
    "It gives version 1.0,": "a promise; the calibration's own tests hold it",
}
"""By how a sentence begins, why no test of the method quotes it."""

QUOTATIONS = quotations(test_method_sentences, test_method_sentences_letters)
OF_RULES = [sentence for sentence, section in sentences().items() if section in RULES]


class TestEverySentenceIsAnsweredFor:
    @pytest.mark.parametrize("sentence", OF_RULES)
    def test_by_one_of_three(self, sentence: str) -> None:
        """A sentence in a section of rules is quoted by a test class, tested elsewhere, or named as no rule."""
        quoted = any(sentence in text for text in QUOTATIONS.values())
        listed = [start for start in (*ELSEWHERE, *NO_RULE) if sentence.startswith(start)]
        assert quoted or listed

    @pytest.mark.parametrize("place", sorted(set(ELSEWHERE.values())))
    def test_the_test_elsewhere_is_there(self, place: str) -> None:
        """Each test that is named here for a sentence exists."""
        assert stands(place)

    @pytest.mark.parametrize("start", [*ELSEWHERE, *NO_RULE])
    def test_no_entry_is_for_a_sentence_that_is_gone(self, start: str) -> None:
        """Each entry begins a sentence of the page."""
        assert any(sentence.startswith(start) for sentence in OF_RULES)

    @pytest.mark.parametrize("name", QUOTATIONS)
    def test_a_class_quotes_the_page_and_nothing_else(self, name: str) -> None:
        """What a class quotes is made of whole sentences of the page."""
        left = QUOTATIONS[name]
        for sentence in sorted(OF_RULES, key=len, reverse=True):
            left = left.replace(sentence, "")
        assert left.strip() == ""

    def test_every_class_of_those_modules_quotes(self) -> None:
        """No test class of the modules of sentences is without a quotation."""
        modules = (test_method_sentences, test_method_sentences_letters)
        classes = {f"{m.__name__}.{n}" for m in modules for n in vars(m) if n.startswith("Test")}
        assert classes == set(QUOTATIONS)
