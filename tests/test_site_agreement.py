"""Who agreed with whom: counts of each pair, 'within noise' by exact floors alone, readable for two and for forty."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import msgspec
import picture_reader as seen
import pytest
import site_material as made

from generator.records.definition import Definition, MarginRule
from generator.records.grade import MatchFamily
from generator.site import agreement_view, endpoint_views, matrix_chart
from generator.site.drawing import About
from generator.site.interface import Agreement, Material, ModelMaterial
from generator.site.library import arrange
from generator.site.matrix_chart import Cell

ABOUT = About(name="x", title="Who", description="What.")
PLAIN = made.method().definition
MARGIN = made.method("0.2", margin=MarginRule(level=1)).definition
NAMES = ("Alder", "Birch", "Cedar", "Dogwood", "Elm")
HOSTILE = "</svg><script>alert(1)</script>\u202exet" + "x" * 90


def cells(count: int, both: int = 735) -> dict[tuple[int, int], Cell]:
    """Return every pair but each ninth, each third of them within noise."""
    return {
        pair: Cell(same=both - place % both, both=both, words=None if place % 3 else "within noise")
        for place, pair in enumerate(combinations(range(count), 2))
        if place % 9 != 8
    }


def square(names: tuple[str, ...], shown: dict[tuple[int, int], Cell]) -> seen.Element:
    """Return the tree of a half square."""
    return seen.tree(matrix_chart.chart(ABOUT, names, shown))


SHAPES = [
    pytest.param(tuple(f"P{place}" for place in range(count)), cells(count, both), id=f"{count} of {both}")
    for count, both in ((2, 735), (5, 735), (7, 735), (7, 8400), (8, 12), (20, 735), (40, 735), (40, 23_520))
]


class TestHalfSquare:
    """'the matrix of who agreed with whom for a model (counts; cells within the floor read within noise)'."""

    @pytest.mark.parametrize(("names", "shown"), SHAPES)
    def test_nothing_lies_outside_or_on_something_else(
        self, names: tuple[str, ...], shown: dict[tuple[int, int], Cell]
    ):
        """Every mark lies inside the view box, and no text stands on another."""
        drawn = square(names, shown)
        assert seen.outside(drawn) == []
        assert seen.overlapping(drawn) == []

    @pytest.mark.parametrize(("names", "shown"), SHAPES)
    def test_each_square_holds_its_pairs_counts(self, names: tuple[str, ...], shown: dict[tuple[int, int], Cell]):
        """A square stands below its column's name and before its row's; a pair without a common prompt has none."""
        drawn = square(names, shown)
        name_feet = {text: (x, y) for text, x, _, y in seen.boxes(drawn) if " P" in text}
        columns = [name_feet[f"{place + 1} {name}"][0] for place, name in enumerate(names)]
        squares = self.corners(drawn, "squares")
        said = [[each.text or "", *(part.text or "" for part in each)] for each in drawn.iterfind(".//g/text")]
        assert len(squares) == len(said) == len(shown)
        for ((column, _), cell), (x, _), lines in zip(sorted(shown.items()), squares, said, strict=True):
            assert x + 3 == columns[column]
            assert [line.replace(",", "").removeprefix("of ") for line in lines[:2]] == [str(cell.same), str(cell.both)]

    @pytest.mark.parametrize(("names", "shown"), SHAPES)
    def test_a_ruled_foot_stands_in_the_squares_within_noise(
        self, names: tuple[str, ...], shown: dict[tuple[int, int], Cell]
    ):
        """Three lines mark exactly the pairs that read so; where there is room, the words stand above them."""
        drawn = square(names, shown)
        quiet = [pair for pair, cell in shown.items() if cell.words]
        feet = next(path.get("d", "") for path in drawn.iter("path") if path.get("class") == "feet")
        assert feet.count("M") == 3 * len(quiet)
        words = [text for text in seen.texts(drawn) if text in {"within", "noise"}]
        assert words == (["within", "noise"] * len(quiet) if len(names) < 20 else [])

    def test_seven_fit_every_chart_and_eight_are_wider(self):
        """A large square is as wide as its counts need, and says its width so that it is never drawn larger."""
        assert square(NAMES, cells(5)).get("class") == "wide"
        large = square(tuple(map(str, range(8))), cells(8))
        assert (large.get("class"), large.get("width")) == ("grid", str(-(-int(seen.size(large)[0]) * 9 // 8)))

    def test_counts_too_long_for_words_make_a_square_large(self):
        """Seven endpoints that answered 8,400 prompts each are drawn like eight."""
        assert square(tuple("abcdefg"), cells(7, 8400)).get("class") == "grid"

    def test_no_pair_within_noise_draws_no_foot(self):
        """Without a foot there is no empty path."""
        drawn = square(("a", "b"), {(0, 1): Cell(same=1, both=2, words=None)})
        assert [path.get("class") for path in drawn.iter("path")] == ["squares"]
        assert "counts alone" not in seen.texts(drawn)

    @pytest.mark.parametrize(("names", "shown"), SHAPES)
    def test_the_key_says_what_a_mark_means(self, names: tuple[str, ...], shown: dict[tuple[int, int], Cell]):
        """Beside a sample with a ruled foot stands 'within noise', beside a plain one 'counts alone'."""
        said = seen.texts(square(names, shown))
        assert said[-2:] == ["within noise", "counts alone"] or not any(cell.words for cell in shown.values())
        figures = "same answers, of prompts that both answered" if len(names) < 20 else None
        assert (figures or "upper: same answers; lower: both answered") in said

    def test_forty_stay_below_a_hundred_kilobytes(self):
        """780 pairs take as many bytes as a photograph of a stamp."""
        assert len(matrix_chart.chart(ABOUT, [HOSTILE] * 40, cells(40)).encode()) < 100_000

    @pytest.mark.parametrize("count", [2, 7, 20])
    def test_hostile_names_are_shown_and_shortened(self, count: int):
        """Markup in a name is text, what hides is shown, and no name runs out of the picture."""
        drawn = square((HOSTILE,) * count, cells(count))
        assert list(drawn.iter("script")) == []
        assert "\u202e" not in "".join(seen.texts(drawn))
        assert seen.outside(drawn) == []

    @staticmethod
    def corners(drawn: seen.Element, kind: str) -> list[tuple[float, float]]:
        """Return the upper left corner of every square."""
        d = next(path.get("d", "") for path in drawn.iter("path") if path.get("class") == kind)
        return [seen.points("M" + each)[0] for each in d.split("M")[1:]]


class TestWithinNoise:
    """'the decision must be exact fractions, from the model's floors of that window'."""

    def pair(self, *families: tuple[str, int, int]) -> Agreement:
        """Return a pair with counts of families."""
        same, both = sum(each[1] for each in families), sum(each[2] for each in families)
        return Agreement(first="a", second="b", same=same, both=both, families=families)

    @pytest.mark.parametrize(("same", "words"), [(93, "within noise"), (92, None)])
    def test_on_the_floor_is_within(self, same: int, words: str | None):
        """Of 98 prompts a floor of 5/98 allows five to differ, exactly; a sixth stands as a count alone."""
        read = agreement_view.cell(self.pair(("copy", same, 98)), {"copy": Fraction(5, 98)}, PLAIN)
        assert read == Cell(same=same, both=98, words=words)

    def test_families_are_pooled_and_those_without_a_floor_left_out(self):
        """What differs in a family without a floor is counted, and neither allows nor forbids anything."""
        floors = {"copy": Fraction(1, 10), "sort": Fraction(0)}
        pair = self.pair(("arith", 0, 50), ("copy", 19, 20), ("sort", 19, 20))
        assert agreement_view.cell(pair, floors, PLAIN) == Cell(same=38, both=90, words="within noise")
        worse = self.pair(("arith", 50, 50), ("copy", 18, 20), ("sort", 19, 20))
        assert agreement_view.cell(worse, floors, PLAIN).words is None

    def test_without_a_floor_counts_stand_alone(self):
        """Answers that are all the same are not called within noise either where nothing says how much noise is."""
        assert agreement_view.cell(self.pair(("arith", 50, 50)), {"copy": Fraction(1)}, PLAIN).words is None

    @pytest.mark.parametrize(("definition", "words"), [(PLAIN, None), (MARGIN, "within noise")])
    def test_a_margin_of_the_version_holds_here_too(self, definition: Definition, words: str | None):
        """Six of 98 where five are allowed is no more than chance at one percent."""
        read = agreement_view.cell(self.pair(("copy", 92, 98)), {"copy": Fraction(5, 98)}, definition)
        assert read.words == words


