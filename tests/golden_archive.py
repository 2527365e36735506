"""The golden archive: nine recorded dates, one void, one missed, two models, worked through by hand.

Window: 1, 2, 3, 5, 6, 8 and 9 May 2031. The 4th was void and the 7th was missed, so neither is in any list of nights;
28 and 29 April were recorded and are history alone. The nights of the window are called n1 to n7 below.

Prompts of each night, asked of both models:
    tides-1, tides-2    family `tides`, fixed, keys 7 and 4
    tides-g<n>          family `tides`, drawn for night n, key 10 + n
    chess-1, chess-2    family `chess-openings`, fixed, no keys; the text of chess-2 is another one from n4 on
    riddle-1            family `riddles`, fixed, no key
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from generator.method.interface import NightTables
from tests.method_archive import Row, ask, grid, listed, night_tables, seen

HARBOR, REEF = "harbor/pilot", "reef/lantern"
NIGHTS = tuple(date(2031, 5, day) for day in (1, 2, 3, 5, 6, 8, 9))
APRIL_28, APRIL_29 = date(2031, 4, 28), date(2031, 4, 29)
RECORDED = (APRIL_28, APRIL_29, *NIGHTS)

# amber   answers with the plurality throughout
# birch   declares nothing; one row unsent (n1), one error (n3), a wrong answer where the plurality is tied (n6)
# cedar   int4, from n4 on mxfp4; outside on n2 (chess-1) and n5 (tides-g5)
# dune    keeps its answer to chess-1 when the others change theirs on n4: outside on n4 to n7
# ember   first listed on n2, gone on n4 and n5, listed with nothing sent on n6, back on n7
# fjord   two listings under one tag; a truncated keyed answer (n2), an empty one (n3), a misrouted one (n5)
HARBOR_CELLS = (
    # n1: no two endpoints agree on riddle-1
    """
               amber birch cedar dune ember fjord
    tides-1    7     7     7     7    -     7
    tides-2    4     .     4     4    -     4
    tides-g1   11    11    11    11   -     11
    chess-1    e4    e4    e4    e4   -     e4
    chess-2    c5    c5    c5    c5   -     c5
    riddle-1   a     b     c     d    -     e
    """,
    # n2: riddle-1 is tied, two a and two b
    """
               amber birch cedar dune ember fjord
    tides-1    7     7     7     7    7     7
    tides-2    4     4     4     4    4     4~
    tides-g2   12    12    12    12   12    12
    chess-1    e4    e4    d4    e4   e4    e4
    chess-2    c5    c5    c5    c5   c5    c5
    riddle-1   a     b     a     b    c     d
    """,
    """
               amber birch cedar dune ember fjord
    tides-1    7     7     7     7    7     7
    tides-2    4     4     4     4    4     4
    tides-g3   13    13    13    13   13    13
    chess-1    e4    e4    e4    e4   e4    e4
    chess-2    c5    c5    c5    c5   c5    _
    riddle-1   x     !     x     y    x     z
    """,
    """
               amber birch cedar dune ember fjord
    tides-1    7     7     7     7    -     7
    tides-2    4     4     4     4    -     4
    tides-g4   14    14    14    14   -     14
    chess-1    d4    d4    d4    e4   -     d4
    chess-2    d5    d5    d5    d5   -     d5
    riddle-1   k     k     k     k    -     m
    """,
    """
               amber birch cedar dune ember fjord
    tides-1    7     7     7     7    -     7
    tides-2    4     4     4     4    -     4
    tides-g5   15    15    99    15   -     15
    chess-1    d4    d4    d4    e4   -     d4
    chess-2    d5    d5    d5    d5   -     d5
    riddle-1   p     p     q     p    -     ?p
    """,
    # n6: tides-g6 is tied, two 16 (the key) and two 17
    """
               amber birch cedar dune ember fjord
    tides-1    7     7     7     7    .     7
    tides-2    4     4     4     4    .     4
    tides-g6   16    17    16    17   .     18
    chess-1    d4    d4    d4    e4   .     d4
    chess-2    d5    d5    d5    d5   .     d5
    riddle-1   r     r     r     r    .     s
    """,
    """
               amber birch cedar dune ember fjord
    tides-1    7     7     7     7    7     7
    tides-2    4     4     4     4    4     4
    tides-g7   17    17    17    17   17    17
    chess-1    d4    d4    d4    e4   d4    d4
    chess-2    d5    d5    d5    d5   d5    d5
    riddle-1   u     v     u     u    w     u
    """,
)

# gale    declares nothing, from n3 on fp8
# heath   fp8, from n6 on nothing; another answer to tides-1 on n7
# inlet   fp8, from n2 on int4, from n5 on fp8; another answer to tides-2 on n1; five errors
# jetty   another provider answers for it every time
# tides-g4 was never sent to any of them
REEF_CELLS = (
    """
               gale  heath inlet jetty
    tides-1    7     7     7     ?7
    tides-2    4     4     5     ?4
    tides-g1   11    11    11    ?11
    chess-1    e4    e4    e4    ?e4
    chess-2    c5    c5    c5    ?c5
    riddle-1   same  same  !     ?same
    """,
    """
               gale  heath inlet jetty
    tides-1    7     7     7     ?7
    tides-2    4     4     4     ?4
    tides-g2   12    12    12    ?12
    chess-1    e4    e4    e4    ?e4
    chess-2    c5    c5    c5    ?c5
    riddle-1   same  same  !     ?same
    """,
    """
               gale  heath inlet jetty
    tides-1    7     7     7     ?7
    tides-2    4     4     4     ?4
    tides-g3   13    13    13    ?13
    chess-1    e4    e4    e4    ?e4
    chess-2    c5    c5    c5    ?c5
    riddle-1   same  same  !     ?same
    """,
    """
               gale  heath inlet jetty
    tides-1    7     7     7     ?7
    tides-2    4     4     4     ?4
    tides-g4   .     .     .     .
    chess-1    e4    e4    e4    ?e4
    chess-2    d5    d5    d5    ?d5
    riddle-1   same  same  !     ?same
    """,
    """
               gale  heath inlet jetty
    tides-1    7     7     7     ?7
    tides-2    4     4     4     ?4
    tides-g5   15    15    15    ?15
    chess-1    e4    e4    e4    ?e4
    chess-2    d5    d5    d5    ?d5
    riddle-1   same  same  !     ?same
    """,
    """
               gale  heath inlet jetty
    tides-1    7     7     7     ?7
    tides-2    4     4     4     ?4
    tides-g6   16    16    16    ?16
    chess-1    e4    e4    e4    ?e4
    chess-2    d5    d5    d5    ?d5
    riddle-1   same  same  same  ?same
    """,
    """
               gale  heath inlet jetty
    tides-1    7     9     7     ?7
    tides-2    4     4     4     ?4
    tides-g7   17    17    17    ?17
    chess-1    e4    e4    e4    ?e4
    chess-2    d5    d5    d5    ?d5
    riddle-1   same  same  same  ?same
    """,
)

HARBOR_LISTED = (
    {"amber", "birch", "cedar", "dune", "fjord"},
    {"amber", "birch", "cedar", "dune", "ember", "fjord"},
    {"amber", "birch", "cedar", "dune", "ember", "fjord"},
    {"amber", "birch", "cedar", "dune", "fjord"},
    {"amber", "birch", "cedar", "dune", "fjord"},
    {"amber", "birch", "cedar", "dune", "ember", "fjord"},
    {"amber", "birch", "cedar", "dune", "ember", "fjord"},
)
REEF_LISTED = ("gale", "heath", "inlet", "jetty")


def _prompts(n: int) -> list[Row]:
    return [
        ask("tides-1", "tides", key="7"),
        ask("tides-2", "tides", key="4"),
        ask(f"tides-g{n}", "tides", fixed=False, key=str(10 + n)),
        ask("chess-1", "chess-openings"),
        ask("chess-2", "chess-openings", text="Reply to e4." if n <= 3 else "Reply to d4."),
        ask("riddle-1", "riddles"),
    ]


def _listing(n: int) -> list[Row]:
    precision = {
        "birch": None,
        "cedar": "int4" if n < 4 else "mxfp4",
        "fjord": "bf16+fp8",
        "gale": None if n < 3 else "fp8",
        "heath": "fp8" if n < 6 else None,
        "inlet": "int4" if 2 <= n < 5 else "fp8",
    }
    first = {"amber": APRIL_28, "birch": APRIL_29, "ember": NIGHTS[1], "fjord": APRIL_28}
    more: dict[str, Row] = {
        # The listing of the last night that shows the endpoint is the one that a grade carries.
        "amber": {
            "provider": "Amber Works" if n < 7 else "Amber",
            "price_prompt": Decimal("0.000000250000") * n,
            "price_completion": Decimal("0.000001") * n,
            "context_length": 32000 if n < 7 else 65536,
        },
        "fjord": {"listings": 2, "tag": "fjord/x"},
        "jetty": {"context_length": 8192},
    }
    rows = [(HARBOR, endpoint) for endpoint in HARBOR_LISTED[n - 1]] + [(REEF, endpoint) for endpoint in REEF_LISTED]
    return [
        listed(
            model, endpoint, first.get(endpoint, NIGHTS[0]), precision.get(endpoint, "fp8"), **more.get(endpoint, {})
        )
        for model, endpoint in rows
    ]


def _latency(endpoint: str, prompt: Row) -> int:
    # amber: 21 answers of tides and 21 others, so that the middle two are one of each; birch: on the bound itself.
    if endpoint == "amber":
        return 700 if prompt["family"] == "tides" else 705
    return {"birch": 1000, "cedar": 999, "dune": 2999, "fjord": 3000, "gale": 9999, "heath": 10000}.get(endpoint, 1500)


CONTEXT = {
    1: [{"model": HARBOR, "endpoint": "amber", "rung_tokens": 4000, "outcome": "answered", "correct": True}],
    7: [
        {"model": HARBOR, "endpoint": "amber", "rung_tokens": 16000, "outcome": "answered", "correct": True},
        {"model": HARBOR, "endpoint": "amber", "rung_tokens": 32000, "outcome": "error", "correct": None},
        {"model": HARBOR, "endpoint": "fjord", "rung_tokens": 4000, "outcome": "unsent", "correct": None},
    ],
}


def golden_nights() -> list[NightTables]:
    """Return the seven nights of the window."""
    nights = []
    for n, night in enumerate(NIGHTS, start=1):
        prompts = {row["prompt_id"]: row for row in _prompts(n)}
        observations = [
            seen(model, endpoint, prompts[prompt], cell, _latency(endpoint, prompts[prompt]))
            for model, cells in ((HARBOR, HARBOR_CELLS), (REEF, REEF_CELLS))
            for (endpoint, prompt), cell in grid(cells[n - 1]).items()
        ]
        nights.append(
            night_tables(
                night,
                prompts=prompts.values(),
                listings=_listing(n),
                observations=observations,
                context=CONTEXT.get(n, ()),
            )
        )
    return nights
