"""The references of a night, all at once: the rule of `reference`, over columns of codes."""

from __future__ import annotations

import numpy as np

from generator.method.columns import Codes, count, flat
from generator.method.reference import least_agreeing
from generator.records.definition import Definition


def references(questions: Codes, answers: Codes, size: int, definition: Definition) -> Codes:
    """Return the code of each question's reference, -1 where it has none.

    Args:
        questions: for each answer given, which question it answers: one prompt of one model; from 0 to size - 1.
        answers: for each, the answer's code; not negative.
        size: how many questions there are.
        definition: says how many, and which share, must agree.
    """
    answered = count(questions, (size,))
    # Any one answer to a question: where more than half gave it, no other can be first, and nothing need be sorted.
    found: Codes = np.full(size, -1, dtype=np.int64)
    found[questions] = answers
    given = count(questions[found[questions] == answers], (size,))
    divided = (2 * given <= answered)[questions]
    found[questions[divided]] = -1
    question, answer, most = _first_alone(questions[divided], answers[divided])
    found[question], given[question] = answer, most
    found[given < _least(answered, definition)] = -1
    return found


def _first_alone(questions: Codes, answers: Codes) -> tuple[Codes, Codes, Codes]:
    """Return the questions to which one answer was given more often than any other, that answer, and how often."""
    if not len(questions):
        return questions, answers, answers
    base = int(answers.max()) + 1
    keys = np.sort(flat(questions, base, answers))
    starts = _starts(keys)
    given = np.diff(np.concatenate((starts, [len(keys)])))
    # Each distinct (question, answer) with how many gave it; those of one question stand together.
    question, answer = np.divmod(keys[starts], base)
    firsts = _starts(question)
    most = np.maximum.reduceat(given, firsts)
    is_first = given == np.repeat(most, np.diff(np.concatenate((firsts, [len(question)]))))
    alone = np.add.reduceat(is_first.astype(np.int64), firsts) == 1
    winners = is_first & np.repeat(alone, np.diff(np.concatenate((firsts, [len(question)]))))
    return question[winners], answer[winners], given[winners]


def _starts(ordered: Codes) -> Codes:
    """Return where each run of equal values starts."""
    return np.concatenate((np.zeros(1, dtype=np.int64), np.flatnonzero(ordered[1:] != ordered[:-1]) + 1))


def _least(answered: Codes, definition: Definition) -> Codes:
    """Return, for each number of answers, how many must agree; beyond the number itself, no more is said."""
    most = int(answered.max(initial=0))
    least = [min(least_agreeing(total, definition), total + 1) for total in range(most + 1)]
    asked: Codes = np.array(least, dtype=np.int64)[answered]
    return asked
