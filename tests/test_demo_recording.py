"""The recording, the script of faults, the roster, the sheet and the demo's site root."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import zipfile
from collections import Counter
from datetime import date
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import generator
from generator.errors import ContentError
from generator.probing.demo.content import PROMPT_SET, demo_root_files
from generator.probing.demo.faults import LAST_NIGHT, RequestFault, hit, load_faults, read_faults
from generator.probing.demo.recording import Recording, drawn_sample, load_recording, read_recording
from generator.probing.demo.roster import Offer, offers
from generator.probing.demo.seeds import night_seed
from generator.probing.demo.sheet import script_sheet
from generator.probing.families import FAMILIES
from generator.records.prompt import Prompt
from generator.settings import Settings

GEMMA = "google/gemma-3-270m"
SMOLLM = "huggingfacetb/smollm2-135m-instruct"
FAMILIES_RECORDED = ("arith", "capital", "contin", "copy", "json", "lookup", "sort", "unit")


@pytest.fixture(scope="module")
def recording() -> Recording:
    """The recording of the package."""
    return load_recording()


class TestEachEndpointHasEachPrompt:
    def test_every_host_answered_every_prompt_as_often_as_it_says(self, recording: Recording) -> None:
        """18 hosts, 260 prompts, and as many samples as endpoints.json says: 13,520 answers."""
        counts = {
            (e.model, e.tag, p.prompt_id): len(recording.samples(e.model, e.tag, p.prompt))
            for e in recording.endpoints
            for p in recording.prompts
        }
        assert len(counts) == 18 * 260
        assert all(
            counts[e.model, e.tag, p.prompt_id] == e.samples for e in recording.endpoints for p in recording.prompts
        )
        assert sum(counts.values()) == sum(map(len, recording.answers.values())) == 13_520

    def test_a_host_that_repeats_itself_has_one_sample(self, recording: Recording) -> None:
        """Deterministic and one sample are the same thing."""
        assert {e.deterministic for e in recording.endpoints} == {True, False}
        assert all(e.deterministic == (e.samples == 1) for e in recording.endpoints)

    def test_there_are_twelve_fixed_prompts_and_a_pool_a_family(self, recording: Recording) -> None:
        """Eight families, 12 fixed prompts each, a pool of 19 to 21."""
        fixed = Counter(p.family for p in recording.prompts if p.fixed)
        pool = Counter(p.family for p in recording.prompts if not p.fixed)
        assert fixed == dict.fromkeys(FAMILIES_RECORDED, 12)
        assert sorted(pool) == list(FAMILIES_RECORDED)
        assert all(19 <= size <= 21 for size in pool.values())

    def test_what_was_not_asked_has_no_sample(self, recording: Recording) -> None:
        """Another text, tag or model has no answer."""
        first = recording.prompts[0].prompt
        assert recording.samples(GEMMA, "alder/int4", first + " ") == ()
        assert recording.samples(GEMMA, "alder", first) == ()
        assert recording.samples(SMOLLM, "elm/int4", first) == ()


class TestSameSeedSameAnswers:
    def test_the_draw_hangs_on_nothing_but_its_parts(self, recording: Recording) -> None:
        """A host asked again on the same night, in another order, gives the same sample."""
        asked = [(e, p) for e in recording.endpoints for p in recording.prompts[::20]]
        there = {(e.model, e.tag, p.prompt_id): drawn_sample(recording, "s", e, p) for e, p in asked}
        back = {(e.model, e.tag, p.prompt_id): drawn_sample(recording, "s", e, p) for e, p in reversed(asked)}
        assert there == back

    def test_other_nights_draw_other_samples(self, recording: Recording) -> None:
        """Over many nights a host with six samples gives each of them, evenly enough."""
        endpoint = recording.endpoint(GEMMA, "Alder")
        assert endpoint is not None
        prompt = recording.prompts[0]
        samples = recording.samples(GEMMA, endpoint.tag, prompt.prompt)
        drawn = Counter(
            next(i for i, s in enumerate(samples) if s is drawn_sample(recording, f"seed {n}", endpoint, prompt))
            for n in range(600)
        )
        assert sorted(drawn) == [0, 1, 2, 3, 4, 5]
        assert min(drawn.values()) > 60

    def test_the_demo_seeds_do_not_hang_on_the_date(self) -> None:
        """Fourteen seeds, all different, 64 hexadecimal digits, the same whatever day the demo begins."""
        seeds = [night_seed(date(2026, 1, 1), index) for index in range(1, LAST_NIGHT + 1)]
        assert seeds == [night_seed(date(2027, 5, 9), index) for index in range(1, LAST_NIGHT + 1)]
        assert len(set(seeds)) == LAST_NIGHT
        assert all(re.fullmatch("[0-9a-f]{64}", seed) for seed in seeds)


PROMPT = b'{"prompt_id":"a-1","family":"a","fixed":true,"prompt":"p","expected":null,"max_tokens":16}\n'
ENDPOINT: dict[str, object] = {
    "model": "m/n",
    "provider_name": "Ash",
    "tag": "ash",
    "quantization": None,
    "context_length": 8,
    "price_prompt": "0",
    "price_completion": "0",
    "samples": 1,
    "deterministic": True,
    "truth": "t",
}
ROW: dict[str, object] = {
    "model": "m/n",
    "tag": "ash",
    "prompt_id": "a-1",
    "sample": 0,
    "text": "x",
    "finish_reason": "stop",
    "prompt_tokens": 1,
    "completion_tokens": 1,
    "latency_ms": 1,
}


class TestADamagedRecordingIsRefused:
    def read(
        self, rows: list[dict[str, object]], *, prompts: bytes = PROMPT, endpoints: object = (ENDPOINT,)
    ) -> Recording:
        """Read a recording of these rows."""
        target = io.BytesIO()
        pq.write_table(pa.Table.from_pylist(rows), target)
        return read_recording(target.getvalue(), msgspec.json.encode(endpoints), prompts)

    def test_a_whole_one_is_read(self) -> None:
        """One host, one prompt, one answer are a recording."""
        assert self.read([ROW]).samples("m/n", "ash", "p")[0].text == "x"

    def test_a_missing_answer(self) -> None:
        """An endpoint that lacks an answer is named with the prompt."""
        with pytest.raises(ContentError, match=r"expected 2 samples, found 1 .*m/n ash a-1"):
            self.read([ROW], endpoints=[{**ENDPOINT, "samples": 2}])

    def test_an_answer_twice(self) -> None:
        """A sample stands once."""
        with pytest.raises(ContentError, match="expected one sample 0, found two"):
            self.read([ROW, ROW])

    def test_an_answer_to_nothing(self) -> None:
        """An answer to an unknown prompt is refused."""
        with pytest.raises(ContentError, match="found 'a-2'"):
            self.read([ROW, {**ROW, "prompt_id": "a-2"}])

    def test_two_prompts_alike(self) -> None:
        """A prompt's text must name one prompt."""
        with pytest.raises(ContentError, match="two alike"):
            self.read([ROW], prompts=PROMPT + PROMPT.replace(b"a-1", b"a-2"))

    def test_what_is_no_parquet(self) -> None:
        """Other bytes are refused in one sentence."""
        with pytest.raises(ContentError, match=r"the packaged recording, answers\.parquet"):
            read_recording(b"PAR1", msgspec.json.encode([ENDPOINT]), PROMPT)

    def test_a_column_that_is_not_there(self) -> None:
        """A table without latencies is refused."""
        with pytest.raises(ContentError, match="latency_ms"):
            self.read([{k: v for k, v in ROW.items() if k != "latency_ms"}])

    @pytest.mark.parametrize("column", ["text", "finish_reason", "prompt_tokens"])
    def test_a_value_that_is_null(self, column: str) -> None:
        """An answer without text, end or count is refused with its place."""
        with pytest.raises(ContentError, match=rf"{column}.* in the packaged recording, answers\.parquet"):
            self.read([{**ROW, column: None}])

    def test_malformed_json(self) -> None:
        """Endpoints and prompts say where it hurts."""
        with pytest.raises(ContentError, match=r"samples.*endpoints\.json"):
            self.read([ROW], endpoints=[{**ENDPOINT, "samples": 0}])
        with pytest.raises(ContentError, match=r"prompts\.jsonl"):
            self.read([ROW], prompts=PROMPT.replace(b"16", b"8"))
        with pytest.raises(ContentError, match=r"prompts\.jsonl"):
            self.read([ROW], prompts=b"{")


