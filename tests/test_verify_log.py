"""`verify` holds the log against its leaves, the archive, its signatures, and what was seen of it before."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

import kept_site
import logged_site
import msgspec
import pytest
import sound_worlds
from logged_site import KEY, OTHER_KEY, SILENT, check, log, wheres
from typer.testing import CliRunner

from generator.cli import app
from generator.content import packaged
from generator.log.checkpoint import Checkpoint, parse_checkpoint
from generator.log.tiles import TileAddress, decode_entries
from generator.log.whole import WholeLog
from generator.records.canonical import canonical_json, sealed
from generator.records.leaf import NightLeaf, leaf_bytes, read_leaf
from generator.records.log_index import LogAppending, LogIndex
from generator.records.night import VoidRecord
from generator.workflows.appending import append
from generator.workflows.kept_log import Trust
from generator.workflows.world import Root

FIRST_SIZE, SIZE = 34, 39
"""Key, eight nights, a method and 24 grades; then a missed date, a night and three grades."""

sound, root = sound_worlds.logged, sound_worlds.root


@pytest.fixture(scope="module")
def unsigned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a root whose log no key has signed."""
    path = tmp_path_factory.mktemp("unsigned") / "root"
    logged_site.make_logged(path, nights=2, signed=False)
    return path


def leaves(path: Path) -> list[bytes]:
    """Return the leaves of a root's log, of which there are fewer than 256."""
    size = parse_checkpoint((log(path) / "head").read_text()).size
    bundle = log(path) / TileAddress(level=None, index=0, width=size).path()
    return list(decode_entries(bundle.read_bytes(), where="bundle"))


def forge(path: Path, forged: list[bytes], *, sizes: tuple[int, ...] = (), key: object = None) -> None:
    """Put another log in the place of a root's: every tile and head follow from its leaves, signed where asked for."""
    tree = WholeLog(forged)
    for name in (*tree.files(tree.size), *(name for size in sizes for name in tree.files(size))):
        target = log(path) / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(tree.file(TileAddress.parse(name)) or b"")
    head = Checkpoint("kept.example/log", tree.size, tree.root(tree.size))
    (log(path) / "head").write_text(head.text())
    for size in sizes:
        note = (key or KEY).sign(Checkpoint("kept.example/log", size, tree.root(size)).text())
        (log(path) / f"signed/{size}").write_bytes(note)
        (log(path) / "checkpoint").write_bytes(note)


class TestASoundLog:
    def test_has_no_findings_and_no_notes(self, sound: Path):
        """Every leaf, tile, index file, proof and checkpoint was looked at."""
        report = check(sound)
        assert wheres(report) == ""
        assert report.notes == ()
        assert report.checked["log leaves"] == SIZE
        assert report.checked["proofs"] == 27
        assert report.checked["checkpoints"] == 2
        assert report.checked["log tiles"] == 4
        assert report.checked["log index files"] == len(list((log(sound) / "index").rglob("*.json")))

    def test_is_held_against_a_checkpoint_and_a_key_that_somebody_kept(self, sound: Path):
        """Both the first and the newest checkpoint are borne out, by the key alone."""
        trust = Trust(
            key=KEY.verifier,
            checkpoints=tuple((f"mine-{size}", (log(sound) / f"signed/{size}").read_bytes()) for size in (34, 39)),
        )
        report = check(sound, trust)
        assert wheres(report) == ""
        assert report.checked["checkpoints"] == 4

    def test_exits_0(self, sound: Path):
        """The command takes the folder, a key and checkpoints."""
        arguments = ["verify", str(sound), "--key", KEY.vkey, "--checkpoint", str(log(sound) / "signed/34")]
        assert CliRunner().invoke(app, arguments).exit_code == 0

    def test_an_unsigned_log_is_said_to_be_unsigned(self, unsigned: Path):
        """It has no findings, and never reads as signed."""
        report = check(unsigned)
        assert wheres(report) == ""
        assert any("unsigned" in note for note in report.notes)
        assert "checkpoints" not in report.checked

    def test_a_root_without_a_log_says_so(self, tmp_path: Path):
        """What was never appended is no mismatch."""
        kept_site.make_root(tmp_path / "root", nights=1)
        report = check(tmp_path / "root")
        assert wheres(report) == ""
        assert any("bitdepth log append" in note for note in report.notes)

    def test_what_is_newer_than_the_log_is_noted(self, root: Path):
        """A night that is not appended yet is no mismatch."""
        logged_site.add_last(Root(root), 10)
        shutil.rmtree(root / "site")
        report = check(root)
        assert wheres(report) == ""
        assert any("not in the log yet: nights/2026-03-11, grades/0.1/2026-03-11" in note for note in report.notes)

    def test_leaves_that_are_not_signed_yet_are_noted(self, root: Path):
        """A log may be longer than its newest checkpoint."""
        logged_site.add_last(Root(root), 10)
        append(Root(root), progress=SILENT)
        shutil.rmtree(root / "site")
        report = check(root)
        assert wheres(report) == ""
        assert any("the newest 4 leaves of the log are not signed yet" in note for note in report.notes)


