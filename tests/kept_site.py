"""A small site root with sealed nights, made without a router: for tests of archive, rendering and verification."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Self

import pyarrow as pa

from generator.archive import codec, schema
from generator.probing.sealing import night_cost, night_counts
from generator.records.endpoint import Endpoint
from generator.records.night import NightRecord, NightSettings, NightState, PreviousNight, missed
from generator.records.observation import Observation, Outcome
from generator.records.prompt import Prompt
from generator.workflows.grading import grade
from generator.workflows.nightly import begin_archive
from generator.workflows.rendering import render
from generator.workflows.world import Root

FIRST = date(2026, 3, 1)
MODEL = "aster/sphinx-8b"
ENDPOINTS = ("kiln", "loom", "mill")

SITE_TOML = """
format = 1
title = "kept"
address = "https://kept.example/"
publisher = "kept"
contact = "mailto:corrections@kept.example"
method = "0.1"
prompt_set = "p1"
models = ["aster/sphinx-8b"]

[router]
kind = "openrouter"
address = "http://127.0.0.1:9/api/v1"
"""

SETTINGS = NightSettings(
    temperature=0.0,
    sampling_seed=7,
    total_deadline_ms=1000,
    idle_deadline_ms=1000,
    max_body_bytes=1000,
    concurrency=1,
    concurrency_per_endpoint=1,
    attempts=1,
    reasoning_budget_tokens=0,
    latency="measured",
)

PROMPTS = tuple(
    Prompt(
        prompt_id=f"{family}-{number}",
        family=family,
        fixed=number < 3,
        prompt=f"{family} {number}?",
        expected=f"{family}{number}" if family == "riddles" else None,
        max_tokens=16,
    )
    for family in ("riddles", "tales")
    for number in range(4)
)


class Silent:
    """Progress that nobody reads."""

    def say(self, line: str) -> None:
        """Take a line."""

    def bar(self, label: str, total: int) -> Self:  # noqa: ARG002 - what Progress asks for
        """Return a bar."""
        return self

    def __enter__(self) -> Self:
        """Return what counts."""
        return self

    def __exit__(self, *_: object) -> None:
        """End."""

    def __call__(self, more: int) -> None:
        """Count."""


def make_root(path: Path, nights: int = 8, *, graded: bool = True, rendered: bool = True) -> Root:
    """Return a root with so many sealed nights, graded and rendered where asked for."""
    (path / "content").mkdir(parents=True)
    (path / "content" / "site.toml").write_text(SITE_TOML)
    root = Root(path)
    begin_archive(root)
    for index in range(nights):
        add_night(root, FIRST + timedelta(days=index))
    if graded:
        grade(root, today=FIRST + timedelta(days=nights), progress=Silent())
    if rendered:
        render(root, progress=Silent())
    return root


def add_night(
    root: Root, night: date, *, state: NightState = NightState.RECORDED, sent_below: int | None = None
) -> NightRecord:
    """Seal one more night: three endpoints, of which 'mill' answers one prompt otherwise on every second night.

    Where `sent_below` is given, only so many observations were sent.
    """
    rows = [row for endpoint in ENDPOINTS for row in observations(night, endpoint)]
    if sent_below is not None:
        rows[sent_below:] = [
            Observation(
                model=row.model,
                endpoint=row.endpoint,
                prompt_id=row.prompt_id,
                family=row.family,
                fixed=row.fixed,
                outcome=Outcome.UNSENT,
                error_kind="not_asked",
            )
            for row in rows[sent_below:]
        ]
    reason = None if state == NightState.RECORDED else "0 of 24 planned observations were sent"
    return seal_night(root, night, rows, [listed(endpoint) for endpoint in ENDPOINTS], PROMPTS, reason=reason)


def seal_night(
    root: Root,
    night: date,
    rows: Sequence[Observation],
    endpoints: Iterable[Endpoint],
    prompts: Iterable[Prompt],
    *,
    reason: str | None = None,
) -> NightRecord:
    """Seal a night of these rows behind the last one kept, void where a reason is given; return its record."""
    kept = root.store.nights.kept()
    previous = PreviousNight(night=kept[-1], sha256=root.store.nights.get(kept[-1]).sha256) if kept else None
    started = datetime(night.year, night.month, night.day, 3, tzinfo=UTC)
    record = NightRecord(
        format=1,
        night=night,
        state=NightState.RECORDED if reason is None else NightState.VOID,
        reason=reason,
        late=False,
        seed="00ff" * 8,
        prompt_set="p1",
        prompt_set_sha256="0" * 64,
        router="openrouter",
        started_at=started,
        finished_at=started + timedelta(minutes=5),
        counts=night_counts(rows),
        cost_usd=night_cost(rows),
        settings=SETTINGS,
        files={},
        previous=previous,
        missed=missed(previous, night),
        tool_version="0",
        seal="",
    )
    tables = {
        "observations": codec.observations_table(rows),
        "listings": codec.listings_table(endpoints),
        "prompts": codec.prompts_table(prompts),
        "context": pa.Table.from_pylist([], schema=schema.CONTEXT),
    }
    return root.store.nights.seal(record, tables)


def observations(night: date, endpoint: str) -> list[Observation]:
    """Return one endpoint's observations of one night."""
    restless = endpoint == "mill" and night.day % 2 == 0
    return [
        Observation(
            model=MODEL,
            endpoint=endpoint,
            prompt_id=prompt.prompt_id,
            family=prompt.family,
            fixed=prompt.fixed,
            outcome=Outcome.ANSWERED,
            answer=(answer := "otherwise" if restless and prompt.prompt_id == "tales-1" else prompt.prompt_id),
            text=answer,
            correct=None if prompt.expected is None else True,
            http_status=200,
            finish_reason="stop",
            latency_ms=400,
            cost_usd=Decimal("0.000001"),
            requested_at=datetime(night.year, night.month, night.day, 3, 1, tzinfo=UTC),
        )
        for prompt in PROMPTS
    ]


def listed(endpoint: str) -> Endpoint:
    """Return one endpoint's listing."""
    return Endpoint(
        model=MODEL,
        model_id=MODEL,
        endpoint=endpoint,
        provider=endpoint.capitalize(),
        tag=f"{endpoint}/fp8",
        listings=1,
        declared_precision="fp8",
        context_length=8192,
        max_completion_tokens=None,
        first_listed=FIRST,
        succeeded_from=None,
        price_prompt=Decimal("0.0000001"),
        price_completion=Decimal("0.0000002"),
        status=0,
        raw="{}",
    )
