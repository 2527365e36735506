"""Files of a saved copy that lie where permanent ones do, and that nothing in the log speaks of."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from generator.archive import layout
from generator.errors import IntegrityError
from generator.log.addresses import TileAddress
from generator.records.finding import FindingKind
from generator.site.build import is_permanent
from generator.verification.findings import Findings
from generator.workflows.published import Published
from generator.workflows.verifying_site_log import SiteLog

_LOG = f"{layout.LOG}/"
_TILE, _SIGNED, _KEYS = (f"{_LOG}{name}/" for name in ("tile", "signed", "keys"))
_METHOD = re.compile(r"method/[^/]+/index\.html")


def check_strays(
    site: Published, log: SiteLog, listed: Iterable[str], known: Collection[str], findings: Findings
) -> None:
    """Add a finding for each permanent file that the log does not speak of, and each of the log's own that differs.

    Args:
        site: a saved copy.
        log: its own.
        listed: every file of it.
        known: paths of the permanent files that the log speaks of, but for the log's own.
        findings: where mismatches are added.
    """
    keys = {f"{_KEYS}{key.key_id}.vkey" for key in log.kept.keys}
    for path in listed:
        where = site.where + path
        if path.startswith(_SIGNED):
            with findings.reading(where):
                data = site.get(path) or b""
                checkpoint = log.kept.opened(data, where)
                log.kept.see(checkpoint, where, findings)
                findings.require(where, expected=f"{_SIGNED}{checkpoint.size}", found=path, what="file")
        elif path.startswith(_TILE):
            _check_tile(site, log, path, findings)
        elif is_permanent(path) and path not in known and path not in keys and not _METHOD.fullmatch(path):
            # The page of a method version is permanent once it was graded under, and then a leaf names it.
            expected = "no permanent file but those that the log speaks of"
            findings.add(FindingKind.UNEXPECTED, where, expected=expected, found="one")


def _check_tile(site: Published, log: SiteLog, path: str, findings: Findings) -> None:
    """Add a finding for what is no tile of the log, of any of its sizes."""
    where = site.where + path
    with findings.reading(where):
        expected = log.tree.file(TileAddress.parse(path.removeprefix(_LOG)))
        if expected is None:
            found = "one of a larger log"
            findings.add(FindingKind.UNEXPECTED, where, expected=f"tiles of {log.tree.size} leaves", found=found)
        elif site.get(path) != expected:
            raise IntegrityError("expected the tile that the leaves make, found other bytes", where=where)
