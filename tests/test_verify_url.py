"""`verify URL`: a published site against its own log, over real HTTP, whoever serves it."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import time
from collections.abc import Callable
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import kept_site
import logged_site
import pytest
import sound_worlds
from logged_site import KEY, OTHER_KEY, SILENT, hosting, serving, wheres
from typer.testing import CliRunner

from generator.cli import app
from generator.errors import SiteError, UsageError
from generator.log.checkpoint import Checkpoint
from generator.log.tiles import TileAddress
from generator.log.whole import WholeLog
from generator.records.finding import VerificationReport
from generator.records.leaf import GradeLeaf, KeyLeaf, leaf_bytes
from generator.workflows.fetching import WebSite
from generator.workflows.fetching_once import Limits
from generator.workflows.kept_log import NO_TRUST, Trust
from generator.workflows.published import MOST_SMALL, SavedSite
from generator.workflows.rendering import render
from generator.workflows.site_address import site_address
from generator.workflows.verifying_site import verify_site

QUICK = Limits(silence_s=0.5, whole_s=1, bytes_per_s=1024)

sound, site, address = sound_worlds.published, sound_worlds.site, sound_worlds.address


def verified(address: str, trust: Trust = NO_TRUST, sample: int | None = None) -> VerificationReport:
    """Return what verification says of the site at an address."""
    with WebSite(address, QUICK) as web:
        return verify_site(web, trust, progress=SILENT, sample=sample, entropy=os.urandom)


class TestASoundSite:
    def test_every_file_that_the_log_names_is_compared(self, address: str):
        """Pages, records, nights' tables and the method's files; tiles and keys besides."""
        report = verified(address, Trust(key=KEY.verifier))
        assert wheres(report) == ""
        assert report.complete
        nights, grades = 9, 27
        assert report.checked["files named by the log"] == nights * 5 + grades * 2 + 3
        assert report.checked["signatures"] == 1
        assert report.checked["log leaves"] == 1 + nights + 1 + 1 + grades

    def test_a_saved_copy_is_verified_alike(self, site: Path):
        """`wget --mirror` and `verify DIR`: nothing is asked of the network."""
        report = verify_site(SavedSite(site), Trust(key=KEY.verifier), progress=SILENT)
        assert wheres(report) == ""
        assert CliRunner().invoke(app, ["verify", str(site), "--key", KEY.vkey]).exit_code == 0

    def test_without_a_key_the_report_says_whose_word_it_is(self, address: str):
        """A key that the site itself names proves the site one with itself."""
        assert any(KEY.vkey in note for note in verified(address).notes)

    def test_checkpoints_that_were_kept_are_held_against_it(self, sound: Path, address: str):
        """Each of both."""
        seen = tuple((path.name, path.read_bytes()) for path in sorted((sound / "log/signed").iterdir()))
        report = verified(address, Trust(key=KEY.verifier, checkpoints=seen))
        assert wheres(report) == ""
        assert report.checked["checkpoints"] == 2

    def test_the_command_exits_0_and_6(self, site: Path, address: str):
        """As a cron job asks."""
        assert CliRunner().invoke(app, ["verify", address, "--key", KEY.vkey]).exit_code == 0
        (site / "method/0.1/index.html").write_bytes(b"another")
        result = CliRunner().invoke(app, ["verify", address, "--key", KEY.vkey, "--json"])
        assert result.exit_code == 6
        assert any(each["where"].endswith("method/0.1/index.html") for each in json.loads(result.stdout)["findings"])

    def test_a_sample_looks_at_some_and_at_the_newest(self, site: Path, address: str):
        """What the newest leaf names is always among them."""
        report = verified(address, Trust(key=KEY.verifier), sample=3)
        assert wheres(report) == ""
        assert 0 < report.checked["files named by the log"] < 25
        assert any("a sample" in note for note in report.notes)
        newest = max(site.glob("grades/aster/sphinx-8b/mill/*/v0.1/index.html"))
        newest.write_bytes(b"another")
        assert newest.relative_to(site).as_posix() in wheres(verified(address, sample=1))

    def test_a_sample_looks_at_all_that_a_kept_checkpoint_does_not_cover(self, sound: Path, site: Path, address: str):
        """Who keeps checkpoints has looked at each page once, whatever chance draws later."""
        oldest = min((sound / "log/signed").iterdir(), key=lambda path: int(path.name))
        trust = Trust(key=KEY.verifier, checkpoints=((oldest.name, oldest.read_bytes()),))
        report = verified(address, trust, sample=1)
        assert wheres(report) == ""
        last = max(site.glob("nights/*/index.html")).parent.name
        new = sorted(site.glob(f"grades/aster/sphinx-8b/*/{last}/v0.1/index.html"))
        assert len(new) == len(kept_site.ENDPOINTS)
        assert any("that the checkpoints given do not cover" in note for note in report.notes)
        for page in new:
            page.write_bytes(b"another")
        found = wheres(verified(address, trust, sample=1))
        assert all(page.relative_to(site).as_posix() in found for page in new)


def flip(path: Path) -> None:
    """Flip one bit in the middle of a file."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x10
    path.write_bytes(bytes(data))


NAMED = [
    "grades/aster/sphinx-8b/mill/2026-03-07/v0.1/index.html",
    "grades/aster/sphinx-8b/kiln/2026-03-10/v0.1/grade.json",
    "method/0.1/index.html",
    "data/methods/0.1.toml",
    "data/nights/2026-03-03/night.json",
    "data/nights/2026-03-03/observations.parquet",
    "log/checkpoint",
    f"log/keys/{KEY.verifier.key_id}.vkey",
]


class TestDamage:
    @pytest.mark.parametrize("name", NAMED)
    @pytest.mark.parametrize("damage", [flip, Path.unlink])
    def test_a_file_that_is_changed_or_gone_is_named(
        self, site: Path, address: str, name: str, damage: Callable[[Path], None]
    ):
        """By its address, with what was expected and what was found."""
        damage(site / name)
        found = verified(address, Trust(key=KEY.verifier))
        assert f"{address}{name}" in wheres(found)

    @pytest.mark.parametrize("what", ["tile/entries", "tile/0"])
    @pytest.mark.parametrize("damage", [flip, Path.unlink])
    def test_a_tile_that_is_changed_or_gone_is_found(
        self, site: Path, address: str, what: str, damage: Callable[[Path], None]
    ):
        """Leaves that do not make the root, or a tile that leaves do not make."""
        newest = max((site / "log" / what).rglob("*.p/*"), key=lambda path: int(path.name))
        damage(newest)
        assert verified(address).findings

    def test_a_log_that_went_back_is_found_by_a_kept_checkpoint(self, site: Path, address: str, tmp_path: Path):
        """Where the site is what it was then, nothing else tells; where more is left of the newer log, that does."""
        newest = (site / "log/checkpoint").read_bytes()
        older = min((site / "log/signed").iterdir(), key=lambda path: int(path.name))
        shutil.copyfile(older, site / "log/checkpoint")
        assert "log/checkpoint: the checkpoint of 39 leaves, which lies there as log/signed/39" in wheres(
            verified(address)
        )
        root = kept_site.make_root(tmp_path / "older", nights=7, rendered=False)
        logged_site.keep(root)
        render(root, progress=SILENT)
        with hosting(root.site) as before:
            assert wheres(verified(before)) == ""
            found = verified(before, Trust(checkpoints=(("mine", newest),)))
        assert "missing mine: a log of at least" in wheres(found)

    def test_a_fork_is_found_by_a_kept_checkpoint(self, address: str):
        """Two roots of one size, both signed."""
        note = KEY.sign(Checkpoint("kept.example/log", 5, bytes(32)).text())
        assert "two logs have grown from one" in wheres(verified(address, Trust(checkpoints=(("mine", note),))))

    def test_another_key_is_not_believed(self, address: str):
        """Whatever the site says."""
        assert "log/checkpoint" in wheres(verified(address, Trust(key=OTHER_KEY.verifier)))

    def test_an_unsigned_log_never_reads_as_signed(self, site: Path, address: str):
        """A note says so; that it was signed once, proofs and earlier checkpoints tell."""
        (site / "log/checkpoint").unlink()
        report = verified(address)
        assert "log/checkpoint: the checkpoint of at least 39 leaves that proofs beside pages tell of" in wheres(report)
        assert any("unsigned" in note for note in report.notes)
        assert "signatures" not in report.checked
        assert "a signed checkpoint" in wheres(verified(address, Trust(key=KEY.verifier)))

    def test_a_site_without_a_log_cannot_be_checked(self, site: Path, address: str):
        """Exit 1: nothing is wrong, and nothing is known."""
        shutil.rmtree(site / "log")
        report = verified(address)
        assert not report.complete
        assert CliRunner().invoke(app, ["verify", address]).exit_code == 1


class Hostile(BaseHTTPRequestHandler):
    """A server that answers every path with one trick."""

    def __init__(self, *arguments: object, trick: Callable[[Hostile], None]) -> None:
        """Play a trick."""
        self.trick = trick
        super().__init__(*arguments)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """Play it."""
        self.close_connection = True
        self.trick(self)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""


def head(handler: Hostile, status: int, **headers: object) -> None:
    """Write a head."""
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), str(value))
    handler.end_headers()


def endless(handler: Hostile) -> None:
    """Send and send."""
    head(handler, 200)
    try:
        while True:
            handler.wfile.write(bytes(1 << 20))
    except OSError:
        return


def trickle(handler: Hostile) -> None:
    """Send a byte now and then, for ever."""
    head(handler, 200)
    try:
        for _ in range(100):
            handler.wfile.write(b"x")
            handler.wfile.flush()
            time.sleep(0.1)
    except OSError:
        return