class TestModelPage:
    @staticmethod
    def material(nights: tuple[made.date, ...], floor: Fraction | None = Fraction(1, 10)) -> Material:
        """Return material whose endpoints of one model all agreed on 66 to 75 of 75 prompts over some nights."""
        family = MatchFamily(
            family="copy",
            stable=True,
            floor_numerator=None if floor is None else floor.numerator,
            floor_denominator=None if floor is None else floor.denominator,
            prompts=84,
            mismatches=0,
            pairs=72,
            pairs_differing=0,
        )
        grades = tuple(
            msgspec.structs.replace(each, m_family=(family,) if each.m_family else ()) for each in made.kinds()
        )
        pairs = tuple(
            Agreement(
                first=first.casefold(), second=second.casefold(), same=same, both=75, families=(("copy", same, 75),)
            )
            for same, (first, second) in enumerate(combinations(NAMES, 2), start=66)
        )
        gone = Agreement(first="alder", second="zelkova", same=1, both=1)
        return made.material(
            grades=grades, models=(ModelMaterial(model=made.TREES, agreements=(*pairs, gone), nights=nights),)
        )

    @staticmethod
    def page(material: Material) -> bytes:
        """Return the model's page."""
        pages = endpoint_views.render(arrange(material), made.TEMPLATES)
        return next(body for path, body in pages if path == "models/google/gemma-3-270m/index.html")

    def test_table_and_squares_say_the_same(self):
        """Every square's counts and words stand in both endpoints' rows, in the order of the page."""
        body = self.page(self.material(made.RECORDED[-7:]))
        (drawn,) = seen.on(body)
        squares = [[each.text or "", *(part.text or "" for part in each)] for each in drawn.iterfind(".//g/text")]
        text = made.page_text(body)
        # Seven and a half of 75 may differ: from 68 on a pair reads within noise.
        for same, (first, second) in enumerate(combinations(NAMES, 2), start=66):
            words = ["within", "noise"] if same >= 68 else []
            assert [str(same), "of 75", *words] in squares
            for name in (first, second):
                assert f"{name} {same} / 75" + (", within noise" if words else "") in text
        assert text.count("within noise") == 16 + 2 + 1 + 1
        counted = "8 of them within noise; 66 to 75 same answers, 75 prompts that both answered."
        assert seen.said(drawn)[1] == f"5 endpoints, 10 pairs, {counted}"

    @pytest.mark.parametrize(
        ("nights", "floor"),
        [(made.RECORDED[-6:], Fraction(1, 10)), ((), Fraction(1, 10)), (made.RECORDED[-7:], None)],
        ids=["another window", "no nights", "no floor"],
    )
    def test_other_nights_floors_say_nothing(self, nights: tuple[made.date, ...], floor: Fraction | None):
        """Floors of another window, or none at all: counts, and not one word on noise."""
        text = made.page_text(self.page(self.material(nights, floor)))
        assert "Alder alder/int4 Birch 66 / 75 Cedar 67 / 75" in text
        assert "within noise" not in text.split("Who agreed with whom")[1]

    def test_an_endpoint_that_no_page_has_is_left_out(self):
        """A pair with an endpoint that is not on the page stands nowhere."""
        assert "zelkova" not in made.page_text(self.page(self.material(()))).casefold()

    def test_without_a_pair_there_is_no_section(self):
        """A model whose endpoints never answered the same prompt has no square."""
        body = self.page(made.material(models=()))
        assert "Who agreed with whom" not in made.page_text(body)
        alone = Agreement(first="alder", second="zelkova", same=1, both=1)
        one = ModelMaterial(model=made.TREES, agreements=(alone,))
        assert "Who agreed with whom" not in made.page_text(self.page(made.material(models=(one,))))

    def test_a_large_table_is_folded(self):
        """Past eight endpoints the table opens on demand."""
        grades = tuple(made.grade(f"host-{place:02}", f"Host {place:02}") for place in range(9))
        pairs = tuple(
            Agreement(first=first.endpoint, second=second.endpoint, same=1, both=2)
            for first, second in combinations(grades, 2)
        )
        model = ModelMaterial(model=made.TREES, agreements=pairs)
        body = self.page(made.material(grades=grades, nights=(), models=(model,), explanations={}))
        folded = [made.text_of(table) for details in made.parsed(body).iter("details") for table in details]
        assert any("9 Host 08" in text for text in folded)
