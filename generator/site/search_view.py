"""The search page: every model and endpoint in one alphabetical list, which a search narrows and never reorders.

It is the one page that may run script. Without script, from disk, or where no index could be made, the list is whole
and the page says how to look in it.
"""

from __future__ import annotations

from collections.abc import Iterator

from generator.records.permalink import endpoint_path, model_path
from generator.site.frame import Step, frame, replayed_line
from generator.site.library import Library
from generator.site.links import INDEX, Links
from generator.site.search import Indexer, entries
from generator.site.templates import Templates

FOLDER = "search/"
INDEX_FOLDER = f"{FOLDER}pagefind/"
SCRIPT = f"{FOLDER}search.js"
CSP = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; style-src 'unsafe-inline'; "
    "img-src 'self' data:; form-action 'none'; base-uri 'none'"
)
"""Scripts and WebAssembly of this site alone, and nothing fetched from anybody else."""


def render(library: Library, templates: Templates, indexer: Indexer | None) -> Iterator[tuple[str, bytes]]:
    """Yield the search page and, where an index can be made, its script and the index's files.

    Args:
        library: the material, arranged.
        templates: the site's templates.
        indexer: makes the index; None for a site without one.
    """
    index = indexer(entries(library)) if indexer is not None else None
    path = FOLDER + INDEX
    page = frame(
        path,
        library.material.settings,
        title="Search",
        description="Find a model or an endpoint by its name, tag or declared precision.",
        steps=(Step(text="search", href=INDEX),),
        replayed=replayed_line(night.record for night in library.material.nights),
        csp=CSP,
    )
    yield (
        path,
        templates.render(
            "search.html",
            page=page,
            links=Links(path),
            library=library,
            ids=None if index is None else index.ids,
            model_path=model_path,
            endpoint_path=endpoint_path,
        ),
    )
    if index is not None:
        yield SCRIPT, templates.render("search.js")
        for name in sorted(index.files):
            yield INDEX_FOLDER + name, index.files[name]
