"""Re-grades and re-renders an archive of which only the nights are left, as the demo's nights were graded.

python tests/rebuild.py ROOT NIGHTS: each night comes from the folder NIGHTS on its own day, is graded and goes into the
log before the next one is there, as it was when it was asked; then the site is laid out.
"""

from __future__ import annotations

import shutil
import sys
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from generator.workflows.grading import grade
from generator.workflows.log_keeping import keep_log
from generator.workflows.rendering import render
from generator.workflows.world import Root
from tests.kept_site import Silent


def main() -> None:
    """Do so."""
    root, nights = Root(Path(sys.argv[1])), Path(sys.argv[2])
    with root.store.lock():
        for folder in sorted(nights.iterdir()):
            night = date.fromisoformat(folder.name)
            shutil.copytree(folder, root.path / "archive/nights" / folder.name)
            grade(root, today=night, progress=Silent(), window_end=night)
            keep_log(root, None, progress=Silent())
        render(root, progress=Silent())


if __name__ == "__main__":
    main()
