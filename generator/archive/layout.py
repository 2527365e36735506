"""Where each kept file lies, relative to archive/."""

from __future__ import annotations

from datetime import date

FORMAT_FILE = "FORMAT.md"
LOCK = ".lock"
UNFINISHED = ".tmp"
"""How the name of a file ends that an interrupted run was still writing."""
NIGHTS = "nights"
NIGHT_JSON = "night.json"
JOURNAL = "journal"
NIGHT_TABLES = ("observations", "listings", "prompts", "context")


def night_folder(night: date) -> str:
    """Return a night's folder."""
    return f"{NIGHTS}/{night.isoformat()}"


def night_file(night: date) -> str:
    """Return where night.json lies; the night exists once this file does."""
    return f"{night_folder(night)}/{NIGHT_JSON}"


def void_file(night: date) -> str:
    """Return where void.json lies, for a night that was declared void later."""
    return f"{night_folder(night)}/void.json"


def table_file(night: date, table: str) -> str:
    """Return where one of a night's tables lies."""
    return f"{night_folder(night)}/{table}.parquet"


def grades_file(version: str, window_end: date) -> str:
    """Return where the grades of a window lie."""
    return f"grades/{version}/{window_end.isoformat()}.parquet"


def pages_file(version: str, window_end: date) -> str:
    """Return where the permanent pages of a window lie."""
    return f"pages/{version}/{window_end.isoformat()}.parquet"


def method_page_file(version: str) -> str:
    """Return where a method version's page lies."""
    return f"pages/methods/{version}.html"


def manifest_of(file: str) -> str:
    """Return where the manifest of a grades, pages or method page file lies: beside it."""
    return file.rsplit(".", 1)[0] + ".json"


def journal_file(night: date) -> str:
    """Return where a night's journal lies while the night is not sealed; it is no part of the archive."""
    return f"{JOURNAL}/{night.isoformat()}.jsonl"
