"""What lists the archive's files for programs: files.json, SHA256SUMS, croissant.json, and FORMAT.md beside them.

The files that they list never change and are laid out apart; these grow with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from generator.records.canonical import sha256
from generator.records.data_file import DATA, DataFile
from generator.site import croissant
from generator.site.interface import Material
from generator.site.linked_data import LICENCE, described

FORMAT, FILES, SUMS = "FORMAT.md", "files.json", "SHA256SUMS"
"""Names below `data/`."""


def render(material: Material) -> Iterator[tuple[str, bytes]]:
    """Yield path and bytes of each list; croissant.json once there is something to describe."""
    text = material.format_text.encode()
    listed, sums = _files_json(material), _sums(material.data, text)
    yield DATA + FORMAT, text
    yield DATA + FILES, listed
    yield DATA + SUMS, sums
    if material.data:
        lists = (
            _listed(SUMS, "The SHA-256 of every file of the archive, as sha256sum -c reads it.", "text/plain", sums),
            _listed(FILES, "Every file with its kind, night, size and SHA-256.", "application/json", listed),
            _listed(FORMAT, "What every file and every column says.", "text/markdown", text),
        )
        days = sorted({night.record.finished_at.date() for night in material.nights})
        yield croissant.PATH, croissant.describe(material.settings, material.data, lists, days=days)


def dataset(material: Material) -> Mapping[str, object]:
    """Return the JSON-LD of the archive for a page's head; croissant.json says more.

    Args:
        material: with at least one night.
    """
    address = material.settings.address + DATA
    nights = [night.record.night for night in material.nights]
    downloads = (
        (croissant.PATH.removeprefix(DATA), "application/ld+json"),
        (FILES, "application/json"),
        (SUMS, "text/plain"),
    )
    return described(
        "Dataset",
        address,
        material.settings,
        name=croissant.name(material.settings),
        description=croissant.description(nights),
        temporalCoverage=f"{nights[0].isoformat()}/{nights[-1].isoformat()}",
        distribution=[
            {"@type": "DataDownload", "name": name, "contentUrl": address + name, "encodingFormat": encoding}
            for name, encoding in downloads
        ],
    )


def _files_json(material: Material) -> bytes:
    """Return files.json: a line for each file, sorted by path."""
    head = {"format": 1, "address": material.settings.address + DATA, "license": LICENCE}
    opened = msgspec.json.encode(head).removesuffix(b"}")
    lines = b",\n".join(msgspec.json.encode(file) for file in material.data)
    return opened + b',"files":[\n' + lines + b"\n]}\n"


def _sums(files: Sequence[DataFile], format_text: bytes) -> bytes:
    """Return the digests in the form of sha256sum, sorted by path."""
    digests = {FORMAT: sha256(format_text), **{file.path: file.sha256 for file in files}}
    return "".join(f"{digest}  {path}\n" for path, digest in sorted(digests.items())).encode()


def _listed(name: str, says: str, encoding: str, data: bytes) -> croissant.Listed:
    return croissant.Listed(name=name, says=says, encoding=encoding, bytes=len(data), sha256=sha256(data))
