"""A night killed at any instant ends as one that was not: nothing answered is lost, nothing is paid for twice.

The real command runs as a process against the real demo router, which counts what it served, and is ended by SIGKILL at
seeded random instants, several times a night, before one run gets to the night's end. After each kill the journal is
held against the router's counts. At the end the whole archive and site are held, byte for byte, against those of a
night of the same plan that nobody disturbed. Two things are not compared: the times at which requests were sent, which
are measured (the undisturbed night is sealed with the disturbed one's), and `.cache/`, which follows from the archive.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from demo_site import DemoSite, clear_of_midnight, journal_bytes, journal_lines, kept_files, write_journal

from generator.archive.codec import records_of
from generator.probing.demo.process import running_router
from generator.records.draws import Draws
from generator.records.night import NightPlan
from generator.records.observation import Observation

KILLS = (
    pytest.param(2, id="2", marks=pytest.mark.ci),
    pytest.param(50, id="50", marks=[pytest.mark.ci, pytest.mark.timeout(900)]),
    pytest.param(200, id="200", marks=[pytest.mark.long, pytest.mark.timeout(3600)]),
)
"""How many instants, in each tier."""

KILLS_A_NIGHT = 8
"""Before a run is left to get to the night's end."""
PHASES = ("asking", "anywhere", "asking", "sealing", "anywhere")
"""Where the instants fall, in turn: over a whole run, and besides where most can be lost and where least time is."""
ENOUGH_KILLS = 50
"""Among so many instants some surely fall where requests are in flight."""
SHORT_S = 0.03
"""About as long as a night's files, or some twenty lines of its journal, take to be written."""
MODEL = "huggingfacetb/smollm2-135m-instruct"
PER_ENDPOINT = 4
"""Requests in flight to one endpoint at once: all that one kill may lose of it."""


class Pace:
    """How far and how fast a run gets here: from one whole run, and again from each that gets to its end."""

    def __init__(self, site: DemoSite) -> None:
        """Measure a run that nobody disturbs."""
        began, marks = time.monotonic(), [0.0, 0.0]

        def watch() -> bool:
            for place, there in enumerate((journal_bytes(site) > 0, begins_sealing(site))):
                marks[place] = marks[place] or (time.monotonic() - began if there else 0.0)
            return False

        night = Night(site)
        night.run(watch)
        self.journal = night.longest
        """Bytes of a whole night's journal, about."""
        self._whole_s = time.monotonic() - began
        self._asking_s = marks[1] - marks[0]
        assert 0 < marks[0] < marks[1] < self._whole_s

    def length(self, site: DemoSite) -> float:
        """Return how long the next run of a night takes, in seconds."""
        asked = 1.0 if begins_sealing(site) else min(1.0, journal_bytes(site) / self.journal)
        return self._whole_s - asked * self._asking_s

    def correct(self, expected: float, took: float) -> None:
        """Scale by a run that got to its end: the machine is shared, and not always as fast."""
        self._whole_s *= took / expected
        self._asking_s *= took / expected


class Night:
    """One night that is killed and begun again, and what is known of it from outside."""

    def __init__(self, site: DemoSite) -> None:
        """Begin with nothing asked."""
        self.site = site
        self.plan: bytes | None = None
        """The first line of its journal, once it has one."""
        self.longest = 0
        """The most bytes that its journal had."""
        self.lost: Counter[str] = Counter()
        """By provider, the requests that the router served and that are not in the journal."""
        self._served_before = served(site)
        self._lines: list[bytes] = []

    def run(self, has_come: Callable[[], bool]) -> bool:
        """Run the command until it ends or its instant has come. Return True where it was killed."""
        process = self.site.start("nightly")
        while process.poll() is None and not has_come():
            self.longest = max(self.longest, journal_bytes(self.site))
            if self.plan is None and self.longest:
                self.plan = journal_lines(self.site)[0]
            time.sleep(0.001)
        was_killed = process.poll() is None
        process.kill()
        _, said = process.communicate(timeout=60)
        assert was_killed or process.returncode == 0, said.decode()
        return was_killed

    def check(self) -> None:
        """Hold the journal, or the sealed night, against what the router has served."""
        if self.site.root.store.nights.kept():
            rows = sealed_rows(self.site)
        else:
            lines = journal_lines(self.site)
            assert lines[: len(self._lines)] == self._lines, "an answered observation was lost"
            self._lines = lines
            rows = self.journalled()
        assert len({key(row) for row in rows}) == len(rows), "an observation was made twice"
        plan = msgspec.json.decode(self.plan, type=NightPlan) if self.plan else None
        providers = {each.endpoint: each.provider for each in plan.endpoints} if plan else {}
        lost = served(self.site) - self._served_before
        lost.subtract(Counter(providers[row.endpoint] for row in rows))
        for provider, count in lost.items():
            assert self.lost[provider] <= count, "an observation was made up"
            assert count <= self.lost[provider] + PER_ENDPOINT, "more was lost than was in flight"
        self.lost = lost

    def is_half_asked(self) -> bool:
        """True where the last kill found observations, and the night not sealed."""
        return len(self._lines) > 1 and not self.site.root.store.nights.kept()

    def journalled(self) -> list[Observation]:
        """Return every observation that a kill found in the journal, as it stood there."""
        return [msgspec.json.decode(line, type=Observation) for line in self._lines[1:]]


