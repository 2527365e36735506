"""The style: contrast in both modes, five letters told apart without colour, and nothing fetched or moving."""

from __future__ import annotations

import re

import pytest
import site_material as made

STYLE = (made.ROOT / "templates/style.css").read_text("utf-8")
LETTERS = "abcdu"


def colours(mode: str) -> dict[str, str]:
    """Return the named colours of a mode: light, dark or print."""
    blocks = [dict(re.findall(r"--(\w+):(#[0-9a-f]{6}|#[0-9a-f]{3})\b", block)) for block in _roots()]
    return {name: _long(value) for name, value in blocks[("light", "dark", "print").index(mode)].items()}


def _roots() -> list[str]:
    return re.findall(r":root\{([^}]*)\}", STYLE)


def _long(colour: str) -> str:
    return colour if len(colour) == 7 else "#" + "".join(digit * 2 for digit in colour[1:])


def luminance(colour: str) -> float:
    """Return relative luminance as WCAG 2.2 defines it."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """Return the WCAG contrast ratio of two colours."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("mode", ["light", "dark", "print"])
class TestContrast:
    """'WCAG 2.2 AA contrast in both modes', and in print."""

    def test_text(self, mode: str):
        """Every colour that text is set in stands at 4.5 to 1 or more against both grounds."""
        found = colours(mode)
        for name in ("ink", "soft", "link", *LETTERS):
            assert contrast(found[name], found["bg"]) >= 4.5, name
            assert contrast(found[name], found["code"]) >= 4.5, name

    def test_rules_that_carry_meaning(self, mode: str):
        """The firmer rules and the marks round escapes stand at 3 to 1 or more."""
        assert contrast(colours(mode)["firm"], colours(mode)["bg"]) >= 3


class TestLetters:
    """'five quiet colours that survive colour blindness and grey print, each with its own border pattern'."""

    def test_five_colours_and_five_patterns(self):
        """No two letters share a colour or a border pattern."""
        patterns = {
            letter: re.search(rf"\n\.{letter.upper()}{{.*border-style:([a-z ]+)}}", STYLE) for letter in LETTERS
        }
        found = {letter: match.group(1) for letter, match in patterns.items() if match}
        assert found == {"a": "solid", "b": "double", "c": "dashed", "d": "dotted", "u": "solid none"}
        for mode in ("light", "dark"):
            assert len({colours(mode)[letter] for letter in LETTERS}) == 5

    def test_letter_stands_in_text(self):
        """Wherever a letter's colour is used, the letter stands inside."""
        for path, body in made.sites()["live"].items():
            for element in made.parsed(body).iter() if path.endswith(".html") else ():
                classes = element.get("class", "").split()
                if classes[:1] in (["mark"], ["glyph"]):
                    assert made.text_of(element)[0] == classes[1]


class TestNothingMoves:
    """'Nothing moves, nothing sells'; 'system fonts only'."""

    @pytest.mark.parametrize("word", ["animation", "transition", "@font-face", "url(", "@import", "expression"])
    def test_absent(self, word: str):
        """The style neither moves nor fetches."""
        assert word not in STYLE
