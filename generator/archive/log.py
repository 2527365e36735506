"""The transparency log as it is kept: tiles and records added once, the head that makes them count, what is signed.

What the tiles, notes and proofs mean is for `generator.log`; here they are bytes. An append writes down first what it
will write, then writes it, then replaces the head: interrupted anywhere, the next one begins where nothing had begun.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date

from generator.archive import codec, layout
from generator.archive.folder import Folder, record_at
from generator.archive.pages import pages_manifest
from generator.errors import IntegrityError
from generator.records.canonical import COMPARE_ELSEWHERE, SEALED_FORMAT, canonical_json, check_digest, sealed, sha256
from generator.records.log_index import LogAppending, LogIndex
from generator.records.manifest import PagesManifest


class Log:
    """archive/log/."""

    def __init__(self, folder: Folder) -> None:
        """Use an archive's folder."""
        self._folder = folder

    def read(self, path: str) -> bytes:
        """Return a file's bytes by its path below log/, as a tile reader asks for them."""
        return self._folder.read(f"{layout.LOG}/{path}")

    def head(self) -> str | None:
        """Return the text of the newest tree, which says what counts; None where nothing was ever appended.

        Raises:
            MissingFileError: where it is gone and leaves are there.
        """
        if not self._folder.exists(layout.LOG_HEAD) and (
            self._folder.exists(layout.LOG_APPENDING) or not self._folder.matching(layout.log_index_file("*/*"))
        ):
            return None
        return _text(self._folder.read(layout.LOG_HEAD), layout.LOG_HEAD)

    def append(self, files: Mapping[str, bytes], indexes: Mapping[str, LogIndex], head: str) -> None:
        """Write what an append makes, then the head that makes it count; an interrupted one was settled before.

        Args:
            files: tiles and bundles by path below log/, none of which is there.
            indexes: by source, such as 'nights/2026-11-01': where its leaves are; seals are filled in.
            head: the new head.
        """
        made = {f"{layout.LOG}/{path}": data for path, data in files.items()}
        made |= {layout.log_index_file(source): canonical_json(sealed(index)) for source, index in indexes.items()}
        fresh = tuple(sorted(name for name in made if not self._folder.exists(name)))
        appending = LogAppending(format=SEALED_FORMAT, head=head, files=fresh, seal="")
        self._folder.create(layout.LOG_APPENDING, canonical_json(sealed(appending)))
        for name, data in made.items():
            self._folder.create(name, data)
        self._folder.replace(layout.LOG_HEAD, head.encode())
        self._folder.remove(layout.LOG_APPENDING)

    def settle(self) -> None:
        """End an append that was interrupted: what it wrote counts where its head is in place, and otherwise goes.

        Raises:
            IntegrityError: where the note that it left is not as it was written.
        """
        for name in self._pending():
            for each in (name, name + layout.UNFINISHED):
                if self._folder.exists(each):
                    self._folder.remove(each)
        if self._folder.exists(layout.LOG_APPENDING):
            self._folder.remove(layout.LOG_APPENDING)

    def _pending(self) -> tuple[str, ...]:
        """Return what an append that was interrupted was to write, unless its head is in place: none of it counts.

        Raises:
            IntegrityError: where the note that it left is not as it was written.
        """
        if not self._folder.exists(layout.LOG_APPENDING):
            return ()
        appending = record_at(self._folder, layout.LOG_APPENDING, LogAppending)
        if self._folder.exists(layout.LOG_HEAD) and self._folder.read(layout.LOG_HEAD) == appending.head.encode():
            return ()
        for name in appending.files:
            if not name.startswith((f"{layout.LOG}/tile/", f"{layout.LOG}/index/")) or ".." in name:
                raise IntegrityError(
                    "expected tiles and records of the log alone, found another file's name",
                    where=layout.LOG_APPENDING,
                    do=COMPARE_ELSEWHERE,
                )
        return appending.files

    def sources(self, kind: str) -> frozenset[str]:
        """Return what of a kind is in the log: 'nights/2026-11-01' and so on for 'nights'."""
        names = (
            *self._folder.matching(layout.log_index_file(f"{kind}/*")),
            *self._folder.matching(layout.log_index_file(f"{kind}/*/*")),
        )
        start = len(layout.log_index_file("")) - len(".json")
        return frozenset(name[start:].removesuffix(".json") for name in names)

    def index(self, source: str) -> LogIndex | None:
        """Return where the leaves of a source are; None where it is not in the log."""
        name = layout.log_index_file(source)
        return record_at(self._folder, name, LogIndex) if self._folder.exists(name) else None

    def lasting(self) -> tuple[str, ...]:
        """Return the name of every file of the log that is written once and published: keys, checkpoints, tiles.

        What an append that was interrupted has written is none of them: it may make way for other bytes.
        """
        found = (self._folder.matching(f"{layout.LOG}/{each}") for each in ("keys/*", "signed/*", "tile/**/*"))
        pending = frozenset(self._pending())
        return tuple(name for names in found for name in names if name not in pending)

    def wider(self, tile: str, width: int) -> str | None:
        """Return a file of a tile that holds more than `width` hashes; None where there is none.

        Args:
            tile: the full tile's path below log/.
            width: hashes that a tree has of it.
        """
        name = f"{layout.LOG}/{tile}"
        partial = self._folder.matching(f"{name}.p/*")
        return name if self._folder.exists(name) else next((each for each in partial if _width(each) > width), None)

    def key_ids(self) -> tuple[str, ...]:
        """Return the key id of every public key that signs or signed, sorted."""
        names = self._folder.matching(layout.log_key_file("*"))
        return tuple(name.rsplit("/", 1)[1].removesuffix(".vkey") for name in names)

    def key(self, key_id: str) -> str:
        """Return a public key as text."""
        name = layout.log_key_file(key_id)
        return _text(self._folder.read(name), name).removesuffix("\n")

    def add_key(self, key_id: str, vkey: str) -> None:
        """Keep a public key; it is in the log once an append has made it a leaf."""
        self._folder.create(layout.log_key_file(key_id), f"{vkey}\n".encode())

    def checkpoint(self) -> bytes | None:
        """Return the newest signed checkpoint; None for a log that is unsigned."""
        return self._folder.read(layout.LOG_CHECKPOINT) if self._folder.exists(layout.LOG_CHECKPOINT) else None

    def signed(self) -> tuple[int, ...]:
        """Return the size of every tree that was signed, ascending."""
        names = (name.rsplit("/", 1)[1] for name in self._folder.matching(f"{layout.LOG}/signed/*"))
        return tuple(sorted(int(name) for name in names if name.isdecimal()))

    def signed_note(self, size: int) -> bytes:
        """Return the signed checkpoint of a size."""
        return self._folder.read(layout.log_signed_file(size))

    def add_signed(self, size: int, note: bytes) -> None:
        """Keep a signed checkpoint for ever, then make it the newest."""
        self._folder.create(layout.log_signed_file(size), note)
        self._folder.replace(layout.LOG_CHECKPOINT, note)

    def proved(self, version: str) -> tuple[date, ...]:
        """Return the window ends whose grades have their proofs under a version, ascending."""
        return self._folder.dates(layout.manifest_of(layout.proofs_file(version, "*")))

    def proofs(self, version: str, window_end: date) -> Iterator[tuple[str, bytes]]:
        """Yield the proofs of a window's grades, (path within the site, bytes) each, sorted by path."""
        name = layout.proofs_file(version, window_end.isoformat())
        data = self._folder.read(name)
        check_digest(data, self.proofs_manifest(version, window_end).sha256, where=name)
        return codec.each_page(data, where=name)

    def proofs_manifest(self, version: str, window_end: date) -> PagesManifest:
        """Return what lies beside a file of proofs."""
        name = layout.manifest_of(layout.proofs_file(version, window_end.isoformat()))
        return record_at(self._folder, name, PagesManifest)

    def add_proofs(
        self, proofs: Iterable[tuple[str, bytes]], *, version: str, digest: str, window_end: date
    ) -> PagesManifest:
        """Write the proofs of a window's grades, then their manifest."""
        name, table = layout.proofs_file(version, window_end.isoformat()), codec.pages_table(proofs)
        data = codec.parquet_bytes(table)
        manifest = pages_manifest(name, data, table.num_rows, version, digest)
        self._folder.add(name, data, manifest)
        return manifest


def _text(data: bytes, where: str) -> str:
    """Return a text of the log."""
    try:
        return data.decode("ascii")
    except UnicodeDecodeError:
        problem = f"expected ASCII, found other bytes (SHA-256 {sha256(data)})"
        raise IntegrityError(problem, where=where, do=COMPARE_ELSEWHERE) from None


def _width(name: str) -> int:
    """Return how many hashes a partial tile holds, as its name says."""
    last = name.rsplit("/", 1)[1]
    return int(last) if last.isdecimal() else 0
