"""A withholding: a night's observations kept anew without a text that must not be shown, and what was taken out.

A text is withheld where the law or somebody's personal data ask for it. Nothing else of the night changes, and no
figure of a grade: two answers that were equal before are equal after, because a withheld answer reads as its digest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime

import msgspec

from generator.errors import IntegrityError
from generator.records.canonical import COMPARE_ELSEWHERE, sha256
from generator.records.night import NightRecord, Sha256

OBSERVATIONS = "observations.parquet"
"""The table that a night is sealed with."""
WITHHELD = "withheld sha256:"
"""How a withheld answer begins; the SHA-256 of the answer follows, in hexadecimal."""
_DECLARATION = re.compile(r"((?:.*/)?nights/[0-9-]{10}/)withheld-([1-9][0-9]*)\.json")
"""A declaration's path, wherever the archive's files lie."""


class WithheldRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One observation whose text was taken out."""

    model: str
    endpoint: str
    prompt_id: str
    answer_sha256: Sha256 | None
    """Of the normalised answer, where it was taken out too; null where it stayed."""


class WithheldRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What withheld-<n>.json says: by which table, without which texts, a night's observations were replaced."""

    format: int
    night: date
    file: str
    """What the table that is kept from then on is called, in the night's folder."""
    before_sha256: Sha256
    """Of the table that it replaced, which is kept no more."""
    after_sha256: Sha256
    """Of the table `file`."""
    reason: str
    declared_at: datetime
    rows: tuple[WithheldRow, ...]
    """What was taken out this time."""
    seal: str
    """SHA-256 of this record's canonical JSON without this member."""


def declaration_name(number: int) -> str:
    """Return what the declaration of a night's n-th withholding is called, counted from 1."""
    return f"withheld-{number}.json"


def table_name(number: int) -> str:
    """Return what a night's observations are called after its n-th withholding; 0: as they were sealed."""
    return f"observations.withheld-{number}.parquet" if number else OBSERVATIONS


def kept_observations(record: NightRecord, declared: Sequence[WithheldRecord]) -> tuple[str, str]:
    """Return the name and the SHA-256 of a night's observations as they are kept now.

    Args:
        record: what night.json says; it names the table that the night was sealed with.
        declared: every withholding of the night, the first one first.

    Raises:
        IntegrityError: where a declaration does not lead on from the table before it.
    """
    digest = record.files.get(OBSERVATIONS, "none")
    for number, each in enumerate(declared, 1):
        expected, found = (record.night, table_name(number), digest), (each.night, each.file, each.before_sha256)
        if found != expected:
            raise IntegrityError(
                "expected a withholding of night {}, to {}, from SHA-256 {}".format(*expected)
                + ", found one of {}, to {}, from {}".format(*found),
                where=f"nights/{record.night.isoformat()}/{declaration_name(number)}",
                do=COMPARE_ELSEWHERE,
            )
        digest = each.after_sha256
    return table_name(len(declared)), digest


def replaced_tables(paths: Iterable[str]) -> frozenset[str]:
    """Return the path of each table that is kept no more where the declarations among some paths are kept."""
    found = (match for path in paths if (match := _DECLARATION.fullmatch(path)))
    return frozenset(f"{match[1]}{table_name(int(match[2]) - 1)}" for match in found)


def withheld_word(answer_sha256: str) -> str:
    """Return what stands in the place of a withheld answer."""
    return WITHHELD + answer_sha256


def answer_word(answer: str, hidden: frozenset[str]) -> str:
    """Return what an answer reads as where some answers are withheld: two read alike exactly where they are alike.

    An answer that somebody gave in the form of such a word reads as the word of itself, and passes for no other.

    Args:
        answer: as it was given; not withheld itself.
        hidden: the SHA-256 of every withheld answer.
    """
    digest = sha256(answer.encode())
    return withheld_word(digest) if digest in hidden or answer.startswith(WITHHELD) else answer
