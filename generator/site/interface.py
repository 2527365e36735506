"""What the site is made from and gives, on one page.

    grade_page.files(grade, ...)    -> permanent page and record of a grade, once, when it is issued (pure)
    method_page.render(method, ...) -> bytes of a method version's page, kept when first graded under (pure)
    views.render(material)          -> (path, bytes) of every page that may change (pure)
    build.lay_out(...)              -> the folder that a host serves, from shelves of kept files and from views

Paths are relative to the site's folder and use '/'. Pages link to one another relatively, to `.../index.html`, so
that the site opens from disk as it does over HTTP; only canonical addresses and citations hold the base address.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import Protocol

import msgspec

from generator.records.calibration import CalibrationEvidence, CandidateEvidence, PromptReport
from generator.records.data_file import DataFile
from generator.records.definition import Method
from generator.records.endpoint import Endpoint
from generator.records.explanation import Explanation
from generator.records.grade import Grade, Letter
from generator.records.night import NightRecord, VoidRecord
from generator.records.prompt import Prompt
from generator.records.reply import Reply
from generator.records.withheld import WithheldRecord
from generator.settings import Settings
from generator.site.past import Past

UNCHANGED = bytes(bytearray(b"as it lies"))
"""In place of a view's bytes, this very object: it lies in place, and nothing that it is made from has changed."""

Unchanged = Callable[[str, str], bool]
"""Whether a view lies in place as it was made, by its path and a fingerprint of all that it is made from."""


class NightMaterial(msgspec.Struct, frozen=True, kw_only=True):
    """What the views say of one kept night."""

    record: NightRecord
    night_json_sha256: str
    void: VoidRecord | None
    """Where a recorded night was declared void later."""
    withheld: tuple[WithheldRecord, ...] = ()
    """What was taken out of its observations, the first withholding first."""
    prompts: Sequence[Prompt]
    endpoints: Sequence[Endpoint]
    """As listed, without the router's own JSON: `raw` is empty. Both may be read anew each time, and not held."""


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """How often two endpoints of a model gave the same answer, over the prompts of a window that both answered."""

    first: str
    second: str
    same: int
    both: int
    families: tuple[tuple[str, int, int], ...] = ()
    """(family, same, both), ascending."""


class NightChange(msgspec.Struct, frozen=True, kw_only=True):
    """One endpoint's own change between two consecutive nights: fixed prompts answered on both, all families."""

    earlier: date
    later: date
    pairs: int
    differing: int


class EndpointMaterial(msgspec.Struct, frozen=True, kw_only=True):
    """What the views show of one endpoint beside its grades: counts over the latest window, none of them graded."""

    endpoint: str
    tokens: tuple[tuple[int, int], ...]
    """(difference, prompts), ascending: so many prompts had so many prompt tokens more than the most common count."""
    changes: tuple[NightChange, ...]
    """Ascending; empty without a pair."""


class ModelMaterial(msgspec.Struct, frozen=True, kw_only=True):
    """What the views say of one model beside its grades."""

    model: str
    agreements: tuple[Agreement, ...]
    """Of the latest window under the current method, each pair once, first < second."""
    nights: tuple[date, ...] = ()
    """That window's nights, ascending."""
    references: tuple[tuple[int, int], ...] = ()
    """(endpoints, pairs), ascending: so many (night, prompt) pairs had a reference that so many endpoints gave."""
    without_reference: int = 0
    """(night, prompt) pairs that have no reference."""
    endpoints: tuple[EndpointMaterial, ...] = ()


class VersionLetters(msgspec.Struct, frozen=True, kw_only=True):
    """One version's letters of one window: the grade's, never without its four columns'."""

    letter: Letter
    columns: tuple[Letter | None, Letter | None, Letter | None, Letter | None]
    """M, T, D, R; None where not measured."""


class LetterDifference(msgspec.Struct, frozen=True, kw_only=True):
    """One endpoint whose letters differ between the current version and a candidate, over one window."""

    model: str
    endpoint: str
    window_end: date
    current_version: str
    candidate_version: str
    current: VersionLetters
    candidate: VersionLetters
    by: tuple[str, ...]
    """The rules that the difference comes from, each in words."""


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


class GradedWindow(msgspec.Struct, frozen=True, kw_only=True):
    """One window as one method version graded it."""

    method_version: str
    window_end: date
    was_current: bool
    """The version was the current one then; otherwise it was graded beside it."""
    regrade: bool
    """Another version had graded the window before."""
    sha256: str = ""
    """Of the file that keeps its grades."""


