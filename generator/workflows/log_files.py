"""The log as the site carries it: tiles, keys, signed checkpoints and proofs laid out once, and its newest tree."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import groupby

from generator.archive import layout
from generator.records.canonical import sha256
from generator.site.interface import LogMaterial, Shelf
from generator.workflows.logged import log_head, log_keys, newest_signed
from generator.workflows.world import Root

_PARTIAL = ".p/"


def log_shelves(root: Root) -> Iterator[Shelf]:
    """Yield the log's files that never change, in small groups, and the proofs of each window's grades."""
    log, folder = root.store.log, root.store.folder
    for group, names in groupby(log.lasting(), key=_group):
        members = tuple(names)
        yield Shelf(name=group, digest=sha256("\n".join(members).encode()), files=partial(_lay, root, members))
    for version in root.store.grades.versions():
        for end in log.proved(version):
            manifest = log.proofs_manifest(version, end)
            folder.size(manifest.file)
            yield Shelf(name=manifest.file, digest=manifest.sha256, files=partial(log.proofs, version, end))


def log_material(root: Root) -> LogMaterial | None:
    """Return the newest tree and who signed what of it; None where nothing was ever appended.

    Raises:
        IntegrityError: where head or checkpoint is not what it should be.
    """
    log, head = root.store.log, log_head(root)
    if head is None:
        return None
    signed = newest_signed(root)
    return LogMaterial(
        origin=head.origin,
        size=head.size,
        root=head.root.hex(),
        head=head.text().encode(),
        signed_size=None if signed is None else signed.checkpoint.size,
        checkpoint=None if signed is None else signed.note,
        keys=tuple(key.vkey for key in log_keys(root)),
        proved=frozenset((version, end) for version in root.store.grades.versions() for end in log.proved(version)),
    )


def _group(name: str) -> str:
    """Return a file's group: ten tiles with what was of them before they were full, all keys, or all checkpoints."""
    whole = name.split(_PARTIAL, 1)[0]
    return whole[:-1] if whole.startswith(f"{layout.LOG}/tile/") else whole.rpartition("/")[0]


def _lay(root: Root, names: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    return ((name, root.store.folder.read(name)) for name in names)
