"""What programs look for at the root of a site: robots.txt, and llms.txt with what there is to read.

Nothing is forbidden to anybody, and nothing is ranked. llms.txt follows https://llmstxt.org: a title, a summary, and
sections of links with a note.
"""

from __future__ import annotations

from collections.abc import Iterator

from generator.records.data_file import DATA
from generator.records.figures import counted
from generator.records.permalink import feed_path, method_path, model_path
from generator.site import grade_schema, sitemap
from generator.site.feeds import CHANGES
from generator.site.frame import replayed_line
from generator.site.library import Library
from generator.site.text import visible_markdown

_SUMMARY = (
    "Grades of endpoints that serve language models. Each night the same narrow prompts go to every endpoint of the "
    "models watched; a published procedure turns the answers into a grade, at an address that never changes."
)
_RULES = (
    "A letter never stands without its method version and its four columns: M, match; T, task accuracy; D, declared "
    "precision; R, reliability. There is no ranking: order is alphabetical. A declaration is a claim, a grade is a "
    "measurement; agreement with the plurality is no proof of weights, quantization or configuration, and nothing here "
    "speaks of intent. Cite the permanent page of a grade and no other page."
)
_BADGES = (
    "The page of an endpoint lies at {address}models/{{author}}/{{name}}/{{endpoint}}/ and its badge, the latest grade "
    "in one line, at {address}badges/{{author}}/{{name}}/{{endpoint}}.svg; the same address with .json has what "
    "shields.io draws one from."
)
"""Addresses as RFC 6570 writes templates."""


def render(library: Library) -> Iterator[tuple[str, bytes]]:
    """Yield robots.txt and llms.txt."""
    address = library.material.settings.address
    yield "robots.txt", f"User-agent: *\nAllow: /\n\nSitemap: {address}{sitemap.PATH}\n".encode()
    yield "llms.txt", _llms(library).encode()


def _llms(library: Library) -> str:
    settings = library.material.settings
    replayed = replayed_line(night.record for night in library.material.nights)
    lines = [
        f"# {visible_markdown(settings.title)}",
        "",
        f"> {_SUMMARY}",
        "",
        *([] if replayed is None else [replayed, ""]),
        _RULES,
        "",
        _BADGES.format(address=library.material.settings.address),
        "",
        "## Method",
        "",
        _link(library, "The method and its versions", method_path(), f"version {library.current} is current"),
        _link(library, "Calibration", "calibration/", "what the thresholds come from"),
        _link(library, "Glossary", "glossary/", "what each word means here"),
        _link(library, "How to check a grade", "verify/", "without any of our programs"),
        _link(library, "What stays", "persistence/", "what never changes, what does, and how corrections are made"),
        _link(library, "Guide", "guide/", "to run it, to publish nightly, to check, cite and dispute a grade"),
        _link(library, "About", "about/", "what to expect and what not, and how to cite"),
        "",
        "## Data",
        "",
        _link(
            library,
            "Downloads",
            DATA,
            "nights, grades and kept pages as Parquet, digests, examples, Croissant metadata",
        ),
        _link(library, "Nights", "nights/", "each with its seed, prompts, counts, cost and the digests of its files"),
        _link(library, "JSON Schema of grade.json", grade_schema.PATH, "the record beside every permanent page"),
        _link(library, "Changes", CHANGES, "every change of letter and of declared precision, newest first"),
        _link(library, "Feed of changes", feed_path(), "Atom; each model has one too, at feed.xml below its page"),
        _link(library, "Search", "search/", "models and endpoints by name; a list of all of them"),
        _link(library, "Sitemap", sitemap.PATH, "every page, permanent ones included"),
    ]
    if library.models:
        lines += ["", "## Models", ""]
        lines += [
            _link(
                library, visible_markdown(each.model), model_path(each.model), counted(len(each.endpoints), "endpoint")
            )
            for each in library.models
        ]
    return "\n".join(lines) + "\n"


def _link(library: Library, name: str, path: str, note: str) -> str:
    return f"- [{name}]({library.material.settings.address}{path}): {note}"
