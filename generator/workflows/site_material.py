"""What the views are rendered from: everything of a root that pages say, read from its archive and its content."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

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
from generator.records.night import NightRecord
from generator.records.prompt import Prompt
from generator.settings import Settings
from generator.site.interface import (
    Agreement,
    EndpointMaterial,
    GradedWindow,
    Material,
    ModelMaterial,
    NightChange,
    NightMaterial,
)
from generator.site.past import Past
from generator.workflows.calibrating import prompts_so_far
from generator.workflows.data_files import data_files, format_text
from generator.workflows.demo_truths import DEMO, demo_truths
from generator.workflows.differences import letter_differences
from generator.workflows.explaining import explanations
from generator.workflows.graded_windows import graded_windows
from generator.workflows.held_grades import HeldGrades, held_grades
from generator.workflows.log_files import log_material
from generator.workflows.rows import Rows
from generator.workflows.sealed_cache import SealedCache
from generator.workflows.settled_past import months_settled, settled_past
from generator.workflows.windows import bound_method, night_tables, worked_example_floor
from generator.workflows.world import Root


@contextmanager
def holding(root: Root, settings: Settings, *, kept: bool = False) -> Iterator[Material]:
    """Hold everything that the views are rendered from.

    Args:
        root: the site root.
        settings: what site.toml says, with the address that the views are made for.
        kept: believe what was kept of the same archive beside it.
    """
    windows = tuple(graded_windows(root))
    nights = [root.store.nights.get(night) for night in root.store.nights.kept()]
    told = tuple(_nights(root, nights))
    settled = months_settled(windows, told)
    with held_grades(root, SealedCache(root.path, "grades") if kept else None, settled) as grades:
        cache = SealedCache(root.path, "past") if kept else None
        past = settled_past(settled, windows, told, grades.month, current=settings.method, cache=cache)
        yield _material(root, settings, grades, past, windows, nights, told)


def _material(  # noqa: PLR0913, PLR0917 - what is held, beside what is read
    root: Root,
    settings: Settings,
    grades: HeldGrades,
    past: Past,
    windows: tuple[GradedWindow, ...],
    kept_nights: Sequence[KeptNight],
    nights: tuple[NightMaterial, ...],
) -> Material:
    content = root.content
    kept = root.store.pages.methods()
    versions = dict.fromkeys((settings.method, *settings.candidates, *kept))
    methods = {version: bound_method(root, version) for version in versions}
    current = methods[settings.method]
    demo = settings.router.kind == DEMO
    reports = content.prompt_reports()
    return Material(
        settings=settings,
        issue_address=content.settings().address,
        methods=methods,
        kept_methods=frozenset(kept),
        worked_example={version: worked_example_floor(method.definition) for version, method in methods.items()},
        nights=nights,
        grades=grades,
        past=past,
        windows=windows,
        models=_models(root, current, kept_nights),
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
    """Yield each night, whose prompts and listings are read where they are asked for."""
    for kept in nights:
        yield NightMaterial(
            record=kept.record,
            night_json_sha256=kept.sha256,
            void=kept.void,
            withheld=tuple(each.record for each in kept.withheld),
            prompts=Rows(partial(_prompts, root, kept.record)),
            endpoints=Rows(partial(_listed, root, kept.record)),
        )


def _prompts(root: Root, night: NightRecord) -> tuple[Prompt, ...]:
    return tuple(codec.records_of(root.store.nights.table(night, "prompts"), Prompt))


def _listed(root: Root, night: NightRecord) -> tuple[Endpoint, ...]:
    """Return a night's listings, without the router's own JSON."""
    listings = root.store.nights.table(night, "listings")
    unraw = listings.set_column(listings.column_names.index("raw"), "raw", pa.repeat("", len(listings)))
    return tuple(codec.records_of(unraw, Endpoint))


def _explanations(root: Root, current: Method) -> dict[tuple[str, str], Explanation]:
    """Return the latest window's grades under the current version, each followed to the single prompt."""
    windows = root.store.pages.windows(current.version)
    if not windows:
        return {}
    found = explanations(root, current.version, windows[-1])
    return {(each.grade.model, each.grade.endpoint): each for each in found}


def _models(root: Root, method: Method, nights: Iterable[KeptNight]) -> tuple[ModelMaterial, ...]:
    """Return, for each model of the latest window, who agreed with whom and what is shown and not graded."""
    kept = {night.record.night: night for night in nights}
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
