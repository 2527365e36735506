"""One request to one reply: pure, so that night, seed and request alone decide it.

Order of refusals: no key 401, a body that is not understood 400, a model or endpoint that is not listed 404, a prompt
that was not recorded 400. After these a fault of the script may speak, and else the recording.
"""

from __future__ import annotations

from typing import assert_never

import msgspec

from generator.probing.demo.bodies import (
    answer_body,
    bodies_without_answer,
    endpoints_body,
    error_body,
    key_body,
    models_body,
    provider_metadata,
)
from generator.probing.demo.faults import (
    ErrorInside200,
    Fault,
    KeepAlive,
    Misrouting,
    RateLimit,
    RequestFault,
    ServerError,
    Truncation,
    hit,
)
from generator.probing.demo.recording import RecordedEndpoint, Recording, Sample, drawn_sample
from generator.probing.demo.request import ChatRequest, pinned, read_request
from generator.probing.demo.roster import Offer, offers
from generator.probing.demo.seeds import token
from generator.probing.draws import Draws
from generator.records.prompt import Prompt

_KEEP_ALIVE = b" \n" * 8


class Response(msgspec.Struct, frozen=True, kw_only=True):
    """What goes back, and for whom it is counted."""

    status: int
    body: bytes
    latency_ms: int | None = None
    """As recorded; null where no recorded answer stands behind it."""
    served: RecordedEndpoint | None = None
    """The endpoint that was asked; null where none was reached."""
    fault: str | None = None
    """The name of the fault that spoke."""


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """One night of the demo: everything that a reply follows from, but the request."""

    recording: Recording
    faults: tuple[Fault, ...]
    seed: str
    listed: tuple[Offer, ...]

    def models(self) -> Response:
        """Return the list of models."""
        return Response(status=200, body=models_body(self.listed))

    def endpoints(self, model: str) -> Response:
        """Return the endpoints of a model that are listed tonight, or 404."""
        if model not in self.recording.models():
            return _refusal(404, "Model not found")
        return Response(status=200, body=endpoints_body(model, self.listed))

    def key(self, authorization: str) -> Response:
        """Return what is known of the key: it has no limit; 401 without one.

        Args:
            authorization: the header's value, empty where it is missing.
        """
        if not _bears_key(authorization):
            return _refusal(401, "No key was sent")
        return Response(status=200, body=key_body())

    def chat(self, body: bytes, authorization: str) -> Response:
        """Return the reply to a chat request.

        Args:
            body: as received.
            authorization: the header's value, empty where it is missing.
        """
        if not _bears_key(authorization):
            return _refusal(401, "No key was sent")
        request = read_request(body)
        if isinstance(request, str):
            return _refusal(400, request)
        if request.stream:
            return _refusal(400, "This router does not stream")
        offer = pinned(request, body, self.listed)
        if offer is None:
            return _refusal(404, f"No endpoints found for {request.model} under the request's provider rules")
        return self._served(request, offer)

    def _served(self, request: ChatRequest, offer: Offer) -> Response:
        prompt = self.recording.by_text.get(request.prompt() or "")
        if prompt is None:
            return _refusal(400, "This prompt was not recorded")
        if request.max_tokens is not None and request.max_tokens < prompt.max_tokens:
            return _refusal(400, f"This prompt was recorded with max_tokens {prompt.max_tokens}, not fewer")
        fault = hit(self.faults, self.seed, offer.recorded, prompt.prompt_id)
        response = self._answer(offer, prompt) if fault is None else self._faulty(fault, offer, prompt)
        return msgspec.structs.replace(response, served=offer.recorded, fault=fault.name if fault else None)

    def _faulty(self, fault: RequestFault, offer: Offer, prompt: Prompt) -> Response:
        """Return the reply with a fault in it."""
        match fault:
            case ServerError(status=status):
                metadata = provider_metadata(offer, "The upstream server failed")
                return Response(status=status, body=error_body(status, "Provider returned an error", metadata))
            case RateLimit():
                metadata = provider_metadata(offer, "Too many requests at the provider, try again shortly")
                return Response(status=429, body=error_body(429, "Provider returned an error", metadata))
            case ErrorInside200(name=name):
                shapes = bodies_without_answer(self._generation(offer, prompt), offer)
                labels = ("demo shape", name, offer.recorded.model, offer.recorded.tag, prompt.prompt_id)
                return Response(status=200, body=Draws(self.seed, *labels).choice(shapes))
            case KeepAlive():
                plain = self._answer(offer, prompt)
                return msgspec.structs.replace(plain, body=_KEEP_ALIVE + plain.body)
            case Misrouting(served_by=other):
                return self._answer(offer, prompt, served_by=self.recording.endpoint(fault.model, other))
            case Truncation():
                return self._answer(offer, prompt, cut=True)
            case _:
                assert_never(fault)

    def _answer(
        self, offer: Offer, prompt: Prompt, *, served_by: RecordedEndpoint | None = None, cut: bool = False
    ) -> Response:
        """Return what the endpoint, or another that serves it, was recorded to answer."""
        server = served_by or offer.recorded
        sample = drawn_sample(self.recording, self.seed, server, prompt)
        body = answer_body(
            self._generation(offer, prompt), offer, server.provider_name, _half(sample) if cut else sample
        )
        return Response(status=200, body=body, latency_ms=sample.latency_ms)

    def _generation(self, offer: Offer, prompt: Prompt) -> str:
        return f"gen-{token(self.seed, offer.recorded.model, offer.recorded.tag, prompt.prompt_id)}"


def stage(recording: Recording, faults: tuple[Fault, ...], night_index: int, seed: str) -> Stage:
    """Return a night of the demo.

    Args:
        recording: what is played back.
        faults: the script.
        night_index: counted from 1.
        seed: the night's, any text.
    """
    return Stage(recording=recording, faults=faults, seed=seed, listed=offers(recording, faults, night_index))


def _half(sample: Sample) -> Sample:
    """Return a recorded answer as it stood half way, with at least one character that is no white space."""
    answer = sample.text.lstrip()
    lead = len(sample.text) - len(answer)
    return msgspec.structs.replace(
        sample,
        text=sample.text[: lead + (len(answer) + 1) // 2],
        finish_reason="length",
        completion_tokens=(sample.completion_tokens + 1) // 2,
    )


def _bears_key(authorization: str) -> bool:
    scheme, _, key = authorization.partition(" ")
    return scheme.casefold() == "bearer" and key.strip() != ""


def _refusal(status: int, message: str) -> Response:
    return Response(status=status, body=error_body(status, message))
