"""Bad input gets one clear message (expected, found, where, what to do), its exit code, no traceback, nothing lost."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import kept_site
import pytest
from click.testing import Result
from typer.testing import CliRunner

from generator.cli import app
from generator.errors import ContentError

REPOSITORY = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a sound root of two nights."""
    path = tmp_path_factory.mktemp("sound") / "root"
    kept_site.make_root(path, nights=2)
    return path


@pytest.fixture
def root(sound: Path, tmp_path: Path) -> Path:
    """Return a copy that may be damaged."""
    shutil.copytree(sound, tmp_path / "root")
    return tmp_path / "root"


def run(*arguments: str, root: Path | None = None) -> Result:
    """Run a command and require that whatever happens is a message."""
    where = ["--root", str(root)] if root is not None else []
    result = CliRunner().invoke(app, [*arguments, *where])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result


def write_method(root: Path, old: str, new: str) -> None:
    """Put a copy of the method into a root's own content, with one change."""
    folder = root / "content/methods"
    folder.mkdir(exist_ok=True)
    for suffix in (".toml", ".md"):
        text = (REPOSITORY / f"content/methods/0.1{suffix}").read_text()
        (folder / f"0.1{suffix}").write_text(text.replace(old, new) if suffix == ".toml" else text)


class TestSettings:
    def test_a_root_without_content_says_what_root_should_be(self, tmp_path: Path):
        """A folder that is no site root is named, with what to do."""
        result = run("render", root=tmp_path)
        assert result.exit_code == 1
        assert "content/site.toml" in result.stderr
        assert "--root" in result.stderr

    @pytest.mark.parametrize(
        ("old", "new", "named"),
        [
            ('title = "kept"', "", "title"),
            ('title = "kept"', "title = 7", "title"),
            ("format = 1", "format = 2", "format"),
            ('address = "https://kept.example/"', 'address = "kept.example"', "address"),
            ('kind = "openrouter"', 'kind = "elsewhere"', "router.kind"),
            ('models = ["aster/sphinx-8b"]', 'models = "aster"', "models"),
            ('method = "0.1"', 'method = "0.1"\nmehtod = 1', "mehtod"),
            ('method = "0.1"', 'method = "../0.1"', "method"),
            ('method = "0.1"', 'method = "0.1"\ncandidates = ["0.1"]', "candidates"),
            ('models = ["aster/sphinx-8b"]', "models = []", "models"),
            ('prompt_set = "p1"', 'prompt_set = "../p1"', "prompt_set"),
            ('address = "https://kept.example/"', 'address = "https://kept.example/<x>/"', "address"),
            ('"http://127.0.0.1:9/api/v1"', '"http://router.example/api/v1"', "router.address"),
            ("[router]", '[budget]\nmax_usd = "NaN"\n[router]', "budget.max_usd"),
            ("[router]", '[budget]\nmax_usd = "-5"\n[router]', "budget.max_usd"),
            ("[router]", "[probing]\nsampling_seed = 9007199254740993\n[router]", "probing.sampling_seed"),
            ("[router]", "[probing]\nconcurrency = true\n[router]", "expected int, found bool"),
            ("format = 1", "format = ", "TOML"),
        ],
    )
    def test_a_malformed_field_is_named(self, root: Path, old: str, new: str, named: str):
        """What is missing, unknown, of another type or malformed is named with its file."""
        path = root / "content/site.toml"
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))
        result = run("render", root=root)
        assert result.exit_code == 1
        assert "content/site.toml" in result.stderr
        assert named in result.stderr

    def test_bytes_that_are_no_text_are_named(self, root: Path):
        """A settings file that is no UTF-8 is a message."""
        (root / "content/site.toml").write_bytes(b"\xff\xfe")
        result = run("render", root=root)
        assert result.exit_code == 1
        assert "UTF-8" in result.stderr


