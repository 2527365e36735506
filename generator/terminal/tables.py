"""Grades and findings as tables: a letter never without its method version and its four columns."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from generator.records.finding import VerificationReport
from generator.records.reading import NO_LETTER, provisional_words, readings
from generator.site.text import visible_plain
from generator.workflows.showing import Shown


def print_grades(console: Console, shown: Shown) -> None:
    """Print a model's latest grades, endpoints alphabetically."""
    first = shown.grades[0]
    title = (
        f"{visible_plain(shown.model)}, nights {first.window_start} to {first.window_end}, "
        f"method {first.method_version} ({provisional_words(first)})"
    )
    table = Table(title=Text(title, style="table.title"), title_justify="left", show_lines=False)
    for heading in ("endpoint", "letter", "M match", "T task accuracy", "D declared", "R reliability"):
        table.add_column(heading, overflow="fold")
    for grade in shown.grades:
        cells = [
            f"{each.letter or NO_LETTER} {visible_plain(each.words)}" for each in readings(grade, shown.definition)
        ]
        table.add_row(
            Text(visible_plain(grade.endpoint)),
            f"{grade.letter} {grade.method_version}",
            *(Text(cell) for cell in cells),
        )
    console.print(table)


def print_report(console: Console, report: VerificationReport) -> None:
    """Print what was checked, every finding, and what could not be checked."""
    checked = ", ".join(f"{number:,} {what}" for what, number in report.checked.items())
    console.print(f"checked: {checked}", highlight=False, soft_wrap=True)
    for note in report.notes:
        console.print(Text(f"note: {visible_plain(note)}"), soft_wrap=True)
    for finding in report.findings:
        line = f"{finding.kind}: {finding.where}: expected {finding.expected}; found {finding.found}"
        console.print(Text(visible_plain(line)), soft_wrap=True)
    number = len(report.findings)
    found = f"{number} finding{'s' if number > 1 else ''}" if number else "no findings"
    console.print(found if report.complete else f"{found}; not everything was checked", highlight=False)
