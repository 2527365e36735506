"""The wire format of OpenRouter's API, pure and total: asks to requests, listings to records, replies to observations.

wire_request   one ask as a request, pinned to one endpoint
wire_listing   listings as records; with
  wire_entries   a listing's body as raw entries
wire_reply     one reply as one observation; with
  wire_failure   whose failure it is, and what stops the night
  wire_body      its JSON as typed values
  wire_message   what its message says
  wire_thinking  a text without the thinking in front of it
  wire_routes    what the router's metadata says of who answered and who failed
  wire_served    whether who answered is who was asked
  wire_kinds     the closed list of error kinds, and which may be sent again
  wire_values    single values as the archive can store them
wire_account   what a router says of key and credit, and its clock

Other dialects, judged by the same rules: wire_huggingface, and wire_plain with wire_server for servers asked directly.
"""

from __future__ import annotations

from generator.probing.wire_failure import own_key_refused, stop
from generator.probing.wire_kinds import ErrorKind, decisive, retryable
from generator.probing.wire_listing import ListedModel, parse_endpoints, parse_models
from generator.probing.wire_reply import Family, observe, unsent
from generator.probing.wire_request import UNDECLARED, request_body, request_headers, token_limit

__all__ = [
    "UNDECLARED",
    "ErrorKind",
    "Family",
    "ListedModel",
    "decisive",
    "observe",
    "own_key_refused",
    "parse_endpoints",
    "parse_models",
    "request_body",
    "request_headers",
    "retryable",
    "stop",
    "token_limit",
    "unsent",
]
