"""The closed list of short codes for what went wrong with a request: ours, never the router's words."""

from __future__ import annotations

from enum import StrEnum

from generator.records.observation import Observation, Outcome


class ErrorKind(StrEnum):
    """Why an observation is not a plain answer. Each code goes with the outcome that its group names."""

    # Unsent: never reached the endpoint.
    NETWORK = "network"
    """No connection to the router was opened."""
    KEY_REFUSED = "key_refused"
    """401."""
    NO_CREDIT = "no_credit"
    """402."""
    FORBIDDEN = "forbidden"
    """403."""
    ROUTER_RATE_LIMIT = "router_rate_limit"
    """A 429 that the router itself raised, for a shared pool or the account, or a 429 that is no router's JSON."""
    ROUTER_ERROR = "router_error"
    """A 5xx that names no provider."""
    CACHE_HIT = "cache_hit"
    """Answered from the router's cache: not measured."""
    REFUSED_REQUEST = "refused_request"
    """400, 413, 422 or another 4xx that names no provider: our request is at fault."""
    WRONG_ADDRESS = "wrong_address"
    """A redirect, or a 404 that no router's API gives."""
    ACCOUNT_SETTINGS = "account_settings"
    """A 404 because the operator's own privacy settings leave the endpoint out."""
    UNPRICED = "unpriced"
    """The listing gives no price, and the night has a cap: what it could cost cannot be known."""
    PRICE_CHANGED = "price_changed"
    """A 404 because the endpoint has come to charge more than the request allows, which its listed price set."""
    BUDGET = "budget"
    """The night's cap would be passed."""
    INTERRUPTED = "interrupted"
    """The run ended before the request was decided."""

    # Error: the endpoint's fault.
    SERVER_ERROR = "server_error"
    """A 5xx that names the provider."""
    PROVIDER_RATE_LIMIT = "provider_rate_limit"
    """The provider's own 429 or 529."""
    TIMEOUT = "timeout"
    """A deadline of ours passed, or a status that says one did: 408, or 504 or 524 naming the provider."""
    BROKEN = "broken"
    """The connection ended before a whole reply."""
    TOO_LARGE = "too_large"
    """The body passed its cap."""
    UNDECODABLE = "undecodable"
    """The body is no JSON object."""
    MALFORMED = "malformed"
    """A member that the answer hangs on has another type than it must."""
    ERROR_OBJECT = "error_object"
    """An error inside HTTP 200, on top or in the choice."""
    NO_CHOICES = "no_choices"
    """HTTP 200 with no choice in it."""
    NULL_CONTENT = "null_content"
    """HTTP 200 with content null, or with no part in it."""
    CONTENT_FILTER = "content_filter"
    """A harmless probe was filtered, or refused in the field that is for refusals."""
    NO_ENDPOINT = "no_endpoint"
    """404 while listed."""
    REJECTED = "rejected"
    """400, 413, 422 or another 4xx that names the provider."""
    UNEXPECTED_STATUS = "unexpected_status"
    """A status that is neither 200 nor a failure that HTTP knows."""
    UNEXPECTED_FINISH = "unexpected_finish"
    """A finish reason that is neither an end nor a cut."""

    # Truncated.
    TOKEN_LIMIT = "token_limit"  # noqa: S105 - a limit on tokens of text
    """Cut at the token limit."""
    BROKE_OFF = "broke_off"
    """Ended after some text without saying that it was finished."""

    # Misrouted.
    OTHER_PROVIDER = "other_provider"
    """Served by another provider."""
    OTHER_MODEL = "other_model"
    """Served by another model."""


_OPERATORS = frozenset({ErrorKind.WRONG_ADDRESS, ErrorKind.FORBIDDEN})
_RETRYABLE = frozenset({ErrorKind.NETWORK, ErrorKind.ROUTER_RATE_LIMIT, ErrorKind.ROUTER_ERROR, ErrorKind.CACHE_HIT})


def retryable(observation: Observation) -> bool:
    """True where the request may be sent again: it never reached its endpoint, and the cause can pass by itself.

    The endpoint's own errors are never sent again, nor is what our request or our account is at fault for.
    """
    return observation.outcome is Outcome.UNSENT and observation.error_kind in _RETRYABLE


def decisive(observation: Observation) -> bool:
    """True where an observation may stand for the night: a later run of the same night could not do better.

    What the operator can mend (an address that leads elsewhere, a refusal of the account) is asked again once it is.
    """
    return observation.outcome is not Outcome.UNSENT or observation.error_kind not in _OPERATORS
