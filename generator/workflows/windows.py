"""The windows of an archive under one method version: its nights as the method takes them, tallied once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction

from generator.archive.nights import KeptNight, hidden_answers
from generator.archive.withheld_rows import in_words
from generator.errors import ContentError
from generator.method.disagreement import floor
from generator.method.grading import grade_window
from generator.method.interface import Issue, NightTables
from generator.method.tally import NightTally, tally_night
from generator.method.window import is_void, window_nights
from generator.records.definition import Definition, Method, ratio
from generator.records.grade import Grade
from generator.records.night import REPLAYED, NightState
from generator.workflows.tally_cache import TallyCache
from generator.workflows.tally_codec import TallyKey
from generator.workflows.world import Root


class Windows:
    """The windows of an archive under one definition; a window takes the tallies of its own nights and adds them up.

    Each night is tallied once while it can still be needed, and once for all where there is a cache.
    """

    def __init__(
        self,
        root: Root,
        method: Method,
        cache: TallyCache | None = None,
        nights: Mapping[date, KeptNight] | None = None,
    ) -> None:
        """Use a site root's nights and one method version.

        Args:
            root: the site root.
            method: the definition that grades.
            cache: of tallies; a check of what is published goes without, and counts for itself.
            nights: every night that is kept, ascending, where somebody has read them already.
        """
        self._root = root
        self.method = method
        self._cache = cache
        self._tallies: dict[date, NightTally] = {}
        self.nights = kept_nights(root) if nights is None else nights
        self.hidden = hidden_answers(self.nights.values())
        """The digest of every answer that some night withholds."""
        self.voided = tuple(night for night, kept in self.nights.items() if kept.void is not None)
        """Recorded nights that have been declared void by now."""
        self.recorded = self.counting(self.voided)
        """Every night that may stand in a window now, ascending."""

    def counting(self, voided: Sequence[date]) -> tuple[date, ...]:
        """Return the nights that count where some have been declared void, ascending.

        A night that was sealed as recorded is void all the same under a definition that asks for more to be sent.
        """
        return tuple(
            night
            for night, kept in self.nights.items()
            if kept.record.state == NightState.RECORDED
            and night not in voided
            and not is_void(kept.record.counts.planned, kept.record.counts.sent, self.method.definition)
        )

    def of(self, end: date) -> tuple[date, ...]:
        """Return the nights of the window that ends with a night."""
        return window_nights(self.recorded, end, self.method.definition)

    def grade(self, nights: Sequence[date], voided: Sequence[date], issue: Issue) -> tuple[Grade, ...]:
        """Return the grades over some nights.

        Args:
            nights: the window's, ascending; the last one names it.
            voided: recorded nights that had been declared void when the grades were issued.
            issue: what they carry beside their figures.
        """
        return grade_window(self.tallies(nights), method=self.method, recorded=self.counting(voided), issue=issue)

    def tallies(self, nights: Sequence[date]) -> list[NightTally]:
        """Return the tallies of a window's nights, ascending; those of earlier nights are let go."""
        found = [self._tally(night) for night in nights]
        self._tallies = {night: tally for night, tally in self._tallies.items() if night >= nights[0]}
        return found

    def _tally(self, night: date) -> NightTally:
        if night not in self._tallies:
            self._tallies[night] = self._counted(night) if self._cache is None else self._kept(night, self._cache)
        return self._tallies[night]

    def _kept(self, night: date, cache: TallyCache) -> NightTally:
        key = TallyKey(
            night_sha256=self.nights[night].sha256,
            reference=self.method.definition.reference,
            hidden=tuple(sorted(self.hidden)),
        )
        return cache.tally(night, key, lambda: self._counted(night))

    def _counted(self, night: date) -> NightTally:
        return tally_night(night_tables(self._root, self.nights[night], self.hidden), self.method.definition)


def kept_nights(root: Root) -> dict[date, KeptNight]:
    """Return what is kept of every night but its tables, ascending.

    Raises:
        IntegrityError: where a record is not as it was sealed.
    """
    return {night: root.store.nights.get(night) for night in root.store.nights.kept()}


def bound_method(root: Root, version: str) -> Method:
    """Return a method version, held against the digest that grades were published under.

    Raises:
        ContentError: where the definition or its prose is not the one published under.
    """
    method = root.content.method(version)
    if version in root.store.pages.methods():
        recorded = root.store.pages.method_manifest(version).method_digest
        if recorded != method.digest:
            raise ContentError(
                f"expected the definition that grades were published under (SHA-256 {recorded}), "
                f"found another ({method.digest})",
                where=f"content/methods/{version}.toml and .md",
                do="Restore both files; a changed method needs a new version",
            )
    return method


def worked_example_floor(definition: Definition) -> Fraction:
    """Return the floor of the worked example, in percent, from the function that grades."""
    return 100 * floor([ratio(value) for value in definition.worked_example.self_disagreement], definition)


def night_tables(root: Root, kept: KeptNight, hidden: frozenset[str]) -> NightTables:
    """Return a kept night's tables for the method.

    Args:
        root: the site root.
        kept: the night.
        hidden: the digest of every answer that this night, or another that it is compared with, withholds.
    """
    nights, record = root.store.nights, kept.record
    return NightTables(
        night=record.night,
        observations=in_words(nights.table(record, "observations"), kept.withheld_rows, hidden),
        prompts=nights.table(record, "prompts"),
        listings=nights.table(record, "listings"),
        context=nights.table(record, "context"),
        latency_replayed=record.settings.latency == REPLAYED,
    )
