"""The README: its links lead somewhere, its picture is there and small, its table of letters is the definition's."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from guide_blocks import GUIDE, ROOT, chapters
from markdown_it import MarkdownIt

from generator.content import Content
from generator.records.grade import Letter
from generator.records.reading import LETTER_WORDS

README = ROOT / "README.md"
TEXT = README.read_text("utf-8")
MOST_BYTES = 150_000
WHERE = {path: (ROOT / path).parent for path in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")}


def addresses(markdown: str) -> list[tuple[str, str]]:
    """Return the kind and the address of each link and picture of a text."""
    found = []
    for token in MarkdownIt("commonmark").enable("table").parse(markdown):
        for child in token.children or ():
            if child.type == "link_open":
                found.append(("link", str(child.attrs["href"])))
            elif child.type == "image":
                found.append(("image", str(child.attrs["src"])))
    return found


@pytest.mark.parametrize("name", WHERE)
def test_every_relative_link_leads_to_a_file(name: str):
    """What the documents of the repository link within it is there."""
    for _, address in addresses((ROOT / name).read_text("utf-8")):
        if not re.match(r"[a-z]+:", address):
            assert (WHERE[name] / address.partition("#")[0]).exists(), address


def test_every_chapter_of_the_guide_is_linked():
    """A reader of the README finds each, but for the list that the site has."""
    linked = {address for _, address in addresses(TEXT)}
    missing = [name for name in chapters() if f"content/pages/guide/{name}.md" not in linked]
    assert set(missing) <= {"index", "scale"}


def test_the_picture_is_small_and_told_in_words():
    """A PNG of at most 150 kB, whose words say what it shows."""
    ((_, source),) = [each for each in addresses(TEXT) if each[0] == "image"]
    data = (ROOT / source).read_bytes()
    assert data.startswith(b"\x89PNG")
    assert len(data) <= MOST_BYTES
    told = re.search(r"!\[(.*?)\]", TEXT, re.DOTALL)
    assert told is not None
    assert "replayed from a recording" in " ".join(told[1].split())


def test_the_letters_and_their_limits_are_those_of_the_definition():
    """The table holds each letter's word and the numbers that version 0.1 grades by."""
    rows = dict(re.findall(r"^\| \*\*([A-U])\*\* (.*)$", TEXT, re.MULTILINE))
    for letter, words in LETTER_WORDS.items():
        assert words in rows[letter.value]
    letters = Content(ROOT).method("0.1").definition.letters
    for letter in (Letter.A, Letter.B, Letter.C):
        row = rows[letter.value]
        assert f"at most {letters.T[letter].max_points} points" in row
        assert f"errors under {letters.R[letter].errors_below_percent} %" in row
    assert f"truncation under {letters.R[Letter.A].truncation_below_percent} %, misrouted 0" in rows["A"]
    assert f"outside on 1 to {letters.M[Letter.C].max_nights_outside} nights" in rows["C"]


def test_every_command_is_named_and_every_named_command_is_there():
    """The README and the program speak of the same commands."""
    done = subprocess.run([sys.executable, "-m", "generator", "--help"], capture_output=True, text=True, check=True)
    commands = set(re.findall(r"^  ([a-z]+) {2,}\S", done.stdout.partition("Commands:")[2], re.MULTILINE))
    named = set(re.findall(r"(?:^|`)bitdepth ([a-z]+)", TEXT, re.MULTILINE))
    assert named - commands == set()
    assert commands - named <= {"log", "due", "take", "summary", "witness"}, (
        "commands of the workflows stand in the guide"
    )


def test_no_chapter_is_without_a_way_in():
    """Each chapter begins with a title and a paragraph that says what it is about: the list of chapters prints both."""
    for name in chapters():
        head = (GUIDE / f"{name}.md").read_text("utf-8").split("\n\n")[:2]
        assert head[0].startswith("# ")
        assert head[1][0].isalnum(), name
