"""`bitdepth init` as a stranger types it, from the built wheel: a root that is at work at once."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path

import built_wheel
import pytest

from generator.starter.settings_text import Choices
from generator.workflows.initialising import initialise
from generator.workflows.new_root_files import SETTINGS

PORT_NOBODY_LISTENS_AT = 1


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel."""
    return built_wheel.build(tmp_path_factory.mktemp("built"))[0]


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the installed wheel's programs."""
    return built_wheel.install(wheel, tmp_path_factory.mktemp("installed") / "environment")


@pytest.fixture(scope="module")
def made(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a root of two servers that do not answer, made by the installed program; nobody may write into it."""
    folder = tmp_path_factory.mktemp("made")
    servers = [f"--server=http://127.0.0.1:{PORT_NOBODY_LISTENS_AT}/v1", "--server=http://127.0.0.1:2/v1"]
    options = ["--router", "direct", "--model", "x/y", "--title", 'Ours "& <others>', "--site", "https://o.example"]
    done = built_wheel.run(["bitdepth", "init", "root", *options, *servers], folder, path=programs)
    assert (done.returncode, done.stderr) == (0, "")
    assert [path.name for path in folder.iterdir()] == ["root"]
    (folder / "stdout.txt").write_text(done.stdout)
    return folder / "root"


@pytest.fixture
def root(made: Path, tmp_path: Path) -> Path:
    """Return a copy of that root."""
    shutil.copytree(made, tmp_path / "root")
    return tmp_path / "root"


class TestTheCommand:
    def test_it_says_what_to_do_next(self, made: Path):
        """The demo, the settings, the two commands that check, the one that probes; no key where none is named."""
        said = (made.parent / "stdout.txt").read_text()
        for word in ("cd root", "bitdepth demo", "content/site.toml", "bitdepth doctor", "bitdepth plan"):
            assert word in said
        assert "KEY" not in said
        assert "name a source of bitdepth" in said

    def test_it_names_a_folder_that_no_command_takes_for_an_option(self, programs: Path, tmp_path: Path):
        """What it prints can be typed: cd ./-dash."""
        done = built_wheel.run(["bitdepth", "init", "--", "-dash"], tmp_path, path=programs)
        assert done.returncode == 0, done.stderr
        assert "cd ./-dash, and then:" in done.stdout

    def test_it_prints_json(self, programs: Path, tmp_path: Path):
        """With --json, what was written and what was left, and nothing else."""
        done = built_wheel.run(["bitdepth", "init", "root", "--json"], tmp_path, path=programs)
        told = json.loads(done.stdout)
        assert (told["root"], told["left"], SETTINGS in told["written"]) == ("root", [], True)

    def test_it_fills_the_folder_that_one_stands_in(self, programs: Path, tmp_path: Path):
        """`bitdepth init .` in a repository that was just made; what was left is named, and what it must hold."""
        (tmp_path / ".gitignore").write_text("mine\n")
        done = built_wheel.run(["bitdepth", "init", "."], tmp_path, path=programs)
        assert done.returncode == 0, done.stderr
        assert "left as they were: .gitignore" in done.stdout
        assert "archive/journal/" in done.stdout
        assert "OPENROUTER_API_KEY" in done.stdout
        assert (tmp_path / ".gitignore").read_text() == "mine\n"

    def test_a_folder_that_is_not_empty_is_refused(self, programs: Path, tmp_path: Path):
        """One message, exit code 2."""
        (tmp_path / "mine.txt").write_text("mine")
        done = built_wheel.run(["bitdepth", "init", "."], tmp_path, path=programs)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("error: expected an empty folder")
        for name in (".gitattributes", ".gitignore", "README", "LICENSE", "NOTICE", "COPYING"):
            assert name in done.stderr
        assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


class TestTheRootIsAtWorkAtOnce:
    def test_its_site_opens_before_the_first_night(self, programs: Path, root: Path):
        """Rendered and verified, it says under its own title that no night has been recorded."""
        for command in ("render", "verify"):
            done = built_wheel.run(["bitdepth", command], root, path=programs)
            assert done.returncode == 0, done.stderr
        page = (root / "site/index.html").read_text()
        assert "No night has been recorded yet" in page
        assert "Ours &#34;&amp; &lt;others&gt;" in page
        assert "no findings" in done.stdout
        assert (root / "site/method/0.1/index.html").is_file()

    def test_doctor_says_what_is_missing(self, programs: Path, root: Path):
        """Its servers do not answer: that fails, and settings, prompts, methods and archive are sound."""
        done = built_wheel.run(["bitdepth", "doctor", "--json"], root, path=programs)
        checks = {check["name"]: check["state"] for check in json.loads(done.stdout)["checks"]}
        assert done.returncode == 1
        assert {name for name, state in checks.items() if state == "failed"} == {"server server 1", "server server 2"}
        for sound in ("settings", "prompt set", "method 0.1", "templates", "folders", "last night"):
            assert checks[sound] == "ok"

    @pytest.mark.ci
    def test_plan_says_what_is_missing(self, programs: Path, root: Path):
        """One message: no server that can be asked, and where they are named."""
        done = built_wheel.run(["bitdepth", "plan"], root, path=programs)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("error: expected at least one server that can be asked, found none")
        assert "content/site.toml" in done.stderr

    def test_plan_names_the_variable_of_a_key_that_is_missing(self, programs: Path, tmp_path: Path):
        """A root of OpenRouter without its key: one message, before anything is asked."""
        initialise(tmp_path / "root", Choices())
        arguments = ["env", "-u", "OPENROUTER_API_KEY", str(programs / "bitdepth"), "plan"]
        done = built_wheel.run(arguments, tmp_path / "root")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("error: expected the key of the router in the environment, found none")
        assert "OPENROUTER_API_KEY" in done.stderr


@pytest.fixture
def equipped(root: Path) -> Path:
    """Return the root with an environment that holds what requirements.lock pins, and no bitdepth yet."""
    built_wheel.empty_environment(root / ".venv")
    return root


class TestItsMakefile:
    @pytest.mark.ci
    def test_it_installs_a_wheel_and_runs_the_program(self, wheel: Path, equipped: Path):
        """`make install` with BITDEPTH installs it beside what is pinned; `make render verify` needs it no more."""
        done = built_wheel.run(["make", "install", f"BITDEPTH={wheel}"], equipped)
        assert done.returncode == 0, done.stderr
        assert (equipped / ".venv/bin/bitdepth").is_file()
        done = built_wheel.run(["make", "render", "verify"], equipped)
        assert done.returncode == 0, done.stderr
        assert "no findings" in done.stdout
        assert "pip" not in done.stdout

    def test_it_says_that_the_requirements_name_no_source(self, root: Path):
        """A root made from a wheel knows no address: one message, and nothing is installed or even begun."""
        done = built_wheel.run(["make", "install"], root)
        assert done.returncode != 0
        assert done.stderr.startswith("requirements.txt names no source of bitdepth: ")
        assert "BITDEPTH=" in done.stderr
        assert done.stdout == ""
        assert not (root / ".venv").exists()

    def test_it_installs_by_the_requirements(self, wheel: Path, equipped: Path):
        """Without BITDEPTH, what requirements.txt names is installed."""
        with (equipped / "requirements.txt").open("a") as requirements:
            requirements.write(f"bitdepth @ {wheel.as_uri()}\n")
        done = built_wheel.run(["make", "install"], equipped)
        assert done.returncode == 0, done.stderr
        assert (equipped / ".venv/bin/bitdepth").is_file()

    @pytest.mark.ci
    @pytest.mark.timeout(900)
    def test_its_demo_works_at_once(self, wheel: Path, equipped: Path):
        """`make demo` in a root that nobody touched: fourteen nights, verified; the root's own archive as it was."""
        done = built_wheel.run(["make", "demo", f"BITDEPTH={wheel}"], equipped, patience_s=600)
        assert done.returncode == 0, done.stderr
        assert "no findings" in done.stdout
        assert (equipped / "demo/site/demo/index.html").is_file()
        assert [path.name for path in (equipped / "archive").iterdir()] == ["FORMAT.md"]


class TestItsNetlifyBuild:
    def test_it_renders_and_verifies(self, programs: Path, root: Path):
        """The build command as Netlify's shell runs it, where the requirements are met: the site is laid out."""
        command = tomllib.loads((root / "netlify.toml").read_text())["build"]["command"]
        done = built_wheel.run(["sh", "-c", command], root, path=programs)
        assert done.returncode == 0, done.stderr
        assert (root / "site/index.html").is_file()
        assert "no findings" in done.stdout
