"""A site whose every name, claim, prompt, answer and error is a payload of tests/hostile_payloads.py.

Payload number i is the name of model i, the provider of model i - 1, the tag of model i - 2, and so on: each of them
stands in every place once, and every page holds a dozen.
"""

from __future__ import annotations

from functools import cache

import hostile_payloads
import msgspec
import pytest
import site_evidence as evidence
import site_material as made

from generator.probing.identity import settle
from generator.records.calibration import PromptReport
from generator.records.endpoint import Endpoint
from generator.records.explanation import Explanation
from generator.records.grade import ChangeKind, DeclaredChange, DeclaredState, Grade, Letter
from generator.records.listing import ListedEndpoint, ModelListing
from generator.records.prompt import Prompt
from generator.site import views
from generator.site.interface import Agreement, Material, ModelMaterial, NightMaterial
from generator.site.search import Indexer
from generator.workflows import searching

CROWD = 6
"""Endpoints of the first model: enough to agree with one another. Every other model has one."""
LAST = made.RECORDED[-1]
FEW, ALL = hostile_payloads.FEW, hostile_payloads.COUNT


class Texts:
    """Payloads as they are dealt out, round and round."""

    def __init__(self, texts: tuple[str, ...]) -> None:
        """Hold the texts."""
        self.all = texts

    def at(self, place: int) -> str:
        """Return the text of a place."""
        return self.all[place % len(self.all)]


def endpoints(texts: Texts) -> tuple[Endpoint, ...]:
    """Return the endpoints that a router lists under such names, as their identities are settled."""
    listings = []
    for place, model in enumerate(texts.all):
        entries = tuple(
            ListedEndpoint(
                provider=texts.at(place + 1 + 7 * more),
                tag=texts.at(place + 2 + 7 * more),
                declared_precision=texts.at(place + 3 + 7 * more),
                context_length=32768,
                max_completion_tokens=None,
                price_prompt=None,
                price_completion=None,
                status=0,
                supported_parameters=(),
                raw="{}",
            )
            for more in range(CROWD if place == 0 else 1)
        )
        listings.append(
            ModelListing(
                model=model, model_id=model, reasoning_mandatory=False, reasoning_supported=False, endpoints=entries
            )
        )
    return settle(made.RECORDED[0], listings, {})


def grade(listed: Endpoint, texts: Texts) -> Grade:
    """Return the grade of an endpoint whose declared precision changed from one payload to another."""
    before = texts.at(texts.all.index(listed.declared_precision or "") + 1)
    change = DeclaredChange(night=LAST, before=before, after=listed.declared_precision, kind=ChangeKind.CHANGED)
    return made.grade(
        listed.endpoint,
        listed.provider,
        model=listed.model,
        tag=listed.tag,
        letter=Letter.C,
        d_letter=Letter.C,
        d_state=DeclaredState.CHANGED,
        d_precision=listed.declared_precision,
        d_changes=(change,),
    )


def explanation(of: Grade, texts: Texts) -> Explanation:
    """Return a grade's explanation: a prompt, a reference, an answer and an error that are payloads."""
    place = texts.all.index(of.model) + 5
    plain = evidence.explanation(of)
    assert plain.match is not None
    assert plain.reliability is not None
    nights = tuple(
        msgspec.structs.replace(
            night,
            prompts=tuple(
                msgspec.structs.replace(
                    each,
                    prompt=texts.at(place),
                    reference=texts.at(place + 1),
                    answer=texts.at(place + 2),
                    text=texts.at(place + 2),
                )
                for each in night.prompts
            ),
        )
        for night in plain.match.nights
    )
    failure = msgspec.structs.replace(
        plain.reliability.failures[0],
        kind=texts.at(place + 3),
        finish_reason=texts.at(place + 4),
        served_provider=texts.at(place + 5),
        served_model=texts.at(place + 6),
    )
    return msgspec.structs.replace(
        plain,
        match=msgspec.structs.replace(plain.match, nights=nights),
        reliability=msgspec.structs.replace(plain.reliability, failures=(failure,)),
    )


def material(texts: Texts) -> Material:
    """Return the material of the site."""
    listed = endpoints(texts)
    grades = tuple(grade(each, texts) for each in listed)
    crowd = [each.endpoint for each in listed if each.model == texts.all[0]]
    pairs = [(first, second) for first in crowd for second in crowd if first < second]
    return made.material(
        settings=made.settings(models=texts.all),
        grades=grades,
        nights=tuple(_night(made.night(when), listed, texts) for when in made.NIGHTS),
        models=(
            ModelMaterial(
                model=texts.all[0],
                agreements=tuple(Agreement(first=a, second=b, same=600, both=735) for a, b in pairs),
                references=((2, 3), (4, 806)),
                endpoints=tuple(made.shown(each, ((0, 840),)) for each in crowd),
            ),
        ),
        calibrations=(_calibration(texts),),
        prompt_reports=(_report(texts),),
        differences=tuple(
            msgspec.structs.replace(made.difference(), model=each.model, endpoint=each.endpoint) for each in listed
        ),
        explanations={(each.model, each.endpoint): explanation(each, texts) for each in grades},
    )


def site(of: Material, indexer: Indexer | None) -> dict[str, bytes]:
    """Return every file of a material's site, by path."""
    files = made.permanent(of)
    for path, body in views.render(of, made.TEMPLATES, indexer):
        assert path not in files, path
        files[path] = body
    return files


class Made(msgspec.Struct, frozen=True):
    """One hostile site: its texts, its material and its files."""

    texts: Texts
    material: Material
    files: dict[str, bytes]


@cache
def hostile(count: int) -> Made:
    """Return the site of so many payloads, rendered once."""
    texts = Texts(tuple(payload.text for payload in hostile_payloads.payloads(count)))
    of = material(texts)
    return Made(texts=texts, material=of, files=site(of, searching.indexer(pytest.fail)))


def _night(plain: NightMaterial, listed: tuple[Endpoint, ...], texts: Texts) -> NightMaterial:
    """Return a night with every payload as a prompt and as a key; a void one has a payload for a reason."""
    when = plain.record.night
    asked = texts.all if when == LAST else texts.all[:3]
    prompts = tuple(
        Prompt(
            prompt_id=f"copy-{place:03}",
            family="copy",
            fixed=place % 2 == 0,
            prompt=text,
            expected=texts.at(place + 1),
            max_tokens=16,
        )
        for place, text in enumerate(asked)
    )
    reason = None if plain.record.reason is None else texts.at(when.day)
    record = msgspec.structs.replace(plain.record, reason=reason)
    return msgspec.structs.replace(plain, record=record, prompts=prompts, endpoints=listed)


def _calibration(texts: Texts) -> evidence.CalibrationEvidence:
    plain = evidence.calibration()
    families = tuple(
        msgspec.structs.replace(plain.families[place % len(plain.families)], model=text)
        for place, text in enumerate(texts.all)
    )
    return msgspec.structs.replace(plain, families=families)


def _report(texts: Texts) -> PromptReport:
    plain = evidence.report()
    lines = tuple(
        msgspec.structs.replace(
            plain.prompts[place % len(plain.prompts)],
            model=texts.at(place + 1),
            prompt_id=f"copy-{place:03}",
            text=text,
        )
        for place, text in enumerate(texts.all)
    )
    return msgspec.structs.replace(plain, prompts=lines)
