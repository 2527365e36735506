"""One model's share of a night's tally: what a window's grades of that model are made from, and nothing else."""

from __future__ import annotations

import msgspec
import numpy as np
import pyarrow as pa

from generator.method.night_tally import NightTally


def of_model(tally: NightTally, model: str) -> NightTally:
    """Return a night's tally with the rows of one model alone; none of them where the night does not list it.

    What is said of the whole night stays: its prompts, its families, and whether latencies were replayed. So a window
    of such tallies gives the model the very grades that a window of whole ones gives it.
    """
    rows = np.flatnonzero(np.array([each == model for each, _ in tally.keys], dtype=np.bool_))
    places = rows.tolist()
    starts, ends = tally.latency_starts[rows], tally.latency_starts[rows + 1]
    latencies = [tally.latencies_ms[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    # Only what the model's endpoints said: two nights' answers are compared by a dictionary of all that both hold.
    used, places_of = np.unique(tally.fixed[rows], return_inverse=True)
    said = used[used >= 0]
    fixed = places_of.reshape(tally.fixed[rows].shape).astype(np.int64) - (len(used) - len(said))
    found = np.flatnonzero(np.array([each == model for each in tally.models], dtype=np.bool_))
    return msgspec.structs.replace(
        tally,
        listings=tally.listings.take(pa.array(places, pa.int64())),
        keys=tuple(tally.keys[row] for row in places),
        counts=tally.counts[rows],
        outcomes=tally.outcomes[rows],
        models=tuple(tally.models[place] for place in found.tolist()),
        questions=tally.questions[found],
        fixed=fixed,
        answers=tally.answers.take(pa.array(said, pa.int64())),
        latencies_ms=np.concatenate([tally.latencies_ms[:0], *latencies]),
        latency_starts=np.concatenate((tally.latency_starts[:1] * 0, np.cumsum(ends - starts))),
        contexts={place: tally.contexts[row] for place, row in enumerate(places) if row in tally.contexts},
    )
