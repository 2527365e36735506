"""What a shared address is shown with: OpenGraph, and one picture for each letter."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import browsing
import og_pictures
import pytest
import site_material as made
from site_heads import ADDRESS, GRADES, LIVE, SITES, head, lies, metas

from generator.errors import ContentError
from generator.records.grade import Grade, Letter
from generator.records.reading import LETTER_WORDS, short_form
from generator.site import pictures
from generator.site.citation import named
from generator.site.templates import load


class TestOpenGraph:
    """'OpenGraph with one picture per letter'."""

    @pytest.mark.parametrize(("site", "grade"), GRADES)
    def test_the_letter_is_never_shown_alone(self, site: str, grade: Grade):
        """Wherever the picture is shown, title and alternative text give version and columns; it is its letter's."""
        of = head(site, grade)
        said, name = metas(of, "property"), named(grade, SITES[site].settings)
        assert said["og:type"] == "article"
        assert said["og:site_name"] == SITES[site].settings.title
        assert said["og:url"] == name.permalink
        assert said["og:title"].endswith(f": {short_form(grade)}, provisional" + _standing(site, grade))
        assert said["og:description"] == f"{name.title}: {name.result}."
        assert said["og:image"] == f"{ADDRESS}og/{grade.letter}.png"
        assert lies(site, said["og:image"])
        assert (said["og:image:width"], said["og:image:height"]) == ("1200", "630")
        assert said["og:image:type"] == "image/png"
        assert said["og:image:alt"].startswith(name.result)
        assert metas(of, "name")["twitter:card"] == "summary"

    def test_every_letter_is_seen(self):
        """All five letters are among these grades."""
        assert {grade.letter for grade in LIVE.grades} == set(Letter)


def _standing(site: str, grade: Grade) -> str:
    candidate = ", candidate" if grade.method_version in SITES[site].settings.candidates else ""
    return candidate + (", replayed" if site == "demo" else "")


class TestPictures:
    """One PNG for each letter, as `tests/og_pictures.py` draws it."""

    @pytest.mark.parametrize("letter", Letter)
    def test_is_a_png_of_the_size_that_is_named(self, letter: Letter):
        """1200 by 630 pixels, whole, and small; drawn from the markup that stands here now."""
        png = made.sites()["live"][pictures.picture_path(letter)]
        parts = dict(og_pictures.chunks(png))
        width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", parts[b"IHDR"])
        assert (width, height, interlaced) == (og_pictures.WIDTH, og_pictures.HEIGHT, 0)
        data = zlib.decompress(b"".join(content for kind, content in og_pictures.chunks(png) if kind == b"IDAT"))
        channels = {2: 3, 6: 4}[colour]
        assert len(data) == height * (1 + width * channels * depth // 8)
        assert len(png) < 60_000
        assert parts[b"tEXt"] == og_pictures.SOURCE + b"\x00" + og_pictures.digest(letter).encode()

    def test_no_two_are_alike(self):
        """Each letter has its own, and they are the only pictures of the site."""
        files = made.sites()["live"]
        found = {path: files[path] for path in files if path.startswith("og/")}
        assert len(set(found.values())) == len(found) == len(Letter)

    @pytest.mark.browser
    def test_what_it_says(self):
        """The letter, its word, and that the rest of the grade stands on the page; all within the middle square."""
        with browsing.chromium() as browser:
            for letter in Letter:
                page = browser.new_page(viewport={"width": og_pictures.WIDTH, "height": og_pictures.HEIGHT})
                page.set_content(og_pictures.markup(letter))
                assert page.inner_text("body").split("\n\n") == [
                    "bitdepth",
                    letter,
                    LETTER_WORDS[letter],
                    "One grade of one endpoint. Its four columns, method version and window stand on its page.",
                ]
                for box in (each.bounding_box() for each in page.query_selector_all("p")):
                    assert box is not None
                    assert box["x"] >= (og_pictures.WIDTH - og_pictures.HEIGHT) / 2
                    assert box["x"] + box["width"] <= (og_pictures.WIDTH + og_pictures.HEIGHT) / 2
                    assert box["y"] + box["height"] <= og_pictures.HEIGHT
                page.close()

    def test_a_roots_own_picture_wins(self, tmp_path: Path):
        """A root may have its own; one that is missing is named with where it was looked for."""
        (tmp_path / "og").mkdir()
        (tmp_path / "og" / "A.png").write_bytes(b"ours")
        assert load([tmp_path, made.ROOT / "templates"]).picture("A.png") == b"ours"
        with pytest.raises(ContentError, match=rf"'B\.png', found none in {tmp_path}"):
            load([tmp_path]).picture("B.png")
