"""The demo router over real HTTP: protocol, pinning, refusals, each scripted fault, and its end as a process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import httpx
import pytest

from generator.errors import RouterError
from generator.probing.demo.faults import (
    ErrorInside200,
    KeepAlive,
    Misrouting,
    RateLimit,
    RequestFault,
    ServerError,
    Truncation,
    hit,
    load_faults,
)
from generator.probing.demo.process import running_router
from generator.probing.demo.recording import RecordedEndpoint, drawn_sample, load_recording
from generator.probing.demo.roster import offers
from generator.probing.interface import LATENCY_HEADER
from generator.records.prompt import Prompt

GEMMA = "google/gemma-3-270m"
SMOLLM = "huggingfacetb/smollm2-135m-instruct"
CHAT = "/api/v1/chat/completions"
SEED = "00ff"
RECORDING = load_recording()
FIRST = RECORDING.prompts[0]


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    """A client with a key, for one router that all tests of this file share."""
    with (
        running_router() as address,
        httpx.Client(base_url=address.removesuffix("/api/v1"), headers={"Authorization": "Bearer k"}) as http,
    ):
        yield http


@pytest.fixture
def night(client: httpx.Client) -> httpx.Client:
    """The client on night 1."""
    play(client, 1)
    return client


def play(client: httpx.Client, index: int, seed: str = SEED) -> None:
    """Set the night."""
    assert client.put("/demo/night", json={"night_index": index, "seed": seed}).status_code == 200


def host(model: str, provider: str) -> RecordedEndpoint:
    """A recorded endpoint that exists."""
    found = RECORDING.endpoint(model, provider)
    assert found is not None
    return found


def body(prompt: Prompt = FIRST, *, model: str = GEMMA, tag: str = "alder/int4", **changes: object) -> dict[str, Any]:
    """A request pinned to one tag."""
    request: dict[str, Any] = {
        "model": model,
        "messages": [{"role": "user", "content": prompt.prompt}],
        "max_tokens": prompt.max_tokens,
        "temperature": 0,
        "provider": {"only": [tag], "allow_fallbacks": False},
    }
    return request | changes


def error_of(reply: httpx.Response) -> dict[str, Any]:
    """The error of a refused request; its code is the status."""
    error: dict[str, Any] = reply.json()["error"]
    assert error["code"] == reply.status_code
    assert error["message"]
    return error


def hit_by(kind: type[RequestFault], count: int = 1) -> list[tuple[Any, RecordedEndpoint, Prompt]]:
    """Prompts whose requests meet a fault of this kind on the seed that the tests play."""
    faults = load_faults()
    found = [
        (fault, endpoint, prompt)
        for endpoint in RECORDING.endpoints
        for prompt in RECORDING.prompts
        if isinstance(fault := hit(faults, SEED, endpoint, prompt.prompt_id), kind)
    ]
    assert len(found) >= count
    return found


def ask(client: httpx.Client, endpoint: RecordedEndpoint, prompt: Prompt) -> httpx.Response:
    """Ask a recorded endpoint for a recorded prompt."""
    return client.post(CHAT, json=body(prompt, model=endpoint.model, tag=endpoint.tag))


class TestItSpeaksOpenRoutersProtocol:
    def test_the_models_are_listed(self, night: httpx.Client) -> None:
        """Both models stand in the list, with a permanent slug, and no key is needed."""
        reply = httpx.get(night.base_url.join("/api/v1/models"))
        assert reply.headers["content-type"].startswith("application/json")
        assert [(m["id"], m["canonical_slug"]) for m in reply.json()["data"]] == [(GEMMA, GEMMA), (SMOLLM, SMOLLM)]

    def test_each_endpoint_is_listed_as_the_roster_says(self, night: httpx.Client) -> None:
        """Provider, tag, quantization, context and prices as strings in USD a token, for all that are listed."""
        for model in (GEMMA, SMOLLM):
            data = night.get(f"/api/v1/models/{model}/endpoints").json()["data"]
            assert data["id"] == model
            found = [
                (e["provider_name"], e["tag"], e["quantization"], e["context_length"], e["pricing"]["prompt"])
                for e in data["endpoints"]
            ]
            assert found == [
                (
                    o.recorded.provider_name,
                    o.tag,
                    o.quantization,
                    o.recorded.context_length,
                    f"{o.price_prompt:f}",
                )
                for o in offers(RECORDING, load_faults(), 1)
                if o.recorded.model == model
            ]
            assert all(isinstance(e["pricing"]["completion"], str) and e["status"] == 0 for e in data["endpoints"])
            assert all("max_tokens" in e["supported_parameters"] for e in data["endpoints"])

    def test_an_answer_is_the_recorded_one(self, night: httpx.Client) -> None:
        """Text, end, tokens, price and latency are those of the sample drawn."""
        endpoint = host(GEMMA, "Alder")
        sample = drawn_sample(RECORDING, SEED, endpoint, FIRST)
        reply = ask(night, endpoint, FIRST)
        answer = reply.json()
        choice = answer["choices"][0]
        assert (reply.status_code, reply.headers[LATENCY_HEADER]) == (200, str(sample.latency_ms))
        assert (answer["model"], answer["provider"]) == (GEMMA, "Alder")
        assert answer["id"].startswith("gen-")
        assert choice["message"]["content"] == sample.text
        assert (choice["finish_reason"], choice["native_finish_reason"]) == (sample.finish_reason,) * 2
        usage = answer["usage"]
        assert (usage["prompt_tokens"], usage["completion_tokens"]) == (sample.prompt_tokens, sample.completion_tokens)
        cost = endpoint.price_prompt * sample.prompt_tokens + endpoint.price_completion * sample.completion_tokens
        assert Decimal(repr(usage["cost"])) == cost

    def test_a_message_in_parts_is_the_same_prompt(self, night: httpx.Client) -> None:
        """Text parts are joined."""
        half = len(FIRST.prompt) // 2
        parts = [{"type": "text", "text": text} for text in (FIRST.prompt[:half], FIRST.prompt[half:])]
        plain = night.post(CHAT, json=body())
        assert night.post(CHAT, json=body(messages=[{"role": "user", "content": parts}])).json() == plain.json()

    def test_a_key_has_no_limit(self, night: httpx.Client) -> None:
        """What a client is told of its key: nothing is charged, and so nothing is limited; without a key, 401."""
        data = night.get("/api/v1/key").json()["data"]
        assert (data["limit"], data["limit_remaining"], data["usage"]) == (None, None, 0)
        assert error_of(httpx.get(night.base_url.join("/api/v1/key")))["code"] == 401


class TestSameSeedSameAnswers:
    def test_a_night_can_be_played_again(self, client: httpx.Client) -> None:
        """The same night and seed give the same bytes for each endpoint; another seed moves some answers."""
        asked = [(host(GEMMA, p), prompt) for p in ("Alder", "Dogwood", "Fir") for prompt in RECORDING.prompts[:12]]
        seen = []
        for seed in ("one", "two", "one"):
            play(client, 1, seed)
            seen.append([ask(client, endpoint, prompt).content for endpoint, prompt in asked])
        assert seen[0] == seen[2] != seen[1]

    def test_a_host_that_repeats_itself_gives_one_answer(self, client: httpx.Client) -> None:
        """Fir says the same on every seed."""
        texts = set()
        for seed in ("one", "two", "three"):
            play(client, 1, seed)
            texts.add(ask(client, host(GEMMA, "Fir"), FIRST).json()["choices"][0]["message"]["content"])
        assert len(texts) == 1


class TestARequestIsPinnedToOneEndpoint:
    def test_each_tag_reaches_its_own_provider(self, night: httpx.Client) -> None:
        """Every tag listed on the night is served by its provider, whatever else is listed."""
        prompt = next(
            p
            for p in RECORDING.prompts
            if all(not hit(load_faults(), SEED, e, p.prompt_id) for e in RECORDING.endpoints)
        )
        for offer in offers(RECORDING, load_faults(), 1):
            reply = night.post(CHAT, json=body(prompt, model=offer.recorded.model, tag=offer.tag))
            assert reply.json()["provider"] == offer.recorded.provider_name

    @pytest.mark.parametrize(
        ("rules", "provider"),
        [
            ({"only": ["birch"]}, "Birch"),
            ({"only": ["birch"], "quantizations": ["int4"]}, "Birch"),
            ({"only": ["birch"], "quantizations": ["int8"]}, None),
            ({"only": ["birch/int8"]}, None),
            ({"only": ["int4"]}, None),
            ({"only": []}, None),
            ({"only": ["cedar"], "quantizations": ["unknown"]}, "Cedar"),
            ({"only": ["cedar"], "quantizations": ["int4"]}, None),
            ({"quantizations": ["int8"]}, "Dogwood"),
            ({"only": ["fir/int4"], "require_parameters": True}, "Fir"),
            ({}, "Alder"),
        ],
    )
    def test_the_rules_decide(self, client: httpx.Client, rules: dict[str, object], provider: str | None) -> None:
        """A short name matches a provider's endpoints, quantizations filter, and where none is left it is a 404."""
        play(client, 1, "clear")
        reply = client.post(CHAT, json=body(provider=rules | {"allow_fallbacks": False}))
        if provider is None:
            assert reply.status_code == 404
            assert error_of(reply)["message"].startswith("No endpoints found")
        else:
            assert reply.json()["provider"] == provider

    def test_parameters_that_are_not_listed_are_refused_on_demand(self, night: httpx.Client) -> None:
        """With require_parameters a seed finds no endpoint; without, it is dropped in silence."""
        rules = {"only": ["fir/int4"], "allow_fallbacks": False}
        strict = night.post(CHAT, json=body(seed=7, provider=rules | {"require_parameters": True}))
        assert error_of(strict)["code"] == 404
        assert night.post(CHAT, json=body(seed=7, provider=rules)).status_code == 200


