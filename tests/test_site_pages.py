"""Every page of three whole sites: well formed, linked, labelled, and saying what it must."""

from __future__ import annotations

import json
import posixpath
import re
from datetime import timedelta
from urllib.parse import unquote, urlsplit
from xml.etree.ElementTree import Element

import msgspec
import pytest
import site_material as made

from generator.errors import ContentError
from generator.records import permalink
from generator.records.grade import Letter
from generator.records.night import ModelSettings
from generator.records.reading import LETTER_WORDS, NO_LETTER, readings, short_form
from generator.site import search_view, views
from generator.site.frame import CSP
from generator.site.text import visible_plain

PAGES = [
    pytest.param(name, path, id=f"{name}:{path[-60:]}")
    for name, files in made.sites().items()
    for path in files
    if path.endswith(".html")
]
LIVE = made.sites()["live"]
ANY = f"[A-D{NO_LETTER}]"
"""A column's letter, or what stands for none."""


def page(path: str, site: str = "live") -> str:
    """Return what a page of a site says."""
    return made.page_text(made.sites()[site][path])


def tree_of(name: str, path: str) -> Element:
    """Return a page's tree."""
    return made.parsed(made.sites()[name][path])


class TestEveryPage:
    """What holds for every page of every site."""

    @pytest.mark.parametrize(("name", "path"), PAGES)
    def test_is_strict_html_with_landmarks_and_no_script(self, name: str, path: str):
        """Each page parses without an error and has a language, a title, one main, one h1, and runs nothing."""
        tree = tree_of(name, path)
        assert tree.get("lang") == "en"
        assert len(tree.findall(".//main")) == len(tree.findall(".//h1")) == 1
        assert tree.findtext(".//title")
        assert tree.find(".//a[@class='skip'][@href='#content']") is not None
        assert {script.get("type") for script in tree.iter("script")} <= {"application/ld+json"}
        handlers = [key for element in tree.iter() for key in element.attrib if key.startswith("on")]
        assert not handlers
        policy = tree.find(".//meta[@http-equiv='Content-Security-Policy']")
        assert policy is not None
        assert policy.get("content") == (search_view.CSP if path == "search/index.html" else CSP)

    @pytest.mark.parametrize(("name", "path"), PAGES)
    def test_fetches_nothing(self, name: str, path: str):
        """No element loads anything but an inline icon, and the page of an endpoint its badge, inline too."""
        tree = tree_of(name, path)
        assert not [element.tag for element in tree.iter() if element.tag in {"iframe", "object", "video"}]
        sources = [element.get("src", "") for element in tree.iter() if element.get("src")]
        assert (
            len(sources)
            == len(list(tree.iter("img")))
            == (re.fullmatch("models/[^/]+/[^/]+/[^/]+/index.html", path) is not None)
        )
        assert all(source.startswith("data:image/svg+xml,") for source in sources)
        loaded = [link.get("href", "") for link in tree.iter("link") if link.get("rel") in {"stylesheet", "icon"}]
        assert all(href.startswith("data:") for href in loaded)
        assert "@import" not in "".join(style.text or "" for style in tree.iter("style"))

    @pytest.mark.parametrize(("name", "path"), PAGES)
    def test_tables_have_captions_scopes_and_labels(self, name: str, path: str):
        """Each table has a caption, scoped headers, a row header in each row, and labels for narrow screens."""
        for table in tree_of(name, path).iter("table"):
            caption = table.find("caption")
            assert caption is not None
            assert made.text_of(caption)
            assert all(header.get("scope") in {"col", "row"} for header in table.iter("th"))
            columns = len(table.findall("thead/tr/th"))
            for row in [*table.findall("tbody/tr"), *table.findall("tfoot/tr")]:
                assert [cell.tag for cell in row] == ["th"] + ["td"] * (columns - 1)
                assert all(cell.get("data-label") for cell in row.findall("td") if made.text_of(cell))

    @pytest.mark.parametrize(("name", "path"), PAGES)
    def test_footer_names_licence_and_contact(self, name: str, path: str):
        """Licence of pages and data (CC BY 4.0) and contact for corrections stand in the footer."""
        footer = tree_of(name, path).find(".//footer")
        assert footer is not None
        assert "Pages and data: CC BY 4.0" in made.text_of(footer)
        assert footer.find(".//a[@href='mailto:corrections@bitdepth.example']") is not None

    @pytest.mark.parametrize(("name", "path"), PAGES)
    def test_dates_stand_in_time(self, name: str, path: str):
        """ISO dates stand in <time>, with themselves or their moment as machine form."""
        for time in tree_of(name, path).iter("time"):
            moment = time.get("datetime", "")
            assert re.fullmatch(r"\d{4}-\d\d-\d\d(T[0-9:.]+Z)?", moment)
            assert made.text_of(time).startswith(moment[:10])

    @pytest.mark.parametrize(("name", "path"), PAGES)
    def test_best_only_in_task_accuracy(self, name: str, path: str):
        """'best' occurs only in T and where the method says so; no page ranks or praises."""
        said = page(path, name).lower()
        if not path.startswith("method/"):
            assert not re.findall(r"\bbest\b", said.replace("from the best", ""))
        for word in ("winner", "worst provider", "cheat", "lying", "leaderboard", "top-rated"):
            assert word not in said

    def test_rendered_twice_is_the_same(self):
        """Equal material gives equal bytes."""
        assert made.site(made.material()) == LIVE


