"""The prompts of a night: every fixed one, and each family's nightly ones drawn from the night's seed alone.

The same prompt set and the same seed give the same prompts, on any machine, for ever: what was asked can be redrawn
from what a night publishes. Each family draws from a stream of its own, so that adding one leaves the others as
they were.
"""

from __future__ import annotations

from collections.abc import Mapping

from generator.errors import ContentError
from generator.probing.context import CONTEXT_FAMILY, CONTEXT_PREFIX
from generator.probing.draws import Draws
from generator.probing.families import FAMILIES, Family
from generator.records.prompt import Prompt, PromptFamily, PromptSet

_REDRAWS = 1_000
"""Draws of one prompt before its family is taken to have no new one left."""


def night_prompts(prompt_set: PromptSet, seed: str, *, families: Mapping[str, Family] = FAMILIES) -> tuple[Prompt, ...]:
    """Return all prompts of the night that has this seed, sorted by prompt_id.

    Args:
        prompt_set: one that `check_prompt_set` passes.
        seed: as night.json records it.
        families: the kinds there are.

    Raises:
        ContentError: where a family has not enough different prompts for a night.
    """
    prompts = [prompt for family in prompt_set.families for prompt in family.fixed]
    texts = {prompt.prompt for prompt in prompts}
    for family in prompt_set.families:
        draws = Draws(seed, "nightly prompts", family.name)
        if family.pool is not None:
            # Sorted first: the order of lines in a file is no part of what a night drew.
            drawn = draws.sample(sorted(family.pool, key=_by_id), family.nightly)
        else:
            ids = generated_ids(family.name, family.nightly)
            drawn = generate_prompts(families[family.kind], family.name, ids, draws, fixed=False, taken=texts)
        prompts += drawn
        texts.update(prompt.prompt for prompt in drawn)
    return tuple(sorted(prompts, key=_by_id))


def generated_ids(name: str, count: int) -> tuple[str, ...]:
    """Return the ids that a night's generated prompts of a family have."""
    return tuple(f"{name}-n-{number:02d}" for number in range(1, count + 1))


def generate_prompts(  # noqa: PLR0913 - a prompt's fields, and what it must differ from
    family: Family, name: str, ids: tuple[str, ...], draws: Draws, *, fixed: bool, taken: set[str]
) -> list[Prompt]:
    """Return one generated prompt for each id, no text among them twice and none that is taken.

    Args:
        family: the kind; it must have a generator.
        name: what the prompt set calls the family.
        ids: the prompts' ids, in the order drawn.
        draws: the stream that they come from.
        fixed: whether they are to stand in a prompt set.
        taken: texts that none may equal; left as it is.

    Raises:
        ContentError: where the kind has no generator, or no new prompt comes in a thousand draws.
    """
    if family.generate is None:
        raise ContentError(
            f"expected a pool of prompts, found none: kind '{family.kind}' has no generator", where=f"family '{name}'"
        )
    texts = set(taken)
    prompts: list[Prompt] = []
    for prompt_id in ids:
        for _ in range(_REDRAWS):
            made = family.generate(draws)
            if made.prompt not in texts:
                break
        else:
            raise ContentError(
                f"expected {len(ids)} different prompts, found no new one after {len(prompts)}",
                where=f"family '{name}', kind '{family.kind}'",
                do="Lower the family's nightly count in set.toml",
            )
        texts.add(made.prompt)
        prompts.append(
            Prompt(
                prompt_id=prompt_id,
                family=name,
                fixed=fixed,
                prompt=made.prompt,
                expected=made.expected,
                max_tokens=made.max_tokens,
            )
        )
    return prompts


