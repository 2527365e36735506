"""The golden grades of harbor/pilot, every field worked out by hand before any code graded it.

harbor/pilot, per family (S = pairs that differ / pairs, over the window):

    tides: every S is 0 (12 pairs each; birch 11, ember 2, fjord 10), so the floor is 0 and the median 100: stable.
    chess-openings: no pair of chess-2 from n3 to n4, its text changed; so 6 + 5 = 11 pairs.
        From n4 on the fleet says d4 where it said e4: one pair differs for all who were there but dune.
        amber 1/11, birch 1/11, cedar 3/11, dune 0/11, ember 0/2 (n2-n3 alone), fjord 1/10 (chess-2 empty on n3).
        sorted 0, 0, 1/11, 1/11, 1/10, 3/11; index floor(0.75 x 5) = 3: floor 1/11.
        median (1/11 + 1/11) / 2: 100 - S = 90.9, stable.
    riddles: amber 5/6, birch 3/4, cedar 6/6, dune 6/6, ember 1/1, fjord 4/4; index 3 of the sorted: floor 1.
        median S is 1: not stable.
    A night with all three of tides and both of chess allows 3 x 0 + 2 x 1/11 = 2/11 of a mismatch.
    42 pairs of night and prompt; none alike on n1 (riddle-1), ties on n2 (riddle-1) and n6 (tides-g6): 3 without.
    Best in T: amber 21/21; birch 19/20, cedar 20/21, dune 20/21, fjord 19/21, and ember is barred by its reasons.
    The floor of the keyed family is 0, so nothing is zeroed: 0 is not smaller than 0.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from generator.records.grade import ChangeKind, DeclaredChange
from tests.golden_archive import HARBOR, NIGHTS
from tests.golden_fields import COMMON, measured, stable, tides, unstable

N1, N2, N3, N4, N5, N6, N7 = NIGHTS

OF_HARBOR: dict[str, Any] = COMMON | {
    "model": HARBOR,
    "t_best_correct": 21,
    "t_best_counted": 21,
    "t_within_floor": False,
    "pairs": 42,
    "pairs_without_reference": 3,
}

AMBER = OF_HARBOR | {
    "endpoint": "amber",
    "provider": "Amber",
    "tag": "amber/fp8",
    # Own variation: 1 pair differs, 12 x 0 + 11 x 1/11 = 1 are tolerated: not above.
    "letter": "A",
    "m_letter": "A",
    "t_letter": "A",
    "d_letter": "A",
    "r_letter": "A",
    "m_nights_observed": 7,
    "m_nights_outside": 0,
    "m_night": measured(
        (N1, 5, 0, 2, 11),
        (N2, 5, 0, 2, 11),
        (N3, 5, 0, 2, 11),
        (N4, 5, 0, 2, 11),
        (N5, 5, 0, 2, 11),
        (N6, 4, 0, 2, 11),  # tides-g6 has no reference
        (N7, 5, 0, 2, 11),
    ),
    "m_family": (
        stable("chess-openings", (1, 11), (14, 0), (11, 1)),
        unstable("riddles", (1, 1), (5, 0), (6, 5)),
        stable("tides", (0, 1), (20, 0), (12, 0)),
    ),
    "t_correct": 21,
    "t_counted": 21,
    "t_planned": 21,
    "t_family": tides(21, 21),
    "r_sent": 42,
    "r_answered": 42,
    "nights_since_listed": 9,  # since 28 April: two in April, seven in the window
    "latency_class": "I",
    "median_latency_ms": 702,  # 21 answers at 700 and 21 at 705: 702.5, rounded down
    "price_prompt": Decimal("0.00000175"),
    "price_completion": Decimal("0.000007"),
    "context_declared": 65536,
    "context_observed": 16000,  # the probe of 32000 ended in an error
}

BIRCH = OF_HARBOR | {
    "endpoint": "birch",
    "provider": "Birch",
    "tag": "birch",
    "letter": "B",
    "m_letter": "A",
    "t_letter": "B",  # 100 - 95 = 5, at most 5
    "d_letter": "B",
    "r_letter": "B",  # 1 of 41: 2.44 %
    "m_nights_observed": 7,
    "m_nights_outside": 0,
    "m_night": measured(
        (N1, 4, 0, 2, 11),  # tides-2 was not sent
        (N2, 5, 0, 2, 11),
        (N3, 5, 0, 2, 11),
        (N4, 5, 0, 2, 11),
        (N5, 5, 0, 2, 11),
        (N6, 4, 0, 2, 11),
        (N7, 5, 0, 2, 11),
    ),
    "m_family": (
        stable("chess-openings", (1, 11), (14, 0), (11, 1)),
        unstable("riddles", (1, 1), (4, 1), (4, 3)),  # v against u on n7; the error on n3 breaks two pairs
        stable("tides", (0, 1), (19, 0), (11, 0)),
    ),
    "t_correct": 19,
    "t_counted": 20,
    "t_planned": 21,
    "t_family": tides(19, 20),
    "d_state": "absent",
    "d_precision": None,
    "r_sent": 41,
    "r_errors": 1,
    "r_answered": 40,
    "nights_since_listed": 8,
    "latency_class": "II",  # 1000 is not under 1000
    "median_latency_ms": 1000,
}

CEDAR = OF_HARBOR | {
    "endpoint": "cedar",
    "provider": "Cedar",
    "tag": "cedar/mxfp4",
    "letter": "C",
    "m_letter": "C",
    "t_letter": "B",  # 100 x 1/21 = 4.76
    "d_letter": "C",
    "r_letter": "A",
    "m_nights_observed": 7,
    "m_nights_outside": 2,
    "m_own_variation_above_floor": True,  # 3 differ, 1 is tolerated
    "m_night": measured(
        (N1, 5, 0, 2, 11),
        (N2, 5, 1, 2, 11),
        (N3, 5, 0, 2, 11),
        (N4, 5, 0, 2, 11),
        (N5, 5, 1, 2, 11),
        (N6, 4, 0, 2, 11),
        (N7, 5, 0, 2, 11),
    ),
    "m_family": (
        stable("chess-openings", (1, 11), (14, 1), (11, 3)),
        unstable("riddles", (1, 1), (5, 1), (6, 6)),
        stable("tides", (0, 1), (20, 1), (12, 0)),
    ),
    "t_correct": 20,
    "t_counted": 21,
    "t_planned": 21,
    "t_family": tides(20, 21),
    "d_state": "changed",
    "d_precision": "mxfp4",
    "d_changes": (DeclaredChange(night=N4, before="int4", after="mxfp4", kind=ChangeKind.REFINED),),
    "r_sent": 42,
    "r_answered": 42,
    "nights_since_listed": 7,
    "latency_class": "I",
    "median_latency_ms": 999,
}

DUNE = OF_HARBOR | {
    "endpoint": "dune",
    "provider": "Dune",
    "tag": "dune/fp8",
    "letter": "D",
    "m_letter": "D",
    "t_letter": "B",  # 17 is the tied answer of n6 and not its key
    "d_letter": "A",
    "r_letter": "A",
    "m_nights_observed": 7,
    "m_nights_outside": 4,
    "m_night": measured(
        (N1, 5, 0, 2, 11),
        (N2, 5, 0, 2, 11),
        (N3, 5, 0, 2, 11),
        (N4, 5, 1, 2, 11),
        (N5, 5, 1, 2, 11),
        (N6, 4, 1, 2, 11),
        (N7, 5, 1, 2, 11),
    ),
    "m_family": (
        stable("chess-openings", (1, 11), (14, 4), (11, 0)),
        unstable("riddles", (1, 1), (5, 1), (6, 6)),
        stable("tides", (0, 1), (20, 0), (12, 0)),
    ),
    "t_correct": 20,
    "t_counted": 21,
    "t_planned": 21,
    "t_family": tides(20, 21),
    "r_sent": 42,
    "r_answered": 42,
    "nights_since_listed": 7,
    "latency_class": "II",
    "median_latency_ms": 2999,
}

EMBER = OF_HARBOR | {
    "endpoint": "ember",
    "provider": "Ember",
    "tag": "ember/fp8",
    "letter": "U",
    "m_letter": "A",
    "t_letter": "A",
    "d_letter": "A",
    "r_letter": "A",
    "m_nights_observed": 3,
    "m_nights_outside": 0,
    "m_night": measured((N2, 5, 0, 2, 11), (N3, 5, 0, 2, 11), (N7, 5, 0, 2, 11)),
    "m_family": (
        stable("chess-openings", (1, 11), (6, 0), (2, 0)),  # n6 was not sent, so n6-n7 is no pair
        unstable("riddles", (1, 1), (2, 1), (1, 1)),
        stable("tides", (0, 1), (9, 0), (2, 0)),
    ),
    "t_correct": 9,
    "t_counted": 9,
    "t_planned": 12,  # four listed nights of three; n6 was planned and not sent
    "t_family": tides(9, 9),
    "r_sent": 18,
    "r_answered": 18,
    "unrated_reasons": ("too_few_nights", "absent"),
    "nights_since_listed": 6,
    "nights_absent": 3,  # n4, n5, and n6 with nothing sent; n1 lies before its first listing
    "latency_class": "II",
    "median_latency_ms": 1500,
}

FJORD = OF_HARBOR | {
    "endpoint": "fjord",
    "provider": "Fjord",
    "tag": "fjord/x",
    "listings": 2,
    "letter": "C",
    "m_letter": "C",  # within on every night, but its own variation is above the floor
    "t_letter": "C",  # 100 x 2/21 = 9.52
    "d_letter": "A",
    "r_letter": "B",  # errors 1/42 = 2.38 %, truncation 1/40 = 2.5 %, misrouted 1
    "m_nights_observed": 7,
    "m_nights_outside": 0,
    "m_own_variation_above_floor": True,  # 1 differs, 10 x 0 + 10 x 1/11 = 10/11 are tolerated
    "m_night": measured(
        (N1, 5, 0, 2, 11),
        (N2, 4, 0, 2, 11),  # a truncated answer is never in M
        (N3, 4, 0, 1, 11),  # an empty one neither: one prompt of chess-openings is left
        (N4, 5, 0, 2, 11),
        (N5, 5, 0, 2, 11),
        (N6, 4, 0, 2, 11),
        (N7, 5, 0, 2, 11),
    ),
    "m_family": (
        stable("chess-openings", (1, 11), (13, 0), (10, 1)),
        unstable("riddles", (1, 1), (4, 3), (4, 4)),
        stable("tides", (0, 1), (19, 0), (10, 0)),
    ),
    "t_correct": 19,
    "t_counted": 21,
    "t_planned": 21,
    "t_family": tides(19, 21),
    "d_precision": "bf16+fp8",
    "r_sent": 42,
    "r_errors": 1,
    "r_answered": 39,
    "r_truncated": 1,
    "r_misrouted": 1,
    "nights_since_listed": 9,
    "latency_class": "III",  # 3000 is not under 3000
    "median_latency_ms": 3000,
}
