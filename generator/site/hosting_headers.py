"""`_headers`: the table of headers as rules of a static host, one pattern for many files.

Netlify and Cloudflare Pages read the file alike but for what happens to a path that two rules match: one joins equal
names with commas, the other has been seen to take one of them. So no two rules that match one address give the same
name. Permanent and other files are told apart by the number of parts and by the 'v' before a method version, with
what both hosts have: `:name`, one part of a path, and a single `*`, any rest. Netlify reads a closing slash as
optional, `/name/*` as whatever begins with `/name`, and `:name` behind other letters of a part as those letters.

https://docs.netlify.com/manage/routing/headers/
https://developers.cloudflare.com/pages/configuration/headers/
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from generator.records.permalink import method_path
from generator.site.hosting_table import (
    ANY_TYPE,
    ASK_AGAIN,
    FOR_EVER,
    HEADERS,
    NAMED_TYPES,
    OVER_TLS,
    TYPES,
    UNKNOWN_TO_HOSTS,
    security_policy,
)
from generator.site.links import INDEX

PATH = "_headers"

_GRADES = "grades"
_MIXED = frozenset({_GRADES, "data", "log", "method"})
"""Folders in which permanent files lie beside views."""
_PERMANENT: Mapping[str, str | None] = {
    "/grades/:author/:name/:endpoint/:end/v*": None,
    "/data/nights/*": None,
    "/data/grades/*": None,
    "/data/pages/*": None,
    "/data/methods/*": None,
    "/log/tile/*": ANY_TYPE,
    "/log/keys/*": None,
    "/log/signed/*": ANY_TYPE,
}
"""Patterns that match permanent files alone, with the type of files that have no ending."""
_GRADE_VIEWS = (
    "/grades/",
    "/grades/:author/",
    "/grades/:author/:name/",
    "/grades/:author/:name/:endpoint/",
    "/grades/:author/:name/:endpoint/:end/",
    "/grades/:author/:name/:endpoint/:end/index.html",
    "/grades/index.:ending",
    "/grades/:author/index.:ending",
    "/grades/:author/:name/index.:ending",
    "/grades/:author/:name/:endpoint/index.:ending",
)
"""Each page of the folder by its folder's address, then by its own.

To Netlify, which takes a closing slash as optional, a folder's pattern also matches the index.html of the folder above.
So the last four are written as Cloudflare Pages alone reads them: to Netlify `:ending` counts only as a whole part.
"""


def headers_file(views: Iterable[str], kept_methods: Iterable[str]) -> bytes:
    """Return the file.

    Args:
        views: the path of every view.
        kept_methods: the method versions whose pages are permanent.
    """
    rules = {
        "/*": {**HEADERS, **OVER_TLS},
        **dict(_types()),
        **{pattern: _said(pattern, FOR_EVER, kind) for pattern, kind in _PERMANENT.items()},
        **{pattern: _said(pattern, FOR_EVER) for version in sorted(kept_methods) for pattern in _page(version)},
        **{pattern: _said(pattern, ASK_AGAIN, kind) for pattern, kind in _view_patterns(views)},
    }
    blocks = (
        "\n".join((pattern, *(f"  {name}: {value}" for name, value in said.items()))) for pattern, said in rules.items()
    )
    return ("\n\n".join(("# Made by 'bitdepth render'.", *blocks)) + "\n").encode()


def _said(pattern: str, cached: str, kind: str | None = None) -> Mapping[str, str]:
    said = {"Cache-Control": cached, "Content-Security-Policy": security_policy(pattern.removeprefix("/"))}
    return said if kind is None else {**said, "Content-Type": kind}


def _types() -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield the rules that give a type and nothing else."""
    for ending in UNKNOWN_TO_HOSTS:
        yield f"/*{ending}", {"Content-Type": TYPES[ending]}
    yield "/models/:author/:name/feed.xml", {"Content-Type": NAMED_TYPES["feed.xml"]}


def _page(version: str) -> Iterator[str]:
    path = f"/{method_path(version)}"
    yield path
    yield path + INDEX


def _view_patterns(views: Iterable[str]) -> Iterator[tuple[str, str | None]]:
    """Yield patterns that match each view once, and no permanent file, with the type that a name gives."""
    whole: set[str] = set()
    for path in sorted(views):
        top, slash, _ = path.partition("/")
        folder, _, name = path.rpartition("/")
        if top == _GRADES:
            whole.add(top)
        elif slash and top not in _MIXED:
            whole.add(f"{top}/*")
        else:
            if name == INDEX:
                yield f"/{folder}/" if folder else "/", None
            yield f"/{path}", NAMED_TYPES.get(name)
    for folder in sorted(whole - {_GRADES}):
        yield f"/{folder}", None
    if _GRADES in whole:
        for pattern in _GRADE_VIEWS:
            yield pattern, None
