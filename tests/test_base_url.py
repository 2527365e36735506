"""Another base address: it reaches the pages that may change, and no page that was ever issued."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import kept_site
import pytest
from tiers import few

from generator.errors import ExitCode, RouterError
from generator.settings import BudgetSettings
from generator.site.build import is_permanent
from generator.workflows.grading import grade
from generator.workflows.nightly import nightly
from generator.workflows.rendering import render
from generator.workflows.verifying import verify
from generator.workflows.world import Root, World

CAP = BudgetSettings(max_usd="1")
OWN, OTHER = "https://kept.example/", "https://preview.example/of/this/"


def files(root: Root) -> dict[str, bytes]:
    """Return every file of the site by its path."""
    return {
        path.relative_to(root.site).as_posix(): path.read_bytes() for path in root.site.rglob("*") if path.is_file()
    }


def canonical(page: bytes) -> str:
    """Return the address that a page says it has."""
    found = re.search(rb'<link rel="canonical" href="([^"]+)">', page)
    assert found is not None
    return found[1].decode()


def run(root: Root, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command on a root."""
    command = [sys.executable, "-m", "generator", *arguments, "--root", str(root.path)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


class TestViews:
    """'A change of the base address affects views only: kept pages carry the address of their issue'."""

    def test_carry_it_and_permanent_pages_do_not(self, tmp_path: Path):
        """Views name the other address; every permanent page keeps its bytes and the address of its issue."""
        root = kept_site.make_root(tmp_path, 2)
        before = files(root)
        laid_out = render(root, progress=kept_site.Silent(), base_url=OTHER)
        after = files(root)
        permanent = [path for path in before if is_permanent(path)]
        assert len(permanent) == laid_out.permanent_kept > 5
        assert {path: after[path] for path in permanent} == {path: before[path] for path in permanent}
        grade = "grades/aster/sphinx-8b/kiln/2026-03-02"
        assert canonical(after[f"{grade}/v0.1/index.html"]) == f"{OWN}{grade}/v0.1/"
        for folder in ("", "models/aster/sphinx-8b/", f"{grade}/", "nights/", "search/", "glossary/"):
            assert canonical(before[f"{folder}index.html"]) == f"{OWN}{folder}"
            assert canonical(after[f"{folder}index.html"]) == f"{OTHER}{folder}"
        assert b'href="/of/this/index.html"' in after["404.html"]
        ids = [re.findall("<id>(.*)</id>", each["feed.xml"].decode()) for each in (before, after)]
        assert ids[0] == ids[1] != []
        assert before["feed.xml"] != after["feed.xml"]

    def test_are_verified_for_the_address_that_they_were_laid_out_for(self, tmp_path: Path):
        """Verified for the same address nothing is found; for another, each view that names it is."""
        root = kept_site.make_root(tmp_path, 1)
        render(root, progress=kept_site.Silent(), base_url=OTHER)
        assert verify(root, progress=kept_site.Silent(), base_url=OTHER).findings == ()
        wrong = {finding.where for finding in verify(root, progress=kept_site.Silent()).findings}
        assert "site/index.html" in wrong
        assert not [where for where in wrong if "/v0.1/" in where]


class TestAnAddressThatChanges:
    """'A changed base address leaves kept pages as they are; the guide says what to redirect'."""

    def test_leaves_kept_pages_as_they_are(self, tmp_path: Path):
        """No kept byte changes, in the archive or in the site; views and later pages name the new address."""
        root = kept_site.make_root(tmp_path, 3)
        kept = {name: root.store.folder.read(name) for name in root.store.folder.names()}
        before = files(root)
        toml = root.path / "content" / "site.toml"
        toml.write_text(toml.read_text().replace(OWN, OTHER))
        night = kept_site.FIRST + timedelta(days=3)
        kept_site.add_night(root, night)
        grade(root, today=night, progress=kept_site.Silent())
        render(root, progress=kept_site.Silent())
        assert {name: root.store.folder.read(name) for name in kept} == kept
        after = files(root)
        permanent = {path: data for path, data in before.items() if is_permanent(path)}
        assert len(permanent) > 5
        assert {path: after[path] for path in permanent} == permanent
        folder = "grades/aster/sphinx-8b/kiln"
        assert canonical(after[f"{folder}/2026-03-03/v0.1/index.html"]).startswith(OWN)
        assert canonical(after[f"{folder}/2026-03-04/v0.1/index.html"]) == f"{OTHER}{folder}/2026-03-04/v0.1/"
        assert canonical(after["index.html"]) == OTHER
        assert verify(root, progress=kept_site.Silent()).findings == ()
        guide = after["persistence/index.html"].decode()
        redirected = guide.partition('id="address"')[2].partition("<h2")[0]
        assert all(f"<code>/{folder}/</code>" in redirected for folder in ("grades", "method", "data", "log"))


class TestNightly:
    """The night's own command lays out for it, and issues at the site's own address."""

    async def night(self, root: Root) -> None:
        """Run a night whose router cannot be had."""

        def nobody(*_: object) -> None:
            raise RouterError("no router here")

        world = World(
            now=lambda: datetime(2026, 3, 20, 3, tzinfo=UTC), monotonic=lambda: 0.0, sleep=None, entropy=bytes
        )
        done = await nightly(root, world, nobody, progress=kept_site.Silent(), budget=CAP, base_url=OTHER)
        assert isinstance(done.failure, RouterError)
        assert done.graded.grades > 0
        assert done.report.findings == ()

    def test_issues_at_the_sites_own_address(self, tmp_path: Path):
        """A grade that is issued under another base address names the one of site.toml."""
        root = kept_site.make_root(tmp_path, 3, graded=False, rendered=False)
        asyncio.run(self.night(root))
        laid = files(root)
        assert canonical(laid["index.html"]) == OTHER
        issued = [path for path in laid if path.endswith("v0.1/index.html")]
        assert len(issued) == 3 * 3
        assert all(canonical(laid[path]).startswith(f"{OWN}grades/") for path in issued)


class TestOption:
    """'--base-url'."""

    def test_on_the_command_line(self, tmp_path: Path):
        """Its closing slash may be left out; `render` lays out for it, and `verify` for it finds nothing."""
        root = kept_site.make_root(tmp_path, 2, rendered=False)
        assert run(root, "render", "--base-url", OTHER.removesuffix("/")).returncode == ExitCode.DONE
        assert canonical((root.site / "index.html").read_bytes()) == OTHER
        assert run(root, "verify", "--base-url", OTHER).returncode == ExitCode.DONE
        assert run(root, "verify").returncode == ExitCode.INTEGRITY

    @pytest.mark.parametrize(
        "text", few(["preview.example", "", "ftp://a.example/", "https://a.example/?q=1", "https://A.x/"], 2)
    )
    def test_what_is_no_address(self, tmp_path: Path, text: str):
        """One message that shows what was given, and the exit code of a usage error."""
        root = kept_site.make_root(tmp_path, 0, rendered=False)
        done = run(root, "render", "--base-url", text)
        assert (done.returncode, done.stdout) == (ExitCode.USAGE, "")
        assert f"found '{text}' in --base-url" in done.stderr
        assert not root.site.exists()