class TestLeavesAgainstTheArchive:
    def test_a_night_changed_with_every_seal_and_digest_is_named_by_its_leaf(self, root: Path):
        """A later declaration that a night is void is none of the log's, until it is changed."""
        store = Root(root).store
        void = VoidRecord(
            format=1, night=date(2026, 3, 2), reason="mine", declared_at=datetime(2026, 3, 20, tzinfo=UTC), seal=""
        )
        store.folder.create("nights/2026-03-02/void.json", canonical_json(sealed(void)))
        append(Root(root), progress=SILENT)
        changed = msgspec.structs.replace(void, reason="another")
        (root / "archive/nights/2026-03-02/void.json").write_bytes(canonical_json(sealed(changed)))
        assert "leaf 39 (voided night 2026-03-02), record_sha256" in wheres(check(root))

    def test_a_night_that_was_taken_out_whole_is_named_by_its_leaf(self, root: Path):
        """The last night can go without a gap in the chain; not without its leaf."""
        for name in ("nights/2026-03-10", "grades/0.1/2026-03-10", "pages/0.1/2026-03-10"):
            for path in (root / "archive").glob(f"{name}*"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        found = wheres(check(root))
        assert "leaf 35 (night 2026-03-10): what the leaf speaks of" in found
        assert "leaf 36 (grade grades/aster/sphinx-8b/kiln/2026-03-10/v0.1/)" in found

    def test_a_forged_leaf_is_named_with_what_differs(self, root: Path):
        """A log that was made anew, and signed by its own key, says what the archive does not."""
        forged = leaves(root)
        index = next(index for index, data in enumerate(forged) if b'"2026-03-04"' in data)
        leaf = read_leaf(forged[index])
        assert isinstance(leaf, NightLeaf)
        forged[index] = leaf_bytes(msgspec.structs.replace(leaf, record_sha256="f" * 64))
        forge(root, forged, sizes=(FIRST_SIZE, SIZE))
        found = wheres(check(root))
        assert f"different archive/log, leaf {index} (night 2026-03-04), record_sha256" in found

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            (lambda made: made[:12] + made[13:], "a leaf of grade grades/"),
            (lambda made: [*made, made[3]], "unexpected archive/log, leaf 39 (night 2026-03-03)"),
            (lambda made: [*made, b'{"kind":"secret"}'], "unreadable archive/log, leaf 39"),
            (lambda made: [*made, leaf_bytes(read_leaf(made[3])) + b" "], "unexpected archive/log, leaf 39"),
            (lambda made: [made[0], made[1] + b"\n", *made[2:]], "canonical JSON"),
            (lambda made: [*made[:11], made[12], made[11], *made[13:]], "leaves one after another"),
            (lambda made: made[:4] + made[5:], "the leaves of nights/2026-03-04"),
            (lambda made: [leaf for leaf in made if b'"method"' not in leaf], "the leaves of methods/0.1"),
        ],
    )
    def test_leaves_that_are_missing_doubled_unknown_or_in_another_order(
        self, root: Path, change: Callable[[list[bytes]], list[bytes]], said: str
    ):
        """Even of an unsigned log, whose tiles and head all fit."""
        for name in ("signed", "proofs", "keys"):
            shutil.rmtree(log(root) / name)
        (log(root) / "checkpoint").unlink()
        forge(root, change(leaves(root)))
        assert said in wheres(check(root))


