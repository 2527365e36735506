"""Addresses between pages: relative, and the same as the file system's."""

from __future__ import annotations

import posixpath
from urllib.parse import quote, urljoin

from hypothesis import given
from hypothesis import strategies as st

from generator.site.links import Links

FOLDERS = st.lists(st.sampled_from(["a", "b", "grades", "a b", "x%2"]), max_size=5)
NAMES = st.sampled_from(["index.html", "grade.json", "feed.xml"])
PATHS = st.builds(lambda folders, name: "/".join((*folders, name)), FOLDERS, NAMES)


class TestAddressesAreRelative:
    @given(PATHS, PATHS)
    def test_as_short_as_can_be(self, page: str, path: str):
        """An address climbs no further than to the folder that both share."""
        expected = posixpath.relpath(f"/{path}", posixpath.dirname(f"/{page}"))
        assert Links(page).file(path) == quote(expected)

    @given(PATHS, PATHS)
    def test_a_browser_arrives(self, page: str, path: str):
        """Followed from the page, an address leads to the file."""
        base = "https://bitdepth.example/site/"
        assert urljoin(base + quote(page), Links(page).file(path)) == base + quote(path)

    @given(PATHS, PATHS)
    def test_of_a_page_served_at_any_depth(self, page: str, path: str):
        """A page with the site's path on its host refers to everything from there."""
        assert Links(page, absolute="/of/").file(path) == quote(f"/of/{path}")

    def test_a_fragment_is_quoted(self):
        """A fragment stands after the address, percent-encoded, from near and from far."""
        assert Links("a/index.html").file("b/index.html", "x y") == "../b/index.html#x%20y"
        assert Links("a/b/index.html").file("a/index.html", "x y") == "../index.html#x%20y"
