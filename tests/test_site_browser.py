"""Every kind of page in a real Chromium: it fits, is quiet, asks nobody, prints, and obeys the keyboard alone."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import browsing
import pytest
import site_material as made
from browsing import EACH_ONCE, OVERFLOWING, THE_REST, Watched
from playwright.sync_api import Browser

from generator.site.frame import CSP

pytestmark = pytest.mark.browser

KINDS = browsing.kinds(made.sites())
GROUNDS = {"light": "rgb(253, 252, 249)", "dark": "rgb(22, 23, 25)", "print": "rgb(255, 255, 255)"}
ARTEFACTS = os.environ.get("BITDEPTH_ARTEFACTS")
"""A folder for pictures of every kind of page; none is kept without it."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder with the three sites."""
    folder = tmp_path_factory.mktemp("sites")
    for name, files in made.sites().items():
        browsing.write(folder / name, files)
    return folder


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Yield the address that the folder is served at."""
    with browsing.serving(site) as found:
        yield found


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Return a running browser."""
    with browsing.chromium() as browser:
        yield browser


@pytest.fixture
def watched(chromium: Browser) -> Iterator[Watched]:
    """Return a page that is listened to."""
    context = chromium.new_context()
    yield Watched(context.new_page())
    context.close()


def looked_at(watched: Watched, address: str, sizes: tuple[tuple[int, str], ...]) -> list[str]:
    """Return what is wrong with any kind of page at any of these sizes; pictures are kept where they are asked for."""
    wrong = []
    for path in KINDS:
        watched.open(address + path)
        watched.page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        for width, media in sizes:
            browsing.see(watched.page, width, media)
            found = watched.page.evaluate(OVERFLOWING)
            ground = watched.page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
            if ground != GROUNDS[media]:
                found.append(f"ground {ground}")
            wrong += [f"{path} at {width}, {media}: {each}" for each in found]
            if ARTEFACTS:
                name = re.sub(r"[^a-z0-9.]+", "-", path.removesuffix(".html").removesuffix("/index"))
                watched.page.screenshot(path=f"{ARTEFACTS}/{name}-{width}-{media}.png", full_page=True)
        elsewhere = [url for url in watched.asked if not url.startswith((address, "data:"))]
        wrong += [f"{path}: {each}" for each in (*watched.said, *elsewhere)]
    return wrong


class TestEveryKindOfPage:
    """'No horizontal scroll, no console error, no external request'; 'readable at 320 px, in dark mode, in print'."""

    def test_fits_and_is_quiet(self, watched: Watched, address: str):
        """At each width and in each medium once, nothing sticks out, is said to the console, or asks anybody else."""
        assert looked_at(watched, address, EACH_ONCE) == []

    @pytest.mark.ci
    def test_fits_at_every_other_size(self, watched: Watched, address: str):
        """The same at every other pairing of width and medium."""
        assert looked_at(watched, address, THE_REST) == []

    @pytest.mark.ci
    def test_opens_from_disk(self, watched: Watched, site: Path):
        """A page that was saved with its site opens without a server, and asks for nothing but itself."""
        for path in KINDS:
            file = (site / path).as_uri()
            watched.open(file)
            asked = [url for url in watched.asked if not url.startswith("data:")]
            scripts = made.sites()[path.partition("/")[0]][path.partition("/")[2]].count(b"<script src")
            assert (asked[0], len(asked)) == (file, 1 + scripts), path
            assert [line for line in watched.said if "policy" in line.lower()] == [], path

    def test_a_badge_is_a_picture_that_opens(self, watched: Watched, address: str):
        """Opened by itself each badge is quiet, and asks for nothing."""
        for path in [path for path in made.sites()["live"] if path.endswith(".svg")]:
            watched.open(f"{address}live/{path}")
            # A browser looks for the host's icon of its own accord where a document can name none.
            asked = [url for url in watched.asked if not url.endswith("/favicon.ico")]
            assert asked == [f"{address}live/{path}"]
            assert all("404" in line for line in watched.said), watched.said


TWICE = "document.documentElement.style.fontSize = '200%'"
"""What a browser does that enlarges text and nothing else."""


class TestLargeText:
    """WCAG 1.4.4: at 200 % text nothing is cut off or sticks out, on a phone of 390 px."""

    @pytest.mark.ci
    def test_fits_a_phone_with_text_of_twice_the_size(self, watched: Watched, address: str):
        """One page of each kind, with its text enlarged and the width as it was."""
        browsing.see(watched.page, 390, "light")
        assert enlarged(watched, address, browsing.one_of_each(KINDS), TWICE) == []

    @pytest.mark.ci
    def test_fits_where_the_reader_set_the_size(self, watched: Watched, address: str):
        """Every kind of page in a browser whose own text is of twice the size, which widths of the style follow."""
        session = watched.page.context.new_cdp_session(watched.page)
        session.send("Page.setFontSizes", {"fontSizes": {"standard": 32, "fixed": 26}})
        browsing.see(watched.page, 390, "light")
        assert enlarged(watched, address, KINDS, "0") == []