class TestLinks:
    """'Pages link to one another relatively, to .../index.html'."""

    @pytest.mark.parametrize("name", made.sites())
    def test_no_link_or_fragment_leads_nowhere(self, name: str):
        """Every internal link of every page, head included, leads to a file of the site and to an id on it."""
        files = made.sites()[name]
        ids = {
            path: {element.get("id") for element in made.parsed(body).iter() if element.get("id")}
            for path, body in files.items()
            if path.endswith(".html")
        }
        checked = 0
        for path, body in files.items():
            if not path.endswith(".html"):
                continue
            for element in made.parsed(body).iter():
                href = element.get("href")
                if href is None or urlsplit(href).scheme:
                    continue
                target, fragment = self.resolve(path, href)
                assert target in files, (path, href)
                assert not fragment or fragment in ids[target], (path, href)
                checked += 1
        assert checked > 10 * len(ids)

    @staticmethod
    def resolve(path: str, href: str) -> tuple[str, str]:
        """Return the site's file and the fragment that an address on a page leads to."""
        parts = urlsplit(href)
        if not parts.path:
            return path, parts.fragment
        target = unquote(parts.path)
        if path == "404.html":
            assert target.startswith("/grades-of/"), href
            return target.removeprefix("/grades-of/"), parts.fragment
        assert not target.startswith("/"), href
        return posixpath.normpath(posixpath.join(posixpath.dirname(path), target)), parts.fragment

    def test_every_page_is_reached_from_the_first(self):
        """A reader who follows links from the first page comes to every page but the one for wrong addresses."""
        seen, queue = {"index.html"}, ["index.html"]
        while queue:
            path = queue.pop()
            for anchor in made.parsed(LIVE[path]).iter("a"):
                href = anchor.get("href", "")
                if urlsplit(href).scheme:
                    continue
                target, _ = self.resolve(path, href)
                if target not in seen and target.endswith(".html"):
                    seen.add(target)
                    queue.append(target)
        assert {path for path in LIVE if path.endswith(".html")} - seen == {"404.html"}

    def test_hosts_with_a_path_and_without(self):
        """The page for wrong addresses is served at any depth: its links start at the host's root."""
        at_root = made.material(settings=made.settings(address="https://bitdepth.example/"))
        body = dict(views.render(at_root, made.TEMPLATES))["404.html"]
        hrefs = [anchor.get("href", "") for anchor in made.parsed(body).iter("a")]
        assert "/index.html" in hrefs
        assert all(href.startswith(("/", "#", "https:", "mailto:")) for href in hrefs)


