"""Every mutant of the method that no example-based test notices is named: `python -m tests.mutation.run [PATTERN ...]`.

Works on a copy in a temporary folder, with mutmut (development dependency), and never on the checkout. A pattern is a
glob of mutant names, e.g. 'generator.method.letters*'; without one all are tried, which takes about an hour.
MUTATION_PROCESSES in the environment says how many processes try them; one per core where it is not set.

mutmut tries each mutant with the tests that reached its function while it looked on. That leaves out tests behind a
fixture or a class attribute made once for many, so that what mutmut calls survived is tried again by all tests.
"""

from __future__ import annotations

import configparser
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SETTINGS = Path(__file__).parent / "mutmut.cfg"
COPIED = ("generator", "content", "templates", "archive", "tests", "pyproject.toml")
UNTRACKED = shutil.ignore_patterns("__pycache__", "nights", "grades", "pages", "journal", "data", "benchmarks")
UNNOTICED = ("survived", "no tests", "suspicious", "segfault")
"""What mutmut calls a mutant that no test was seen to fail on; one that runs out of time is noticed."""


def main(patterns: list[str]) -> int:
    """Run mutmut over a copy and print what survived; 0 where nothing did, 2 where mutmut itself could not run."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder)
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, copy / name, ignore=UNTRACKED)
            else:
                shutil.copy(source, copy / name)
        shutil.copy(SETTINGS, copy / "setup.cfg")
        mutmut = [sys.executable, "-m", "mutmut"]
        processes = os.environ.get("MUTATION_PROCESSES")
        options = ["--max-children", processes] if processes else []
        # Without this, tests that fail before anything is mutated would read as no survivors.
        if subprocess.run([*mutmut, "run", *options, *patterns], cwd=copy, check=False).returncode:
            sys.stdout.write("mutmut did not try the mutants\n")
            return 2
        listed = subprocess.run([*mutmut, "results"], cwd=copy, check=True, capture_output=True, text=True).stdout
        found = [line.strip().rpartition(": ") for line in listed.splitlines()]
        tests = _tests()
        survivors = [
            name for name, _, status in found if status in UNNOTICED and not _fails(name, tests, copy / "mutants")
        ]
        for name in survivors:
            shown = subprocess.run([*mutmut, "show", name], cwd=copy, check=False, capture_output=True, text=True)
            sys.stdout.write(f"{shown.stdout}\n")
        sys.stdout.write(f"{len(survivors)} mutants survived\n")
        return 1 if survivors else 0


def _tests() -> list[str]:
    """Return what pytest is told to run: all tests that mutmut chooses from."""
    settings = configparser.ConfigParser()
    settings.read(SETTINGS, encoding="utf-8")
    names = ("pytest_add_cli_args", "pytest_add_cli_args_test_selection")
    return [argument for name in names for argument in settings["mutmut"][name].split("\n") if argument]


def _fails(name: str, tests: list[str], folder: Path) -> bool:
    """Return whether some test fails on a mutant, in a process that made nothing before the mutant was there."""
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "--quiet", "--exitfirst", *tests],
        cwd=folder,
        env=os.environ | {"MUTANT_UNDER_TEST": name},
        check=False,
        capture_output=True,
    )
    return bool(ran.returncode)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
