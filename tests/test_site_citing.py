"""How to cite a grade, read by the programs that people cite with: pybtex, latexcodec, and what CSL 1.0.2 asks."""

from __future__ import annotations

import codecs
import json
import re
from pathlib import Path

import hostile_payloads
import jsonschema
import latexcodec  # noqa: F401 - registers 'ulatex'
import lxml.html
import pybtex
import pytest
import site_material as made
from pybtex.database import Entry, parse_string

from generator.records.grade import Grade
from generator.settings import Settings
from generator.site.citation import Citation, cite, named

LIVE, DEMO = made.material(), made.demo_material()
GRADES = [
    pytest.param(grade, of.settings, id=f"{name}-{grade.endpoint}-{grade.window_end}-{grade.method_version}")
    for name, of in (("live", LIVE), ("demo", DEMO))
    for grade in of.grades
]
LATEX = {
    "textasciicircum": "^",
    "textasciigrave": "`",
    "textbackslash": "\\",
    "textbar": "|",
    "textbraceleft": "{",
    "textbraceright": "}",
    "textgreater": ">",
    "textless": "<",
    "textquotedbl": '"',
    "textquotesingle": "'",
}
"""LaTeX's own commands that latexcodec does not know, or leaves half read, and what each prints."""
CSL = {
    "type": "array",
    "minItems": 1,
    "maxItems": 1,
    "items": {
        "type": "object",
        "required": ["id", "type", "title", "author", "issued", "URL"],
        "additionalProperties": False,
        "properties": {
            "id": {"type": "string", "pattern": "^[!-~]+$"},
            "type": {"const": "dataset"},
            "title": {"type": "string", "minLength": 1},
            "author": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "required": ["literal"],
                    "additionalProperties": False,
                    "properties": {"literal": {"type": "string", "minLength": 1}},
                },
            },
            "issued": {
                "type": "object",
                "required": ["date-parts"],
                "additionalProperties": False,
                "properties": {
                    "date-parts": {
                        "type": "array",
                        "minItems": 1,
                        "maxItems": 1,
                        "items": {
                            "type": "array",
                            "minItems": 3,
                            "maxItems": 3,
                            "prefixItems": [
                                {"type": "integer", "minimum": 2026, "maximum": 9999},
                                {"type": "integer", "minimum": 1, "maximum": 12},
                                {"type": "integer", "minimum": 1, "maximum": 31},
                            ],
                        },
                    }
                },
            },
            "publisher": {"type": "string"},
            "version": {"type": "string"},
            "note": {"type": "string"},
            "URL": {"type": "string", "pattern": "^https?://[!-~]+/$"},
        },
    },
}
"""What CSL-JSON 1.0.2 allows a data set to have, as far as these have it: nothing of it is 'accessed'."""


def cited(grade: Grade, settings: Settings) -> Citation:
    """Return a grade's citation."""
    return cite(grade, named(grade, settings), settings)


def entry_of(bibtex: str) -> tuple[str, Entry]:
    """Return the one entry that pybtex reads, with its key."""
    ((key, entry),) = parse_string(bibtex, "bibtex").entries.items()
    return key, entry


def printed(latex: str) -> str:
    """Return the text that LaTeX prints for a field: ligatures and commands read, groups dropped."""
    places = {chr(0xE000 + index): text for index, text in enumerate(LATEX.values())}
    commands = dict(zip(LATEX, places, strict=True))
    held = re.sub(r"\\(text[a-z]+)", lambda found: commands.get(found[1], found[0]), latex.replace(r"\$", "$"))
    text = codecs.decode(held, "ulatex")
    return re.sub("[\ue000-\ue0ff]", lambda found: places[found[0]], re.sub(r"[{}]", "", text))


class TestTheReader:
    """What these tests read LaTeX with reads it as LaTeX does."""

    @pytest.mark.parametrize(
        ("latex", "text"),
        [
            (r"{\textbackslash}input", "\\input"),
            (r"\& \% \$ \# \_", "& % $ # _"),
            ("a--b", "a\N{EN DASH}b"),
            ("a-{}-b", "a--b"),
            ("``x''", "\N{LEFT DOUBLE QUOTATION MARK}x\N{RIGHT DOUBLE QUOTATION MARK}"),
            (r"{\textasciitilde}x{\textasciicircum}", "~x^"),
            (r"{\textbraceleft}{\textbraceright}", "{}"),
        ],
    )
    def test_commands_and_ligatures(self, latex: str, text: str):
        """Commands print their character, and characters that LaTeX joins are joined."""
        assert printed(latex) == text


