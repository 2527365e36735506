"""What the candidate's three rules do on the recording, each on and off, over many draws of nights.

Everything follows from the recording, two definitions and a seed: the same three give the same file, byte for byte.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import product
from pathlib import Path

import msgspec

from generator.archive import files
from generator.content import Content
from generator.method.grading import grade_window
from generator.method.interface import Issue, NightTables
from generator.method.tally import tally_night
from generator.records.candidate import CandidateEvidence, Combination, CombinationEvidence, EndpointEvidence
from generator.records.canonical import canonical_json
from generator.records.definition import Definition, Method
from generator.records.grade import Grade, Letter
from generator.workflows.evidence_checks import check_statements
from generator.workflows.evidence_few import few_endpoints
from generator.workflows.evidence_kernels import kernels
from generator.workflows.evidence_simulated import simulated_rules
from generator.workflows.made_nights import FIRST_NIGHT
from generator.workflows.replaying import Host, Replay, own_weights
from generator.workflows.world import Progress

BASE, CANDIDATE = "0.1", "0.2"
SEED = hashlib.sha256(b"bitdepth candidate 0.2, evidence").hexdigest()
MIN_SHARE = Decimal(60)
"""In percent: the share that was tried."""
CANDIDATE_RULES = Combination(fleet_floor=True, margin=True, min_share=False)

_Counts = dict[tuple[str, str], dict[str, Counter[Letter | None]]]
"""By (model, endpoint), then 'm', 't', 'r' or 'grade': windows by letter."""


class Draw(msgspec.Struct, frozen=True, kw_only=True):
    """One window's worth of nights, in every combination's grades."""

    grades: Mapping[Combination, tuple[Grade, ...]]
    own_variation: Mapping[bool, tuple[Grade, ...]]
    """Under the candidate's rules, with the margin for the endpoint's own variation off and on."""


def write_evidence(root: Path, content: Content, *, draws: int, progress: Progress) -> CandidateEvidence:
    """Make the candidate's evidence and keep it as `content/calibration/candidate-<version>.json`.

    Args:
        root: the folder that holds content/.
        content: where the two definitions are.
        draws: of a window's nights each, at least 1.
        progress: who is told.

    Raises:
        IntegrityError: where another such file is there already.
    """
    evidence = candidate_evidence(content, draws=draws, progress=progress)
    files.create(root, f"content/calibration/candidate-{evidence.version}.json", canonical_json(evidence))
    return evidence


def candidate_evidence(content: Content, *, draws: int, progress: Progress, seed: str = SEED) -> CandidateEvidence:
    """Return what every combination reads over so many draws."""
    base, candidate = content.method(BASE), content.method(CANDIDATE)
    margin = candidate.definition.margin
    if margin is None:
        raise ValueError("expected a candidate with a margin")
    replay = Replay()
    made = []
    with progress.bar("drawing nights", draws) as advance:
        for index in range(draws):
            made.append(graded_draw(replay, base, candidate, seed, index))
            advance(1)
    combinations = tuple(
        _counted(replay, combination, [each.grades[combination] for each in made]) for combination in made[0].grades
    )
    few = few_endpoints(
        replay,
        {each: combined(base.definition, candidate.definition, each) for each in (_NONE, CANDIDATE_RULES)},
        seed=seed,
        draws=draws,
        progress=progress,
    )
    return CandidateEvidence(
        version=CANDIDATE,
        base_version=BASE,
        seed=seed,
        draws=draws,
        nights=base.definition.window.nights,
        min_share_percent=str(MIN_SHARE),
        margin_level_percent=str(margin.level),
        margin_own_variation=margin.own_variation,
        combinations=combinations,
        own_variation=tuple(
            _counted(replay, CANDIDATE_RULES, [each.own_variation[on] for each in made]) for on in (False, True)
        ),
        letters_by_draw=tuple(tuple(letters_of(grades) for grades in each.grades.values()) for each in made),
        simulated=simulated_rules(base, candidate, seed=seed, progress=progress),
        checks=check_statements(combinations, [each.grades for each in made]),
        few=few,
        kernels=kernels(replay, base.definition),
    )


def graded_draw(replay: Replay, base: Method, candidate: Method, seed: str, index: int) -> Draw:
    """Return one draw's grades: its nights' seeds follow from the seed and the draw's number, counted from 0."""
    nights = replay.nights(draw_seeds(seed, index, base.definition), replay.hosts())
    definitions = {each: combined(base.definition, candidate.definition, each) for each in _COMBINATIONS}
    rules = definitions[CANDIDATE_RULES]
    own = {}
    for on in (False, True):
        margin = rules.margin and msgspec.structs.replace(rules.margin, own_variation=on)
        own[on] = grades_under(nights, msgspec.structs.replace(rules, margin=margin))
    graded = {each: grades_under(nights, definition) for each, definition in definitions.items()}
    return Draw(grades=graded, own_variation=own)


