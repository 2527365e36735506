"""The feeds, of the site and of each model: an entry for each change of letter or of declared precision.

A letter stands with its method version and its columns, in every title too. A figure that changed is no news: letters
come of figures that were judged already. That another version became current is said once, in the site's feed, and
what its re-grade made of earlier windows is not reported again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date

from markupsafe import Markup

from generator.records.grade import Grade
from generator.records.permalink import feed_path, method_path, model_path, permalink_path
from generator.records.reading import (
    COLUMN_WORDS,
    NO_LETTER,
    change_words,
    provisional_words,
    readings,
    reason_words,
    short_form,
)
from generator.settings import Settings
from generator.site.atom import Entry, Feed, atom
from generator.site.between import Reported
from generator.site.frame import is_replayed_grade, replayed_line
from generator.site.history import VersionChange, version_changes
from generator.site.library import Library
from generator.site.linked_data import LICENCE
from generator.site.news import MOST_REPORTED, News
from generator.site.stories import ModelStory
from generator.site.text import told, visible, visible_plain

CHANGES = "changes/"
"""The page that the site's feed belongs to."""
MOST_OF_MODEL = 50
"""Entries of a model's feed; the page of changes lists all."""
_REPLAYED = "Demo. The answers behind this grade were replayed from a recording: no live endpoint was asked."


def of_model(model: ModelStory, news: News, library: Library) -> tuple[str, bytes]:
    """Return path and bytes of a model's feed: what changed in months that are not settled.

    Args:
        model: the one whose endpoints came last.
        news: of its endpoints.
        library: the material, arranged.
    """
    name = visible_plain(model.model)
    return _feed(
        library,
        feed_path(model.model),
        title=f"{visible_plain(library.material.settings.title)}: {name}",
        of=name,
        page=model_path(model.model),
        entries=[_entry(change, library) for change in news.of_model[:MOST_OF_MODEL]],
        most=MOST_OF_MODEL,
    )


def of_site(news: News, library: Library) -> tuple[str, bytes]:
    """Return path and bytes of the site's feed: the same of every model, and each change of the current version."""
    material = library.material
    found = news.ledger.note_versions(version_changes(material.windows, material.grades, material.past.issued))
    entries = [*(_version_entry(change, library) for change in found), *(_entry(each, library) for each in news.every)]
    entries.sort(key=lambda entry: entry.updated, reverse=True)
    return _feed(
        library,
        feed_path(),
        title=f"{visible_plain(material.settings.title)}: changes",
        of="every model",
        page=CHANGES,
        entries=entries[:MOST_REPORTED],
        most=MOST_REPORTED,
        also=", and each method version that became current",
    )


def _feed(  # noqa: PLR0913 - a feed's title, page and entries are named where it is made
    library: Library, path: str, *, title: str, of: str, page: str, entries: Sequence[Entry], most: int, also: str = ""
) -> tuple[str, bytes]:
    settings, months = library.material.settings, library.material.past.months
    newest = tuple(entries)
    later = f" of those after {months[-1].name}{also}" if months else ""
    subtitle = (
        f"Changes of letter and of declared precision, {of}: the newest {most}{later}, each with the address of its "
        "permanent page. The page of changes lists all."
    )
    replayed = replayed_line(night.record for night in library.material.nights)
    feed = Feed(
        id=library.material.issue_address + path,
        address=settings.address + path,
        title=title,
        subtitle=subtitle if replayed is None else f"{subtitle} {replayed}",
        updated=newest[0].updated if newest else library.material.methods[library.current].definition.released,
        author=visible_plain(settings.publisher),
        author_address=settings.address,
        licence=LICENCE,
        rights=f"{visible_plain(settings.publisher)}, CC BY 4.0: {LICENCE}",
        page=settings.address + page,
        entries=newest,
    )
    return path, atom(feed)


