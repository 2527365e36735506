"""The address of a place that files are kept in: a folder of this machine, or a bucket and what begins with a prefix.

No address holds a credential: whatever could be one is refused, and never quoted.
"""

from __future__ import annotations

import re

import msgspec

FOLDER = "file"
BUCKETS = ("s3", "gs", "az")
KNOWN = "file:///folder, s3://bucket/prefix, gs://bucket/prefix or az://container/prefix"
"""What there is, for messages."""
NO_CREDENTIAL = "Credentials belong in the environment, never in the address"
_BUCKET = re.compile(rf"(?P<scheme>{'|'.join(BUCKETS)})://(?P<bucket>[^\x00-\x20/@?#]+)(?P<path>/[^\x00-\x20@?#]*)?")
_FOLDER = re.compile(rf"{FOLDER}://(?P<path>/[^\x00-\x1f?#]*)")
_SCHEME = re.compile(r"([A-Za-z0-9]{1,20}):")


class StoreAddress(msgspec.Struct, frozen=True, kw_only=True):
    """A folder or a bucket."""

    scheme: str
    """'file', 's3', 'gs' or 'az'."""
    bucket: str
    """Or container; '' of a folder."""
    path: str
    """Of a folder, from '/' on and as the address writes it; of a bucket, the prefix, without '/' at either end."""

    @property
    def url(self) -> str:
        """The address as text."""
        return f"{self.scheme}://{self.bucket}{'/' if self.bucket and self.path else ''}{self.path}"

    def overlaps(self, other: StoreAddress) -> bool:
        """True where one of two places holds the other, or they are the same."""
        mine, others = _parts(self), _parts(other)
        shared = min(len(mine), len(others))
        return mine[:shared] == others[:shared]


def parse_store_address(text: str) -> StoreAddress | None:
    """Return what an address names; None where it names neither a folder nor a bucket, or could hold a credential."""
    if found := _FOLDER.fullmatch(text):
        return StoreAddress(scheme=FOLDER, bucket="", path=found["path"])
    if found := _BUCKET.fullmatch(text):
        path = "/".join(part for part in (found["path"] or "").split("/") if part)
        return StoreAddress(scheme=found["scheme"], bucket=found["bucket"], path=path)
    return None


def named(text: str) -> str:
    """Return what a message may say of an address that was refused: how it begins, and nothing else of it."""
    scheme = _SCHEME.match(text)
    return f"one that begins with {scheme[1]}:" if scheme else "none"


def _parts(address: StoreAddress) -> list[str]:
    return [address.scheme, address.bucket, *(part for part in address.path.split("/") if part)]
