"""Hand-made material for the site's tests: every letter, every reason, every state, and names that mean harm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import html5lib
import msgspec
import pytest
import site_evidence as evidence

from generator.records.definition import Method
from generator.records.definition_file import parse_method
from generator.records.endpoint import Endpoint
from generator.records.grade import (
    ChangeKind,
    DeclaredChange,
    DeclaredState,
    Grade,
    Letter,
    MatchFamily,
    MatchNight,
    Superseded,
    TaskFamily,
    UnratedReason,
)
from generator.records.night import (
    NightCounts,
    NightRecord,
    NightSettings,
    NightState,
    PreviousNight,
    VoidRecord,
)
from generator.records.permalink import permalink_path
from generator.records.prompt import Prompt
from generator.settings import RouterSettings, Settings
from generator.site import endpoint_history, endpoint_views, feeds, grade_page, method_page, templates, views
from generator.site.interface import (
    Agreement,
    DemoTruth,
    EndpointMaterial,
    GradeContext,
    GradedWindow,
    LetterDifference,
    LogMaterial,
    Material,
    ModelMaterial,
    NightChange,
    NightMaterial,
    VersionLetters,
)
from generator.site.ledger import Ledger
from generator.site.library import arrange
from generator.site.news import News

ROOT = Path(__file__).resolve().parent.parent
FIRST_NIGHT = date(2026, 11, 19)
LOG = LogMaterial(
    origin="bitdepth.example/log",
    size=1234,
    root="1f" * 32,
    head=b"bitdepth.example/log\n1234\nHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8=\n",
    signed_size=1200,
    checkpoint=b"bitdepth.example/log\n1200\nHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8=\n\n",
    keys=("bitdepth.example/log+0a1b2c3d+AR8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8f",),
    proved=frozenset(),
)
NIGHTS = tuple(FIRST_NIGHT + timedelta(days=day) for day in range(9))
VOID_NIGHT = NIGHTS[4]
RECORDED = tuple(night for night in NIGHTS if night != VOID_NIGHT)
FAMILIES = ("arith", "capital", "contin", "copy", "json", "lookup", "sort", "unit")

TREES = "google/gemma-3-270m"
HOSTILE_MODEL = 'evil "author"/<b>na me%2F..&amp;'
HOSTILE_PROVIDERS = (
    "<script>alert('provider')</script>",
    "Mirror\u202egnorts\u2066 zero\u200bwidth\u00a0null\x00bell\x07",
    '{\\input{evil}} %$&#_~^ "quoted" </script><!-- }}',
    "\u05e2\u05d1\u05e8\u05d9\u05ea (RTL) \u0627\u0644\u0639\u0631\u0628\u064a\u0629",
    "Unbroken" + "x" * 240,
    "  leading, double  and trailing ",
    "Zalgo" + "\u0301" * 40,
)
HOSTILE_PRECISION = 'fp8"><img src=x onerror=alert(1)>\u202e'
HOSTILE_OUTPUT = "</pre><script>alert('prompt')</script>\n\ttabbed \u202etxet\r\n{{ 7 * 7 }}"

TEMPLATES = templates.load([ROOT / "templates"])


def settings(**changes: Any) -> Settings:
    """Return settings of a live site."""
    plain = {
        "format": 1,
        "title": "bitdepth",
        "address": "https://bitdepth.example/grades-of/",
        "publisher": "bitdepth & friends",
        "contact": "mailto:corrections@bitdepth.example",
        "method": "0.1",
        "prompt_set": "p1",
        "models": (TREES, "watched/not-yet-recorded"),
        "router": RouterSettings(kind="openrouter", address="https://router.example/api/v1"),
    }
    return Settings(**(plain | changes))


def method(version: str = "0.1", **replaced: Any) -> Method:
    """Return the repository's own method 0.1, under another version where one is given."""
    own = _own_method()
    definition = msgspec.structs.replace(own.definition, version=version, **replaced)
    return msgspec.structs.replace(own, definition=definition)


@cache
def _own_method() -> Method:
    folder = ROOT / "content" / "methods"
    return parse_method((folder / "0.1.toml").read_bytes(), (folder / "0.1.md").read_bytes(), where="0.1.toml")


