"""What a calibration chooses, each figure worked out by hand, and what it writes and refuses."""

from __future__ import annotations

import shutil
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import msgspec
import pytest

from generator.errors import ContentError, UsageError
from generator.method.calibration import choose_latency, choose_threshold, families_of, share, side_by_side
from generator.records.calibration import (
    CalibrationEvidence,
    CalibrationRule,
    FamilyCalibration,
    LatencyChoice,
    significant,
)
from generator.records.canonical import canonical_json
from generator.records.grade import Column, Grade, Letter
from generator.records.share import Share
from generator.workflows.calibrating import calibrate, prompts_so_far
from generator.workflows.calibrating_text import calibrated_definition
from generator.workflows.world import Root
from tests.kept_site import FIRST, MODEL, Silent, make_root
from tests.method_variants import METHOD, TOML

MADE = date(2026, 3, 20)
SEED = "5a" * 32
RULE = CalibrationRule(draws=3, equal_endpoints=(2, 3))


def families(*percents: str) -> list[FamilyCalibration]:
    """Return families with these median self-agreements, in percent."""
    return [
        FamilyCalibration(
            model="m",
            family=f"f{place}",
            endpoints=(),
            floor=None,
            median_self_agreement=share(Fraction(percent) / 100),
            enters=True,
        )
        for place, percent in enumerate(percents)
    ]


@pytest.fixture(scope="module")
def fourteen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a root with fourteen recorded nights, never written into."""
    path = tmp_path_factory.mktemp("fourteen") / "root"
    make_root(path, nights=14, graded=False, rendered=False)
    return path


@pytest.fixture
def root(fourteen: Path, tmp_path: Path) -> Root:
    """Return a copy of it."""
    shutil.copytree(fourteen, tmp_path / "root")
    return Root(tmp_path / "root")


@pytest.fixture(scope="module")
def evidence(fourteen: Path, tmp_path_factory: pytest.TempPathFactory) -> CalibrationEvidence:
    """Return one calibration of it."""
    path = tmp_path_factory.mktemp("calibrated") / "root"
    shutil.copytree(fourteen, path)
    return run(Root(path))


def run(root: Root, **changes: str) -> CalibrationEvidence:
    """Calibrate with few draws."""
    return calibrate(root, made=MADE, seed=SEED, progress=Silent(), rule=RULE, **changes)


class TestTheThresholdIsThe10thPercentileLowerRoundedDownNotBelow80NorAbove99:
    def test_index_and_rounding(self) -> None:
        """Of twelve values the one at index floor(0.1 x 11) = 1 is taken, and 91.9 is 91."""
        chosen = choose_threshold(families("91.9", "85", *["97"] * 10), CalibrationRule())
        assert chosen is not None
        assert (chosen.index, chosen.rounded_down_percent, chosen.threshold_percent) == (1, 91, 91)

    @pytest.mark.parametrize(
        ("lowest", "threshold"), [("79.99", 80), ("80", 80), ("81", 81), ("98.99", 98), ("99.5", 99), ("100", 99)]
    )
    def test_bounds_from_both_sides(self, lowest: str, threshold: int) -> None:
        """A value under 80 gives 80, one over 99 gives 99, and what lies between is itself."""
        chosen = choose_threshold(families(lowest, "100"), CalibrationRule())
        assert chosen is not None
        assert chosen.threshold_percent == threshold

    def test_the_list_is_kept_sorted(self) -> None:
        """The evidence holds the list that the value came from, in lowest terms."""
        chosen = choose_threshold(families("90", "85", "100"), CalibrationRule())
        assert chosen is not None
        assert chosen.values == (Share(part=17, whole=20), Share(part=9, whole=10), Share(part=1, whole=1))

    def test_no_value_no_threshold(self) -> None:
        """Where no family has a median there is nothing to choose from."""
        assert choose_threshold([], CalibrationRule()) is None

    def test_the_rule_moves_it(self) -> None:
        """The percentile is the rule's: at 50 the middle of three is taken."""
        chosen = choose_threshold(families("85", "90", "95"), CalibrationRule(threshold_percentile=50))
        assert chosen is not None
        assert (chosen.index, chosen.threshold_percent) == (1, 90)


