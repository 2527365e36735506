"""A window's rows, counted slowly: what the oracle needs of references, pairs, floors and stability."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from fractions import Fraction
from itertools import pairwise
from math import floor as whole_part
from typing import Any

from generator.method.interface import NightTables
from generator.records.definition import Definition

Row = dict[str, Any]
Key = tuple[str, str]


def percentile(values: Sequence[Fraction], percent: Fraction) -> Fraction:
    """Return the value at index floor(p (n - 1)) of the sorted values: an element, never something between two."""
    return sorted(values)[whole_part(percent / 100 * (len(values) - 1))]


def median(values: Sequence[Fraction]) -> Fraction:
    """Return the middle value, or the mean of the middle two."""
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2


def tail(least: int, trials: int, rate: Fraction) -> Fraction:
    """Return the chance of so many successes or more, from the chances of each count after one more trial."""
    chances = [Fraction(1)]
    for _ in range(trials):
        missed, hit = [*chances, Fraction(0)], [Fraction(0), *chances]
        chances = [m * (1 - rate) + h * rate for m, h in zip(missed, hit, strict=True)]
    return sum(chances[least:], Fraction(0))


def passes(differing: int, compared: int, allowed: Fraction, level: Fraction | None) -> bool:
    """Return whether a count passes what the floors allow, and, where there is a level, by more than chance."""
    if differing <= allowed:
        return False
    return True if level is None else tail(differing, compared, allowed / compared) < level


class Window:
    """Everything that the rows of a window say, by night and (model, endpoint)."""

    def __init__(self, tables: Sequence[NightTables], definition: Definition) -> None:
        """Read the tables of the window's nights, ascending."""
        self.rule = definition
        self.tables = tables
        self.nights = [t.night for t in tables]
        self.prompts = {t.night: {row["prompt_id"]: row for row in t.prompts.to_pylist()} for t in tables}
        self.families = sorted({row["family"] for prompts in self.prompts.values() for row in prompts.values()})
        self.keyed = sorted({r["family"] for ps in self.prompts.values() for r in ps.values() if r["expected"]})
        self.listing: dict[Key, dict[date, Row]] = {}
        self.rows: dict[Key, dict[date, dict[str, Row]]] = {}
        for t in tables:
            for row in t.listings.to_pylist():
                self.listing.setdefault((row["model"], row["endpoint"]), {})[t.night] = row
            for row in t.observations.to_pylist():
                of_night = self.rows.setdefault((row["model"], row["endpoint"]), {}).setdefault(t.night, {})
                of_night[row["prompt_id"]] = row

    def of(self, key: Key) -> list[Row]:
        """Return an endpoint's observations over the window."""
        return [row for night in self.nights for row in self.rows.get(key, {}).get(night, {}).values()]

    def keyed_of(self, key: Key) -> list[Row]:
        """Return an endpoint's observations of prompts with a key."""
        nights = self.rows.get(key, {})
        return [r for n in self.nights for p, r in nights.get(n, {}).items() if self.prompts[n][p]["expected"]]

    def peers(self, model: str) -> list[Key]:
        """Return the endpoints of a model."""
        return sorted(key for key in self.listing if key[0] == model)

    def asked(self, model: str, night: date, prompt: str) -> list[Row]:
        """Return what came of one prompt on one night, over the model's endpoints."""
        cells = (self.rows.get(key, {}).get(night, {}).get(prompt) for key in self.peers(model))
        return [cell for cell in cells if cell is not None]

    def reference(self, model: str, night: date, prompt: str) -> str | None:
        """Return the one answer that more endpoints gave than gave any other."""
        given = Counter(r["answer"] for r in self.asked(model, night, prompt) if r["outcome"] == "answered")
        if not given:
            return None
        most = max(given.values())
        first: list[str] = [answer for answer, count in given.items() if count == most]
        share = Fraction(self.rule.reference.min_share or 0)
        if len(first) > 1 or most < self.rule.reference.min_agreeing or 100 * most < share * sum(given.values()):
            return None
        return first[0]

    def judged(self, key: Key, night: date, family: str) -> tuple[int, int]:
        """Return how many prompts of a family have a reference and were answered, and how many of them otherwise."""
        answered = differing = 0
        for prompt, row in self.rows.get(key, {}).get(night, {}).items():
            reference = self.reference(key[0], night, prompt)
            if row["family"] == family and row["outcome"] == "answered" and reference is not None:
                answered += 1
                differing += row["answer"] != reference
        return answered, differing

    def pairs(self, key: Key, family: str) -> tuple[int, int]:
        """Return an endpoint's night-to-night pairs in a family, and how many differ."""
        pairs = differing = 0
        for first, second in pairwise(self.nights):
            for prompt, row in self.rows.get(key, {}).get(first, {}).items():
                later = self.rows.get(key, {}).get(second, {}).get(prompt)
                if (
                    later is not None
                    and row["family"] == family
                    and row["fixed"]
                    and later["fixed"]
                    and self.prompts[first][prompt]["prompt"] == self.prompts[second][prompt]["prompt"]
                    and row["outcome"] == later["outcome"] == "answered"
                ):
                    pairs += 1
                    differing += row["answer"] != later["answer"]
        return pairs, differing

    def own(self, model: str, family: str) -> list[Fraction]:
        """Return the self-disagreement of each endpoint of a model that has one."""
        counts = (self.pairs(key, family) for key in self.peers(model))
        return [Fraction(differing, pairs) for pairs, differing in counts if pairs]

    def floors(self, model: str) -> dict[str, Fraction | None]:
        """Return the floor of each family, None where no endpoint has a self-disagreement."""
        own = {family: self.own(model, family) for family in self.families}
        p = Fraction(self.rule.floor.percentile)
        fleet = self.fleet(model) if self.rule.floor.fleet else {}
        return {
            f: max(percentile(values, p), fleet.get(f) or Fraction(0)) if values else None for f, values in own.items()
        }

    def fleet(self, model: str) -> dict[str, Fraction | None]:
        """Return, by family, the median endpoint's share of mismatches; None where nobody was compared."""
        found: dict[str, Fraction | None] = {}
        for family in self.families:
            shares = []
            for key in self.peers(model):
                answered, differing = map(sum, zip(*(self.judged(key, n, family) for n in self.nights), strict=True))
                if answered:
                    shares.append(Fraction(differing, answered))
            found[family] = median(shares) if shares else None
        return found

    def stable(self, model: str) -> list[str]:
        """Return the stable families."""
        limit = Fraction(self.rule.stability.threshold_percent)
        own = {family: self.own(model, family) for family in self.families}
        return [f for f, values in own.items() if values and median([100 - 100 * s for s in values]) >= limit]