def pages() -> dict[str, str]:
    """Return the repository's own prose pages."""
    folder = ROOT / "content" / "pages"
    found = sorted(folder.rglob("*.md"))
    return {path.relative_to(folder).as_posix().removesuffix(".md"): path.read_text("utf-8") for path in found}


def grade(endpoint: str = "alder", provider: str = "Alder", **changes: Any) -> Grade:
    """Return a grade that reads A in every column, over the window that ends on the last night."""
    nights = changes.pop("nights", RECORDED[-7:])
    plain: dict[str, Any] = {
        "model": TREES,
        "endpoint": endpoint,
        "provider": provider,
        "tag": f"{endpoint}/int4",
        "listings": 1,
        "window_start": nights[0],
        "window_end": nights[-1],
        "nights": nights,
        "method_version": "0.1",
        "method_digest": method().digest,
        "letter": Letter.A,
        "provisional": True,
        "m_letter": Letter.A,
        "t_letter": Letter.A,
        "d_letter": Letter.A,
        "r_letter": Letter.A,
        "m_nights_observed": len(nights),
        "m_nights_outside": 0,
        "m_own_variation_above_floor": False,
        "m_night": tuple(match_night(night, 2 + index % 2) for index, night in enumerate(nights)),
        "m_family": tuple(match_family(name, index) for index, name in enumerate(FAMILIES)),
        "t_correct": 488,
        "t_counted": 735,
        "t_planned": 735,
        "t_best_correct": 503,
        "t_best_counted": 736,
        "t_within_floor": True,
        "t_family": tuple(
            TaskFamily(family=name, correct=60 + 3 * index, counted=105)
            for index, name in enumerate(FAMILIES)
            if name != "contin"
        ),
        "d_state": DeclaredState.PRESENT,
        "d_precision": "int4",
        "d_changes": (),
        "r_sent": 840,
        "r_errors": 3,
        "r_answered": 833,
        "r_truncated": 4,
        "r_misrouted": 0,
        "unrated_reasons": (),
        "nights_since_listed": 8,
        "nights_absent": 0,
        "pairs": 840,
        "pairs_without_reference": 31,
        "issued": nights[-1],
        "latency_class": "II",
        "median_latency_ms": 1312,
        "price_prompt": Decimal("0.000000020000"),
        "price_completion": Decimal("0.000000040000"),
        "context_declared": 32768,
        "context_observed": 16384,
        "supersedes": (),
    }
    return Grade(**(plain | changes))


def match_night(night: date, mismatches: int) -> MatchNight:
    """Return a night on which the floors allow three and a half mismatches."""
    return MatchNight(night=night, prompts=96, mismatches=mismatches, allowed_numerator=7, allowed_denominator=2)


def match_family(name: str, index: int) -> MatchFamily:
    """Return a family whose figures follow from its place; arith is not stable, sort has no floor."""
    has_floor = name != "sort"
    return MatchFamily(
        family=name,
        stable=name not in {"arith", "sort"},
        floor_numerator=index if has_floor else None,
        floor_denominator=72 if has_floor else None,
        prompts=84 - index,
        mismatches=index,
        pairs=72 if has_floor else 0,
        pairs_differing=index % 3 if has_floor else 0,
    )


