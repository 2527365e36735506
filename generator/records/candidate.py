"""What a candidate's rules do on the recording: counts of letters, nothing more. Decimals of a definition are text."""

from __future__ import annotations

import msgspec

from generator.records.grade import Letter
from generator.records.share import Share
from generator.records.simulation import SimulationResult

CANDIDATE_FORMAT = 1


class Combination(msgspec.Struct, frozen=True, kw_only=True):
    """Which of the three rules are on, everything else being 0.1's."""

    fleet_floor: bool
    margin: bool
    min_share: bool


class EndpointEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What one recorded endpoint read over all draws under one combination."""

    model: str
    endpoint: str
    """The recorded provider."""
    truth: str
    """What was really run, in words."""
    equal_to_reference: bool | None
    """True: the model's own weights, whatever kernel, batching, cache reuse or up-cast served them. False: weights,
    cache, temperature or prompt were really changed. None: answers cut, everything else unchanged."""
    m: dict[Letter, int]
    """Windows by M's letter; those not read are left out."""
    m_not_measured: int
    t: dict[Letter, int]
    r: dict[Letter, int]
    grades: dict[Letter, int]
    """Windows by the grade's letter, U among them."""


class CombinationEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """All draws under one combination."""

    combination: Combination
    pairs: int
    """(night, prompt) pairs over all draws and models."""
    pairs_without_reference: int
    endpoints: tuple[EndpointEvidence, ...]
    """Sorted by model and endpoint."""


class StatementCheck(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence that was claimed of the candidate, and what was counted."""

    statement: str
    part: int
    whole: int
    """The statement holds as worded where `holds`; part of whole windows (or pairs) are as it says."""
    holds: bool
    found: str
    """A sentence with the figures."""


class FewEndpoints(msgspec.Struct, frozen=True, kw_only=True):
    """What is read where a model has only some of the recorded endpoints: a place where it can fail."""

    case: str
    """A sentence: how the endpoints were chosen."""
    model: str
    endpoints: int
    """How many the model has in this case."""
    combination: Combination
    windows: int
    honest: dict[Letter, int]
    """M's letters of the unchanged ones; those not read are left out."""
    different: dict[Letter, int]
    """M's letters of the changed ones."""
    not_measured: int


class KernelEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What the recording itself says of an endpoint: agreement with itself against agreement with the plurality."""

    model: str
    endpoint: str
    truth: str
    equal_to_reference: bool | None
    repeated: Share | None
    """Of the pairs of two answers kept for one prompt, those that are the same; None for a host that was kept with one
    answer a prompt because it repeated itself exactly."""
    steadily_otherwise: Share
    """Of the prompts with a reference among the hosts' first answers to which all its kept answers are alike, those
    that it answers otherwise than the reference."""
    with_plurality: Share
    """Of the prompts with such a reference that its first answer answers, those it answers with it."""


class OwnVariationSimulated(msgspec.Struct, frozen=True, kw_only=True):
    """What the candidate's rules read in an invented fleet, with or without the margin for the own variation."""

    own_variation: bool
    result: SimulationResult


class CandidateEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What the candidate's rules do on the recording: `content/calibration/candidate-<version>.json`."""

    format: int = CANDIDATE_FORMAT
    version: str
    """The candidate."""
    base_version: str
    """Whose other rules hold in every combination."""
    seed: str
    draws: int
    """Draws of `nights` nights each."""
    nights: int
    min_share_percent: str
    margin_level_percent: str
    margin_own_variation: bool
    combinations: tuple[CombinationEvidence, ...]
    """All eight."""
    letters_by_draw: tuple[tuple[str, ...], ...] = ()
    """For each draw, for each combination in the order above: M's letters, one character an endpoint in the order of
    its `endpoints`, '-' where not measured. The counts above follow from these."""
    own_variation: tuple[CombinationEvidence, ...]
    """Fleet floor and margin on, with `margin.own_variation` off and then on."""
    checks: tuple[StatementCheck, ...]
    simulated: tuple[OwnVariationSimulated, ...] = ()
    """The candidate's rules in invented fleets of equal endpoints, where the recording does not tell the two apart."""
    few: tuple[FewEndpoints, ...]
    kernels: tuple[KernelEvidence, ...]
    """Sorted by model and endpoint."""
