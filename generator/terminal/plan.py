"""What a night would ask and cost at most, as a reader takes it in: a table for each model, the sums, the cap."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from rich.console import Console
from rich.table import Table
from rich.text import Text

from generator.records.cost_plan import CostPlan, EndpointCost, ModelCost, Pricing, asked_words
from generator.records.figures import counted, decimal_text
from generator.site.text import visible_plain

_PER_MILLION = 10**6
_NOT_TOLD = "This router does not say what an answer cost, and each counts as all that was held for it"
_HEADINGS = (
    "endpoint",
    "graded requests",
    "at most USD",
    "context probes",
    "at most USD",
    "USD per million tokens, in / out",
)


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
        yield (
            "Its models, prices and settings are those that it was begun with, but for the cap: what has changed in "
            "content/site.toml since then waits for the next night."
        )
    else:
        yield f"night {plan.night}, router {plan.router}: nothing was asked and nothing written"
        yield (
            "Sized with a seed that is forgotten again: the night draws its own, with prompts of the same kinds and "
            "about the same lengths."
        )


def _table(model: ModelCost) -> Table:
    asked = _asked(model.requests, model.worst_usd, model.context_requests, model.context_worst_usd)
    table = Table(
        title=Text(f"{visible_plain(model.model)}, at tonight's listed prices: {asked}", style="table.title"),
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
        yield (
            f"earlier runs may have cost up to {usd(plan.spent_usd)} USD, what may have been in flight when one was "
            "killed included"
        )
    if not plan.sealed:
        asked = _asked(plan.requests, plan.worst_usd, plan.context_requests, plan.context_worst_usd)
        yield (
            f"At tonight's listed prices: {asked}. That is every byte a token and every token allowed, at the highest "
            "price listed for any hour"
        )
        yield (
            f"At the price limit, {plan.headroom} times the listed prices{_with_spent(plan)}: at most "
            f"{usd(plan.most_usd)} USD. Past that limit a request is refused or, where the router takes no limit, held "
            "for at what it has come to cost"
        )
    if plan.left_out or plan.context_left_out:
        yield (
            f"{asked_words(plan.left_out, plan.context_left_out)} left out for want of a price; --allow-unpriced asks "
            "them too"
        )
    if plan.unknown or plan.context_unknown:
        yield (
            f"{asked_words(plan.unknown, plan.context_unknown)} to endpoints that list no price: what they cost is not "
            "known beforehand, and the sums hold the highest price listed beside them"
        )
    yield _cap(plan)


def _cap(plan: CostPlan) -> str:
    if plan.cap_usd is None and plan.charges:
        return (
            f"{_needed(plan)} None is set, and this router charges: set 'budget.max_usd' in content/site.toml or give "
            "--max-usd"
        )
    if plan.cap_usd is None:
        return "No cap: this router charges nothing"
    needed = _needed(plan)
    cap = f"The cap of {decimal_text(plan.cap_usd)} USD"
    if plan.most_usd <= plan.cap_usd:
        return f"{needed} {cap} is enough even at the price limit"
    if plan.suffices:
        return f"{needed} {cap} is enough for that"
    counts = "Answers mostly cost far less than their worst case" if plan.costs_told else _NOT_TOLD
    return (
        f"{needed} {cap} is less and may stop the night before its end. {counts}; a night that is stopped carries on "
        "under a higher cap"
    )


def _needed(plan: CostPlan) -> str:
    """Return which cap is enough, and what it is made of: it is neither of the worst cases."""
    if not plan.costs_told:
        return f"A cap of {usd(plan.needed_usd)} USD, the price limit's, cannot stop the night."
    spare = plan.needed_usd - plan.spent_usd - plan.worst_usd - plan.context_worst_usd
    return (
        f"A cap of {usd(plan.needed_usd)} USD cannot stop the night as long as prices stay and answers say what they "
        f"cost: the worst case at the listed prices{_with_spent(plan)}, and {usd(spare)} USD because what is in flight "
        "is held for at the price limit."
    )


def _with_spent(plan: CostPlan) -> str:
    return ", with what earlier runs may have cost" if plan.spent_usd else ""


def _asked(graded: int, worst: Decimal, context: int, context_worst: Decimal) -> str:
    """Return what is asked and costs at most: graded requests, context probes, and both."""
    parts = f"{counted(graded, 'graded request')}, at most {usd(worst)} USD"
    if not context:
        return parts
    return (
        f"{parts}; {counted(context, 'context probe')}, at most {usd(context_worst)} USD; together at most "
        f"{usd(worst + context_worst)} USD"
    )


def usd(value: Decimal) -> str:
    """Return an amount with all its digits: sums are those of what is printed."""
    return decimal_text(value)
