"""A root as it was before its last night, a sample that begins where a test says, and the files that are opened for it.

python -m tests.newest_night ROOT FIRST    prints how often each file of a root is opened for one verification
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from generator.log.checkpoint import parse_checkpoint
from generator.log.note import read_note
from generator.records.finding import VerificationReport
from generator.workflows.verifying_tonight import Standing, standing, verify_newest
from generator.workflows.world import Root
from tests.kept_site import Silent


def before_last(root: Root) -> Standing:
    """Return what a root held before its last night was sealed, graded and logged; its log was signed each time."""
    now, last = standing(root), root.store.nights.kept()[-1]
    log = root.store.log
    note = read_note(log.signed_note(log.signed()[-2]))
    return Standing(
        nights=now.nights - {last},
        windows=frozenset(window for window in now.windows if window[0] != last),
        logged=frozenset(name for name in now.logged if not name.endswith(last.isoformat())),
        head=parse_checkpoint(note.text),
    )


def drawing(first: int, older: int) -> Callable[[int], bytes]:
    """Return entropy from which, of so many older windows, the sample begins with one; counted from 0, ascending."""
    seeds = (number.to_bytes(4) for number in range(100 * older))
    seed = next(seed for seed in seeds if random.Random(seed).randrange(older) == first)  # noqa: S311 - as drawn
    return lambda _: seed


def newest(root: Root, first: int = 0, before: Standing | None = None) -> VerificationReport:
    """Return what the verification of a root's last night finds, its sample beginning with a window."""
    held = before_last(root) if before is None else before
    older = sum(end != root.store.nights.kept()[-1] for end, _ in standing(root).windows)
    return verify_newest(root, held, progress=Silent(), entropy=drawing(first, older))


def main() -> None:
    """Count the files that are opened."""
    root, first = Root(Path(sys.argv[1])), int(sys.argv[2])
    before, opened = before_last(root), Counter[str]()
    inside = f"{root.path}/"

    def note(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str | Path) and str(arguments[0]).startswith(inside):
            opened[str(arguments[0]).removeprefix(inside)] += 1

    sys.addaudithook(note)
    report = newest(root, first, before)
    found = dict(opened)
    print(json.dumps({"opened": found, "findings": len(report.findings), "notes": report.notes}))  # noqa: T201 - a script's output


if __name__ == "__main__":
    main()
