"""Building the site, ours beside Hugo and Eleventy on the same pages in one run, taking turns: CPU seconds.

    python -m tests.benchmarks.site                        6,000 pages kept, 2,000 new ones
    python -m tests.benchmarks.site --growth 50000         and 2,000 new ones into an archive of 50,000, with memory

What is equal: the pages, byte for byte (checked before anything is timed; Hugo writes '+' as a reference), each under
its own address, with its style inline; every printed value of a page is a value that the other's template prints. What
is not: the others are given each value ready to print, without our loops, conditions, look-ups, wording and links; ours
starts from the grade's record as JSON. Hugo and Eleventy make nothing but these pages; ours also lays out the record
beside each, as a file more: always in a full build and a nightly one, and new pages are measured without and with it.

`bare writing` reads our kept pages and writes them, one file each, and nothing more. Times are of a process with all
its threads, at the median of the rounds; theirs include the start of the program, ours are given with it and without,
because a night's pages are rendered by the program that has just graded them.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

from tests.benchmarks import site_ours as ours
from tests.benchmarks import site_records as records
from tests.benchmarks import site_theirs as theirs
from tests.benchmarks.site_measure import Spent, apart
from tests.benchmarks.site_split import split

OURS, STARTED, BARE = "ours", "ours, with its start", "bare writing"
WITH_RECORDS = "ours, and the record beside each"
HUGO = (theirs.MARKDOWN, theirs.ADAPTER)
PATIENCE_S = 60.0
PATIENCE_S_PER_PAGE = 0.03
"""Nobody is waited for longer: Hugo 0.168 was once seen to stand still for ever."""

Runner = Callable[[int], Spent]


class Bench:
    """A folder with the records, archives and sites of one run."""

    def __init__(self, folder: Path, window: int, eleventy: Path | None = None) -> None:
        """Use a folder.

        Args:
            folder: empty.
            window: pages of one window.
            eleventy: where Eleventy was installed, or failed to be, before.
        """
        self.folder = folder
        self.window = window
        self._numbers = count()
        if eleventy is None:
            self.no_eleventy = theirs.install_eleventy(self._new("eleventy"))
        else:
            (folder / "eleventy").symlink_to(eleventy)
            self.no_eleventy = None if (eleventy / "node_modules").is_dir() else "Eleventy is left out"

    def grades(self, window: int) -> Path:
        """Return the file of a window's grades."""
        file = self.folder / f"grades-{window}.jsonl"
        if not file.exists():
            apart(records.write, file, window, self.window)
        return file

    def archive(self, windows: int) -> Path:
        """Return an archive that keeps the pages of so many windows."""
        archive = self.folder / f"archive-{windows}"
        if not archive.exists():
            archive.mkdir()
            if windows > 1:
                shutil.copytree(self.archive(windows - 1), archive, dirs_exist_ok=True)
            if windows:
                apart(ours.keep, archive, windows - 1, self.grades(windows - 1))
        return archive

    def theirs(self, windows: range) -> dict[str, Runner]:
        """Return what builds the pages of some windows, by who."""
        everybody = (*HUGO, theirs.ELEVENTY) if self.no_eleventy is None else HUGO
        return {who: self.their(who, windows) for who in everybody}

    def their(self, who: str, windows: range) -> Runner:
        """Return what builds the pages of some windows as somebody does."""
        patience_s = PATIENCE_S + PATIENCE_S_PER_PAGE * self.window * len(windows)
        folder = self.their_folder(who, windows)
        apart(theirs.prepare, who, folder, [self.grades(window) for window in windows], ours.TEMPLATES)
        if who == theirs.ELEVENTY:
            (folder / "node_modules").symlink_to(self.folder / "eleventy" / "node_modules")
            shutil.copy(self.folder / "eleventy" / "package.json", folder)
        build = theirs.eleventy if who == theirs.ELEVENTY else theirs.hugo
        return partial(build, folder, patience_s)

    def their_folder(self, who: str, windows: range) -> Path:
        """Return where somebody else's site of some windows lies."""
        return self.folder / f"{who} {windows.start} {windows.stop}"

    def site(self, of: Path | None = None) -> Path:
        """Return a folder that no site lies in, or one in which an archive's pages lie."""
        site = self._new(f"site {next(self._numbers)}") / "site"
        if of is not None:
            apart(ours.lay_out, of, site)
        return site

    def check(self) -> str:
        """Return how large a page is, where everybody's first hundred are ours byte for byte.

        Raises:
            ValueError: where one is not.
        """
        few = Bench(self._new("check"), 100, self.folder / "eleventy")
        site, first = few.site(), range(1)
        apart(ours.render, site, few.grades(0))
        built = {OURS: site}
        for who, run in few.theirs(first).items():
            run(0)
            built[who] = few.their_folder(who, first) / "out0"
        pages = list(split([few.grades(0)], ours.TEMPLATES))
        for who, where in built.items():
            differing = [page.path for page in pages if _read(where / page.path) != page.whole()]
            if differing:
                raise ValueError(f"{who} has other bytes in {differing[0]}")
        sizes = [len(page.whole()) for page in pages]
        return f"{', '.join(built)}: {len(pages)} pages alike byte for byte, of {statistics.mean(sizes):,.0f} bytes"

    def _new(self, name: str) -> Path:
        folder = self.folder / name
        folder.mkdir()
        return folder