class TestRefusalsHaveOpenRoutersShape:
    @pytest.mark.parametrize("header", [None, "", "Bearer", "Basic k"])
    def test_no_key(self, night: httpx.Client, header: str | None) -> None:
        """401 without a bearer key, before the body is looked at."""
        headers = {} if header is None else {"Authorization": header}
        assert error_of(httpx.post(night.base_url.join(CHAT), headers=headers, content=b"{"))["code"] == 401

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"{",
            b"[]",
            b"\xff",
            b'"\xff"',
            b"[" * 100_000,
            b'{"model": "m", "messages": []}',
            b'{"model": 1, "messages": [{"role": "user", "content": "x"}]}',
            b'{"model": "m", "messages": [{"role": "user", "content": null}]}',
            b'{"model": "m", "messages": [{"role": "robot", "content": "x"}]}',
            b'{"model": "m", "messages": [{"role": "user", "content": "x"}], "max_tokens": 0}',
            b'{"model": "m", "messages": [{"role": "user", "content": "x"}], "provider": {"only": "alder"}}',
        ],
    )
    def test_a_malformed_body(self, night: httpx.Client, content: bytes) -> None:
        """400, and the router goes on."""
        assert error_of(night.post(CHAT, content=content))["code"] == 400
        assert night.post(CHAT, json=body()).status_code == 200

    @pytest.mark.parametrize(
        "changes",
        [
            {"messages": [{"role": "user", "content": "What was never asked"}]},
            {"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": FIRST.prompt}]},
            {"messages": [{"role": "assistant", "content": FIRST.prompt}]},
            {"max_tokens": FIRST.max_tokens - 1},
            {"stream": True},
        ],
    )
    def test_what_was_not_recorded(self, night: httpx.Client, changes: dict[str, Any]) -> None:
        """400 for another prompt, another conversation, a shorter limit, or a stream: nothing is made up."""
        assert error_of(night.post(CHAT, json=body(**changes)))["code"] == 400

    def test_a_body_that_is_too_large(self, night: httpx.Client) -> None:
        """413 above one MiB."""
        assert night.post(CHAT, content=b" " * (1 << 20) + b"{}").status_code == 413

    def test_what_is_not_there(self, night: httpx.Client) -> None:
        """404 for another model, another address and another method."""
        assert error_of(night.post(CHAT, json=body(model="a/b")))["message"].startswith("No endpoints found")
        assert error_of(night.get("/api/v1/models/a/b/endpoints"))["code"] == 404
        assert error_of(night.get("/api/v2/models"))["code"] == 404
        assert error_of(night.get(CHAT))["code"] == 404

    @pytest.mark.parametrize(
        "order",
        [{}, {"night_index": 0, "seed": "s"}, {"night_index": 1, "seed": ""}, {"night_index": "1", "seed": "s"}],
    )
    def test_a_night_that_is_none(self, night: httpx.Client, order: dict[str, object]) -> None:
        """A malformed night is refused and the one before goes on."""
        before = night.post(CHAT, json=body()).content
        assert error_of(night.put("/demo/night", json=order))["code"] == 400
        assert night.post(CHAT, json=body()).content == before

    def test_before_a_night_is_set(self) -> None:
        """503 that names no provider, so that it can never count against an endpoint."""
        with running_router() as address, httpx.Client(base_url=address, headers={"Authorization": "Bearer k"}) as http:
            replies = [
                http.get("/models"),
                http.get(f"/models/{GEMMA}/endpoints"),
                http.get("/key"),
                http.post("/chat/completions", json=body()),
            ]
            assert [error_of(reply)["code"] for reply in replies] == [503] * 4
            assert all("metadata" not in error_of(reply) for reply in replies)


