"""Which of a router's models a night is about: those named, and those that the rule finds by who serves them.

No variant such as ':free' is asked, not even by its name: it is another offer under the same permanent slug. The rule
watches a model where as many different providers serve it as settings say; one of the last recorded night stays while
two do. It takes no alias that is repointed ('~author/latest') and no entry that is a router of its own and has no
price ('-1').
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from generator.probing.interface import Watch
from generator.probing.wire_listing import ListedModel
from generator.records.listing import ModelListing

STAY_PROVIDERS = 2
"""With fewer there is nobody to compare with."""


def named(watch: Watch, listed: Iterable[ListedModel]) -> tuple[ListedModel, ...]:
    """Return the models that a watch names and that are listed, each once, in the watch's order."""
    models = [model for model in listed if ":" not in model.model_id]
    found = (_find(name, models) for name in watch.models)
    return tuple({model.model: model for model in found if model is not None}.values())


def candidates(watch: Watch, listed: Iterable[ListedModel]) -> tuple[ListedModel, ...]:
    """Return the models that the rule may watch, once it is known who serves them, by slug; none without a rule.

    Models that are named are left out.
    """
    if watch.min_providers is None:
        return ()
    models = tuple(listed)
    known = {model.model for model in named(watch, models)}
    by_slug: dict[str, ListedModel] = {}
    for model in sorted(models, key=lambda model: model.model_id):
        plain = model.priced and ":" not in model.model_id and not model.model_id.startswith("~")
        left_out = model.model in watch.exclude or model.model_id in watch.exclude
        if plain and not left_out and model.model not in known:
            by_slug.setdefault(model.model, model)
    return tuple(by_slug[slug] for slug in sorted(by_slug))


def watched_by_rule(watch: Watch, listing: ModelListing) -> bool:
    """True where enough different providers serve a candidate."""
    providers = {endpoint.provider.casefold() for endpoint in listing.endpoints}
    enough = watch.min_providers is not None and len(providers) >= watch.min_providers
    return enough or (listing.model in watch.stay and len(providers) >= STAY_PROVIDERS)


def _find(name: str, listed: Sequence[ListedModel]) -> ListedModel | None:
    """Return the model of a slug, the first by id, or failing that of an id; None where none is listed tonight."""
    by_slug = [model for model in listed if model.model == name]
    by_id = [model for model in listed if model.model_id == name]
    return min(by_slug or by_id, key=lambda model: model.model_id, default=None)
