"""The guide: every command block is run as printed, or says that it is not; what a command prints stands below it."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from decimal import Decimal
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from guide_blocks import (
    GUIDE,
    NOT_RUN,
    OUTPUT,
    ROOT,
    RUN,
    SAMPLE,
    SAYS_SO,
    SETTINGS,
    Block,
    blocks,
    chapters,
    expected,
    missing_lines,
    runnable,
)
from guide_run import run_chapter, workspace
from guide_servers import ENDPOINTS, LISTING, MODELS, PORTS, router, server, serving

from generator.content import Content
from generator.probing.budget import TEMPLATE_TOKENS
from generator.probing.night_prompts import night_prompts
from generator.site.guide_view import chapter_order

LIGHT = ("cite",)
"""Chapters that read the demo."""
HEAVY = ("check", "corrections", "demo", "dispute", "hosting", "keys", "method-versions")
"""Chapters that grade, sign, verify or lay out the whole demo, once or again and again."""
NOTHING_TO_RUN = ("benchmarks", "github-actions", "index", "routers", "scale")
ELSEWHERE = ("families", "nightly", "own-endpoints")
"""Chapters with a test of their own below."""

pytestmark = pytest.mark.skipif(
    any(shutil.which(tool) is None for tool in ("bash", "sha256sum")), reason="bash or sha256sum is not here"
)


def check_printed(chapter: str, printed: list[str]) -> None:
    """Require that each block printed what stands below it."""
    for number, block in expected(chapter).items():
        missing = missing_lines(printed[number], block)
        assert not missing, f"{block.place}: not printed: {missing[0]!r}; printed:\n{printed[number]}"


class TestEveryBlock:
    @pytest.mark.parametrize("chapter", chapters())
    def test_is_run_or_says_that_it_is_not(self, chapter: str):
        """A block is a command, what a command printed, a sample, or settings; nothing else stands in the guide."""
        for block in blocks(chapter):
            assert block.info in {RUN, NOT_RUN, OUTPUT, SAMPLE, SETTINGS}, f"{block.place}: '{block.info}'"
            says_so = SAYS_SO in block.before
            assert says_so == (block.info == NOT_RUN), f"{block.place}: {block.before}"

    @pytest.mark.parametrize("chapter", chapters())
    def test_of_settings_is_toml_that_the_program_takes(self, chapter: str, tmp_path: Path):
        """Settings of the guide stand beside the shipped ones without a complaint."""
        for number, block in enumerate(each for each in blocks(chapter) if each.info == SETTINGS):
            names = tuple(tomllib.loads(block.text))
            shipped = (ROOT / "content/site.toml").read_text()
            for name in names:
                shipped = re.sub(rf"(?ms)^\[{name}\]$.*?(?=^#|^\[|\Z)", "", shipped)
            top = block.text if not block.text.startswith("[") else ""
            folder = tmp_path / str(number) / "content"
            folder.mkdir(parents=True)
            (folder / "site.toml").write_text(f"{top}\n{shipped}\n{'' if top else block.text}")
            assert Content(folder.parent).settings().title == "bitdepth", block.place

    def test_of_every_chapter_is_run_by_a_test_here(self):
        """No chapter with commands is left out of the lists above."""
        listed = (*LIGHT, *HEAVY, *NOTHING_TO_RUN, *ELSEWHERE)
        assert len(set(listed)) == len(listed)
        assert set(chapters()) - set(listed) == set()
        assert [chapter for chapter in NOTHING_TO_RUN if chapter in chapters() and runnable(chapter)] == []

    def test_that_prints_something_else_is_found(self):
        """What stands below a command is compared line by line and in order."""
        block = Block(chapter="x", line=1, info=OUTPUT, text="a ... c\n...\nlast\n", before="")
        assert missing_lines("first\na b c\nmore\nlast\n", block) == []
        assert missing_lines("last\na b c\n", block) == ["last"]
        assert missing_lines("a b d\nlast", block) == ["a ... c", "last"]


class TestCommands:
    @pytest.mark.parametrize("chapter", LIGHT)
    def test_of_a_chapter_on_the_demo(self, chapter: str, demo: Path, tmp_path: Path):
        """Each block does what the page says, one after the other."""
        check_printed(chapter, run_chapter(chapter, workspace(tmp_path / "work", demo)))

    @pytest.mark.ci
    @pytest.mark.parametrize("chapter", HEAVY)
    def test_of_a_chapter_that_works_the_demo_over(self, chapter: str, demo: Path, tmp_path: Path):
        """Each block does what the page says, one after the other."""
        check_printed(chapter, run_chapter(chapter, workspace(tmp_path / "work", demo)))

    def test_for_ones_own_endpoints(self, tmp_path: Path):
        """Three servers of the OpenAI protocol are named, looked at, asked for a night, and shown."""
        makers = [partial(server, restless=restless) for restless in (False, True, False)]
        with serving(*makers) as ports:
            changes = {f"127.0.0.1:{port}": f"127.0.0.1:{real}" for port, real in zip(PORTS, ports, strict=True)}
            folder = workspace(tmp_path / "work", None)
            check_printed("own-endpoints", run_chapter("own-endpoints", folder, changes=changes))
        assert len(list((folder / "own/archive/nights").iterdir())) == 1

    def test_for_a_new_family(self, tmp_path: Path):
        """A prompt set is copied, grows a family, is taken, and a malformed line of it is named."""
        check_printed("families", run_chapter("families", workspace(tmp_path / "work", None)))


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return what the commands of the chapter on nights print, on a router with the prices of the recorded listing."""
    folder = workspace(tmp_path_factory.mktemp("cost") / "work", None)
    with serving(router) as (port,):
        return run_chapter("nightly", folder, environment={"GUIDE_ROUTER": f"http://127.0.0.1:{port}/api/v1"})


