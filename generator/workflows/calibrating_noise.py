"""What luck alone reads: windows resampled from a calibration's nights, graded as any other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from generator.method.grading import grade_window
from generator.method.interface import Issue, NightTables
from generator.method.resampling import cells_of, draw_fleet, equal_endpoints, steady_answer
from generator.method.tally import tally_night
from generator.records.calibration import CalibrationRule, EqualEndpoints, NoiseRate
from generator.records.definition import Definition, Method
from generator.records.draws import Draws
from generator.records.grade import Letter
from generator.records.observation import Outcome
from generator.records.prompt import Prompt
from generator.workflows.made_nights import FIRST_NIGHT, MadeAnswer, made_dates, made_night
from generator.workflows.world import Progress

_STEADY = "="
"""Stands for whatever answer an endpoint gives most often: in a resampled window all endpoints share it."""

_COLUMNS = ["model", "endpoint", "prompt_id", "fixed", "outcome", "answer"]


class _Model(msgspec.Struct, frozen=True, kw_only=True):
    """One model's fixed prompts over the calibration's nights."""

    model: str
    prompts: tuple[Prompt, ...]
    endpoints: tuple[str, ...]
    answers: dict[tuple[str, str], dict[int, str]]
    """By (endpoint, prompt_id), then by night: what was answered, `=` for the steady answer."""


def noise_rates(
    nights: Sequence[NightTables], method: Method, *, seed: str, rule: CalibrationRule, progress: Progress
) -> tuple[NoiseRate, ...]:
    """Return, for each model, what an endpoint that is only as noisy as the fleet reads on M.

    A resampled window draws as many endpoints as the model has, with replacement, and as many nights as a window holds.
    Each drawn endpoint answers the fixed prompts as it did on those nights, but what it answers most often stands for
    one and the same answer at all of them: so all serve the same, and differ only as each differs from itself. Every
    endpoint of every window is counted.
    """
    models = _models(nights)
    found = []
    with progress.bar("resampling nights", len(models) * rule.draws) as advance:
        for model in models:
            letters: Counter[Letter] = Counter()
            for draw in range(rule.draws):
                letters.update(_window(model, len(nights), method, Draws(seed, "noise", model.model, str(draw))))
                advance(1)
            found.append(
                NoiseRate(
                    model=model.model,
                    windows=letters.total(),
                    letters={letter: letters[letter] for letter in Letter if letters[letter]},
                )
            )
    return tuple(found)


def luck_of_equals(
    nights: Sequence[NightTables], definition: Definition, *, seed: str, rule: CalibrationRule, progress: Progress
) -> tuple[EqualEndpoints, ...]:
    """Return, for each model and k, how far the average of k equal endpoints stands below the best of them.

    The prompts are the keyed ones of the last window among the calibration's nights.
    """
    found: list[EqualEndpoints] = []
    correct: dict[str, dict[tuple[int, str], list[bool]]] = {}
    for index, night in enumerate(nights[-definition.window.nights :]):
        for row in night.observations.select(["model", "prompt_id", "outcome", "correct"]).to_pylist():
            began = row["outcome"] in {Outcome.ANSWERED, Outcome.TRUNCATED}
            if began and row["correct"] is not None:
                correct.setdefault(row["model"], {}).setdefault((index, row["prompt_id"]), []).append(row["correct"])
    with progress.bar("resampling equal endpoints", len(correct)) as advance:
        for model, given in sorted(correct.items()):
            found += equal_endpoints(model, cells_of(given.values()), seed=seed, rule=rule)
            advance(1)
    return tuple(found)


def _window(model: _Model, nights: int, method: Method, draws: Draws) -> list[Letter]:
    """Return what each endpoint of one resampled window reads on M."""
    fleet = draw_fleet(draws, model.endpoints, nights, min(method.definition.window.nights, nights))
    slugs = {f"{place}-{endpoint}": endpoint for place, endpoint in enumerate(fleet.endpoints)}
    precisions: dict[tuple[str, str], str | None] = {(model.model, slug): None for slug in slugs}
    made = [
        made_night(
            night,
            [
                _answer(model, slug, prompt, model.answers.get((endpoint, prompt.prompt_id), {}).get(index))
                for slug, endpoint in slugs.items()
                for prompt in model.prompts
            ],
            model.prompts,
            precisions,
        )
        for night, index in zip(made_dates(len(fleet.nights)), fleet.nights, strict=True)
    ]
    grades = grade_window(
        [tally_night(night, method.definition) for night in made],
        method=method,
        recorded=[night.night for night in made],
        issue=Issue(issued=FIRST_NIGHT, supersedes={}),
    )
    return [grade.m_letter for grade in grades if grade.m_letter is not None]


def _answer(model: _Model, slug: str, prompt: Prompt, answer: str | None) -> MadeAnswer:
    return MadeAnswer(
        model=model.model,
        endpoint=slug,
        prompt=prompt,
        outcome=Outcome.UNSENT if answer is None else Outcome.ANSWERED,
        answer=answer,
        correct=None,
    )


def _models(nights: Sequence[NightTables]) -> tuple[_Model, ...]:
    """Return every model with an answer to a fixed prompt, sorted."""
    prompts: dict[str, Prompt] = {}
    given: dict[str, dict[tuple[str, str], dict[int, str]]] = {}
    for index, night in enumerate(nights):
        for row in night.prompts.to_pylist():
            if row["fixed"]:
                prompts[row["prompt_id"]] = Prompt(**row | {"expected": None})
        for row in night.observations.select(_COLUMNS).to_pylist():
            if row["fixed"] and row["outcome"] == Outcome.ANSWERED:
                of_model = given.setdefault(row["model"], {})
                of_model.setdefault((row["endpoint"], row["prompt_id"]), {})[index] = row["answer"]
    asked = tuple(prompts[prompt_id] for prompt_id in sorted(prompts))
    return tuple(
        _Model(
            model=model,
            prompts=asked,
            endpoints=tuple(sorted({endpoint for endpoint, _ in answers})),
            answers={key: _marked(by_night) for key, by_night in answers.items()},
        )
        for model, answers in sorted(given.items())
    )


def _marked(by_night: dict[int, str]) -> dict[int, str]:
    """Return one endpoint's answers to one prompt with its steady answer marked."""
    steady = steady_answer(list(by_night.values()))
    return {index: _STEADY if answer == steady else f"{answer} " for index, answer in by_night.items()}
