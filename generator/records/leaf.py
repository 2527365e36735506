"""The leaves of the transparency log: each says once that something was recorded, issued or declared.

A leaf's bytes are its canonical JSON (RFC 8785) with the member `kind`; they are what the Merkle tree hashes.
"""

from __future__ import annotations

from datetime import date, datetime

import msgspec

from generator.records.canonical import canonical_json
from generator.records.night import NightState


class _Leaf(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """What all leaves have in common: the member `kind`."""


class KeyLeaf(_Leaf, frozen=True, kw_only=True, tag="key"):
    """A public key that signs checkpoints from here on."""

    vkey: str
    """As a C2SP signed-note verifier key: name, key id and key."""


class MissedLeaf(_Leaf, frozen=True, kw_only=True, tag="missed"):
    """A date on which no night was begun."""

    night: date


class NightLeaf(_Leaf, frozen=True, kw_only=True, tag="night"):
    """A sealed night, recorded or void."""

    night: date
    state: NightState
    record_sha256: str
    """Of night.json, which names the digests of the night's tables."""
    files: dict[str, str]
    """SHA-256 of each table, by file name."""


class VoidedLeaf(_Leaf, frozen=True, kw_only=True, tag="voided"):
    """A declaration that a recorded night is void."""

    night: date
    record_sha256: str
    """Of void.json."""


class WithheldLeaf(_Leaf, frozen=True, kw_only=True, tag="withheld"):
    """A night's table that was replaced by one without a text that must not be shown."""

    night: date
    record_sha256: str
    """Of the declaration, which holds the reason."""
    before_sha256: str
    """Of the table that the night was sealed with, or of the one that an earlier withholding left."""
    after_sha256: str
    """Of the table that is kept now."""
    file: str
    """What the kept table is called in the night's folder."""
    declared_at: datetime


class MethodLeaf(_Leaf, frozen=True, kw_only=True, tag="method"):
    """A method version, when something was first graded under it."""

    version: str
    definition_sha256: str
    text_sha256: str
    digest: str
    """Of definition and text together, as every grade names it."""
    page_sha256: str


class GradeLeaf(_Leaf, frozen=True, kw_only=True, tag="grade"):
    """An issued grade and its permanent page."""

    path: str
    """Of the page's folder in the site, ending in a slash."""
    record_sha256: str
    """Of grade.json beside the page."""
    page_sha256: str


Leaf = KeyLeaf | MissedLeaf | NightLeaf | VoidedLeaf | WithheldLeaf | MethodLeaf | GradeLeaf


def leaf_bytes(leaf: Leaf) -> bytes:
    """Return what the tree hashes: the leaf as canonical JSON, its kind included."""
    return canonical_json(leaf)


def read_leaf(data: bytes) -> Leaf:
    """Return the leaf of some bytes.

    Raises:
        msgspec.ValidationError: where they are no leaf that this program knows.
    """
    return msgspec.json.decode(data, type=Leaf)


def read_canonical_leaf(data: bytes) -> Leaf:
    """Return the leaf of some bytes, which must be written as this program writes it.

    Raises:
        ValueError: where they are no leaf that this program knows, or not canonical JSON.
    """
    try:
        leaf = read_leaf(data)
    except msgspec.DecodeError as error:
        raise ValueError(str(error)) from None
    if leaf_bytes(leaf) != data:
        raise ValueError("expected canonical JSON, found other bytes")
    return leaf
