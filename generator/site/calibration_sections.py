"""A calibration's evidence as sections: each figure drawn from counts, with the table that it is drawn from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby

from generator.records.calibration import CalibrationEvidence, FamilyCalibration, LettersSideBySide
from generator.records.grade import Column, Letter
from generator.records.reading import COLUMN_WORDS, NO_LETTER, NOT_MEASURED
from generator.site import charts
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
_GRADE = "grade"


def sections(evidence: CalibrationEvidence) -> tuple[Section, ...]:
    """Return what a calibration found: threshold, noise, latency, letters of both halves, rates, luck."""
    made = (_threshold, _disagreement, _latency, _letters, _noise, _equal)
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
            charts.About(
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
            charts.About(
                name=name,
                title=f"Self-disagreement of {model}",
                description=f"{counted(len(rows), 'family', 'families')}, one line each; from 0 to "
                f"{percent_words(highest)} of an endpoint's pairs differ.",
            ),
            rows,
            charts.Axis(low=Fraction(0), high=min(charts.nice(highest), _ALL)),
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


def _letters(evidence: CalibrationEvidence, name: str) -> Section:
    half = len(evidence.nights) // 2
    first, second = f"nights 1 to {half}", f"nights {half + 1} to {len(evidence.nights)}"
    words = (
        f"The letters of {first} beside those of {second}, both under version {evidence.version}. In a square, "
        f"rows are {first} and columns are {second}; an endpoint that reads the same in both lies on the "
        f"diagonal, in a double frame. {NO_LETTER} is a column that was not measured."
    )
    columns: tuple[Column | None, ...] = (*Column, None)
    squares = tuple(
        (
            _column(column),
            charts.matrix(
                charts.About(
                    name=f"{name}-letters-{column or _GRADE}",
                    title=f"{_column(column)}: {first} against {second}",
                    description=_agreement(evidence, column),
                ),
                tuple(_seen(evidence.letters, column)),
                Counter((_of(each.first), _of(each.second)) for each in evidence.letters if each.column is column),
            ),
        )
        for column in columns
    )
    agreement = Table(
        caption="How many endpoints read the same letter in both halves",
        heads=("Column", "With a letter in both", "The same letter"),
        rows=tuple((_column(each.column), f"{each.both:,}", f"{each.same:,}") for each in evidence.agreement),
        figures=frozenset({"With a letter in both", "The same letter"}),
    )
    rows = []
    for (model, endpoint), group in groupby(evidence.letters, key=lambda each: (each.model, each.endpoint)):
        read = {each.column: each for each in group}
        rows.append((f"{endpoint}, {model}", *(_short(read, evidence.version, which) for which in ("first", "second"))))
    both = Table(
        caption="Each endpoint's letters in both halves",
        heads=("Endpoint", first.capitalize(), second.capitalize()),
        rows=tuple(rows),
    )
    return Section(
        id=f"{name}-letters",
        title="Letters of both halves",
        words=(words,),
        matrices=squares,
        tables=(agreement,),
        folded=(both,),
    )


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
            charts.About(
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
                    charts.About(
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
                        (str(each.endpoints), charts.figure_of(points[at][1]), f"{each.draws:,}")
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


def _seen(letters: Sequence[LettersSideBySide], column: Column | None) -> Iterator[str]:
    """Yield the labels of a column's square: A to D, and whatever else was read."""
    found = {_of(each) for side in letters if side.column is column for each in (side.first, side.second)}
    for letter in Letter:
        if letter is not Letter.U or letter in found:
            yield str(letter)
    if NO_LETTER in found:
        yield NO_LETTER


def _agreement(evidence: CalibrationEvidence, column: Column | None) -> str:
    found = next((each for each in evidence.agreement if each.column is column), None)
    if found is None:
        return "Nothing was counted."
    return f"{found.same:,} of {counted(found.both, 'endpoint')} read the same letter in both."


def _short(read: dict[Column | None, LettersSideBySide], version: str, which: str) -> str:
    """Return an endpoint's letters of one half where space is short: 'B 1.0 · M A T B D A R A'."""
    letters = {column: _of(getattr(each, which)) for column, each in read.items()}
    if letters.get(None, NO_LETTER) == NO_LETTER:
        return NOT_MEASURED
    return f"{letters[None]} {version} · " + " ".join(f"{column} {letters.get(column, NO_LETTER)}" for column in Column)


def _column(column: Column | None) -> str:
    return "The grade" if column is None else f"{column}, {COLUMN_WORDS[column]}"


def _of(letter: Letter | None) -> str:
    return NO_LETTER if letter is None else str(letter)


def _median(family: FamilyCalibration) -> str:
    found = family.median_self_agreement
    return NOT_MEASURED if found is None else percent_words(percent_of(found))


def _floor(family: FamilyCalibration) -> str:
    return "no floor" if family.floor is None else percent_words(percent_of(family.floor))


def _points(value: Fraction) -> str:
    return f"{charts.figure_of(value)} {'point' if value == 1 else 'points'}"
