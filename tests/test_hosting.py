"""A laid-out site served by its own `_headers` and `_redirects`, as two hosts read them, address by address."""

from __future__ import annotations

import http.client
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import host_rules
import kept_site
import logged_site
import pytest

from generator.site import hosting_headers, hosting_redirects
from generator.site.beside import Beside
from generator.site.build import is_permanent
from generator.site.frame import CSP
from generator.site.hosting import FILES
from generator.site.hosting_table import ASK_AGAIN, FOR_EVER, HEADERS, OVER_TLS
from generator.site.preview import find, headers_of
from generator.site.search_view import CSP as SEARCH_CSP
from generator.workflows.rendering import render

MODEL, END = kept_site.MODEL, "2026-03-10"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a site with nights, grades, proofs, a signed log, and a candidate that nothing was graded under yet."""
    root = logged_site.make_logged(tmp_path_factory.mktemp("hosting") / "root")
    settings = root.path / "content" / "site.toml"
    settings.write_text(settings.read_text().replace('method = "0.1"', 'method = "0.1"\ncandidates = ["0.2"]'))
    render(root, progress=kept_site.Silent())
    return root.site


class Answer(NamedTuple):
    """What a host said."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def every(self, name: str) -> list[str]:
        """Return every value of a header."""
        return [value for each, value in self.headers if each.lower() == name.lower()]


def ask(port: int, address: str) -> Answer:
    """Ask for an address."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", address)
    response = connection.getresponse()
    answer = Answer(response.status, response.getheaders(), response.read())
    connection.close()
    return answer


def files(site: Path) -> list[str]:
    """Return every file that a host shows."""
    found = sorted(path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file())
    return [path for path in found if path not in FILES]


def addresses(path: str) -> list[str]:
    """Return where a host shows a file: a folder's page also under the folder's own address."""
    return [f"/{path.removesuffix('index.html')}", f"/{path}"] if Path(path).name == "index.html" else [f"/{path}"]


class OwnPolicy(HTMLParser):
    """The security policy that a page carries."""

    policy = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take the policy."""
        found = dict(attrs)
        if tag == "meta" and found.get("http-equiv") == "Content-Security-Policy":
            self.policy = found["content"] or ""


@pytest.fixture(scope="module", params=host_rules.HOSTS)
def served(request: pytest.FixtureRequest, site: Path) -> Iterator[list[tuple[str, Answer]]]:
    """Return every file with the answer at each of its addresses."""
    with host_rules.serving(request.param, site) as port:
        yield [(path, ask(port, address)) for path in files(site) for address in addresses(path)]


class TestEveryFile:
    """'_headers (immutable for permanent paths, CSP, HSTS, nosniff, CORS for data)'."""

    def test_comes_whole_with_each_header_once(self, site: Path, served: list[tuple[str, Answer]]):
        """No rule gives a name that another rule gives the same address."""
        names = [*HEADERS, *OVER_TLS, "Cache-Control", "Content-Security-Policy", "Content-Type"]
        for path, answer in served:
            assert (answer.status, answer.body) == (200, (site / path).read_bytes()), path
            assert {name: len(answer.every(name)) for name in names} == dict.fromkeys(names, 1), path

    def test_is_immutable_where_it_is_permanent_and_nowhere_else(self, site: Path, served: list[tuple[str, Answer]]):
        """Permanent pages, records, proofs, data, tiles, keys, signed checkpoints: yes. Views: no.

        Not even a view at a path where a permanent page may lie some day.
        """
        views = Beside(site).views()
        permanent = {path for path, _ in served if path not in views}
        for path, answer in served:
            assert answer.every("Cache-Control") == [ASK_AGAIN if path in views else FOR_EVER], path
        page = f"grades/{MODEL}/mill/2026-03-08/v0.1"
        assert {f"{page}/index.html", f"{page}/grade.json", f"{page}/grade.tlog-proof"} <= permanent
        assert {"method/0.1/index.html", "data/nights/2026-03-01/night.json", "data/methods/0.1.md"} <= permanent
        assert {"data/grades/0.1/2026-03-08.parquet", "data/pages/0.1/2026-03-08.parquet"} <= permanent
        assert {path.split("/")[1] for path in permanent if path.startswith("log/")} == {"tile", "keys", "signed"}
        assert {"method/0.2/index.html", "log/checkpoint", f"grades/{MODEL}/mill/2026-03-08/index.html"} <= views
        assert is_permanent("method/0.2/index.html")

    def test_has_a_policy_no_stricter_than_its_own(self, served: list[tuple[str, Answer]]):
        """The header repeats what a page says of itself and forbids frames besides; one page alone runs scripts."""
        for path, answer in served:
            (policy,) = answer.every("Content-Security-Policy")
            assert policy.startswith(SEARCH_CSP if path.startswith("search/") else f"{CSP};"), path
            assert "frame-ancestors 'none'" in policy
            assert ("script-src" in policy) == path.startswith("search/")
            if path.endswith(".html"):
                page = OwnPolicy()
                page.feed(answer.body.decode())
                assert policy.startswith(page.policy), path
                assert page.policy, path

    def test_has_the_headers_of_the_preview(self, served: list[tuple[str, Answer]]):
        """'bitdepth serve' says the same, type included, but for what may not be said without TLS."""
        for path, answer in served:
            expected = headers_of(path, is_view=path == "method/0.2/index.html")
            assert {name: answer.every(name)[0] for name in expected} == expected, path
            assert answer.every("Strict-Transport-Security") == ["max-age=31536000"]
            assert "Strict-Transport-Security" not in expected

    def test_may_be_read_by_any_site(self, served: list[tuple[str, Answer]]):
        """Data, log, badges and records are for scripts of others too."""
        for path, answer in served:
            assert answer.every("Access-Control-Allow-Origin") == ["*"], path


