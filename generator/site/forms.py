"""Pages of one form: a template is filled once with slots, and from then on texts are put between what it says itself.

A slot stands for a text or a whole number. It can be printed, escaped or as a filter shows it, and refuses all else:
what a template says around its slots can depend only on the values that are no texts, on which texts are absent, and
on how many rows there are. Those are the form's key. All texts of a page are escaped here, in one go.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from itertools import count
from types import SimpleNamespace
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from generator.site.text import told, visible

Text = str | int
Texts = list[Text | None]
"""Of one page, in order; None where one is absent, and no template prints it."""
Values = Mapping[str, object]
"""What a template asks for, by name; 'page.title' is the title of `page`.

A text or a whole number is printed. A tuple has rows: tuples of texts and numbers, or None where one is absent. By
everything else (truth, None, a letter) a template may decide.
"""

SHOWS: Mapping[str, Callable[[Any], Markup]] = {"told": told, "visible": visible, "safe": Markup}
"""The filters that a slot can be shown by."""

_ESCAPED = "escaped"
_MARK = re.compile(r"\0(\d+) (\w+)\0")
_BETWEEN = "\0"
"""Stands between texts that are escaped together, and in none of them that a filter has made visible."""


class Slot:
    """Stands for a text that is not there yet."""

    __slots__ = ("_how", "_number")
    __hash__ = None  # type: ignore[assignment]  # Nothing is looked up by a text, and no page remembered by it.

    def __init__(self, number: int, how: str = _ESCAPED) -> None:
        """Stand for the text of a number, escaped or shown by a filter."""
        self._number = number
        self._how = how

    def shown(self, how: str) -> Slot:
        """Return what stands for the text as a filter shows it."""
        return Slot(self._number, how)

    def __html__(self) -> str:
        """Return the mark that the text's place is known by."""
        return f"\0{self._number} {self._how}\0"

    def __str__(self) -> str:
        """Refuse to be a string: what is made of it would be made of the mark."""
        raise TypeError("a text can be printed, and nothing else be done with it")

    def __bool__(self) -> bool:
        """Refuse to be decided by."""
        raise TypeError("a text can be printed or be none, and nothing else be decided by it")

    def __eq__(self, other: object) -> bool:
        """Refuse to be compared."""
        return bool(self)


class Printed(NamedTuple):
    """One place of a form that a text stands in."""

    number: int
    """Which text."""
    show: Callable[[Any], Markup] | None
    """How it is shown; None where it is escaped."""


class Form:
    """What all pages of one form say alike, and where each says something of its own."""

    __slots__ = ("_line", "_order", "_pieces", "_shown", "literals", "places")

    def __init__(self, filled: str, texts: int) -> None:
        """Take apart a template that was filled with slots.

        Args:
            filled: the template's text with a mark for every slot.
            texts: how many texts a page has.

        Raises:
            ValueError: where the template prints the character that texts are kept apart by.
        """
        parts = _MARK.split(filled)
        self.literals = tuple(parts[::3])
        if any(_BETWEEN in literal for literal in self.literals):
            raise ValueError("expected no U+0000 in what a template says")
        self.places = tuple(
            Printed(int(number), SHOWS.get(how)) for number, how in zip(parts[1::3], parts[2::3], strict=True)
        )
        shown = {(number, show): None for number, show in self.places if show is not None}
        self._shown = tuple(shown)
        order = {place: texts + index for index, place in enumerate(shown)}
        self._order = tuple(order.get((number, show), number) if show else number for number, show in self.places)
        escaped = {number for number, show in self.places if show is None}
        # What is printed as it is or by a filter alone is left out: '%.0s' prints nothing of it.
        self._line = _BETWEEN.join("%s" if number in escaped else "%.0s" for number in range(texts))
        self._pieces = [b""] * (2 * len(self.places) + 1)
        self._pieces[::2] = [literal.encode() for literal in self.literals]

    def fill(self, texts: Texts) -> bytes:
        """Return the page of some texts."""
        printed = escape(self._line % tuple(texts)).encode().split(_BETWEEN.encode())
        if len(printed) != len(texts):  # One of them has the character that stands between them.
            printed = [escape(str(text)).encode() for text in texts]
        printed += [show(texts[number]).encode() for number, show in self._shown]
        pieces = self._pieces.copy()
        pieces[1::2] = map(printed.__getitem__, self._order)
        return b"".join(pieces)


def apart(values: Values) -> tuple[Hashable, Texts]:
    """Return the key of the form that a page of some values has, and the texts of the page in order."""
    texts: Texts = []
    decisive: list[object] = []
    for value in values.values():
        kind = type(value)
        if kind is str or kind is int:
            texts.append(value)  # type: ignore[arg-type]
            decisive.append(kind)
        elif kind is tuple:
            before = len(texts)
            for row in value:  # type: ignore[attr-defined]
                texts += row
            decisive.append((len(value), len(texts) - before))  # type: ignore[arg-type]
        else:
            decisive.append(value)
    return (tuple(values), tuple(decisive), tuple(map(type, texts))), texts


def filled(values: Values, *, slots: bool) -> dict[str, object]:
    """Return what a template is filled with: some values, or a slot in the place of each text."""
    numbers = count()

    def put(text: Text | None) -> object:
        number = next(numbers)
        return Slot(number) if slots and text is not None else text

    found: dict[str, object] = {}
    for name, value in values.items():
        of, _, member = name.rpartition(".")
        group = vars(found.setdefault(of, SimpleNamespace())) if of else found
        if type(value) in {str, int}:
            group[member] = put(value)  # type: ignore[arg-type]
        elif type(value) is tuple:
            group[member] = tuple(getattr(row, "_make", tuple)([put(text) for text in row]) for row in value)
        else:
            group[member] = value
    return found
