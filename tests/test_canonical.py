"""Canonical JSON: whichever encoder wrote it, the bytes that RFC 8785 asks for."""

from __future__ import annotations

import string
from datetime import date
from decimal import Decimal

import msgspec
import pytest
import rfc8785
import site_material as made
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.records import canonical
from generator.records.canonical import canonical_json
from generator.records.grade import Grade, Letter
from generator.records.manifest import GradesManifest
from generator.records.night import NightRecord

EVERY_CHARACTER = "".join(chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000)
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
LARGEST = 2**53 - 1


def by_the_library(record: msgspec.Struct) -> bytes:
    """Return what rfc8785 says."""
    return rfc8785.dumps(msgspec.to_builtins(record, str_keys=True))


class TestBothEncodersGiveTheSameBytes:
    def test_of_a_grade_the_faster_one_is_used(self):
        """Grades hold nothing that JSON can write in two ways; nights and manifests with mappings do."""
        assert canonical._is_plain(Grade)
        assert not canonical._is_plain(NightRecord)
        assert not canonical._is_plain(GradesManifest)

    @settings(deadline=None, max_examples=300)
    @given(
        grade=st.sampled_from(made.history()),
        texts=st.fixed_dictionaries(dict.fromkeys(("model", "endpoint", "provider", "tag", "d_precision"), TEXT)),
        numbers=st.fixed_dictionaries(
            {name: st.integers(-LARGEST, LARGEST) for name in ("pairs", "r_sent", "t_correct", "nights_absent")}
        ),
        days=st.lists(st.dates(), max_size=3).map(tuple),
        price=st.none() | st.decimals(allow_nan=False, allow_infinity=False),
    )
    def test_for_every_grade(
        self,
        grade: Grade,
        texts: dict[str, str],
        numbers: dict[str, int],
        days: tuple[date, ...],
        price: Decimal | None,
    ):
        """Whatever its texts, numbers, dates and prices, a grade's bytes are those of rfc8785."""
        other = msgspec.structs.replace(grade, **texts, **numbers, nights=days, price_prompt=price)
        assert canonical_json(other) == by_the_library(other)

    def test_for_every_character(self):
        """Every character of Unicode stands in a text as RFC 8785 writes it."""
        grade = made.grade(provider=EVERY_CHARACTER)
        assert canonical_json(grade) == by_the_library(grade)

    def test_members_are_sorted(self):
        """Members stand in the order of their names, whatever order they are declared in."""
        names = list(msgspec.json.decode(canonical_json(made.grade())))
        assert names == sorted(Grade.__struct_fields__)


class TestWhatRfc8785RefusesIsRefused:
    @pytest.mark.parametrize("number", [2**53, -(2**53), 10**30])
    def test_a_number_that_no_reader_holds_exactly(self, number: int):
        """A whole number from 2^53 on is refused, and the one below it is not."""
        with pytest.raises(rfc8785.CanonicalizationError):
            canonical_json(made.grade(pairs=number))
        assert b":9007199254740991," in canonical_json(made.grade(pairs=LARGEST))

    def test_half_a_character(self):
        """A lone surrogate is refused in rfc8785's own words."""
        with pytest.raises(rfc8785.CanonicalizationError):
            canonical_json(made.grade(provider="\ud800"))

    def test_a_long_row_of_digits_in_a_text_is_a_text(self):
        """What only looks like a large number is written like any other text."""
        grade = made.grade(tag='x":12345678901234567890')
        assert canonical_json(grade) == by_the_library(grade)


class _Inner(msgspec.Struct):
    letter: Letter


class _Plain(msgspec.Struct):
    inner: tuple[_Inner, ...]
    days: tuple[date, ...]
    words: tuple[str, ...]
    letters: tuple[Letter, ...]
    maybe: int | None


class _Float(msgspec.Struct):
    ratio: float


class _Mapping(msgspec.Struct):
    by_name: dict[str, str]


class _Numbers(msgspec.Struct):
    numbers: tuple[int, ...]


class _Named(msgspec.Struct):
    name: str = msgspec.field(name="n\u00e4me")


class TestWhichRecordsArePlain:
    def test_texts_dates_words_and_members(self):
        """A record of plain values, and of tuples of them, is plain."""
        assert canonical._is_plain(_Plain)

    @pytest.mark.parametrize("kind", [_Float, _Mapping, _Numbers, _Named])
    def test_what_is_left_to_rfc8785(self, kind: type[msgspec.Struct]):
        """Floats, mappings, lists of numbers and names that are not ASCII are left to rfc8785."""
        assert not canonical._is_plain(kind)

    def test_a_float_is_written_as_rfc8785_writes_it(self):
        """1.0 is written 1."""
        assert canonical_json(_Float(ratio=1.0)) == b'{"ratio":1}'

    def test_names_are_ascii(self):
        """Every name of a grade's member is ASCII, so that both orders are the same."""
        assert set("".join(Grade.__struct_fields__)) <= set(string.ascii_lowercase + "_")
