"""The same figures in SQL, as a user of DuckDB would ask for them."""

from __future__ import annotations

import duckdb

from tests.benchmarks.archive_maker import OUTCOMES, Made
from tests.benchmarks.figures import Figures, figures
from tests.method_variants import METHOD


def window(made: Made, form: str) -> dict[str, duckdb.DuckDBPyRelation]:
    """Return the counts of the one window that all nights make."""
    base = duckdb.connect()
    files = [str(path) for path in made.files(form)]
    is_ = {str(o): f"outcome = {place if form == 'codes' else repr(str(o))}" for place, o in enumerate(OUTCOMES)}
    base.execute(f"CREATE TEMP TABLE obs AS SELECT * FROM read_parquet({files!r})")  # noqa: S608 - our own names
    base.execute(
        f"""
        CREATE TEMP TABLE ref AS
        SELECT night, model, prompt_id, arg_max(answer, n) AS answer
        FROM (SELECT night, model, prompt_id, answer, count(*) AS n FROM obs WHERE {is_["answered"]} GROUP BY ALL)
        GROUP BY ALL
        HAVING max(n) >= {METHOD.definition.reference.min_agreeing} AND (count(*) = 1 OR max(n, 2)[1] > max(n, 2)[2])
        """  # noqa: S608 - our own words
    )
    base.execute(
        f"""
        CREATE TEMP TABLE counted AS
        SELECT endpoint, family,
               count(ref.answer) FILTER ({is_["answered"]}) AS compared,
               count(*) FILTER ({is_["answered"]} AND obs.answer <> ref.answer) AS mismatches,
               count(correct) AS counted,
               count(*) FILTER (correct) AS correct,
               count(*) FILTER (NOT {is_["unsent"]}) AS sent,
               count(*) FILTER ({is_["error"]} OR {is_["empty"]}) AS errors,
               count(*) FILTER ({is_["answered"]}) AS answered,
               count(*) FILTER ({is_["truncated"]}) AS truncated,
               count(*) FILTER ({is_["misrouted"]}) AS misrouted
        FROM obs LEFT JOIN ref USING (night, model, prompt_id)
        GROUP BY ALL
        """  # noqa: S608 - our own words
    )
    base.execute(
        f"""
        CREATE TEMP TABLE fixed_answers AS
        SELECT night, endpoint, prompt_id, family, answer FROM obs WHERE fixed AND {is_["answered"]}
        """  # noqa: S608 - our own words
    )
    return {
        "match": base.sql("SELECT endpoint, family, compared, mismatches FROM counted"),
        "keyed": base.sql("SELECT endpoint, family, counted, correct FROM counted"),
        "outcomes": base.sql(
            """SELECT endpoint, sum(sent) AS sent, sum(errors) AS errors, sum(answered) AS answered,
                      sum(truncated) AS truncated, sum(misrouted) AS misrouted FROM counted GROUP BY ALL"""
        ),
        "pairs": base.sql(
            """SELECT a.endpoint, a.family, count(*) AS pairs, count(*) FILTER (a.answer <> b.answer) AS differing
               FROM fixed_answers a JOIN fixed_answers b
                 ON a.endpoint = b.endpoint AND a.prompt_id = b.prompt_id AND b.night = a.night + 1
               GROUP BY ALL"""
        ),
        "references": base.sql(
            f"""SELECT model, count(*) AS asked, count(ref.answer) AS referenced
                FROM (SELECT DISTINCT night, model, prompt_id FROM obs WHERE NOT {is_["unsent"]})
                LEFT JOIN ref USING (night, model, prompt_id) GROUP BY ALL"""  # noqa: S608 - our own words
        ),
    }


def run(made: Made, form: str) -> dict[str, object]:
    """Return the window's tables, computed."""
    return {name: relation.to_arrow_table() for name, relation in window(made, form).items()}


def shown(tables: dict[str, object], words: dict[str, list[str]]) -> Figures:
    """Return the tables as figures."""
    return figures({name: table.to_pylist() for name, table in tables.items()}, words)  # type: ignore[attr-defined]