class TestBoundariesAreQuartilesOfTheMediansToTwoSignificantDigits:
    @pytest.mark.parametrize(
        ("value", "rounded"), [(7, 7), (99, 99), (123, 120), (1250, 1200), (1350, 1400), (9960, 10000), (26499, 26000)]
    )
    def test_significant_digits(self, value: int, rounded: int) -> None:
        """Two digits stay, halves go to the even neighbour."""
        assert significant(value, 2) == rounded

    def test_quartiles(self, root: Root) -> None:
        """Of five medians those at index 1, 2 and 3 are the boundaries."""
        chosen = choose_latency(graded(root, 110, 222, 3333, 9100, 45), METHOD.definition, CalibrationRule())
        assert (chosen.boundaries_ms, chosen.kept_because) == ((110, 220, 3300), None)

    def test_medians_alike(self, root: Root) -> None:
        """Medians that give one boundary twice leave the boundaries as they were, with the reason."""
        chosen = choose_latency(graded(root, 401, 402, 403), METHOD.definition, CalibrationRule())
        assert chosen.boundaries_ms == (1000, 3000, 10000)
        assert chosen.kept_because is not None
        assert "close together" in chosen.kept_because

    def test_replayed(self, root: Root) -> None:
        """Latencies that were played back calibrate nothing."""
        grades = [msgspec.structs.replace(each, latency_class="replayed") for each in graded(root, 1, 2, 3)]
        chosen = choose_latency(grades, METHOD.definition, CalibrationRule())
        assert chosen.boundaries_ms == (1000, 3000, 10000)
        assert chosen.kept_because is not None
        assert "played back" in chosen.kept_because

    def test_no_answer(self) -> None:
        """Without any answer there is no median."""
        chosen = choose_latency([], METHOD.definition, CalibrationRule())
        assert (chosen.medians, chosen.boundaries_ms) == ((), (1000, 3000, 10000))
        assert chosen.kept_because is not None

    def test_other_names(self, root: Root) -> None:
        """As many boundaries as the definition has names for, or none new."""
        rule = CalibrationRule(latency_percentiles=(50,))
        chosen = choose_latency(graded(root, 110, 222, 3333), METHOD.definition, rule)
        assert chosen.boundaries_ms == (1000, 3000, 10000)
        assert chosen.kept_because is not None


def graded(root: Root, *medians_ms: int) -> list[Grade]:
    """Return grades that differ in their median latency."""
    from generator.workflows.grading import grade  # noqa: PLC0415 - only these tests grade

    grade(root, today=MADE, progress=Silent())
    one = root.store.grades.get("0.1", root.store.grades.windows("0.1")[-1])[0]
    return [
        msgspec.structs.replace(one, endpoint=f"e{place}", median_latency_ms=median)
        for place, median in enumerate(medians_ms)
    ]


