"""How the pictures of templates/og/ are drawn: `python tests/og_pictures.py` draws them anew, in Chromium.

A picture is a letter's, not a grade's, so it says itself what it leaves out, and everything stands in the middle
square: some readers crop what they show. It carries the digest of what it was drawn from, which tells a stale one.
"""

from __future__ import annotations

import hashlib
import struct
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

from browsing import chromium
from playwright.sync_api import Browser

from generator.records.grade import Letter
from generator.records.reading import LETTER_WORDS
from generator.site.badges import COLOURS

ROOT = Path(__file__).resolve().parent.parent
SIZE = WIDTH, HEIGHT = 1200, 630
"""In pixels: what readers of OpenGraph show whole."""
SOURCE = b"Source"
"""The keyword under which a picture carries the SHA-256 of its markup."""
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_BORDERS = {
    Letter.A: "10px solid",
    Letter.B: "14px double",
    Letter.C: "8px dashed",
    Letter.D: "8px dotted",
    Letter.U: "8px solid",
}
"""As the letter's square has them on the pages, so that colour is never the only mark."""


def markup(letter: Letter) -> str:
    """Return the page that a letter's picture is taken of."""
    sides = "none" if letter is Letter.U else "solid"
    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{letter}</title><style>
*{{box-sizing:border-box;margin:0}}
html,body{{width:{SIZE[0]}px;height:{SIZE[1]}px;overflow:hidden;background:#fdfcf9;color:#1d1c1a}}
body{{display:grid;grid-template-rows:auto auto auto auto;justify-items:center;align-content:space-between;
padding:34px 0 36px;font-family:Charter,"Bitstream Charter","Liberation Serif",Georgia,serif;text-align:center}}
.name{{font-size:34px;line-height:1.1;font-weight:600;color:#5d5952}}
.letter{{width:290px;height:290px;display:grid;place-items:center;font-size:216px;line-height:1;font-weight:600;
color:{COLOURS[letter]};border:{_BORDERS[letter]} {COLOURS[letter]}}}
.letter.none{{border-left:0;border-right:0}}
.word{{font-size:52px;line-height:1.1;font-weight:600}}
.rest{{font:26px/1.35 "Liberation Sans",Arial,sans-serif;color:#5d5952;width:590px}}
</style><body>
<p class="name">bitdepth</p>
<p class="letter {sides}">{letter}</p>
<p class="word">{LETTER_WORDS[letter]}</p>
<p class="rest">One grade of one endpoint. Its four columns, method version and window stand on its page.</p>
</body></html>
"""


def digest(letter: Letter) -> str:
    """Return the SHA-256 of what a letter's picture is drawn from."""
    return hashlib.sha256(markup(letter).encode()).hexdigest()


def chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the kind and the content of each chunk of a PNG; a checksum that is wrong is an error."""
    assert png.startswith(_SIGNATURE)
    place = len(_SIGNATURE)
    while place < len(png):
        length, kind = struct.unpack(">I4s", png[place : place + 8])
        content = png[place + 8 : place + 8 + length]
        assert png[place + 8 + length : place + 12 + length] == struct.pack(">I", zlib.crc32(kind + content))
        yield kind, content
        place += 12 + length


def draw(browser: Browser, letter: Letter) -> bytes:
    """Return a letter's picture, drawn now, with the digest of what it was drawn from."""
    page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]}, color_scheme="light")
    page.set_content(markup(letter))
    drawn = page.screenshot()
    page.close()
    parts = [(kind, content) for kind, content in chunks(drawn) if kind in {b"IHDR", b"PLTE", b"IDAT", b"IEND"}]
    parts.insert(1, (b"tEXt", SOURCE + b"\x00" + digest(letter).encode()))
    return _SIGNATURE + b"".join(
        struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in parts
    )


def main(folder: Path) -> None:
    """Draw every picture into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        for letter in Letter:
            (folder / f"{letter}.png").write_bytes(draw(browser, letter))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "templates" / "og")