def kinds() -> tuple[Grade, ...]:
    """Return a grade of each kind for the last window, all of one model: letters, states and reasons."""
    change = DeclaredChange(night=RECORDED[3], before="int4", after="mxfp4", kind=ChangeKind.REFINED)
    withdrawn = DeclaredChange(night=RECORDED[5], before="mxfp4", after=None, kind=ChangeKind.WITHDRAWN)
    outside = tuple(match_night(night, 9) for night in RECORDED[-5:])
    return (
        grade(),
        grade(
            "birch",
            "Birch",
            letter=Letter.B,
            t_letter=Letter.B,
            t_within_floor=False,
            t_correct=473,
            latency_class="I",
            median_latency_ms=640,
        ),
        grade(
            "cedar",
            "Cedar",
            tag="cedar",
            letter=Letter.C,
            m_letter=Letter.C,
            d_letter=Letter.C,
            m_own_variation_above_floor=True,
            d_state=DeclaredState.CHANGED,
            d_precision=None,
            d_changes=(change, withdrawn),
        ),
        grade(
            "dogwood",
            "Dogwood",
            tag="dogwood/int8",
            letter=Letter.D,
            m_letter=Letter.D,
            t_letter=Letter.C,
            r_letter=Letter.C,
            m_nights_observed=5,
            m_nights_outside=5,
            m_night=outside,
            t_within_floor=False,
            t_correct=441,
            r_errors=33,
            d_precision="int8",
            price_prompt=None,
            listings=2,
        ),
        grade(
            "elm",
            "Elm",
            letter=Letter.U,
            m_letter=None,
            t_letter=None,
            r_letter=None,
            m_nights_observed=0,
            m_night=(),
            m_family=(),
            t_family=(),
            t_correct=0,
            t_counted=0,
            t_best_correct=None,
            t_best_counted=None,
            t_within_floor=False,
            d_letter=Letter.B,
            d_state=DeclaredState.ABSENT,
            d_precision=None,
            r_sent=0,
            r_errors=0,
            r_answered=0,
            r_truncated=0,
            nights_since_listed=2,
            nights_absent=4,
            pairs_without_reference=420,
            latency_class=None,
            median_latency_ms=None,
            price_prompt=None,
            price_completion=None,
            context_declared=None,
            context_observed=None,
            unrated_reasons=tuple(UnratedReason),
        ),
    )


def hostile() -> tuple[Grade, ...]:
    """Return a grade of each hostile provider."""
    return tuple(
        grade(
            f"hostile-{index}",
            provider,
            model=HOSTILE_MODEL,
            tag=provider + "/" + HOSTILE_PRECISION,
            d_precision=HOSTILE_PRECISION,
        )
        for index, provider in enumerate(HOSTILE_PROVIDERS)
    )


def history() -> tuple[Grade, ...]:
    """Return every grade of the material: two windows, a version before and a candidate, all hostile names."""
    earlier = tuple(
        msgspec.structs.replace(
            each,
            window_start=RECORDED[0],
            window_end=RECORDED[-2],
            nights=RECORDED[:-1],
            issued=RECORDED[-2],
            letter=Letter.B if each.endpoint == "alder" else each.letter,
            r_letter=Letter.B if each.endpoint == "alder" else each.r_letter,
        )
        for each in kinds()
    )
    gone = grade("fir", "Fir", nights=RECORDED[:5], letter=Letter.U, unrated_reasons=(UnratedReason.TOO_FEW_NIGHTS,))
    candidate = grade(method_version="0.2", letter=Letter.B, m_letter=Letter.B)
    replaced = grade(method_version="0.0", letter=Letter.B, m_letter=Letter.B)
    every = (*earlier, *kinds()[1:], *hostile(), gone, candidate, replaced, current_alder())
    return tuple(sorted(every, key=lambda g: (g.model, g.endpoint, g.window_end, g.method_version)))


def current_alder() -> Grade:
    """Return the grade of the last window that supersedes one under 0.0."""
    return msgspec.structs.replace(kinds()[0], supersedes=(Superseded(method_version="0.0", letter=Letter.B),))


def listed(each: Grade, night: date) -> Endpoint:
    """Return a grade's endpoint as a night listed it."""
    return Endpoint(
        model=each.model,
        model_id=each.model,
        endpoint=each.endpoint,
        provider=each.provider,
        tag=each.tag,
        listings=each.listings,
        declared_precision=each.d_precision,
        context_length=each.context_declared,
        max_completion_tokens=None,
        first_listed=RECORDED[0],
        succeeded_from="cedar/int4" if (each.endpoint, night) == ("cedar", RECORDED[3]) else None,
        price_prompt=each.price_prompt,
        price_completion=each.price_completion,
        status=0,
        raw="{}",
    )


