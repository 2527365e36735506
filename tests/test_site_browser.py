"""Every kind of page in a real Chromium: no sideways scrolling, no error, no request to anybody."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import site_material as made
from playwright.sync_api import Browser, sync_playwright

from generator.records import permalink

pytestmark = pytest.mark.browser

TREES, HOSTILE = made.TREES, made.HOSTILE_MODEL


def grade(model: str, endpoint: str) -> str:
    """Return the path of an endpoint's last permanent page in the live site."""
    return f"live/{permalink.permalink_path(model, endpoint, made.NIGHTS[-1], '0.1')}index.html"


KINDS = (
    *("live/index.html", "empty/index.html", "live/404.html", "live/method/index.html", "live/method/0.1/index.html"),
    *("live/about/index.html", "live/verify/index.html", "live/persistence/index.html", "demo/demo/index.html"),
    *("live/calibration/index.html", "empty/calibration/index.html", "live/method/differences/index.html"),
    *("live/nights/2026-11-27/index.html", "live/nights/2026-11-23/index.html"),
    *(f"live/{permalink.model_path(model)}index.html" for model in (TREES, HOSTILE)),
    *(f"live/{permalink.endpoint_path(TREES, name)}index.html" for name in ("alder", "fir")),
    *(f"live/{permalink.endpoint_path(HOSTILE, f'hostile-{index}')}index.html" for index in (1, 4)),
    f"live/{permalink.grade_index_path(TREES, 'alder', made.NIGHTS[-1])}index.html",
    *(grade(TREES, name) for name in ("alder", "cedar", "dogwood", "elm")),
    *(grade(HOSTILE, f"hostile-{index}") for index in (2, 4, 6)),
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder with the three sites."""
    folder = tmp_path_factory.mktemp("sites")
    for name, files in made.sites().items():
        for path, body in files.items():
            target = folder / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(body)
    return folder


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Return a running browser; without one the tests are skipped, or fail where one is required."""
    executable = shutil.which("chromium")
    if executable is None:
        if os.environ.get("BITDEPTH_BROWSER_REQUIRED") == "1":
            pytest.fail("expected chromium on the path, found none (BITDEPTH_BROWSER_REQUIRED=1)")
        pytest.skip("no chromium on the path: pages are not tried in a browser")
    with sync_playwright() as running:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = running.chromium.launch(executable_path=executable, args=flags)
        yield browser
        browser.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 768, 1280])
class TestEveryKindOfPage:
    """'readable at 320 px, in dark mode'; 'CSS inline, no script, no third-party request'."""

    def test_opens_quietly_and_fits(self, chromium: Browser, site: Path, width: int, scheme: str):
        """No page scrolls sideways, prints an error to the console, or asks for anything but itself."""
        context = chromium.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        page = context.new_page()
        said, asked = [], []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        for path in KINDS:
            asked.clear()
            address = (site / path).as_uri()
            page.goto(address)
            page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
            wide = page.evaluate(OVERFLOWING)
            assert wide == [], f"{path} at {width}"
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
            assert [url for url in asked if not url.startswith("data:")] == [address]
            ground = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
            assert ground == {"light": "rgb(253, 252, 249)", "dark": "rgb(22, 23, 25)"}[scheme]
        assert said == []
        context.close()


OVERFLOWING = """() => [...document.body.querySelectorAll('*')]
  .filter(e => e.getBoundingClientRect().right > document.documentElement.clientWidth + 1
               && !e.closest('.hide, .skip, thead'))
  .map(e => e.tagName + '.' + e.className + ' ' + e.textContent.slice(0, 40)).slice(0, 3)"""
"""Elements that stick out of the page on the right."""


def test_keyboard_reaches_the_content_first(chromium: Browser, site: Path):
    """The first stop of the tab key leads past the site's header."""
    page = chromium.new_page()
    page.goto((site / KINDS[0]).as_uri())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#content"
    page.close()


def test_prints_on_paper(chromium: Browser, site: Path):
    """In print the ground is white and nothing sticks out."""
    page = chromium.new_page(viewport={"width": 700, "height": 990})
    page.emulate_media(media="print", color_scheme="dark")
    for path in KINDS:
        page.goto((site / path).as_uri())
        assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
        assert page.evaluate("document.documentElement.scrollWidth") <= 700
    page.close()
