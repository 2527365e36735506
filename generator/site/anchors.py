"""The places on a method version's page that figures link to; every version's prose has each of them."""

from __future__ import annotations

from generator.records.grade import Column

ANCHORS = frozenset(
    {
        "declared-precision",
        "floor",
        "identity",
        "latency",
        "letters",
        "match",
        "nights",
        "outcomes",
        "price-and-context",
        "reference",
        "reliability",
        "self-disagreement",
        "stability",
        "task-accuracy",
        "unit",
        "unrated",
        "versions",
    }
)
"""Heading ids: renaming one in a later version would leave its grade pages with links to nowhere."""

COLUMN_ANCHORS = {
    Column.M: "match",
    Column.T: "task-accuracy",
    Column.D: "declared-precision",
    Column.R: "reliability",
}
"""Where each column is explained."""
