"""What workflows ask of whoever spreads their work over other processes: results in the order of one process alone.

    issue(...)          -> WindowFiles of each window, in the order of the plans
    check_nights(...)   -> Findings of each night, in order
    check_windows(...)  -> Findings of each window, in order

Nothing is written but by the one who asks. Who spreads is `generator.cluster`; a workflow without one does it alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Protocol

import msgspec

from generator.verification.findings import Findings
from generator.workflows.issuing import Issuing, WindowPlan
from generator.workflows.windows import Windows


class WindowFiles(msgspec.Struct, frozen=True, kw_only=True):
    """The files of one window as they are kept, made elsewhere."""

    end: date
    grades: bytes
    grades_rows: int
    pages: bytes
    pages_rows: int
    """0 for a window without grades, which has no pages."""


class Spread(Protocol):
    """Somebody who spreads windows and nights over processes."""

    def issue(self, windows: Windows, shared: Issuing, plans: Sequence[WindowPlan]) -> Iterator[WindowFiles]:
        """Yield the files of each window.

        Args:
            windows: the archive's, under the method that grades.
            shared: what all of them share.
            plans: of each window, ascending.

        Raises:
            ClusterError: where the work cannot be done, or was done on another archive.
        """
        ...

    def check_nights(self, nights: Sequence[date]) -> Iterator[Findings]:
        """Yield what counting each night anew finds."""
        ...

    def check_windows(self, windows: Windows, ends: Sequence[date]) -> Iterator[Findings]:
        """Yield what making the grades of each window anew finds, and its pages held against them."""
        ...
