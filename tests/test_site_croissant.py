"""Croissant metadata of the archive: valid, readable without a network, and true of the archive's own tables."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import kept_site
import mlcroissant
import numpy as np
import pyarrow as pa
import pytest
import site_material as made
from pyld import jsonld

from generator.archive import codec, layout, schema
from generator.records.canonical import sha256
from generator.records.data_file import DATA, DataFile
from generator.site import croissant
from generator.site.data_columns import TABLES
from generator.workflows.world import Root

NIGHTS = 8
SCHEMAS = {
    "observations": schema.OBSERVATIONS,
    "listings": schema.LISTINGS,
    "prompts": schema.PROMPTS,
    "context": schema.CONTEXT,
    "grades": schema.GRADES,
}
KINDS = {
    pa.string(): "sc:Text",
    pa.bool_(): "sc:Boolean",
    pa.int16(): "cr:Int16",
    pa.int32(): "cr:Int32",
    pa.int64(): "cr:Int64",
    pa.date32(): "sc:Date",
    pa.decimal128(18, 12): "sc:Float",
    pa.timestamp("ms", tz="UTC"): "sc:DateTime",
}

# rdflib warns of a class of its own that it still uses; mlcroissant calls pandas in a way that is to end.
pytestmark = [
    pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame.reset_index:DeprecationWarning"),
]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Root:
    """Return a laid-out root of eight nights."""
    return kept_site.make_root(tmp_path_factory.mktemp("root"), NIGHTS)


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody open a connection."""

    def refused(*_: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)


def metadata(root: Root) -> dict[str, Any]:
    """Return what the site's croissant.json says."""
    return json.loads((root.site / croissant.PATH).read_bytes())


def dataset(root: Root) -> mlcroissant.Dataset:
    """Return the site's data as mlcroissant reads it."""
    return mlcroissant.Dataset(str(root.site / croissant.PATH))


