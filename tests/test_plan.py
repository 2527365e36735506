"""The plan: every prompt for every endpoint, pinned as its siblings need, in a seeded order that spreads the load."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date
from decimal import Decimal

import pytest

from generator.probing.identity import settle
from generator.probing.interface import Ask
from generator.probing.plan import plan
from generator.records.listing import ListedEndpoint, ModelListing
from generator.records.prompt import Prompt
from tests.probing_makers import listed, listing, prompt

PROMPTS = tuple(prompt(prompt_id=f"capital-f{n:02}") for n in range(12)) + tuple(
    prompt(prompt_id=f"sum-f{n:02}", family="sum") for n in range(12)
)
KINDS = {"capital": "facts", "sum": "arithmetic"}


def planned(*models: ModelListing, seed: str = "5eed", prompts: tuple[Prompt, ...] = PROMPTS) -> tuple[Ask, ...]:
    """Return the plan for some models whose endpoints are all new."""
    return plan(settle(date(2026, 11, 29), models, {}), models, prompts, seed=seed, kinds=KINDS)


def only(*entries: ListedEndpoint) -> dict[str, Ask]:
    """Return one ask of each endpoint of a model, by tag."""
    return {ask.tag: ask for ask in planned(listing(*entries), prompts=PROMPTS[:1])}


class TestWhatIsPlanned:
    def test_every_prompt_for_every_endpoint_once(self):
        """Nothing is left out and nothing is doubled."""
        models = (listing(listed("elm/fp8", "fp8"), listed("oak")), listing(listed("elm"), model="b/b"))
        asks = planned(*models)
        wanted = {
            (model, endpoint, each.prompt_id)
            for model, endpoint in (("author/model", "elm"), ("author/model", "oak"), ("b/b", "elm"))
            for each in PROMPTS
        }
        assert len(asks) == len(wanted)
        assert {(ask.model, ask.endpoint, ask.prompt.prompt_id) for ask in asks} == wanted

    def test_what_an_ask_holds(self):
        """Names, prices and parameters are the listing's; the kind is the family's."""
        models = (listing(listed("elm/fp8", "fp8"), model_id="author/alias", reasoning_supported=True),)
        ask = planned(*models)[0]
        assert (ask.model, ask.model_id, ask.provider, ask.tag) == ("author/model", "author/alias", "Elm", "elm/fp8")
        assert ask.parameters == ("max_tokens", "temperature")
        assert (ask.reasoning_supported, ask.reasoning_mandatory) == (True, False)
        assert ask.kind == KINDS[ask.prompt.family]

    def test_inseparable_entries(self):
        """Only parameters that all of them list are counted on."""
        entries = [listed("elm", supported_parameters=(name, "temperature")) for name in ("seed", "top_p")]
        assert only(*entries)["elm"].parameters == ("temperature",)

    def test_the_worst_price_of_any_hour(self):
        """Prices that hold for some hours only are part of the worst case."""
        pricing = {"prompt": "0.000001", "completion": "0.000002", "overrides": [{"completion": "0.5"}]}
        ask = only(listed("elm", raw=json.dumps({"pricing": pricing})))["elm"]
        assert (ask.price_prompt, ask.price_completion) == (Decimal("0.000001"), Decimal("0.5"))
        assert only(listed("elm", price_prompt=None))["elm"].price_prompt is None


class TestFilter:
    """A bare tag with suffixed siblings also needs the declared precision: a base slug matches all of them."""

    def test_a_bare_tag_with_siblings(self):
        """The bare one is filtered, its siblings are pinned by their tags alone."""
        asks = only(listed("elm"), listed("elm/fp8", "fp8"), listed("elm/int4", "int4"))
        assert {tag: ask.quantization for tag, ask in asks.items()} == {
            "elm": "unknown",
            "elm/fp8": None,
            "elm/int4": None,
        }

    def test_a_bare_tag_that_declares_one(self):
        """What it declares is what it is filtered by."""
        assert only(listed("elm", "bf16"), listed("elm/fp8", "fp8"))["elm"].quantization == "bf16"

    def test_variants_count_as_siblings(self):
        """A base slug matches variants and regions too, and a variant its precisions."""
        asks = only(listed("elm"), listed("elm/turbo"), listed("elm/turbo/fp8", "fp8"))
        assert {tag: ask.quantization for tag, ask in asks.items()} == {
            "elm": "unknown",
            "elm/turbo": "unknown",
            "elm/turbo/fp8": None,
        }

    @pytest.mark.parametrize("other", ["elmwood/fp8", "oak/fp8", "elm-2"])
    def test_no_siblings(self, other: str):
        """A tag that only begins alike is no sibling."""
        assert only(listed("elm"), listed(other, "fp8"))["elm"].quantization is None


class TestOrder:
    MODEL = listing(*(listed(f"{name}/fp8", "fp8") for name in ("ash", "elm", "fir", "oak")))

    def test_the_seed_draws_it(self):
        """The same seed gives the same order, another seed another."""
        first = planned(self.MODEL)
        assert planned(self.MODEL) == first
        assert planned(self.MODEL, seed="0ther") != first
        assert set(planned(self.MODEL, seed="0ther")) == set(first)

    def test_it_does_not_hang_on_what_else_is_planned(self):
        """One provider's asks keep their order when another provider arrives."""
        more = listing(*self.MODEL.endpoints, listed("yew/fp8", "fp8"))
        alone = [ask for ask in planned(self.MODEL) if ask.provider == "Elm"]
        beside = [ask for ask in planned(more) if ask.provider == "Elm"]
        assert beside == alone

    def test_it_is_not_the_order_of_the_listing(self):
        """Prompts come mixed, not one after the other."""
        ids = [ask.prompt.prompt_id for ask in planned(self.MODEL) if ask.provider == "Elm"]
        assert ids != sorted(ids)
        assert sorted(ids) == sorted(each.prompt_id for each in PROMPTS)

    def test_load_is_spread_over_providers(self):
        """In every quarter of the night each provider is asked its share, large or small."""
        many = listing(*(listed(f"big/{n}/fp8", "fp8") for n in range(6)), model="b/b")
        asks = planned(self.MODEL, many)
        quarter = len(asks) // 4
        for start in range(0, len(asks), quarter):
            share = Counter(ask.provider for ask in asks[start : start + quarter])
            assert abs(share["Big"] - 36) <= 3
            assert all(abs(share[name] - 6) <= 2 for name in ("Ash", "Elm", "Fir", "Oak"))
