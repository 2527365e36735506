"""A key that comes back is taken out, in every form that a router's own tools may give it."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.probing.redaction import MARK, SHORTEST, Redaction

KEY = "sk-or-v1/Zz09+=_abcdef"
PRINTABLE = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=SHORTEST, max_size=60)


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
