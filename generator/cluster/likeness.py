"""What a worker's site root has in common with ours: the same program, nights, log and templates, or it is another."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import msgspec

from generator import __version__
from generator.cluster.connection import Client
from generator.errors import BitdepthError, ClusterError
from generator.records.canonical import sha256
from generator.site.templates import Templates, load
from generator.workflows.world import Root


class Likeness(msgspec.Struct, frozen=True, kw_only=True):
    """What tells one archive, and what is made of it, from another."""

    program: str
    """The version of this program."""
    newest_night: str
    """Its date and the SHA-256 of its night.json."""
    log_head: str
    """SHA-256 of the log's head."""
    templates: str
    """SHA-256 over every template."""


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where a worker finds the archive, and what must lie there."""

    path: str
    likeness: Likeness


def place_of(root: Root) -> Place:
    """Return a root as workers are to find it: under the same path, with the same content."""
    return Place(path=str(root.path.resolve()), likeness=likeness_of(root))


def likeness_of(root: Root) -> Likeness:
    """Return what tells a root from another.

    Raises:
        BitdepthError: where it is none, or cannot be read.
    """
    nights, head = root.store.nights.kept(), root.store.log.head()
    return Likeness(
        program=__version__,
        newest_night=f"{nights[-1]}, SHA-256 {root.store.nights.get(nights[-1]).sha256}" if nights else "none",
        log_head="none" if head is None else sha256(head.encode()),
        templates=load(root.templates).sha256,
    )


@lru_cache(maxsize=4)
def opened(place: Place) -> tuple[Root, Templates]:
    """Return the root that lies at a place and its templates: looked at once in the life of a worker.

    Raises:
        ClusterError: where there is none, or it is another.
    """
    root = Root(Path(place.path))
    try:
        root.content.settings()
        found = likeness_of(root)
    except BitdepthError as error:
        raise _another(f"none that can be read ({error})") from None
    for field in found.__struct_fields__:
        expected, there = getattr(place.likeness, field), getattr(found, field)
        if expected != there:
            raise _another(f"another: {field.replace('_', ' ')} {there}, ours has {expected}")
    return root, load(root.templates)


def require_alike(client: Client, place: Place) -> None:
    """Return where every worker that is there reads this archive; one that comes later looks before its first task.

    Raises:
        ClusterError: naming the first worker that does not.
    """
    for worker, answer in sorted(client.run(_look, place, on_error="return").items()):
        if answer is None:
            continue
        if isinstance(answer, BaseException):
            # A worker of another version of this program, or without it, cannot even look.
            raise ClusterError(
                f"expected bitdepth {__version__} at every worker, found one that cannot run it "
                f"({type(answer).__name__})",
                where=worker,
                do="Install the same version of bitdepth[cluster] at every worker; nothing was written",
            )
        raise ClusterError(str(answer), where=worker, do=_DO)


def _look(place: Place) -> str | None:
    """Return what is wrong with the root that lies at a place; None for nothing."""
    opened.cache_clear()
    try:
        opened(place)
    except ClusterError as error:
        return error.problem
    return None


_DO = "Give every worker the same site root under the same path, and the same version; nothing was written"


def _another(found: str) -> ClusterError:
    return ClusterError(f"expected this site root at every worker, found {found}", where="a worker", do=_DO)
