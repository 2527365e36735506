"""Hand-made evidence for the site's tests: a calibration, a candidate's trials, a prompt report, an explanation."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import product

from generator.records.calibration import (
    CalibrationEvidence,
    CalibrationRule,
    CandidateEvidence,
    ColumnAgreement,
    Combination,
    CombinationEvidence,
    EndpointDisagreement,
    EndpointEvidence,
    EndpointLatency,
    EqualEndpoints,
    FamilyCalibration,
    FewEndpoints,
    KernelEvidence,
    LatencyChoice,
    LettersSideBySide,
    NoiseRate,
    PromptLine,
    PromptReport,
    Share,
    StatementCheck,
    ThresholdChoice,
)
from generator.records.explanation import (
    DifferingPair,
    Exact,
    ExplainedDeclared,
    ExplainedFloor,
    ExplainedMatch,
    ExplainedMatchNight,
    ExplainedReliability,
    ExplainedTask,
    Explanation,
    Failure,
    MatchFamilyNight,
    MatchPrompt,
    NightPart,
    OwnVariation,
    SelfDisagreement,
    Turn,
    WindowNight,
)
from generator.records.grade import Column, Grade, Letter
from generator.records.observation import Outcome

FOURTEEN = tuple(date(2026, 11, 1) + timedelta(days=day) for day in range(14))
MODELS = ("google/gemma-3-270m", 'evil "author"/<b>na me%2F..&amp;\u202e')
HOSTILE_ANSWER = "</pre><script>alert('answer')</script>\u202etxet"


def calibration() -> CalibrationEvidence:
    """Return the evidence of a calibration to 1.0: two models, one of them with a hostile name, two families."""
    return CalibrationEvidence(
        version="1.0",
        from_version="0.1",
        from_digest="ab" * 32,
        made=date(2026, 11, 28),
        seed="cd" * 32,
        nights=FOURTEEN,
        rule=CalibrationRule(),
        families=tuple(family for model in MODELS for family in _families(model)),
        threshold=ThresholdChoice(
            values=(Share(part=11, whole=12), Share(part=97, whole=100), Share(part=1, whole=1)),
            percentile=10,
            index=0,
            rounded_down_percent=91,
            lowest_percent=80,
            highest_percent=99,
            threshold_percent=91,
        ),
        latency=LatencyChoice(
            medians=(EndpointLatency(model=MODELS[0], endpoint="alder", answers=1680, median_ms=1312),),
            boundaries_ms=(1000, 3000, 10000),
            kept_because="Every latency was replayed.",
        ),
        letters=tuple(letters for endpoint in ("alder", "birch") for letters in _letters(endpoint)),
        agreement=tuple(
            ColumnAgreement(column=column, both=1 if column is Column.M else 2, same=1) for column in (*Column, None)
        ),
        noise=tuple(
            NoiseRate(model=model, windows=200, letters={Letter.A: 150, Letter.C: 40, Letter.D: 10}) for model in MODELS
        ),
        equal=tuple(
            EqualEndpoints(model=model, endpoints=k, draws=200, hundredths_of_points=33 * k)
            for model in MODELS
            for k in (2, 3, 30)
        ),
    )


def _families(model: str) -> tuple[FamilyCalibration, ...]:
    alike = tuple(EndpointDisagreement(endpoint=name, pairs=156, differing=0) for name in ("alder", "birch"))
    noisy = EndpointDisagreement(endpoint="cedar", pairs=156, differing=39)
    return (
        FamilyCalibration(
            model=model,
            family="arith",
            endpoints=(*alike, noisy),
            floor=Share(part=1, whole=78),
            median_self_agreement=Share(part=1, whole=1),
            enters=True,
        ),
        FamilyCalibration(
            model=model, family="sort", endpoints=(), floor=None, median_self_agreement=None, enters=False
        ),
    )


def _letters(endpoint: str) -> tuple[LettersSideBySide, ...]:
    """Return an endpoint's letters: alder reads A then C on M, birch has no M in the first half."""
    rows = []
    for column in (*Column, None):
        first: Letter | None = Letter.A
        second = Letter.C if endpoint == "alder" and column in {Column.M, None} else Letter.A
        if endpoint == "birch" and column is Column.M:
            first = None
        rows.append(LettersSideBySide(model=MODELS[0], endpoint=endpoint, column=column, first=first, second=second))
    return tuple(rows)


