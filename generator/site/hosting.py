"""What a static host reads beside the pages: `_headers` and `_redirects`, views that no host shows to a reader."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from generator.site import hosting_headers, hosting_redirects
from generator.site.library import Library

FILES = frozenset({hosting_headers.PATH, hosting_redirects.PATH})


def ruled(views: Iterable[tuple[str, bytes]], library: Library) -> Iterator[tuple[str, bytes]]:
    """Yield every view, then the host's rules for them and for the permanent files.

    Args:
        views: path and bytes of each view.
        library: the material, arranged.
    """
    paths = []
    for path, body in views:
        paths.append(path)
        yield path, body
    yield hosting_headers.PATH, hosting_headers.headers_file(paths, library.material.kept_methods)
    yield hosting_redirects.PATH, hosting_redirects.redirects_file(library)
