"""What the property tests of observing draw from: any JSON values, real bodies, and the check of what comes of them."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from hypothesis import strategies as st

from generator.probing.families import FAMILIES
from generator.probing.interface import Ask, Reply
from generator.probing.wire import observe, retryable, stop
from generator.records.observation import Observation, Outcome
from tests.probing_makers import BODIES, ask
from tests.wire_oracle import hold

STATUSES = st.sampled_from([200, 200, 200, 204, 302, 400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 502, 529, 999])
NAMES = st.sampled_from(
    [
        "error",
        "code",
        "message",
        "metadata",
        "provider_name",
        "limit_source",
        "content",
        "finish_reason",
        "cost",
        "type",
    ]
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["stop", "length", "error", "content_filter", "Elm", "Oak", "429", "text", "Paris", "<think>"])
    | st.text(max_size=20)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=12,
)
HEADERS = st.dictionaries(
    st.sampled_from(["x-openrouter-cache-status", "retry-after", "content-type"]),
    st.sampled_from(["HIT", " hit", "MISS"]) | st.text(max_size=9),
    max_size=2,
)
REAL = {path.name: path.read_bytes() for path in sorted(BODIES.glob("*answer_*.json"))}
AT = datetime(2026, 8, 14, 2, 3, 4, 567_891, tzinfo=UTC)


def check(asked: Ask, came: Reply) -> Observation:
    """Return the observation of a reply after holding it to everything that is true of every observation."""
    observation = observe(asked, came, FAMILIES[asked.kind])
    hold(asked, came, observation)
    assert not retryable(observation) or observation.outcome is Outcome.UNSENT
    stop(came)
    return observation


def asked_of(body: bytes) -> Ask:
    """Return the ask that a real body answers."""
    named = json.loads(body)
    model = named.get("model", "author/model")
    return ask(provider=named.get("provider", "Elm"), model=model, model_id=model)
