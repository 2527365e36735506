"""The log as it is now, asked a few tiles of: it has grown from a proof's tree and from every one that was seen."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import msgspec

from generator.errors import IntegrityError, MissingFileError, SiteError
from generator.log.addresses import TILE_WIDTH, TileAddress
from generator.log.bundles import decode_entries
from generator.log.checkpoint import Checkpoint, parse_checkpoint
from generator.log.merkle import consistency_proof, inclusion_proof, leaf_hash, verify_consistency, verify_inclusion
from generator.log.note import VerifierKey, open_note, read_note
from generator.log.tiles import TileReader
from generator.log.whole import bundle_paths
from generator.records.finding import FindingKind
from generator.records.leaf import KeyLeaf, leaf_bytes
from generator.records.permalink import PROOF
from generator.verification.findings import Findings
from generator.workflows.kept_log import Trust, is_of
from generator.workflows.published import Published
from generator.workflows.verifying_site_log import CHECKPOINT

_MOST_BUNDLES = 64
"""Of leaves, that are looked through for a key: one grade is checked in few requests."""


class Proved(msgspec.Struct, frozen=True, kw_only=True):
    """A leaf and the signed tree that its proof leads to."""

    checkpoint: Checkpoint
    key: VerifierKey
    """That the checkpoint is signed with."""
    index: int
    leaf: bytes


def is_signed_with(note: bytes, key: VerifierKey) -> bool:
    """True where a note bears a signature under a key's name and id, whether or not it fits.

    Raises:
        IntegrityError: where it is no note.
    """
    return any((one.name, one.key_id) == (key.name, key.key_id) for one in read_note(note).signatures)


def signer(site: Published, note: bytes, trust: Trust) -> VerifierKey:
    """Return the key to open a note with: the believed one, or another that the site names, which is as good as it.

    Raises:
        IntegrityError: where the site names none, or what it gives is none.
    """
    if trust.key is not None and is_signed_with(note, trust.key):
        return trust.key
    for signature in read_note(note).signatures:
        path = f"log/keys/{signature.key_id}.vkey"
        data = site.get(path)
        if data is not None:
            where = site.where + path
            return VerifierKey.parse(data.decode("utf-8", "replace").removesuffix("\n"), where=where)
    if trust.key is not None:
        return trust.key
    raise MissingFileError("expected the key that signed this, found none", where=f"{site.where}log/keys/")


def check_now(site: Published, note: bytes, proved: Proved, trust: Trust, findings: Findings) -> None:
    """Require that the log has grown from a proof's tree and from every one that was seen, and holds the leaf.

    A log may change its key. Where the key that is believed signed the proof or the newest checkpoint, and not both,
    the tiles lead from one to the other; and the newest checkpoint has to be signed with it.

    Args:
        site: as somebody outside sees it.
        note: its newest checkpoint.
        proved: what the proof leads to.
        trust: the key that is believed, and checkpoints seen before.
        findings: where mismatches are added.

    Raises:
        SiteError: where the site cannot be read.
    """
    where = site.where + CHECKPOINT
    with findings.reading(where):
        key = signer(site, note, trust)
        now = parse_checkpoint(open_note(note, [key], where=where), where=where)
        findings.checked("signatures")
        if not is_of(now, proved.checkpoint.origin, where, findings):
            return
        reader = TileReader(_tiles(site), now.size)
        _check_grown(site.where + PROOF, proved.checkpoint, now, reader, findings)
        if key != proved.key or trust.key not in {None, key}:
            _check_other_key(site, key, proved, now, reader, trust, findings)
        for place, data in trust.checkpoints:
            with findings.reading(place):
                seen = parse_checkpoint(read_note(data, where=place).text, where=place)
                if is_of(seen, now.origin, place, findings):
                    open_note(data, [signer(site, data, trust)], where=place)
                    _check_grown(place, seen, now, reader, findings)


def _check_other_key(  # noqa: PLR0913, PLR0917 - two keys, two trees, and who is believed
    site: Published,
    key: VerifierKey,
    proved: Proved,
    now: Checkpoint,
    reader: TileReader,
    trust: Trust,
    findings: Findings,
) -> None:
    """Say that another key signed the newest checkpoint than the proof; where it is believed, ask it for the leaf."""
    if trust.key is not None and key != trust.key:
        findings.add(
            FindingKind.DIFFERENT,
            site.where + CHECKPOINT,
            expected=f"a signature with the key that was given, {trust.key.name}+{trust.key.key_id}",
            found=f"one with {key.vkey}, {_place_words(site, key, now.size, now, reader)}. Find out elsewhere whether "
            "the log's owner changed the key; where that is so, give this one as --key",
        )
        return
    hashes = inclusion_proof(proved.index, now.size, reader.node)
    if not verify_inclusion(leaf_hash(proved.leaf), proved.index, now.size, hashes, now.root):
        raise IntegrityError(
            f"expected a tree of {now.size} leaves that holds the grade as leaf {proved.index}, found one that does not"
        )
    place, name = _place_words(site, proved.key, proved.checkpoint.size, now, reader), proved.key.vkey
    told = f"the newest checkpoint, signed with {key.name}+{key.key_id}, holds the grade as leaf {proved.index}"
    match place:
        case _Place.NONE:
            expected = "a proof that is signed with a key of the log"
            findings.add(FindingKind.DIFFERENT, site.where + PROOF, expected=expected, found=f"{name}, {place}; {told}")
        case _Place.UNKNOWN:
            findings.unchecked(f"the proof is signed with {name}, {place}: verify the whole site; {told}")
        case _:
            findings.note(f"the proof is signed with {name}, {place}; {told}")


class _Place(StrEnum):
    """Where a key's leaf is not found."""

    NONE = "which is no leaf of the log"
    UNKNOWN = f"which is none of the {_MOST_BUNDLES * TILE_WIDTH} leaves before it"


