"""What stands in the environment, for whoever has to know without reading it."""

from __future__ import annotations

import os


def is_set(variable: str) -> bool:
    """True where an environment variable holds anything."""
    return bool(os.environ.get(variable, "").strip())
