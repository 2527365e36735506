"""The material of the views in the order pages need it: by model and endpoint, alphabetically, each read once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import date

import msgspec

from generator.records.definition import Definition, version_key
from generator.records.grade import Grade
from generator.records.night import NightState
from generator.site.interface import Agreement, EndpointMaterial, Grades, Material, ModelMaterial, NightMaterial


class Succession(msgspec.Struct, frozen=True, kw_only=True):
    """A night on which an endpoint was listed under another tag than before."""

    night: date
    before: str
    after: str


class VersionCount(msgspec.Struct, frozen=True, kw_only=True):
    """How many windows of an endpoint were graded under one method version."""

    version: str
    windows: int
    first: date
    """The first window's end."""
    last: date


class EndpointStory(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known of one endpoint."""

    model: str
    endpoint: str
    provider: str
    """As last listed, like tag and listings."""
    tag: str
    listings: int
    first_listed: date | None
    last_listed: date | None
    """The last recorded night that listed it."""
    listed_now: bool
    """Whether the last recorded night lists it."""
    model_listed_now: bool
    """Whether the last recorded night lists any endpoint of its model; where not, nobody may have asked."""
    successions: tuple[Succession, ...]
    latest: Grade | None
    """The newest under the current method."""
    counts: tuple[VersionCount, ...]
    """Of each version that graded it, newest version first."""
    shown: EndpointMaterial | None
    """What is shown of it and not graded."""
    held: Grades
    """Where `grades` are read."""
    current: str
    """The current method version."""

    @property
    def grades(self) -> tuple[Grade, ...]:
        """The endpoint's, under every version; newest window first, the current version before others."""
        return _newest_first(self.held.of(self.model, self.endpoint), self.current)

    @property
    def gone_words(self) -> str:
        """What is said of an endpoint that the last recorded night does not list."""
        if self.model_listed_now:
            return "no longer listed"
        return "its model was not among those listed on the last recorded night"


class ModelStory(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known of one model."""

    model: str
    endpoints: tuple[EndpointStory, ...]
    """Alphabetically by provider, then by slug."""
    agreements: tuple[Agreement, ...]
    shown: ModelMaterial
    """What is shown of it and not graded."""


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

    @property
    def current(self) -> str:
        """The current method version."""
        return self.material.settings.method

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
    recorded = tuple(night for night in material.nights if counts_as_recorded(night))
    shelves: dict[tuple[str, str], _Shelf] = defaultdict(_Shelf)
    for night in recorded:
        for listed in night.endpoints:
            shelf = shelves[listed.model, listed.endpoint]
            shelf.named(listed.provider, listed.tag, listed.listings)
            shelf.first_listed = shelf.first_listed or listed.first_listed or night.record.night
            shelf.last_listed = night.record.night
            if listed.succeeded_from is not None:
                change = Succession(night=night.record.night, before=listed.succeeded_from, after=listed.tag)
                shelf.successions.append(change)
    superseded: set[str] = set()
    current = material.settings.method
    newest = max((each.window_end for each in material.windows if each.method_version == current), default=None)
    graded_newest: dict[str, set[tuple[str, str]]] = defaultdict(set)
    # The only run through every grade: whoever needs more of them than an endpoint's has it noted here.
    for grade in material.grades:
        if grade.window_end == newest:
            graded_newest[grade.method_version].add((grade.model, grade.endpoint))
        shelf = shelves[grade.model, grade.endpoint]
        shelf.count(grade.method_version, grade.window_end)
        if shelf.last_listed is None:
            shelf.named(grade.provider, grade.tag, grade.listings)
        if grade.method_version == current:
            shelf.latest = grade
            superseded.update(earlier.method_version for earlier in grade.supersedes)
    last = recorded[-1].record.night if recorded else None
    listed_now = {endpoint.model for endpoint in recorded[-1].endpoints} if recorded else set()
    shown = {model.model: model for model in material.models}
    of_endpoint = {(model.model, each.endpoint): each for model in material.models for each in model.endpoints}
    stories: dict[str, list[EndpointStory]] = defaultdict(list)
    for (model, endpoint), shelf in shelves.items():
        story = shelf.story(model, endpoint, last, material)
        stories[model].append(
            msgspec.structs.replace(
                story, shown=of_endpoint.get((model, endpoint)), model_listed_now=model in listed_now
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
    )


def _newest_first(grades: Iterable[Grade], current: str) -> tuple[Grade, ...]:
    def place(grade: Grade) -> tuple[object, ...]:
        return grade.window_end, grade.method_version == current, version_key(grade.method_version)

    return tuple(sorted(grades, key=place, reverse=True))


def _alphabetical(endpoints: Iterable[EndpointStory]) -> tuple[EndpointStory, ...]:
    return tuple(sorted(endpoints, key=lambda story: (story.provider.casefold(), story.provider, story.endpoint)))


class _Shelf:
    """What is gathered of one endpoint while nights and grades are read in order."""

    def __init__(self) -> None:
        self.provider = ""
        self.tag = ""
        self.listings = 1
        self.first_listed: date | None = None
        self.last_listed: date | None = None
        self.successions: list[Succession] = []
        self.latest: Grade | None = None
        self._counts: dict[str, tuple[int, date, date]] = {}

    def named(self, provider: str, tag: str, listings: int) -> None:
        """Take the names of a later night."""
        self.provider, self.tag, self.listings = provider, tag, listings

    def count(self, version: str, window_end: date) -> None:
        """Count a grade; a version's come in the order of their windows."""
        windows, first, _ = self._counts.get(version, (0, window_end, window_end))
        self._counts[version] = windows + 1, first, window_end

    def story(self, model: str, endpoint: str, last_night: date | None, material: Material) -> EndpointStory:
        """Return the endpoint's story."""
        return EndpointStory(
            model=model,
            endpoint=endpoint,
            provider=self.provider,
            tag=self.tag,
            listings=self.listings,
            first_listed=self.first_listed,
            last_listed=self.last_listed,
            listed_now=last_night is not None and self.last_listed == last_night,
            model_listed_now=True,
            successions=tuple(self.successions),
            latest=self.latest,
            counts=tuple(
                VersionCount(version=version, windows=windows, first=first, last=last)
                for version, (windows, first, last) in sorted(
                    self._counts.items(), key=lambda of: version_key(of[0]), reverse=True
                )
            ),
            shown=None,
            held=material.grades,
            current=material.settings.method,
        )
