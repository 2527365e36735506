"""A simulation: a setting that nobody has run, and what column M would read in it."""

from __future__ import annotations

import msgspec

from generator.records.grade import Letter


class SimulatedSetting(msgspec.Struct, frozen=True, kw_only=True):
    """A setting that has not been run yet."""

    endpoints: int
    """Honest ones; the different one comes on top."""
    families: int
    fixed_prompts: int
    """Of each family."""
    generated_prompts: int
    """Of each family and night."""
    noise_per_mille: int
    """Of an honest endpoint's answers, so many in a thousand change at random on a night."""
    different_per_mille: int
    """Of the prompts, so many in a thousand the different endpoint answers otherwise, every night."""
    windows: int
    seed: str


class SimulationResult(msgspec.Struct, frozen=True, kw_only=True):
    """What M would read in such a setting."""

    method_version: str
    setting: SimulatedSetting
    honest: dict[Letter, int]
    """Windows of an honest endpoint by M's letter; U where M was not measured or the grade would be U."""
    different: dict[Letter, int]
    """Windows of the different endpoint."""
