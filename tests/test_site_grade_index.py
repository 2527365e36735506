"""The page of all versions of a grade: what became of it after it was issued."""

from __future__ import annotations

import site_material as made
from site_heads import ADDRESS, LICENCE, SCHEMA, expanded, head_of, index_path, links, values

from generator.site.interface import GradedWindow


class TestGradeIndex:
    """'lists every version newest first, marks the current, says re-grades, and void nights later than its issue'."""

    def test_head_names_every_version(self):
        """The permanent pages are its items and its collection; the latest is the current version's."""
        grade = made.current_alder()
        of = head_of(made.sites()["live"][index_path(grade)])
        address = ADDRESS + index_path(grade).removesuffix("index.html")
        found = links(of)
        pages = [f"{address}v{version}/" for version in ("0.1", "0.2", "0.0")]
        assert found["canonical"] == [(address, None)]
        assert found["item"] == [(page, "text/html") for page in pages]
        assert found["latest-version"] == [(f"{address}v0.1/", "text/html")]
        assert "cite-as" not in found
        node = expanded(of)
        assert (node["@type"], node["@id"]) == ([SCHEMA + "CollectionPage"], address)
        assert values(node, "hasPart") == pages
        assert values(node, "license") == [LICENCE]

    def test_no_latest_where_the_current_version_graded_nothing(self):
        """A window that the current version has not graded has no latest version."""
        only = made.material(grades=(made.grade(method_version="0.0"),), windows=())
        of = head_of(made.site(only)[index_path(made.grade())])
        assert "latest-version" not in links(of)
        assert len(links(of)["item"]) == 1

    def test_a_night_declared_void_afterwards(self):
        """Each grade that counts a night that is void now says so, with day and reason; others do not."""
        said = made.page_text(made.sites()["live"][index_path(made.current_alder())])
        note = (
            "A night of its window was declared void afterwards: 2026-11-20, on 2026-11-30: "
            "the clock of the probing host was wrong. This grade stays as it was issued"
        )
        assert said.count(note) == 3
        later = made.grade(nights=made.RECORDED[2:])
        files = made.site(made.material(grades=(later,), windows=()))
        assert "declared void afterwards" not in made.page_text(files[index_path(later)])

    def test_a_regrade_says_so(self):
        """A version that graded the window after another says so; one that graded it beside another does not."""
        of = made.current_alder()
        windows = (
            GradedWindow(method_version="0.0", window_end=of.window_end, was_current=True, regrade=False),
            GradedWindow(method_version="0.1", window_end=of.window_end, was_current=True, regrade=True),
            GradedWindow(method_version="0.2", window_end=of.window_end, was_current=False, regrade=False),
        )
        said = made.page_text(made.site(made.material(windows=windows))[index_path(of)])
        assert said.count("A re-grade: another version had graded this window before.") == 1
        current = said.partition("Method version 0.1, current")[2].partition("Method version 0.2, candidate")[0]
        assert "A re-grade" in current

    def test_each_version_has_its_own_nights(self):
        """Versions may count different nights: each says how many, and from which to which."""
        said = made.page_text(made.sites()["live"][index_path(made.current_alder())])
        assert said.count("Nights 7 recorded, 2026-11-20 to 2026-11-27") == 3
