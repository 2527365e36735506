"""Charts as a real Chromium sets them: whatever font it finds, no text leaves its picture or stands on another."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from itertools import combinations

import browsing
import msgspec
import pytest
import site_material as made
from playwright.sync_api import Page

from generator.records.grade import Letter
from generator.site import history_chart, match_chart, matrix_chart, night_chart, outcome_chart
from generator.site.drawing import About
from generator.site.matrix_chart import Cell

pytestmark = pytest.mark.browser

DAYS = [made.FIRST_NIGHT + timedelta(days=day) for day in range(130)]
WIDEST = made.grade(letter=Letter.D, m_letter=Letter.D, t_letter=Letter.D, r_letter=Letter.D)
WINDOWS = history_chart.history(
    (msgspec.structs.replace(WIDEST, window_end=day, nights=(day,)) for day in DAYS if day.day != 9), DAYS
)
CELL = Cell(same=8888, both=8888, words="within noise")


def half_square(endpoints: int, cell: Cell) -> str:
    """Return the half square of endpoints that all agreed alike."""
    about = About(name=f"x{endpoints}", title="Who", description="What.")
    cells = dict.fromkeys(combinations(range(endpoints), 2), cell)
    return matrix_chart.chart(about, ["Wwwwwwwwwwwwwww"] * endpoints, cells)


PICTURES = {
    "letters": history_chart.chart("a", WINDOWS[:120], "0.1"),
    "months": history_chart.chart("b", WINDOWS, "0.1"),
    "match": match_chart.chart("c", made.kinds()[3], made.method().definition).svg,
    "outcomes": outcome_chart.outcomes("d", made.night(made.NIGHTS[0]).record.counts),
    "nights": night_chart.over_nights([made.night(night) for night in made.NIGHTS]),
    "two": half_square(2, CELL),
    "seven": half_square(7, msgspec.structs.replace(CELL, same=888, both=888)),
    "twelve": half_square(12, CELL),
}

FOUND = """svg => {
  const frame = svg.viewBox.baseVal, boxes = [];
  for (const text of svg.querySelectorAll('text')) {
    const said = text.textContent, single = (text.getAttribute('x') || '').includes(' ');
    const pieces = single ? [...said].map((_, at) => text.getExtentOfChar(at))
                          : [...(text.children.length ? [] : [text.getBBox()])];
    pieces.forEach((box, at) => boxes.push([single ? said[at] : said, box]));
  }
  const beyond = boxes.filter(([, box]) => box.x < 0 || box.x + box.width > frame.width).map(([said]) => said);
  const upon = [];
  boxes.forEach(([first, a], at) => boxes.slice(at + 1).forEach(([second, b]) => {
    const across = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
    const down = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
    if (across > 0.5 && down > 4) upon.push([first, second]);
  }));
  return {count: boxes.length, beyond, upon};
}"""
"""What leaves a picture to either side, and what stands on one another; lines may share their leading."""


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    """Yield a page with every picture under the site's style."""
    with browsing.chromium() as chromium:
        shown = chromium.new_page(viewport={"width": 1280, "height": 900})
        style = made.TEMPLATES.unvarying("style.css")
        figures = "".join(f'<figure id="{name}">{svg}</figure>' for name, svg in PICTURES.items())
        shown.set_content(f"<!doctype html><style>{style}</style><body class=broad>{figures}")
        yield shown


@pytest.mark.parametrize("name", PICTURES)
def test_no_text_leaves_its_picture_or_stands_on_another(page: Page, name: str):
    """Measured by the browser, with the fonts that it has."""
    found = page.locator(f"#{name} svg:visible").evaluate(FOUND)
    assert found["count"] > 1
    assert found["beyond"] == []
    assert found["upon"] == []


@pytest.mark.parametrize("name", PICTURES)
def test_a_screen_reader_meets_one_named_image(page: Page, name: str):
    """The accessibility tree holds one image a picture, called as its title and description say."""
    image = page.locator(f"#{name}").get_by_role("img")
    assert image.count() == 1
    title = image.locator("title").text_content() or ""
    assert page.locator(f"#{name}").get_by_role("img", name=title).count() == 1
