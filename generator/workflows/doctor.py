"""Everything that a night needs, looked at before it begins: nothing is asked of an endpoint, nothing is written.

What one check finds keeps no other from being made, but for what cannot be known without it.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from generator.errors import ContentError
from generator.records.check import Check, CheckState, failed
from generator.settings import Settings
from generator.settings_rules import unnamed_models
from generator.workflows.doctor_archive import archive_checks, tonight_check
from generator.workflows.doctor_content import method_checks, prompt_set_check, templates_check
from generator.workflows.doctor_router import router_checks
from generator.workflows.probing import RouterOf
from generator.workflows.world import Root, World

_SETTINGS = "content/site.toml, readable and valid"


class Examined(msgspec.Struct, frozen=True, kw_only=True):
    """What a look at everything found."""

    checks: tuple[Check, ...]

    def count(self, state: CheckState) -> int:
        """Return how many checks ended in a state."""
        return sum(check.state is state for check in self.checks)


async def examine(root: Root, world: World, open_router: RouterOf, *, is_set: Callable[[str], bool]) -> Examined:
    """Look at everything that a night needs, without the lock.

    Args:
        root: the site root.
        world: clocks.
        open_router: makes the router.
        is_set: whether an environment variable holds anything.
    """
    settings, first = _settings(root)
    now = world.now()
    checks = [first, *(() if settings is None else _by_rule(settings))]
    checks.append(_depends("prompt set") if settings is None else prompt_set_check(root, settings.prompt_set))
    named = () if settings is None else (settings.method, *settings.candidates)
    checks += method_checks(root, dict.fromkeys((*named, *root.store.pages.methods())))
    checks += [templates_check(root), *archive_checks(root, now.date())]
    if settings is None:
        checks += [_depends(name) for name in ("tonight", "router", "key", "clock")]
    else:
        checks += [tonight_check(root, settings.probing, now)]
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