def night(when: date, *, latency: str = "measured", router: str = "openrouter") -> NightMaterial:
    """Return a night with every endpoint; fir is listed on the first five alone."""
    started = datetime(when.year, when.month, when.day, 3, 0, 1, 250_000, tzinfo=UTC)
    is_void = when == VOID_NIGHT
    record = NightRecord(
        format=1,
        night=when,
        state=NightState.VOID if is_void else NightState.RECORDED,
        reason="under half of the planned observations were sent: <b>no credit</b>" if is_void else None,
        late=is_void,
        seed="9f" * 16,
        prompt_set="p1",
        prompt_set_sha256="a1" * 32,
        router=router,
        started_at=started,
        finished_at=started + timedelta(minutes=41),
        counts=NightCounts(
            planned=1680, sent=1678, answered=1660, truncated=9, empty=1, error=8, misrouted=0, unsent=2
        ),
        cost_usd="0.1834",
        settings=NightSettings(
            temperature=0.0,
            sampling_seed=20260,
            total_deadline_ms=120_000,
            idle_deadline_ms=60_000,
            max_body_bytes=1_000_000,
            concurrency=60,
            concurrency_per_endpoint=4,
            attempts=4,
            reasoning_budget_tokens=2048,
            latency=latency,
        ),
        files={f"{name}.parquet": name[0:1].encode().hex() * 32 for name in ("context", "listings", "observations")},
        previous=None if when == NIGHTS[0] else PreviousNight(night=when - timedelta(days=1), sha256="b2" * 32),
        tool_version="0.1.0",
        seal="c3" * 32,
    )
    gone = [] if when > RECORDED[4] else [grade("fir", "Fir")]
    return NightMaterial(
        record=record,
        night_json_sha256="d4" * 32,
        void=None,
        prompts=prompts(),
        endpoints=tuple(listed(each, when) for each in (*kinds(), *hostile(), *gone)),
    )


def prompts() -> tuple[Prompt, ...]:
    """Return a few fixed and generated prompts, one of them hostile."""
    made = [
        Prompt(
            prompt_id=f"{family}-{'fixed' if fixed else 'night'}-{index:02}",
            family=family,
            fixed=fixed,
            prompt=f"12 + 25 = 37\n6 * 14 = 84\n{index} + 471 =",
            expected=None if family == "contin" else str(index + 471),
            max_tokens=16,
        )
        for family in FAMILIES
        for fixed in (True, False)
        for index in range(2)
    ]
    harm = Prompt(
        prompt_id="copy-night-99",
        family="copy",
        fixed=False,
        prompt=HOSTILE_OUTPUT,
        expected="<i>\u202e",
        max_tokens=16,
    )
    return (*made, harm)


def material(**changes: Any) -> Material:
    """Return the material of a live site with two kept method versions and a candidate that is not kept."""
    own = changes.pop("settings", settings(candidates=("0.2",)))
    nights = [night(when) for when in NIGHTS]
    voided = VoidRecord(
        format=1,
        night=RECORDED[1],
        reason="the clock of the probing host was wrong",
        declared_at=datetime(2026, 11, 30, 9, tzinfo=UTC),
        seal="e5" * 32,
    )
    nights[1] = msgspec.structs.replace(nights[1], void=voided)
    trees = [each.endpoint for each in kinds()]
    pairs = [(a, b) for a in trees for b in trees if a < b]
    plain: dict[str, Any] = {
        "settings": own,
        "issue_address": own.address,
        "methods": {version: method(version) for version in ("0.0", "0.1", "0.2")},
        "kept_methods": frozenset({"0.0", "0.1"}),
        "worked_example": dict.fromkeys(("0.0", "0.1", "0.2"), Fraction(4)),
        "nights": tuple(nights),
        "grades": history(),
        "windows": windows(),
        "models": (
            ModelMaterial(
                model=TREES,
                agreements=tuple(
                    Agreement(first=a, second=b, same=640 + 7 * index, both=735) for index, (a, b) in enumerate(pairs)
                ),
                references=((2, 3), (4, 806)),
                without_reference=31,
                endpoints=(shown("alder", ((0, 840),)), shown("birch", ((-3, 1), (20, 839)))),
            ),
        ),
        "pages": pages(),
        "calibrations": (evidence.calibration(),),
        "candidate_evidence": (evidence.candidate(),),
        "prompt_reports": (evidence.report(),),
        "differences": (difference(),),
        "explanations": {(TREES, "alder"): evidence.explanation(current_alder())},
        "log": LOG,
        "format_text": (ROOT / "archive" / "FORMAT.md").read_text(),
    }
    plain |= changes
    grades = plain["grades"]
    return Material(**(plain | {"grades": grades if isinstance(grades, InMemory) else InMemory(grades)}))


