"""A grade explained in the terminal: all four columns in short, or one of them down to the single prompt.

Prompts and answers are strangers' text: each has a line of its own, to its end, with nothing invisible in it, so that
none of them can pass for a line of ours.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

from rich.console import Console
from rich.text import Text

from generator.records.explanation import ExplainedDeclared, ExplainedReliability, ExplainedTask, Explanation, Failure
from generator.records.figures import counted
from generator.records.grade import Column
from generator.records.observation import Outcome
from generator.records.reading import COLUMN_WORDS, NO_LETTER, change_words, provisional_words, short_form
from generator.site.text import visible_plain
from generator.terminal.explained_match import Say, say_match, told

_INDENT = 2


def print_explanation(console: Console, explanation: Explanation, columns: Collection[Column]) -> None:
    """Print an explanation.

    Args:
        console: where.
        explanation: of one grade.
        columns: the ones to print; a single one is printed prompt by prompt.
    """
    say, whole = partial(_say, console), len(columns) == 1
    shown = explanation.only(frozenset(columns))
    _say_grade(shown, say)
    _say_nights(shown, say)
    for column in Column:
        if column not in columns:
            continue
        letter = shown.grade.column_letter(column) or NO_LETTER
        say("", 0)
        say(f"{column} {letter}, {COLUMN_WORDS[column]}: {_words(shown, column)}", 0)
        _say_column(shown, column, say, whole=whole)
    say("", 0)
    say("Every figure above was counted again from the nights, and equals what is recorded.", 0)
    if not whole:
        say("With --column each prompt, key and answer of a column is printed; with --json, everything.", 0)


def _say(console: Console, line: str, indent: int) -> None:
    console.print(Text(" " * _INDENT * indent + visible_plain(line)), soft_wrap=True)


def _say_grade(explanation: Explanation, say: Say) -> None:
    grade = explanation.grade
    say(f"{grade.model} {grade.endpoint}: {short_form(grade)} ({provisional_words(grade)})", 0)
    if explanation.reasons:
        say("unrated", 0)
        for reason in explanation.reasons:
            say(reason.words, 1)
    if explanation.turns:
        say("what would have changed the letter", 0)
        for turn in explanation.turns:
            say(turn.words, 1)


def _say_nights(explanation: Explanation, say: Say) -> None:
    grade = explanation.grade
    say(f"the window {grade.window_start} to {grade.window_end}, {counted(len(explanation.nights), 'night')}", 0)
    for night in explanation.nights:
        words = f"{night.night.isoformat()}: {night.part}"
        if night.tag is not None:
            words += f", {night.sent} sent, declared precision {night.declared or 'absent'}, tag {night.tag}"
        say(words, 1)
        say(f"night.json SHA-256 {night.sha256}", 2)
    for void in explanation.voided:
        say(f"{void.isoformat()}: declared void, in no window", 1)


def _words(explanation: Explanation, column: Column) -> str:
    sections = {
        Column.M: explanation.match,
        Column.T: explanation.task,
        Column.D: explanation.declared,
        Column.R: explanation.reliability,
    }
    section = sections[column]
    return "" if section is None else section.words


def _say_column(explanation: Explanation, column: Column, say: Say, *, whole: bool) -> None:
    if column is Column.M and explanation.match is not None:
        say_match(explanation.match, say, whole=whole)
    if column is Column.T and explanation.task is not None:
        _say_task(explanation.task, say, whole=whole)
    if column is Column.D and explanation.declared is not None:
        _say_declared(explanation.declared, say)
    if column is Column.R and explanation.reliability is not None:
        _say_reliability(explanation.reliability, say)


def _say_task(task: ExplainedTask, say: Say, *, whole: bool) -> None:
    say(f"{task.correct} of {task.counted} counted answers correct; {task.planned} keyed prompts planned", 1)
    for family in task.families:
        say(f"{family.family}: {family.correct} of {family.counted} correct", 2)
    if task.best_correct is None:
        say("no endpoint qualifies as best", 1)
    else:
        say(f"the best share among the endpoints that qualify: {task.best_correct} of {task.best_counted}", 1)
    if task.floor is None:
        say("no floor: nothing reads as 0 for being small", 1)
    else:
        say(f"floor of the keyed families, weighted by the counted prompts: {task.floor.figure} points", 1)
    if not whole:
        return
    for wrong in task.wrong:
        say(f"{wrong.night.isoformat()} {wrong.prompt_id}, {wrong.outcome}", 1)
        say(f"prompt: {wrong.prompt}", 2)
        say(f"key: {wrong.expected}", 2)
        say(f"answer: {told(wrong.answer)}", 2)
        say(f"as received: {told(wrong.text)}", 2)


def _say_declared(declared: ExplainedDeclared, say: Say) -> None:
    say("what was declared on each night stands with the window's nights", 1)
    for change in declared.changes:
        say(change_words(change), 1)


def _say_reliability(reliability: ExplainedReliability, say: Say) -> None:
    say(
        f"{reliability.sent} sent: {reliability.answered} answered, {reliability.truncated} truncated, "
        f"{reliability.errors} errors and empty answers, {reliability.misrouted} misrouted",
        1,
    )
    for failure in reliability.failures:
        say(f"{failure.night.isoformat()} {failure.outcome}: {_failure(failure)}", 1)
        say(", ".join(failure.prompts), 2)


def _failure(failure: Failure) -> str:
    parts = [counted(len(failure.prompts), "prompt")]
    if failure.kind is not None:
        parts.append(f"kind {failure.kind}")
    if failure.http_status is not None:
        parts.append(f"HTTP {failure.http_status}")
    if failure.finish_reason is not None:
        parts.append(f"finish reason {failure.finish_reason}")
    if failure.outcome == Outcome.MISROUTED:
        parts.append(
            f"served by {failure.served_provider or 'an unnamed provider'}, model {failure.served_model or 'not named'}"
        )
    return ", ".join(parts)
