"""Slugs over many generated identities: never two alike, and safe as a path on every file system."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from datetime import date

import hostile_payloads
import pytest

from generator.probing.identity import settle
from generator.records import permalink
from generator.records.endpoint import Endpoint
from generator.records.listing import ModelListing
from generator.records.slug import MAX_SLUG, is_plain, path_segment
from tests.probing_makers import listed, listing

SIZES = [20_000, pytest.param(1_000_000, marks=pytest.mark.ci)]
NIGHT = date(2026, 11, 29)
WINDOWS_DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
SAFE = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?")
FORBIDDEN = set('<>:"/\\|?*') | {chr(point) for point in range(32)}
TAGS_A_MODEL = 200

_SWAPS = (
    str.upper, str.lower, str.title, str.swapcase, lambda text: f"{text}.", lambda text: f"{text} ",
    lambda text: f" {text}", lambda text: text.replace("-", "_"), lambda text: text.replace("-", " "),
    lambda text: text.replace("-", "--"), lambda text: text.replace("a", "\u0430"), lambda text: text + "\u200b",
    lambda text: text.replace("e", "e\u0301"), lambda text: text.replace("e", "\u00e9"), lambda text: f"{text}/..",
    lambda text: f"../{text}", lambda text: text.replace("i", "\u0131"), lambda text: text.replace("s", "\u017f"),
    lambda text: text.replace("k", "\u212a"), lambda text: text + "\x00", lambda text: f"{text}:",
    lambda text: text * 9, lambda text: text.replace("ss", "\u00df"), lambda text: f"-{text}",
    lambda text: f"{text}~1", lambda text: text[:1],
)  # fmt: skip
"""What makes another name of a name that is, or looks, or sorts alike somewhere."""


def names(count: int) -> Iterator[str]:
    """Yield so many different names: plain ones, reserved ones, near-copies of them, and payloads."""
    pick = random.Random(count)  # noqa: S311 - repeatable, and no secret
    words = [
        "llama",
        "gemma",
        "3.3",
        "70b",
        "instruct",
        "int4",
        "fp8",
        "class",
        "mass",
        "kiln",
        *sorted(WINDOWS_DEVICES),
    ]
    texts = [payload.text for payload in hostile_payloads.payloads()]
    yield from texts
    seen = set(texts)
    while len(seen) < count:
        name = pick.choice("-._ /").join(pick.choice(words) for _ in range(pick.randint(1, 4)))
        for _ in range(pick.randint(0, 3)):
            name = pick.choice(_SWAPS)(name)
        name += str(pick.randrange(100_000)) if pick.random() < 0.7 else ""
        if name not in seen:
            seen.add(name)
            yield name


def is_safe(segment: str) -> bool:
    """True for a segment that Linux, macOS and Windows all keep as it is, and that no address has to escape."""
    return (
        SAFE.fullmatch(segment) is not None
        and 0 < len(segment) <= MAX_SLUG
        and not set(segment) & FORBIDDEN
        and segment[-1] not in ". "
        and segment.partition(".")[0] not in WINDOWS_DEVICES
        and ".." not in segment
        and segment == segment.casefold()
    )


@pytest.mark.parametrize("count", SIZES)
class TestSegments:
    """'Slugs stay injective over a million generated identities and safe on case-insensitive file systems'."""

    def test_never_two_alike(self, count: int):
        """So many names have so many segments, each of them safe everywhere."""
        segments = set()
        for made, name in enumerate(names(count), start=1):
            segment = path_segment(name)
            assert is_safe(segment), name
            segments.add(segment)
            assert len(segments) == made, name
        assert len(segments) == count

    def test_a_segment_stays_itself(self, count: int):
        """A name that is safe already is its own address, and no other name can take it."""
        plain = [name for name in names(count) if is_plain(name)]
        assert len(plain) > count // 100
        assert [name for name in plain if path_segment(name) != name] == []


def settled(tags: list[str]) -> tuple[Endpoint, ...]:
    """Return the endpoints of models whose tags these are, so many a model, none of them known before."""
    listings: list[ModelListing] = []
    for first in range(0, len(tags), TAGS_A_MODEL):
        entries = [
            listed(tag, "fp8" if place % 3 else None) for place, tag in enumerate(tags[first : first + TAGS_A_MODEL])
        ]
        listings.append(listing(*entries, model=f"author{first}/model"))
    return settle(NIGHT, listings, {})


@pytest.mark.parametrize("count", [2_000, pytest.param(20_000, marks=pytest.mark.ci)])
class TestIdentities:
    """A permanent slug 'is ASCII and safe as a path on every file system, is never reused and never changes'."""

    def test_one_address_for_each_endpoint(self, count: int):
        """Settled as a night settles them, no two endpoints share a path, whatever their tags, and each is safe."""
        tags = list(names(count))
        endpoints = settled(tags)
        assert len(endpoints) == count
        found = {permalink.permalink_path(each.model, each.endpoint, NIGHT, "0.1") for each in endpoints}
        assert len({path.casefold() for path in found}) == count
        for each in endpoints:
            assert is_safe(each.endpoint), each.tag
            assert path_segment(each.endpoint) == each.endpoint
            assert "." not in each.endpoint, "a folder of an endpoint is no file of its model's"

    def test_the_same_again(self, count: int):
        """The same listing gives the same slugs, in whatever order the router lists them."""
        tags = list(names(min(count, 2_000)))
        assert settled(tags) == settled(tags)
        one = tags[:TAGS_A_MODEL]
        assert {each.tag: each.endpoint for each in settled(one)} == {
            each.tag: each.endpoint for each in settled(one[::-1])
        }


@pytest.mark.parametrize(
    "model",
    [
        "a/b",
        "A/b",
        "a/B",
        "a//b",
        "/a/b",
        "a/b/",
        "a",
        "_/a",
        "_",
        "",
        "a\\b",
        "a/.",
        "a/..",
        "../a",
        "a/b/c",
        "con/nul",
    ],
)
def test_a_model_is_two_folders_deep(model: str):
    """Whatever a model is called, its page lies two folders below models/, and nowhere else."""
    top, author, name, end = permalink.model_path(model).split("/")
    assert (top, end) == ("models", "")
    assert author == "_" or is_safe(author)
    assert is_safe(name)


def test_no_two_of_them_share_an_address():
    """Models whose names differ by a slash, a case or an empty part have pages of their own."""
    models = [
        "a/b",
        "A/b",
        "a/B",
        "a//b",
        "/a/b",
        "a/b/",
        "a",
        "_/a",
        "_",
        "",
        "/",
        "//",
        "a/",
        "/a",
        "a\\b",
        "x/x",
        "x",
    ]
    assert len({permalink.model_path(model) for model in models}) == len(models)
