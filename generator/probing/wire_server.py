"""A server of the settings as an endpoint of its model: its tag, what it lists of itself, and what is kept of it.

vLLM, SGLang, llama.cpp and Ollama list the models that they serve at /models, and name in an answer either the id that
they list or the id that was asked for: asked by the id that they list, they have one name to give. What they list:
- vLLM: each served name, with the model's own name as `root`;
- SGLang: its served name, with `root` too;
- llama.cpp: its alias or the path of its file, whatever a request names;
- Ollama: each model with its tag, which is ':latest' where a request names none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from decimal import Decimal

import msgspec

from generator.errors import ContentError
from generator.probing.wire_entries import compact, data_of, members, whole_name
from generator.probing.wire_listing import ABSENT
from generator.probing.wire_plain import OWN_MEMBERS
from generator.records.listing import ListedEndpoint
from generator.records.slug import slug
from generator.settings import ServerSettings

PARAMETERS = ("max_tokens", "seed", "temperature")
"""Optional request parameters that each of these servers takes."""

MAX_RAW = 20_000
"""Longest text, in characters, that is kept of a server."""

_PRIVATE = ("address", "key_variable")
_ABSOLUTE = re.compile(r"[/\\~]|[A-Za-z]:[/\\]|file:")


class ServedModel(msgspec.Struct, frozen=True, kw_only=True):
    """One model as a server lists it."""

    model_id: str
    root: str | None
    """The model's own name, where the server gives it beside the name that it is served under."""
    raw: str
    """The server's JSON for it, as compact text."""


def parse_served(body: bytes) -> tuple[ServedModel, ...]:
    """Return the models that a server lists, in its order; entries without an id are left out.

    Raises:
        RouterError: where the body is no list of models.
    """
    found = ((raw, members(raw)) for raw in data_of(body, "the list of models"))
    return tuple(
        ServedModel(model_id=model_id, root=whole_name(entry.get("root")), raw=compact(raw))
        for raw, entry in found
        if (model_id := whole_name(entry.get("id"))) is not None
    )


def served_by(server: ServerSettings, listed: Sequence[ServedModel]) -> ServedModel | None:
    """Return which of the models that a server lists is meant; None where none is.

    It is the one of that id; else of that id but for case or ':latest'; else of that root. Where settings name no id,
    the model's slug stands for it, and the only model listed is meant whatever its name.
    """
    wanted = server.model_id or server.model
    alike = {wanted.casefold(), f"{wanted.casefold()}:latest"}
    found = [
        *(model for model in listed if model.model_id == wanted),
        *(model for model in listed if model.model_id.casefold() in alike),
        *(model for model in listed if model.root == wanted),
        *(listed if server.model_id is None and len(listed) == 1 else ()),
    ]
    return found[0] if found else None


def names_a_path(served: ServedModel) -> bool:
    """True where a server lists a model under its place on a disk, as llama.cpp without --alias does.

    What a night asked for is published, and where a machine keeps its files is nobody's affair.
    """
    return _ABSOLUTE.match(served.model_id) is not None


def tag_of(server: ServerSettings) -> str:
    """Return the tag of a server: its name, in lower case and safe as a path, and the precision that it declares."""
    declared = _declared(server)
    return slug(server.name) if declared is None else f"{slug(server.name)}/{declared}"


def endpoint_of(server: ServerSettings, served: ServedModel | None) -> ListedEndpoint:
    """Return a server as an entry of its model's listing.

    Args:
        server: as settings say.
        served: the model in its own list; None where it lists none of that name, and is asked for it all the same.
    """
    return ListedEndpoint(
        provider=server.name,
        tag=tag_of(server),
        declared_precision=_declared(server),
        context_length=server.context_length,
        max_completion_tokens=None,
        price_prompt=Decimal(server.price_prompt),
        price_completion=Decimal(server.price_completion),
        status=None,
        supported_parameters=PARAMETERS,
        raw=_raw(server, served),
        model_id=served.model_id if served is not None else server.model_id,
    )


def check_parameters(server: ServerSettings, where: str) -> None:
    """Refuse parameters that no request can carry, or that would ask for what the night's settings say otherwise.

    Args:
        server: as settings say.
        where: its parameters stand, for the message.

    Raises:
        ContentError: naming the parameter, or what is wrong with one.
    """
    taken = sorted(OWN_MEMBERS & server.parameters.keys())
    if taken:
        raise ContentError(
            f"expected parameters beside those that every request has, found '{taken[0]}'",
            where=where,
            do="Take it out: the night's settings say it, for all endpoints alike",
        )
    try:
        said = _json(server.parameters)
    except (TypeError, ValueError) as error:
        raise ContentError(
            f"expected what JSON can hold, found {error}", where=where, do="Use texts, finite numbers, lists and tables"
        ) from None
    if len(said) > MAX_RAW // 2:
        raise ContentError(
            f"expected at most {MAX_RAW // 2} characters as JSON, found {len(said)}",
            where=where,
            do="Set what is so long at the server",
        )


def _declared(server: ServerSettings) -> str | None:
    said = server.declared_precision
    return None if said is None or said.casefold() in ABSENT else said


def _raw(server: ServerSettings, served: ServedModel | None) -> str:
    """Return what settings say of a server, and what it lists, unless that is too long.

    Its address and its key's variable are left out: what is kept is published, and they are its owner's affair.
    """
    said = {name: getattr(server, name) for name in server.__struct_fields__ if name not in _PRIVATE}
    settings = _json(said)
    listed = served.raw if served is not None and len(served.raw) + len(settings) < MAX_RAW else "null"
    return f'{{"listed":{listed},"server":{settings}}}'


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
