"""The demo's own page: what was really run and what is scripted, beside what the archive counted."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from itertools import pairwise

from generator.archive import codec
from generator.probing.demo.sheet import ScriptedEndpoint, script_sheet
from generator.probing.identity import base_of
from generator.records.endpoint import Endpoint
from generator.records.figures import decimal_text
from generator.records.observation import Outcome
from generator.site.interface import DemoTruth
from generator.workflows.world import Root

DEMO = "demo"


def demo_truths(root: Root) -> tuple[DemoTruth, ...]:
    """Return, for each endpoint of the demo, its truth, its scripted faults and what all its nights counted."""
    store = root.store.nights
    outcomes: dict[tuple[str, str], Counter[tuple[str, str | None]]] = {}
    listed: dict[tuple[str, str], list[tuple[str, Endpoint]]] = {}
    nights = store.kept()
    for night in nights:
        record = store.get(night).record
        for endpoint in codec.records_of(store.table(record, "listings"), Endpoint):
            base = base_of(endpoint.tag, endpoint.declared_precision)
            listed.setdefault((endpoint.model, base), []).append((night.isoformat(), endpoint))
        observations = store.table(record, "observations").select(["model", "endpoint", "outcome", "error_kind"])
        for row in observations.to_pylist():
            counted = outcomes.setdefault((row["model"], row["endpoint"]), Counter())
            counted[row["outcome"], row["error_kind"]] += 1
    truths = []
    for scripted in script_sheet():
        base = base_of(scripted.tag, scripted.declared_precision)
        found = listed.get((scripted.model, base), [])
        if found:
            slug = found[-1][1].endpoint
            counted = outcomes[scripted.model, slug]
            truths.append(_truth(scripted, slug, [*_outcome_words(counted), *_listing_words(found, len(nights))]))
    return tuple(truths)


def _truth(scripted: ScriptedEndpoint, slug: str, counted: list[str]) -> DemoTruth:
    return DemoTruth(
        model=scripted.model,
        endpoint=slug,
        recorded=scripted.truth,
        scripted=scripted.scripted,
        counted=tuple(counted),
    )


def _outcome_words(counted: Counter[tuple[str, str | None]]) -> list[str]:
    """Return how many observations had each outcome, errors by kind."""
    total = counted.total()
    words = []
    for outcome in Outcome:
        kinds = {kind: number for (name, kind), number in counted.items() if name == outcome}
        if kinds:
            by_kind = ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items(), key=str) if kind)
            words.append(f"{sum(kinds.values())} of {total} {outcome}" + (f" ({by_kind})" if by_kind else ""))
    return words


def _listing_words(found: list[tuple[str, Endpoint]], nights: int) -> list[str]:
    """Return on how many nights an endpoint was listed, and each change of what its listing said."""
    words = [f"listed on {len(found)} of {nights} nights, first on {found[0][0]}"]
    for (_, before), (night, after) in pairwise(found):
        if before.tag != after.tag or before.declared_precision != after.declared_precision:
            precisions = [each or "absent" for each in (before.declared_precision, after.declared_precision)]
            words.append(
                f"declared {precisions[0]}, then {precisions[1]} on {night}; tag {before.tag}, then {after.tag}"
            )
        if before.price_prompt != after.price_prompt:
            prices = [decimal_text(each.price_prompt or Decimal(0)) for each in (before, after)]
            words.append(f"price of a prompt token {prices[0]}, then {prices[1]} USD on {night}")
    return words