class TestALetterNeverStandsAlone:
    """'a letter never stands without its method version and its four column values'."""

    @pytest.mark.parametrize(("name", "path"), PAGES)
    def test_every_mark_has_its_version_and_columns(self, name: str, path: str):
        """Each glyph and each mark of a letter stands with version, standing and columns, short or in full."""
        tree = tree_of(name, path)
        for short in tree.iterfind(".//span[@class='short']"):
            said = made.text_of(short)
            assert re.fullmatch(rf"[ABCDU] \d+\.\d+ · M {ANY} T {ANY} D {ANY} R {ANY}", said)
        for plate in tree.iterfind(".//div[@class='plate']"):
            said = made.text_of(plate)
            assert re.search(r"method \d+\.\d+, (provisional|final)", said)
            assert all(column in said for column in ("M, match", "T, task", "D, declared", "R, reliability"))

    def test_short_forms_are_the_records_own(self):
        """What a page prints where space is short is what records.reading says."""
        grade = made.kinds()[3]
        assert short_form(grade) in page("index.html")

    def test_provisional_and_candidate_are_said(self):
        """Every letter under 0.x says that it is provisional, and a candidate's says that too."""
        story = page(permalink.endpoint_path(made.TREES, "alder") + "index.html")
        assert "B 0.2 · M B T A D A R A provisional, candidate" in story
        assert "B 0.0 · M B T A D A R A provisional, superseded" in story
        index = page("index.html")
        assert index.count("provisional") >= len(made.kinds())

    def test_a_final_version_is_not_provisional(self):
        """Letters under a version from 1.0 on read final."""
        grade = made.grade(method_version="1.0", provisional=False)
        material = made.material(
            settings=made.settings(method="1.0"),
            methods={"1.0": made.method("1.0")},
            kept_methods=frozenset({"1.0"}),
            worked_example={"1.0": made.Fraction(4)},
            grades=(grade,),
        )
        files = made.site(material)
        assert "A 0.1" not in made.page_text(files["index.html"])
        assert "A 1.0 · M A T A D A R A final" in made.page_text(files["index.html"])
        assert "provisional version, and every letter" not in made.page_text(files["method/1.0/index.html"])


class TestFirstPage:
    """'/': the models, alphabetically, with their latest letters; the night's counts; latest changes."""

    def test_models_and_endpoints_in_alphabetical_order(self):
        """Endpoints stand alphabetically and never by grade."""
        said = page("index.html")
        order = [said.index(name) for name in ("Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir")]
        assert order == sorted(order)
        assert said.index("evil") < said.index(made.TREES)

    def test_counts_changes_and_what_is_watched(self):
        """The last recorded night's counts, the changes, and a model that no night has recorded yet."""
        said = page("index.html")
        assert "Last recorded night 2026-11-27: 12 endpoints listed, 1,680 observations planned, 1,678 sent" in said
        assert "B 0.1 · M A T A D A R B provisional , then A 0.1 · M A T A D A R A provisional" in said
        assert "mxfp4, then absent, on 2026-11-25 (withdrawn)" in said
        assert "Watched, not recorded yet: watched/not-yet-recorded." in said

    def test_void_nights_are_marked(self):
        """A night that is void, or was declared so, says it."""
        said = page("index.html")
        assert "2026-11-23 void" in said
        assert "2026-11-20 void" in said
        assert "2026-11-21 void" not in said

    def test_before_the_first_night(self):
        """An archive without a night gives a valid site that says so, with the method complete."""
        said = page("index.html", "empty")
        assert "No night has been recorded yet." in said
        assert "Watched, not recorded yet: google/gemma-3-270m, watched/not-yet-recorded." in said
        assert "The first version. Provisional" in page("method/0.1/index.html", "empty")
        assert {path for path in made.sites()["empty"] if path.endswith(".html")} == {
            "index.html",
            "changes/index.html",
            "models/index.html",
            "grades/index.html",
            "method/index.html",
            "method/0.1/index.html",
            "about/index.html",
            "persistence/index.html",
            "verify/index.html",
            *(f"{name.removesuffix('index').rstrip('/')}/index.html" for name in made.pages() if "/" in name),
            "calibration/index.html",
            "data/index.html",
            "data/format/index.html",
            "glossary/index.html",
            "log/index.html",
            "nights/index.html",
            "search/index.html",
            "404.html",
        }

    def test_an_archive_of_void_nights_alone(self):
        """Where no night counts, none is said to be recorded, and the void one is shown."""
        material = made.material(nights=(made.night(made.VOID_NIGHT),), grades=(), models=())
        files = dict(views.render(material, made.TEMPLATES))
        assert "No night has been recorded yet." in made.page_text(files["index.html"])
        assert "nights/2026-11-23/index.html" in files


