"""Settled pages as a build lays them out, group by group: which are left alone, and what is recorded of the others.

A group that is made anew, or given no longer, counts as laid out no more before the first of its pages is touched, and
again once all of them lie there, are recorded and stand on no other list. Meanwhile each of its paths is known: those
that it had are in its record, those that it gets are on the list of views.
"""

from __future__ import annotations

from pathlib import Path

from generator.errors import IntegrityError
from generator.site.beside import NOT_WHOLE, Records
from generator.site.files import is_safe
from generator.site.interface import SettledPages


class SettledGroups:
    """The settled pages of one build."""

    def __init__(self, site_dir: Path, records: Records, *, look: bool) -> None:
        """Lay out over what is recorded of an earlier build.

        Args:
            site_dir: the site's folder.
            records: of the groups that were laid out.
            look: whether the files of a group that is recorded as laid out are looked at.
        """
        self._site = str(site_dir)
        self._records = records
        self._look = look
        self._index: dict[str, tuple[str, int]] = {}
        self._made: dict[str, tuple[str, ...]] = {}
        self._before = records.index

    @property
    def count(self) -> int:
        """How many settled pages there are now."""
        return sum(files for _, files in self._index.values())

    def stand(self, group: SettledPages) -> bool:
        """True for a group that is left alone: recorded with this fingerprint, and lying there as far as is looked."""
        if group.name in self._index:
            raise IntegrityError("expected one group of settled pages of each name, found two", where=group.name)
        if self._records.digest(group.name) != group.fingerprint:
            return False
        if self._look:
            record = self._records.record(group.name)
            if record is None or record.digest != group.fingerprint or not record.holds(self._site):
                return False
        self._index[group.name] = self._before[group.name]
        return True

    def take(self, group: SettledPages, paths: tuple[str, ...]) -> None:
        """Take the paths of a group that was made."""
        self._index[group.name] = (group.fingerprint, len(paths))
        self._made[group.name] = paths

    def paths_before(self) -> set[str]:
        """Return every path that groups had before which were made anew or are given no longer."""
        records = (self._records.record(name) for name in self._touched())
        return {path for record in records if record is not None for path, _, _ in record.files if is_safe(path)}

    def open(self) -> None:
        """Have these groups count as laid out no more."""
        touched = dict.fromkeys((*self._touched(), *self._made), NOT_WHOLE)
        self._records.write_index({**self._before, **touched})

    def record(self) -> None:
        """Record what was made and forget what is given no longer, once all of it is on the disk."""
        laid = ((name, self._index[name][0], paths) for name, paths in self._made.items())
        self._records.keep(self._site, laid)
        self._records.forget(name for name in self._before if name not in self._index)

    def close(self) -> None:
        """Have all groups that were given count as laid out."""
        self._records.write_index(self._index)

    def _touched(self) -> list[str]:
        return [name for name in self._before if name in self._made or name not in self._index]
