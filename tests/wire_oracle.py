"""What is true of any observation, written apart from the code: which replies failed, and what a body's text is."""

from __future__ import annotations

import json
from typing import Any

from generator.archive import schema
from generator.archive.codec import observations_table, parquet_bytes, read_parquet, records_of
from generator.probing.interface import Ask, End, Reply
from generator.probing.wire import ErrorKind
from generator.records.observation import Observation, Outcome

ALLOWED: dict[Outcome, set[str | None]] = {
    Outcome.ANSWERED: {None},
    Outcome.EMPTY: {None},
    Outcome.TRUNCATED: {ErrorKind.TOKEN_LIMIT, ErrorKind.BROKE_OFF},
    Outcome.MISROUTED: {ErrorKind.OTHER_PROVIDER, ErrorKind.OTHER_MODEL},
    Outcome.ERROR: {
        ErrorKind.SERVER_ERROR,
        ErrorKind.PROVIDER_RATE_LIMIT,
        ErrorKind.TIMEOUT,
        ErrorKind.BROKEN,
        ErrorKind.TOO_LARGE,
        ErrorKind.UNDECODABLE,
        ErrorKind.MALFORMED,
        ErrorKind.ERROR_OBJECT,
        ErrorKind.NO_CHOICES,
        ErrorKind.NULL_CONTENT,
        ErrorKind.CONTENT_FILTER,
        ErrorKind.NO_ENDPOINT,
        ErrorKind.REJECTED,
        ErrorKind.UNEXPECTED_STATUS,
        ErrorKind.UNEXPECTED_FINISH,
    },
    Outcome.UNSENT: {
        ErrorKind.NETWORK,
        ErrorKind.KEY_REFUSED,
        ErrorKind.NO_CREDIT,
        ErrorKind.FORBIDDEN,
        ErrorKind.ROUTER_RATE_LIMIT,
        ErrorKind.ROUTER_ERROR,
        ErrorKind.CACHE_HIT,
        ErrorKind.REFUSED_REQUEST,
        ErrorKind.WRONG_ADDRESS,
        ErrorKind.ACCOUNT_SETTINGS,
        ErrorKind.UNPRICED,
        ErrorKind.PRICE_CHANGED,
        ErrorKind.BUDGET,
        ErrorKind.INTERRUPTED,
    },
}
"""Every pair of outcome and kind that an observation may have."""

SPEAKING = {Outcome.ANSWERED, Outcome.TRUNCATED, Outcome.MISROUTED}
FAILED_FINISHES = ("error", "content_filter")


class _TwiceError(ValueError):
    """A name stands twice in one object."""


def hold(asked: Ask, came: Reply, observation: Observation) -> None:
    """Fail where an observation is not what any observation of such a reply must be."""
    assert observation.error_kind in ALLOWED[observation.outcome]
    assert (observation.text is None) or observation.outcome in SPEAKING
    assert (observation.text is None) == (observation.answer is None)
    assert (observation.correct is None) or observation.outcome in {Outcome.ANSWERED, Outcome.TRUNCATED}
    table = observations_table([observation])
    data = read_parquet(parquet_bytes(table), schema.OBSERVATIONS, where="observations.parquet")
    assert records_of(data, Observation) == (observation,)
    if observation.outcome is Outcome.ANSWERED:
        assert not why_failed(asked, came)
        assert observation.text == content_of(came.body)


def why_failed(asked: Ask, came: Reply) -> str:
    """Return why a reply cannot be an answer in a family that is not open-ended; empty where it may be one."""
    if came.end is not End.COMPLETE:
        return "the exchange did not end"
    if came.status != 200:
        return "the status is not 200"
    if came.headers.get("x-openrouter-cache-status", "").strip().lower() == "hit":
        return "the router's cache answered"
    try:
        body = json.loads(came.body.decode("utf-8-sig"), object_pairs_hook=_once, parse_constant=_never)
    except (ValueError, RecursionError):
        return "the body is no JSON that can be read in one way"
    if not isinstance(body, dict):
        return "the body is no object"
    return _why_body_failed(asked, came, body)


def content_of(data: bytes) -> str | None:
    """Return the content of the first choice as the archive can hold it, parts of text joined."""
    content = json.loads(data.decode("utf-8-sig"))["choices"][0]["message"]["content"]
    if isinstance(content, list):
        content = "".join(part["text"] for part in content if part["type"] in {"text", "output_text"})
    return "".join("\ufffd" if 0xD800 <= ord(letter) <= 0xDFFF else letter for letter in content)


def _why_body_failed(asked: Ask, came: Reply, body: dict[str, Any]) -> str:  # noqa: PLR0911 - one reason each
    choices = body.get("choices")
    if body.get("error") is not None or body.get("object") == "error":
        return "an error on top"
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return "no choice"
    if any(isinstance(choice, dict) and choice.get("error") is not None for choice in choices):
        return "an error in a choice"
    finish = choices[0].get("finish_reason")
    if not isinstance(finish, str) or finish.strip().lower() in FAILED_FINISHES:
        return "no finish, or one that failed"
    others = {name.strip().lower() for name in _providers(body, came)} - {"", asked.provider.strip().lower()}
    if others:
        return f"another provider: {others}"
    message = choices[0].get("message")
    if not isinstance(message, dict) or not isinstance(message.get("content"), str | list):
        return "no content"
    refusal = message.get("refusal")
    return "a refusal" if isinstance(refusal, str) and refusal.strip() else ""


def _providers(body: dict[str, Any], came: Reply) -> list[str]:
    """Return every name under which a body says that somebody answered; the connection's where it says none."""
    metadata = body.get("openrouter_metadata")
    routes: list[Any] = []
    if isinstance(metadata, dict):
        endpoints = metadata.get("endpoints")
        available = endpoints.get("available") if isinstance(endpoints, dict) else None
        routes += [each for each in _listed(available) if each.get("selected") is True]
        routes += [each for each in _listed(metadata.get("attempts")) if each.get("status") == 200]
    names = [body.get("provider"), *(each.get("provider") for each in routes)]
    found = [name for name in names if isinstance(name, str) and name.strip()]
    return found or [came.speaker or ""]


def _listed(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) != len(pairs):
        raise _TwiceError
    return dict(pairs)


def _never(_: str) -> None:
    raise _TwiceError
