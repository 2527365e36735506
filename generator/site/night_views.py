"""The page of each night, recorded or void: seed, prompts, counts, cost, settings, files and digests.

Nothing on it depends on a method version.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from functools import partial

import msgspec

from generator.records.canonical import canonical_json, sha256
from generator.records.night import ModelSettings, NightRecord, date_words
from generator.records.permalink import night_path
from generator.records.withheld import OBSERVATIONS, declaration_name, kept_observations
from generator.site.fingerprints import Fingerprints, Lying
from generator.site.frame import Step, frame, is_replayed, replayed_line
from generator.site.interface import NightMaterial
from generator.site.library import Library, counts_as_recorded
from generator.site.links import INDEX, Links
from generator.site.outcome_chart import counts_of, outcomes
from generator.site.templates import Templates


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """A night between others, with what can be had of it."""

    night: NightMaterial
    beside: tuple[date | None, date | None]
    """The nights before and after it."""
    downloads: frozenset[str]
    """The paths of its files that can be had."""


def render(library: Library, templates: Templates, lying: Lying | None = None) -> Iterator[tuple[str, bytes]]:
    """Yield the page of each night whose month is not settled, in order."""
    is_settled = library.material.past.is_settled
    newest = (each for each in placed(library) if not is_settled(each.night.record.night))
    yield from pages(newest, library, templates, lying or Lying(library, templates))


def pages(
    nights: Iterable[Placed], library: Library, templates: Templates, lying: Lying
) -> Iterator[tuple[str, bytes]]:
    """Yield the page of each of some nights."""
    for each in nights:
        made_from = (each.night, each.beside, each.downloads)
        yield lying.or_made(Fingerprints.of_night, made_from, partial(_page, *made_from, library, templates))


def placed(library: Library) -> Iterator[Placed]:
    """Yield every night, in order."""
    nights, downloads = library.material.nights, _downloads(library)
    for position, night in enumerate(nights):
        before = nights[position - 1].record.night if position else None
        after = nights[position + 1].record.night if position + 1 < len(nights) else None
        found = frozenset(downloads[night_path(night.record.night)])
        yield Placed(night=night, beside=(before, after), downloads=found)


def _downloads(library: Library) -> Mapping[str, set[str]]:
    """Return the paths of the files that can be had, by the folder they lie in."""
    found: dict[str, set[str]] = defaultdict(set)
    for file in library.material.data:
        found[file.path[: file.path.rfind("/") + 1]].add(file.path)
    return found


def _page(
    night: NightMaterial,
    beside: tuple[date | None, date | None],
    downloads: frozenset[str],
    library: Library,
    templates: Templates,
) -> tuple[str, bytes]:
    record, (before, after) = night.record, beside
    path = night_path(record.night) + INDEX
    page = templates.render(
        "night.html",
        page=frame(
            path,
            library.material.settings,
            title=f"Night of {record.night.isoformat()}",
            description=f"What was asked on the night of {record.night.isoformat()}, and how much came back.",
            steps=(Step(text=f"night of {record.night.isoformat()}", href=INDEX),),
            replayed=replayed_line([record]),
        ),
        links=Links(path),
        night=night,
        record=record,
        counts_as_recorded=counts_as_recorded(night),
        is_replayed=is_replayed(record),
        missed=date_words(record.missed),
        before=before,
        after=after,
        downloads=downloads,
        chart=outcomes("outcomes-chart", record.counts),
        outcomes=counts_of(record.counts),
        settings=_settings(record),
        generated=tuple(prompt for prompt in night.prompts if not prompt.fixed),
        fixed=tuple(prompt for prompt in night.prompts if prompt.fixed),
        withheld=night.withheld,
        files=_files(night),
        endpoint_count=len(night.endpoints),
        model_count=len({listed.model for listed in night.endpoints}),
    )
    return path, page


def _files(night: NightMaterial) -> tuple[tuple[str, str], ...]:
    """Return the name and SHA-256 of each file of a night beside night.json, as they are kept now, by name."""
    files = dict(night.record.files)
    if night.withheld:
        files.pop(OBSERVATIONS)
        files.update([kept_observations(night.record, night.withheld)])
    for number, declared in enumerate(night.withheld, 1):
        files[declaration_name(number)] = sha256(canonical_json(declared))
    if night.void is not None:
        files["void.json"] = sha256(canonical_json(night.void))
    return tuple(sorted(files.items()))


def _settings(record: NightRecord) -> tuple[tuple[str, str], ...]:
    """Return whatever can move a result, by the name that night.json gives it."""
    values = msgspec.structs.asdict(record.settings)
    values["models"] = "; ".join(_of_model(model, own) for model, own in sorted(record.settings.models.items())) or None
    values["context_rungs"] = ", ".join(str(rung) for rung in record.settings.context_rungs) or None
    return tuple((name, "none" if value is None else str(value)) for name, value in values.items())


def _of_model(model: str, own: ModelSettings) -> str:
    """Return what is asked of one model otherwise than of the others."""
    values = msgspec.structs.asdict(own)
    return f"{model}: " + ", ".join(f"{name} {value}" for name, value in values.items() if value is not None)
