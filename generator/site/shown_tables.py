"""What is shown and not graded, as tables of counts: prompt tokens, change by night, endpoints behind a reference."""

from __future__ import annotations

from fractions import Fraction

from generator.records.comparison import is_difference
from generator.site.interface import EndpointMaterial, ModelMaterial
from generator.site.tables import Table, counted

SAME_COUNT = "the most common count"


def endpoint_tables(endpoint: EndpointMaterial) -> tuple[Table, ...]:
    """Return what is shown of an endpoint over the latest window; nothing where nothing was counted."""
    found = []
    if endpoint.tokens:
        found.append(
            Table(
                caption="Prompt tokens that the endpoint reported, against the model's most common count for the same "
                "prompt on the same night",
                heads=("Prompt tokens", "Prompts"),
                rows=tuple((tokens_words(extra), f"{prompts:,}") for extra, prompts in endpoint.tokens),
                figures=frozenset({"Prompts"}),
            )
        )
    if endpoint.changes:
        found.append(
            Table(
                caption="The endpoint's own change from each night to the next: fixed prompts answered on both, and "
                "those whose answers differ",
                heads=("Nights", "Pairs", "Pairs that differ"),
                rows=tuple(
                    (
                        f"{each.earlier.isoformat()} to {each.later.isoformat()}",
                        f"{each.pairs:,}",
                        f"{each.differing:,}",
                    )
                    for each in endpoint.changes
                ),
                figures=frozenset({"Pairs", "Pairs that differ"}),
            )
        )
    return tuple(found)


def model_tables(model: ModelMaterial) -> tuple[Table, ...]:
    """Return what is shown of a model over the latest window: how many endpoints stand behind its references."""
    rows = [(counted(endpoints, "endpoint"), f"{pairs:,}") for endpoints, pairs in model.references]
    if model.without_reference:
        rows.insert(0, ("no reference", f"{model.without_reference:,}"))
    if not rows:
        return ()
    table = Table(
        caption="Night and prompt pairs of the window by how many endpoints gave the reference",
        heads=("Behind the reference", "Pairs"),
        rows=tuple(rows),
        figures=frozenset({"Pairs"}),
    )
    return (table,)


def tokens_words(extra: int) -> str:
    """Return how a token count stands to the most common one: '20 more', '3 fewer'.

    A floor is made of answers that differ from one night to the next; a count of tokens has none.
    """
    if extra == 0 or not is_difference(Fraction(abs(extra)), floor=None):
        return SAME_COUNT
    return f"{extra:,} more" if extra > 0 else f"{-extra:,} fewer"
