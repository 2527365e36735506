"""The context probes: a look-up buried in filler, redrawn from a night's seed and a size alone. They are not graded.

The size of a probe, its rung, is the number of words of its filler: eight to a sentence, a sentence to a line. No
tokenizer in common use makes one token of two words that white space parts, so that a probe has at least as many
tokens as its rung says. This is an estimate: no tokenizer was run on the probes. It was checked against the
demo's recording, where the tokenizers of two models (Gemma 3, SmolLM2) counted 60 prompts without digits: never fewer
tokens than words, and never more than 1.62 a word; fitted, 1.1 a word and 1.4 to 1.7 a mark of punctuation. A line of
filler with its full stop and its end so comes to 1.4 tokens a word: room is left for 1.5. What the answer itself counts
is kept beside the rung.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from generator.probing.budget import TEMPLATE_TOKENS
from generator.probing.draws import Draws
from generator.probing.families import lookup
from generator.probing.wire_values import INT64_MAX, NotJsonError, read_json, whole
from generator.records.prompt import Prompt

CONTEXT_FAMILY = "context"
"""What the rows of context probes in a journal call their family; no prompt set may."""
CONTEXT_PREFIX = "context-"
"""How the id of every context probe begins, and of no prompt of a set."""
CONTEXT_KIND = lookup.FAMILY.kind
"""What normalises their answers."""

LABEL = "context probe"
"""The label, before the rung's, of the stream that a probe is drawn from."""
SENTENCE_WORDS = 8

ADJECTIVES = (
    *("old", "quiet", "small", "bright", "narrow", "heavy", "round", "plain"),
    *("distant", "wooden", "gentle", "yellow", "empty", "broad", "cool", "early"),
)
NOUNS = (
    *("river", "garden", "bridge", "lamp", "chair", "window", "field", "boat"),
    *("table", "forest", "stone", "road", "wall", "basket", "clock", "hill"),
    *("door", "market", "island", "tower", "kettle", "mirror", "valley", "ladder"),
    *("carpet", "orchard", "station", "village", "candle", "harbour", "pillow", "wagon"),
)
VERBS = ("stood", "rested", "waited", "turned", "appeared", "remained", "moved", "settled")
PLACES = ("near", "behind", "beside", "above", "below", "under", "beyond", "before")
LETTERS = "BDPT"

_MAX_TOKENS = 24
_ROOM_NUMERATOR, _ROOM_DENOMINATOR = 3, 2
"""Tokens that a probe may come to, for each token of its rung."""


def context_prompt(seed: str, rung_tokens: int) -> Prompt:
    """Return a night's probe of one size: the same for every endpoint.

    Args:
        seed: the night's, as night.json publishes it.
        rung_tokens: the size.
    """
    draws = Draws(seed, LABEL, str(rung_tokens))
    lines = [_sentence(draws) for _ in range(rung_tokens // SENTENCE_WORDS)]
    thing = f"{draws.choice(ADJECTIVES)} {draws.choice(NOUNS)}"
    code = f"{draws.choice(LETTERS)}{draws.choice(LETTERS)}{draws.between(100, 999)}"
    lines.insert(draws.below(len(lines) + 1), f"The code of the {thing} is {code}.")
    filler = "\n".join(lines)
    return Prompt(
        prompt_id=context_id(rung_tokens),
        family=CONTEXT_FAMILY,
        fixed=False,
        prompt=f"{filler}\n\nWhat is the code of the {thing}? Answer with the code only.",
        expected=code,
        max_tokens=_MAX_TOKENS,
    )


def context_id(rung_tokens: int) -> str:
    """Return what the probe of one size is called."""
    return f"{CONTEXT_PREFIX}{rung_tokens}"


def rung_of(prompt_id: str) -> int:
    """Return the size of a probe by its id."""
    return int(prompt_id.removeprefix(CONTEXT_PREFIX))


def tonights_rung(
    night: date, rungs: Sequence[int], *, context_length: int | None, raw: str, answer_tokens: int
) -> int | None:
    """Return the size of the one probe that an endpoint is asked tonight; None where none fits.

    The sizes that fit take turns by the calendar, so that every endpoint meets each of its own as often as another.

    Args:
        night: tonight.
        rungs: all sizes in tokens, ascending.
        context_length: in tokens, as listed; None where nothing is listed, and every size fits.
        raw: the listing's JSON for the endpoint, which may also limit the prompt's tokens.
        answer_tokens: what the request allows the answer, thinking included.
    """
    longest_prompt = _most_prompt_tokens(raw)
    fitting = [
        rung
        for rung in rungs
        if (context_length is None or _most_tokens(rung) + answer_tokens <= context_length)
        and (longest_prompt is None or _most_tokens(rung) <= longest_prompt)
    ]
    return fitting[night.toordinal() % len(fitting)] if fitting else None


def _sentence(draws: Draws) -> str:
    """Return one line of filler."""
    first = f"The {draws.choice(ADJECTIVES)} {draws.choice(NOUNS)} {draws.choice(VERBS)}"
    return f"{first} {draws.choice(PLACES)} the {draws.choice(ADJECTIVES)} {draws.choice(NOUNS)}."


def _most_tokens(rung_tokens: int) -> int:
    """Return what the prompt of a probe may come to, a chat template around it included."""
    return rung_tokens * _ROOM_NUMERATOR // _ROOM_DENOMINATOR + TEMPLATE_TOKENS


def _most_prompt_tokens(raw: str) -> int | None:
    """Return the smallest limit on a prompt's tokens that an endpoint's listing names; None without one."""
    try:
        listed = read_json(raw.encode(), unique_names=False)
    except NotJsonError:
        return None
    entries = listed if isinstance(listed, list) else [listed]
    limits = (whole(entry.get("max_prompt_tokens"), 0, INT64_MAX) for entry in entries if isinstance(entry, dict))
    return min((limit for limit in limits if limit is not None), default=None)