def slow_head(handler: Hostile) -> None:
    """Send a head that does not end."""
    try:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        for number in range(100):
            handler.wfile.write(f"X-{number}: x\r\n".encode())
            handler.wfile.flush()
            time.sleep(0.1)
    except OSError:
        return


TRICKS = [
    (endless, f"expected at most {MOST_SMALL} bytes"),
    (lambda handler: head(handler, 200, Content_Length=10**15), f"expected at most {MOST_SMALL} bytes"),
    (trickle, "in time"),
    pytest.param(slow_head, "in time", marks=pytest.mark.ci),
    (lambda handler: head(handler, 302, Location="http://127.0.0.2:9/elsewhere"), "another origin"),
    (lambda handler: head(handler, 302, Location="file:///etc/passwd"), "another origin"),
    (lambda handler: head(handler, 301, Location=handler.path), "redirects"),
    (lambda handler: head(handler, 503), "503"),
    (lambda handler: head(handler, 403), "403"),
    (lambda handler: handler.wfile.write(b"\x00\x01not HTTP\r\n\r\n"), "RemoteProtocolError"),
    (lambda _: None, "RemoteProtocolError"),
    (
        lambda handler: (
            head(handler, 200, Content_Encoding="gzip"),
            handler.wfile.write(gzip.compress(bytes(1 << 22))),
        )[0],
        "compressed",
    ),
]


class TestAHostileServer:
    @pytest.mark.parametrize(("trick", "said"), TRICKS)
    def test_is_left_with_one_clear_message(self, trick: Callable[[Hostile], None], said: str):
        """In bounded time and memory, and never as a mismatch: what cannot be had is not checked."""
        started = time.monotonic()
        with (
            serving(partial(Hostile, trick=trick)) as address,
            WebSite(address, QUICK) as web,
            pytest.raises(SiteError) as error,
        ):
            web.get("log/checkpoint")
        assert said in str(error.value)
        assert time.monotonic() - started < 15

    def test_the_command_says_so_without_a_traceback(self):
        """Exit 1, one message."""
        with serving(partial(Hostile, trick=lambda handler: head(handler, 403))) as address:
            result = CliRunner().invoke(app, ["verify", address])
        assert result.exit_code == 1
        assert "Traceback" not in result.output
        assert "403" in result.output

    @pytest.mark.parametrize(
        "note",
        [
            b"",
            b"<!doctype html><title>a page for every path</title>",
            KEY.sign(Checkpoint("kept.example/log", 10**17, bytes(32)).text()),
            KEY.sign(Checkpoint("kept.example/log", 3, bytes(32)).text()),
            b"\xff" * 300,
        ],
    )
    def test_any_answer_for_every_path_is_a_finding_or_a_message(self, note: bytes):
        """No traceback, no endless asking."""

        def trick(handler: Hostile) -> None:
            head(handler, 200, Content_Length=len(note))
            handler.wfile.write(note)

        with serving(partial(Hostile, trick=trick)) as address:
            result = CliRunner().invoke(app, ["verify", address])
        assert result.exit_code in {1, 6}
        assert "Traceback" not in result.output

    def test_leaves_lead_nowhere_but_into_the_site(self, site: Path, address: str):
        """A path that a signed leaf names may climb, and is not followed."""
        forged = leaf_bytes(GradeLeaf(path="../../../../etc/", record_sha256="0" * 64, page_sha256="0" * 64))
        tree = WholeLog([leaf_bytes(KeyLeaf(vkey=KEY.vkey)), forged])
        for name in tree.files(2):
            target = site / "log" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(tree.file(TileAddress.parse(name)) or b"")
        text = Checkpoint("kept.example/log", 2, tree.root(2)).text()
        (site / "log/checkpoint").write_bytes(KEY.sign(text))
        (site / "log/head").write_text(text)
        assert "a path within the site" in wheres(verified(address))

    def test_failures_in_a_row_end_the_asking(self):
        """Nobody waits for a hundred thousand time-outs."""
        with (
            serving(partial(Hostile, trick=lambda handler: head(handler, 403))) as address,
            WebSite(address, QUICK) as web,
            pytest.raises(SiteError, match="8 files in a row"),
        ):
            list(web.digests(f"page/{number}" for number in range(1000)))


class TestAddresses:
    @pytest.mark.parametrize(
        "text", ["ftp://a.example/", "https://", "https://u:p@a.example/", "https://a.example/?x=1", "http://[", "x"]
    )
    def test_what_is_no_address_of_a_site_is_refused(self, text: str):
        """With what to give instead."""
        with pytest.raises(UsageError, match="expected an address"):
            site_address(text)

    @pytest.mark.parametrize("text", ["https://a.example/b", "https://a.example/b/", "https://a.example/b/index.html"])
    def test_a_folder_a_page_and_a_bare_name_are_one(self, text: str):
        """With its closing slash."""
        assert site_address(text) == "https://a.example/b/"
