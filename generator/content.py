"""The only reader of content/: settings, method definitions, prompt sets and prose.

A site root may leave out what the installed program brings along: its own file wins, the packaged one otherwise.
"""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from generator.errors import ContentError
from generator.records.calibration import CalibrationEvidence
from generator.records.candidate import CandidateEvidence
from generator.records.definition import Method, version_key
from generator.records.definition_file import parse_method
from generator.records.prompt import PromptSet
from generator.records.prompt_report import PromptReport
from generator.records.prompt_set_file import parse_prompt_set
from generator.records.reply import Reply, parse_reply
from generator.records.store_address import StoreAddress, parse_store_address
from generator.records.toml_file import record_of, table_of, text_of
from generator.settings import PATTERN_WORDS, Settings
from generator.settings_rules import archive_refusal, check_settings

_PACKAGE = Path(__file__).parent
_REPLY_PARTS = 4
"""Author, name, endpoint and the file."""

_T = TypeVar("_T")


def packaged(name: str) -> Path:
    """Return where the installed program keeps a default: `content`, `templates` or `archive/FORMAT.md`."""
    bundled = _PACKAGE / "_defaults" / name
    return bundled if bundled.exists() else _PACKAGE.parent / name


def settings_of(data: bytes) -> Settings:
    """Return what the bytes of a content/site.toml say.

    Raises:
        ContentError: naming the field that is missing, unknown, of another type or out of bounds.
    """
    where = "content/site.toml"
    settings = record_of(table_of(data, where), Settings, where, words=PATTERN_WORDS)
    check_settings(settings, where)
    return settings