class TestTheEvidenceOfFourteenNights:
    """Three endpoints; 'mill' answers one of the three fixed tales otherwise on every second night."""

    def test_self_disagreement(self, evidence: CalibrationEvidence) -> None:
        """Thirteen pairs of nights with three fixed prompts are 39 pairs, of which mill's 13 on one prompt differ."""
        tales = next(each for each in evidence.families if each.family == "tales")
        counted = [(each.endpoint, each.differing, each.pairs) for each in tales.endpoints]
        assert counted == [("kiln", 0, 39), ("loom", 0, 39), ("mill", 13, 39)]
        assert tales.floor == Share(part=0, whole=1)
        assert tales.median_self_agreement == Share(part=1, whole=1)

    def test_threshold(self, evidence: CalibrationEvidence) -> None:
        """Two families whose medians are 100 give 99, the highest."""
        assert (evidence.threshold.rounded_down_percent, evidence.threshold.threshold_percent) == (100, 99)

    def test_letters_side_by_side(self, evidence: CalibrationEvidence) -> None:
        """Mill is outside on nights 2, 4, 6 of the first half and on 8, 10, 12, 14 of the second: C, then D."""
        m = {each.endpoint: (each.first, each.second) for each in evidence.letters if each.column == Column.M}
        assert m == {"kiln": ("A", "A"), "loom": ("A", "A"), "mill": ("C", "D")}
        agreed = {each.column: (each.same, each.both) for each in evidence.agreement}
        assert agreed == {"M": (2, 3), "T": (3, 3), "D": (3, 3), "R": (3, 3), None: (2, 3)}

    def test_noise_counts_every_endpoint_of_every_window(self, evidence: CalibrationEvidence) -> None:
        """Three draws of three endpoints are nine readings."""
        (rate,) = evidence.noise
        assert (rate.model, rate.windows, sum(rate.letters.values())) == (MODEL, 9, 9)

    def test_equal_endpoints_who_all_answer_right_are_no_points_apart(self, evidence: CalibrationEvidence) -> None:
        """Where every key was met, luck has nothing to choose from."""
        assert [(each.endpoints, each.hundredths_of_points) for each in evidence.equal] == [(2, 0), (3, 0)]

    def test_only_the_first_fourteen_nights(self, evidence: CalibrationEvidence) -> None:
        """The nights read are named, and there are fourteen."""
        assert (evidence.nights[0], len(evidence.nights)) == (FIRST, 14)


class TestWhatIsWritten:
    def test_files(self, root: Root) -> None:
        """Definition, prose, evidence and prompt report lie in content/, and the content's reader finds them."""
        made = run(root)
        assert root.content.calibrations() == (made,)
        assert (root.path / "content/calibration/1.0.json").read_bytes() == canonical_json(made)
        assert [each.method_version for each in root.content.prompt_reports()] == ["1.0"]
        method = root.content.method("1.0")
        assert not method.definition.provisional
        assert method.prose == root.content.method("0.1").prose

    def test_nothing_else_of_the_definition_changes(self, root: Root) -> None:
        """Version, date, changes and the stability threshold differ from the version calibrated from, nothing else."""
        run(root)
        before, after = root.content.method("0.1").definition, root.content.method("1.0").definition
        stability = msgspec.structs.replace(before.stability, threshold_percent=Decimal(99))
        assert after == msgspec.structs.replace(
            before, version="1.0", released=MADE, changes=after.changes, stability=stability
        )

    def test_the_same_seed_gives_the_same_bytes(self, fourteen: Path, tmp_path: Path) -> None:
        """Nights, seed and rule decide every byte."""
        found = []
        for name in ("one", "two"):
            shutil.copytree(fourteen, tmp_path / name)
            run(Root(tmp_path / name))
            found.append([path.read_bytes() for path in sorted((tmp_path / name / "content").rglob("*1.0*"))])
        assert found[0] == found[1]
        assert len(found[0]) == 4

    def test_it_can_calibrate_the_candidate(self, root: Root) -> None:
        """The version calibrated from is a choice, and is recorded."""
        made = run(root, from_version="0.2")
        assert made.from_version == "0.2"
        assert root.content.method("1.0").definition.margin is not None


class TestThePromptsOfTheNightsSoFar:
    def test_fourteen_nights_of_six_prompts(self, fourteen: Path) -> None:
        """The prompt that mill answers otherwise on seven nights separates; the five others never do."""
        report = prompts_so_far(Root(fourteen))
        assert (len(report.nights), report.method_version) == (14, "0.1")
        assert [each.prompt_id for each in report.prompts if not each.never_separates] == ["tales-1"]
        (tale,) = (each for each in report.prompts if each.prompt_id == "tales-1")
        assert (tale.nights_asked, tale.nights_with_reference, tale.answered, tale.gave_reference) == (14, 14, 42, 35)
        assert (tale.own_pairs, tale.own_changes, tale.text) == (39, 13, "tales 1?")
        assert len(report.prompts) == 6