class Grades(Protocol):
    """Many grades, sorted by model, endpoint, window end and version: they may be read anew each time, and not held.

    All but `of_month` leave out those of settled months.
    """

    def __iter__(self) -> Iterator[Grade]:
        """Yield every grade, as often as it is asked."""
        ...

    def of(self, model: str, endpoint: str) -> tuple[Grade, ...]:
        """Return one endpoint's; none where there is no such endpoint."""
        ...

    def of_month(self, name: str, model: str, endpoint: str) -> tuple[Grade, ...]:
        """Return one endpoint's of a settled month, as in '2026-11'."""
        ...


class LogMaterial(msgspec.Struct, frozen=True, kw_only=True):
    """The transparency log as its page tells it."""

    origin: str
    """What the log is called."""
    size: int
    """Leaves in it."""
    root: str
    """Of the tree over all of them, in hexadecimal."""
    head: bytes
    """The newest tree, without signature."""
    signed_size: int | None
    """Leaves that the newest signed checkpoint covers; None for a log that is unsigned."""
    checkpoint: bytes | None
    """That checkpoint."""
    keys: tuple[str, ...]
    """Public keys, each as a verifier key of a signed note."""
    proved: frozenset[tuple[str, date]]
    """(version, window end) of windows whose grades have their proofs beside them."""


class Material(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the views are rendered from."""

    settings: Settings
    """What site.toml says, with the address that the views are made for."""
    issue_address: str
    """The address that site.toml itself says: ids are made of it, wherever the views are laid out."""
    methods: Mapping[str, Method]
    """By version: every definition that is current, a candidate or was graded under."""
    kept_methods: frozenset[str]
    """Versions whose page is kept because something was graded under them."""
    worked_example: Mapping[str, Fraction]
    """By version, the floor of its worked example in percent, from the function that grades."""
    nights: tuple[NightMaterial, ...]
    """Ascending."""
    grades: Grades
    """Every grade under every version of months that are not settled; those of settled months by endpoint and month."""
    past: Past = Past()
    """What is known of settled months."""
    windows: tuple[GradedWindow, ...] = ()
    """Each window, once for each version."""
    models: tuple[ModelMaterial, ...]
    pages: Mapping[str, str]
    """Prose pages of content/pages, Markdown by name: 'about', 'verify', 'guide/index', 'guide/demo'."""
    replies: tuple[Reply, ...] = ()
    """What those whom grades concern replied."""
    demo: tuple[DemoTruth, ...] = ()
    """Empty but on the demo's site."""
    demo_notes: tuple[str, ...] = ()
    """What a reader of the demo has to know of its recording, a sentence each."""
    calibrations: tuple[CalibrationEvidence, ...] = ()
    """One for each version that a calibration made."""
    candidate_evidence: tuple[CandidateEvidence, ...] = ()
    """One for each candidate whose rules were tried on the recording."""
    prompt_reports: tuple[PromptReport, ...] = ()
    """What each fixed prompt separates, one for each calibration."""
    differences: tuple[LetterDifference, ...] = ()
    """Of the latest window that the current version and a candidate both graded; those that read alike are left
    out."""
    explanations: Mapping[tuple[str, str], Explanation] = {}
    """By (model, endpoint), the latest grade under the current method explained."""
    data: tuple[DataFile, ...] = ()
    """Every file that can be downloaded, sorted by path."""
    log: LogMaterial | None = None
    """None where nothing was ever appended."""
    format_text: str = ""
    """What describes the archive's files, in Markdown."""


class Shelf(msgspec.Struct, frozen=True, kw_only=True):
    """Permanent files that were kept together: one file of the archive holds them, or names each with its digest."""

    name: str
    """That file's."""
    digest: str
    """Its SHA-256: while it is the same, so are the permanent files."""
    files: Callable[[], Iterable[tuple[str, bytes]]]
    """Reads the path and the bytes of each, sorted by path; the digest is checked before the first."""
    withdrawn: tuple[str, ...] = ()
    """Paths of files that were kept before, and must lie there no more: a text was withheld from them."""


class SettledPages(msgspec.Struct, frozen=True, kw_only=True):
    """Views of what is over, made and laid out together: nothing of them is looked at while their fingerprint holds."""

    name: str
    """Tells them from all others; may be a path, as in 'grades/author/model/endpoint/2026-03'."""
    fingerprint: str
    """Of all that they are made from: while it is the same, so are they."""
    pages: Callable[[], Iterable[tuple[str, bytes]]]
    """Makes path and bytes of each, or `UNCHANGED` in place of its bytes; called where they are to be laid out."""


class GradeContext(msgspec.Struct, frozen=True, kw_only=True):
    """What a permanent page says beside its grade."""

    settings: Settings
    method: Method
    precision_before: Mapping[date, str | None] = {}
    """Declared precision on each night of the window on which the endpoint was listed."""
    superseded: tuple[Grade, ...] = ()
    """The grades of the same endpoint and window that this one supersedes, with the letters of their columns."""