class Content:
    """The content/ folder of a site root, over the packaged one."""

    def __init__(self, root: Path) -> None:
        """Use a site root; nothing is opened yet."""
        self._folders = (root / "content", packaged("content"))

    def settings(self) -> Settings:
        """Return what site.toml says.

        Raises:
            ContentError: naming the field that is missing, unknown, of another type or out of bounds.
        """
        path = self._folders[0] / "site.toml"
        if not path.is_file():
            raise ContentError(
                f"expected a settings file, found {'something else' if path.exists() else 'none'}",
                where=str(path),
                do="Give --root the folder that holds content/, or make such a folder with 'bitdepth init DIR'",
            )
        return settings_of(_read(path, "content/site.toml"))

    def archive(self) -> StoreAddress | None:
        """Return where site.toml says that the archive lies; None for the folder archive/ of the site root.

        A copy of an archive without that file is read where it lies, and what is wrong elsewhere in it hides nothing.

        Raises:
            ContentError: where it names no folder or bucket.
        """
        where = "content/site.toml"
        try:
            address = table_of(_read(self._folders[0] / "site.toml", where), where).get("archive")
        except ContentError:
            return None
        found = parse_store_address(address) if isinstance(address, str) else None
        if found is None and address is not None:
            raise archive_refusal(address, where)
        return found

    def method(self, version: str) -> Method:
        """Return one method version.

        Raises:
            ContentError: where there is none, or its definition is malformed.
        """
        where = f"content/methods/{version}.toml"
        definition = self._read(f"methods/{version}.toml", do=f"Known versions: {', '.join(self.method_versions())}")
        method = parse_method(definition, self._read(f"methods/{version}.md"), where=where)
        if method.version != version:
            raise ContentError(
                f"expected version '{version}', found '{method.version}'",
                where=f"{where}, field 'version'",
                do="Restore the file: it is named by its version",
            )
        return method

    def method_versions(self) -> tuple[str, ...]:
        """Return every method version that can be graded under, oldest first."""
        found = {path.stem for folder in self._folders for path in (folder / "methods").glob("*.toml")}
        return tuple(sorted(found, key=version_key))

    def prompt_set(self, name: str) -> PromptSet:
        """Return a prompt set, its families sorted by name.

        Raises:
            ContentError: naming file, line and field of what is malformed.
        """
        folder = f"prompts/{name}"
        known = f"Known prompt sets: {', '.join(self._prompt_sets())}"
        return parse_prompt_set(
            name, lambda file, *, do: self._read(f"{folder}/{file}", do=do), where=f"content/{folder}", known=known
        )

    def pages(self) -> dict[str, str]:
        """Return the prose pages, Markdown by name; the chapters of the guide as `guide/<name>`."""
        found: dict[str, str] = {}
        for folder in reversed(self._folders):
            pages = folder / "pages"
            for path in sorted((*pages.glob("*.md"), *pages.glob("guide/*.md"))):
                name = path.relative_to(pages).as_posix()
                found[name.removesuffix(".md")] = text_of(_read(path, f"content/pages/{name}"), f"content/pages/{name}")
        return found

    def replies(self) -> tuple[Reply, ...]:
        """Return what those whom grades concern replied; the packaged content holds none.

        Raises:
            ContentError: naming a file that is no reply, or lies where none is read.
        """
        folder = self._folders[0] / "replies"
        found = []
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            if path.is_dir() or path.name.startswith("."):
                continue
            parts = name.removesuffix(".md").split("/")
            if len(parts) != _REPLY_PARTS or path.suffix != ".md":
                raise ContentError(
                    "expected replies at <author>/<name>/<endpoint>/<any name>.md, found a file elsewhere",
                    where=f"content/replies/{name}",
                    do="Move it into the folder of its endpoint, named as the endpoint's address below /models/ is",
                )
            text = text_of(_read(path, f"content/replies/{name}"), f"content/replies/{name}")
            found.append(parse_reply(text, folder="/".join(parts[:-1]), name=parts[-1]))
        return tuple(found)

    def method_files(self, version: str) -> tuple[bytes, bytes]:
        """Return a method version's definition and prose as they lie."""
        return self._read(f"methods/{version}.toml"), self._read(f"methods/{version}.md")

    def holds_calibration(self, version: str) -> bool:
        """True where a calibration to this version, or its prose, lies in the site root already."""
        names = (f"calibration/{version}.json", f"calibration/prompts-{version}.json", f"methods/{version}.md")
        return any((folder / name).exists() for folder in self._folders for name in names)

    def calibrations(self) -> tuple[CalibrationEvidence, ...]:
        """Return the evidence of every calibration, oldest version first."""
        found = self._calibration("[0-9]*.json", CalibrationEvidence)
        return tuple(sorted(found, key=lambda evidence: version_key(evidence.version)))

    def candidate_evidence(self) -> tuple[CandidateEvidence, ...]:
        """Return what candidates' rules do on the recording, oldest version first."""
        found = self._calibration("candidate-*.json", CandidateEvidence)
        return tuple(sorted(found, key=lambda evidence: version_key(evidence.version)))

    def prompt_reports(self) -> tuple[PromptReport, ...]:
        """Return the prompt report of every calibration, oldest version first."""
        found = self._calibration("prompts-*.json", PromptReport)
        return tuple(sorted(found, key=lambda report: version_key(report.method_version)))

    def _prompt_sets(self) -> list[str]:
        return sorted(
            {path.parent.name for folder in self._folders for path in (folder / "prompts").glob("*/set.toml")}
        )

    def _calibration(self, pattern: str, kind: type[_T]) -> list[_T]:
        """Return the records of content/calibration/ whose names fit a pattern; ContentError for a malformed one."""
        names = {path.name for folder in self._folders for path in (folder / "calibration").glob(pattern)}
        found = []
        for name in sorted(names):
            try:
                found.append(msgspec.json.decode(self._read(f"calibration/{name}"), type=kind))
            except msgspec.DecodeError as error:
                raise ContentError(f"{error}", where=f"content/calibration/{name}", do="Restore the file") from None
        return found

    def _read(self, name: str, *, do: str | None = None) -> bytes:
        for folder in self._folders:
            if (folder / name).is_file():
                return _read(folder / name, f"content/{name}")
        raise ContentError("expected a file, found none", where=f"content/{name}", do=do)


def _read(path: Path, where: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ContentError(
            f"expected a file that can be read, found: {error.strerror}",
            where=where,
            do="Give whoever runs this the right to read it",
        ) from None
