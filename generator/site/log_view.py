"""The page of the transparency log, and the two files of it that change: its newest tree, and the newest signed one."""

from __future__ import annotations

from collections.abc import Iterator

from generator.records.permalink import PROOF
from generator.site.frame import Step, frame, replayed_line
from generator.site.library import Library
from generator.site.links import INDEX, Links
from generator.site.templates import Templates

NAME = "log"
CHECKPOINT, HEAD = f"{NAME}/checkpoint", f"{NAME}/head"


def render(library: Library, templates: Templates) -> Iterator[tuple[str, bytes]]:
    """Yield the log's page, and what changes of the log itself.

    Raises:
        ContentError: naming a template that is missing or broken.
    """
    log, path = library.material.log, f"{NAME}/{INDEX}"
    yield (
        path,
        templates.render(
            "log.html",
            page=frame(
                path,
                library.material.settings,
                title="The transparency log",
                description="The log that every night, method version and grade is a leaf of: its tree, its keys, "
                "its format.",
                steps=(Step(text=NAME, href=INDEX),),
                replayed=replayed_line(night.record for night in library.material.nights),
            ),
            links=Links(path),
            log=log,
            proof=PROOF,
        ),
    )
    if log is not None:
        yield HEAD, log.head
        if log.checkpoint is not None:
            yield CHECKPOINT, log.checkpoint
