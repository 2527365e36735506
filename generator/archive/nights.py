"""The nights of the archive, sealed once, and the journals of those that are not sealed yet."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import msgspec
import pyarrow as pa

from generator.archive import codec, files, journal, layout, schema
from generator.archive.folder import Folder, record_at
from generator.records.canonical import canonical_json, check_digest, sealed, sha256
from generator.records.night import NightPlan, NightRecord, NightState, VoidRecord
from generator.records.observation import Observation

_SCHEMAS = {
    "observations": schema.OBSERVATIONS,
    "listings": schema.LISTINGS,
    "prompts": schema.PROMPTS,
    "context": schema.CONTEXT,
}


class KeptNight(msgspec.Struct, frozen=True, kw_only=True):
    """A night as night.json and void.json say it."""

    record: NightRecord
    sha256: str
    """Of night.json as it lies."""
    void: VoidRecord | None
    void_sha256: str | None
    """Of void.json as it lies."""

    @property
    def counts(self) -> bool:
        """True where the night may stand in a window."""
        return self.record.state == NightState.RECORDED and self.void is None


class Nights:
    """archive/nights/ and archive/journal/."""

    def __init__(self, folder: Folder) -> None:
        """Use an archive's folder."""
        self._folder = folder

    def kept(self) -> tuple[date, ...]:
        """Return every night that is sealed, recorded or void, ascending."""
        return self._folder.dates(f"{layout.NIGHTS}/*/{layout.NIGHT_JSON}")

    def get(self, night: date) -> KeptNight:
        """Return what night.json says, and void.json where there is one."""
        name = layout.night_file(night)
        void = layout.void_file(night)
        voided = self._folder.exists(void)
        return KeptNight(
            record=record_at(self._folder, name, NightRecord),
            sha256=sha256(self._folder.read(name)),
            void=record_at(self._folder, void, VoidRecord) if voided else None,
            void_sha256=sha256(self._folder.read(void)) if voided else None,
        )

    def table(self, record: NightRecord, table: str) -> pa.Table:
        """Return one of a night's tables: digest, then page checksums, then columns checked."""
        name = layout.table_file(record.night, table)
        data = self._folder.read(name)
        check_digest(data, record.files.get(f"{table}.parquet", "none"), where=name)
        return codec.read_parquet(data, _SCHEMAS[table], where=name)

    def seal(self, record: NightRecord, tables: Mapping[str, pa.Table]) -> NightRecord:
        """Write a night: its tables, then night.json, then remove the journal. Return the record as written.

        Args:
            record: everything but `files` and `seal`, which are filled in.
            tables: by name, those of `layout.NIGHT_TABLES`.
        """
        data = {f"{name}.parquet": codec.parquet_bytes(tables[name]) for name in layout.NIGHT_TABLES}
        whole = sealed(msgspec.structs.replace(record, files={name: sha256(body) for name, body in data.items()}))
        for name, body in data.items():
            path = f"{layout.night_folder(record.night)}/{name}"
            self._folder.create_before(layout.night_file(record.night), path, body)
        self._folder.create(layout.night_file(record.night), canonical_json(whole))
        self.end_journal(record.night)
        return whole

    def unsealed(self) -> tuple[date, ...]:
        """Return every night that has a journal, ascending."""
        return self._folder.dates(f"{layout.JOURNAL}/*.jsonl")

    def start_journal(self, plan: NightPlan) -> None:
        """Begin a night's journal with its plan."""
        name = layout.journal_file(plan.night)
        journal.start(self._folder.path / name, name, plan)

    def load_journal(self, night: date) -> tuple[NightPlan, tuple[Observation, ...]]:
        """Return a night's plan and the observations decided so far."""
        loaded = self.read_journal(night, mend=True)
        return loaded.plan, loaded.observations

    def read_journal(self, night: date, *, mend: bool = False) -> journal.Loaded:
        """Return all that a night's journal holds.

        Args:
            night: one that is not sealed.
            mend: take a last line that was cut off the file; else nothing is written.
        """
        name = layout.journal_file(night)
        return journal.load(self._folder.path / name, name, mend=mend)

    def open_journal(self, night: date) -> journal.Journal:
        """Return a night's journal, open for more observations."""
        name = layout.journal_file(night)
        return journal.Journal(self._folder.path / name, name)

    def end_journal(self, night: date) -> None:
        """Remove the journal of a night that is sealed."""
        name = layout.journal_file(night)
        with files.writing(name):
            (self._folder.path / name).unlink(missing_ok=True)
