"""What site.toml may say of routers, servers, the models watched and the budget; and every refusal, with its field."""

from __future__ import annotations

import asyncio
import re
import tomllib
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

from generator import settings as settings_module
from generator.content import Content
from generator.errors import ContentError, RouterError
from generator.probing.demo_client import Demo
from generator.probing.direct import Direct
from generator.probing.huggingface import HuggingFace
from generator.probing.openrouter import OpenRouter
from generator.records.check import failed
from generator.records.night import ModelSettings
from generator.settings import PATTERN_WORDS, Key, Settings
from generator.settings_rules import unnamed_models
from generator.terminal.routers import demo_at, router_of
from generator.workflows.planning import own_settings
from generator.workflows.world import World
from tests.probing_makers import listing

REPOSITORY = Path(__file__).parent.parent
HEAD = """
format = 1
title = "t"
address = "https://t.example/"
publisher = "t"
contact = "mailto:t@t.example"
method = "0.1"
prompt_set = "p1"
"""
OPENROUTER = '[router]\nkind = "openrouter"\naddress = "https://openrouter.ai/api/v1"\n'
DIRECT = '[router]\nkind = "direct"\n'
SERVER = '[[servers]]\nname = "rack"\naddress = "http://127.0.0.1:8000/v1"\nmodel = "a/b"\n'
WORLD = World(now=lambda: datetime(2026, 11, 29, tzinfo=UTC), monotonic=lambda: 0.0, sleep=asyncio.sleep, entropy=bytes)


def read(tmp_path: Path, *parts: str) -> Settings:
    """Return what a site.toml says that is made of some parts."""
    (tmp_path / "content").mkdir(exist_ok=True)
    (tmp_path / "content/site.toml").write_text(HEAD + "\n".join(parts))
    return Content(tmp_path).settings()


def refused(tmp_path: Path, *parts: str) -> str:
    """Return the message by which a site.toml is refused."""
    with pytest.raises(ContentError) as caught:
        read(tmp_path, *parts)
    message = str(caught.value)
    assert "content/site.toml" in message
    return message


class TestWhatIsWatched:
    def test_by_list_by_rule_or_by_both(self, tmp_path: Path):
        """Either is enough, and the rule may leave models out."""
        assert read(tmp_path, 'models = ["a/b"]', OPENROUTER).min_providers is None
        both = read(tmp_path, 'models = ["a/b"]\nmin_providers = 4\nexclude = ["a/c"]', OPENROUTER)
        assert (both.models, both.min_providers, both.exclude) == (("a/b",), 4, ("a/c",))
        assert read(tmp_path, "min_providers = 2", OPENROUTER).models == ()

    def test_nothing(self, tmp_path: Path):
        """Settings that watch nothing are refused: the night would be empty."""
        assert "'models' or 'min_providers'" in refused(tmp_path, OPENROUTER)

    @pytest.mark.parametrize("value", ["1", "0", "-4", "1001", '"4"', "4.5", "true"])
    def test_the_rule(self, tmp_path: Path, value: str):
        """A rule counts providers: two at least, because one has nobody to be compared with."""
        assert "'min_providers'" in refused(tmp_path, f"min_providers = {value}", OPENROUTER)

    @pytest.mark.parametrize("name", ["model", "a/b/c", "/b", "a/", "a b/c", "../b"])
    @pytest.mark.parametrize("field", ["models", "exclude"])
    def test_a_model_is_author_and_name(self, tmp_path: Path, field: str, name: str):
        """Anything else could be in no listing."""
        rule = "min_providers = 4\n" if field == "exclude" else ""
        assert f"'{field}[0]'" in refused(tmp_path, f'{rule}{field} = ["{name}"]', OPENROUTER)


