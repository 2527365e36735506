"""Appending to the log: every fact of the archive once, in one order, at the cost of what is new."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import kept_site
import log_makers
import pytest
from kept_site import FIRST, Silent
from log_makers import (
    KEY,
    OTHER_KEY,
    STRANGE_KEY,
    add_graded,
    appended,
    archive_bytes,
    killed_at,
    leaves,
    log_bytes,
    logged_root,
)

from generator.archive import layout
from generator.errors import IntegrityError, MissingFileError, UsageError
from generator.log.checkpoint import Checkpoint, parse_checkpoint
from generator.log.merkle import leaf_hash
from generator.log.merkle import root as root_of
from generator.log.tiles import TileReader
from generator.log.tiles import appended as tiles_appended
from generator.records.canonical import canonical_json, sealed, sha256
from generator.records.leaf import (
    GradeLeaf,
    KeyLeaf,
    MethodLeaf,
    MissedLeaf,
    NightLeaf,
    VoidedLeaf,
    WithheldLeaf,
    leaf_bytes,
)
from generator.records.log_index import LogAppending
from generator.records.night import NightState, VoidRecord
from generator.records.withheld import WithheldRecord
from generator.workflows.leaves import source_of, sources
from generator.workflows.log_keeping import keep_log
from generator.workflows.world import Root

SECOND = FIRST + timedelta(days=1)
FOURTH = FIRST + timedelta(days=3)
AT = datetime(2026, 4, 1, 12, tzinfo=UTC)


def declare_void(root: Root, night: date) -> None:
    """Declare a night void."""
    root.store.nights.declare_void(VoidRecord(format=1, night=night, reason="our network", declared_at=AT, seal=""))


def withhold(root: Root, night: date) -> None:
    """Keep a night's observations anew."""
    nights = root.store.nights
    record = nights.get(night).record
    declaration = WithheldRecord(
        format=1,
        night=night,
        file="",
        before_sha256="0" * 64,
        after_sha256="0" * 64,
        reason="personal data",
        declared_at=AT,
        rows=(),
        seal="",
    )
    nights.withhold(record, nights.table(record, "observations"), declaration)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Root:
    """Return an archive with every kind of leaf, appended at once."""
    root = kept_site.make_root(tmp_path_factory.mktemp("whole"), 2, graded=False, rendered=False)
    kept_site.add_night(root, FOURTH, state=NightState.VOID)
    kept_site.grade(root, today=FOURTH, progress=Silent())
    declare_void(root, SECOND)
    withhold(root, FIRST)
    withhold(root, FIRST)
    appended(root, KEY)
    return root


