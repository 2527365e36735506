"""Real bodies, damaged in every way: what comes of each can be stored, and no failure is an answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.records.observation import Outcome
from tests.probing_makers import reply
from tests.wire_material import REAL, STATUSES, VALUES, asked_of, check
from tests.wire_oracle import why_failed


def paths(value: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return where every value inside a JSON value stands."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for name, each in inner for found in ((*path, name), *paths(each, (*path, name)))]


PLACES = {name: paths(json.loads(body)) for name, body in REAL.items()}
MUTATIONS: dict[str, Callable[[Any, Any, Any], None]] = {
    "deleted": lambda holder, name, _: holder.pop(name),
    "replaced": lambda holder, name, value: holder.__setitem__(name, value),
    "wrapped in a list": lambda holder, name, _: holder.__setitem__(name, [holder[name]]),
    "written as text": lambda holder, name, _: holder.__setitem__(name, json.dumps(holder[name])),
}


@pytest.mark.parametrize("how", MUTATIONS)
@given(st.sampled_from(sorted(REAL)), st.data(), VALUES)
def test_a_real_body_with_a_value_changed(how: str, name: str, data: st.DataObject, value: object):
    """A real body with any one value deleted, replaced or of another type has an outcome that the oracle allows."""
    body = json.loads(REAL[name])
    *above, last = data.draw(st.sampled_from(PLACES[name]))
    holder = body
    for step in above:
        holder = holder[step]
    MUTATIONS[how](holder, last, value)
    status = json.loads(REAL[name]).get("error", {}).get("code", 200)
    check(asked_of(REAL[name]), reply(json.dumps(body).encode(), status))


@given(st.sampled_from(sorted(REAL)), st.sampled_from(["error", "choices", "provider", "usage", "new"]), VALUES)
def test_a_real_body_with_a_name_twice(name: str, member: str, value: object):
    """A member that stands twice is read in different ways by different readers: no such body is an answer."""
    twice = b"{" + json.dumps(member).encode() + b":" + json.dumps(value).encode() + b"," + REAL[name].lstrip()[1:]
    observation = check(asked_of(REAL[name]), reply(twice))
    once = member not in json.loads(REAL[name])
    assert once or observation.outcome is not Outcome.ANSWERED


@given(st.sampled_from(sorted(REAL)), st.data())
def test_real_bodies_with_bytes_changed(name: str, data: st.DataObject):
    """A real body with some bytes overwritten, inserted or cut has an outcome that the oracle allows."""
    body = REAL[name]
    place = data.draw(st.integers(0, len(body)))
    length = data.draw(st.integers(0, 40))
    mutated = body[:place] + data.draw(st.binary(max_size=8)) + body[place + length :]
    check(asked_of(body), reply(mutated, data.draw(STATUSES)))


@given(st.sampled_from(sorted(REAL)), st.lists(st.integers(min_value=0), min_size=1, max_size=4))
def test_real_bodies_with_bits_flipped(name: str, bits: list[int]):
    """A real body with a few bits flipped has an outcome that the oracle allows."""
    body = bytearray(REAL[name])
    for bit in bits:
        place = bit % (8 * len(body))
        body[place // 8] ^= 1 << place % 8
    check(asked_of(REAL[name]), reply(bytes(body)))


@given(st.sampled_from(sorted(REAL)), st.sampled_from(sorted(REAL)), st.integers(0, 10**6), st.integers(0, 10**6))
def test_two_real_bodies_spliced(first: str, second: str, end: int, begin: int):
    """The beginning of one real body and the end of another have an outcome that the oracle allows."""
    one, other = REAL[first], REAL[second]
    check(asked_of(one), reply(one[: end % (len(one) + 1)] + other[begin % (len(other) + 1) :]))


@given(st.sampled_from(sorted(REAL)), st.integers(min_value=0))
def test_a_real_body_cut_anywhere_is_no_answer(name: str, place: int):
    """An incomplete JSON body is an error, wherever it was cut."""
    whole = REAL[name].rstrip()
    assert check(asked_of(whole), reply(whole[: place % len(whole)])).outcome is Outcome.ERROR


@pytest.mark.parametrize("name", sorted(set(REAL) - {"answer_429_errors_raised.json"}))
def test_the_oracle_lets_real_answers_pass(name: str):
    """The oracle calls no real answer a failure, so that it does not hold by refusing everything."""
    came = reply(REAL[name])
    assert not why_failed(asked_of(REAL[name]), came)
    assert check(asked_of(REAL[name]), came).outcome is Outcome.ANSWERED
