"""A laid-out site over HTTP, as a host should serve it: types, folders, headers, and the page for wrong addresses."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote, unquote

import msgspec
from aiohttp import web

from generator.site.build import is_permanent
from generator.site.links import INDEX
from generator.site.prose_views import NOT_FOUND

_PLAIN = "text/plain; charset=utf-8"
TYPES = {
    ".bib": "application/x-bibtex; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".jsonld": "application/ld+json",
    ".md": "text/markdown; charset=utf-8",
    ".parquet": "application/vnd.apache.parquet",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".tlog-proof": "text/plain; charset=utf-8",
    ".toml": "application/toml",
    ".txt": "text/plain; charset=utf-8",
    ".vkey": "text/plain; charset=utf-8",
    ".xml": "application/xml",
}
_ANY_TYPE = "application/octet-stream"
NAMED_TYPES = {"feed.xml": "application/atom+xml", "SHA256SUMS": _PLAIN, "checkpoint": _PLAIN, "head": _PLAIN}
"""The types of files whose names say more than their endings."""
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Access-Control-Allow-Origin": "*",
}
"""What every answer carries; pages bring their content security policy along. Everything here is public."""
FOR_EVER = "public, max-age=31536000, immutable"
ASK_AGAIN = "no-cache"


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What lies at an address: a file, or a folder whose address lacks its closing slash, or nothing."""

    path: str | None = None
    """The file's path within the site."""
    moved: str | None = None
    """The address that the page has."""


def find(site: Path, prefix: str, address: str) -> Found:
    """Return what a site has at an address.

    Args:
        site: the site's folder.
        prefix: where the site begins on its host, with its closing slash.
        address: the path that was asked for, percent-encoded, without query.
    """
    if not address.startswith(prefix):
        return Found(moved=prefix) if address in {"/", prefix.removesuffix("/")} else Found()
    path = unquote(address.removeprefix(prefix), errors="replace")
    if not _is_plain(path):
        return Found()
    try:
        return _look(site, prefix, path)
    except (OSError, RuntimeError):  # Longer than a file system allows, no right to look, or links in a circle.
        return Found()


def _is_plain(path: str) -> bool:
    """True for a path that no part of leads out of its folder; nothing of the site's begins with a dot."""
    *folders, name = path.split("/")
    hidden = name.startswith(".") or any(not part or part.startswith(".") for part in folders)
    return not hidden and not any(character in path for character in "\\:\x00")


def _look(site: Path, prefix: str, path: str) -> Found:
    """Return what lies at a plain path."""
    file = path + INDEX if path.endswith("/") or not path else path
    target = site / file
    if not target.resolve().is_relative_to(site.resolve()):  # A link out of the folder.
        return Found()
    if (target / INDEX).is_file():
        return Found(moved=f"{prefix}{quote(path)}/")
    return Found(path=file) if target.is_file() else Found()


def headers_of(path: str) -> dict[str, str]:
    """Return what a host should say of a file of the site."""
    name = Path(path)
    kind = NAMED_TYPES.get(name.name) or TYPES.get(name.suffix, _ANY_TYPE)
    return {**HEADERS, "Content-Type": kind, "Cache-Control": FOR_EVER if is_permanent(path) else ASK_AGAIN}


def application(site: Path, prefix: str) -> web.Application:
    """Return the site as an application; it reads files and writes none."""

    async def answer(request: web.Request) -> web.StreamResponse:
        if request.method not in {"GET", "HEAD"}:
            raise web.HTTPMethodNotAllowed(request.method, ["GET", "HEAD"], headers=HEADERS)
        address, mark, query = request.raw_path.partition("?")
        found = find(site, prefix, address)
        if found.moved is not None:
            raise web.HTTPMovedPermanently(found.moved + mark + query, headers={**HEADERS, "Cache-Control": ASK_AGAIN})
        if found.path is None:
            return web.Response(status=404, body=_not_found(site), headers=headers_of(NOT_FOUND))
        return web.FileResponse(site / found.path, headers=headers_of(found.path))

    made = web.Application()
    made.router.add_route("*", "/{path:.*}", answer)
    return made


def _not_found(site: Path) -> bytes:
    page = site / NOT_FOUND
    return page.read_bytes() if page.is_file() else b"<!doctype html><title>No page here</title><p>No page here."
