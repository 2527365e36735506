r"""Hostile text: 'bidi and control characters made visible', and nothing of it taken for markup."""

from __future__ import annotations

import unicodedata

import pytest
import site_material as made
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup, escape

from generator.site.text import told, visible, visible_lines, visible_plain


def shown(markup: str) -> str:
    """Return the text of a piece of HTML."""
    tree = made.parsed(f"<!doctype html><title>t</title><main>{markup}</main>".encode())
    main = tree.find(".//main")
    assert main is not None
    return "".join(main.itertext())


class TestVisible:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("plain name", "plain name"),
            ("a\u202eb", "a\\u202eb"),
            ("\u2066x\u2069", "\\u2066x\\u2069"),
            ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
            ("nul\x00 del\x7f\x85", "nul\\u0000 del\\u007f\\u0085"),
            ("no\u00a0break", "no\\u00a0break"),
            (" edge  two ", "\\u0020edge \\u0020two\\u0020"),
            ("line\nbreak\ttab", "line\\u000abreak\\u0009tab"),
            ("tag\U000e0041s", "tag\\U000e0041s"),
            ("\ud800lone", "\\ud800lone"),
            ("e\u0301\u0301\u0301", "e\u0301\u0301\\u0301"),
            ("\u0301first", "\\u0301first"),
            ("\u3164filler\u2800", "\\u3164filler\\u2800"),
            ("\ue000private\uffff", "\\ue000private\\uffff"),
            ("<b>&amp;</b>", "<b>&amp;</b>"),
            ("caf\u00e9 \u65e5\u672c \u05e2\u05d1", "caf\u00e9 \u65e5\u672c \u05e2\u05d1"),
            ("", ""),
        ],
    )
    def test_shows(self, text: str, expected: str):
        """What cannot be seen is shown as an escape; everything else stays."""
        assert visible_plain(text) == expected
        assert shown(visible(text)) == expected

    def test_escapes_are_marked_and_text_isolated(self):
        """An escape of ours looks different from the same text sent by a stranger, and direction stays inside."""
        assert visible("\u202e") == '<bdi><span class="ctl">\\u202e</span></bdi>'
        assert visible("\\u202e") == "<bdi>\\u202e</bdi>"

    def test_lines_keep_line_ends_and_tabs(self):
        """In a <pre>, line ends, tabs and spaces stay, and a carriage return is shown."""
        assert shown(visible_lines("a\n\tb  c\r\n")) == "a\n\tb  c\\u000d\n"

    def test_words_of_ours_carry_dates_and_figures(self):
        """A date in a phrase is a <time>; a figure stays with its unit; a stranger's markup stays text."""
        assert told("errors 0.4 %, on 2026-11-22 <i>") == (
            '<bdi>errors <span class="nb">0.4 %</span>, '
            'on <time datetime="2026-11-22">2026-11-22</time> &lt;i&gt;</bdi>'
        )

    def test_what_is_remembered_is_escaped(self):
        """A text is escaped although markup of the same characters was shown before."""
        for text in ("<b>once</b>", "<b>" + "long" * 100):
            assert visible(Markup(text)) != visible(text)  # noqa: S704 - what a caller might hand in
            assert visible(text) == f"<bdi>{escape(text)}</bdi>" == told(text)

    @given(st.text(st.characters(codec=None)))
    def test_nothing_invisible_is_left(self, text: str):
        """Whatever is sent, what is shown holds no character that hides, joins or reorders."""
        plain = visible_plain(text)
        categories = {unicodedata.category(character) for character in plain.replace(" ", "")}
        assert not categories & {"Cc", "Cf", "Co", "Cs", "Zs", "Zl", "Zp"}
        assert plain == plain.strip()
        assert "  " not in plain

    @given(st.text(st.characters(codec=None)))
    def test_shown_is_what_is_said(self, text: str):
        """Marked up or not, the same is shown."""
        assert shown(visible(text)) == visible_plain(text)

    @given(st.text("ab \u200b\u202e\\u0", max_size=8), st.text("ab \u200b\u202e\\u0", max_size=8))
    def test_two_names_never_look_alike(self, first: str, second: str):
        """Two different texts of these give different HTML."""
        assert (visible(first) == visible(second)) == (first == second)
