"""The candidate's shipped evidence follows from the recording, the two definitions and its recorded seed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from generator.content import Content
from generator.records.candidate import CandidateEvidence, Combination
from generator.records.canonical import canonical_json
from generator.records.grade import Letter
from generator.workflows.evidence import (
    BASE,
    CANDIDATE,
    CANDIDATE_RULES,
    MIN_SHARE,
    candidate_evidence,
    combined,
    graded_draw,
    letters_of,
)
from generator.workflows.evidence_kernels import kernels
from generator.workflows.evidence_simulated import simulated_rules
from generator.workflows.replaying import Replay
from tests.kept_site import Silent

ROOT = Path(__file__).parent.parent
FILE = ROOT / "content" / "calibration" / "candidate-0.2.json"
CONTENT = Content(ROOT)


@pytest.fixture(scope="module")
def shipped() -> CandidateEvidence:
    """Return the shipped evidence."""
    (evidence,) = CONTENT.candidate_evidence()
    return evidence


@pytest.fixture(scope="module")
def replay() -> Replay:
    """Return the recording, judged."""
    return Replay()


class TestTheShippedFile:
    def test_it_is_canonical(self, shipped: CandidateEvidence) -> None:
        """The file holds the record's canonical JSON and nothing else."""
        assert FILE.read_bytes() == canonical_json(shipped)

    def test_at_least_thirty_draws_of_all_eight_combinations(self, shipped: CandidateEvidence) -> None:
        """Each of the eight ways to turn the three rules on and off stands once, over at least 30 draws of 7 nights."""
        found = {each.combination for each in shipped.combinations}
        assert len(found) == len(shipped.combinations) == 8
        assert shipped.draws >= 30
        assert shipped.nights == 7
        assert len(shipped.letters_by_draw) == shipped.draws

    def test_it_is_of_the_definitions_that_are_shipped(self, shipped: CandidateEvidence) -> None:
        """Level and own variation are the candidate's, and the candidate is 0.1 with the rules that the file names."""
        candidate = CONTENT.method(CANDIDATE).definition
        margin = candidate.margin
        assert margin is not None
        assert (shipped.margin_level_percent, shipped.margin_own_variation) == (str(margin.level), margin.own_variation)
        assert shipped.min_share_percent == str(MIN_SHARE)
        made = combined(CONTENT.method(BASE).definition, candidate, CANDIDATE_RULES)
        assert (made.floor, made.margin, made.reference) == (candidate.floor, candidate.margin, candidate.reference)

    @pytest.mark.parametrize("place", [0, 17, -1])
    def test_a_draw_made_again_reads_the_same(self, shipped: CandidateEvidence, replay: Replay, place: int) -> None:
        """Every letter of a draw follows from the recorded seed and the draw's number."""
        base, candidate = CONTENT.method(BASE), CONTENT.method(CANDIDATE)
        draw = graded_draw(replay, base, candidate, shipped.seed, range(shipped.draws)[place])
        read = {combination: letters_of(grades) for combination, grades in draw.grades.items()}
        recorded = dict(
            zip([each.combination for each in shipped.combinations], shipped.letters_by_draw[place], strict=True)
        )
        assert read == recorded

    def test_counts_follow_from_the_draws(self, shipped: CandidateEvidence) -> None:
        """Each endpoint's counts are its letters over the draws, and add up to them."""
        for index, combination in enumerate(shipped.combinations):
            for place, endpoint in enumerate(combination.endpoints):
                counted = Counter(draw[index][place] for draw in shipped.letters_by_draw)
                assert counted.pop("-", 0) == endpoint.m_not_measured
                assert counted == endpoint.m
                assert sum(endpoint.grades.values()) == shipped.draws

    def test_the_kernels_made_again(self, shipped: CandidateEvidence, replay: Replay) -> None:
        """Agreement with itself and with the plurality is counted on the recording alone."""
        assert kernels(replay, CONTENT.method(BASE).definition) == shipped.kernels

    @pytest.mark.long
    def test_the_whole_file_made_again(self, shipped: CandidateEvidence) -> None:
        """All of it, byte for byte."""
        made = candidate_evidence(CONTENT, draws=shipped.draws, progress=Silent(), seed=shipped.seed)
        assert canonical_json(made) == FILE.read_bytes()

    @pytest.mark.long
    def test_the_simulations_made_again(self, shipped: CandidateEvidence) -> None:
        """Every invented fleet reads the same again."""
        base, candidate = CONTENT.method(BASE), CONTENT.method(CANDIDATE)
        assert simulated_rules(base, candidate, seed=shipped.seed, progress=Silent()) == shipped.simulated


class TestWhatItShows:
    def test_repeating_itself_is_no_agreement(self, shipped: CandidateEvidence) -> None:
        """A host that repeats itself exactly, on the model's own weights, answers some prompts steadily otherwise.

        A floor made of self-disagreement cannot cover it.
        """
        fir = [each for each in shipped.kernels if each.endpoint == "fir"]
        assert len(fir) == 2
        for host in fir:
            assert host.repeated is None
            assert host.equal_to_reference
            assert host.steadily_otherwise.part > 0

    def test_a_statement_holds_or_says_that_it_does_not(self, shipped: CandidateEvidence) -> None:
        """A statement about every window holds exactly where all of them were counted."""
        every = [check for check in shipped.checks if "every window" in check.statement.casefold()]
        assert len(every) >= 6
        for check in every:
            assert check.holds == (check.part == check.whole)
            assert check.found.startswith(f"{check.part} of {check.whole} ")

    def test_a_majority_that_is_different_is_the_reference(self, shipped: CandidateEvidence) -> None:
        """Where most listings play one different host, the rules hold the others against it: they fail there."""
        most = [
            each
            for each in shipped.few
            if each.case.startswith("Three listings") and each.combination == CANDIDATE_RULES
        ]
        assert most
        for each in most:
            assert each.honest[Letter.D] > each.honest.get(Letter.A, 0)

    def test_few_covers_two_to_five_endpoints(self, shipped: CandidateEvidence) -> None:
        """Models with 2, 3, 4 and 5 endpoints stand in the file, under 0.1's rules and under the candidate's."""
        assert {each.endpoints for each in shipped.few} == {2, 3, 4, 5}
        none = Combination(fleet_floor=False, margin=False, min_share=False)
        assert {each.combination for each in shipped.few} == {none, CANDIDATE_RULES}
        for each in shipped.few:
            read = sum(each.honest.values()) + sum(each.different.values()) + each.not_measured
            assert read == each.windows * each.endpoints
