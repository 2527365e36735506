"""Listings as records: real bodies, missing and malformed fields, values that no column holds."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.archive.schema import LISTINGS
from generator.errors import RouterError
from generator.probing.wire import ListedModel, parse_endpoints, parse_models
from generator.probing.wire_entries import members
from generator.records.listing import ListedEndpoint
from tests.probing_makers import BODIES

MODEL = ListedModel(
    model="author/model-20260101", model_id="author/model", reasoning_mandatory=False, reasoning_supported=True
)
ENTRY = {
    "provider_name": "Elm",
    "tag": "elm/fp8",
    "quantization": "fp8",
    "context_length": 8192,
    "max_completion_tokens": 4096,
    "pricing": {"prompt": "0.0000003", "completion": "0.0000011"},
    "status": 0,
    "supported_parameters": ["max_tokens", "seed"],
}


def entry(**changes: Any) -> ListedEndpoint:
    """Return the one endpoint of a listing that holds one entry."""
    (endpoint,) = entries(ENTRY | changes)
    return endpoint


def entries(*items: Any) -> tuple[ListedEndpoint, ...]:
    """Return the endpoints of a listing that holds these entries."""
    return parse_endpoints(json.dumps({"data": {"endpoints": items}}).encode(), MODEL).endpoints


class TestRealListings:
    """Bodies that OpenRouter really gave."""

    def test_endpoints_of_2026(self):
        """Fourteen endpoints: seven declare a precision, seven say 'unknown', which is absent."""
        body = (BODIES / "openrouter_public_endpoints_deepseek-v3.2_2026-07-23_trimmed.json").read_bytes()
        found = parse_endpoints(body, MODEL).endpoints
        assert len(found) == 14
        assert sum(endpoint.declared_precision is None for endpoint in found) == 7
        assert {endpoint.declared_precision for endpoint in found} == {"fp8", "fp4", None}
        alibaba = next(endpoint for endpoint in found if endpoint.tag == "alibaba")
        assert (alibaba.status, alibaba.context_length, alibaba.price_prompt) == (-5, 131072, None)

    def test_endpoints_of_2025(self):
        """Two endpoints of one company, precision null, prices as text."""
        body = (BODIES / "roo_nock_openrouter-model-endpoints_2025-05-23.json").read_bytes()
        google, studio = parse_endpoints(body, MODEL).endpoints
        assert (google.tag, studio.tag) == ("google-vertex", "google-ai-studio")
        assert google.price_completion == Decimal("0.00001")
        assert google.declared_precision is None
        assert "seed" in google.supported_parameters
        assert json.loads(google.raw)["pricing"]["image"] == "0.00516"
        assert "\n" not in google.raw

    def test_models_of_2025(self):
        """All 321 models of a real list are read, each with its id."""
        found = parse_models((BODIES / "roo_nock_openrouter-models_2025-05-23.json").read_bytes())
        assert len(found) == 321
        assert sum(model.reasoning_supported for model in found) == 56
        assert {model.model for model in found} == {model.model_id for model in found}

    def test_models_of_2026(self):
        """Permanent slugs and reasoning are read where the router gives them."""
        found = {
            model.model_id: model
            for model in parse_models((BODIES / "llm_openrouter_models_reasoning.json").read_bytes())
        }
        assert found["openai/gpt-5-nano"].model == "openai/gpt-5-nano-2025-08-07"
        assert found["openai/gpt-5-nano"].reasoning_mandatory
        assert not found["anthropic/claude-sonnet-4"].reasoning_mandatory
        assert found["anthropic/claude-sonnet-4"].reasoning_supported
        assert not found["openai/gpt-4o"].reasoning_supported
        assert len(parse_models((BODIES / "llm_openrouter_models.json").read_bytes())) == 4


class TestAnEntry:
    def test_good(self):
        """Every field of a good entry is kept."""
        found = entry(novelty={"a": [1]})
        assert found == ListedEndpoint(
            provider="Elm",
            tag="elm/fp8",
            declared_precision="fp8",
            context_length=8192,
            max_completion_tokens=4096,
            price_prompt=Decimal("0.0000003"),
            price_completion=Decimal("0.0000011"),
            status=0,
            supported_parameters=("max_tokens", "seed"),
            raw=json.dumps(ENTRY | {"novelty": {"a": [1]}}, separators=(",", ":")),
        )

    @pytest.mark.parametrize("word", [None, "", "unknown", " ", "UNKNOWN", 8, ["fp8"]])
    def test_absent_precision(self, word: object):
        """Null, '' and 'unknown' are absent, and so is what is no word."""
        assert entry(quantization=word).declared_precision is None

    @pytest.mark.parametrize("tag", [None, "", " ", 7, "x" * 201])
    def test_missing_tag(self, tag: object):
        """Without a tag that can pin anything, the provider's name serves."""
        assert entry(tag=tag).tag == "Elm"
        without = {name: value for name, value in ENTRY.items() if name != "tag"}
        assert entries(without)[0].tag == "Elm"

    @pytest.mark.parametrize(
        "price",
        [
            "-1",
            "",
            "free",
            "NaN",
            "Infinity",
            "1e6",
            "999999.9999999999999",
            "1e999",
            "1e99999999999",
            "1_0",
            "٣",
            None,
            True,
            -0.5,
            [1],
        ],
    )
    def test_no_price(self, price: object):
        """-1 and whatever is no amount that the column holds is no price."""
        assert entry(pricing={"prompt": price, "completion": "0.1"}).price_prompt is None
        assert entry(pricing={"prompt": price, "completion": "0.1"}).price_completion == Decimal("0.1")

    def test_a_price_that_is_a_number(self):
        """A number is read as the decimal that it is written as."""
        assert entry(pricing={"prompt": 3e-07}).price_prompt == Decimal("0.0000003")
        assert entry(pricing={"prompt": 0}).price_prompt == 0

    @pytest.mark.parametrize("value", [2**63, -1, 1.5, True, "8192", [], 10**39, "9" * 400])
    def test_a_number_that_no_column_holds(self, value: object):
        """Such a number costs its field alone."""
        found = entry(context_length=value, max_completion_tokens=value)
        assert (found.context_length, found.max_completion_tokens, found.status) == (None, None, 0)

    @pytest.mark.parametrize("value", [2**31, -(2**31) - 1, "0", None, {}])
    def test_a_status_that_no_column_holds(self, value: object):
        """So does such a status; a negative one is one."""
        assert entry(status=value).status is None
        assert entry(status=-5).status == -5

    def test_parameters(self):
        """Names are kept, everything else among them is not."""
        assert entry(supported_parameters=["seed", 7, None, " top_p "]).supported_parameters == ("seed", "top_p")
        assert entry(supported_parameters="seed").supported_parameters == ()

    def test_surrogates(self):
        """A name with half a surrogate pair can be stored, and its neighbours are not lost."""
        odd, good = entries(ENTRY | {"provider_name": "El\ud800m"}, ENTRY)
        assert (odd.provider, good.provider) == ("El\ufffdm", "Elm")
        assert entry(provider_name="\\ud800 \U0001f333").provider == "\\ud800 \U0001f333"

    @pytest.mark.parametrize("item", [None, 7, "Elm", [], {}, ENTRY | {"provider_name": " "}, {"tag": "elm"}])
    def test_without_a_provider_it_is_left_out_and_costs_no_other(self, item: object):
        """An entry that nobody could be asked by is left out; the others stay."""
        assert [found.tag for found in entries(item, ENTRY)] == ["elm/fp8"]

    def test_a_byte_that_is_no_utf8_costs_no_entry(self):
        """Undecodable bytes are replaced, in the record and in its raw JSON."""
        body = json.dumps({"data": {"endpoints": [ENTRY]}}).encode().replace(b"Elm", b"El\xffm")
        (found,) = parse_endpoints(body, MODEL).endpoints
        assert found.provider == "El\ufffdm"
        assert "El\ufffdm" in found.raw


