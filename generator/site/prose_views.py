"""The pages of prose: the method's versions, about, verify, persistence, the demo, and what a wrong address gets."""

from __future__ import annotations

from collections.abc import Iterator

from generator.errors import ContentError
from generator.records.definition import version_key
from generator.records.permalink import method_path
from generator.site import method_page
from generator.site.differences_view import compared
from generator.site.frame import Step, frame, replayed_line, site_path
from generator.site.library import Library
from generator.site.links import INDEX, Links
from generator.site.prose import to_html
from generator.site.templates import Templates

PROSE_PAGES = ("about", "persistence", "verify")
"""Every page's footer links to these."""
NOT_FOUND = "404.html"
ADDRESS = "{address}"
"""What stands in prose where the site's own address is to be read."""


def render(library: Library, templates: Templates) -> Iterator[tuple[str, bytes]]:
    """Yield the prose pages."""
    material = library.material
    yield _methods(library, templates)
    for version in sorted(set(material.methods) - material.kept_methods, key=version_key):
        floor = material.worked_example[version]
        page = method_page.render(material.methods[version], floor, material.settings, templates)
        yield method_path(version) + INDEX, page
    for name in PROSE_PAGES:
        yield _prose(name, library, templates)
    if material.demo:
        yield _demo(library, templates)
    yield _not_found(library, templates)


def _methods(library: Library, templates: Templates) -> tuple[str, bytes]:
    path = method_path() + INDEX
    newest_first = sorted(library.material.methods, key=version_key, reverse=True)
    graded = {each.method_version for each in library.material.windows}
    page = templates.render(
        "methods.html",
        page=frame(
            path,
            library.material.settings,
            title="The method and its versions",
            description="Every version of the method, what each changed, and which is current.",
            steps=(Step(text="method", href=INDEX),),
            replayed=_replayed(library),
        ),
        links=Links(path),
        library=library,
        versions=tuple(library.material.methods[version] for version in newest_first),
        graded=graded,
        has_differences=bool(compared(library)),
    )
    return path, page


def _prose(name: str, library: Library, templates: Templates) -> tuple[str, bytes]:
    path = f"{name}/{INDEX}"
    if name not in library.material.pages:
        where = f"content/pages/{name}.md"
        raise ContentError("expected a prose page, found none", where=where, do="Restore it: every page links to it")
    text = library.material.pages[name].replace(ADDRESS, library.material.settings.address)
    prose = to_html(text, where=f"content/pages/{name}.md")
    title = prose.title or name.capitalize()
    page = templates.render(
        "prose.html",
        page=frame(
            path,
            library.material.settings,
            title=title,
            description=f"{title}: {library.material.settings.title}",
            steps=(Step(text=name, href=INDEX),),
            replayed=_replayed(library),
        ),
        links=Links(path),
        title=title,
        body=prose.html,
    )
    return path, page


def _demo(library: Library, templates: Templates) -> tuple[str, bytes]:
    path = f"demo/{INDEX}"
    providers = {(story.model, story.endpoint): story.provider for model in library.models for story in model.endpoints}
    page = templates.render(
        "demo.html",
        page=frame(
            path,
            library.material.settings,
            title="What the demo recorded, scripted and counted",
            description="For each endpoint of the demo: what was really run, what is scripted, what was counted.",
            steps=(Step(text="demo", href=INDEX),),
            replayed=_replayed(library),
        ),
        links=Links(path),
        notes=library.material.demo_notes,
        demo=sorted(library.material.demo, key=lambda truth: (truth.model, truth.endpoint)),
        providers=providers,
    )
    return path, page


def _not_found(library: Library, templates: Templates) -> tuple[str, bytes]:
    settings = library.material.settings
    links = Links(NOT_FOUND, absolute=site_path(settings.address))
    page = templates.render(
        "not_found.html",
        page=frame(
            NOT_FOUND,
            settings,
            title="No page here",
            description="There is no page at this address.",
            links=links,
            replayed=_replayed(library),
        ),
        links=links,
    )
    return NOT_FOUND, page


def _replayed(library: Library) -> str | None:
    return replayed_line(night.record for night in library.material.nights)
