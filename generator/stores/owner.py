"""What a run calls itself towards others that write into the same bucket."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from generator.records.canonical import sha256

_SECRET_BYTES = 32


def owner_of(root: Path, entropy: Callable[[int], bytes]) -> str:
    """Return a name that only a run of this very site root has.

    A secret is kept in `.cache/publisher`. The name is made of it and of what no copy of that file shares: a copied
    root, or a restored cache, has another one. A root that cannot be written has a new name each time.
    """
    place = root / ".cache" / "publisher"
    with suppress(OSError):
        place.parent.mkdir(exist_ok=True)
        with suppress(FileExistsError), place.open("xb") as file:
            file.write(entropy(_SECRET_BYTES))
        found = place.stat()
        return sha256(place.read_bytes() + f"{found.st_dev} {found.st_ino} {found.st_ctime_ns}".encode())
    return entropy(_SECRET_BYTES).hex()
