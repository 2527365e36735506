"""Where a tile or a bundle of leaves lies below log/: the paths of C2SP tlog-tiles.

`tile/0/x001/x234/067` is the full tile 1234067 of level 0, `tile/1/000.p/17` the first one of level 1 while it holds
17 hashes, and `tile/entries/000.p/17` a bundle.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from generator.errors import IntegrityError
from generator.log.text import shown

TILE_WIDTH = 256
"""Hashes in a full tile, and leaves in a full bundle."""

_HIGHEST = 63
"""Level that the format allows."""

_PATH = re.compile(r"tile/(entries|[0-9]{1,2})/((?:x[0-9]{3}/){0,6}[0-9]{3})(?:\.p/([0-9]{1,3}))?")


@dataclass(frozen=True, kw_only=True, slots=True)
class TileAddress:
    """One tile, or one bundle, at one width."""

    level: int | None
    """Of the tile, from 0; none for a bundle."""
    index: int
    """Among the tiles of its level, or among the bundles, from 0."""
    width: int = TILE_WIDTH
    """Hashes or leaves in it, from 1 to 256."""

    def path(self) -> str:
        """Return where it lies below log/."""
        digits = f"{self.index:03}"
        digits = digits.zfill(-(-len(digits) // 3) * 3)
        groups = [digits[start : start + 3] for start in range(0, len(digits), 3)]
        folder = "entries" if self.level is None else str(self.level)
        partial = "" if self.width == TILE_WIDTH else f".p/{self.width}"
        return f"tile/{folder}/{'/'.join([*(f'x{group}' for group in groups[:-1]), groups[-1]])}{partial}"

    @classmethod
    def parse(cls, path: str) -> TileAddress:
        """Return the address that a path below log/ stands for.

        Raises:
            IntegrityError: where no tile and no bundle has that path.
        """
        parts = _PATH.fullmatch(path)
        if parts is not None:
            folder, groups, partial = parts.groups()
            level = None if folder == "entries" else int(folder)
            index = int(groups.replace("x", "").replace("/", ""))
            address = cls(level=level, index=index, width=TILE_WIDTH if partial is None else int(partial))
            if address.path() == path and (level or 0) <= _HIGHEST and 0 < address.width <= TILE_WIDTH:
                return address
        raise IntegrityError(f"expected the path of a tile or a bundle, found {shown(path)}", where="log/")
