"""Lay out the site: permanent pages from their kept bytes, views from the archive."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

import msgspec
import pyarrow as pa

from generator.archive import codec
from generator.archive.nights import KeptNight, hidden_answers
from generator.method.agreement import Counts, agreements
from generator.method.shown import ModelShown, shown
from generator.method.window import window_nights
from generator.probing.demo.sheet import RECORDING_NOTES
from generator.records.definition import Method
from generator.records.endpoint import Endpoint
from generator.records.explanation import Explanation
from generator.records.permalink import method_path
from generator.records.prompt import Prompt
from generator.settings import Settings
from generator.site import build, views
from generator.site.interface import (
    Agreement,
    EndpointMaterial,
    Material,
    ModelMaterial,
    NightChange,
    NightMaterial,
    Shelf,
    Unchanged,
)
from generator.site.kept_views import KeptViews
from generator.site.templates import load
from generator.workflows.calibrating import prompts_so_far
from generator.workflows.data_files import data_files, data_shelves, format_text
from generator.workflows.demo_truths import DEMO, demo_truths
from generator.workflows.differences import letter_differences
from generator.workflows.explaining import explanations
from generator.workflows.gate import refuse_lost
from generator.workflows.graded_windows import graded_windows
from generator.workflows.held_grades import HeldGrades, held_grades
from generator.workflows.log_files import log_material, log_shelves
from generator.workflows.program import program_sha256
from generator.workflows.sealed_cache import SealedCache
from generator.workflows.searching import indexer
from generator.workflows.windows import bound_method, night_tables, worked_example_floor
from generator.workflows.world import Progress, Root


def render(root: Root, *, progress: Progress, base_url: str | None = None) -> build.LaidOut:
    """Lay out the site of a root's archive.

    Args:
        root: the site root; the caller holds its lock.
        progress: who is told.
        base_url: the address that views are made for; None for the one in site.toml. Permanent pages keep theirs.

    Raises:
        IntegrityError: where a kept page is not what it was, or a laid-out permanent page has other bytes; where
            something that the log holds is missing or different, before anything is written.
    """
    refuse_lost(root)
    kept = KeptViews(root.site)
    with progress.bar("rendering", 1) as advance:
        files = view_files(root, progress=progress, base_url=base_url, unchanged=kept.same)
        laid_out = build.lay_out(root.site, shelves(root), files)
        kept.settle()
        advance(1)
    return laid_out


def permanent_files(root: Root) -> Iterator[tuple[str, bytes]]:
    """Yield path and bytes of every permanent page and of the archive's files for downloading, as kept."""
    for shelf in shelves(root):
        yield from shelf.files()


def shelves(root: Root) -> Iterator[Shelf]:
    """Yield what was kept together: pages of method versions and of windows, the files for downloading, and the log.

    Raises:
        MissingFileError: where a kept file is gone, whether or not its pages are laid out already.
    """
    pages, folder = root.store.pages, root.store.folder
    for version in pages.methods():
        manifest = pages.method_manifest(version)
        folder.size(manifest.file)
        yield Shelf(name=manifest.file, digest=manifest.sha256, files=partial(_method_page, root, version))
    for version in root.store.grades.versions():
        for end in pages.windows(version):
            manifest = pages.manifest(version, end)
            folder.size(manifest.file)
            yield Shelf(name=manifest.file, digest=manifest.sha256, files=partial(pages.each, version, end))
    yield from data_shelves(root)
    yield from log_shelves(root)


def _method_page(root: Root, version: str) -> tuple[tuple[str, bytes]]:
    return ((f"{method_path(version)}index.html", root.store.pages.method(version)),)


def view_files(
    root: Root, *, progress: Progress, base_url: str | None = None, unchanged: Unchanged | None = None
) -> Iterator[tuple[str, bytes]]:
    """Yield path and bytes of every page that may change, rendered now for an address.

    Args:
        root: the site root.
        progress: who is told.
        base_url: the address; None for the one in site.toml.
        unchanged: says what lies in place as this program would render it; None to render everything.
    """
    settings = root.content.settings()
    if base_url is not None:
        settings = msgspec.structs.replace(settings, address=base_url)
    # Who renders everything, to hold it against what lies there, reads every grade from its own file.
    with held_grades(root, None if unchanged is None else SealedCache(root.path, "grades")) as grades:
        of = material(root, grades, settings)
        yield from views.render(of, load(root.templates), indexer(progress.say), _by_this_program(unchanged))