def _entry(change: Reported, library: Library) -> Entry:
    settings, grade, what, before = library.material.settings, change.grade, change.what, change.before
    path, who = _path(grade), f"{visible_plain(grade.model)} at {visible_plain(grade.provider)}"
    if isinstance(what, Grade):
        mark, title = "letter", f"{_titled(what, settings)}, then {_titled(grade, settings)}"
        declared, label = Markup(""), "Then"
    else:
        words, mark = change_words(what), f"declared-{change.night.isoformat()}"
        title = f"declared precision {visible_plain(words)}: first shown by {_titled(grade, settings)}"
        declared = Markup("<p>Declared precision: {}. A declaration is the provider's claim.</p>").format(told(words))
        label = "The first grade that shows it"
    letters = Markup("") if before is None else _letter("Before", before, library)
    return Entry(
        id=_tag(grade.issued, f"{path}#{mark}", library),
        title=f"{who}: {title}",
        updated=grade.issued,
        content=_unit(grade) + declared + letters + _letter(label, grade, library) + _replayed(grade, settings),
        page=settings.address + path,
        related=() if before is None else (settings.address + _path(before),),
    )


def _version_entry(change: VersionChange, library: Library) -> Entry:
    settings, path = library.material.settings, method_path(change.after)
    definition = library.material.methods[change.after].definition
    said = Markup(
        "<p>Letters are made under method version {after} from now on; it was {before} before. The whole archive was "
        "graded again under {after}. Every page issued before stays as it is, and the index page of each grade lists "
        "all versions. Letters of two versions are not compared here.</p><ul>{changes}</ul>"
    ).format(after=change.after, before=change.before, changes=_items(definition.changes))
    return Entry(
        id=_tag(change.issued, f"{path}#current", library),
        title=f"Method version {change.after} is current; it was {change.before} before",
        updated=change.issued,
        content=said,
        page=settings.address + path,
        related=(settings.address + method_path(change.before),),
    )


def _titled(grade: Grade, settings: Settings) -> str:
    return f"{short_form(grade)} ({_standing(grade, settings)})"


def _standing(grade: Grade, settings: Settings) -> str:
    """Return what a letter says of itself; what a candidate reads is in no feed."""
    return provisional_words(grade) + (", replayed" if is_replayed_grade(grade, settings) else "")


def _unit(grade: Grade) -> Markup:
    """Return which endpoint an entry is about."""
    listings = f" {grade.listings} listings, not separable." if grade.listings > 1 else ""
    return Markup("<p>{} at {}, tag {}.{}</p>").format(
        visible(grade.model), visible(grade.provider), visible(grade.tag), listings
    )


def _letter(label: str, grade: Grade, library: Library) -> Markup:
    """Return a letter with its version, its four columns in words, its window and its permanent page."""
    definition = library.definition(grade)
    columns = (
        f"{reading.column}, {COLUMN_WORDS[reading.column]}: {reading.letter or NO_LETTER}, {reading.words}"
        for reading in readings(grade, definition)
    )
    reasons = (f"unrated, {reason_words(reason, grade, definition)}" for reason in grade.unrated_reasons)
    return Markup('<p>{}: <a href="{}">{}</a>, {}. Window of {} to {}.</p><ul>{}</ul>').format(
        label,
        library.material.settings.address + _path(grade),
        short_form(grade),
        _standing(grade, library.material.settings),
        told(grade.window_start.isoformat()),
        told(grade.window_end.isoformat()),
        _items((*columns, *reasons)),
    )


def _items(words: Iterable[str]) -> Markup:
    return Markup("").join(Markup("<li>{}</li>").format(told(each)) for each in words)


def _replayed(grade: Grade, settings: Settings) -> Markup:
    """Return what a replayed grade says of itself: a reader of feeds sees one entry at a time."""
    return Markup("<p>{}</p>").format(_REPLAYED) if is_replayed_grade(grade, settings) else Markup("")


def _path(grade: Grade) -> str:
    return permalink_path(grade.model, grade.endpoint, grade.window_end, grade.method_version)


def _tag(day: date, path: str, library: Library) -> str:
    """Return an id that no other entry has (RFC 4151): the host on a day, and the permanent page that it announces.

    It is the same wherever the views are laid out.
    """
    _, _, host, folder = library.material.issue_address.split("/", 3)
    return f"tag:{host.partition(':')[0]},{day.isoformat()}:/{folder}{path}"
