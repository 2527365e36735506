"""Families whose answers are words, codes or strings: raw texts and what they are compared as."""

from __future__ import annotations

import pytest

from generator.probing.families import FAMILIES

STRING = "dFofENuz-GUxYtBkM-GP8KlPCe-Ya3GAoG6"

COPY = [
    (STRING, STRING),
    (f"\n{STRING}\n", STRING),
    (f"`{STRING}`", STRING),
    (f"```\n{STRING}\n```", STRING),
    (f"**{STRING}**", STRING),
    (f'"{STRING}"', STRING),
    (f"\u201c{STRING}\u201d.", STRING),
    (f"Here is the string: {STRING}", STRING),
    (STRING.replace("-", "\u2011"), STRING),
    (f"{STRING}\u200b", STRING),
    (STRING.lower(), STRING.lower()),
    (STRING.replace("-", "- "), ""),
    (f"\u00e9{STRING}", ""),
    (f"{STRING}\u00e9", ""),
    (STRING.replace("-", "_"), ""),
    ("I copied it.", ""),
    ("-".join(["abcdefgh"] * 40), ""),
]

LOOKUP = [
    ("BD207", "BD207"),
    ("BD207.", "BD207"),
    ("**BD207**", "BD207"),
    ("`BD207`", "BD207"),
    ("```\nBD207\n```", "BD207"),
    ("The code of the blue basket is BD207.", "BD207"),
    ("blue, basket, BD207", "BD207"),
    ("code:BD207", "BD207"),
    ("| blue | basket | BD207 |", "BD207"),
    ("Not PB309 but BD207", "BD207"),
    ("\uff22\uff24207", "BD207"),
    (r"\boxed{BD207}", "BD207"),
    ("BD-207", ""),
    ("bd207", ""),
    ("XBD207", ""),
    ("BD2071", ""),
    ("207", ""),
]

FACTS = [
    ("Ouagadougou", "ouagadougou"),
    ("Ouagadougou.", "ouagadougou"),
    ("**Ouagadougou**", "ouagadougou"),
    ("`Ouagadougou`", "ouagadougou"),
    ('"Ouagadougou"', "ouagadougou"),
    ("The capital of Burkina Faso is Ouagadougou.", "ouagadougou"),
    ("The capital of Burkina Faso is **Ouagadougou**.", "ouagadougou"),
    ("Ouagadougou is the capital of Burkina Faso.", "ouagadougou"),
    ("Ouagadougou, Burkina Faso", "ouagadougou"),
    ("Answer: Ouagadougou", "ouagadougou"),
    ("The answer is: Ouagadougou", "ouagadougou"),
    ("Ouagadougou\n\nIt lies in the centre of the country.", "ouagadougou"),
    ("Ouagadougou. It lies in the centre of the country.", "ouagadougou"),
    ("Bogot\u00e1", "bogota"),
    ("Bogot\u00e1, D.C.", "bogota"),
    ("Yaounde\u0301", "yaounde"),
    ("Port-Vila", "port vila"),
    ("Port Vila", "port vila"),
    ("W", "w"),
    ("W (from wolfram)", "w"),
    ("The chemical symbol of tungsten is W.", "w"),
    (r"\(\text{W}\)", "w"),
    ("74", "74"),
    ("The atomic number of tungsten is 74.", "74"),
    ("In 1969.", "1969"),
    ("1969, in July", "1969"),
    ("The Battle of Lepanto took place in 1571.", "1571"),
    ("Paris or Lyon", "paris or lyon"),
    ("...", ""),
    ("a" * 201, ""),
    ("", ""),
]

