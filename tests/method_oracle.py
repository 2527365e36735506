"""The method once more, slow and naive, straight from its meaning: an oracle for whole windows.

It shares nothing with `generator.method`: rows are dictionaries, every count is a loop over rows, every figure a
fraction. A definition's numbers are read from the definition; its rule choices have one value each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from fractions import Fraction
from itertools import pairwise
from math import floor as whole_part

from generator.method.interface import Issue, NightTables
from generator.records.definition import Method
from generator.records.grade import (
    ChangeKind,
    DeclaredChange,
    DeclaredState,
    Grade,
    Letter,
    MatchFamily,
    MatchNight,
    TaskFamily,
    UnratedReason,
)
from tests.method_window import Key, Row, Window, median, passes

ORDER = (Letter.A, Letter.B, Letter.C, Letter.D)
BEGAN = ("answered", "truncated")


def _task(w: Window, key: Key) -> tuple[int, int, int]:
    rows = w.keyed_of(key)
    counted = [row for row in rows if row["outcome"] in BEGAN]
    return sum(row["correct"] is True for row in counted), len(counted), len(rows)


def _absent(w: Window, key: Key, first: date) -> int:
    quiet = 0
    for night in w.nights:
        sent = [row for row in w.rows.get(key, {}).get(night, {}).values() if row["outcome"] != "unsent"]
        quiet += night >= first and (night not in w.listing[key] or not sent)
    return quiet


def _presence(w: Window, key: Key, recorded: Sequence[date]) -> tuple[int, int, list[UnratedReason]]:
    last = w.listing[key][max(w.listing[key])]
    since = sum(last["first_listed"] <= night <= w.nights[-1] for night in recorded)
    absent = _absent(w, key, last["first_listed"])
    rule, reasons = w.rule.unrated, []
    if (rule.min_nights_since_listed is not None and since < rule.min_nights_since_listed) or (
        rule.min_nights_in_window is not None and len(w.nights) < rule.min_nights_in_window
    ):
        reasons.append(UnratedReason.TOO_FEW_NIGHTS)
    if rule.nights_absent is not None and absent >= rule.nights_absent:
        reasons.append(UnratedReason.ABSENT)
    return since, absent, reasons


def _best(w: Window, model: str, recorded: Sequence[date]) -> tuple[int | None, int | None]:
    rule, able = w.rule.task.best, []
    for key in w.peers(model):
        correct, counted, planned = _task(w, key)
        least = Fraction(rule.min_counted_percent or 0)
        barred = set(_presence(w, key, recorded)[2]) & set(rule.excluded_reasons)
        if counted and 100 * counted >= least * planned and not barred:
            # Of equal shares the one with more behind it: the method is silent, and names must not decide.
            able.append((Fraction(correct, counted), counted, correct))
    return (max(able)[2], max(able)[1]) if able else (None, None)


def _changes(rows: Sequence[tuple[date, Row]], refinements: dict[str, tuple[str, ...]]) -> Iterable[DeclaredChange]:
    for (_, one), (night, two) in pairwise(rows):
        before, after = one["declared_precision"], two["declared_precision"]
        if before == after:
            continue
        if before is None:
            kind = ChangeKind.NEWLY_DECLARED
        elif after is None:
            kind = ChangeKind.WITHDRAWN
        else:
            kind = ChangeKind.REFINED if after in refinements.get(before, ()) else ChangeKind.CHANGED
        yield DeclaredChange(night=night, before=before, after=after, kind=kind)


def _reliable(w: Window, letter: Letter, count: Counter[str], sent: int) -> bool:
    condition = w.rule.letters.R[letter]
    errors, began = count["error"] + count["empty"], count["answered"] + count["truncated"]
    below, cut, astray = (
        condition.errors_below_percent,
        condition.truncation_below_percent,
        condition.max_misrouted,
    )
    return (
        (below is None or Fraction(100 * errors, sent) < Fraction(below))
        and (cut is None or not began or Fraction(100 * count["truncated"], began) < Fraction(cut))
        and (astray is None or count["misrouted"] <= astray)
    )


def _first(meets: Iterable[bool]) -> Letter:
    return next((letter for letter, met in zip(ORDER, meets, strict=False) if met), Letter.D)


def _match(w: Window, key: Key) -> tuple[Letter | None, bool, int, list[MatchNight], list[MatchFamily]]:
    floors, stable = w.floors(key[0]), w.stable(key[0])
    nights, outside = [], 0
    margin = w.rule.margin
    level = None if margin is None else Fraction(margin.level) / 100
    for night in w.nights:
        judged = {family: w.judged(key, night, family) for family in stable}
        prompts, differing = sum(n for n, _ in judged.values()), sum(x for _, x in judged.values())
        if not prompts:
            continue
        allowed = sum((judged[f][0] * (floors[f] or Fraction(0)) for f in stable), Fraction(0))
        outside += passes(differing, prompts, allowed, level)
        nights.append(
            MatchNight(
                night=night,
                prompts=prompts,
                mismatches=differing,
                allowed_numerator=allowed.numerator,
                allowed_denominator=allowed.denominator,
            )
        )
    families = []
    for family in w.families:
        floor, judged_all = floors[family], [w.judged(key, night, family) for night in w.nights]
        pairs, own = w.pairs(key, family)
        families.append(
            MatchFamily(
                family=family,
                stable=family in stable,
                floor_numerator=None if floor is None else floor.numerator,
                floor_denominator=None if floor is None else floor.denominator,
                prompts=sum(n for n, _ in judged_all),
                mismatches=sum(x for _, x in judged_all),
                pairs=pairs,
                pairs_differing=own,
            )
        )
    tolerated = sum((w.pairs(key, f)[0] * (floors[f] or Fraction(0)) for f in stable), Fraction(0))
    own_pairs, own_differing = (sum(w.pairs(key, f)[i] for f in stable) for i in (0, 1))
    above = passes(own_differing, own_pairs, tolerated, level if margin is not None and margin.own_variation else None)
    if not nights:
        return None, above, outside, nights, families
    letter = _first(outside <= w.rule.letters.M[x].max_nights_outside for x in ORDER[:3])
    cap = w.rule.match.own_variation_best
    if above and cap is not None:
        letter = max(letter, Letter(cap))
    return letter, above, outside, nights, families


def _points(w: Window, key: Key, best: tuple[int | None, int | None]) -> tuple[Letter | None, bool, list[TaskFamily]]:
    correct, counted, _ = _task(w, key)
    families = []
    for family in w.keyed:
        rows = [row for row in w.keyed_of(key) if row["family"] == family and row["outcome"] in BEGAN]
        right = sum(row["correct"] is True for row in rows)
        families.append(TaskFamily(family=family, correct=right, counted=len(rows)))
    if not counted or best[0] is None or best[1] is None:
        return None, False, families
    points = max(Fraction(0), Fraction(100 * best[0], best[1]) - Fraction(100 * correct, counted))
    floors = w.floors(key[0])
    with_floor = [(f.counted, floors[f.family]) for f in families if floors[f.family] is not None]
    weight = sum(n for n, _ in with_floor)
    zeroed = False
    if w.rule.task.floor is not None and weight:
        zeroed = points < 100 * sum((n * (f or Fraction(0)) for n, f in with_floor), Fraction(0)) / weight
    reads = Fraction(0) if zeroed else points
    return _first(reads <= Fraction(w.rule.letters.T[x].max_points) for x in ORDER[:3]), zeroed, families


def _pairs(w: Window, model: str) -> tuple[int, int]:
    pairs = without = 0
    for night in w.nights:
        for prompt in w.prompts[night]:
            if any(row["outcome"] != "unsent" for row in w.asked(model, night, prompt)):
                pairs += 1
                without += w.reference(model, night, prompt) is None
    return pairs, without


def _latency(w: Window, key: Key) -> tuple[str | None, int | None]:
    answered = [row for row in w.of(key) if row["outcome"] == "answered" and row["latency_ms"] is not None]
    middle = whole_part(median([Fraction(row["latency_ms"]) for row in answered])) if answered else None
    # The record's own words: the median is null where nothing was answered, replayed or not.
    if any(t.latency_replayed for t in w.tables):
        return "replayed", middle
    if middle is None:
        return None, None
    return next(c.name for c in w.rule.latency.classes if c.below_ms is None or middle < c.below_ms), middle


def _grade(w: Window, key: Key, method: Method, recorded: Sequence[date], issue: Issue) -> Grade:
    model, endpoint = key
    listed = sorted(w.listing[key].items())
    last = listed[-1][1]
    m_letter, above, outside, m_night, m_family = _match(w, key)
    best = _best(w, model, recorded)
    correct, counted, planned = _task(w, key)
    t_letter, zeroed, t_family = _points(w, key, best)
    changes = tuple(_changes(listed, w.rule.declared.refinements))
    present = DeclaredState.ABSENT if last["declared_precision"] is None else DeclaredState.PRESENT
    state = DeclaredState.CHANGED if changes else present
    d_letter = _first(state.value in w.rule.letters.D[x].states for x in ORDER[:3])
    count = Counter(row["outcome"] for row in w.of(key))
    sent = sum(count.values()) - count["unsent"]
    r_letter = _first(_reliable(w, x, count, sent) for x in ORDER[:3]) if sent else None
    since, absent, reasons = _presence(w, key, recorded)
    pairs, without = _pairs(w, model)
    rule = w.rule.unrated
    most = rule.max_without_reference_percent
    if most is not None and 100 * without > Fraction(most) * pairs:
        reasons.append(UnratedReason.NO_REFERENCE)
    if rule.no_stable_family and not w.stable(model):
        reasons.append(UnratedReason.NO_STABLE_FAMILY)
    columns = [letter for letter in (m_letter, t_letter, d_letter, r_letter) if letter is not None]
    if rule.not_measured and m_letter is None and Letter.D not in columns:
        reasons.append(UnratedReason.NOT_MEASURED)
    latency_class, median_ms = _latency(w, key)
    probes = [row for t in w.tables for row in t.context.to_pylist() if (row["model"], row["endpoint"]) == key]
    read = [row["rung_tokens"] for row in probes if row["outcome"] == "answered"]
    return Grade(
        model=model,
        endpoint=endpoint,
        provider=last["provider"],
        tag=last["tag"],
        listings=last["listings"],
        window_start=w.nights[0],
        window_end=w.nights[-1],
        nights=tuple(w.nights),
        method_version=method.definition.version,
        method_digest=method.digest,
        letter=Letter.U if reasons else max(columns),
        provisional=method.definition.version.startswith("0."),
        m_letter=m_letter,
        t_letter=t_letter,
        d_letter=d_letter,
        r_letter=r_letter,
        m_nights_observed=len(m_night),
        m_nights_outside=outside,
        m_own_variation_above_floor=above,
        m_night=tuple(m_night),
        m_family=tuple(m_family),
        t_correct=correct,
        t_counted=counted,
        t_planned=planned,
        t_best_correct=best[0],
        t_best_counted=best[1],
        t_within_floor=zeroed,
        t_family=tuple(t_family),
        d_state=state,
        d_precision=last["declared_precision"],
        d_changes=changes,
        r_sent=sent,
        r_errors=count["error"] + count["empty"],
        r_answered=count["answered"],
        r_truncated=count["truncated"],
        r_misrouted=count["misrouted"],
        unrated_reasons=tuple(reasons),
        nights_since_listed=since,
        nights_absent=absent,
        pairs=pairs,
        pairs_without_reference=without,
        issued=issue.issued,
        latency_class=latency_class,
        median_latency_ms=median_ms,
        price_prompt=last["price_prompt"],
        price_completion=last["price_completion"],
        context_declared=last["context_length"],
        context_observed=max(read) if read else None,
        supersedes=tuple(issue.supersedes.get(key, ())),
    )


def oracle(tables: Sequence[NightTables], method: Method, recorded: Sequence[date], issue: Issue) -> tuple[Grade, ...]:
    """Return what the method says of every endpoint listed in a window, sorted by model and endpoint."""
    window = Window(tables, method.definition)
    return tuple(_grade(window, key, method, recorded, issue) for key in sorted(window.listing))
