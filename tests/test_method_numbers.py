"""Every number of the definition moves a figure or a letter, and no other number stands in the method's code."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.method_cases import CHOICES, NUMBERS, Case
from tests.method_variants import METHOD, ROOT, is_numeric, leaves, varied

FIXED_VALUES = {
    "format": "says how to read the file; another one is refused",
    "released": "a date that is printed",
    "changes": "sentences that are printed",
    "reference.tie": "has one legal value",
    "self_disagreement.nights": "has one legal value",
    "self_disagreement.prompts": "has one legal value",
    "floor.estimator": "has one legal value",
    "stability.median": "has one legal value",
    "match.pooling": "has one legal value",
    "latency.median": "has one legal value",
    "letters.D.C.states": "must take every state",
}
"""Leaves of the definition that no case can vary, each with its reason."""


class TestEveryNumberOfTheDefinitionCounts:
    @pytest.mark.parametrize("case", [*NUMBERS, *CHOICES], ids=lambda case: f"{case.path}={case.value}")
    def test_another_value_reads_otherwise(self, case: Case) -> None:
        """One value changed in the definition's text moves one figure or letter, and nothing else moves it."""
        assert case.before != case.after
        assert case.look(METHOD) == case.before
        assert case.look(varied(case.changes)) == case.after

    def test_every_number_has_a_case(self) -> None:
        """No number of the definition is without a case above."""
        numbers = {path for path, value in leaves().items() if is_numeric(value)}
        assert numbers - {case.path for case in NUMBERS} == {"format"}

    def test_every_rule_choice_has_a_case_or_a_reason(self) -> None:
        """No other leaf of the definition is without a case either, unless it is named with its reason."""
        paths = {case.path for case in (*NUMBERS, *CHOICES)}
        assert set(leaves()) - paths == set(FIXED_VALUES)

    def test_no_case_is_for_a_value_that_is_gone(self) -> None:
        """Each case varies a leaf that the definition has."""
        assert {case.path for case in (*NUMBERS, *CHOICES)} <= set(leaves())


SOURCES = sorted((ROOT / "generator" / "method").glob("**/*.py"))
COUNTING = {0, 1, 2}
"""Nothing, one and the next, and the halves of a median: no threshold."""
ALLOWED: dict[tuple[str, float], str] = {}
"""By (file name, number), why a further number stands there."""
COMPARED: dict[tuple[str, float], str] = {
    ("plurality.py", 2): "an answer that more than half gave is the plurality whatever the others gave",
}
"""By (file name, number), why a comparison holds a number beside 0 and 1."""
COLUMNAR = {"columns.py", "model_tally.py", "pairs.py", "plurality.py", "tally.py", "window_counts.py"}
"""Where counts stand in arrays of whole numbers: numpy adds them up, and nothing else is asked of it."""
INEXACT = re.compile(
    r"float|double|half|divide$|mean|average|median|percentile|quantile|std|var$|sqrt|log|exp$|round|rint|linspace"
)
"""Names in numpy that make something that is no whole number."""


def numbers_of(node: ast.AST) -> list[float]:
    """Return every number below a node, those written as a text included; a truth value is none."""
    found: list[float] = []
    for constant in ast.walk(node):
        if not isinstance(constant, ast.Constant) or isinstance(constant.value, bool):
            continue
        if isinstance(constant.value, int | float):
            found.append(constant.value)
        elif isinstance(constant.value, str | bytes):
            try:
                found.append(float(constant.value))
            except ValueError:
                continue
    return found


class TestNoThresholdPercentileOrWindowLengthStandsInTheCode:
    def test_there_is_code_to_read(self) -> None:
        """The modules of the method are where this test looks for them."""
        assert {"tally.py", "window.py", "grading.py", "disagreement.py", "letters.py"} <= {p.name for p in SOURCES}

    @pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
    def test_a_comparison_holds_no_number_but_0_and_1(self, source: Path) -> None:
        """Whatever else is compared with comes from the definition or from a count."""
        compared = [n for n in ast.walk(ast.parse(source.read_bytes())) if isinstance(n, ast.Compare | ast.match_case)]
        named = {number for name, number in COMPARED if name == source.name}
        assert {number for node in compared for number in _compared(node)} - {0, 1} == named

    @pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
    def test_a_module_holds_no_number_but_0_1_and_2(self, source: Path) -> None:
        """A number that is not for counting stands in the short list above, with its reason."""
        found = set(numbers_of(ast.parse(source.read_bytes()))) - COUNTING
        assert found == {number for name, number in ALLOWED if name == source.name}

    @pytest.mark.parametrize(
        "line",
        ["x >= 90", "x < Fraction('0.9')", "100 * x > 20 * y", "x in (3, 4)", "x < -7", "x > y if y < 1e3 else z"],
    )
    def test_the_search_finds_a_threshold(self, line: str) -> None:
        """A number written into a comparison is found in any of these guises."""
        compared = [n for n in ast.walk(ast.parse(line)) if isinstance(n, ast.Compare | ast.match_case)]
        assert {number for node in compared for number in _compared(node)} - {0, 1}


class TestAllComparisonsAreExactNeverOnFloats:
    @pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
    def test_nothing_makes_a_float(self, source: Path) -> None:
        """No float is written, made or imported, and nothing is rounded, in any module of the method."""
        tree = ast.parse(source.read_bytes())
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        modules |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        constants = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
        assert not names & {"float", "round"}
        assert not modules & {"math", "statistics", "decimal"}
        # Arrow's functions may choose rows, and compute nothing.
        assert {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and _is_arrow(node)} <= {
            "equal"
        }
        assert ("numpy" in modules) is (source.name in COLUMNAR)
        assert not [value for value in constants if isinstance(value, float)]

    @pytest.mark.parametrize("name", sorted(COLUMNAR))
    def test_arrays_hold_whole_numbers(self, name: str) -> None:
        """Where numpy counts, nothing divides, and no type or function is used whose result is no whole number."""
        tree = ast.parse((ROOT / "generator" / "method" / name).read_bytes())
        asked = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        assert not {each for each in asked if INEXACT.search(each)}
        assert not [node for node in ast.walk(tree) if isinstance(node, ast.Div)]
        types = [node.value for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "dtype"]
        # The last one is the type of an Arrow column of whole numbers, as its buffer lies.
        whole = {f"np.{each}" for each in ("bool_", "int8", "uint8", "int32", "int64")}
        assert {ast.unparse(each) for each in types} <= whole | {"array.type.to_pandas_dtype()"}


def _is_arrow(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "pc"


def _compared(node: ast.Compare | ast.match_case) -> list[float]:
    return numbers_of(node.pattern if isinstance(node, ast.match_case) else node)
