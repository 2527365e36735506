"""The feeds: valid Atom, an entry for each change of letter or declared precision, and for nothing else."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

import feedparser
import msgspec
import pytest
import site_material as made
from lxml import etree

from generator.records.grade import DeclaredState, Grade, Letter
from generator.records.permalink import permalink_path
from generator.records.reading import NO_LETTER, short_form
from generator.site.interface import GradedWindow, Material
from generator.site.news import MOST_REPORTED
from generator.site.text import visible_plain

ATOM = "{http://www.w3.org/2005/Atom}"
ADDRESS = "https://bitdepth.example/grades-of/"
SCHEMA = etree.RelaxNG(etree.parse(made.ROOT / "tests/data/atom.rng"))
SITE, MODEL = "feed.xml", f"models/{made.TREES}/feed.xml"
SHORT = rf"[ABCDU] \d+\.\d+ · M [A-D{NO_LETTER}] T [A-D{NO_LETTER}] D [A-D{NO_LETTER}] R [A-D{NO_LETTER}]"
DAY = timedelta(days=1)
EVERY = [
    pytest.param(name, path, id=f"{name}:{path[-50:]}")
    for name, files in made.sites().items()
    for path in files
    if path.endswith(SITE)
]


def feed(name: str, path: str) -> ET.Element:
    """Return a feed of one of the three sites."""
    return ET.fromstring(made.sites()[name][path])  # noqa: S314 - our own feed


def rendered(of: Material, path: str = SITE) -> ET.Element:
    """Return a feed of a material."""
    return ET.fromstring(made.feeds_of(of)[0][path])  # noqa: S314 - our own feed


def entries(of: ET.Element) -> list[ET.Element]:
    """Return a feed's entries."""
    return of.findall(f"{ATOM}entry")


def said(of: ET.Element, name: str) -> str:
    """Return the text of a child."""
    return of.findtext(ATOM + name) or ""


def titled(grade: Grade, standing: str = "provisional") -> str:
    """Return a grade as a title says it."""
    return f"{short_form(grade)} ({standing})"


def links(of: ET.Element) -> list[tuple[str | None, str | None]]:
    """Return the relation and address of each link."""
    return [(link.get("rel"), link.get("href")) for link in of.findall(f"{ATOM}link")]


def nights_of(letters: str, first: date = made.FIRST_NIGHT, **changes: Any) -> tuple[Grade, ...]:
    """Return one endpoint's grades, night after night, with these letters in column R and over all."""
    ends = [first + index * DAY for index in range(len(letters))]
    return tuple(
        made.grade(
            nights=(end,),
            issued=end,
            letter=Letter(letter),
            r_letter=None if letter == "U" else Letter(letter),
            **changes,
        )
        for end, letter in zip(ends, letters, strict=True)
    )


def led(grades: Iterable[Grade], **changes: Any) -> tuple[GradedWindow, ...]:
    """Return the windows of some grades, each graded by the version that was current."""
    keys = sorted({(each.method_version, each.window_end) for each in grades})
    plain = {"was_current": True, "regrade": False} | changes
    return tuple(GradedWindow(method_version=version, window_end=end, **plain) for version, end in keys)


def titles(grades: Iterable[Grade], windows: tuple[GradedWindow, ...] | None = None, **changes: Any) -> list[str]:
    """Return what the entries of the site's feed are called, newest first."""
    kept = tuple(grades)
    of = made.material(grades=kept, windows=led(kept) if windows is None else windows, **changes)
    return [said(entry, "title").removeprefix(f"{made.TREES} at Alder: ") for entry in entries(rendered(of))]