def plain(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record as mlcroissant gives it, without its table's name, in Python's own values."""
    return {name.partition("/")[2]: _plain(value) for name, value in record.items()}


def _plain(value: Any) -> Any:  # noqa: ANN401 - whatever a column holds
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value.item() if isinstance(value, np.generic) else value


class TestColumns:
    """What is described are the archive's columns, in their order and with their types."""

    @pytest.mark.parametrize("table", SCHEMAS)
    def test_are_those_of_the_schema(self, table: str):
        """All but lists of structs, which Croissant readers take apart in ways of their own."""
        expected = []
        for field in SCHEMAS[table]:
            kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
            is_list = pa.types.is_list(kind)
            kind = kind.value_type if is_list else kind
            if not pa.types.is_struct(kind):
                expected.append((field.name, KINDS[kind], is_list))
        assert [(each.name, each.kind, each.is_list) for each in TABLES[table].columns] == expected

    def test_every_table_is_described(self):
        """No table of a night is left out, and grades are there."""
        assert set(TABLES) == set(SCHEMAS) == {*layout.NIGHT_TABLES, "grades"}


@pytest.mark.usefixtures("offline")
class TestValid:
    def test_for_mlcroissant(self, root: Root):
        """It finds neither error nor warning, and asks nobody for a context."""
        found = dataset(root).metadata
        assert not found.ctx.issues.errors
        assert not found.ctx.issues.warnings
        assert found.ctx.conforms_to.value == "http://mlcommons.org/croissant/1.1"
        assert found.ctx.is_live_dataset is True

    def test_expands_to_the_vocabulary(self, root: Root):
        """Every term is schema.org's, Croissant's or Dublin Core's; pyld needs no document but this one."""

        def refused(address: str, _: object) -> None:
            raise AssertionError(f"{address} was asked for")

        (expanded,) = jsonld.expand(metadata(root), {"documentLoader": refused})
        assert expanded["@type"] == ["https://schema.org/Dataset"]
        assert expanded["http://purl.org/dc/terms/conformsTo"] == [
            {"@value": "http://mlcommons.org/croissant/1.1", "@language": "en"}
        ]
        assert len(expanded["http://mlcommons.org/croissant/recordSet"]) == len(SCHEMAS)
        terms = set(re.findall(r'"((?:https?://)[^"]+)": ', json.dumps(expanded)))
        assert {re.sub(r"[^/]+$", "", term) for term in terms} == {
            *("https://schema.org/", "http://mlcommons.org/croissant/", "http://purl.org/dc/terms/")
        }

    def test_says_what_a_search_for_datasets_needs(self, root: Root):
        """Name, description, licence, address, publisher, dates and version; a claim is no measurement there either."""
        found = metadata(root)
        assert found["name"] == "kept: nights and grades"
        assert "A declared precision is a claim, a grade is a measurement" in found["description"]
        assert found["license"] == "https://creativecommons.org/licenses/by/4.0/"
        assert found["url"] == "https://kept.example/data/"
        assert found["publisher"]["name"] == "kept"
        assert found["temporalCoverage"] == "2026-03-01/2026-03-08"
        assert (found["datePublished"], found["dateModified"]) == ("2026-03-01", "2026-03-08")
        assert found["version"] == "1.8.0"
        assert found["isLiveDataset"] is True


@pytest.mark.usefixtures("offline")
class TestRecords:
    """mlcroissant reads the rows from the folder that croissant.json lies in."""

    @pytest.mark.parametrize("table", sorted(layout.NIGHT_TABLES))
    def test_of_each_night(self, root: Root, table: str):
        """Each row of each night, with the night that its file is of."""
        found = [plain(record) for record in dataset(root).records(table)]
        store = root.store.nights
        nights = {night: store.table(store.get(night).record, table) for night in store.kept()}
        assert len(found) == sum(len(rows) for rows in nights.values())
        expected = [{"night": night, **row} for night, rows in nights.items() for row in rows.to_pylist()]
        for record, row in zip(found, expected, strict=True):
            assert record["night"].date() == row["night"]
            texts = [name for name, value in row.items() if isinstance(value, str | int) or value is None]
            assert {name: record[name] for name in texts} == {name: row[name] for name in texts}

    def test_of_grades(self, root: Root):
        """Every grade with its letter, its version and its four columns, and lists as lists."""
        found = [plain(record) for record in dataset(root).records("grades")]
        store = root.store.grades
        grades = [
            each for end in store.windows("0.1") for each in codec.grades_table(store.get("0.1", end)).to_pylist()
        ]
        assert len(found) == len(grades) == NIGHTS * len(kept_site.ENDPOINTS)
        names = ("model", "endpoint", "method_version", "letter", "m_letter", "t_letter", "d_letter", "r_letter")
        for record, grade in zip(found, grades, strict=True):
            assert {name: record[name] for name in names} == {name: grade[name] for name in names}
            assert record["window_end"].date() == grade["window_end"]
            assert [night.date() for night in record["nights"]] == grade["nights"]
            assert record["unrated_reasons"] == grade["unrated_reasons"]


class TestFiles:
    def test_each_has_the_digest_size_and_address_of_what_lies_there(self, root: Root):
        """Every table of the archive, and the lists of all files."""
        files = [each for each in metadata(root)["distribution"] if each["@type"] == "cr:FileObject"]
        names = {path.relative_to(root.site / DATA).as_posix() for path in (root.site / DATA).rglob("*.parquet")}
        names = {name for name in names if not name.startswith("pages/")}  # No table: the pages as they were kept.
        assert {each["name"] for each in files} == names | {"SHA256SUMS", "files.json", "FORMAT.md"}
        for each in files:
            data = (root.site / DATA / each["name"]).read_bytes()
            assert each["sha256"] == sha256(data)
            assert each["contentSize"] == f"{len(data)} B"
            assert each["contentUrl"] == f"https://kept.example/data/{each['name']}"

    def test_of_the_newest_nights_alone_stand_one_by_one(self):
        """However long the archive, the metadata stays as small; SHA256SUMS has the rest."""
        first = date(2026, 3, 1)
        sizes = []
        for count in (croissant.NEWEST, croissant.NEWEST + 60):
            nights = [first + timedelta(days=day) for day in range(count)]
            files = [
                DataFile(path=f"nights/{night}/{name}", kind=kind, night=night, bytes=1, sha256="ab" * 32)
                for night in nights
                for name, kind in (("night.json", "night"), ("prompts.parquet", "prompts"))
            ]
            described = json.loads(croissant.describe(made.settings(), files, (), days=nights))
            shown = [each["name"] for each in described["distribution"] if each["@type"] == "cr:FileObject"]
            assert shown == [f"nights/{night}/prompts.parquet" for night in nights[-croissant.NEWEST :]]
            sizes.append(len(json.dumps(described)))
        assert sizes[0] == sizes[1]


class TestTheDataPage:
    def test_leads_to_it(self, root: Root):
        """Its head links the metadata as what describes it, and carries the archive as a Dataset."""
        page = (root.site / "data/index.html").read_text()
        assert '<link rel="describedby" type="application/ld+json" href="croissant.json">' in page
        found = re.search(r'<script type="application/ld\+json">\n(.*?)</script>', page, re.DOTALL)
        assert found is not None
        described = json.loads(found[1])
        assert described["@type"] == "Dataset"
        assert described["name"] == metadata(root)["name"]
        for download in described["distribution"]:
            name = download["contentUrl"].removeprefix("https://kept.example/")
            assert Path(root.site / name).is_file()