class TestLoadingWorksFromAWheel:
    def test_everything_is_read_out_of_a_zip(self, tmp_path: Path) -> None:
        """The package lies in a zip file, where nothing has a path of its own, and still loads."""
        package = Path(generator.__file__).parent
        archive = tmp_path / "bitdepth.zip"
        with zipfile.ZipFile(archive, "w") as zipped:
            for file in (*package.rglob("*.py"), *(package / "probing/demo").rglob("*.*")):
                if "__pycache__" not in file.parts and file.is_file():
                    name = file.relative_to(package.parent).as_posix()
                    if name not in zipped.NameToInfo:
                        zipped.write(file, name)
        code = (
            f"import sys; sys.path.insert(0, {str(archive)!r})\n"
            "from generator.probing.demo import content, faults, recording\n"
            "print(recording.__file__)\n"
            "print(len(recording.load_recording().answers), len(faults.load_faults()), len(content.demo_root_files()))"
        )
        done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
        where, counts = done.stdout.splitlines()
        assert where.startswith(str(archive))
        assert counts == f"{18 * 260} {len(load_faults())} {len(demo_root_files())}"


def script(**changes: object) -> bytes:
    """One fault of kind server_error, as TOML, with members changed; None leaves one out."""
    fault: dict[str, object] = {
        "name": "one",
        "kind": "server_error",
        "model": GEMMA,
        "provider": "Elm",
        "per_thousand": 5,
        "status": 500,
        "sentence": "said",
    }
    members = {key: value for key, value in (fault | changes).items() if value is not None}
    return (
        "format = 1\n[[fault]]\n" + "\n".join(f"{k} = {msgspec.json.encode(v).decode()}" for k, v in members.items())
    ).encode()


