"""Findings as they are collected: one list, and a count of everything that was looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from generator.errors import BitdepthError, IntegrityError, MissingFileError, SiteError
from generator.records.finding import Finding, FindingKind, VerificationReport


class Findings:
    """What a verification has found so far."""

    def __init__(self) -> None:
        """Begin with nothing found."""
        self._findings: list[Finding] = []
        self._checked: Counter[str] = Counter()
        self._notes: list[str] = []
        self._complete = True

    def checked(self, what: str, number: int = 1) -> None:
        """Count things looked at, by a plural noun."""
        self._checked[what] += number

    def note(self, fact: str) -> None:
        """Note a fact that is no mismatch."""
        self._notes.append(fact)

    def unchecked(self, fact: str) -> None:
        """Note why something could not be checked."""
        self._complete = False
        self._notes.append(fact)

    def names(self, where: str) -> bool:
        """Return whether something was found at a place."""
        return any(finding.where == where for finding in self._findings)

    def add(self, kind: FindingKind, where: str, *, expected: str, found: str) -> None:
        """Add a mismatch."""
        self._findings.append(Finding(kind=kind, where=where, expected=expected, found=found))

    def require(self, where: str, *, expected: object, found: object, what: str) -> None:
        """Add a mismatch where a figure or name is not the expected one."""
        if expected != found:
            self.add(FindingKind.CHANGED, where, expected=f"{what} {expected}", found=str(found))

    @contextmanager
    def reading(self, where: str) -> Iterator[None]:
        """Turn a file that cannot be read, or is not as sealed, into a finding, and a site that is away into a note."""
        try:
            yield
        except SiteError as error:
            self.unchecked(str(error))
        except MissingFileError as error:
            self._from_error(FindingKind.MISSING, where, error)
        except IntegrityError as error:
            self._from_error(FindingKind.CHANGED, where, error)
        except BitdepthError as error:
            self._from_error(FindingKind.UNREADABLE, where, error)

    def broken(self, error: IntegrityError, where: str) -> None:
        """Add what an error says, at the place that it names itself, or else at another."""
        kind = FindingKind.MISSING if isinstance(error, MissingFileError) else FindingKind.CHANGED
        self._from_error(kind, error.where or where, error)

    def take(self, other: Findings) -> None:
        """Add everything that others found, counted and noted."""
        self._findings += other._findings
        self._checked += other._checked
        self._notes += other._notes
        self._complete = self._complete and other._complete

    def report(self) -> VerificationReport:
        """Return everything found, sorted by where it is."""
        found = dict.fromkeys(self._findings)  # Two paths may have led to one.
        return VerificationReport(
            checked=dict(sorted(self._checked.items())),
            findings=tuple(sorted(found, key=lambda finding: (finding.where, finding.kind, finding.expected))),
            notes=tuple(self._notes),
            complete=self._complete,
        )

    def _from_error(self, kind: FindingKind, where: str, error: BitdepthError) -> None:
        expected, comma, found = error.problem.partition(", found")
        if not comma:
            expected, found = "a file that can be read", error.problem
        self.add(kind, where, expected=expected.removeprefix("expected "), found=found.lstrip(": ") or "none")
