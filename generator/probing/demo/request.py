"""A chat request, read once and pinned: the one endpoint it reaches tonight, or why it reaches none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec

from generator.probing.demo.roster import Offer

SUPPORTED = ("max_tokens", "temperature")
"""Request parameters that every endpoint lists."""

# A request that sets require_parameters is only served where all of these that it uses are listed.
_PARAMETERS = frozenset(
    {
        "frequency_penalty",
        "include_reasoning",
        "logit_bias",
        "logprobs",
        "max_tokens",
        "min_p",
        "presence_penalty",
        "reasoning",
        "repetition_penalty",
        "response_format",
        "seed",
        "stop",
        "temperature",
        "tool_choice",
        "tools",
        "top_k",
        "top_logprobs",
        "top_p",
    }
)


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a message that is given in parts."""

    type: Literal["text"]
    text: str


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """One message of a chat."""

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | tuple[Part, ...]

    def text(self) -> str:
        """Return what it says, parts joined."""
        return self.content if isinstance(self.content, str) else "".join(part.text for part in self.content)


class ProviderRules(msgspec.Struct, frozen=True, kw_only=True):
    """Which endpoints may serve a request; other rules that OpenRouter has are tolerated and do nothing here."""

    only: tuple[str, ...] | None = None
    """Tags, or the first part of tags: a provider's name in short matches all its endpoints."""
    quantizations: tuple[str, ...] | None = None
    """Declared precisions; 'unknown' where nothing is declared."""
    allow_fallbacks: bool = True
    """Nothing falls back here: what is not pinned goes to the first endpoint listed."""
    require_parameters: bool = False


class ChatRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What of a request's body matters here; other members are tolerated, as OpenRouter does."""

    model: str
    messages: Annotated[tuple[Message, ...], msgspec.Meta(min_length=1)]
    provider: ProviderRules | None = None
    max_tokens: Annotated[int, msgspec.Meta(ge=1)] | None = None
    stream: bool | None = None

    def prompt(self) -> str | None:
        """Return the prompt's text; None where there is more than one user message, which was not recorded."""
        match self.messages:
            case (Message(role="user") as message,):
                return message.text()
            case _:
                return None


_DECODER = msgspec.json.Decoder(ChatRequest)
_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])


def read_request(body: bytes) -> ChatRequest | str:
    """Return the request, or what is wrong with it in words.

    Args:
        body: as received.
    """
    try:
        return _DECODER.decode(body)
    # A body that is no UTF-8 fails in a way of its own; one nested too deep exhausts the decoder's recursion.
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return str(error)


def pinned(request: ChatRequest, body: bytes, listed: Sequence[Offer]) -> Offer | None:
    """Return the first endpoint listed that a request's rules allow, or None.

    Args:
        request: read from the body.
        body: its members say which parameters it uses.
        listed: the night's roster.
    """
    rules = request.provider or ProviderRules()
    for offer in listed:
        if (
            offer.recorded.model == request.model
            and (rules.only is None or any(_named(offer.tag, wanted) for wanted in rules.only))
            and (rules.quantizations is None or (offer.quantization or "unknown") in rules.quantizations)
            and (not rules.require_parameters or _used(body) <= set(SUPPORTED))
        ):
            return offer
    return None


def _named(tag: str, wanted: str) -> bool:
    return wanted in (tag, tag.partition("/")[0])


def _used(body: bytes) -> frozenset[str]:
    return _PARAMETERS & _MEMBERS.decode(body).keys()
