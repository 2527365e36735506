"""A chapter of the guide run as printed: its blocks one after the other in one shell, in a folder made for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from guide_blocks import ROOT, runnable

_MARK = "@@@ end of block"
_SHIM = """\
#!/bin/sh
{python} -P -m generator "$@"
code=$?
# A new root asks OpenRouter; here it asks a router of our own, which speaks as OpenRouter does.
if [ "$1" = init ] && [ -n "$GUIDE_ROUTER" ]; then
  sed -i.bak "s#https://openrouter.ai/api/v1#$GUIDE_ROUTER#" "$2/content/site.toml"
fi
exit $code
"""


def workspace(folder: Path, demo: Path | None) -> Path:
    """Return a folder with the demo in it where one is given, and the parts of a checkout that a chapter edits."""
    folder.mkdir(parents=True)
    if demo is not None:
        shutil.copytree(demo, folder / "demo")
    shutil.copytree(ROOT / "content", folder / "content")
    tools = folder / ".tools"
    tools.mkdir()
    (tools / "bitdepth").write_text(_SHIM.format(python=sys.executable))
    (tools / "bitdepth").chmod(0o755)
    return folder


def run_chapter(
    chapter: str, folder: Path, *, changes: dict[str, str] | None = None, environment: dict[str, str] | None = None
) -> list[str]:
    """Return what each block of a chapter printed, errors included; the first that fails ends the test.

    Args:
        chapter: its name.
        folder: a workspace.
        changes: text that stands in for text of the blocks, such as the port that a server was given.
        environment: variables of the run, beside those of every run.
    """
    blocks = [block.text for block in runnable(chapter)]
    for old, new in (changes or {}).items():
        blocks = [block.replace(old, new) for block in blocks]
    script = "\n".join(["set -e", *(f"{block}\necho '{_MARK}'" for block in blocks)])
    python = Path(sys.executable).parent
    variables = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("BITDEPTH", "OPENROUTER"))},
        "PATH": f"{folder / '.tools'}:{python}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "HOME": str(folder),
        "NO_COLOR": "1",
        "COLUMNS": "100",
        **(environment or {}),
    }
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=280,
        check=False,
    )
    printed = done.stdout.split(f"{_MARK}\n")
    assert done.returncode == 0, f"block {len(printed)} of {chapter}.md ended with {done.returncode}:\n{printed[-1]}"
    assert len(printed) == len(blocks) + 1
    return printed[:-1]
