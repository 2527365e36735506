"""Options that several commands share, and how their text is read."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, overload

import msgspec
import typer

from generator.errors import UsageError
from generator.settings import Address
from generator.site.text import visible_plain

RootOption = Annotated[
    Path,
    typer.Option("--root", help="The folder that holds content/, templates/ and archive/.", show_default="here"),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing else.")]
BaseUrlOption = Annotated[
    str | None,
    typer.Option(
        "--base-url",
        metavar="URL",
        help="The address that pages which may change are laid out for, instead of the one in site.toml. A permanent "
        "page keeps the address of its issue.",
    ),
]

_FIRST_YEAR, _LAST_YEAR = 1970, 9000


def parsed_address(text: str | None) -> str | None:
    """Return a site's address with its closing slash; None for None.

    Raises:
        UsageError: where it is no address of a site.
    """
    if text is None:
        return None
    try:
        return msgspec.convert(text if text.endswith("/") else f"{text}/", Address)
    except msgspec.ValidationError:
        raise UsageError(
            f"expected an address such as https://grades.example/, found '{visible_plain(text)}'",
            where="--base-url",
            do="Give scheme, host in lower case and path, without query and fragment",
        ) from None


@overload
def parsed_date(text: str) -> date: ...


@overload
def parsed_date(text: str | None) -> date | None: ...


def parsed_date(text: str | None) -> date | None:
    """Return the date that a text says, YYYY-MM-DD; None for None.

    Raises:
        UsageError: where it is no date, or none of a night.
    """
    if text is None:
        return None
    try:
        found = datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).date()
    except ValueError:
        found = None
    if found is None or found.isoformat() != text or not _FIRST_YEAR <= found.year <= _LAST_YEAR:
        do = None if found is None or found.isoformat() == text else f"Did you mean '{found.isoformat()}'?"
        raise UsageError(f"expected a date, YYYY-MM-DD, found '{visible_plain(text)}'", do=do)
    return found
