"""A new site root: whole or not there, never over anything that is, and at work at once."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from importlib import metadata
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from repository_files import REPOSITORY
from typer.testing import CliRunner

from generator.archive import files
from generator.cli import app
from generator.content import Content, packaged, settings_of
from generator.errors import ArchiveError, UsageError
from generator.starter.requirement import names_a_source, requirement
from generator.starter.same_files import same_files
from generator.starter.settings_text import Choices, Shipped, key_variable, site_toml
from generator.workflows.initialising import initialise
from generator.workflows.new_root_files import SETTINGS, new_root_files

SHIPPED = Shipped(method="0.1", candidates=("0.2",), prompt_set="p1")
CHOSEN = Choices(address="https://a.example/", title="A", models=("x/y", "x/z"))


def tree(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder, by its path in it; not what .git holds."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }


class TestItsFiles:
    def test_they_are_what_a_site_root_needs(self, tmp_path: Path):
        """Settings, method, prose, workflows, hosting, requirements, Makefile, README, an archive without a night."""
        done = initialise(tmp_path / "root", CHOSEN)
        methods = [f"content/methods/{name.name}" for name in sorted((REPOSITORY / "content/methods").iterdir())]
        assert sorted(done.written) == sorted(tree(tmp_path / "root"))
        assert sorted(done.written) == sorted(
            [
                ".github/workflows/monitor.yml",
                ".github/workflows/nightly.yml",
                ".gitignore",
                "Makefile",
                "README.md",
                "archive/FORMAT.md",
                "content/pages/about.md",
                "content/site.toml",
                *methods,
                "netlify.toml",
                "requirements.lock",
                "requirements.txt",
            ]
        )

    @pytest.mark.parametrize(
        "name",
        [
            ".github/workflows/monitor.yml",
            ".github/workflows/nightly.yml",
            "archive/FORMAT.md",
            "content/methods/0.1.md",
            "content/methods/0.1.toml",
            "requirements.lock",
        ],
    )
    def test_some_are_the_projects_own(self, name: str):
        """Workflows, format, method and pins are the project's, byte for byte."""
        assert new_root_files(CHOSEN)[name] == (REPOSITORY / name).read_bytes()

    def test_netlify_installs_what_the_requirements_name(self):
        """The project's Netlify settings, but for what is installed: there is no program in a root to build."""
        own = tomllib.loads((REPOSITORY / "netlify.toml").read_text())
        made = tomllib.loads(new_root_files(CHOSEN)["netlify.toml"].decode())
        assert own["build"]["command"].count("--no-deps --no-build-isolation . ") == 1
        assert made["build"].pop("command") == own["build"].pop("command").replace(
            "--no-build-isolation . ", "--no-build-isolation -r requirements.txt "
        )
        assert made == own

    def test_only_the_settings_differ_between_owners(self):
        """Nothing that an owner chose stands anywhere else."""
        one, other = new_root_files(CHOSEN), new_root_files(Choices(title="B", router="huggingface"))
        assert {name for name in one if one[name] != other[name]} == {SETTINGS}

    def test_the_settings_come_last(self):
        """A folder that holds the settings holds everything: one that init was killed in is no site root."""
        assert list(new_root_files(CHOSEN))[-1] == SETTINGS

    def test_its_readme_names_what_its_makefile_makes(self, tmp_path: Path):
        """Each `make` of the README is a target that runs the command of its name."""
        initialise(tmp_path, CHOSEN)
        named = set(re.findall(r"(?:^|`)make ([a-z]+)", (tmp_path / "README.md").read_text(), re.MULTILINE))
        assert {"demo", "doctor", "plan", "nightly", "serve", "render"} <= named
        for target in named:
            done = subprocess.run(["make", "-n", target], cwd=tmp_path, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            assert f".venv/bin/bitdepth {target}" in done.stdout

    def test_its_git_leaves_out_what_is_made_anew(self, tmp_path: Path):
        """Git itself says so: the site is not committed, the archive is; a lock or a journal never."""
        initialise(tmp_path, CHOSEN)
        subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
        left_out = ["site/index.html", "demo/content/site.toml", ".venv/bin/python", ".cache/x", ".env", "log.key"]
        left_out += ["archive/.lock", "archive/journal/2026-11-30.jsonl", "signing.key", "signing-key"]
        kept = ["archive/nights/2026-11-30/night.json", "archive/log/keys/1.vkey", "content/site.toml", "Makefile"]
        kept += ["content/pages/signing-the-log.md"]
        asked = subprocess.run(
            ["git", "check-ignore", *left_out, *kept], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert asked.stdout.split() == left_out


class TestItsSettings:
    @pytest.mark.parametrize("router", ["openrouter", "huggingface", "direct"])
    def test_examples_alone_are_sound(self, router: str):
        """Without any choice but the router's, the settings are whole; a router that charges has a cap and a key."""
        settings = settings_of(site_toml(Choices(router=router), SHIPPED).encode())
        assert settings.router.kind == router
        assert settings.router.key_variable == key_variable(router)
        assert settings.router.charges == (settings.budget.cap is not None)

    def test_they_say_what_was_chosen(self, tmp_path: Path):
        """Title, address and models are the owner's; method and prompts are the program's."""
        initialise(tmp_path / "root", CHOSEN)
        settings, own = Content(tmp_path / "root").settings(), Content(REPOSITORY).settings()
        assert (settings.title, settings.address, settings.models) == ("A", "https://a.example/", ("x/y", "x/z"))
        assert (settings.publisher, settings.contact) == ("A", "mailto:corrections@a.example")
        assert (settings.method, settings.candidates) == (own.method, own.candidates)
        assert settings.prompt_set == own.prompt_set

    def test_each_server_serves_each_model(self):
        """Two servers of two models are four endpoints, each under a name of its own within its model."""
        servers = ("http://127.0.0.1:8000/v1", "http://127.0.0.1:9000/v1")
        chosen = Choices(router="direct", models=("x/y", "x/z"), servers=servers)
        found = settings_of(site_toml(chosen, SHIPPED).encode()).servers
        assert [(each.model, each.name, each.address) for each in found] == [
            (model, f"server {number}", address)
            for model in ("x/y", "x/z")
            for number, address in enumerate(servers, start=1)
        ]

    @given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
    def test_no_title_breaks_them(self, title: str):
        """Quotes, line ends, backslashes, control characters: what is read back is what was typed."""
        settings = settings_of(site_toml(Choices(title=title), SHIPPED).encode())
        assert (settings.title, settings.publisher) == (title, title)
        assert settings.router.kind == "openrouter"

    def test_they_are_not_the_projects(self):
        """No line but headings, brackets and what any root must say is taken over from the project's own file."""
        own = {line.strip() for line in (REPOSITORY / "content/site.toml").read_text().splitlines()}
        made = {line.strip() for line in site_toml(Choices(), SHIPPED).splitlines()}
        assert not {line for line in own & made if line.startswith("#") and " = " not in line and len(line) > 1}
        assert 'title = "bitdepth"' not in made


class TestItsOptions:
    @pytest.mark.parametrize(
        ("options", "told"),
        [
            (["--router", "other"], "--router"),
            (["--model", "no-author"], "author/name, found 'no-author' in --model"),
            (["--model", "x/y:free"], "without a variant"),
            (["--model", 'x/y"]\nkind = "demo'], "--model"),
            (["--title", ""], "--title"),
            (["--title", os.fsdecode(b"\xff")], "UTF-8"),
            (["--site", "ftp://a.example/"], "--site"),
            (["--site", 'https://a.example/"x'], "--site"),
            (["--server", "http://127.0.0.1:8000/v1"], "--router direct"),
            (["--router", "direct", "--server", "http://user@127.0.0.1/v1"], "without a user"),
        ],
    )
    def test_what_is_no_setting_is_refused(self, tmp_path: Path, options: list[str], told: str):
        """One message, exit code 2, and nothing made."""
        done = CliRunner().invoke(app, ["init", str(tmp_path / "root"), *options])
        assert (done.exit_code, done.stdout) == (2, "")
        assert done.stderr.startswith("error: expected ")
        assert told in done.stderr
        assert done.stderr.count("\n") == 1
        assert list(tmp_path.iterdir()) == []


class TestWhatIsThereIsNeverOverwritten:
    @pytest.mark.parametrize("name", ["notes.txt", "content/pages/mine.md", ".github/workflows/mine.yml", "src/"])
    def test_a_folder_with_anything_else_is_refused(self, tmp_path: Path, name: str):
        """One file or folder of somebody's, and nothing is written."""
        place = tmp_path / name
        place.mkdir(parents=True) if name.endswith("/") else files.create(tmp_path, name, b"mine")
        before = tree(tmp_path)
        with pytest.raises(UsageError, match=f"found '{name}'"):
            initialise(tmp_path, CHOSEN)
        assert tree(tmp_path) == before

    def test_a_site_root_is_refused(self, tmp_path: Path):
        """Made twice, the second says so and changes nothing."""
        initialise(tmp_path / "root", CHOSEN)
        before = tree(tmp_path)
        with pytest.raises(UsageError, match=r"found one with content/site\.toml"):
            initialise(tmp_path / "root", Choices())
        assert tree(tmp_path) == before

    def test_a_file_is_refused(self, tmp_path: Path):
        """DIR is a folder."""
        (tmp_path / "root").write_text("mine")
        with pytest.raises(UsageError, match="found a file"):
            initialise(tmp_path / "root", CHOSEN)

    def test_a_link_out_of_the_folder_is_refused(self, tmp_path: Path):
        """A link named content would let the root be written somewhere else."""
        (tmp_path / "elsewhere").mkdir()
        (tmp_path / "root").mkdir()
        (tmp_path / "root/content").symlink_to(tmp_path / "elsewhere")
        with pytest.raises(UsageError, match="found 'content'"):
            initialise(tmp_path / "root", CHOSEN)
        assert list((tmp_path / "elsewhere").iterdir()) == []

    def test_a_loop_of_links_is_refused(self, tmp_path: Path):
        """A path that leads nowhere is told, not followed."""
        (tmp_path / "root").symlink_to(tmp_path / "root")
        with pytest.raises((UsageError, ArchiveError)):
            initialise(tmp_path / "root", CHOSEN)

    def test_a_repository_that_was_just_made_is_filled(self, tmp_path: Path):
        """README, LICENSE and .gitignore stay as they are and are named; git's own folder is not looked into."""
        subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
        own = {"readme.rst": b"mine", "LICENSE": b"mine", ".gitignore": b"mine"}
        for name, body in own.items():
            (tmp_path / name).write_bytes(body)
        done = initialise(tmp_path, CHOSEN)
        assert done.left == ("readme.rst", ".gitignore")
        assert {name: tree(tmp_path)[name] for name in own} == own
        assert not (tmp_path / "README.md").exists()
        assert Content(tmp_path).settings().title == "A"


class TestItIsWholeOrNotThere:
    def test_a_new_folder_that_cannot_be_filled_is_not_there(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        """The disk is full at the last file: neither the folder nor any other is left."""
        create = files.create

        def full(root: Path, name: str, data: bytes) -> None:
            if name == SETTINGS:
                raise ArchiveError("cannot write: no space", where=name)
            create(root, name, data)

        monkeypatch.setattr(files, "create", full)
        with pytest.raises(ArchiveError, match="no space"):
            initialise(tmp_path / "root", CHOSEN)
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("written", range(0, len(new_root_files(CHOSEN)), 3))
    def test_a_folder_that_it_was_killed_in_is_completed(self, tmp_path: Path, written: int):
        """So many files were there, and half of the next under another name: the same command writes the rest."""
        wanted = new_root_files(CHOSEN)
        names = list(wanted)
        for name in names[:written]:
            files.create(tmp_path, name, wanted[name])
        half = tmp_path / f"{names[written]}.tmp"
        half.parent.mkdir(parents=True, exist_ok=True)
        half.write_bytes(b"half")
        done = initialise(tmp_path, CHOSEN)
        assert (done.written, done.left) == (tuple(names[written:]), ())
        assert tree(tmp_path) == wanted

    def test_folders_above_it_are_made(self, tmp_path: Path):
        """DIR may lie in folders that are not there yet."""
        initialise(tmp_path / "a/b/root", CHOSEN)
        assert Content(tmp_path / "a/b/root").settings().title == "A"

    def test_a_right_that_is_missing_is_told(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        """What the operating system refuses is one message."""

        def refused(self: Path, target: Path) -> Path:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "rename", refused)
        with pytest.raises(ArchiveError, match="Permission denied"):
            initialise(tmp_path / "root", CHOSEN)
        assert list(tmp_path.iterdir()) == []


class TestItsRequirement:
    def test_it_is_never_a_bare_name(self, monkeypatch: pytest.MonkeyPatch):
        """An index gives a name to whoever registered it: where nothing says where the program is from, none is named.

        Neither does anything where it is run from an unpacked wheel, which nothing was installed from.
        """
        assert requirement(None) is None

        def nothing(name: str) -> metadata.Distribution:
            raise metadata.PackageNotFoundError(name)

        monkeypatch.setattr(metadata, "distribution", nothing)
        named = same_files()["requirements.txt"]
        assert not names_a_source(named)
        assert b"before the first push" in named

    def test_it_is_in_the_file_where_it_is_known(self, monkeypatch: pytest.MonkeyPatch):
        """One line, for pip, and the root is said to have a source."""
        origin = b'{"url": "https://host.example/o/bitdepth", "vcs_info": {"vcs": "git", "commit_id": "ab12"}}'

        class Installed:
            def read_text(self, name: str) -> str | None:
                return {"direct_url.json": origin.decode()}[name]

        monkeypatch.setattr(metadata, "distribution", lambda _: Installed())
        lines = same_files()["requirements.txt"].decode().splitlines()
        assert [line for line in lines if not line.startswith("#")] == [
            "bitdepth @ git+https://host.example/o/bitdepth@ab12"
        ]
        assert names_a_source(same_files()["requirements.txt"])

    @pytest.mark.parametrize(
        ("body", "named"),
        [(b"", False), (b"# a\n\n  # b\n", False), (b"a @ https://x\n", True), (b"#\n  ./a.whl", True)],
    )
    def test_a_source_is_any_line_that_is_no_comment(self, body: bytes, named: bool):  # noqa: FBT001 - a case's value
        """What an owner wrote there is theirs to choose."""
        assert names_a_source(body) is named

    def test_a_git_address_is_named_with_its_commit(self):
        """`uvx --from git+https://...` makes a root that installs the same commit."""
        origin = {"url": "https://host.example/o/bitdepth", "vcs_info": {"vcs": "git", "commit_id": "ab12"}}
        found = requirement(msgspec.json.encode(origin).decode())
        assert found == "bitdepth @ git+https://host.example/o/bitdepth@ab12"

    @pytest.mark.parametrize(
        "origin",
        [
            {"url": "file:///somewhere/checkout", "dir_info": {"editable": True}},
            {"url": "file:///somewhere/bitdepth.whl", "archive_info": {}},
            {"url": "file:///somewhere", "vcs_info": {"vcs": "git", "commit_id": "ab12"}},
            {"url": "https://token@host.example/o/b", "vcs_info": {"vcs": "git", "commit_id": "ab12"}},
            {"url": "https://host.example/o/b\n--index-url", "vcs_info": {"vcs": "git", "commit_id": "ab12"}},
            {"url": "https://host.example/o/b", "vcs_info": {"vcs": "git", "commit_id": "a\n-r x"}},
            {"url": "https://host.example/o/b", "vcs_info": {"vcs": "hg", "commit_id": "ab12"}},
            {"url": 1},
        ],
    )
    def test_no_path_no_user_and_no_other_line_is(self, origin: object):
        """What lies on this machine alone, names a user or would be another option of pip is not written down."""
        assert requirement(msgspec.json.encode(origin).decode()) is None


def test_the_packaged_files_are_the_repositorys_in_a_checkout():
    """Where nothing is installed from a wheel, what init copies is what lies in the repository."""
    assert packaged("requirements.lock") == REPOSITORY / "requirements.lock"
