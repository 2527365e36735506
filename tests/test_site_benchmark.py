"""The site's benchmark compares like with like: the pages that Hugo builds are ours, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest
import site_material as made

from tests.benchmarks import site_records, site_theirs
from tests.benchmarks.site_split import split

FEW = 12


@pytest.fixture(scope="module")
def grades(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file of a few grades."""
    file = tmp_path_factory.mktemp("grades") / "grades.jsonl"
    site_records.write(file, 0, FEW)
    return file


class TestTheSamePages:
    def test_a_page_taken_apart_is_the_page(self, grades: Path):
        """Put together again from its literals and its values, each page is what was rendered."""
        apart = list(split([grades], made.ROOT / "templates"))
        whole = [made.permanent_page(grade, context) for grade, context in site_records.read(grades)]
        assert [page.whole() for page in apart] == whole
        assert len(apart[0].values) > 200

    def test_pages_of_another_form_are_refused(self, grades: Path, tmp_path: Path):
        """Where a page has another loop or condition than the first, the comparison is not made."""
        odd = tmp_path / "odd.jsonl"
        odd.write_bytes(grades.read_bytes().splitlines()[0].replace(b'"listings":1,', b'"listings":2,') + b"\n")
        with pytest.raises(ValueError, match="another form"):
            list(split([grades, odd], made.ROOT / "templates"))

    @pytest.mark.ci
    @pytest.mark.parametrize("who", [site_theirs.MARKDOWN, site_theirs.ADAPTER])
    def test_hugo_builds_them(self, grades: Path, tmp_path: Path, who: str):
        """Hugo's pages are ours, but that it writes '+' as a reference."""
        site_theirs.prepare(who, tmp_path / "hugo", [grades], made.ROOT / "templates")
        site_theirs.hugo(tmp_path / "hugo", 120, 0)
        for page in split([grades], made.ROOT / "templates"):
            built = (tmp_path / "hugo" / "out0" / page.path).read_bytes()
            assert built.replace(b"&#43;", b"+") == page.whole()