ANOTHER = {"per_thousand": None, "status": None}


class TestTheScriptIsCheckedWhenItIsLoaded:
    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"per_thousand": 0}, r"`int` >= 1.*per_thousand"),
            ({"per_thousand": 1001}, r"`int` <= 1000.*per_thousand"),
            ({"status": 404}, r"404.*status"),
            ({"kind": "gremlin"}, r"gremlin.*kind"),
            ({"unknown": 1}, "unknown"),
            ({"sentence": ""}, "sentence"),
            ({"sentence": "{nothing}"}, "fields in braces"),
            ({"sentence": "{"}, "fields in braces"),
            ({"name": "Not a name"}, "name"),
            ({"provider": "Yew"}, r"found provider 'Yew'"),
            ({"model": SMOLLM}, r"found provider 'Elm' of 'hugg"),
            ({"kind": "absent", "nights": [15], **ANOTHER}, r"`int` <= 14.*nights"),
            ({"kind": "absent", "nights": [], **ANOTHER}, "nights"),
            ({"kind": "joins", "night": 0, **ANOTHER}, r"`int` >= 1.*night"),
            ({"kind": "misrouting", "served_by": "Elm", "status": None}, "another recorded provider"),
            ({"kind": "misrouting", "served_by": "Yew", "status": None}, "another recorded provider"),
            ({"kind": "declared", "from_night": 2, "tag": "elm/int8", **ANOTHER}, "ends with what it declares"),
            (
                {"kind": "declared", "from_night": 2, "tag": "elm", "quantization": "int8", **ANOTHER},
                "ends with what it declares",
            ),
            (
                {"kind": "declared", "from_night": 2, "tag": "fir/int4", "quantization": "int4", **ANOTHER},
                "no other endpoint has",
            ),
            (
                {"kind": "price", "from_night": 2, "price_prompt": "-1", "price_completion": "0", **ANOTHER},
                "0 or more USD",
            ),
            (
                {"kind": "price", "from_night": 2, "price_prompt": "0", "price_completion": "NaN", **ANOTHER},
                "0 or more USD",
            ),
        ],
    )
    def test_what_cannot_be_played_is_refused(
        self, recording: Recording, changes: dict[str, object], message: str
    ) -> None:
        """The message says what was expected, and where."""
        with pytest.raises(ContentError, match=message) as caught:
            read_faults(script(**changes), recording)
        assert "faults.toml" in str(caught.value)

    def test_the_base_case_is_good(self, recording: Recording) -> None:
        """What the cases above change is itself accepted."""
        assert read_faults(script(), recording)[0].said() == "said"

    def test_names_differ(self, recording: Recording) -> None:
        """Two faults of one name would hit the same requests."""
        with pytest.raises(ContentError, match=r"found 2 faults of this name in faults\.toml, one"):
            read_faults(script() + script().removeprefix(b"format = 1"), recording)

    def test_what_is_no_toml(self, recording: Recording) -> None:
        """A file that is no TOML, or another format, is refused."""
        for data in (b"[[", b"\xff", b"format = 2\nfault = []"):
            with pytest.raises(ContentError, match=r"faults\.toml"):
                read_faults(data, recording)


