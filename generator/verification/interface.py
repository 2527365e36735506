"""What verification takes and gives, on one page.

    check_archive(kept)                      -> findings on the archive's files: seals, digests, chain, strays
    check_grades(recorded, recomputed)       -> findings on grades that do not follow from the nights
    check_pages(grades, pages)               -> findings on kept pages that do not belong to their grades
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
