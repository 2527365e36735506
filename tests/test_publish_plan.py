"""The order in which a site is put: a reader who follows links arrives, whatever was there and whenever it stops."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.errors import ExitCode, IntegrityError, TargetError
from generator.publishing.interface import SiteFile, There
from generator.publishing.plan import Plan, plan
from generator.publishing.published import (
    PATH,
    Published,
    View,
    as_file,
    digests,
    group,
    headers_digest,
    published_bytes,
    read_published,
)
from generator.site.build import is_permanent

GRADE = "grades/a/b/c/2026-03-08/v0.1"
SITE = (
    "index.html",
    "sitemap.xml",
    "sitemaps/1.xml",
    "robots.txt",
    "feed.xml",
    "models/a/b/feed.xml",
    "log/checkpoint",
    "404.html",
    "about/index.html",
    "models/a/b/index.html",
    "models/a/b/c/index.html",
    "grades/a/b/c/2026-03-08/index.html",
    "og/A.png",
    f"{GRADE}/index.html",
    f"{GRADE}/grade.json",
    "data/nights/2026-03-08/night.json",
    "method/0.1/index.html",
)


def file(path: str, body: str = "one", *, permanent: bool | None = None) -> SiteFile:
    """Return a file of the site."""
    return SiteFile(
        path=path,
        size=len(body),
        sha256=f"sha-{body}",
        md5=f"md5-{body}",
        permanent=is_permanent(path) if permanent is None else permanent,
        content_type="text/plain",
        cache_control="no-cache",
    )


def there(body: str = "one") -> There:
    """Return an object's marks, of a store whose ETags are digests."""
    return There(size=len(body), e_tag=f"md5-{body}")


def listed(*files: SiteFile) -> Published:
    """Return the list that a publication of these files leaves."""
    views = {
        each.path: View(size=each.size, sha256=each.sha256, headers=headers_digest(each))
        for each in files
        if not each.permanent
    }
    return Published(views=views, permanent=digests(files))


def planned(
    files: list[SiteFile], found: dict[str, There], published: Published | None = None, *, tags: bool = True
) -> Plan:
    """Return a plan; permanent are the paths of permanent files."""
    return plan(files, found, published or Published(), is_permanent=is_permanent, tags_are_digests=tags)


def order(todo: Plan) -> list[list[str]]:
    """Return the paths of each step."""
    return [[put.file.path for put in step] for step in todo.puts]


class TestOrder:
    def test_of_an_empty_target(self):
        """Records before permanent pages, these before views, deep pages before shallow ones, entrances last."""
        assert order(planned([file(path) for path in sorted(SITE)], {})) == [
            ["data/nights/2026-03-08/night.json", f"{GRADE}/grade.json"],
            [f"{GRADE}/index.html", "method/0.1/index.html"],
            ["og/A.png"],
            ["grades/a/b/c/2026-03-08/index.html"],
            ["models/a/b/c/index.html"],
            ["models/a/b/index.html"],
            ["about/index.html"],
            ["feed.xml", "models/a/b/feed.xml"],
            ["log/checkpoint"],
            ["index.html"],
            ["sitemaps/1.xml"],
            ["sitemap.xml"],
            ["robots.txt"],
            ["404.html"],
        ]

    def test_new_addresses_come_before_what_is_replaced(self):
        """A shallow page at a new address is put before a deep page that is replaced and may refer to it."""
        files = [file("models/a/b/c/index.html", "two"), file("new/index.html"), file("og/A.png", "two")]
        found = {"models/a/b/c/index.html": there(), "og/A.png": there()}
        assert order(planned(files, found)) == [["new/index.html"], ["og/A.png"], ["models/a/b/c/index.html"]]

    def test_views_of_no_more_use_are_removed_last_and_lists_first(self):
        """Removed is only what the target's list names as a view, is there, and is no part of the site."""
        old = [file(path, permanent=False) for path in ("old/index.html", "old/deep/index.html", "gone.html", "o.svg")]
        found = {each.path: there() for each in old if each.path != "gone.html"} | {"theirs.html": there()}
        todo = planned([file("index.html")], found, listed(*old))
        assert todo.removals == (("old/index.html",), ("old/deep/index.html",), ("o.svg",))

    @given(
        st.dictionaries(st.sampled_from(SITE), st.sampled_from(["one", "two"])),
        st.dictionaries(st.sampled_from(SITE), st.sampled_from(["one", "two"])),
        st.booleans(),
    )
    def test_a_page_is_replaced_only_when_every_new_address_holds_something(
        self,
        before: dict[str, str],
        after: dict[str, str],
        tags: bool,  # noqa: FBT001 - drawn
    ):
        """Of any two sites: nothing permanent is replaced, the rest is new, then replaced, then entrances."""
        after = {**after, **{path: body for path, body in before.items() if is_permanent(path)}}
        files = [file(path, body) for path, body in sorted(after.items())]
        found = {path: there(body) for path, body in before.items()}
        todo = planned(files, found, listed(*(file(path, body) for path, body in before.items())), tags=tags)
        assert not [put for step in todo.puts for put in step if put.file.path in before and put.once]
        entrances = {"index.html", "sitemap.xml", "robots.txt", "404.html", "log/checkpoint", "sitemaps/1.xml"}
        kinds = [
            2 if path in entrances or path.endswith("feed.xml") else int(path in before)
            for step in order(todo)
            for path in step
        ]
        assert kinds == sorted(kinds)
        put = {path for step in order(todo) for path in step}
        assert put == {path for path, body in after.items() if before.get(path) != body}
        assert {path for step in todo.removals for path in step} == before.keys() - after.keys()
        assert todo.kept == len(files) - len(put)
        assert all(each.permanent and each.path in before for each in todo.compare)
        assert not (tags and todo.compare), "ETags that are digests vouch for everything"


