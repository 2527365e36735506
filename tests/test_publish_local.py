"""A site published to a folder of this machine, and what is refused before anything is sent."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from pathlib import Path

import filelock
import msgspec
import pytest
from aiohttp.test_utils import TestClient, TestServer
from kept_site import Silent, make_root
from publish_world import SECRET, command, dead_links, night_path, older_and_newer, sent, site

from generator.errors import (
    ArchiveError,
    CredentialError,
    ExitCode,
    IntegrityError,
    LockedError,
    TargetError,
    UsageError,
)
from generator.publishing.interface import OWN
from generator.publishing.published import PATH as LIST
from generator.publishing.published import read_published
from generator.publishing.sending import Sender
from generator.publishing.targets import open_target
from generator.site.preview import ASK_AGAIN, FOR_EVER, application
from generator.stores.owner import owner_of
from generator.workflows.publishing import publish, refuse_own_folder, refuse_unsound, site_files
from generator.workflows.rendering import render
from generator.workflows.world import Root

RECORD = "grades/aster/sphinx-8b/kiln/2026-03-03/v0.1/grade.json"


@pytest.fixture(scope="module")
def roots(tmp_path_factory: pytest.TempPathFactory) -> tuple[Root, Root]:
    """Return a root and the same one two nights later; nobody may write into them."""
    return older_and_newer(tmp_path_factory.mktemp("roots"))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a folder that is not there yet."""
    return tmp_path / "published"


def found(place: Path) -> dict[str, bytes]:
    """Return what lies in a folder, without what is no part of the site."""
    files = {path.relative_to(place).as_posix(): path.read_bytes() for path in place.rglob("*") if path.is_file()}
    return {path: data for path, data in files.items() if not path.startswith(OWN)}


