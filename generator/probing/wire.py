"""The wire format of OpenRouter's API, pure and total: asks to requests, listings to records, replies to observations.

wire_request   one ask as a request, pinned to one endpoint
wire_listing   listings as records
wire_reply     one reply as one observation; with
  wire_failure   whose failure it is, and what stops the night
  wire_body      its JSON as typed values
  wire_served    whether who answered is who was asked
  wire_kinds     the closed list of error kinds, and which may be sent again
  wire_values    single values as the archive can store them
"""

from __future__ import annotations

from generator.probing.wire_failure import stop
from generator.probing.wire_kinds import ErrorKind, decisive, retryable
from generator.probing.wire_listing import ListedModel, highest_prices, parse_endpoints, parse_models
from generator.probing.wire_reply import Family, observe, unsent
from generator.probing.wire_request import UNDECLARED, request_body, request_headers, token_limit

__all__ = [
    "UNDECLARED",
    "ErrorKind",
    "Family",
    "ListedModel",
    "decisive",
    "highest_prices",
    "observe",
    "parse_endpoints",
    "parse_models",
    "request_body",
    "request_headers",
    "retryable",
    "stop",
    "token_limit",
    "unsent",
]
