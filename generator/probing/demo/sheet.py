"""The script sheet: for each endpoint of the demo, what was really run and what is scripted on top."""

from __future__ import annotations

import msgspec

from generator.probing.demo.faults import load_faults
from generator.probing.demo.recording import load_recording

RECORDING_NOTES = (
    "Every answer is what a small model really produced, recorded once on two CPU cores; none is invented.",
    "A host that does not repeat itself was run several times; the night's seed draws which of its answers it gives.",
    "A host that repeats itself exactly always gives the same answer.",
    "The provider names are trees and belong to nobody; the prices are made up.",
    "The demo's dates are its own: its nights and grades are dated earlier than the methods' releases.",
    "Replayed latencies come from a busy machine and say nothing about speed.",
    "The recording stopped after 8 tokens in arith and capital and after 12 in unit, where the requests allow 16.",
    "Answers cut there count as truncated.",
    "These models are too small to add up or to sort: hosts that run the same weights differ there at random.",
)
"""What a reader of the demo has to know, a sentence each."""


class ScriptedEndpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the sheet."""

    model: str
    provider: str
    tag: str
    """As recorded; a fault may list it under another one later."""
    declared_precision: str | None
    """As recorded; null where it declares nothing."""
    samples: int
    """Recorded answers to each prompt."""
    deterministic: bool
    """Whether it repeats itself exactly."""
    truth: str
    """What was really run."""
    scripted: tuple[str, ...]
    """What the demo router does on top, a sentence each; empty where it is left as recorded."""


def script_sheet() -> tuple[ScriptedEndpoint, ...]:
    """Return what is recorded and what is scripted of every endpoint, sorted by model and provider."""
    faults = load_faults()
    rows = (
        ScriptedEndpoint(
            model=endpoint.model,
            provider=endpoint.provider_name,
            tag=endpoint.tag,
            declared_precision=endpoint.quantization,
            samples=endpoint.samples,
            deterministic=endpoint.deterministic,
            truth=endpoint.truth,
            scripted=tuple(
                fault.said()
                for fault in faults
                if (fault.model, fault.provider) == (endpoint.model, endpoint.provider_name)
            ),
        )
        for endpoint in load_recording().endpoints
    )
    return tuple(sorted(rows, key=lambda row: (row.model, row.provider)))
