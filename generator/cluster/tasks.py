"""What workers do. Each function reads the archive at its place, or nothing, and depends on its arguments alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import msgspec
import pyarrow as pa

from generator.archive import codec
from generator.archive.nights import KeptNight
from generator.cluster.likeness import Place, opened
from generator.errors import ClusterError
from generator.method.model_tally import of_model
from generator.method.tally import NightTally, tally_night
from generator.records.definition import Definition, Method
from generator.records.grade import Grade
from generator.verification.findings import Findings
from generator.workflows import checking
from generator.workflows.checking import WindowCheck
from generator.workflows.issuing import Issuing, WindowPlan, earlier_grades, window_grades, window_pages
from generator.workflows.spread import WindowFiles
from generator.workflows.windows import night_tables

_GRADES = msgspec.msgpack.Decoder(tuple[Grade, ...])
_ZSTD = pa.Codec("zstd")
_EARLIER = msgspec.msgpack.Decoder(dict[str, tuple[Grade, ...]])

Earlier = Mapping[str, bytes]
"""By model, its grades of one window under earlier versions, encoded."""


_Pages = list[tuple[str, bytes]]
_SHARE = msgspec.msgpack.Decoder(dict[date, tuple[tuple[Grade, ...], _Pages]])


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """One model's grades and pages of a span's windows, packed: they wait until the span's other shares are made."""

    packed: bytes
    size: int
    """In bytes, unpacked."""


def tally(place: Place, kept: KeptNight, hidden: frozenset[str], definition: Definition) -> NightTally:
    """Return a night's tally; each of its tables is held against the digest that the asker's night.json has."""
    root, _ = opened(place)
    return tally_night(night_tables(root, kept, hidden), definition)


def earlier(place: Place, plan: WindowPlan) -> Earlier:
    """Return the grades that a window's are to replace.

    Raises:
        ClusterError: where they are not those that the asker has.
    """
    root, _ = opened(place)
    for version, expected in plan.replaced:
        found = root.store.grades.manifest(version, plan.end).sha256
        if found != expected:
            raise ClusterError(
                f"expected grades of SHA-256 {expected} under {version}, found {found}", where="a worker's archive"
            )
    of_model: dict[str, dict[str, list[Grade]]] = {}
    for version, grades in earlier_grades(root, plan.end, [each for each, _ in plan.replaced]).items():
        for (model, _), grade in grades.items():
            of_model.setdefault(model, {}).setdefault(version, []).append(grade)
    return {model: msgspec.msgpack.encode(found) for model, found in of_model.items()}


def share(  # noqa: PLR0913, PLR0917 - a model, a span, and all that both are made from
    place: Place,
    shared: Issuing,
    plans: Sequence[WindowPlan],
    model: str,
    tallies: Sequence[NightTally],
    replaced: Sequence[Earlier],
) -> Share:
    """Return one model's grades and pages of each window of a span.

    Args:
        place: where the templates lie.
        shared: what all windows share.
        plans: of the span's windows.
        model: whose share.
        tallies: of every night of the span's windows.
        replaced: for each window, the grades that its grades replace.
    """
    _, templates = opened(place)
    own = {each.night: of_model(each, model) for each in tallies}
    found: dict[date, tuple[tuple[Grade, ...], _Pages]] = {}
    for plan, packed in zip(plans, replaced, strict=True):
        before = {
            version: {(grade.model, grade.endpoint): grade for grade in grades}
            for version, grades in (_EARLIER.decode(packed[model]) if model in packed else {}).items()
        }
        nights = [own[night] for night in plan.nights]
        grades = window_grades(shared, plan, nights, before)
        found[plan.end] = grades, list(window_pages(shared, grades, nights, before, templates))
    data = msgspec.msgpack.encode(found)
    return Share(packed=_ZSTD.compress(data, asbytes=True), size=len(data))


def files(plans: Sequence[WindowPlan], shares: Sequence[Share]) -> tuple[WindowFiles, ...]:
    """Return the files of each window of a span, from all models' shares: the bytes that one process would make."""
    found = [_SHARE.decode(_ZSTD.decompress(each.packed, each.size, asbytes=True)) for each in shares]
    return tuple(_window_files(plan.end, [each.pop(plan.end) for each in found]) for plan in plans)


def _window_files(end: date, shares: Sequence[tuple[tuple[Grade, ...], _Pages]]) -> WindowFiles:
    grades = codec.grades_table(grade for of_model, _ in shares for grade in of_model)
    pages = codec.pages_table(page for _, of_model in shares for page in of_model)
    return WindowFiles(
        end=end,
        grades=codec.parquet_bytes(grades),
        grades_rows=grades.num_rows,
        pages=codec.parquet_bytes(pages),
        pages_rows=pages.num_rows,
    )


def night_findings(place: Place, night: date) -> Findings:
    """Return what counting a night anew finds."""
    root, _ = opened(place)
    return checking.check_night(root, night)


def recount(
    method: Method, recorded: Sequence[date], asked: Sequence[WindowCheck], model: str, tallies: Sequence[NightTally]
) -> dict[date, bytes]:
    """Return one model's grades of each window of a span, made anew."""
    own = {each.night: of_model(each, model) for each in tallies}
    return {
        each.end: msgspec.msgpack.encode(
            checking.recounted(method, recorded, each, [own[night] for night in each.nights])
        )
        for each in asked
    }


def window_findings(
    place: Place, method: Method, asked: Sequence[WindowCheck], shares: Sequence[Mapping[date, bytes]]
) -> tuple[Findings, ...]:
    """Return what is found of each window of a span, from all models' grades made anew."""
    root, _ = opened(place)

    def made(window: WindowCheck) -> tuple[Grade, ...]:
        return tuple(grade for share in shares for grade in _GRADES.decode(share[window.end]))

    return tuple(checking.hold_window(root, method, each, made) for each in asked)
