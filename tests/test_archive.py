"""The archive: append-only, whole or not there, read back checked."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import kept_site
import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from generator.archive import codec, files, schema
from generator.archive.store import Store
from generator.errors import ArchiveError, IntegrityError, LockedError
from generator.records.canonical import canonical_json, read_sealed, sealed
from generator.records.context import ContextProbe
from generator.records.endpoint import Endpoint
from generator.records.grade import Grade
from generator.records.night import NightPlan, NightRecord
from generator.records.observation import Observation, Outcome
from generator.records.prompt import Prompt

NIGHT = date(2026, 3, 1)


class TestAFileOnceWrittenIsNeverOpenedForWritingAgain:
    def test_a_file_with_other_bytes_is_refused_and_stays(self, tmp_path: Path):
        """What is kept under a name stays what it was."""
        files.create(tmp_path, "a/b.json", b"one")
        with pytest.raises(IntegrityError, match=r"a/b\.json"):
            files.create(tmp_path, "a/b.json", b"two")
        assert (tmp_path / "a/b.json").read_bytes() == b"one"

    def test_the_same_bytes_may_be_created_again(self, tmp_path: Path):
        """A rerun repeats a step without touching the file."""
        files.create(tmp_path, "b.json", b"one")
        before = (tmp_path / "b.json").stat().st_mtime_ns
        files.create(tmp_path, "b.json", b"one")
        assert (tmp_path / "b.json").stat().st_mtime_ns == before

    def test_what_a_killed_run_left_half_written_makes_way(self, tmp_path: Path):
        """A temporary file of a killed run does not stand in the way of the next."""
        (tmp_path / "c.json.tmp").write_bytes(b"hal")
        files.create(tmp_path, "c.json", b"whole")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["c.json"]

    def test_a_folder_that_cannot_be_made_is_one_message(self, tmp_path: Path):
        """A file where a folder should be names the place, without a traceback of the operating system."""
        (tmp_path / "nights").write_bytes(b"")
        with pytest.raises(ArchiveError, match=r"cannot write: .*nights/x\.json"):
            files.create(tmp_path, "nights/x.json", b"")

    def test_unsealed_tables_of_a_killed_seal_make_way_for_the_next(self, tmp_path: Path):
        """Tables count only once night.json is written; until then a rerun may write others."""
        root = kept_site.make_root(tmp_path, nights=0, graded=False, rendered=False)
        stray = tmp_path / f"archive/nights/{NIGHT}/observations.parquet"
        stray.parent.mkdir(parents=True)
        stray.write_bytes(b"half a night")
        record = kept_site.add_night(root, NIGHT)
        assert root.store.nights.table(record, "observations").num_rows == 24

    def test_sealed_tables_never_make_way(self, tmp_path: Path):
        """Once night.json is there, another night of the same date is refused."""
        root = kept_site.make_root(tmp_path, nights=1, graded=False, rendered=False)
        before = {name: root.store.folder.read(name) for name in root.store.folder.names()}
        record = root.store.nights.get(NIGHT).record
        tables = {name: root.store.nights.table(record, name) for name in ("listings", "prompts", "context")}
        other = root.store.nights.table(record, "observations").slice(1)
        with pytest.raises(IntegrityError):
            root.store.nights.seal(record, {**tables, "observations": other})
        assert {name: root.store.folder.read(name) for name in root.store.folder.names()} == before


class TestEqualInputGivesEqualBytes:
    def test_two_archives_of_the_same_nights_are_the_same_bytes(self, tmp_path: Path):
        """Nights, grades and pages are functions of what they are made from."""
        first = kept_site.make_root(tmp_path / "a").store.folder
        second = kept_site.make_root(tmp_path / "b").store.folder
        assert {name: first.read(name) for name in first.names()} == {
            name: second.read(name) for name in second.names()
        }

    def test_rows_are_sorted_whatever_order_they_came_in(self):
        """The order in which answers arrived leaves no trace."""
        rows = kept_site.observations(NIGHT, "kiln") + kept_site.observations(NIGHT, "loom")
        forward = codec.parquet_bytes(codec.observations_table(rows))
        assert codec.parquet_bytes(codec.observations_table(reversed(rows))) == forward


class TestAllParquetHasPageChecksumsZstdAndASchemaVersion:
    @pytest.fixture
    def data(self) -> bytes:
        """Return a night's observations."""
        return codec.parquet_bytes(codec.observations_table(kept_site.observations(NIGHT, "kiln")))

    def test_it_is_zstd_and_names_its_format(self, data: bytes):
        """A stranger's reader finds compression and version in the file itself."""
        file = pq.ParquetFile(pa.BufferReader(data))
        assert file.metadata.row_group(0).column(0).compression == "ZSTD"
        assert file.schema_arrow.metadata[b"bitdepth.format"] == b"1"

    def test_any_flipped_bit_is_found_by_the_digest_or_the_page_checksum(self, data: bytes):
        """Wherever a bit of a page is flipped, reading refuses instead of giving other figures."""
        expected = codec.read_parquet(data, schema.OBSERVATIONS, where="x")
        silent = 0
        for place in range(4, len(data) - 8, 37):
            broken = bytearray(data)
            broken[place] ^= 0x10
            try:
                silent += codec.read_parquet(bytes(broken), schema.OBSERVATIONS, where="x") != expected
            except IntegrityError:
                continue
        # The footer has no checksum, which is why the SHA-256 is checked before a file is parsed.
        footer = int.from_bytes(data[-8:-4], "little")
        assert silent <= footer // 37 + 1

    def test_other_columns_are_refused(self):
        """A table of another schema is named with what it holds."""
        other = codec.parquet_bytes(pa.table({"surprise": [1]}))
        with pytest.raises(IntegrityError, match="surprise"):
            codec.read_parquet(other, schema.OBSERVATIONS, where="x")

    def test_rubbish_is_refused(self):
        """What is no Parquet at all is one message."""
        with pytest.raises(IntegrityError, match="cannot be read"):
            codec.read_parquet(b"PAR1 but not really", schema.OBSERVATIONS, where="x")


