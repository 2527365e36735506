"""Pages filled from their form: each is what its template would have said, whatever its texts are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path

import msgspec
import pytest
import site_material as made
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from generator.errors import ContentError
from generator.records.grade import Grade, Letter
from generator.site import grade_page, templates
from generator.site.forms import Slot, apart, filled
from generator.site.templates import Templates, load

MATERIAL = made.material()
GRADES = [*made.kinds(), *made.history()]
HARM = st.text("<>&'\"\0%{}\u202e\u00b7 ab0") | st.text()

PARTS = """{% macro m(x) %}<i title="{{ x }}">{{ x | visible }}</i>{% endmacro %}
<p class="{{ letter }}">{{ page.title }} {{ page.title | told }} {{ number }} {{ m(page.title) }}</p>
{% if absent is not none %}{{ m(absent) }}{% endif %}
{% for first, second in rows %}{{ loop.index }} {{ first }}{% if second is not none %}, {{ second | safe }}{% endif %}
{% endfor %}{{ number if letter == "A" }}
"""


def reworded(values: Mapping[str, object], words: Iterator[str]) -> dict[str, object]:
    """Return the values of a page of the same form with other texts."""

    def other(value: object) -> object:
        if type(value) is tuple:
            return tuple(
                getattr(row, "_make", tuple)([None if cell is None else next(words) for cell in row]) for row in value
            )
        return next(words) if type(value) in {str, int} else value

    return {name: other(value) for name, value in values.items()}


def plain(loaded: Templates, name: str, values: Mapping[str, object]) -> bytes:
    """Return what a template says of some values without a form."""
    return loaded.render(name, **filled(values, slots=False))


def own(folder: Path, source: str) -> Templates:
    """Return the templates of a folder with one in it."""
    (folder / "a.html").write_text(source)
    return load([folder])


def grade_values(grade: Grade) -> dict[str, object]:
    """Return the values of a grade's permanent page."""
    return grade_page.values(grade, made.context(grade, MATERIAL), "0" * 64)


class TestAPageFromItsForm:
    @pytest.mark.parametrize("grade", GRADES)
    def test_is_what_the_template_says(self, grade: Grade):
        """Every kind of permanent page is the same with a form and without."""
        assert made.TEMPLATES.fill("grade.html", grade_values(grade)) == plain(
            made.TEMPLATES, "grade.html", grade_values(grade)
        )

    @pytest.mark.parametrize("grade", made.kinds())
    def test_whatever_its_texts_are(self, grade: Grade):
        """Harm in every text of a permanent page at once is escaped as the template escapes it, and breaks no other."""
        first = reworded(grade_values(grade), (f"{number}" for number in count()))
        made.TEMPLATES.fill("grade.html", first)
        for harm in ("<b id='x\">&amp;{}", "nul\0 1 escaped\0{}", "%s %0{}", "\u202e\u00b7\u2013\U0001f600{}"):
            other = reworded(first, (harm.format(number) for number in count()))
            assert apart(other)[0] == apart(first)[0]
            assert made.TEMPLATES.fill("grade.html", other) == plain(made.TEMPLATES, "grade.html", other)

    @given(st.data())
    def test_of_any_texts(self, data: st.DataObject):
        """In attributes, macros, loops and filters, escaped once or shown once."""
        loaded = Templates({"parts.html": (PARTS, "parts.html")}, {}, "")
        for _ in range(2):
            values = {
                "page.title": data.draw(HARM.filter(bool)),
                "number": data.draw(st.integers()),
                "absent": data.draw(st.none() | HARM),
                "letter": data.draw(st.sampled_from(Letter)),
                "rows": tuple(data.draw(st.lists(st.tuples(HARM, st.none() | HARM), max_size=3))),
            }
            try:
                expected = plain(loaded, "parts.html", values)
            except ContentError:  # Of half a character, which is no text.
                with pytest.raises(ContentError, match="surrogates not allowed"):
                    loaded.fill("parts.html", values)
            else:
                assert loaded.fill("parts.html", values) == expected


class TestOneFormForOneShape:
    def test_other_texts_have_the_same(self):
        """A text or a number may be any other; what is absent, how many rows there are, and a letter may not."""
        first = {"a": "x", "b": None, "c": (("y", 1),), "d": Letter.A}
        assert apart(first)[0] == apart(first | {"a": "z", "c": (("u", 2),)})[0]
        for other in ({"a": None, "b": "x"}, {"c": ()}, {"c": (("y", None),)}, {"c": (("y",), (1,))}, {"d": Letter.B}):
            assert apart(first)[0] != apart(first | other)[0]
        assert apart(first)[0] != apart({f"{name}2": value for name, value in first.items()})[0]

    def test_so_many_are_kept(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        """The oldest form goes where there are too many, and is made again where it is asked for."""
        monkeypatch.setattr(templates, "_MOST_FORMS", 2)
        loaded = own(tmp_path, "{{ rows | length }}{% for row in rows %}{{ row[0] }}{% endfor %}")
        for rows in (1, 2, 3, 1):
            assert loaded.fill("a.html", {"rows": (("x",),) * rows}) == f"{rows}{'x' * rows}".encode()
            assert len(loaded._forms) <= 2


class TestATextCanBePrintedAndNothingElse:
    @pytest.mark.parametrize(
        "source",
        [
            "{% if x %}a{% endif %}",
            "{% if x == 'a' %}a{% endif %}",
            "{% if x in ['a'] %}a{% endif %}",
            "{{ {'a': 1}[x] }}",
            "{{ x ~ 'a' }}",
            "{{ x | upper }}",
            "{{ x | length }}",
            "{{ x.upper() }}",
            "{% for each in x %}{% endfor %}",
            "{{ 'a' if x is string else 'b' }}",
            "{% autoescape false %}{{ x }}{% endautoescape %}",
            "\0{{ x }}",
        ],
    )
    def test_all_else_is_refused(self, tmp_path: Path, source: str):
        """A template that decides by a text, computes with it or reads it is named, and fills no page."""
        with pytest.raises(ContentError, match=r"a\.html"):
            own(tmp_path, source).fill("a.html", {"x": "a"})

    def test_what_is_kept_of_a_macro_is_kept_without_it(self, tmp_path: Path):
        """What `remembered` makes of a slot is not kept for the next page."""
        loaded = own(tmp_path, "{% macro m(x) %}<b>{{ x }}</b>{% endmacro %}{{ remembered(m, x) }}")
        assert [loaded.fill("a.html", {"x": text}) for text in "<b"] == [b"<b>&lt;</b>", b"<b>b</b>"]

    def test_a_slot_is_no_string(self):
        """No string is made of what stands for a text."""
        with pytest.raises(TypeError, match="printed"):
            str(Slot(1))
        assert Markup("{}").format(Slot(1)) == "\0" + "1 escaped\0"


def test_a_changed_grade_is_a_changed_page():
    """A page from a form has its own grade's figures."""
    grade = made.grade()
    more = msgspec.structs.replace(grade, r_errors=grade.r_errors + 1)
    assert made.TEMPLATES.fill("grade.html", grade_values(grade)) != made.TEMPLATES.fill(
        "grade.html", grade_values(more)
    )
