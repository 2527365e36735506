"""The pages of folders that a reader may shorten an address to: of authors, their models, and where grades lie.

They grow with endpoints and not with nights: which windows there are, the page of an endpoint lists.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import date

import msgspec

from generator.records.permalink import author_grades_path, author_path, grades_path, model_path
from generator.site.frame import Step, frame, replayed_line
from generator.site.library import Library
from generator.site.links import INDEX, Links
from generator.site.stories import EndpointStory, ModelStory
from generator.site.templates import Templates
from generator.site.text import visible_plain

MODELS, GRADES = "models/", "grades/"
NO_AUTHOR = "without an author"
_Authors = tuple[tuple[str, list[ModelStory]], ...]
_Above = tuple[tuple[str, str], ...]


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a folder's page."""

    text: str
    """May be a stranger's text, like `below`."""
    below: str = ""
    path: str
    """The folder that it leads to."""
    cells: tuple[int | date | str, ...]


class _Folder(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    heading: str
    """May be a stranger's text, like the step."""
    step: str
    """What the way back calls it."""
    lede: str
    caption: str
    heads: tuple[str, ...]
    """What the row is, then what each cell is."""
    rows: tuple[Row, ...]
    above: _Above = ()
    """Name and path of each folder above, the outermost first."""
    of: EndpointStory | None = None
    """The endpoint whose folder it is."""


def render(library: Library, templates: Templates) -> Iterator[tuple[str, bytes]]:
    """Yield the page of every folder above the pages of models and above the indexes of grades."""
    replayed = replayed_line(night.record for night in library.material.nights)
    for folder in _folders(library):
        path = folder.path + INDEX
        links = Links(path)
        steps = tuple(Step(text=name, href=links.folder(of)) for name, of in folder.above)
        name = folder.heading if not folder.above else f"{folder.above[0][0].capitalize()} of {folder.heading}"
        page = frame(
            path,
            library.material.settings,
            title=visible_plain(name),
            description=visible_plain(f"{name}: {folder.caption}."),
            steps=(*steps, Step(text=folder.step, href=INDEX)),
            replayed=replayed,
        )
        yield path, templates.render("folder.html", page=page, links=links, library=library, folder=folder, name=name)


def _folders(library: Library) -> Iterator[_Folder]:
    yield from _model_folders(_by_author(library.models))
    graded = (msgspec.structs.replace(model, endpoints=_graded(model)) for model in library.models)
    yield from _grade_folders(_by_author(model for model in graded if model.endpoints), library)


def _model_folders(authors: _Authors) -> Iterator[_Folder]:
    yield _Folder(
        path=MODELS,
        heading="Models",
        step="models",
        lede="Every author of a model that was recorded, alphabetically.",
        caption="Authors, with their models and endpoints",
        heads=("Author", "Models", "Endpoints"),
        rows=tuple(
            Row(text=author, path=author_path(models[0].model), cells=(len(models), _endpoints(models)))
            for author, models in authors
        ),
    )
    for author, models in authors:
        yield _Folder(
            path=author_path(models[0].model),
            heading=author,
            step=author,
            lede="Every model of this author that was recorded, alphabetically.",
            caption="Models, with their endpoints",
            heads=("Model", "Endpoints"),
            rows=tuple(
                Row(text=model.model, path=model_path(model.model), cells=(len(model.endpoints),)) for model in models
            ),
            above=(("models", MODELS),),
        )


def _grade_folders(authors: _Authors, library: Library) -> Iterator[_Folder]:
    yield _Folder(
        path=GRADES,
        heading="Grades",
        step="grades",
        lede="Every permanent page of a grade lies below this address, by author, model, endpoint, window and version.",
        caption="Authors, with the models and endpoints that were graded, and their grades",
        heads=("Author", "Models", "Endpoints", "Grades"),
        rows=tuple(
            Row(
                text=author,
                path=author_grades_path(models[0].model),
                cells=(len(models), _endpoints(models), sum(_grades(story) for of in models for story in of.endpoints)),
            )
            for author, models in authors
        ),
    )
    for author, models in authors:
        above: _Above = (("grades", GRADES),)
        yield _Folder(
            path=author_grades_path(models[0].model),
            heading=author,
            step=author,
            lede="Every model of this author that was graded, alphabetically.",
            caption="Models, with the endpoints that were graded, and their grades",
            heads=("Model", "Endpoints", "Grades"),
            rows=tuple(
                Row(
                    text=model.model,
                    path=grades_path(model.model),
                    cells=(len(model.endpoints), sum(map(_grades, model.endpoints))),
                )
                for model in models
            ),
            above=above,
        )
        above = (*above, (author, author_grades_path(models[0].model)))
        for model in models:
            yield _of_model(model, above)
            for story in model.endpoints:
                yield _of_endpoint(story, (*above, (model.model, grades_path(model.model))), library)


def _of_model(model: ModelStory, above: _Above) -> _Folder:
    return _Folder(
        path=grades_path(model.model),
        heading=model.model,
        step=model.model,
        lede="Every endpoint of this model that was graded, alphabetically.",
        caption="Endpoints, with their grades and the windows of these",
        heads=("Endpoint", "Grades", "First window ends", "Last window ends"),
        rows=tuple(
            Row(
                text=story.provider,
                below=story.tag,
                path=grades_path(model.model, story.endpoint),
                cells=(
                    _grades(story),
                    min(count.first for count in story.counts),
                    max(count.last for count in story.counts),
                ),
            )
            for story in model.endpoints
        ),
        above=above,
    )


def _of_endpoint(story: EndpointStory, above: _Above, library: Library) -> _Folder:
    return _Folder(
        path=grades_path(story.model, story.endpoint),
        heading=f"{story.model} at {story.provider}",
        step=story.provider,
        lede="Below this address lies a folder for each window that was graded, named by its last night.",
        caption="Method versions, newest first, with the windows that each graded",
        heads=("Method version", "Standing", "Windows", "First window ends", "Last window ends"),
        rows=tuple(
            Row(
                text=count.version,
                path=f"method/{count.version}/",
                cells=(library.status(count.version), count.windows, count.first, count.last),
            )
            for count in story.counts
        ),
        above=above,
        of=story,
    )


def _by_author(models: Iterable[ModelStory]) -> _Authors:
    """Return the name of each author with the models, alphabetically; models without one come last."""
    found: dict[str, list[ModelStory]] = defaultdict(list)
    for model in models:
        found[author_path(model.model)].append(model)
    named = ((_author(of[0].model), of) for of in found.values())
    return tuple(sorted(named, key=lambda each: (each[0] == NO_AUTHOR, each[0])))


def _author(model: str) -> str:
    author, slash, _ = model.partition("/")
    return author if slash and author else NO_AUTHOR


def _graded(model: ModelStory) -> tuple[EndpointStory, ...]:
    return tuple(story for story in model.endpoints if story.counts)


def _endpoints(models: list[ModelStory]) -> int:
    return sum(len(model.endpoints) for model in models)


def _grades(story: EndpointStory) -> int:
    return sum(count.windows for count in story.counts)