def run(root: Root, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    return subprocess.run(
        [sys.executable, "-m", "generator", "publish", *arguments, "--root", str(root.path)],
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "200", **environment},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


class TestPublished:
    def test_the_folder_holds_the_site_and_a_second_run_puts_nothing(self, roots: tuple[Root, Root], place: Path):
        """The same bytes at the same paths; what is there is kept."""
        older, _ = roots
        first = sent(older, place.as_uri())
        assert found(place) == site(older)
        assert (first.created + first.replaced, first.removed, first.kept) == (len(site(older)), 0, 0)
        before = {path: path.stat().st_mtime_ns for path in place.rglob("*") if path.is_file()}
        again = sent(older, place.as_uri())
        assert (again.created, again.replaced, again.removed, again.bytes) == (0, 0, 0, 0)
        assert again.kept == len(site(older))
        after = {path: path.stat().st_mtime_ns for path in place.rglob("*") if path.is_file()}
        del before[place / OWN / "lock"], after[place / OWN / "lock"]
        assert before == after

    def test_a_dry_run_finds_a_changed_permanent_object_as_the_run_would(self, roots: tuple[Root, Root], place: Path):
        """With the same message; nothing is put."""
        older, _ = roots
        sent(older, place.as_uri())
        body = (place / RECORD).read_bytes()
        (place / RECORD).unlink()
        (place / RECORD).write_bytes(body.replace(b"kiln", b"miln"))
        for dry_run in (True, False):
            with pytest.raises(IntegrityError, match=r"grade\.json"):
                sent(older, place.as_uri(), dry_run=dry_run)

    def test_two_nights_later_only_what_is_new_or_changed_is_put(self, roots: tuple[Root, Root], place: Path):
        """No permanent object of before is among it."""
        older, newer = roots
        sent(older, place.as_uri())
        before = {path: (place / path).stat().st_ino for path in found(place)}
        done = sent(newer, place.as_uri())
        assert found(place) == site(newer)
        changed = {path for path, body in site(older).items() if site(newer)[path] != body}
        assert done.created + done.replaced == len(changed) + len(site(newer)) - len(site(older))
        replaced = {path for path, inode in before.items() if (place / path).stat().st_ino != inode}
        assert replaced == changed
        assert not [path for path in changed if path.endswith("grade.json")]

    def test_a_view_of_no_more_use_is_removed_and_what_others_put_there_stays(
        self, roots: tuple[Root, Root], place: Path
    ):
        """Removed is only what an earlier publication put."""
        older, newer = roots
        sent(newer, place.as_uri())
        extra = place / "extra/deep/index.html"
        extra.parent.mkdir(parents=True)
        extra.write_text("theirs")
        listed = read_published((place / LIST).read_bytes())
        view = listed.views["about/index.html"]
        more = msgspec.structs.replace(listed, views={**listed.views, "old/deep/index.html": view})
        (place / LIST).write_bytes(msgspec.json.encode(more))
        (place / "old/deep").mkdir(parents=True)
        (place / "old/deep/index.html").write_text("stale")
        planned, done = sent(newer, place.as_uri(), dry_run=True), sent(newer, place.as_uri())
        assert (planned.removed, done.removed) == (1, 1)
        assert planned.foreign == done.foreign == 1
        assert planned.foreign_paths == done.foreign_paths == ("extra/deep/index.html",)
        assert found(place) == {**site(newer), "extra/deep/index.html": b"theirs"}
        assert not (place / "old").exists()
        assert older.path != newer.path

    def test_objects_of_nobodys_are_counted_and_five_are_named(self, roots: tuple[Root, Root], place: Path):
        """They stay; the command says so, on a dry run too."""
        older, _ = roots
        sent(older, place.as_uri())
        for number in range(7):
            (place / f"theirs-{number}.html").write_text("theirs")
        for arguments in (("--dry-run",), ()):
            said = run(older, place.as_uri(), *arguments)
            assert said.returncode == 0, said.stderr
            named = ", ".join(f"theirs-{number}.html" for number in range(5))
            assert f"not of this site, and left as they are: 7 objects: {named} and 2 more\n" in said.stdout
        assert len(list(place.glob("theirs-*.html"))) == 7

    def test_the_page_of_a_version_that_nothing_was_graded_under_may_change(self, tmp_path: Path):
        """What is published says what the preview says: for ever only where something is kept."""
        root = make_root(tmp_path / "root", 1, rendered=False)
        settings = tmp_path / "root/content/site.toml"
        settings.write_text(settings.read_text().replace('method = "0.1"', 'method = "0.1"\ncandidates = ["0.2"]'))
        render(root, progress=Silent())
        published = {file.path: file.cache_control for file in site_files(root)}
        pages = (
            "method/0.1/index.html",
            "method/0.2/index.html",
            "method/index.html",
            RECORD.replace("-03/v", "-01/v"),
        )
        assert [published[page] for page in pages] == [FOR_EVER, ASK_AGAIN, ASK_AGAIN, FOR_EVER]

        async def previewed() -> list[str]:
            async with TestClient(TestServer(application(root.site, "/"))) as client:
                return [(await client.get(f"/{page}")).headers["Cache-Control"] for page in pages]

        assert asyncio.run(previewed()) == [published[page] for page in pages]

    def test_what_a_killed_run_left_half_written_is_taken_away(self, roots: tuple[Root, Root], place: Path):
        """Nothing half-written is ever seen under a name of the site."""
        older, _ = roots
        (place / OWN / "half").mkdir(parents=True)
        (place / OWN / "half/7").write_text("half of a page")
        sent(older, place.as_uri())
        assert not (place / OWN / "half").exists()
        assert found(place) == site(older)

    def test_every_link_of_it_leads_somewhere(self, roots: tuple[Root, Root], place: Path):
        """A reader who comes in by any entrance arrives."""
        older, _ = roots
        sent(older, place.as_uri())
        assert dead_links(found(place), {}) == []
        broken = {path: body for path, body in found(place).items() if path != night_path(0)}
        assert dead_links(broken, {}), "the test sees a missing page"


class TestDryRun:
    def test_says_what_a_run_would_put_in_its_order_and_puts_nothing(self, roots: tuple[Root, Root], place: Path):
        """The first page comes last, after all permanent ones."""
        older, newer = roots
        planned = sent(older, place.as_uri(), dry_run=True)
        assert not place.exists()
        assert [step.path for step in planned.steps][-1] == "404.html", "shown for an address at which nothing is"
        assert {step.path for step in planned.steps} == set(site(older))
        sent(older, place.as_uri())
        before = found(place)
        then = sent(newer, place.as_uri(), dry_run=True)
        assert found(place) == before
        assert (then.created, then.replaced) == (len([s for s in then.steps if s.action == "create"]), len(
            [s for s in then.steps if s.action == "put"]
        ))  # fmt: skip
        done = sent(newer, place.as_uri())
        assert (done.created, done.replaced, done.bytes) == (then.created, then.replaced, then.bytes)

    def test_command(self, roots: tuple[Root, Root], place: Path):
        """The command prints each step with its type and cache header, and as JSON the same."""
        older, _ = roots
        said = run(older, place.as_uri(), "--dry-run")
        assert said.returncode == 0, said.stderr
        assert f"create {RECORD}  " in said.stdout
        assert "bytes, application/json, public, max-age=31536000, immutable\n" in said.stdout
        assert "put    index.html" in said.stdout
        assert said.stdout.rstrip().endswith("0 were there already")
        assert not place.exists()
        steps = msgspec.json.decode(run(older, place.as_uri(), "--dry-run", "--json").stdout)["steps"]
        assert [step["path"] for step in steps][-1] == "404.html"


class TestRefused:
    """Permanent objects are write-once, and nothing unsound is sent."""

    def test_a_permanent_object_with_other_bytes(self, roots: tuple[Root, Root], place: Path):
        """Nothing is overwritten and nothing more is sent."""
        older, newer = roots
        sent(older, place.as_uri())
        whole = (place / RECORD).read_bytes()
        for wrong in (whole + b" ", whole.replace(b"kiln", b"kilt")):
            (place / RECORD).write_bytes(wrong)
            before = found(place)
            with pytest.raises(IntegrityError, match="other bytes") as refused:
                sent(newer, place.as_uri())
            assert refused.value.where == RECORD
            assert found(place) == before

    def test_one_that_appears_while_the_site_is_sent(self, roots: tuple[Root, Root], place: Path):
        """The target refuses to replace it, and the run ends; with the same bytes it goes on."""
        older, newer = roots
        sent(older, place.as_uri())
        path = RECORD.replace("03-03", "03-04")
        same = (newer.site / path).read_bytes()
        with pytest.raises(IntegrityError, match="other bytes"):
            asyncio.run(overtaken(newer, place, path, same + b" "))
        index = (place / "index.html").read_bytes()
        assert index == site(older)["index.html"], "nothing further was sent"
        assert (place / path).read_bytes() == same + b" "
        (place / path).unlink()
        asyncio.run(overtaken(newer, place, path, same))
        assert found(place) == site(newer)

    def test_a_site_that_is_behind_what_was_published(self, roots: tuple[Root, Root], place: Path):
        """An older copy of the archive turns no time back."""
        older, newer = roots
        sent(newer, place.as_uri())
        before = found(place)
        with pytest.raises(IntegrityError, match="this one is behind"):
            sent(older, place.as_uri())
        assert found(place) == before

    def test_while_another_publisher_is_at_work(self, roots: tuple[Root, Root], place: Path):
        """It ends at once and sends nothing."""
        older, _ = roots
        (place / OWN).mkdir(parents=True)
        with filelock.FileLock(place / OWN / "lock"), pytest.raises(LockedError, match="another run"):
            sent(older, place.as_uri())
        assert found(place) == {}

    def test_a_file_that_changes_after_it_was_verified(self, tmp_path: Path, place: Path):
        """What is sent is what was planned."""
        root = make_root(tmp_path / "root", 1)
        files = list(site_files(root))

        def other(path: str) -> bytes:
            return (root.site / path).read_bytes() + b" "

        async def late() -> None:
            target = open_target(place.as_uri(), bool)
            async with target.held("me") as certain:
                await Sender(target, read=other, certain=certain, count=lambda _: None)._body(files[0])

        with pytest.raises(ArchiveError, match="changed meanwhile"):
            asyncio.run(late())

    def test_a_site_with_a_finding(self, tmp_path: Path, place: Path):
        """The command names the first mismatch, exits 6 and sends nothing; without a site it exits 2."""
        root = make_root(tmp_path / "root", 1)
        with (root.site / "about/index.html").open("ab") as page:
            page.write(b" ")
        said = run(root, place.as_uri())
        assert said.returncode == ExitCode.INTEGRITY
        assert "found 1 mismatches, the first: changed in site/about/index.html" in said.stderr
        shutil.rmtree(root.site)
        with pytest.raises(UsageError, match="Run 'bitdepth render' first"):
            refuse_unsound(root, progress=Silent())
        assert not place.exists()


class TestAddress:
    """Each refusal is one message, with an exit code of its own."""

    @pytest.mark.parametrize(
        "address",
        ["ftp://x/y", "bucket", "", "s3://", "s3:///x", f"s3://user:{SECRET}@bucket/x", f"s3://b/x?key={SECRET}",
         "file:relative", "file://host/x", "memory:///", "https://bucket.example/", "http://[", "s3"],
    )  # fmt: skip
    def test_that_names_no_target(self, address: str):
        """Exit 2; nothing of the address but its scheme is repeated."""
        with pytest.raises(UsageError, match="expected the address of a target") as refused:
            open_target(address, lambda _: True)
        assert SECRET not in str(refused.value)
        assert refused.value.exit_code == ExitCode.USAGE

    @pytest.mark.parametrize(
        ("scheme", "variable"),
        [("s3", "AWS_ACCESS_KEY_ID"), ("gs", "GOOGLE_SERVICE_ACCOUNT"), ("az", "AZURE_STORAGE_ACCOUNT_NAME")],
    )
    def test_without_a_credential_in_the_environment(self, scheme: str, variable: str):
        """Exit 8, before anything is asked; the variables are named."""
        with pytest.raises(CredentialError, match=variable) as refused:
            open_target(f"{scheme}://bucket/prefix", lambda _: False)
        assert refused.value.exit_code == ExitCode.CREDENTIAL

    def test_of_a_container_whose_account_stands_in_the_environment(self, monkeypatch: pytest.MonkeyPatch):
        """Its name and prefix are in the address, its key is not, and nothing is asked yet."""
        monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", "account")
        monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", "c2VjcmV0")
        target = open_target("az://container/some/prefix/", lambda name: bool(os.environ.get(name)))
        assert target.name == "az://container/some/prefix"

    def test_with_variables_that_do_not_fit(self, monkeypatch: pytest.MonkeyPatch):
        """Exit 2; what the variables hold is not repeated."""
        monkeypatch.setenv("GOOGLE_SERVICE_ACCOUNT_KEY", f"{{{SECRET}")
        with pytest.raises(UsageError, match="GOOGLE_SERVICE_ACCOUNT_KEY") as refused:
            open_target("gs://bucket/prefix", lambda _: True)
        assert SECRET not in str(refused.value)

    def test_of_a_folder_whose_own_is_missing(self, roots: tuple[Root, Root], tmp_path: Path):
        """Exit 7; only the last part of the path is made."""
        with pytest.raises(TargetError, match="found none") as refused:
            sent(roots[0], (tmp_path / "none/published").as_uri())
        assert refused.value.exit_code == ExitCode.TARGET
        with pytest.raises(TargetError, match="found none"):
            sent(roots[0], (tmp_path / "none/published").as_uri(), dry_run=True)

    def test_of_what_is_no_folder(self, roots: tuple[Root, Root], tmp_path: Path):
        """Exit 7, in one message of the file system's."""
        (tmp_path / "file").write_text("")
        with pytest.raises(TargetError, match="cannot publish"):
            sent(roots[0], (tmp_path / "file").as_uri())

    def test_of_a_folder_of_the_root_itself(self, roots: tuple[Root, Root], tmp_path: Path):
        """The site is not published into its own archive, nor into itself."""
        root = roots[0]
        for folder in (root.path, root.site, root.site / "x", root.path / "archive", root.path.parent):
            with pytest.raises(UsageError, match="a folder of its own"):
                refuse_own_folder(root, folder.as_uri())
        refuse_own_folder(root, tmp_path.as_uri())
        refuse_own_folder(root, "s3://bucket")

    def test_exit_code_of_the_command(self, roots: tuple[Root, Root]):
        """The command ends with the error's exit code and prints one line, without what is secret."""
        said = run(roots[0], f"ftp://user:{SECRET}@host/x")
        assert said.returncode == ExitCode.USAGE
        assert said.stderr.count("\n") == 1
        assert SECRET not in said.stdout + said.stderr


class TestOwner:
    def test_a_copied_root_has_another_name(self, tmp_path: Path):
        """Two copies at work at once must not take each other for dead."""
        root = make_root(tmp_path / "root", 0, graded=False, rendered=False)
        name = owner_of(root.path, os.urandom)
        assert owner_of(root.path, os.urandom) == name
        shutil.copytree(root.path, tmp_path / "copy", copy_function=shutil.copy2)
        assert owner_of(tmp_path / "copy", os.urandom) != name

    def test_a_root_that_cannot_be_written_has_a_new_name_each_time(self, tmp_path: Path):
        """It waits for its own dead, as for others'."""
        (tmp_path / ".cache").write_text("a file where a folder belongs")
        assert owner_of(tmp_path, os.urandom) != owner_of(tmp_path, os.urandom)


async def overtaken(root: Root, place: Path, path: str, data: bytes) -> None:
    """Publish to a folder in which a file appears once the target was listed."""
    target = open_target(place.as_uri(), bool)
    create = target.create

    async def late(file, body):  # noqa: ANN001, ANN202 - as create
        if file.path == path:
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_bytes(data)
        return await create(file, body)

    target.create = late
    await publish(root, target, progress=Silent(), owner="me")


def test_the_command_line_of_the_tests_is_the_real_one(roots: tuple[Root, Root], place: Path):
    """The command verifies, publishes and says what it did."""
    done = subprocess.run(command(roots[0], place.as_uri()), capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    assert "checking the site" in done.stderr
    assert "permanent objects created" in done.stdout
    assert found(place) == site(roots[0])
