"""Words of pages that can be told right or wrong without the archive: address and end, digests, keys of the log."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterable

from generator.records.finding import FindingKind
from generator.verification.findings import Findings

_ENDS = (b"</html>", b"</feed>", b"</urlset>", b"</sitemapindex>")
_CANONICAL = re.compile(r"<link rel=\"canonical\" href=\"([^\"]*)\"")
_KEY = re.compile(r"[^\s<>+\"']+\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}")
"""A verifier key of Ed25519."""


def check_whole(where: str, body: bytes, findings: Findings) -> None:
    """Add a finding for a page, a feed or a sitemap that was cut short."""
    if not body.rstrip().endswith(_ENDS):
        expected, found = "a whole page, feed or sitemap", f"{len(body)} bytes without an end"
        findings.add(FindingKind.CHANGED, where, expected=expected, found=found)


def check_place(where: str, path: str, body: bytes, findings: Findings) -> None:
    """Add a finding for a page that lies at another path than the one that it gives as its own.

    Args:
        where: the page lies.
        path: within the site.
        body: its bytes.
        findings: where mismatches are added.
    """
    own = f"/{path.removesuffix('index.html')}"
    for found in _CANONICAL.findall(body.decode("utf-8", "replace")):
        address = html.unescape(found)
        if not address.endswith(own):
            expected = f"the page whose address ends in {own}"
            findings.add(FindingKind.CHANGED, where, expected=expected, found=address[:300])


def check_says(where: str, body: bytes, digests: Iterable[str], findings: Findings) -> None:
    """Add a finding for each digest that a page must print and does not."""
    for digest in digests:
        if digest.encode() not in body:
            findings.add(
                FindingKind.DIFFERENT, where, expected=f"a page that prints {digest}", found="a page without it"
            )


def check_keys(where: str, body: bytes, keys: Collection[str], findings: Findings) -> None:
    """Add a finding for each key of the log that a page does not print, and for each other one that it prints.

    Args:
        where: the page lies.
        body: its bytes.
        keys: of the log, as verifier keys.
        findings: where mismatches are added.
    """
    found = set(_KEY.findall(html.unescape(body.decode("utf-8", "replace"))))
    for key in sorted(set(keys) - found):
        findings.add(FindingKind.MISSING, where, expected=f"the key {key}", found="none")
    for key in sorted(found - set(keys)):
        findings.add(FindingKind.UNEXPECTED, where, expected="keys that are leaves of the log", found=key[:300])
