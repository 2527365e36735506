"""The search page: an index of settled bytes, a list that a search narrows, and a page that is whole without them."""

from __future__ import annotations

import base64
import http.server
import os
import shutil
import threading
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path

import msgspec
import pytest
import site_material as made
from playwright.sync_api import Browser, Page, sync_playwright

from generator.records.grade import Grade, Letter
from generator.records.permalink import endpoint_path, model_path
from generator.records.reading import short_form
from generator.site import views
from generator.site.interface import Material
from generator.site.library import arrange
from generator.site.search import SearchIndex, entries
from generator.site.text import visible_plain
from generator.workflows import searching

PAGE, SCRIPT = "search/index.html", "search/search.js"
LLAMA = "meta-llama/llama-3.3-70b-instruct"
WHOLE = "Every model and every endpoint, alphabetically."


def material() -> Material:
    """Return the live site's material with one more model, of a name in many parts."""
    llama = [
        made.grade(name, name.capitalize(), model=LLAMA, tag=f"{name}/fp8", d_precision="fp8")
        for name in ("quay", "Yard")
    ]
    grades = sorted((*made.history(), *llama), key=lambda each: (each.model, each.endpoint))
    return made.material(grades=tuple(grades))


@cache
def site() -> dict[str, bytes]:
    """Return the views of that material, with an index."""
    return dict(views.render(material(), made.TEMPLATES, searching.indexer(pytest.fail)))


def indexed(of: Material) -> SearchIndex:
    """Return the index of a material."""
    index = searching.indexer(pytest.fail)(entries(arrange(of)))
    assert index is not None
    return index


class TestIndex:
    """'The search index must not grow the nightly run'; 'check determinism of the bytes'."""

    def test_equal_entries_give_equal_bytes(self):
        """Two runs of the program give the same files under the same names."""
        assert indexed(material()) == indexed(material())

    def test_a_night_that_changes_letters_alone_changes_nothing(self):
        """Letters, windows and figures are not in the index: the next night's is the same, byte for byte."""

        def worse(grade: Grade) -> Grade:
            return msgspec.structs.replace(grade, letter=Letter.D, window_end=made.NIGHTS[-2], issued=made.NIGHTS[-1])

        plain = material()
        later = made.material(grades=tuple(worse(each) for each in plain.grades))
        assert indexed(later) == indexed(plain)

    def test_holds_what_a_search_needs_and_no_more(self):
        """Neither the program's own user interface nor a file an entry is laid out."""
        names = [path.removeprefix("search/pagefind/") for path in site() if path.startswith("search/pagefind/")]
        assert {"pagefind.js", "pagefind-entry.json", "wasm.en.pagefind"} < set(names)
        rest = set(names) - {"pagefind.js", "pagefind-entry.json", "wasm.en.pagefind"}
        assert all(name.startswith(("pagefind.en_", "index/en_")) for name in rest)
        assert len(names) < len(entries(arrange(material())))

    def test_every_entry_is_a_row(self):
        """Each model and endpoint has one row of the page, which bears what the index calls it."""
        index = indexed(material())
        tree = made.parsed(site()[PAGE])
        shown = [element.get("data-id") for element in tree.iter() if element.get("data-id")]
        assert shown == [
            *(index.ids[model_path(model.model)] for model in arrange(material()).models),
            *(
                index.ids[endpoint_path(story.model, story.endpoint)]
                for model in arrange(material()).models
                for story in model.endpoints
            ),
        ]
        assert len(set(shown)) == len(shown) == len(entries(arrange(material())))

    def test_an_entry_of_no_word_costs_no_index(self):
        """A model and endpoint without letter or figure in their names are not found, and everything else is."""
        strange = made.grade("odd", "\u2603", model="\u2620/\u2744", tag="\u2603", d_precision="\u2744")
        grades = sorted((*made.history(), strange), key=lambda each: (each.model, each.endpoint))
        of = made.material(grades=tuple(grades))
        wordless = {each.path for each in entries(arrange(of)) if not each.words}
        assert wordless == {model_path(strange.model), endpoint_path(strange.model, strange.endpoint)}
        assert set(indexed(of).ids) == {each.path for each in entries(arrange(of))} - wordless
        page = made.parsed(dict(views.render(of, made.TEMPLATES, lambda _: indexed(of)))[PAGE])
        assert [row.get("data-id") for row in page.iter() if row.get("data-id") is not None].count("") == 2

    def test_an_archive_before_its_first_night(self):
        """Without a model there is no index, and a page that says so."""
        files = dict(views.render(made.empty_material(), made.TEMPLATES, searching.indexer(pytest.fail)))
        assert "No model has been recorded yet: there is nothing to search." in made.page_text(files[PAGE])
        assert SCRIPT not in files