CONTINUATION = [
    ("has sixty minutes.", "has sixty minutes"),
    (" has sixty minutes, and a minute has", "has sixty minutes"),
    ("...has sixty minutes", "has sixty minutes"),
    ("\u2026 Has Sixty Minutes", "has sixty minutes"),
    ('"has sixty minutes."', "has sixty minutes"),
    ("has\nsixty\n\nminutes", "has sixty minutes"),
    ("**has** sixty *minutes*", "has sixty minutes"),
    ("has sixty minutes\u2014no more", "has sixty minutes"),
    ("not find his keys", "not find his"),
    ("couldn\u2019t find it", "couldn't find it"),
    ("couldn't find it", "couldn't find it"),
    ("a well-known, old tale", "a well-known old"),
    ("- has - sixty - minutes", "has sixty minutes"),
    ("\uff48as sixty minutes", "has sixty minutes"),
    ("sixty minutes.", ""),
    ("... - ...", ""),
    ("", ""),
    ("a" * 100 + " " + "b" * 100 + " c", ""),
]

LINE = [
    (" Madrid", "madrid"),
    ("Madrid.", "madrid"),
    ('"Madrid"', "madrid"),
    ("\u201cMadrid.\u201d", "madrid"),
    ("'Madrid'!", "madrid"),
    ("\n\n Madrid\nQuestion: What", "madrid"),
    (" 21000   meters ", "21000 meters"),
    ("21000\u00a0meters;", "21000 meters"),
    ("17, 37, 52, 47", "17, 37, 52, 47"),
    (' {"name": "Ben", "age": 34}', '{"name": "ben", "age": 34}'),
    ("STRASSE", "strasse"),
    ("Stra\u00dfe", "strasse"),
    ("sxgt-t6jd-xbx", "sxgt-t6jd-xbx"),
    ("What?!", "what"),
    ('"."', ""),
    ("   ", ""),
    ("x" * 300, "x" * 200),
]

LINE_OPEN = [
    (" plants use light energy to produce food.", "plants use light"),
    (" I was very excited. I", "i was very"),
    (" the old lighthouse keeper\u2019s ladder.", "the old lighthouse"),
    ("it is done, and", "it is done"),
    ("it is done", "it is done"),
    ("\nit is done", "it is done"),
    ('"It is done."', "it is done"),
    ("it, is, done, so", "it is done"),
    ("it is\ndone", ""),
    (" draw.", ""),
    ("two words", ""),
    ("a . b", ""),
    ("a . b c", "a b c"),
    ("", ""),
]

TABLES = {
    "copy": COPY,
    "lookup": LOOKUP,
    "facts": FACTS,
    "continuation": CONTINUATION,
    "line": LINE,
    "line-open": LINE_OPEN,
}
ROWS = [(kind, raw, answer) for kind, table in TABLES.items() for raw, answer in table]


@pytest.mark.parametrize(("kind", "raw", "answer"), ROWS)
def test_the_text_is_compared_as_written_down(kind: str, raw: str, answer: str):
    """Each raw text normalises to the answer beside it, '' where no answer is found."""
    assert FAMILIES[kind].normalise(raw) == answer


class TestCleanedText:
    """Where the normaliser finds nothing, the cleaned text is the answer."""

    @pytest.mark.parametrize(
        ("kind", "raw", "cleaned"),
        [
            ("arithmetic", " I  cannot\tsay.\n\nSorry! ", "I cannot say. Sorry!"),
            ("lookup", "b\u202ed207", "bd207"),
            ("facts", "...", "..."),
            ("continuation", "Sixty *Minutes*.", "sixty minutes"),
            ("continuation", "...", "..."),
            ("line", '"."', '"."'),
            ("line-open", " Draw.\nAgain", "draw"),
            ("line-open", "?", "?"),
            ("units", "x" * 500, "x" * 200),
            ("units", "\u200b", ""),
        ],
    )
    def test_the_cleaned_text_is_one_plain_line(self, kind: str, raw: str, cleaned: str):
        """White space is collapsed, what cannot be seen is gone, and the length is capped."""
        family = FAMILIES[kind]
        assert family.normalise(raw) == ""
        assert family.clean(raw) == cleaned