class TestFaultsAreShapedAsOpenRouterShapesThem:
    @pytest.mark.parametrize(("kind", "status"), [(ServerError, 502), (RateLimit, 429)])
    def test_an_error_of_the_providers(self, night: httpx.Client, kind: type[RequestFault], status: int) -> None:
        """The status stands in the body too, which names the provider, and no limit of the router's."""
        for _, endpoint, prompt in hit_by(kind):
            reply = ask(night, endpoint, prompt)
            assert reply.status_code == status
            metadata = error_of(reply)["metadata"]
            assert metadata["provider_name"] == endpoint.provider_name == "Dogwood"
            assert "limit_source" not in metadata
            assert LATENCY_HEADER not in reply.headers

    def test_an_error_inside_200(self, client: httpx.Client) -> None:
        """HTTP 200 without an answer comes in four shapes, and each of them comes."""
        shapes = set()
        for seed in map(str, range(12)):
            play(client, 1, seed)
            endpoint = host(GEMMA, "Dogwood")
            for prompt in RECORDING.prompts:
                if not isinstance(hit(load_faults(), seed, endpoint, prompt.prompt_id), ErrorInside200):
                    continue
                reply = ask(client, endpoint, prompt)
                assert reply.status_code == 200
                assert LATENCY_HEADER not in reply.headers
                match reply.json():
                    case {"error": {"code": 502, "metadata": {"provider_name": "Dogwood"}}}:
                        shapes.add("error on top")
                    case {"choices": [{"finish_reason": "error", "error": {"code": 502}}]}:
                        shapes.add("error in the choice")
                    case {"choices": [{"finish_reason": "stop", "message": {"content": None}}]}:
                        shapes.add("null content")
                    case {"id": str()} as answer if "choices" not in answer:
                        shapes.add("no choices")
                    case other:
                        pytest.fail(f"an answer or another shape: {other}")
        assert shapes == {"error on top", "error in the choice", "null content", "no choices"}

    def test_white_space_before_the_body(self, night: httpx.Client) -> None:
        """The answer is the recorded one, after white space."""
        for _, endpoint, prompt in hit_by(KeepAlive):
            reply = ask(night, endpoint, prompt)
            assert reply.content[:2].isspace()
            sample = drawn_sample(RECORDING, SEED, endpoint, prompt)
            assert reply.json()["choices"][0]["message"]["content"] == sample.text

    def test_served_by_another_provider(self, night: httpx.Client) -> None:
        """The body names the other provider, and the answer is the one that was recorded there."""
        for fault, endpoint, prompt in hit_by(Misrouting):
            answer = ask(night, endpoint, prompt).json()
            assert answer["provider"] == fault.served_by != endpoint.provider_name
            sample = drawn_sample(RECORDING, SEED, host(endpoint.model, fault.served_by), prompt)
            assert answer["choices"][0]["message"]["content"] == sample.text

    def test_an_answer_cut_in_half(self, night: httpx.Client) -> None:
        """A beginning of the recorded answer, not blank, that ends with length."""
        for _, endpoint, prompt in hit_by(Truncation, 5):
            answer = ask(night, endpoint, prompt).json()
            text = answer["choices"][0]["message"]["content"]
            sample = drawn_sample(RECORDING, SEED, endpoint, prompt)
            assert sample.text.startswith(text)
            assert text.strip()
            assert len(text) < len(sample.text) or len(sample.text.strip()) == 1
            assert answer["choices"][0]["finish_reason"] == "length"
            assert answer["usage"]["completion_tokens"] <= sample.completion_tokens

    def test_an_endpoint_that_is_absent(self, client: httpx.Client) -> None:
        """Larch is not listed on night 9 and a request for it finds no endpoint; on night 8 it answers."""
        for night, listed in ((8, True), (9, False)):
            play(client, night)
            tags = [e["tag"] for e in client.get(f"/api/v1/models/{GEMMA}/endpoints").json()["data"]["endpoints"]]
            assert ("larch" in tags) is listed
            assert client.post(CHAT, json=body(tag="larch")).status_code == (200 if listed else 404)

    def test_an_endpoint_that_declares_another_precision(self, client: httpx.Client) -> None:
        """On night 10 Oak is listed and found as oak/int8 alone; its answers stay the recorded ones."""
        play(client, 9)
        before = client.post(CHAT, json=body(tag="oak/int4")).json()["choices"]
        play(client, 10)
        entries = client.get(f"/api/v1/models/{GEMMA}/endpoints").json()["data"]["endpoints"]
        assert [(e["tag"], e["quantization"]) for e in entries if e["provider_name"] == "Oak"] == [("oak/int8", "int8")]
        assert client.post(CHAT, json=body(tag="oak/int4")).status_code == 404
        assert client.post(CHAT, json=body(tag="oak/int8")).json()["choices"] == before

    def test_an_endpoint_that_changes_its_price(self, client: httpx.Client) -> None:
        """Larch costs more from night 11 on, in the listing and in the usage."""
        costs = []
        for night in (8, 11):
            play(client, night)
            entries = client.get(f"/api/v1/models/{GEMMA}/endpoints").json()["data"]["endpoints"]
            price = next(Decimal(e["pricing"]["prompt"]) for e in entries if e["provider_name"] == "Larch")
            costs.append((price, client.post(CHAT, json=body(tag="larch")).json()["usage"]["cost"]))
        assert costs[0] < costs[1]
        assert costs[0][1] < costs[1][1]


