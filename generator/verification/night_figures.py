"""A night's own figures: what night.json counts, against the rows that it was counted from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from decimal import Decimal

from generator.records.finding import FindingKind
from generator.records.night import NightCounts, NightRecord
from generator.records.observation import Outcome
from generator.verification.findings import Findings


def check_night_figures(  # noqa: PLR0913, PLR0917 - a night's record against each table that it was counted from
    where: str,
    record: NightRecord,
    rows: Iterable[tuple[str, str, str, str, Decimal | None]],
    listed: frozenset[tuple[str, str]],
    prompts: frozenset[str],
    probes: Iterable[tuple[str, str, int, str, Decimal | None]],
    findings: Findings,
) -> None:
    """Add a finding where a night's counts or cost do not follow from its rows, or a row names what is not there.

    Args:
        where: night.json's path from the site root.
        record: what it says.
        rows: model, endpoint, prompt_id, outcome and cost of every observation.
        listed: model and endpoint of every listing.
        prompts: every prompt_id.
        probes: model, endpoint, size, outcome and cost of every context probe.
        findings: where mismatches are added.
    """
    outcomes: Counter[str] = Counter()
    seen: set[tuple[str, str, str]] = set()
    cost = Decimal(0)
    for model, endpoint, prompt_id, outcome, paid in rows:
        outcomes[outcome] += 1
        cost += paid or 0
        if (model, endpoint) not in listed or prompt_id not in prompts or (model, endpoint, prompt_id) in seen:
            findings.add(
                FindingKind.DIFFERENT,
                f"{where.removesuffix('night.json')}observations.parquet",
                expected="each listed endpoint and prompt once",
                found=f"{model} {endpoint} {prompt_id}",
            )
        seen.add((model, endpoint, prompt_id))
    _check_outcomes(where, outcomes, findings)
    planned = outcomes.total()
    counts = NightCounts(
        planned=planned,
        sent=planned - outcomes[Outcome.UNSENT],
        **{outcome.value: outcomes[outcome] for outcome in Outcome},
    )
    findings.require(f"{where}, counts", expected=counts, found=record.counts, what="counts")
    cost += _check_probes(where, record, probes, listed, findings)
    if not _same_amount(record.cost_usd, cost):
        findings.add(FindingKind.DIFFERENT, f"{where}, cost_usd", expected=str(cost), found=record.cost_usd)


def _check_probes(
    where: str,
    record: NightRecord,
    probes: Iterable[tuple[str, str, int, str, Decimal | None]],
    listed: frozenset[tuple[str, str]],
    findings: Findings,
) -> Decimal:
    """Add a finding for each context probe that the night cannot have asked; return what all of them cost."""
    outcomes: set[str] = set()
    seen: set[tuple[str, str]] = set()
    cost = Decimal(0)
    for model, endpoint, rung, outcome, paid in probes:
        outcomes.add(outcome)
        cost += paid or 0
        if (model, endpoint) not in listed or (model, endpoint) in seen or rung not in record.settings.context_rungs:
            findings.add(
                FindingKind.DIFFERENT,
                f"{where.removesuffix('night.json')}context.parquet",
                expected="a listed endpoint at most once, with a size that settings name",
                found=f"{model} {endpoint} {rung}",
            )
        seen.add((model, endpoint))
    _check_outcomes(where, outcomes, findings)
    return cost


def _check_outcomes(where: str, outcomes: Iterable[str], findings: Findings) -> None:
    """Add a finding where an outcome is none that there is."""
    unknown = set(outcomes) - set(Outcome)
    if unknown:
        findings.add(FindingKind.DIFFERENT, where, expected="known outcomes", found=", ".join(sorted(unknown)))


def _same_amount(text: str, amount: Decimal) -> bool:
    try:
        return Decimal(text) == amount
    except ArithmeticError:
        return False
