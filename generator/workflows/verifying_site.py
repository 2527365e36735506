"""A published site against its own log, as anybody outside holds it: every leaf, then every file that leaves name.

What may change is held against the log where it names what the log holds: proofs, lists for downloading, badges,
feeds, the sitemap, and links to permanent pages with their letters.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from generator.errors import UsageError
from generator.records.finding import FindingKind, VerificationReport
from generator.records.leaf import GradeLeaf, Leaf, NightLeaf, WithheldLeaf
from generator.records.permalink import PROOF
from generator.site.build import is_permanent
from generator.site.files import is_safe
from generator.verification.findings import Findings
from generator.workflows.comparing import compare
from generator.workflows.kept_log import Trust
from generator.workflows.named_files import RECORD, named_files
from generator.workflows.published import Published
from generator.workflows.site_letters import Letters
from generator.workflows.verifying_site_lists import check_site_lists
from generator.workflows.verifying_site_log import CHECKPOINT, HEAD, SiteLog, read_site_log
from generator.workflows.verifying_site_proofs import check_site_proofs
from generator.workflows.verifying_site_strays import check_strays
from generator.workflows.verifying_site_views import check_site_views
from generator.workflows.world import Progress

__all__ = ["CHECKPOINT", "HEAD", "verify_site"]

_SEED_BYTES = 16
_LEFT_OUT = (
    "what changes was held against the log where it names permanent pages, digests or keys: badges, letters beside "
    "links, feeds, the sitemap, lists of downloads, pages of nights and of the log. What else pages say (figures, "
    "floors, charts, who agreed, prose), and the rows of downloaded grades and pages, cannot be told from outside: "
    "verifying a site root makes all of it again"
)


def verify_site(
    site: Published,
    trust: Trust,
    *,
    progress: Progress,
    sample: int | None = None,
    entropy: Callable[[int], bytes] | None = None,
) -> VerificationReport:
    """Return every mismatch found between a published site and its log.

    Args:
        site: as somebody outside sees it.
        trust: checkpoints seen before, and the key that is believed.
        progress: who is told.
        sample: so many leaves, drawn by chance, and all that no checkpoint given covers (or the newest alone, where
            none is given), instead of all.
        entropy: what they are drawn by; needed for a sample alone.

    Raises:
        SiteError: where the site cannot be read.
    """
    findings = Findings()
    log = read_site_log(site, trust, progress=progress, findings=findings)
    if log is None:
        return findings.report()
    leaves = tuple(leaf for _, leaf in log.leaves)
    seen = trust.seen()
    first_new = len(leaves) - 1 if seen is None else min(seen, len(leaves))
    drawn = _drawn(leaves, first_new, sample, entropy)
    named = _named(leaves, drawn)
    letters = Letters(site, (leaf for _, leaf in log.grades()))
    with progress.bar("checking what the log names", len(named)) as advance:
        sizes = _check_named(site, named, letters, advance, findings)
    chosen = {leaf.path for leaf in drawn if isinstance(leaf, GradeLeaf)}
    grades = [(index, leaf) for index, leaf in log.grades() if leaf.path in chosen]
    check_site_proofs(site, log, grades, progress=progress, findings=findings)
    listed = site.listed()
    changing = Findings()
    paths = [leaf.path for _, leaf in grades]
    sums = _named(leaves, leaves)
    downloads = check_site_lists(site, log, sums, sizes, paths if sample else None, changing)
    check_site_views(site, log, named, letters, paths, listed, progress=progress, findings=changing)
    if listed is not None:
        check_strays(site, log, listed, {*sums, *downloads, *_proofs(log)}, findings)
    if changing.report().findings and site.get(HEAD) != log.head:
        findings.unchecked("something was published while the site was read: verify it again")
    else:
        findings.take(changing)
    if sample is not None and sample < len(leaves):
        new = "the newest" if seen is None else f"all {len(leaves) - first_new} that the checkpoints given do not cover"
        findings.note(f"a sample: files of {sample} of {len(leaves)} leaves drawn by chance, and of {new}")
    findings.note(_LEFT_OUT)
    return findings.report()


def _drawn(
    leaves: Sequence[Leaf], first_new: int, sample: int | None, entropy: Callable[[int], bytes] | None
) -> tuple[Leaf, ...]:
    """Return the leaves whose files are looked at: all, or some by chance and those from the first new one on."""
    if sample is None or sample >= len(leaves) or not leaves:
        return tuple(leaves)
    if entropy is None:
        raise UsageError("expected entropy for a sample, found none")
    chance = random.Random(entropy(_SEED_BYTES))  # noqa: S311 - from the operating system's entropy
    return (*chance.sample(leaves[:first_new], min(sample, first_new)), *leaves[first_new:])


def _named(leaves: Sequence[Leaf], drawn: Sequence[Leaf]) -> dict[str, str]:
    """Return, by path, the digest of each file that some leaves name, as the last leaf of all says it is kept now."""
    withheld: dict[object, WithheldLeaf] = {leaf.night: leaf for leaf in leaves if isinstance(leaf, WithheldLeaf)}
    return {path: digest for leaf in drawn for path, digest in named_files(leaf, withheld.get(_night(leaf)))}


def _night(leaf: Leaf) -> object:
    return leaf.night if isinstance(leaf, NightLeaf | WithheldLeaf) else None


def _proofs(log: SiteLog) -> Iterator[str]:
    return (f"{leaf.path}{PROOF}" for index, leaf in log.grades() if index < log.signed)


def _check_named(
    site: Published, named: dict[str, str], letters: Letters, advance: Callable[[int], None], findings: Findings
) -> dict[str, int]:
    """Compare each file with its digest; of records, keep the letters. Return the size of each of the others."""
    for path in [path for path in named if not (is_safe(path) and is_permanent(path))]:
        del named[path]
        expected = "a path within the site, where a permanent file lies"
        findings.add(FindingKind.UNREADABLE, f"{site.where}log", expected=expected, found=repr(path))
    others = {path: digest for path, digest in named.items() if not path.endswith(f"/{RECORD}")}
    sizes = compare(site, others, "files named by the log", findings, advance)
    for path, found in site.bodies(path for path in named if path not in others):
        advance(1)
        findings.checked("files named by the log")
        letters.take(path, found, findings)
    return sizes
