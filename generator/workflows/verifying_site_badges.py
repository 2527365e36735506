"""The badges of a published site: each is of the newest grade of its endpoint that the log holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from generator.errors import SiteError
from generator.records.finding import FindingKind
from generator.verification.claims import Badge, badge_version, check_badge, check_picture
from generator.verification.findings import Findings
from generator.workflows.published import Published
from generator.workflows.site_letters import Letters, end_of, endpoint_of, version_of

_SHOWN = 160


def check_site_badges(site: Published, letters: Letters, endpoints: Sequence[str], findings: Findings) -> None:
    """Add a finding for each badge, in either form, that is not of its endpoint's newest record.

    Args:
        site: as somebody outside sees it.
        letters: what the records say.
        endpoints: author, name and endpoint, as paths have them.
        findings: where mismatches are added.

    Raises:
        SiteError: where nothing could be had several times in a row.
    """
    messages = dict(_messages(site, endpoints, findings))
    newest = _newest(letters, messages)
    letters.read((path for path in newest.values() if path is not None), findings)
    for endpoint, path in newest.items():
        where = f"{site.where}badges/{endpoint}.json"
        shown = None if path is None else letters.known[path]
        if path is None or shown is None:
            if path is None:  # A record that could not be read was named already.
                check_badge(where, messages[endpoint], None, findings)
        else:
            check_badge(where, messages[endpoint], (end_of(path), shown), findings)
    versions = {badge_version(message) for message in messages.values()}
    if len(versions) > 1:
        expected, found = "one current method version", ", ".join(sorted(each or "none" for each in versions))
        findings.add(FindingKind.DIFFERENT, f"{site.where}badges/", expected=expected, found=found)
    for path, body in site.bodies(f"badges/{each}.svg" for each in messages):
        where = site.where + path
        if isinstance(body, SiteError):
            findings.unchecked(f"{body.problem} at {where}")
        elif body is None:
            findings.add(FindingKind.MISSING, where, expected="a badge", found="none")
        else:
            check_picture(where, body, messages[path.removeprefix("badges/").removesuffix(".svg")], findings)


def _messages(site: Published, endpoints: Sequence[str], findings: Findings) -> Iterator[tuple[str, str]]:
    """Yield the message of each endpoint's badge."""
    for path, body in site.bodies(f"badges/{each}.json" for each in endpoints):
        where = site.where + path
        if isinstance(body, SiteError):
            findings.unchecked(f"{body.problem} at {where}")
            continue
        findings.checked("badges")
        try:
            message = msgspec.json.decode(body or b"", type=Badge).message
        except (msgspec.DecodeError, UnicodeDecodeError):
            kind, found = (FindingKind.MISSING, "none") if body is None else (FindingKind.UNREADABLE, "another text")
            findings.add(kind, where, expected="a badge's machine form", found=found)
            continue
        if badge_version(message) is None:
            expected = "a badge that names its method version"
            findings.add(FindingKind.DIFFERENT, where, expected=expected, found=message[:_SHOWN])
        else:
            yield path.removeprefix("badges/").removesuffix(".json"), message


def _newest(letters: Letters, messages: Mapping[str, str]) -> dict[str, str | None]:
    """Return, by endpoint, the folder of its newest page under the version of its badge; None where it has none."""
    graded: dict[str, list[str]] = defaultdict(list)
    for path in letters.known:
        graded[endpoint_of(path)].append(path)
    return {
        endpoint: max(
            (path for path in graded[endpoint] if version_of(path) == badge_version(message)), key=end_of, default=None
        )
        for endpoint, message in messages.items()
    }
