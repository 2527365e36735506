"""Addresses of folders and buckets: what is one, what holds another, and what is never one."""

from __future__ import annotations

import pytest

from generator.records.store_address import named, parse_store_address


@pytest.mark.parametrize(
    ("text", "parts", "url"),
    [
        ("file:///a/b%20c", ("file", "", "/a/b%20c"), "file:///a/b%20c"),
        ("s3://bucket", ("s3", "bucket", ""), "s3://bucket"),
        ("s3://bucket/", ("s3", "bucket", ""), "s3://bucket"),
        ("gs://bucket/a//b/", ("gs", "bucket", "a/b"), "gs://bucket/a/b"),
        ("az://container/a", ("az", "container", "a"), "az://container/a"),
    ],
)
def test_an_address_names_scheme_bucket_and_path(text: str, parts: tuple[str, str, str], url: str):
    """A prefix has no '/' at its ends, and the address reads the same again."""
    found = parse_store_address(text)
    assert found is not None
    assert (found.scheme, found.bucket, found.path, found.url) == (*parts, url)
    assert parse_store_address(found.url) == found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "archive",
        "/archive",
        "file://host/a",
        "file:a",
        "file:///a?b",
        "s3:///a",
        "s3://",
        "http://bucket/a",
        "s3://key:secret@bucket/a",
        "s3://bucket/a?key=secret",
        "s3://bucket/a#b",
        "s3://bucket/a b",
        "s3://bucket\n",
    ],
)
def test_anything_else_is_none(text: str):
    """Whatever could hold a credential, above all."""
    assert parse_store_address(text) is None


@pytest.mark.parametrize(
    ("one", "other", "overlap"),
    [
        ("s3://b/x", "s3://b/x", True),
        ("s3://b", "s3://b/x", True),
        ("s3://b/x/y", "s3://b/x", True),
        ("s3://b/x", "s3://b/xy", False),
        ("s3://b/x", "gs://b/x", False),
        ("s3://b/x", "s3://c/x", False),
        ("file:///a", "file:///a/b", True),
        ("file:///a", "file:///b", False),
    ],
)
def test_one_place_may_hold_another(one: str, other: str, *, overlap: bool):
    """Or be the same; whichever is asked first."""
    first, second = parse_store_address(one), parse_store_address(other)
    assert first is not None
    assert second is not None
    assert first.overlaps(second) is second.overlaps(first) is overlap


@pytest.mark.parametrize(
    ("text", "said"), [("ftp://secret", "one that begins with ftp:"), ("secret", "none"), ("s" * 21 + ":x", "none")]
)
def test_of_a_refused_one_its_scheme_alone_is_told(text: str, said: str):
    """The rest may be secret."""
    assert named(text) == said