class TestEveryFeed:
    """'Atom (site and per model; validated)'."""

    @pytest.mark.parametrize(("name", "path"), EVERY)
    def test_is_valid_atom(self, name: str, path: str):
        """Each feed meets the schema of what RFC 4287 asks, and a feed reader has nothing to complain of."""
        body = made.sites()[name][path]
        SCHEMA.assertValid(etree.fromstring(body))
        read = feedparser.parse(body)
        assert not read.bozo
        assert read.version == "atom10"
        assert read.encoding == "utf-8"
        assert len(read.entries) == len(entries(feed(name, path)))

    @pytest.mark.parametrize(("name", "path"), EVERY)
    def test_names_itself_its_page_author_and_rights(self, name: str, path: str):
        """A feed says where it lies, which page it belongs to, who made it, and under which licence."""
        own = feed(name, path)
        page = ADDRESS + ("changes/" if path == SITE else path.removesuffix(SITE))
        licence = "https://creativecommons.org/licenses/by/4.0/"
        assert said(own, "id") == ADDRESS + path
        assert links(own) == [("self", ADDRESS + path), ("alternate", page), ("license", licence)]
        assert said(own, "rights") == f"bitdepth & friends, CC BY 4.0: {licence}"
        assert own.findtext(f"{ATOM}author/{ATOM}name") == "bitdepth & friends"

    @pytest.mark.parametrize(("name", "path"), EVERY)
    def test_is_dated_by_its_entries_and_newest_first(self, name: str, path: str):
        """Entries descend; the feed is as new as the newest, and without one as the method that it waits for."""
        own = feed(name, path)
        dates = [said(entry, "updated") for entry in entries(own)]
        assert dates == sorted(dates, reverse=True)
        assert said(own, "updated") == (dates[0] if dates else f"{made.method().definition.released}T00:00:00Z")

    @pytest.mark.parametrize(("name", "path"), EVERY)
    def test_leads_to_pages_of_the_site_alone(self, name: str, path: str):
        """Every address of every entry, content included, is a full one and that of a file of the site."""
        files = made.sites()[name]
        for entry in entries(feed(name, path)):
            content = said(entry, "content")
            found = [href for _, href in links(entry)] + re.findall(r'href="([^"]*)"', content)
            assert len(found) >= 2
            for href in found:
                assert href is not None
                assert href.startswith(ADDRESS)
                assert f"{href.removeprefix(ADDRESS)}index.html" in files, href
            page = f'<!doctype html><html lang="en"><title>t</title><main>{content}</main></html>'
            assert not {each.tag for each in made.parsed(page.encode()).iter()} - {
                *("html", "head", "title", "body", "main"),
                *("p", "ul", "li", "a", "bdi", "time", "span"),
            }

    def test_ids_are_unique_and_the_same_in_both_feeds(self):
        """No two entries share an id; a change has one id in the site's feed and in its model's."""
        own, model = (
            {said(entry, "id"): ET.tostring(entry) for entry in entries(feed("live", path))} for path in (SITE, MODEL)
        )
        assert len(own) == len(entries(feed("live", SITE)))
        assert own == model
        assert all(urlsplit(each).scheme == "tag" for each in own)

    def test_pages_name_their_feeds(self):
        """A reader finds the site's feed from every view, and a model's from the pages of that model."""
        seen = 0
        for path, body in made.sites()["live"].items():
            if not path.endswith("index.html") or re.search(r"/v?\d+\.\d+/", path):  # Permanent, or to be.
                continue
            found = [
                posixpath.normpath(posixpath.join(posixpath.dirname(path), link.get("href", "")))
                for link in made.parsed(body).iter("link")
                if link.get("type") == "application/atom+xml"
            ]
            of_model = re.match("(?:models|grades)/([^/]+/[^/]+)/", path)
            assert found == ([f"models/{of_model[1]}/{SITE}", SITE] if of_model else [SITE]), path
            assert set(found) <= made.sites()["live"].keys()
            seen += of_model is not None
        assert seen > 20

    def test_a_models_page_links_its_feed_where_it_is_seen(self):
        """The page of each model has one link to its own feed among its words, not in its head alone."""
        pages = [path for path in made.sites()["live"] if re.fullmatch("models/[^/]+/[^/]+/index.html", path)]
        assert len(pages) == 2
        for path in pages:
            links_of = list(made.parsed(made.sites()["live"][path]).iterfind(".//main//a"))
            found = [made.text_of(each) for each in links_of if each.get("href") == SITE]
            assert found == ["Feed of this model's changes"], path

    def test_a_replayed_archive_says_so(self):
        """In the demo, feed and entries say that no live endpoint was asked: a reader sees one entry at a time."""
        own = feed("demo", SITE)
        assert "no live endpoint was asked" in said(own, "subtitle")
        assert all("no live endpoint was asked" in said(entry, "content") for entry in entries(own))
        assert "no live endpoint was asked" not in ET.tostring(feed("live", SITE), "unicode")