class TestHeaders:
    """A view is put again where only its type or cache header changed."""

    @pytest.mark.parametrize("tags", [True, False])
    def test_a_changed_header_alone(self, tags: bool):  # noqa: FBT001 - parametrised
        """The object has the same bytes; it is put, and until all is done its headers are not certain."""
        was = file("index.html")
        now = msgspec.structs.replace(was, cache_control="no-store")
        todo = planned([now], {was.path: there()}, listed(was), tags=tags)
        assert order(todo) == [[was.path]]
        assert todo.before.views[was.path].headers is None
        assert todo.after.views[was.path].headers == headers_digest(now) != headers_digest(was)
        assert order(planned([now], {was.path: there()}, todo.before, tags=tags)) == [[was.path]]
        assert order(planned([now], {was.path: there()}, todo.after, tags=tags)) == []

    def test_a_list_that_does_not_say(self):
        """A list from before headers were kept vouches for none."""
        was = file("index.html")
        older = Published(views={was.path: View(size=was.size, sha256=was.sha256)})
        assert order(planned([was], {was.path: there()}, older)) == [[was.path]]

    def test_a_publication_that_was_interrupted_puts_nothing_twice(self):
        """What was new and is there was put with the headers that its list names."""
        new = file("index.html")
        todo = planned([new], {})
        assert order(planned([new], {new.path: there()}, todo.before)) == []
        old = planned([file("index.html", "two")], {new.path: there()}, listed(new))
        assert order(planned([file("index.html", "two")], {new.path: there("two")}, old.before)) == []


