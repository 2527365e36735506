"""A laid-out site over HTTP, as a host should serve it: types, folders, headers, and the page for wrong addresses."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote, unquote

import msgspec
from aiohttp import web

from generator.records.permalink import method_path
from generator.site import hosting, hosting_redirects
from generator.site.beside import Beside
from generator.site.build import is_permanent
from generator.site.hosting_table import ANY_TYPE, ASK_AGAIN, FOR_EVER, HEADERS, NAMED_TYPES, TYPES, security_policy
from generator.site.links import INDEX
from generator.site.prose_views import NOT_FOUND


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What lies at an address: a file, or one that leads to another address, or nothing."""

    path: str | None = None
    """The file's path within the site."""
    moved: str | None = None
    """The address that the page has."""
    latest: str | None = None
    """The address that is the latest version today."""


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
    if file in hosting.FILES:
        return Found()
    if not target.resolve().is_relative_to(site.resolve()):  # A link out of the folder.
        return Found()
    if (target / INDEX).is_file():
        return Found(moved=f"{prefix}{quote(path)}/")
    return Found(path=file) if target.is_file() else Found(latest=_latest(site, path))


def _latest(site: Path, path: str) -> str | None:
    """Return where the site's own redirects lead from a path at which nothing lies."""
    rules = site / hosting_redirects.PATH
    return hosting_redirects.redirected(rules.read_text("utf-8"), f"/{path}") if rules.is_file() else None


def headers_of(path: str, *, is_view: bool = False) -> dict[str, str]:
    """Return what a host should say of a file of the site.

    Args:
        path: of the file.
        is_view: True for the page of a method version that nothing was graded under: it may change yet.
    """
    name = Path(path)
    return {
        **HEADERS,
        "Content-Type": NAMED_TYPES.get(name.name) or TYPES.get(name.suffix, ANY_TYPE),
        "Content-Security-Policy": security_policy(path),
        "Cache-Control": FOR_EVER if is_permanent(path) and not is_view else ASK_AGAIN,
    }


def application(site: Path, prefix: str) -> web.Application:
    """Return the site as an application; it reads files and writes none."""

    async def answer(request: web.Request) -> web.StreamResponse:
        if request.method not in {"GET", "HEAD"}:
            raise web.HTTPMethodNotAllowed(request.method, ["GET", "HEAD"], headers=HEADERS)
        address, mark, query = request.raw_path.partition("?")
        found = find(site, prefix, address)
        if found.moved is not None:
            raise web.HTTPMovedPermanently(found.moved + mark + query, headers={**HEADERS, "Cache-Control": ASK_AGAIN})
        if found.latest is not None:
            raise web.HTTPFound(found.latest + mark + query, headers={**HEADERS, "Cache-Control": ASK_AGAIN})
        if found.path is None:
            return web.Response(status=404, body=_not_found(site), headers=headers_of(NOT_FOUND))
        is_view = found.path.startswith(method_path()) and found.path in Beside(site).listed_views()
        return web.FileResponse(site / found.path, headers=headers_of(found.path, is_view=is_view))

    made = web.Application()
    made.router.add_route("*", "/{path:.*}", answer)
    return made


def _not_found(site: Path) -> bytes:
    page = site / NOT_FOUND
    return page.read_bytes() if page.is_file() else b"<!doctype html><title>No page here</title><p>No page here."
