"""The prompt set p1 as it stands in content/: its counts, its keys, and the night that one seed gives."""

from __future__ import annotations

import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import msgspec
import pytest

from generator.probing.draws import Draws
from generator.probing.families import FAMILIES
from generator.probing.night_prompts import check_prompt_set, generate_prompts, night_prompts
from generator.records.canonical import canonical_json, sha256
from generator.records.prompt import Prompt, PromptFamily, PromptSet

P1 = Path(__file__).parent.parent / "content" / "prompts" / "p1"
NAMES = ["arithmetic", "calendar", "continuation", "copy", "facts", "lookup", "sorting", "units"]
POOLS = ["continuation", "facts"]
SEED = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
NIGHT_SHA256 = "f7e1bb037e009d711b995777f45ab643f410dd2946c139b93c4de380887d45bb"
"""Of the canonical JSON of the prompts that SEED gives: a night drawn long ago must come out the same."""

PERIODIC_TABLE = (
    "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb "
    "Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au "
    "Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm"
)
ELEMENTS = PERIODIC_TABLE.split()
NAMED = {
    "silver": "Ag",
    "lead": "Pb",
    "mercury": "Hg",
    "potassium": "K",
    "sodium": "Na",
    "iron": "Fe",
    "tungsten": "W",
    "tin": "Sn",
    "antimony": "Sb",
    "hafnium": "Hf",
    "praseodymium": "Pr",
    "rhenium": "Re",
    "osmium": "Os",
    "iridium": "Ir",
    "tantalum": "Ta",
    "niobium": "Nb",
    "molybdenum": "Mo",
    "technetium": "Tc",
    "ruthenium": "Ru",
    "rhodium": "Rh",
    "palladium": "Pd",
    "cadmium": "Cd",
    "tellurium": "Te",
    "strontium": "Sr",
    "rubidium": "Rb",
    "neodymium": "Nd",
    "samarium": "Sm",
    "gadolinium": "Gd",
    "dysprosium": "Dy",
    "thulium": "Tm",
    "ytterbium": "Yb",
    "thallium": "Tl",
    "polonium": "Po",
    "protactinium": "Pa",
    "einsteinium": "Es",
    "bromine": "Br",
    "zirconium": "Zr",
    "lanthanum": "La",
    "neon": "Ne",
    "phosphorus": "P",
    "argon": "Ar",
    "scandium": "Sc",
    "vanadium": "V",
    "manganese": "Mn",
    "nickel": "Ni",
    "gallium": "Ga",
    "selenium": "Se",
    "krypton": "Kr",
    "yttrium": "Y",
    "indium": "In",
    "xenon": "Xe",
    "barium": "Ba",
    "cerium": "Ce",
    "europium": "Eu",
    "erbium": "Er",
    "platinum": "Pt",
    "bismuth": "Bi",
    "radon": "Rn",
    "thorium": "Th",
}  # fmt: skip - a table reads better in rows


@cache
def p1() -> PromptSet:
    """Return the set as its files say, read by this test's own few lines."""
    settings = tomllib.loads((P1 / "set.toml").read_text(encoding="utf-8"))
    families = []
    for name, table in sorted(settings["families"].items()):
        lines = (P1 / f"{name}.jsonl").read_bytes().splitlines()
        prompts = [msgspec.json.decode(line, type=Prompt) for line in lines]
        families.append(
            PromptFamily(
                name=name,
                kind=table["kind"],
                nightly=table["nightly"],
                pool=tuple(one for one in prompts if not one.fixed) if table["draw"] == "pool" else None,
                fixed=tuple(one for one in prompts if one.fixed),
            )
        )
    return PromptSet(name=settings["name"], sha256="0" * 64, families=tuple(families))


def facts(start: str) -> dict[str, str]:
    """Return the keys of the facts whose question begins so, by what is asked about."""
    family = next(one for one in p1().families if one.name == "facts")
    asked = [one for one in (*family.fixed, *(family.pool or ())) if one.prompt.startswith(start)]
    return {one.prompt.removeprefix(start).split("?")[0].strip(): str(one.expected) for one in asked}


