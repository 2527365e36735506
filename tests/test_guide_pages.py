"""How the guide's pages are made: from the files that are there, in an order of their own, each leading to the next."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
from pathlib import Path

import kept_site
import pytest
import site_material as made
from logged_site import hosting

from generator.content import Content
from generator.errors import ContentError
from generator.records.check import CheckState
from generator.site import views
from generator.site.build import is_permanent
from generator.site.guide_view import chapter_order
from generator.site.prose import to_html
from generator.workflows.doctor_content import reply_checks


def rendered(**pages: str) -> dict[str, bytes]:
    """Return the views of a site with these chapters of the guide, and no others."""
    others = {name: text for name, text in made.pages().items() if not name.startswith("guide/")}
    guide = {f"guide/{name.replace('_', '-')}": text for name, text in pages.items()}
    return dict(views.render(made.material(pages=others | guide), made.TEMPLATES))


class TestAChapter:
    def test_leads_to_the_one_before_and_the_one_after(self):
        """The first has none before it, the last none after it."""
        files = rendered(index="# Guide", cite="# Cite", check="# Check", demo="# Demo")
        leading = {
            name: re.findall(r'rel="(prev|next)" href="\.\./([a-z]+)/', files[f"guide/{name}/index.html"].decode())
            for name in ("cite", "check", "demo")
        }
        assert leading == {
            "cite": [("next", "check")],
            "check": [("prev", "cite"), ("next", "demo")],
            "demo": [("prev", "check")],
        }

    def test_that_nobody_placed_stands_last(self):
        """A file of any name is a chapter; its name stands in for a title that it has not."""
        order = chapter_order({"guide/index": "# Guide", "guide/zebra": "Words.", "guide/cite": "# Cite", "about": "x"})
        assert [(each.name, each.title) for each in order] == [("cite", "Cite"), ("zebra", "Zebra")]

    def test_names_the_sites_own_address(self):
        """What stands for the address in the prose is the address on the page."""
        page = rendered(index="# Guide", cite="# Cite\n\n`{address}grades/`")["guide/cite/index.html"].decode()
        assert f"<code>{made.material().settings.address}grades/</code>" in page

    def test_lists_its_sections(self):
        """Each second-level heading is linked at the top."""
        page = rendered(index="# Guide", cite="# Cite\n\nLead.\n\n## One {#one}\n\n### Under {#under}\n\n## Two {#two}")
        top = page["guide/cite/index.html"].decode().partition('<div class="prose">')[0]
        assert re.findall(r'<a href="#([a-z]+)">', top) == ["one", "two"]


class TestTheList:
    def test_says_what_each_chapter_is_about(self):
        """Its first paragraph, in one line and without markup, stands below its title; no group is empty."""
        page = rendered(index="# The guide\n\nHow.", cite="# Cite\n\nA *b*\n`c` d.\n\nMore.")[
            "guide/index.html"
        ].decode()
        assert "<dd>A b c d.</dd>" in page
        assert page.count("<h2>") == 1
        assert "<h1>The guide</h1>" in page

    def test_that_is_missing_is_named(self):
        """Every page's footer leads to it."""
        with pytest.raises(ContentError, match=r"expected a prose page, found none in content/pages/guide/index\.md"):
            rendered(cite="# Cite")

    def test_needs_no_chapter_and_no_title(self):
        """A guide of one page is one."""
        page = rendered(index="Words.")["guide/index.html"].decode()
        assert "<h1>Guide</h1>" in page


def test_a_root_adds_to_the_guide_and_takes_the_place_of_its_chapters(tmp_path: Path):
    """A chapter of the root's own stands beside the packaged ones."""
    folder = tmp_path / "content/pages/guide"
    folder.mkdir(parents=True)
    (folder / "cite.md").write_text("# Ours\n")
    (folder / "house.md").write_text("# House rules\n")
    pages = Content(tmp_path).pages()
    assert (pages["guide/cite"], pages["guide/house"]) == ("# Ours\n", "# House rules\n")
    assert pages["guide/demo"] == made.pages()["guide/demo"]


def test_the_demos_root_carries_the_guide(demo: Path):
    """It is complete: its guide can be read, and edited, where it lies."""
    own = sorted(path.name for path in (demo / "content/pages/guide").iterdir())
    assert own == sorted(f"{name.removeprefix('guide/')}.md" for name in made.pages() if name.startswith("guide/"))


@pytest.mark.parametrize(
    ("markdown", "lead"), [("", ""), ("## Only a heading", ""), ("# T\n\n- a list", ""), ("a\nb", "a b")]
)
def test_the_lead_of_prose_is_the_paragraph_that_opens_it(markdown: str, lead: str):
    """Anything else that opens it is no lead."""
    assert to_html(markdown, where="x.md").lead == lead


def test_doctor_says_of_replies_whether_they_can_be_read(tmp_path: Path):
    """Nothing is said where there are none."""
    root = kept_site.make_root(tmp_path, nights=1, graded=False, rendered=False)
    assert list(reply_checks(root)) == []
    path = tmp_path / "content/replies/aster/sphinx-8b/kiln/a.md"
    path.parent.mkdir(parents=True)
    path.write_text("From: a\nDate: 2026-03-10\n\nWord.")
    (check,) = reply_checks(root)
    assert (check.state, check.found) == (CheckState.OK, "1 of them")
    path.write_text("Word.")
    (check,) = reply_checks(root)
    assert check.state is CheckState.FAILED
    assert "content/replies/aster/sphinx-8b/kiln/a.md, line 1" in check.found


@pytest.mark.skipif(
    any(shutil.which(tool) is None for tool in ("curl", "wget", "sha256sum")),
    reason="curl, wget or sha256sum is not here",
)
def test_a_complete_copy_is_made_as_the_pledge_says(tmp_path: Path):
    """The commands of the page, as printed, fetch every file that the downloads name, and check each."""
    site = kept_site.make_root(tmp_path / "root", nights=2).site
    page = (site / "persistence/index.html").read_text()
    (commands,) = re.findall(r"<pre><code>(.*?)</code></pre>", page, re.DOTALL)
    copy = tmp_path / "copy"
    copy.mkdir()
    with hosting(site) as address:
        script = html.unescape(commands).replace("https://kept.example/", address)
        done = subprocess.run(
            ["bash", "-ec", script], cwd=copy, capture_output=True, text=True, timeout=60, check=False
        )
    assert done.stdout == "a complete copy\n", done.stderr
    laid_out = {path.relative_to(site).as_posix() for path in (site / "data").rglob("*") if path.is_file()}
    kept = {path for path in laid_out if is_permanent(path)}
    assert kept
    assert kept <= {f"data/{path.relative_to(copy).as_posix()}" for path in copy.rglob("*") if path.is_file()}
