"""Content as a night needs it: the prompt set and the methods with their digests, the templates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from generator.errors import BitdepthError, ContentError
from generator.probing.night_prompts import check_prompt_set
from generator.records.check import Check, CheckState, failed
from generator.records.night import NightRecord
from generator.site import templates
from generator.workflows.windows import bound_method
from generator.workflows.world import Root


def prompt_set_check(root: Root, name: str) -> Check:
    """Return whether the prompt set is whole, and the one that nights were asked with under its name."""
    expected = f"prompt set {name}, whole, and as nights were asked with it"
    try:
        prompt_set = root.content.prompt_set(name)
        check_prompt_set(prompt_set)
        earlier = _last_asked(root, name)
        if earlier is not None and earlier.prompt_set_sha256 != prompt_set.sha256:
            raise ContentError(
                f"SHA-256 {prompt_set.sha256}, but night {earlier.night} was asked with {earlier.prompt_set_sha256}",
                where=f"content/prompts/{name}/",
                do="Restore its files: a set that is to change needs a new name",
            )
    except (BitdepthError, OSError) as error:
        return failed("prompt set", expected, error, "Restore the file")
    asked = "no kept night was asked with it" if earlier is None else f"as on night {earlier.night}"
    found = f"SHA-256 {prompt_set.sha256}, {asked}"
    return Check(name="prompt set", state=CheckState.OK, expected=expected, found=found)


def method_checks(root: Root, versions: Iterable[str]) -> Iterator[Check]:
    """Yield, for each method version, whether it is whole, and the one that grades were published under."""
    for version in versions:
        name, expected = f"method {version}", "a definition as grades were published under it"
        try:
            method = bound_method(root, version)
            bound = version in root.store.pages.methods()
        except (BitdepthError, OSError) as error:
            yield failed(name, expected, error, "Restore the file")
            continue
        graded = "as grades were published under it" if bound else "nothing is published under it yet"
        found = f"SHA-256 {method.digest}, {graded}"
        yield Check(name=name, state=CheckState.OK, expected=expected, found=found)


def reply_checks(root: Root) -> Iterator[Check]:
    """Yield whether the replies to grades can be read, where there are any."""
    expected = "replies to grades that can be read"
    try:
        found = root.content.replies()
    except (BitdepthError, OSError) as error:
        yield failed("replies", expected, error, "Mend the file")
        return
    if found:
        yield Check(name="replies", state=CheckState.OK, expected=expected, found=f"{len(found)} of them")


def templates_check(root: Root) -> Check:
    """Return whether every template can be read and is one."""
    expected = "templates that can be read"
    try:
        number = templates.load(root.templates).compile()
    except (BitdepthError, OSError) as error:
        return failed("templates", expected, error, "Mend the file, or remove it to use the program's own")
    return Check(name="templates", state=CheckState.OK, expected=expected, found=f"{number} of them")


def _last_asked(root: Root, name: str) -> NightRecord | None:
    """Return the last kept night that was asked with the prompt set of a name."""
    for night in reversed(root.store.nights.kept()):
        record = root.store.nights.get(night).record
        if record.prompt_set == name:
            return record
    return None