class TestCounts:
    """24 generated a night over all families, beside 20 fixed prompts each."""

    def test_the_set_is_sound(self):
        """The set passes the check, has the eight families and nothing else, and is called p1."""
        check_prompt_set(p1())
        assert p1().name == "p1"
        assert [family.name for family in p1().families] == NAMES
        assert sorted(path.name for path in P1.iterdir()) == sorted(["set.toml", *(f"{name}.jsonl" for name in NAMES)])

    def test_every_family_has_twenty_fixed_prompts_and_three_a_night(self):
        """A night is 8 x 20 fixed and 8 x 3 drawn prompts: 184."""
        night = night_prompts(p1(), SEED)
        counts = Counter((one.family, one.fixed) for one in night)
        assert counts == {(name, fixed): 20 if fixed else 3 for name in NAMES for fixed in (True, False)}
        assert len(night) == 184

    def test_pools_are_large(self):
        """The two families without a generator, and they alone, draw from at least 120 prompts."""
        pools = {family.name: len(family.pool) for family in p1().families if family.pool is not None}
        assert sorted(pools) == POOLS
        assert min(pools.values()) >= 120

    def test_prompts_are_short(self):
        """No prompt is longer than 300 characters, and no cut is above 64 tokens."""
        assert max(len(one.prompt) for one in night_prompts(p1(), SEED)) <= 300
        assert max(one.max_tokens for one in night_prompts(p1(), SEED)) <= 64

    def test_all_but_continuations_have_keys(self):
        """Seven families have keys, and the open-ended one has none."""
        keyed = {one.family for one in night_prompts(p1(), SEED) if one.expected is not None}
        assert keyed == set(NAMES) - {"continuation"}


class TestTheSameNight:
    """The same prompt set and the same seed give the same prompts, on any machine, for ever."""

    def test_the_night_of_a_seed_is_written_down(self):
        """The canonical JSON of the seed's night has the digest that was written down when p1 was made."""
        assert sha256(canonical_json(night_prompts(p1(), SEED))) == NIGHT_SHA256

    def test_another_seed_gives_another_night(self):
        """Of fifty seeds no two nights are alike, and each family's drawn prompts change."""
        nights = [night_prompts(p1(), f"{number:064x}") for number in range(50)]
        assert len(set(nights)) == 50
        for name in NAMES:
            drawn = {tuple(one.prompt for one in night if one.family == name and not one.fixed) for night in nights}
            assert len(drawn) == 50

    @pytest.mark.parametrize("name", sorted(set(NAMES) - set(POOLS)))
    def test_the_fixed_prompts_are_those_of_the_recorded_stream(self, name: str):
        """The file holds what was drawn once from the stream that set.toml names."""
        family = next(one for one in p1().families if one.name == name)
        ids = tuple(f"{name}-{number:02d}" for number in range(1, 21))
        draws = Draws("p1", "fixed prompts", name)
        made = generate_prompts(FAMILIES[name], name, ids, draws, fixed=True, taken=set())
        assert tuple(made) == family.fixed


class TestFacts:
    """All facts have one accepted answer."""

    def test_symbols_follow_the_periodic_table(self):
        """Each symbol asked for is that of the element's row in the table above."""
        asked = facts("What is the chemical symbol of")
        assert len(asked) == 35
        assert asked == {name: NAMED[name].lower() for name in asked}

    def test_atomic_numbers_follow_the_periodic_table(self):
        """Each atomic number asked for is the place of the element in the table above."""
        asked = facts("What is the atomic number of")
        assert len(asked) == 29
        assert asked == {name: str(ELEMENTS.index(NAMED[name]) + 1) for name in asked}

    def test_capitals_are_of_different_countries(self):
        """No country is asked about twice and no capital serves two."""
        asked = facts("What is the capital of")
        assert len(asked) == len(set(asked.values())) == 56

    def test_years_are_years(self):
        """Each year asked for has four digits and lies between the Conquest and now."""
        years = facts("In what year")
        assert len(years) == 60
        assert all(1066 <= int(year) <= 2012 for year in years.values())


class TestContinuations:
    """Continuations are cut by design."""

    def test_every_opening_breaks_off(self):
        """No opening ends in a full stop or a space, and each is one line behind the same order."""
        family = next(one for one in p1().families if one.name == "continuation")
        for one in (*family.fixed, *(family.pool or ())):
            order, empty, opening = one.prompt.split("\n")
            assert (order, empty) == ("Continue this text. Write only the continuation.", "")
            assert opening[0].isupper()
            assert opening[-1].isalpha() or opening[-1] == ","
