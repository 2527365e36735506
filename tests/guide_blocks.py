"""The fenced blocks of the guide, as a reader sees them: what is run, what is not, and what a command prints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parent.parent
GUIDE = ROOT / "content/pages/guide"
RUN = "sh"
NOT_RUN = "sh not-run"
OUTPUT = "text"
SAMPLE = "text sample"
SETTINGS = "toml"
SAYS_SO = "not run by our tests"
"""What the page says, in the text before it, of a block that is not run."""


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """One fenced block."""

    chapter: str
    line: int
    """Where it begins in its file, counted from 1."""
    info: str
    text: str
    before: str
    """The paragraph that stands before it, in one line."""

    @property
    def place(self) -> str:
        """Where it stands, for messages."""
        return f"{self.chapter}.md, line {self.line}"


def chapters() -> tuple[str, ...]:
    """Return the names of all chapters."""
    return tuple(sorted(path.stem for path in GUIDE.glob("*.md")))


def blocks(chapter: str) -> tuple[Block, ...]:
    """Return the fenced blocks of a chapter, in order."""
    return tuple(_blocks(chapter, (GUIDE / f"{chapter}.md").read_text("utf-8")))


def runnable(chapter: str) -> tuple[Block, ...]:
    """Return the blocks of a chapter that are run."""
    return tuple(block for block in blocks(chapter) if block.info == RUN)


def expected(chapter: str) -> dict[int, Block]:
    """Return, by the place of a block among those run, the block that says what it prints."""
    found: dict[int, Block] = {}
    count, last = -1, None
    for block in blocks(chapter):
        if block.info == RUN:
            count += 1
        elif block.info == OUTPUT:
            assert last is not None, f"{block.place}: nothing printed this"
            assert last.info == RUN, f"{block.place}: what is not run prints nothing"
            found[count] = block
        last = block
    return found


def missing_lines(printed: str, block: Block) -> list[str]:
    """Return the lines of a block that were not printed in its order; `...` stands for anything within a line."""
    lines = iter(printed.splitlines())
    return [line for line in block.text.splitlines() if line.strip() != "..." and not _found(line, lines)]


def _found(line: str, lines: Iterator[str]) -> bool:
    pattern = ".*".join(re.escape(part) for part in line.rstrip().split("..."))
    return any(re.fullmatch(pattern, printed.rstrip()) for printed in lines)


def _blocks(chapter: str, text: str) -> Iterator[Block]:
    before = ""
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type == "inline":
            before = " ".join(token.content.split())
        elif token.type in {"fence", "code_block"}:
            line = token.map[0] + 1 if token.map else 0
            yield Block(chapter=chapter, line=line, info=token.info.strip(), text=token.content, before=before)