class TestEveryFactOfTheArchiveIsOneLeaf:
    def test_leaves_stand_in_the_order_that_the_archive_gives(self, whole: Root):
        """Keys, dates, methods, grades, declarations that a night is void, withholdings."""
        assert [source_of(leaf) for leaf in leaves(whole)] == [
            f"keys/{KEY.verifier.key_id}",
            "nights/2026-03-01",
            "nights/2026-03-02",
            "missed/2026-03-03",
            "nights/2026-03-04",
            "methods/0.1",
            *["grades/0.1/2026-03-01"] * 3,
            *["grades/0.1/2026-03-02"] * 3,
            "voided/2026-03-02",
            "withheld/2026-03-01/1",
            "withheld/2026-03-01/2",
        ]

    def test_grades_stand_by_model_and_endpoint(self, whole: Root):
        """Within a window the leaves are in the order of its grades."""
        paths = [leaf.path for leaf in leaves(whole) if isinstance(leaf, GradeLeaf)]
        folder = "grades/aster/sphinx-8b"
        assert paths[:3] == [f"{folder}/{endpoint}/2026-03-01/v0.1/" for endpoint in ("kiln", "loom", "mill")]

    def test_each_leaf_holds_the_digests_of_the_files_it_speaks_of(self, whole: Root):
        """What stands in a leaf is what sha256sum says of the file."""
        files, store = archive_bytes(whole), whole.store
        for leaf in leaves(whole):
            if isinstance(leaf, KeyLeaf):
                assert files[f"log/keys/{KEY.verifier.key_id}.vkey"].decode() == f"{leaf.vkey}\n"
            elif isinstance(leaf, NightLeaf):
                folder = f"nights/{leaf.night}"
                assert leaf.record_sha256 == sha256(files[f"{folder}/night.json"])
                assert leaf.state == ("void" if leaf.night == FOURTH else "recorded")
                assert set(leaf.files) == {f"{table}.parquet" for table in layout.NIGHT_TABLES}
                kept = {name: digest for name, digest in leaf.files.items() if f"{folder}/{name}" in files}
                assert len(kept) == (3 if leaf.night == FIRST else 4)
                assert {name: sha256(files[f"{folder}/{name}"]) for name in kept} == kept
            elif isinstance(leaf, MethodLeaf):
                definition, text = whole.content.method_files("0.1")
                assert (leaf.definition_sha256, leaf.text_sha256) == (sha256(definition), sha256(text))
                assert leaf.digest == sha256(definition + text)
                assert leaf.page_sha256 == sha256(files["pages/methods/0.1.html"])
            elif isinstance(leaf, GradeLeaf):
                end = date.fromisoformat(leaf.path.split("/")[-3])
                pages = dict(store.pages.get("0.1", end))
                assert leaf.record_sha256 == sha256(pages[f"{leaf.path}grade.json"])
                assert leaf.page_sha256 == sha256(pages[f"{leaf.path}index.html"])
            elif isinstance(leaf, VoidedLeaf):
                assert leaf.record_sha256 == sha256(files["nights/2026-03-02/void.json"])
            elif isinstance(leaf, WithheldLeaf):
                number = leaf.file.split("-")[1].split(".")[0]
                assert leaf.record_sha256 == sha256(files[f"nights/2026-03-01/withheld-{number}.json"])
                assert leaf.declared_at == AT
            else:
                assert leaf == MissedLeaf(night=date(2026, 3, 3))

    def test_withholdings_lead_from_the_sealed_table_to_the_kept_one(self, whole: Root):
        """Each begins where the one before it ended."""
        (night,) = [leaf for leaf in leaves(whole) if isinstance(leaf, NightLeaf) and leaf.night == FIRST]
        first, second = [leaf for leaf in leaves(whole) if isinstance(leaf, WithheldLeaf)]
        assert first.before_sha256 == night.files["observations.parquet"]
        assert second.before_sha256 == first.after_sha256
        kept = whole.store.folder.read("nights/2026-03-01/observations.withheld-2.parquet")
        assert second.after_sha256 == sha256(kept)

    def test_the_index_says_where_each_source_has_its_leaves(self, whole: Root):
        """First, count, and the digest of the file that was read; together they are the log, without a gap."""
        places = []
        for source in sources(whole):
            index = whole.store.log.index(source.name)
            assert index is not None
            assert index.sha256 == sha256(whole.store.folder.read(source.file))
            found = leaves(whole)[index.first : index.first + index.count]
            assert tuple(found) == source.leaves()
            places += range(index.first, index.first + index.count)
        assert places == list(range(len(leaves(whole))))

    def test_what_was_declared_later_comes_later(self, tmp_path: Path):
        """A leaf that is in the log stays where it is, whatever an earlier date says afterwards."""
        root = logged_root(tmp_path, 2)
        before = leaves(root)
        declare_void(root, FIRST)
        withhold(root, SECOND)
        assert appended(root) == 2
        assert leaves(root)[: len(before)] == before
        assert [source_of(leaf) for leaf in leaves(root)[-2:]] == ["voided/2026-03-01", "withheld/2026-03-02/1"]


