"""Our client against raw asyncio and aiohttp on one local router, in one run, taking turns.

    python -m tests.benchmarks.probing
    python -m tests.benchmarks.probing --connections 60 --rounds 7

The router answers after 200 ms. Each run of a client is a process of its own, and the router is another. Ratios are
the medians of each round's own ratio to the raw client of that round: both met the same machine, whatever else it did.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable

from tests.benchmarks.probing_clients import Run, Spent, measured
from tests.benchmarks.probing_server import LATENCY_MS, serving
from tests.benchmarks.processes import in_a_process

CLIENTS = ("raw asyncio", "aiohttp", "ours")
CONNECTIONS = (50, 60, 200, 500)
FIGURES: dict[str, Callable[[Spent], float]] = {
    "requests/s": lambda spent: len(spent.latencies_ms) / spent.seconds,
    "CPU ms/request": lambda spent: 1000 * spent.cpu_s / len(spent.latencies_ms),
    "median latency ms": lambda spent: statistics.median(spent.latencies_ms),
}


def table(connections: int, rounds: list[dict[str, Spent]]) -> list[str]:
    """Return the lines of one number of connections: each client's medians, and its ratios to the raw one."""
    lines = []
    for client in CLIENTS:
        cells = [f"{connections}", client]
        for figure in FIGURES.values():
            mine = [figure(each[client]) for each in rounds]
            ratio = statistics.median(figure(each[client]) / figure(each[CLIENTS[0]]) for each in rounds)
            cells += [f"{statistics.median(mine):.4g}", f"{ratio:.3f}"]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def reached(connections: int, rounds: list[dict[str, Spent]]) -> str:
    """Return how near ours comes to the raw client, in a sentence."""
    rate, _, latency = (
        statistics.median(figure(each["ours"]) / figure(each[CLIENTS[0]]) for each in rounds)
        for figure in FIGURES.values()
    )
    return (
        f"{connections} connections: {rate:.3f} of raw asyncio's rate, "
        f"median latency {100 * (latency - 1):.1f} % above its"
    )


def main(arguments: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.probing", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--connections", type=int, nargs="+", default=CONNECTIONS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4, help="how long a run takes a client that adds nothing")
    asked = parser.parse_args(arguments)
    heads = [f"{name} | / raw" for name in FIGURES]
    print(f"| connections | client | {' | '.join(heads)} |")  # noqa: T201 - a script's output
    print(f"| ---: | --- |{' ---: |' * 2 * len(FIGURES)}")  # noqa: T201 - same
    said = []
    with serving() as port:
        for connections in asked.connections:
            requests = round(connections * asked.seconds * 1000 / LATENCY_MS)
            run = Run(port=port, connections=connections, requests=requests)
            rounds = [{client: in_a_process(measured, client, run) for client in CLIENTS} for _ in range(asked.rounds)]
            print("\n".join(table(connections, rounds)), flush=True)  # noqa: T201 - same
            said.append(reached(connections, rounds))
    print("\n" + "\n".join(said))  # noqa: T201 - same
    return 0


if __name__ == "__main__":
    sys.exit(main())