class TestAChangeOfLetter:
    """'an entry per change of letter …, with both versions and the permalinks'."""

    def test_has_both_letters_with_versions_columns_and_permalinks(self):
        """'A, then B': both short forms in the title, both columns in words, both permanent pages linked."""
        before, after = (
            next(each for each in made.history() if (each.endpoint, each.window_end) == ("alder", end))
            for end in made.RECORDED[-2:]
        )
        after = msgspec.structs.replace(made.current_alder())
        (entry,) = (each for each in entries(feed("live", MODEL)) if said(each, "id").endswith("#letter"))
        assert said(entry, "title") == f"{made.TREES} at Alder: {titled(before)}, then {titled(after)}"
        assert links(entry) == [("alternate", made.address(after)), ("related", made.address(before))]
        content = said(entry, "content")
        for each in (before, after):
            assert f'<a href="{made.address(each)}">{short_form(each)}</a>, provisional' in content
        assert content.count("R, reliability: ") == 2
        assert "R, reliability: B, errors" in content

    def test_is_one_entry_each_time(self):
        """A letter that goes and comes back is two entries, newest first."""
        a, b = (titled(each) for each in nights_of("AB"))
        assert titles(nights_of("AABBA")) == [f"{b}, then {a}", f"{a}, then {b}"]

    def test_no_letter_no_entry(self):
        """A figure that changes under one letter is no entry, whatever it changes by."""
        first, second = nights_of("AA")
        assert titles((first, msgspec.structs.replace(second, r_errors=7, t_correct=1, m_nights_outside=0))) == []

    def test_every_letter_has_its_version_and_columns(self):
        """No title says a letter otherwise than in its short form, and whether it is provisional."""
        found = titles(nights_of("ABCDU"))
        assert len(found) == 4
        said = rf"{SHORT} \(provisional\)"
        assert all(re.fullmatch(f"{said}, then {said}", title) for title in found)

    def test_says_what_each_letter_is(self):
        """Provisional or final, and replayed where its answers were: in the title and beside the letter."""
        first, second = nights_of("AB")
        before = msgspec.structs.replace(first, latency_class="replayed")
        after = msgspec.structs.replace(second, provisional=False)
        (entry,) = entries(rendered(made.material(grades=(before, after), windows=led((before, after)))))
        told = f"{titled(before, 'provisional, replayed')}, then {titled(after, 'final')}"
        assert said(entry, "title") == f"{made.TREES} at Alder: {told}"
        assert f"{short_form(before)}</a>, provisional, replayed." in said(entry, "content")
        assert f"{short_form(after)}</a>, final." in said(entry, "content")

    def test_unrated_says_why(self):
        """Where a letter is U, the entry says every reason."""
        grades = nights_of("AU")
        unrated = msgspec.structs.replace(grades[1], unrated_reasons=made.kinds()[4].unrated_reasons, nights_absent=4)
        (entry,) = entries(rendered(made.material(grades=(grades[0], unrated), windows=led(grades))))
        assert said(entry, "content").count("<li><bdi>unrated, ") == 5
        assert "absent: not listed or not asked on 4 nights of the window" in said(entry, "content")


class TestAChangeOfDeclaredPrecision:
    """'an entry per change of … declared precision'."""

    def test_has_its_date_and_kind_and_the_grade_that_shows_it(self):
        """Each change is told once, although it stands in every window that holds its night."""
        found = [each for each in entries(feed("live", SITE)) if "declared-" in said(each, "id")]
        shown = next(
            each for each in made.history() if each.endpoint == "cedar" and each.window_end == made.RECORDED[-2]
        )
        assert sorted(said(each, "title") for each in found) == [
            f"{made.TREES} at Cedar: declared precision {words}: first shown by {titled(shown)}"
            for words in ("int4, then mxfp4, on 2026-11-22 (refined)", "mxfp4, then absent, on 2026-11-25 (withdrawn)")
        ]
        first = f"{ADDRESS}{permalink_path(made.TREES, 'cedar', made.RECORDED[-2], '0.1')}"
        assert [links(each) for each in found] == [[("alternate", first)], [("alternate", first)]]
        assert all(re.search(SHORT, said(each, "content")) for each in found)

    def test_has_the_grade_before_where_there_is_one(self):
        """Both grades with their versions and columns, both permanent pages linked, also across two versions."""
        change = made.kinds()[2].d_changes[0]
        before, plain = (*nights_of("C", method_version="0.0"), nights_of("CC")[1])
        after = msgspec.structs.replace(plain, d_state=DeclaredState.CHANGED, d_changes=(change,))
        own = rendered(made.material(grades=(before, after), windows=led((before, after))), MODEL)
        (entry,) = entries(own)
        assert links(entry) == [("alternate", made.address(after)), ("related", made.address(before))]
        content = said(entry, "content")
        assert re.findall(r'(\w[\w ]+): <a href="([^"]*)">([^<]*)</a>', content) == [
            ("Before", made.address(before), short_form(before)),
            ("The first grade that shows it", made.address(after), short_form(after)),
        ]
        assert content.count("R, reliability: ") == 2

    def test_a_strangers_word_does_no_harm(self):
        """A precision that means harm is told as text, with nothing of it hidden."""
        change = msgspec.structs.replace(made.kinds()[2].d_changes[0], after=made.HOSTILE_PRECISION)
        provider = made.HOSTILE_PROVIDERS[1]
        grade = made.grade("x", provider, d_state=DeclaredState.CHANGED, d_changes=(change,))
        own = rendered(made.material(grades=(grade,), windows=led((grade,))))
        (entry,) = entries(own)
        word = visible_plain(made.HOSTILE_PRECISION)
        assert said(entry, "title") == (
            f"{made.TREES} at {visible_plain(provider)}: declared precision int4, then {word}, on 2026-11-22 (refined)"
            f": first shown by {titled(grade)}"
        )
        assert "<img" not in said(entry, "content")
        SCHEMA.assertValid(etree.fromstring(ET.tostring(own)))

    @pytest.mark.parametrize("provider", made.HOSTILE_PROVIDERS)
    def test_hostile_providers_read_back(self, provider: str):
        """Whatever a provider is called, the feed is valid and the title reads as the name made visible."""
        grades = nights_of("AB", provider=provider, model=made.HOSTILE_MODEL)
        body = made.feeds_of(made.material(grades=grades, windows=led(grades)))[0][SITE]
        SCHEMA.assertValid(etree.fromstring(body))
        (entry,) = entries(ET.fromstring(body))  # noqa: S314 - our own feed
        name = f"{visible_plain(made.HOSTILE_MODEL)} at {visible_plain(provider)}: "
        assert said(entry, "title").startswith(name)
        assert "<script" not in said(entry, "content")


