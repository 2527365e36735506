"""Night-to-night pairs: which answers to fixed prompts an endpoint gave on two nights, and which of them differ.

Counted once for two nights that follow each other in a window, and used for every window that holds both.
"""

from __future__ import annotations

import msgspec
import numpy as np
import pyarrow as pa

from generator.method.columns import Codes
from generator.method.night_tally import NightTally


class NightPairs(msgspec.Struct, frozen=True, kw_only=True):
    """The pairs of two nights."""

    keys: tuple[tuple[str, str], ...]
    """The (model, endpoint) listed on both, row by row."""
    families: tuple[str, ...]
    """Of the columns: as the earlier night names them."""
    counts: Codes
    """Rows x families x 2: pairs, and those that differ."""


def night_pairs(earlier: NightTally, later: NightTally) -> NightPairs:
    """Return the pairs of two nights: one fixed prompt, same id and same text, answered on both.

    Args:
        earlier: the night before in the window's list of nights, whatever the calendar gap.
        later: the night after. It keeps what is counted for as long as the earlier one is in use.
    """
    known = later.neighbours.get(earlier)
    if not isinstance(known, NightPairs):
        known = _counted(earlier, later)
        later.neighbours[earlier] = known
    return known


def _counted(earlier: NightTally, later: NightTally) -> NightPairs:
    columns = {prompt_id: column for column, prompt_id in enumerate(later.fixed_ids)}
    same = [
        (family, column, columns[prompt_id])
        for column, prompt_id in enumerate(earlier.fixed_ids)
        if prompt_id in columns and (family := _family_where_same(earlier, later, prompt_id)) is not None
    ]
    families = tuple(sorted({family for family, _, _ in same}))
    keys = earlier.keys
    if keys != later.keys:
        keys = tuple(key for key in keys if key in later.row_of)
    before, after = _one_dictionary(earlier, later)
    one = _part(before, earlier, keys)[:, [column for _, column, _ in same]]
    two = _part(after, later, keys)[:, [column for _, _, column in same]]
    both = (one >= 0) & (two >= 0)
    differing = both & (one != two)
    counts = np.zeros((len(keys), len(families), 2), dtype=np.int64)
    for place, family in enumerate(families):
        of_family = [column for column, (name, _, _) in enumerate(same) if name == family]
        counts[:, place, 0] = both[:, of_family].sum(axis=1)
        counts[:, place, 1] = differing[:, of_family].sum(axis=1)
    return NightPairs(keys=keys, families=families, counts=counts)


def _part(codes: Codes, tally: NightTally, keys: tuple[tuple[str, str], ...]) -> Codes:
    """Return the rows of some endpoints of a night, in their order."""
    return codes if keys == tally.keys else codes[[tally.row_of[key] for key in keys]]


def _family_where_same(earlier: NightTally, later: NightTally, prompt_id: str) -> str | None:
    """Return the family of a prompt that is fixed on both nights, word for word; None where it is not."""
    before, after = earlier.fixed_prompts.get(prompt_id), later.fixed_prompts.get(prompt_id)
    if before is None or after is None:
        return None
    (family, text), (_, text_after) = before, after
    return family if text == text_after else None


def _one_dictionary(earlier: NightTally, later: NightTally) -> tuple[Codes, Codes]:
    """Return both nights' codes with the same answer under the same code: the strings are compared, whole."""
    joined = pa.concat_arrays([earlier.answers, later.answers]).dictionary_encode()
    places = joined.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    first, second = places[: len(earlier.answers)], places[len(earlier.answers) :]
    return _recoded(earlier.fixed, first), _recoded(later.fixed, second)


def _recoded(codes: Codes, places: Codes) -> Codes:
    """Return codes with each replaced by its place; -1 stays."""
    recoded: Codes = np.concatenate((places, [-1]))[codes]
    return recoded
