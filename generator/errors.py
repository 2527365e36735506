"""Everything that can go wrong in a way that somebody can act on, grouped by who that is.

Each error is raised with what was expected, what was found, where, and what to do next; the command line prints
it as one message and ends with the error's exit code. Anything else that is raised is a defect of this program.
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """How a command ended."""

    DONE = 0
    """Everything asked for was done."""
    FAILED = 1
    """Something could not be checked or done."""
    USAGE = 2
    """The command line was not understood."""
    PARTIAL = 3
    """What was asked for is not complete (a night not sealed, a site not published): the same command carries on."""
    BUDGET = 4
    """Sending stopped at the budget cap or because the router reports no credit."""
    LOCKED = 5
    """Another run holds this site root, its archive, or what it is published to."""
    INTEGRITY = 6
    """Something recorded or published is not what it was."""
    TARGET = 7
    """A target or bucket is not there, or does not take what is written."""
    CREDENTIAL = 8
    """There is no credential for it in the environment, or it is refused."""


class BitdepthError(Exception):
    """The root of the tree: a message for whoever can act, and an exit code."""

    exit_code: ExitCode = ExitCode.FAILED

    def __init__(self, problem: str, *, where: str | None = None, do: str | None = None) -> None:
        """Hold the message apart in its three parts.

        Args:
            problem: what was expected and what was found.
            where: the file, field, address or command that it was found in.
            do: what to do next.
        """
        super().__init__(problem)
        self.problem = problem
        self.where = where
        self.do = do

    def __str__(self) -> str:
        """Return the whole message on one line."""
        parts = [self.problem]
        if self.where is not None:
            parts.append(f"in {self.where}")
        message = " ".join(parts)
        return f"{message}. {self.do}" if self.do else message


class UsageError(BitdepthError):
    """The command line asks for something that is not there: the caller can say it otherwise."""

    exit_code = ExitCode.USAGE


class ContentError(BitdepthError):
    """A file under content/ or templates/ is missing or malformed: the operator can mend it."""


class RouterError(BitdepthError):
    """The router or the way to it failed before anything could be asked: wait, or mend key and network."""


class BudgetError(BitdepthError):
    """The budget forbids going on: raise the cap or add credit, and run again."""

    exit_code = ExitCode.BUDGET


class PartialNightError(BitdepthError):
    """A night is not complete; its journal is kept and the same command carries on."""

    exit_code = ExitCode.PARTIAL


class VoidNightError(BitdepthError):
    """A night was sealed void, and no command carries it on: mend what kept its requests back before the next."""


class LockedError(BitdepthError):
    """Another run holds this site root, its archive, or what it is published to."""

    exit_code = ExitCode.LOCKED


class SiteError(BitdepthError):
    """A published site could not be read, or sends what no site sends: wait, or ask whoever serves it."""


class TargetError(BitdepthError):
    """A bucket, or a folder that is published to, is missing or does not take it: mend it, or name another."""

    exit_code = ExitCode.TARGET


class CredentialError(BitdepthError):
    """There is no credential in the environment, or it is refused: set another."""

    exit_code = ExitCode.CREDENTIAL


class UnreachableError(BitdepthError):
    """A bucket cannot be reached for now: what was sent stays, and the same command carries on."""

    exit_code = ExitCode.PARTIAL


class ClusterError(BitdepthError):
    """The processes that work is spread over are away, or read another archive: start them again, or do without."""


class ArchiveError(BitdepthError):
    """The archive cannot be read or written here: a folder, a disk or a right is missing."""


class IntegrityError(BitdepthError):
    """A kept file is not what it was when it was written: compare with another copy before anything else."""

    exit_code = ExitCode.INTEGRITY


class MissingFileError(IntegrityError):
    """A kept file is gone."""
