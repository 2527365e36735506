"""What the site is made from and gives, on one page.

    grade_page.render(grade, ...)   -> bytes of a permanent page, once, when the grade is issued (pure)
    method_page.render(method, ...) -> bytes of a method version's page, kept when first graded under (pure)
    views.render(material)          -> (path, bytes) of every page that may change (pure)
    build.lay_out(...)              -> the folder that a host serves

Paths are relative to the site's folder and use '/'. Pages link to one another relatively, to `.../index.html`, so
that the site opens from disk as it does over HTTP; only canonical addresses and citations hold the base address.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from fractions import Fraction

import msgspec

from generator.records.definition import Method
from generator.records.endpoint import Endpoint
from generator.records.grade import Grade
from generator.records.night import NightRecord, VoidRecord
from generator.records.prompt import Prompt
from generator.settings import Settings


class NightMaterial(msgspec.Struct, frozen=True, kw_only=True):
    """What the views say of one kept night."""

    record: NightRecord
    night_json_sha256: str
    void: VoidRecord | None
    """Where a recorded night was declared void later."""
    prompts: tuple[Prompt, ...]
    endpoints: tuple[Endpoint, ...]


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """How often two endpoints of a model gave the same answer, over the prompts of a window that both answered."""

    first: str
    second: str
    same: int
    both: int


class ModelMaterial(msgspec.Struct, frozen=True, kw_only=True):
    """What the views say of one model beside its grades."""

    model: str
    agreements: tuple[Agreement, ...]
    """Of the latest window under the current method, each pair once, first < second."""


class DemoTruth(msgspec.Struct, frozen=True, kw_only=True):
    """One endpoint of the demo: what was really run, what is scripted on top, and what was counted."""

    model: str
    endpoint: str
    recorded: str
    """What was really run when the answers were recorded."""
    scripted: tuple[str, ...]
    """Each scripted fault in words."""
    counted: tuple[str, ...]
    """What the archive counted, in words, one for each scripted fault and one for the answers."""


class Material(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the views are rendered from."""

    settings: Settings
    methods: Mapping[str, Method]
    """By version: every definition that is current, a candidate or was graded under."""
    kept_methods: frozenset[str]
    """Versions whose page is kept because something was graded under them."""
    worked_example: Mapping[str, Fraction]
    """By version, the floor of its worked example in percent, from the function that grades."""
    nights: tuple[NightMaterial, ...]
    """Ascending."""
    grades: tuple[Grade, ...]
    """Every grade under every version; sorted by model, endpoint, window end, version."""
    models: tuple[ModelMaterial, ...]
    pages: Mapping[str, str]
    """Prose pages of content/pages, Markdown by name: 'about', 'verify', 'persistence'."""
    demo: tuple[DemoTruth, ...] = ()
    """Empty but on the demo's site."""
    demo_notes: tuple[str, ...] = ()
    """What a reader of the demo has to know of its recording, a sentence each."""


class GradeContext(msgspec.Struct, frozen=True, kw_only=True):
    """What a permanent page says beside its grade."""

    settings: Settings
    method: Method
    precision_before: Mapping[date, str | None] = {}
    """Declared precision on each night of the window on which the endpoint was listed."""
