"""What the method would read in a setting that nobody has run: how large a prompt set has to be, before it is paid for.

A made fleet: equal endpoints whose answers now and then change at random, and one that also answers some prompts
otherwise every night. Their nights are graded by the method's own functions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from generator.errors import UsageError
from generator.method.grading import grade_window
from generator.method.interface import Issue, NightTables
from generator.method.tally import tally_night
from generator.records.definition import Method
from generator.records.draws import Draws
from generator.records.grade import Grade, Letter
from generator.records.observation import Outcome
from generator.records.prompt import Prompt
from generator.records.simulation import SimulatedSetting, SimulationResult
from generator.workflows.made_nights import FIRST_NIGHT, MadeAnswer, made_dates, made_night
from generator.workflows.world import Progress

_MODEL, _DIFFERENT = "made/model", "different"
_COMMON, _OTHER = "=", "otherwise"
_MILLE = 1000
_LEAST_TOKENS = 16


def simulate(method: Method, setting: SimulatedSetting, *, progress: Progress) -> SimulationResult:
    """Return what M would read, for the equal endpoints and for the different one.

    Args:
        method: the definition that reads.
        setting: the fleet, the prompt set and the seed that every draw follows from.
        progress: who is told.

    Raises:
        UsageError: where the setting cannot be run.
    """
    _check(setting)
    honest: Counter[Letter] = Counter()
    different: Counter[Letter] = Counter()
    with progress.bar("simulating windows", setting.windows) as advance:
        for window in range(setting.windows):
            for grade in simulated_window(method, setting, window):
                letter = Letter.U if grade.m_letter is None or grade.letter == Letter.U else grade.m_letter
                (different if grade.endpoint == _DIFFERENT else honest)[letter] += 1
            advance(1)
    return SimulationResult(
        method_version=method.version, setting=setting, honest=_counted(honest), different=_counted(different)
    )


def simulated_window(method: Method, setting: SimulatedSetting, window: int) -> tuple[Grade, ...]:
    """Return the grades of one simulated window, counted from 0."""
    dates = made_dates(method.definition.window.nights)
    slugs = [*(f"equal-{place}" for place in range(1, setting.endpoints + 1)), _DIFFERENT]
    draws = Draws(setting.seed, "simulate", str(window))
    fixed = [prompt for family in range(setting.families) for prompt in _prompts(family, "f", setting.fixed_prompts)]
    changed = {prompt.prompt_id for prompt in fixed if _happens(draws, setting.different_per_mille)}
    nights: list[NightTables] = []
    for index, night in enumerate(dates):
        made = [
            prompt
            for family in range(setting.families)
            for prompt in _prompts(family, f"n{index}", setting.generated_prompts, fixed=False)
        ]
        otherwise = changed | {prompt.prompt_id for prompt in made if _happens(draws, setting.different_per_mille)}
        answers = list(_answers(setting, draws, slugs, [*fixed, *made], otherwise))
        nights.append(made_night(night, answers, [*fixed, *made], {(_MODEL, slug): "fp8" for slug in slugs}))
    return grade_window(
        [tally_night(night, method.definition) for night in nights],
        method=method,
        recorded=dates,
        issue=Issue(issued=FIRST_NIGHT, supersedes={}),
    )


def _answers(
    setting: SimulatedSetting, draws: Draws, slugs: Sequence[str], prompts: Sequence[Prompt], otherwise: set[str]
) -> Iterator[MadeAnswer]:
    """Yield each endpoint's answers of one night; an answer that changes at random is like no other."""
    for slug in slugs:
        for number, prompt in enumerate(prompts):
            steady = _OTHER if slug == _DIFFERENT and prompt.prompt_id in otherwise else _COMMON
            noisy = _happens(draws, setting.noise_per_mille)
            yield MadeAnswer(
                model=_MODEL,
                endpoint=slug,
                prompt=prompt,
                outcome=Outcome.ANSWERED,
                answer=f"{slug} {number} {draws.below(1 << 64)}" if noisy else steady,
                correct=None,
            )


def _prompts(family: int, kind: str, count: int, *, fixed: bool = True) -> list[Prompt]:
    ids = [f"family-{family}-{kind}-{number}" for number in range(count)]
    return [
        Prompt(
            prompt_id=prompt_id,
            family=f"family-{family}",
            fixed=fixed,
            prompt=prompt_id,
            expected=None,
            max_tokens=_LEAST_TOKENS,
        )
        for prompt_id in ids
    ]


def _happens(draws: Draws, per_mille: int) -> bool:
    return draws.below(_MILLE) < per_mille


def _counted(letters: Counter[Letter]) -> dict[Letter, int]:
    return {letter: letters[letter] for letter in Letter if letters[letter]}


def _check(setting: SimulatedSetting) -> None:
    """Refuse a setting that is no fleet, naming the figure."""
    least = {"endpoints": 1, "families": 1, "fixed_prompts": 1, "generated_prompts": 0, "windows": 1}
    for name, at_least in least.items():
        if getattr(setting, name) < at_least:
            raise UsageError(f"expected {at_least} or more, found {getattr(setting, name)}", where=name)
    for name in ("noise_per_mille", "different_per_mille"):
        if not 0 <= getattr(setting, name) <= _MILLE:
            raise UsageError(f"expected 0 to {_MILLE} in a thousand, found {getattr(setting, name)}", where=name)
