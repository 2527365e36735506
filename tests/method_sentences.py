"""The sentences of the method page, section by section, and who tests each."""

from __future__ import annotations

import ast
import re
from fractions import Fraction
from functools import cache
from types import ModuleType

from generator.site import method_page
from tests import site_material as made
from tests.method_variants import ROOT

_BLOCK = re.compile(r'<h([234]) id="([^"]+)">.*?</h\1>|<(p|li)>(.*?)</\3>', re.DOTALL)
_END = re.compile(r"(?<=[.:;])\s+(?=[A-Z'])")


@cache
def sentences() -> dict[str, str]:
    """Return the section of every sentence on the page of 0.1, in its order, without headings and tables.

    The page's minus and multiplication signs are written '-' and 'x'.
    """
    found: dict[str, str] = {}
    section = ""
    for _, heading, _, body in _BLOCK.findall(str(method_page.fill(made.method(), Fraction(4)).html)):
        section = heading or section
        text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", body)).replace("&quot;", '"').strip()
        text = text.replace("\N{MINUS SIGN}", "-").replace("\N{MULTIPLICATION SIGN}", "x")
        found.update((sentence, section) for sentence in _END.split(text) if text)
    return found


def quotations(*modules: ModuleType) -> dict[str, str]:
    """Return, by test class of some modules, what it quotes in `says`, on one line."""
    return {
        f"{module.__name__}.{name}": " ".join(value.says.split())
        for module in modules
        for name, value in vars(module).items()
        if name.startswith("Test") and hasattr(value, "says")
    }


def stands(place: str) -> bool:
    """Return whether a test of another module is there: 'test_wire_outcomes.TestErrors', or a test function's name."""
    module, name = place.split(".")
    tree = ast.parse((ROOT / "tests" / f"{module}.py").read_bytes())
    return any(isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name for node in ast.walk(tree))
