"""A client of Dask's: of a scheduler that somebody runs, or of workers that are started here and end with it."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeAlias

from generator.errors import ClusterError, UsageError
from generator.workflows.world import Progress

Client: TypeAlias = Any
"""Dask's; where the extra is not installed there is no such class."""
_Module: TypeAlias = Any

CONNECT_S = 60
"""How long a scheduler, and then its first worker, is waited for."""
_ADDRESS = re.compile(r"[a-z]{2,8}://[^\s/@]+:[0-9]{1,5}")
STARTS = 3
"""So often workers are started, where one of them dies at once."""
DEATHS = 10
"""So many workers may die of one task, or beside it, before it is taken for what kills them; Dask's own word is 3."""


@contextmanager
def connected(scheduler: str | None, workers: int | None, progress: Progress) -> Iterator[Client]:
    """Hold a client of Dask's.

    Args:
        scheduler: its address, such as tcp://host:8786; None to start workers here.
        workers: how many processes to start here, where there is no scheduler.
        progress: who is told where Dask's own dashboard is.

    Raises:
        UsageError: where the address is none, or Dask distributed is not installed.
        ClusterError: where no scheduler answers, or it has no worker.
    """
    if scheduler is not None and not _ADDRESS.fullmatch(scheduler):
        raise UsageError(
            "expected the address of a Dask scheduler, such as tcp://host:8786, found another text",
            where="--scheduler",
            do="Give it as 'dask scheduler' prints it; nothing was written",
        )
    distributed = _distributed()
    with ExitStack() as stack:
        dask_config = import_module("dask.config")
        stack.enter_context(dask_config.set({"distributed.scheduler.allowed-failures": DEATHS}))
        # What happens to a worker is told in our own words, where it matters.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        address: Any = scheduler
        if scheduler is None:
            address = stack.enter_context(_local(distributed, workers))
        try:
            client = stack.enter_context(distributed.Client(address, timeout=CONNECT_S, set_as_default=False))
            client.wait_for_workers(1, timeout=CONNECT_S)
        except TimeoutError:
            raise _away("a scheduler with at least one worker", "none that answers in time") from None
        except OSError:
            raise _away("a scheduler", "none that answers") from None
        if find_spec("bokeh"):
            progress.say(f"Dask's dashboard: {client.dashboard_link}")
        yield client


def _local(distributed: _Module, workers: int | None) -> Any:  # noqa: ANN401 - Dask's own class
    """Return workers that are started here; they are started anew where one dies before it has begun.

    Raises:
        ClusterError: where one dies each time.
    """
    for _ in range(STARTS):
        with suppress(RuntimeError):
            return distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
            )
    raise ClusterError(
        "expected workers that begin, found that one ended each time before it had",
        where="--workers",
        do=f"Give fewer of them, or look at this machine's memory; {STARTS} starts were tried, and nothing was written",
    )


def _distributed() -> _Module:
    """Return Dask distributed.

    Raises:
        UsageError: where it is not installed.
    """
    try:
        return import_module("distributed")
    except ImportError:
        raise UsageError(
            "expected Dask distributed for --scheduler and --workers, found none installed",
            do="Install the extra, e.g. with: python -m pip install 'bitdepth[cluster]'; or leave the option out",
        ) from None


def _away(expected: str, found: str) -> ClusterError:
    return ClusterError(
        f"expected {expected}, found {found}",
        where="--scheduler",
        do="Start 'dask scheduler' and 'dask worker', or give --workers N to start some here; nothing was written",
    )
