"""The help of every command: examples that the parser takes, exit codes, and the version with its methods."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import kept_site
import pytest
import typer
from typer.core import TyperGroup
from typer.testing import CliRunner

from generator import __version__
from generator.cli import app
from generator.content import Content
from generator.errors import ExitCode
from generator.terminal.examples import COMMANDS

REPOSITORY = Path(__file__).parent.parent


def parser() -> TyperGroup:
    """Return the program with commands that do nothing."""
    program = typer.main.get_command(app)
    assert isinstance(program, TyperGroup)
    for _, command in commands(program):
        if not isinstance(command, TyperGroup):
            command.callback = lambda **_: None
    return program


def commands(group: TyperGroup, before: str = "") -> Iterator[tuple[str, object]]:
    """Yield every command of a group by its whole name, groups included."""
    for name, command in group.commands.items():
        yield before + name, command
        if isinstance(command, TyperGroup):
            yield from commands(command, f"{before}{name} ")


NAMES = ["", *(name for name, _ in commands(parser()))]


def help_of(name: str, width: int = 80) -> str:
    """Return the help of a command, of the program where the name is empty."""
    result = CliRunner(env={"COLUMNS": str(width)}).invoke(app, [*name.split(), "--help"], prog_name="bitdepth")
    assert result.exit_code == ExitCode.DONE, result.output
    return result.stdout


def examples(text: str) -> list[str]:
    """Return the lines of a help that can be copied into a shell."""
    return re.findall(r"^ +(bitdepth .*)$", text, re.MULTILINE)


class TestHelp:
    """'man-page quality --help with examples'."""

    @pytest.mark.parametrize("name", NAMES)
    def test_has_examples_that_the_parser_takes(self, name: str):
        """Each example is one whole line, is of this command, and asks for what is there."""
        found = examples(help_of(name))
        assert found
        for line in found:
            arguments = shlex.split(line)[1:]
            plain = [argument for argument in arguments if argument != "--log-json"]
            assert plain[: len(name.split())] == name.split(), line
            assert parser().main(plain, prog_name="bitdepth", standalone_mode=False) is None, line

    @pytest.mark.parametrize("name", NAMES)
    def test_lists_its_exit_codes(self, name: str):
        """Each code stands with its meaning, in order; the program's help lists all."""
        text = help_of(name)
        codes = [int(code) for code in re.findall(r"^    (\d)  \S", text, re.MULTILINE)]
        assert codes == sorted(set(codes))
        assert set(codes) <= {int(code) for code in ExitCode}
        assert {0, 1, 2} <= set(codes)
        if not name:
            assert codes == sorted(map(int, ExitCode))

    @pytest.mark.parametrize("name", NAMES)
    def test_says_what_each_option_and_argument_is(self, name: str):
        """No option or argument is left without a word."""
        program = parser()
        command = dict(commands(program)).get(name, program)
        silent = [param.name for param in command.params if not getattr(param, "help", None)]  # type: ignore[attr-defined]
        assert silent == [], name

    def test_no_example_is_of_a_command_that_is_gone(self):
        """The table has the commands of the program and no other."""
        assert sorted(COMMANDS) == sorted(NAMES[1:])


class TestVersion:
    """'--version with the method versions it knows'."""

    def test_names_program_and_method_versions(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        """Outside of a site root: those that the program brings, and which of them its own settings make current."""
        monkeypatch.chdir(tmp_path)
        result = CliRunner().invoke(app, ["--version"])
        first, second = result.stdout.splitlines()
        own = Content(REPOSITORY)
        assert first == f"bitdepth {__version__}"
        assert second == f"method versions: {', '.join(own.method_versions())}; current: {own.settings().method}"

    def test_in_a_site_root_its_own_are_named(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        """A version that stands in the root's content is known, and site.toml says which is current."""
        (tmp_path / "content" / "methods").mkdir(parents=True)
        settings = kept_site.SITE_TOML.replace('method = "0.1"', 'method = "7.0"')
        (tmp_path / "content" / "site.toml").write_text(settings)
        (tmp_path / "content" / "methods" / "7.0.toml").write_text("")
        monkeypatch.chdir(tmp_path)
        assert CliRunner().invoke(app, ["--version"]).stdout.endswith("7.0; current: 7.0\n")
