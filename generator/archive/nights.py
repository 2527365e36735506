"""The nights of the archive, sealed once, and the journals of those that are not sealed yet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path

import msgspec
import pyarrow as pa

from generator.archive import codec, files, journal, layout, schema
from generator.archive.disk_folder import DiskFolder
from generator.archive.folder import Folder, record_at
from generator.archive.withheld_rows import require_withheld
from generator.records.canonical import canonical_json, check_digest, read_sealed, sealed, sha256
from generator.records.night import NightPlan, NightRecord, NightState, VoidRecord
from generator.records.observation import Observation
from generator.records.withheld import WithheldRecord, WithheldRow, kept_observations, table_name
from generator.stores.durable import sync_folder

_SCHEMAS = {
    "observations": schema.OBSERVATIONS,
    "listings": schema.LISTINGS,
    "prompts": schema.PROMPTS,
    "context": schema.CONTEXT,
}


class KeptWithheld(msgspec.Struct, frozen=True, kw_only=True):
    """One withholding as its declaration says it."""

    record: WithheldRecord
    sha256: str
    """Of the declaration as it lies."""


class KeptNight(msgspec.Struct, frozen=True, kw_only=True):
    """A night as night.json, void.json and the declarations of withheld texts say it."""

    record: NightRecord
    sha256: str
    """Of night.json as it lies."""
    void: VoidRecord | None
    void_sha256: str | None
    """Of void.json as it lies."""
    withheld: tuple[KeptWithheld, ...] = ()
    """Every withholding, the first one first."""

    @property
    def withheld_rows(self) -> tuple[WithheldRow, ...]:
        """What was withheld from the night's observations."""
        return tuple(row for each in self.withheld for row in each.record.rows)

    @property
    def counts(self) -> bool:
        """True where the night may stand in a window."""
        return self.record.state == NightState.RECORDED and self.void is None


def hidden_answers(nights: Iterable[KeptNight]) -> frozenset[str]:
    """Return the SHA-256 of every answer that some nights withhold: an equal answer on any of them reads as it does."""
    rows = (row for kept in nights for row in kept.withheld_rows)
    return frozenset(row.answer_sha256 for row in rows if row.answer_sha256 is not None)


class Nights:
    """archive/nights/ and archive/journal/."""

    def __init__(self, folder: Folder, local: Path) -> None:
        """Use an archive's folder.

        Args:
            folder: the archive's.
            local: a folder of this machine, where journals lie, which are appended to.
        """
        self._folder = folder
        self._local = local

    def kept(self) -> tuple[date, ...]:
        """Return every night that is sealed, recorded or void, ascending."""
        return self._folder.dates(f"{layout.NIGHTS}/*/{layout.NIGHT_JSON}")

    def get(self, night: date) -> KeptNight:
        """Return what night.json says, void.json where there is one, and each declaration of withheld texts."""
        name = layout.night_file(night)
        void = layout.void_file(night)
        voided = self._folder.exists(void)
        data = self._folder.read(name)
        return KeptNight(
            record=read_sealed(data, NightRecord, where=name),
            sha256=sha256(data),
            void=record_at(self._folder, void, VoidRecord) if voided else None,
            void_sha256=sha256(self._folder.read(void)) if voided else None,
            withheld=self.withheld(night),
        )

    def declared_void(self) -> frozenset[date]:
        """Return every night that was declared void, by the name of its folder; nothing is read."""
        names = self._folder.matching(f"{layout.NIGHTS}/*/void.json")
        by_folder = {night.isoformat(): night for night in self.kept()} if names else {}
        return frozenset(
            by_folder[folder] for _, folder, _ in (name.split("/") for name in names) if folder in by_folder
        )

    def withheld(self, night: date) -> tuple[KeptWithheld, ...]:
        """Return every withholding of a night, the first one first."""
        found: list[KeptWithheld] = []
        while self._folder.exists(name := layout.withheld_file(night, len(found) + 1)):
            record = record_at(self._folder, name, WithheldRecord)
            found.append(KeptWithheld(record=record, sha256=sha256(self._folder.read(name))))
        return tuple(found)

    def table(self, record: NightRecord, table: str) -> pa.Table:
        """Return one of a night's tables: digest, then page checksums, then columns checked.

        Observations are those that are kept now: without what was withheld since the night was sealed.
        """
        name, digest = layout.table_file(record.night, table), record.files.get(f"{table}.parquet", "none")
        declared = [each.record for each in self.withheld(record.night)] if table == "observations" else []
        if declared:
            file, digest = kept_observations(record, declared)
            name = f"{layout.night_folder(record.night)}/{file}"
        data = self._folder.read(name)
        check_digest(data, digest, where=name)
        found = codec.read_parquet(data, _SCHEMAS[table], where=name)
        require_withheld(found, (row for each in declared for row in each.rows), where=name)
        return found

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

    def declare_void(self, record: VoidRecord) -> VoidRecord:
        """Write that a recorded night is void. Return the record as written.

        Args:
            record: everything but `seal`, which is filled in.
        """
        whole = sealed(record)
        self._folder.create(layout.void_file(record.night), canonical_json(whole))
        return whole

    def withhold(self, record: NightRecord, table: pa.Table, declaration: WithheldRecord) -> WithheldRecord:
        """Write a night's observations without some texts, then the declaration, then remove what they replace.

        Args:
            record: what night.json says; it stays as it is.
            table: the observations that are kept from now on.
            declaration: everything but `file`, both digests and `seal`, which are filled in.

        Returns:
            The declaration as written.
        """
        declared = [each.record for each in self.withheld(record.night)]
        _, before = kept_observations(record, declared)
        number, data = len(declared) + 1, codec.parquet_bytes(table)
        whole = sealed(
            msgspec.structs.replace(
                declaration, file=table_name(number), before_sha256=before, after_sha256=sha256(data)
            )
        )
        name = layout.withheld_file(record.night, number)
        self._folder.create_before(name, f"{layout.night_folder(record.night)}/{whole.file}", data)
        self._folder.create(name, canonical_json(whole))
        self.end_withholding(record)
        return whole

    def end_withholding(self, record: NightRecord) -> None:
        """Remove what still holds a withheld text: each table that was replaced, and a journal that was left behind.

        Raises:
            IntegrityError: where the table that is kept is not what was declared; then nothing is removed.
        """
        self.table(record, "observations")
        declared = len(self.withheld(record.night))
        for number in range(declared):
            self._folder.remove(f"{layout.night_folder(record.night)}/{table_name(number)}")
        if declared:
            self.end_journal(record.night)

    def unsealed(self) -> tuple[date, ...]:
        """Return every night that has a journal, ascending."""
        return DiskFolder(self._local).dates(f"{layout.JOURNAL}/*.jsonl")

    def start_journal(self, plan: NightPlan) -> None:
        """Begin a night's journal with its plan."""
        name = layout.journal_file(plan.night)
        journal.start(self._local / name, name, plan)

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
        return journal.load(self._local / name, name, mend=mend)

    def open_journal(self, night: date) -> journal.Journal:
        """Return a night's journal, open for more observations."""
        name = layout.journal_file(night)
        return journal.Journal(self._local / name, name)

    def end_journal(self, night: date) -> None:
        """Remove the journal of a night that is sealed."""
        name = layout.journal_file(night)
        path = self._local / name
        with files.writing(name):
            if path.exists():
                path.unlink()
                sync_folder(path.parent)