def candidate() -> CandidateEvidence:
    """Return what 0.2's rules read in four draws: all eight combinations, a sentence that fails, few endpoints."""
    combinations = [
        Combination(fleet_floor=fleet, margin=margin, min_share=share)
        for fleet, margin, share in product((False, True), repeat=3)
    ]
    both = Combination(fleet_floor=True, margin=True, min_share=False)
    return CandidateEvidence(
        version="0.2",
        base_version="0.1",
        seed="ef" * 32,
        draws=4,
        nights=7,
        min_share_percent="60",
        margin_level_percent="1",
        margin_own_variation=True,
        combinations=tuple(_combination(each) for each in combinations),
        own_variation=(_combination(both), _combination(both)),
        checks=(
            StatementCheck(statement="It was claimed.", part=4, whole=4, holds=True, found="All four windows."),
            StatementCheck(statement="So was this.", part=1, whole=4, holds=False, found="One of four windows."),
        ),
        few=(
            FewEndpoints(
                case="Two that are changed and one that is not.",
                model=MODELS[0],
                endpoints=3,
                combination=both,
                windows=4,
                honest={Letter.D: 4},
                different={Letter.A: 8},
                not_measured=0,
            ),
        ),
        kernels=(
            KernelEvidence(
                model=MODELS[0],
                endpoint="Fir",
                truth="full precision",
                equal_to_reference=True,
                repeated=None,
                steadily_otherwise=Share(part=3, whole=90),
                with_plurality=Share(part=87, whole=90),
            ),
        ),
    )


def _combination(rules: Combination) -> CombinationEvidence:
    letter = Letter.A if rules.margin else Letter.D
    kinds = (("Alder", True, letter), ("Maple", False, Letter.D), ("Rowan", None, Letter.C))
    return CombinationEvidence(
        combination=rules,
        pairs=3360,
        pairs_without_reference=400 if rules.min_share else 78,
        endpoints=tuple(
            EndpointEvidence(
                model=MODELS[0],
                endpoint=name,
                truth="what was <b>really</b> run",
                equal_to_reference=equal,
                m={read: 3},
                m_not_measured=1,
                t={Letter.A: 4},
                r={Letter.A: 4},
                grades={read: 3, Letter.U: 1},
            )
            for name, equal, read in kinds
        ),
    )


def report() -> PromptReport:
    """Return a prompt report: one prompt that never separates, one that never has a reference, one that shows."""
    return PromptReport(
        nights=FOURTEEN,
        method_version="0.1",
        prompts=(
            _line("arith-fixed-00", 14, 154, 154),
            _line("arith-fixed-01", 14, 154, 120),
            _line("arith-fixed-02", 0, 0, 0),
        ),
    )


def _line(prompt_id: str, nights: int, answered: int, gave: int) -> PromptLine:
    return PromptLine(
        model=MODELS[0],
        family="arith",
        prompt_id=prompt_id,
        text="12 + 25 =",
        nights_asked=14,
        nights_with_reference=nights,
        answered=answered,
        gave_reference=gave,
        own_pairs=143 if answered else 0,
        own_changes=9 if answered else 0,
        never_separates=answered > 0 and answered == gave,
        never_has_a_reference=nights == 0,
    )


