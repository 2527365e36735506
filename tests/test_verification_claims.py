"""What pages that change say of permanent ones, and what their words are held against."""

from __future__ import annotations

import pytest

from generator.records.finding import FindingKind
from generator.verification.claims import (
    Claim,
    Shown,
    badge_version,
    check_badge,
    check_claims,
    check_picture,
    check_titles,
    claims,
    titles,
)
from generator.verification.findings import Findings
from generator.verification.page_words import check_keys, check_place, check_says, check_whole

FOLDER = "grades/a/b/c/2026-03-08/v0.1/"
SHORT = "D 0.1 · M D T A D B R B"
SHOWN = Shown(letter="D", short=SHORT)
MESSAGE = f"{SHORT} · provisional · to 2026-03-08"
KEY = "kept.example/log+0123abcd+" + "A" * 44


def found(findings: Findings) -> list[tuple[FindingKind, str, str]]:
    """Return kind, expected and found of each finding."""
    return [(each.kind, each.expected, each.found) for each in findings.report().findings]


class TestLinks:
    @pytest.mark.parametrize(
        ("page", "address"),
        [
            ("index.html", FOLDER),
            ("index.html", f"{FOLDER}index.html"),
            ("index.html", f"./{FOLDER}#match"),
            ("models/a/b/c/index.html", f"../../../../{FOLDER}index.html?x=1"),
            ("grades/a/b/c/2026-03-08/index.html", "v0.1/index.html"),
            ("grades/a/b/c/2026-03-07/index.html", "../2026-03-08/v0.1/"),
            ("404.html", f"/{FOLDER}"),
            ("404.html", f"/below/{FOLDER}"),
            ("feed.xml", f"https://kept.example/{FOLDER}"),
            ("feed.xml", f"https://kept.example/below/{FOLDER}index.html"),
            ("index.html", "gr%61des/a/b/c/2026-03-08/v0.1/"),
            ("index.html", "grades/a/b/c/2026-03-08/v0&#46;1/"),
        ],
    )
    def test_a_permanent_page_is_known_however_it_is_linked(self, page: str, address: str):
        """From its own folder, from the host, in full, escaped, with or without its file's name."""
        assert list(claims(page, f'<p><a class="x" href="{address}">the page</a>'.encode())) == [Claim(path=FOLDER)]

    @pytest.mark.parametrize("address", ["grades/a/b/c/2026-03-08/", "method/0.1/", "mailto:x@y.example", "#a", ""])
    def test_any_other_link_is_none(self, address: str):
        """Indexes, methods, addresses of nobody's."""
        assert list(claims("index.html", f'<a href="{address}">x</a>'.encode())) == []

    def test_a_letter_and_a_short_form_beside_a_link_are_read(self):
        """As pages mark a letter, and as feeds write a grade."""
        body = f'<a href="{FOLDER}"><span class="mark D">D</span></a> <a href="{FOLDER}">{SHORT}</a>'
        assert list(claims("index.html", body.encode())) == [
            Claim(path=FOLDER, letter="D"),
            Claim(path=FOLDER, short=SHORT),
        ]

    def test_feeds_and_sitemaps_are_read(self):
        """An entry's HTML is written as text; a sitemap has addresses alone."""
        entry = (
            f'<?xml version="1.0"?><content type="html">&lt;a href="https://x/{FOLDER}"&gt;{SHORT}&lt;/a&gt;</content>'
        )
        assert list(claims("feed.xml", entry.encode())) == [Claim(path=FOLDER, short=SHORT)]
        listed = f'<?xml version="1.0"?><loc>https://x/{FOLDER}</loc><link rel="alternate" href="https://x/about/" />'
        assert list(claims("sitemaps/1.xml", listed.encode())) == [Claim(path=FOLDER)]


class TestClaims:
    def test_what_the_log_holds_as_shown_is_no_finding(self):
        """The linked pages are returned; a record that was not read says nothing of a letter."""
        findings = Findings()
        said = [Claim(path=FOLDER, letter="D"), Claim(path=FOLDER, short=SHORT), Claim(path=FOLDER)]
        assert check_claims("x", iter(said), {FOLDER: SHOWN}, findings) == {FOLDER}
        assert check_claims("x", iter([Claim(path=FOLDER, letter="A")]), {FOLDER: None}, findings) == {FOLDER}
        assert found(findings) == []

    def test_a_page_that_the_log_does_not_hold_is_named_once(self):
        """However often it is linked."""
        findings = Findings()
        check_claims("x", iter([Claim(path=FOLDER), Claim(path=FOLDER)]), {}, findings)
        ((kind, _, path),) = found(findings)
        assert (kind, path) == (FindingKind.UNEXPECTED, FOLDER)

    def test_another_letter_or_short_form_is_named(self):
        """With what the record says."""
        findings = Findings()
        said = [Claim(path=FOLDER, letter="A"), Claim(path=FOLDER, short=SHORT.replace("D 0", "A 0"))]
        check_claims("x", iter(said), {FOLDER: SHOWN}, findings)
        assert [expected for _, expected, _ in found(findings)] == ["the letter D", f"the letter {SHORT}"]


def entry(title: str, mark: str = "letter", before: str = "") -> bytes:
    """Return a feed of one entry."""
    related = f'<link rel="related" href="https://x/{before}" />' if before else ""
    return (
        f"<feed><title>kept</title><entry><id>tag:x,2026:/{FOLDER}#{mark}</id><title>{title}</title>"
        f'<link rel="alternate" href="https://x/{FOLDER}" />{related}</entry></feed>'
    ).encode()


