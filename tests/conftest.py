"""What every test shares: the long tests' option, and Hypothesis without chance."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings

settings.register_profile(
    "repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)
settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --ci and --long, which run the tests that `make test` leaves out."""
    parser.addoption("--ci", action="store_true", help="run the tests of .ci/run too")
    parser.addoption("--long", action="store_true", help="run the long tests too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip the tests of a tier that was not asked for, and order the modules so that no worker waits for another.

    The demo is made by the first module; those that read it come last, behind all that do without. Modules of few tests
    hold the longest ones, and come before those of many.
    """
    for tier, how in (("ci", ".ci/run"), ("long", "make test-long")):
        if not config.getoption(f"--{tier}"):
            for item in items:
                if item.get_closest_marker(tier):
                    item.add_marker(pytest.mark.skip(reason=f"{tier}: run with --{tier} ({how})"))
    tests = Counter(item.path for item in items)
    reading = {item.path for item in items if "demo" in getattr(item, "fixturenames", ())}
    items.sort(
        key=lambda item: (
            item.path.name != "test_demo.py",
            item.path in reading,
            tests[item.path],
            item.path.name,
        )
    )


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """Return the demo's site root, made by the command once for all tests and workers; nobody may write into it."""
    base = tmp_path_factory.getbasetemp()
    shared = (base if worker_id == "master" else base.parent) / "demo"
    out = shared / "demo"
    with FileLock(f"{shared}.lock"):
        if not (shared / "stdout.txt").exists():
            command = [sys.executable, "-m", "generator", "demo", "--out", str(out)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
            (shared / "stderr.txt").write_text(done.stderr)
            (shared / "stdout.txt").write_text(done.stdout)
    return out
