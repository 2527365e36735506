"""A root with sealed and graded nights in which every name, claim, prompt, answer and error is a payload."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import kept_site
import msgspec

from generator.probing.identity import settle
from generator.records.endpoint import Endpoint
from generator.records.listing import ListedEndpoint, ModelListing
from generator.records.observation import Observation, Outcome
from generator.records.prompt import Prompt
from generator.workflows.grading import grade
from generator.workflows.nightly import begin_archive
from generator.workflows.rendering import render
from generator.workflows.world import Root

NIGHTS = 7
EACH = 10
"""Endpoints of a model: every tenth payload names one."""
LAST = kept_site.FIRST + timedelta(days=NIGHTS - 1)


def make_root(path: Path, texts: tuple[str, ...]) -> Root:
    """Return a root with a graded week and its site: one endpoint errs, one is misrouted, and one answers otherwise."""
    (path / "content").mkdir(parents=True)
    (path / "content" / "site.toml").write_text(kept_site.SITE_TOML)
    root = Root(path)
    begin_archive(root)
    listed = endpoints(texts)
    for day in range(NIGHTS):
        _add_night(root, kept_site.FIRST + timedelta(days=day), listed, texts)
    grade(root, today=LAST, progress=kept_site.Silent())
    render(root, progress=kept_site.Silent())
    return root


def endpoints(texts: tuple[str, ...]) -> tuple[Endpoint, ...]:
    """Return so many endpoints as there are payloads; each payload is a provider, a tag and a precision once."""
    listings = [
        ModelListing(
            model=texts[first],
            model_id=texts[first],
            reasoning_mandatory=False,
            reasoning_supported=False,
            endpoints=tuple(
                ListedEndpoint(
                    provider=texts[place],
                    tag=texts[(place + 1) % len(texts)],
                    declared_precision=texts[(place + 2) % len(texts)],
                    context_length=8192,
                    max_completion_tokens=None,
                    price_prompt=None,
                    price_completion=None,
                    status=0,
                    supported_parameters=(),
                    raw=msgspec.json.encode(texts[place]).decode(),
                )
                for place in range(first, first + EACH)
            ),
        )
        for first in range(0, len(texts), EACH)
    ]
    return settle(kept_site.FIRST, listings, {})


def prompts(texts: tuple[str, ...]) -> tuple[Prompt, ...]:
    """Return two families of four prompts, one of them keyed, whose texts and keys are payloads."""
    return tuple(
        Prompt(
            prompt_id=f"{family}-{number}",
            family=family,
            fixed=number < 3,
            prompt=texts[(7 * number + offset) % len(texts)],
            expected=texts[(7 * number + offset + 1) % len(texts)] if family == "riddles" else None,
            max_tokens=16,
        )
        for offset, family in ((0, "riddles"), (3, "tales"))
        for number in range(4)
    )


def _add_night(root: Root, night: date, listed: tuple[Endpoint, ...], texts: tuple[str, ...]) -> None:
    rows = [
        _observation(night, each, place, prompt, texts)
        for place, each in enumerate(listed)
        for prompt in prompts(texts)
    ]
    rows.sort(key=lambda row: (row.model, row.endpoint, row.prompt_id))
    kept_site.seal_night(root, night, rows, listed, prompts(texts))


def _observation(night: date, endpoint: Endpoint, place: int, prompt: Prompt, texts: tuple[str, ...]) -> Observation:
    """Return what came of a prompt: an error, somebody else's answer, another answer, or the one that most gave."""
    plain = Observation(
        model=endpoint.model,
        endpoint=endpoint.endpoint,
        prompt_id=prompt.prompt_id,
        family=prompt.family,
        fixed=prompt.fixed,
        outcome=Outcome.ERROR,
        error_kind=texts[(place + 3) % len(texts)],
        http_status=503,
        finish_reason=texts[(place + 4) % len(texts)],
        latency_ms=400,
        requested_at=datetime(night.year, night.month, night.day, 3, 1, tzinfo=UTC),
    )
    odd = prompt.prompt_id in {"riddles-0", "tales-0"}
    answer = texts[(place + 5) % len(texts)] if odd and place % 3 == 0 else prompt.prompt
    answered = msgspec.structs.replace(
        plain,
        outcome=Outcome.ANSWERED,
        error_kind=None,
        http_status=200,
        answer=answer,
        text=answer,
        correct=None if prompt.expected is None else answer == prompt.expected,
    )
    if prompt.prompt_id == "tales-3" and place % 3 == 1:
        return plain
    if prompt.prompt_id == "tales-3" and place % 3 == 2:
        served = {"served_provider": texts[(place + 6) % len(texts)], "served_model": texts[(place + 7) % len(texts)]}
        return msgspec.structs.replace(answered, outcome=Outcome.MISROUTED, **served)
    return answered