class TestRouter:
    @pytest.mark.parametrize("kind", ["openrouter", "huggingface", "demo"])
    def test_kinds_with_an_address(self, tmp_path: Path, kind: str):
        """A router has an address; only the demo charges nothing."""
        router = f'[router]\nkind = "{kind}"\naddress = "https://r.example/v1"\nkey_variable = "R_KEY"\n'
        settings = read(tmp_path, 'models = ["a/b"]', router)
        assert (settings.router.key_variable, settings.router.charges) == ("R_KEY", kind != "demo")
        without = f'[router]\nkind = "{kind}"\n'
        assert "expected the router's address" in refused(tmp_path, 'models = ["a/b"]', without)

    @pytest.mark.parametrize(
        ("line", "field"),
        [
            ('kind = "other"', "router.kind"),
            ('address = "http://openrouter.ai/api/v1"', "router.address"),
            ('address = "http://127.0.0.1.example/v1"', "router.address"),
            ('address = "ftp://127.0.0.1/"', "router.address"),
            ('key_variable = "sk-or-123"', "router.key_variable"),
            ('key_variable = ""', "router.key_variable"),
            ('key = "sk-or-123"', "router.key"),
        ],
    )
    def test_refused(self, tmp_path: Path, line: str, field: str):
        """A key over an open network, a key in the file and an unknown kind are refused, and the key is not shown."""
        rest = [part for part in OPENROUTER.splitlines()[1:] if part.split()[0] != line.split(maxsplit=1)[0]]
        message = refused(tmp_path, 'models = ["a/b"]', "\n".join(["[router]", line, *rest]))
        assert f"'{field}'" in message
        assert "sk-or-123" not in message

    def test_this_machine_needs_no_tls(self, tmp_path: Path):
        """On loopback nobody listens in."""
        for host in ("127.0.0.1:8080", "localhost", "[::1]:8080"):
            router = f'[router]\nkind = "demo"\naddress = "http://{host}/v1"\n'
            assert read(tmp_path, 'models = ["a/b"]', router).router.address == f"http://{host}/v1"


class TestServers:
    def test_all_that_can_be_said(self, tmp_path: Path):
        """A server of its own model, key, precision, price and parameters."""
        more = (
            'model_id = "llama3.1:8b"\ndeclared_precision = "Q4_K_M"\ncontext_length = 8192\n'
            'price_prompt = "0.0000001"\nprice_completion = "0"\nkey_variable = "RACK_KEY"\n'
            "parameters = { top_k = 1, chat_template_kwargs = { enable_thinking = false } }\n"
        )
        (server,) = read(tmp_path, DIRECT, SERVER + more).servers
        assert (server.name, server.model, server.model_id) == ("rack", "a/b", "llama3.1:8b")
        assert server.parameters == {"top_k": 1, "chat_template_kwargs": {"enable_thinking": False}}

    def test_a_direct_router_charges_nothing(self, tmp_path: Path):
        """One's own servers need no cap."""
        assert not read(tmp_path, DIRECT, SERVER).router.charges

    @pytest.mark.parametrize(
        ("parts", "said"),
        [
            ((DIRECT,), "expected 'servers'"),
            (('models = ["a/b"]', OPENROUTER, SERVER), "expected no 'servers'"),
            (('models = ["a/b"]', DIRECT, SERVER), "the servers name their models"),
            (("min_providers = 4", DIRECT, SERVER), "the servers name their models"),
            (('exclude = ["a/b"]', DIRECT, SERVER), "the servers name their models"),
            ((f'{DIRECT}address = "https://r.example/v1"\n', SERVER), "each of 'servers' has its own"),
            ((f'{DIRECT}key_variable = "R_KEY"\n', SERVER), "each of 'servers' has its own"),
            ((DIRECT, SERVER, SERVER), "a name of its own"),
            ((DIRECT, SERVER, SERVER.replace('"rack"', '"RACK"')), "a name of its own"),
        ],
    )
    def test_what_contradicts_itself(self, tmp_path: Path, parts: tuple[str, ...], said: str):
        """Servers belong to a direct router, and to no other, each under a name of its own."""
        assert said in refused(tmp_path, *parts)

    def test_one_name_for_two_models(self, tmp_path: Path):
        """A machine that serves two models is listed once for each."""
        two = read(tmp_path, DIRECT, SERVER, SERVER.replace('"a/b"', '"a/c"'))
        assert [server.model for server in two.servers] == ["a/b", "a/c"]

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("name", '""'),
            ("name", '"-rack"'),
            ("name", '"räck"'),
            ("name", f'"{"x" * 65}"'),
            ("address", '"rack.example/v1"'),
            ("address", "1"),
            ("model", '"b"'),
            ("model_id", '""'),
            ("model_id", f'"{"x" * 201}"'),
            ("key_variable", '"rack key"'),
            ("declared_precision", '""'),
            ("declared_precision", f'"{"x" * 41}"'),
            ("context_length", "0"),
            ("context_length", '"8k"'),
            ("price_prompt", "0.1"),
            ("price_prompt", '"-1"'),
            ("price_completion", '"1e-6"'),
            ("parameters", "1"),
        ],
    )
    def test_a_field(self, tmp_path: Path, field: str, value: str):
        """A malformed field is named with its server."""
        lines = [line for line in SERVER.splitlines() if not line.startswith(f"{field} ")]
        message = refused(
            tmp_path, DIRECT, SERVER.replace('"rack"', '"other"'), "\n".join([*lines, f"{field} = {value}"])
        )
        assert f"'servers[1].{field}'" in message

    def test_a_field_that_does_not_exist(self, tmp_path: Path):
        """An unknown key is refused rather than overlooked."""
        assert "quantization" in refused(tmp_path, DIRECT, SERVER + 'quantization = "fp8"\n')

    def test_a_key_over_an_open_network(self, tmp_path: Path):
        """A key is sent by TLS, or to this machine alone; without a key any address will do."""
        far = SERVER.replace("http://127.0.0.1:8000", "http://10.0.0.7:8000")
        assert read(tmp_path, DIRECT, far).servers[0].address == "http://10.0.0.7:8000/v1"
        assert "https://" in refused(tmp_path, DIRECT, far + 'key_variable = "RACK_KEY"\n')


