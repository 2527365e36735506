"""The Arrow schemas of the archive's Parquet files, as archive/FORMAT.md describes them for a stranger."""

from __future__ import annotations

import pyarrow as pa

SCHEMA_FORMAT = 1
"""Version of the schemas below; it stands in each file's metadata under `bitdepth.format`."""

_CODE = pa.dictionary(pa.int32(), pa.string())
_USD_PER_CALL = pa.decimal128(18, 12)


def _schema(name: str, fields: list[tuple[str, pa.DataType]]) -> pa.Schema:
    metadata = {b"bitdepth.file": name.encode(), b"bitdepth.format": str(SCHEMA_FORMAT).encode()}
    return pa.schema([pa.field(column, kind) for column, kind in fields], metadata=metadata)


OBSERVATIONS = _schema(
    "observations",
    [
        ("model", _CODE),
        ("endpoint", _CODE),
        ("prompt_id", _CODE),
        ("family", _CODE),
        ("fixed", pa.bool_()),
        ("outcome", _CODE),
        ("answer", pa.string()),
        ("text", pa.string()),
        ("correct", pa.bool_()),
        ("error_kind", pa.string()),
        ("http_status", pa.int16()),
        ("finish_reason", pa.string()),
        ("native_finish_reason", pa.string()),
        ("served_provider", pa.string()),
        ("served_model", pa.string()),
        ("generation_id", pa.string()),
        ("prompt_tokens", pa.int32()),
        ("completion_tokens", pa.int32()),
        ("reasoning_tokens", pa.int32()),
        ("latency_ms", pa.int32()),
        ("cost_usd", _USD_PER_CALL),
        ("requested_at", pa.timestamp("ms", tz="UTC")),
    ],
)
"""One row per prompt planned for an endpoint; sorted by model, endpoint, prompt_id."""

LISTINGS = _schema(
    "listings",
    [
        ("model", pa.string()),
        ("model_id", pa.string()),
        ("endpoint", pa.string()),
        ("provider", pa.string()),
        ("tag", pa.string()),
        ("listings", pa.int16()),
        ("declared_precision", pa.string()),
        ("context_length", pa.int64()),
        ("max_completion_tokens", pa.int64()),
        ("first_listed", pa.date32()),
        ("succeeded_from", pa.string()),
        ("price_prompt", pa.decimal128(18, 12)),
        ("price_completion", pa.decimal128(18, 12)),
        ("status", pa.int32()),
        ("raw", pa.string()),
    ],
)
"""One row per endpoint listed; sorted by model, endpoint."""

PROMPTS = _schema(
    "prompts",
    [
        ("prompt_id", pa.string()),
        ("family", pa.string()),
        ("fixed", pa.bool_()),
        ("prompt", pa.string()),
        ("expected", pa.string()),
        ("max_tokens", pa.int32()),
    ],
)
"""One row per prompt of the night; sorted by prompt_id."""

CONTEXT = _schema(
    "context",
    [
        ("model", pa.string()),
        ("endpoint", pa.string()),
        ("rung_tokens", pa.int32()),
        ("prompt_tokens", pa.int32()),
        ("outcome", pa.string()),
        ("correct", pa.bool_()),
        ("latency_ms", pa.int32()),
        ("cost_usd", _USD_PER_CALL),
    ],
)
"""One row per context probe planned, which is not graded; sorted by model, endpoint, rung_tokens."""

_MATCH_NIGHT = pa.struct(
    [
        ("night", pa.date32()),
        ("prompts", pa.int64()),
        ("mismatches", pa.int64()),
        ("allowed_numerator", pa.int64()),
        ("allowed_denominator", pa.int64()),
    ]
)
_MATCH_FAMILY = pa.struct(
    [
        ("family", pa.string()),
        ("stable", pa.bool_()),
        ("floor_numerator", pa.int64()),
        ("floor_denominator", pa.int64()),
        ("prompts", pa.int64()),
        ("mismatches", pa.int64()),
        ("pairs", pa.int64()),
        ("pairs_differing", pa.int64()),
    ]
)
_TASK_FAMILY = pa.struct([("family", pa.string()), ("correct", pa.int64()), ("counted", pa.int64())])
_DECLARED_CHANGE = pa.struct(
    [("night", pa.date32()), ("before", pa.string()), ("after", pa.string()), ("kind", pa.string())]
)
_SUPERSEDED = pa.struct([("method_version", pa.string()), ("letter", pa.string())])

GRADES = _schema(
    "grades",
    [
        ("model", pa.string()),
        ("endpoint", pa.string()),
        ("provider", pa.string()),
        ("tag", pa.string()),
        ("listings", pa.int16()),
        ("window_start", pa.date32()),
        ("window_end", pa.date32()),
        ("nights", pa.list_(pa.date32())),
        ("method_version", pa.string()),
        ("method_digest", pa.string()),
        ("letter", pa.string()),
        ("provisional", pa.bool_()),
        ("m_letter", pa.string()),
        ("t_letter", pa.string()),
        ("d_letter", pa.string()),
        ("r_letter", pa.string()),
        ("m_nights_observed", pa.int64()),
        ("m_nights_outside", pa.int64()),
        ("m_own_variation_above_floor", pa.bool_()),
        ("m_night", pa.list_(_MATCH_NIGHT)),
        ("m_family", pa.list_(_MATCH_FAMILY)),
        ("t_correct", pa.int64()),
        ("t_counted", pa.int64()),
        ("t_planned", pa.int64()),
        ("t_best_correct", pa.int64()),
        ("t_best_counted", pa.int64()),
        ("t_within_floor", pa.bool_()),
        ("t_family", pa.list_(_TASK_FAMILY)),
        ("d_state", pa.string()),
        ("d_precision", pa.string()),
        ("d_changes", pa.list_(_DECLARED_CHANGE)),
        ("r_sent", pa.int64()),
        ("r_errors", pa.int64()),
        ("r_answered", pa.int64()),
        ("r_truncated", pa.int64()),
        ("r_misrouted", pa.int64()),
        ("unrated_reasons", pa.list_(pa.string())),
        ("nights_since_listed", pa.int64()),
        ("nights_absent", pa.int64()),
        ("pairs", pa.int64()),
        ("pairs_without_reference", pa.int64()),
        ("issued", pa.date32()),
        ("latency_class", pa.string()),
        ("median_latency_ms", pa.int64()),
        ("price_prompt", pa.decimal128(18, 12)),
        ("price_completion", pa.decimal128(18, 12)),
        ("context_declared", pa.int64()),
        ("context_observed", pa.int64()),
        ("supersedes", pa.list_(_SUPERSEDED)),
    ],
)
"""One row per grade; sorted by model, endpoint. Fields and order are those of `records.grade.Grade`."""

PAGES = _schema("pages", [("path", pa.string()), ("sha256", pa.string()), ("page", pa.large_binary())])
"""One row per permanent page; sorted by path."""
