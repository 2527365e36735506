"""Parameters by tier: `make test` takes some of them, .ci/run the rest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def few(values: Iterable[Any], count: int = 1) -> list[Any]:
    """Return all parameters, those behind the first few marked `ci`; a tuple is one parameter set."""
    return [
        value if place < count else pytest.param(*(value if type(value) is tuple else (value,)), marks=pytest.mark.ci)
        for place, value in enumerate(values)
    ]
