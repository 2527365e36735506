"""Column D: what an endpoint declared over the window's nights on which it was listed, and how that changed."""

from __future__ import annotations

from itertools import pairwise

import msgspec

from generator.method.letters import declared_letter
from generator.method.totals import EndpointWindow
from generator.records.definition import Definition
from generator.records.grade import ChangeKind, DeclaredChange, DeclaredState, Letter


class Declared(msgspec.Struct, frozen=True, kw_only=True):
    """What column D says of one endpoint over one window."""

    letter: Letter
    state: DeclaredState
    precision: str | None
    """The last one declared; None when absent."""
    changes: tuple[DeclaredChange, ...]


def declared_column(endpoint: EndpointWindow, definition: Definition) -> Declared:
    """Return column D: present or absent throughout, or changed, each change dated by the first night that shows it."""
    declared = [(night, counts.listed.declared_precision) for night, counts in endpoint.nights]
    changes = tuple(
        DeclaredChange(night=night, before=before, after=after, kind=change_kind(before, after, definition))
        for (_, before), (night, after) in pairwise(declared)
        if before != after
    )
    last = endpoint.last.listed.declared_precision
    state = DeclaredState.ABSENT if last is None else DeclaredState.PRESENT
    if changes:
        state = DeclaredState.CHANGED
    return Declared(letter=declared_letter(state, definition), state=state, precision=last, changes=changes)


def change_kind(before: str | None, after: str | None, definition: Definition) -> ChangeKind:
    """Return the kind of a change from one declared precision to another."""
    if before is None:
        return ChangeKind.NEWLY_DECLARED
    if after is None:
        return ChangeKind.WITHDRAWN
    if after in definition.declared.refinements.get(before, ()):
        return ChangeKind.REFINED
    return ChangeKind.CHANGED