def cost_rows() -> dict[str, list[Decimal]]:
    """Return the figures of that chapter's table by model."""
    found = re.findall(r"^\| (\S+/\S+) \| ([0-9.| ]+) \|$", (GUIDE / "nightly.md").read_text(), re.MULTILINE)
    return {model: [Decimal(figure.strip()) for figure in figures.split("|")] for model, figures in found}


class TestWhatANightCosts:
    def test_is_printed_by_plan(self, printed: list[str]):
        """The sums below `bitdepth plan` are what it prints at these prices."""
        check_printed("nightly", printed)

    def test_stands_in_the_table_as_it_follows_from_the_listing(self):
        """Prices are the recorded ones, and each product and sum is right to the last digit printed."""
        listed = {each["id"]: each["pricing"] for each in json.loads(LISTING.read_text())["data"]}
        tokens_in, tokens_out = Decimal(21_600 + 184 * TEMPLATE_TOKENS), Decimal(6_624)
        rows = cost_rows()
        assert tuple(rows) == MODELS
        for model, (price_in, price_out, cost_in, cost_out, one, nine) in rows.items():
            assert price_in == Decimal(listed[model]["prompt"]) * 10**6
            assert price_out == Decimal(listed[model]["completion"]) * 10**6
            exact_in, exact_out = tokens_in * price_in / 10**6, tokens_out * price_out / 10**6
            assert (cost_in, cost_out) == (round(exact_in, 4), round(exact_out, 4))
            assert one == round(exact_in + exact_out, 4)
            assert nine == round(ENDPOINTS * (exact_in + exact_out), 2)

    def test_counts_the_prompts_of_the_set(self):
        """The bytes and tokens in the text are a night's; its seed moves them by less than one in a hundred."""
        prompts = night_prompts(Content(ROOT).prompt_set("p1"), "5eed" * 16)
        assert len(prompts) == 184
        assert abs(sum(len(each.prompt.encode()) for each in prompts) - 21_600) < 216
        assert abs(sum(each.max_tokens for each in prompts) - 6_624) < 66


def test_the_demos_site_is_as_large_as_the_page_on_hosting_says(demo: Path):
    """Its files and bytes are within a tenth of what is printed."""
    said = re.search(r"make up about ([0-9,]+) files and ([0-9]+) MB", (GUIDE / "hosting.md").read_text())
    assert said is not None
    files = [path for path in (demo / "site").rglob("*") if path.is_file()]
    assert abs(len(files) / int(said[1].replace(",", "")) - 1) < 0.1
    assert abs(sum(path.stat().st_size for path in files) / (int(said[2]) * 1_000_000) - 1) < 0.1


def test_the_demos_rules_are_as_many_as_the_page_on_hosting_says(demo: Path):
    """Headers within a tenth of what is printed, two for a method version; redirects one an endpoint and two more."""
    said = re.search(r"`_headers` has about ([0-9]+) rules; each method version", (GUIDE / "hosting.md").read_text())
    assert said is not None
    headers, redirects = (
        [line for line in (demo / "site" / name).read_text().splitlines() if line.startswith("/")]
        for name in ("_headers", "_redirects")
    )
    assert abs(len(headers) / int(said[1]) - 1) < 0.1
    assert [line for line in headers if line.startswith("/method/0.1/")] == ["/method/0.1/", "/method/0.1/index.html"]
    assert len(redirects) == len([path for path in (demo / "site/models").glob("*/*/*") if path.is_dir()]) + 2


class TestTheList:
    def test_names_every_chapter_once(self, demo: Path):
        """The guide's first page leads to each chapter, in the order in which chapters lead to one another."""
        index = (demo / "site/guide/index.html").read_text()
        main = index[index.index("<main") : index.index("</main")]
        linked = re.findall(r'<dt><a href="([a-z-]+)/index.html">', main)
        assert sorted(linked) == sorted(set(chapters()) - {"index"})
        assert linked == [each.name for each in chapter_order({f"guide/{name}": "# x" for name in chapters()})]
        for before, after in pairwise(linked):
            assert f'rel="next" href="../{after}/index.html"' in (demo / f"site/guide/{before}/index.html").read_text()

    def test_is_linked_from_every_page_that_may_change(self, demo: Path):
        """The footer leads to the guide."""
        assert 'href="guide/index.html"' in (demo / "site/index.html").read_text()
