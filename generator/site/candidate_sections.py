"""A candidate's evidence as sections: what its rules read on the recording, and where they fail."""

from __future__ import annotations

from itertools import groupby

from generator.records.calibration import (
    CandidateEvidence,
    Combination,
    CombinationEvidence,
    EndpointEvidence,
    PromptLine,
    PromptReport,
    Share,
)
from generator.records.reading import NOT_MEASURED
from generator.site.tables import NONE, Section, Table, added, counted, letters_words

_TRUTHS = {True: "Unchanged", False: "Changed", None: "Answers cut"}
"""What was really run: the model's own weights, whatever served them; something else; or answers cut short alone."""
KEPT_ONCE = "exactly, and was kept once"


def sections(evidence: CandidateEvidence) -> tuple[Section, ...]:
    """Return what was tried: all combinations, the sentences held against them, where they fail, and the kernels."""
    name = f"candidate-{evidence.version.replace('.', '-')}"
    made = (_combinations, _checks, _few, _own_variation, _kernels)
    return tuple(each(evidence, name) for each in made)


def report_section(report: PromptReport) -> Section:
    """Return the prompt report: the prompts that show nothing, by name, and every prompt's counts."""
    silent = tuple(line for line in report.prompts if line.never_separates or line.never_has_a_reference)
    words = (
        f"Each fixed prompt over {counted(len(report.nights), 'night')}, with references as version "
        f"{report.method_version} makes them: on how many nights it had one, how many of the answers were it, "
        "and how often an endpoint changed its own answer from one night to the next. "
        f"{counted(len(silent), 'line')} of {len(report.prompts):,} name a prompt that never separates anything or "
        "never has a reference."
    )
    tables = (_prompts(silent, "Prompts that never separate anything, or never have a reference"),) if silent else ()
    folded = (_prompts(report.prompts, "Every fixed prompt"),)
    name = f"prompts-{report.nights[0].isoformat()}-{report.method_version.replace('.', '-')}"
    return Section(id=name, title="What each prompt shows", words=(words,), tables=tables, folded=folded)


def combination_words(combination: Combination, base: str) -> str:
    """Return which rules are on, in words."""
    named = ((combination.fleet_floor, "fleet floor"), (combination.margin, "margin"), (combination.min_share, "share"))
    return " and ".join(words for is_on, words in named if is_on) or f"none, as under {base}"


def _combinations(evidence: CandidateEvidence, name: str) -> Section:
    own = "holds" if evidence.margin_own_variation else "does not hold"
    words = (
        (
            f"Three rules, on or off, over {counted(evidence.draws, 'draw')} of {counted(evidence.nights, 'night')} "
            f"each; everything else as under version {evidence.base_version}. The share asks for "
            f"{evidence.min_share_percent} % of the answers, the margin's level is {evidence.margin_level_percent} "
            f"%, and the margin {own} for an endpoint's own variation too. Each window is counted by the letter that "
            "M reads."
        ),
        (
            "What was really run is known of every recorded endpoint: the model's own weights, whatever kernel or "
            "batching served them (unchanged); weights, cache, temperature or prompt really changed (changed); or "
            "answers cut and everything else unchanged."
        ),
    )
    models = sorted({each.model for combination in evidence.combinations for each in combination.endpoints})
    return Section(
        id=name,
        title=f"What the rules of candidate {evidence.version} read on the recording",
        words=words,
        tables=tuple(_by_truth(evidence, model) for model in models),
        folded=tuple(
            _by_endpoint(each, combination_words(each.combination, evidence.base_version))
            for each in evidence.combinations
        ),
    )


def _by_truth(evidence: CandidateEvidence, model: str) -> Table:
    rows = []
    for each in evidence.combinations:
        cells = [_m([e for e in each.endpoints if (e.model, e.equal_to_reference) == (model, k)]) for k in _TRUTHS]
        without = f"{each.pairs_without_reference:,} of {each.pairs:,}"
        rows.append((combination_words(each.combination, evidence.base_version), *cells, without))
    return Table(
        caption=f"{model}: windows by the letter that M reads, for each combination of rules",
        heads=("Rules on", *_TRUTHS.values(), "Pairs without a reference, all models"),
        rows=tuple(rows),
    )


def _by_endpoint(each: CombinationEvidence, rules: str) -> Table:
    return Table(
        caption=f"Rules on: {rules}. Windows of each recorded endpoint by letter",
        heads=("Endpoint", "What was run", "M", "T", "R", "Grade"),
        rows=tuple(
            (
                f"{endpoint.endpoint}, {endpoint.model}",
                f"{endpoint.truth} ({_TRUTHS[endpoint.equal_to_reference].lower()})",
                letters_words(endpoint.m, endpoint.m_not_measured),
                letters_words(endpoint.t),
                letters_words(endpoint.r),
                letters_words(endpoint.grades),
            )
            for endpoint in each.endpoints
        ),
    )


