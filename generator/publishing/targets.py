"""What a target's address names: a folder, or a bucket whose credentials stand in the environment."""

from __future__ import annotations

from collections.abc import Callable

from generator.errors import UsageError
from generator.publishing.interface import Target
from generator.publishing.local_folder import LocalFolder
from generator.publishing.object_store import ObjectStore
from generator.records.store_address import FOLDER, KNOWN, NO_CREDENTIAL, named, parse_store_address
from generator.stores.addresses import folder_at, open_bucket
from generator.stores.lease import Times

WHERE = "TARGET"
"""The argument that gives the address, for messages."""


def open_target(address: str, is_set: Callable[[str], bool], times: Times | None = None) -> Target:
    """Return the target of an address; nothing is asked of it yet.

    Args:
        address: its scheme is file, s3, gs or az.
        is_set: whether an environment variable holds anything.
        times: of a bucket's lease, instead of the usual.

    Raises:
        UsageError: where it is no address of a folder or bucket.
        CredentialError: naming the variables, where none holds a credential.
    """
    parsed = parse_store_address(address)
    if parsed is None:
        raise UsageError(
            f"expected the address of a target, {KNOWN}, found {named(address)}", where=WHERE, do=NO_CREDENTIAL
        )
    if parsed.scheme == FOLDER:
        return LocalFolder(folder_at(parsed))
    return ObjectStore(open_bucket(parsed, is_set, where=WHERE), times)
