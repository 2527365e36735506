"""The head of permanent pages, read as programs read it: Signposting, JSON-LD, Zotero's names."""

from __future__ import annotations

import json
import re
from pathlib import Path

import browsing
import msgspec
import pytest
import signposting
import site_material as made
from pyld import jsonld
from site_heads import (
    ADDRESS,
    GRADES,
    LICENCE,
    LIVE,
    SCHEMA,
    SITES,
    expanded,
    head,
    head_of,
    index_path,
    lies,
    links,
    metas,
    page_path,
    refuse,
    values,
)

from generator.records.canonical import canonical_json, sha256
from generator.records.grade import Column, Grade
from generator.records.permalink import grade_index_path, method_path, night_path
from generator.records.reading import NO_LETTER, readings
from generator.site.citation import named

PROPERTIES = 18
"""Of a data set, its type among them."""
SCHEMA_OF_RECORD = f"{ADDRESS}data/schema/grade.json"


class TestSignposting:
    """'FAIR Signposting level 1', by its rules."""

    @pytest.mark.parametrize(("site", "grade"), GRADES)
    def test_each_relation_as_often_as_it_may_stand(self, site: str, grade: Grade):
        """One cite-as, one licence, a typed item and description, an author, two types; every target is absolute."""
        found = links(head(site, grade))
        address = made.address(grade)
        assert found["cite-as"] == found["canonical"] == [(address, None)]
        assert found["license"] == [(LICENCE, None)]
        record, schema = (address + "grade.json", "application/json"), (SCHEMA_OF_RECORD, "application/schema+json")
        assert found["item"] == [record]
        assert found["describedby"] == [record, schema]
        assert found["author"] == [(ADDRESS + "about/", None)]
        assert [target for target, _ in found["type"]] == [SCHEMA + "AboutPage", SCHEMA + "Dataset"]
        for relation, targets in found.items():
            for target, _ in targets:
                assert re.match("https://|data:image/svg", target), relation

    @pytest.mark.parametrize(("site", "grade"), GRADES)
    def test_versions(self, site: str, grade: Grade):
        """RFC 5829: the grade's index is latest version and history; what a re-grade supersedes comes before it."""
        found = links(head(site, grade))
        index = ADDRESS + grade_index_path(grade.model, grade.endpoint, grade.window_end)
        assert found["latest-version"] == found["version-history"] == [(index, "text/html")]
        before = [each.method_version for each in grade.supersedes][-1:]
        assert found["predecessor-version"] == [(f"{index}v{version}/", "text/html") for version in before]

    @pytest.mark.parametrize(("site", "grade"), GRADES)
    def test_what_is_ours_is_there(self, site: str, grade: Grade):
        """Every target on this site is a page or a file that lies there."""
        for targets in links(head(site, grade)).values():
            for target, _ in targets:
                assert lies(site, target) or not target.startswith(ADDRESS), target

    def test_a_reader_of_signposts_over_http(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        """The `signposting` package finds the same from the served page alone."""
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        grade = made.current_alder()
        browsing.write(tmp_path, made.sites()["live"])
        with browsing.serving(tmp_path) as served:
            found = signposting.find_signposting_html(served + page_path(grade).removesuffix("index.html"))
        address = made.address(grade)
        assert found.citeAs is not None
        assert found.citeAs.target == address
        assert found.license is not None
        assert found.license.target == LICENCE
        assert {each.target for each in found.authors} == {ADDRESS + "about/"}
        assert {each.target for each in found.types} == {SCHEMA + "AboutPage", SCHEMA + "Dataset"}
        record, schema = (address + "grade.json", "application/json"), (SCHEMA_OF_RECORD, "application/schema+json")
        assert {(each.target, each.type) for each in found.items} == {record}
        assert {(each.target, each.type) for each in found.describedBy} == {record, schema}


class TestJsonLd:
    """'JSON-LD parses and expands (pyld, with an inline vocabulary: it must not fetch)'."""

    @pytest.mark.parametrize(("site", "grade"), GRADES)
    def test_is_a_dataset_with_what_a_reader_needs(self, site: str, grade: Grade):
        """Name, description, identifiers, version, dates, licence, maker, nights behind it, and the record's digest."""
        settings = SITES[site].settings
        node, name = expanded(head(site, grade)), named(grade, settings)
        digest = sha256(canonical_json(grade))
        assert node["@type"] == [SCHEMA + "Dataset"]
        assert node["@id"] == made.address(grade)
        assert values(node, "url") == [made.address(grade)]
        assert values(node, "name") == [name.title]
        assert values(node, "description") == [f"{name.title}: {name.result}."]
        assert values(node, "identifier") == [made.address(grade), f"sha256:{digest}"]
        assert values(node, "version") == [grade.method_version]
        assert node[SCHEMA + "datePublished"] == [{"@type": SCHEMA + "Date", "@value": grade.issued.isoformat()}]
        assert values(node, "temporalCoverage") == [f"{grade.window_start}/{grade.window_end}"]
        assert node[SCHEMA + "license"] == [{"@id": LICENCE}]
        assert values(node, "isBasedOn") == [ADDRESS + night_path(night) for night in grade.nights]
        assert values(node, "measurementTechnique") == [ADDRESS + method_path(grade.method_version)]
        assert values(node, "isPartOf") == [ADDRESS + index_path(grade).removesuffix("index.html")]
        for role in ("creator", "publisher"):
            (who,) = node[SCHEMA + role]
            assert who["@type"] == [SCHEMA + "Organization"]
            assert (values(who, "name"), values(who, "url")) == ([settings.publisher], [ADDRESS])
        (record,) = node[SCHEMA + "distribution"]
        assert record["@type"] == [SCHEMA + "DataDownload"]
        assert values(record, "contentUrl") == [made.address(grade) + "grade.json"]
        assert values(record, "encodingFormat") == ["application/json"]
        assert values(record, "sha256") == [digest]

    @pytest.mark.parametrize(("site", "grade"), GRADES)
    def test_the_four_columns_are_what_was_measured(self, site: str, grade: Grade):
        """Each column by its letter, in words, with its value: never the grade's letter alone, and no rating."""
        node = expanded(head(site, grade))
        columns = node[SCHEMA + "variableMeasured"]
        words = readings(grade, SITES[site].methods[grade.method_version].definition)
        assert [values(each, "propertyID") for each in columns] == [[str(column)] for column in Column]
        for each, reading in zip(columns, words, strict=True):
            assert each["@type"] == [SCHEMA + "PropertyValue"]
            assert values(each, "value") == [reading.letter or NO_LETTER]
            assert values(each, "description")
        said = json.dumps(node)
        assert "Review" not in said
        assert "Rating" not in said

    @pytest.mark.parametrize(("site", "grade"), GRADES)
    def test_is_rdf(self, site: str, grade: Grade):
        """As RDF nothing is lost: each address is absolute, and so many statements stand as the page makes."""
        (script,) = head(site, grade).iter("script")
        (quads,) = jsonld.to_rdf(json.loads(script.text), {"documentLoader": refuse}).values()
        terms = [quad[part] for quad in quads for part in ("subject", "predicate", "object")]
        assert all(re.match("https://|http://www.w3.org/", each["value"]) for each in terms if each["type"] == "IRI")
        about = [quad for quad in quads if quad["subject"]["value"] == made.address(grade)]
        # Four columns, two identifiers and the nights are values of one property each.
        assert len(about) == PROPERTIES + 3 + 1 + len(grade.nights) - 1
        assert {quad["object"]["value"] for quad in about} > {grade.issued.isoformat(), grade.method_version, LICENCE}

    def test_a_hostile_name_reads_back(self):
        """Whatever a provider is called, the name stands in the node as it stands in the page's text."""
        for grade in made.hostile():
            (name,) = values(expanded(head("live", grade)), "name")
            assert name == named(grade, LIVE.settings).title


class TestZotero:
    """'Zotero-style metadata present'."""

    @pytest.mark.parametrize(("site", "grade"), GRADES)
    def test_highwire_and_dublin_core(self, site: str, grade: Grade):
        """Both vocabularies name title, maker, date and address; the letter stands with its version and columns."""
        said, name = metas(head(site, grade), "name"), named(grade, SITES[site].settings)
        publisher = SITES[site].settings.publisher
        assert {key: text for key, text in said.items() if key.startswith("citation_")} == {
            "citation_title": name.title,
            "citation_author": publisher,
            "citation_publication_date": grade.issued.strftime("%Y/%m/%d"),
            "citation_public_url": name.permalink,
        }
        assert {key: text for key, text in said.items() if key.startswith("DC.")} == {
            "DC.title": name.title,
            "DC.creator": publisher,
            "DC.publisher": publisher,
            "DC.date": grade.issued.isoformat(),
            "DC.type": "dataset",
            "DC.identifier": name.permalink,
            "DC.rights": LICENCE,
            "DC.language": "en",
        }
        assert said["description"] == f"{name.title}: {name.result}."


class TestMethodPage:
    """The head of a method version's page: what a grade is cited with, and cited itself."""

    def test_is_citable(self):
        """It names itself, its licence, its maker and its versions, by full addresses that lead somewhere."""
        of = head_of(made.sites()["live"]["method/0.1/index.html"])
        found, address = links(of), f"{ADDRESS}method/0.1/"
        assert found["canonical"] == found["cite-as"] == [(address, None)]
        assert found["license"] == [(LICENCE, None)]
        assert found["author"] == [(ADDRESS + "about/", None)]
        assert found["type"] == [(SCHEMA + "AboutPage", None), (SCHEMA + "TechArticle", None)]
        assert found["latest-version"] == found["version-history"] == [(f"{ADDRESS}method/", "text/html")]
        assert all(lies("live", target) for target, _ in found["author"] + found["version-history"])

    def test_is_described(self):
        """JSON-LD and Zotero's names give title, version, date and digest."""
        method = made.method()
        of = head_of(made.sites()["live"]["method/0.1/index.html"])
        node, said = expanded(of), metas(of, "name")
        released = method.definition.released
        assert node["@type"] == [SCHEMA + "TechArticle"]
        assert node["@id"] == said["citation_public_url"] == said["DC.identifier"] == f"{ADDRESS}method/0.1/"
        assert values(node, "version") == ["0.1"]
        assert values(node, "datePublished") == [released.isoformat()] == [said["DC.date"]]
        assert values(node, "identifier") == [f"{ADDRESS}method/0.1/", f"sha256:{method.digest}"]
        assert said["citation_title"] == said["DC.title"] == values(node, "name")[0]
        assert said["citation_publication_date"] == released.strftime("%Y/%m/%d")
        assert metas(of, "property")["og:url"] == node["@id"]


def test_records_of_the_site_are_what_its_heads_name():
    """The digest in a page's JSON-LD is that of the grade.json that lies beside it, for every page of two sites."""
    for site, of in SITES.items():
        for grade in of.grades:
            (record,) = expanded(head(site, grade))[SCHEMA + "distribution"]
            lying = made.sites()[site][page_path(grade).replace("index.html", "grade.json")]
            assert values(record, "sha256") == [sha256(lying)]
            assert msgspec.json.decode(lying, type=Grade) == grade
