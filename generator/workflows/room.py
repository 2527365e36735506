"""The room that a night needs on the disk, by the nights before it and its plan: looked at before anything is asked."""

from __future__ import annotations

from generator.archive import condition
from generator.errors import ArchiveError
from generator.records.night import NightPlan
from generator.workflows.planning import planned_asks
from generator.workflows.world import Root

ROOM_FACTOR = 20
"""What a night needs while it is made, in units of what is kept of it. The demo's fourteenth night: 1 is kept, 8.4 are
its journal and 6.3 its pages as laid out."""
FIRST_BYTES = 3_200_000
"""What archive and site take after a first night, however small it was: 2.1 MB were measured on the disk with one
model, three endpoints and eight prompts, most of it pages every site has; and half as much for what lies beside."""
FIRST_OBSERVATION_BYTES = 2_200
"""What an observation needs besides where no night is kept to go by: twice what one of the demo's needs, pages and
journal included."""
_LOOK_BACK = 7


def last_nights_bytes(root: Root) -> tuple[int, ...]:
    """Return how many bytes are kept of each of the last nights, at most seven; none where none is kept."""
    folder = root.store.folder
    return tuple(condition.kept_bytes(folder, night) for night in root.store.nights.kept()[-_LOOK_BACK:])


def needed_bytes(root: Root, plan: NightPlan | None) -> int:
    """Return what a night needs: by the largest of the last nights, and by as much more as more is planned.

    Args:
        root: the site root.
        plan: of the night; None where there is none yet.
    """
    nights = root.store.nights
    kept = nights.kept()[-_LOOK_BACK:]
    planned = 0 if plan is None else len(planned_asks(plan))
    if not kept:
        return FIRST_BYTES + FIRST_OBSERVATION_BYTES * planned
    need = ROOM_FACTOR * max(last_nights_bytes(root))
    most = max(nights.get(night).record.counts.planned for night in kept)
    return max(need, need * planned // max(most, 1))


def require_room(root: Root, plan: NightPlan | None) -> None:
    """Return where the disk has the room that a night needs.

    Args:
        root: the site root.
        plan: of the night; None where there is none yet.

    Raises:
        ArchiveError: where it has not; nothing of the night may be asked.
    """
    need, free = needed_bytes(root, plan), condition.free_bytes((root.path, root.store.local))
    if free is not None and free < need:
        raise ArchiveError(
            f"expected {megabytes(need)} free for a night, found {megabytes(free)}",
            where="the disk of archive/",
            do="Make room and run again; nothing was asked",
        )


def megabytes(size: int) -> str:
    """Return a number of bytes for a reader."""
    return f"{size / 1_000_000:,.1f} MB"
