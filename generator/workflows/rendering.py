"""Lay out the site: permanent pages from their kept bytes, views from the archive."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import msgspec

from generator.records.canonical import sha256
from generator.records.permalink import method_path
from generator.site import build, views
from generator.site.interface import (
    SettledPages,
    Shelf,
    Unchanged,
)
from generator.site.kept_views import KeptViews
from generator.site.templates import load
from generator.workflows.data_files import data_shelves
from generator.workflows.gate import refuse_lost
from generator.workflows.log_files import log_shelves
from generator.workflows.program import program_sha256
from generator.workflows.searching import indexer
from generator.workflows.site_material import holding
from generator.workflows.world import Progress, Root


def render(root: Root, *, progress: Progress, base_url: str | None = None, look: bool = True) -> build.LaidOut:
    """Lay out the site of a root's archive.

    Args:
        root: the site root; the caller holds its lock.
        progress: who is told.
        base_url: the address that views are made for; None for the one in site.toml. Permanent pages keep theirs.
        look: look at every file that lies there, whether it is as it was laid. Without it, what is permanent or of
            settled months and was laid out before is left alone.

    Raises:
        IntegrityError: where a kept page is not what it was, or a laid-out permanent page has other bytes; where
            something that the log holds is missing or different, before anything is written.
    """
    refuse_lost(root)
    kept = KeptViews(root.site)
    with progress.bar("rendering", 1) as advance:
        with _parted(root, progress, base_url, kept.same) as (newest, settled):
            laid_out = build.lay_out(root.site, shelves(root), newest, settled, look=look)
        kept.settle()
        advance(1)
    return laid_out


def permanent_files(root: Root) -> Iterator[tuple[str, bytes]]:
    """Yield path and bytes of every permanent page and of the archive's files for downloading, as kept."""
    for shelf in shelves(root):
        yield from shelf.files()


def shelves(root: Root) -> Iterator[Shelf]:
    """Yield what was kept together: pages of method versions and of windows, the files for downloading, and the log.

    Raises:
        MissingFileError: where a kept file is gone, whether or not its pages are laid out already.
    """
    pages, folder = root.store.pages, root.store.folder
    for version in pages.methods():
        manifest = pages.method_manifest(version)
        folder.size(manifest.file)
        yield Shelf(name=manifest.file, digest=manifest.sha256, files=partial(_method_page, root, version))
    for version in root.store.grades.versions():
        for end in pages.windows(version):
            manifest = pages.manifest(version, end)
            folder.size(manifest.file)
            yield Shelf(name=manifest.file, digest=manifest.sha256, files=partial(pages.each, version, end))
    yield from data_shelves(root)
    yield from log_shelves(root)


def _method_page(root: Root, version: str) -> tuple[tuple[str, bytes]]:
    return ((f"{method_path(version)}index.html", root.store.pages.method(version)),)


def view_files(root: Root, *, progress: Progress, base_url: str | None = None) -> Iterator[tuple[str, bytes]]:
    """Yield path and bytes of every page that may change, rendered now for an address.

    Args:
        root: the site root.
        progress: who is told.
        base_url: the address; None for the one in site.toml.
    """
    with _parted(root, progress, base_url, None) as (newest, settled):
        yield from newest
        for group in settled:
            yield from group.pages()


@contextmanager
def _parted(
    root: Root, progress: Progress, base_url: str | None, unchanged: Unchanged | None
) -> Iterator[tuple[Iterator[tuple[str, bytes]], Iterator[SettledPages]]]:
    """Hold what the views are rendered from; yield those that any night may change, and those of settled months.

    Args:
        root: the site root.
        progress: who is told.
        base_url: the address; None for the one in site.toml.
        unchanged: says what lies in place as this program would render it. None to render everything and to believe
            nothing that was kept: who holds it against what lies there reads every grade from its own file.
    """
    settings = root.content.settings()
    if base_url is not None:
        settings = msgspec.structs.replace(settings, address=base_url)
    with holding(root, settings, kept=unchanged is not None) as of:
        newest, settled = views.parted(of, load(root.templates), indexer(progress.say), _by_this_program(unchanged))
        yield newest, map(_of_this_program, settled)


def _of_this_program(pages: SettledPages) -> SettledPages:
    """Return settled pages that another program's are not taken for."""
    return msgspec.structs.replace(pages, fingerprint=sha256(f"{program_sha256()} {pages.fingerprint}".encode()))


def _by_this_program(unchanged: Unchanged | None) -> Unchanged | None:
    """Return the same for pages that this very program rendered."""
    return None if unchanged is None else lambda path, made_from: unchanged(path, f"{program_sha256()} {made_from}")
