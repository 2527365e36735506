"""What a typed decoder refused, told by the table's own keys, and how much of a value is repeated."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import pytest

from generator.probing.interface import End, Reply
from generator.probing.wire_server_list import remark, server_list
from generator.records.refusal import place, refusal
from generator.records.refused_place import located, path_of, shown
from generator.settings import ServerSettings

WORD = "^[a-z]+$"
WORDS = {WORD: "a word"}


class Leaf(msgspec.Struct, forbid_unknown_fields=True):
    """Holds a bounded number, and one of two words or none."""

    number: Annotated[int, msgspec.Meta(le=9)] = 0
    choice: Literal["left", "right"] | None = None


class Needy(msgspec.Struct):
    """Needs a field."""

    needed: int


class Tree(msgspec.Struct, forbid_unknown_fields=True):
    """Holds leaves by name, in a list and by name in a list."""

    by_name: dict[Annotated[str, msgspec.Meta(pattern=WORD)], Leaf] = {}
    listed: list[Leaf] = []
    deep: list[dict[str, dict[str, Leaf]]] = []
    access_token: Annotated[str, msgspec.Meta(pattern=WORD)] = "a"  # noqa: S105 - no password, but a name of one
    needy: Needy | None = None
    name: Annotated[str, msgspec.Meta(pattern=WORD)] = "a"


def told(raw: object) -> tuple[str, str]:
    """Return what a refused tree is told by."""
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert(raw, Tree)
    return refusal(caught.value, raw, Tree, words=WORDS)


@pytest.mark.parametrize(
    ("raw", "problem", "field"),
    [
        ({"by_name": {"a": {}, "b": {"number": 10}}}, "expected int <= 9, found 10", 'by_name."b".number'),
        ({"by_name": {"a": {"choice": "up"}}}, "expected 'left' or 'right', found 'up'", 'by_name."a".choice'),
        ({"by_name": {"a": {}, "B": {}}}, "expected a word, found 'B'", "by_name"),
        ({"listed": [{}, {"number": 10}]}, "expected int <= 9, found 10", "listed[1].number"),
        ({"listed": [{"choice": "up"}]}, "expected 'left' or 'right', found 'up'", "listed[0].choice"),
        (
            {"deep": [{}, {"x": {"y": {}, "z": {"number": 10}}}]},
            "expected int <= 9, found 10",
            'deep[1]."x"."z".number',
        ),
        ({"listed": 1}, "expected array, found int", "listed"),
        ({"needy": {}}, "expected a field, found none", "needy.needed"),
        ({"other": 1}, "expected no such field, found one", "other"),
        ({"name": "//me:pass/word@host"}, "expected a word, found '//...@host'", "name"),
        ({"access_token": "SECRET"}, "expected a word, found a text that is not repeated here", "access_token"),
    ],
)
def test_a_refused_value(raw: object, problem: str, field: str):
    """Expected in words, found, and the place by the keys that whoever wrote the table chose."""
    assert told(raw) == (problem, field)


def test_without_the_table():
    """Where the table is not at hand, its path stays the decoder's, and no value is told."""
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert({"by_name": {"a": {"number": 10}}}, Tree)
    assert refusal(caught.value) == ("expected int <= 9", "by_name[...].number")


@pytest.mark.parametrize(
    ("raw", "path"),
    [({}, "a"), ({"a": 1}, "a.b"), ({"a": []}, "a[0]"), ({"a": 1}, "a[...]"), ({"a": {"b": 1}}, "a[...]")],
)
def test_a_place_that_is_not_there(raw: object, path: str):
    """A path that leads nowhere, or to no key that is refused, is none."""
    assert located(raw, path, lambda _: False) is None


def test_an_enum_of_an_unknown_kind():
    """Of a value that may be a few at a place that no kind describes, the value alone is told."""
    error = msgspec.ValidationError("Invalid enum value 'up' - at `$.a.b`")
    assert refusal(error, {"a": {"b": "up"}}, dict[str, int]) == ("expected another value, found 'up'", "a.b")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (True, "true"),
        (1.5, "1.5"),
        ("x" * 81, f"'{'x' * 80}...'"),
        ([1], "a list of 1"),
        ({}, "a table"),
        (None, "None"),
    ],
)
def test_what_is_repeated(value: object, said: str):
    """Of a long text its beginning, of a list or a table what it is."""
    assert shown(value, 0) == said
    assert path_of(("a", 0)) == "a[0]"


@pytest.mark.parametrize("end", [end for end in End if end is not End.COMPLETE])
def test_every_end_of_a_reading_has_its_words(end: End):
    """A server is left out by each of them with a reason, and a sound list needs no remark."""
    server = ServerSettings(name="a", address="http://127.0.0.1:1/v1", model="a/b", model_id="m")
    assert "is left out tonight: " in (remark(server, server_list(server, Reply(end=end))) or "")
    sound = Reply(end=End.COMPLETE, status=200, body=b'{"data": [{"id": "m"}]}')
    assert remark(server, server_list(server, sound)) is None


def test_a_place_is_named_with_its_file():
    """The whole file is named alone."""
    assert place("content/site.toml", "") == "content/site.toml"
    assert place("content/site.toml", "method") == "content/site.toml, field 'method'"