class TestWhatIsRefused:
    def test_thirteen_nights(self, tmp_path: Path) -> None:
        """With thirteen recorded nights it says how many are missing, and writes nothing."""
        root = make_root(tmp_path / "root", nights=13, graded=False, rendered=False)
        with pytest.raises(UsageError, match="expected at least 14 recorded nights, found 13") as refused:
            run(root)
        assert "after 1 more" in str(refused.value)
        assert not (root.path / "content/calibration").exists()

    @pytest.mark.parametrize(
        "name",
        ["methods/1.0.toml", "methods/1.0.md", "calibration/1.0.json", "calibration/prompts-1.0.json"],
    )
    def test_a_version_that_is_there(self, root: Root, name: str) -> None:
        """Neither a definition, nor its prose, nor evidence is replaced; the file stays as it was."""
        there = root.path / "content" / name
        there.parent.mkdir(parents=True, exist_ok=True)
        there.write_bytes(b"kept")
        with pytest.raises(UsageError, match="expected a version that is not there yet"):
            run(root)
        assert there.read_bytes() == b"kept"

    def test_a_second_calibration(self, root: Root) -> None:
        """Once made, a version is not made again."""
        run(root)
        with pytest.raises(UsageError, match="not there yet, found 1"):
            run(root)

    def test_damaged_evidence(self, root: Root) -> None:
        """Evidence that is no JSON of ours is named."""
        run(root)
        (root.path / "content/calibration/1.0.json").write_text("{}")
        with pytest.raises(ContentError, match=r"content/calibration/1\.0\.json"):
            root.content.calibrations()


class TestADefinitionsTextIsEditedOrRefused:
    def edited(self, toml: str, latency: LatencyChoice) -> str:
        """Return the edited text."""
        threshold = choose_threshold(families("88.5"), CalibrationRule())
        assert threshold is not None
        return calibrated_definition(
            toml.encode(), version="1.0", made=MADE, changes=("One.",), threshold=threshold, latency=latency
        ).decode()

    def test_classes(self) -> None:
        """New boundaries stand under the old names; comments stay."""
        latency = LatencyChoice(medians=(), boundaries_ms=(12, 340, 5600), kept_because=None)
        text = self.edited(TOML, latency)
        for line in ('{ name = "I", below_ms = 12 }', '{ name = "II", below_ms = 340 }', '{ name = "IV" }'):
            assert line in text
        assert "# The grader reads nothing else" in text
        assert "threshold_percent = 88" in text

    def test_a_text_that_says_it_twice(self) -> None:
        """A definition in which a value does not stand alone on its line is refused, not half edited."""
        latency = LatencyChoice(medians=(), boundaries_ms=(), kept_because="kept")
        with pytest.raises(ContentError, match="stand once each"):
            self.edited(TOML.replace("threshold_percent = 90", "threshold_percent = 90 # here"), latency)


class TestLettersSideBySide:
    def test_an_endpoint_of_one_half_alone(self, root: Root) -> None:
        """An endpoint that one half lacks has no letter there, and is not counted as the same."""
        one, two = graded(root, 1, 2)
        rows, agreement = side_by_side([one, two], [one])
        left = [row for row in rows if row.endpoint == two.endpoint]
        assert {row.second for row in left} == {None}
        assert {each.both for each in agreement} == {1}
        assert {row.first for row in left if row.column is None} <= set(Letter)

    def test_families_without_a_pair_do_not_enter(self, root: Root) -> None:
        """A family in which no endpoint has a pair has no median and is no value of the threshold's list."""
        (one,) = graded(root, 1)
        bare = msgspec.structs.replace(
            one,
            m_family=tuple(
                msgspec.structs.replace(each, pairs=0, pairs_differing=0, floor_numerator=None, floor_denominator=None)
                for each in one.m_family
            ),
        )
        found = families_of([bare])
        assert {(each.enters, each.floor, each.median_self_agreement) for each in found} == {(False, None, None)}