class TestRefusals:
    """Each says what was expected, in words, what was found, where by its own key, and what to do."""

    @pytest.mark.parametrize(
        ("parts", "said"),
        [
            (
                ('models = ["a/b"]', OPENROUTER, '[per_model."a/b"]\nmax_tokens = 1\n'),
                """expected int >= 16, found 1 in content/site.toml, field 'per_model."a/b".max_tokens'""",
            ),
            (
                ('models = ["a/b"]', OPENROUTER, '[per_model."a/b"]\n[per_model."c/d"]\nnonsense = 1\n'),
                """expected no such field, found one in content/site.toml, field 'per_model."c/d".nonsense'""",
            ),
            (
                ('models = ["a/b"]', OPENROUTER, '[per_model."b"]\n'),
                "expected a model as author/name, found 'b' in content/site.toml, field 'per_model'",
            ),
            (('models = ["b"]', OPENROUTER), "as author/name, found 'b' in content/site.toml, field 'models[0]'"),
            (
                ('models = ["a/b"]', OPENROUTER.replace("https", "http")),
                "and without a user, found 'http://openrouter.ai/api/v1'",
            ),
            (
                ('models = ["a/b"]', OPENROUTER.replace("//", "//me:PASSWORD@")),
                "found 'https://...@openrouter.ai/api/v1'",
            ),
            (('models = ["a/b"]', OPENROUTER, 'key_variable = "sk-x"\n'), "found a text that is not repeated here"),
            (
                ('models = ["a/b"]', OPENROUTER.replace('openrouter"', 'other"')),
                "expected 'demo' or 'direct' or 'huggingface' or 'openrouter', found 'other'",
            ),
            (('models = ["a/b"]', OPENROUTER, "[probing]\nhour_utc = 24\n"), "expected int <= 23, found 24"),
            (('models = ["a/b"]', OPENROUTER, '[budget]\nmax_usd = "-2"\n'), "such as '2.50'"),
            (('models = ["a/b"]', OPENROUTER, f'[budget]\nmax_usd = "{"9" * 500}"\n'), f"found '{'9' * 80}...'"),
            (('models = ["a/b"]', OPENROUTER, f"[context]\nrungs = {[300] * 13}\n"), "<= 12, found a list of 13"),
            (('models = ["a/b"]', OPENROUTER, "[context]\nrungs = [400, 300]\n"), "to ascend, found 400, 300"),
            (("models = []", OPENROUTER), "found neither"),
        ],
    )
    def test_in_words(self, tmp_path: Path, parts: tuple[str, ...], said: str):
        """No regular expression, no '[...]', and never a text that may be a key or a password."""
        message = refused(tmp_path, *parts)
        assert said in message
        assert "^" not in message
        assert "[...]" not in message
        assert not any(secret in message for secret in ("sk-x", "PASSWORD"))
        assert "Correct it there" in message

    def test_every_pattern_has_its_words(self):
        """Whatever pattern settings hold a text to is told in words."""
        held = re.findall(r"pattern=([^)]*)\)", (REPOSITORY / "generator/settings.py").read_text())
        assert held
        assert {getattr(settings_module, name) for name in held} == PATTERN_WORDS.keys()

    @pytest.mark.parametrize(
        ("data", "said"),
        [
            (b"\xff\xfe", "expected UTF-8, found invalid start byte at byte 0 in content/site.toml. Save the file"),
            (b"x = [", "expected TOML, found: .* in content/site.toml. Mend that line"),
            (None, r"expected a settings file, found none in \S+/content/site.toml. Give --root"),
        ],
    )
    def test_a_file_that_cannot_be_read(self, tmp_path: Path, data: bytes | None, said: str):
        """Each of the three says what to do, and a missing one names the folder as it was given."""
        (tmp_path / "content").mkdir()
        if data is not None:
            (tmp_path / "content/site.toml").write_bytes(data)
        with pytest.raises(ContentError, match=said):
            Content(tmp_path).settings()

    def test_a_folder_that_is_none_is_named(self):
        """As the command line gave it."""
        with pytest.raises(ContentError, match=r"found none in nowhere/at/all/content/site\.toml"):
            Content(Path("nowhere/at/all")).settings()

    def test_a_prompt_set_that_is_not_there(self, tmp_path: Path):
        """Those that are there are named."""
        with pytest.raises(ContentError, match=r"content/prompts/p9/set.toml\. Known prompt sets: .*p1"):
            Content(tmp_path).prompt_set("p9")


