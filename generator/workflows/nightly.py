"""The main job: probe, grade, append to the log and sign it, render, verify what that added."""

from __future__ import annotations

from datetime import date

import msgspec

from generator.content import packaged
from generator.errors import BitdepthError, BudgetError, PartialNightError, RouterError
from generator.log.note import SigningKey
from generator.records.finding import VerificationReport
from generator.settings import BudgetSettings
from generator.workflows.appending import require_name
from generator.workflows.grading import Graded, grade
from generator.workflows.log_keeping import LogKept, keep_log
from generator.workflows.logged import log_origin
from generator.workflows.probing import Probed, RouterOf, probe
from generator.workflows.rendering import render
from generator.workflows.verifying import verify
from generator.workflows.verifying_tonight import standing, verify_newest
from generator.workflows.windows import bound_method
from generator.workflows.world import Progress, Root, World


class Nightly(msgspec.Struct, frozen=True, kw_only=True):
    """What a night's whole run did."""

    probed: Probed | None
    """None where the night could not be completed."""
    failure: BitdepthError | None
    """Why it could not: what was sealed before is graded, rendered and verified all the same."""
    graded: Graded
    log: LogKept
    report: VerificationReport


async def nightly(  # noqa: PLR0913 - one night, from both of its ends
    root: Root,
    world: World,
    router_of: RouterOf,
    *,
    progress: Progress,
    night: date | None = None,
    budget: BudgetSettings | None = None,
    base_url: str | None = None,
    key: SigningKey | None = None,
    verify_all: bool = False,
) -> Nightly:
    """Probe a night, grade what can be graded, log it, lay out the site and verify it; the caller holds the lock.

    What is verified is what the run added, with a sample of what is older, or everything where that is asked for.
    Another base address is for the views alone: a grade is issued at the site's own. Without a key the log grows
    unsigned.
    """
    before = standing(root)
    begin_archive(root)
    if key is not None:
        require_name(key.name, log_origin(root))  # What could not be signed must not be paid for.
    settings = root.content.settings()
    for version in (settings.method, *settings.candidates):
        bound_method(root, version)  # What could not be graded under must not be paid for.
    probed, failure = None, None
    try:
        probed = await probe(root, world, router_of, progress=progress, night=night, budget=budget)
    except (PartialNightError, BudgetError, RouterError) as error:
        failure = error
    graded = grade(root, today=world.now().date(), progress=progress)
    log = keep_log(root, key, progress=progress)
    render(root, progress=progress, base_url=base_url, look=False)
    if verify_all:
        report = verify(root, progress=progress, base_url=base_url)
    else:
        report = verify_newest(root, before, progress=progress, entropy=world.entropy, base_url=base_url)
    return Nightly(probed=probed, failure=failure, graded=graded, log=log, report=report)


def begin_archive(root: Root) -> None:
    """Put the description of the format into an archive that has no night yet."""
    if not root.store.nights.kept() and not root.store.folder.exists("FORMAT.md"):
        root.store.folder.create("FORMAT.md", packaged("archive/FORMAT.md").read_bytes())
