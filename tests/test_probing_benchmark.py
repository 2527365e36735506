"""The benchmark of probing runs: three clients, each answered and counted, at a size that takes a moment."""

from __future__ import annotations

import pytest

from tests.benchmarks.probing import CLIENTS, Spent, main, reached, table


class TestTheBenchmark:
    def test_it_measures_all_three(self, capsys: pytest.CaptureFixture[str]):
        """Each client has a line with its figures, and ours asks over the real client into a real journal."""
        assert main(["--connections", "4", "--rounds", "1", "--seconds", "0.4"]) == 0
        lines = [line.split(" | ") for line in capsys.readouterr().out.splitlines() if line.startswith("| 4 ")]
        assert [line[1] for line in lines] == list(CLIENTS)
        for line in lines:
            rate, cpu_ms, latency_ms = (float(line[at]) for at in (2, 4, 6))
            assert 0 < rate <= 20
            assert cpu_ms > 0
            assert latency_ms >= 199

    def test_ratios_are_of_one_round(self):
        """A round in which the machine was busy for all clients moves no ratio."""

        def spent(seconds: float) -> Spent:
            return Spent(seconds=seconds, cpu_s=1, latencies_ms=[seconds])

        rounds = [dict.fromkeys(CLIENTS, spent(seconds)) | {"ours": spent(2 * seconds)} for seconds in (1, 9, 1)]
        ours = table(60, rounds)[-1].split(" | ")
        assert ours[2:4] == ["0.5", "0.500"]
        assert ours[6:8] == ["2", "2.000 |"]
        assert reached(60, rounds) == "60 connections: 0.500 of raw asyncio's rate, median latency 100.0 % above its"
