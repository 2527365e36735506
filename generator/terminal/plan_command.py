"""The command that says what a night would ask and cost: plan; and the options on money that it shares with probing."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console

from generator.errors import UsageError
from generator.records.cost_plan import CostPlan
from generator.records.figures import decimal_text
from generator.settings import BudgetSettings
from generator.site.text import visible_plain
from generator.terminal.options import JsonOption, RootOption, parsed_date
from generator.terminal.plan import print_plan
from generator.terminal.progress import TerminalProgress
from generator.terminal.session import messages, print_result, site_at
from generator.workflows.costing import cost_plan
from generator.workflows.probing import RouterOf
from generator.workflows.world import Root, World

NightOption = Annotated[
    str | None, typer.Option("--night", metavar="DATE", help="Carry on with an unsealed night instead of today's.")
]
DryRunOption = Annotated[
    bool,
    typer.Option("--dry-run", help="Print what would be asked and what it costs at most, as plan does; ask nothing."),
]
MaxUsdOption = Annotated[
    str | None,
    typer.Option("--max-usd", metavar="USD", help="The most that the night may cost, instead of budget.max_usd."),
]
AllowUnpricedOption = Annotated[
    bool,
    typer.Option(
        "--allow-unpriced",
        help="Ask endpoints too that list no price. What they cost is not known beforehand: the highest price listed "
        "beside them is held.",
    ),
]


class Planner(msgspec.Struct, frozen=True, kw_only=True):
    """Prints plans; made from the two ends and from what runs a workflow."""

    world: Callable[[], World]
    router_of: RouterOf
    run: Callable[[Coroutine[Any, Any, CostPlan]], CostPlan]

    def show(self, root: Path, night: str | None, max_usd: str | None, *, allow_unpriced: bool, json: bool) -> None:
        """Print what a night would ask and cost at most; the arguments are those of the command."""
        progress = TerminalProgress(Console(stderr=True), quiet=json)
        with messages(json):
            site = site_at(root)
            budget = chosen_budget(site, max_usd, allow_unpriced=allow_unpriced)
            chosen = parsed_date(night)
            found = self.run(
                cost_plan(site, self.world(), self.router_of, progress=progress, night=chosen, budget=budget)
            )
            print_result(
                json,
                _plain(msgspec.to_builtins(found, builtin_types=(Decimal,))),
                lambda console: print_plan(console, found),
            )


def add_plan_command(app: typer.Typer, planner: Planner) -> None:
    """Add the command to the program."""

    @app.command()
    def plan(
        root: RootOption = Path(),
        night: NightOption = None,
        max_usd: MaxUsdOption = None,
        *,
        allow_unpriced: AllowUnpricedOption = False,
        json: JsonOption = False,
    ) -> None:
        """Print what tonight would ask and cost at most, by model and endpoint, at the router's live prices.

        It asks no endpoint and writes nothing. The worst case of a request counts every byte of its prompt as a token,
        and every token that it allows; unpriced endpoints are left out under a cap unless --allow-unpriced.
        """
        planner.show(root, night, max_usd, allow_unpriced=allow_unpriced, json=json)


def chosen_budget(site: Root, max_usd: str | None, *, allow_unpriced: bool) -> BudgetSettings:
    """Return the budget of site.toml with what the command line says in its place.

    Raises:
        UsageError: where the cap is no amount.
    """
    own = site.content.settings().budget
    changed = {
        "max_usd": own.max_usd if max_usd is None else max_usd,
        "allow_unpriced": own.allow_unpriced or allow_unpriced,
    }
    try:
        return msgspec.convert(changed, BudgetSettings)
    except msgspec.ValidationError:
        raise UsageError(
            f"expected an amount in US dollars such as 2.50, found '{visible_plain(str(max_usd))}'",
            where="--max-usd",
            do="Give digits, and at most twelve after a point",
        ) from None


def _plain(value: object) -> object:
    """Return a value for JSON with its decimals in plain notation: '0.00000001', never '1E-8'."""
    match value:
        case Decimal():
            return decimal_text(value)
        case dict():
            return {name: _plain(member) for name, member in value.items()}
        case list() | tuple():
            return [_plain(member) for member in value]
        case _:
            return value
