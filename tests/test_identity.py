"""Endpoint identity: the five rules of the method, and what stands for inseparable entries."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.probing.identity import base_of, first_listed_void, settle
from generator.records.endpoint import Endpoint, KnownEndpoint
from generator.records.listing import ListedEndpoint
from generator.records.slug import is_plain
from tests.probing_makers import known, listed, listing

NIGHT = date(2026, 11, 29)
EARLIER = date(2026, 11, 1)


def settled(*entries: ListedEndpoint, past: tuple[KnownEndpoint, ...] = ()) -> dict[str, Endpoint]:
    """Return tonight's endpoints of one model by slug."""
    found = settle(NIGHT, (listing(*entries),), {"author/model": past})
    assert [endpoint.endpoint for endpoint in found] == sorted({endpoint.endpoint for endpoint in found})
    return {endpoint.endpoint: endpoint for endpoint in found}


class TestBase:
    """The precision part of a tag is a last segment equal to the listing's own quantization, case ignored."""

    @pytest.mark.parametrize(
        ("tag", "quantization", "base"),
        [
            ("elm/fp8", "fp8", "elm"),
            ("elm/FP8", "fp8", "elm"),
            ("elm/turbo/fp8", "fp8", "elm/turbo"),
            ("elm/fp8", "int4", "elm/fp8"),
            ("elm/fp8", None, "elm/fp8"),
            ("elm/fp8", "fp4+fp8", "elm"),
            ("elm/unknown", "fp8+unknown", "elm/unknown"),
            ("elm", None, "elm"),
            ("fp8", "fp8", "fp8"),
            ("/fp8", "fp8", "/fp8"),
            ("elm/", "", "elm/"),
        ],
    )
    def test_tags(self, tag: str, quantization: str | None, base: str):
        """A base is the tag without its precision part, and never nothing."""
        assert base_of(tag, quantization) == base


class TestRule1:
    """The latest tag of an endpoint already known for the model: that endpoint."""

    def test_it_keeps_its_slug_and_its_first_night(self):
        """A known tag is the endpoint it was, whatever its slug reads like."""
        past = known("oak", "elm/fp8", "elm", first_listed=EARLIER)
        found = settled(listed("elm/fp8", "fp8"), past=(past,))
        assert list(found) == ["oak"]
        assert (found["oak"].first_listed, found["oak"].succeeded_from) == (EARLIER, None)

    def test_after_any_absence(self):
        """An endpoint that comes back after nights away is the same one."""
        past = known("elm", "elm/fp8", "elm", first_listed=EARLIER, on_last_recorded_night=False)
        assert settled(listed("elm/fp8", "fp8"), past=(past,))["elm"].first_listed == EARLIER

    def test_known_from_void_nights_alone(self):
        """What was only ever listed on void nights keeps its slug and is first listed tonight."""
        past = known("elm", "elm/fp8", "elm", on_last_recorded_night=False)
        assert settled(listed("elm/fp8", "fp8"), past=(past,))["elm"].first_listed == NIGHT

    def test_of_this_model(self):
        """What another model's endpoint was called says nothing."""
        other = {"author/other": (known("oak", "elm/fp8", "elm", model="author/other"),)}
        (found,) = settle(NIGHT, (listing(listed("elm/fp8", "fp8")),), other)
        assert found.endpoint == "elm"


