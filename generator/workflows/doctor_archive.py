"""The archive as a night needs it: room and right to write, nobody at work, nothing left open, no night missed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta

from generator.archive import condition, layout
from generator.errors import BitdepthError
from generator.records.check import Check, CheckState, failed
from generator.records.figures import counted
from generator.settings import ProbingSettings
from generator.workflows.night_hour import early_words, latest_at, meant_at
from generator.workflows.room import ROOM_FACTOR, last_nights_bytes, megabytes
from generator.workflows.world import Root

LEAST_BYTES = 50_000_000
"""With less free no night of any size is begun."""
ROUGH_NIGHT_BYTES = 250_000_000
"""What a night is roughly taken to need where none is kept: twice 570 endpoints at 184 prompts, by the 1.1 kB that an
observation of the demo needs, pages and journal included; rounded up."""
COMFORTABLE_NIGHTS = 10
"""Below so many times what one night needs, somebody should look."""
_FOLDERS = ("", "site", ".cache")
_ARCHIVE_FOLDERS = ("", "nights", "journal", "grades", "pages", "log")
ARCHIVE_CHECKS = ("folders", "disk", "lock", "journals", "last night")
"""The checks that need an archive and no settings."""
_LAST_HOUR = 23


def reach_check(root: Root) -> Check | None:
    """Return whether the archive can be read that lies elsewhere; None where it lies in the site root."""
    expected = "an archive that can be read where content/site.toml says that it lies"
    try:
        if root.content.archive() is None:
            return None
        store = root.store
        count = sum(1 for _ in store.folder.names())
    except (BitdepthError, OSError) as error:
        return failed("archive", expected, error, "Look at 'archive' in content/site.toml")
    where = str(store.local) if store.bucket is None else store.bucket.name
    return Check(name="archive", state=CheckState.OK, expected=expected, found=f"{where}, {counted(count, 'file')}")


def unreached_checks(*names: str) -> Iterator[Check]:
    """Yield checks that cannot be made where the archive cannot be read."""
    for name in names:
        yield Check(
            name=name,
            state=CheckState.NOT_CHECKED,
            expected="an archive that can be read",
            found="one that cannot",
            do="See to the archive and run doctor again",
        )


def archive_checks(root: Root, today: date) -> Iterator[Check]:
    """Yield the checks that need no settings."""
    yield _folders(root)
    yield _disk(root)
    bucket = root.store.bucket
    locked = condition.is_locked(root.store.local)
    if bucket is not None and locked is not True and bucket.is_held():
        locked = True
    yield _lock(locked=locked)
    yield _journals(root, today, locked=bool(locked))
    yield _last_night(root, today)


def tonight_check(root: Root, probing: ProbingSettings, now: datetime) -> Check:
    """Return how tonight stands: sealed, begun, to come, or late."""
    tonight = now.date()
    meant, late = meant_at(tonight, probing), latest_at(tonight, probing)
    expected = f"night {tonight} begun at {meant:%H:%M} UTC (probing.hour_utc), at the latest {late:%Y-%m-%d %H:%M}"
    state, do = CheckState.OK, None
    if tonight in root.store.nights.kept():
        found = f"night {tonight} is sealed; a run would ask nothing"
    elif tonight in root.store.nights.unsealed():
        found = f"night {tonight} is begun and not sealed"
    elif now < meant:
        found = (
            f"night {tonight} is to begin at {meant:%H:%M} UTC; it is {now:%H:%M}. Begun now, "
            f"{early_words(tonight, now, probing)}"
        )
    elif now <= late:
        found = f"night {tonight} is due since {meant:%H:%M} UTC; it is {now:%H:%M}"
    else:
        state, do = CheckState.ATTENTION, "Start 'bitdepth nightly' at that hour; begun now, the night is marked late"
        found = f"no such night; it is {now:%H:%M}"
    if probing.hour_utc == _LAST_HOUR and state is CheckState.OK:
        state, do = CheckState.ATTENTION, "Set an earlier hour: a run that starts late bears the next day's date"
    return Check(name="tonight", state=state, expected=expected, found=found, do=do)


def _folders(root: Root) -> Check:
    expected = "a site root and an archive that can be written to"
    refused = []
    local = root.store.local
    of_root = [(name or "the site root", root.path / name) for name in _FOLDERS]
    of_archive = [(f"archive/{name}".rstrip("/"), local / name) for name in _ARCHIVE_FOLDERS]
    for name, folder in (*of_root, *of_archive):
        error = condition.write_refusal(folder)
        # What is not there yet is made in the folder above it.
        if error is not None and not (folder != root.path and isinstance(error, FileNotFoundError)):
            refused.append(f"{name}: {error.strerror}")
    if not refused:
        return Check(name="folders", state=CheckState.OK, expected=expected, found="every folder takes a file")
    return Check(
        name="folders",
        state=CheckState.FAILED,
        expected=expected,
        found="; ".join(refused),
        do="Give whoever runs the night the right to write there, or mount it for writing",
    )


def _disk(root: Root) -> Check:
    free = condition.free_bytes((root.path, root.store.local))
    sizes = last_nights_bytes(root)
    need = ROOM_FACTOR * max(sizes) if sizes else ROUGH_NIGHT_BYTES
    if sizes:
        by = f"what a night needs, by the largest of the last {len(sizes)}"
    else:
        by = "what a night of several hundred endpoints roughly needs; no night is kept to go by"
    expected = f"{megabytes(COMFORTABLE_NIGHTS * need)} free, {COMFORTABLE_NIGHTS} times {by}"
    if free is None:
        return Check(name="disk", state=CheckState.NOT_CHECKED, expected=expected, found="no folder to ask of")
    if free < (need if sizes else LEAST_BYTES):
        state = CheckState.FAILED
    else:
        state = CheckState.ATTENTION if free < COMFORTABLE_NIGHTS * need else CheckState.OK
    do = None if state is CheckState.OK else "Make room; the archive itself only ever grows"
    return Check(name="disk", state=state, expected=expected, found=f"{megabytes(free)} free", do=do)


def _lock(*, locked: bool | None) -> Check:
    expected = "no other run at work"
    if locked is None:
        return Check(
            name="lock",
            state=CheckState.NOT_CHECKED,
            expected=expected,
            found=f"archive/{layout.LOCK} that cannot be looked at",
            do="Nothing, where the folders are in order: a run that meets another one sends nothing and says so",
        )
    if locked:
        do = "Wait until it has ended: a second one would end with exit code 5"
        return Check(name="lock", state=CheckState.ATTENTION, expected=expected, found="one", do=do)
    return Check(name="lock", state=CheckState.OK, expected=expected, found="nobody at work")


def _journals(root: Root, today: date, *, locked: bool) -> Check:
    expected = "no night begun and not sealed"
    kept = root.store.nights.kept()
    unsealed = [night for night in root.store.nights.unsealed() if night not in kept]
    if not unsealed:
        return Check(name="journals", state=CheckState.OK, expected=expected, found="none")
    found = ", ".join(map(str, unsealed))
    if locked:
        return Check(name="journals", state=CheckState.OK, expected=expected, found=f"{found}, with a run at work")
    if today in unsealed:
        do = f"Run 'bitdepth nightly' again today: it asks only what is missing; after midnight UTC add --night {today}"
    else:
        do = "'bitdepth nightly' seals what is over, recorded or void"
        open_still = [night for night in unsealed if night < today and (not kept or night > kept[-1])]
        if open_still:
            do += f"; to ask what night {open_still[0]} misses, add --night {open_still[0]}"
    return Check(name="journals", state=CheckState.ATTENTION, expected=expected, found=found, do=do)


def _last_night(root: Root, today: date) -> Check:
    expected = "every night up to yesterday kept"
    nights = root.store.nights
    if not nights.kept():
        return Check(name="last night", state=CheckState.OK, expected=expected, found="none yet: the archive is new")
    last = nights.kept()[-1]
    try:
        kept = nights.get(last)
    except (BitdepthError, OSError) as error:
        return failed("last night", expected, error, "Restore the file from another copy of the archive")
    found = f"{last}, {'recorded' if kept.counts else 'void'}"
    if last > today:
        return Check(
            name="last night",
            state=CheckState.FAILED,
            expected=expected,
            found=f"{found}; today is {today}",
            do="Check this machine's clock: no earlier night can follow a later one",
        )
    missed = (last + timedelta(days=day) for day in range(1, (today - last).days))
    gone = [night for night in missed if night not in nights.unsealed()]
    state, do = CheckState.OK, None
    if gone:
        count = f"{len(gone)} nights have" if len(gone) > 1 else "1 night has"
        found += f"; {count} been missed since, {gone[0]}" + (f" to {gone[-1]}" if len(gone) > 1 else "")
        state, do = CheckState.ATTENTION, "Look at what should have started them; a missed night cannot be made up for"
    elif not kept.counts:
        state, do = CheckState.ATTENTION, "Look at the router and the network: a void night is in no window"
    return Check(name="last night", state=state, expected=expected, found=found, do=do)