class TestItCountsWhatItServed:
    def test_counts_by_endpoint_and_fault(self, night: httpx.Client) -> None:
        """Requests that reached an endpoint count for it, those with a fault under its name; refused ones do not."""

        def counted() -> tuple[int, dict[str, int], dict[str, int]]:
            served = night.get("/demo/served").json()
            reached = {e["provider"]: e["requests"] for e in served["endpoints"] if e["model"] == SMOLLM}
            faults = {name: n for e in served["endpoints"] for name, n in e["faults"].items() if e["model"] == SMOLLM}
            return served["requests"], reached, faults

        fault, endpoint, prompt = hit_by(Truncation)[0]
        ask(night, endpoint, prompt)
        requests, reached, faults = counted()
        ask(night, endpoint, prompt)
        ask(night, host(SMOLLM, "Fir"), prompt)
        night.post(CHAT, json=body(model=SMOLLM, tag="nobody"))
        after = counted()
        assert after[0] == requests + 3
        assert after[1] == reached | {"Birch": reached["Birch"] + 1, "Fir": reached.get("Fir", 0) + 1}
        assert after[2] == faults | {fault.name: faults[fault.name] + 1}


def gone(address: str) -> bool:
    """Whether nothing listens at an address any more, waited for within a bound."""
    for _ in range(200):
        try:
            httpx.get(f"{address}/models")
        except httpx.TransportError:
            return True
        time.sleep(0.05)
    return False


