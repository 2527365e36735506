"""The JSON Schema of grade.json, made from the record's own type: what a reader of the file may rely on.

Draft 2020-12. Field descriptions are the docstrings that stand below the fields in `records/grade.py`. A record names
no schema: its bytes are permanent, and the schema is a view over the type that made them.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from types import ModuleType
from typing import Any

import msgspec

from generator.records import grade as records
from generator.settings import Settings

PATH = "data/schema/grade.json"
DIALECT = "https://json-schema.org/draft/2020-12/schema"

_DATE = {"type": "string", "format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}
_DECIMAL = {"type": "string", "pattern": "^[0-9]+([.][0-9]+)?(E[+-]?[0-9]+)?$"}
_FIELDS: Mapping[str, dict[str, object]] = {
    "method_digest": {"pattern": "^[0-9a-f]{64}$"},
    "method_version": {"pattern": "^(0|[1-9][0-9]*)[.](0|[1-9][0-9]*)$"},
    "nights": {"minItems": 1, "uniqueItems": True},
    "unrated_reasons": {"uniqueItems": True},
    "listings": {"minimum": 1},
    "allowed_denominator": {"minimum": 1},
}
"""What holds of a field beside its type."""


def render(settings: Settings) -> tuple[str, bytes]:
    """Return where the schema lies and its bytes."""
    return PATH, msgspec.json.format(msgspec.json.encode(grade_schema(settings)), indent=2) + b"\n"


def grade_schema(settings: Settings) -> dict[str, Any]:
    """Return the JSON Schema of grade.json as the site with these settings publishes it."""
    (reference,), parts = msgspec.json.schema_components([records.Grade], ref_template="#/$defs/{name}")
    docs = _field_docs(records)
    for name, part in parts.items():
        if "properties" in part:
            part["additionalProperties"] = False
            part["properties"] = {
                field: _narrowed(schema) | _FIELDS.get(field, {}) | docs.get((name, field), {})
                for field, schema in part["properties"].items()
            }
    return {
        "$schema": DIALECT,
        "$id": settings.address + PATH,
        "title": "A grade",
        "description": (
            "grade.json beside a permanent page: the record that every figure on the page follows from, as RFC 8785 "
            "JSON. Dates and decimals are strings, every other number is whole."
        ),
        **reference,
        "$defs": parts,
    }


def _narrowed(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a field's schema with what its type does not say: dates and decimals by pattern, no count below 0."""
    match schema:
        case {"format": "date"}:
            return dict(_DATE)
        case {"format": "decimal"}:
            return dict(_DECIMAL)
        case {"type": "integer"}:
            return {"type": "integer", "minimum": 0}
        case {"items": items}:
            return {**schema, "items": _narrowed(items)}
        case {"anyOf": kinds}:
            return {**schema, "anyOf": [_narrowed(kind) for kind in kinds]}
        case _:
            return dict(schema)


@cache
def _field_docs(module: ModuleType) -> Mapping[tuple[str, str], dict[str, str]]:
    """Return, by type and field, the docstring that stands below the field in the module's source."""
    tree = ast.parse(inspect.getsource(module))
    types = (node for node in tree.body if isinstance(node, ast.ClassDef))
    return {(kind.name, field): {"description": text} for kind in types for field, text in _docs_of(kind)}


def _docs_of(kind: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for node, after in pairwise(kind.body):
        match node, after:
            case ast.AnnAssign(target=ast.Name(id=field)), ast.Expr(value=ast.Constant(value=str(text))):
                yield field, inspect.cleandoc(text).replace("\n", " ")
            case _:
                pass
