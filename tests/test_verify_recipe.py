"""The way to check a grade without our program, as /verify/ prints it, run as it stands."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
from pathlib import Path

import logged_site
import pytest
import sound_worlds
from logged_site import PAGE, hosting

from generator.log.note import SigningKey
from generator.workflows.rendering import render
from generator.workflows.world import Root

GOOD = "in the log kept.example/log of 34 leaves: True"
SIGNED = "Signature Verified Successfully"

pytestmark = pytest.mark.skipif(
    shutil.which("openssl") is None or shutil.which("curl") is None, reason="curl or openssl is not here"
)

sound, site, address = sound_worlds.published, sound_worlds.site, sound_worlds.address


def printed(site: Path) -> str:
    """Return the commands of one section of the page, as a reader copies them."""
    page = (site / "verify/index.html").read_text()
    section = page[page.index('id="log"') :]
    section = section[: section.index("<h2", 1)]
    blocks = re.findall(r"<pre[^>]*><code([^>]*)>(.*?)</code></pre>", section, re.DOTALL)
    return "\n".join(html.unescape(body) for attributes, body in blocks if "language-text" not in attributes)


def run(site: Path, page: str, where: Path) -> subprocess.CompletedProcess[str]:
    """Run the commands for a page, in a folder of their own."""
    where.mkdir()
    commands, changed = re.subn(r"(?m)^page=.*$", f"page={page}", printed(site))
    assert changed == 1
    return subprocess.run(["bash", "-c", commands], cwd=where, capture_output=True, text=True, timeout=60, check=False)


def test_the_commands_as_printed_bear_out_a_grade(site: Path, address: str, tmp_path: Path):
    """Page and record lead to the root, and the root is signed."""
    done = run(site, address + PAGE.removesuffix("/"), tmp_path / "here")
    assert done.stderr == ""
    assert done.returncode == 0
    assert GOOD in done.stdout
    assert SIGNED in done.stdout
    assert logged_site.KEY.vkey in done.stdout
    assert (tmp_path / "here/checkpoint").read_bytes() == (site / "log/checkpoint").read_bytes()


@pytest.mark.ci
def test_every_grade_of_every_window_passes(site: Path, address: str, tmp_path: Path):
    """Whatever its index, and whether its tree is the older or the newer one."""
    for number, proof in enumerate(sorted(site.rglob("grade.tlog-proof"))[::5]):
        page = proof.parent.relative_to(site).as_posix()
        done = run(site, address + page, tmp_path / f"here-{number}")
        assert "leaves: True" in done.stdout, page
        assert SIGNED in done.stdout, page


@pytest.mark.parametrize("name", ["index.html", "grade.json"])
def test_a_changed_page_or_record_does_not_pass(site: Path, address: str, name: str, tmp_path: Path):
    """One byte is enough."""
    path = site / PAGE / name
    path.write_bytes(path.read_bytes()[:-1] + b" ")
    assert "leaves: False" in run(site, address + PAGE.removesuffix("/"), tmp_path / "here").stdout


def test_another_grades_proof_does_not_pass(site: Path, address: str, tmp_path: Path):
    """It is as well signed."""
    shutil.copyfile(site / PAGE.replace("mill", "kiln") / "grade.tlog-proof", site / PAGE / "grade.tlog-proof")
    assert "leaves: False" in run(site, address + PAGE.removesuffix("/"), tmp_path / "here").stdout


def test_a_checkpoint_that_nobody_signed_does_not_pass(site: Path, address: str, tmp_path: Path):
    """The root may be any; the signature is not."""
    path = site / PAGE / "grade.tlog-proof"
    path.write_bytes(path.read_bytes().replace(b"\n34\n", b"\n35\n"))
    assert SIGNED not in run(site, address + PAGE.removesuffix("/"), tmp_path / "here").stdout


@pytest.mark.ci
def test_a_grade_of_the_demo_passes(demo: Path, tmp_path: Path):
    """The site that `bitdepth demo` builds, its log signed."""
    shutil.copytree(demo, tmp_path / "demo")
    root = Root(tmp_path / "demo")
    origin = root.content.settings().address.partition("://")[2] + "log"
    logged_site.keep(root, key=SigningKey(origin, bytes(range(32))))
    render(root, progress=logged_site.SILENT)
    site = logged_site.published(root, tmp_path / "site")
    page = min(site.rglob("grade.tlog-proof")).parent.relative_to(site).as_posix()
    with hosting(site) as address:
        done = run(site, address + page, tmp_path / "here")
    assert "leaves: True" in done.stdout, done.stderr
    assert SIGNED in done.stdout
