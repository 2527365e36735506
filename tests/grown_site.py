"""A site that grew in place, beside the one that is laid out anew; and what was rendered for it."""

from __future__ import annotations

import shutil
from collections import Counter

import pytest

from generator.site.templates import Templates
from generator.workflows.rendering import render
from generator.workflows.world import Root
from tests.kept_site import Silent


def files(root: Root) -> dict[str, bytes]:
    """Return every file of the site."""
    return {
        each.relative_to(root.site).as_posix(): each.read_bytes() for each in root.site.rglob("*") if each.is_file()
    }


def anew(root: Root) -> dict[str, bytes]:
    """Return every file of the site as laid out where none lies and nothing is remembered."""
    other = root.path.with_name("anew")
    shutil.copytree(root.path, other, ignore=shutil.ignore_patterns("site", ".site*", ".cache"))
    render(Root(other), progress=Silent())
    return files(Root(other))


def noting_filled(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Return how often each template is filled from now on."""
    found: Counter[str] = Counter()
    fill = Templates.render

    def noted(self: Templates, name: str, /, **values: object) -> bytes:
        found[name] += 1
        return fill(self, name, **values)

    monkeypatch.setattr(Templates, "render", noted)
    return found
