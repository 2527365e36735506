"""A night's client in a process of its own, so that its peak of memory can be read: python -m tests.hostile_client.

Arguments: the router's address, then the tags to ask, one after another. Prints a JSON object a line: for each tag
its outcome, its kind and by how many kilobytes the peak has grown since a first good answer.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from generator.probing.budget import Budget
from generator.probing.collect import collect
from generator.probing.openrouter import OpenRouter
from generator.records.observation import Observation
from generator.settings import Key, ProbingSettings
from tests.probing_makers import ask, prompt

SETTINGS = ProbingSettings(total_deadline_s=1.5, idle_deadline_s=0.5, attempts=1)
"""The cap of a body is the one that a night has."""
AT_ONCE = 4
"""As many as one endpoint is asked at a time."""


def peak_kb() -> int:
    """Return the most memory that this process has held."""
    status = Path("/proc/self/status")
    if status.exists():
        # What getrusage says on Linux begins with the peak of the process that started this one.
        return int(status.read_text().partition("VmHWM:")[2].split()[0])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // 1024 if sys.platform == "darwin" else peak


async def observed(router: OpenRouter, tag: str) -> list[Observation]:
    """Return what comes of asking one endpoint, several times at once."""
    seen: list[Observation] = []
    await collect(
        router,
        [ask(endpoint=tag, tag=tag, prompt=prompt(prompt_id=f"capital-f{number}")) for number in range(AT_ONCE)],
        settings=SETTINGS,
        budget=Budget(None),
        sink=seen.append,
        progress=lambda _done, _total: None,
        monotonic=asyncio.get_running_loop().time,
        sleep=asyncio.sleep,
    )
    return seen


async def main(address: str, tags: Iterable[str]) -> None:
    """Ask and print."""
    loop = asyncio.get_running_loop()
    async with OpenRouter(address, Key("sk-hostile-world"), SETTINGS, lambda: datetime.now(UTC), loop.time) as router:
        await observed(router, "warm")
        before = peak_kb()
        for tag in tags:
            seen = await observed(router, tag)
            found = {"tag": tag, "grown_kb": peak_kb() - before, "seen": [(o.outcome, o.error_kind) for o in seen]}
            print(json.dumps(found), flush=True)  # noqa: T201 - what the test reads


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2:]))
