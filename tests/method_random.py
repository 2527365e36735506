"""Random small archives, drawn from a seed: everything that can happen to an observation happens in some of them."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal

from generator.method.interface import NightTables
from tests.method_archive import FIRST, Row, ask, listed, night_tables, seen

PRECISIONS = (None, "fp8", "fp8", "int4", "mxfp4")
LATENCIES = (400, 999, 1000, 2500, 3000, 9999, 10000, 20001)


@dataclass(frozen=True, kw_only=True)
class NightRows:
    """One night as rows, to be changed before it becomes tables."""

    night: date
    prompts: list[Row]
    listings: list[Row]
    observations: list[Row]
    context: list[Row]
    replayed: bool

    def tables(self) -> NightTables:
        """Return the night's tables."""
        return night_tables(
            self.night,
            prompts=self.prompts,
            listings=self.listings,
            observations=self.observations,
            context=self.context,
            replayed=self.replayed,
        )

    def map_rows(self, change: Callable[[Row], Row]) -> NightRows:
        """Return the night with every row of every table changed."""
        return replace(
            self,
            prompts=[change(row) for row in self.prompts],
            listings=[change(row) for row in self.listings],
            observations=[change(row) for row in self.observations],
            context=[change(row) for row in self.context],
        )


@dataclass(frozen=True, kw_only=True)
class Archive:
    """The nights of one window, and the dates of every recorded night up to its end."""

    nights: list[NightRows]
    recorded: list[date]

    def tables(self) -> list[NightTables]:
        """Return the tables of the window's nights."""
        return [night.tables() for night in self.nights]


@dataclass(frozen=True, kw_only=True)
class _Family:
    name: str
    fixed: int
    drawn: int
    keyed: bool


def random_archive(seed: int) -> Archive:
    """Return the archive of a seed: one or two models, one to six endpoints each, three to seven nights."""
    dice = random.Random(seed)  # noqa: S311 - repeatable, not secret
    days = sorted(dice.sample(range(10), dice.choice((3, 6, 7, 7, 7, 7))))
    nights = [FIRST + timedelta(days=day) for day in days]
    history = [
        FIRST - timedelta(days=day) for day in sorted(dice.sample(range(1, 20), dice.randint(0, 4)), reverse=True)
    ]
    names = dice.sample(("tides", "chess-openings", "moons", "a-z", "riddles"), dice.randint(1, 3))
    families = [
        _Family(name=name, fixed=dice.randint(0, 4), drawn=dice.randint(0, 2), keyed=dice.random() < 0.6)
        for name in names
    ]
    prompts = [_prompts(dice, families, n) for n in range(len(nights))]
    replayed = dice.random() < 0.1
    rows = [
        NightRows(
            night=night, prompts=prompts[n], listings=[], observations=[], context=[], replayed=replayed and n == 1
        )
        for n, night in enumerate(nights)
    ]
    for model in dice.sample(("harbor/pilot", "reef/lantern"), dice.randint(1, 2)):
        noise = dice.choice((0, 0.02, 0.05, 0.4))
        for endpoint in dice.sample(("amber", "birch", "cedar", "dune", "ember", "fjord"), dice.randint(1, 6)):
            _serve(dice, rows, history, model, endpoint, noise)
    return Archive(nights=rows, recorded=[*history, *nights])


def _prompts(dice: random.Random, families: list[_Family], n: int) -> list[Row]:
    rows = []
    for family in families:
        key = "yes" if family.keyed else None
        for i in range(family.fixed):
            text = "another text" if i == 1 and n >= 3 else None
            # A keyed family may have a prompt without a key.
            rows.append(ask(f"{family.name}-{i}", family.name, key=None if i == 3 else key, text=text))
        # An id that is drawn on two nights is still two prompts.
        rows += [
            ask(f"{family.name}-drawn-{dice.choice((n, 0))}-{i}", family.name, fixed=False, key=key)
            for i in range(family.drawn)
        ]
    return rows


def _serve(
    dice: random.Random, rows: list[NightRows], history: list[date], model: str, endpoint: str, noise: float
) -> None:
    character = dice.choice(("steady", "steady", "steady", "odd", "failing", "silent", "cut", "coming"))
    precision = dice.choice(PRECISIONS)
    arrival = dice.randrange(len(rows)) if character == "coming" else 0
    first = rows[arrival].night if arrival or not history else dice.choice([*history, rows[0].night])
    for row in rows[arrival:]:
        if dice.random() < 0.06:
            continue
        if dice.random() < 0.05:
            precision = dice.choice(PRECISIONS)
        price = Decimal(dice.randint(1, 9)).scaleb(-7)
        row.listings.append(
            listed(
                model,
                endpoint,
                first,
                precision,
                listings=dice.choice((1, 1, 1, 2)),
                context_length=dice.choice((None, 4096, 32768)),
                price_prompt=price,
            )
        )
        quiet = dice.random() < 0.05
        for prompt in row.prompts:
            cell = "." if quiet else _cell(dice, character, noise, endpoint)
            latency = None if dice.random() < 0.02 else dice.choice(LATENCIES)
            row.observations.append(seen(model, endpoint, prompt, cell, latency))
        row.context.extend(
            {"model": model, "endpoint": endpoint, "rung_tokens": tokens, "outcome": outcome}
            for tokens, outcome in ((4000, "answered"), (16000, dice.choice(("answered", "error", "unsent"))))
            if dice.random() < 0.2
        )


def _cell(dice: random.Random, character: str, noise: float, endpoint: str) -> str:
    answer = "yes" if dice.random() >= noise else dice.choice(("no", "maybe", "", endpoint))
    draw = dice.random()
    match character:
        case "failing" if draw < 0.3:
            return dice.choice("!_.")
        case "silent":
            return dice.choice(("!", "_", "?yes", "."))
        case "cut" if draw < 0.2:
            return answer + "~"
        case "odd" if draw < 0.1:
            return "no"
        case _ if draw > 0.98:
            return dice.choice(("!", "_", ".", "?yes", answer + "~"))
        case _:
            return answer
