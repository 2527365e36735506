"""Every kind of page against axe-core's rules for WCAG 2.2 AA, at every width, in light, in dark and on paper."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import axe_playwright_python
import browsing
import pytest
import site_material as made
from browsing import EACH_ONCE, THE_REST
from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

KINDS = browsing.kinds(made.sites())
AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text("utf-8")
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"]
RUN = """async tags => {
  // Nobody points at paper: how far apart links stand is asked on a screen alone.
  const rules = {'target-size': {enabled: !matchMedia('print').matches}};
  const found = await axe.run({runOnly: {type: 'tag', values: tags}, rules, resultTypes: ['violations']});
  const told = (rule, node) => [rule.id, node.target.join(' '), node.failureSummary];
  return found.violations.flatMap(rule => rule.nodes.map(node => told(rule, node)));
}"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Return a running browser."""
    with browsing.chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the address that the three sites are served at."""
    folder = tmp_path_factory.mktemp("axe")
    for name, files in made.sites().items():
        browsing.write(folder / name, files)
    with browsing.serving(folder) as found:
        yield found


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """Return a page into which axe-core may be put: what the policy of the pages forbids is tested without it."""
    context = chromium.new_context(bypass_csp=True)
    yield context.new_page()
    context.close()


def violations(page: Page, address: str, sizes: dict[str, tuple[tuple[int, str], ...]]) -> list[Any]:
    """Return what axe-core finds on pages, each at its own sizes."""
    found = []
    for path, pairs in sizes.items():
        page.goto(address + path)
        page.evaluate(AXE)
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        for width, media in pairs:
            browsing.see(page, width, media)
            found += [[path, width, media, *each] for each in page.evaluate(RUN, TAGS)]
    return found


class TestEveryKindOfPage:
    """'Zero axe violations at WCAG 2.2 AA'."""

    @pytest.mark.ci
    def test_at_one_size_each(self, page: Page, address: str):
        """Kind by kind, the three pairings of width and medium take turns."""
        turns = {path: (EACH_ONCE[place % 3],) for place, path in enumerate(browsing.one_of_each(KINDS))}
        assert violations(page, address, turns) == []

    @pytest.mark.ci
    @pytest.mark.parametrize("part", range(8))
    def test_at_every_size(self, page: Page, address: str, part: int):
        """Every kind at every width in every medium."""
        assert violations(page, address, dict.fromkeys(KINDS[part::8], (*EACH_ONCE, *THE_REST))) == []


class TestAxe:
    def test_knows_the_rules_that_it_is_asked_for(self, page: Page, address: str):
        """This axe-core has rules of WCAG 2.2 AA, and the tags asked for name more than sixty."""
        page.goto(f"{address}live/index.html")
        page.evaluate(AXE)
        rules = page.evaluate("tags => axe.getRules(tags).map(rule => rule.ruleId)", TAGS)
        assert "target-size" in rules
        assert len(rules) > 60
        assert int(re.search(r"axe v4\.(\d+)", AXE)[1]) >= 5

    def test_finds_what_is_wrong(self, page: Page, address: str):
        """Text too faint, a picture without words and a field without a name are found on a page that has them."""
        page.goto(f"{address}live/about/index.html")
        page.evaluate(AXE)
        page.evaluate(
            "document.querySelector('main').insertAdjacentHTML('beforeend', "
            '\'<p style="color:#ccc">faint</p><img src="data:,"><input>\')'
        )
        assert {rule for rule, _, _ in page.evaluate(RUN, TAGS)} == {"color-contrast", "image-alt", "label"}
