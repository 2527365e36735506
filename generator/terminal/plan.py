"""What a night would ask and cost at most, as a reader takes it in: a table for each model, the sums, the cap."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_UP, Decimal

from rich.console import Console
from rich.table import Table
from rich.text import Text

from generator.records.cost_plan import CostPlan, EndpointCost, ModelCost, Pricing
from generator.records.figures import counted, decimal_text
from generator.site.text import visible_plain

_PER_MILLION = 10**6
_STEP = Decimal("0.000001")
_NOT_TOLD = "This router does not say what an answer cost, and each counts as all that was held for it"
_HEADINGS = ("endpoint", "requests", "at most USD", "context probes", "at most USD", "USD per million tokens, in / out")


def print_plan(console: Console, plan: CostPlan) -> None:
    """Print a night's plan and its costs."""
    for line in _opening(plan):
        console.print(Text(line), soft_wrap=True)
    for model in plan.models:
        console.print(_table(model))
    for line in _closing(plan):
        console.print(Text(line), soft_wrap=True)


def _opening(plan: CostPlan) -> Iterator[str]:
    if plan.sealed:
        yield f"night {plan.night} is sealed already: nothing to ask"
    elif plan.carried_on:
        yield f"night {plan.night}, router {plan.router}, begun already: what it still misses"
    else:
        yield f"night {plan.night}, router {plan.router}: nothing was asked and nothing written"
        yield (
            "Sized with a seed that is forgotten again: the night draws its own, with prompts of the same kinds and "
            "about the same lengths."
        )


def _table(model: ModelCost) -> Table:
    title = f"{visible_plain(model.model)}: {counted(model.requests + model.context_requests, 'request')}, "
    table = Table(
        title=Text(
            f"{title}at most {usd(model.worst_usd + model.context_worst_usd)} USD at tonight's prices",
            style="table.title",
        ),
        title_justify="left",
    )
    for place, heading in enumerate(_HEADINGS):
        table.add_column(heading, overflow="fold", justify="left" if place in (0, len(_HEADINGS) - 1) else "right")
    for each in model.endpoints:
        table.add_row(
            Text(visible_plain(each.endpoint)),
            f"{each.requests:,}",
            usd(each.worst_usd),
            f"{each.context_requests:,}",
            usd(each.context_worst_usd),
            _price(each),
        )
    return table


def _price(cost: EndpointCost) -> str:
    match cost.pricing:
        case Pricing.LEFT_OUT:
            return "no price listed: left out"
        case Pricing.UNKNOWN:
            return "no price listed: asked, cost not known beforehand"
        case Pricing.LISTED:
            pair = (cost.price_prompt or Decimal(0), cost.price_completion or Decimal(0))
            fee = f", {decimal_text(cost.price_request)} USD a request" if cost.price_request else ""
            return " / ".join(decimal_text(price * _PER_MILLION) for price in pair) + fee


def _closing(plan: CostPlan) -> Iterator[str]:
    if plan.spent_usd:
        yield f"spent by earlier runs, what may have been in flight included: {usd(plan.spent_usd)} USD"
    if not plan.sealed:
        yield (
            f"{counted(plan.requests, 'graded request')}, at most {usd(plan.worst_usd)} USD; "
            f"{counted(plan.context_requests, 'context probe')}, at most {usd(plan.context_worst_usd)} USD: every byte "
            "a token and every token allowed, at the highest price listed for any hour"
        )
        yield (
            f"The whole night at most {usd(plan.most_usd)} USD, should prices rise to {plan.headroom} times their "
            "listing; past that a request is refused or, where the router takes no limit, held for at what it has come "
            "to cost"
        )
    if plan.left_out:
        yield f"{counted(plan.left_out, 'request')} left out for want of a price; --allow-unpriced asks them too"
    if plan.unknown:
        yield (
            f"{counted(plan.unknown, 'request')} to endpoints that list no price: what they cost is not known "
            "beforehand, and the sums hold the highest price listed beside them"
        )
    yield _cap(plan)


def _cap(plan: CostPlan) -> str:
    if plan.cap_usd is None and plan.charges:
        return "No cap is set, and this router charges: set 'budget.max_usd' in content/site.toml or give --max-usd"
    if plan.cap_usd is None:
        return "No cap: this router charges nothing"
    cap = f"The cap of {decimal_text(plan.cap_usd)} USD"
    if plan.most_usd <= plan.cap_usd:
        return f"{cap} suffices, even at {plan.headroom} times the listed prices"
    if plan.suffices:
        needed = usd(plan.needed_usd)
        return f"{cap} suffices as long as prices stay and answers say what they cost: it needs {needed} USD"
    counts = "Answers mostly cost far less than their worst case" if plan.costs_told else _NOT_TOLD
    return (
        f"{cap} may stop the night before its end: to be sure it needs {usd(plan.needed_usd)} USD. {counts}; a night "
        "that is stopped carries on under a higher cap"
    )


def usd(value: Decimal) -> str:
    """Return an amount rounded up to a millionth of a dollar: 'at most' stays true."""
    return decimal_text(value.quantize(_STEP, rounding=ROUND_UP))