class TestModelPage:
    """'/models/<author>/<name>/': the endpoints with everything that a reader compares by eye."""

    def test_row_carries_columns_precision_latency_price_context(self):
        """Each endpoint's row has its letter and version, four values, precision, latency, price and context."""
        path = permalink.model_path(made.TREES) + "index.html"
        tree = made.parsed(LIVE[path])
        rows = {made.text_of(row): row for row in tree.findall(".//table")[0].findall("tbody/tr")}
        row = next(said for said in rows if said.startswith("Birch"))
        for expected in (
            "birch/int4",
            "int4, declared",
            "B 0.1",
            f"{LETTER_WORDS[Letter.B]}, provisional",
            "A within the floor on all 7 nights measured",
            "B 4 points from the best",
            "A int4, unchanged",
            "I, 640 ms",
            "0.02 in, 0.04 out",
            "32,768 declared",
            "16,384 measured",
        ):
            assert expected in row

    def test_no_longer_listed_says_so_with_its_last_night(self):
        """An endpoint that the last recorded night does not list says so, and so does its own page."""
        assert "no longer listed, last night 2026-11-24" in page(permalink.model_path(made.TREES) + "index.html")
        assert "No longer listed. The last recorded night that listed it was 2026-11-24." in page(
            permalink.endpoint_path(made.TREES, "fir") + "index.html"
        )

    def test_a_model_that_nobody_read_is_not_called_unlisted(self):
        """Where the last recorded night holds no endpoint of a model, that is said, and nothing of the provider."""
        material = made.material()
        last = material.nights[-1]
        others = tuple(each for each in last.endpoints if each.model != made.TREES)
        nights = (*material.nights[:-1], msgspec.structs.replace(last, endpoints=others))
        site = made.site(msgspec.structs.replace(material, nights=nights))
        text = made.page_text(site[permalink.endpoint_path(made.TREES, "alder") + "index.html"])
        assert "Its model was not among those listed on the last recorded night. The last recorded night" in text
        assert "longer listed" not in text

    def test_inseparable_listings_are_counted(self):
        """'n listings, not separable' stands wherever such an endpoint stands."""
        assert "2 listings, not separable" in page(permalink.model_path(made.TREES) + "index.html")
        assert "2 listings, not separable" in page(permalink.endpoint_path(made.TREES, "dogwood") + "index.html")

    def test_floors_stability_and_agreement_counts(self):
        """Floors and stability of each family, and who agreed with whom in counts from both sides."""
        said = page(permalink.model_path(made.TREES) + "index.html")
        assert "arith not stable 0 %" in said
        assert "capital stable 1.39 %" in said
        assert "sort not stable no floor" in said
        assert "Alder alder/int4 Birch 640 / 735" in said
        assert "Birch birch/int4 Alder 640 / 735" in said

    def test_precision_that_changed_carries_each_change(self):
        """Where the precision changed in the window, the unit carries the dated changes, the last one last."""
        said = page(permalink.endpoint_path(made.TREES, "cedar") + "index.html")
        assert (
            "precision int4, then mxfp4, on 2026-11-22 (refined); mxfp4, then absent, on 2026-11-25 (withdrawn)" in said
        )
        assert "Tag: cedar/int4, then cedar" in said

    def test_an_endpoint_without_a_grade_says_so(self):
        """An endpoint that is listed and not graded yet is there, without a letter."""
        material = made.material(grades=())
        files = dict(views.render(material, made.TEMPLATES))
        path = permalink.model_path(made.TREES) + "index.html"
        assert "no grade under the current method yet" in made.page_text(files[path])
        assert "No grade under the current method yet." in made.page_text(
            files[permalink.endpoint_path(made.TREES, "alder") + "index.html"]
        )
        assert not any(b"<td></td>" in body for path, body in files.items() if path.endswith(".html"))


class TestGradeIndex:
    """'The current one first, then candidates, then earlier ones'."""

    def test_the_current_version_first_with_all_columns(self):
        """0.1, 0.2 and 0.0 stand in this order, each with its columns in words, standing and record digest."""
        grade = made.grade()
        path = permalink.grade_index_path(grade.model, grade.endpoint, grade.window_end) + "index.html"
        said = page(path)
        stands = (("0.1", "current"), ("0.2", "candidate"), ("0.0", "superseded"))
        order = [said.index(f"Method version {version}, {word} Issued") for version, word in stands]
        assert order == sorted(order)
        assert "A candidate: it replaces nothing." in said
        assert "The current version." in said
        assert "Superseded: the page stays as it is." in said
        assert "B 0.0 · M B T A D A R A provisional, superseded , then A 0.1 · M A T A D A R A provisional" in said
        for each in made.history():
            if (each.endpoint, each.window_end) == (grade.endpoint, grade.window_end):
                for reading in readings(each, made.method().definition):
                    assert reading.words in said


