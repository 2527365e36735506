"""The estimators against hand formulas, over any values: floor, stability, window, void, worst."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from generator.method.disagreement import floor, stable
from generator.method.letters import worst
from generator.method.window import is_void, window_nights
from generator.records.grade import Letter
from tests.method_archive import FIRST
from tests.method_variants import METHOD, varied
from tests.method_window import median, percentile

RATIOS = st.lists(st.fractions(0, 1, max_denominator=60), min_size=1, max_size=12)


class TestTheFloorIsTheLowerPercentile:
    @given(values=RATIOS)
    def test_it_is_the_value_that_the_rule_names(self, values: list[Fraction]) -> None:
        """Index floor(0.75 (n - 1)) of the sorted values, in whole numbers: 3 (n - 1) // 4."""
        assert floor(values, METHOD.definition) == sorted(values)[3 * (len(values) - 1) // 4]

    @given(values=RATIOS, percent=st.decimals(0, 100, places=1))
    def test_any_percentile(self, values: list[Fraction], percent: object) -> None:
        """Under any percentile it is one of the values, never something between two."""
        method = varied({"floor.percentile": f"{percent}"}) if f"{percent}" != "75.0" else METHOD
        found = floor(values, method.definition)
        assert found in values
        assert found == percentile(values, Fraction(method.definition.floor.percentile))

    @given(values=RATIOS, data=st.data())
    def test_it_never_falls_where_a_value_rises(self, values: list[Fraction], data: st.DataObject) -> None:
        """A value that rises, or one more that is not smaller than any, never lowers the floor."""
        i = data.draw(st.integers(0, len(values) - 1))
        risen = [*values[:i], values[i] + data.draw(st.fractions(0, 1, max_denominator=60)), *values[i + 1 :]]
        before = floor(values, METHOD.definition)
        assert floor(risen, METHOD.definition) >= before
        assert floor([*values, max(values)], METHOD.definition) >= before

    @given(values=RATIOS)
    def test_order_is_nothing(self, values: list[Fraction]) -> None:
        """The values in any order give one floor and one answer on stability."""
        assert floor(values[::-1], METHOD.definition) == floor(values, METHOD.definition)
        assert stable(values[::-1], METHOD.definition) is stable(values, METHOD.definition)

    @given(values=RATIOS)
    def test_stable_is_a_median_of_90_or_more(self, values: list[Fraction]) -> None:
        """The median of the self-agreements, the middle two averaged, at or above 90 %."""
        agreements = [100 * (1 - value) for value in values]
        assert stable(values, METHOD.definition) is (median(agreements) >= 90)


class TestWindows:
    @given(gaps=st.lists(st.integers(1, 5), min_size=1, max_size=15), data=st.data())
    def test_a_window_is_the_last_of_its_nights(self, gaps: list[int], data: st.DataObject) -> None:
        """At most seven, all within ten days of the end, and none left out that could be in."""
        days = [sum(gaps[: i + 1]) for i in range(len(gaps))]
        recorded = [FIRST.fromordinal(FIRST.toordinal() + day) for day in days]
        end = data.draw(st.sampled_from(recorded))
        near = [night for night in recorded if night <= end and (end - night).days <= 9]
        assert window_nights(recorded, end, METHOD.definition) == tuple(near[-7:])

    @given(planned=st.integers(1, 10**6), data=st.data())
    def test_void_is_under_half(self, planned: int, data: st.DataObject) -> None:
        """Fewer than half of the planned observations, exactly."""
        sent = data.draw(st.integers(0, planned))
        assert is_void(planned, sent, METHOD.definition) is (2 * sent < planned)

    @given(letters=st.lists(st.sampled_from("ABCD"), min_size=1, max_size=4))
    def test_the_worst_of_some_letters(self, letters: list[str]) -> None:
        """The last in the alphabet of those there are."""
        assert worst([Letter(letter) for letter in letters]) == max(letters)