def offer(recording: Recording, model: str, provider: str, night: int) -> Offer | None:
    """What the packaged script lists of an endpoint on a night."""
    listed = offers(recording, load_faults(), night)
    return next((o for o in listed if (o.recorded.model, o.recorded.provider_name) == (model, provider)), None)


class TestWhatIsListedOnANight:
    def test_one_is_absent_on_some_nights(self, recording: Recording) -> None:
        """Larch is away on three nights of the last window, which makes it U there."""
        away = [n for n in range(1, 15) if offer(recording, GEMMA, "Larch", n) is None]
        assert away == [9, 10, 12]

    def test_one_joins_late(self, recording: Recording) -> None:
        """Juniper of smollm2 is first listed on night 5."""
        assert [n for n in range(1, 15) if offer(recording, SMOLLM, "Juniper", n) is None] == [1, 2, 3, 4]

    def test_one_declares_another_precision_under_another_tag(self, recording: Recording) -> None:
        """Oak turns from oak/int4 to oak/int8 on night 10, listing and tag together."""
        seen = [offer(recording, GEMMA, "Oak", n) for n in range(1, 15)]
        assert [(o.tag, o.quantization) for o in seen if o] == [("oak/int4", "int4")] * 9 + [("oak/int8", "int8")] * 5

    def test_one_stops_declaring(self, recording: Recording) -> None:
        """Juniper of gemma declares nothing from night 12 on, and its tag is bare."""
        seen = [offer(recording, GEMMA, "Juniper", n) for n in range(1, 15)]
        assert [(o.tag, o.quantization) for o in seen if o][10:12] == [("juniper/int4", "int4"), ("juniper", None)]

    def test_one_changes_its_price(self, recording: Recording) -> None:
        """Larch comes back dearer on night 11, and stays so."""
        prices = {n: str(o.price_prompt) for n in range(1, 15) if (o := offer(recording, GEMMA, "Larch", n))}
        assert {n for n, price in prices.items() if price != prices[1]} == {11, 13, 14}

    def test_tags_are_never_shared(self, recording: Recording) -> None:
        """On no night do two endpoints of one model have one tag."""
        for night in range(1, 15):
            tags = [(o.recorded.model, o.tag) for o in offers(recording, load_faults(), night)]
            assert len(tags) == len(set(tags))


class TestWhichRequestIsHit:
    def test_the_rate_is_what_the_script_says(self, recording: Recording) -> None:
        """Over fourteen nights of 260 prompts, each fault hits within a third of its rate."""
        faults = load_faults()
        hits: Counter[str] = Counter()
        for endpoint in recording.endpoints:
            for night in range(1, 15):
                for prompt in recording.prompts:
                    fault = hit(faults, night_seed(date(2026, 1, 1), night), endpoint, prompt.prompt_id)
                    if fault is not None:
                        assert (fault.model, fault.provider) == (endpoint.model, endpoint.provider_name)
                        hits[fault.name] += 1
        expected = {f.name: f.per_thousand * 14 * 260 / 1000 for f in faults if isinstance(f, RequestFault)}
        assert sorted(hits) == sorted(expected)
        assert all(2 / 3 < hits[name] / expected[name] < 4 / 3 for name in expected)