class TestLimits:
    """What the hosts take."""

    def test_of_headers(self, site: Path):
        """Cloudflare Pages reads 100 rules, lines of 2,000 characters and one splat a rule."""
        text = (site / "_headers").read_text()
        rules = host_rules.read_headers(text)
        assert len(rules) == len({rule for rule, _ in rules}) < 70
        assert max(map(len, text.splitlines())) < 2000
        assert all(rule.count("*") <= 1 for rule, _ in rules)

    def test_of_headers_with_many_versions(self, site: Path):
        """A dozen method versions more fit, and 0.1 is not taken for 0.10."""
        versions = [f"0.{number}" for number in range(1, 13)]
        views = {path for path in Beside(site).views() if not path.startswith("method/0.")} | {"method/0.1/index.html"}
        rules = host_rules.read_headers(hosting_headers.headers_file(views, versions[1:]).decode())
        assert len(rules) <= 100
        for host in host_rules.HOSTS:
            assert host_rules.headers_for(host, rules, "/method/0.1/")["cache-control"] == [ASK_AGAIN]
            for version in versions[1:]:
                found = host_rules.headers_for(host, rules, f"/method/{version}/")
                assert found["cache-control"] == [FOR_EVER], version

    def test_of_headers_with_ten_versions_of_a_laid_out_site(self, site: Path):
        """Every file has each header once, in both forms, and Cloudflare Pages reads every rule."""
        versions = [f"0.{number}" for number in range(3, 12)]
        pages = [f"method/{version}/index.html" for version in versions]
        text = hosting_headers.headers_file(Beside(site).views(), ["0.1", *versions]).decode()
        rules = host_rules.read_headers(text)
        assert len(rules) <= 100
        names = [*HEADERS, *OVER_TLS, "Cache-Control", "Content-Security-Policy"]
        for host in host_rules.HOSTS:
            for path in [*files(site), *pages]:
                for address in addresses(path):
                    found = host_rules.headers_for(host, rules, address)
                    assert {name: len(found[name.lower()]) for name in names} == dict.fromkeys(names, 1), address

    def test_of_headers_before_the_first_night(self):
        """A site without a grade has rules for what it has, and for the permanent files that will come."""
        rules = host_rules.read_headers(hosting_headers.headers_file(["index.html", "about/index.html"], []).decode())
        cached = {rule: dict(said)["Cache-Control"] for rule, said in rules if "Cache-Control" in dict(said)}
        assert {rule for rule, value in cached.items() if value == ASK_AGAIN} == {"/", "/index.html", "/about/*"}

    def test_of_redirects(self):
        """Of 3,000 endpoints 1,999 have a line of their own; every other leads to its endpoint's page."""
        grade = SimpleNamespace(model="a/m", window_end=kept_site.FIRST, method_version="0.1")
        stories = [
            SimpleNamespace(latest=SimpleNamespace(**vars(grade), endpoint=f"e{number:04}")) for number in range(3000)
        ]
        lines = redirects(models=[SimpleNamespace(endpoints=stories)])
        assert sum(":" not in source for source, _, _ in lines) == hosting_redirects.MOST_LINES
        for host in host_rules.HOSTS:
            assert host_rules.redirected(host, lines, "/grades/a/m/e1998/latest/") == (
                "/grades/a/m/e1998/2026-03-01/v0.1/",
                302,
            )
            assert host_rules.redirected(host, lines, "/grades/a/m/e1999/latest/") == ("/models/a/m/e1999/", 302)


