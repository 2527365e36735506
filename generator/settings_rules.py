"""What settings may not say together, though each part of them is sound by itself."""

from __future__ import annotations

from collections.abc import Iterator

from generator.errors import ContentError
from generator.records.refusal import place
from generator.records.store_address import KNOWN, NO_CREDENTIAL, named, parse_store_address
from generator.settings import Settings


def check_settings(settings: Settings, where: str) -> None:
    """Refuse settings that contradict themselves.

    Args:
        settings: as the file says them.
        where: that file, for messages.

    Raises:
        ContentError: naming the field.
    """
    if settings.archive is not None and parse_store_address(settings.archive) is None:
        raise archive_refusal(settings.archive, where)
    for field, problem, do in _contradictions(settings):
        raise ContentError(problem, where=place(where, field), do=do)


def archive_refusal(address: object, where: str) -> ContentError:
    """Return what is raised where the archive's address is none; it is not quoted, as it may hold a credential.

    Args:
        address: as the file says it.
        where: that file, for messages.
    """
    found = named(address) if isinstance(address, str) else "another value"
    problem = f"expected the address of a folder or bucket, {KNOWN}, found {found}"
    return ContentError(problem, where=place(where, "archive"), do=NO_CREDENTIAL)


def watched_names(settings: Settings) -> tuple[str, ...]:
    """Return the models that settings name themselves, each once; a rule may find more."""
    return tuple(dict.fromkeys((*settings.models, *(server.model for server in settings.servers))))


def unnamed_models(settings: Settings) -> tuple[str, ...]:
    """Return the models of `per_model` that settings name nowhere else: only the rule can find them."""
    return tuple(model for model in settings.per_model if model not in watched_names(settings))


def _contradictions(settings: Settings) -> Iterator[tuple[str, str, str]]:
    """Yield a field, what is wrong with it, and what to do."""
    if settings.method in settings.candidates or len(set(settings.candidates)) < len(settings.candidates):
        expected = f"expected candidates other than the current version ({settings.method}), each once"
        yield "candidates", f"{expected}, found {', '.join(settings.candidates)}", "Take out what stands there twice"
    total, idle = settings.probing.total_deadline_s, settings.probing.idle_deadline_s
    if idle > total:
        yield (
            "probing.idle_deadline_s",
            f"expected at most the total deadline ({total:g} s), found {idle:g} s",
            f"Set it to {total:g} or less: a pause cannot be longer than the whole request may take",
        )
    if settings.router.kind == "openrouter":
        yield from _variants(settings)
    unnamed = unnamed_models(settings)
    if unnamed and settings.min_providers is None:
        yield (
            f'per_model."{unnamed[0]}"',
            f"expected a model that is watched ({', '.join(watched_names(settings))}), found '{unnamed[0]}'",
            "Correct the name, or take the table out",
        )


def _variants(settings: Settings) -> Iterator[tuple[str, str, str]]:
    for name, models in (("models", settings.models), ("exclude", settings.exclude)):
        for number, model in enumerate(models):
            plain, _, suffix = model.partition(":")
            if suffix:
                yield (
                    f"{name}[{number}]",
                    f"expected a model without a variant, found '{model}'",
                    f"Name '{plain}': ':{suffix}' is another offer under the same permanent name, and none is asked",
                )
