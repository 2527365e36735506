"""Hostile names and answers on every page in Chromium: nothing runs or breaks, and each reads as it went in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import browsing
import msgspec
import pybtex.database
import pytest
from browsing import OVERFLOWING, Watched
from hostile_site import ALL, FEW, LAST, Made, hostile
from playwright.sync_api import Browser

from generator.records import permalink
from generator.records.grade import Grade
from generator.site import text as shown_text
from generator.site.citation import cite, named, title
from generator.site.grade_page import paths
from generator.site.text import visible_plain

PARTS = 8
"""Of the pages of all payloads; each is one test."""


def lines(text: str) -> str:
    """Return a stranger's text as it is read in a `<pre>`."""
    return "".join(shown for shown, _ in shown_text._parts(text, lines=True))


def expected(of: Made) -> Mapping[str, frozenset[str]]:
    """Return by page what has to be read on it, each text whole and in a place of its own."""
    said: dict[str, set[str]] = defaultdict(set)
    for grade in of.material.grades:
        names = {visible_plain(each) for each in (grade.provider, grade.tag, grade.d_precision or "")}
        model, place = visible_plain(grade.model), of.texts.all.index(grade.model) + 5
        at = [of.texts.at(place + more) for more in range(7)]
        said["index.html"] |= {model, visible_plain(grade.provider), visible_plain(grade.d_precision or "")}
        said["search/index.html"] |= {model, *names}
        said[f"{permalink.model_path(grade.model)}index.html"] |= {model, *names}
        said[f"{permalink.endpoint_path(grade.model, grade.endpoint)}index.html"] |= {
            model,
            visible_plain(grade.provider),
            visible_plain(grade.tag),
            *(lines(each) for each in at[:3]),
            visible_plain(f"{at[3]}, HTTP 503, finish reason {at[4]}"),
            visible_plain(f"{at[5]}, {at[6]}"),
        }
        said[f"{permalink.grade_index_path(grade.model, grade.endpoint, LAST)}index.html"] |= {
            model,
            visible_plain(grade.provider),
        }
        said[paths(grade)[0]] |= {model, *names}
    said[f"{permalink.night_path(LAST)}index.html"] |= {
        *map(lines, of.texts.all),
        *map(visible_plain, of.texts.all),
    }
    for night in of.material.nights:
        if night.record.reason is not None:
            said[f"{permalink.night_path(night.record.night)}index.html"] |= {visible_plain(night.record.reason)}
    return {path: frozenset(texts) for path, texts in said.items()}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Return a running browser."""
    with browsing.chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the address of the site of a few payloads."""
    yield from served(FEW, tmp_path_factory.mktemp("few"))


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the address of the site of all payloads."""
    yield from served(ALL, tmp_path_factory.mktemp("every"))


def served(count: int, folder: Path) -> Iterator[str]:
    """Yield the address that a hostile site is served at."""
    browsing.write(folder, hostile(count).files)
    with browsing.serving(folder) as address:
        yield address


FOREIGN = (
    "iframe, frame, object, embed, img:not(#badge-now), video, audio, base, form:not(#search), input:not(#q), "
    "template, foreignObject, use, animate, set, script:not([type='application/ld+json'], [src='search.js'])"
)
"""Elements that no page has of its own."""
READ = f"""() => {{
  const all = [...document.querySelectorAll('*')];
  const data = document.querySelector('script[type="application/ld+json"]');
  const acts = each => [...each.attributes].some(own => own.name.startsWith('on') || own.name === 'srcdoc');
  return {{
    ran: window.__ran ?? null,
    title: document.title,
    description: document.querySelector('meta[name=description]').content,
    heading: document.querySelector('h1').textContent,
    texts: [...document.querySelectorAll('bdi')].map(each => each.textContent),
    blocks: [...document.querySelectorAll('main > pre')].map(each => each.textContent),
    data: data && data.textContent,
    foreign: all.filter(each => each.matches(`{FOREIGN}`) || acts(each)).map(each => each.outerHTML),
    links: [...document.querySelectorAll('a, link')].map(each => new URL(each.href).protocol),
    wide: ({OVERFLOWING})(),
  }};
}}"""
"""What there is on a page: what ran, what could run, what can be read, and what sticks out."""


def opened(browser: Browser, address: str, of: Made, pages: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each page as it was read at 320 px under its own policy; it has said nothing and asked for nothing else."""
    context = browser.new_context(viewport={"width": 320, "height": 800})
    watched = Watched(context.new_page())
    for path in pages:
        watched.open(address + quote(path))
        read = watched.page.evaluate(READ)
        assert watched.said == [], path
        own = (address + quote(path), f"{address}search/", "data:")
        assert [url for url in watched.asked if not url.startswith(own)] == [], path
        yield path, read
    context.close()