class InMemory(tuple[Grade, ...]):
    """Grades as the views are handed them."""

    __slots__ = ()

    def of(self, model: str, endpoint: str) -> tuple[Grade, ...]:
        """Return one endpoint's."""
        return tuple(each for each in self if (each.model, each.endpoint) == (model, endpoint))

    def of_month(self, name: str, model: str, endpoint: str) -> tuple[Grade, ...]:
        """Return one endpoint's of a month, also of one that is not settled."""
        return tuple(each for each in self.of(model, endpoint) if each.window_end.isoformat().startswith(name))


def windows() -> tuple[GradedWindow, ...]:
    """Return the windows of the history: 0.1 graded each as the current version, 0.2 the last one beside it.

    Of 0.0 there is none: that it was the current version is no news any more.
    """
    led = tuple(
        GradedWindow(method_version="0.1", window_end=end, was_current=True, regrade=False)
        for end in (RECORDED[4], RECORDED[-2], RECORDED[-1])
    )
    return (*led, GradedWindow(method_version="0.2", window_end=RECORDED[-1], was_current=False, regrade=False))


def shown(endpoint: str, tokens: tuple[tuple[int, int], ...]) -> EndpointMaterial:
    """Return what is shown of an endpoint: its token counts, and a change of 52 of 96 pairs on the last night."""
    changes = (
        NightChange(earlier=RECORDED[-3], later=RECORDED[-2], pairs=96, differing=0),
        NightChange(earlier=RECORDED[-2], later=RECORDED[-1], pairs=96, differing=52),
    )
    return EndpointMaterial(endpoint=endpoint, tokens=tokens, changes=changes)


def difference() -> LetterDifference:
    """Return the one difference of the history: alder reads A under 0.1 and B under 0.2."""
    return LetterDifference(
        model=TREES,
        endpoint="alder",
        window_end=RECORDED[-1],
        current_version="0.1",
        candidate_version="0.2",
        current=VersionLetters(letter=Letter.A, columns=(Letter.A, Letter.A, Letter.A, Letter.A)),
        candidate=VersionLetters(letter=Letter.B, columns=(Letter.B, Letter.A, Letter.A, Letter.A)),
        by=("fleet floor", "margin"),
    )


def demo_material() -> Material:
    """Return the material of a demo's site: every night replayed, one endpoint's truth told."""
    own = settings(router=RouterSettings(kind="demo", address="http://127.0.0.1"))
    truth = DemoTruth(
        model=TREES,
        endpoint="alder",
        recorded="the shipped Q4_K_M weights, four requests decoded together <b>(continuous batching)</b>",
        scripted=("absent on 2026-11-21", "a server error on 3 prompts of 2026-11-22"),
        counted=("not listed on 2026-11-21", "3 errors on 2026-11-22", "833 answers"),
    )
    grades = tuple(msgspec.structs.replace(each, latency_class=each.latency_class and "replayed") for each in history())
    nights = tuple(night(when, latency="replayed", router="demo") for when in NIGHTS)
    return material(settings=own, demo=(truth,), nights=nights, grades=grades)


def empty_material() -> Material:
    """Return the material of the repository's own archive before its first night."""
    return material(
        settings=settings(),
        methods={"0.1": method()},
        kept_methods=frozenset(),
        worked_example={"0.1": Fraction(4)},
        nights=(),
        grades=(),
        windows=(),
        models=(),
        calibrations=(),
        candidate_evidence=(),
        prompt_reports=(),
        differences=(),
        explanations={},
    )


