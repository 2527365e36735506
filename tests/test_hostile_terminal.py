"""Hostile names and answers in the terminal: no control sequence passes, and each reads as it went in."""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import hostile_archive
import hostile_payloads
import lookup_router
import msgspec
import pytest
from rich.console import Console
from typer.testing import CliRunner

from generator.cli import app
from generator.errors import UsageError
from generator.records.cost_plan import CostPlan, EndpointCost, Pricing, model_cost
from generator.records.finding import Finding, VerificationReport
from generator.records.grade import Grade
from generator.site.text import visible_plain
from generator.terminal.plan import print_plan
from generator.terminal.tables import print_grades, print_report
from generator.workflows.showing import Shown
from generator.workflows.world import Root

FEW, ALL = hostile_payloads.FEW, hostile_payloads.COUNT
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
"""What Rich sets colours and weights with: the one sequence that may come out of this program with a result."""
BARS = re.compile(r"\x1b\[(?:\?25[lh]|2K|1A)|\r")
"""What it draws bars with, beside results."""
WIDE = 30_000
"""Columns: no name is folded."""


def texts(count: int = FEW) -> tuple[str, ...]:
    """Return so many payloads."""
    return tuple(payload.text for payload in hostile_payloads.payloads(count))


def in_a_phrase(text: str) -> str:
    """Return a text as it is seen in a phrase of ours, to which its edges are none."""
    return visible_plain(text.strip(" "))


def seen(printed: str) -> str:
    """Return what a reader sees of what was printed; nothing in it controls, hides or reorders."""
    plain = COLOURS.sub("", printed)
    odd = {each for each in plain if unicodedata.category(each) in {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}} - {"\n"}
    assert odd == set(), odd
    return plain


def printed(show: Callable[[Console], None]) -> str:
    """Return what is seen in a terminal that takes every sequence."""
    out = io.StringIO()
    show(Console(file=out, force_terminal=True, width=WIDE))
    return seen(out.getvalue())


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Root:
    """Return the graded root of a few payloads; nobody may write into it."""
    return hostile_archive.make_root(tmp_path_factory.mktemp("hostile") / "root", texts())


@pytest.fixture
def tell(root: Root, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Return what runs a command in a terminal that takes colours, and returns what is seen."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", str(WIDE))

    def run(command: str, *arguments: str, options: tuple[str, ...] = (), code: int = 0) -> str:
        done = CliRunner().invoke(app, [command, "--root", str(root.path), *options, "--", *arguments])
        assert done.exit_code == code, done.output
        return seen(done.stdout) + seen(BARS.sub("", done.stderr))

    return run


def graded(root: Root) -> tuple[Grade, ...]:
    """Return the grades of the root's one window."""
    return root.store.grades.get("0.1", hostile_archive.LAST)