class TestRule2:
    """Exactly one known endpoint of that base listed on the last recorded night and gone, exactly one newcomer."""

    ELM = known("elm", "elm/fp8", "elm", first_listed=EARLIER)

    def test_a_changed_precision_is_a_succession(self):
        """The endpoint goes on under its slug; the night notes the earlier tag."""
        found = settled(listed("elm/int4", "int4"), past=(self.ELM,))
        assert list(found) == ["elm"]
        assert (found["elm"].tag, found["elm"].succeeded_from) == ("elm/int4", "elm/fp8")
        assert (found["elm"].first_listed, found["elm"].declared_precision) == (EARLIER, "int4")

    def test_a_withdrawn_precision_too(self):
        """From a tag with precision to a bare one, and back."""
        assert settled(listed("elm"), past=(self.ELM,))["elm"].succeeded_from == "elm/fp8"
        bare = known("elm", "elm", "elm")
        assert settled(listed("elm/fp8", "fp8"), past=(bare,))["elm"].succeeded_from == "elm"

    def test_not_while_the_old_one_is_still_there(self):
        """A second precision beside the first is a new endpoint."""
        found = settled(listed("elm/fp8", "fp8"), listed("elm/int4", "int4"), past=(self.ELM,))
        assert sorted(found) == ["elm", "elm-int4"]
        assert found["elm-int4"].first_listed == NIGHT
        assert found["elm-int4"].succeeded_from is None

    def test_not_where_two_arrive(self):
        """Two newcomers for one that is gone: nobody can say which, both are new."""
        found = settled(listed("elm/int4", "int4"), listed("elm/bf16", "bf16"), past=(self.ELM,))
        assert sorted(found) == ["elm-bf16", "elm-int4"]

    def test_not_where_two_are_gone(self):
        """Two gone for one newcomer: it is new."""
        past = (self.ELM, known("elm-int4", "elm/int4", "elm"))
        assert sorted(settled(listed("elm/bf16", "bf16"), past=past)) == ["elm-bf16"]

    def test_not_where_it_was_gone_before(self):
        """One that the last recorded night no longer listed is not succeeded."""
        past = known("elm", "elm/fp8", "elm", on_last_recorded_night=False)
        assert sorted(settled(listed("elm/int4", "int4"), past=(past,))) == ["elm-int4"]

    def test_not_another_base(self):
        """A variant or a region is another base."""
        assert sorted(settled(listed("elm/turbo/int4", "int4"), past=(self.ELM,))) == ["elm-turbo"]

    def test_one_gone_long_ago_does_not_stand_in_the_way(self):
        """Only who was listed on the last recorded night counts as gone now."""
        past = (self.ELM, known("elm-int4", "elm/int4", "elm", on_last_recorded_night=False))
        assert settled(listed("elm/bf16", "bf16"), past=past)["elm"].succeeded_from == "elm/fp8"


class TestRule3:
    """A slug from its base, from its full tag where the base is taken; ASCII, never reused."""

    def test_a_taken_base(self):
        """An old endpoint's slug is not given again, however long it is gone."""
        past = known("elm", "elm/int4", "elm", on_last_recorded_night=False)
        assert sorted(settled(listed("elm/fp8", "fp8"), past=(past,))) == ["elm-fp8"]

    def test_base_and_tag_taken(self):
        """Then a number makes it another."""
        past = tuple(
            known(slug, f"x/{slug}", "x", on_last_recorded_night=False) for slug in ("elm", "elm-fp8", "elm-fp8-2")
        )
        assert sorted(settled(listed("elm/fp8", "fp8"), past=past)) == ["elm-fp8-3"]

    def test_two_newcomers_of_one_base(self):
        """The first by tag is given the base."""
        found = settled(listed("elm/int4", "int4"), listed("elm"), listed("elm/fp8", "fp8"))
        assert {slug: endpoint.tag for slug, endpoint in found.items()} == {
            "elm": "elm",
            "elm-fp8": "elm/fp8",
            "elm-int4": "elm/int4",
        }

    @given(
        st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=8, unique=True),
        st.sampled_from([None, "fp8", "Fp8", "é"]),
    )
    def test_any_tags(self, tags: list[str], precision: str | None):
        """Whatever tags a router lists, slugs are safe in a path, unique, and the same again the next night."""
        entries = [listed(tag, precision) for tag in tags]
        first = settle(NIGHT, (listing(*entries),), {})
        assert all(is_plain(endpoint.endpoint) and "/" not in endpoint.endpoint for endpoint in first)
        assert len({endpoint.endpoint for endpoint in first}) == len(tags)
        past = tuple(
            known(e.endpoint, e.tag, base_of(e.tag, e.declared_precision), first_listed=e.first_listed) for e in first
        )
        again = settle(date(2026, 11, 30), (listing(*reversed(entries)),), {"author/model": past})
        assert again == first


