"""The demo router's client: OpenRouter's, but that the time an answer took is the recording's, not this machine's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.probing.interface import LATENCY_HEADER
from generator.probing.openrouter import OpenRouter

_MAX_DIGITS = 9


class Demo(OpenRouter):
    """The embedded router, asked as OpenRouter is."""

    def __init__(self, *args: Any, **options: Any) -> None:
        """Take what `OpenRouter` takes."""
        super().__init__(*args, **{"kind": "demo", **options})
        self.latency = "replayed"

    def latency_of(self, headers: Mapping[str, str], measured_ms: int) -> int | None:  # noqa: ARG002 - not measured
        """Return the recorded answer's time, or None where none stands behind the reply."""
        text = headers.get(LATENCY_HEADER, "")
        return int(text) if text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS else None