class TestContradictions:
    def test_an_idle_deadline_past_the_total_one(self, tmp_path: Path):
        """No pause can be longer than the whole request."""
        probing = "[probing]\ntotal_deadline_s = 30\n"
        message = refused(tmp_path, 'models = ["a/b"]', OPENROUTER, probing)
        assert "expected at most the total deadline (30 s), found 60 s" in message
        assert "'probing.idle_deadline_s'. Set it to 30 or less" in message
        read(tmp_path, 'models = ["a/b"]', OPENROUTER, f"{probing}idle_deadline_s = 30\n")

    @pytest.mark.parametrize("field", ["models", "exclude"])
    def test_a_variant_of_a_model(self, tmp_path: Path, field: str):
        """':free' names another offer, which OpenRouter would never be asked for; the reason is given."""
        line = f'{field} = ["a/c", "a/b:free"]\nmin_providers = 4'
        message = refused(tmp_path, line, OPENROUTER)
        assert f"'{field}[1]'. Name 'a/b': ':free' is another offer" in message
        read(tmp_path, line, OPENROUTER.replace('"openrouter"', '"huggingface"'))

    def test_settings_of_a_model_that_nobody_watches(self, tmp_path: Path):
        """Refused where models are named alone; a rule may still find it, and a server names its own."""
        own = '[per_model."c/d"]\nmax_tokens = 64\n'
        message = refused(tmp_path, 'models = ["a/b"]', OPENROUTER, own)
        assert "expected a model that is watched (a/b), found 'c/d'" in message
        assert "found 'c/d'" in refused(tmp_path, DIRECT, SERVER, own)
        by_rule = read(tmp_path, "min_providers = 4", OPENROUTER, own)
        assert unnamed_models(by_rule) == ("c/d",)
        served = read(tmp_path, DIRECT, SERVER.replace('"a/b"', '"c/d"'), own)
        assert unnamed_models(served) == ()

    def test_a_model_by_its_id(self, tmp_path: Path):
        """Who names a model by its id in both places has its settings applied; beside the slug's the slug's count."""
        own = '[per_model."a/id"]\nmax_tokens = 64\n[per_model."a/slug"]\nmax_tokens = 32\n'
        both = read(tmp_path, 'models = ["a/id", "a/slug"]', OPENROUTER, own)
        listed = listing(model="a/slug", model_id="a/id")
        assert own_settings(both, [listed]) == {"a/slug": ModelSettings(max_tokens=32)}
        one = msgspec.structs.replace(both, per_model={"a/id": ModelSettings(max_tokens=64)})
        assert own_settings(one, [listed]) == {"a/slug": ModelSettings(max_tokens=64)}


