"""The same figures with Arrow's own engine, as a user of pyarrow would chain them."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from tests.benchmarks.archive_maker import OUTCOMES, WORDS, Made
from tests.benchmarks.figures import Figures, figures
from tests.method_variants import METHOD

QUESTION = ["night", "model", "prompt_id"]
CELL = ["endpoint", "family"]


def run(made: Made, form: str) -> dict[str, pa.Table]:
    """Return the tables of the one window that all nights make."""
    rows = ds.dataset([str(path) for path in made.files(form)]).to_table(columns=["night", *WORDS, "fixed", "correct"])
    if form == "words":
        # Joins take no keys with dictionaries that differ from night to night.
        rows = rows.cast(pa.schema([pa.field(f.name, _plain(f.type)) for f in rows.schema]))
    outcome = {
        str(o): pc.equal(rows["outcome"], pa.scalar(place if form == "codes" else str(o), rows["outcome"].type))
        for place, o in enumerate(OUTCOMES)
    }
    answered = rows.filter(outcome["answered"])
    reference = _references(answered)
    compared = answered.join(reference, QUESTION, join_type="inner")
    compared = _marked(compared, mismatch=pc.not_equal(compared["answer"], compared["reference"]))
    marked = _marked(
        rows,
        sent=pc.invert(outcome["unsent"]),
        errors=pc.or_(outcome["error"], outcome["empty"]),
        **{name: outcome[name] for name in ("answered", "truncated", "misrouted")},
    )
    fixed = answered.filter(answered["fixed"]).select(["night", "endpoint", "prompt_id", "family", "answer"])
    before = fixed.select(["night", "endpoint", "prompt_id", "answer"]).rename_columns(
        ["night", "endpoint", "prompt_id", "before"]
    )
    before = before.set_column(0, "night", pc.add(before["night"], pa.scalar(1, pa.int16())))
    pairs = fixed.join(before, ["night", "endpoint", "prompt_id"], join_type="inner")
    pairs = _marked(pairs, differs=pc.not_equal(pairs["answer"], pairs["before"]))
    asked = rows.filter(pc.invert(outcome["unsent"])).group_by(QUESTION).aggregate([])
    names = ["sent", "errors", "answered", "truncated", "misrouted"]
    return {
        "match": _summed(compared, CELL, [("mismatch", "count"), ("mismatch", "sum")], ["compared", "mismatches"]),
        "keyed": _summed(rows, CELL, [("correct", "count"), ("correct", "sum")], ["counted", "correct"]),
        "outcomes": _summed(marked, ["endpoint"], [(name, "sum") for name in names], names),
        "pairs": _summed(pairs, CELL, [("differs", "count"), ("differs", "sum")], ["pairs", "differing"]),
        "references": _summed(
            asked.join(reference, QUESTION),
            ["model"],
            [("night", "count"), ("reference", "count")],
            ["asked", "referenced"],
        ),
    }


def shown(tables: dict[str, pa.Table], words: dict[str, list[str]]) -> Figures:
    """Return the tables as figures."""
    return figures({name: table.to_pylist() for name, table in tables.items()}, words)


def _references(answered: pa.Table) -> pa.Table:
    given = answered.group_by([*QUESTION, "answer"]).aggregate([([], "count_all")])
    most = given.group_by(QUESTION).aggregate([("count_all", "max")])
    first = given.join(most, QUESTION)
    enough = pc.greater_equal(first["count_all"], METHOD.definition.reference.min_agreeing)
    first = first.filter(pc.and_(pc.equal(first["count_all"], first["count_all_max"]), enough))
    alone = first.group_by(QUESTION).aggregate([("answer", "one"), ([], "count_all")])
    alone = alone.filter(pc.equal(alone["count_all"], 1))
    return alone.select([*QUESTION, "answer_one"]).rename_columns([*QUESTION, "reference"])


def _marked(table: pa.Table, **marks: pa.ChunkedArray) -> pa.Table:
    for name, mark in marks.items():
        table = table.append_column(f"is_{name}" if name in table.column_names else name, mark)
    return table


def _summed(table: pa.Table, keys: list[str], sums: list[tuple[str, str]], names: list[str]) -> pa.Table:
    found = table.group_by(keys).aggregate(sums)
    return found.select([*keys, *(f"{column}_{function}" for column, function in sums)]).rename_columns([*keys, *names])


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind
