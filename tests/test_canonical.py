"""Canonical JSON: whichever encoder wrote it, the bytes that RFC 8785 asks for."""

from __future__ import annotations

import string
from datetime import UTC, date, datetime
from decimal import Decimal

import msgspec
import pytest
import rfc8785
import site_material as made
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.records import canonical
from generator.records.canonical import canonical_json, sealed, sha256
from generator.records.grade import Grade, Letter
from generator.records.log_index import LogIndex
from generator.records.manifest import GradesManifest
from generator.records.night import ModelSettings, NightRecord

EVERY_CHARACTER = "".join(chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000)
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
LARGEST = 2**53 - 1
NIGHT = made.night(date(2026, 3, 1)).record
INDEX = LogIndex(format=1, first=7, count=2, sha256="0" * 64, seal="")
MANIFEST = GradesManifest(
    format=1,
    file="grades/0.1/2026-03-01.parquet",
    sha256="0" * 64,
    rows=3,
    method_version="0.1",
    method_digest="1" * 64,
    window_end=date(2026, 3, 1),
    nights={"2026-03-01": "2" * 64, "2026-02-28": "3" * 64},
    voided={},
    role="current",
    regrade=False,
    seal="",
)


def by_the_library(record: msgspec.Struct) -> bytes:
    """Return what rfc8785 says."""
    return rfc8785.dumps(msgspec.to_builtins(record, str_keys=True))


class TestBothEncodersGiveTheSameBytes:
    @pytest.mark.parametrize("kind", [Grade, NightRecord, GradesManifest, LogIndex])
    def test_of_what_is_read_most_the_faster_one_is_used(
        self, kind: type[msgspec.Struct], monkeypatch: pytest.MonkeyPatch
    ):
        """A grade, a night, a manifest and a record of the log are written and sealed without rfc8785."""
        record = next(each for each in (made.grade(), NIGHT, MANIFEST, INDEX) if type(each) is kind)
        expected = by_the_library(record)
        monkeypatch.setattr(rfc8785, "dumps", None)
        assert canonical_json(record) == expected
        if kind is not Grade:
            assert len(sealed(record).seal) == 64

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

    @settings(deadline=None, max_examples=300)
    @given(
        texts=st.fixed_dictionaries(dict.fromkeys(("reason", "seed", "router", "cost_usd"), TEXT)),
        files=st.dictionaries(TEXT, TEXT, max_size=5),
        temperature=st.floats(allow_nan=False, allow_infinity=False) | st.integers(-LARGEST, LARGEST),
        rungs=st.lists(st.integers(-LARGEST, LARGEST), max_size=3).map(tuple),
        models=st.dictionaries(TEXT, st.builds(ModelSettings, max_tokens=st.none() | st.integers(0, 99)), max_size=3),
        began=st.datetimes(timezones=st.just(UTC)) | st.datetimes(),
        missed=st.lists(st.dates(), max_size=2).map(tuple),
    )
    def test_for_every_night(
        self,
        texts: dict[str, str],
        files: dict[str, str],
        temperature: float,
        rungs: tuple[int, ...],
        models: dict[str, ModelSettings],
        began: datetime,
        missed: tuple[date, ...],
    ):
        """Whatever its texts, names, numbers and times, a night's bytes are those of rfc8785, and so is its seal."""
        asked = msgspec.structs.replace(NIGHT.settings, temperature=temperature, context_rungs=rungs, models=models)
        other = msgspec.structs.replace(
            NIGHT, **texts, files=files, settings=asked, started_at=began, missed=missed, seal="x"
        )
        assert canonical_json(other) == by_the_library(other)
        content = msgspec.to_builtins(other, str_keys=True)
        del content["seal"]
        assert sealed(other).seal == sha256(rfc8785.dumps(content))

    @settings(deadline=None)
    @given(st.floats(min_value=-2, max_value=2) | st.floats(allow_nan=False, allow_infinity=False))
    def test_for_every_float(self, ratio: float):
        """Whole or not, small or large, a float is written as RFC 8785 says."""
        assert canonical_json(_Float(ratio=ratio)) == rfc8785.dumps({"ratio": ratio})

    @settings(deadline=None)
    @given(st.dictionaries(TEXT | st.text(string.printable), st.text(string.printable)))
    def test_for_every_mapping(self, by_name: dict[str, str]):
        """Keys stand in the order of their UTF-16."""
        assert canonical_json(_Mapping(by_name=by_name)) == rfc8785.dumps({"by_name": by_name})

    def test_keys_beyond_the_first_plane_are_sorted_by_utf_16(self):
        """U+1F600 stands before U+FFFD, whose code point is the smaller one."""
        data = canonical_json(_Mapping(by_name={"\ufffd": "b", "\U0001f600": "a"}))
        assert list(msgspec.json.decode(data)["by_name"]) == ["\U0001f600", "\ufffd"]

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
        for numbers in ((number,), (1, number)):
            with pytest.raises(rfc8785.CanonicalizationError):
                canonical_json(_Numbers(numbers=numbers))

    @pytest.mark.parametrize("ratio", [float("nan"), float("inf")])
    def test_what_is_no_number(self, ratio: float):
        """A float that JSON has no word for."""
        with pytest.raises(rfc8785.CanonicalizationError):
            canonical_json(_Float(ratio=ratio))

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


class _Floats(msgspec.Struct):
    ratios: tuple[float, ...]


class _MaybeFloat(msgspec.Struct):
    ratio: float | None


class _ByDate(msgspec.Struct):
    by_day: dict[date, str]


class _Anything(msgspec.Struct):
    anything: object


class TestWhichRecordsArePlain:
    @pytest.mark.parametrize("kind", [_Plain, _Float, _Mapping, _Numbers])
    def test_texts_dates_words_numbers_and_members(self, kind: type[msgspec.Struct]):
        """A record of plain values, and of tuples and mappings of them, is plain."""
        assert canonical._shape(kind) is not None

    @pytest.mark.parametrize("kind", [_Named, _Floats, _MaybeFloat, _ByDate, _Anything])
    def test_what_is_left_to_rfc8785(self, kind: type[msgspec.Struct]):
        """Lists of floats, keys that are no text, and names that are not ASCII are left to rfc8785."""
        assert canonical._shape(kind) is None

    def test_a_float_is_written_as_rfc8785_writes_it(self):
        """1.0 is written 1."""
        assert canonical_json(_Float(ratio=1.0)) == b'{"ratio":1}'
        assert canonical_json(_Float(ratio=-0.0)) == b'{"ratio":0}'
        assert canonical_json(_Float(ratio=1e-7)) == b'{"ratio":1e-7}'
        assert canonical_json(_MaybeFloat(ratio=2.0)) == b'{"ratio":2}'

    def test_names_are_ascii(self):
        """Every name of a grade's member is ASCII, so that both orders are the same."""
        assert set("".join(Grade.__struct_fields__)) <= set(string.ascii_lowercase + "_")