ANSWERS = """#!/bin/sh
printf '%s,' {answers}
exec sleep {seconds}
"""


def answering(folder: Path, *payloads: object, seconds: int = 60) -> Path:
    """Make a program that answers without being asked, and then waits."""
    answers = [base64.b64encode(msgspec.json.encode({"message_id": 1, "payload": each})).decode() for each in payloads]
    return script(folder, ANSWERS.format(answers=" ".join(answers), seconds=seconds))


def script(folder: Path, text: str) -> Path:
    """Make a program of a text."""
    program = folder / "pagefind"
    program.write_text(text)
    program.chmod(0o755)
    return program


@pytest.mark.skipif(os.name != "posix", reason="programs of a shell")
class TestWithoutTheProgram:
    """'Where the pagefind package cannot run, the site builds without the search page and says so'."""

    def without(self, program: Path) -> str:
        """Return what is said where the program is this one; the page is whole and runs nothing."""
        said: list[str] = []
        files = dict(views.render(material(), made.TEMPLATES, searching.indexer(said.append, program)))
        assert [path for path in files if path.startswith("search/")] == [PAGE]
        assert files[PAGE] == dict(views.render(material(), made.TEMPLATES))[PAGE]
        (line,) = said
        return line

    def test_missing(self, tmp_path: Path):
        """No program for this machine."""
        assert "there is no pagefind program for this machine" in self.without(tmp_path / "nowhere")

    def test_of_another_machine(self, tmp_path: Path):
        """A program that cannot start."""
        assert "Exec format error" in self.without(script(tmp_path, "\x7fELF of another machine"))

    def test_that_ends_at_once(self, tmp_path: Path):
        """A program that answers nothing."""
        assert "answers, found 0" in self.without(script(tmp_path, "#!/bin/sh\nexit 3\n"))

    def test_that_says_something_else(self, tmp_path: Path):
        """A program whose answers are none."""
        assert "has no search index" in self.without(script(tmp_path, "#!/bin/sh\necho 'usage: pagefind,'\n"))

    def test_that_reports_an_error(self, tmp_path: Path):
        """An error is passed on in its own words."""
        program = answering(tmp_path, {"type": "Error", "message": "no memory left"})
        assert self.without(program).endswith("found the error: no memory left")

    def test_that_never_answers(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        """A program that hangs is ended after its deadline."""
        monkeypatch.setattr(searching, "DEADLINE_S", 0.3)
        assert "answers, found 0" in self.without(script(tmp_path, "#!/bin/sh\nexec sleep 60\n"))

    @pytest.mark.parametrize(
        ("files", "message"),
        [([], "expected 15 entries"), ([{"path": "fragment/en_1.pf_fragment", "content": "AAAA"}], "gzip")],
    )
    def test_whose_index_is_none(self, tmp_path: Path, files: list[object], message: str):
        """An index that lacks entries, or whose files are not what they should be."""
        found = arrange(material())
        payloads: list[object] = [{"type": "IndexedFile"}] * (len(entries(found)) + 1)
        program = answering(tmp_path, *payloads, {"type": "GetFiles", "files": files})
        assert message in self.without(program).replace(f"expected {len(entries(found))}", "expected 15")


class TestPage:
    """'on its own page, the one page that may run script'."""

    def test_may_run_its_own_script_and_nothing_else(self):
        """The policy allows scripts and WebAssembly of the site, and requests to it alone."""
        policy = made.parsed(site()[PAGE]).find(".//meta[@http-equiv='Content-Security-Policy']")
        assert policy is not None
        assert policy.get("content") == (
            "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; "
            "style-src 'unsafe-inline'; img-src 'self' data:; form-action 'none'; base-uri 'none'"
        )
        tree = made.parsed(site()[PAGE])
        assert [(each.get("src"), each.text) for each in tree.iter("script")] == [("search.js", None)]

    def test_no_other_page_has_script(self):
        """Every other page of a site with an index is as it is without one."""
        plain = dict(views.render(material(), made.TEMPLATES))
        changed = {path for path in plain if site()[path] != plain[path]}
        assert changed == {PAGE}

    def test_lists_every_endpoint_with_its_letter_alphabetically(self):
        """Each row has name, tag, model and the letter with version and columns, which leads to its permanent page."""
        tree = made.parsed(site()[PAGE])
        library = arrange(material())
        stories = [story for model in library.models for story in model.endpoints]
        rows = list(tree.iterfind(".//tbody/tr"))
        assert len(rows) == len(stories)
        for row, story in zip(rows, stories, strict=True):
            said = made.text_of(row)
            assert " ".join(visible_plain(story.provider).split()) in said
            if story.latest is not None:
                assert short_form(story.latest) in said
                hrefs = [anchor.get("href", "") for anchor in row.iter("a")]
                assert any(f"v{story.latest.method_version}/index.html" in href for href in hrefs)
        models = [made.text_of(each).split(",")[0] for each in tree.iterfind(".//main//section/ul/li")]
        assert models == sorted(models)

    def test_script_writes_no_text_as_markup(self):
        """The script sets text and hides rows; it makes no markup and runs no text."""
        source = site()[SCRIPT].decode()
        for word in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval", "Function", "createElement"):
            assert word not in source


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder with that site."""
    out = tmp_path_factory.mktemp("search")
    for path, body in {**made.permanent(material()), **site()}.items():
        target = out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(body)
    return out


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A plain host that says nothing."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    """Return where a plain host serves it: nothing that `serve` does is needed."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    running = threading.Thread(target=server.serve_forever, daemon=True)
    running.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()
    running.join()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Return a running browser; without one the tests are skipped, or fail where one is required."""
    executable = shutil.which("chromium")
    if executable is None:
        if os.environ.get("BITDEPTH_BROWSER_REQUIRED") == "1":
            pytest.fail("expected chromium on the path, found none (BITDEPTH_BROWSER_REQUIRED=1)")
        pytest.skip("no chromium on the path: the search is not tried in a browser")
    with sync_playwright() as running:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = running.chromium.launch(executable_path=executable, args=flags)
        yield browser
        browser.close()


def found(page: Page, words: str) -> list[str]:
    """Type some words and return the names of the endpoints that are left, in their order."""
    page.fill("#q", words)
    said = WHOLE if not words else "Found: "
    page.wait_for_function("([said]) => document.getElementById('found').textContent.includes(said)", arg=[said])
    page.wait_for_timeout(150)
    rows = "rows => rows.map(row => row.querySelector('a').textContent)"
    return list(page.eval_on_selector_all("tbody tr:not([hidden])", rows))


@pytest.mark.browser
class TestInABrowser:
    """What a reader finds, in Chromium, under the page's own policy."""

    @pytest.fixture
    def page(self, chromium: Browser, address: str) -> Iterator[Page]:
        """Return the opened page; nothing may be said to the console, and nobody else may be asked."""
        opened = chromium.new_page(viewport={"width": 1280, "height": 900})
        said: list[str] = []
        asked: list[str] = []
        opened.on("console", lambda message: said.append(message.text))
        opened.on("pageerror", lambda error: said.append(str(error)))
        opened.on("request", lambda request: asked.append(request.url))
        opened.goto(f"{address}{PAGE}")
        yield opened
        assert said == []
        assert [url for url in asked if not url.startswith((f"{address}search/", "data:"))] == []
        opened.close()

    @pytest.mark.parametrize(
        ("words", "expected"),
        [
            ("alder", ["Alder"]),
            ("ald", ["Alder"]),
            ("gemma", ["Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir"]),
            ("google/gemma-3-270m", ["Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir"]),
            ("int4", ["Alder", "Birch", "Elm", "Fir"]),
            ("birch/int4", ["Birch"]),
            ("3.3", ["Quay", "Yard"]),
            ("70b yard", ["Yard"]),
            (LLAMA, ["Quay", "Yard"]),
            ("absent", ["Cedar", "Elm"]),
            ("zzz", []),
        ],
    )
    def test_finds_by_names_and_parts_of_names(self, page: Page, words: str, expected: list[str]):
        """Whole names, tags, precisions, parts and beginnings are found, and stand alphabetically."""
        assert found(page, words) == expected

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            ("zzz", "Found: no model, no endpoint."),
            ("alder", "Found: no model, 1 endpoint."),
            ("absent", "Found: no model, 2 endpoints, alphabetically."),
            (LLAMA, "Found: 1 model, 2 endpoints, alphabetically."),
        ],
    )
    def test_says_how_many_in_words(self, page: Page, words: str, said: str):
        """None reads 'no', one is singular, and an order is told of more than one alone."""
        found(page, words)
        assert page.inner_text("#found") == said

    def test_a_whole_list_again(self, page: Page):
        """With nothing asked for, everything is there as it was."""
        before = page.inner_text("main section:last-of-type")
        assert found(page, "alder") == ["Alder"]
        assert page.is_hidden("#models")
        found(page, "")
        assert page.inner_text("main section:last-of-type") == before
        assert page.is_visible("#models")

    def test_harmful_names_are_found_as_text(self, page: Page):
        """A provider whose name is markup is found by it, and is shown as before."""
        names = found(page, "<script>alert('provider')</script>")
        assert "<script>alert('provider')</script>" in names
        assert page.evaluate("document.querySelectorAll('main script').length") == 0

    def test_an_address_can_be_kept(self, page: Page, chromium: Browser, address: str):
        """Pressing Enter puts the words into the address, and that address finds the same."""
        found(page, "dogwood")
        page.press("#q", "Enter")
        assert page.url == f"{address}{PAGE}?q=dogwood"
        again = chromium.new_page()
        again.goto(page.url)
        again.wait_for_function("() => document.getElementById('found').textContent.includes('1 endpoint.')")
        assert again.input_value("#q") == "dogwood"
        again.close()

    def test_a_host_that_lost_the_index(self, chromium: Browser, address: str):
        """Where the index cannot be read the list is whole, and the page says so."""
        page = chromium.new_page()
        page.route("**/pagefind/**", lambda route: route.abort())
        page.goto(f"{address}{PAGE}")
        page.fill("#q", "alder")
        page.wait_for_function(
            "() => document.getElementById('found').textContent.startsWith('The index could not be read.')"
        )
        assert page.eval_on_selector_all("[data-id][hidden]", "rows => rows.length") == 0
        page.close()

    def test_without_script(self, chromium: Browser, address: str):
        """Without script the list is whole, the field is not shown, and the page says how to look."""
        context = chromium.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(f"{address}{PAGE}")
        assert page.is_hidden("#search")
        assert "look with your browser's own search in the page" in page.inner_text("#found")
        assert page.locator("tbody tr").count() == len(entries(arrange(material()))) - 3
        context.close()

    def test_from_disk(self, chromium: Browser, folder: Path):
        """Opened from disk it is the list alone, without an error."""
        page = chromium.new_page()
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto((folder / PAGE).as_uri())
        assert page.is_hidden("#search")
        assert "own search in the page" in page.inner_text("#found")
        assert said == []
        page.close()


def test_two_thousand_endpoints_make_a_small_index():
    """The index of 2,000 endpoints is a few files, hardly larger than what every index needs."""
    grades = tuple(
        made.grade(f"p-{number % 20}", f"Provider {number % 20}", model=f"author/model-{number // 20}b")
        for number in range(2000)
    )
    index = indexed(made.material(grades=grades, nights=(), models=(), explanations={}, differences=()))
    assert len(index.ids) == 2100
    assert len(index.files) < 20
    assert sum(map(len, index.files.values())) < 200_000
