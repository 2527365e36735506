"""Families whose answers are numbers, lists of numbers or dates: raw texts and what they are compared as."""

from __future__ import annotations

import pytest

from generator.probing.families import FAMILIES

NBSP, THIN = "\u00a0", "\u2009"

ARITHMETIC = [
    ("18606", "18606"),
    (" 18,606.\n", "18606"),
    ("The answer is 1,234.", "1234"),
    ("**18,606**", "18606"),
    ("3518 + 6740 + 8348 = 18606", "18606"),
    ("```\n18606\n```", "18606"),
    ("```text\n18606\n```", "18606"),
    ("`18606`", "18606"),
    (r"\boxed{18606}", "18606"),
    (r"$$\boxed{18{,}606}$$ after 3 steps", "18606"),
    (r"\(18\,606\)", "18606"),
    (f"18{THIN}606", "18606"),
    (f"18{NBSP}606", "18606"),
    ("18 606", "18606"),
    ("\uff11\uff18\uff16\uff10\uff16", "18606"),
    ("\u0661\u0668\u0666\u0660\u0666", "18606"),
    ("\u202e18606\u202c", "18606"),
    ("18\u200b606", "18606"),
    ("18606.0", "18606"),
    ("018606", "18606"),
    ("18606 (the sum of 3 terms)", "18606"),
    ("(18606)", "18606"),
    ("\u221242", "-42"),
    ("-0", "0"),
    (".5", "0.5"),
    ("1,2345", "1,2345"),
    ("12,34", "12,34"),
    ("18.606", "18.606"),
    ("1.2.3", "1.2.3"),
    ("100 200 3", "3"),
    ("18606 m2", "18606"),
    ("x7", ""),
    ("I cannot say.", ""),
    ("", ""),
    ("9" * 201, ""),
]

UNITS = [
    ("152.4", "152.4"),
    ("152.4 cm", "152.4"),
    ("152.4cm", "152.4"),
    ("60 inches = 152.4 centimetres", "152.4"),
    ("60 inches is 152.4 cm (rounded to 1 decimal place).", "152.4"),
    ("\u2248 152.40", "152.4"),
    ("**193.0**", "193"),
    ("193.0 centimetres.", "193"),
    (r"\boxed{152.4\text{ cm}}", "152.4"),
    ("1,234.50 m", "1234.5"),
    ("152.4 km/h", "152.4"),
    ("152.4 m\u00b2", "152.4"),
    ("152,4", "152,4"),
    ("about a metre and a half", ""),
]

SORTING = [
    ("101, 233, 415", "101, 233, 415"),
    ("101,233,415.", "101, 233, 415"),
    ("101 233 415", "101, 233, 415"),
    ("101\n233\n415", "101, 233, 415"),
    ("1. 101\n2. 233\n3. 415", "101, 233, 415"),
    ("- 101\n- 233\n- 415", "101, 233, 415"),
    ("* **101**\n* **233**\n* **415**", "101, 233, 415"),
    ("Here are the 3 sorted numbers:\n\n101, 233, and 415", "101, 233, 415"),
    ("**101, 233, 415**", "101, 233, 415"),
    ("[101, 233, 415]", "101, 233, 415"),
    ("```\n101, 233, 415\n```", "101, 233, 415"),
    ("415, 101, 233 becomes: 101 < 233 < 415", "101, 233, 415"),
    ("101; 233; 415", "101, 233, 415"),
    ("\uff11\uff10\uff11, 233, 415", "101, 233, 415"),
    ("101, 233", ""),
    ("I sorted 3 of them, then 4.", ""),
    ("", ""),
    (", ".join(["123"] * 41), ""),
]

CALENDAR = [
    ("1978-08-02", "1978-08-02"),
    ("1978-08-02.", "1978-08-02"),
    ("**1978-08-02**", "1978-08-02"),
    ("The date is 1978-08-02.", "1978-08-02"),
    ("25 days after 1978-07-08 is 1978-08-02", "1978-08-02"),
    ("1978-08-02 (Wednesday)", "1978-08-02"),
    ("Wednesday, 1978-08-02", "1978-08-02"),
    ("1978\u201108\u201102", "1978-08-02"),
    ("1978\u201308\u201302", "1978-08-02"),
    ("Friday", "friday"),
    ("FRIDAY!", "friday"),
    ("It is a *Friday*.", "friday"),
    ("1978-08-04 is a Friday.", "friday"),
    ("(Friday)", "friday"),
    (r"\boxed{\text{Friday}}", "friday"),
    ("1978-02-30", "1978-02-30"),
    ("1978-8-2", ""),
    ("2 August 1978", ""),
    ("11978-08-02", ""),
    ("Fridays", ""),
    ("Fri\u200bday", "friday"),
]

ROWS = [
    (kind, raw, answer)
    for kind, table in (("arithmetic", ARITHMETIC), ("units", UNITS), ("sorting", SORTING), ("calendar", CALENDAR))
    for raw, answer in table
]


@pytest.mark.parametrize(("kind", "raw", "answer"), ROWS)
def test_the_text_is_compared_as_written_down(kind: str, raw: str, answer: str):
    """Each raw text normalises to the answer beside it, '' where no answer is found."""
    assert FAMILIES[kind].normalise(raw) == answer
