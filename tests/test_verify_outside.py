"""What anybody outside finds wrong with a site beside its pages: proofs, lists, badges, feeds, links, strays."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import logged_site
import msgspec
import pytest
from logged_site import KEY, OTHER_KEY, PAGE, SILENT, hosting, wheres
from typer.testing import CliRunner

from generator.cli import app
from generator.log.checkpoint import Checkpoint
from generator.log.proof import decode_proof, encode_proof
from generator.records.canonical import canonical_json, sealed, sha256
from generator.records.finding import VerificationReport
from generator.records.manifest import GradesManifest
from generator.workflows.fetching import WebSite
from generator.workflows.kept_log import NO_TRUST, Trust
from generator.workflows.published import SavedSite
from generator.workflows.verifying_site import verify_site

OURS = Trust(key=KEY.verifier)
KILN, MILL = PAGE.replace("mill", "kiln"), PAGE
NEWEST = PAGE.replace("-08", "-10")
BADGE = "badges/aster/sphinx-8b/mill"
MODEL = "models/aster/sphinx-8b"
GRADES = "grades/0.1/2026-03-08"
Bytes = dict[str, bytes]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a published site whose log is signed twice; whoever damages it mends it."""
    base = tmp_path_factory.mktemp("sound")
    return logged_site.published(logged_site.make_logged(base / "root"), base / "site")


def files(site: Path) -> Bytes:
    """Return every file of a site."""
    return {path.relative_to(site).as_posix(): path.read_bytes() for path in site.rglob("*") if path.is_file()}


def put(site: Path, before: Bytes, after: Bytes) -> None:
    """Write what differs, and nothing else."""
    for name in before.keys() | after.keys():
        if after.get(name) != before.get(name):
            target = site / name
            if name in after:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(after[name])
            else:
                target.unlink()


@pytest.fixture
def damaged(sound: Path) -> Iterator[Callable[[Callable[[Bytes], None]], Path]]:
    """Yield what damages the site; it is mended afterwards."""
    before = files(sound)
    after = dict(before)

    def damage(change: Callable[[Bytes], None]) -> Path:
        change(after)
        assert after != before, "nothing was changed"
        put(sound, before, after)
        return sound

    yield damage
    put(sound, after, before)


def saved(site: Path, trust: Trust = OURS) -> VerificationReport:
    """Return what verification says of a saved copy."""
    return verify_site(SavedSite(site), trust, progress=SILENT)


def served(site: Path, trust: Trust = OURS, sample: int | None = None) -> VerificationReport:
    """Return what verification says of a site that is served."""
    with hosting(site) as address, WebSite(address) as web:
        return verify_site(web, trust, progress=SILENT, sample=sample, entropy=os.urandom)


def test_a_sound_site_is_looked_at_from_all_sides(sound: Path):
    """As a copy and over HTTP, whole and by sample; the report says what nobody outside can tell."""
    for report in (saved(sound), served(sound), served(sound, sample=2)):
        assert wheres(report) == ""
        assert report.complete
        assert "cannot be told from outside" in report.notes[-1]
    report = saved(sound)
    assert report.checked["proofs"] == 27
    assert report.checked["badges"] == 3
    assert report.checked["downloads of grades and pages"] == 2 * 2 * 9 + 2
    assert report.checked["listed downloads"] == 9 * 5 + 2 * 2 * 9 + 2 + 2


def test_the_way_to_check_a_grade_names_the_site_itself(sound: Path):
    """Every command of the page that names the site does so by the address that it has."""
    page = (sound / "verify/index.html").read_text()
    assert page.count("https://kept.example/") > 2
    assert "bitdepth verify https://kept.example/ --key VKEY" in page
    assert "bitdepth.example" not in page
    assert "{address}" not in page


def swapped(first: str, second: str) -> Callable[[Bytes], None]:
    """Return what lets two files change places."""

    def change(there: Bytes) -> None:
        there[first], there[second] = there[second], there[first]

    return change


