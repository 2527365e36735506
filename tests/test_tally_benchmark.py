"""The benchmark's engines agree on every figure, at a size that takes a moment."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks.archive_maker import Size, make
from tests.benchmarks.grading import disagreements, window_figures
from tests.benchmarks.ours import window
from tests.benchmarks.year import our_sums, polars_sums


class TestOursAndTheirsAgree:
    def test_on_every_figure_of_a_window(self, tmp_path: Path) -> None:
        """References, matches, keyed results, outcomes and pairs are the same in four engines, on codes and words."""
        made = make(tmp_path, Size(nights=7, endpoints=40, models=9, prompts=20, seed=3))
        figures = window_figures(made, "ours", "codes", window(made, "codes"))
        assert {name for name, lines in figures.items() if lines} == {
            "match",
            "keyed",
            "outcomes",
            "pairs",
            "references",
        }
        assert sum(mismatches for _, mismatches in figures["match"].values()) > 0
        assert disagreements(made) == []

    def test_on_every_window_of_many_nights(self, tmp_path: Path) -> None:
        """Rolling sums of nightly counts are our windows, in sum and place by place."""
        made = make(tmp_path, Size(nights=12, endpoints=30, models=7, prompts=60, seed=4))
        ours = our_sums(made)
        assert sorted(ours) == [6, 7, 8, 9, 10, 11]
        assert polars_sums(made) == ours
