"""What M would read in settings that nobody has run, and what the terminal prints of it and of a calibration."""

from __future__ import annotations

import io
from datetime import date
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from generator.errors import UsageError
from generator.records.calibration import CalibrationRule
from generator.records.grade import Letter
from generator.records.simulation import SimulatedSetting
from generator.terminal.calibration import print_calibration, print_simulation
from generator.workflows.calibrating import calibrate
from generator.workflows.simulating import simulate
from tests.kept_site import Silent, make_root
from tests.method_variants import METHOD, METHOD_0_2, varied

SETTING = SimulatedSetting(
    endpoints=4,
    families=2,
    fixed_prompts=3,
    generated_prompts=2,
    noise_per_mille=0,
    different_per_mille=0,
    windows=3,
    seed="c3" * 32,
)


def read(method: object = METHOD, **changes: int | str) -> tuple[dict[Letter, int], dict[Letter, int]]:
    """Return the letters of the equal endpoints and of the different one."""
    setting = msgspec.structs.replace(SETTING, **changes)
    found = simulate(method, setting, progress=Silent())  # type: ignore[arg-type]  # a method
    assert found.setting == setting
    return found.honest, found.different


class TestSettingsWhoseLettersAreKnown:
    def test_no_noise_and_no_difference(self) -> None:
        """Three windows of four endpoints that always agree are twelve A, and the fifth is like them."""
        assert read() == ({Letter.A: 12}, {Letter.A: 3})

    def test_different_on_every_prompt(self) -> None:
        """One that answers every prompt otherwise is outside on every night: D."""
        assert read(different_per_mille=1000) == ({Letter.A: 12}, {Letter.D: 3})

    def test_every_answer_random(self) -> None:
        """Where no two answers are alike there is no reference, and nothing is rated."""
        assert read(noise_per_mille=1000) == ({Letter.U: 12}, {Letter.U: 3})

    def test_two_who_differ_have_no_reference(self) -> None:
        """One equal endpoint beside one that always differs: no answer has two that give it."""
        assert read(endpoints=1, different_per_mille=1000) == ({Letter.U: 3}, {Letter.U: 3})

    def test_the_definition_reads(self) -> None:
        """With eight nights outside allowed for C, what is outside on seven reads C."""
        method = varied({"letters.M.C.max_nights_outside": "8"})
        assert read(method, different_per_mille=1000)[1] == {Letter.C: 3}


class TestTheSeedDecides:
    def test_again(self) -> None:
        """The same seed gives the same letters, and another one others."""
        noisy = {"noise_per_mille": 20, "windows": 6}
        assert read(**noisy) == read(**noisy)
        assert read(**noisy) != read(**noisy, seed="another")

    def test_the_margin_is_blunter_and_kinder(self) -> None:
        """At 1 % of noise fewer equal endpoints read C or D under 0.2 than under 0.1, from the same nights."""
        noisy = {"noise_per_mille": 10, "endpoints": 8, "windows": 5}
        plain, margin = read(**noisy)[0], read(METHOD_0_2, **noisy)[0]
        assert margin[Letter.A] > plain[Letter.A]


class TestRefusals:
    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("endpoints", 0),
            ("families", 0),
            ("fixed_prompts", 0),
            ("generated_prompts", -1),
            ("windows", 0),
            ("noise_per_mille", 1001),
            ("noise_per_mille", -1),
            ("different_per_mille", 1001),
        ],
    )
    def test_what_is_no_fleet(self, field: str, value: int) -> None:
        """A figure that no fleet can have is refused by its name."""
        with pytest.raises(UsageError, match=field):
            read(**{field: value})


class TestTheTerminal:
    def printed(self, print_it: object, record: object) -> str:
        """Return what is printed, 200 columns wide."""
        console = Console(file=io.StringIO(), width=200)
        print_it(console, record)  # type: ignore[operator]  # one of the two printers
        return console.file.getvalue()  # type: ignore[attr-defined]  # the StringIO above

    def test_simulation(self) -> None:
        """Shares stand with their counts, and the setting in front of them."""
        setting = msgspec.structs.replace(SETTING, different_per_mille=1000)
        text = self.printed(print_simulation, simulate(METHOD, setting, progress=Silent()))
        assert "4 equal endpoints, 2 families of 3 fixed and 2 generated prompts" in text
        assert "100 % (12)" in text
        assert "100 % (3)" in text

    def test_calibration(self, tmp_path: Path) -> None:
        """What was chosen stands with the list it came from and the reason why boundaries stayed."""
        root = make_root(tmp_path / "root", nights=14, graded=False, rendered=False)
        rule = CalibrationRule(draws=1, equal_endpoints=(2,))
        made = calibrate(root, made=date(2026, 4, 1), seed="00", progress=Silent(), rule=rule)
        text = self.printed(print_calibration, made)
        assert "stability threshold 99 %: value 1 of 2 median self-agreements" in text
        assert "kept as they were: The endpoints' medians lie so close together" in text
        assert "same letter in both halves, M: 2 of 3" in text
        assert "k = 2" in text
