"""The columns of the archive's tables as Croissant describes them: name, type, and what a value says. Pure.

Lists of structs, which grades have, are left out: FORMAT.md describes them. A test holds names and types against the
archive's own schemas.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

TEXT, BOOL, DATE, MOMENT, USD = "sc:Text", "sc:Boolean", "sc:Date", "sc:DateTime", "sc:Float"
WHOLE16, WHOLE32, WHOLE64 = "cr:Int16", "cr:Int32", "cr:Int64"


class Column(msgspec.Struct, frozen=True):
    """One column of a table."""

    name: str
    kind: str
    """The data type, in the vocabulary of schema.org or Croissant."""
    says: str
    is_list: bool = False


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of table: every night has each but grades, and every graded window has those."""

    says: str
    includes: str
    """Where its files lie, below the folder of the data, as a glob pattern."""
    key: tuple[str, ...]
    """The columns that name a row of one file."""
    columns: tuple[Column, ...]

    @property
    def is_nightly(self) -> bool:
        """True where a file is of one night, which no column says."""
        return self.includes.startswith("nights/")


_MODEL = Column("model", TEXT, "the router's permanent name of the model")
_ENDPOINT = Column("endpoint", TEXT, "the permanent name of one provider's serving of the model")
_PROMPT_ID = Column("prompt_id", TEXT, "names a prompt of the night")
_FAMILY = Column("family", TEXT, "the kind of prompt")
_FIXED = Column("fixed", BOOL, "the prompt is sent every night, word for word")
_OUTCOME = Column("outcome", TEXT, "answered, truncated, empty, error, misrouted or unsent")
_PROMPT_TOKENS = Column("prompt_tokens", WHOLE32, "as the router counts them")
_LATENCY = Column("latency_ms", WHOLE32, "milliseconds from sending to the last byte of a complete body")
_COST = Column("cost_usd", USD, "US dollars")
_PROVIDER = Column("provider", TEXT, "as listed")
_TAG = Column("tag", TEXT, "as listed")
_LISTINGS = Column("listings", WHOLE16, "more than 1: entries of the listing that cannot be told apart")
_PRICES = (
    Column("price_prompt", USD, "listed price of a prompt token in US dollars"),
    Column("price_completion", USD, "listed price of a completion token in US dollars"),
)

