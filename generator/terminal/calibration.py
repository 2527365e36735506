"""A calibration and a simulation in the terminal: what was chosen, from what, and how often luck alone reads worse."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table
from rich.text import Text

from generator.records.calibration import CalibrationEvidence
from generator.records.figures import percent
from generator.records.grade import Letter
from generator.records.simulation import SimulationResult
from generator.site.text import visible_plain

_SHOWN_EQUALS = (2, 5, 10, 20, 30)
"""The k that the terminal shows; the evidence holds all."""


def print_calibration(console: Console, evidence: CalibrationEvidence) -> None:
    """Print what a calibration chose, and how the new version behaves on its own nights."""
    nights, threshold = evidence.nights, evidence.threshold
    lines = [
        f"method {evidence.version}, from {evidence.from_version}: {len(nights)} nights, {nights[0]} to {nights[-1]}",
        (
            f"stability threshold {threshold.threshold_percent} %: value {threshold.index + 1} of "
            f"{len(threshold.values)} median self-agreements, sorted, is {threshold.rounded_down_percent} % rounded "
            f"down; bounds {threshold.lowest_percent} and {threshold.highest_percent} %"
        ),
        f"latency class boundaries {', '.join(str(each) for each in evidence.latency.boundaries_ms)} ms",
    ]
    if evidence.latency.kept_because is not None:
        lines.append(f"  kept as they were: {evidence.latency.kept_because}")
    lines += [
        f"same letter in both halves, {'grade' if each.column is None else each.column}: {each.same} of {each.both}"
        for each in evidence.agreement
    ]
    for line in lines:
        console.print(Text(line), soft_wrap=True)
    console.print(_noise(evidence))
    console.print(_equals(evidence))


def print_simulation(console: Console, result: SimulationResult) -> None:
    """Print what M would read in a setting that has not been run."""
    setting = result.setting
    console.print(
        Text(
            f"method {result.method_version}, {setting.windows} windows: {setting.endpoints} equal endpoints, "
            f"{setting.families} families of {setting.fixed_prompts} fixed and {setting.generated_prompts} generated "
            f"prompts, {percent(setting.noise_per_mille, 1000)} % of answers changing at random; one more endpoint "
            f"answers {percent(setting.different_per_mille, 1000)} % of prompts otherwise every night"
        ),
        soft_wrap=True,
    )
    table = Table(title="M would read", title_justify="left")
    for heading in ("endpoint", *Letter):
        table.add_column(heading)
    table.add_row("equal", *_shares(result.honest))
    table.add_row("different", *_shares(result.different))
    console.print(table)


def _noise(evidence: CalibrationEvidence) -> Table:
    table = Table(title="M of an endpoint only as noisy as the fleet, resampled", title_justify="left")
    for heading in ("model", "windows", Letter.A, Letter.B, Letter.C, Letter.D):
        table.add_column(heading, overflow="fold")
    for rate in evidence.noise:
        cells = _shares(rate.letters)[:-1]
        table.add_row(Text(visible_plain(rate.model)), str(rate.windows), *cells)
    return table


def _equals(evidence: CalibrationEvidence) -> Table:
    table = Table(title="Points that the average of k equal endpoints stands below the best", title_justify="left")
    table.add_column("model", overflow="fold")
    shown = [k for k in _SHOWN_EQUALS if k in evidence.rule.equal_endpoints]
    for k in shown:
        table.add_column(f"k = {k}")
    points = {(each.model, each.endpoints): each.hundredths_of_points for each in evidence.equal}
    for model in sorted({each.model for each in evidence.equal}):
        cells = [percent(points[model, k], 10_000) for k in shown]
        table.add_row(Text(visible_plain(model)), *cells)
    return table


def _shares(letters: Mapping[Letter, int]) -> list[str]:
    """Return each letter's share in percent with its count, A to U."""
    whole = sum(letters.values())
    if whole == 0:
        return ["none"] * len(Letter)
    return [f"{percent(letters.get(each, 0), whole)} % ({letters.get(each, 0)})" for each in Letter]
