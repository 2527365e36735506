"""One reply as one observation: total, so that whatever comes back has exactly one outcome.

A failure is never an answer: whatever says that it failed is judged before any text is read. Thinking is never part
of an answer, whether it stands in fields of its own or in front of the text between tags.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Protocol, TypeAlias

from generator.probing.interface import Ask, End, Reply
from generator.probing.wire_body import Body, Choice, read_body
from generator.probing.wire_failure import failure
from generator.probing.wire_kinds import ErrorKind
from generator.probing.wire_served import same_model, same_provider
from generator.probing.wire_values import INT16_MAX, INT32_MAX, whole
from generator.records.observation import Observation, Outcome

ENDS = frozenset({"stop", "end_turn", "eos", "eos_token", "stop_sequence"})
"""Finish reasons of a normal end; the router's own word is the first."""
CUTS = frozenset({"length", "max_tokens", "max_output_tokens"})
"""Finish reasons of a cut at the token limit; the router's own word is the first."""

_THOUGHT = re.compile(r"(?:\s*<(think|thinking)>.*?</\1>)+", re.DOTALL | re.IGNORECASE)
_OPEN_THOUGHT = re.compile(r"\s*<think(?:ing)?>", re.IGNORECASE)
_CLOSING = re.compile(r"</think(?:ing)?>", re.IGNORECASE)

_SPEAKING = frozenset({Outcome.ANSWERED, Outcome.TRUNCATED, Outcome.MISROUTED})
_Verdict: TypeAlias = tuple[Outcome, ErrorKind | None]


class Family(Protocol):
    """What judging an answer needs of its family's kind."""

    @property
    def open_ended(self) -> bool:
        """True where the cut is by design and the answer is its first words."""
        ...

    def normalise(self, text: str) -> str:
        """Return the answer in a text as it is compared; empty where there is none to find."""
        ...

    def clean(self, text: str) -> str:
        """Return the whole text, cleaned: what stands for an answer in which the normaliser finds nothing."""
        ...


def observe(ask: Ask, reply: Reply, family: Family) -> Observation:
    """Return what came of one ask.

    Args:
        ask: what was asked of whom.
        reply: what came back.
        family: of the prompt's kind.
    """
    body = read_body(reply.body) if reply.status is not None else None
    outcome, kind = failure(reply, body) or _verdict(ask, reply, body, family)
    said = body.choice.content if body is not None and body.choice is not None and outcome in _SPEAKING else None
    return _observation(ask, reply, body, outcome=outcome, error_kind=kind, **_said(ask, said, outcome, family))


def unsent(ask: Ask, kind: ErrorKind) -> Observation:
    """Return the observation of an ask for which no request was ever sent, and why."""
    return _observation(ask, Reply(end=End.NOT_CONNECTED), None, outcome=Outcome.UNSENT, error_kind=kind)


def without_thinking(content: str) -> str:
    """Return a text without the thinking in front of it.

    Thinking stands between tags at the start; a block that is never closed runs to the end, and one that a chat
    template opened shows its closing tag alone.
    """
    thought = _THOUGHT.match(content)
    rest = content[thought.end() :] if thought else content
    if _OPEN_THOUGHT.match(rest):
        return ""
    closing = None if thought else _CLOSING.search(rest)
    return rest[closing.end() :] if closing else rest


def _verdict(ask: Ask, reply: Reply, body: Body | None, family: Family) -> _Verdict:
    """Return outcome and kind of a reply that does not fail on its face."""
    if body is None or body.choice is None:
        return Outcome.ERROR, ErrorKind.NO_CHOICES
    choice = body.choice
    finish = (choice.finish_reason or "").casefold()
    if choice.failed or finish == "error":
        return Outcome.ERROR, ErrorKind.ERROR_OBJECT
    misrouted = _misrouted(ask, body)
    if misrouted is not None:
        return Outcome.MISROUTED, misrouted
    wrong = _wrong(choice, body, finish)
    if wrong is not None:
        return Outcome.ERROR, wrong
    return _answer(reply.end, without_thinking(choice.content or "").strip(), finish, family)


