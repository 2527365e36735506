"""Grades and pages that are read as they are needed: all of them, in order, and not all of them in memory."""

from __future__ import annotations

from pathlib import Path

import kept_site
import pyarrow as pa
import pytest

from generator.archive import codec, schema
from generator.errors import IntegrityError, MissingFileError
from generator.workflows.held_grades import held_grades
from generator.workflows.rendering import render
from generator.workflows.site_material import holding
from generator.workflows.world import Root

PAGES = [(f"grades/{number:04}/index.html", f"page {number}".encode() * 50) for number in range(200)]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Root:
    """Return a root whose nights are graded."""
    return kept_site.make_root(tmp_path_factory.mktemp("held"), 9, rendered=False)


class TestHeldGrades:
    def test_every_grade_as_often_as_it_is_asked_for(self, root: Root):
        """Every grade that has its page comes once, by model, endpoint, window end and version, each time again."""
        store = root.store.grades
        every = [grade for end in store.windows("0.1") for grade in store.get("0.1", end)]
        kept = sorted(every, key=lambda g: (g.model, g.endpoint, g.window_end, g.method_version))
        with held_grades(root) as grades:
            assert list(grades) == kept
            assert list(grades) == kept

    def test_of_one_endpoint(self, root: Root):
        """An endpoint's grades are those of its name, and none where there is no such endpoint."""
        with held_grades(root) as grades:
            for endpoint in kept_site.ENDPOINTS:
                of = grades.of(kept_site.MODEL, endpoint)
                assert list(of) == [grade for grade in grades if grade.endpoint == endpoint]
            assert grades.of(kept_site.MODEL, "none") == ()

    def test_prompts_and_listings_are_read_when_they_are_asked_for(self, root: Root):
        """They are those of the archive, each time again, and no raw listing is among them."""
        with holding(root, root.content.settings()) as material:
            first, *_ = material.nights
            kept = root.store.nights.table(first.record, "listings").num_rows
            assert len(first.endpoints) == len(tuple(first.endpoints)) == kept > 0
            assert {each.raw for each in first.endpoints} == {""}
            assert [each.prompt_id for each in first.prompts] == sorted(each.prompt_id for each in first.prompts)
            assert first.prompts[0] == next(iter(first.prompts)) == first.prompts[:1][0]


class TestPagesOneByOne:
    def test_all_of_them_in_order(self):
        """Every page of a file is yielded as it was kept, sorted by path."""
        data = codec.parquet_bytes(codec.pages_table(reversed(PAGES)))
        assert list(codec.each_page(data, where="x")) == PAGES

    def test_what_is_no_pages_file_is_named(self):
        """Bytes that are no Parquet, or Parquet with other columns, are refused by name."""
        other = codec.parquet_bytes(pa.Table.from_pylist([], schema=schema.PROMPTS))
        for data in (b"", b"PAR1", other):
            with pytest.raises(IntegrityError, match="in pages/x"):
                list(codec.each_page(data, where="pages/x"))

    def test_a_flipped_bit_of_a_page_is_found(self):
        """With a bit flipped in its data, a file yields its pages or is refused, and never yields other pages."""
        data = codec.parquet_bytes(codec.pages_table(PAGES))
        refused = 0
        for place in range(4, len(data) // 2, 7):
            broken = bytearray(data)
            broken[place] ^= 4
            try:
                assert list(codec.each_page(bytes(broken), where="x")) == PAGES
            except IntegrityError:
                refused += 1
        assert refused > 0


class TestAKeptFileThatIsGone:
    @pytest.mark.parametrize("name", ["archive/pages/0.1/2026-03-07.parquet", "archive/pages/methods/0.1.html"])
    def test_the_build_fails_although_its_pages_are_laid_out(self, tmp_path: Path, name: str):
        """'The build fails, naming the page, if a permanent page would ... go missing': kept bytes gone are named."""
        made = kept_site.make_root(tmp_path / "root", 7)
        (made.path / name).unlink()
        with pytest.raises(MissingFileError, match=Path(name).name):
            render(made, progress=kept_site.Silent())