def _by_this_program(unchanged: Unchanged | None) -> Unchanged | None:
    """Return the same for pages that this very program rendered."""
    return None if unchanged is None else lambda path, made_from: unchanged(path, f"{program_sha256()} {made_from}")


def material(root: Root, grades: HeldGrades, settings: Settings) -> Material:
    """Return everything that the views are rendered from, with the archive's grades as they are held."""
    content = root.content
    kept = root.store.pages.methods()
    versions = dict.fromkeys((settings.method, *settings.candidates, *kept))
    methods = {version: bound_method(root, version) for version in versions}
    current = methods[settings.method]
    demo = settings.router.kind == DEMO
    reports = content.prompt_reports()
    kept_nights = [root.store.nights.get(night) for night in root.store.nights.kept()]
    return Material(
        settings=settings,
        issue_address=content.settings().address,
        methods=methods,
        kept_methods=frozenset(kept),
        worked_example={version: worked_example_floor(method.definition) for version, method in methods.items()},
        nights=tuple(_nights(root, kept_nights)),
        grades=grades,
        windows=tuple(graded_windows(root)),
        models=_models(root, current),
        pages=content.pages(),
        replies=content.replies(),
        demo=demo_truths(root) if demo else (),
        demo_notes=RECORDING_NOTES if demo else (),
        calibrations=content.calibrations(),
        candidate_evidence=content.candidate_evidence(),
        prompt_reports=reports or ((prompts_so_far(root),) if any(night.counts for night in kept_nights) else ()),
        differences=letter_differences(root, current, settings.candidates),
        explanations=_explanations(root, current),
        data=data_files(root, kept_nights),
        log=log_material(root),
        format_text=format_text(root),
    )


def _nights(root: Root, nights: Iterable[KeptNight]) -> Iterator[NightMaterial]:
    """Yield each night; what two nights say alike, prompts and listings nearly all of it, is held once."""
    store = root.store.nights
    prompts: dict[Prompt, Prompt] = {}
    endpoints: dict[Endpoint, Endpoint] = {}
    for kept in nights:
        listings = store.table(kept.record, "listings")
        unraw = listings.set_column(listings.column_names.index("raw"), "raw", pa.repeat("", len(listings)))
        yield NightMaterial(
            record=kept.record,
            night_json_sha256=kept.sha256,
            void=kept.void,
            withheld=tuple(each.record for each in kept.withheld),
            prompts=tuple(
                prompts.setdefault(each, each) for each in codec.records_of(store.table(kept.record, "prompts"), Prompt)
            ),
            endpoints=tuple(endpoints.setdefault(each, each) for each in codec.records_of(unraw, Endpoint)),
        )


def _explanations(root: Root, current: Method) -> dict[tuple[str, str], Explanation]:
    """Return the latest window's grades under the current version, each followed to the single prompt."""
    windows = root.store.pages.windows(current.version)
    if not windows:
        return {}
    found = explanations(root, current.version, windows[-1])
    return {(each.grade.model, each.grade.endpoint): each for each in found}


def _models(root: Root, method: Method) -> tuple[ModelMaterial, ...]:
    """Return, for each model of the latest window, who agreed with whom and what is shown and not graded."""
    kept = {night: root.store.nights.get(night) for night in root.store.nights.kept()}
    recorded = [night for night, found in kept.items() if found.counts]
    if not recorded:
        return ()
    hidden = hidden_answers(kept.values())
    window = window_nights(recorded, recorded[-1], method.definition)
    tables = [night_tables(root, kept[night], hidden) for night in window]
    return tuple(
        ModelMaterial(
            model=each.model,
            agreements=tuple(_agreements(agreements(tables, each.model))),
            nights=tuple(night.night for night in tables),
            references=each.references,
            without_reference=each.without_reference,
            endpoints=_endpoints(each),
        )
        for each in shown(tables, method.definition)
    )


def _agreements(counted: Mapping[tuple[str, str], tuple[Counts, ...]]) -> Iterator[Agreement]:
    for (first, second), families in counted.items():
        same, both = sum(each[1] for each in families), sum(each[2] for each in families)
        yield Agreement(first=first, second=second, same=same, both=both, families=families)


def _endpoints(model: ModelShown) -> tuple[EndpointMaterial, ...]:
    return tuple(
        EndpointMaterial(
            endpoint=endpoint,
            tokens=each.tokens,
            changes=tuple(
                NightChange(earlier=change.earlier, later=change.later, pairs=change.pairs, differing=change.differing)
                for change in each.changes
            ),
        )
        for endpoint, each in sorted(model.endpoints.items())
    )
