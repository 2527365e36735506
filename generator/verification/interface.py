"""What verification takes and gives, on one page.

    check_archive(kept)                      -> findings on the archive's files: seals, digests, chain, strays
    check_grades(recorded, recomputed)       -> findings on grades that do not follow from the nights
    check_pages(grades, pages)               -> findings on kept pages that do not belong to their grades
    check_leaves(leaves, sources)            -> findings on the log's leaves against the archive, in both directions
    check_tiles(kept, required, content)     -> findings on the log's tiles and bundles against its leaves
    check_seen(checkpoint)                   -> findings on a log that has not grown from a checkpoint that was seen
    check_site(expected, laid_out)           -> findings on the site's files against kept and rendered bytes
    check_file(path, bytes, laid_out)        -> a finding on one of them

Of a published site, without its archive:

    check_list(files, wanted), check_sums,
    check_croissant, check_sizes             -> findings on what its lists say of downloads
    check_claims(claims(page), known)        -> findings on links to permanent pages and the letters beside them
    check_titles, check_badge, check_picture -> findings on feeds and badges that show other grades than the records
    check_whole, check_place, check_says,
    check_keys                               -> findings on pages cut short, swapped, or without what they must print

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