class TestPerModel:
    def test_what_is_asked_otherwise(self, tmp_path: Path):
        """A model's own thinking budget and cut."""
        table = '[per_model."a/b"]\nreasoning_budget_tokens = 8192\nmax_tokens = 256\n'
        found = read(tmp_path, 'models = ["a/b"]', OPENROUTER, table).per_model
        assert found == {"a/b": ModelSettings(reasoning_budget_tokens=8192, max_tokens=256)}

    @pytest.mark.parametrize(
        ("table", "said"),
        [
            ('[per_model."a/b"]\nmax_tokens = 15\n', "max_tokens"),
            ('[per_model."a/b"]\nmax_tokens = 32769\n', "max_tokens"),
            ('[per_model."a/b"]\nreasoning_budget_tokens = -1\n', "reasoning_budget_tokens"),
            ('[per_model."a/b"]\nreasoning_budget_tokens = 1000001\n', "reasoning_budget_tokens"),
            ('[per_model."a/b"]\ntemperature = 1.0\n', "temperature"),
            ('[per_model."b"]\nmax_tokens = 64\n', "per_model"),
            ("[per_model]\nmax_tokens = 64\n", "per_model"),
        ],
    )
    def test_refused(self, tmp_path: Path, table: str, said: str):
        """Bounds, unknown names and what is no model are refused."""
        assert said in refused(tmp_path, 'models = ["a/b"]', OPENROUTER, table)


class TestContext:
    def test_rungs(self, tmp_path: Path):
        """Sizes ascend; none at all is no context probe."""
        assert read(tmp_path, 'models = ["a/b"]', OPENROUTER).context.rungs == (1024, 4096, 16_384)
        assert read(tmp_path, 'models = ["a/b"]', OPENROUTER, "[context]\nrungs = []\n").context.rungs == ()

    @pytest.mark.parametrize("rungs", ["[255]", "[2000001]", "[4096, 1024]", "[1024, 1024]", "[1.5]", "1024", "[{}]"])
    def test_refused(self, tmp_path: Path, rungs: str):
        """Out of bounds, out of order, twice the same, or no sizes."""
        many = rungs.format(", ".join(str(300 + each) for each in range(13)))
        message = refused(tmp_path, 'models = ["a/b"]', OPENROUTER, f"[context]\nrungs = {many}\n")
        assert "context" in message


class TestBudget:
    def test_a_cap_is_exact(self, tmp_path: Path):
        """Text is read as the decimal that it is; without one there is no cap."""
        found = read(tmp_path, 'models = ["a/b"]', OPENROUTER, '[budget]\nmax_usd = "2.10"\nallow_unpriced = true\n')
        assert (found.budget.cap, found.budget.allow_unpriced) == (Decimal("2.10"), True)
        assert read(tmp_path, 'models = ["a/b"]', OPENROUTER).budget.cap is None

    @pytest.mark.parametrize("line", ["max_usd = 2.1", 'max_usd = "-1"', 'max_usd = "2,00"', 'max_usd = "NaN"',
                                      'max_usd = ""', 'allow_unpriced = "yes"', 'max_eur = "1"'])  # fmt: skip
    def test_refused(self, tmp_path: Path, line: str):
        """A number that is no text, a negative one and another currency are refused."""
        assert "budget" in refused(tmp_path, 'models = ["a/b"]', OPENROUTER, f"[budget]\n{line}\n")


class TestProbing:
    @pytest.mark.parametrize("line", ["late_after_h = 0", "late_after_h = 1.5", "hour_utc = 24", "attempts = 0",
                                      "concurrency = 0", "total_deadline_s = 0", "temperature = 2.5"])  # fmt: skip
    def test_refused(self, tmp_path: Path, line: str):
        """Figures out of bounds are refused with their names."""
        field = line.split(maxsplit=1)[0]
        assert f"'probing.{field}'" in refused(tmp_path, 'models = ["a/b"]', OPENROUTER, f"[probing]\n{line}\n")


