"""The nouns: figures that never contradict a letter, slugs that are safe and never two for one thing, sealed words."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import kept_site
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.errors import ArchiveError, ContentError, ExitCode, IntegrityError
from generator.probing.interface import Ask
from generator.probing.sealing import (
    NOT_ASKED,
    ask_key,
    kinds_text,
    night_cost,
    night_counts,
    night_end,
    night_rows,
    undecided,
)
from generator.records import figures, permalink, slug
from generator.records.canonical import canonical_json
from generator.records.definition_file import parse_definition, parse_method
from generator.records.finding import FindingKind
from generator.records.grade import Letter, MatchNight, UnratedReason
from generator.records.observation import Observation, Outcome
from generator.records.reading import LETTER_WORDS, allowed_figure, reason_words, short_form
from generator.settings import Key
from generator.verification.findings import Findings
from generator.workflows.world import Root

FRACTIONS = st.fractions(min_value=-200, max_value=200, max_denominator=100_000)


class TestAPrintedFigureNeverContradictsItsLetter:
    @pytest.mark.parametrize(
        ("value", "limits", "shown"),
        [
            ("2.04", ["2"], "2.04"),
            ("2", ["2"], "2"),
            ("1.96", ["2"], "1.96"),
            ("1.94", ["2"], "1.9"),
            ("2.0000001", ["2", "5"], "2.0000001"),
            ("4.999", ["2", "5", "10"], "4.999"),
            ("0.04", ["1"], "0"),
            ("0.04", ["0"], "0.04"),
            ("33.333", [], "33.3"),
            ("-0.25", [], "-0.2"),
            ("7", [], "7"),
        ],
    )
    def test_digits_are_added_until_the_side_is_right(self, value: str, limits: list[str], shown: str):
        """2.04 prints as 2.04, not 2.0, where 2 is the limit."""
        assert figures.printed(Fraction(value), [Fraction(limit) for limit in limits]) == shown

    @given(FRACTIONS, st.lists(FRACTIONS, max_size=4))
    def test_the_printed_figure_lies_on_the_same_side_of_every_limit(self, value: Fraction, limits: list[Fraction]):
        """Whatever is printed compares with each limit as the value does."""
        shown = Fraction(figures.printed(value, limits))
        for limit in limits:
            assert (shown > limit, shown < limit) == (value > limit, value < limit)

    @pytest.mark.parametrize(
        ("allowed", "shown"), [((59, 30), "1.97"), ((9, 5), "1.8"), ((2, 1), "2"), ((2997, 1000), "2.997")]
    )
    def test_what_a_night_allowed_is_never_printed_as_the_next_whole_number(self, allowed: tuple[int, int], shown: str):
        """Where 59/30 are allowed a second mismatch is outside: 'allowed 2' would say that it is not."""
        numerator, denominator = allowed
        night = MatchNight(
            night=date(2026, 3, 8),
            prompts=60,
            mismatches=1,
            allowed_numerator=numerator,
            allowed_denominator=denominator,
        )
        assert allowed_figure(night) == shown

    @given(st.fractions(0, 100), st.integers(0, 101))
    def test_what_a_night_allowed_lies_on_the_same_side_of_every_count(self, allowed: Fraction, mismatches: int):
        """Mismatches are above what is printed as allowed exactly where they are above what is allowed."""
        night = MatchNight(
            night=date(2026, 3, 8),
            prompts=120,
            mismatches=mismatches,
            allowed_numerator=allowed.numerator,
            allowed_denominator=allowed.denominator,
        )
        shown = Fraction(allowed_figure(night))
        assert (mismatches > shown, mismatches < shown) == (mismatches > allowed, mismatches < allowed)

    def test_a_value_nearer_to_its_limit_than_any_decimal_is_printed_as_a_fraction(self):
        """Where no decimal of reasonable length would do, the exact fraction stands."""
        value = 2 + Fraction(1, 10**40)
        assert figures.printed(value, [Fraction(2)]) == str(value)

    def test_money_is_printed_in_plain_notation(self):
        """A price reads as it is written, never with an exponent."""
        assert figures.decimal_text(Decimal("1E-8")) == "0.00000001"
        assert figures.decimal_text(Decimal(100)) == "100"
        assert figures.decimal_text(Decimal("2.500")) == "2.5"


class TestWhatIsStoredComparesAlike:
    @given(st.integers(0, 500), st.integers(0, 10**40), st.integers(1, 10**40), st.integers(0, 600))
    def test_every_count_is_above_the_stored_fraction_exactly_where_it_is_above_the_true_one(
        self, whole: int, part: int, denominator: int, count: int
    ):
        """However large its parts were, what is stored decides the same."""
        value = whole + Fraction(part % denominator, denominator)
        stored = figures.storable(value)
        assert max(stored.numerator, stored.denominator) <= figures.LARGEST_INTEGER
        assert (count > stored) == (count > value)

    def test_ordinary_fractions_are_stored_as_they_are(self):
        """Nearly always the exact value is kept."""
        assert figures.storable(Fraction(17, 120)) == Fraction(17, 120)


class TestSlugsAreSafeOnEveryFileSystem:
    HOSTILE = (
        "..",
        "a/../b",
        "con",
        "CON",
        "nul.txt",
        "a b",
        "Ünï",
        "",
        ".",
        "-",
        "a\0b",
        "x" * 300,
        "💩",
        "A",
        "a--b",
        "é",
    )

    @pytest.mark.parametrize("text", HOSTILE)
    def test_a_hostile_text_becomes_a_plain_segment(self, text: str):
        """ASCII, lower case, no dots at the ends, no reserved name, not too long."""
        segment = slug.path_segment(text)
        assert segment.isascii()
        assert segment == segment.lower()
        assert "/" not in segment
        assert segment.strip(".-_ ") == segment
        assert 0 < len(segment) <= slug.MAX_SLUG
        assert segment.split(".")[0] not in {"con", "nul"}

    @given(st.text(), st.text())
    def test_two_texts_never_share_a_segment(self, first: str, second: str):
        """Segments are injective, on a case-insensitive file system too."""
        if first != second:
            assert slug.path_segment(first).lower() != slug.path_segment(second).lower()

    @pytest.mark.parametrize("text", ["llama-3.3-70b-instruct", "gemma-3-270m", "a", "deepseek-chat-v3.1"])
    def test_an_ordinary_name_stays(self, text: str):
        """A safe name is its own segment."""
        assert slug.path_segment(text) == text

    def test_an_endpoints_slug_is_made_from_its_base_then_from_its_full_tag(self):
        """A taken base gives way to the full tag, a taken tag to a number; a dot never stays."""
        assert slug.unused_slug(("Deep Infra/turbo", "x"), frozenset()) == "deep-infra-turbo"
        assert slug.unused_slug(("a", "a/fp8"), frozenset({"a"})) == "a-fp8"
        assert slug.unused_slug(("a", "a/fp8"), frozenset({"a", "a-fp8", "a-fp8-2"})) == "a-fp8-3"
        assert slug.unused_slug(("index.html",), frozenset()) == "index-html"
        assert slug.unused_slug(("💩",), frozenset()) == "endpoint"
        assert slug.unused_slug(("💩",), frozenset({"endpoint"})) == "endpoint-2"


class TestAddresses:
    def test_each_page_has_the_address_that_was_published(self):
        """Addresses are for ever: these literals must never change."""
        end = date(2026, 3, 8)
        assert permalink.model_path("aster/sphinx-8b") == "models/aster/sphinx-8b/"
        assert permalink.endpoint_path("aster/sphinx-8b", "mill") == "models/aster/sphinx-8b/mill/"
        assert permalink.grade_index_path("aster/sphinx-8b", "mill", end) == "grades/aster/sphinx-8b/mill/2026-03-08/"
        assert (
            permalink.permalink_path("aster/sphinx-8b", "mill", end, "0.1")
            == "grades/aster/sphinx-8b/mill/2026-03-08/v0.1/"
        )
        assert permalink.night_path(end) == "nights/2026-03-08/"
        assert permalink.method_path() == "method/"
        assert permalink.method_path("0.1") == "method/0.1/"

    def test_a_model_without_an_author_and_one_whose_author_is_the_stand_in_do_not_meet(self):
        """`x` and `_/x` are two models."""
        assert permalink.model_path("x") == "models/_/x/"
        assert permalink.model_path("_/x") != permalink.model_path("x")


class TestDefinitionAndProseAreOneMethod:
    def test_prose_that_is_no_text_names_its_file(self):
        """A method's Markdown must be UTF-8."""
        toml = Path("content/methods/0.1.toml").read_bytes()
        with pytest.raises(ContentError, match=r"0\.1\.md"):
            parse_method(toml, b"\xff", where="content/methods/0.1.toml")

    def test_the_digest_covers_both(self):
        """A changed word of the prose is another method, as a changed number is."""
        toml = Path("content/methods/0.1.toml").read_bytes()
        digests = {
            parse_method(toml + more, prose, where="x").digest for more in (b"", b"# more\n") for prose in (b"a", b"b")
        }
        assert len(digests) == 4

    def test_a_later_major_version_is_final(self):
        """Versions 0.x are provisional, 1.0 is not."""
        toml = Path("content/methods/0.1.toml").read_bytes()
        assert parse_definition(toml, where="x").provisional
        assert not parse_definition(toml.replace(b'version = "0.1"', b'version = "1.0"'), where="x").provisional