def explanation(grade: Grade) -> Explanation:
    """Return the explanation of a grade with one prompt that differs alike on two nights and hostilely on a third."""
    half = Exact(numerator=7, denominator=2, figure="3.5")
    floor = Exact(numerator=1, denominator=72, figure="1.39")
    nights = tuple(
        ExplainedMatchNight(
            night=night,
            compared=96,
            mismatches=1,
            allowed=half,
            tail="0.4" if index == 0 else None,
            level="1" if index == 0 else None,
            reading="within",
            words="1 of 96.",
            families=(MatchFamilyNight(family="copy", compared=12, mismatches=1, floor=floor, allowed=half),),
            prompts=(_prompt("say", differs=False), _prompt(HOSTILE_ANSWER if index == 2 else "other", differs=True)),
        )
        for index, night in enumerate(grade.nights[:3])
    )
    pair = DifferingPair(
        prompt_id="copy-fixed-00",
        family="copy",
        stable=True,
        prompt="copy",
        earlier=grade.nights[0],
        later=grade.nights[1],
        earlier_answer="a",
        later_answer="b",
        earlier_text="a",
        later_text="b",
    )
    own = OwnVariation(
        pairs=576, differing=1, allowed=half, tail=None, level=None, above=False, words="Not above.", differ=(pair,)
    )
    failure = Failure(
        night=grade.nights[0],
        outcome=Outcome.ERROR,
        kind="server_error",
        http_status=503,
        finish_reason=None,
        served_provider="<i>Mirror\u202e</i>",
        served_model=None,
        prompts=("copy-fixed-00", "copy-fixed-01"),
    )
    return Explanation(
        format=1,
        grade=grade,
        method_version=grade.method_version,
        method_digest=grade.method_digest,
        nights=tuple(
            WindowNight(night=night, sha256="ab" * 32, part=NightPart.ASKED, sent=120, declared="int4", tag=grade.tag)
            for night in grade.nights
        ),
        voided=(),
        reasons=(),
        turns=(
            Turn(column=None, letter=Letter.B, words="A column that reads B."),
            Turn(column=Column.M, letter=Letter.C, words="Outside on one night: 4 mismatches."),
        ),
        match=ExplainedMatch(
            letter=grade.m_letter,
            words="within",
            floors=(_floor("copy", floor), _floor("sort", None)),
            nights=nights,
            own_variation=own,
        ),
        task=ExplainedTask(
            letter=grade.t_letter,
            words="within the floor",
            families=grade.t_family,
            correct=grade.t_correct,
            counted=grade.t_counted,
            planned=grade.t_planned,
            best_correct=grade.t_best_correct,
            best_counted=grade.t_best_counted,
            floor=floor,
            within_floor=True,
            points=None,
            wrong=(),
        ),
        declared=ExplainedDeclared(letter=grade.d_letter, words="int4, unchanged", changes=()),
        reliability=ExplainedReliability(
            letter=grade.r_letter,
            words="errors 0.4 %",
            sent=840,
            errors=3,
            answered=833,
            truncated=4,
            misrouted=0,
            failures=(failure,),
        ),
    )


def _prompt(answer: str, *, differs: bool) -> MatchPrompt:
    return MatchPrompt(
        prompt_id="copy-fixed-00" if differs else "copy-fixed-01",
        family="copy",
        fixed=True,
        prompt="copy: say",
        answered=11,
        most_given=7,
        reference="say",
        no_reference=None,
        agreed=("birch", "cedar"),
        outcome=Outcome.ANSWERED,
        answer=answer,
        text=answer,
        compared=True,
        differs=differs,
    )


def _floor(family: str, floor: Exact | None) -> ExplainedFloor:
    values = () if floor is None else (SelfDisagreement(differing=0, pairs=72, figure="0"),)
    values = (*values, SelfDisagreement(differing=1, pairs=72, figure="1.39")) if values else ()
    return ExplainedFloor(
        family=family,
        values=values,
        percentile="75",
        index=1 if values else None,
        fleet=() if floor is None else (floor,),
        fleet_median=floor,
        floor=floor,
        self_agreement_median=None if floor is None else Exact(numerator=143, denominator=144, figure="99.31"),
        threshold="90",
        stable=floor is not None,
        compared=84,
        mismatches=1,
        pairs=72,
        pairs_differing=1,
    )
