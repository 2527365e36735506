"""Which method version graded which window, and as what: the feed says a change once, when it became known."""

from __future__ import annotations

from collections.abc import Iterator

from generator.site.interface import GradedWindow
from generator.workflows.issuing import CURRENT
from generator.workflows.world import Root


def graded_windows(root: Root) -> Iterator[GradedWindow]:
    """Yield each window that has grades and their pages, once for each version, by version and window end."""
    store = root.store
    for version in store.grades.versions():
        for end in store.pages.windows(version):
            manifest = store.grades.manifest(version, end)
            yield GradedWindow(
                method_version=version,
                window_end=end,
                was_current=manifest.role == CURRENT,
                regrade=manifest.regrade,
                sha256=manifest.sha256,
            )