def redirects(*, models: list[SimpleNamespace], address: str = "https://x.example/") -> list[tuple[str, str, int]]:
    """Return the lines for a made library."""
    settings = SimpleNamespace(address=address)
    library = SimpleNamespace(models=models, current="0.1", material=SimpleNamespace(settings=settings))
    return host_rules.read_redirects(hosting_redirects.redirects_file(library).decode())


class TestLatest:
    """'_redirects for the latest-version addresses'."""

    @pytest.mark.parametrize("host", host_rules.HOSTS)
    def test_leads_to_a_page_that_is_there(self, site: Path, host: str):
        """Each line leads, for a while, to a page of the site; that of an endpoint to its latest permanent page."""
        lines = host_rules.read_redirects((site / "_redirects").read_text())
        sources = [source for source, _, _ in lines]
        assert sources == [
            "/method/latest/",
            *(f"/grades/{MODEL}/{endpoint}/latest/" for endpoint in kept_site.ENDPOINTS),
            "/grades/:author/:name/:endpoint/latest/",
        ]
        with host_rules.serving(host, site) as port:
            for source, target, status in lines[:-1]:
                answer = ask(port, source)
                assert (answer.status, answer.every("Location")) == (status, [target]) == (302, [target])
                there = ask(port, target)
                assert there.status == 200
                assert there.every("Cache-Control") == [FOR_EVER]
        assert lines[0][1] == "/method/0.1/"
        assert lines[1][1] == f"/grades/{MODEL}/kiln/{END}/v0.1/"

    def test_is_found_by_the_preview(self, site: Path):
        """'bitdepth serve' leads to the same, with and without the closing slash, and from nowhere else."""
        for address in (f"/grades/{MODEL}/mill/latest/", f"/grades/{MODEL}/mill/latest"):
            assert find(site, "/", address).latest == f"/grades/{MODEL}/mill/{END}/v0.1/"
        assert find(site, "/", "/method/latest/").latest == "/method/0.1/"
        assert find(site, "/", f"/grades/{MODEL}/unheard-of/latest/").latest == f"/models/{MODEL}/unheard-of/"
        for address in ("/grades/aster/latest/", "/latest/", "/method/latest/index.html", "/method/0.1/"):
            assert find(site, "/", address).latest is None, address

    def test_of_an_endpoint_without_a_grade(self):
        """It leads to the endpoint's page, below the path that the site has on its host."""
        lines = redirects(
            models=[SimpleNamespace(endpoints=[SimpleNamespace(latest=None)])], address="https://x.example/of/"
        )
        assert lines == [
            ("/method/latest/", "/of/method/0.1/", 302),
            ("/grades/:author/:name/:endpoint/latest/", "/of/models/:author/:name/:endpoint/", 302),
        ]
        found = hosting_redirects.redirected("# words\n/grades/:author/latest/ /of/:author/ 302\n", "/grades/x/latest/")
        assert found == "/of/x/"

    def test_the_rules_themselves_are_not_shown(self, site: Path):
        """As on the hosts, neither file is an address."""
        for name in FILES:
            assert (site / name).is_file()
            found = find(site, "/", f"/{name}")
            assert (found.path, found.moved, found.latest) == (None, None, None)

    def test_no_policy_has_what_a_header_file_cannot_say(self, site: Path):
        """No value begins or ends with a space, or could be read as a placeholder's."""
        for _, said in host_rules.read_headers((site / "_headers").read_text()):
            for _, value in said:
                assert value == value.strip()
                assert not re.search(r":[A-Za-z]", value)
