"""What a request asks for: one endpoint, greedy sampling, nothing rewritten and nothing cached."""

from __future__ import annotations

import pytest

from generator.probing.prices import PRICE_HEADROOM
from generator.probing.wire import request_body, request_headers, token_limit
from tests.probing_makers import SETTINGS, ask, prompt, with_settings

ALL = ("max_tokens", "reasoning", "seed", "temperature")


class TestPinning:
    def test_one_endpoint_and_no_other(self):
        """A request is pinned to the tag, and nothing else may answer it."""
        provider = request_body(ask(), SETTINGS)["provider"]
        assert (provider["only"], provider["allow_fallbacks"]) == (["elm/fp8"], False)
        assert "quantizations" not in provider

    def test_the_filter(self):
        """Where the tag alone matches siblings too, the declared precision filters; joined ones are named apart."""
        assert request_body(ask(quantization="unknown"), SETTINGS)["provider"]["quantizations"] == ["unknown"]
        assert request_body(ask(quantization="fp4+fp8"), SETTINGS)["provider"]["quantizations"] == ["fp4", "fp8"]

    def test_the_model_is_named_by_its_id(self):
        """The id is asked for, word for word the prompt's text, in one message."""
        body = request_body(ask(), SETTINGS)
        assert body["model"] == "author/model"
        assert body["messages"] == [{"role": "user", "content": "Name the capital of France."}]
        assert body["stream"] is False


class TestParameters:
    def test_greedy_with_the_seed_where_listed(self):
        """Temperature is 0; the seed is sent to endpoints that list it, and all that is sent is then required."""
        body = request_body(ask(), SETTINGS)
        assert (body["temperature"], body["seed"], body["max_tokens"]) == (0, 20_260, 24)
        assert body["provider"]["require_parameters"] is True

    def test_no_seed_where_it_is_not_listed(self):
        """The seed is not sent to endpoints that do not list it, nor where settings have none."""
        assert "seed" not in request_body(ask(parameters=("max_tokens", "temperature")), SETTINGS)
        assert "seed" not in request_body(ask(), with_settings(sampling_seed=None))

    @pytest.mark.parametrize("parameters", [(), ("max_tokens",), ("temperature",), ("seed", "max_tokens")])
    def test_nothing_is_required_that_is_not_listed(self, parameters: tuple[str, ...]):
        """Requiring a parameter that the endpoint does not list would find no endpoint."""
        body = request_body(ask(parameters=parameters), SETTINGS)
        assert body["provider"]["require_parameters"] is False
        assert (body["temperature"], body["max_tokens"]) == (0, 24)

    def test_the_other_name_of_the_limit(self):
        """An endpoint that lists max_completion_tokens alone is given the limit under that name."""
        body = request_body(ask(parameters=("max_completion_tokens", "temperature")), SETTINGS)
        assert body["max_completion_tokens"] == 24
        assert "max_tokens" not in body
        assert body["provider"]["require_parameters"] is True


class TestReasoning:
    def test_off_where_allowed(self):
        """A model that may think is told not to."""
        body = request_body(ask(reasoning_supported=True, parameters=ALL), SETTINGS)
        assert (body["reasoning"], body["max_tokens"]) == ({"effort": "none"}, 24)
        assert body["provider"]["require_parameters"] is True

    def test_a_budget_on_top_where_mandatory(self):
        """A model that must think has its budget on top of the prompt's tokens."""
        body = request_body(ask(reasoning_supported=True, reasoning_mandatory=True, parameters=ALL), SETTINGS)
        assert (body["reasoning"], body["max_tokens"]) == ({"max_tokens": 2048}, 2072)

    def test_without_a_budget_nothing_is_said(self):
        """A budget of nothing is not asked for."""
        silent = with_settings(reasoning_budget_tokens=0)
        assert "reasoning" not in request_body(ask(reasoning_mandatory=True), silent)
        assert token_limit(ask(reasoning_mandatory=True), silent) == 24

    def test_a_models_own_budget(self):
        """A model's own thinking budget stands in place of the night's, and of none too."""
        own = ask(reasoning_supported=True, reasoning_mandatory=True, reasoning_budget_tokens=512)
        assert request_body(own, SETTINGS)["reasoning"] == {"max_tokens": 512}
        assert token_limit(own, SETTINGS) == 24 + 512
        none = ask(reasoning_mandatory=True, reasoning_budget_tokens=0)
        assert "reasoning" not in request_body(none, SETTINGS)
        assert token_limit(none, SETTINGS) == 24

    def test_not_mentioned_where_the_model_does_not_think(self):
        """A model without reasoning is not told anything about it."""
        assert "reasoning" not in request_body(ask(), SETTINGS)


def test_never_under_sixteen_tokens():
    """Some endpoints refuse a smaller limit."""
    assert token_limit(ask(prompt=prompt(max_tokens=16)), SETTINGS) == 16
    assert token_limit(ask(max_tokens=8), SETTINGS) == 16


def test_a_models_own_limit():
    """A model's own limit of tokens stands in place of the prompt's."""
    assert request_body(ask(max_tokens=64), SETTINGS)["max_tokens"] == 64


class TestPrice:
    """No request may cost more than the price that the night was planned with."""

    def test_the_planned_price_is_the_highest(self):
        """The router is told the listed prices, per million tokens and with headroom, as the highest it may take."""
        limit = request_body(ask(), SETTINGS)["provider"]["max_price"]
        assert (limit["prompt"], limit["completion"]) == (1.0 * PRICE_HEADROOM, 2.0 * PRICE_HEADROOM)

    def test_an_unlisted_price_bounds_nothing(self):
        """Where the listing gives no price there is none to bound by."""
        assert "max_price" not in request_body(ask(price_prompt=None, price_completion=None), SETTINGS)["provider"]


def test_nothing_rewritten_and_cost_told():
    """Context compression is off and usage accounting on."""
    body = request_body(ask(), SETTINGS)
    assert body["plugins"] == [{"id": "context-compression", "enabled": False}]
    assert body["usage"] == {"include": True}


def test_headers():
    """No cache and no encoding are asked for, metadata is, and no key stands among them."""
    headers = request_headers()
    assert headers["X-OpenRouter-Cache"] == "false"
    assert headers["X-OpenRouter-Metadata"] == "enabled"
    assert headers["Accept-Encoding"] == "identity"
    assert "Authorization" not in headers