@pytest.mark.parametrize("kills", KILLS)
def test_killed_at_any_instant_a_night_ends_as_an_undisturbed_one(tmp_path: Path, kills: int):
    """Only what was not answered is sent again, at most the requests in flight are asked twice, all bytes are equal."""
    draws = Draws("kills", str(kills))
    done, nights, twice, half_asked = 0, 0, 0, 0
    with running_router() as address:
        clear_of_midnight()
        pace = Pace(fresh(tmp_path / "0", address, 0))
        while done < kills:
            nights += 1
            clear_of_midnight()
            night = Night(fresh(tmp_path / f"{nights}", address, nights))
            for _ in range(min(KILLS_A_NIGHT, kills - done)):
                expected, began = pace.length(night.site), time.monotonic()
                if not night.run(instant(PHASES[done % len(PHASES)], pace, draws, night.site)):
                    pace.correct(expected, time.monotonic() - began)
                    break
                done += 1
                night.check()
                half_asked += night.is_half_asked()
            else:
                expected, began = pace.length(night.site), time.monotonic()
                night.run(lambda: False)
                pace.correct(expected, time.monotonic() - began)
            night.check()
            check_end(night, tmp_path / f"{nights}", address, nights)
            twice += night.lost.total()
    # Else no instant was where anything can be lost.
    assert half_asked > 0
    assert twice > 0 or kills < ENOUGH_KILLS


def check_end(night: Night, path: Path, address: str, number: int) -> None:
    """Hold a finished night against one of the same plan that was not disturbed."""
    assert night.plan is not None
    ended = {key(row): row for row in sealed_rows(night.site)}
    for row in night.journalled():
        assert ended[key(row)] == row

    undisturbed = fresh(path / "undisturbed", address, number)
    write_journal(undisturbed, [night.plan])
    before = served(undisturbed)
    done = undisturbed.run("probe")
    assert done.returncode == 0, done.stderr
    assert (served(undisturbed) - before).total() == len(ended)
    rows = [msgspec.structs.replace(row, requested_at=ended[key(row)].requested_at) for row in sealed_rows(undisturbed)]
    assert {key(row): row for row in rows} == ended

    # Everything after the asking follows from the rows: the same rows give the same bytes.
    retold = fresh(path / "retold", address, number)
    write_journal(retold, [night.plan, *(msgspec.json.encode(row) for row in rows)])
    before = served(retold)
    done = retold.run("nightly")
    assert done.returncode == 0, done.stderr
    assert served(retold) == before
    assert kept_files(night.site) == kept_files(retold)


def instant(phase: str, pace: Pace, draws: Draws, site: DemoSite) -> Callable[[], bool]:
    """Return what says whether a run's random instant has come, drawn over all of the run or over one phase of it.

    A phase that an earlier run has got through already is no place for an instant: it is drawn over the whole run.
    """
    share = draws.below(1_000_000) / 1_000_000
    size = journal_bytes(site)
    if begins_sealing(site) or (phase == "asking" and size >= pace.journal):
        phase = "anywhere"
    wanted = size + share * (pace.journal - size)
    since = [time.monotonic()] if phase == "anywhere" else []
    after = share * pace.length(site) if phase == "anywhere" else draws.below(1_000_000) / 1_000_000 * SHORT_S

    def has_come() -> bool:
        if not since and (journal_bytes(site) > wanted if phase == "asking" else begins_sealing(site)):
            since.append(time.monotonic())
        return bool(since) and time.monotonic() >= since[0] + after

    return has_come


def fresh(path: Path, address: str, number: int) -> DemoSite:
    """Return a root that watches one model, its router playing a night of its own."""
    site = DemoSite(path / "root", address, seed=f"5eed{number}")
    site.write_settings(models=msgspec.json.encode([MODEL]).decode())
    return site


def begins_sealing(site: DemoSite) -> bool:
    """True once a file of a night lies in the archive."""
    return any((site.path / "archive/nights").glob("*/*"))


def served(site: DemoSite) -> Counter[str]:
    """Return how often the router was reached, by provider, once what a killed run had sent has arrived."""
    counts, deadline = site.served(), time.monotonic() + 10
    while time.monotonic() < deadline:
        time.sleep(0.02)
        again = site.served()
        if again == counts:
            break
        counts = again
    assert counts.requests == sum(each.requests for each in counts.endpoints), "a request reached no endpoint"
    return Counter({each.provider: each.requests for each in counts.endpoints})


def sealed_rows(site: DemoSite) -> list[Observation]:
    """Return the observations of the one night that is sealed."""
    nights = site.root.store.nights
    (night,) = nights.kept()
    return records_of(nights.table(nights.get(night).record, "observations"), Observation)


def key(row: Observation) -> tuple[str, str, str]:
    """Return what names an observation."""
    return (row.model, row.endpoint, row.prompt_id)
