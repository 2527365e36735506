"""The page of a method version, generated from the definition that grades: page and grading cannot differ.

The prose is Markdown in content/methods/<version>.md with {{ placeholders }}; it is filled in a sandbox, by values of
the definition alone.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import msgspec
from jinja2 import StrictUndefined, TemplateError, TemplateSyntaxError
from jinja2.sandbox import SandboxedEnvironment

from generator.errors import ContentError
from generator.records.definition import Definition, Method
from generator.records.figures import decimal_text, printed
from generator.records.permalink import method_path
from generator.settings import Settings
from generator.site.anchors import ANCHORS
from generator.site.citation import script_json
from generator.site.frame import Step, frame
from generator.site.linked_data import described
from generator.site.links import INDEX, Links
from generator.site.method_tables import latency_table, letters_table, numbers_table
from generator.site.prose import Prose, to_html
from generator.site.templates import Templates

_TEENS = range(11, 14)


class Worked(msgspec.Struct, frozen=True, kw_only=True):
    """The worked example, computed."""

    numbers: str
    """Sorted, separated by commas."""
    count: int
    index: int
    """Of the floor among them, counted from 0."""
    floor: str
    match: str
    """100 less the floor: a match of so much or more is within noise."""


def render(method: Method, worked_example_floor: Fraction, settings: Settings, templates: Templates) -> bytes:
    """Return the bytes of a method version's page.

    Args:
        method: definition, prose and digest.
        worked_example_floor: the floor of the definition's worked example in percent, from the function that grades.
        settings: the site's settings.
        templates: the site's templates.

    Raises:
        ContentError: naming the prose or template file that is broken, or the heading that it lacks.
    """
    version = method.version
    path = method_path(version) + INDEX
    links = Links(path)
    prose = fill(method, worked_example_floor)
    page = frame(
        path,
        settings,
        title=f"The method, version {version}",
        description=f"How a grade under method version {version} is made: every rule and every number.",
        links=links,
        steps=(Step(text="method", href=links.method()), Step(text=version, href=INDEX)),
        method_version=version,
    )
    address, versions = settings.address + method_path(version), settings.address + method_path()
    cited_as = f"The method of {settings.title}, version {version}"
    article = described(
        "TechArticle",
        address,
        settings,
        name=cited_as,
        description=page.description,
        identifier=[address, f"sha256:{method.digest}"],
        version=version,
        datePublished=method.definition.released.isoformat(),
        isPartOf=versions,
    )
    return templates.render(
        "method.html",
        page=page,
        links=links,
        cited_as=cited_as,
        site=settings.address,
        versions_address=versions,
        json_ld=script_json(article),
        method=method,
        definition=method.definition,
        body=prose.html,
        contents=tuple(heading for heading in prose.headings if heading.level == 2),  # noqa: PLR2004 - as in h2
    )


def fill(method: Method, worked_example_floor: Fraction) -> Prose:
    """Return a method's prose with its placeholders filled, as HTML.

    Raises:
        ContentError: naming the prose file and line, or the heading that it lacks.
    """
    definition = method.definition
    where = f"content/methods/{definition.version}.md"
    values = {name: getattr(definition, name) for name in definition.__struct_fields__}
    values |= {
        "provisional": definition.provisional,
        "worked": _worked(definition, worked_example_floor),
        "letters_table": letters_table(definition),
        "latency_table": latency_table(definition),
        "numbers_table": numbers_table(definition),
    }
    try:
        markdown = _environment().from_string(method.prose).render(values)
    except TemplateSyntaxError as error:
        raise ContentError(
            f"expected prose, found an error: {error.message}", where=f"{where}, line {error.lineno}"
        ) from None
    except (TemplateError, TypeError, ArithmeticError, LookupError, ValueError) as error:
        raise ContentError(f"a placeholder cannot be filled: {error}", where=where) from None
    prose = to_html(markdown, where=where)
    missing = sorted(ANCHORS - {heading.id for heading in prose.headings})
    if missing:
        raise ContentError(
            f"expected a heading for each thing that grade pages link to, found none with the id '{missing[0]}'",
            where=where,
            do=f"Write it as '## ... {{#{missing[0]}}}'",
        )
    return prose


def _environment() -> SandboxedEnvironment:
    environment = SandboxedEnvironment(
        undefined=StrictUndefined,
        finalize=_written,
        trim_blocks=True,
        autoescape=False,  # the result is Markdown, and escaped as such: raw HTML is off
        comment_start_string="{!--",  # '{#' opens a heading's id here
        comment_end_string="--!}",
    )
    environment.filters.update(count=_count, ordinal=_ordinal, ratio=lambda percent: Decimal(percent) / 100)
    environment.globals.update(just_above=_just_above, at_index=_index)
    return environment


def _worked(definition: Definition, floor: Fraction) -> Worked:
    numbers = sorted(definition.worked_example.self_disagreement)
    return Worked(
        numbers=", ".join(decimal_text(number) for number in numbers),
        count=len(numbers),
        index=_index(definition.floor.percentile, len(numbers)),
        floor=printed(floor, digits=2),
        match=printed(100 - floor, digits=2),
    )


def _index(percentile: Decimal, count: int) -> int:
    """Return where the 'lower' estimator takes its value among so many, counted from 0."""
    return int(Fraction(percentile) / 100 * (count - 1))


def _written(value: object) -> object:
    """Return a value of the definition as it is printed."""
    return decimal_text(value) if isinstance(value, Decimal) else value


def _count(number: int | Decimal, noun: str) -> str:
    """Return a number with its noun: '1 night', '7 nights'."""
    return f"{_written(number)} {noun}" if number == 1 else f"{_written(number)} {noun}s"


def _ordinal(number: Decimal) -> str:
    """Return '75th', '2nd', '12.5th'."""
    text = decimal_text(Decimal(number))
    whole = number == int(number) and int(number) % 100 not in _TEENS
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(int(number) % 10, "th") if whole else "th"
    return text + suffix


def _just_above(limit: Decimal) -> str:
    """Return how a figure a little above a limit prints: never as the limit."""
    return printed(Fraction(limit) + Fraction(4, 100), [Fraction(limit)])
