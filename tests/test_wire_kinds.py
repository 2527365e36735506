"""Every kind of error is reached by a reply or by the night itself, and goes with one outcome alone."""

from __future__ import annotations

import pytest

from generator.probing.interface import End, Reply
from generator.probing.wire import ErrorKind, decisive, observe, retryable, unsent
from generator.records.observation import Observation, Outcome
from tests.probing_makers import LINE, ask, completion, error, reply
from tests.wire_oracle import ALLOWED

LENGTH = {"finish_reason": "length"}
PRICE = {"error": {"code": 404, "message": "No endpoints found that satisfy the max price for this request"}}
PRIVACY = {"error": {"code": 404, "message": "No endpoints found matching your data policy"}}

REPLIES: dict[ErrorKind, Reply] = {
    ErrorKind.NETWORK: Reply(end=End.NOT_CONNECTED),
    ErrorKind.KEY_REFUSED: reply(error(401), 401),
    ErrorKind.NO_CREDIT: reply(error(402), 402),
    ErrorKind.FORBIDDEN: reply(error(403), 403),
    ErrorKind.ROUTER_RATE_LIMIT: reply(error(429, limit_source="account"), 429),
    ErrorKind.ROUTER_ERROR: reply(error(500), 500),
    ErrorKind.CACHE_HIT: reply(completion(), x_openrouter_cache_status="HIT"),
    ErrorKind.REFUSED_REQUEST: reply(error(400), 400),
    ErrorKind.WRONG_ADDRESS: reply(b"", 302),
    ErrorKind.ACCOUNT_SETTINGS: reply(PRIVACY, 404),
    ErrorKind.PRICE_CHANGED: reply(PRICE, 404),
    ErrorKind.SERVER_ERROR: reply(error(502, provider="Elm"), 502),
    ErrorKind.PROVIDER_RATE_LIMIT: reply(error(429, provider="Elm"), 429),
    ErrorKind.TIMEOUT: reply(b"", end=End.TIMED_OUT),
    ErrorKind.BROKEN: reply(b"", end=End.BROKEN),
    ErrorKind.TOO_LARGE: reply(b"", end=End.TOO_LARGE),
    ErrorKind.UNDECODABLE: reply(b"<html>"),
    ErrorKind.MALFORMED: reply(completion({})),
    ErrorKind.ERROR_OBJECT: reply(error(502)),
    ErrorKind.NO_CHOICES: reply(completion(choices=[])),
    ErrorKind.NULL_CONTENT: reply(completion(None)),
    ErrorKind.CONTENT_FILTER: reply(completion(choice={"finish_reason": "content_filter"})),
    ErrorKind.NO_ENDPOINT: reply(error(404), 404),
    ErrorKind.REJECTED: reply(error(422, provider="Elm"), 422),
    ErrorKind.UNEXPECTED_STATUS: reply(completion(), 202),
    ErrorKind.UNEXPECTED_FINISH: reply(completion(choice={"finish_reason": "tool_calls"})),
    ErrorKind.TOKEN_LIMIT: reply(completion(choice=LENGTH)),
    ErrorKind.BROKE_OFF: reply(completion(choice={"finish_reason": None})),
    ErrorKind.OTHER_PROVIDER: reply(completion(provider="Oak")),
    ErrorKind.OTHER_MODEL: reply(completion(model="author/other")),
}
"""A reply for each kind that a reply can have."""

OF_THE_NIGHT = {ErrorKind.UNPRICED, ErrorKind.BUDGET, ErrorKind.INTERRUPTED}
"""Kinds of asks that were never sent."""


def reached(kind: ErrorKind) -> Observation:
    """Return the observation of a kind's case."""
    return unsent(ask(), kind) if kind in OF_THE_NIGHT else observe(ask(), REPLIES[kind], LINE)


@pytest.mark.parametrize("kind", ErrorKind)
def test_every_kind_is_reached(kind: ErrorKind):
    """Each kind has a case, which comes out as that kind and with the outcome that is allowed to it."""
    observation = reached(kind)
    assert observation.error_kind == kind
    assert kind in ALLOWED[observation.outcome]


def test_each_kind_has_one_outcome():
    """No kind is allowed to two outcomes, and none is left out."""
    allowed = [kind for kinds in ALLOWED.values() for kind in kinds if kind is not None]
    assert sorted(allowed) == sorted(ErrorKind)


def test_the_cases_are_those_of_the_closed_list():
    """A kind is a reply's or the night's, never both."""
    assert REPLIES.keys() | OF_THE_NIGHT == set(ErrorKind)
    assert not REPLIES.keys() & OF_THE_NIGHT


def test_every_outcome_is_allowed_something():
    """The table of what is allowed has each outcome."""
    assert ALLOWED.keys() == set(Outcome)


@pytest.mark.parametrize("kind", ErrorKind)
def test_what_may_be_sent_again(kind: ErrorKind):
    """Sent again: what never reached its endpoint, for a cause that can pass by itself."""
    again = {ErrorKind.NETWORK, ErrorKind.ROUTER_RATE_LIMIT, ErrorKind.ROUTER_ERROR, ErrorKind.CACHE_HIT}
    assert retryable(reached(kind)) is (kind in again)


@pytest.mark.parametrize("kind", ErrorKind)
def test_what_a_later_run_of_the_night_may_ask_anew(kind: ErrorKind):
    """Asked anew: what the operator can mend; a price that changed stands for the night."""
    assert decisive(reached(kind)) is (kind not in {ErrorKind.WRONG_ADDRESS, ErrorKind.FORBIDDEN})