def _read(page: Path) -> bytes:
    return page.read_bytes().replace(b"&#43;", b"+")


def full(bench: Bench, windows: int) -> dict[str, Runner]:
    """Return who builds a whole site: ours from kept pages."""
    archive = bench.archive(windows)
    return {
        OURS: lambda _: apart(ours.lay_out, archive, bench.site()),
        BARE: lambda _: apart(ours.write, archive, bench.site()),
        **bench.theirs(range(windows)),
    }


def nightly(bench: Bench, windows: int) -> dict[str, Runner]:
    """Return who builds a site after one more night: ours lays out what is new, the others build all of it again."""
    before, after = bench.archive(windows), bench.archive(windows + 1)
    return {
        OURS: lambda _: apart(ours.lay_out, after, bench.site(before)),
        **bench.theirs(range(windows + 1)),
    }


def new(bench: Bench, windows: int) -> dict[str, Runner]:
    """Return who renders and writes the pages of one window."""
    grades = bench.grades(windows)
    return {
        OURS: lambda _: apart(ours.render_pages, bench.site(), grades),
        WITH_RECORDS: lambda _: apart(ours.render, bench.site(), grades),
        **bench.theirs(range(windows, windows + 1)),
    }


def table(title: str, pages: int, runners: dict[str, Runner], rounds: int) -> str:
    """Return what everybody spends on one task as a Markdown table, taking turns."""
    spent: dict[str, list[Spent]] = {who: [] for who in runners}
    for number in range(rounds):
        for who, run in runners.items():
            spent[who].append(run(number))
    seconds = {who: statistics.median(each.cpu_s for each in of) for who, of in spent.items()}
    seconds[STARTED] = statistics.median(each.cpu_s + each.start_s for each in spent[OURS])
    spent[STARTED] = spent[OURS]
    lines = [
        f"\n{title}\n",
        "| who | CPU s | pages per CPU s | times ours | peak MB |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for who, taken in seconds.items():
        peak = max(each.peak_mb for each in spent[who])
        lines.append(f"| {who} | {taken:.3f} | {pages / taken:,.0f} | {taken / seconds[OURS]:.2f} | {peak:.0f} |")
    best = min(seconds[who] for who in HUGO)
    lines += [
        "",
        f"The better Hugo over ours: {best / seconds[OURS]:.2f}; with our start {best / seconds[STARTED]:.2f}",
    ]
    return "\n".join(lines)


def growth(bench: Bench, pages: int, rounds: int) -> str:
    """Return what an archive's size adds to issuing the pages of one window, and to memory."""
    small, large = 10_000 // bench.window, pages // bench.window
    spent: dict[int, list[float]] = {0: [], large: []}
    for number in range(rounds):
        for windows, of in spent.items():
            archive = bench.site().parent / "archive"
            shutil.copytree(bench.archive(windows), archive)
            site, grades = bench.site(archive), bench.grades(large + number)
            of.append(apart(ours.issue, archive, site, large + number, grades).cpu_s)
    empty, grown = (statistics.median(of) for of in spent.values())
    peaks = [apart(ours.lay_out, bench.archive(windows), bench.site()).peak_mb for windows in (small, large)]
    hugo = bench.their(theirs.ADAPTER, range(large + 1))(0)
    return (
        f"\n{bench.window:,} new pages rendered, kept and laid out, at the median of {rounds} rounds: into an empty "
        f"archive {empty:.3f} CPU s, into one of {pages:,} {grown:.3f}: {grown / empty:.3f} times as much\n"
        f"{theirs.ADAPTER}, building all {pages + bench.window:,}: {hugo.cpu_s:.1f} CPU s, "
        f"{hugo.cpu_s / grown:.1f} times ours; peak {hugo.peak_mb:,.0f} MB\n"
        f"peak of our full build at {small * bench.window:,} pages {peaks[0]:.0f} MB, "
        f"at {pages:,} {peaks[1]:.0f} MB: {peaks[1] / peaks[0]:.3f} times as much"
    )


def main(arguments: list[str] | None = None) -> int:
    """Make the records, hold the pages against each other, measure, and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.site", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--pages", type=int, default=6000, help="kept before the new ones")
    parser.add_argument("--new", type=int, default=2000, help="pages of one window")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--growth", type=int, metavar="PAGES", help="also: new pages into an archive of so many")
    parser.add_argument("--folder", type=Path, help="where to build; by default the machine's temporary folder")
    asked = parser.parse_args(arguments)
    windows = asked.pages // asked.new
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        bench = Bench(Path(folder), asked.new)
        if bench.no_eleventy is not None:
            print(bench.no_eleventy)  # noqa: T201 - a script's output
        print(bench.check())  # noqa: T201 - same
        kept = windows * asked.new
        tasks = (
            (f"Full build of {kept:,} pages, ours from kept pages", kept, full),
            (f"Build after {asked.new:,} more pages on {kept:,}", kept + asked.new, nightly),
            (f"{asked.new:,} new pages, rendered and written", asked.new, new),
        )
        for title, pages, runners in tasks:
            print(table(title, pages, runners(bench, windows), asked.rounds), flush=True)  # noqa: T201 - same
        if asked.growth:
            print(growth(bench, asked.growth, asked.rounds), flush=True)  # noqa: T201 - same
    return 0


if __name__ == "__main__":
    sys.exit(main())