class TestTheRouterThatSettingsName:
    @pytest.mark.parametrize(
        ("kind", "client"), [("openrouter", OpenRouter), ("huggingface", HuggingFace), ("demo", Demo)]
    )
    def test_each_kind(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, client: type):
        """Each kind has its client, and night.json calls it by that kind."""
        monkeypatch.setenv("R_KEY", "sk-1")
        router = f'[router]\nkind = "{kind}"\naddress = "http://localhost:1/v1"\nkey_variable = "R_KEY"\n'
        made = router_of(read(tmp_path, 'models = ["a/b"]', router), WORLD)
        assert type(made) is client
        assert made.kind == kind

    def test_direct(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        """Each server's key is read from its own variable."""
        monkeypatch.setenv("RACK_KEY", "sk-rack")
        made = router_of(read(tmp_path, DIRECT, SERVER + 'key_variable = "RACK_KEY"\n'), WORLD)
        assert isinstance(made, Direct)
        assert router_of(read(tmp_path, DIRECT, SERVER), WORLD).kind == "direct"

    @pytest.mark.parametrize(
        ("value", "flaw"),
        [("sk-a\nb-canary", "a line break"), ("sk-\tcanary", "a control"), ("sk-é-canary", "not ASCII")],
    )
    def test_a_key_that_cannot_be_sent(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str, flaw: str):
        """Its variable is named and what is wrong with it, and nothing of it is shown."""
        monkeypatch.setenv("R_KEY", value)
        with pytest.raises(RouterError) as caught:
            router_of(read(tmp_path, DIRECT, f'{SERVER}key_variable = "R_KEY"\n'), WORLD)
        message = str(caught.value)
        assert "in variable R_KEY. Set R_KEY anew" in message
        assert flaw in message
        assert "canary" not in message
        told = failed("router", "settings", caught.value, "Mend it")
        assert "expected" not in told.found
        assert told.found.endswith(", in variable R_KEY")

    @pytest.mark.parametrize("value", [None, "", "  "])
    def test_a_missing_key(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str | None):
        """A variable that is not set, or empty, is named, with the field that names it."""
        monkeypatch.delenv("R_KEY", raising=False)
        if value is not None:
            monkeypatch.setenv("R_KEY", value)
        router = f'{OPENROUTER}key_variable = "R_KEY"\n'
        with pytest.raises(RouterError, match=r"variable R_KEY\. Set R_KEY, or change router.key_variable"):
            router_of(read(tmp_path, 'models = ["a/b"]', router), WORLD)
        server = f'{SERVER}key_variable = "R_KEY"\n'
        with pytest.raises(
            RouterError, match=r"the key of server 'rack' .*variable R_KEY\. .*servers\[0\].key_variable"
        ):
            router_of(read(tmp_path, DIRECT, server), WORLD)

    def test_a_key_is_shown_nowhere(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        """Neither a key nor a settings value shows it."""
        monkeypatch.setenv("R_KEY", "sk-canary")
        settings = read(tmp_path, 'models = ["a/b"]', f'{OPENROUTER}key_variable = "R_KEY"\n')
        assert "sk-canary" not in f"{settings!r} {Key('sk-canary')!r} {Key('sk-canary')} {router_of(settings, WORLD)!r}"

    def test_the_demo(self, tmp_path: Path):
        """The demo's own nights ask the router that runs, whatever address its site.toml holds the place with."""
        router = '[router]\nkind = "demo"\naddress = "http://127.0.0.1:0/api/v1"\n'
        made = demo_at("http://127.0.0.1:9/api/v1")(read(tmp_path, 'models = ["a/b"]', router), WORLD)
        assert isinstance(made, Demo)


def examples() -> list[str]:
    """Return the examples that content/site.toml shows in comments, as TOML."""
    shown = (REPOSITORY / "content/site.toml").read_text().split("# --- ")[1:]
    return [
        "\n".join(line[2:] for line in example.splitlines()[1:] if line.startswith("#")).strip() for example in shown
    ]


@pytest.mark.parametrize("example", examples())
def test_a_shipped_example_is_sound(tmp_path: Path, example: str):
    """What content/site.toml shows in comments can be used as it stands, and its servers can be asked."""
    models = tomllib.loads((REPOSITORY / "content/site.toml").read_text())["models"]
    watched = "" if 'kind = "direct"' in example or "min_providers" in example else f"models = {models}"
    settings = read(tmp_path, watched, example, "" if "[router]" in example else OPENROUTER)
    keys = {server.key_variable: Key("k") for server in settings.servers if server.key_variable is not None}
    assert isinstance(Direct(settings.servers, keys, settings.probing, WORLD.now, WORLD.monotonic), Direct)


def test_every_new_table_has_an_example():
    """A rule, settings of a model, another router and servers are shown."""
    for word in ("min_providers", "exclude", "[per_model.", 'kind = "huggingface"', "[[servers]]"):
        assert any(word in example for example in examples())