class TestUnreadable:
    """A listing that cannot be read is an error of the router's, never a night without endpoints."""

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"<html>",
            b"[]",
            b'{"data":{}}',
            b'{"data":{"endpoints":null}}',
            b'{"error":{"code":500}}',
            b'{"data":{"endpoints":[' + b"[" * 100_000 + b"]" * 100_000 + b"]}}",
            b'{"data":{"endpoints":[{"provider_name":"Elm","context_length":NaN}]}}',
        ],
    )
    def test_endpoints(self, body: bytes):
        """Anything but a list of endpoints is refused, with the model named."""
        with pytest.raises(RouterError, match="author/model"):
            parse_endpoints(body, MODEL)

    @pytest.mark.parametrize("body", [b"", b"{}", b'{"data":{"endpoints":[]}}', b'{"data":null}'])
    def test_models(self, body: bytes):
        """Anything but a list of models is refused."""
        with pytest.raises(RouterError, match="list of models"):
            parse_models(body)

    def test_no_endpoints_at_all_is_a_listing(self):
        """A model may list none."""
        assert entries() == ()


class TestModelNames:
    @pytest.mark.parametrize(
        "name", [None, 7, "a/" + "b" * 300, "model", "../model", "a/../b", "a/b/c", "a/b?x=1", "a b/c", "a/b%2f"]
    )
    def test_an_id_that_is_no_author_and_name_is_left_out(self, name: object):
        """No id is used in an address that could lead elsewhere."""
        assert parse_models(json.dumps({"data": [{"id": name}]}).encode()) == ()

    def test_a_slug_that_is_none_gives_way_to_the_id(self):
        """Without a usable permanent slug the id stands for it."""
        (found,) = parse_models(json.dumps({"data": [{"id": "a/b", "canonical_slug": "../x"}]}).encode())
        assert found.model == "a/b"


def test_an_entry_that_is_no_object_has_no_members():
    """What cannot be read of an entry is as if it were not there."""
    assert members(b'{"a":') == {}
    assert members(b"[1]") == {}


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(max_size=9),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(sorted(ENTRY)), inner, max_size=4),
        max_leaves=20,
    ),
    st.sampled_from(sorted(ENTRY)),
)
def test_any_value_in_any_field_can_be_stored(value: object, name: str):
    """Whatever an entry holds, what is kept of it fits its columns."""
    for found in entries(ENTRY | {name: value}, value):
        fields = {
            "tag": found.tag,
            "provider": found.provider,
            "declared_precision": found.declared_precision,
            "context_length": found.context_length,
            "max_completion_tokens": found.max_completion_tokens,
            "price_prompt": found.price_prompt,
            "price_completion": found.price_completion,
            "status": found.status,
            "raw": found.raw,
        }
        schema = pa.schema([LISTINGS.field(column) for column in fields])
        table = pa.Table.from_pylist([fields], schema=schema)
        assert table.column("raw")[0].as_py() == found.raw