def replaced(name: str, old: str, new: str) -> Callable[[Bytes], None]:
    """Return what puts one text in the place of another, once."""

    def change(there: Bytes) -> None:
        assert old.encode() in there[name], f"{name} has no {old}"
        there[name] = there[name].replace(old.encode(), new.encode(), 1)

    return change


def gone(name: str) -> Callable[[Bytes], None]:
    """Return what takes a file away."""
    return lambda there: there.__delitem__(name)


def added(name: str, like: str) -> Callable[[Bytes], None]:
    """Return what puts a copy of a file at another path."""
    return lambda there: there.__setitem__(name, there[like])


def cut(name: str) -> Callable[[Bytes], None]:
    """Return what cuts a file in half."""
    return lambda there: there.__setitem__(name, there[name][: len(there[name]) // 2])


def re_listed(change: Callable[[list[dict[str, object]]], object]) -> Callable[[Bytes], None]:
    """Return what changes the files that data/files.json lists."""

    def listing(there: Bytes) -> None:
        listed = json.loads(there["data/files.json"])
        change(listed["files"])
        there["data/files.json"] = json.dumps(listed).encode()

    return listing


def other_manifest(there: Bytes) -> None:
    """Let a manifest say that grades were made of another night, and every list bear that out."""
    name = f"data/{GRADES}.json"
    manifest = json.loads(there[name])
    night = min(manifest["nights"])
    old, manifest["nights"][night] = sha256(there[name]), "f" * 64
    there[name] = canonical_json(sealed(msgspec.convert(manifest, GradesManifest)))
    for each in ("data/files.json", "data/SHA256SUMS", "data/croissant.json"):
        there[each] = there[each].replace(old.encode(), sha256(there[name]).encode())


def other_download(there: Bytes) -> None:
    """Put other bytes in the place of a window's grades, and let every list bear them out; the manifest does not."""
    name = f"data/{GRADES}.parquet"
    old = sha256(there[name])
    there[name] = there[name][:-1] + b"x"
    for each in ("data/files.json", "data/SHA256SUMS", "data/croissant.json"):
        there[each] = there[each].replace(old.encode(), sha256(there[name]).encode())


def re_signed(there: Bytes) -> None:
    """Set the log back to its first checkpoint, head and all; the newest stays among the signed ones."""
    there["log/checkpoint"] = there["log/signed/34"]
    there["log/head"] = there["log/signed/34"].partition(b"\n\n")[0] + b"\n"


def forked(there: Bytes) -> None:
    """Let a proof lead to a tree that the log never had, signed with its key."""
    proof = decode_proof(there[f"{MILL}grade.tlog-proof"])
    note = KEY.sign(Checkpoint("kept.example/log", 34, bytes(32)).text())
    there[f"{MILL}grade.tlog-proof"] = encode_proof(proof.index, proof.hashes, note)


def re_keyed(there: Bytes) -> None:
    """Let a proof be signed with a key that is no leaf, and the site name that key too."""
    proof = decode_proof(there[f"{MILL}grade.tlog-proof"])
    text = proof.note.decode().rpartition("\n\n")[0] + "\n"
    there[f"{MILL}grade.tlog-proof"] = encode_proof(proof.index, proof.hashes, OTHER_KEY.sign(text))
    there[f"log/keys/{OTHER_KEY.verifier.key_id}.vkey"] = f"{OTHER_KEY.vkey}\n".encode()


def claimed(there: Bytes) -> None:
    """Add a grade that the log does not hold: page, record and proof, and a link to it."""
    for name in ("index.html", "grade.json", "grade.tlog-proof"):
        there[NEWEST.replace("-10", "-11") + name] = there[NEWEST + name]


def letter_of(name: str, path: str) -> Callable[[Bytes], None]:
    """Return what changes the letter that a page shows beside a link to a permanent page."""

    def change(there: Bytes) -> None:
        text = there[name].decode()
        found = re.search(rf'href="[^"]*{re.escape(path)}index\.html"[^>]*><span class="mark [ABCDU]">([ABCDU])', text)
        assert found, f"{name} shows no letter of {path}"
        other = "A" if found[1] != "A" else "B"
        there[name] = (text[: found.start(1)] + other + text[found.end(1) :]).encode()

    return change


def drawn_letter(there: Bytes) -> None:
    """Draw another letter into a badge's picture, and leave its name as it is."""
    text = there[f"{BADGE}.svg"].decode()
    found = re.search(r'font-weight="bold">([ABCDU])</text>', text)
    assert found
    there[f"{BADGE}.svg"] = (text[: found.start(1)] + "A" * 2 + text[found.end(1) :]).encode()


def other_badge(there: Bytes) -> None:
    """Let both forms of a badge show another letter."""
    message = json.loads(there[f"{BADGE}.json"])["message"]
    other = ("A" if message[0] != "A" else "B") + message[1:]
    for name in (f"{BADGE}.json", f"{BADGE}.svg"):
        there[name] = there[name].replace(message.encode(), other.encode())


DAMAGES = [
    (gone(f"{MILL}grade.tlog-proof"), f"missing {MILL}grade.tlog-proof"),
    (swapped(f"{MILL}grade.tlog-proof", f"{KILN}grade.tlog-proof"), f"{MILL}grade.tlog-proof: leaf"),
    (replaced(f"{MILL}grade.tlog-proof", "index ", "index 1"), f"{MILL}grade.tlog-proof"),
    (forked, f"{MILL}grade.tlog-proof"),
    (re_keyed, f"{MILL}grade.tlog-proof: a signature by kept.example/log"),
    (swapped(f"{MILL}index.html", f"{KILN}index.html"), f"changed {MILL}index.html"),
    (gone("log/signed/34"), "missing log/signed/34"),
    (swapped("log/signed/34", "log/signed/39"), "changed log/signed/34"),
    (re_signed, "the checkpoint of 39 leaves, which lies there as log/signed/39"),
    (gone("log/head"), "missing log/head"),
    (replaced("log/head", "39", "38"), "log/head"),
    (replaced("log/head", "39", "999999"), "log/tile/entries/"),
    (replaced("log/head", "39", "99999999999999999"), ""),
    (replaced("log/head", "kept.example", "else.example"), "changed log/head"),
    (gone("log/checkpoint"), "missing log/checkpoint"),
    (gone("log/tile/entries/000.p/39"), "missing log/tile/entries/000.p/39"),
    (replaced(f"log/keys/{KEY.verifier.key_id}.vkey", "kept", "held"), "log/keys/"),
    (replaced("log/index.html", KEY.vkey.split("+")[2], OTHER_KEY.vkey.split("+")[2]), "unexpected log/index.html"),
    (gone("data/files.json"), "missing data/files.json"),
    (cut("data/files.json"), "data/files.json: a list of files"),
    (re_listed(lambda listed: listed.pop(0)), "missing data/files.json, grades/0.1/"),
    (re_listed(lambda listed: listed[60].update(sha256="f" * 64)), "changed data/files.json, nights/"),
    (re_listed(lambda listed: listed[0].update(sha256="f" * 64)), "data/grades/0.1/2026-03-01.json"),
    (re_listed(lambda listed: listed[0].update(bytes=1)), "data/files.json, grades/0.1/2026-03-01.json: bytes"),
    (re_listed(lambda listed: listed.append({**listed[-1], "path": "nights/2026-03-11/night.json"})), "unexpected"),
    (re_listed(lambda listed: listed[0].update(path="../../etc/passwd")), "unexpected data/files.json"),
    (replaced("data/SHA256SUMS", "FORMAT.md", "FORMAT.txt"), "data/SHA256SUMS, line"),
    (replaced("data/FORMAT.md", "a", "b"), "data/SHA256SUMS, line"),
    (gone("data/FORMAT.md"), "missing data/FORMAT.md"),
    (gone("data/croissant.json"), "missing data/croissant.json"),
    (replaced("data/croissant.json", '"sha256": "', '"sha256": "0'), "data/croissant.json, "),
    (gone(f"data/{GRADES}.parquet"), f"missing data/{GRADES}.parquet"),
    (swapped(f"data/{GRADES}.parquet", f"data/pages{GRADES[6:]}.parquet"), f"changed data/{GRADES}.parquet"),
    (other_manifest, f"data/{GRADES}.json, 2026-03-02: SHA-256"),
    (other_download, f"data/{GRADES}.json: SHA-256"),
    (gone(f"{BADGE}.json"), f"missing {BADGE}.json"),
    (replaced(f"{BADGE}.json", "message", "massage"), f"unreadable {BADGE}.json"),
    (replaced(f"{BADGE}.json", " 0.1 ", " zero "), f"different {BADGE}.json: a badge that names its method"),
    (replaced(f"{BADGE}.json", " 0.1 ", " 0.2 "), "badges/: one current method version"),
    (replaced(f"{BADGE}.json", "03-10", "03-08"), f"different {BADGE}.json"),
    (swapped(f"{BADGE}.json", BADGE.replace("mill", "kiln") + ".json"), f"{BADGE}."),
    (gone(f"{BADGE}.svg"), f"missing {BADGE}.svg"),
    (other_badge, f"different {BADGE}.json"),
    (drawn_letter, f"different {BADGE}.svg"),
    (gone("feed.xml"), "missing feed.xml"),
    (cut("feed.xml"), "changed feed.xml"),
    (gone("sitemap.xml"), "missing sitemap.xml"),
    (replaced("sitemaps/1.xml", f"{MILL}<", "about/<"), f"the address of {MILL}"),
    (replaced("sitemaps/1.xml", f"{MILL}<", f"{MILL.replace('-08', '-18')}<"), "unexpected sitemaps/1.xml"),
    (gone(f"{MODEL}/mill/index.html"), f"missing {MODEL}/mill/index.html"),
    (cut(f"{MODEL}/mill/index.html"), f"changed {MODEL}/mill/index.html"),
    (letter_of(f"{MODEL}/mill/index.html", MILL), f"{MODEL}/mill/index.html, {MILL}: the letter"),
    (swapped(f"{MODEL}/mill/index.html", f"{MODEL}/kiln/index.html"), f"missing {MODEL}/mill/index.html: a link to"),
    (replaced(f"{MODEL}/mill/index.html", "2026-03-08/v0.1/", "2026-03-18/v0.1/"), f"unexpected {MODEL}/mill/index"),
    (gone(f"{MILL[:-5]}index.html"), f"missing {MILL[:-5]}index.html"),
    (
        swapped(f"{MILL[:-5]}index.html", f"{KILN[:-5]}index.html"),
        f"changed {MILL[:-5]}index.html: the page whose address ends in /{MILL[:-5]}",
    ),
    (cut("index.html"), "changed index.html"),
    (gone("nights/2026-03-04/index.html"), "missing nights/2026-03-04/index.html"),
    (swapped("nights/2026-03-04/index.html", "nights/2026-03-05/index.html"), "different nights/2026-03-04/index.html"),
]


@pytest.mark.parametrize(("damage", "said"), DAMAGES, ids=range(len(DAMAGES)))
def test_each_change_of_a_copy_is_found_and_named(
    damaged: Callable[[Callable[[Bytes], None]], Path], damage: Callable[[Bytes], None], said: str
):
    """By its path in the copy, with what was expected."""
    site = damaged(damage)
    report = saved(site)
    assert said in wheres(report).replace(f"{site}/", "")
    assert report.findings or not report.complete


OVER_HTTP = [
    (swapped(f"{MILL}grade.tlog-proof", f"{KILN}grade.tlog-proof"), f"{MILL}grade.tlog-proof: leaf"),
    (re_signed, f"unexpected {MODEL}/mill/index.html"),
    (replaced("log/head", "39", "38"), "log/head"),
    (other_manifest, f"data/{GRADES}.json, 2026-03-02: SHA-256"),
    (other_badge, f"different {BADGE}.json"),
]


@pytest.mark.ci
@pytest.mark.parametrize(("damage", "said"), OVER_HTTP, ids=range(len(OVER_HTTP)))
def test_each_change_is_found_over_http_too(
    damaged: Callable[[Callable[[Bytes], None]], Path], damage: Callable[[Bytes], None], said: str
):
    """By its address."""
    site = damaged(damage)
    with hosting(site) as address, WebSite(address) as web:
        report = verify_site(web, OURS, progress=SILENT)
    assert said in wheres(report).replace(address, "")


STRAYS = [
    (claimed, f"unexpected {NEWEST.replace('-10', '-11')}grade.json"),
    (added(PAGE.replace("v0.1", "v9.9") + "index.html", f"{PAGE}index.html"), "v9.9/index.html"),
    (added("data/nights/2026-03-11/night.json", "data/nights/2026-03-08/night.json"), "unexpected data/nights/"),
    (added("log/keys/00000000.vkey", f"log/keys/{KEY.verifier.key_id}.vkey"), "unexpected log/keys/00000000.vkey"),
    (added("log/signed/12", "log/signed/34"), "changed log/signed/12: file log/signed/34"),
    (added("log/tile/0/000.p/40", "log/tile/0/000.p/39"), "log/tile/0/000.p/40: tiles of 39 leaves"),
    (added("log/tile/0/000.p/12", "log/tile/0/000.p/39"), "changed log/tile/0/000.p/12"),
    (added("log/tile/none", "log/tile/0/000.p/39"), "changed log/tile/none"),
    (added("fake.html", f"{MODEL}/mill/index.html"), ""),
]


@pytest.mark.parametrize(("damage", "said"), STRAYS, ids=range(len(STRAYS)))
def test_a_file_of_a_copy_that_the_log_does_not_speak_of_is_named(
    damaged: Callable[[Callable[[Bytes], None]], Path], damage: Callable[[Bytes], None], said: str
):
    """Where permanent files lie; another page is only held against what it links to."""
    site = damaged(damage)
    assert said in wheres(saved(site)).replace(f"{site}/", "")


def test_a_page_that_links_to_a_grade_of_nobodys_is_named(damaged: Callable[[Callable[[Bytes], None]], Path]):
    """Wherever it lies in a copy."""
    path = NEWEST.replace("-10", "-11")
    site = damaged(lambda there: there.update({"fake/index.html": f'<a href="../{path}">A</a></html>'.encode()}))
    assert f"unexpected {site}/fake/index.html" in wheres(saved(site))


def test_a_feed_that_shows_another_letter_is_named(tmp_path: Path):
    """In its title, and beside its link."""
    site = logged_site.published(logged_site.make_logged(tmp_path / "root", nights=8), tmp_path / "site")
    record = json.loads((site / MILL / "grade.json").read_text())
    short = " ".join(f"{column} {record[f'{column.lower()}_letter'] or '-'}" for column in "MTDR")
    said = f"{record['letter']} 0.1 · {short}"
    other = ("A" if record["letter"] != "A" else "B") + said[1:]
    feed = site / MODEL / "feed.xml"
    link = f'<link rel="alternate" href="https://kept.example/{MILL}" />'
    for title, shown, findings in ((said, said, 0), (other, said, 1), (said, other, 1)):
        content = html.escape(f'<a href="https://kept.example/{MILL}">{shown}</a>')
        entry = f"<entry><title>a: {title}</title>{link}<content>{content}</content></entry>"
        before = feed.read_bytes()
        feed.write_bytes(before.replace(b"</feed>", f"{entry}</feed>".encode()))
        assert len(saved(site).findings) == findings, wheres(saved(site))
        feed.write_bytes(before)


def test_an_unsigned_log_asks_for_no_proofs(tmp_path: Path):
    """Nobody can have signed anything: no key is a leaf."""
    site = logged_site.published(logged_site.make_logged(tmp_path / "root", nights=2, signed=False), tmp_path / "site")
    report = saved(site, NO_TRUST)
    assert wheres(report) == ""
    assert "proofs" not in report.checked
    assert any("unsigned" in note for note in report.notes)


def test_leaves_that_are_not_signed_yet_have_no_proofs(tmp_path: Path):
    """They are noted, and their pages are held against the log's head all the same."""
    root = logged_site.make_logged(tmp_path / "root", nights=2)
    logged_site.add_last(root, 4)
    logged_site.keep(root, signed=False)
    logged_site.render(root, progress=SILENT)
    site = logged_site.published(root, tmp_path / "site")
    for report in (saved(site), served(site)):
        assert wheres(report) == ""
        assert any("leaves of the log are not signed yet" in note for note in report.notes)
    newest = max(site.glob("grades/aster/sphinx-8b/mill/*/v0.1/index.html"))
    newest.write_bytes(b"another")
    assert str(newest) in wheres(saved(site))


def test_a_site_that_is_published_anew_meanwhile_is_no_mismatch(
    damaged: Callable[[Callable[[Bytes], None]], Path], monkeypatch: pytest.MonkeyPatch
):
    """What changes may be newer than the log that was read; what is permanent may not."""
    site = damaged(gone(f"{BADGE}.json"))
    before, real = (site / "log/head").read_bytes(), SavedSite.get
    asked: list[str] = []

    def get(self: SavedSite, path: str) -> bytes | None:
        asked.append(path)
        return before + b"0" if asked.count("log/head") > 1 and path == "log/head" else real(self, path)

    monkeypatch.setattr(SavedSite, "get", get)
    report = saved(site)
    assert wheres(report) == ""
    assert not report.complete
    assert any("verify it again" in note for note in report.notes)


def test_what_cannot_be_had_is_not_checked(sound: Path, monkeypatch: pytest.MonkeyPatch):
    """A file that the host keeps back is no mismatch, and never passes for looked at: exit 1."""
    held_back = {
        f"{MILL}grade.json",
        f"{MILL}grade.tlog-proof",
        f"{BADGE}.json",
        f"{BADGE.replace('mill', 'kiln')}.svg",
    }
    held_back |= {"feed.xml", "data/FORMAT.md", f"data/{GRADES}.json", "log/signed/34"}
    real = logged_site.Quiet.send_head

    def send_head(self: logged_site.Quiet) -> object:
        if self.path.lstrip("/") in held_back:
            self.send_error(403)
            return None
        return real(self)

    monkeypatch.setattr(logged_site.Quiet, "send_head", send_head)
    report = served(sound)
    assert wheres(report) == ""
    assert not report.complete
    for path in held_back:
        assert any(path in note for note in report.notes), path


def test_a_copy_made_by_following_links_is_told_what_it_lacks(sound: Path, tmp_path: Path):
    """No page links to the tiles."""
    shutil.copytree(sound, tmp_path / "copy")
    shutil.rmtree(tmp_path / "copy/log/tile")
    report = saved(tmp_path / "copy")
    assert len(report.findings) == 1
    assert any("made by following links" in note for note in report.notes)


def test_the_command_exits_6_on_a_swapped_proof(damaged: Callable[[Callable[[Bytes], None]], Path]):
    """As a cron job asks."""
    site = damaged(swapped(f"{MILL}grade.tlog-proof", f"{KILN}grade.tlog-proof"))
    result = CliRunner().invoke(app, ["verify", str(site), "--key", KEY.vkey])
    assert result.exit_code == 6
    assert f"{MILL}grade.tlog-proof" in result.stdout