class TestNightPage:
    """'/nights/<night>/': seed, prompts, counts, cost, settings, files and digests."""

    def test_says_all_of_the_night(self):
        """Seed, both kinds of prompts, counts, cost, settings, files and digests are there."""
        said = page("nights/2026-11-27/index.html")
        record = made.night(made.NIGHTS[-1]).record
        wanted = [record.seed, "17 drawn or made for this night from its seed", "16 sent every night", "USD 0.1834"]
        wanted += [*record.files, *record.files.values(), "d4" * 32, "b2" * 32, record.prompt_set_sha256]
        wanted += [*msgspec.structs.asdict(record.settings), "answered 1,660", "unsent 2", "2026-11-27 03:41:01 UTC"]
        for each in wanted:
            assert each in said

    def test_missed_nights_are_a_fact_that_the_night_after_them_states(self):
        """One date by its name, a longer gap as a range; on the first page likewise; and nothing where none was."""
        gaps = {made.NIGHTS[2]: 1, made.NIGHTS[5]: 12}
        nights = [made.night(when) for when in made.NIGHTS[:6]]
        for place, night in enumerate(nights):
            days = [night.record.night - timedelta(days=back) for back in range(gaps.get(night.record.night, 0), 0, -1)]
            record = msgspec.structs.replace(night.record, missed=tuple(days))
            nights[place] = msgspec.structs.replace(night, record=record)
        files = dict(views.render(made.material(nights=tuple(nights), grades=(), models=()), made.TEMPLATES))
        said = [made.page_text(files[f"nights/{night}/index.html"]) for night in made.NIGHTS[:6]]
        assert "No night was begun on 2026-11-20." in said[2]
        assert "No night was begun from 2026-11-12 to 2026-11-23." in said[5]
        assert [place for place, text in enumerate(said) if "No night was begun" in text] == [2, 5]
        first = made.page_text(files["index.html"])
        assert "2026-11-24 2026-11-12 to 2026-11-23 missed 2026-11-23" in first
        assert "2026-11-21 2026-11-20 missed 2026-11-20" in first
        assert first.count("missed") == 2

    def test_settings_of_single_models_stand_in_words(self):
        """What is asked of one model otherwise than of the others stands by its name, and the rungs in a row."""
        night = made.night(made.NIGHTS[0])
        own = {
            "b/two": ModelSettings(max_tokens=64),
            "a/one": ModelSettings(reasoning_budget_tokens=512, max_tokens=16),
        }
        changed = msgspec.structs.replace(night.record.settings, models=own, context_rungs=(1024, 4096))
        record = msgspec.structs.replace(night.record, settings=changed)
        nights = (msgspec.structs.replace(night, record=record),)
        files = dict(views.render(made.material(nights=nights, grades=(), models=()), made.TEMPLATES))
        said = made.page_text(files["nights/2026-11-19/index.html"])
        assert "models a/one: reasoning_budget_tokens 512, max_tokens 16; b/two: max_tokens 64 context" in said
        assert "context_rungs 1024, 4096 latency" in said
        assert "models none context_rungs none latency" in page("nights/2026-11-27/index.html")

    def test_void_nights_say_why(self):
        """A void night says its reason, and a night declared void later says when."""
        assert "under half of the planned observations were sent: <b>no credit</b>" in page(
            "nights/2026-11-23/index.html"
        )
        assert "Declared 2026-11-30 09:00:00 UTC: the clock of the probing host was wrong" in page(
            "nights/2026-11-20/index.html"
        )

    def test_prompts_stand_in_pre(self):
        """A prompt's text stands in <pre>, line by line, with what is hidden in it shown."""
        tree = made.parsed(LIVE["nights/2026-11-27/index.html"])
        shown = ["".join(pre.itertext()) for pre in tree.iter("pre")]
        assert "</pre><script>alert('prompt')</script>\n\ttabbed \\u202etxet\\u000d\n{{ 7 * 7 }}" in shown

    def test_depends_on_no_method_version(self):
        """Nothing on it but the site's frame names a method version."""
        assert "0.1 " not in page("nights/2026-11-27/index.html").replace("version 0.1.0", "")


