"""Where each kept file lies, relative to archive/."""

from __future__ import annotations

from datetime import date

from generator.records.withheld import declaration_name

FORMAT_FILE = "FORMAT.md"
LOCK = ".lock"
UNFINISHED = ".tmp"
"""How the name of a file ends that an interrupted run was still writing."""
NIGHTS = "nights"
NIGHT_JSON = "night.json"
JOURNAL = "journal"
LOG = "log"
LOG_HEAD = f"{LOG}/head"
"""The newest tree, unsigned: what is appended counts once it is in here."""
LOG_CHECKPOINT = f"{LOG}/checkpoint"
"""The newest signed checkpoint."""
LOG_APPENDING = f"{LOG}/appending"
"""What an append that has not ended sets out to write."""
NIGHT_TABLES = ("observations", "listings", "prompts", "context")


def is_kept(name: str) -> bool:
    """True for a file of the archive; the lock, the journal and what an interrupted run was still writing are none."""
    return name != LOCK and not name.endswith(UNFINISHED) and not name.startswith(f"{JOURNAL}/")


def night_folder(night: date) -> str:
    """Return a night's folder."""
    return f"{NIGHTS}/{night.isoformat()}"


def night_file(night: date) -> str:
    """Return where night.json lies; the night exists once this file does."""
    return f"{night_folder(night)}/{NIGHT_JSON}"


def void_file(night: date) -> str:
    """Return where void.json lies, for a night that was declared void later."""
    return f"{night_folder(night)}/void.json"


def withheld_file(night: date, number: int) -> str:
    """Return where the declaration of a night's n-th withholding lies, counted from 1."""
    return f"{night_folder(night)}/{declaration_name(number)}"


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


def log_index_file(source: str) -> str:
    """Return where it is said which leaves a source gave: `nights/<date>`, `grades/<version>/<window end>`, ..."""
    return f"{LOG}/index/{source}.json"


def log_key_file(key_id: str) -> str:
    """Return where a public key lies."""
    return f"{LOG}/keys/{key_id}.vkey"


def log_signed_file(size: int) -> str:
    """Return where the signed checkpoint of a size lies."""
    return f"{LOG}/signed/{size}"


def proofs_file(version: str, window_end: str) -> str:
    """Return where the proofs of a window's grades lie; '*' for a window end finds them all."""
    return f"{LOG}/proofs/{version}/{window_end}.parquet"
