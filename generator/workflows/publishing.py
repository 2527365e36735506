"""Publish the laid-out site to a folder or an object store."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

import msgspec

from generator.errors import IntegrityError, UsageError
from generator.publishing.interface import OWN, SiteFile, Target, There
from generator.publishing.plan import Plan, plan
from generator.publishing.published import PATH as LIST_PATH
from generator.publishing.published import Published
from generator.publishing.sending import Sender, published_to
from generator.publishing.targets import WHERE as TARGET
from generator.records.canonical import sha256
from generator.records.finding import VerificationReport
from generator.records.permalink import method_path
from generator.records.store_address import FOLDER, parse_store_address
from generator.site.build import is_permanent
from generator.site.links import INDEX
from generator.site.preview import headers_of
from generator.stores.addresses import folder_at
from generator.workflows.gate import refuse_lost
from generator.workflows.verifying import SiteFolder, verify
from generator.workflows.world import Progress, Root

_NAMED = 5
"""Objects of nobody's that a publication names."""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that would be done."""

    action: str
    """'create' (refused by the target where something is), 'put' or 'remove'."""
    path: str
    bytes: int | None = None
    content_type: str | None = None
    cache_control: str | None = None


class Publication(msgspec.Struct, frozen=True, kw_only=True):
    """What a publication did, or would do."""

    target: str
    dry_run: bool
    created: int
    """Permanent objects that were not there before."""
    replaced: int
    """Views that are new or have other bytes than before."""
    removed: int
    """Views that are no part of the site any more."""
    kept: int
    """Objects that were there with the same bytes."""
    bytes: int
    """Of what was put."""
    foreign: int
    """Objects that are neither the site's nor ones that were published: they stay as they are."""
    foreign_paths: tuple[str, ...]
    """The first of them, sorted."""
    steps: tuple[Step, ...] = ()
    """In order; of a dry run alone."""


def refuse_unsound(root: Root, *, progress: Progress, base_url: str | None = None) -> VerificationReport:
    """Return what was verified, once archive and site are sound and the site holds all that the log holds.

    Raises:
        IntegrityError: with the number of mismatches and the first of them.
        UsageError: where something could not be verified, for one because no site is laid out.
    """
    if not (root.site / INDEX).is_file():
        raise UsageError("expected a laid-out site, found none", where=str(root.site), do="Run 'bitdepth render' first")
    refuse_lost(root)
    report = verify(root, progress=progress, base_url=base_url)
    if report.findings:
        first = report.findings[0]
        raise IntegrityError(
            f"expected a site that is sound, found {len(report.findings)} mismatches, the first: {first.kind}",
            where=first.where,
            do="Nothing was sent. Run 'bitdepth verify', which prints all of them",
        )
    if not report.complete:
        raise UsageError(
            "expected a site that can be verified, found some of it that cannot",
            where=str(root.path),
            do="Nothing was sent. Run 'bitdepth verify', which says what was not checked and why",
        )
    return report


def refuse_own_folder(root: Root, address: str) -> None:
    """Refuse a folder or bucket that holds, or lies in, one that archive or site are made in.

    Raises:
        UsageError: where it is such a place.
    """
    parsed, archive = parse_store_address(address), root.content.archive()
    if parsed is None:
        return
    if archive is not None and archive.overlaps(parsed):
        raise _refused("the archive's", "Publish to another prefix: a site's views are replaced, the archive never is")
    if parsed.scheme != FOLDER:
        return
    target = folder_at(parsed)
    for own in (root.site, root.store.local, root.path / "content"):
        place = own.resolve()
        if target.is_relative_to(place) or place.is_relative_to(target):
            do = "Publish to a folder outside the site root; site/ itself can be served as it is"
            raise _refused("one of the site root's", do)


def _refused(found: str, do: str) -> UsageError:
    return UsageError(f"expected a folder of its own, found {found}", where=TARGET, do=do)


async def publish(root: Root, target: Target, *, progress: Progress, owner: str, dry_run: bool = False) -> Publication:
    """Return what was done once the target holds the site; of a dry run, what would be.

    Args:
        root: the site root, verified; the caller holds its lock.
        target: where to.
        progress: who is told.
        owner: what no other publisher at work can be called.
        dry_run: put nothing.

    Raises:
        IntegrityError: naming a permanent object that is other than the site's, or that the site has not.
        LockedError: where another publisher is at work on the target.
    """
    with progress.bar("reading the site", 1) as advance:
        files = tuple(site_files(root))
        advance(1)
    folder = SiteFolder(root.site)
    if dry_run:
        todo, _, foreign = await _plan(target, files)
        await Sender(target, read=folder.read, certain=_nothing, count=_nothing).compare(todo)
        return _publication(target, todo, foreign, steps=tuple(_steps(todo)))
    async with target.held(owner) as certain:
        todo, published, foreign = await _plan(target, files)
        total = sum(map(len, todo.puts)) + sum(map(len, todo.removals))
        with progress.bar("publishing", total) as advance:
            await Sender(target, read=folder.read, certain=certain, count=advance).send(todo, published)
    return _publication(target, todo, foreign)


def _nothing(*_: int) -> None:
    """Do nothing: a dry run holds no target and puts nothing that could be counted."""


def site_files(root: Root) -> Iterator[SiteFile]:
    """Yield every file of a root's laid-out site, sorted by path.

    The page of a method version is permanent only once something was graded under it.
    """
    folder = SiteFolder(root.site)
    kept = set(root.store.pages.methods())
    views = {method_path(version) + INDEX for version in root.content.method_versions() if version not in kept}
    for path in folder.names():
        data = folder.read(path)
        permanent, headers = is_permanent(path) and path not in views, headers_of(path, is_view=path in views)
        yield SiteFile(
            path=path,
            size=len(data),
            sha256=sha256(data),
            md5=_md5(data),
            permanent=permanent,
            content_type=headers["Content-Type"],
            cache_control=headers["Cache-Control"],
        )


async def _plan(target: Target, files: tuple[SiteFile, ...]) -> tuple[Plan, Published, tuple[str, ...]]:
    """Return what has to be done, the list that lies in the target, and paths of what is there and is nobody's."""
    published, data = await published_to(target)
    there: dict[str, There] = {}
    async for chunk in target.listed():
        there.update(chunk)
    listed = there.get(LIST_PATH)
    # Whether ETags are digests is read off the list's own: with some kinds of encryption they are not.
    tags_are_digests = data is not None and listed is not None and listed.e_tag == _md5(data)
    todo = plan(files, there, published, is_permanent=is_permanent, tags_are_digests=tags_are_digests)
    return todo, published, _foreign(there, files, todo, published)


def _foreign(there: Iterable[str], files: Iterable[SiteFile], todo: Plan, published: Published) -> tuple[str, ...]:
    """Return the paths, sorted, of objects that are not the site's, and were not when it was published before."""
    ours = {file.path for file in files}.union(published.views, *todo.removals)
    return tuple(sorted(path for path in there if path not in ours and not path.startswith(OWN)))


def _publication(
    target: Target, todo: Plan, foreign: tuple[str, ...], steps: tuple[Step, ...] | None = None
) -> Publication:
    puts = [put for step in todo.puts for put in step]
    return Publication(
        target=target.name,
        dry_run=steps is not None,
        created=sum(put.once for put in puts),
        replaced=sum(not put.once for put in puts),
        removed=sum(map(len, todo.removals)),
        kept=todo.kept,
        bytes=sum(put.file.size for put in puts),
        foreign=len(foreign),
        foreign_paths=foreign[:_NAMED],
        steps=steps or (),
    )


def _steps(todo: Plan) -> Iterator[Step]:
    for put in (put for step in todo.puts for put in step):
        yield Step(
            action="create" if put.once else "put",
            path=put.file.path,
            bytes=put.file.size,
            content_type=put.file.content_type,
            cache_control=put.file.cache_control,
        )
    for path in (path for step in todo.removals for path in step):
        yield Step(action="remove", path=path)


def _md5(data: bytes) -> str:
    return hashlib.md5(data, usedforsecurity=False).hexdigest()
