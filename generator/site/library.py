"""The material of the views in the order pages need it: by model and endpoint, alphabetically, each read once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import date
from itertools import groupby

import msgspec

from generator.records.definition import Definition, version_key
from generator.records.grade import Grade
from generator.records.night import NightState
from generator.site.interface import Material, ModelMaterial, NightMaterial
from generator.site.past import Keeping, mask_of, month_of
from generator.site.stories import EndpointStory, ModelStory, VersionCount

_NOTHING = Keeping()
"""What is known of an endpoint without settled months."""


class Library(msgspec.Struct, frozen=True, kw_only=True):
    """Material, arranged."""

    material: Material
    recorded: tuple[NightMaterial, ...]
    """The nights that count, ascending."""
    models: tuple[ModelStory, ...]
    """Alphabetically."""
    superseded: frozenset[str]
    """Versions whose letters a grade under the current version names as those that it supersedes."""
    newest: date | None
    """The end of the last window that the current version graded."""
    graded_newest: Mapping[str, frozenset[tuple[str, str]]]
    """By version, the model and endpoint of each of its grades of that window."""
    model_ids: frozenset[str]
    """Every model that a recorded night listed, as the router calls it."""
    recorded_days: Mapping[str, int]
    """By settled month, the bits of the days whose nights count."""

    @property
    def current(self) -> str:
        """The current method version."""
        return self.material.settings.method

    @property
    def by_slug(self) -> list[EndpointStory]:
        """Every endpoint by model and slug, which no later night changes as it may a provider's name."""
        stories = (story for model in self.models for story in model.endpoints)
        return sorted(stories, key=lambda story: (story.model, story.endpoint))

    def listed(self, night: NightMaterial) -> int:
        """Return how many endpoints a night lists."""
        found = self.material.past.listed.get(night.record.night)
        return len(night.endpoints) if found is None else found

    def definition(self, grade: Grade) -> Definition:
        """Return the definition that a grade was made under."""
        return self.material.methods[grade.method_version].definition

    def status(self, version: str) -> str:
        """Return what a method version is to the views: 'current', 'candidate', 'superseded' or 'not current'.

        A version that was a candidate once, and never current, supersedes nothing and is superseded by nothing.
        """
        if version == self.current:
            return "current"
        if version in self.material.settings.candidates:
            return "candidate"
        return "superseded" if version in self.superseded else "not current"


def counts_as_recorded(night: NightMaterial) -> bool:
    """True for a night that was recorded and not declared void since."""
    return night.record.state is NightState.RECORDED and night.void is None


def arrange(material: Material) -> Library:
    """Return the material by model and endpoint."""
    past = material.past
    recorded = tuple(night for night in material.nights if counts_as_recorded(night))
    shelves: dict[tuple[str, str], Keeping] = defaultdict(
        Keeping,
        {
            (model, endpoint): msgspec.structs.replace(kept)
            for model, of in past.endpoints.items()
            for endpoint, kept in of.items()
        },
    )
    model_ids = set(past.model_ids)
    for night in recorded:
        if not past.is_settled(night.record.night):
            for listed in night.endpoints:
                shelves[listed.model, listed.endpoint].listed(night.record.night, listed)
                model_ids.add(listed.model_id)
    superseded = set(past.superseded)
    current = material.settings.method
    newest = max((each.window_end for each in material.windows if each.method_version == current), default=None)
    graded_newest: dict[str, set[tuple[str, str]]] = defaultdict(set)
    latest: dict[tuple[str, str], Grade] = {}
    # The only run through these grades: whoever needs more of them than an endpoint's has it noted here.
    for grade in material.grades:
        key = (grade.model, grade.endpoint)
        if grade.window_end == newest:
            graded_newest[grade.method_version].add(key)
        shelves[key].graded(grade)
        if grade.method_version == current:
            latest[key] = grade
            superseded.update(earlier.method_version for earlier in grade.supersedes)
    last = recorded[-1].record.night if recorded else None
    listed_now = {endpoint.model for endpoint in recorded[-1].endpoints} if recorded else set()
    shown = {model.model: model for model in material.models}
    of_endpoint = {(model.model, each.endpoint): each for model in material.models for each in model.endpoints}
    stories: dict[str, list[EndpointStory]] = defaultdict(list)
    for (model, endpoint), kept in shelves.items():
        before = past.endpoints.get(model, {}).get(endpoint, _NOTHING)
        stories[model].append(
            EndpointStory(
                model=model,
                endpoint=endpoint,
                provider=kept.provider,
                tag=kept.tag,
                listings=kept.listings,
                first_listed=kept.first_listed,
                last_listed=kept.last_listed,
                listed_now=last is not None and kept.last_listed == last,
                model_listed_now=model in listed_now,
                successions=kept.successions,
                latest=latest.get((model, endpoint)) or before.last_under(current),
                counts=_counts(kept),
                past=before,
                shown=of_endpoint.get((model, endpoint)),
                held=material.grades,
                current=current,
            )
        )
    bare = ModelMaterial(model="", agreements=())
    models = tuple(
        ModelStory(
            model=model,
            endpoints=_alphabetical(stories[model]),
            agreements=shown.get(model, bare).agreements,
            shown=shown.get(model, bare),
        )
        for model in sorted(stories)
    )
    return Library(
        material=material,
        recorded=recorded,
        models=models,
        superseded=frozenset(superseded),
        newest=newest,
        graded_newest={version: frozenset(keys) for version, keys in graded_newest.items()},
        model_ids=frozenset(model_ids),
        recorded_days={
            name: mask_of(days)
            for name, days in groupby((night.record.night for night in recorded), key=month_of)
            if past.months and name <= past.months[-1].name
        },
    )


def _alphabetical(endpoints: Iterable[EndpointStory]) -> tuple[EndpointStory, ...]:
    return tuple(sorted(endpoints, key=lambda story: (story.provider.casefold(), story.provider, story.endpoint)))


def _counts(kept: Keeping) -> tuple[VersionCount, ...]:
    return tuple(
        VersionCount(version=version, windows=windows, first=first, last=last)
        for version, (windows, first, last) in sorted(
            kept.counts.items(), key=lambda of: version_key(of[0]), reverse=True
        )
    )