EARLIER = FOLDER.replace("-08", "-07")
KNOWN = {FOLDER: SHOWN, EARLIER: Shown(letter="A", short="A 0.1 · M A T A D A R A"), "unread/": None}


class TestTitles:
    def test_a_change_of_letter_shows_both_grades(self):
        """The one before is related to the entry."""
        findings = Findings()
        good = entry(f"a at b: A 0.1 · M A T A D A R A (provisional), then {SHORT} (provisional)", before=EARLIER)
        check_titles("feed.xml", titles(good), KNOWN, findings)
        assert found(findings) == []
        bad = entry(f"a at b: B 0.1 · M A T A D A R A (provisional), then {SHORT}", before=EARLIER)
        check_titles("feed.xml", titles(bad), KNOWN, findings)
        assert [expected for _, expected, _ in found(findings)] == ["a title with A 0.1 · M A T A D A R A"]

    def test_a_change_of_precision_shows_the_first_grade_alone(self):
        """The one before is related too, and no part of the title."""
        findings = Findings()
        body = entry(f"a at b: fp8, then absent: first shown by {SHORT}", "declared-2026-03-08", EARLIER)
        check_titles("feed.xml", titles(body), KNOWN, findings)
        check_titles("feed.xml", titles(body), {}, findings)
        assert found(findings) == []

    def test_an_entry_without_a_grade_has_nothing_to_show(self):
        """A method version that became current."""
        assert list(titles(b'<entry><title>0.2</title><link href="https://x/method/0.2/" /></entry>')) == []


class TestBadges:
    @pytest.mark.parametrize(
        ("message", "version"),
        [
            (MESSAGE, "0.1"),
            ("no grade under method version 0.2 yet", "0.2"),
            ("no grade under method version 0.2 yet · no longer listed, last night 2026-03-01", "0.2"),
            ("passing", None),
        ],
    )
    def test_a_message_names_its_version(self, message: str, version: str | None):
        """Graded or not."""
        assert badge_version(message) == version

    @pytest.mark.parametrize(
        ("message", "newest", "sound"),
        [
            (MESSAGE, ("2026-03-08", SHOWN), True),
            (MESSAGE.replace("-08", "-07"), ("2026-03-08", SHOWN), False),
            (MESSAGE.replace("D 0.1", "A 0.1"), ("2026-03-08", SHOWN), False),
            (MESSAGE.replace("R B", "R A"), ("2026-03-08", SHOWN), False),
            (MESSAGE, None, False),
            ("no grade under method version 0.1 yet", None, True),
            ("no grade under method version 0.1 yet", ("2026-03-08", SHOWN), False),
        ],
    )
    def test_a_badge_is_of_the_newest_grade(self, message: str, newest: tuple[str, Shown] | None, *, sound: bool):
        """Letter, columns and window; or of none, where there is none."""
        findings = Findings()
        check_badge("x", message, newest, findings)
        assert (found(findings) == []) is sound

    @pytest.mark.parametrize(
        ("name", "title", "drawn", "sound"),
        [
            (MESSAGE, MESSAGE, f"kept<text>D</text>{MESSAGE[1:]}", True),
            (MESSAGE, MESSAGE, f"kept<text>A</text>{MESSAGE[1:]}", False),
            (MESSAGE, "A", f"kept{MESSAGE}", False),
            ("A", MESSAGE, f"kept{MESSAGE}", False),
        ],
    )
    def test_a_picture_says_what_its_machine_form_says(self, name: str, title: str, drawn: str, *, sound: bool):
        """In its name, in its title, and as it is drawn."""
        findings = Findings()
        check_picture("x", f'<svg aria-label="{name}"><title>{title}</title>{drawn}</svg>'.encode(), MESSAGE, findings)
        assert (found(findings) == []) is sound


class TestWords:
    @pytest.mark.parametrize(
        ("body", "sound"), [(b"<p></html>\n", True), (b"<p></feed>", True), (b"<p>", False), (b"", False)]
    )
    def test_what_is_cut_short_is_named(self, body: bytes, *, sound: bool):
        """Pages, feeds and sitemaps have an end."""
        findings = Findings()
        check_whole("x", body, findings)
        assert (found(findings) == []) is sound

    @pytest.mark.parametrize(
        ("path", "address", "sound"),
        [
            ("index.html", "https://x/", True),
            ("index.html", "https://x/below/", True),
            ("about/index.html", "https://x/below/about/", True),
            ("about/index.html", "https://x/log/", False),
            ("about/index.html", "https://x/", False),
        ],
    )
    def test_a_page_lies_where_it_says(self, path: str, address: str, *, sound: bool):
        """Wherever the site begins on its host; a page that gives no address says nothing."""
        findings = Findings()
        check_place("x", path, f'<link rel="canonical" href="{address}"></html>'.encode(), findings)
        check_place("x", path, b"<p></html>", findings)
        assert (found(findings) == []) is sound

    def test_a_digest_that_is_not_printed_is_named(self):
        """Each by itself."""
        findings = Findings()
        check_says("x", b"<p>abc", ("abc", "def"), findings)
        assert [expected for _, expected, _ in found(findings)] == ["a page that prints def"]

    def test_the_keys_of_the_log_are_printed_and_no_other(self):
        """A reader compares them with what somebody else has."""
        findings = Findings()
        check_keys("x", f"<li>{KEY}</li>".encode(), {KEY}, findings)
        assert found(findings) == []
        check_keys("x", f"<li>{KEY.replace('0123', '9999')}</li>".encode(), {KEY}, findings)
        assert {kind for kind, _, _ in found(findings)} == {FindingKind.MISSING, FindingKind.UNEXPECTED}
