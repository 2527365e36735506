"""What each leaf of a log names of a published site: path and digest of every file that must be as the leaf says."""

from __future__ import annotations

from collections.abc import Iterator

from generator.records.data_file import DATA
from generator.records.leaf import GradeLeaf, KeyLeaf, Leaf, MethodLeaf, MissedLeaf, NightLeaf, VoidedLeaf, WithheldLeaf
from generator.records.permalink import method_path
from generator.records.withheld import OBSERVATIONS

PAGE, RECORD = "index.html", "grade.json"
"""What lies in the folder of a permanent page, beside its proof."""


def named_files(leaf: Leaf, withheld: WithheldLeaf | None = None) -> Iterator[tuple[str, str]]:
    """Yield path within the site and SHA-256 of each file that a leaf names.

    Args:
        leaf: of the log.
        withheld: the last withholding of a night's leaf, after which another table is kept.
    """
    match leaf:
        case GradeLeaf():
            yield leaf.path + PAGE, leaf.page_sha256
            yield leaf.path + RECORD, leaf.record_sha256
        case MethodLeaf():
            yield f"{method_path(leaf.version)}index.html", leaf.page_sha256
            yield f"{DATA}methods/{leaf.version}.toml", leaf.definition_sha256
            yield f"{DATA}methods/{leaf.version}.md", leaf.text_sha256
        case NightLeaf():
            folder = f"{DATA}nights/{leaf.night.isoformat()}/"
            yield f"{folder}night.json", leaf.record_sha256
            for file, digest in leaf.files.items():
                if withheld is None or file != OBSERVATIONS:
                    yield folder + file, digest
        case VoidedLeaf():
            yield f"{DATA}nights/{leaf.night.isoformat()}/void.json", leaf.record_sha256
        case WithheldLeaf():
            folder = f"{DATA}nights/{leaf.night.isoformat()}/"
            number = leaf.file.removesuffix(".parquet").rpartition("-")[2]
            yield f"{folder}withheld-{number}.json", leaf.record_sha256
            if withheld is None or withheld == leaf:
                yield folder + leaf.file, leaf.after_sha256
        case MissedLeaf() | KeyLeaf():
            return