class TestEveryEndpointIsOnTheSheet:
    def test_most_endpoints_are_left_as_recorded(self) -> None:
        """All 18 are on it with what was run; 11 have nothing scripted."""
        sheet = script_sheet()
        assert len(sheet) == 18
        assert all(row.truth for row in sheet)
        assert sum(not row.scripted for row in sheet) == 11

    def test_every_fault_is_told_on_it(self) -> None:
        """As many sentences as faults, whole ones, with their figures filled in."""
        told = [sentence for row in script_sheet() for sentence in row.scripted]
        assert sorted(told) == sorted(fault.said() for fault in load_faults())
        assert all(re.fullmatch(r"[A-Z][^{}]*\.", sentence) for sentence in told)
        assert "It is not listed on nights 9, 10 and 12." in told

    def test_what_was_recorded_with_a_lower_limit_is_told(self, recording: Recording) -> None:
        """Answers of arith, capital and unit end at 8 or 12 tokens, or at Rowan's 4, never at the 16 asked for."""
        cut = {
            (prompt.family, sample.completion_tokens)
            for prompt in recording.prompts
            for endpoint in recording.endpoints
            for sample in recording.samples(endpoint.model, endpoint.tag, prompt.prompt)
            if sample.finish_reason == "length" and prompt.max_tokens == 16 and endpoint.provider_name != "Rowan"
        }
        assert cut == {("arith", 8), ("capital", 8), ("unit", 12)}


class TestTheSiteRootOfTheDemo:
    def test_the_settings_are_good(self, recording: Recording) -> None:
        """site.toml is read by the settings as they are, and watches the recorded models through the demo router."""
        settings = msgspec.toml.decode(demo_root_files()["site.toml"], type=Settings)
        assert settings.router.kind == "demo"
        assert settings.models == recording.models() == (GEMMA, SMOLLM)
        assert settings.prompt_set == PROMPT_SET
        assert settings.method == "0.1"
        assert settings.address == "https://demo.bitdepth.example/"

    def test_the_set_names_a_kind_for_each_family(self) -> None:
        """Three prompts a night from each of eight pools make 24; only the continuation is open."""
        made = msgspec.toml.decode(demo_root_files()[f"prompts/{PROMPT_SET}/set.toml"])
        assert (made["format"], made["name"]) == (1, PROMPT_SET)
        assert tuple(made["families"]) == FAMILIES_RECORDED
        assert sum(family["nightly"] for family in made["families"].values()) == 24
        assert {family["draw"] for family in made["families"].values()} == {"pool"}
        kinds = {name: family["kind"] for name, family in made["families"].items()}
        assert kinds == {name: "line-open" if name == "contin" else "line" for name in FAMILIES_RECORDED}
        assert set(kinds.values()) <= set(FAMILIES)

    def test_every_recorded_prompt_is_in_it_once(self, recording: Recording) -> None:
        """A line holds one prompt record; texts are those of the recording, keys are normalised as answers are."""
        files = demo_root_files()
        prompts = [
            prompt
            for family in FAMILIES_RECORDED
            for prompt in msgspec.json.Decoder(Prompt).decode_lines(files[f"prompts/{PROMPT_SET}/{family}.jsonl"])
        ]
        assert [p.prompt for p in prompts] == [p.prompt for p in sorted(recording.prompts, key=lambda p: p.family)]
        assert all(p.expected is None or FAMILIES["line"].normalise(p.expected) == p.expected != "" for p in prompts)
        assert {p.family for p in prompts if p.expected is None} == {"contin"}
        assert next(p.expected for p in prompts if p.prompt_id == "capital-fixed-00") == "zagreb"
