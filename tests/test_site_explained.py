"""The latest grade explained on its endpoint's page, what is shown and not graded, and letters between versions."""

from __future__ import annotations

import msgspec
import pytest
import site_evidence as evidence
import site_material as made

from generator.records import permalink
from generator.records.explanation import Explanation
from generator.records.grade import Letter
from generator.site import views
from generator.site.explained import explained
from generator.site.shown_tables import tokens_words

ALDER = permalink.endpoint_path(made.TREES, "alder") + "index.html"
BIRCH = permalink.endpoint_path(made.TREES, "birch") + "index.html"
DIFFERENCES = "method/differences/index.html"
LIVE = made.sites()["live"]
EXPLANATION = evidence.explanation(made.current_alder())


def rendered(path: str, **changes: object) -> str:
    """Return what a view of a changed material says."""
    return made.page_text(dict(views.render(made.material(**changes), made.TEMPLATES))[path])


class TestExplained:
    """'The same table stands on the endpoint's page for its latest grade'."""

    SAID = made.page_text(LIVE[ALDER])

    def test_which_prompts_differed_and_how(self):
        """Both answers and the prompt stand in <pre>, a hostile one made visible, with who gave the reference."""
        tree = made.parsed(LIVE[ALDER])
        table = next(each for each in tree.iter("table") if each.get("class") == "differ")
        rows = [["".join(pre.itertext()) for pre in row.iter("pre")] for row in table.findall("tbody/tr")]
        assert rows == [
            ["copy: say", "say", "</pre><script>alert('answer')</script>\\u202etxet"],
            ["copy: say", "say", "other"],
        ]
        assert "2026-11-20 (7 of 11), 2026-11-21 (7 of 11)" in made.text_of(table)

    def test_prompts_that_were_answered_alike_are_left_out(self):
        """The page stays light: copy-fixed-01 was the reference on every night."""
        assert "copy-fixed-01" not in self.SAID
        assert "Answers that are not the reference: 3, on 1 prompt " in self.SAID

    def test_floors_with_the_sorted_list_they_came_from(self):
        """Values smallest first, the index taken, the fleet's median, and the median against the threshold."""
        floor = "copy 0, 1.39; the one at index 1, counted from 0; not below the fleet's median mismatch, 1.39 % 1.39 %"
        assert f"{floor} stable: median 99.31 %, threshold 90 %" in self.SAID
        assert "sort none no floor not stable" in self.SAID

    def test_counted_against_allowed(self):
        """Each night with its counts, what is allowed, and the chance that a margin asks about."""
        assert "2026-11-20 96 1 3.5 within: so many by chance 0.4 %, level 1 %" in self.SAID
        assert "2026-11-21 96 1 3.5 within 2026-11-22" in self.SAID
        assert "2026-11-20, copy 12 1 1.39 % 3.5" in self.SAID

    def test_failures_by_kind(self):
        """The code, the status and who served it, with the nights."""
        assert "error server_error, HTTP 503 <i>Mirror\\u202e</i> 2 2026-11-20 (2)" in self.SAID

    def test_without_a_failure_there_is_no_such_table(self):
        """Where every request ended with an answer nothing is listed."""
        reliability = EXPLANATION.reliability
        assert reliability is not None
        whole = msgspec.structs.replace(EXPLANATION, reliability=msgspec.structs.replace(reliability, failures=()))
        captions = [table.caption for table in explained(whole).tables]
        assert "Requests that did not end with an answer, by kind" not in captions
        assert "Requests that did not end with an answer, by kind" in self.SAID

    def test_what_would_have_changed_the_letter(self):
        """The grade first, then column by column."""
        assert "The grade at B A column that reads B. M at C Outside on one night: 4 mismatches." in self.SAID

    def test_own_variation(self):
        """Pairs that differ of all, what is allowed, and the prompts with the nights that show it."""
        assert "1 of 576 pairs of stable families differ, 3.5 allowed" in self.SAID
        assert "copy-fixed-00 copy 2026-11-21" in self.SAID

    def test_only_of_the_grade_that_leads_the_page(self):
        """An explanation of another grade than the latest one is left out."""
        other = msgspec.structs.replace(EXPLANATION, grade=made.grade(r_errors=4))
        said = rendered(ALDER, explanations={(made.TREES, "alder"): other})
        assert "The grade, explained" not in said
        assert "The grade, explained" in self.SAID

    def test_an_endpoint_without_one_says_nothing_of_it(self):
        """Where there is no explanation there is no heading and no link to it."""
        page = made.parsed(LIVE[BIRCH])
        assert page.find(".//h2[@id='explained']") is None
        assert "How the letter came about" not in made.page_text(LIVE[BIRCH])

    def test_columns_that_were_not_explained_are_left_out(self):
        """An explanation narrowed to nothing has no tables and no answers."""
        bare: Explanation = EXPLANATION.only(frozenset())
        found = explained(bare)
        assert (found.columns, found.differing, found.answers, found.tables, found.folded) == ((), (), 0, (), ())
        assert [name for name, _ in found.turns] == ["The grade at B"]