class TestTheHeadIsWhatCounts:
    def test_it_says_origin_size_and_root_of_the_leaves(self, tmp_path: Path):
        """Anybody gets the same root from the leaves alone."""
        root = logged_root(tmp_path, 2)
        head = parse_checkpoint((tmp_path / "archive/log/head").read_text())
        bodies = [TileReader(root.store.log.read, head.size).entry(index) for index in range(head.size)]
        assert (head.origin, head.size) == ("kept.example/log", 9)
        assert head.root == root_of([leaf_hash(body) for body in bodies])

    def test_without_a_key_the_log_grows_unsigned(self, tmp_path: Path):
        """Nothing signed is there, and no key."""
        root = logged_root(tmp_path, 1)
        assert root.store.log.checkpoint() is None
        assert not [name for name in log_bytes(root) if name.startswith(("log/signed", "log/keys", "log/proofs"))]

    def test_a_log_keeps_its_name_when_the_site_moves(self, tmp_path: Path):
        """The origin is the address at the log's beginning."""
        root = logged_root(tmp_path, 1)
        settings = tmp_path / "content/site.toml"
        settings.write_text(settings.read_text().replace("kept.example", "moved.example"))
        add_graded(root, SECOND)
        appended(root)
        assert root.store.log.head().startswith("kept.example/log\n")

    def test_an_archive_without_nights_has_no_log(self, tmp_path: Path):
        """Nothing to append writes nothing."""
        root = kept_site.make_root(tmp_path, 0, graded=False, rendered=False)
        assert appended(root) == 0
        assert log_bytes(root) == {}

    def test_appending_twice_changes_nothing(self, tmp_path: Path):
        """No byte, and no file is written again."""
        root = logged_root(tmp_path, 2, key=KEY)
        files, at = archive_bytes(root), times(root)
        assert appended(root) == 0
        assert appended(root, KEY) == 0
        assert archive_bytes(root) == files
        assert times(root) == at

    def test_one_append_or_many_log_the_same_things(self, tmp_path: Path):
        """Only the order and the tiles of sizes between differ."""
        daily, at_once = logged_root(tmp_path / "daily", 3), logged_root(tmp_path / "once", 0)
        for index in range(3):
            add_graded(at_once, FIRST + timedelta(days=index))
        appended(at_once)
        assert sorted(map(repr, leaves(daily))) == sorted(map(repr, leaves(at_once)))
        assert len([name for name in log_bytes(at_once) if name.startswith("log/tile/0/")]) == 1
        assert len([name for name in log_bytes(daily) if name.startswith("log/tile/0/")]) == 3


def times(root: Root) -> dict[str, int]:
    """Return when each file was last written."""
    folder = root.store.folder.path
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file() and path.name != ".lock"}


class TestTheCostIsThatOfTheNightAndNotOfTheArchive:
    def test_a_night_reads_its_own_files_and_the_right_edge(self, tmp_path: Path):
        """As many files at 10 nights as at 3, and none of a night, a window or a bundle before."""
        root = logged_root(tmp_path, 2)
        counts = {}
        for index in range(2, 10):
            night = FIRST + timedelta(days=index)
            add_graded(root, night)
            read = reads(root, lambda: appended(root))
            counts[index + 1] = len(read)
            assert {name for name in read if name.startswith(("nights/", "grades/", "pages/"))} == {
                f"nights/{night}/night.json",
                *(f"nights/{night}/{table}.parquet" for table in layout.NIGHT_TABLES),
                f"grades/0.1/{night}.json",
                f"grades/0.1/{night}.parquet",
                f"pages/0.1/{night}.json",
                f"pages/0.1/{night}.parquet",
            }
            size = 5 + 4 * (index - 1)
            assert {name for name in read if name.startswith("log/")} == {
                "log/head",
                f"log/tile/0/000.p/{size}",
                f"log/tile/entries/000.p/{size}",
            }
        assert counts[10] == counts[3]

    def test_past_a_full_tile_one_level_more_is_read(self, tmp_path: Path):
        """At 300 leaves the edge is a tile of each of two levels and one bundle of at most 255 leaves."""
        root = logged_root(tmp_path, 1)
        grow(root, 300)
        add_graded(root, SECOND)
        read = reads(root, lambda: appended(root))
        assert {name for name in read if name.startswith("log/tile/")} == {
            "log/tile/0/001.p/44",
            "log/tile/1/000.p/1",
            "log/tile/entries/001.p/44",
        }
        assert leaves(root)[300:][0] == leaves_of(root, f"nights/{SECOND}")[0]


def grow(root: Root, size: int) -> None:
    """Append so many leaves together that tiles are full; they say that some dates were missed."""
    log, head = root.store.log, parse_checkpoint(root.store.log.head())
    more = [leaf_bytes(MissedLeaf(night=date(2000, 1, 1) + timedelta(days=day))) for day in range(size - head.size)]
    grown = tiles_appended(head.size, log.read, more)
    log.append(grown.files, {}, Checkpoint(origin=head.origin, size=grown.size, root=grown.root).text())


def leaves_of(root: Root, name: str) -> tuple[object, ...]:
    """Return the leaves of a source."""
    (source,) = [source for source in sources(root) if source.name == name]
    return source.leaves()