class TestVersions:
    """'Making another version current … says so … once (not per grade) in the feed'."""

    FIRST = nights_of("AAB")

    def regraded(self, letters: str) -> tuple[Grade, ...]:
        """Return the nights of the first version under 0.2, made a month later."""
        day = made.FIRST_NIGHT + 30 * DAY
        return tuple(msgspec.structs.replace(each, issued=day) for each in nights_of(letters, method_version="0.2"))

    def test_a_regrade_is_one_entry_and_the_earlier_ones_stay(self):
        """All windows graded again under a new current version: one entry more, and no byte of another changed."""
        before = made.material(grades=self.FIRST, windows=led(self.FIRST))
        again = self.regraded("ABA")
        settings = made.settings(method="0.2")
        windows = led(self.FIRST) + led(again, regrade=True)
        after = made.material(grades=(*self.FIRST, *again), windows=windows, settings=settings)
        old, new = (entries(rendered(each)) for each in (before, after))
        assert [ET.tostring(each) for each in new[1:]] == [ET.tostring(each) for each in old]
        assert said(new[0], "title") == "Method version 0.2 is current; it was 0.1 before"
        assert said(new[0], "updated") == "2026-12-19T00:00:00Z"
        assert said(new[0], "id") == "tag:bitdepth.example,2026-12-19:/grades-of/method/0.2/#current"
        assert links(new[0]) == [("alternate", f"{ADDRESS}method/0.2/"), ("related", f"{ADDRESS}method/0.1/")]
        assert len(entries(rendered(after, MODEL))) == len(old)

    def test_a_candidate_is_no_news(self):
        """What a candidate reads, on its night or later, is in no feed."""
        beside = nights_of("ABC", method_version="0.2")
        windows = led(self.FIRST) + led(beside, was_current=False)
        assert titles((*self.FIRST, *beside), windows) == titles(self.FIRST)

    def test_a_candidate_that_graded_first_takes_no_news_away(self):
        """Where a candidate had graded a window before the current version did, it is still the latter's letter."""
        beside = nights_of("ABC", method_version="0.2")
        windows = led(self.FIRST, regrade=True) + led(beside, was_current=False)
        assert titles((*self.FIRST, *beside), windows) == titles(self.FIRST) != []

    def test_a_candidate_that_becomes_current_reports_from_then_on(self):
        """Its letters as a candidate are not reported; its first window as the current version tells the change."""
        beside = nights_of("ABC", method_version="0.2")
        own = nights_of("AD", made.FIRST_NIGHT + 3 * DAY, method_version="0.2")
        windows = led(self.FIRST) + led(beside, was_current=False) + led(own)
        found = titles((*self.FIRST, *beside, *own), windows, settings=made.settings(method="0.2"))
        assert found == [
            f"{titled(own[0])}, then {titled(own[1])}",
            "Method version 0.2 is current; it was 0.1 before",
            *titles(self.FIRST),
        ]

    def test_letters_of_two_versions_are_not_compared(self):
        """A under 0.1 and then B under 0.2 is no change of letter: the procedure changed."""
        own = nights_of("BB", made.FIRST_NIGHT + 3 * DAY, method_version="0.2")
        first = nights_of("AAA")
        found = titles((*first, *own), led((*first, *own)), settings=made.settings(method="0.2"))
        assert found == ["Method version 0.2 is current; it was 0.1 before"]

    def test_a_precision_told_under_one_version_is_not_told_again(self):
        """A change of precision that both versions' windows hold is one entry."""
        change = made.kinds()[2].d_changes[0]
        told = {"d_state": DeclaredState.CHANGED, "d_changes": (change,)}
        first = nights_of("CC", **told)
        own = nights_of("CC", made.FIRST_NIGHT + 2 * DAY, method_version="0.2", **told)
        found = titles((*first, *own), led((*first, *own)), settings=made.settings(method="0.2"))
        assert [title for title in found if "declared" in title] == [
            f"declared precision int4, then mxfp4, on 2026-11-22 (refined): first shown by {titled(first[0])}"
        ]


