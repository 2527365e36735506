"""What pages that may change say of permanent ones: links to them, and the letters that stand there."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping

import msgspec

from generator.records.finding import FindingKind
from generator.verification.findings import Findings

_PAGE = r"(grades/[^/]+/[^/]+/[^/]+/[0-9]{4}-[0-9]{2}-[0-9]{2}/v[0-9]+\.[0-9]+/)(?:index\.html)?"
_WITHIN = re.compile(_PAGE)
_ANYWHERE = re.compile(rf"(?:.*/)?{_PAGE}", re.DOTALL)
_OUTWARD = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|/")
"""How an address begins that does not go out from the page's own."""
_ESCAPED = re.compile(r"%([0-9A-Fa-f]{2})")
_LINK = re.compile(r"<a\s[^>]*?href=\"([^\"]*)\"[^>]*>\s*(?:<span class=\"mark [ABCDU]\">([ABCDU])|([^<]*))")
_OTHER_LINK = re.compile(r"<link\s[^>]*?href=\"([^\"]*)\"|<loc>([^<]*)</loc>")
_ENTRY = re.compile(r"<entry>(.*?)</entry>", re.DOTALL)
_TITLE = re.compile(r"<title>([^<]*)</title>")
_SHORT = re.compile(r"[ABCDU] [0-9]+\.[0-9]+ · [A-Z] ")
_LETTER_CHANGE = "#letter</id>"
_TAGS = re.compile(r"<[^>]*>")
_NO_GRADE = re.compile(r"no grade under method version ([0-9]+\.[0-9]+) yet(?: · |\Z)")
_GRADED = re.compile(r"[ABCDU] ([0-9]+\.[0-9]+) · ")


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """What a record says where space is short."""

    letter: str
    short: str
    """Letter, method version and the letters of the columns."""


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """One link to a permanent page."""

    path: str
    """Of the page's folder in the site."""
    letter: str | None = None
    """What the link shows of it, where it shows a letter alone."""
    short: str | None = None
    """What the link shows of it, where it shows a grade in short."""


class Badge(msgspec.Struct, frozen=True, kw_only=True):
    """What shields.io reads of a badge, as far as it speaks of a grade."""

    message: str


def claims(page: str, body: bytes) -> Iterator[Claim]:
    """Yield every link to a permanent page on a page, in a feed or in a sitemap, with what it shows.

    Args:
        page: its path within the site.
        body: its bytes.
    """
    text = body.decode("utf-8", "replace")
    if text.startswith("<?xml"):  # What a feed's entries hold is HTML, written as text.
        text = html.unescape(text)
    for found in _LINK.finditer(text):
        path = _path(page, found[1])
        if path is not None:
            words = html.unescape(found[3] or "").strip()
            yield Claim(path=path, letter=found[2], short=words if _SHORT.match(words) else None)
    for found in _OTHER_LINK.finditer(text):
        path = _path(page, found[1] or found[2] or "")
        if path is not None:
            yield Claim(path=path)


def titles(body: bytes) -> Iterator[tuple[str, Claim]]:
    """Yield each title of a feed's entries with a grade that it must show, in short, where that is known."""
    for entry in _ENTRY.findall(body.decode("utf-8", "replace")):
        title = html.unescape("".join(_TITLE.findall(entry)))
        linked = [path for found in _OTHER_LINK.finditer(entry) if (path := _path("", found[1] or "")) is not None]
        for path in linked if _LETTER_CHANGE in entry else linked[:1]:
            yield title, Claim(path=path)


def check_claims(where: str, found: Iterator[Claim], known: Mapping[str, Shown | None], findings: Findings) -> set[str]:
    """Return the permanent pages that a page links to; add a finding for each that the log does not hold as shown.

    Args:
        where: the page lies.
        found: its links.
        known: every permanent page of the log by its folder, with what its record says where that was read.
        findings: where mismatches are added.
    """
    linked: set[str] = set()
    for claim in found:
        if claim.path not in known and claim.path not in linked:
            expected = "links to permanent pages that the log holds, and no other"
            findings.add(FindingKind.UNEXPECTED, where, expected=expected, found=claim.path[:300])
        linked.add(claim.path)
        shown = known.get(claim.path)
        if shown is None:
            continue
        for expected, said in ((shown.letter, claim.letter), (shown.short, claim.short)):
            if said is not None:
                findings.require(f"{where}, {claim.path}", expected=expected, found=said[:100], what="the letter")
    return linked


def check_titles(
    where: str, found: Iterator[tuple[str, Claim]], known: Mapping[str, Shown | None], findings: Findings
) -> None:
    """Add a finding for each title of a feed that does not show a grade as its record has it."""
    for title, claim in found:
        shown = known.get(claim.path)
        if shown is not None and shown.short not in title:
            findings.add(
                FindingKind.DIFFERENT,
                f"{where}, {claim.path}",
                expected=f"a title with {shown.short}",
                found=title[:200],
            )


def badge_version(message: str) -> str | None:
    """Return the method version that a badge's message speaks under; None where it speaks of none."""
    found = _GRADED.match(message) or _NO_GRADE.match(message)
    return None if found is None else found[1]


def check_badge(where: str, message: str, newest: tuple[str, Shown] | None, findings: Findings) -> None:
    """Require that a badge's message is of the endpoint's newest grade.

    Args:
        where: the badge lies.
        message: that it gives.
        newest: the window's last night and what the record says; None where there is no grade under its version.
        findings: where mismatches are added.
    """
    if newest is None:
        if _NO_GRADE.match(message) is None:
            expected = "no grade, because the log holds none under this version"
            findings.add(FindingKind.DIFFERENT, where, expected=expected, found=message[:200])
        return
    end, shown = newest
    if not message.startswith(f"{shown.short} · ") or f" · to {end}" not in message:
        expected = f"{shown.short}, of the window to {end}, the newest that the log holds"
        findings.add(FindingKind.DIFFERENT, where, expected=expected, found=message[:200])


def check_picture(where: str, body: bytes, message: str, findings: Findings) -> None:
    """Require that a badge's picture says in its name and shows what its machine form says."""
    text = body.decode("utf-8", "replace")
    name, _, drawn = text.partition("</title>")
    said = html.unescape(name)
    seen = "".join(html.unescape(_TAGS.sub("", drawn)).split())
    if said.count(message) < 2 or not seen.endswith("".join(message.split())):  # noqa: PLR2004 - label and title
        found = " ".join(html.unescape(_TAGS.sub(" ", drawn)).split())
        findings.add(FindingKind.DIFFERENT, where, expected=f"a picture of {message}", found=found[:200])


def _path(page: str, address: str) -> str | None:
    """Return the folder of the permanent page that an address on a page leads to; None for any other."""
    plain = re.split("[?#]", html.unescape(address), maxsplit=1)[0]
    plain = _ESCAPED.sub(lambda escaped: chr(int(escaped[1], 16)), plain)
    if _OUTWARD.match(plain):
        found = _ANYWHERE.fullmatch(plain)
    else:
        parts: list[str] = page.split("/")[:-1]
        for part in plain.split("/"):
            if part == "..":
                del parts[-1:]
            elif part != ".":
                parts.append(part)
        found = _WITHIN.fullmatch("/".join(parts))
    return None if found is None else found[1]
