"""What verification takes and gives, on one page.

    check_archive(kept)                      -> findings on the archive's files: seals, digests, chain, strays
    check_grades(recorded, recomputed)       -> findings on grades that do not follow from the nights
    check_pages(grades, pages)               -> findings on kept pages that do not belong to their grades
    check_leaves(leaves, sources)            -> findings on the log's leaves against the archive, in both directions
    check_tiles(kept, required, content)     -> findings on the log's tiles and bundles against its leaves
    check_seen(checkpoint)                   -> findings on a log that has not grown from a checkpoint that was seen
    check_site(expected, laid_out)           -> findings on the site's files against kept and rendered bytes

Everything here is handed in; nothing here opens a file. A mismatch is a finding, never an exception.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol


class Kept(Protocol):
    """A folder of kept files, by name relative to it."""

    def names(self) -> Iterable[str]:
        """Yield every file's name, sorted."""
        ...

    def read(self, name: str) -> bytes:
        """Return a file's bytes.

        Raises:
            BitdepthError: where it is missing or cannot be read.
        """
        ...
