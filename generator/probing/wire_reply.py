"""One reply as one observation: total, so that whatever comes back has exactly one outcome.

A failure is never an answer: whatever says that it failed is judged before any text is read. Thinking is never part
of an answer, whether it stands in fields of its own or in front of the text. Where the method is silent: a refusal in
the field that is for refusals is judged as content that was filtered, and a call of a tool, of which none was offered,
is no answer.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple, Protocol, TypeAlias

from generator.probing.interface import Ask, End, Reply
from generator.probing.wire_body import Body, Choice, read_body
from generator.probing.wire_failure import failure
from generator.probing.wire_kinds import ErrorKind
from generator.probing.wire_served import Served, served
from generator.probing.wire_thinking import without_thinking
from generator.probing.wire_values import INT16_MAX, INT32_MAX, whole
from generator.records.observation import Observation, Outcome

ENDS = frozenset({"stop", "end_turn", "eos", "eos_token", "stop_sequence"})
"""Finish reasons of a normal end; the router's own word is the first."""
CUTS = frozenset({"length", "max_tokens", "max_output_tokens"})
"""Finish reasons of a cut at the token limit; the router's own word is the first."""

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


class _Spoken(NamedTuple):
    """What a message says."""

    text: str
    """As received."""
    found: str
    """The answer in it; empty where the family finds none."""
    answer: str
    """What stands for the answer; empty where nothing can be seen."""


def observe(ask: Ask, reply: Reply, family: Family) -> Observation:
    """Return what came of one ask.

    Args:
        ask: what was asked of whom.
        reply: what came back.
        family: of the prompt's kind.
    """
    body = read_body(reply.body) if reply.status is not None else None
    who = served(ask, reply, body)
    failed = failure(reply, body)
    spoken = _spoken(body, family) if failed is None else None
    outcome, kind = failed or _verdict(reply, body, who, spoken, family)
    if outcome not in _SPEAKING:
        spoken = None
    return _observation(ask, reply, body, who, spoken, outcome=outcome, error_kind=kind)


def unsent(ask: Ask, kind: ErrorKind) -> Observation:
    """Return the observation of an ask for which no request was ever sent, and why."""
    reply = Reply(end=End.NOT_CONNECTED)
    return _observation(ask, reply, None, Served(), None, outcome=Outcome.UNSENT, error_kind=kind)


def _spoken(body: Body | None, family: Family) -> _Spoken | None:
    """Return what a body's message says, thinking left out of the answer; None where it has no content."""
    content = body.choice.message.content if body is not None and body.choice is not None else None
    if content is None:
        return None
    text = without_thinking(content).strip()
    found = family.normalise(text)
    return _Spoken(text=content, found=found, answer=found or family.clean(text))


def _verdict(reply: Reply, body: Body | None, who: Served, spoken: _Spoken | None, family: Family) -> _Verdict:
    """Return outcome and kind of a reply that does not fail on its face."""
    if body is None or body.choice is None:
        return Outcome.ERROR, ErrorKind.NO_CHOICES
    choice = body.choice
    finish = (choice.finish_reason or "").casefold()
    if choice.failed or finish == "error":
        return Outcome.ERROR, ErrorKind.ERROR_OBJECT
    if who.misrouted is not None:
        return Outcome.MISROUTED, who.misrouted
    wrong = _wrong(choice, body, finish)
    if wrong is not None:
        return Outcome.ERROR, wrong
    return _answer(reply.end, spoken, finish, family)


def _wrong(choice: Choice, body: Body, finish: str) -> ErrorKind | None:
    """Return why a choice is no answer of any kind, or None."""
    message = choice.message
    if finish == "content_filter" or message.refused:
        return ErrorKind.CONTENT_FILTER
    if not message.readable or not body.provider_readable:
        return ErrorKind.MALFORMED
    thought = message.thought or bool(body.reasoning_tokens)
    # Null is no content, unless thinking ate the whole budget.
    if message.content is None and not (thought and finish in CUTS):
        return ErrorKind.NULL_CONTENT
    if finish and finish not in ENDS | CUTS:
        return ErrorKind.UNEXPECTED_FINISH
    return None


def _answer(end: End, spoken: _Spoken | None, finish: str, family: Family) -> _Verdict:
    """Return outcome and kind of a choice that holds an answer: whole, cut, or nothing but white space."""
    # Characters that nobody can see are no answer either.
    blank = spoken is None or not spoken.answer
    if finish in ENDS and end is End.COMPLETE:
        return (Outcome.EMPTY if blank else Outcome.ANSWERED), None
    if finish not in CUTS and blank:
        return Outcome.ERROR, ErrorKind.UNEXPECTED_FINISH if end is End.COMPLETE else ErrorKind.BROKEN
    if family.open_ended and spoken is not None and spoken.found:
        return Outcome.ANSWERED, None
    return Outcome.TRUNCATED, ErrorKind.TOKEN_LIMIT if finish in CUTS else ErrorKind.BROKE_OFF


def _correct(ask: Ask, outcome: Outcome, spoken: _Spoken | None) -> bool | None:
    """Return whether an answer is the key; None where there is no key, or nothing to judge."""
    if ask.prompt.expected is None or outcome not in (Outcome.ANSWERED, Outcome.TRUNCATED):
        return None
    if outcome is Outcome.TRUNCATED or spoken is None:
        return False
    return spoken.found != "" and spoken.found == ask.prompt.expected


def _observation(  # noqa: PLR0913 - what an observation is made of
    ask: Ask,
    reply: Reply,
    body: Body | None,
    who: Served,
    spoken: _Spoken | None,
    *,
    outcome: Outcome,
    error_kind: ErrorKind | None,
) -> Observation:
    choice = body.choice if body is not None else None
    return Observation(
        model=ask.model,
        endpoint=ask.endpoint,
        prompt_id=ask.prompt.prompt_id,
        family=ask.prompt.family,
        fixed=ask.prompt.fixed,
        outcome=outcome,
        answer=spoken.answer if spoken is not None else None,
        text=spoken.text if spoken is not None else None,
        correct=_correct(ask, outcome, spoken),
        error_kind=error_kind,
        http_status=whole(reply.status, 0, INT16_MAX),
        finish_reason=choice.finish_reason if choice is not None else None,
        native_finish_reason=choice.native_finish_reason if choice is not None else None,
        served_provider=who.provider,
        served_model=who.model,
        generation_id=body.generation_id if body is not None else None,
        prompt_tokens=body.prompt_tokens if body is not None else None,
        completion_tokens=body.completion_tokens if body is not None else None,
        reasoning_tokens=body.reasoning_tokens if body is not None else None,
        latency_ms=whole(reply.latency_ms, 0, INT32_MAX) if reply.end is End.COMPLETE else None,
        cost_usd=body.cost_usd if body is not None else None,
        requested_at=_to_milliseconds(reply.requested_at),
    )


def _to_milliseconds(moment: datetime | None) -> datetime | None:
    return moment and moment.replace(microsecond=moment.microsecond // 1000 * 1000)
