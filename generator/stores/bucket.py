"""A bucket of S3, Google Cloud Storage or Azure, or what begins with a prefix in it, through obstore.

Each put is one request: an object is seen whole or not at all, and a create-only put (If-None-Match: *) is refused by
the store itself where an object is. A request may be made from any thread, and is over when it returns or raises: the
library's own coroutines call back from threads of its own, which abort a process that ends at that moment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import msgspec
from obstore import exceptions

from generator.stores.refused import is_no_bucket, refused, without_create_only

if TYPE_CHECKING:
    from obstore import Attributes, ObjectMeta, PutMode, PutResult, UpdateVersion
    from obstore.store import AzureStore, GCSStore, S3Store

_LISTED = 1000
"""Objects in one answer to a listing."""


class Got(msgspec.Struct, frozen=True, kw_only=True):
    """An object as it was read."""

    data: bytes
    e_tag: str | None
    """As the store gives it, quotes included; None where it gives none."""
    version: str | None
    """Likewise."""


class Bucket:
    """A bucket, or what begins with a prefix in it. Every path is relative to it."""

    def __init__(self, store: S3Store | GCSStore | AzureStore, name: str) -> None:
        """Use a store; nothing is asked yet.

        Args:
            store: the store, its prefix applied.
            name: its address, for messages.
        """
        self.name = name
        self._store = store

    def listed(self, prefix: str | None = None) -> Iterator[Sequence[ObjectMeta]]:
        """Yield path and marks of every object, or of every one whose path begins with `prefix` and a '/'."""
        with self._saying(None):
            yield from self._store.list(prefix, chunk_size=_LISTED)

    def top(self) -> Sequence[ObjectMeta]:
        """Return path and marks of every object whose path has no '/'."""
        with self._saying(None):
            return self._store.list_with_delimiter()["objects"]

    def get(self, path: str) -> Got | None:
        """Return an object; None where there is none."""
        with self._saying(path):
            try:
                found = self._store.get(path)
                return Got(data=bytes(found.bytes()), e_tag=found.meta["e_tag"], version=found.meta["version"])
            except FileNotFoundError as error:
                if is_no_bucket(str(error)):
                    raise
                return None

    def create(self, path: str, data: bytes, attributes: Attributes | None = None) -> PutResult | None:
        """Put an object where none is; return None, with nothing changed, where the store has one."""
        with self._saying(path), suppress(exceptions.AlreadyExistsError):
            return self._put(path, data, "create", attributes)
        return None

    def update(self, path: str, data: bytes, mark: UpdateVersion) -> PutResult | None:
        """Put an object in the place of that very state; return None where it is in another one, or gone."""
        with self._saying(path), suppress(exceptions.PreconditionError, FileNotFoundError):
            return self._put(path, data, mark, None)
        return None

    def replace(self, path: str, data: bytes, attributes: Attributes | None = None) -> PutResult:
        """Put an object, whole, in the place of whatever there is."""
        with self._saying(path):
            return self._put(path, data, "overwrite", attributes)

    def remove(self, path: str) -> None:
        """Take an object away; one that is not there is no error."""
        with self._saying(path), suppress(FileNotFoundError):
            self._store.delete(path)

    def _put(self, path: str, data: bytes, mode: PutMode, attributes: Attributes | None) -> PutResult:
        return self._store.put(path, data, mode=mode, attributes=attributes, use_multipart=False)

    @contextmanager
    def _saying(self, path: str | None) -> Iterator[None]:
        """Say in one message what the store refuses, or that it cannot be reached."""
        try:
            yield
        except NotImplementedError:
            raise without_create_only(self.name, "no create-only put") from None
        except (exceptions.BaseError, FileNotFoundError) as error:
            raise refused(str(error), self.name, path) from None