class TestTheProcessSurelyEnds:
    def test_with_the_block(self) -> None:
        """After the with block nothing listens, also where the block raised."""
        seen = []
        with pytest.raises(ZeroDivisionError), running_router() as address:  # noqa: PT012 - the block is the subject
            seen.append(address)
            assert httpx.get(f"{address}/models").status_code == 503
            raise ZeroDivisionError
        assert gone(seen[0])

    def test_when_its_input_closes(self) -> None:
        """The server ends by itself, with exit code 0, when the pipe to it closes."""
        with subprocess.Popen(
            [sys.executable, "-P", "-m", "generator.probing.demo.server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            assert process.stdout.readline().startswith(b'{"port":')
            assert process.poll() is None
            process.stdin.close()
            assert process.wait(timeout=20) == 0

    def test_when_its_parent_is_killed(self) -> None:
        """A parent that gets no chance to clean up leaves no router behind."""
        code = (
            "from generator.probing.demo.process import running_router\n"
            "with running_router() as address:\n"
            "    print(address, flush=True)\n"
            "    input()\n"
        )
        with subprocess.Popen(
            [sys.executable, "-P", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as parent:
            assert parent.stdout is not None
            address = parent.stdout.readline().strip()
            assert httpx.get(f"{address}/models").status_code == 503
            parent.kill()
            assert parent.wait() != 0
        assert gone(address)

    @pytest.mark.skipif(os.name == "nt", reason="a terminal's interrupt is a POSIX signal here")
    def test_an_interrupt_is_the_parents_to_handle(self) -> None:
        """Ctrl-C reaches the whole group: the server goes on until its parent has closed the pipe."""
        with subprocess.Popen(
            [sys.executable, "-P", "-m", "generator.probing.demo.server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(timeout=0.5)
            process.stdin.close()
            assert process.wait(timeout=20) == 0

    def test_one_that_does_not_start(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """An interpreter that ends at once is reported in one sentence."""
        monkeypatch.setenv("PYTHONHOME", os.devnull)
        with pytest.raises(RouterError, match="found that it ended"), running_router():
            pytest.fail("there is no router")