def _misrouted(ask: Ask, body: Body) -> ErrorKind | None:
    if body.provider is not None and not same_provider(ask.provider, body.provider):
        return ErrorKind.OTHER_PROVIDER
    if body.model is not None and not same_model((ask.model, ask.model_id), body.model):
        return ErrorKind.OTHER_MODEL
    return None


def _wrong(choice: Choice, body: Body, finish: str) -> ErrorKind | None:
    """Return why a choice is no answer of any kind, or None."""
    if finish == "content_filter":
        return ErrorKind.CONTENT_FILTER
    if not choice.readable or not body.provider_readable:
        return ErrorKind.MALFORMED
    thought = choice.thought or bool(body.reasoning_tokens)
    # Null is no content, unless thinking ate the whole budget.
    if choice.content is None and not (thought and finish in CUTS):
        return ErrorKind.NULL_CONTENT
    if finish and finish not in ENDS | CUTS:
        return ErrorKind.UNEXPECTED_FINISH
    return None


def _answer(end: End, text: str, finish: str, family: Family) -> _Verdict:
    """Return outcome and kind of a choice that holds an answer: whole, cut, or nothing but white space."""
    # Characters that nobody can see are no answer either.
    blank = not family.clean(text)
    if finish in ENDS and end is End.COMPLETE:
        return (Outcome.EMPTY if blank else Outcome.ANSWERED), None
    if finish not in CUTS and blank:
        return Outcome.ERROR, ErrorKind.UNEXPECTED_FINISH if end is End.COMPLETE else ErrorKind.BROKEN
    if family.open_ended and family.normalise(text):
        return Outcome.ANSWERED, None
    return Outcome.TRUNCATED, ErrorKind.TOKEN_LIMIT if finish in CUTS else ErrorKind.BROKE_OFF


def _said(ask: Ask, text: str | None, outcome: Outcome, family: Family) -> dict[str, Any]:
    """Return text, answer and correctness of an outcome that has them."""
    if text is None:
        return {"correct": False if outcome is Outcome.TRUNCATED and ask.prompt.expected is not None else None}
    spoken = without_thinking(text).strip()
    found = family.normalise(spoken)
    correct = None
    if ask.prompt.expected is not None and outcome in (Outcome.ANSWERED, Outcome.TRUNCATED):
        correct = outcome is Outcome.ANSWERED and found != "" and found == ask.prompt.expected
    return {"text": text, "answer": found or family.clean(spoken), "correct": correct}


def _observation(ask: Ask, reply: Reply, body: Body | None, **judged: Any) -> Observation:
    choice = body.choice if body is not None else None
    return Observation(
        model=ask.model,
        endpoint=ask.endpoint,
        prompt_id=ask.prompt.prompt_id,
        family=ask.prompt.family,
        fixed=ask.prompt.fixed,
        http_status=whole(reply.status, 0, INT16_MAX),
        finish_reason=choice.finish_reason if choice is not None else None,
        native_finish_reason=choice.native_finish_reason if choice is not None else None,
        served_provider=body.named_provider if body is not None else None,
        served_model=body.model if body is not None else None,
        generation_id=body.generation_id if body is not None else None,
        prompt_tokens=body.prompt_tokens if body is not None else None,
        completion_tokens=body.completion_tokens if body is not None else None,
        reasoning_tokens=body.reasoning_tokens if body is not None else None,
        latency_ms=whole(reply.latency_ms, 0, INT32_MAX) if reply.end is End.COMPLETE else None,
        cost_usd=body.cost_usd if body is not None else None,
        requested_at=_to_milliseconds(reply.requested_at),
        **judged,
    )


def _to_milliseconds(moment: datetime | None) -> datetime | None:
    return moment and moment.replace(microsecond=moment.microsecond // 1000 * 1000)
