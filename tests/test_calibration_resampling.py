"""What is drawn again, and the prompt report: each figure by hand."""

from __future__ import annotations

from generator.method.prompts import prompt_report
from generator.method.resampling import cells_of, draw_fleet, equal_endpoints, steady_answer
from generator.records.calibration import CalibrationRule
from generator.records.draws import Draws
from generator.records.observation import Outcome
from generator.records.prompt import Prompt
from generator.workflows.made_nights import MadeAnswer, made_dates, made_night
from tests.method_variants import METHOD

PROMPT = Prompt(prompt_id="p-1", family="p", fixed=True, prompt="p?", expected=None, max_tokens=16)


class TestDraws:
    def test_a_fleet_is_as_large_as_the_model(self) -> None:
        """Endpoints may be drawn twice; a night may not, because held against itself it shows no noise."""
        drawn = [draw_fleet(Draws("s", str(turn)), ("a", "b", "c"), 14, 7) for turn in range(50)]
        assert {len(each.endpoints) for each in drawn} == {3}
        assert {len(set(each.nights)) for each in drawn} == {7}
        assert {night for each in drawn for night in each.nights} == set(range(14))
        assert any(len(set(each.endpoints)) < 3 for each in drawn)

    def test_the_steady_answer(self) -> None:
        """The answer given most often; of several, the first alphabetically."""
        assert steady_answer(["b", "a", "b"]) == "b"
        assert steady_answer(["b", "a"]) == "a"


class TestEqualEndpoints:
    def test_certain_cells_leave_nothing_to_luck(self) -> None:
        """Where all were correct or none was, equal endpoints are 0 points apart."""
        rule = CalibrationRule(draws=4, equal_endpoints=(2, 5))
        found = equal_endpoints("m", [(3, 3), (0, 3)], seed="s", rule=rule)
        assert [(each.endpoints, each.draws, each.hundredths_of_points) for each in found] == [(2, 4, 0), (5, 4, 0)]

    def test_one_even_cell(self) -> None:
        """With one cell of even chance two endpoints differ half the time, and are then 50 points from their average.

        25 points on average: 2,500 hundredths, to which 400 draws come close.
        """
        rule = CalibrationRule(draws=400, equal_endpoints=(2,))
        (found,) = equal_endpoints("m", [(1, 2)], seed="s", rule=rule)
        assert 2200 <= found.hundredths_of_points <= 2800
        assert (found,) == equal_endpoints("m", [(1, 2)], seed="s", rule=rule)

    def test_cells(self) -> None:
        """A cell counts who was correct, of whom; one that nobody began is none."""
        assert cells_of([[True, False, True], [], [False]]) == [(2, 3), (0, 1)]


class TestThePromptReport:
    def report(self, *nights: str) -> tuple[int, ...]:
        """Return the figures of one prompt; a night is one character an endpoint, '!' an error and '.' unsent."""
        tables = []
        for night, cells in zip(made_dates(len(nights)), nights, strict=True):
            outcomes = {"!": Outcome.ERROR, ".": Outcome.UNSENT}
            answers = [
                MadeAnswer(
                    model="m",
                    endpoint=f"e{place}",
                    prompt=PROMPT,
                    outcome=outcomes.get(cell, Outcome.ANSWERED),
                    answer=None if cell in outcomes else cell,
                    correct=None,
                )
                for place, cell in enumerate(cells)
            ]
            precisions: dict[tuple[str, str], str | None] = {("m", f"e{place}"): None for place in range(len(cells))}
            tables.append(made_night(night, answers, [PROMPT], precisions))
        lines = prompt_report(tables, METHOD.definition).prompts
        (line,) = lines or (None,)
        if line is None:
            return ()
        return (
            line.nights_asked,
            line.nights_with_reference,
            line.answered,
            line.gave_reference,
            line.own_pairs,
            line.own_changes,
            line.never_separates,
            line.never_has_a_reference,
        )

    def test_one_that_separates(self) -> None:
        """Two nights with a reference, five of six gave it; of three pairs one changed."""
        assert self.report("aab", "aaa") == (2, 2, 6, 5, 3, 1, False, False)

    def test_one_that_never_separates(self) -> None:
        """Every answer on every night with a reference was the reference."""
        assert self.report("aaa", "aa!", "abc") == (3, 2, 5, 5, 4, 1, True, False)

    def test_one_that_never_has_a_reference(self) -> None:
        """All differ, or two are tied: no reference on any night, and so nothing that could separate."""
        assert self.report("abc", "aabb"[:4]) == (2, 0, 0, 0, 3, 2, False, True)

    def test_a_prompt_that_was_never_sent(self) -> None:
        """A prompt sent to nobody has no line."""
        assert self.report("...") == ()
