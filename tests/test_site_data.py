"""The data page and its files: laid out as they lie in the archive, listed with their digests, read as printed."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import partial
from html.parser import HTMLParser
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import kept_site
import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import site_material as made
from browsing import serving

from generator.archive import layout
from generator.errors import IntegrityError
from generator.method.reference import reference
from generator.records.canonical import canonical_json, sealed, sha256
from generator.records.data_file import DATA, DataFile
from generator.records.definition import ReferenceRule
from generator.records.night import VoidRecord
from generator.site import build, data_examples, data_view, night_list_view, views
from generator.site.build import is_permanent
from generator.site.data_examples import Graded
from generator.site.data_view import in_words
from generator.site.interface import Shelf
from generator.site.library import arrange
from generator.site.night_list_view import MOST_TOGETHER
from generator.site.prose import to_html
from generator.workflows.rendering import permanent_files, render, shelves
from generator.workflows.verifying import verify
from generator.workflows.world import Root

NIGHTS = 8
VOIDED = kept_site.FIRST + timedelta(days=2)
SILENT = kept_site.Silent()


def declare_void(root: Root, night: date) -> None:
    """Declare a recorded night void."""
    record = VoidRecord(
        format=1, night=night, reason="the clock was wrong", declared_at=datetime(2026, 4, 1, tzinfo=UTC), seal=""
    )
    root.store.folder.create(layout.void_file(night), canonical_json(sealed(record)))


def laid(root: Root) -> dict[str, bytes]:
    """Return every file below data/ of a root's site, by its path there."""
    folder = root.site / "data"
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def kept(root: Root) -> dict[str, bytes]:
    """Return every file of a root's nights, grades and pages, and of the method graded under, by its path there."""
    names = [name for name in root.store.folder.names() if name.startswith(("nights/", "grades/", "pages/"))]
    definition, prose = root.content.method_files("0.1")
    methods = {"methods/0.1.toml": definition, "methods/0.1.md": prose}
    return {name: root.store.folder.read(name) for name in names} | methods


class Printed(HTMLParser):
    """The texts that a page prints to be run, by the id of the heading above each, and its links."""

    def __init__(self, page: str) -> None:
        """Read a page."""
        super().__init__()
        self.texts: dict[str, str] = {}
        self.links: list[str] = []
        self._heading = ""
        self._inside = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note where a text begins, and each link."""
        named = dict(attrs)
        if tag in {"h2", "h3"}:
            self._heading = named["id"] or ""
        self._inside = tag == "pre"
        if tag == "a":
            self.links.append(named["href"] or "")

    def handle_data(self, data: str) -> None:
        """Take a text."""
        if self._inside:
            self.texts[self._heading] = self.texts.get(self._heading, "") + data


class Served:
    """A root that is served at the address that its pages name, and a copy of its data made as its page says."""

    def __init__(self, root: Root, copy: Path, fetched: subprocess.CompletedProcess[str]) -> None:
        """Hold both."""
        self.root = root
        self.copy = copy
        self.fetched = fetched
        self.page = Printed((root.site / "data/index.html").read_text())

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the folder of the copy."""
        return run_in(self.copy, *command)