class TestRecordsComeBackAsTheyWent:
    def test_observations(self):
        """Every field of an observation survives its table."""
        rows = tuple(sorted(kept_site.observations(NIGHT, "kiln"), key=lambda row: row.prompt_id))
        assert codec.records_of(codec.observations_table(rows), Observation) == rows

    def test_prompts_and_listings(self):
        """So do prompts and listings."""
        assert codec.records_of(codec.prompts_table(kept_site.PROMPTS), Prompt) == kept_site.PROMPTS
        endpoints = tuple(kept_site.listed(name) for name in kept_site.ENDPOINTS)
        assert codec.records_of(codec.listings_table(endpoints), Endpoint) == endpoints

    def test_grades_with_every_struct_filled(self, tmp_path: Path):
        """Grades come back equal, lists of structs, dates and decimals included."""
        root = kept_site.make_root(tmp_path, rendered=False)
        for end in root.store.grades.windows("0.1"):
            grades = root.store.grades.get("0.1", end)
            assert codec.records_of(codec.grades_table(grades), Grade) == grades
            assert all(msgspec.json.decode(canonical_json(grade), type=Grade) == grade for grade in grades)

    def test_a_letter_that_is_none_is_refused(self, tmp_path: Path):
        """A row with a value that its field cannot have is a finding, not a traceback."""
        grades = kept_site.make_root(tmp_path, nights=1, rendered=False).store.grades.get("0.1", NIGHT)
        table = codec.grades_table(grades)
        odd = table.set_column(table.schema.get_field_index("letter"), "letter", pa.array(["Z"] * table.num_rows))
        with pytest.raises(IntegrityError, match="Grade"):
            codec.records_of(odd, Grade)

    def test_the_grades_columns_are_the_record(self):
        """FORMAT.md's columns, the schema and the record have one order."""
        assert tuple(schema.GRADES.names) == Grade.__struct_fields__
        assert tuple(schema.OBSERVATIONS.names) == Observation.__struct_fields__
        assert tuple(schema.LISTINGS.names) == Endpoint.__struct_fields__
        assert tuple(schema.PROMPTS.names) == Prompt.__struct_fields__
        assert tuple(schema.CONTEXT.names) == ContextProbe.__struct_fields__

    def test_format_md_names_every_column(self):
        """A stranger who has only FORMAT.md finds every column of every table."""
        text = Path("archive/FORMAT.md").read_text()
        for table in (
            schema.OBSERVATIONS,
            schema.LISTINGS,
            schema.PROMPTS,
            schema.CONTEXT,
            schema.GRADES,
            schema.PAGES,
        ):
            for name in table.names:
                assert name in text


