"""Whose failure a reply is, before anything in it is read as an answer.

The rules are those of 'Outcomes of an observation' in the method. Where it is silent:
- HTTP 200 means that the router had begun to answer for the endpoint: an error inside it is the endpoint's, whatever
  its code, but for 401, 402 and 403 and for the router's own 429;
- a 429 without any error object is a page of something in front of the router, and so the router's own;
- a 404 without an error object is no answer of the router's API: the address is wrong. One that speaks of the
  account's privacy settings is the operator's, and one that speaks of the request's own price limit is nobody's: the
  endpoint was not asked;
- other 4xx statuses are judged as 400 is;
- a failed attempt in the router's metadata names its provider, and so does the connection itself, where it tells;
- the name is not compared: the request was pinned, and a provider may be named in other words than the listing's.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TypeAlias

from generator.probing.interface import End, Reply, Stop
from generator.probing.wire_body import Body, ErrorObject, read_body
from generator.probing.wire_kinds import ErrorKind
from generator.records.observation import Outcome

Failure: TypeAlias = tuple[Outcome, ErrorKind]

CACHE_HEADER = "x-openrouter-cache-status"

_ACCOUNT: dict[int | None, ErrorKind] = {
    HTTPStatus.UNAUTHORIZED: ErrorKind.KEY_REFUSED,
    HTTPStatus.PAYMENT_REQUIRED: ErrorKind.NO_CREDIT,
    HTTPStatus.FORBIDDEN: ErrorKind.FORBIDDEN,
}
_STOPS = {HTTPStatus.UNAUTHORIZED: Stop.KEY_REFUSED, HTTPStatus.PAYMENT_REQUIRED: Stop.NO_CREDIT}
# Words of a `limit_source` that is the router's: a pool shared by its users, or the account that asks.
_ROUTER_LIMIT = re.compile(r"pool|shared|account|user|organi[sz]ation|workspace|key|platform|router")
_PRIVACY = re.compile(r"data policy|privacy|guardrail")
# "No endpoints found that satisfy the max price for this request", as of 2026.
_PRICE = re.compile(r"max[ _]?price")
_ORIGIN_TIMEOUT = 524
_SITE_OVERLOADED = 529
_TIMEOUTS = (HTTPStatus.GATEWAY_TIMEOUT, _ORIGIN_TIMEOUT)


def failure(reply: Reply, body: Body | None) -> Failure | None:
    """Return the outcome and kind of a reply that carries no answer; None where its body must be looked at as one.

    Args:
        reply: what came back.
        body: its body's values; None where it is no JSON object.
    """
    unreached = _unreached(reply)
    if unreached is not None:
        return Outcome.UNSENT, unreached
    if reply.status is not None and reply.status != HTTPStatus.OK:
        return _status(reply.status, body, reply)
    unread = _unread(reply, body)
    if unread is not None:
        return Outcome.ERROR, unread
    return _inside_200(body.error, reply, body) if body is not None and body.error is not None else None


def stop(reply: Reply) -> Stop | None:
    """Return why no further request may be sent: the router refuses the key, or reports no credit.

    A 401 or 402 that names a provider is that provider's account at the router, not the operator's, and one of a
    server that is asked directly is about that server: the night goes on without it.
    """
    status, body = _refusal(reply)
    if status not in _STOPS or reply.speaker is not None or (body is not None and body.named_provider is not None):
        return None
    return _STOPS[HTTPStatus(status)]


def own_key_refused(reply: Reply) -> ErrorKind | None:
    """Return which refusal it is where a server that was asked directly refuses the key sent to it, else None."""
    status, _ = _refusal(reply) if reply.alone else (None, None)
    return _ACCOUNT[status] if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN) else None


def _refusal(reply: Reply) -> tuple[int | None, Body | None]:
    """Return the status of a refusal of the account or its key, also one inside HTTP 200, and the body; else None."""
    if reply.status not in _ACCOUNT and not (reply.status == HTTPStatus.OK and b'"error"' in reply.body):
        return None, None
    body = read_body(reply.body)
    if reply.status != HTTPStatus.OK:
        return reply.status, body
    code = body.error.code if body is not None and body.error is not None else None
    return (code if code in _ACCOUNT else None), body


def _unreached(reply: Reply) -> ErrorKind | None:
    """Return why no endpoint was reached, where the exchange itself tells; None where it does not."""
    if reply.end is End.NOT_CONNECTED:
        return ErrorKind.NETWORK
    hit = reply.headers.get(CACHE_HEADER, "").strip().upper() == "HIT"
    return ErrorKind.CACHE_HIT if hit else None


def _unread(reply: Reply, body: Body | None) -> ErrorKind | None:
    """Return why a reply with status 200, or with none, holds no body to look at."""
    if reply.end is End.TIMED_OUT:
        return ErrorKind.TIMEOUT
    if reply.end is End.TOO_LARGE:
        return ErrorKind.TOO_LARGE
    if body is None:
        return ErrorKind.UNDECODABLE if reply.end is End.COMPLETE else ErrorKind.BROKEN
    return None


def _named(reply: Reply, body: Body | None) -> str | None:
    """Return the provider whose failure this is, where the reply tells."""
    said = (body.named_provider or body.routes.failed_provider) if body is not None else None
    return said or reply.speaker


def _status(status: int, body: Body | None, reply: Reply) -> Failure:
    """Return the failure that a status other than 200 is."""
    named = _named(reply, body) is not None
    match status:
        case HTTPStatus.UNAUTHORIZED | HTTPStatus.PAYMENT_REQUIRED | HTTPStatus.FORBIDDEN:
            found = Outcome.UNSENT, _ACCOUNT[status]
        case HTTPStatus.TOO_MANY_REQUESTS:
            found = _rate_limit(body.error if body is not None else None, reply, body)
        case HTTPStatus.NOT_FOUND:
            found = _not_found(body)
        case HTTPStatus.REQUEST_TIMEOUT:
            found = Outcome.ERROR, ErrorKind.TIMEOUT
        case _ if status in range(300, 400):
            found = Outcome.UNSENT, ErrorKind.WRONG_ADDRESS
        case _ if status in range(400, 500):
            found = (Outcome.ERROR, ErrorKind.REJECTED) if named else (Outcome.UNSENT, ErrorKind.REFUSED_REQUEST)
        case _ if status in range(500, 600):
            found = (Outcome.ERROR, _server_error(status)) if named else (Outcome.UNSENT, ErrorKind.ROUTER_ERROR)
        case _:
            found = Outcome.ERROR, ErrorKind.UNEXPECTED_STATUS
    return found


def _server_error(status: int) -> ErrorKind:
    if status in _TIMEOUTS:
        return ErrorKind.TIMEOUT
    return ErrorKind.PROVIDER_RATE_LIMIT if status == _SITE_OVERLOADED else ErrorKind.SERVER_ERROR


def _inside_200(error: ErrorObject, reply: Reply, body: Body) -> Failure:
    if error.code in _ACCOUNT:
        return Outcome.UNSENT, _ACCOUNT[error.code]
    if error.code == HTTPStatus.TOO_MANY_REQUESTS:
        return _rate_limit(error, reply, body)
    return Outcome.ERROR, ErrorKind.ERROR_OBJECT


def _rate_limit(error: ErrorObject | None, reply: Reply, body: Body | None) -> Failure:
    named = _named(reply, body)
    source = ((error.limit_source if error is not None else None) or "").casefold()
    if reply.speaker is not None or (named is not None and source == named.casefold()):
        source = ""
    routers = _ROUTER_LIMIT.search(source) is not None or (error is None and named is None)
    if routers:
        return Outcome.UNSENT, ErrorKind.ROUTER_RATE_LIMIT
    return Outcome.ERROR, ErrorKind.PROVIDER_RATE_LIMIT


def _not_found(body: Body | None) -> Failure:
    if body is None or body.error is None:
        return Outcome.UNSENT, ErrorKind.WRONG_ADDRESS
    if _PRIVACY.search(body.error.words):
        return Outcome.UNSENT, ErrorKind.ACCOUNT_SETTINGS
    if _PRICE.search(body.error.words):
        return Outcome.UNSENT, ErrorKind.PRICE_CHANGED
    return Outcome.ERROR, ErrorKind.NO_ENDPOINT