def run_in(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder; nothing but loopback is asked through no proxy."""
    own = {**os.environ, "no_proxy": "127.0.0.1", "NO_PROXY": "127.0.0.1", "LC_ALL": "C"}
    return subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Yield a root of eight nights, one of them declared void since, served where its pages say."""
    path = tmp_path_factory.mktemp("served")
    root = kept_site.make_root(path / "root", NIGHTS, rendered=False)
    declare_void(root, VOIDED)
    root.site.mkdir()
    with serving(root.site) as address:
        toml = kept_site.SITE_TOML.replace("https://kept.example/", address)
        (root.path / "content/site.toml").write_text(toml)
        render(root, progress=SILENT)
        copy = path / "copy"
        copy.mkdir()
        text = Printed((root.site / "data/index.html").read_text()).texts["copy"]
        yield Served(root, copy, run_in(copy, "sh", "-eu", "-c", text))


@pytest.fixture(scope="module")
def laid_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a laid-out root of two nights, which is only copied."""
    return kept_site.make_root(tmp_path_factory.mktemp("laid") / "root", 2).path


class TestEveryFileIsThere:
    """A night's files and a window's grades lie under data/ as in the archive, byte for byte."""

    def test_with_the_archives_bytes_and_under_its_paths(self, served: Served):
        """Nothing of nights, grades, pages and methods is missing, and nothing is added but what describes them."""
        found, archive = laid(served.root), kept(served.root)
        assert {name: found.get(name) for name in archive} == archive
        assert {name for name in found if name not in archive} == {
            *("index.html", "format/index.html", "FORMAT.md", "files.json", "SHA256SUMS", "croissant.json"),
            "schema/grade.json",
        }
        assert f"nights/{VOIDED}/void.json" in archive
        assert all(is_permanent(DATA + name) == (name in archive) for name in found)

    def test_listed_with_digest_size_and_kind(self, served: Served):
        """files.json has each file once, sorted by path, with what its bytes say."""
        listed = json.loads(laid(served.root)["files.json"])
        files = msgspec.convert(listed["files"], list[DataFile])
        archive = kept(served.root)
        assert [file.path for file in files] == sorted(archive)
        for file in files:
            assert (file.sha256, file.bytes) == (sha256(archive[file.path]), len(archive[file.path]))
            assert file.night is None or file.night.isoformat() in file.path
            assert (file.night is None) == ("methods/" in file.path)
            assert (file.method_version is None) == file.path.startswith("nights/")
            assert file.kind in file.path or file.kind == "manifest"
        assert Counter(file.kind for file in files) == {
            **dict.fromkeys(("night", "observations", "listings", "prompts", "context", "grades"), NIGHTS),
            "void": 1,
            "methods": 2,
            "pages": NIGHTS + 1,
            "manifest": 2 * NIGHTS + 1,
        }
        assert listed["address"].startswith("http://127.0.0.1:")
        assert listed["license"] == "https://creativecommons.org/licenses/by/4.0/"

    def test_summed_with_the_format(self, served: Served):
        """SHA256SUMS has each file once, and the description of all of them, sorted by path."""
        files = {**kept(served.root), "FORMAT.md": laid(served.root)["FORMAT.md"]}
        lines = [f"{sha256(data)}  {name}" for name, data in sorted(files.items())]
        assert laid(served.root)["SHA256SUMS"].decode().splitlines() == lines

    def test_holds_nothing_of_the_machine(self, served: Served):
        """No path, host or user of where it was made stands in a file, packed or unpacked."""
        names = {str(served.root.path), str(Path.home()), socket.gethostname(), sys.prefix}
        private = {name for name in names if len(name) > 3}  # Shorter ones stand in packed bytes by chance.
        for name, data in laid(served.root).items():
            words = [data.decode("latin-1")]
            if name.endswith(".parquet"):
                file = pq.ParquetFile(served.root.site / DATA / name)
                words += [str(file.metadata), str(file.schema_arrow.metadata), str(file.read().to_pylist())]
            assert not [word for word in private for text in words if word in text], name

    def test_is_what_verification_expects(self, served: Served):
        """A byte that changes in a laid-out file is found, and nothing else is."""
        target = served.root.site / DATA / f"nights/{VOIDED}/listings.parquet"
        data = target.read_bytes()
        target.write_bytes(data[:-9] + b"X" + data[-8:])
        try:
            (finding,) = verify(served.root, progress=SILENT).findings
        finally:
            target.write_bytes(data)
        assert finding.where == f"site/data/nights/{VOIDED}/listings.parquet"


class TestLaidOutOnce:
    """Files stay in place, and are not read again while nothing says that they changed."""

    @pytest.fixture
    def root(self, laid_out: Path, tmp_path: Path) -> Root:
        """Return a copy of it; its files keep their times."""
        shutil.copytree(laid_out, tmp_path / "root")
        return Root(tmp_path / "root")

    @staticmethod
    def opened(root: Root) -> list[str]:
        """Lay out the permanent files again, none of them new; return the names of the shelves that are read for it."""
        names: list[str] = []

        def noted(shelf: Shelf) -> Iterable[tuple[str, bytes]]:
            names.append(shelf.name)
            return shelf.files()

        noting = (msgspec.structs.replace(shelf, files=partial(noted, shelf)) for shelf in shelves(root))
        assert build.lay_out(root.site, noting, ()).permanent_new == 0
        return names

    def test_a_second_build_reads_nothing_of_it(self, root: Root):
        """Every shelf is recorded as laid out."""
        assert self.opened(root) == []

    def test_a_file_that_was_touched_is_held_against_the_archive(self, root: Root):
        """The touched night is read, the other one is not; its bytes were the same, and it stays."""
        os.utime(root.site / DATA / "nights/2026-03-01/context.parquet", ns=(1, 1))
        assert self.opened(root) == ["nights/2026-03-01/night.json"]

    def test_a_declaration_is_added_beside_its_night(self, root: Root):
        """void.json comes alone: the files of its night were laid out before and stay."""
        before = laid(root)
        declare_void(root, kept_site.FIRST)
        assert render(root, progress=SILENT).permanent_new == 1
        after = laid(root)
        assert {name for name in after if name not in before} == {"nights/2026-03-01/void.json"}
        assert {name for name in before if is_permanent(DATA + name) and after[name] != before[name]} == set()

    def test_a_definition_that_is_not_the_one_graded_under_is_not_laid_out(self, root: Root):
        """Who changes a method's prose changes the method: the digest in its page's manifest no longer holds."""
        shutil.rmtree(root.site)
        (root.path / "content/methods").mkdir()
        for path, data in zip(("0.1.toml", "0.1.md"), root.content.method_files("0.1"), strict=True):
            (root.path / "content/methods" / path).write_bytes(data + b"\n" * path.endswith(".md"))
        with pytest.raises(IntegrityError, match="expected SHA-256"):
            list(permanent_files(root))

    @pytest.mark.parametrize(
        "name",
        ["nights/2026-03-01/prompts.parquet", "grades/0.1/2026-03-02.parquet", "pages/0.1/2026-03-02.parquet"],
    )
    def test_a_file_that_is_not_as_it_was_sealed_is_not_laid_out(self, root: Root, name: str):
        """A byte that changed in the archive is refused by its digest, also where nothing lies in the site yet."""
        shutil.rmtree(root.site)
        target = root.path / "archive" / name
        data = target.read_bytes()
        target.write_bytes(data[:-9] + bytes([data[-9] ^ 1]) + data[-8:])
        with pytest.raises(IntegrityError, match="expected SHA-256"):
            render(root, progress=SILENT)
        assert not (root.site / DATA / name).exists()

    def test_a_laid_out_file_with_other_bytes_is_never_replaced(self, root: Root):
        """The build stops, names it, and leaves it."""
        target = root.site / DATA / "nights/2026-03-02/night.json"
        target.write_bytes(b"{}!")
        with pytest.raises(IntegrityError, match="found other bytes"):
            render(root, progress=SILENT)
        assert target.read_bytes() == b"{}!"


class TestAsPrinted:
    """Each text on the data page runs as it is printed, and says what the archive says."""

    def test_there_is_a_text_for_each_question(self, served: Served):
        """None is printed that no test here runs."""
        assert set(served.page.texts) == {"copy", "outcomes", "pyarrow", "croissant", "letters", "match"}

    def test_a_copy_is_whole_and_checks_itself(self, served: Served):
        """The shell's lines fetch every file that SHA256SUMS lists over HTTP, and its check passes in silence."""
        assert (served.fetched.returncode, served.fetched.stdout, served.fetched.stderr) == (0, "", "")
        archive = kept(served.root)
        assert {name: (served.copy / name).read_bytes() for name in archive} == archive

    def test_a_later_run_fetches_what_is_new_and_finds_what_was_damaged(self, served: Served, tmp_path: Path):
        """A file that is there is not fetched again, so a byte that changed in it is told."""
        shutil.copytree(served.copy, tmp_path / "copy")
        damaged, gone = (tmp_path / "copy" / f"nights/2026-03-0{day}/night.json" for day in (1, 2))
        damaged.write_bytes(damaged.read_bytes() + b"\n")
        gone.unlink()
        done = run_in(tmp_path / "copy", "sh", "-c", served.page.texts["copy"])
        assert done.returncode == 1
        assert done.stdout == "nights/2026-03-01/night.json: FAILED\n"
        assert sha256(gone.read_bytes()) == sha256((served.copy / "nights/2026-03-02/night.json").read_bytes())

    def test_outcomes_with_duckdb(self, served: Served, monkeypatch: pytest.MonkeyPatch):
        """Counts are those of the night's rows."""
        monkeypatch.chdir(served.copy)
        assert duckdb.sql(served.page.texts["outcomes"]).fetchall() == self.outcomes(served)

    def test_outcomes_with_pyarrow_over_http_and_from_a_copy(self, served: Served):
        """The same text serves both: its address, or that of the copy's folder."""
        text = served.page.texts["pyarrow"]
        expected = "".join(f"{' '.join(map(str, row))}\n" for row in self.outcomes(served))
        address = re.search(r'data = "([^"]+)"', text)
        assert address is not None
        for data in (address[1], f"{served.copy.as_uri()}/"):
            done = served.run(sys.executable, "-c", text.replace(address[1], data))
            assert done.returncode == 0, done.stderr
            assert done.stdout == expected

    def test_rows_with_mlcroissant(self, served: Served):
        """The copy's folder is a dataset: each endpoint of each night is a row."""
        done = served.run(sys.executable, "-W", "ignore", "-c", served.page.texts["croissant"])
        assert done.returncode == 0, done.stderr
        rows = done.stdout.splitlines()
        assert len(rows) == NIGHTS * len(kept_site.ENDPOINTS)
        assert rows[0] == "2026-03-01 00:00:00 aster/sphinx-8b kiln fp8"

    def test_letters_with_duckdb(self, served: Served, monkeypatch: pytest.MonkeyPatch):
        """Each grade of the current version is a row, with its version and its four columns beside the letter."""
        monkeypatch.chdir(served.copy)
        rows = duckdb.sql(served.page.texts["letters"]).fetchall()
        store = served.root.store.grades
        grades = [grade for end in store.windows("0.1") for grade in store.get("0.1", end)]
        expected = [
            (
                *(grade.model, grade.endpoint, grade.window_end, grade.letter, "0.1", True),
                *(grade.m_letter, grade.t_letter, grade.d_letter, grade.r_letter),
            )
            for grade in sorted(grades, key=lambda grade: (grade.model, grade.endpoint, grade.window_end))
        ]
        assert rows == expected
        assert len(rows) == NIGHTS * len(kept_site.ENDPOINTS)

    def test_match_with_duckdb(self, served: Served, monkeypatch: pytest.MonkeyPatch):
        """Prompts and mismatches counted by SQL are those that the grades record; one endpoint has a mismatch."""
        monkeypatch.chdir(served.copy)
        rows = duckdb.sql(served.page.texts["match"]).fetchall()
        assert [row[1] for row in rows] == list(kept_site.ENDPOINTS)
        assert [row[2:4] for row in rows] == [row[4:6] for row in rows]
        assert [row[3] for row in rows] == [0, 0, 1]

    @staticmethod
    def outcomes(served: Served) -> list[tuple[Any, ...]]:
        """Return (model, endpoint, outcome, observations) of the last night, counted row by row."""
        last = kept_site.FIRST + timedelta(days=NIGHTS - 1)
        rows = pq.read_table(served.root.path / "archive" / layout.table_file(last, "observations")).to_pylist()
        counted = Counter((row["model"], row["endpoint"], row["outcome"]) for row in rows)
        return [(*key, count) for key, count in sorted(counted.items())]


class TestReferenceInSql:
    """The match that the page counts by SQL takes the same answers for references as the method does."""

    FAMILY = pa.struct([("family", pa.string()), ("stable", pa.bool_())])
    NIGHT = pa.struct([("night", pa.date32()), ("prompts", pa.int64()), ("mismatches", pa.int64())])

    @pytest.mark.parametrize("rule", [(2, None), (3, None), (2, Decimal("66.7")), (2, Decimal(50))])
    def test_for_every_split_of_five_answers(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rule: tuple[int, Decimal | None]
    ):
        """Each prompt has one split of five endpoints over five answers, ties among them."""
        night, splits = kept_site.FIRST, list(product("abcde", repeat=5))
        rows = [
            {"model": "m", "endpoint": f"e{number}", "prompt_id": str(prompt), "family": "f", "outcome": "answered"}
            | {"answer": answer}
            for prompt, answers in enumerate(splits)
            for number, answer in enumerate(answers)
        ]
        grades = [
            {"model": "m", "endpoint": f"e{number}", "m_family": [{"family": "f", "stable": True}]}
            | {"m_night": [{"night": night, "prompts": 0, "mismatches": 0}]}
            for number in range(5)
        ]
        shape = pa.schema(
            [
                *(("model", pa.string()), ("endpoint", pa.string())),
                *(("m_family", pa.list_(self.FAMILY)), ("m_night", pa.list_(self.NIGHT))),
            ]
        )
        for name, table in (
            (layout.table_file(night, "observations"), pa.Table.from_pylist(rows)),
            (layout.grades_file("0.1", night), pa.Table.from_pylist(grades, schema=shape)),
        ):
            (tmp_path / name).parent.mkdir(parents=True)
            pq.write_table(table, tmp_path / name)
        monkeypatch.chdir(tmp_path)
        least, share = rule
        needed = ReferenceRule(min_agreeing=least, tie="none", min_share=share)
        text = data_examples.of_window(Graded(window_end=night, method_version="0.1", reference=needed))[1].text
        definition = msgspec.structs.replace(made.method().definition, reference=needed)
        references = [reference(answers, definition) for answers in splits]
        compared = [(answers, given) for answers, given in zip(splits, references, strict=True) if given is not None]
        expected = [
            ("m", f"e{number}", len(compared), sum(answers[number] != given for answers, given in compared))
            for number in range(5)
        ]
        assert 0 < len(compared) < len(splits)
        assert [row[:4] for row in duckdb.sql(text).fetchall()] == expected


class TestThePage:
    def test_every_link_leads_to_a_file(self, served: Served):
        """Nights, files, grades, lists and prose are all there."""
        local = [link.partition("#")[0] for link in served.page.links if "://" not in link and ":" not in link]
        assert len([link for link in local if link.endswith(".parquet")]) == NIGHTS * 6 + 2
        missing = [link for link in local if link and not (served.root.site / DATA / link).is_file()]
        assert missing == []

    def test_a_version_stands_with_what_defines_it(self, served: Served):
        """Definition, prose and kept page are linked, and the first two together have the digest of its grades."""
        assert {"methods/0.1.toml", "methods/0.1.md", "pages/methods/0.1.html"} <= set(served.page.links)
        folder = served.root.site / DATA
        both = (folder / "methods/0.1.toml").read_bytes() + (folder / "methods/0.1.md").read_bytes()
        manifest = json.loads((folder / "pages/methods/0.1.json").read_text())
        grades = pq.read_table(folder / "grades/0.1/2026-03-08.parquet", columns=["method_digest"])
        assert {sha256(both), manifest["method_digest"]} == set(grades["method_digest"].to_pylist())
        assert (folder / "pages/methods/0.1.html").read_bytes() == (
            served.root.site / "method/0.1/index.html"
        ).read_bytes()

    def test_the_page_of_a_night_leads_to_its_files(self, served: Served):
        """night.json and the four tables, each where it lies."""
        page = served.root.site / "nights/2026-03-01/index.html"
        links = {link for link in Printed(page.read_text()).links if "data/nights/" in link}
        assert links == {
            f"../../data/nights/2026-03-01/{name}"
            for name in ("night.json", *(f"{table}.parquet" for table in layout.NIGHT_TABLES))
        }

    def test_nights_stand_newest_first_and_say_when_they_are_void(self, served: Served):
        """A night declared void keeps its files, and its declaration is among them."""
        text = (served.root.site / "data/index.html").read_text()
        nights = re.findall(r'<tr><th scope="row"><a href="\.\./nights/([0-9-]+)/', text)
        assert nights == sorted(nights, reverse=True)
        assert len(nights) == NIGHTS
        row = text[text.index(f"../nights/{VOIDED}/") :].partition("</tr>")[0]
        assert '<td data-label="Standing">void</td>' in row
        assert f'<a href="nights/{VOIDED}/void.json">void</a>' in row

    def test_says_how_big_all_is(self, served: Served):
        """The bytes are those of the archive's files."""
        total = sum(len(data) for data in kept(served.root).values())
        text = (served.root.site / "data/index.html").read_text()
        assert f"In all 8 nights: {NIGHTS * 9 + 5} files, {in_words(total)} ({total:,} bytes)." in text

    def test_the_format_is_a_page_and_a_text(self, served: Served):
        """FORMAT.md lies beside the data as in the archive, and its headings and tables stand on a page."""
        text = (served.root.path / "archive/FORMAT.md").read_bytes()
        assert laid(served.root)["FORMAT.md"] == text
        page = laid(served.root)["format/index.html"].decode()
        prose = to_html(text.decode(), where="FORMAT.md")
        assert f"<h1>{prose.title}</h1>" in page
        assert len(prose.headings) > 2
        assert all(f'id="{heading.id}"' in page for heading in prose.headings)
        assert "<caption><strong>observations</strong>, one row per prompt planned for an endpoint" in page
        assert page.count("<table>") == page.count("<caption>") == text.count(b"| --- | --- | --- |")

    def test_past_some_hundreds_of_nights_it_lists_months(self):
        """One night more than stands in one table, and each month is a row that leads to its nights."""
        one = made.night(made.FIRST_NIGHT)
        nights = [
            msgspec.structs.replace(
                one, record=msgspec.structs.replace(one.record, night=one.record.night + timedelta(days=day))
            )
            for day in range(MOST_TOGETHER + 1)
        ]
        pages = []
        for shown in (nights[1:], nights):
            data = tuple(
                DataFile(
                    path=f"{layout.night_folder(night)}/{kind}", kind=kind, night=night, bytes=500, sha256="ab" * 32
                )
                for night in (each.record.night for each in shown)
                for kind in ("night", "observations")
            )
            library = arrange(made.material(nights=tuple(shown), data=data, grades=(), models=()))
            pages.append(dict(data_view.render(library, made.TEMPLATES))["data/index.html"].decode())
        nightly, monthly = pages
        assert nightly.count("/observations") >= MOST_TOGETHER
        listed = monthly[monthly.index('id="nights"') :]
        assert "/observations" not in listed
        assert (
            'href="../nights/index.html#m2026-12">2026-12</a></th><td data-label="Nights" class="n">31</td>' in listed
        )
        assert '<td data-label="Bytes" class="n">31,000</td>' in listed
        ((_, listing),) = night_list_view.render(library, made.TEMPLATES)
        assert b'id="m2026-12"' in listing

    def test_before_the_first_night_it_says_so(self):
        """There is a page, with the format and with empty lists, and nothing to run."""
        files = dict(views.render(made.material(nights=(), grades=(), models=()), made.TEMPLATES))
        page = files["data/index.html"].decode()
        assert "No night has been kept yet." in page
        assert "<pre>" not in page
        assert "croissant" not in page
        assert json.loads(files["data/files.json"])["files"] == []
        assert "data/croissant.json" not in files

    @pytest.mark.parametrize(
        ("size", "words"),
        [
            *((0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (999_949, "999.9 kB"), (999_950, "1.0 MB")),
            *((12_345_678, "12.3 MB"), (4_200_000_000, "4.2 GB"), (5_000_000_000_000, "5.0 TB")),
        ],
    )
    def test_sizes_in_words(self, size: int, words: str):
        """The unit leaves at most three digits before the point."""
        assert in_words(size) == words
