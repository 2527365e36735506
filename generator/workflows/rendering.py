"""Lay out the site: permanent pages from their kept bytes, views from the archive."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import chain

import msgspec

from generator.method.agreement import agreements
from generator.method.window import window_nights
from generator.probing.demo.sheet import RECORDING_NOTES
from generator.records.definition import Method
from generator.records.endpoint import Endpoint
from generator.records.grade import Grade
from generator.records.permalink import method_path
from generator.records.prompt import Prompt
from generator.site import build, views
from generator.site.interface import Agreement, Material, ModelMaterial, NightMaterial
from generator.site.templates import load
from generator.workflows.demo_truths import DEMO, demo_truths
from generator.workflows.grading import bound_method, night_tables, worked_example_floor
from generator.workflows.world import Progress, Root


def render(root: Root, *, progress: Progress) -> build.LaidOut:
    """Lay out the site of a root's archive.

    Raises:
        IntegrityError: where a kept page is not what it was, or a laid-out permanent page has other bytes.
    """
    with progress.bar("rendering", 1) as advance:
        laid_out = build.lay_out(root.site, permanent_files(root), view_files(root))
        advance(1)
    return laid_out


def permanent_files(root: Root) -> Iterator[tuple[str, bytes]]:
    """Yield path and bytes of every permanent page, as kept."""
    pages = root.store.pages
    for version in pages.methods():
        yield f"{method_path(version)}index.html", pages.method(version)
    for version in root.store.grades.versions():
        for end in pages.windows(version):
            yield from pages.get(version, end)


def view_files(root: Root) -> Iterator[tuple[str, bytes]]:
    """Yield path and bytes of every page that may change, rendered now."""
    return views.render(material(root), load(root.templates))


def material(root: Root) -> Material:
    """Return everything that the views are rendered from."""
    settings = root.content.settings()
    kept = root.store.pages.methods()
    versions = dict.fromkeys((settings.method, *settings.candidates, *kept))
    methods = {version: bound_method(root, version) for version in versions}
    return Material(
        settings=settings,
        methods=methods,
        kept_methods=frozenset(kept),
        worked_example={version: worked_example_floor(method.definition) for version, method in methods.items()},
        nights=tuple(_night(root, night) for night in root.store.nights.kept()),
        grades=_grades(root),
        models=_models(root, methods[settings.method]),
        pages=root.content.pages(),
        demo=demo_truths(root) if settings.router.kind == DEMO else (),
        demo_notes=RECORDING_NOTES if settings.router.kind == DEMO else (),
    )


def _night(root: Root, night: date) -> NightMaterial:
    store = root.store.nights
    kept = store.get(night)
    return NightMaterial(
        record=kept.record,
        night_json_sha256=kept.sha256,
        void=kept.void,
        prompts=msgspec.convert(store.table(kept.record, "prompts").to_pylist(), tuple[Prompt, ...]),
        endpoints=msgspec.convert(store.table(kept.record, "listings").to_pylist(), tuple[Endpoint, ...]),
    )


def _grades(root: Root) -> tuple[Grade, ...]:
    """Return every grade that has its page: a run that was killed in between has left the others unfinished."""
    store = root.store.grades
    found = chain.from_iterable(
        store.get(version, end) for version in store.versions() for end in root.store.pages.windows(version)
    )
    return tuple(sorted(found, key=lambda grade: (grade.model, grade.endpoint, grade.window_end, grade.method_version)))


def _models(root: Root, method: Method) -> tuple[ModelMaterial, ...]:
    """Return, for each model of the latest window, who agreed with whom."""
    kept = {night: root.store.nights.get(night) for night in root.store.nights.kept()}
    recorded = [night for night, found in kept.items() if found.counts]
    if not recorded:
        return ()
    tables = [night_tables(root, kept[night]) for night in window_nights(recorded, recorded[-1], method.definition)]
    models = sorted({model for night in tables for model in night.listings.column("model").to_pylist()})
    return tuple(
        ModelMaterial(
            model=model,
            agreements=tuple(
                Agreement(first=first, second=second, same=same, both=both)
                for (first, second), (same, both) in agreements(tables, model).items()
            ),
        )
        for model in models
    )
