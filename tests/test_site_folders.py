"""The folders that an address can be shortened to: each has a page, which counts what lies below it."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest
import site_material as made

from generator.records.grade import Grade
from generator.records.permalink import author_grades_path, author_path, grades_path, model_path, permalink_path
from generator.site import folders_view
from generator.site.build import is_permanent
from generator.site.interface import Material
from generator.site.library import arrange
from generator.site.text import visible_plain

ENDPOINT = grades_path(made.TREES, "alder") + "index.html"


def rendered(of: Material) -> dict[str, bytes]:
    """Return the pages of a material's folders."""
    return dict(folders_view.render(arrange(of), made.TEMPLATES))


def of_grades(*grades: Grade, **changes: Any) -> Material:
    """Return a material of these grades and no night."""
    kept = tuple(sorted(grades, key=lambda each: (each.model, each.endpoint, each.window_end, each.method_version)))
    plain = {"nights": (), "windows": (), "models": (), "explanations": {}, "differences": ()}
    return made.material(grades=kept, **(plain | changes))


def rows(page: bytes) -> list[tuple[str, ...]]:
    """Return the cells of each row of a page's table."""
    return [
        tuple(made.text_of(cell) for cell in row if cell.tag in {"th", "td"})
        for row in made.parsed(page).findall(".//tbody/tr")
    ]


class TestEveryFolderHasAPage:
    @pytest.mark.parametrize("name", ["live", "demo", "empty"])
    def test_above_every_model_and_every_grade(self, name: str):
        """Whatever is cut off the end of an address below models/ or grades/, a page is there."""
        files = made.sites()[name]
        below = [path for path in files if path.startswith(("models/", "grades/"))]
        folders = {path[: cut.end()] for path in below for cut in re.finditer("/", path)}
        assert {folder for folder in folders if f"{folder}index.html" not in files} == set()
        assert {"models/index.html", "grades/index.html"} <= set(files)

    def test_each_leads_one_step_down_and_all_the_way_up(self):
        """The rows of a folder's page lead to pages of the site, and its steps to the folders above."""
        files = made.sites()["live"]
        path = grades_path(made.TREES) + "index.html"
        tree = made.parsed(files[path])
        assert [link.get("href") for link in tree.findall(".//nav[@class='steps']//a")] == [
            "../../../index.html",
            "../../index.html",
            "../index.html",
        ]
        hrefs = [link.get("href") for link in tree.findall(".//tbody//a")]
        assert hrefs == [f"{name}/index.html" for name in ("alder", "birch", "cedar", "dogwood", "elm", "fir")]

    def test_before_the_first_night_there_is_nothing_below(self):
        """Both pages are there, and say that there is none."""
        pages = rendered(made.empty_material())
        assert set(pages) == {"models/index.html", "grades/index.html"}
        assert all("There is none yet." in made.page_text(page) for page in pages.values())


class TestCounts:
    def test_are_those_of_the_grades(self):
        """Author by author, model by model and endpoint by endpoint, every grade is counted once."""
        pages, grades = rendered(made.material()), made.history()
        trees = [each for each in grades if each.model == made.TREES]
        hostile = [each for each in grades if each.model == made.HOSTILE_MODEL]
        assert [row[1:] for row in rows(pages["grades/index.html"])] == [
            (str(1), str(len({each.endpoint for each in found})), str(len(found))) for found in (hostile, trees)
        ]
        assert rows(pages[author_grades_path(made.TREES) + "index.html"]) == [(made.TREES, "6", str(len(trees)))]
        for name, *cells in rows(pages[grades_path(made.TREES) + "index.html"]):
            own = [each for each in trees if name.startswith(f"{each.provider} ")]
            ends = [each.window_end.isoformat() for each in own]
            assert cells == [str(len(own)), min(ends), max(ends)], name

    def test_of_an_endpoint_are_by_version(self):
        """Each version stands with what it is now, newest first, and with its first and its last window."""
        page = rendered(made.material())[ENDPOINT]
        last, before = made.RECORDED[-1].isoformat(), made.RECORDED[-2].isoformat()
        assert rows(page) == [
            ("0.2", "candidate", "1", last, last),
            ("0.1", "current", "2", before, last),
            ("0.0", "superseded", "1", last, last),
        ]

    def test_an_endpoint_without_a_grade_is_counted_among_models_alone(self):
        """It has a page below models/ and no folder below grades/."""
        ungraded = made.material(grades=(), windows=(), models=(), explanations={}, differences=())
        pages = rendered(ungraded)
        assert [row[1:] for row in rows(pages["models/index.html"])] == [("1", "7"), ("1", "6")]
        assert [path for path in pages if path.startswith("grades/")] == ["grades/index.html"]


class TestAnEndpointsFolder:
    def test_leads_to_the_list_of_its_grades(self):
        """The list is on the endpoint's own page, under the id that the link names."""
        files = made.sites()["live"]
        hrefs = [link.get("href") for link in made.parsed(files[ENDPOINT]).findall(".//main//a")]
        assert f"../../../../{model_path(made.TREES)}alder/index.html#grades" in hrefs
        listed = made.parsed(files[f"{model_path(made.TREES)}alder/index.html"])
        assert listed.find(".//h2[@id='grades']") is not None

    def test_does_not_grow_with_nights(self):
        """Three windows or nine make the same page but for a count and a date."""
        sizes = []
        for count in (3, 9):
            grades = (made.grade(nights=(end,), issued=end) for end in made.NIGHTS[:count])
            sizes.append(len(rendered(of_grades(*grades))[ENDPOINT]))
        assert sizes[0] == sizes[1]


class TestNames:
    def test_strangers_names_are_read_as_they_are(self):
        """A hostile model and provider stand on the pages of their folders, whole and escaped."""
        pages = rendered(made.material())
        assert visible_plain(made.HOSTILE_MODEL) in made.page_text(
            pages[author_path(made.HOSTILE_MODEL) + "index.html"]
        )
        said = made.page_text(pages[grades_path(made.HOSTILE_MODEL) + "index.html"])
        assert visible_plain(made.HOSTILE_PROVIDERS[0]) in said

    def test_a_model_without_an_author_comes_last(self):
        """Its folder is no author's, and is called what it is."""
        pages = rendered(of_grades(made.grade(model="alone"), made.grade(model="zebra/stripes")))
        assert [row[0] for row in rows(pages["grades/index.html"])] == ["zebra", "without an author"]
        assert "grades/_/alone/alder/index.html" in pages

    @pytest.mark.parametrize("name", ["v1.0", "2026-11-27"])
    def test_a_name_like_a_version_or_a_date_makes_no_permanent_page_of_a_folder(self, name: str):
        """Only the page of a grade is permanent, whatever author, model and endpoint are called."""
        grade = msgspec.structs.replace(made.grade(), model=f"{name}/{name}", endpoint=name)
        pages = rendered(of_grades(grade))
        assert f"grades/{name}/{name}/{name}/index.html" in pages
        assert [path for path in pages if is_permanent(path)] == []
        permanent = permalink_path(grade.model, grade.endpoint, grade.window_end, "0.1")
        assert is_permanent(f"{permanent}index.html")
        assert is_permanent(f"{permanent}grade.json")
