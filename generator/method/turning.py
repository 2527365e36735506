"""What would have changed the letter: for each column, and for the grade, the nearest condition that was not met.

Each is found by asking the functions that give the letters, and everything else stays as it was
counted. A count that would have been is no measurement, and nothing here says why anything was counted.
"""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction

from generator.method.letters import declared_letter, task_letter, worst
from generator.method.turning_match import match_turns, rank
from generator.method.turning_reliability import reliability_turns
from generator.records.comparison import is_difference
from generator.records.definition import Definition
from generator.records.explanation import Turn
from generator.records.figures import counted
from generator.records.grade import Column, DeclaredState, Grade, Letter
from generator.records.reading import declared_words
from generator.records.telling import listed, were


def turns(grade: Grade, task_floor: Fraction | None, definition: Definition) -> tuple[Turn, ...]:
    """Return what would have changed a grade's letter: the grade as a whole first, then M, T, D and R.

    Args:
        grade: as recorded.
        task_floor: the floor of its keyed families, a ratio; None where nothing is zeroed.
        definition: that it was made under.
    """
    columns = (
        *match_turns(grade, definition),
        *_task_turns(grade, task_floor, definition),
        *_declared_turns(grade, definition),
        *reliability_turns(grade, definition),
    )
    whole = _whole(grade, columns)
    return columns if whole is None else (whole, *columns)


def _whole(grade: Grade, columns: tuple[Turn, ...]) -> Turn | None:
    """Return what the grade would read without its reasons, or with its worst columns at their next letter."""
    read = {column: letter for column in Column if (letter := grade.column_letter(column)) is not None}
    lowest = worst(read.values())
    at_lowest = [column for column, letter in read.items() if letter == lowest]
    if grade.letter == Letter.U:
        reasons = counted(len(grade.unrated_reasons), "reason")
        return Turn(
            column=None,
            letter=lowest,
            words=f"The grade is U for {reasons}; with none it would read {lowest}, the worst of what its measured "
            f"columns read ({listed(at_lowest)})",
        )
    better = {turn.column: turn for turn in columns if turn.column in at_lowest and rank(turn.letter) < rank(lowest)}
    if len(better) < len(at_lowest):
        return None
    reached = worst(better[column].letter if column in better else letter for column, letter in read.items())
    needs = listed(f"{column} at {better[column].letter}" for column in at_lowest)
    return Turn(
        column=None,
        letter=reached,
        words=f"The grade reads {lowest}, the worst of its columns ({listed(at_lowest)}); with {needs} it would read "
        f"{reached}",
    )


def _task_turns(grade: Grade, floor: Fraction | None, definition: Definition) -> tuple[Turn, ...]:
    """Return the counts of correct answers at which T would read otherwise, the best share held as it was."""
    if grade.t_letter is None or grade.t_best_correct is None or grade.t_best_counted is None:
        return ()
    best, letter = Fraction(grade.t_best_correct, grade.t_best_counted), grade.t_letter

    def reached(correct: int) -> Letter:
        shortfall = max(best - Fraction(correct, grade.t_counted), Fraction(0))
        return task_letter(shortfall if is_difference(shortfall, floor) else Fraction(0), definition)

    held = f"of {counted(grade.t_counted, 'counted answer')} correct ({were(grade.t_correct)})"
    share = f"the best share held at {grade.t_best_correct} of {grade.t_best_counted}"
    above, below = range(grade.t_correct + 1, grade.t_counted + 1), range(grade.t_correct - 1, -1, -1)
    # More correct answers never read a worse letter, so the count at which the letter turns is found by halving.
    more = bisect_left(above, True, key=lambda count: rank(reached(count)) < rank(letter))  # noqa: FBT003 - looked for
    fewer = bisect_left(below, True, key=lambda count: rank(reached(count)) > rank(letter))  # noqa: FBT003 - looked for
    found = [("at least", count) for count in above[more : more + 1]]
    found += [("at most", count) for count in below[fewer : fewer + 1]]
    return tuple(
        Turn(
            column=Column.T,
            letter=reached(count),
            words=f"T would read {reached(count)} with {limit} {count} {held}, {share}",
        )
        for limit, count in found
    )


def _declared_turns(grade: Grade, definition: Definition) -> tuple[Turn, ...]:
    conditions = {
        DeclaredState.PRESENT: "one precision declared, the same on every night",
        DeclaredState.ABSENT: "no precision declared on any night",
        DeclaredState.CHANGED: "a change of the declared precision in the window",
    }
    was = declared_words(grade)
    others = [(declared_letter(state, definition), words) for state, words in conditions.items()]
    better = [each for each in others if rank(each[0]) < rank(grade.d_letter or Letter.D)]
    poorer = [each for each in others if rank(each[0]) > rank(grade.d_letter or Letter.D)]
    # What a change of the listing comes to: one precision throughout for the better, any change for the worse.
    nearest = (*better[:1], *poorer[-1:])
    return tuple(
        Turn(column=Column.D, letter=letter, words=f"D would read {letter} with {words} (it was: {was})")
        for letter, words in nearest
    )
