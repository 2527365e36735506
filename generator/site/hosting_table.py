"""What a host says beside each file of the site: one table for the preview, for `publish` and for a host's rules."""

from __future__ import annotations

from generator.site import frame, search_view

PLAIN = "text/plain; charset=utf-8"
ANY_TYPE = "application/octet-stream"
TYPES = {
    ".bib": "application/x-bibtex; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".jsonld": "application/ld+json",
    ".md": "text/markdown; charset=utf-8",
    ".parquet": "application/vnd.apache.parquet",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".tlog-proof": PLAIN,
    ".toml": "application/toml",
    ".txt": PLAIN,
    ".vkey": PLAIN,
    ".xml": "application/xml",
}
UNKNOWN_TO_HOSTS = (".bib", ".jsonld", ".md", ".parquet", ".tlog-proof", ".toml", ".vkey")
"""Endings whose types a host has to be told."""
NAMED_TYPES = {
    "feed.xml": "application/atom+xml",
    "SHA256SUMS": PLAIN,
    "checkpoint": PLAIN,
    "head": PLAIN,
    "_headers": PLAIN,
    "_redirects": PLAIN,
}
"""The types of files whose names say more than their endings."""

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Access-Control-Allow-Origin": "*",
}
"""What every answer carries. Everything here is public."""
OVER_TLS = {"Strict-Transport-Security": "max-age=31536000"}
"""What every answer of a host carries besides; RFC 6797, section 7.2, forbids it over plain HTTP."""
FOR_EVER = "public, max-age=31536000, immutable"
ASK_AGAIN = "no-cache"

_ALWAYS = "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"


def security_policy(path: str) -> str:
    """Return the content security policy that a file is served under.

    Pages carry one of their own, and a browser keeps to both: this one may never forbid what a kept page was issued
    with.
    """
    if path.startswith(search_view.FOLDER):
        return f"{search_view.CSP}; frame-ancestors 'none'"
    return f"{frame.CSP}; {_ALWAYS}"