TABLES: Mapping[str, Table] = {
    "observations": Table(
        says="One row for each prompt planned for an endpoint on a night: what was asked, and what came of it.",
        includes="nights/*/observations*.parquet",
        key=("model", "endpoint", "prompt_id"),
        columns=(
            _MODEL,
            _ENDPOINT,
            _PROMPT_ID,
            _FAMILY,
            _FIXED,
            _OUTCOME,
            Column("answer", TEXT, "normalised; null unless answered, truncated or misrouted"),
            Column("text", TEXT, "as received; null likewise"),
            Column("correct", BOOL, "false for a truncated answer; null without a key, or for other outcomes"),
            Column("error_kind", TEXT, "a short code"),
            Column("http_status", WHOLE16, "of the router's response"),
            Column("finish_reason", TEXT, "as the router said"),
            Column("native_finish_reason", TEXT, "as the router said"),
            Column("served_provider", TEXT, "as the router said"),
            Column("served_model", TEXT, "as the router said"),
            Column("generation_id", TEXT, "as the router said"),
            _PROMPT_TOKENS,
            Column("completion_tokens", WHOLE32, "as the router counts them"),
            Column("reasoning_tokens", WHOLE32, "as the router counts them"),
            _LATENCY,
            _COST,
            Column("requested_at", MOMENT, "UTC"),
        ),
    ),
    "listings": Table(
        says="One row for each endpoint that the router listed on a night: what is declared of it.",
        includes="nights/*/listings.parquet",
        key=("model", "endpoint"),
        columns=(
            _MODEL,
            Column("model_id", TEXT, "the router's name of the model that night"),
            _ENDPOINT,
            _PROVIDER,
            _TAG,
            _LISTINGS,
            Column("declared_precision", TEXT, "the provider's claim; null when absent"),
            Column("context_length", WHOLE64, "declared, in tokens"),
            Column("max_completion_tokens", WHOLE64, "declared, in tokens"),
            Column("first_listed", DATE, "the first recorded night that lists the endpoint"),
            Column("succeeded_from", TEXT, "the earlier tag, on the night of a succession alone"),
            *_PRICES,
            Column("status", WHOLE32, "as the router said"),
            Column("raw", TEXT, "the router's JSON for this endpoint"),
        ),
    ),
    "prompts": Table(
        says="One row for each prompt of a night, fixed or generated from the night's seed.",
        includes="nights/*/prompts.parquet",
        key=("prompt_id",),
        columns=(
            _PROMPT_ID,
            _FAMILY,
            _FIXED,
            Column("prompt", TEXT, "word for word"),
            Column("expected", TEXT, "the key; null where there is none"),
            Column("max_tokens", WHOLE32, "how long the answer may be, in tokens"),
        ),
    ),
    "context": Table(
        says="One row for each context probe of a night. They are not graded.",
        includes="nights/*/context.parquet",
        key=("model", "endpoint", "rung_tokens"),
        columns=(
            _MODEL,
            _ENDPOINT,
            Column("rung_tokens", WHOLE32, "the size asked, in tokens"),
            _PROMPT_TOKENS,
            _OUTCOME,
            Column("correct", BOOL, "the code was found; null where the outcome is neither answered nor truncated"),
            _LATENCY,
            _COST,
        ),
    ),
    "grades": Table(
        says=(
            "One row for each grade: an endpoint over a window, under one method version. A letter never stands "
            "without its method version and its four columns."
        ),
        includes="grades/*/*.parquet",
        key=("model", "endpoint", "window_end", "method_version"),
        columns=(
            _MODEL,
            _ENDPOINT,
            _PROVIDER,
            _TAG,
            _LISTINGS,
            Column("window_start", DATE, "the window's first night"),
            Column("window_end", DATE, "the window's last night, which names it"),
            Column("nights", DATE, "the window's recorded nights", is_list=True),
            Column("method_version", TEXT, "the version of the method that made the grade"),
            Column("method_digest", TEXT, "SHA-256 of the definition"),
            Column("letter", TEXT, "A, B, C, D, or U where unrated"),
            Column("provisional", BOOL, "the version is provisional"),
            Column("m_letter", TEXT, "match; null when not measured"),
            Column("t_letter", TEXT, "task accuracy; null when not measured"),
            Column("d_letter", TEXT, "declared precision; null when not measured"),
            Column("r_letter", TEXT, "reliability; null when not measured"),
            Column("m_nights_observed", WHOLE64, "nights on which match was measured"),
            Column("m_nights_outside", WHOLE64, "of those, the nights outside the floors"),
            Column(
                "m_own_variation_above_floor", BOOL, "the endpoint's own pairs differ more often than the floors allow"
            ),
            Column("t_correct", WHOLE64, "correct answers"),
            Column("t_counted", WHOLE64, "keyed prompts answered or begun"),
            Column("t_planned", WHOLE64, "keyed prompts planned"),
            Column("t_best_correct", WHOLE64, "correct answers of the endpoint that T is counted from"),
            Column("t_best_counted", WHOLE64, "its keyed prompts answered or begun"),
            Column("t_within_floor", BOOL, "T is within the floor, which is no difference"),
            Column("d_state", TEXT, "present, absent or changed"),
            Column("d_precision", TEXT, "the last one declared"),
            Column("r_sent", WHOLE64, "observations sent"),
            Column("r_errors", WHOLE64, "errors and empty answers"),
            Column("r_answered", WHOLE64, "answers"),
            Column("r_truncated", WHOLE64, "truncated answers"),
            Column("r_misrouted", WHOLE64, "answers of another provider or model"),
            Column("unrated_reasons", TEXT, "codes of the reasons to be unrated", is_list=True),
            Column("nights_since_listed", WHOLE64, "recorded nights from its first listing to the window's end"),
            Column("nights_absent", WHOLE64, "nights of the window since its first listing on which it was absent"),
            Column("pairs", WHOLE64, "(night, prompt) pairs of the model in the window"),
            Column("pairs_without_reference", WHOLE64, "of those, the pairs without a reference"),
            Column("issued", DATE, "the day on which the grade was issued"),
            Column("latency_class", TEXT, "I to IV, or 'replayed'; shown, not graded"),
            Column("median_latency_ms", WHOLE64, "milliseconds; shown, not graded"),
            *_PRICES,
            Column("context_declared", WHOLE64, "tokens"),
            Column("context_observed", WHOLE64, "the size of the largest context probe that was answered, in tokens"),
        ),
    ),
}