def enlarged(watched: Watched, address: str, paths: Sequence[str], how: str) -> list[str]:
    """Return what sticks out of pages whose text is of twice the size."""
    wrong = []
    for path in paths:
        watched.open(address + path)
        watched.page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        watched.page.evaluate(how)
        assert watched.page.evaluate("getComputedStyle(document.documentElement).fontSize") == "32px"
        wrong += [f"{path}: {each}" for each in watched.page.evaluate(OVERFLOWING)]
    return wrong


class TestPaper:
    def test_what_is_folded_on_the_screen_is_open_on_paper(self, watched: Watched, address: str):
        """Every table behind a summary is hidden on the screen until it is opened, and stands in print."""
        watched.open(f"{address}live/calibration/index.html")
        tables = "[...document.querySelectorAll('details table')]"
        seen = f"{tables}.map(each => each.checkVisibility({{contentVisibilityAuto: true}}))"
        assert set(watched.page.evaluate(seen)) == {False}
        watched.page.emulate_media(media="print")
        # What a fold hides is laid out with the next frame, not with the change of medium.
        watched.page.evaluate("() => new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        assert set(watched.page.evaluate(seen)) == {True}


class TestPolicy:
    """'Strict CSP with no script'."""

    def test_only_the_search_page_may_run_any(self):
        """Every page but the search page carries the one policy, which lets no script run."""
        for name, files in made.sites().items():
            for path, body in files.items():
                if path.endswith(".html"):
                    found = made.parsed(body).find(".//meta[@http-equiv='Content-Security-Policy']")
                    assert found is not None
                    assert (found.get("content") == CSP) != path.startswith("search/"), f"{name}/{path}"
        assert "script" not in CSP
        assert CSP.startswith("default-src 'none'")

    def test_what_it_forbids_does_not_happen(self, chromium: Browser, address: str):
        """A script, a handler and a picture of somebody else's, put into a page, neither run nor are asked for."""
        context = chromium.new_context()
        watched = Watched(context.new_page())
        harm = (
            b"<script>window.__ran=1</script><img src='https://outside.invalid/x.png' onerror='window.__ran=2'>"
            b"<svg onload='window.__ran=3'></svg><iframe src='javascript:parent.__ran=4'></iframe>"
        )
        body = made.sites()["live"]["about/index.html"].replace(b"</main>", harm + b"</main>")
        watched.page.route("**/about/index.html", lambda route: route.fulfill(body=body, content_type="text/html"))
        watched.open(f"{address}live/about/index.html")
        assert watched.page.evaluate("window.__ran") is None
        assert len([line for line in watched.said if "Content Security Policy" in line]) >= 4
        context.close()


REACHABLE = """() => {
  document.querySelectorAll('details').forEach(each => each.open = true);
  const seen = [...document.querySelectorAll('a[href], summary, input, button, select, textarea, [tabindex]')]
    .filter(each => each.checkVisibility() && each.tabIndex >= 0);
  window.__reached = [];
  document.addEventListener('focusin', event => {
    const style = getComputedStyle(event.target), box = event.target.getBoundingClientRect();
    const shown = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 && box.width > 0
      && box.left >= 0 && box.top >= 0 && box.top < innerHeight;
    window.__reached.push([seen.indexOf(event.target), shown]);
  });
  return seen.length;
}"""
"""Number what can be reached with the tab key, in the order it stands in; note what is reached, and if that is seen."""
MOST_STOPS = 30
"""Stops that `make test` follows on a page."""


def reached(watched: Watched, address: str, width: int, pages: Sequence[str], most: int | None = None) -> None:
    """Hold pages against the promise that the tab key reaches everything in order, and is seen there."""
    for path in pages:
        watched.open(address + path)
        watched.page.set_viewport_size({"width": width, "height": 800})
        there = watched.page.evaluate(REACHABLE)
        stops = there if most is None else min(there, most)
        for _ in range(stops):
            watched.page.keyboard.press("Tab")
        assert watched.page.evaluate("window.__reached") == [[place, True] for place in range(stops)], path
        assert stops > 5, path


class TestKeyboard:
    """'Keyboard reachable': WCAG 2.1.1, 2.4.3, 2.4.7."""

    @pytest.mark.ci
    def test_reaches_the_first_stops_in_order(self, watched: Watched, address: str):
        """The tab key goes through a page in the order it is read, and where it stands can be seen."""
        reached(watched, address, 1280, browsing.one_of_each(KINDS), MOST_STOPS)

    @pytest.mark.ci
    @pytest.mark.parametrize("width", browsing.WIDTHS)
    def test_reaches_everything_in_order(self, watched: Watched, address: str, width: int):
        """The same to the end of each page, at every width."""
        reached(watched, address, width, KINDS)

    @pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.ci) for part in range(1, 4))])
    def test_skips_to_the_content(self, watched: Watched, address: str, part: int):
        """The first stop leads past the header on every kind of page: what comes next stands in the content."""
        for path in KINDS[part::4]:
            watched.open(address + path)
            page = watched.page
            page.keyboard.press("Tab")
            assert page.evaluate("document.activeElement.textContent") == "Skip to content", path
            page.keyboard.press("Enter")
            assert page.evaluate("location.hash") == "#content", path
            page.keyboard.press("Tab")
            inside = "document.querySelector('#content').contains(document.activeElement)"
            has_any = "document.querySelector('#content :is(a[href], summary, input)') !== null"
            assert page.evaluate(inside) == page.evaluate(has_any), path