class TestASealShowsAnyChangedByte:
    def test_every_byte_of_night_json_is_held_by_its_seal(self, tmp_path: Path):
        """A night.json with any byte changed is refused."""
        root = kept_site.make_root(tmp_path, nights=1, graded=False, rendered=False)
        data = root.store.folder.read(f"nights/{NIGHT}/night.json")
        assert read_sealed(data, NightRecord, where="x").night == NIGHT
        for place in range(len(data)):
            broken = bytearray(data)
            broken[place] ^= 0x01
            with pytest.raises(IntegrityError):
                read_sealed(bytes(broken), NightRecord, where="x")

    def test_white_space_and_order_are_held_too(self, tmp_path: Path):
        """Only the canonical bytes are accepted, whatever else says the same."""
        root = kept_site.make_root(tmp_path, nights=1, graded=False, rendered=False)
        data = root.store.folder.read(f"nights/{NIGHT}/night.json")
        with pytest.raises(IntegrityError, match="sealed"):
            read_sealed(data + b"\n", NightRecord, where="x")

    def test_numbers_that_json_cannot_hold_exactly_are_refused(self, tmp_path: Path):
        """A count beyond 2^53 is a message, not a traceback."""
        root = kept_site.make_root(tmp_path, nights=1, graded=False, rendered=False)
        record = root.store.nights.get(NIGHT).record
        counts = msgspec.structs.replace(record.counts, planned=2**60)
        data = msgspec.json.encode(sealed(record)).replace(
            msgspec.json.encode(record.counts), msgspec.json.encode(counts)
        )
        with pytest.raises(IntegrityError):
            read_sealed(data, NightRecord, where="x")


class TestEveryFinishedObservationGoesToAJournalBeforeItCountsAsDone:
    @pytest.fixture
    def store(self, tmp_path: Path) -> Store:
        """Return a store with a night's journal begun."""
        store = Store(tmp_path)
        store.nights.start_journal(a_plan())
        return store

    def test_observations_come_back_in_order(self, store: Store):
        """What was added is there after the process has gone."""
        rows = kept_site.observations(NIGHT, "kiln")
        with store.nights.open_journal(NIGHT) as journal:
            for row in rows:
                journal.add(row)
        plan, found = store.nights.load_journal(NIGHT)
        assert plan == a_plan()
        assert list(found) == rows

    def test_a_line_is_there_before_the_journal_is_closed(self, store: Store):
        """A killed process loses nothing that was added."""
        with store.nights.open_journal(NIGHT) as journal:
            journal.add(kept_site.observations(NIGHT, "kiln")[0])
            assert len(store.nights.load_journal(NIGHT)[1]) == 1

    def test_a_last_line_that_was_cut_never_counted(self, store: Store, tmp_path: Path):
        """Half a line is taken off, and the next observation starts a line of its own."""
        rows = kept_site.observations(NIGHT, "kiln")
        with store.nights.open_journal(NIGHT) as journal:
            journal.add(rows[0])
        path = tmp_path / f"archive/journal/{NIGHT}.jsonl"
        path.write_bytes(path.read_bytes() + b'{"model":"as')
        assert store.nights.load_journal(NIGHT)[1] == (rows[0],)
        with store.nights.open_journal(NIGHT) as journal:
            journal.add(rows[1])
        assert store.nights.load_journal(NIGHT)[1] == (rows[0], rows[1])

    def test_a_broken_line_is_named(self, store: Store, tmp_path: Path):
        """A line that is no observation stops with its number; nothing is thrown away."""
        path = tmp_path / f"archive/journal/{NIGHT}.jsonl"
        path.write_bytes(path.read_bytes() + b"rubbish\n")
        with pytest.raises(ArchiveError, match="line 2"):
            store.nights.load_journal(NIGHT)

    def test_an_observation_decided_twice_is_named(self, store: Store, tmp_path: Path):
        """No observation counts twice: a repeated line stops with its number."""
        with store.nights.open_journal(NIGHT) as journal:
            journal.add(kept_site.observations(NIGHT, "kiln")[0])
        path = tmp_path / f"archive/journal/{NIGHT}.jsonl"
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join([*lines, lines[-1]]))
        with pytest.raises(ArchiveError, match="line 3"):
            store.nights.load_journal(NIGHT)

    def test_a_journal_without_a_plan_is_named(self, store: Store, tmp_path: Path):
        """An empty journal and one that begins with something else say what to do."""
        path = tmp_path / f"archive/journal/{NIGHT}.jsonl"
        path.write_bytes(b"")
        with pytest.raises(ArchiveError, match="empty journal"):
            store.nights.load_journal(NIGHT)
        path.write_bytes(b"{}\n")
        with pytest.raises(ArchiveError, match="line 1"):
            store.nights.load_journal(NIGHT)

    def test_a_journal_of_a_later_format_is_refused(self, store: Store, tmp_path: Path):
        """A format that this program does not know is not guessed at."""
        path = tmp_path / f"archive/journal/{NIGHT}.jsonl"
        path.write_bytes(path.read_bytes().replace(b'"format":1', b'"format":9'))
        with pytest.raises(ArchiveError, match="format 1, found 9"):
            store.nights.load_journal(NIGHT)

    def test_lone_surrogates_never_reach_a_file(self, store: Store):
        """What cannot be UTF-8 cannot be an observation's text: the wire replaces it before."""
        row = msgspec.structs.replace(kept_site.observations(NIGHT, "kiln")[0], text="\udc80")
        with store.nights.open_journal(NIGHT) as journal, pytest.raises(UnicodeEncodeError):
            journal.add(row)


