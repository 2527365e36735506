"""The golden grades of reef/lantern, every field worked out by hand before any code graded it.

reef/lantern:

    tides: gale 0/12, heath 1/12, inlet 1/12, jetty none; index floor(0.75 x 2) = 1: floor 1/12, median 91.7: stable.
    chess-openings: 0/11 three times; riddles: 0/6, 0/6, 0/1: floors 0, stable.
    A full night has 3 + 2 + 1 prompts and allows 3/12 = 1/4; n4 lacks tides-g4 and allows 2/12 = 1/6.
    41 pairs: tides-g4 was sent to nobody. None is without a reference.
    Best in T: gale 20/20. The floor of the keyed family is 8.33 points: 0 and 5 are both smaller and read 0.
"""

from __future__ import annotations

from typing import Any

from generator.records.grade import ChangeKind, DeclaredChange
from tests.golden_archive import NIGHTS, REEF
from tests.golden_fields import COMMON, measured, stable, tides

N1, N2, N3, N4, N5, N6, N7 = NIGHTS

OF_REEF: dict[str, Any] = COMMON | {
    "model": REEF,
    "t_planned": 21,
    "t_best_correct": 20,
    "t_best_counted": 20,
    "nights_since_listed": 7,
    "r_sent": 41,
    "pairs": 41,
    "pairs_without_reference": 0,
}


GALE = OF_REEF | {
    "endpoint": "gale",
    "provider": "Gale",
    "tag": "gale/fp8",
    "letter": "C",
    "m_letter": "A",
    "t_letter": "A",
    "d_letter": "C",
    "r_letter": "A",
    "m_nights_observed": 7,
    "m_nights_outside": 0,
    "m_night": measured(*((n, 6 - (n == N4), 0, 1, 6 if n == N4 else 4) for n in NIGHTS)),
    "m_family": (
        stable("chess-openings", (0, 1), (14, 0), (11, 0)),
        stable("riddles", (0, 1), (7, 0), (6, 0)),
        stable("tides", (1, 12), (20, 0), (12, 0)),
    ),
    "t_correct": 20,
    "t_counted": 20,
    "t_within_floor": True,
    "t_family": tides(20, 20),
    "d_state": "changed",
    "d_changes": (DeclaredChange(night=N3, before=None, after="fp8", kind=ChangeKind.NEWLY_DECLARED),),
    "r_answered": 41,
    "latency_class": "III",
    "median_latency_ms": 9999,
}

HEATH = OF_REEF | {
    "endpoint": "heath",
    "provider": "Heath",
    "tag": "heath",
    "letter": "C",
    "m_letter": "C",
    "t_letter": "A",
    "d_letter": "C",
    "r_letter": "A",
    "m_nights_observed": 7,
    "m_nights_outside": 1,
    # Own variation: 1 differs, 12 x 1/12 + 11 x 0 + 6 x 0 = 1 is tolerated: exactly at, not above.
    "m_night": measured(*((n, 6 - (n == N4), int(n == N7), 1, 6 if n == N4 else 4) for n in NIGHTS)),
    "m_family": (
        stable("chess-openings", (0, 1), (14, 0), (11, 0)),
        stable("riddles", (0, 1), (7, 0), (6, 0)),
        stable("tides", (1, 12), (20, 1), (12, 1)),
    ),
    "t_correct": 19,
    "t_counted": 20,
    "t_within_floor": True,
    "t_family": tides(19, 20),
    "d_state": "changed",
    "d_precision": None,
    "d_changes": (DeclaredChange(night=N6, before="fp8", after=None, kind=ChangeKind.WITHDRAWN),),
    "r_answered": 41,
    "latency_class": "IV",
    "median_latency_ms": 10000,
}

INLET = OF_REEF | {
    "endpoint": "inlet",
    "provider": "Inlet",
    "tag": "inlet/fp8",
    "letter": "D",
    "m_letter": "C",
    "t_letter": "A",
    "d_letter": "C",
    "r_letter": "D",  # 5 of 41: 12.2 %
    "m_nights_observed": 7,
    "m_nights_outside": 1,
    "m_night": measured(
        (N1, 5, 1, 1, 4),
        (N2, 5, 0, 1, 4),
        (N3, 5, 0, 1, 4),
        (N4, 4, 0, 1, 6),
        (N5, 5, 0, 1, 4),
        (N6, 6, 0, 1, 4),
        (N7, 6, 0, 1, 4),
    ),
    "m_family": (
        stable("chess-openings", (0, 1), (14, 0), (11, 0)),
        stable("riddles", (0, 1), (2, 0), (1, 0)),
        stable("tides", (1, 12), (20, 1), (12, 1)),
    ),
    "t_correct": 19,
    "t_counted": 20,
    "t_within_floor": True,
    "t_family": tides(19, 20),
    "d_state": "changed",
    "d_changes": (
        DeclaredChange(night=N2, before="fp8", after="int4", kind=ChangeKind.CHANGED),
        DeclaredChange(night=N5, before="int4", after="fp8", kind=ChangeKind.CHANGED),
    ),
    "r_errors": 5,
    "r_answered": 36,
    "latency_class": "II",
    "median_latency_ms": 1500,
}

JETTY = OF_REEF | {
    "endpoint": "jetty",
    "provider": "Jetty",
    "tag": "jetty/fp8",
    "letter": "U",
    "m_letter": None,
    "t_letter": None,
    "d_letter": "A",
    "r_letter": "B",  # no errors, and 41 answers from elsewhere
    "m_nights_observed": 0,
    "m_nights_outside": 0,
    "m_night": (),
    "m_family": (
        stable("chess-openings", (0, 1), (0, 0), (0, 0)),
        stable("riddles", (0, 1), (0, 0), (0, 0)),
        stable("tides", (1, 12), (0, 0), (0, 0)),
    ),
    "t_correct": 0,
    "t_counted": 0,
    "t_within_floor": False,
    "t_family": tides(0, 0),
    "r_answered": 0,
    "r_misrouted": 41,
    "unrated_reasons": ("not_measured",),
    "latency_class": None,
    "median_latency_ms": None,
    "context_declared": 8192,
}