def _checks(evidence: CandidateEvidence, name: str) -> Section:
    failing = sum(not each.holds for each in evidence.checks)
    words = (
        f"{counted(len(evidence.checks), 'sentence')} had been claimed of the candidate before it was tried; "
        f"{failing:,} of them {'does' if failing == 1 else 'do'} not hold as worded."
    )
    table = Table(
        caption="Each sentence, whether it holds, and what was counted",
        heads=("Sentence", "Holds", "Counted", "What was found"),
        rows=tuple(
            (each.statement, "holds" if each.holds else "does not hold", f"{each.part:,} of {each.whole:,}", each.found)
            for each in evidence.checks
        ),
    )
    return Section(id=f"{name}-checks", title="What was claimed, and what was found", words=(words,), tables=(table,))


def _few(evidence: CandidateEvidence, name: str) -> Section:
    rows = tuple(
        (
            f"{each.case} {each.model}",
            f"{each.endpoints:,}",
            combination_words(each.combination, evidence.base_version),
            f"{each.windows:,}",
            letters_words(each.honest),
            letters_words(each.different),
            f"{each.not_measured:,}",
        )
        for each in evidence.few
    )
    table = Table(
        caption="M's letters where a model has few endpoints, or a majority that is itself different",
        heads=("Case and model", "Endpoints", "Rules on", "Windows", "Unchanged", "Changed", "Not measured"),
        rows=rows,
        figures=frozenset({"Endpoints", "Windows", "Not measured"}),
    )
    words = (
        "The reference is what most endpoints gave. Where they are few, or where most of them run something "
        "else, it is their answer that the others are held against."
    )
    return Section(id=f"{name}-fails", title="Where it fails", words=(words,), tables=(table,) if rows else ())


def _own_variation(evidence: CandidateEvidence, name: str) -> Section:
    words = (
        "The margin can be asked of each night alone, or of an endpoint's own variation too. Where it is not asked of "
        "own variation, what passes the floors by one pair is above them. The same windows, read both ways:"
    )
    ways = ("not asked of own variation", "asked of own variation")
    folded = tuple(
        _by_endpoint(each, f"{combination_words(each.combination, evidence.base_version)}; margin {way}")
        for each, way in zip(evidence.own_variation, ways, strict=False)
    )
    return Section(id=f"{name}-own", title="The margin and own variation", words=(words,), folded=folded)


def _kernels(evidence: CandidateEvidence, name: str) -> Section:
    words = (
        "An endpoint that repeats itself and runs other arithmetic kernels gives the same answers every night, and "
        "some of them are steadily not the plurality's. A floor made of self-disagreement does not cover that."
    )
    table = Table(
        caption="Each recorded endpoint: how often two of its answers to one prompt are alike, how often all of them "
        "are and are not the reference, and how often its first answer is the reference",
        heads=("Endpoint", "What was run", "Repeats itself", "Steadily otherwise", "With the plurality"),
        rows=tuple(
            (
                f"{each.endpoint}, {each.model}",
                each.truth,
                KEPT_ONCE if each.repeated is None else _share(each.repeated),
                _share(each.steadily_otherwise),
                _share(each.with_plurality),
            )
            for each in evidence.kernels
        ),
    )
    return Section(id=f"{name}-kernels", title="Steady differences of kernels", words=(words,), tables=(table,))


def _m(endpoints: list[EndpointEvidence]) -> str:
    """Return the letters of some endpoints' windows together."""
    if not endpoints:
        return NONE
    return letters_words(added(each.m for each in endpoints), sum(each.m_not_measured for each in endpoints))


def _prompts(lines: tuple[PromptLine, ...], caption: str) -> Table:
    rows = []
    for (model, family), group in groupby(lines, key=lambda line: (line.model, line.family)):
        for line in group:
            shows = "never separates" if line.never_separates else ""
            shows = "never has a reference" if line.never_has_a_reference else shows
            rows.append(
                (
                    f"{line.prompt_id}, {model}",
                    family,
                    f"{line.nights_with_reference:,} of {line.nights_asked:,}",
                    f"{line.gave_reference:,} of {line.answered:,}" if line.answered else NOT_MEASURED,
                    f"{line.own_changes:,} of {line.own_pairs:,}" if line.own_pairs else NOT_MEASURED,
                    shows,
                )
            )
    heads = ("Prompt and model", "Family", "Nights with a reference", "Gave it", "Own changes", "Shows")
    return Table(caption=caption, heads=heads, rows=tuple(rows))


def _share(share: Share) -> str:
    return f"{share.part:,} of {share.whole:,}"
