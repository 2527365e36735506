"""The pages of models and of endpoints, and after each endpoint's those of its months and its grades' versions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import groupby

from generator.records.grade import Grade, MatchFamily
from generator.records.permalink import endpoint_path, model_path
from generator.records.reading import COLUMN_WORDS, change_words, readings
from generator.site import endpoint_history, endpoint_months, feeds, grade_index_view, match_chart
from generator.site.agreement_view import who_agreed
from generator.site.anchors import COLUMN_ANCHORS
from generator.site.embedding import embedding
from generator.site.endpoint_months import SettledMonth
from generator.site.explained import Explained, explained
from generator.site.fingerprints import Fingerprints, Lying
from generator.site.frame import Step, frame, replayed_line
from generator.site.grade_index_view import Later
from generator.site.grade_rows import FamilyRow, family_row
from generator.site.library import Library
from generator.site.links import INDEX, Links
from generator.site.news import News
from generator.site.replies import Replies, replies
from generator.site.shown_tables import endpoint_tables, model_tables
from generator.site.stories import EndpointStory, ModelStory
from generator.site.templates import Templates
from generator.site.text import visible_plain
from generator.site.unit import attributes, context_short, latency_short, price_short


def render(
    library: Library, templates: Templates, lying: Lying | None = None, news: News | None = None
) -> Iterator[tuple[str, bytes]]:
    """Yield the page of each model, each endpoint, each of its months, each grade's index, and each model's feed.

    Those of settled months are not among them.

    Args:
        library: the material, arranged.
        templates: the site's templates.
        lying: knows which pages need not be made.
        news: takes what changed while each endpoint's grades are at hand.
    """
    replayed = replayed_line(night.record for night in library.material.nights)
    known, replied = grade_index_view.later(library), replies(library)
    lying, news = lying or Lying(library, templates), news or News(library)
    for model in library.models:
        yield _model_page(model, library, templates, replayed)
        news.begin()
        for story in model.endpoints:
            history = endpoint_history.history(story, library)
            news.take(story, history.every_change)
            yield _endpoint_page(story, history, library, replied, templates, replayed)
            for month in history.by_month:
                make = partial(endpoint_months.render, story, month, library, templates, replayed)
                yield lying.or_made(Fingerprints.of_month, (story, month), make)
            yield from _indexes(story, story.grades, library, known, replied, templates, lying, replayed)
        yield feeds.of_model(model, news, library)


def settled_pages(  # noqa: PLR0913, PLR0917 - what all such pages share is made once, before the first
    story: EndpointStory,
    month: SettledMonth,
    library: Library,
    known: Later,
    replied: Replies,
    templates: Templates,
    lying: Lying,
    replayed: str | None,
) -> Iterator[tuple[str, bytes]]:
    """Yield the page of a settled month of an endpoint, then the index of each of its windows' grades."""
    held = endpoint_months.with_grades(story, month, library.current)
    make = partial(endpoint_months.render, story, held, library, templates, replayed)
    yield lying.or_made(Fingerprints.of_month, (story, held), make)
    every = (grade for _, grade in held.rows if grade is not None)
    yield from _indexes(story, every, library, known, replied, templates, lying, replayed)


def _indexes(  # noqa: PLR0913, PLR0917 - likewise
    story: EndpointStory,
    grades: Iterable[Grade],
    library: Library,
    known: Later,
    replied: Replies,
    templates: Templates,
    lying: Lying,
    replayed: str | None,
) -> Iterator[tuple[str, bytes]]:
    """Yield the index of the grades of each window, of some that come window by window."""
    for _, versions in groupby(grades, key=lambda grade: grade.window_end):
        of_window = tuple(versions)
        make = partial(grade_index_view.render, story, of_window, library, known, replied, templates, replayed)
        yield lying.or_made(Fingerprints.of_grades, (story, of_window, replied), make)


def _model_page(model: ModelStory, library: Library, templates: Templates, replayed: str | None) -> tuple[str, bytes]:
    path = model_path(model.model) + INDEX
    latest = [story.latest for story in model.endpoints if story.latest is not None]
    newest = max((grade.window_end for grade in latest), default=None)
    page = templates.render(
        "model.html",
        page=frame(
            path,
            library.material.settings,
            title=f"{visible_plain(model.model)}: endpoints and their grades",
            description=f"Every known endpoint of {visible_plain(model.model)}, alphabetically, with its latest grade.",
            steps=(Step(text=model.model, href=INDEX),),
            replayed=replayed,
        ),
        links=Links(path),
        library=library,
        model=model,
        newest=next((grade for grade in latest if grade.window_end == newest), None),
        families=_families(grade for grade in latest if grade.window_end == newest),
        agreement=who_agreed(model, library),
        shown=model_tables(model.shown),
        readings=readings,
        column_words=COLUMN_WORDS,
        column_anchors=COLUMN_ANCHORS,
        latency_short=latency_short,
        price_short=price_short,
        context_short=context_short,
        change_words=change_words,
    )
    return path, page


def _endpoint_page(  # noqa: PLR0913, PLR0917 - what all such pages share is made once, before the first
    story: EndpointStory,
    history: endpoint_history.History,
    library: Library,
    replied: Replies,
    templates: Templates,
    replayed: str | None,
) -> tuple[str, bytes]:
    path = endpoint_path(story.model, story.endpoint) + INDEX
    links = Links(path)
    definition = library.definition(story.latest) if story.latest else None
    columns = readings(story.latest, definition) if story.latest and definition else ()
    name = f"{visible_plain(story.model)} at {visible_plain(story.provider)}"
    page = templates.render(
        "endpoint.html",
        page=frame(
            path,
            library.material.settings,
            title=name,
            description=f"{name} ({visible_plain(story.tag)}): the unit, dated changes and every permanent grade.",
            steps=(Step(text=story.model, href=links.model(story.model)), Step(text=story.provider, href=INDEX)),
            replayed=replayed,
        ),
        links=links,
        library=library,
        story=story,
        readings=columns,
        column_words=COLUMN_WORDS,
        why={column: links.method(library.current, anchor) for column, anchor in COLUMN_ANCHORS.items()},
        unit=attributes(story.latest, columns) if story.latest else (),
        match=match_chart.chart("match-chart", story.latest, definition) if story.latest and definition else None,
        history_of=history,
        changes=history.changes,
        change_words=change_words,
        shown=() if story.shown is None else endpoint_tables(story.shown),
        explained=_explained(story, library),
        badge=embedding(story, library),
        replies=replied.of(story.model, story.endpoint),
    )
    return path, page


def _explained(story: EndpointStory, library: Library) -> Explained | None:
    """Return the latest grade explained, where the explanation is of that grade and no other."""
    found = library.material.explanations.get((story.model, story.endpoint))
    return explained(found) if found is not None and found.grade == story.latest else None


def _families(grades: Iterable[Grade]) -> tuple[FamilyRow, ...]:
    """Return each family of a model's window once; floors and stability are the model's, so any grade says them."""
    families: dict[str, MatchFamily] = {}
    for grade in grades:
        for family in grade.m_family:
            families.setdefault(family.family, family)
    return tuple(family_row(families[name]) for name in sorted(families))
