"""Nights' tallies kept beside the archive, in `<root>/.cache/tallies/`, so that a night is counted once.

Derived data: the folder may be deleted at any time. A cache can make a grade cheaper and never another one: what is
read back is whole and under the very key that was asked for, or it is counted again. A cache that cannot be read or
written is done without.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

from generator.errors import ArchiveError
from generator.method.tally import NightTally
from generator.records.canonical import sha256
from generator.workflows.sealed_cache import put
from generator.workflows.tally_codec import TallyKey, read_tally, tally_bytes


class TallyCache:
    """The tallies kept for one site root."""

    def __init__(self, root: Path) -> None:
        """Use a site root; nothing is opened or made yet."""
        self.folder = root / ".cache" / "tallies"

    def tally(self, night: date, key: TallyKey, count: Callable[[], NightTally]) -> NightTally:
        """Return a night's tally: as kept, or else counted and kept.

        Args:
            night: names the file; the key alone decides whether what it holds is used.
            key: what the tally depends on.
            count: counts the night; called where nothing sound is kept.
        """
        path = self.folder / f"{night.isoformat()}-{sha256(key.line())}.tally"
        found = self._read(path, key)
        if found is None or found.night != night:
            found = count()
            put(path, tally_bytes(found, key))
        return found

    def forget(self) -> None:
        """Delete every tally that is kept: some may hold an answer that must not be kept.

        Raises:
            ArchiveError: where one cannot be deleted.
        """
        for path in self.folder.glob("*"):
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise ArchiveError(
                    f"cannot delete a cached tally, which may hold what is withheld: {error.strerror}",
                    where=".cache/tallies",
                    do="Delete the folder by hand; it is made again",
                ) from None

    @staticmethod
    def _read(path: Path, key: TallyKey) -> NightTally | None:
        try:
            data = path.read_bytes()
        except OSError:
            return None
        return read_tally(data, key)
