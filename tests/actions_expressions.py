"""The expressions of a workflow, evaluated as GitHub documents them: contexts, operators and status functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_TOKEN = re.compile(r"\s*(?:(?P<text>'(?:[^']|'')*'|\d+)|(?P<name>[A-Za-z_][\w.-]*)|(?P<mark>==|!=|>|&&|\|\||[!(),]))")
_EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
STATUS = re.compile(r"\b(?:always|success|failure|cancelled)\(\)")
"""What keeps `success()` from being added to a condition."""


Value = str | bool | Mapping[str, "Value"]
"""What an expression comes to."""


class Expressions:
    """Evaluates expressions over some contexts."""

    def __init__(self, contexts: Mapping[str, Value], functions: Mapping[str, Callable[..., Value]]) -> None:
        """Use nested contexts, such as `needs`, and functions, such as `always`."""
        self._contexts = contexts
        self._functions = functions
        self._tokens: list[str] = []

    def filled(self, text: str) -> str:
        """Return a text with each of its expressions as the string that it comes to."""
        return _EXPRESSION.sub(lambda found: _string(self.value(found[1])), text)

    def holds(self, condition: str | None) -> bool:
        """Return whether a condition holds; none is `success()`, which is also added where no status is asked for."""
        if condition is None:
            return bool(self.value("success()"))
        text = re.sub(r"^\$\{\{(.*)\}\}$", r"\1", condition.strip(), flags=re.DOTALL)
        return bool(self.value(text)) and (bool(STATUS.search(text)) or bool(self.value("success()")))

    def value(self, text: str) -> Value:
        """Return what an expression comes to."""
        self._tokens, place = [], 0
        while place < len(text.rstrip()):
            found = _TOKEN.match(text, place)
            assert found is not None, f"no expression: {text}"
            self._tokens.append(found[0].strip())
            place = found.end()
        value = self._any()
        assert not self._tokens, f"left over in {text}: {self._tokens}"
        return value

    def _any(self) -> Value:
        left = self._all()
        while self._took("||"):
            right = self._all()
            left = left or right
        return left

    def _all(self) -> Value:
        left = self._compared()
        while self._took("&&"):
            right = self._compared()
            left = left and right
        return left

    def _compared(self) -> Value:
        left = self._one()
        if self._took(">"):
            right = self._one()
            return _string(left).isdecimal() and int(_string(left)) > int(_string(right))
        for mark in ("==", "!="):
            if self._took(mark):
                return (_string(left) == _string(self._one())) is (mark == "==")
        return left

    def _one(self) -> Value:
        first = self._tokens.pop(0)
        if first == "!":
            return not self._one()
        if first == "(":
            value = self._any()
            assert self._took(")")
            return value
        if first.startswith("'"):
            return first[1:-1].replace("''", "'")
        if first.isdecimal():
            return first
        if self._took("("):
            arguments = []
            while not self._took(")"):
                arguments.append(self._any())
                self._took(",")
            return self._functions[first](*arguments)
        return self._context(first)

    def _context(self, name: str) -> Value:
        if name in {"true", "false"}:
            return name == "true"
        first, *rest = name.split(".")
        value: Value = self._contexts[first]
        for part in rest:
            value = value.get(part, "") if isinstance(value, Mapping) else ""
        return value

    def _took(self, mark: str) -> bool:
        if self._tokens and self._tokens[0] == mark:
            self._tokens.pop(0)
            return True
        return False


def _string(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
