"""Re-grades and re-renders an archive of which only the nights are left, as the demo's nights were graded.

python tests/rebuild.py ROOT: night by night, each on its own day and into the log; then the site is laid out.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from generator.workflows.grading import grade
from generator.workflows.log_keeping import keep_log
from generator.workflows.rendering import render
from generator.workflows.world import Root
from tests.kept_site import Silent


def main() -> None:
    """Do so."""
    root = Root(Path(sys.argv[1]))
    with root.store.lock():
        for night in root.store.nights.kept():
            grade(root, today=night, progress=Silent(), window_end=night)
            keep_log(root, None, progress=Silent())
        render(root, progress=Silent())


if __name__ == "__main__":
    main()