class TestDefinition:
    @pytest.mark.parametrize(
        ("old", "new", "named"),
        [
            ("percentile = 75", "percentile = 101", "floor.percentile"),
            ("percentile = 75", "percentile = nan", "floor.percentile"),
            ("percentile = 75", 'percentile = "many"', "floor.percentile"),
            ("percentile = 75", "percentile = 1e-99999999", "floor.percentile"),
            ("calendar_days = 10", "calendar_days = 800000", "window.calendar_days"),
            ("nights = 7", "nights = 11", "window.nights"),
            ("A = { max_nights_outside = 0 }", "A = { max_nights_outside = 5 }", "letters.M"),
            ("A = { max_points = 2 }", "A = { max_points = 20 }", "letters.T"),
            ("C = { errors_below_percent = 10 }", "C = { errors_below_percent = 2 }", "letters.R"),
            ('A = { states = ["present"] }', "A = { states = [] }", "letters.D"),
            ('{ name = "II"', '{ name = "I"', "latency.classes"),
            ("percentile = 75", "", "percentile"),
            ("percentile = 75", "percentil = 75", "percentil"),
            ('estimator = "lower"', 'estimator = "linear"', "estimator"),
            ("nights = 7", "nights = 0", "window.nights"),
            ("C = { max_nights_outside = 3 }", "", "letters.M"),
            ('"absent", "changed"]', '"absent"]', "letters.D.C.states"),
            ('{ name = "IV" },', "", "latency.classes"),
            ("self_disagreement = [0, 0, 1, 1, 2, 2, 3, 4, 6, 8, 11]", "self_disagreement = []", "worked_example"),
            ("format = 1", "format = 3", "format"),
            ('version = "0.1"', 'version = "0.2"', "version"),
            ('version = "0.1"', 'version = "one"', "version"),
            ("[window]", "[window", "TOML"),
        ],
    )  # fmt: skip
    def test_a_malformed_definition_names_its_field(self, tmp_path: Path, old: str, new: str, named: str):
        """Nothing is graded under a definition that is not whole."""
        site = kept_site.make_root(tmp_path, nights=1, graded=False, rendered=False)
        assert old in (REPOSITORY / "content/methods/0.1.toml").read_text()
        write_method(tmp_path, old, new)
        result = run("grade", root=tmp_path)
        assert result.exit_code == 1
        assert named in result.stderr
        assert site.store.grades.versions() == ()

    def test_an_unknown_version_names_known_ones(self, root: Path):
        """A version that is not there is answered with those that are."""
        result = run("grade", "--method", "7.3", root=root)
        assert result.exit_code == 2
        assert "7.3" in result.stderr
        assert "0.1" in result.stderr

    def test_a_definition_that_grades_were_published_under_cannot_change(self, root: Path):
        """A changed digest is refused, and nothing is written."""
        before = sorted((path, path.stat().st_mtime_ns) for path in (root / "archive").rglob("*"))
        write_method(root, "percentile = 75", "percentile = 74")
        kept_site.add_night(kept_site.Root(root), kept_site.FIRST.replace(day=3))
        result = run("grade", root=root)
        assert result.exit_code == 1
        assert "new version" in result.stderr
        after = sorted((path, path.stat().st_mtime_ns) for path in (root / "archive").rglob("*"))
        assert {path for path, _ in before} <= {path for path, _ in after}
        assert not [path for path, _ in after if "2026-03-03" in path.name and "grades" in path.parts]


class TestPromptSet:
    @pytest.mark.parametrize(
        ("change", "named"),
        [
            (lambda line: re.sub(r'"max_tokens": ?[0-9]+', '"max_tokens": 99999999999', line), "max_tokens"),
            (lambda line: line.replace('"fixed"', '"fixd"'), "fixd"),
            (lambda line: line.replace("{", "", 1), "line 1"),
            (lambda _: "", "found 19"),
        ],
    )
    def test_a_malformed_prompt_is_named_before_anything_is_asked(
        self, tmp_path: Path, change: Callable[[str], str], named: str
    ):
        """File, line and field are named, and a file with a line too few is noticed."""
        shutil.copytree(REPOSITORY / "content/prompts/p1", tmp_path / "content/prompts/p1")
        path = tmp_path / "content/prompts/p1/arithmetic.jsonl"
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join([change(lines[0]), *lines[1:]]))
        with pytest.raises(ContentError, match=re.escape(named)):
            kept_site.Root(tmp_path).content.prompt_set("p1")


class TestArchive:
    @pytest.mark.parametrize("command", ["grade", "render", "verify"])
    def test_corrupt_parquet_is_an_integrity_error(self, root: Path, command: str):
        """A damaged night stops grading, rendering and verifying with exit code 6, and is named."""
        path = root / "archive/nights/2026-03-02/prompts.parquet"
        path.write_bytes(path.read_bytes()[:-4] + b"junk")
        if command == "grade":
            shutil.rmtree(root / "archive/grades")
            shutil.rmtree(root / "archive/pages")
            # With the night's tally in the cache, grading would not need to read the damaged file.
            shutil.rmtree(root / ".cache")
        result = run(command, root=root)
        assert result.exit_code == 6
        assert "nights/2026-03-02/prompts.parquet" in result.output

    def test_an_empty_archive_renders_a_site_that_says_so(self, tmp_path: Path):
        """Nothing recorded yet is a state, not an error."""
        kept_site.make_root(tmp_path, nights=0, graded=False, rendered=False)
        for command in ("grade", "render", "verify"):
            assert run(command, root=tmp_path).exit_code == 0
        assert "No night has been recorded yet" in (tmp_path / "site/index.html").read_text()

    def test_a_root_without_an_archive_folder_verifies_to_what_is_missing(self, tmp_path: Path):
        """A root whose archive has not begun is no mismatch, but nothing was checked: exit code 1."""
        (tmp_path / "content").mkdir()
        (tmp_path / "content/site.toml").write_text(kept_site.SITE_TOML)
        result = run("verify", root=tmp_path)
        assert result.exit_code == 1
        assert "no archive" in result.output

    def test_a_site_whose_archive_is_gone_is_a_mismatch(self, root: Path):
        """Pages without the archive that they came from are exit code 6."""
        shutil.rmtree(root / "archive")
        assert run("verify", root=root).exit_code == 6

    @pytest.mark.parametrize("command", ["nightly", "probe", "grade", "render"])
    def test_an_archive_that_cannot_be_written_is_one_message(self, tmp_path: Path, command: str):
        """A file where the archive should be ends with its message and exit code 1."""
        (tmp_path / "content").mkdir()
        (tmp_path / "content/site.toml").write_text(kept_site.SITE_TOML)
        (tmp_path / "archive").write_text("in the way")
        result = run(command, root=tmp_path)
        assert result.exit_code == 1
        assert "cannot write" in result.stderr

    def test_a_site_that_cannot_be_written_is_one_message(self, root: Path):
        """A file where the site should be is named."""
        shutil.rmtree(root / "site")
        (root / "site").write_text("in the way")
        result = run("render", root=root)
        assert result.exit_code == 1
        assert "site" in result.stderr

    def test_a_read_only_disk_is_one_message(self, root: Path, tmp_path: Path):
        """A root on a file system that refuses writing ends with exit code 1 and says what to do."""
        mounted = tmp_path / "mounted"
        mounted.mkdir()
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "none", str(mounted)], check=False).returncode:
            pytest.skip("mounting a small file system needs root")
        try:
            shutil.copytree(root, mounted / "root")
            shutil.rmtree(mounted / "root/archive/grades")
            shutil.rmtree(mounted / "root/archive/pages")
            subprocess.run(["mount", "-o", "remount,ro", str(mounted)], check=True)
            result = run("grade", root=mounted / "root")
            assert result.exit_code == 1
            assert "Read-only" in result.stderr
        finally:
            subprocess.run(["umount", str(mounted)], check=True)


