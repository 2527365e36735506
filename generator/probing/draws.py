"""The draws of a night: they lie in `records/draws.py`, because resampling in the method draws in the same way."""

from __future__ import annotations

from generator.records.draws import Draws

__all__ = ["Draws"]