def reads(root: Root, act: Callable[[], object]) -> list[str]:
    """Return the names of the archive's files that something reads, each once a read of another file is between."""
    folder, found = root.store.folder, list[str]()
    real = folder.read

    def reading(name: str) -> bytes:
        found.append(name)
        return real(name)

    folder.read = reading
    try:
        act()
    finally:
        del folder.read
    return found


class TestInterruptedAnywhereTheNextAppendBeginsWhereNothingHadBegun:
    def test_the_rerun_ends_with_the_bytes_of_an_undisturbed_one(self, tmp_path: Path):
        """Wherever between two changes of the disk it ended, key and all."""
        base = logged_root(tmp_path / "base", 1)
        add_graded(base, SECOND)
        whole = copy(base, tmp_path / "whole")
        appended(whole, KEY)
        changes = 0
        for change in range(100):
            root = copy(base, tmp_path / f"killed-{change}")
            with killed_at(root, change) as done:
                appended(root, KEY)
            interrupted = len(done) == change
            appended(root, KEY)
            assert archive_bytes(root) == archive_bytes(whole), done
            changes = change
            if not interrupted:
                break
        assert changes > 9

    @pytest.mark.ci
    def test_with_a_night_graded_in_between_it_ends_as_if_it_had_not_begun(self, tmp_path: Path):
        """Tiles of the size that it was going to have are gone, but for those that count."""
        base = logged_root(tmp_path / "base", 1)
        add_graded(base, SECOND)
        both = copy(base, tmp_path / "both")
        add_graded(both, FIRST + timedelta(days=2))
        late = copy(both, tmp_path / "late")
        appended(late)
        first_head = base.store.log.head()
        endings = set()
        for change in range(9):
            root = copy(base, tmp_path / f"killed-{change}")
            with killed_at(root, change):
                appended(root)
            counted = root.store.log.head() != first_head
            add_graded(root, FIRST + timedelta(days=2))
            appended(root)
            expected = late
            if counted:
                expected = copy(base, tmp_path / f"daily-{change}")
                appended(expected)
                add_graded(expected, FIRST + timedelta(days=2))
                appended(expected)
            assert archive_bytes(root) == archive_bytes(expected)
            endings.add(counted)
        assert endings == {True, False}

    def test_what_does_not_count_is_not_given_out_for_publishing(self, tmp_path: Path):
        """A tile that may make way for other bytes is none that lasts."""
        root = logged_root(tmp_path, 1)
        lasting = root.store.log.lasting()
        add_graded(root, SECOND)
        with killed_at(root, 3) as done:
            appended(root)
        assert any(name.startswith("log/tile/") for name in done)
        assert root.store.log.lasting() == lasting
        appended(root)
        assert set(root.store.log.lasting()) == {*lasting, "log/tile/0/000.p/9", "log/tile/entries/000.p/9"}

    def test_a_key_that_was_kept_is_a_leaf_whoever_runs_the_append(self, tmp_path: Path):
        """The next one needs no key to know of it."""
        root = logged_root(tmp_path, 1)
        with killed_at(root, 1):
            appended(root, KEY)
        assert appended(root) == 1
        assert leaves(root)[-1] == KeyLeaf(vkey=KEY.vkey)

    def test_files_cut_off_while_they_were_written_go_too(self, tmp_path: Path):
        """What has an unfinished name beside a file of the append is taken away with it."""
        base = logged_root(tmp_path / "base", 1)
        add_graded(base, SECOND)
        root = copy(base, tmp_path / "root")
        with killed_at(root, 2):
            appended(root)
        stray = tmp_path / "root/archive/log/tile/0/000.p/9.tmp"
        stray.write_bytes(b"half")
        add_graded(root, FIRST + timedelta(days=2))
        appended(root)
        assert not stray.exists()

    @pytest.mark.ci
    def test_signing_and_proving_interrupted_anywhere_end_alike(self, tmp_path: Path):
        """The whole of what a night does for the log, ended at each change of the disk."""
        base = logged_root(tmp_path / "base", 1, key=KEY)
        add_graded(base, SECOND)
        whole = copy(base, tmp_path / "whole")
        keep_log(whole, KEY, progress=Silent())
        for change in range(100):
            root = copy(base, tmp_path / f"killed-{change}")
            with killed_at(root, change) as done:
                keep_log(root, KEY, progress=Silent())
            keep_log(root, KEY, progress=Silent())
            assert archive_bytes(root) == archive_bytes(whole), done
            if len(done) < change:
                break
        else:
            pytest.fail("there was no last change")

    def test_a_note_of_an_append_that_names_other_files_takes_nothing_away(self, tmp_path: Path):
        """Only tiles and records of the log can make way."""
        root = logged_root(tmp_path, 1)
        for name in ("nights/2026-03-01/night.json", "log/tile/../../nights/2026-03-01/night.json", "log/head"):
            note = LogAppending(format=1, head="another", files=(name,), seal="")
            (tmp_path / "archive/log/appending").write_bytes(canonical_json(sealed(note)))
            with pytest.raises(IntegrityError, match="another file's name"):
                appended(root)
        assert (tmp_path / "archive/nights/2026-03-01/night.json").exists()
        assert (tmp_path / "archive/log/head").exists()


