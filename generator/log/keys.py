"""Ed25519 keys that sign notes, and the keys that check them, written as Go's sumdb/note writes them.

A key id is the first 4 bytes of the SHA-256 of the key's name, a newline, the byte 1 for Ed25519, and the 32 bytes of
the public key (C2SP signed-note). Name and id together say which key a signature is by; the id alone proves nothing.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from generator.errors import IntegrityError, UsageError
from generator.log.text import has_controls, read_base64, shown, written_base64

DASH = "\N{EM DASH}"
"""What a signature line begins with."""

PRIVATE = "PRIVATE+KEY+"
"""What a private key's text begins with: whatever holds it is never printed."""

_ED25519 = b"\x01"
_KEY_BYTES = 32
_ID_BYTES = 4


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public key under a name: what a checkpoint's signature is held against."""

    name: str
    public: bytes
    """As RFC 8032 writes it: 32 bytes."""

    @property
    def key_id(self) -> str:
        """The key id, as 8 hexadecimal digits."""
        return hashlib.sha256(self.name.encode() + b"\n" + _ED25519 + self.public).digest()[:_ID_BYTES].hex()

    @property
    def vkey(self) -> str:
        """The key as text: name, key id and key with a plus between."""
        return f"{self.name}+{self.key_id}+{written_base64(_ED25519 + self.public)}"

    @classmethod
    def parse(cls, vkey: str, *, where: str = "the verifier key") -> VerifierKey:
        """Return the key of a text, which must be exactly as `vkey` gives it.

        Raises:
            IntegrityError: where it is no Ed25519 verifier key, or its key id is another key's.
        """
        if PRIVATE in vkey:
            raise IntegrityError("expected an Ed25519 verifier key, found a private key", where=where)
        name, _, rest = vkey.partition("+")
        key_id, _, encoded = rest.partition("+")
        data = read_base64(encoded, where=where)
        if not is_name(name) or len(data) != 1 + _KEY_BYTES or not data.startswith(_ED25519):
            raise IntegrityError(f"expected an Ed25519 verifier key name+id+key, found {shown(vkey)}", where=where)
        key = cls(name, data[1:])
        if key_id != key.key_id:
            raise IntegrityError(f"expected key id {key.key_id}, found {shown(key_id)}", where=where)
        return key

    def verifies(self, text: str, signature: bytes) -> bool:
        """True where the signature is this key's of the text."""
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, text.encode())
        except InvalidSignature:
            return False
        return True


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A private key under a name; its text is a secret, and its repr does not hold it."""

    name: str
    _seed: bytes = field(repr=False)
    """As RFC 8032 writes a private key: 32 bytes."""

    @classmethod
    def generate(cls, name: str) -> SigningKey:
        """Return a new key of the operating system's randomness.

        Args:
            name: the log's origin.

        Raises:
            UsageError: where no key can have that name.
        """
        if not is_name(name):
            raise UsageError(f"expected a key name without white space and plus signs, found {shown(name)}")
        return cls(name, Ed25519PrivateKey.generate().private_bytes_raw())

    @classmethod
    def parse(cls, text: str, *, where: str = "the signing key") -> SigningKey:
        """Return the key of a text as `text` gives it, with white space around it or without.

        Raises:
            UsageError: where it is no Ed25519 signing key, or its key id is another key's; the text is not quoted.
        """
        key = cls._parsed(text.strip())
        if key is None:
            raise UsageError(
                "expected an Ed25519 signing key PRIVATE+KEY+name+id+key, found another text",
                where=where,
                do="Give the text that bitdepth keygen printed",
            )
        return key

    @classmethod
    def _parsed(cls, text: str) -> SigningKey | None:
        name, _, rest = text.removeprefix(PRIVATE).partition("+")
        _, _, encoded = rest.partition("+")
        try:
            data = read_base64(encoded, where="a signing key")
        except IntegrityError:  # Its message quotes what it found.
            return None
        if not is_name(name) or len(data) != 1 + _KEY_BYTES:
            return None
        key = cls(name, data[1:])
        return key if key.text == text else None

    @property
    def text(self) -> str:
        """The private key as text: a secret."""
        return f"{PRIVATE}{self.name}+{self.verifier.key_id}+{written_base64(_ED25519 + self._seed)}"

    @property
    def verifier(self) -> VerifierKey:
        """The public key."""
        return VerifierKey(self.name, self._private().public_key().public_bytes_raw())

    @property
    def vkey(self) -> str:
        """The public key as text."""
        return self.verifier.vkey

    def sign(self, text: str) -> bytes:
        """Return the signed note of a text, with this key's signature alone; always the same bytes for one text.

        Raises:
            ValueError: where no note can have that text: it must end in a newline and hold no other control.
        """
        if not text.endswith("\n") or has_controls(text):
            raise ValueError(f"expected a text of whole lines without control characters, found {shown(text)}")
        signature = bytes.fromhex(self.verifier.key_id) + self._private().sign(text.encode())
        return f"{text}\n{DASH} {self.name} {written_base64(signature)}\n".encode()

    def _private(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self._seed)


def is_name(name: str) -> bool:
    """True for what may name a key: not empty, and without white space and plus signs."""
    return bool(name) and not any(character.isspace() or character == "+" for character in name)
