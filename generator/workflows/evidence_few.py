"""Where the candidate can fail: models with few endpoints, and models most of whose endpoints are different."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from generator.method.grading import grade_window
from generator.method.interface import Issue
from generator.method.tally import tally_night
from generator.probing.draws import Draws
from generator.records.candidate import Combination, FewEndpoints
from generator.records.definition import Definition, Method
from generator.records.grade import Letter
from generator.workflows.made_nights import FIRST_NIGHT
from generator.workflows.replaying import Host, Replay, own_weights
from generator.workflows.world import Progress

_CASES = (
    ("One endpoint is different, one has the model's own weights.", 1, 1),
    ("One endpoint is different, two have the model's own weights.", 1, 2),
    ("One endpoint is different, three have the model's own weights.", 1, 3),
    ("Two listings of one different host, one endpoint with the model's own weights.", 2, 1),
    ("Three listings of one different host, one endpoint with the model's own weights.", 3, 1),
    ("Three listings of one different host, two endpoints with the model's own weights.", 3, 2),
)
"""A sentence, how many listings the different host has, and how many others there are."""

_Letters = Counter[tuple[bool, Letter | None]]
"""By whether the endpoint has the model's own weights, and M's letter."""


def few_endpoints(
    replay: Replay, definitions: Mapping[Combination, Definition], *, seed: str, draws: int, progress: Progress
) -> tuple[FewEndpoints, ...]:
    """Return what each case reads, for each model and combination; hosts and nights are drawn anew for each window."""
    found = []
    with progress.bar("drawing small models", len(_CASES) * len(replay.recording.models()) * draws) as advance:
        for sentence, different, own in _CASES:
            for model in replay.recording.models():
                letters: dict[Combination, _Letters] = {each: Counter() for each in definitions}
                for index in range(draws):
                    label = f"{seed} few {model} {different} {own} {index}"
                    hosts = _hosts(replay, model, different, own, label)
                    _read(replay, hosts, definitions, label, letters)
                    advance(1)
                found += [
                    _case(sentence, model, different + own, draws, each, counted) for each, counted in letters.items()
                ]
    return tuple(found)


def _hosts(replay: Replay, model: str, different: int, own: int, label: str) -> list[Host]:
    """Return the drawn hosts: one different one with so many listings, and so many with the model's own weights."""
    draws = Draws(label, "hosts")
    recorded = [each for each in replay.recording.endpoints if each.model == model]
    changed = draws.choice([each for each in recorded if own_weights(each) is False])
    others = draws.sample([each for each in recorded if own_weights(each)], own)
    copies = [
        Host(slug=f"{changed.provider_name.lower()}-{copy}", recorded=changed, copy=copy) for copy in range(different)
    ]
    return copies + [Host(slug=each.provider_name.lower(), recorded=each) for each in others]


def _read(
    replay: Replay,
    hosts: Sequence[Host],
    definitions: Mapping[Combination, Definition],
    label: str,
    letters: Mapping[Combination, _Letters],
) -> None:
    """Add one window's letters on M."""
    own = {host.slug: own_weights(host.recorded) is True for host in hosts}
    length = next(iter(definitions.values())).window.nights
    nights = replay.nights([f"{label} night {index}" for index in range(length)], hosts)
    for combination, definition in definitions.items():
        grades = grade_window(
            [tally_night(night, definition) for night in nights],
            method=Method(definition=definition, prose="", digest=""),
            recorded=[night.night for night in nights],
            issue=Issue(issued=FIRST_NIGHT, supersedes={}),
        )
        letters[combination].update((own[grade.endpoint], grade.m_letter) for grade in grades)


def _case(  # noqa: PLR0913, PLR0917 - one row of a table
    sentence: str, model: str, endpoints: int, windows: int, combination: Combination, counted: _Letters
) -> FewEndpoints:
    return FewEndpoints(
        case=sentence,
        model=model,
        endpoints=endpoints,
        combination=combination,
        windows=windows,
        honest={letter: counted[True, letter] for letter in Letter if counted[True, letter]},
        different={letter: counted[False, letter] for letter in Letter if counted[False, letter]},
        not_measured=counted[True, None] + counted[False, None],
    )