class TestPermanent:
    """Permanent objects are write-once."""

    def test_put_only_where_nothing_is(self):
        """A permanent object is put once, a view whenever it is new."""
        puts = {put.file.path: put.once for step in planned([file(path) for path in SITE], {}).puts for put in step}
        assert {path for path, once in puts.items() if once} == set(filter(is_permanent, SITE))

    @pytest.mark.parametrize("tags", [True, False])
    def test_another_size_is_refused(self, tags: bool):  # noqa: FBT001 - parametrised
        """An object of another size cannot be what was issued."""
        with pytest.raises(IntegrityError, match=r"other bytes.*grade\.json") as refused:
            planned([file(f"{GRADE}/grade.json")], {f"{GRADE}/grade.json": there("longer")}, tags=tags)
        assert refused.value.exit_code == ExitCode.INTEGRITY

    def test_another_digest_is_read_before_anything_is_sent(self):
        """Where neither ETag nor list vouches for an object, it is compared."""
        record = file(f"{GRADE}/grade.json")
        assert planned([record], {record.path: there("two")}).compare == (record,)
        assert planned([record], {record.path: there()}).compare == ()
        assert planned([record], {record.path: there()}, tags=False).compare == (record,)
        assert planned([record], {record.path: there()}, listed(record), tags=False).compare == ()
        other = listed(record, file(f"{GRADE}/index.html"))
        assert planned([record], {record.path: there()}, other, tags=False).compare == (record,)

    def test_a_site_that_is_behind_is_refused(self):
        """A permanent object that the site has not means that the site is older, or lost it."""
        with pytest.raises(IntegrityError, match=r"newest copy.*behind"):
            planned([file("index.html")], {f"{GRADE}/index.html": there()})

    def test_the_page_of_a_version_that_is_not_graded_under_is_a_view(self):
        """It is replaced as a view, and put once more when it is kept for ever, in the place of the view."""
        path = "method/0.1/index.html"
        view, kept = file(path, permanent=False), file(path, "two")
        again = planned([file(path, "two", permanent=False)], {path: there()}, listed(view))
        assert [(put.file.path, put.once) for step in again.puts for put in step] == [(path, False)]
        todo = planned([kept], {path: there()}, listed(view))
        assert [(put.file, put.once) for step in todo.puts for put in step] == [(kept, False)]
        assert path in todo.before.views, "until it is put, it may be replaced"
        assert path not in todo.after.views
        assert planned([], {path: there()}, listed(view)).removals == ((path,),)
        with pytest.raises(IntegrityError, match="other bytes"):
            planned([view], {path: there()})


class TestList:
    """The list that lies in a target."""

    def test_names_what_is_about_to_be_put_without_a_digest(self):
        """A run that is killed leaves no view unknown, and none with a digest that may be wrong."""
        files = [file("a.html", "two"), file("b.html"), file("c.html"), file(f"{GRADE}/grade.json")]
        todo = planned(files, {"a.html": there(), "c.html": there()}, listed(file("a.html"), file("c.html")))
        assert {path: view.sha256 for path, view in todo.before.views.items()} == {
            "a.html": None,
            "b.html": None,
            "c.html": "sha-one",
        }
        assert todo.after == listed(*files)

    def test_decides_where_etags_are_no_digests(self):
        """A view is kept only with the listed size and the listed digest."""
        page = file("a.html")
        kept = planned([page], {page.path: there()}, listed(page), tags=False)
        assert (kept.puts, kept.kept, kept.before) == ((), 1, kept.after)
        for found, published in (
            ("longer", listed(page)),
            ("one", listed(file("a.html", "two"))),
            ("one", Published()),
            ("one", Published(views={"a.html": View(size=3, sha256=None)})),
        ):
            assert order(planned([page], {page.path: there(found)}, published, tags=False)) == [["a.html"]]

    def test_round_trip(self):
        """It is read as it was written, and the same site leaves the same bytes."""
        published = listed(*(file(path) for path in SITE))
        assert read_published(published_bytes(published)) == published
        assert published_bytes(listed(*(file(path) for path in reversed(SITE)))) == published_bytes(published)
        assert read_published(None) == Published()
        put, data = as_file(published)
        assert (put.path, put.size, data) == (PATH, len(data), published_bytes(published))

    @pytest.mark.parametrize("data", [b"", b"[]", b'{"format":2}', b"\xff", b'{"views":{"a":1}}'])
    def test_something_else_in_its_place_is_said(self, data: bytes):
        """One message, with what to do."""
        with pytest.raises(TargetError, match=r"found something else in \.bitdepth/published\.json"):
            read_published(data)

    def test_permanent_files_are_vouched_for_by_the_date_in_their_paths_or_their_folder(self):
        """One night more changes one digest."""
        assert group(f"{GRADE}/grade.json") == "2026-03-08"
        assert group("log/tile/0/000") == "log/tile/0"
        some = [file(f"{GRADE}/grade.json"), file("method/0.1/index.html")]
        more = [*some, file("data/nights/2026-03-09/night.json")]
        assert digests(more).keys() - digests(some).keys() == {"2026-03-09"}
        assert digests(some).items() < digests(more).items()
        assert digests([msgspec.structs.replace(some[0], sha256="other")]) != digests(some[:1])
