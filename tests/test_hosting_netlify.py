"""netlify.toml: it builds and publishes, and what it says in comments works when the marks are taken off."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import host_rules
import logged_site
import pytest

from generator.site.beside import Beside

FILE = Path(__file__).parent.parent / "netlify.toml"
STORE = "https://store.example/"


def uncommented() -> dict[str, list[dict[str, object]]]:
    """Return the redirects that stand in comments."""
    lines = FILE.read_text().splitlines()
    first = lines.index("# [[redirects]]")
    return tomllib.loads("\n".join(line.removeprefix("#").removeprefix(" ") for line in lines[first:]))


def test_builds_what_is_verified():
    """Nothing is deployed that does not verify, and the folder that is published is the one that is rendered."""
    build = tomllib.loads(FILE.read_text())["build"]
    assert build["publish"] == "site"
    assert build["command"].endswith(" && bitdepth render && bitdepth verify")
    assert "ignore" not in build


def test_says_how_to_deploy_by_token_instead():
    """The line that stops building by commit is one mark away."""
    text = FILE.read_text()
    assert text.count('\n# ignore = "exit 0"\n') == 1
    marked = tomllib.loads(text.replace('# ignore = "exit 0"', 'ignore = "exit 0"'))
    assert marked["build"]["ignore"] == "exit 0"
    assert subprocess.run(["bash", "-c", marked["build"]["ignore"]], check=False).returncode == 0


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the site of a signed log."""
    return logged_site.make_logged(tmp_path_factory.mktemp("netlify") / "root").site


def test_permanent_files_in_a_store_are_found_there(site: Path, tmp_path: Path):
    """After the command in the comment Netlify has views and method pages; the rest is at its own path in the store."""
    folder = tmp_path / "site"
    shutil.copytree(site, folder)
    (command,) = re.findall(r"^#\s+&& (rm -rf .*)$", FILE.read_text(), re.MULTILINE)
    subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True)
    before, after = (
        {each.relative_to(of).as_posix() for each in of.rglob("*") if each.is_file()} for of in (site, folder)
    )
    views = Beside(site).views()
    assert views <= after
    assert {path for path in after - views if not path.startswith("method/")} == set()
    lines = [(str(each["from"]), str(each["to"]), int(str(each["status"]))) for each in uncommented()["redirects"]]
    gone = sorted(before - after)
    assert {path.split("/")[0] for path in gone} == {"grades", "data", "log"}
    for path in gone:
        address = f"/{path.removesuffix('index.html')}"
        assert host_rules.redirected("netlify", lines, address) == (STORE + path, 200)
