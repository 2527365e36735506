"""What has to be put, compared and removed so that a target holds a site, in an order that no reader can trip over.

The promise: whoever follows links from what was there before, from the first page, a feed, a sitemap or the log's
checkpoint, arrives, at every instant. It holds because of the order, steps with a full stop between them:

1. permanent files, records and data before the pages that refer to them;
2. views at addresses where nothing is yet, which nothing that can be reached refers to yet: files that pages use, then
   pages, the deepest first;
3. views that replace what is there: all that they refer to is there by now;
4. what lists the others and is read by itself: feeds and the log's checkpoint, then the first page, which every page
   refers to; and last what is come by without it, at addresses that anyone knows: sitemaps, robots.txt, and the page
   that is shown for an address at which nothing is;
5. only then views that are no part of the site any more are removed, what lists them first.

A permanent object is never replaced, and never removed but where the site declares that a text was withheld from it;
such a table goes with the views that are no part of the site any more. Any other that the target has and the site has
not means that the site is older than what was published from elsewhere: that is refused, because it would turn time
back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import TypeVar

import msgspec

from generator.errors import IntegrityError
from generator.publishing.interface import SiteFile, There
from generator.publishing.published import Published, View, digests, group, headers_digest
from generator.records.withheld import replaced_tables

_ENTRANCES = ("log/checkpoint", "index.html", "sitemaps/", "sitemap.xml", "robots.txt", "404.html")
"""What a reader comes in by, in the order in which they are put, after feeds. One name is a folder's."""
_FEED = "feed.xml"
_PAGE = ".html"

_T = TypeVar("_T")

_PERMANENT, _NEW, _REPLACED, _ENTRANCE = range(4)


class Put(msgspec.Struct, frozen=True, kw_only=True):
    """One file that has to be put."""

    file: SiteFile
    once: bool
    """Only where nothing is: the target itself refuses to replace anything."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What has to be done, in order."""

    compare: tuple[SiteFile, ...]
    """Permanent files that are there and whose bytes nothing vouches for: to be read before anything is sent."""
    before: Published
    """The list to put first."""
    puts: tuple[tuple[Put, ...], ...]
    """Steps: each is begun when the one before is done, and its files in any order."""
    removals: tuple[tuple[str, ...], ...]
    """Steps, as above."""
    after: Published
    """The list to put last."""
    kept: int
    """Files that are there already, with the same bytes."""


def plan(
    files: Sequence[SiteFile],
    there: Mapping[str, There],
    published: Published,
    *,
    is_permanent: Callable[[str], bool],
    tags_are_digests: bool,
) -> Plan:
    """Return what has to be done.

    Args:
        files: the whole site.
        there: the target's objects, by path.
        published: what the target's own list says.
        is_permanent: true for a path at which permanent files lie.
        tags_are_digests: an ETag of this target is the MD5 of the object.

    Raises:
        IntegrityError: naming a permanent object that has another size than the file of the site, or that the site has
            not.
    """
    names = {file.path for file in files}
    gone = {*published.views, *replaced_tables(names)} - names
    for path in sorted(there):
        if is_permanent(path) and path not in names and path not in gone:
            raise _behind(path)
    certain = digests(files)
    puts: list[tuple[tuple[int, int], Put]] = []
    compare: list[SiteFile] = []
    for file in files:
        found, view = there.get(file.path), published.views.get(file.path)
        if found is None:
            puts.append((_step(file, is_new=True), Put(file=file, once=file.permanent)))
        elif file.permanent and view is None:
            if found.size != file.size:
                raise other_bytes(file.path)
            vouched = published.permanent.get(group(file.path)) == certain[group(file.path)]
            if not (found.e_tag == file.md5 if tags_are_digests else vouched):
                compare.append(file)
        elif is_permanent(file.path) and view is None:
            raise other_bytes(file.path)
        elif not _same(file, found, view, tags_are_digests=tags_are_digests):
            puts.append((_step(file, is_new=False), Put(file=file, once=False)))
    stale = sorted((_rank(path), path) for path in gone if path in there)
    stale.reverse()
    return Plan(
        compare=tuple(compare),
        before=_before(published, there, (put.file for _, put in puts)),
        puts=_steps(sorted(puts, key=lambda each: (each[0], each[1].file.path))),
        removals=_steps(stale),
        after=Published(
            views={
                file.path: View(size=file.size, sha256=file.sha256, headers=headers_digest(file))
                for file in files
                if not file.permanent
            },
            permanent=certain,
        ),
        kept=len(files) - len(puts),
    )


def other_bytes(path: str) -> IntegrityError:
    """Return what is raised where a permanent object is not what the site says it is."""
    return IntegrityError(
        "expected a permanent object as it was issued, found other bytes",
        where=path,
        do="Compare it with the kept bytes in the archive; nothing was overwritten, and nothing more was sent",
    )


def _behind(path: str) -> IntegrityError:
    return IntegrityError(
        "expected every permanent object of the target in this site, found one that the site has not",
        where=path,
        do="Publish from the newest copy of the archive: this one is behind what was published, or has lost something",
    )


def _same(file: SiteFile, found: There, view: View | None, *, tags_are_digests: bool) -> bool:
    """True where the object is known to have the file's bytes, and to have been put with its type and cache header."""
    if view is None or view.headers != headers_digest(file):
        return False
    if tags_are_digests:
        return found.e_tag == file.md5
    return found.size == file.size and view.sha256 == file.sha256


def _before(published: Published, there: Mapping[str, There], putting: Iterable[SiteFile]) -> Published:
    """Return the list in which whatever is about to be put as a view, or in the place of one, has no digest.

    Where its headers change under bytes that may stay the same, they are not certain either until all is done.
    """
    views = dict(published.views)
    for file in putting:
        if not file.permanent or file.path in views:
            headers, was = headers_digest(file), views.get(file.path)
            certain = file.path not in there or (was is not None and was.headers == headers)
            views[file.path] = View(size=file.size, sha256=None, headers=headers if certain else None)
    return Published(views=views, permanent=published.permanent)


def _step(file: SiteFile, *, is_new: bool) -> tuple[int, int]:
    """Return where a file stands in the order."""
    if file.permanent:
        return _PERMANENT, int(file.path.endswith(_PAGE))
    stage, rank = _rank(file.path)
    return (_NEW if is_new and stage == _REPLACED else stage), rank


def _rank(path: str) -> tuple[int, int]:
    """Return where a view stands in the order that replaces what is there."""
    folder, slash, name = path.rpartition("/")
    for known in (path, f"{folder}{slash}"):
        if known in _ENTRANCES:
            return _ENTRANCE, 1 + _ENTRANCES.index(known)
    if name == _FEED:
        return _ENTRANCE, 0
    # Deeper pages first: all others of the site come before the shallowest.
    return _REPLACED, -path.count("/") if path.endswith(_PAGE) else -(2**16)


def _steps(ordered: Iterable[tuple[tuple[int, int], _T]]) -> tuple[tuple[_T, ...], ...]:
    """Return what stands at one place of the order together."""
    return tuple(tuple(each for _, each in of) for _, of in groupby(ordered, key=lambda each: each[0]))
