"""A key that comes back is taken out, in every form that a router's own tools may give it."""

from __future__ import annotations

import base64
import json
import string
import time
import timeit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.probing.redaction import MARK, SHORTEST, Redaction

KEY = "sk-or-v1/Zz09+=_abcdef"
PRINTABLE = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=SHORTEST, max_size=60).filter(
    lambda key: key.strip("\\") == key
)
"""A key with a stroke at an end is found but for it."""


class TestRedaction:
    def test_plain(self):
        """Every occurrence has the mark in its place; the rest stays as it is."""
        assert Redaction(KEY)(f"a {KEY}{KEY} b".encode()) == b"a " + MARK + MARK + b" b"

    @given(PRINTABLE, st.data())
    def test_json_in_any_mixture_of_escapes(self, key: str, data: st.DataObject):
        """However JSON writes a text that is the key, the text is not the key any more."""
        forms = [
            [f"\\u{ord(one):04x}", f"\\u{ord(one):04X}", json.dumps(one)[1:-1], *(["\\/"] if one == "/" else [])]
            for one in key
        ]
        written = "".join(data.draw(st.sampled_from(each)) for each in forms)
        assert json.loads(f'"{written}"') == key
        assert json.loads(Redaction(key)(f'"x{written}y"'.encode())) == "x[key]y"

    @given(PRINTABLE, st.data())
    def test_json_in_json_in_any_case(self, key: str, data: st.DataObject):
        """A text that went into JSON several times, and into capitals, holds the key in none of its layers."""
        text = f"x{data.draw(st.sampled_from([key, key.upper(), key.lower(), key.swapcase()]))}y"
        depth = data.draw(st.integers(0, 4))
        for layer in range(depth):
            # An escape is not itself taken apart by the next layer: it consists of letters and digits.
            plain = {"\\"} if layer == 0 else {"\\", *string.ascii_letters, *string.digits}
            chosen = data.draw(st.sets(st.sampled_from(key), max_size=10)) - plain
            escaped = "".join(f"\\u{ord(one):04x}" if one in chosen else json.dumps(one)[1:-1] for one in text)
            text = f'{{"debug": "{escaped}"}}'
        left = Redaction(key)(text.encode()).decode()
        for _ in range(depth):
            left = json.loads(left)["debug"]
        assert left == "x[key]y"

    @pytest.mark.parametrize("key", [KEY, f"a\\\\{KEY}", "a" * 40])
    def test_strokes_without_end(self, key: str):
        """A hostile body of strokes, of first characters or of halves of escapes is gone through once."""
        for part in (b"\\", b"a\\", key[:9].encode() + b"\\", b"\\u0073", b"u005c", key[:1].encode()):
            body = part * (1_000_000 // len(part))
            before = time.perf_counter()
            left = Redaction(key)(body)
            assert time.perf_counter() - before < 5
            assert left == body or key == "a" * 40

    def test_the_usual_body_costs_next_to_nothing(self):
        """Of a kilobyte of JSON, a thousandth of the time that its answer took at the least."""
        body = json.dumps({"content": 'a "word" and\nanother ' * 45}).encode()
        redact = Redaction(KEY)
        assert 1000 <= len(body) <= 1200
        best = min(timeit.repeat(lambda: redact(body), number=100, repeat=20)) / 100
        assert best < 0.00005

    @given(PRINTABLE, st.binary(max_size=20), st.binary(max_size=20), st.booleans())
    def test_base64_wherever_it_stands(self, key: str, before: bytes, after: bytes, url: bool):  # noqa: FBT001 - drawn
        """What is left of a base64 text that held the key does not decode to it."""
        encode = base64.urlsafe_b64encode if url else base64.b64encode
        text = encode(before + key.encode() + after)
        left = Redaction(key)(text)
        assert MARK in left
        # All but the two characters at most that hold bits of a neighbour's too.
        assert len(left) - len(MARK) <= len(text) - (8 * len(key) - 10) // 6

    @pytest.mark.parametrize("key", [None, "", "EMPTY", "ollama", "x" * (SHORTEST - 1)])
    def test_a_placeholder_is_a_word_like_others(self, key: str | None):
        """What is too short to be secret is left where an answer says it."""
        body = b'{"content": "ollama EMPTY xxxxxxx \\u0078"}'
        assert Redaction(key)(body) is body

    @given(st.binary(max_size=200))
    def test_other_bytes_stay(self, data: bytes):
        """What does not hold the key comes back as it was."""
        assert Redaction(KEY)(data) == data