class TestCommands:
    """'The terminal': show, explain, plan and verify, as they are typed."""

    def test_show(self, root: Root, tell: Callable[..., str]):
        """Each model's table says its name and what its endpoints declare."""
        for model in sorted({grade.model for grade in graded(root)}):
            said = tell("show", model)
            assert visible_plain(model) in said
            for grade in graded(root):
                if grade.model == model:
                    assert in_a_phrase(grade.d_precision or "") in said

    def test_show_of_what_there_is_not(self, tell: Callable[..., str]):
        """The message that names near names shows them as they can be seen."""
        for text in texts()[:21]:
            said = tell("show", f"no{text}", code=UsageError.exit_code)
            assert visible_plain(f"found 'no{text}'") in said

    def test_explain(self, root: Root, tell: Callable[..., str]):
        """Prompts, keys, answers, errors and who served them are told as they can be seen, each in its own line."""
        told: set[str] = set()
        for grade in graded(root)[:: hostile_archive.EACH + 1]:
            said = tell("explain", grade.model, grade.endpoint)
            assert visible_plain(f"{grade.model} {grade.endpoint}:") in said
            assert visible_plain(f"tag {grade.tag}") in said
            match = tell("explain", grade.model, grade.endpoint, options=("--column", "M")).splitlines()
            task = tell("explain", grade.model, grade.endpoint, options=("--column", "T")).splitlines()
            asked = {visible_plain(f"prompt: {prompt.prompt}") for prompt in hostile_archive.prompts(texts())}
            keys = {visible_plain(f"key: {prompt.expected}") for prompt in hostile_archive.prompts(texts())}
            told |= asked & {line.strip(" ") for line in (*match, *task)}
            told |= keys & {line.strip(" ") for line in task}
        assert len(told) >= 6

    def test_verify(self, tell: Callable[..., str]):
        """An archive of hostile names verifies, and the site that was laid out from it."""
        assert "no findings" in tell("verify")

    def test_as_json_it_is_exact(self, root: Root):
        """What --json prints is ASCII, and decodes to the very grades."""
        for model in sorted({grade.model for grade in graded(root)}):
            done = CliRunner().invoke(app, ["show", "--json", "--root", str(root.path), "--", model])
            assert re.fullmatch(r"[ -~]*\n", done.stdout), model
            found = msgspec.json.decode(done.stdout, type=tuple[Grade, ...])
            assert found == tuple(grade for grade in graded(root) if grade.model == model)

    def test_plan(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        """A night planned with a router whose every provider and tag is a payload is told without a sequence of its."""
        router = lookup_router.LookupRouter()
        router.listed = {
            text: {"tag": text, "quantization": other} for text, other in zip(texts(), texts()[1:], strict=False)
        }
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("COLUMNS", "200")
        with router.running():
            site = lookup_router.LookupSite(tmp_path / "root", router)
            done = CliRunner().invoke(app, ["plan", "--root", str(site.path)])
        assert done.exit_code == 0, done.output
        assert "nothing was asked and nothing written" in seen(done.stdout)
        seen(done.stderr)


@pytest.mark.parametrize("count", [FEW, pytest.param(ALL, marks=pytest.mark.ci)])
class TestEveryPayload:
    """Printed as each command prints it, for every payload in every place."""

    def test_grades(self, root: Root, count: int):
        """A table of grades says each name, letter by letter as it can be seen."""
        (plain, *_), method = graded(root), root.content.method("0.1")
        for text in texts(count):
            grade = msgspec.structs.replace(plain, model=text, endpoint=text, d_precision=text)
            shown = Shown(model=text, grades=(grade,), definition=method.definition)
            said = printed(partial(print_grades, shown=shown))
            assert said.count(visible_plain(text)) >= 2, text
            assert said.count(in_a_phrase(text)) >= 3, text

    def test_a_plan(self, count: int):
        """A plan says each model and endpoint."""
        models = tuple(model_cost(text, [cost(text)]) for text in texts(count))
        said = printed(lambda console: print_plan(console, plan(models)))
        assert [text for text in texts(count) if said.count(visible_plain(text)) < 2] == []

    def test_a_report(self, count: int):
        """A finding says what was expected and found, and a note what could not be checked."""
        report = VerificationReport(
            checked={"nights": 1},
            findings=tuple(Finding(kind="changed", where=text, expected=text, found=text) for text in texts(count)),
            notes=texts(count),
            complete=False,
        )
        lines = printed(lambda console: print_report(console, report)).splitlines()
        assert len(lines) == 2 * count + 2
        for text, note in zip(texts(count), lines[1:], strict=False):
            assert note == f"note: {visible_plain(text)}"


def cost(text: str) -> EndpointCost:
    """Return an endpoint's costs."""
    return EndpointCost(
        endpoint=text,
        provider=text,
        pricing=Pricing.LISTED,
        price_prompt=Decimal("0.000001"),
        price_completion=None,
        price_request=None,
        requests=10,
        worst_usd=Decimal(1),
        context_requests=0,
        context_worst_usd=Decimal(0),
    )


def plan(models: tuple[Any, ...]) -> CostPlan:
    """Return the plan of a night."""
    return CostPlan(
        night=date(2026, 11, 29),
        router=texts()[8],
        sealed=False,
        carried_on=True,
        charges=True,
        requests=10,
        worst_usd=Decimal(1),
        context_requests=0,
        context_worst_usd=Decimal(0),
        headroom=2,
        spent_usd=Decimal(0),
        costs_told=True,
        needed_usd=Decimal(1),
        most_usd=Decimal(2),
        cap_usd=None,
        suffices=None,
        left_out=0,
        context_left_out=0,
        unknown=0,
        context_unknown=0,
        models=models,
    )
