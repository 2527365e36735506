"""Draws come from SHA-256 alone, so that a night can be redrawn from its seed on any machine."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.probing.draws import Draws

SEED, LABELS = "night", ("nightly", "arithmetic")

DIGESTS = (
    "af7f08d1e09275ba320aa5e207f7aee4b2cfb1b223439e84c61932752f4061cb",
    "dcface7be58c04564fe77b76040698cdf6aa8777bb2f9229cce17536ab476fd7",
    "20b2f849421403762b51688408a34f11738901c46376e7bb6bdd2aff0a18cea2",
    "b2310610263377fa9cabfe93c009e58f90e1ea220f88bdd32b92896d7b238b34",
)
"""Made with sha256sum in a shell: the key from '0...05night0...07nightly0...0aarithmetic', then key and counter."""


def stream() -> Draws:
    """Return the stream that the vectors below are of."""
    return Draws(SEED, *LABELS)


class TestTheSameOnEveryMachine:
    """Draw number i of a stream is SHA-256(key, i), read as one number of 256 bits."""

    def test_whole_digests_are_those_of_sha256sum(self):
        """Four draws below 2**256 are the four digests made by another tool."""
        draws = stream()
        assert [f"{draws.below(2**256):064x}" for _ in DIGESTS] == list(DIGESTS)

    def test_the_remainder_of_the_digest_is_drawn(self):
        """A draw below ten is the digest's remainder by ten."""
        draws = stream()
        assert [draws.below(10) for _ in range(12)] == [7, 5, 6, 0, 3, 0, 2, 2, 9, 4, 5, 7]
        assert [int(digest, 16) % 10 for digest in DIGESTS] == [7, 5, 6, 0]

    def test_between_includes_both_ends(self):
        """The numbers between 1001 and 9999 are written down, and a range of one number is that number."""
        draws = stream()
        assert [draws.between(1001, 9999) for _ in range(6)] == [9430, 2694, 2256, 4901, 1536, 4091]
        assert {draws.between(0, 1) for _ in range(64)} == {0, 1}
        assert draws.between(5, 5) == 5

    def test_samples_and_orders_are_written_down(self):
        """Sample, order and choice of one stream are the same for ever."""
        draws = stream()
        assert draws.sample("abcdefghij", 4) == ["h", "i", "e", "d"]
        assert draws.shuffled(range(8)) == [7, 3, 4, 5, 1, 0, 2, 6]
        assert draws.choice(["x", "y", "z"]) == "x"

    def test_labels_do_not_run_into_each_other(self):
        """Each part is preceded by its length: no two lists of labels share a stream."""
        firsts = [
            Draws(*parts).below(2**256)
            for parts in (("ab", "c"), ("a", "bc"), ("abc",), ("abc", ""), ("", "abc"), ("c", "ab"))
        ]
        assert len(set(firsts)) == len(firsts)

    def test_a_half_character_in_a_label_is_no_failure(self):
        """A lone surrogate names a stream like any other text."""
        assert Draws("\ud800").below(2**256) != Draws("\ud801").below(2**256)


class TestUnbiased:
    """What lies past the last whole multiple of the limit is drawn again."""

    def test_digests_past_the_last_multiple_are_skipped(self):
        """Below 2**255 + 1 only one multiple fits, so the two digests above it are not used, and the third is."""
        limit = 2**255 + 1
        assert [int(digest, 16) < limit for digest in DIGESTS] == [False, False, True, False]
        assert stream().below(limit) == int(DIGESTS[2], 16)

    def test_each_number_comes_as_often_as_any_other(self):
        """Seven thousand draws below seven: each number's count is within five standard deviations of a thousand."""
        draws = Draws("uniform")
        counts = Counter(draws.below(7) for _ in range(7_000))
        assert set(counts) == set(range(7))
        assert all(abs(count - 1_000) < 147 for count in counts.values())

    def test_each_order_comes_as_often_as_any_other(self):
        """Six thousand orders of three: each of the six comes within five standard deviations of a thousand times."""
        draws = Draws("orders")
        counts = Counter("".join(draws.shuffled("abc")) for _ in range(6_000))
        assert len(counts) == 6
        assert all(abs(count - 1_000) < 145 for count in counts.values())


class TestBounds:
    """Every draw is one of those asked for."""

    @settings(deadline=None)
    @given(seed=st.text(max_size=20), low=st.integers(-(2**80), 2**80), span=st.integers(0, 2**80))
    def test_between_stays_between(self, seed: str, low: int, span: int):
        """A draw between two numbers is neither below the one nor above the other."""
        assert low <= Draws(seed).between(low, low + span) <= low + span

    @settings(deadline=None)
    @given(items=st.lists(st.integers(), max_size=30), data=st.data())
    def test_a_sample_is_taken_without_replacement(self, items: list[int], data: st.DataObject):
        """A sample holds as many as asked for, none oftener than the items do; a shuffle holds them all."""
        count = data.draw(st.integers(0, len(items)))
        sample = Draws("s").sample(items, count)
        assert len(sample) == count
        assert not Counter(sample) - Counter(items)
        assert sorted(Draws("t").shuffled(items)) == sorted(items)

    @pytest.mark.parametrize("limit", [0, -1, 2**256 + 1])
    def test_nothing_is_drawn_below_an_impossible_limit(self, limit: int):
        """A limit of none, or past a digest's reach, is refused."""
        with pytest.raises(ValueError, match="expected a limit"):
            Draws("s").below(limit)

    @pytest.mark.parametrize("count", [-1, 4])
    def test_no_more_are_sampled_than_there_are(self, count: int):
        """Four of three are refused, and so are fewer than none."""
        with pytest.raises(ValueError, match="expected a count"):
            Draws("s").sample("abc", count)

    def test_nothing_is_chosen_from_nothing(self):
        """A choice without items is refused."""
        with pytest.raises(ValueError, match="expected a limit"):
            Draws("s").choice([])


def test_the_key_is_the_documented_one():
    """The first digest follows from the description alone: lengths of eight bytes, then counter of eight bytes."""
    parts = b"".join(len(part).to_bytes(8, "big") + part.encode() for part in (SEED, *LABELS))
    key = hashlib.sha256(parts).digest()
    assert hashlib.sha256(key + bytes(8)).hexdigest() == DIGESTS[0]
