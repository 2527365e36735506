"""Which models a night is about: those named, and those that the rule finds."""

from __future__ import annotations

import json

import pytest

from generator.probing.interface import Watch
from generator.probing.watching import candidates, named, watched_by_rule
from generator.probing.wire_listing import ListedModel, parse_models
from tests.probing_makers import BODIES, listed, listing

RULE = Watch(min_providers=2)


def model(slug: str, model_id: str | None = None, *, priced: bool = True) -> ListedModel:
    """Return one entry of a list of models."""
    return ListedModel(
        model=slug, model_id=model_id or slug, reasoning_mandatory=False, reasoning_supported=False, priced=priced
    )


def found(watch: Watch, *models: ListedModel) -> list[str]:
    """Return the ids of the models that the rule may watch."""
    return [each.model_id for each in candidates(watch, models)]


class TestNamed:
    def test_by_slug_before_id_and_each_once(self):
        """A name is a slug first, then an id; two names of one model are one model, in the watch's order."""
        models = (model("a/x-1", "a/x"), model("a/y-1", "a/y"), model("a/x", "a/z"))
        watch = Watch(models=("a/y", "a/x", "a/gone", "a/y-1"))
        assert [each.model_id for each in named(watch, models)] == ["a/y", "a/z"]

    def test_a_variant_is_not_asked(self):
        """A variant is another offer under the same slug: whoever names it is not given it."""
        models = (model("a/x-1", "a/x:free"), model("a/x-1", "a/x"))
        assert named(Watch(models=("a/x-1",)), models) == (models[1],)
        assert named(Watch(models=("a/x:free",)), models) == ()
        assert named(Watch(models=("a/x:free", "a/x")), models) == (models[1],)


class TestCandidates:
    def test_none_without_a_rule(self):
        """Without a rule there is nothing to find."""
        assert found(Watch(models=("a/x",)), model("a/x"), model("a/y")) == []

    def test_by_slug_but_for_those_named(self):
        """Candidates are sorted, and a model that is named already is none."""
        assert found(Watch(models=("a/y",), min_providers=2), model("a/z"), model("a/y"), model("a/x")) == [
            "a/x",
            "a/z",
        ]

    def test_no_variant_no_alias_and_no_router(self):
        """':free' is another offer, '~' leads to another model tomorrow, and '-1' chooses a model by itself."""
        models = (model("a/x:free"), model("~a/latest"), model("openrouter/auto", priced=False), model("a/x"))
        assert found(RULE, *models) == ["a/x"]

    def test_the_plain_id_of_a_slug(self):
        """A slug's own id is asked for, whatever else is listed under the slug."""
        assert found(RULE, model("a/x-1", "a/x:free"), model("a/x-1", "a/y"), model("a/x-1", "a/x")) == ["a/x"]

    def test_what_settings_leave_out(self):
        """A model is left out by its slug or by its id, even one that was watched last night."""
        watch = Watch(min_providers=2, exclude=frozenset({"a/x-1", "a/y"}), stay=frozenset({"a/x-1"}))
        assert found(watch, model("a/x-1", "a/x"), model("a/y-1", "a/y"), model("a/z-1", "a/z")) == ["a/z"]


@pytest.mark.parametrize(
    ("tags", "stays", "watched"),
    [("ab", False, False), ("abc", False, True), ("ab", True, True), ("a", True, False), ("", True, False)],
)
def test_watched_by_rule(tags: str, stays: bool, watched: bool):  # noqa: FBT001 - a case
    """Three providers are enough; two are for a model that was watched last night."""
    watch = Watch(min_providers=3, stay=frozenset({"author/model"} if stays else ()))
    assert watched_by_rule(watch, listing(*(listed(tag) for tag in tags))) is watched


def test_providers_are_counted_not_endpoints():
    """Two endpoints of one provider are one provider, however its name is written."""
    twice = listing(listed("a/fp8", provider="Elm"), listed("b", provider="ELM"))
    assert not watched_by_rule(RULE, twice)


def test_a_real_list_of_models():
    """Of 321 entries of May 2025 the router itself and every ':free' and ':thinking' variant are no candidates."""
    body = (BODIES / "roo_nock_openrouter-models_2025-05-23.json").read_bytes()
    ids = found(RULE, *parse_models(body))
    plain = {entry["id"] for entry in json.loads(body)["data"] if ":" not in entry["id"]}
    assert set(ids) == plain - {"openrouter/auto"}