def draw_seeds(seed: str, index: int, definition: Definition) -> tuple[str, ...]:
    """Return the seeds of a draw's nights, hexadecimal."""
    return tuple(
        hashlib.sha256(f"{seed} draw {index} night {night}".encode()).hexdigest()
        for night in range(definition.window.nights)
    )


def combined(base: Definition, candidate: Definition, rules: Combination) -> Definition:
    """Return the base definition with some of the candidate's rules on."""
    fleet = candidate.floor.fleet if rules.fleet_floor else None
    share = MIN_SHARE if rules.min_share else None
    return msgspec.structs.replace(
        base,
        floor=msgspec.structs.replace(base.floor, fleet=fleet),
        reference=msgspec.structs.replace(base.reference, min_share=share),
        margin=candidate.margin if rules.margin else None,
    )


def grades_under(nights: Sequence[NightTables], definition: Definition) -> tuple[Grade, ...]:
    """Return the grades of one window of made nights."""
    tallies = [tally_night(night, definition) for night in nights]
    method = Method(definition=definition, prose="", digest="")
    return grade_window(
        tallies,
        method=method,
        recorded=[night.night for night in nights],
        issue=Issue(issued=FIRST_NIGHT, supersedes={}),
    )


def letters_of(grades: Sequence[Grade]) -> str:
    """Return M's letters, one character an endpoint, '-' where not measured."""
    return "".join(grade.m_letter or "-" for grade in grades)


def _counted(replay: Replay, rules: Combination, draws: Sequence[Sequence[Grade]]) -> CombinationEvidence:
    """Count all draws' letters by endpoint."""
    found: _Counts = {}
    pairs: Counter[str] = Counter()
    for grades in draws:
        models = {grade.model: grade for grade in grades}
        pairs["all"] += sum(grade.pairs for grade in models.values())
        pairs["without"] += sum(grade.pairs_without_reference for grade in models.values())
        for grade in grades:
            counts = found.setdefault((grade.model, grade.endpoint), {})
            read = {"m": grade.m_letter, "t": grade.t_letter, "r": grade.r_letter, "grade": grade.letter}
            for column, letter in read.items():
                counts.setdefault(column, Counter())[letter] += 1
    hosts = {(host.recorded.model, host.slug): host for host in replay.hosts()}
    return CombinationEvidence(
        combination=rules,
        pairs=pairs["all"],
        pairs_without_reference=pairs["without"],
        endpoints=tuple(_endpoint(hosts[key], counts) for key, counts in sorted(found.items())),
    )


def _endpoint(host: Host, counts: Mapping[str, Counter[Letter | None]]) -> EndpointEvidence:
    return EndpointEvidence(
        model=host.recorded.model,
        endpoint=host.slug,
        truth=host.recorded.truth,
        equal_to_reference=own_weights(host.recorded),
        m=_letters(counts["m"]),
        m_not_measured=counts["m"][None],
        t=_letters(counts["t"]),
        r=_letters(counts["r"]),
        grades=_letters(counts["grade"]),
    )


def _letters(counts: Counter[Letter | None]) -> dict[Letter, int]:
    return {letter: counts[letter] for letter in Letter if counts[letter]}


_COMBINATIONS = tuple(
    Combination(fleet_floor=fleet, margin=margin, min_share=share)
    for fleet, margin, share in product((False, True), repeat=3)
)
_NONE = _COMBINATIONS[0]
