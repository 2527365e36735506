"""What charts are drawn with gives the bytes that exact fractions give."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_drawing import plain_figure, plain_strokes

from generator.records.grade import Letter
from generator.site.drawing import Texture, coloured, figure_of, letters, letters_at, textured

POINTS = st.integers(min_value=-40, max_value=900) | st.fractions(min_value=-40, max_value=900, max_denominator=400)
LENGTHS = st.integers(min_value=0, max_value=60) | st.fractions(min_value=0, max_value=60, max_denominator=400)


class TestFigures:
    @given(st.integers() | st.fractions())
    def test_a_figure_is_the_exact_value_to_two_digits(self, value: Fraction | int):
        """Whole or not, small or large, below zero or above."""
        assert figure_of(value) == plain_figure(value)

    def test_halves_go_to_the_even_digit(self):
        """Equal values have equal figures, however they are held."""
        assert [figure_of(Fraction(each, 1000)) for each in (5, 15, 2000, -5)] == ["0", "0.02", "2", "0"]


class TestTextures:
    @given(st.sampled_from(Texture), POINTS, POINTS, LENGTHS, LENGTHS)
    def test_lines_are_those_that_fractions_give(
        self, texture: Texture, x: Fraction | int, y: Fraction | int, width: Fraction | int, height: Fraction | int
    ):
        """To the byte, for every rectangle."""
        (*_, lines) = re.split(r' d="|"/>', textured(texture, x, y, width, height).removesuffix('"/>'))
        assert (lines if "<path" in textured(texture, x, y, width, height) else "") == plain_strokes(
            texture, x, y, width, height
        )

    @pytest.mark.parametrize("texture", [Texture.LEVEL, Texture.DOTS, Texture.UPRIGHT, Texture.SLANT])
    def test_the_narrowest_rectangle_has_a_line(self, texture: Texture):
        """A hundredth of a unit is told from an empty one."""
        assert textured(texture, 1, 1, Fraction(1, 100), Fraction(1, 100)).count("M") == 1


class TestLetters:
    def test_places_as_printed_are_places(self):
        """A line of letters is the same from its places and from what they print as."""
        places = (Fraction(1, 3), 20, Fraction(81, 2))
        assert letters(places, 7, "AA-") == letters_at("0.33 20 40.5", 7, "AA-")
        assert '<tspan class="A">AA</tspan>-' in letters(places, 7, "AA-")

    def test_a_colour_comes_with_dashes_or_without(self):
        """Dashes are named where there are any."""
        assert coloured(Letter.C, "x", "4 2") == '<g class="C" stroke-dasharray="4 2">x</g>'
        assert coloured(Letter.A, "x") == '<g class="A">x</g>'