class TestShownNotGraded:
    """'Also shown, not graded'."""

    def test_prompt_tokens_in_counts(self):
        """'n prompts had the most common count, m had k more', and k fewer."""
        assert "Prompt tokens Prompts the most common count 840" in made.page_text(LIVE[ALDER])
        assert "Prompt tokens Prompts 3 fewer 1 20 more 839" in made.page_text(LIVE[BIRCH])

    @pytest.mark.parametrize(
        ("extra", "words"),
        [(0, "the most common count"), (20, "20 more"), (-1, "1 fewer"), (12345, "12,345 more")],
    )
    def test_words(self, extra: int, words: str):
        """A count has no floor, so each difference may be worded."""
        assert tokens_words(extra) == words

    def test_change_by_night(self):
        """A swap shows on one night: 52 of 96 pairs, and 0 on the one before."""
        assert "2026-11-25 to 2026-11-26 96 0 2026-11-26 to 2026-11-27 96 52" in made.page_text(LIVE[BIRCH])

    def test_endpoints_behind_each_reference(self):
        """The model's page has the distribution, with the pairs that have no reference."""
        said = made.page_text(LIVE[permalink.model_path(made.TREES) + "index.html"])
        assert "Behind the reference Pairs no reference 31 2 endpoints 3 4 endpoints 806" in said

    def test_nothing_counted_shows_nothing(self):
        """A model and endpoints of which nothing was counted have no such section."""
        bare = tuple(
            msgspec.structs.replace(model, references=(), without_reference=0, endpoints=(made.shown("alder", ()),))
            for model in made.material().models
        )
        files = dict(views.render(made.material(models=bare), made.TEMPLATES))
        assert "Behind each reference" not in made.page_text(files[permalink.model_path(made.TREES) + "index.html"])
        assert "Prompt tokens that" not in made.page_text(files[ALDER])
        assert "Shown, not graded" in made.page_text(files[ALDER])
        assert "Shown, not graded" not in made.page_text(files[BIRCH])


class TestDifferences:
    """'which letters of the latest window differ between the current version and each candidate, and by which rule'."""

    def test_lists_both_letters_whole_and_the_rules(self):
        """Each letter with version, columns and standing; the rules in words; how many were graded under both."""
        said = made.page_text(LIVE[DIFFERENCES])
        assert "Window to 2026-11-27: 1 endpoint graded under both, 1 with letters that differ." in said
        row = (
            "Alder google/gemma-3-270m A 0.1 · M A T A D A R A provisional, current B 0.2 · M B T A D A R A provisional"
        )
        assert f"{row}, candidate fleet floor; margin" in said

    def test_letters_lead_to_their_permanent_pages(self):
        """Both letters are links to the pages that stay."""
        hrefs = {a.get("href") for a in made.parsed(LIVE[DIFFERENCES]).iter("a")}
        for version in ("0.1", "0.2"):
            path = permalink.permalink_path(made.TREES, "alder", made.RECORDED[-1], version)
            assert f"../../{path}index.html" in hrefs

    def test_is_there_only_where_two_versions_graded_the_same_window(self):
        """Without a candidate's grade of the latest window there is no page, and no link to one."""
        grades = tuple(each for each in made.history() if each.method_version != "0.2")
        files = dict(views.render(made.material(grades=grades, differences=()), made.TEMPLATES))
        assert DIFFERENCES not in files
        assert "Letters that differ" not in made.page_text(files["method/index.html"])
        assert DIFFERENCES not in made.sites()["empty"]
        assert "Letters that differ" in made.page_text(LIVE["method/index.html"])

    def test_no_difference_is_said_in_counts(self):
        """Where all letters are alike the page says so, without a table."""
        said = rendered(DIFFERENCES, differences=())
        assert "1 endpoint graded under both, 0 with letters that differ." in said
        assert "By which rule" not in said

    def test_alphabetical_and_of_that_window_alone(self):
        """Rows stand by model and endpoint; a difference of another window is left out."""
        one = made.difference()
        changes = (
            msgspec.structs.replace(one, endpoint="zelkova"),
            msgspec.structs.replace(one, endpoint="acacia", by=()),
            msgspec.structs.replace(one, endpoint="older", window_end=made.RECORDED[-2]),
        )
        said = rendered(DIFFERENCES, differences=(one, *changes))
        order = [said.index(name) for name in ("acacia", "Alder", "zelkova")]
        assert order == sorted(order)
        assert "older" not in said
        assert "not attributed to one rule" in said


class TestSuperseded:
    """'an earlier letter always stands with its version and four column letters and a link to its permanent page'."""

    def test_without_its_columns_an_earlier_letter_is_not_printed(self):
        """Where the context lacks the earlier grade, the page links to it and says no letter."""
        grade = made.current_alder()
        context = msgspec.structs.replace(made.context(grade, made.material()), superseded=())
        page = made.permanent_page(grade, context)
        assert "The grade under method version 0.0." in made.page_text(page)
        assert "B 0.0" not in made.page_text(page)
        assert any(a.get("href") == "../v0.0/index.html" for a in made.parsed(page).iter("a"))

    def test_with_its_columns_it_is_linked_relatively(self):
        """The earlier letter's short form is the link."""
        grade = made.current_alder()
        page = made.parsed(made.permanent_page(grade, made.context(grade, made.material())))
        said = {a.get("href"): made.text_of(a) for a in page.iter("a")}
        assert said["../v0.0/index.html"] == "B 0.0 · M B T A D A R A"

    def test_a_version_that_nothing_supersedes_is_only_not_current(self):
        """A candidate that is one no longer, and never was current, is not called superseded."""
        current = msgspec.structs.replace(made.current_alder(), supersedes=())
        dropped = msgspec.structs.replace(current, method_version="0.2", letter=Letter.B, m_letter=Letter.B)
        said = rendered(ALDER, settings=made.settings(), grades=(current, dropped), differences=(), explanations={})
        assert "B 0.2 · M B T A D A R A provisional, version not current" in said
        assert "superseded" not in said
