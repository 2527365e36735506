"""Everything that a night needs, looked at before it begins: nothing is asked of an endpoint, nothing is written.

What one check finds keeps no other from being made, but for what cannot be known without it.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from generator.errors import ContentError, UsageError
from generator.log.note import SigningKey
from generator.records.check import Check, CheckState, failed
from generator.settings import Settings
from generator.settings_rules import unnamed_models
from generator.workflows.doctor_archive import (
    ARCHIVE_CHECKS,
    archive_checks,
    reach_check,
    tonight_check,
    unreached_checks,
)
from generator.workflows.doctor_content import method_checks, prompt_set_check, reply_checks, templates_check
from generator.workflows.doctor_router import router_checks
from generator.workflows.doctor_signing import NAME as SIGNING
from generator.workflows.doctor_signing import signing_check
from generator.workflows.probing import RouterOf
from generator.workflows.world import Root, World

_SETTINGS = "content/site.toml, readable and valid"


class Examined(msgspec.Struct, frozen=True, kw_only=True):
    """What a look at everything found."""

    checks: tuple[Check, ...]

    def count(self, state: CheckState) -> int:
        """Return how many checks ended in a state."""
        return sum(check.state is state for check in self.checks)


async def examine(
    root: Root,
    world: World,
    open_router: RouterOf,
    *,
    is_set: Callable[[str], bool],
    signing: tuple[str, SigningKey | UsageError | None],
) -> Examined:
    """Look at everything that a night needs, without the lock.

    Args:
        root: the site root.
        world: clocks.
        open_router: makes the router.
        is_set: whether an environment variable holds anything.
        signing: the variable of the key that signs the log, and that key, or why what it holds is none.
    """
    settings, first = _settings(root)
    now = world.now()
    checks = [first, *(() if settings is None else _by_rule(settings))]
    checks.append(_depends("prompt set") if settings is None else prompt_set_check(root, settings.prompt_set))
    named = () if settings is None else (settings.method, *settings.candidates)
    reached = reach_check(root)
    is_reached = reached is None or reached.state is CheckState.OK
    checks += method_checks(root, dict.fromkeys((*named, *(root.store.pages.methods() if is_reached else ()))))
    checks += [*reply_checks(root), templates_check(root), *(() if reached is None else (reached,))]
    checks += archive_checks(root, now.date()) if is_reached else unreached_checks(*ARCHIVE_CHECKS)
    if settings is None:
        checks.append(_depends(SIGNING))
    else:
        checks += [signing_check(root, *signing)] if is_reached else unreached_checks(SIGNING)
    if settings is None:
        checks += [_depends(name) for name in ("tonight", "router", "key", "clock")]
    else:
        checks += [tonight_check(root, settings.probing, now)] if is_reached else unreached_checks("tonight")
        checks += await router_checks(settings, world, open_router, is_set)
    return Examined(checks=tuple(checks))


def _settings(root: Root) -> tuple[Settings | None, Check]:
    """Return the settings, None where they cannot be read, and the check of them."""
    try:
        settings = root.content.settings()
    except (ContentError, OSError) as error:
        return None, failed("settings", _SETTINGS, error, "Mend the file")
    found = f"method {settings.method}, prompt set {settings.prompt_set}, router {settings.router.kind}"
    return settings, Check(name="settings", state=CheckState.OK, expected=_SETTINGS, found=found)


def _by_rule(settings: Settings) -> tuple[Check, ...]:
    """Return a check of the models that settings of their own name, where the rule alone may find them."""
    unnamed = unnamed_models(settings)
    if not unnamed:
        return ()
    return (
        Check(
            name="per_model",
            state=CheckState.NOT_CHECKED,
            expected="models that are watched",
            found=f"{', '.join(unnamed)}, which 'models' does not name and the rule may find",
            do="Run 'bitdepth plan': it says which of them is not watched tonight",
        ),
    )


def _depends(name: str) -> Check:
    """Return the check of something that only the settings name."""
    return Check(
        name=name,
        state=CheckState.NOT_CHECKED,
        expected="what content/site.toml says of it",
        found="a content/site.toml that cannot be read",
        do="Mend it and run doctor again",
    )