def _place_words(site: Published, key: VerifierKey, before: int, now: Checkpoint, reader: TileReader) -> str:
    """Return which leaf of a log a key is, looked for backwards among the leaves before one.

    Raises:
        IntegrityError: where a bundle is missing, or holds what the tree does not.
    """
    leaf, read = leaf_bytes(KeyLeaf(vkey=key.vkey)), _tiles(site)
    bundles = list(bundle_paths(now.size))[: -(-before // TILE_WIDTH)]
    for path in bundles[: -_MOST_BUNDLES - 1 : -1]:
        where = f"{site.where}log/{path}"
        leaves = decode_entries(read(path), where=where)
        if leaf in leaves:
            index = TileAddress.parse(path).index * TILE_WIDTH + leaves.index(leaf)
            hashes = inclusion_proof(index, now.size, reader.node)
            if not verify_inclusion(leaf_hash(leaf), index, now.size, hashes, now.root):
                raise IntegrityError(f"expected leaf {index} as the tree holds it, found another", where=where)
            return f"leaf {index} of the log"
    return _Place.NONE if len(bundles) <= _MOST_BUNDLES else _Place.UNKNOWN


def _check_grown(where: str, before: Checkpoint, now: Checkpoint, reader: TileReader, findings: Findings) -> None:
    """Add a finding where a tree has not grown from another of the same log."""
    findings.checked("checkpoints")
    if before.size > now.size:
        expected = f"a log {before.origin} of at least {before.size} leaves"
        findings.add(FindingKind.MISSING, where, expected=expected, found=f"{now.size}")
        return
    proof = consistency_proof(before.size, now.size, reader.node)
    if not verify_consistency(before.size, now.size, before.root, now.root, proof):
        expected = f"a log that has grown from the root {before.root.hex()} of {before.size} leaves"
        found = f"the root {now.root.hex()} of {now.size}: two logs have grown from one"
        findings.add(FindingKind.DIFFERENT, where, expected=expected, found=found)


def _tiles(site: Published) -> Callable[[str], bytes]:
    """Return what reads a tile by its path below log/."""

    def read(path: str) -> bytes:
        data = site.get(f"log/{path}")
        if data is None:
            raise MissingFileError("expected a tile of the log, found none", where=f"{site.where}log/{path}")
        return data

    return read


def had(site: Published, path: str, findings: Findings) -> bytes | None:
    """Return a file that must be there; None, and a finding or a note, where it cannot be had."""
    try:
        data = site.get(path)
    except SiteError as error:
        findings.unchecked(str(error))
        return None
    if data is None:
        findings.add(FindingKind.MISSING, site.where + path, expected="a file", found="none")
    return data
