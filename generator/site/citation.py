"""How to cite a grade, as text, BibTeX and CSL-JSON: never the letter without its method version and columns.

Names come from a router and are hostile: nothing in them ends a field, opens a command or hides a character, and none
reads as another once LaTeX has printed it. Sources: BibTeX's brace counting (it counts escaped braces too); LaTeX's
encodings guide, for characters that a font joins or has under another; the CSL-JSON schema 1.0.2, type `dataset`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

import msgspec

from generator.records.grade import Grade
from generator.records.permalink import permalink_path
from generator.records.reading import LETTER_WORDS, NO_LETTER, provisional_words
from generator.settings import Settings
from generator.site.frame import is_replayed_grade
from generator.site.text import visible_plain

_NOT_IN_SCRIPT = re.compile(r"[^ -%'-;=?-~]")
"""'<', '>', '&' and whatever is not ASCII or cannot be seen, as they stand inside a string of JSON."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_BIBTEX: Mapping[str, str] = {
    "\\": r"{\textbackslash}",
    "{": r"{\textbraceleft}",
    "}": r"{\textbraceright}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"{\textasciitilde}",
    "^": r"{\textasciicircum}",
    '"': r"{\textquotedbl}",
    "'": r"{\textquotesingle}",
    "`": r"{\textasciigrave}",
    "<": r"{\textless}",
    ">": r"{\textgreater}",
    "|": r"{\textbar}",
    "-": "-{}",
    ",": ",{}",
}
_NOT_IN_BIBTEX = re.compile(r"""[\\{}$&#%_~^"'`<>|]|-(?=-)|,(?=,)""")
"""Besides what TeX has a meaning for, characters that LaTeX's fonts join with the one that follows: hyphens to a dash,
commas to a quotation mark."""

_ENTRY = """@misc{%s,
  author = {{%s}},
  title = {{%s}},
  year = {%s},
  month = %s,
  note = {%s},
  url = {%s},
}"""
"""A month is one of BibTeX's own words and stands bare."""
_ITEM = """[{
  "id": %s,
  "type": "dataset",
  "title": %s,
  "author": [{"literal": %s}],
  "publisher": %s,
  "issued": {"date-parts": [[%s, %s, %s]]},
  "version": %s,
  "note": %s,
  "URL": %s
}]"""


class Citation(msgspec.Struct, frozen=True, kw_only=True):
    """One grade's citation in the three forms."""

    text: str
    bibtex: str
    csl_json: str


class Named(msgspec.Struct, frozen=True, kw_only=True):
    """What every form of citing a grade repeats, and the head of its page."""

    title: str
    standing: str
    """What the letter says of itself: 'provisional' or 'final', 'candidate', 'replayed'."""
    result: str
    """The grade in one phrase: 'B, within narrow limits, method 0.1 (M A, T B, D A, R A; provisional)'."""
    permalink: str


def permalink(grade: Grade, settings: Settings) -> str:
    """Return the full address of a grade's permanent page."""
    return settings.address + permalink_path(grade.model, grade.endpoint, grade.window_end, grade.method_version)


def named(grade: Grade, settings: Settings) -> Named:
    """Return what every form of citing a grade repeats."""
    standing = standing_words(grade, settings) + (", replayed" if is_replayed_grade(grade, settings) else "")
    return Named(
        title=title(grade), standing=standing, result=_result(grade, standing), permalink=permalink(grade, settings)
    )


def cite(grade: Grade, name: Named, settings: Settings) -> Citation:
    """Return how to cite a grade; each form carries the letter, its version, its columns and the permalink."""
    key = _key(grade)
    return Citation(
        text=_text(grade, name, settings),
        bibtex=_bibtex(grade, name, key, settings),
        csl_json=_csl_json(grade, name, key, settings),
    )


def title(grade: Grade) -> str:
    """Return what a grade is called: model, provider, tag and window, without markup."""
    return (
        f"Grade of {visible_plain(grade.model)} served by {visible_plain(grade.provider)} "
        f"({visible_plain(grade.tag)}), window {grade.window_start.isoformat()} to {grade.window_end.isoformat()}"
    )


def is_candidate(grade: Grade, settings: Settings) -> bool:
    """True where a grade is issued under a version that is graded beside the current one."""
    return grade.method_version != settings.method and grade.method_version in settings.candidates


def standing_words(grade: Grade, settings: Settings) -> str:
    """Return what every letter says of itself: 'provisional' or 'final', and 'candidate' where it is one."""
    return provisional_words(grade) + (", candidate" if is_candidate(grade, settings) else "")


def _result(grade: Grade, standing: str) -> str:
    m, t, d, r = (letter or NO_LETTER for letter in grade.column_letters)
    columns = f"M {m}, T {t}, D {d}, R {r}"
    return f"{grade.letter}, {LETTER_WORDS[grade.letter]}, method {grade.method_version} ({columns}; {standing})"


def script_json(value: Mapping[str, object]) -> str:
    """Return JSON that can stand inside a `<script>` element: ASCII only, and no '<', '>' or '&' in it."""
    text = msgspec.json.encode(value).decode()
    if text.isascii() and not any(character in text for character in "<>&\x7f"):  # Nearly always, and seen at once.
        return text
    return _NOT_IN_SCRIPT.sub(lambda found: "".join(f"\\u{unit}" for unit in _units(found[0])), text)


def _units(character: str) -> list[str]:
    """Return a character's UTF-16 code units, four hexadecimal digits each."""
    return character.encode("utf-16-be").hex(" ", 2).split()


def _text(grade: Grade, name: Named, settings: Settings) -> str:
    return (
        f"{settings.publisher} ({grade.issued.year}). {name.title}: {name.result}. "
        f"Issued {grade.issued.isoformat()}. {name.permalink}"
    )


def _bibtex(grade: Grade, name: Named, key: str, settings: Settings) -> str:
    return _ENTRY % (
        key,
        _escaped(settings.publisher),
        _escaped(name.title),
        grade.issued.year,
        _MONTHS[grade.issued.month - 1],
        _escaped(f"{name.result}. Issued {grade.issued.isoformat()}"),
        name.permalink,
    )


def _csl_json(grade: Grade, name: Named, key: str, settings: Settings) -> str:
    publisher, issued = json.dumps(settings.publisher), grade.issued
    return _ITEM % (
        json.dumps(key),
        json.dumps(name.title),
        publisher,
        publisher,
        issued.year,
        issued.month,
        issued.day,
        json.dumps(grade.method_version),
        json.dumps(name.result),
        json.dumps(name.permalink),
    )


def _key(grade: Grade) -> str:
    """Return an ASCII key that no other grade has: made from the permalink, whose segments are plain."""
    path = permalink_path(grade.model, grade.endpoint, grade.window_end, grade.method_version)
    return "bitdepth:" + path.removeprefix("grades/").strip("/").replace("/", ":")


def _escaped(text: str) -> str:
    return _NOT_IN_BIBTEX.sub(lambda found: _BIBTEX[found[0]], text)