class TestReadings:
    def test_the_short_form_carries_version_and_columns(self, tmp_path: Path):
        """'U 0.1 · M ...': a letter never stands without its version and its four columns."""
        grades = kept_site.make_root(tmp_path, nights=2, rendered=False).store.grades.get("0.1", date(2026, 3, 2))
        assert short_form(grades[0]) == "U 0.1 · M A T \N{EN DASH} D A R A"
        unmeasured = msgspec.structs.replace(grades[0], m_letter=None)
        assert short_form(unmeasured).startswith("U 0.1 · M \N{EN DASH} T")

    def test_every_letter_has_a_word_and_every_reason_a_sentence(self, tmp_path: Path):
        """Nothing is said by a letter or a code alone."""
        grade = kept_site.make_root(tmp_path, nights=1, rendered=False).store.grades.get("0.1", date(2026, 3, 1))[0]
        definition = Root(tmp_path).content.method("0.1").definition
        assert set(LETTER_WORDS) == set(Letter)
        sentences = {reason_words(reason, grade, definition) for reason in UnratedReason}
        assert len(sentences) == len(UnratedReason)


class TestANightsRows:
    @staticmethod
    def asks() -> list[Ask]:
        """Return one ask for each prompt of one endpoint."""
        listed = kept_site.listed("kiln")
        return [
            Ask(
                model=listed.model,
                model_id=listed.model_id,
                endpoint=listed.endpoint,
                provider=listed.provider,
                tag=listed.tag,
                quantization=None,
                parameters=(),
                reasoning_mandatory=False,
                reasoning_supported=False,
                price_prompt=None,
                price_completion=None,
                prompt=prompt,
                kind="line",
            )
            for prompt in kept_site.PROMPTS
        ]

    def test_what_was_never_asked_is_unsent(self):
        """Every planned prompt has a row: as decided, or unsent."""
        decided = kept_site.observations(date(2026, 3, 1), "kiln")[:3]
        rows = night_rows(self.asks(), decided)
        assert len(rows) == len(kept_site.PROMPTS)
        assert [row.error_kind for row in rows[3:]] == [NOT_ASKED] * (len(rows) - 3)
        names = {ask_key(each) for each in self.asks()[5:]}
        left_out = night_rows(self.asks(), decided, names)
        assert [row.error_kind for row in left_out[3:]] == [NOT_ASKED, NOT_ASKED, "unpriced", "unpriced", "unpriced"]
        assert kinds_text(left_out[3:]) == "unpriced 3, not_asked 2"
        counts = night_counts(rows)
        assert (counts.planned, counts.sent, counts.answered, counts.unsent) == (8, 3, 3, 5)
        assert [ask.prompt.prompt_id for ask in undecided(self.asks(), decided)] == [
            prompt.prompt_id for prompt in kept_site.PROMPTS[3:]
        ]

    def test_a_night_ends_with_its_last_answer_and_costs_their_sum(self):
        """The end is a fact of the observations, whenever the night is sealed."""
        start = datetime(2026, 3, 1, 3, tzinfo=UTC)
        rows = kept_site.observations(date(2026, 3, 1), "kiln")
        assert night_end(start, rows) == datetime(2026, 3, 1, 3, 1, 0, 400_000, tzinfo=UTC)
        assert night_end(start, []) == start
        assert night_cost(rows) == "0.000008"
        assert night_cost([]) == "0"