class TestTwoRunsAtOnceTheSecondExitsWithItsOwnExitCode:
    def test_a_held_lock_refuses_at_once(self, tmp_path: Path):
        """A second run is told to wait."""
        with Store(tmp_path).lock(), pytest.raises(LockedError, match="another run"), Store(tmp_path).lock():
            pass

    def test_a_lock_that_was_let_go_is_free(self, tmp_path: Path):
        """The next run takes it."""
        for _ in range(2):
            with Store(tmp_path).lock():
                pass

    def test_the_lock_and_the_journal_are_no_part_of_the_archive(self, tmp_path: Path):
        """Neither is listed among the archive's files."""
        store = Store(tmp_path)
        with store.lock():
            store.nights.start_journal(a_plan())
        assert list(store.folder.names()) == []


class TestWhatAStoreReturnsHasBeenHeldAgainstItsDigest:
    @pytest.mark.parametrize("name", ["observations", "listings", "prompts", "context"])
    def test_a_changed_table_is_refused(self, tmp_path: Path, name: str):
        """Each of a night's tables is checked before it is parsed."""
        root = kept_site.make_root(tmp_path, nights=1, graded=False, rendered=False)
        path = tmp_path / f"archive/nights/{NIGHT}/{name}.parquet"
        path.write_bytes(path.read_bytes() + b" ")
        with pytest.raises(IntegrityError, match=f"{name}.parquet"):
            root.store.nights.table(root.store.nights.get(NIGHT).record, name)

    def test_a_missing_table_is_named(self, tmp_path: Path):
        """A file that is gone is an integrity error, not a traceback."""
        root = kept_site.make_root(tmp_path, nights=1, graded=False, rendered=False)
        (tmp_path / f"archive/nights/{NIGHT}/prompts.parquet").unlink()
        with pytest.raises(IntegrityError, match="found none"):
            root.store.nights.table(root.store.nights.get(NIGHT).record, "prompts")

    def test_changed_grades_and_pages_are_refused(self, tmp_path: Path):
        """Grades, pages and method pages are checked against their manifests."""
        root = kept_site.make_root(tmp_path, nights=1, rendered=False)
        for name in (f"grades/0.1/{NIGHT}.parquet", f"pages/0.1/{NIGHT}.parquet", "pages/methods/0.1.html"):
            path = tmp_path / "archive" / name
            path.write_bytes(path.read_bytes()[:-1] + b"?")
        with pytest.raises(IntegrityError):
            root.store.grades.get("0.1", NIGHT)
        with pytest.raises(IntegrityError):
            root.store.pages.get("0.1", NIGHT)
        with pytest.raises(IntegrityError):
            root.store.pages.method("0.1")

    def test_strange_folders_are_no_nights(self, tmp_path: Path):
        """A folder that is not named by a date is not taken for a night."""
        root = kept_site.make_root(tmp_path, nights=1, graded=False, rendered=False)
        strange = tmp_path / "archive/nights/not-a-date"
        strange.mkdir()
        (strange / "night.json").write_bytes(b"{}")
        assert root.store.nights.kept() == (NIGHT,)


def a_plan() -> NightPlan:
    """Return a night's plan."""
    return NightPlan(
        format=1,
        night=NIGHT,
        late=False,
        seed="ab" * 16,
        prompt_set="p1",
        prompt_set_sha256="0" * 64,
        router="openrouter",
        started_at=datetime(2026, 3, 1, 3, tzinfo=UTC) + timedelta(microseconds=5),
        settings=kept_site.SETTINGS,
        kinds={"riddles": "line"},
        listings=(),
        endpoints=(kept_site.listed("kiln"),),
        prompts=kept_site.PROMPTS,
        tool_version="0",
    )


class TestMoneyIsExact:
    def test_costs_keep_twelve_places(self):
        """A cost of a millionth of a cent survives."""
        row = msgspec.structs.replace(
            kept_site.observations(NIGHT, "kiln")[0], cost_usd=Decimal("0.000000000001"), outcome=Outcome.ANSWERED
        )
        assert codec.records_of(codec.observations_table([row]), Observation) == (row,)