def harmless(browser: Browser, address: str, of: Made, pages: Sequence[str]) -> None:
    """Hold pages against the promise that nothing runs, nothing breaks, and every text reads as it went in."""
    wanted, grades = expected(of), {paths(grade)[0]: grade for grade in of.material.grades}
    for path, read in opened(browser, address, of, pages):
        assert read["ran"] is None, path
        assert read["foreign"] == [], path
        assert set(read["links"]) <= {"http:", "https:", "mailto:", "data:"}, path
        assert read["wide"] == [], path
        assert wanted.get(path, frozenset()) - set(read["texts"]) == frozenset(), path
        if path == "calibration/index.html":  # Names stand there in phrases of ours, to which an edge is no edge.
            told = "\n".join(read["texts"])
            assert [text for text in of.texts.all if visible_plain(text.strip(" ")) not in told] == []
        if path in grades:
            cited(grades[path], read, of)


def cited(grade: Grade, read: Mapping[str, Any], of: Made) -> None:
    """Hold what a permanent page says of itself, to people and to machines, against its grade."""
    settings = of.material.settings
    name = named(grade, settings)
    who = f"{visible_plain(grade.model)} at {visible_plain(grade.provider)}"
    assert read["heading"] == who
    assert read["title"] == f"{who}, {LAST.isoformat()}, method {grade.method_version} · bitdepth"
    assert read["description"] == f"{name.title}: {name.result}."
    data = msgspec.json.decode(read["data"])
    assert (data["@type"], data["name"], data["url"]) == ("Dataset", title(grade), name.permalink)
    assert "Review" not in {data["@type"], *(each["@type"] for each in data["variableMeasured"])}
    bibtex, csl = read["blocks"]
    citation = cite(grade, name, settings)
    assert (bibtex, csl) == (citation.bibtex, citation.csl_json)
    assert msgspec.json.decode(csl)[0]["title"] == title(grade)
    entries = pybtex.database.parse_string(bibtex, "bibtex").entries
    assert [sorted(entry.fields) for entry in entries.values()] == [["month", "note", "title", "url", "year"]]


def html(of: Made) -> list[str]:
    """Return the paths of a site's pages, sorted."""
    return sorted(path for path in of.files if path.endswith(".html"))


@pytest.mark.browser
class TestInABrowser:
    """'Opened in Chromium under the CSP: nothing runs, nothing breaks the layout, every text reads back'."""

    @pytest.mark.ci
    def test_a_few_of_every_kind(self, chromium: Browser, few: str):
        """Every page of the site of a few payloads, at 320 px."""
        of = hostile(FEW)
        assert set(expected(of)) <= set(html(of))
        harmless(chromium, few, of, html(of))

    @pytest.mark.ci
    @pytest.mark.parametrize("part", range(PARTS))
    def test_all(self, chromium: Browser, every: str, part: int):
        """Every page of the site of all payloads."""
        of = hostile(ALL)
        harmless(chromium, every, of, html(of)[part::PARTS])

    def test_searched_for(self, chromium: Browser, few: str):
        """A payload typed into the search, or handed over in its address, runs nothing and breaks nothing."""
        context = chromium.new_context(viewport={"width": 320, "height": 800})
        watched = Watched(context.new_page())
        for text in hostile(FEW).texts.all[:12]:
            watched.open(f"{few}search/index.html?q={quote(text, errors='replace')}")
            watched.page.fill("#q", text.replace("\x00", ""))
            watched.page.wait_for_timeout(30)
            assert (watched.page.evaluate("window.__ran"), watched.said) == (None, []), text
            assert watched.page.evaluate(OVERFLOWING) == [], text
        context.close()

    @pytest.mark.ci
    def test_badges(self, chromium: Browser, few: str):
        """A badge that is opened by itself runs nothing."""
        context = chromium.new_context()
        watched = Watched(context.new_page())
        for path in [path for path in hostile(FEW).files if path.endswith(".svg")]:
            watched.open(few + quote(path))
            assert watched.page.evaluate("window.__ran") is None, path
            assert watched.page.evaluate("document.querySelectorAll('script, foreignObject, a, image').length") == 0
            assert [url for url in watched.asked if not url.startswith(few.partition("/grades-of/")[0])] == []
        context.close()