def context(each: Grade, of: Material) -> GradeContext:
    """Return what a permanent page says beside its grade."""
    declared = dict.fromkeys(each.nights[1:], each.d_precision)
    named = {earlier.method_version for earlier in each.supersedes}
    return GradeContext(
        settings=of.settings,
        method=of.methods[each.method_version],
        precision_before=declared,
        superseded=tuple(
            earlier
            for earlier in of.grades
            if (earlier.model, earlier.endpoint, earlier.window_end) == (each.model, each.endpoint, each.window_end)
            and earlier.method_version in named
        ),
    )


def feeds_of(of: Material) -> tuple[dict[str, bytes], Ledger]:
    """Return every feed by its path, and what was noted while they were made."""
    library = arrange(of)
    news = News(library)
    made = dict(endpoint_views.render(library, TEMPLATES, None, news))
    path, body = feeds.of_site(news, library)
    return {path: body} | {each: page for each, page in made.items() if each.endswith("feed.xml")}, news.ledger


def permanent_page(each: Grade, beside: GradeContext, by: templates.Templates = TEMPLATES) -> bytes:
    """Return the bytes of a grade's permanent page."""
    (_, page), _ = grade_page.files(each, beside, by)
    return page


def permanent(of: Material) -> dict[str, bytes]:
    """Return every permanent file of a material: pages, records and kept method versions."""
    files: dict[str, bytes] = {}
    for each in of.grades:
        files.update(grade_page.files(each, context(each, of), TEMPLATES))
    for version in sorted(of.kept_methods):
        floor = of.worked_example[version]
        files[f"method/{version}/index.html"] = method_page.render(of.methods[version], floor, of.settings, TEMPLATES)
    return files


def site(of: Material) -> Mapping[str, bytes]:
    """Return every file of a material's site by path; no view lies where a permanent page does."""
    files = permanent(of)
    for path, page in views.render(of, TEMPLATES):
        assert path not in files, path
        files[path] = page
    return files


def with_october(of: Material) -> Material:
    """Return a material whose earliest grades were made of a window in October, too."""
    end = date(2026, 10, 31)  # The nights that they count stay those that are kept, so that links lead somewhere.
    moved = tuple(
        msgspec.structs.replace(each, window_start=end, window_end=end, issued=end)
        for each in of.grades
        if each.window_end == RECORDED[-2]
    )
    grades = sorted(
        (*of.grades, *moved), key=lambda each: (each.model, each.endpoint, each.window_end, each.method_version)
    )
    window = GradedWindow(method_version="0.1", window_end=end, was_current=True, regrade=False)
    return msgspec.structs.replace(of, grades=InMemory(grades), windows=(window, *of.windows))


@cache
def sites() -> Mapping[str, Mapping[str, bytes]]:
    """Return three whole sites, rendered once for all tests: live, demo, and before the first night.

    On the demo's, windows stand by month as soon as there are two, and some ended in the month before.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(endpoint_history, "MOST_TOGETHER", 1)
        demo = site(with_october(demo_material()))
    return {"live": site(material()), "demo": demo, "empty": site(empty_material())}


@cache
def parsed(page: bytes) -> Element:
    """Return a page's tree; any parse error is an error."""
    return html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page, transport_encoding="utf-8")


def text_of(element: Element) -> str:
    """Return the text of an element and all below it as it is read: cells and blocks apart, white space collapsed."""
    return " ".join("".join(_pieces(element)).split())


def _pieces(element: Element) -> Iterator[str]:
    apart = element.tag in {"td", "th", "tr", "li", "dt", "dd", "p", "br", "caption"} or element.get("class") == "s"
    yield " " if apart else ""
    yield element.text or ""
    for child in element:
        yield from _pieces(child)
        yield child.tail or ""
    yield " " if apart else ""


def page_text(page: bytes) -> str:
    """Return what a page's main part says, white space collapsed."""
    main = parsed(page).find(".//main")
    assert main is not None
    return text_of(main)


def address(each: Grade) -> str:
    """Return the full permalink of a grade on the live site."""
    path = permalink_path(each.model, each.endpoint, each.window_end, each.method_version)
    return f"https://bitdepth.example/grades-of/{path}"