def copy(root: Root, path: Path) -> Root:
    """Return a root with the same files."""
    shutil.copytree(root.path, path)
    return Root(path)


class TestTheLogIsPartOfTheArchive:
    def test_its_files_are_listed_among_the_others(self, tmp_path: Path):
        """All but unfinished ones: who copies what is listed has a whole log."""
        root = logged_root(tmp_path, 1, key=KEY)
        (tmp_path / "archive/log/head.tmp").write_bytes(b"half")
        listed = [name for name in root.store.folder.names() if name.startswith("log/")]
        assert listed == sorted(set(log_bytes(root)) - {"log/head.tmp"})
        assert {"log/head", "log/checkpoint", "log/signed/6", f"log/proofs/0.1/{FIRST}.parquet"} < set(listed)

    def test_the_first_append_interrupted_leaves_no_log(self, tmp_path: Path):
        """Records without a head are of an append that had not ended; it begins again."""
        root = logged_root(tmp_path, 0)
        add_graded(root, FIRST)
        with killed_at(root, 5) as done:
            appended(root)
        assert done[-1].startswith("log/index/")
        assert root.store.log.head() is None
        assert appended(root) == 5


class TestWhatIsNotAsItWasIsNotAppendedTo:
    def test_a_head_that_is_gone_is_missed(self, tmp_path: Path):
        """A second log is never begun beside the leaves of the first."""
        root = logged_root(tmp_path, 1)
        (tmp_path / "archive/log/head").unlink()
        add_graded(root, SECOND)
        with pytest.raises(MissingFileError, match="log/head"):
            appended(root)

    def test_a_head_that_is_none_is_named(self, tmp_path: Path):
        """Neither other words nor other bytes pass for one."""
        root = logged_root(tmp_path, 1)
        for data in (b"kept.example/log\n5\n", b"\xff\n5\n\n"):
            (tmp_path / "archive/log/head").write_bytes(data)
            with pytest.raises(IntegrityError, match="log/head"):
                appended(root)

    def test_a_head_older_than_what_is_signed_is_refused(self, tmp_path: Path):
        """Leaves that somebody vouched for are never left out."""
        root = logged_root(tmp_path, 1, key=KEY)
        old = (tmp_path / "archive/log/head").read_bytes()
        add_graded(root, SECOND)
        keep_log(root, KEY, progress=Silent())
        (tmp_path / "archive/log/head").write_bytes(old)
        with pytest.raises(IntegrityError, match="at least the 10 leaves that are signed, found 6"):
            appended(root)

    @pytest.mark.parametrize("tile", ["tile/0/000.p/5", "tile/entries/000.p/5"])
    def test_a_changed_right_edge_is_refused(self, tmp_path: Path, tile: str):
        """Nothing is built on it."""
        root = logged_root(tmp_path, 1)
        path = tmp_path / "archive/log" / tile
        data = bytearray(path.read_bytes())
        data[-1] ^= 1
        path.write_bytes(data)
        add_graded(root, SECOND)
        before = archive_bytes(root)
        with pytest.raises(IntegrityError, match=r"expected"):
            appended(root)
        assert archive_bytes(root) == before

    @pytest.mark.parametrize("name", ["context.parquet", "observations.parquet", "night.json"])
    def test_a_night_that_is_not_what_was_sealed_is_not_logged(self, tmp_path: Path, name: str):
        """Each file that its leaf would speak of is read first."""
        root = logged_root(tmp_path, 1)
        add_graded(root, SECOND)
        path = tmp_path / f"archive/nights/{SECOND}" / name
        path.write_bytes(path.read_bytes()[:-1] + b"?")
        before = archive_bytes(root)
        with pytest.raises(IntegrityError, match=name):
            appended(root)
        assert archive_bytes(root) == before

    def test_grades_without_their_pages_are_not_logged(self, tmp_path: Path):
        """A page that is no grade's, or a grade without a page, stops the append."""
        root = logged_root(tmp_path, 1)
        add_graded(root, SECOND)
        pages = root.store.pages.get("0.1", SECOND)
        digest = root.store.pages.manifest("0.1", SECOND).method_digest
        for path in (tmp_path / "archive/pages/0.1").glob(f"{SECOND}.*"):
            path.unlink()
        root.store.pages.add(pages[1:], version="0.1", digest=digest, window_end=SECOND)
        with pytest.raises(IntegrityError, match="kept page"):
            appended(root)

    def test_another_logs_key_is_refused_before_it_is_kept(self, tmp_path: Path):
        """A key is called as its log is."""
        root = logged_root(tmp_path, 1)
        with pytest.raises(UsageError, match=r"called kept\.example/log, as the log is, found one .* other\.example"):
            appended(root, STRANGE_KEY)
        assert root.store.log.key_ids() == ()

    def test_tiles_of_another_tree_than_the_heads_are_refused(self, tmp_path: Path):
        """Head and right edge are held against one another before anything is added."""
        root = logged_root(tmp_path, 1)
        head = parse_checkpoint(root.store.log.head())
        (tmp_path / "archive/log/head").write_text(Checkpoint(head.origin, head.size, b"\x01" * 32).text())
        add_graded(root, SECOND)
        before = archive_bytes(root)
        with pytest.raises(IntegrityError, match=f"expected tiles under the root {'01' * 32}, found ones under"):
            appended(root)
        assert archive_bytes(root) == before

    def test_declarations_beside_no_night_are_no_sources(self, tmp_path: Path):
        """A folder that is no night's says nothing in the log."""
        root = logged_root(tmp_path, 1)
        for name in (
            "nights/strange/void.json",
            "nights/2026-03-09/withheld-1.json",
            f"nights/{FIRST}/withheld-x.json",
        ):
            root.store.folder.create(name, b"{}")
        assert appended(root) == 0

    def test_a_key_file_that_holds_another_key_is_named(self, tmp_path: Path):
        """A public key lies under its own id."""
        root = logged_root(tmp_path, 1)
        root.store.log.add_key("00000000", KEY.vkey)
        with pytest.raises(IntegrityError, match="expected the key 00000000"):
            appended(root)

    def test_a_key_is_not_taken_for_another_under_its_id(self, tmp_path: Path):
        """What lies under its id is read first, and is never replaced."""
        root = logged_root(tmp_path, 1)
        root.store.log.add_key(KEY.verifier.key_id, OTHER_KEY.vkey)
        with pytest.raises(IntegrityError, match=f"expected the key {KEY.verifier.key_id}"):
            appended(root, KEY)


class TestTheCommand:
    def test_it_says_what_is_new_and_needs_no_key(self, tmp_path: Path):
        """The log is called unsigned until it is signed."""
        root = logged_root(tmp_path, 1)
        add_graded(root, SECOND)
        done = log_makers.command(root, "log", "append")
        assert (done.returncode, done.stdout) == (0, "4 leaves are new; the log has 9, unsigned\n")
        done = log_makers.command(root, "log", "append", "--json")
        assert (done.returncode, done.stdout) == (0, '{"leaves":0,"size":9,"signed":0}\n')

    def test_a_key_in_the_environment_becomes_a_leaf(self, tmp_path: Path):
        """And its private half is nowhere."""
        root = logged_root(tmp_path, 1)
        done = log_makers.command(root, "log", "append", key=KEY.text)
        assert (done.returncode, done.stdout) == (0, "1 leaf is new; the log has 6, unsigned\n")
        assert leaves(root)[-1] == KeyLeaf(vkey=KEY.vkey)
        assert KEY.text not in done.stdout + done.stderr