def check_prompt_set(prompt_set: PromptSet, *, families: Mapping[str, Family] = FAMILIES) -> None:
    """Pass a prompt set from which every seed gives a night.

    Raises:
        ContentError: naming family and prompt, where a kind is unknown, an id or a text stands twice, a prompt
            names another family or is marked fixed in a pool (or the other way round), a key is not as answers are
            normalised or stands where answers have none, only some prompts of a family have keys, or the nightly
            prompts have too small a pool, or neither pool nor generator.
    """
    ids: dict[str, str] = {}
    texts: dict[str, str] = {}
    for family in prompt_set.families:
        where = f"prompt set '{prompt_set.name}', family '{family.name}'"
        if family.name == CONTEXT_FAMILY:
            raise ContentError(
                f"expected another name, found the one of the context probes, '{family.name}'", where=where
            )
        if family.kind not in families:
            raise ContentError(f"expected a kind of {', '.join(sorted(families))}, found '{family.kind}'", where=where)
        kind = families[family.kind]
        _check_source(family, kind, where)
        for prompt_id in generated_ids(family.name, family.nightly) if family.pool is None else ():
            _check_new(ids, prompt_id, "id", prompt_id, where)
        for fixed, prompts in ((True, family.fixed), (False, family.pool or ())):
            for prompt in prompts:
                place = f"{where}, prompt '{prompt.prompt_id}'"
                _check_new(ids, prompt.prompt_id, "id", prompt.prompt_id, place)
                _check_new(texts, prompt.prompt, "text", prompt.prompt_id, place)
                _check_prompt(prompt, family, fixed=fixed, where=place)
                _check_key(prompt, kind, place)
        _check_keys_alike(family, where)


def _check_source(family: PromptFamily, kind: Family, where: str) -> None:
    """Refuse a family that cannot give its nightly prompts."""
    if family.nightly < 0:
        raise ContentError(f"expected a nightly count of 0 or more, found {family.nightly}", where=where)
    if family.pool is None and kind.generate is None:
        raise ContentError(f"expected a pool, found none: kind '{family.kind}' has no generator", where=where)
    if family.pool is not None and len(family.pool) < family.nightly:
        problem = f"expected a pool of at least {family.nightly} prompts, found {len(family.pool)}"
        raise ContentError(problem, where=where, do="Add prompts with fixed = false")


def _check_new(seen: dict[str, str], value: str, what: str, prompt_id: str, where: str) -> None:
    """Refuse a value that another prompt of the set already has."""
    if value in seen:
        raise ContentError(f"expected a new {what}, found the one of prompt '{seen[value]}' again", where=where)
    seen[value] = prompt_id


def _check_prompt(prompt: Prompt, family: PromptFamily, *, fixed: bool, where: str) -> None:
    """Refuse a prompt that says it is another family's, or fixed where it is drawn, or the other way round."""
    if prompt.prompt_id.startswith(CONTEXT_PREFIX):
        raise ContentError(
            f"expected an id that does not begin with '{CONTEXT_PREFIX}', as context probes do", where=where
        )
    if prompt.family != family.name:
        raise ContentError(f"expected family '{family.name}', found '{prompt.family}'", where=where)
    if prompt.fixed is not fixed:
        raise ContentError(f"expected fixed to be {fixed}, found {prompt.fixed}".lower(), where=where)


def _check_key(prompt: Prompt, kind: Family, where: str) -> None:
    """Refuse a key that no answer could equal, or one where answers have none."""
    if prompt.expected is None:
        return
    if kind.open_ended:
        raise ContentError(f"expected no key in an open-ended family, found '{prompt.expected}'", where=where)
    normalised = kind.normalise(prompt.expected)
    if not prompt.expected or normalised != prompt.expected:
        raise ContentError(f"expected the key normalised, '{normalised}', found '{prompt.expected}'", where=where)


def _check_keys_alike(family: PromptFamily, where: str) -> None:
    """Refuse a family in which some prompts have keys and some have none: a missing key would count as nothing."""
    without = [prompt.prompt_id for prompt in (*family.fixed, *(family.pool or ())) if prompt.expected is None]
    if without and len(without) < len(family.fixed) + len(family.pool or ()):
        raise ContentError("expected a key, as other prompts have", where=f"{where}, prompt '{without[0]}'")


def _by_id(prompt: Prompt) -> str:
    """Return what prompts are sorted by."""
    return prompt.prompt_id
