"""Which views lie in place as they were rendered, and from what, so that what cannot have changed is not made again.

.<site>.rendered/     for each folder with pages by window, night or month, and each month: of each of these pages, the
                      fingerprint of all that it was made from, its size and when it was last written

Derived data, which may be deleted at any time, and which a disk may refuse: a page whose record is missing or does not
fit is rendered. Who changes a page and sets its time back is found out when the site is verified, which renders every
view.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import msgspec

from generator.site.beside import marks

_Record = dict[str, tuple[str, int, int]]
"""By path: fingerprint, size in bytes, time of the last change in nanoseconds."""
_RECORD = msgspec.json.Decoder(_Record)
_FRESH = msgspec.json.Decoder(dict[str, str])
_NEW = ".new"
_MONTH = len("2026-11")
"""What the folders of such pages begin with."""


class KeptViews:
    """The records of one site, those of one folder and month held at a time."""

    def __init__(self, site_dir: Path) -> None:
        """Look beside a folder."""
        place = site_dir.resolve()
        self._site = str(place)
        self._folder = place.with_name(f".{place.name}.rendered")
        self._name = ""
        self._known: _Record = {}
        self._now: dict[str, str] = {}
        self._is_whole = True
        self._fresh: list[Path] = []
        # Of a run that was killed: whether its pages were swapped in is not known.
        with suppress(OSError):
            for each in self._folder.glob(f"*{_NEW}"):
                each.unlink(missing_ok=True)

    def same(self, path: str, fingerprint: str) -> bool:
        """True where a view lies in place as it was rendered from the very same; else it is to be rendered now.

        Args:
            path: the view's, within the site; those of one folder and month are asked for one after another.
            fingerprint: of all that it is made from.
        """
        folder, below, _ = path.rsplit("/", 2)
        name = f"{folder}/{below[:_MONTH]}"
        if name != self._name:
            self._leave()
            self._name, self._known, self._now, self._is_whole = name, self._read(name), {}, True
        self._now[path] = fingerprint
        expected, size, when = self._known.get(path, ("", -1, -1))
        lies = expected == fingerprint and marks(f"{self._site}/{path}") == (size, when)
        self._is_whole = self._is_whole and lies
        return lies

    def settle(self) -> None:
        """Record what was rendered, once all of it lies in place."""
        self._leave()
        self._name = ""
        for fresh in self._fresh:
            with suppress(OSError, ValueError):  # What was not written whole is no record.
                asked = _FRESH.decode(fresh.read_bytes())
                found = {path: (fingerprint, *marks(f"{self._site}/{path}")) for path, fingerprint in asked.items()}
                fresh.write_bytes(msgspec.json.encode(found))
                fresh.replace(fresh.with_suffix(""))

    def _leave(self) -> None:
        """Put aside what a folder's pages were asked for by, unless all of it is recorded, and lies as recorded."""
        if self._now and not (self._is_whole and self._now.keys() == self._known.keys()):
            with suppress(OSError):
                self._folder.mkdir(exist_ok=True)
                fresh = self._place(self._name, _NEW)
                fresh.write_bytes(msgspec.json.encode(self._now))
                self._fresh.append(fresh)

    def _read(self, name: str) -> _Record:
        with suppress(OSError, ValueError):
            return _RECORD.decode(self._place(name, "").read_bytes())
        return {}

    def _place(self, name: str, suffix: str) -> Path:
        return self._folder / f"{quote(name, safe='').replace('.', '%2E')}{suffix}"
