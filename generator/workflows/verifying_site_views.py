"""What a published site's changing pages say of permanent ones: badges, letters beside links, feeds and the sitemap."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from generator.errors import SiteError
from generator.records.data_file import DATA
from generator.records.finding import FindingKind
from generator.site import feeds, sitemap
from generator.site.build import is_permanent
from generator.site.links import INDEX
from generator.verification.claims import check_claims, check_titles, claims, titles
from generator.verification.findings import Findings
from generator.verification.page_words import check_keys, check_place, check_says, check_whole
from generator.workflows.published import Published
from generator.workflows.site_letters import Letters, endpoint_of
from generator.workflows.verifying_site_badges import check_site_badges
from generator.workflows.verifying_site_log import SiteLog
from generator.workflows.world import Progress

_SITEMAP = re.compile(rb"<loc>[^<]*/(sitemaps/[0-9][0-9-]{0,30}\.xml)</loc>")
_FEED, _LOG_PAGE, _NIGHTS = "feed.xml", f"log/{INDEX}", f"{DATA}nights/"


def check_site_views(  # noqa: PLR0913, PLR0917 - what changes, and against what it is held
    site: Published,
    log: SiteLog,
    named: Mapping[str, str],
    letters: Letters,
    drawn: Sequence[str],
    listed: Sequence[str] | None,
    *,
    progress: Progress,
    findings: Findings,
) -> None:
    """Add a finding for each changing page that speaks of a permanent one otherwise than log and records do.

    Args:
        site: as somebody outside sees it.
        log: its own.
        named: by path, the digest of each file that the drawn leaves name.
        letters: what the records say.
        drawn: folders of permanent pages: whatever speaks of their endpoints is looked at.
        listed: every file of the site; None where it does not say.
        progress: who is told.
        findings: where mismatches are added.

    Raises:
        SiteError: where nothing could be had several times in a row.
    """
    endpoints = sorted({endpoint_of(path) for path in drawn})
    check_site_badges(site, letters, endpoints, findings)
    required = chain(_required(endpoints, drawn), sorted(_night_pages(named)))
    paths = list(dict.fromkeys(chain(required, sorted(_views(listed or ())))))
    paths += _sitemaps(site, findings)
    looking = _Looking(site, log, named, letters, findings)
    with progress.bar("checking pages that change", len(paths)) as advance:
        by_month = looking.look(paths, _complete(letters.known, endpoints, drawn), advance)
    with progress.bar("checking the months of endpoints", len(by_month)) as advance:
        looking.look(sorted(by_month), by_month, advance)
    mapped = looking.mapped
    for missing in sorted(letters.known.keys() - mapped):
        findings.add(FindingKind.MISSING, site.where + sitemap.PATH, expected=f"the address of {missing}", found="none")


class _Looking:
    """Looks at pages that change, one after another."""

    def __init__(
        self, site: Published, log: SiteLog, named: Mapping[str, str], letters: Letters, findings: Findings
    ) -> None:
        self.mapped: set[str] = set()
        """Permanent pages that the sitemap has."""
        self._site, self._letters, self._findings = site, letters, findings
        self._keys, self._digests = frozenset(key.vkey for key in log.kept.keys), _digests(log, named)

    def look(
        self, paths: Iterable[str], complete: Mapping[str, set[str]], advance: Callable[[int], None]
    ) -> dict[str, set[str]]:
        """Add a finding for each that is missing or says otherwise, or does not lead where it has to.

        Args:
            paths: of the pages.
            complete: by path, the permanent pages that a page must link to.
            advance: told of each page.

        Returns:
            By page of an endpoint's month that a page of an endpoint leads to, what that one has to link to instead.
        """
        by_month: dict[str, set[str]] = defaultdict(set)
        for path, body in self._site.bodies(paths):
            advance(1)
            where = self._site.where + path
            if isinstance(body, SiteError):
                self._findings.unchecked(f"{body.problem} at {where}")
                continue
            if body is None:
                self._findings.add(FindingKind.MISSING, where, expected="a page, feed or sitemap", found="none")
                continue
            linked = self._hold(path, where, body)
            for missing in sorted(complete.get(path, frozenset()) - linked):
                month = path.removesuffix(INDEX) + _month(missing)
                if path == f"models/{endpoint_of(missing)}/{INDEX}" and f'"{_month(missing)}"'.encode() in body:
                    by_month[month].add(missing)
                else:
                    expected = f"a link to {missing}"
                    self._findings.add(FindingKind.MISSING, where, expected=expected, found="none")
        return by_month

    def _hold(self, path: str, where: str, body: bytes) -> set[str]:
        """Hold one page against log and records; return the permanent pages that it links to."""
        findings, letters = self._findings, self._letters
        findings.checked("pages that change")
        check_whole(where, body, findings)
        check_place(where, path, body, findings)
        check_says(where, body, self._digests.get(path, ()), findings)
        if path == _LOG_PAGE:
            check_keys(where, body, self._keys, findings)
        if path.rpartition("/")[2] == _FEED:
            letters.read((claim.path for claim in claims(path, body)), findings)
            check_titles(where, titles(body), letters.known, findings)
        linked = check_claims(where, claims(path, body), letters.known, findings)
        if path.startswith("sitemaps/"):
            self.mapped |= linked
        return linked


def _month(permanent: str) -> str:
    """Return where the page of a window's month lies, seen from its endpoint's."""
    return f"{permanent.rstrip('/').split('/')[-2][:7]}/{INDEX}"


def _required(endpoints: Iterable[str], drawn: Iterable[str]) -> Iterator[str]:
    """Yield the path of each page and feed that must speak of some endpoints and grades."""
    yield from (INDEX, _FEED, f"{feeds.CHANGES}{INDEX}", sitemap.PATH, _LOG_PAGE)
    for model in sorted({each.rpartition("/")[0] for each in endpoints}):
        yield from (f"models/{model}/{name}" for name in (INDEX, _FEED))
    yield from (f"models/{each}/{INDEX}" for each in endpoints)
    yield from sorted({f"{path.rstrip('/').rpartition('/')[0]}/{INDEX}" for path in drawn})


def _night_pages(named: Iterable[str]) -> set[str]:
    """Return the path of the page of each night that some files are of."""
    return {_night_page(path) for path in named if path.startswith(_NIGHTS)}


def _night_page(path: str) -> str:
    return f"nights/{path.removeprefix(_NIGHTS).partition('/')[0]}/{INDEX}"


def _digests(log: SiteLog, named: Mapping[str, str]) -> Mapping[str, list[str]]:
    """Return, by path, the digests that a page must print: each night's files, and the newest tree's root."""
    found: dict[str, list[str]] = defaultdict(list)
    found[_LOG_PAGE].append(log.kept.head.root.hex())
    for path, digest in named.items():
        if path.startswith(_NIGHTS):
            found[_night_page(path)].append(digest)
    return found


def _views(listed: Iterable[str]) -> Iterator[str]:
    """Yield each page and feed of a saved copy that may change; sitemaps come by themselves."""
    for path in listed:
        if path.endswith((".html", ".xml")) and not is_permanent(path) and not path.startswith(("data/", "sitemaps/")):
            yield path


def _complete(known: Iterable[str], endpoints: Iterable[str], drawn: Iterable[str]) -> Mapping[str, set[str]]:
    """Return, by path, the permanent pages that a page must link to: each of its endpoint, or each of its window."""
    found: dict[str, set[str]] = defaultdict(set)
    wanted = {f"models/{each}/{INDEX}" for each in endpoints}
    wanted |= {f"{path.rstrip('/').rpartition('/')[0]}/{INDEX}" for path in drawn}
    for path in known:
        for page in (f"models/{endpoint_of(path)}/{INDEX}", f"{path.rstrip('/').rpartition('/')[0]}/{INDEX}"):
            if page in wanted:
                found[page].add(path)
    return found


def _sitemaps(site: Published, findings: Findings) -> Iterator[str]:
    """Yield the path of each file that the sitemap's index names."""
    index = b""
    with findings.reading(site.where + sitemap.PATH):
        index = site.get(sitemap.PATH) or b""
    yield from (found.decode() for found in _SITEMAP.findall(index))
