"""Every file of a new site root, from what its owner chose and what the program brings along."""

from __future__ import annotations

from collections.abc import Mapping

from generator.content import Content, packaged
from generator.starter.same_files import same_files
from generator.starter.settings_text import Choices, Shipped, site_toml

SETTINGS = "content/site.toml"
_OWNERS_PAGES = ("about.md",)
"""Pages that speak for whoever runs the site: theirs to edit."""
_AS_THEY_ARE = (
    ".github/workflows/monitor.yml",
    ".github/workflows/nightly.yml",
    "archive/FORMAT.md",
    "requirements.lock",
)


_BUILT_HERE = b"--no-build-isolation . &&"
_INSTALLED = b"--no-build-isolation -r requirements.txt &&"
"""What Netlify installs: the project's own checkout, or the program that a root's requirements name."""


def new_root_files(choices: Choices) -> Mapping[str, bytes]:
    """Return the files by their path in the root, the settings last: a folder that holds them holds the rest."""
    shipped = packaged("content")
    own = Content(shipped.parent).settings()
    found = {name: packaged(name).read_bytes() for name in _AS_THEY_ARE}
    methods = sorted((shipped / "methods").iterdir())
    for path in (*methods, *(shipped / "pages" / name for name in _OWNERS_PAGES)):
        found[f"content/{path.relative_to(shipped).as_posix()}"] = path.read_bytes()
    defaults = Shipped(method=own.method, candidates=own.candidates, prompt_set=own.prompt_set)
    found["netlify.toml"] = packaged("netlify.toml").read_bytes().replace(_BUILT_HERE, _INSTALLED)
    return {**found, **same_files(), SETTINGS: site_toml(choices, defaults).encode()}
