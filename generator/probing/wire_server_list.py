"""What a reading of a server's models comes to: the model meant, or why the server is left out, and what to do. Pure.

Nothing of what a server says is repeated: numbers and our own words alone.
"""

from __future__ import annotations

from http import HTTPStatus

import msgspec

from generator.errors import RouterError
from generator.probing.interface import End, Reply
from generator.probing.wire_server import ServedModel, names_a_path, parse_served, served_by
from generator.settings import ServerSettings

_NO_LIST = (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED)
"""How a server says that it cannot list its models; a wrong address is answered so too."""
REFUSED = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
"""How a server says that it wants a key, or another one."""
_LOOK = "Check that it runs, and its address in content/site.toml"


class ServerList(msgspec.Struct, frozen=True, kw_only=True):
    """What a server's list of models says."""

    models: tuple[ServedModel, ...] = ()
    served: ServedModel | None = None
    """The model meant; null where none of the list is, or where there is no list."""
    lists_nothing: int | None = None
    """The HTTP status of a server that cannot list its models: it is asked by the settings' name for its model."""
    problem: str | None = None
    """Why it cannot be listed."""
    do: str | None = None


def server_list(server: ServerSettings, reply: Reply) -> ServerList:
    """Return what came back for a reading of /models, judged by what settings say of the server."""
    if reply.end is not End.COMPLETE:
        return ServerList(problem=_END_WORDS[reply.end], do=_LOOK)
    if reply.status in _NO_LIST:
        return ServerList(lists_nothing=reply.status)
    if reply.status != HTTPStatus.OK:
        do = _key_advice(server) if reply.status in REFUSED else _LOOK
        return ServerList(problem=f"HTTP status {reply.status}", do=do)
    return _meant(server, reply.body)


def remark(server: ServerSettings, found: ServerList) -> str | None:
    """Return what is to be said of a server tonight, in one line; None where all is well."""
    name = f"server {server.name} of {server.model}"
    if found.lists_nothing is not None:
        return (
            f"{name} cannot list its models (HTTP status {found.lists_nothing}) and is asked for "
            f"'{server.model_id or server.model}' all the same. If it should list them, check its address"
        )
    return None if found.problem is None else f"{name} is left out tonight: {found.problem}. {found.do}"


def _meant(server: ServerSettings, body: bytes) -> ServerList:
    """Return what the body of a list says."""
    try:
        models = parse_served(body)
    except RouterError:
        return ServerList(problem="its answer is no list of models", do="Check its address in content/site.toml")
    served = served_by(server, models)
    if served is not None and names_a_path(served):
        return ServerList(
            problem="it names its model by the path of a file, which would be published",
            do="Start it with an alias for the model",
        )
    return ServerList(models=models, served=served)


def _key_advice(server: ServerSettings) -> str:
    if server.key_variable is None:
        return "Name the variable of its key as its key_variable in content/site.toml"
    return f"Set {server.key_variable} to a key that it takes"


_END_WORDS = {
    End.NOT_CONNECTED: "not connected",
    End.BROKEN: "the connection broke, or spoke no HTTP",
    End.TIMED_OUT: "no whole answer within the deadline",
    End.TOO_LARGE: "a list longer than is read",
}
