"""The JSON Schema of grade.json: every record fits it, and no mutated one does."""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest
import site_material as made
from jsonschema import Draft202012Validator

from generator.records import grade as records
from generator.site.grade_page import record_bytes
from generator.site.grade_schema import PATH, grade_schema
from tests.kept_site import make_root

SCHEMA = json.loads(made.sites()["live"][PATH])
VALID = Draft202012Validator(SCHEMA)
FULL = json.loads(
    record_bytes(
        msgspec.structs.replace(
            made.current_alder(), d_changes=made.kinds()[2].d_changes, unrated_reasons=tuple(records.UnratedReason)
        )
    )
)
"""A record in which no list is empty."""


def places(value: object, *place: str | int) -> Iterator[tuple[str | int, ...]]:
    """Yield where every object, list and value of a record is, lists by their first."""
    yield place
    match value:
        case dict():
            for name in value:
                yield from places(value[name], *place, name)
        case [first, *_]:
            yield from places(first, *place, 0)


PLACES = [pytest.param(place, id=".".join(map(str, place))) for place in places(FULL) if place]


def put(place: tuple[str | int, ...], change: Callable[[Any, str | int], None]) -> dict[str, Any]:
    """Return the full record with what stands at a place changed by a function of object and key."""
    record: dict[str, Any] = json.loads(json.dumps(FULL))
    at: Any = record
    for key in place[:-1]:
        at = at[key]
    change(at, place[-1])
    return record


class TestEveryRecordFits:
    """'every grade.json in the demo and makers validates'."""

    @pytest.mark.parametrize("each", made.history(), ids=lambda each: f"{each.endpoint}-{each.window_end}")
    def test_of_the_makers(self, each: records.Grade):
        """Every letter, reason, state and hostile name is a record that fits."""
        VALID.validate(json.loads(record_bytes(each)))

    def test_of_a_site_laid_out(self, tmp_path: Path):
        """Every grade.json of a site that was graded and rendered fits the schema that lies in it."""
        root = make_root(tmp_path / "site")
        found = sorted(root.site.rglob("grade.json"))
        own = json.loads((root.site / PATH).read_bytes())
        record_files = [path for path in found if path != root.site / PATH]
        assert len(record_files) == 24
        for path in record_files:
            Draft202012Validator(own).validate(json.loads(path.read_bytes()))

    @pytest.mark.parametrize("price", ["0", "2.0000E-8", "1E-12", "0.000000020000", "12.5"])
    def test_prices_as_they_are_written(self, price: str):
        """A price is a decimal as the record writes it, with an exponent where it is small."""
        record = json.loads(record_bytes(made.grade(price_prompt=Decimal(price))))
        assert Decimal(record["price_prompt"]) == Decimal(price)
        VALID.validate(record)


class TestNoOtherFits:
    """'mutated ones fail'."""

    def test_the_full_record_fits(self):
        """What is mutated below fits before."""
        VALID.validate(FULL)

    @pytest.mark.parametrize("place", PLACES)
    def test_a_value_of_another_kind(self, place: tuple[str | int, ...]):
        """No value may be of another JSON type; a fraction, a negative number, a list of it are none."""
        for other in (1.5, -1, {"x": 1}, [[1]], "\x00", [None]):
            assert not VALID.is_valid(put(place, lambda at, key, other=other: at.__setitem__(key, other))) or (
                other == "\x00" and free_text(place)
            ), other

    @pytest.mark.parametrize("place", [each for each in PLACES if isinstance(each.values[0][-1], str)])
    def test_a_member_that_is_missing(self, place: tuple[str | int, ...]):
        """No member may be missing."""
        assert not VALID.is_valid(put(place, lambda at, key: at.__delitem__(key)))

    @pytest.mark.parametrize("place", [each for each in PLACES if isinstance(each.values[0][-1], str)])
    def test_a_member_too_many(self, place: tuple[str | int, ...]):
        """No object may have a member beside its own."""
        assert not VALID.is_valid(put(place, lambda at, key: at.__setitem__(f"{key}_", 1)))

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("letter", "E"),
            ("letter", None),
            ("m_letter", "a"),
            ("d_state", "unchanged"),
            ("window_end", "2026-11-7"),
            ("window_end", "20261107"),
            ("issued", "2026-11-07T00:00:00Z"),
            ("nights", []),
            ("nights", ["2026-11-07", "2026-11-07"]),
            ("method_version", "0.01"),
            ("method_version", "v0.1"),
            ("method_digest", "0" * 63),
            ("method_digest", "G" * 64),
            ("price_prompt", "-1"),
            ("price_prompt", "1,5"),
            ("price_prompt", 0),
            ("listings", 0),
            ("unrated_reasons", ["absent", "absent"]),
            ("unrated_reasons", ["ABSENT"]),
            ("provisional", "true"),
            ("r_sent", True),
        ],
    )
    def test_a_value_that_is_none_of_the_fields(self, field: str, value: object):
        """A letter, date, version, digest, decimal or list that no record can have is refused."""
        assert not VALID.is_valid(FULL | {field: value})


class TestTheSchema:
    """'a published JSON Schema … with $id under the base address'."""

    def test_is_one(self):
        """It is a schema of its own dialect and needs nothing from elsewhere."""
        Draft202012Validator.check_schema(SCHEMA)
        assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert SCHEMA["$id"] == f"https://bitdepth.example/grades-of/{PATH}"
        references = [each["$ref"] for each in objects(SCHEMA) if "$ref" in each]
        assert references
        assert all(each.removeprefix("#/$defs/") in SCHEMA["$defs"] for each in references)

    def test_stands_at_the_address_of_the_settings(self):
        """Another base address is another $id, and nothing else."""
        other = grade_schema(made.settings(address="https://a.example/"))
        assert other.pop("$id") == f"https://a.example/{PATH}"
        assert other == {name: value for name, value in SCHEMA.items() if name != "$id"}

    def test_says_of_each_field_what_the_record_says(self):
        """The docstring below each field is that field's description, word for word; no other field has one."""
        told = {
            (name, field): schema["description"]
            for name, part in SCHEMA["$defs"].items()
            for field, schema in part.get("properties", {}).items()
            if "description" in schema
        }
        expected = {}
        for kind in ast.parse(inspect.getsource(records)).body:
            if isinstance(kind, ast.ClassDef) and kind.name in SCHEMA["$defs"]:
                for node, below in zip(kind.body, kind.body[1:], strict=False):
                    if isinstance(node, ast.AnnAssign) and isinstance(below, ast.Expr):
                        assert isinstance(below.value, ast.Constant)
                        words = " ".join(str(below.value.value).split())
                        expected[kind.name, ast.unparse(node.target)] = words
        assert told == expected
        assert len(told) > 20

    def test_does_not_rank(self):
        """'best' occurs only in column T."""
        for name, part in SCHEMA["$defs"].items():
            for field, schema in part.get("properties", {}).items():
                assert "best" not in schema.get("description", "") or field.startswith("t_"), field
            assert "best" not in part["description"], name


def objects(value: object) -> Iterator[dict[str, Any]]:
    """Yield every object of a JSON value."""
    if isinstance(value, dict):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(each)


def free_text(place: tuple[str | int, ...]) -> bool:
    """True where a record holds any text, a stranger's or a family's."""
    return place[-1] in {
        *("model", "endpoint", "provider", "tag", "family", "d_precision", "before", "after", "latency_class"),
    }