class TestKeysAreNeverPrinted:
    def test_neither_repr_nor_text_nor_format_holds_the_key(self):
        """Only `reveal` gives the key away."""
        key = Key("secret-thing")
        assert "secret" not in f"{key!r} {key} {[key]}"
        assert key.reveal() == "secret-thing"


class TestFindings:
    def test_a_file_that_cannot_be_read_is_a_finding_of_its_own_kind(self):
        """A disk that refuses is not a changed file."""
        findings = Findings()
        with findings.reading("archive/x"):
            raise ArchiveError("cannot read: Input/output error", where="x")
        assert [finding.kind for finding in findings.report().findings] == [FindingKind.UNREADABLE]
        assert findings.report().findings[0].found == "cannot read: Input/output error"

    def test_errors_carry_their_exit_codes(self):
        """Each branch of the tree says how the command ends."""
        assert IntegrityError("x").exit_code == ExitCode.INTEGRITY
        assert ArchiveError("x").exit_code == ExitCode.FAILED
        assert str(ArchiveError("x", where="y", do="Do z")) == "x in y. Do z"
        assert str(ArchiveError("x")) == "x"

    def test_canonical_json_has_no_floats_of_ours(self):
        """Costs and dates are strings, so that every reader reads the same bytes."""
        row = Observation(
            model="m",
            endpoint="e",
            prompt_id="p",
            family="f",
            fixed=True,
            outcome=Outcome.ANSWERED,
            cost_usd=Decimal("0.1"),
            requested_at=datetime(2026, 3, 1, tzinfo=UTC),
        )
        assert b'"cost_usd":"0.1"' in canonical_json(row)
        assert b'"requested_at":"2026-03-01T00:00:00Z"' in canonical_json(row)
