"""Everything that a template prints is escaped, once, however it is printed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup, escape

from generator.errors import ContentError
from generator.records.grade import Letter
from generator.site.citation import script_json
from generator.site.environment import escaped
from generator.site.templates import load

SPECIAL = st.text("<>&'\"ab")


class TestEverythingPrintedIsEscaped:
    """'provider and model text and model outputs are hostile: escaped'."""

    @given(
        st.text()
        | SPECIAL
        | SPECIAL.map(Markup)
        | st.integers()
        | st.booleans()
        | st.none()
        | st.floats()
        | st.sampled_from(Letter)
        | st.lists(SPECIAL)
    )
    def test_as_markupsafe_does(self, value: object):
        """Whatever is printed comes out as markupsafe escapes it."""
        assert escaped(value) == str(escape(value))

    def test_by_every_template(self, tmp_path: Path):
        """In blocks, macros, loops, inclusions and captured text, a value is escaped once."""
        (tmp_path / "base.html").write_text("{% block a %}{% endblock %}")
        (tmp_path / "part.html").write_text("{{ x }}")
        (tmp_path / "marks.html").write_text("{% macro m(x) %}{{ x }}{% endmacro %}")
        (tmp_path / "a.html").write_text(
            '{% extends "base.html" %}{% import "marks.html" as marks %}{% block a %}{{ x }} {{ marks.m(x) }} '
            '{% for y in [x] %}{{ y }}{% endfor %} {% include "part.html" %} {% set z %}{{ x }}{% endset %}{{ z }} '
            "{{ x ~ x }}{% endblock %}"
        )
        once = "&lt;&#39;&amp;&#34;&gt;"
        assert load([tmp_path]).render("a.html", x="<'&\">").decode() == " ".join([once] * 5 + [once * 2])

    def test_a_template_that_asks_for_nothing_is_filled_once(self, tmp_path: Path):
        """What a template says that asks for nothing stands on the page as it is; one that asks is refused."""
        (tmp_path / "style.css").write_text("a>b{}{% macro m(x) %}{{ x }}{% endmacro %}{{ m('c>d{}') }}")
        (tmp_path / "a.html").write_text('{{ unvarying("style.css") }}')
        assert load([tmp_path]).render("a.html") == load([tmp_path]).render("style.css") == b"a>b{}c&gt;d{}"
        (tmp_path / "style.css").write_text("\n{{ x }}")
        with pytest.raises(ContentError) as caught:
            load([tmp_path]).render("a.html", x=1)
        assert caught.value.where == f"{tmp_path / 'style.css'}, line 2"


class TestScriptJson:
    @given(st.dictionaries(st.text(), st.text() | st.lists(st.text(), max_size=3) | st.booleans(), max_size=4))
    def test_reads_back_and_ends_no_script(self, value: dict[str, object]):
        """Whatever is in it, the JSON is ASCII, has nothing that a page could read as markup, and reads back."""
        told = script_json(value)
        assert told.isascii()
        assert not set(told) & set("<>&\x7f")
        assert json.loads(told) == value