def flip(path: Path) -> None:
    """Change a byte in the middle of a file."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(bytes(data))


class TestADamagedFile:
    """It alone is named; what could not be held against the log because of it is a note."""

    @pytest.mark.parametrize(
        ("name", "source"),
        [
            ("nights/2026-03-10/observations.parquet", "nights/2026-03-10"),
            ("nights/2026-03-05/listings.parquet", "nights/2026-03-05"),
            ("nights/2026-03-05/night.json", "nights/2026-03-05"),
            ("nights/2026-03-10/night.json", "nights/2026-03-10"),
            ("pages/methods/0.1.html", "methods/0.1"),
            ("pages/methods/0.1.json", "methods/0.1"),
            ("grades/0.1/2026-03-08.parquet", "grades/0.1/2026-03-08"),
            ("grades/0.1/2026-03-08.json", "grades/0.1/2026-03-08"),
            ("pages/0.1/2026-03-08.parquet", "grades/0.1/2026-03-08"),
            ("pages/0.1/2026-03-08.json", "grades/0.1/2026-03-08"),
        ],
    )
    def test_is_the_only_one_named(self, root: Path, name: str, source: str):
        """Neither the file that names it, nor what the log tells of either."""
        flip(root / "archive" / name)
        report = check(root)
        assert [(each.kind, each.where) for each in report.findings] == [("changed", f"archive/{name}")]
        assert f"{source} was not held against the log, because of archive/{name}" in report.notes
        assert not report.complete

    @pytest.mark.parametrize("damage", ["flip", "delete"])
    def test_of_a_key_is_the_only_one_named(self, root: Path, damage: str):
        """Its leaf holds the key: what it signed, and each proof, are held against that."""
        path = log(root) / f"keys/{KEY.verifier.key_id}.vkey"
        flip(path) if damage == "flip" else path.unlink()
        report = check(root)
        gone = f"archive/log, leaf 0 (key {KEY.vkey})"
        assert [each.where for each in report.findings] == [
            f"archive/log/keys/{path.name}" if damage == "flip" else gone
        ]
        assert (report.checked["proofs"], report.checked["checkpoints"]) == (27, 2)

    def test_that_changed_places_with_another_is_named_with_it(self, root: Path):
        """Two findings for two files."""
        names = [f"archive/nights/2026-03-{day}/observations.parquet" for day in ("03", "10")]
        first, second = (root / name for name in names)
        data = first.read_bytes()
        first.write_bytes(second.read_bytes())
        second.write_bytes(data)
        assert [each.where for each in check(root).findings] == names

    def test_exits_6(self, root: Path):
        """What could not be checked does not take the exit code of what was found."""
        flip(root / "archive/nights/2026-03-10/observations.parquet")
        assert CliRunner().invoke(app, ["verify", str(root)]).exit_code == 6

    def test_hides_nothing_else(self, root: Path):
        """The rest of the night, its index and a leaf of another source are looked at all the same."""
        flip(root / "archive/nights/2026-03-04/observations.parquet")
        flip(root / "archive/nights/2026-03-04/prompts.parquet")
        path = log(root) / "index/nights/2026-03-04.json"
        index = msgspec.json.decode(path.read_bytes(), type=LogIndex)
        path.write_bytes(canonical_json(sealed(msgspec.structs.replace(index, first=index.first + 1))))
        forged = leaves(root)
        at = next(at for at, data in enumerate(forged) if b'"2026-03-06"' in data)
        leaf = read_leaf(forged[at])
        assert isinstance(leaf, NightLeaf)
        forged[at] = leaf_bytes(msgspec.structs.replace(leaf, record_sha256="f" * 64))
        forge(root, forged, sizes=(FIRST_SIZE, SIZE))
        found = wheres(check(root))
        assert "changed archive/nights/2026-03-04/observations.parquet" in found
        assert "changed archive/nights/2026-03-04/prompts.parquet" in found
        assert "archive/log/index/nights/2026-03-04.json: first leaf" in found
        assert f"different archive/log, leaf {at} (night 2026-03-06), record_sha256" in found

    def test_whose_index_is_of_no_leaf_is_named_with_the_index(self, root: Path):
        """A night that the log holds nothing of has no index."""
        logged_site.add_last(Root(root), 10)
        flip(root / "archive/nights/2026-03-11/observations.parquet")
        shutil.copyfile(log(root) / "index/nights/2026-03-10.json", log(root) / "index/nights/2026-03-11.json")
        assert [each.where for each in check(root).findings] == [
            "archive/log/index/nights/2026-03-11.json",
            "archive/nights/2026-03-11/observations.parquet",
        ]

    def test_that_is_gone_leaves_its_leaf_and_no_word_on_the_index(self, root: Path):
        """The index says where the leaf is, and the leaf is there."""
        (root / "archive/nights/2026-03-05/night.json").unlink()
        assert [each.where for each in check(root).findings] == [
            "archive/log, leaf 5 (night 2026-03-05)",
            "archive/nights/2026-03-05/night.json",
        ]

    def test_of_the_definition_is_named_itself(self, root: Path):
        """Not the page that was published with it."""
        folder = root / "content/methods"
        folder.mkdir(parents=True)
        for name in ("0.1.toml", "0.1.md"):
            (folder / name).write_bytes(packaged(f"content/methods/{name}").read_bytes())
        text = (folder / "0.1.md").read_text()
        (folder / "0.1.md").write_text(f"{text}\nMore.\n")
        assert [each.where for each in check(root).findings] == ["content/methods/0.1.toml and .md"]


class TestWhatIsSigned:
    def test_a_head_of_another_name_is_named_itself(self, root: Path):
        """Every signature says what the log is called; without them the head alone would."""
        head = log(root) / "head"
        head.write_text(head.read_text().replace("kept.example", "else.example"))
        assert "changed archive/log/head: the log kept.example/log, as log/signed/34 was signed" in wheres(check(root))

    def test_a_log_that_is_gone_is_told_by_the_site(self, root: Path):
        """Another append would begin a second log: nobody is told to."""
        shutil.rmtree(log(root))
        report = check(root)
        assert "missing archive/log/head" in wheres(report)
        assert not any("log append" in note for note in report.notes)

    def test_a_key_that_is_no_leaf_signs_nothing(self, root: Path):
        """Another key's file beside the log's own makes its signature none of the log's."""
        (log(root) / f"keys/{OTHER_KEY.verifier.key_id}.vkey").write_text(OTHER_KEY.vkey + "\n")
        (log(root) / "checkpoint").write_bytes(OTHER_KEY.sign((log(root) / "head").read_text()))
        found = wheres(check(root))
        assert "changed archive/log/checkpoint: a signature by" in found

    def test_a_key_that_is_missing_is_named(self, root: Path):
        """Its leaf says that it was there."""
        (log(root) / f"keys/{KEY.verifier.key_id}.vkey").unlink()
        assert f"(key {KEY.vkey})" in wheres(check(root))

    def test_a_re_signed_older_checkpoint_is_found(self, root: Path):
        """The newest of all that was signed is the log's checkpoint, and no other."""
        shutil.copyfile(log(root) / "signed/34", log(root) / "checkpoint")
        assert "archive/log/checkpoint: the same bytes as archive/log/signed/39" in wheres(check(root))

    def test_a_checkpoint_of_a_fork_is_found(self, root: Path):
        """A root that the first leaves do not have, signed by the right key."""
        fork = KEY.sign(Checkpoint("kept.example/log", 20, bytes(32)).text())
        (log(root) / "signed/20").write_bytes(fork)
        found = wheres(check(root))
        assert "different archive/log/signed/20" in found
        assert "two logs have grown from one" in found

    def test_a_log_that_was_set_back_is_found(self, root: Path):
        """What was signed later tells of leaves that are gone."""
        tree = WholeLog(leaves(root)[:FIRST_SIZE])
        (log(root) / "head").write_text(Checkpoint("kept.example/log", tree.size, tree.root(tree.size)).text())
        found = wheres(check(root))
        assert "archive/log/signed/39: a log of at least the 39 leaves" in found
        assert "archive/log/tile/: tiles of the 34 leaves that log/head counts; 2 of a larger log" in found

    def test_a_log_set_back_with_all_its_traces_is_found_by_one_kept_checkpoint(self, root: Path):
        """What nothing in the folder can tell, a checkpoint of one's own does."""
        mine = (log(root) / "signed/39").read_bytes()
        shutil.rmtree(root / "archive/log")
        shutil.rmtree(root / "site")
        for name in ("nights/2026-03-10", "grades/0.1/2026-03-10", "pages/0.1/2026-03-10"):
            for path in (root / "archive").glob(f"{name}*"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        logged_site.keep(Root(root))
        assert wheres(check(root)) == ""
        assert "missing mine: a log of at least the 39" in wheres(check(root, Trust(checkpoints=(("mine", mine),))))

    def test_another_key_is_not_believed(self, sound: Path):
        """Where somebody brings the key that is believed, a log that another has signed is a finding."""
        found = wheres(check(sound, Trust(key=OTHER_KEY.verifier)))
        assert "changed archive/log/checkpoint" in found

    def test_a_checkpoint_of_another_log_is_named(self, sound: Path):
        """Signed by the same key under another name."""
        note = KEY.sign(Checkpoint("other.example/log", SIZE, bytes(32)).text())
        assert "a checkpoint of kept.example/log" in wheres(check(sound, Trust(checkpoints=(("mine", note),))))

    def test_a_log_that_is_gone_while_somebody_remembers_it(self, root: Path):
        """An archive without a log cannot pass for one that never had any."""
        mine = (log(root) / "signed/39").read_bytes()
        shutil.rmtree(root / "archive/log")
        assert "missing archive/log/head" in wheres(check(root, Trust(checkpoints=(("mine", mine),))))

    @pytest.mark.parametrize("gone", ["head", "checkpoint", "signed/34", "signed/39"])
    def test_a_file_that_is_gone_is_named(self, root: Path, gone: str):
        """Where the proofs were made against a checkpoint, they name it too."""
        (log(root) / gone).unlink()
        assert check(root).findings


class TestTheLogsOwnFiles:
    @pytest.mark.parametrize("name", ["tile/0/000.p/34", "tile/0/000.p/39", "tile/entries/000.p/34",
                                      "tile/entries/000.p/39", "index/nights/2026-03-04.json",
                                      "proofs/0.1/2026-03-04.parquet", "proofs/0.1/2026-03-04.json",
                                      f"keys/{KEY.verifier.key_id}.vkey"])  # fmt: skip
    @pytest.mark.parametrize("damage", ["flip", "delete", "empty"])
    def test_a_changed_file_is_found(self, root: Path, name: str, damage: str):
        """Whatever was done to it."""
        path = log(root) / name
        data = path.read_bytes()
        if damage == "delete":
            path.unlink()
        else:
            middle = len(data) // 2
            path.write_bytes(
                b"" if damage == "empty" else data[:middle] + bytes([data[middle] ^ 4]) + data[middle + 1 :]
            )
        found = wheres(check(root))
        assert name in found or (name.startswith(("keys", "tile/entries")) and found)

    @pytest.mark.parametrize("name", ["stray", "tile/0/xyz", "tile/0/001", "index/nights/2026-04-01.json", "signed/x",
                                      "signed/12", "keys/00000000.vkey", "proofs/0.1/2026-04-01.parquet"])  # fmt: skip
    def test_a_file_that_nothing_names_is_found(self, root: Path, name: str):
        """Nothing lies in the log but what belongs to it."""
        (log(root) / name).write_bytes(b"stray")
        assert check(root).findings

    def test_an_index_that_points_elsewhere_is_named(self, root: Path):
        """It follows from the leaves, whatever its seal says."""
        path = log(root) / "index/nights/2026-03-04.json"
        index = msgspec.json.decode(path.read_bytes(), type=LogIndex)
        path.write_bytes(canonical_json(sealed(msgspec.structs.replace(index, first=index.first + 1, sha256="a" * 64))))
        found = wheres(check(root))
        assert "archive/log/index/nights/2026-03-04.json: first leaf" in found
        assert "archive/log/index/nights/2026-03-04.json: SHA-256" in found

    def test_what_an_interrupted_append_left_does_not_count(self, root: Path):
        """The note that it left says which files are none of the log's yet."""
        before = {path: path.read_bytes() for path in log(root).rglob("*") if path.is_file()}
        logged_site.add_last(Root(root), 10)
        shutil.rmtree(root / "site")
        store = Root(root).store
        append(Root(root), progress=SILENT)
        files = {path: path.read_bytes() for path in log(root).rglob("*") if path.is_file() and path not in before}
        head = (log(root) / "head").read_text()
        (log(root) / "head").write_bytes(before[log(root) / "head"])
        names = tuple(sorted(path.relative_to(root / "archive").as_posix() for path in files))
        store.folder.create(
            "log/appending", canonical_json(sealed(LogAppending(format=1, head=head, files=names, seal="")))
        )
        report = check(root)
        assert wheres(report) == ""
        assert any("interrupted" in note for note in report.notes)
        append(Root(root), progress=SILENT)
        assert wheres(check(root)) == ""
