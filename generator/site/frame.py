"""What every page has around its content: title, address, way back, footer, and the line on replayed answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec

from generator.records.grade import Grade
from generator.records.night import REPLAYED, NightRecord
from generator.records.permalink import feed_path
from generator.settings import Settings
from generator.site.links import INDEX, Links

CSP = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:"
"""No script, no font, no request to anybody else."""
_MODEL_PARTS = 2
"""Parts of an address that name a model: author and name."""


class Step(NamedTuple):
    """One step of the way from the first page to this one."""

    text: str
    """May be a stranger's text."""
    href: str


class Frame(msgspec.Struct, frozen=True, kw_only=True):
    """What the base template asks for."""

    title: str
    """Without markup."""
    description: str
    canonical: str | None
    """The page's full address; None where it has none of its own."""
    up: str
    """The way to the site's folder."""
    steps: tuple[Step, ...]
    site_title: str
    publisher: str
    contact_text: str
    contact_href: str | None
    method_version: str | None
    """The version whose page the footer links; None: the list of versions."""
    replayed: str | None
    """The line that says that answers were replayed; None where none were."""
    feeds: tuple[Step, ...]
    """What a reader of feeds finds: the model's where the page belongs to one, and the site's."""
    csp: str = CSP


_VALUES = tuple(f"page.{field}" for field in Frame.__struct_fields__)
"""What the values of a frame are called where a page is filled from its form."""


def frame(  # noqa: PLR0913 - a page's title, description and way back are named where it is rendered
    path: str,
    settings: Settings,
    *,
    title: str,
    description: str,
    links: Links | None = None,
    steps: tuple[Step, ...] = (),
    method_version: str | None = None,
    replayed: str | None = None,
    csp: str = CSP,
) -> Frame:
    """Return the frame of the page at a path; a path that is no folder's page has no canonical address."""
    links = links or Links(path)
    home = Step(text=settings.title, href=links.home())
    return Frame(
        title=title,
        description=description,
        canonical=settings.address + path.removesuffix(INDEX) if path.endswith(INDEX) else None,
        up=links.up,
        steps=(home, *steps) if steps else (),
        site_title=settings.title,
        publisher=settings.publisher,
        contact_text=settings.contact.removeprefix("mailto:"),
        contact_href=_contact_address(settings.contact),
        method_version=method_version,
        replayed=replayed,
        feeds=_feeds(path, links),
        csp=csp,
    )


def frame_values(page: Frame) -> dict[str, object]:
    """Return a frame as values of a form."""
    return dict(zip(_VALUES, msgspec.structs.astuple(page), strict=True))


def is_replayed(record: NightRecord) -> bool:
    """True where a night's answers were played back from a recording."""
    return record.settings.latency == REPLAYED or record.router == "demo"


def is_replayed_grade(grade: Grade, settings: Settings) -> bool:
    """True where a grade is of answers that were played back from a recording."""
    return grade.latency_class == REPLAYED or settings.router.kind == "demo"


def replayed_line(records: Iterable[NightRecord]) -> str | None:
    """Return the line that says that answers were replayed, or None where every night asked a live router."""
    nights = tuple(records)
    replayed = sum(is_replayed(record) for record in nights)
    if replayed == 0:
        return None
    which = "On every night" if replayed == len(nights) else f"On {replayed} of {len(nights)} nights"
    return f"Demo. {which} of this archive the answers were replayed from a recording: no live endpoint was asked."


def site_path(address: str) -> str:
    """Return the path of a site on its host, with its closing slash, from its address."""
    return urlsplit(address).path or "/"


def _feeds(path: str, links: Links) -> tuple[Step, ...]:
    site = Step(text="Changes of letter and declared precision", href=links.file(feed_path()))
    kind, *parts = path.split("/")
    if kind not in {"models", "grades"} or len(parts) <= _MODEL_PARTS:
        return (site,)
    folder = "/".join(parts[:_MODEL_PARTS])
    return Step(text="Changes, this model", href=links.file(f"models/{folder}/{feed_path()}")), site


def _contact_address(contact: str) -> str | None:
    """Return what to link a contact to: a web or mail address, and nothing else."""
    if contact.startswith(("https://", "http://", "mailto:")):
        return contact
    return f"mailto:{contact}" if "@" in contact and " " not in contact else None