class TestRule4:
    """Two listed endpoints with one and the same tag are one endpoint."""

    def test_two_of_one_tag(self):
        """Their count is noted, and their raw JSON stands in an array."""
        found = settled(listed("elm/fp8", "fp8", raw='{"b":1}'), listed("elm/fp8", "fp8", raw='{"a":1}'))
        assert (found["elm"].listings, found["elm"].declared_precision) == (2, "fp8")
        assert json.loads(found["elm"].raw) == [{"a": 1}, {"b": 1}]

    def test_one_alone(self):
        """A single entry's raw JSON is as the router gave it."""
        found = settled(listed("elm/fp8", "fp8"))
        assert (found["elm"].listings, json.loads(found["elm"].raw)["tag"]) == (1, "elm/fp8")

    @pytest.mark.parametrize(
        ("precisions", "joined"),
        [(("int4", "fp8"), "fp8+int4"), (("fp8", None), "fp8+unknown"), ((None, None), None), (("a", "b", "a"), "a+b")],
    )
    def test_different_precisions_are_sorted_and_joined(self, precisions: tuple[str | None, ...], joined: str | None):
        """What is joined does not depend on the router's order."""
        entries = [listed("elm", precision) for precision in precisions]
        assert settled(*entries)["elm"].declared_precision == joined
        assert settled(*reversed(entries)) == settled(*entries)

    def test_each_claim_is_the_one_nobody_relies_on_in_vain(self):
        """Smallest context and limit, highest price, lowest status; no price where one has none."""
        first = listed("elm", context_length=100, max_completion_tokens=None, status=0, price_completion=None)
        second = listed("elm", context_length=50, max_completion_tokens=9, status=-5, price_prompt=Decimal(1))
        found = settled(first, second)["elm"]
        assert (found.context_length, found.max_completion_tokens, found.status) == (50, 9, -5)
        assert (found.price_prompt, found.price_completion) == (Decimal(1), None)

    def test_without_a_tag(self):
        """Entries for which the provider's name serves as tag are told apart no better."""
        found = settled(listed("Elm AI", provider="Elm AI"), listed("Elm AI", "fp8", provider="Elm AI"))
        assert list(found) == ["elm-ai"]
        assert found["elm-ai"].listings == 2

    def test_one_of_them_leaves(self):
        """The tag stays, and so does the endpoint."""
        past = known("elm", "elm/fp8", "elm")
        assert settled(listed("elm/fp8", "fp8"), past=(past,))["elm"].listings == 1


def test_sorted_by_model_and_slug():
    """Endpoints come in the order of listings.parquet."""
    models = (listing(listed("oak"), listed("elm"), model="b/b"), listing(listed("elm"), model="a/a"))
    found = settle(NIGHT, models, {})
    assert [(e.model, e.endpoint) for e in found] == [("a/a", "elm"), ("b/b", "elm"), ("b/b", "oak")]


def test_a_void_night_is_nobodys_first():
    """On a void night, only what was listed on a recorded night before has a first night."""
    past = known("elm", "elm", "elm", first_listed=EARLIER)
    found = settle(NIGHT, (listing(listed("elm"), listed("oak")),), {"author/model": (past,)})
    assert [e.first_listed for e in found] == [EARLIER, NIGHT]
    assert [e.first_listed for e in first_listed_void(found, NIGHT)] == [EARLIER, None]


def test_a_tag_named_twice_belongs_to_who_bore_it_last():
    """Where an archive names a tag twice, the endpoint of the last recorded night has it, in any order."""
    old = known("a", "elm", "elm", on_last_recorded_night=False)
    new = known("b", "elm", "elm")
    assert list(settled(listed("elm"), past=(old, new))) == ["b"]
    assert list(settled(listed("elm"), past=(new, old))) == ["b"]