class TestUsage:
    @pytest.mark.parametrize(
        "arguments",
        [["nothing"], ["verify", "--sideways"], [], ["show"], ["probe", "--night", "yesterday"],
         ["probe", "--night", "2026-02-30"], ["demo", "--first-night", "20"],
         ["demo", "--first-night", "9999-12-31"], ["demo", "--first-night", "0001-01-01"],
         ["probe", "--night", "20260301"]],
    )  # fmt: skip
    def test_what_is_not_understood_is_exit_code_2(self, root: Path, arguments: list[str], tmp_path: Path):
        """Unknown commands, options and dates that are none are usage errors."""
        where = [] if not arguments or arguments[0] in {"nothing", "demo"} else ["--root", str(root)]
        out = ["--out", str(tmp_path / "demo")] if arguments[:1] == ["demo"] else []
        result = CliRunner().invoke(app, [*arguments, *where, *out])
        assert result.exit_code == 2
        assert "Traceback" not in result.output

    def test_an_unknown_model_suggests_the_near_name(self, root: Path):
        """A name that is nearly right is answered with the right one."""
        result = run("show", "aster/sphynx-8b", root=root)
        assert result.exit_code == 2
        assert "aster/sphinx-8b" in result.stderr

    def test_an_unknown_endpoint_suggests_the_near_name(self, root: Path):
        """So is an endpoint's."""
        result = run("show", "aster/sphinx-8b", "klin", root=root)
        assert result.exit_code == 2
        assert "kiln" in result.stderr

    def test_show_before_anything_is_graded_says_what_to_run(self, tmp_path: Path):
        """An empty archive has nothing to show."""
        kept_site.make_root(tmp_path, nights=0, graded=False, rendered=False)
        result = run("show", "aster/sphinx-8b", root=tmp_path)
        assert result.exit_code == 2
        assert "bitdepth nightly" in result.stderr

    def test_a_demo_is_not_made_where_other_files_are(self, root: Path):
        """A folder that holds somebody's files is left alone."""
        before = sorted(root.rglob("*"))
        result = CliRunner().invoke(app, ["demo", "--out", str(root)])
        assert result.exit_code == 2
        assert "empty folder" in result.stderr
        assert sorted(root.rglob("*")) == before

    def test_json_errors_are_json(self, root: Path):
        """A machine gets the message and the exit code on standard output."""
        result = run("show", "nobody/nothing", "--json", root=root)
        assert result.exit_code == 2
        assert result.stdout.startswith('{"error":')
        assert '"exit_code":2' in result.stdout


class TestShow:
    def test_letters_always_stand_with_the_method_version(self, root: Path):
        """Each row of the table carries letter and version, and the title says that they are provisional."""
        result = CliRunner().invoke(app, ["show", "aster/sphinx-8b", "--root", str(root)], env={"COLUMNS": "160"})
        assert result.exit_code == 0
        assert result.stdout.count("U 0.1") == 3
        assert "provisional" in result.stdout

    def test_one_endpoint_alone(self, root: Path):
        """An endpoint's name narrows the table to it."""
        result = run("show", "aster/sphinx-8b", "mill", root=root)
        assert "mill" in result.stdout
        assert "kiln" not in result.stdout

    def test_json_is_the_record(self, root: Path):
        """The machine form is the grade's record."""
        result = run("show", "aster/sphinx-8b", "mill", "--json", root=root)
        assert '"method_version":"0.1"' in result.stdout
