"""A calibration's evidence as sections: each figure drawn from counts, with the table that it is drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby

from generator.records.calibration import CalibrationEvidence, FamilyCalibration
from generator.records.grade import Letter
from generator.records.reading import NOT_MEASURED
from generator.site import charts, scales
from generator.site.calibration_letters import letters_section
from generator.site.drawing import About, figure_of
from generator.site.tables import (
    Chart,
    Section,
    Table,
    counted,
    letters_words,
    percent_of,
    percent_words,
)

_ALL = Fraction(100)


def sections(evidence: CalibrationEvidence) -> tuple[Section, ...]:
    """Return what a calibration found: threshold, noise, latency, letters of both halves, rates, luck."""
    made = (_threshold, _disagreement, _latency, letters_section, _noise, _equal)
    return tuple(each(evidence, f"v{evidence.version.replace('.', '-')}") for each in made)


def _threshold(evidence: CalibrationEvidence, name: str) -> Section:
    choice, entered = evidence.threshold, [family for family in evidence.families if family.enters]
    values = tuple(percent_of(value) for value in choice.values)
    low = min(Fraction(choice.lowest_percent), *values)
    words = (
        f"The stability threshold is {choice.threshold_percent} %. It is the median self-agreement at index "
        f"{choice.index} of {len(values)}, counted from 0 and smallest first (percentile {choice.percentile}, "
        f"'lower'), rounded down to a whole percent: {choice.rounded_down_percent} %, and never below "
        f"{choice.lowest_percent} % nor above {choice.highest_percent} %."
    )
    row = charts.StripRow(
        label="One circle for each model and family", values=values, at=Fraction(choice.threshold_percent)
    )
    chart = Chart(
        svg=charts.strip(
            About(
                name=f"{name}-threshold-chart",
                title="Median self-agreement and the threshold",
                description=f"{counted(len(values), 'value')} between {percent_words(min(values, default=low))} and "
                f"{percent_words(max(values, default=_ALL))}; the threshold stands at {choice.threshold_percent} %.",
            ),
            (row,),
            charts.Axis(low=low - low % 10, high=_ALL),
            line=f"threshold {choice.threshold_percent} %",
        ),
        caption="Each circle is the median self-agreement of one family of one model; the triangle is the threshold.",
        table=Table(
            caption="Median self-agreement of each model and family that entered",
            heads=("Model", "Family", "Median self-agreement"),
            rows=tuple((each.model, each.family, _median(each)) for each in entered),
            figures=frozenset({"Median self-agreement"}),
        ),
    )
    return Section(id=f"{name}-threshold", title="The stability threshold", words=(words,), charts=(chart,))


def _disagreement(evidence: CalibrationEvidence, name: str) -> Section:
    drawn = []
    for index, (model, group) in enumerate(groupby(evidence.families, key=lambda each: each.model)):
        families = tuple(group)
        drawn.append(_strips(f"{name}-noise-{index}", model, families))
    words = (
        "How often an endpoint's answer to a fixed prompt is another one than on the night before, family by "
        f"family. All {counted(len(evidence.nights), 'night')} of the calibration are counted together; floors "
        f"are those of version {evidence.from_version}."
    )
    return Section(id=f"{name}-noise", title="Self-disagreement and floors", words=(words,), charts=tuple(drawn))


def _strips(name: str, model: str, families: Sequence[FamilyCalibration]) -> Chart:
    rows = tuple(
        charts.StripRow(
            label=family.family,
            values=tuple(Fraction(100 * each.differing, each.pairs) for each in family.endpoints),
            at=None if family.floor is None else percent_of(family.floor),
        )
        for family in families
    )
    highest = max((value for row in rows for value in row.values), default=Fraction(1))
    table = tuple(
        (f"{family.family}, {each.endpoint}", f"{each.pairs:,}", f"{each.differing:,}", _floor(family))
        for family in families
        for each in family.endpoints
    )
    return Chart(
        svg=charts.strip(
            About(
                name=name,
                title=f"Self-disagreement of {model}",
                description=f"{counted(len(rows), 'family', 'families')}, one line each; from 0 to "
                f"{percent_words(highest)} of an endpoint's pairs differ.",
            ),
            rows,
            charts.Axis(low=Fraction(0), high=min(scales.nice(highest), _ALL)),
        ),
        caption=f"{model}: each circle is one endpoint, at the share of its pairs that differ; a number "
        "above circles is how many there are; the triangle is the floor.",
        table=Table(
            caption=f"{model}: each family and endpoint, its pairs, those that differ, and the family's floor",
            heads=("Family and endpoint", "Pairs", "Differ", "Floor"),
            rows=table,
            figures=frozenset({"Pairs", "Differ", "Floor"}),
        ),
    )


def _latency(evidence: CalibrationEvidence, name: str) -> Section:
    choice = evidence.latency
    bounds = ", ".join(f"{bound:,} ms" for bound in choice.boundaries_ms) or "none"
    if choice.kept_because is None:
        words = f"The latency classes end below {bounds}: percentiles of the endpoints' medians, rounded."
    else:
        words = f"The latency classes stay as they were, ending below {bounds}. {choice.kept_because}"
    table = Table(
        caption="Each endpoint's median time to a complete answer",
        heads=("Model", "Endpoint", "Answers", "Median, ms"),
        rows=tuple((each.model, each.endpoint, f"{each.answers:,}", f"{each.median_ms:,}") for each in choice.medians),
        figures=frozenset({"Answers", "Median, ms"}),
    )
    folded = (table,) if choice.medians else ()
    return Section(id=f"{name}-latency", title="Latency classes", words=(words,), folded=folded)


def _noise(evidence: CalibrationEvidence, name: str) -> Section:
    rows, table = [], []
    for each in evidence.noise:
        departs = each.letters.get(Letter.C, 0) + each.letters.get(Letter.D, 0)
        rows.append(
            charts.Bar(
                label=each.model,
                share=Fraction(departs, each.windows or 1),
                figure=f"{departs:,} of {each.windows:,}",
            )
        )
        table.append((each.model, f"{each.windows:,}", letters_words(each.letters), f"{departs:,}"))
    words = (
        "How often an endpoint that is only as noisy as the fleet reads C or D on M: nights and endpoints of the "
        f"calibration drawn again from the recorded seed, {counted(evidence.rule.draws, 'draw')} for each model."
    )
    chart = Chart(
        svg=charts.bars(
            About(
                name=f"{name}-rate-chart",
                title="Windows that read C or D on M",
                description="; ".join(f"{row.label}: {row.figure}" for row in rows) or "No model.",
            ),
            rows,
        ),
        caption="Resampled windows that read C or D, of all in which M was measured; the frame is all of them.",
        table=Table(
            caption="Resampled windows of each model by M's letter",
            heads=("Model", "Windows", "By letter", "C or D"),
            rows=tuple(table),
            figures=frozenset({"Windows", "C or D"}),
        ),
    )
    return Section(
        id=f"{name}-rate", title="An endpoint that is only as noisy as the fleet", words=(words,), charts=(chart,)
    )


def _equal(evidence: CalibrationEvidence, name: str) -> Section:
    drawn = []
    for index, (model, group) in enumerate(groupby(evidence.equal, key=lambda each: each.model)):
        found = tuple(group)
        points = tuple((each.endpoints, Fraction(each.hundredths_of_points, 100)) for each in found)
        last = points[-1]
        drawn.append(
            Chart(
                svg=charts.steps(
                    About(
                        name=f"{name}-luck-{index}",
                        title=f"The average of equal endpoints of {model} below the highest",
                        description=f"With {counted(last[0], 'equal endpoint')} the average stands {_points(last[1])} "
                        "below the highest.",
                    ),
                    points,
                    "point",
                ),
                caption=f"{model}: points that the average of so many equal endpoints stands below the highest.",
                table=Table(
                    caption=f"{model}: equal endpoints, and points below the highest of them, mean over the draws",
                    heads=("Endpoints", "Points", "Draws"),
                    rows=tuple(
                        (str(each.endpoints), figure_of(points[at][1]), f"{each.draws:,}")
                        for at, each in enumerate(found)
                    ),
                    figures=frozenset({"Points", "Draws"}),
                ),
            )
        )
    words = (
        "Column T is counted from the highest of several endpoints. Among endpoints that are all alike one stands "
        "highest by luck, and the average of them below it: by so many points."
    )
    return Section(id=f"{name}-luck", title="What luck alone does to T", words=(words,), charts=tuple(drawn))


def _median(family: FamilyCalibration) -> str:
    found = family.median_self_agreement
    return NOT_MEASURED if found is None else percent_words(percent_of(found))


def _floor(family: FamilyCalibration) -> str:
    return "no floor" if family.floor is None else percent_words(percent_of(family.floor))


def _points(value: Fraction) -> str:
    return f"{figure_of(value)} {'point' if value == 1 else 'points'}"
