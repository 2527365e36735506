"""The options that spread a command's work over processes by Dask, and who does it where they are given."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from generator.cluster.connection import connected
from generator.cluster.spreading import DaskSpread
from generator.errors import UsageError
from generator.workflows.spread import Spread
from generator.workflows.world import Progress, Root

SchedulerOption = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="ADDRESS",
        help="Spread the work over the workers of this Dask scheduler, e.g. tcp://host:8786. Every worker needs the "
        "same site root under the same path. Needs bitdepth[cluster].",
    ),
]
WorkersOption = Annotated[
    int | None,
    typer.Option("--workers", metavar="N", min=1, help="Spread the work over N processes on this machine, by Dask."),
]


@contextmanager
def spreading(root: Root, scheduler: str | None, workers: int | None, progress: Progress) -> Iterator[Spread | None]:
    """Hold who spreads work over processes; None where neither option is given.

    Raises:
        UsageError: where both are given, or Dask distributed is not installed.
        ClusterError: where no worker can be reached, or one reads another site root.
    """
    if scheduler is not None and workers is not None:
        raise UsageError("expected --scheduler or --workers, found both", where="--workers", do="Give one of them")
    if scheduler is None and workers is None:
        yield None
        return
    with connected(scheduler, workers, progress) as client:
        yield DaskSpread(client, root, progress)
