"""Grades of as many endpoints as are asked for, from a seed: what every renderer of the comparison is given."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import msgspec

from generator.records.definition import Method
from generator.records.definition_file import parse_method
from generator.records.figures import storable
from generator.records.grade import DeclaredState, Grade, Letter, MatchFamily, MatchNight, TaskFamily
from generator.settings import RouterSettings, Settings
from generator.site.interface import GradeContext

_CONTENT = Path(__file__).resolve().parents[2] / "content"
FIRST = date(2030, 1, 7)
FAMILIES = ("arithmetic", "capitals", "continuation", "copying", "lookup", "sorting", "spelling", "units")
_KEYED = tuple(name for name in FAMILIES if name != "continuation")
_PRECISIONS = ("fp8", "bf16", "int4", None)
_AUTHORS, _PROVIDERS, _ENDPOINTS_PER_MODEL = 40, 60, 7
_WINDOW = 7


def settings() -> Settings:
    """Return the settings of a live site."""
    return Settings(
        format=1,
        title="bitdepth",
        address="https://bitdepth.example/",
        publisher="bitdepth",
        contact="mailto:corrections@bitdepth.example",
        method="0.1",
        prompt_set="p1",
        models=("author-00/model-0000",),
        router=RouterSettings(kind="openrouter", address="https://router.example/api/v1"),
    )


def method() -> Method:
    """Return the repository's own method 0.1."""
    folder = _CONTENT / "methods"
    return parse_method((folder / "0.1.toml").read_bytes(), (folder / "0.1.md").read_bytes(), where="0.1.toml")


def write(file: Path, window: int, pages: int) -> None:
    """Write the grades of a window as JSON, one a line."""
    file.write_bytes(b"".join(msgspec.json.encode(grade) + b"\n" for grade in grades(pages, window=window)))


def read(file: Path) -> Iterator[tuple[Grade, GradeContext]]:
    """Yield each grade of a file with what its page says beside it: every endpoint declared the same throughout."""
    own, known, decoder = settings(), method(), msgspec.json.Decoder(Grade)
    with file.open("rb") as lines:
        for grade in map(decoder.decode, lines):
            declared = dict.fromkeys(grade.nights, grade.d_precision)
            yield grade, GradeContext(settings=own, method=known, precision_before=declared)


def grades(count: int, *, window: int = 0, seed: int = 1) -> Iterator[Grade]:
    """Yield so many grades of one window, each of another endpoint, sorted by model and endpoint.

    Args:
        count: of endpoints.
        window: which window: its last night is so many days after the first window's.
        seed: of the figures; model and provider of an endpoint are the same in every window.
    """
    dice = random.Random(f"{seed} {window}")  # noqa: S311 - figures for a benchmark
    digest = method().digest
    nights = tuple(FIRST + timedelta(days=window - _WINDOW + 1 + day) for day in range(_WINDOW))
    for number in range(count):
        yield _grade(number, nights, digest, dice)


def _grade(number: int, nights: tuple[date, ...], digest: str, dice: random.Random) -> Grade:
    model, place = divmod(number, _ENDPOINTS_PER_MODEL)
    provider = (model * 11 + place * 7) % _PROVIDERS
    precision = _PRECISIONS[(model + place) % len(_PRECISIONS)]
    endpoint = f"p{place}-provider-{provider:02}"
    sent, errors, truncated = 840, dice.randint(0, 6), dice.randint(0, 8)
    tasks = tuple(TaskFamily(family=name, correct=dice.randint(60, 105), counted=105) for name in _KEYED)
    correct = sum(task.correct for task in tasks)
    return Grade(
        model=f"author-{model % _AUTHORS:02}/model-{model:04}-instruct",
        endpoint=endpoint,
        provider=f"Provider {provider:02}",
        tag=endpoint if precision is None else f"{endpoint}/{precision}",
        listings=1,
        window_start=nights[0],
        window_end=nights[-1],
        nights=nights,
        method_version="0.1",
        method_digest=digest,
        letter=Letter.B,
        provisional=True,
        m_letter=Letter.A,
        t_letter=Letter.B,
        d_letter=Letter.B if precision is None else Letter.A,
        r_letter=Letter.A if errors < 5 else Letter.B,
        m_nights_observed=len(nights),
        m_nights_outside=0,
        m_own_variation_above_floor=False,
        m_night=tuple(_match_night(night, dice) for night in nights),
        m_family=tuple(_match_family(name, dice) for name in FAMILIES),
        t_correct=correct,
        t_counted=735,
        t_planned=735,
        t_best_correct=correct + dice.randint(16, 30),
        t_best_counted=735,
        t_within_floor=False,
        t_family=tasks,
        d_state=DeclaredState.ABSENT if precision is None else DeclaredState.PRESENT,
        d_precision=precision,
        d_changes=(),
        r_sent=sent,
        r_errors=errors,
        r_answered=sent - errors - truncated,
        r_truncated=truncated,
        r_misrouted=0,
        unrated_reasons=(),
        nights_since_listed=30,
        nights_absent=0,
        pairs=sent,
        pairs_without_reference=dice.randint(0, 60),
        issued=nights[-1],
        latency_class="II",
        median_latency_ms=dice.randint(1000, 2999),
        price_prompt=Decimal(dice.randint(2, 400)).scaleb(-8),
        price_completion=Decimal(dice.randint(2, 900)).scaleb(-8),
        context_declared=32768,
        context_observed=16384,
        supersedes=(),
    )


def _match_night(night: date, dice: random.Random) -> MatchNight:
    allowed = storable(Fraction(dice.randint(200, 500), dice.randint(60, 72)))
    return MatchNight(
        night=night,
        prompts=dice.randint(88, 96),
        mismatches=dice.randint(0, 2),
        allowed_numerator=allowed.numerator,
        allowed_denominator=allowed.denominator,
    )


def _match_family(name: str, dice: random.Random) -> MatchFamily:
    floor = Fraction(dice.randint(0, 7), 72)
    return MatchFamily(
        family=name,
        stable=True,
        floor_numerator=floor.numerator,
        floor_denominator=floor.denominator,
        prompts=dice.randint(70, 84),
        mismatches=dice.randint(0, 3),
        pairs=72,
        pairs_differing=dice.randint(0, 3),
    )