class TestGrowing:
    """Feeds over many nights."""

    def test_an_entry_never_changes(self):
        """Each further night adds entries before the ones there were, and changes no byte of these."""
        letters = "ABBCAUD"
        seen: list[bytes] = []
        for count in range(1, len(letters) + 1):
            grades = nights_of(letters[:count])
            found = [ET.tostring(each) for each in entries(rendered(made.material(grades=grades, windows=led(grades))))]
            assert found[len(found) - len(seen) :] == seen
            seen = found
        assert len(seen) == 5

    def test_holds_the_newest_and_says_so(self):
        """The site's feed has its newest 200 entries, a model's 50; the months of the endpoint have every change."""
        grades = nights_of("AB" * 120)
        of = made.material(grades=grades, windows=led(grades))
        for path, most in ((SITE, 200), (MODEL, 50)):
            found = entries(rendered(of, path))
            assert len(found) == most
            assert said(found[0], "updated").startswith(grades[-1].issued.isoformat())
            assert f"the newest {most}," in said(rendered(of, path), "subtitle")
        folder = f"models/{made.TREES}/alder/"
        views = made.views.render(of, made.TEMPLATES)
        pages = {path.removeprefix(folder): page for path, page in views if path.startswith(folder)}
        months = [name for name in pages if re.match(r"2\d{3}-\d\d/index", name)]
        told = "".join(made.page_text(pages[name]) for name in months)
        newest = re.findall(r"(2027-07)-\d\d [AB] 0\.1[^,]*, then", made.page_text(pages["index.html"]))
        assert told.count(", then ") > 200
        assert max(months) < "2027-07"
        assert told.count(", then ") + len(newest) == len(grades) - 1

    def test_of_many_models_the_newest_of_all(self):
        """The site's feed has the newest changes of all models; those of one day stand alphabetically."""
        count = MOST_REPORTED // 2 + 20
        one, two = (nights_of("AB" * count, model=model) for model in ("a/a", "b/b"))
        found = entries(rendered(made.material(grades=(*one, *two), windows=led((*one, *two)))))
        days = [one[-1 - place // 2].issued for place in range(MOST_REPORTED)]
        assert [said(entry, "updated")[:10] for entry in found] == [day.isoformat() for day in days]
        assert [said(entry, "title")[:3] for entry in found] == ["a/a", "b/b"] * (MOST_REPORTED // 2)

    def test_ids_stay_wherever_it_is_laid_out(self):
        """Under another base address every link moves, and no id does: not the feed's and no entry's."""
        grades = nights_of("ABA")
        own = made.material(grades=grades, windows=led(grades))
        moved = msgspec.structs.replace(own, settings=made.settings(address="http://localhost:8080/x/"))
        here, there = (rendered(each) for each in (own, moved))
        ids = [[element.text for element in each.iter(f"{ATOM}id")] for each in (here, there)]
        assert ids[0] == ids[1]
        assert len(set(ids[0])) == 3
        hrefs = [href for each in (there, *entries(there)) for rel, href in links(each) if rel != "license"]
        assert all(href is not None and href.startswith("http://localhost:8080/x/") for href in hrefs)

    def test_stands_at_the_address_of_the_settings(self):
        """The settings' own address is in every link; a port is no part of an id."""
        own = made.settings(address="http://localhost:8080/x/")
        grades = nights_of("AB")
        root = rendered(made.material(grades=grades, windows=led(grades), settings=own))
        (entry,) = entries(root)
        assert said(entry, "id").startswith("tag:localhost,2026-11-20:/x/grades/")
        hrefs = [href for each in (root, entry) for rel, href in links(each) if rel != "license"]
        assert all(href is not None and href.startswith("http://localhost:8080/x/") for href in hrefs)
