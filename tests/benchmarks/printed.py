"""The Markdown tables that benchmarks print, read back: one row a line, by the words of the head."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Row:
    """One figure of one contender."""

    benchmark: str
    task: str
    who: str
    figure: str
    """The number with its unit."""
    ratio: str
    """Of the contender's figure to ours, or to what `against` names; '' for none."""
    against: str = "ours"


def tables(text: str) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Yield each table of a text: the last line of prose before it, and its rows by the words of its head.

    A word that stands in the head twice is numbered from its second place on.
    """
    title, head, rows = "", [], []
    for line in [*text.splitlines(), ""]:
        if not line.startswith("|"):
            if head:
                yield title, rows
                title, head, rows = "", [], []
            title = line.strip() or title
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not head:
            head = [
                f"{cell} {cells[:place].count(cell) + 1}" if cell in cells[:place] else cell
                for place, cell in enumerate(cells)
            ]
        elif set(line) - set("|-: "):
            rows.append(dict(zip(head, cells, strict=True)))


def grading_rows(text: str) -> Iterator[Row]:
    """Yield the rows of `tests.benchmarks.grading`."""
    for _, rows in tables(text):
        for row in rows:
            if "on" in row:
                task, figure, ratio = f"one window, on {row['on']}", row["CPU s (median)"], row["times ours"]
            else:
                task = "every window of many nights"
                figure, ratio = f"{row['CPU s']} s, {row['peak memory MB']} MB", row["CPU, times ours"]
                yield Row(benchmark="grading", task=task, who=row["engine"], figure=f"{figure}", ratio=ratio)
                continue
            yield Row(benchmark="grading", task=task, who=row["engine"], figure=f"{figure} CPU s", ratio=ratio)


def probing_rows(text: str) -> Iterator[Row]:
    """Yield the rows of `tests.benchmarks.probing`: each client's rate, to that of raw asyncio."""
    for _, rows in tables(text):
        for row in rows:
            yield Row(
                benchmark="probing",
                task=f"{row['connections']} connections",
                who=row["client"],
                figure=f"{row['requests/s']} requests a second, {row['CPU ms/request']} CPU ms each",
                ratio=row["/ raw"],
                against="raw asyncio",
            )


def site_rows(text: str) -> Iterator[Row]:
    """Yield the rows of `tests.benchmarks.site`."""
    for title, rows in tables(text):
        for row in rows:
            figure = f"{row['CPU s']} CPU s, {row['peak MB']} MB"
            yield Row(benchmark="site", task=title, who=row["who"], figure=figure, ratio=row["times ours"])


def scale_rows(text: str) -> Iterator[Row]:
    """Yield the rows of `tests.benchmarks.scale`: nobody else does these, but for one process and several."""
    for title, rows in tables(text):
        for row in rows:
            ages = [word for word in row if word.endswith(" nights")]
            last = ages[-1].removeprefix("CPU s at ")
            figure = f"{row[ages[-1]]} CPU s, {row['peak MB, first and last']} MB; growth {row['growth']}"
            yield Row(benchmark="scale", task=f"{row['step']}, {last} ({title})", who="ours", figure=figure, ratio="")
