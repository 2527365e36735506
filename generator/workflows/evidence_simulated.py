"""The candidate's rules in invented fleets: what the recording cannot tell, because its hosts are what they are."""

from __future__ import annotations

import msgspec

from generator.records.candidate import OwnVariationSimulated
from generator.records.definition import Method
from generator.records.simulation import SimulatedSetting
from generator.workflows.simulating import simulate
from generator.workflows.world import Progress

NOISES_PER_MILLE = (2, 10, 30)
"""From a quiet fleet to a restless one."""
WINDOWS = 60

_SETTING = SimulatedSetting(
    endpoints=10,
    families=6,
    fixed_prompts=6,
    generated_prompts=4,
    noise_per_mille=0,
    different_per_mille=50,
    windows=WINDOWS,
    seed="",
)
"""Ten equal endpoints and one that differs on 5 % of prompts, 60 prompts a night."""


def simulated_rules(
    base: Method, candidate: Method, *, seed: str, progress: Progress
) -> tuple[OwnVariationSimulated, ...]:
    """Return what the base and the candidate read for each noise, the candidate without and with own variation."""
    methods = [(False, base), (False, _with(candidate, own_variation=False)), (True, _with(candidate))]
    return tuple(
        OwnVariationSimulated(
            own_variation=own_variation,
            result=simulate(
                method, msgspec.structs.replace(_SETTING, noise_per_mille=noise, seed=seed), progress=progress
            ),
        )
        for noise in NOISES_PER_MILLE
        for own_variation, method in methods
    )


def _with(method: Method, *, own_variation: bool = True) -> Method:
    """Return a method with the margin for the endpoint's own variation off or on."""
    definition = method.definition
    margin = definition.margin and msgspec.structs.replace(definition.margin, own_variation=own_variation)
    return msgspec.structs.replace(method, definition=msgspec.structs.replace(definition, margin=margin))
