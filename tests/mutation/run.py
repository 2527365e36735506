"""Every mutant of the method that no example-based test notices is named: `python -m tests.mutation.run [PATTERN ...]`.

Works on a copy in a temporary folder, with mutmut (development dependency), and never on the checkout. A pattern is a
glob of mutant names, e.g. 'generator.method.letters*'; without one all are tried, which takes about an hour.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
COPIED = ("generator", "content", "templates", "archive", "tests", "pyproject.toml")
UNTRACKED = shutil.ignore_patterns("__pycache__", "nights", "grades", "pages", "journal", "data", "benchmarks")


def main(patterns: list[str]) -> int:
    """Run mutmut over a copy and print what survived; 0 where nothing did."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder)
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, copy / name, ignore=UNTRACKED)
            else:
                shutil.copy(source, copy / name)
        shutil.copy(ROOT / "tests" / "mutation" / "mutmut.cfg", copy / "setup.cfg")
        mutmut = [sys.executable, "-m", "mutmut"]
        subprocess.run([*mutmut, "run", *patterns], cwd=copy, check=False)
        listed = subprocess.run([*mutmut, "results"], cwd=copy, check=True, capture_output=True, text=True).stdout
        survivors = [line.split(":")[0].strip() for line in listed.splitlines() if line.endswith(": survived")]
        for name in survivors:
            shown = subprocess.run([*mutmut, "show", name], cwd=copy, check=False, capture_output=True, text=True)
            sys.stdout.write(f"{shown.stdout}\n")
        sys.stdout.write(f"{len(survivors)} mutants survived\n")
        return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
