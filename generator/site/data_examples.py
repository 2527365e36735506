"""What the data page prints for its readers to run: a copy of the data, and questions to it. Pure.

Each text works as it stands, in the folder of a copy or from the address; a test runs each as the page prints it. No
name of a model or provider stands in them.
"""

from __future__ import annotations

from datetime import date

import msgspec

from generator.records.data_file import DATA
from generator.records.definition import ReferenceRule, ratio
from generator.settings import Settings


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """One text to run."""

    name: str
    """The id of its heading."""
    title: str
    says: str
    """What it does and where it runs."""
    text: str


class Graded(msgspec.Struct, frozen=True, kw_only=True):
    """The window that the examples ask about."""

    window_end: date
    """A night of the archive too."""
    method_version: str
    reference: ReferenceRule
    """Of that version."""


def copying(settings: Settings) -> Example:
    """Return how to take a copy of everything, and to check it."""
    return Example(
        name="copy",
        title="A copy of everything, checked",
        says=(
            "In a folder of its own, with a shell, curl and sha256sum. Run again on another day, it fetches what is "
            "new and checks all of it."
        ),
        text=(
            f"data={settings.address}{DATA}\n"
            "for file in SHA256SUMS FORMAT.md files.json croissant.json; do\n"
            '  curl -fsS -o $file "$data$file"\n'
            "done\n"
            "cut -c 67- SHA256SUMS | while read -r file; do\n"
            '  [ -e "$file" ] || curl -fsS --create-dirs -o "$file" "$data$file"\n'
            "done\n"
            "sha256sum -c --quiet SHA256SUMS"
        ),
    )


def of_night(night: date, settings: Settings) -> tuple[Example, ...]:
    """Return the examples that ask about one night."""
    return (
        Example(
            name="outcomes",
            title="Outcomes of each endpoint on a night, with DuckDB",
            says="In the folder of a copy.",
            text=(
                "SELECT model, endpoint, outcome, count(*) AS observations\n"
                f"FROM '{_observations(night)}'\n"
                "GROUP BY model, endpoint, outcome\n"
                "ORDER BY model, endpoint, outcome;"
            ),
        ),
        Example(
            name="pyarrow",
            title="The same with pyarrow, from this address",
            says=(
                "Python. The digest of the file is checked before it is read. To read a copy, put the file address of "
                "its folder, which begins with file:/// and ends with a slash, in place of this one."
            ),
            text=(
                "import hashlib, io, json\n"
                "from urllib.request import urlopen\n\n"
                "import pyarrow.parquet as pq\n\n"
                f'data = "{settings.address}{DATA}"\n'
                f'path = "{_observations(night)}"\n\n'
                'files = json.loads(urlopen(data + "files.json").read())["files"]\n'
                'digests = {file["path"]: file["sha256"] for file in files}\n'
                "body = urlopen(data + path).read()\n"
                "assert hashlib.sha256(body).hexdigest() == digests[path]\n\n"
                # Without threads: with them a program as short as this was seen to abort at its end, while they end.
                "observations = pq.read_table(io.BytesIO(body), page_checksum_verification=True, use_threads=False)\n"
                'names = ["model", "endpoint", "outcome"]\n'
                'counted = observations.group_by(names).aggregate([([], "count_all")])\n'
                "for row in sorted(tuple(row.values()) for row in counted.to_pylist()):\n"
                "    print(*row)"
            ),
        ),
        Example(
            name="croissant",
            title="Rows through Croissant, with mlcroissant",
            says="Python, in the folder of a copy.",
            text=(
                "import mlcroissant\n\n"
                'archive = mlcroissant.Dataset("croissant.json")\n'
                'names = ["night", "model", "endpoint", "declared_precision"]\n'
                'for row in archive.records("listings"):\n'
                '    values = (row["listings/" + name] for name in names)\n'
                "    print(*(each.decode() if isinstance(each, bytes) else each for each in values))"
            ),
        ),
    )


def of_window(graded: Graded) -> tuple[Example, ...]:
    """Return the examples that ask about the grades of a window."""
    return (
        Example(
            name="letters",
            title="Letters by window, with DuckDB",
            says="In the folder of a copy. A letter stands with its method version and its four columns.",
            text=(
                "SELECT model, endpoint, window_end, letter, method_version, provisional,\n"
                "       m_letter, t_letter, d_letter, r_letter\n"
                f"FROM 'grades/{graded.method_version}/*.parquet'\n"
                "ORDER BY model, endpoint, window_end;"
            ),
        ),
        Example(
            name="match",
            title="A night's match, counted again, with DuckDB",
            says=(
                "In the folder of a copy. The reference is the answer that more endpoints gave than any other; prompts "
                "and mismatches are counted over the stable families, and the recorded ones stand beside them. The "
                "floors, which say what is within noise, are in m_family of the grades."
            ),
            text=_match(graded),
        ),
    )


def _match(graded: Graded) -> str:
    night = graded.window_end.isoformat()
    grades = f"'grades/{graded.method_version}/{night}.parquet'"
    # Dates, a version and numbers are filled in, and a reader runs it.
    return f"""WITH families AS (
  SELECT model, unnest(m_family) AS each
  FROM {grades}
), stable AS (
  SELECT DISTINCT model, each.family AS family
  FROM families WHERE each.stable
), answers AS (
  SELECT model, endpoint, prompt_id, answer
  FROM '{_observations(graded.window_end)}'
  JOIN stable USING (model, family)
  WHERE outcome = 'answered'
), counted AS (
  SELECT model, prompt_id, answer, count(*) AS given
  FROM answers GROUP BY model, prompt_id, answer
), reference AS (
  SELECT model, prompt_id, arg_max(answer, given) AS answer,
         list(given ORDER BY given DESC) AS most
  FROM counted GROUP BY model, prompt_id
  HAVING {_is_reference(graded.reference)}
), match AS (
  SELECT model, endpoint, count(*) AS prompts,
         count(*) FILTER (answers.answer <> reference.answer)
           AS mismatches
  FROM answers JOIN reference USING (model, prompt_id)
  GROUP BY model, endpoint
), recorded AS (
  SELECT model, endpoint, unnest(m_night) AS night
  FROM {grades}
)
SELECT model, endpoint, match.prompts, match.mismatches,
       night.prompts AS recorded_prompts,
       night.mismatches AS recorded_mismatches
FROM match JOIN recorded USING (model, endpoint)
WHERE night.night = DATE '{night}'
ORDER BY model, endpoint;"""  # noqa: S608


def _is_reference(rule: ReferenceRule) -> str:
    """Return the condition under which the most common answer is the reference, as `method.reference` has it."""
    conditions = [f"most[1] >= {rule.min_agreeing}", "most[1] > coalesce(most[2], 0)"]
    if rule.min_share is not None:
        share = ratio(rule.min_share)
        conditions.append(f"most[1] * {share.denominator} >= list_sum(most) * {share.numerator}")
    return "\n     AND ".join(conditions)


def _observations(night: date) -> str:
    return f"nights/{night.isoformat()}/observations.parquet"
