"""Our side: pages kept in an archive once, then laid out; each piece of work measured in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path

from generator.archive.disk_folder import DiskFolder
from generator.archive.pages import Pages
from generator.site import build, grade_page
from generator.site.interface import Shelf
from generator.site.templates import Templates, load
from tests.benchmarks import site_records as records

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
VERSION = "0.1"

_FIRST_PAGE = (("index.html", b"first"),)
"""Without one a folder counts as emptied, and everything in it is looked at."""


def rendered(grades: Path, templates: Templates) -> Iterator[tuple[str, bytes]]:
    """Yield the permanent page of each grade of a file, and the record beside it."""
    for grade, context in records.read(grades):
        yield from grade_page.files(grade, context, templates)


def keep(archive: Path, window: int, grades: Path) -> None:
    """Render the pages of a window and keep them in an archive, as issuing them does."""
    made = rendered(grades, load([TEMPLATES]))
    end = records.FIRST + timedelta(days=window)
    Pages(DiskFolder(archive)).add(made, version=VERSION, digest=records.method().digest, window_end=end)


def shelves(archive: Path) -> Iterator[Shelf]:
    """Yield the pages that an archive keeps, window by window, as `bitdepth render` does."""
    kept = Pages(DiskFolder(archive))
    for end in kept.windows(VERSION):
        manifest = kept.manifest(VERSION, end)
        yield Shelf(name=manifest.file, digest=manifest.sha256, files=partial(kept.each, VERSION, end))


def lay_out(archive: Path, site: Path) -> None:
    """Lay out every page that an archive keeps, and a first page."""
    build.lay_out(site, shelves(archive), _FIRST_PAGE)


def render(site: Path, grades: Path) -> None:
    """Render the pages of a window from their records and write them, without an archive."""
    shelf = Shelf(name=grades.name, digest="", files=partial(rendered, grades, load([TEMPLATES])))
    build.lay_out(site, [shelf], ())


def render_pages(site: Path, grades: Path) -> None:
    """Render the pages of a window from their records and write them alone, without the records beside them."""
    pages = partial(_pages_alone, grades)
    build.lay_out(site, [Shelf(name=grades.name, digest="", files=pages)], ())


def _pages_alone(grades: Path) -> Iterator[tuple[str, bytes]]:
    return (file for file in rendered(grades, load([TEMPLATES])) if file[0].endswith(grade_page.INDEX))


def issue(archive: Path, site: Path, window: int, grades: Path) -> None:
    """Render the pages of a window, keep them, and lay out what is new, as a nightly run does."""
    keep(archive, window, grades)
    build.lay_out(site, shelves(archive), _FIRST_PAGE, look=False)


def write(archive: Path, site: Path) -> None:
    """Write the pages that an archive keeps, one file each and no more: what any generator has to do at least."""
    for shelf in shelves(archive):
        for path, data in shelf.files():
            if path.endswith(grade_page.INDEX):
                target = site / path
                target.parent.mkdir(parents=True)
                with target.open("xb") as file:
                    file.write(data)