class TestReplayed:
    """A demo's answers are replayed, and every view and permanent page says so."""

    def test_every_page_of_a_demo_says_it(self):
        """Each view and each grade's page of the demo has the line; the method page has no answers to speak of."""
        for path, body in made.sites()["demo"].items():
            if path.endswith(".html") and not re.match(r"method/[\d.]+/", path):
                assert "replayed from a recording: no live endpoint was asked" in made.page_text(body), path

    def test_no_page_of_a_live_site_says_it(self):
        """Where every night asked a live router no page has the line."""
        for path, body in LIVE.items():
            if path.endswith(".html"):
                assert "replayed from a recording" not in made.page_text(body)

    def test_some_replayed_nights_are_counted(self):
        """Where some nights were replayed, the line says how many, and a live night's own page does not have it."""
        nights = (made.night(made.NIGHTS[0], latency="replayed"), made.night(made.NIGHTS[1]))
        files = dict(views.render(made.material(nights=nights, grades=(), models=()), made.TEMPLATES))
        assert "On 1 of 2 nights of this archive" in made.page_text(files["index.html"])
        assert "replayed" in made.page_text(files["nights/2026-11-19/index.html"])
        assert "replayed from" not in made.page_text(files["nights/2026-11-20/index.html"])

    def test_latency_reads_replayed_not_measured(self):
        """A replayed latency has no class and no figure."""
        said = page(permalink.endpoint_path(made.TREES, "alder") + "index.html", "demo")
        assert "Latency class replayed, not measured measured" in said
        assert "1,312" not in said

    def test_what_is_scripted_stands_beside_what_was_counted(self):
        """The demo's page lists what was recorded, what is scripted, and what was counted; a live site has none."""
        said = page("demo/index.html", "demo")
        for each in (
            "the shipped Q4_K_M weights",
            "a server error on 3 prompts of 2026-11-22",
            "3 errors on 2026-11-22",
        ):
            assert each in said
        assert "demo/index.html" not in LIVE


class TestHostileNames:
    """'provider and model text and model outputs are hostile'."""

    @pytest.mark.parametrize(("name", "path"), PAGES)
    def test_nothing_invisible_reaches_a_page(self, name: str, path: str):
        """No control, direction or zero-width character is in a page's bytes."""
        body = made.sites()[name][path].decode()
        assert not re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u00a0\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]", body)

    def test_names_are_shown_as_text(self):
        """Every hostile provider's name can be read on its model's page, escapes and all."""
        said = page(permalink.model_path(made.HOSTILE_MODEL) + "index.html")
        for provider in made.HOSTILE_PROVIDERS:
            assert " ".join(visible_plain(provider).split()) in said

    def test_addresses_are_ascii_and_percent_safe(self):
        """Hostile names make plain addresses."""
        for path in LIVE:
            assert re.fullmatch(r"[A-Za-z0-9._/-]+", path)

    def test_json_ld_holds_hostile_names_as_data(self):
        """JSON-LD parses, and no name ends its element."""
        for path, body in LIVE.items():
            for script in made.parsed(body).iter("script") if path.endswith(".html") else ():
                data = json.loads(script.text or "")
                assert data["@type"] in {"CollectionPage", "Dataset", "TechArticle", "sc:Dataset"}
                assert "<" not in (script.text or "")


class TestContact:
    """A contact is a web or mail address, or stands as text."""

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("corrections@bitdepth.example", "mailto:corrections@bitdepth.example"),
            ("https://bitdepth.example/issues", "https://bitdepth.example/issues"),
            ("javascript:alert(1)", None),
        ],
    )
    def test_leads(self, text: str, expected: str | None):
        """It leads to an address of one of those kinds and to no other."""
        files = dict(views.render(made.material(settings=made.settings(contact=text)), made.TEMPLATES))
        footer = made.parsed(files["index.html"]).find(".//footer")
        assert footer is not None
        assert f"Corrections: {text}" in made.text_of(footer)
        hrefs = [anchor.get("href") for anchor in footer.iter("a")]
        assert (expected in hrefs) == (expected is not None)
        assert "javascript:alert(1)" not in hrefs


class TestAGradeWithoutItsNights:
    def test_is_shown_under_the_name_that_it_carries(self):
        """Where the nights behind a grade are not among the material, the grade's own names are used."""
        material = made.material(nights=(), models=())
        files = dict(views.render(material, made.TEMPLATES))
        assert "Alder" in made.page_text(files[permalink.model_path(made.TREES) + "index.html"])


class TestMissingProse:
    def test_a_missing_page_is_named(self):
        """Every page's footer links to the prose pages: one that is missing stops the build, by name."""
        pages = made.pages()
        del pages["verify"]
        with pytest.raises(ContentError, match=r"content/pages/verify\.md"):
            list(views.render(made.material(pages=pages), made.TEMPLATES))
