"""What a benchmark ran on, in words that name no host: processor, cores, memory, system, Python."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def machine() -> str:
    """Return the machine on one line."""
    cores = os.cpu_count() or 1
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{_processor()}, {cores} core{'s' if cores > 1 else ''}, {memory:.0f} GiB of memory, "
        f"{platform.system()}, Python {platform.python_version()}"
    )


def _processor() -> str:
    """Return the processor's model name; its architecture where the system does not say."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())
