"""What changed lately, gathered while an endpoint's grades are at hand, so that no view reads them again. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from generator.site.between import Reported
from generator.site.history import Change, leading, reported
from generator.site.ledger import Ledger
from generator.site.library import Library
from generator.site.stories import EndpointStory

MOST_REPORTED, MOST_CHANGES = 200, 30
"""Changes that the site's feed holds, and that the first page lists."""


class News:
    """The newest changes of one build, of months that are not settled."""

    def __init__(self, library: Library) -> None:
        """Begin with none."""
        self.ledger = Ledger()
        """Every change that a feed reports, also those that no feed has room for."""
        self.latest: tuple[Change, ...] = ()
        """The newest changes of letter and of declared precision under the current version; of one night, in the order
        in which the endpoints came."""
        self.of_model: tuple[Reported, ...] = ()
        """The newest that were reported of the model whose endpoints came last."""
        self.every: tuple[Reported, ...] = ()
        """Those of all models that came."""
        self._led = leading(library.material.windows)

    def begin(self) -> None:
        """Begin with the next model."""
        self.of_model = ()

    def take(self, story: EndpointStory, changed: Iterable[Change]) -> None:
        """Take an endpoint's changes.

        Args:
            story: of the endpoint.
            changed: its changes under the current version.
        """
        told = [change for change in changed if change.tag is None]
        newest = sorted((*self.latest, *told), key=lambda change: change.night, reverse=True)
        self.latest = tuple(newest[:MOST_CHANGES])
        found = tuple(self.ledger.noting(reported(story, self._led)))
        # Never more than a feed holds: each has its grades with it.
        self.of_model, self.every = _newest_first((*self.of_model, *found)), _newest_first((*self.every, *found))


def _newest_first(found: Iterable[Reported]) -> tuple[Reported, ...]:
    """Return the newest changes; those of one day in the order they come in, which is alphabetical."""
    return tuple(sorted(found, key=lambda each: (each.grade.issued, each.night), reverse=True)[:MOST_REPORTED])
