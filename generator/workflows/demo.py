"""The demo: fourteen nights on the embedded router, in a folder that becomes a complete site root."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import httpx
import msgspec

from generator.archive import files
from generator.content import packaged
from generator.errors import RouterError, UsageError
from generator.log.note import SigningKey
from generator.probing.demo.content import demo_root_files
from generator.probing.demo.process import running_router
from generator.probing.demo.seeds import night_seed
from generator.workflows.appending import require_name
from generator.workflows.calibrating import FIRST_FINAL, calibrate
from generator.workflows.grading import grade
from generator.workflows.log_keeping import keep_log
from generator.workflows.logged import log_origin
from generator.workflows.nightly import begin_archive
from generator.workflows.planning import SEED_BYTES
from generator.workflows.probing import RouterOf, probe
from generator.workflows.world import Progress, Root, World

NIGHTS = 14
FIRST_NIGHT = date(2026, 11, 1)
_HOUR = time(3, 7, tzinfo=UTC)


async def demo_nights(  # noqa: PLR0913 - nights, from both of their ends
    root: Root,
    world: World,
    router_at: Callable[[str], RouterOf],
    *,
    first_night: date,
    progress: Progress,
    key: SigningKey | None = None,
) -> None:
    """Run every night of the demo that the root does not hold yet, on a date that is fast-forwarded, and calibrate.

    What the calibration writes is shown and not used: the demo's letters stay those of the shipped versions.

    Args:
        root: the demo's site root, made by `make_root`; the caller holds its lock.
        world: the real clocks; the demo moves the date alone.
        router_at: makes the client of a router at an address.
        first_night: the date that the first night bears.
        progress: who is told.
        key: signs the log after each night; without one it grows unsigned.
    """
    begin_archive(root)
    if key is not None:
        require_name(key.name, log_origin(root))
    with running_router() as address:
        for index in range(1, NIGHTS + 1):
            night = first_night + timedelta(days=index - 1)
            if night not in root.store.nights.kept():
                seed = night_seed(first_night, index)[: 2 * SEED_BYTES]
                await _set_night(address, index, seed)
                there = _world_at(world, night, seed)
                await probe(root, there, router_at(address), progress=progress)
            grade(root, today=night, progress=progress)
            keep_log(root, key, progress=progress)
    if not root.content.holds_calibration(FIRST_FINAL):
        last = first_night + timedelta(days=NIGHTS - 1)
        calibrate(root, made=last, seed=night_seed(first_night, 0), progress=progress)


def make_root(path: Path) -> Root:
    """Make a folder into the demo's site root, or carry on with one that is.

    Raises:
        UsageError: where the folder holds anything else.
    """
    wanted = {f"content/{name}": body for name, body in demo_root_files().items()}
    for folder in ("calibration", "methods", "pages"):
        for file in sorted((packaged("content") / folder).rglob("*.*")):
            wanted[f"content/{file.relative_to(packaged('content')).as_posix()}"] = file.read_bytes()
    if path.exists() and not path.is_dir():
        raise UsageError("expected a folder, found a file", where="--out", do="Choose another folder")
    site = path / "content" / "site.toml"
    strange = path.is_dir() and any(path.iterdir()) and not site.is_file()
    if strange or (site.is_file() and site.read_bytes() != wanted["content/site.toml"]):
        raise UsageError(
            "expected an empty folder or an earlier demo, found other files",
            where="--out",
            do="Choose another folder, or remove this one",
        )
    for name, body in sorted(wanted.items()):
        if not (path / name).exists():
            files.create(path, name, body)
    return Root(path)


async def _set_night(address: str, index: int, seed: str) -> None:
    """Tell the router which of its scripted nights it is: the one thing that no real router has."""
    async with httpx.AsyncClient(trust_env=False) as client:
        response = await client.put(
            f"{address.removesuffix('/api/v1')}/demo/night", json={"night_index": index, "seed": seed}
        )
    if response.status_code != httpx.codes.OK:
        raise RouterError(f"expected the demo router to take night {index}, found HTTP {response.status_code}")


def _world_at(world: World, night: date, seed: str) -> World:
    """Return the world with its clock moved to a night, and the demo's published seed for entropy."""
    start, began = datetime.combine(night, _HOUR), world.monotonic()
    return msgspec.structs.replace(
        world,
        now=lambda: start + timedelta(seconds=world.monotonic() - began),
        entropy=lambda count: bytes.fromhex(seed)[:count],
    )
