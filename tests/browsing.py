"""A laid-out site in a real Chromium, served as a host should serve it, and one page of each kind that it has."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from playwright.sync_api import Browser, Page, sync_playwright

from generator.site.preview import application

PREFIX = "/grades-of/"
"""Where the made sites begin on their host."""
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")
WIDTHS = (320, 768, 1280)
MEDIA = ("light", "dark", "print")
EACH_ONCE = ((320, "light"), (768, "print"), (1280, "dark"))
"""Every width and every medium once: what `make test` looks at; --ci looks at the rest too."""
THE_REST = tuple((width, media) for media in MEDIA for width in WIDTHS if (width, media) not in EACH_ONCE)
EMPTY = "empty"
"""The name of the site before its first night."""
ON_FOLDERS = frozenset({"badges", "grades", "models", "nights"})
"""Top folders below which a path says what a page is about, and not of what kind it is."""


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a site's files into a folder."""
    for path, body in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(body)


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Yield the address, with its closing slash, at which `bitdepth serve`'s own application serves a folder."""
    loop = asyncio.new_event_loop()
    running = threading.Thread(target=loop.run_forever)
    running.start()

    async def start() -> tuple[web.AppRunner, int]:
        runner = web.AppRunner(application(folder, PREFIX), access_log=None, shutdown_timeout=1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return runner, runner.addresses[0][1]

    runner, port = asyncio.run_coroutine_threadsafe(start(), loop).result(20)
    try:
        yield f"http://127.0.0.1:{port}{PREFIX}"
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(20)
        loop.call_soon_threadsafe(loop.stop)
        running.join(20)
        loop.close()


def executable() -> str:
    """Return where Chromium is; without one a test is skipped, or fails where a browser is required."""
    found = shutil.which("chromium")
    if found is None:
        if os.environ.get("BITDEPTH_BROWSER_REQUIRED") == "1":
            pytest.fail("expected chromium on the path, found none (BITDEPTH_BROWSER_REQUIRED=1)")
        pytest.skip("no chromium on the path: pages are not tried in a browser")
    return found


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield a running browser."""
    path = executable()
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


class Watched:
    """A page, and everything that it said and asked for since it was last looked at."""

    def __init__(self, page: Page) -> None:
        """Listen to a page."""
        self.page = page
        self.said: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("dialog", lambda dialog: (self.said.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: self.asked.append(request.url))

    def open(self, address: str) -> None:
        """Open an address; what was said and asked before is forgotten."""
        self.said.clear()
        self.asked.clear()
        self.page.goto(address)


def see(page: Page, width: int, media: str) -> None:
    """Show a page that is open at a width, in light, in dark or on paper."""
    page.set_viewport_size({"width": width, "height": 800})
    scheme: Any = "dark" if media == "dark" else "light"
    page.emulate_media(color_scheme=scheme, media="print" if media == "print" else "screen")


OVERFLOWING = """() => {
  const room = document.documentElement.clientWidth + 1;
  // Spaces at the end of a line of a <pre> hang over its edge, and nobody sees them.
  const hangs = e => e.closest('pre') !== null && getComputedStyle(e).display === 'inline';
  const out = [...document.body.querySelectorAll('*')]
    .filter(e => e.getBoundingClientRect().right > room && !e.closest('.hide, .skip, thead') && !hangs(e))
    .map(e => e.tagName + '.' + e.getAttribute('class') + ' ' + e.textContent.slice(0, 40)).slice(0, 3);
  const whole = document.documentElement.scrollWidth;
  return whole < room ? out : ['the page, ' + whole, ...out];
}"""
"""Elements that stick out of the page on the right, and the page where it can be scrolled sideways."""


def kinds(sites: Mapping[str, Mapping[str, bytes]]) -> tuple[str, ...]:
    """Return `<site>/<path>` of HTML pages that have among them whatever a page of these sites can have.

    A kind of page is what its path says once names and dates are taken out of it. Of each kind there are as many pages
    as it takes to see every element, class and section that any page of that kind has: the one with most of them, then
    what it lacks. So a new page, a new section and a new mark are seen without being listed anywhere. What an empty
    site has is told by what its pages lack, and each of its kinds is seen too.
    """
    pages: dict[str, dict[str, frozenset[str]]] = defaultdict(dict)
    for name, files in sites.items():
        own = frozenset({name} if name == EMPTY else ())
        for path, body in files.items():
            if path.endswith(".html"):
                pages[kind_of(path)][f"{name}/{path}"] = _marks_of(body) | own
    chosen: list[str] = []
    for _, having in sorted(pages.items()):
        seen: frozenset[str] = frozenset()
        while left := {page: marks - seen for page, marks in having.items() if marks - seen}:
            page = max(left, key=lambda page: (len(left[page] - {EMPTY}), page))
            chosen.append(page)
            seen |= having[page]
    return tuple(chosen)


def one_of_each(pages: Sequence[str]) -> tuple[str, ...]:
    """Return the first of each kind: the one that has most of what its kind can have."""
    first: dict[str, str] = {}
    for page in pages:
        first.setdefault(kind_of(page.partition("/")[2]), page)
    return tuple(first.values())


def kind_of(path: str) -> str:
    """Return a path with every name, date and version taken out of it."""
    top, *folders, name = path.split("/") if "/" in path else ("", path)
    if top in ON_FOLDERS:
        return "/".join([top, *("*" for _ in folders), name if name == "index.html" else f"*{Path(name).suffix}"])
    return re.sub(r"\d+(\.\d+)*", "*", path)


def _marks_of(body: bytes) -> frozenset[str]:
    reader = _Marks()
    reader.feed(body.decode())
    return frozenset(reader.found)


class _Marks(HTMLParser):
    """Gathers each element, with each of its classes, and each section's id, numbers left out."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.found.update(f"{tag}.{each}" for each in (named.get("class") or "").split() or [""])
        if tag in {"h2", "h3", "details"} and named.get("id"):
            self.found.add(re.sub(r"\d+", "*", f"{tag}#{named['id']}"))
