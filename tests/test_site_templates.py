"""Templates: a root's own win, and what is missing or broken is named with file and line."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
import site_material as made

from generator.errors import ContentError
from generator.site.frame import Step
from generator.site.templates import load

PACKAGED = made.ROOT / "templates"


class TestFolders:
    """'a root's own templates/ folder wins, the packaged one otherwise'."""

    def test_own_template_wins_alone(self, tmp_path: Path):
        """A root's own file stands for the packaged one of its name; all others stay."""
        (tmp_path / "not_found.html").write_text(
            '{% extends "base.html" %}{% block content %}<h1>Ours</h1>{% endblock %}'
        )
        own = load([tmp_path, PACKAGED])
        grade = made.grade()
        context = made.context(grade, made.material())
        assert made.permanent_page(grade, context, own) == made.permanent_page(grade, context)
        assert own is not made.TEMPLATES
        frame_values = {"page": _page(), "links": _Links()}
        assert b"<h1>Ours</h1>" in own.render("not_found.html", **frame_values)

    def test_missing_folder_is_passed_over(self, tmp_path: Path):
        """A root without a folder of its own uses the packaged one."""
        assert b"No page here" in load([tmp_path / "none", PACKAGED]).render(
            "not_found.html", page=_page(), links=_Links()
        )

    def test_reads_nothing_after_loading(self, tmp_path: Path):
        """Once loaded, templates render without their files."""
        (tmp_path / "a.html").write_text("{{ x }}")
        templates = load([tmp_path])
        (tmp_path / "a.html").unlink()
        assert templates.render("a.html", x="<") == b"&lt;"


class TestWhatIsWrong:
    """'A missing or broken template is a ContentError naming file and line'."""

    @pytest.mark.parametrize(
        ("source", "line", "problem"),
        [
            ("a\n{% if %}", 2, "an error"),
            ("a\nb\n{{ unknown }}", 3, "'unknown' is undefined"),
            ("{{ 'x'\n}}\n{{ 1 // 0 }}", 3, "zero"),
            ("a\n{{ 'x' | nofilter }}", 2, "nofilter"),
            ("\n\n\n{{ x.y.z }}", 4, "y"),
        ],
    )
    def test_is_named_with_its_line(self, tmp_path: Path, source: str, line: int, problem: str):
        """The message has the file, the line and the problem."""
        (tmp_path / "a.html").write_text(source)
        with pytest.raises(ContentError) as caught:
            load([tmp_path]).render("a.html", x={})
        assert caught.value.where == f"{tmp_path / 'a.html'}, line {line}"
        assert problem in caught.value.problem

    def test_line_of_an_included_file(self, tmp_path: Path):
        """An error in an included file names that file."""
        (tmp_path / "a.html").write_text('one\n{% include "b.html" %}')
        (tmp_path / "b.html").write_text("\n{{ gone }}")
        with pytest.raises(ContentError, match=r"b\.html, line 2"):
            load([tmp_path]).render("a.html")

    def test_missing_template(self, tmp_path: Path):
        """A template that is nowhere is named with the folders that were searched."""
        with pytest.raises(ContentError, match=f"'grade.html', found none in {tmp_path}"):
            load([tmp_path]).render("grade.html")

    def test_missing_part(self, tmp_path: Path):
        """A part that a template includes and that is nowhere is named."""
        (tmp_path / "a.html").write_text('{% extends "base.html" %}')
        with pytest.raises(ContentError, match=r"base\.html"):
            load([tmp_path]).render("a.html")

    def test_a_template_that_is_no_text(self, tmp_path: Path):
        """A file that is no UTF-8 is named with its line."""
        (tmp_path / "a.html").write_bytes(b"one\ntwo \xff")
        with pytest.raises(ContentError, match=r"a\.html, line 2"):
            load([tmp_path])

    def test_a_template_that_cannot_be_read(self, tmp_path: Path):
        """Something under a template's name that is no file is named."""
        (tmp_path / "a.html").mkdir()
        with pytest.raises(ContentError, match=r"a\.html"):
            load([tmp_path])


class _Links(msgspec.Struct):
    """Links that lead nowhere."""

    up: str = "/"

    def home(self) -> str:
        """Return an address."""
        return "/"

    def method(self, *_: str) -> str:
        """Return an address."""
        return "/"

    def page(self, _: str) -> str:
        """Return an address."""
        return "/"


class _Page(msgspec.Struct):
    """A frame for a template of a root's own."""

    up: str = "/"
    title: str = "t"
    description: str = "d"
    canonical: str | None = None
    steps: tuple[str, ...] = ()
    site_title: str = "s"
    publisher: str = "p"
    contact_text: str = "c"
    contact_href: str | None = None
    method_version: str | None = None
    replayed: str | None = None
    feeds: tuple[Step, ...] = (Step(text="changes", href="feed.xml"),)
    csp: str = ""


def _page() -> _Page:
    return _Page()
