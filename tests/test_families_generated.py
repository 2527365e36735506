"""Every key of a generated prompt, worked out again from the prompt's own words by other means."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path

import msgspec
import pytest

from generator.probing.draws import Draws
from generator.probing.families import FAMILIES
from generator.records.prompt import Prompt

P1 = Path(__file__).parent.parent / "content" / "prompts" / "p1"
DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


def arithmetic(prompt: str) -> str:
    """Return the formula's value."""
    left, operator, rest = re.fullmatch(r"What is (\d+) ([+*]) (.+)\? Answer with the number only\.", prompt).groups()
    if operator == "*":
        assert 101 <= int(left) <= 9999
        return str(sum([int(left)] * int(rest)))
    terms = [left, *rest.split(" + ")]
    assert len(terms) == 3
    assert all(len(term) == 4 for term in terms)
    return str(sum(map(int, terms)))


def units(prompt: str) -> str:
    """Return the conversion, rounded half up with exact fractions; half way between two roundings is refused."""
    amount, factor, rounding = re.fullmatch(
        r"Convert (\d+) [A-Za-z ]+ to [a-z A-Z]+, taking 1 [A-Za-z ]+ as ([\d.]+) [A-Za-z ]+\. "
        r"Round to (one decimal place|the nearest whole number)\. Answer with the number only\.",
        prompt,
    ).groups()
    scale = 10 if rounding.startswith("one") else 1
    scaled = int(amount) * Fraction(factor) * scale
    assert scaled.denominator != 2
    whole = int(scaled + Fraction(1, 2))
    return str(whole // scale) if whole % scale == 0 else f"{whole // scale}.{whole % scale}"


def copy(prompt: str) -> str:
    """Return the string to be copied."""
    order, empty, text = prompt.split("\n")
    assert (order, empty) == ("Write out this string exactly as it is, and nothing else:", "")
    assert re.fullmatch(r"(?:[A-Za-z0-9]{8}-){3}[A-Za-z0-9]{8}", text)
    return text


def sorting(prompt: str) -> str:
    """Return the listed numbers in order, found by taking the extreme one again and again."""
    order, listed = re.fullmatch(
        r"Sort these numbers from (.+?): ([\d, ]+)\. Answer with the sorted numbers only, separated by commas\.", prompt
    ).groups()
    extreme = {"smallest to largest": min, "largest to smallest": max}[order]
    left = [int(number) for number in listed.split(", ")]
    assert len(set(left)) == 9
    ordered = []
    while left:
        ordered.append(extreme(left))
        left.remove(ordered[-1])
    return ", ".join(map(str, ordered))


def lookup(prompt: str) -> str:
    """Return the one code in the row that both words of the question name."""
    table, question = prompt.split("\n\n")
    head, *rows = [row.split(", ") for row in table.split("\n")]
    assert head == ["colour", "object", "code"]
    assert len({code for *_, code in rows}) == 9
    colour, thing = re.fullmatch(
        r"Which code belongs to the (\w+) (\w+)\? Answer with the code only\.", question
    ).groups()
    (code,) = [row[2] for row in rows if row[:2] == [colour, thing]]
    return code


def calendar(prompt: str) -> str:
    """Return the date or the weekday, counted a day at a time."""
    if moved := re.fullmatch(
        r"What date is (\d+) days (after|before) ([\d-]+)\? Answer in the form YYYY-MM-DD only\.", prompt
    ):
        step = timedelta(days=1 if moved[2] == "after" else -1)
        day = date.fromisoformat(moved[3])
        for _ in range(int(moved[1])):
            day += step
        return day.isoformat()
    start, name, end = re.fullmatch(
        r"([\d-]+) is a (\w+)\. What day of the week is ([\d-]+)\? Answer with the name of the day only\.", prompt
    ).groups()
    assert date.fromisoformat(start).strftime("%A") == name
    day, place = date.fromisoformat(start), DAYS.index(name.lower())
    while day != date.fromisoformat(end):
        day, place = day + timedelta(days=1), (place + 1) % 7
    return DAYS[place]


ORACLES: dict[str, Callable[[str], str]] = {
    "arithmetic": arithmetic,
    "calendar": calendar,
    "copy": copy,
    "lookup": lookup,
    "sorting": sorting,
    "units": units,
}


@pytest.mark.parametrize("kind", ORACLES)
def test_every_fixed_key_of_p1_is_right(kind: str):
    """The keys in the file are what the prompts' own words come to."""
    lines = (P1 / f"{kind}.jsonl").read_bytes().splitlines()
    prompts = [msgspec.json.decode(line, type=Prompt) for line in lines]
    assert [prompt.expected for prompt in prompts] == [ORACLES[kind](prompt.prompt) for prompt in prompts]


@pytest.mark.parametrize("kind", ORACLES)
def test_every_generated_key_is_right(kind: str):
    """Five hundred generated prompts have the keys that their own words come to."""
    generate = FAMILIES[kind].generate
    assert generate is not None
    draws = Draws("oracle", kind)
    made = [generate(draws) for _ in range(500)]
    assert [one.expected for one in made] == [ORACLES[kind](one.prompt) for one in made]


def test_every_form_is_generated():
    """Arithmetic, sorting, units and calendar have several forms, and each comes up."""
    seen = {
        kind: " ".join(FAMILIES[kind].generate(Draws("forms", str(i))).prompt for i in range(200)) for kind in ORACLES
    }
    assert all(sign in seen["arithmetic"] for sign in (" + ", " * "))
    assert all(order in seen["sorting"] for order in ("smallest to largest", "largest to smallest"))
    assert all(form in seen["units"] for form in ("one decimal place", "nearest whole number", "inches", "pints"))
    assert all(form in seen["calendar"] for form in ("days after", "days before", "What day of the week"))