class TestBibTeX:
    """'pybtex reads the BibTeX'."""

    @pytest.mark.parametrize(("grade", "settings"), GRADES)
    def test_every_field_reads_back(self, grade: Grade, settings: Settings):
        """Author, title, year, month, note and address read back as they are, whatever a router calls its providers."""
        name = named(grade, settings)
        key, entry = entry_of(cited(grade, settings).bibtex)
        assert key.isascii()
        assert entry.type == "misc"
        (author,) = entry.persons["author"]
        assert author.first_names == author.middle_names == author.prelast_names == author.lineage_names == []
        assert [printed(part) for part in author.last_names] == [settings.publisher]
        assert printed(entry.fields["title"]) == name.title
        assert printed(entry.fields["note"]) == f"{name.result}. Issued {grade.issued.isoformat()}"
        assert entry.fields["year"] == str(grade.issued.year)
        assert entry.fields["month"] == grade.issued.strftime("%B")
        assert entry.fields["url"] == made.address(grade)
        assert set(entry.fields) == {"title", "note", "year", "month", "url"}

    @pytest.mark.parametrize(("grade", "settings"), GRADES)
    def test_no_name_opens_a_command_or_ends_a_group(self, grade: Grade, settings: Settings):
        """Of a stranger's text no command is left but those that print one character, and groups close in order."""
        bibtex = cited(grade, settings).bibtex
        commands = set(re.findall(r"\\(?:[a-zA-Z]+|.)", bibtex))
        assert commands <= {rf"\{name}" for name in LATEX} | {r"\textasciitilde", r"\&", r"\%", r"\$", r"\#", r"\_"}
        depth = 0
        for character in bibtex:
            depth += {"{": 1, "}": -1}.get(character, 0)
            assert depth >= 0
        assert depth == 0

    @pytest.mark.parametrize(
        "name",
        [
            "a--b---c",
            "``q'' ?` !`",
            "<<x>> ,,y",
            "it's | <b>",
            "100% of $5 & #1_a",
            '~^\\{}"',
            "\N{EN DASH} \u00e9\u5b57",
        ],
    )
    def test_no_ligature_changes_a_name(self, name: str):
        """Characters that LaTeX would join or turn into others are kept apart."""
        grade = made.grade(provider=name)
        _, entry = entry_of(cited(grade, LIVE.settings).bibtex)
        assert printed(entry.fields["title"]) == named(grade, LIVE.settings).title

    def test_every_payload_reads_back(self):
        """Five hundred names that mean harm, as provider and as tag, are printed as the page's title has them."""
        for payload in hostile_payloads.payloads():
            grade = made.grade(provider=payload.text, tag=payload.text)
            _, entry = entry_of(cited(grade, LIVE.settings).bibtex)
            assert printed(entry.fields["title"]) == named(grade, LIVE.settings).title

    def test_a_reference_list(self):
        """A plain style of pybtex's own prints an entry with who, what, when, where and the whole result."""
        grade = made.kinds()[1]
        listed = pybtex.format_from_string(
            cited(grade, LIVE.settings).bibtex, style="unsrt", output_backend="plaintext", capfirst=False
        )
        said = " ".join(listed.split())
        assert "bitdepth & friends" in said
        assert "Grade of google/gemma-3-270m served by Birch (birch/int4)" in said
        assert "November 2026" in said
        assert made.address(grade) in said
        assert "B, within narrow limits, method 0.1 (M A, T B, D A, R A; provisional)" in said

    def test_keys_differ(self):
        """No two grades have one key: a list of all of them has as many entries."""
        every = "\n\n".join(cited(grade, LIVE.settings).bibtex for grade in LIVE.grades)
        assert len(parse_string(every, "bibtex").entries) == len(tuple(LIVE.grades)) > 15


class TestCsl:
    """'CSL-JSON' by what CSL 1.0.2 asks of an item."""

    @pytest.mark.parametrize(("grade", "settings"), GRADES)
    def test_is_a_valid_item_that_reads_back(self, grade: Grade, settings: Settings):
        """One item with id, type, author, title, date of issue, version and address, and nothing that CSL lacks."""
        text = cited(grade, settings).csl_json
        assert text.isascii()
        item_list = json.loads(text)
        jsonschema.Draft202012Validator(CSL).validate(item_list)
        (item,) = item_list
        name = named(grade, settings)
        assert item["title"] == name.title
        assert item["note"] == name.result
        assert item["author"] == [{"literal": settings.publisher}]
        assert item["issued"]["date-parts"] == [[grade.issued.year, grade.issued.month, grade.issued.day]]
        assert item["version"] == grade.method_version
        assert item["URL"] == made.address(grade)
        assert item["id"] == entry_of(cited(grade, settings).bibtex)[0]

    def test_the_schema_refuses(self):
        """What these items are held against refuses one without a date, and one with a member of nobody's."""
        (item,) = json.loads(cited(made.grade(), LIVE.settings).csl_json)
        for harm in ({"issued": {}}, {"accessed": {"date-parts": [[2026, 11, 28]]}}, {"type": "grade"}):
            with pytest.raises(jsonschema.ValidationError):
                jsonschema.Draft202012Validator(CSL).validate([item | harm])


class TestReplayed:
    """A grade of replayed answers says so wherever it is cited."""

    @pytest.mark.parametrize("grade", [pytest.param(each, id=each.endpoint) for each in made.kinds()])
    def test_each_form_says_replayed(self, grade: Grade):
        """On the demo's site each form says 'replayed'; on a live site none does."""
        for form in _forms(cited(grade, DEMO.settings)):
            assert "; provisional, replayed)" in form
        for form in _forms(cited(grade, LIVE.settings)):
            assert "replayed" not in form


def _forms(citation: Citation) -> tuple[str, str, str]:
    return citation.text, citation.bibtex, citation.csl_json


@pytest.mark.ci
class TestTheDemo:
    """Every permanent page of the demo, as laid out."""

    def test_what_stands_on_each_page_is_read(self, demo: Path):
        """The BibTeX and the CSL-JSON in every page's text parse, agree, and name the page's own address."""
        pages = sorted((demo / "site" / "grades").glob("**/v*/index.html"))
        assert len(pages) > 100
        for page in pages:
            tree = lxml.html.document_fromstring(page.read_bytes())
            bibtex, csl = (
                str(tree.xpath(f"string(//h3[@id='{name}']/following::pre[1])")) for name in ("bibtex", "csl-json")
            )
            key, entry = entry_of(bibtex)
            (item,) = json.loads(csl)
            jsonschema.Draft202012Validator(CSL).validate([item])
            (canonical,) = tree.xpath("//link[@rel='canonical']/@href")
            assert entry.fields["url"] == item["URL"] == canonical
            assert canonical.endswith("/" + page.parent.relative_to(demo / "site").as_posix() + "/")
            assert (key, printed(entry.fields["title"])) == (item["id"], item["title"])
            assert item["note"].endswith(", replayed)")
