r"""Texts that mean harm, by kind: what a router or a model could send in the place of a name, an answer or an error.

Each is made from parts by a generator with a settled seed, so that every run tries the same ones. Whatever of them ran
would set `window.__ran`, open a dialog, or ask `outside.invalid`. Lone surrogates are not among them: no record and no
file holds one, and tests/test_site_text.py has them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import cache
from itertools import count

import msgspec

COUNT = 500
FEW = 60
"""So many, of every kind, for `make test`."""
SEED = 20261129

RUN = (
    "window.__ran=1",
    "alert(1)",
    "fetch('https://outside.invalid/')",
    "new Image().src='//outside.invalid/'",
    "location='https://outside.invalid/'",
    "top.__ran=document.cookie",
    "window['__'+'ran']=2",
)


class Payload(msgspec.Struct, frozen=True):
    """One text and its kind."""  # fmt: skip

    kind: str
    text: str


_Made = Callable[[random.Random], str]


def _script(pick: random.Random) -> str:
    name = pick.choice(["script", "SCRIPT", "ScRiPt", "script/x", "script\t", "scr<script>ipt"])
    close = pick.choice(["</script>", "</script ", "</SCRIPT\n>", ""])
    return f"{pick.choice(['', '>', chr(34) + '>', '--><!--'])}<{name}>{pick.choice(RUN)}{close}"


def _handler(pick: random.Random) -> str:
    name = pick.choice(["onerror", "ONLOAD", "onmouseover", "onfocus", "ontoggle", "onanimationstart", "onpageshow"])
    tag = pick.choice(
        ["img src=x", "body", "details open", "input autofocus", "video src=x", "p tabindex=0", "a href=#"]
    )
    quote = pick.choice(['"', "'", "", "`"])
    form = pick.choice(["<{tag} {name}={quote}{run}{quote}>", "{quote} {name}={quote}{run}{quote} x={quote}"])
    return form.format(tag=tag, name=name, quote=quote, run=pick.choice(RUN))


def _address(pick: random.Random) -> str:
    scheme = pick.choice(
        [
            "javascript:", "JaVaScRiPt:", "java\tscript:", " javascript:", "javascript&colon;", "vbscript:",
            "data:text/html,",
        ]
    )  # fmt: skip
    run = pick.choice(RUN)
    return pick.choice(
        [f"{scheme}{run}", f'<a href="{scheme}{run}">x</a>', f"{scheme}//%0a{run}", f"[x]({scheme}{run})"]
    )


def _script_end(pick: random.Random) -> str:
    ends = [
        "</script>", "</script\t>", "</style>", "</title>", "</textarea>", "</pre>", "</bdi>", "]]></script>",
        "<!--",
    ]  # fmt: skip
    after = pick.choice(["<script>{}</script>", "<img src=x onerror={}>", '","x":"{}', "<svg/onload={}>"])
    return pick.choice(ends) + after.format(pick.choice(RUN))


def _svg(pick: random.Random) -> str:
    inside = pick.choice(
        [
            "<script>{}</script>", "<animate onbegin={} attributeName=x dur=1s>",
            "<foreignObject><img src=x onerror={}></foreignObject>",
            '<a xlink:href="javascript:{}"><text y=9>x</text></a>',
            "<use href='data:image/svg+xml,&lt;svg onload={}&gt;#x'/>",
            "<style>@import '//outside.invalid/{}'</style>",
        ]
    )  # fmt: skip
    return f"</text></svg><svg xmlns='http://www.w3.org/2000/svg'>{inside.format(pick.choice(RUN))}</svg>"


def _template(pick: random.Random) -> str:
    return pick.choice(
        ["{{ %s }}", "{%% set x = %s %%}", "{# %s #}", "${%s}", "<%%= %s %%>", "#{%s}", "[[%s]]", "{{{%s}}}", "%%(%s)s"]
    ) % pick.choice(
        ["7 * 7", "self.__init__.__globals__", "config", "range(10**9)", "''.__class__.__mro__", "0", "x|safe", "page"]
    )


def _markdown(pick: random.Random) -> str:
    run = pick.choice(RUN)
    return pick.choice(
        [
            f"[x](javascript:{run})", f"![x](https://outside.invalid/{pick.randrange(99)}.png)",
            "# heading\n- list\n> quote", "`code` **bold** __under__ ~~gone~~",
            f"<https://outside.invalid/?{run}>", "| a | b |\n|---|---|\n| c | d |",
            "[ref]: https://outside.invalid/ 'title'", "---\ntitle: x\n---", "1. one\n\n\n```\nfence",
            "&lt;b&gt; \\<i\\>",
        ]
    )  # fmt: skip


def _bidi(pick: random.Random) -> str:
    marks = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"
    words = ["gpj.exe", "fp8", "admin", "A 0.1", "grade", "cod.niw"]
    return "".join(pick.choice(marks) + pick.choice(words) for _ in range(pick.randint(1, 6))) + pick.choice(marks)


def _ansi(pick: random.Random) -> str:
    codes = [
        "\x1b[31m", "\x1b[0m", "\x1b[2J\x1b[H", "\x1b]0;title\x07", "\x1b]8;;https://outside.invalid/\x1b\\",
        "\x9b1;1H", "\x1b[?1049h", "\x1b[6n", "\x1bc", "\x1b[8m", "\x1b]52;c;eA==\x07", "\x1bP$q\x1b\\",
        "\r\x1b[K", "\x08\x08\x08",
    ]  # fmt: skip
    return "".join(pick.choice(codes) + pick.choice(["A", "ok", "no findings", ""]) for _ in range(pick.randint(1, 5)))


def _control(pick: random.Random) -> str:
    odd = [chr(point) for point in (*range(32), *range(0x7F, 0xA0))]
    odd += list("\u200b\u200c\u200d\u2028\u2029\ufeff\u00ad\u2060\u3164\u180e\ufffe\uffff\U000e0041\U0001fffe\ufffd")
    return "".join(pick.choice(odd) + pick.choice(["x", "y z", "", "int4"]) for _ in range(pick.randint(1, 8)))


def _long(pick: random.Random) -> str:
    unit = pick.choice(["x", "W", "\u4e2d", "&", "<b>", "_", "-", "a/", "0123456789", "\u00df", "iI1l|", "."])
    return unit * (pick.choice([90, 260, 1000]) // len(unit))


def _rtl(pick: random.Random) -> str:
    words = [
        "\u05e9\u05dc\u05d5\u05dd", "\u0627\u0644\u0633\u0644\u0627\u0645", "\u0641\u0627\u0631\u0633\u06cc",
        "\u0723\u0718\u072a",
    ]  # fmt: skip
    between = pick.choice([" ", " (8B) ", "/", " - ", ": ", " <b> "])
    return between.join(pick.choice(words) for _ in range(pick.randint(1, 6))) + pick.choice(["", "!", " 12%", ")"])


def _emoji(pick: random.Random) -> str:
    seen = [
        "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f3f4\U000e0067\U000e0062\U000e007f",
        "\U0001f1e9\U0001f1ea", "1\ufe0f\u20e3", "\U0001f44d\U0001f3fd", "\u2764\ufe0f", ":bomb:",
        ":thumbs_up:", "\U0001f9d1\u200d\U0001f680",
    ]  # fmt: skip
    return pick.choice(["", "model "]) + "".join(pick.choice(seen) for _ in range(pick.randint(1, 9)))


def _path(pick: random.Random) -> str:
    parts = [
        "..", ".", "", "con", "NUL", "aux.txt", "index.html", "feed.xml", "v0.1", "grade.json", "%2e%2e",
        "%00", "C:", "etc", "a b", "x.", "x ", "-", "--", "~", "COM1", "lpt9.json", "\\\\host", ".git", "*",
        "?q=1", "#frag", "\u00e9",
    ]  # fmt: skip
    return pick.choice(["/", "\\", "//", "/./"]).join(pick.choice(parts) for _ in range(pick.randint(1, 6)))


def _css(pick: random.Random) -> str:
    return pick.choice(
        [
            "</style><style>*{display:none}", "x;background:url(//outside.invalid/%d)", "expression(%d)",
            "}*{color:red}/*%d", '"style="position:fixed;inset:0;z-index:%d', "@import'//outside.invalid/%d'",
            "\\000%dscript", "-moz-binding:url(%d)", "<link rel=stylesheet href=//outside.invalid/%d>",
        ]
    ).replace("%d", str(pick.randrange(100)))  # fmt: skip


def _entity(pick: random.Random) -> str:
    seen = [
        "&lt;script&gt;", "&#60;b&#62;", "&#x3c;i&#x3e;", "&amp;lt;", "&nbsp;", "&NotEqualTilde;", "&#0;",
        "&#xD800;", "&copy", "&#x202e;", "&quot;", "&apos;", "&", "&;", "&#;", "\\u003cb\\u003e",
        "\\x3cb\\x3e", "%3Cb%3E", "\\u202e", "&#10;",
    ]  # fmt: skip
    return pick.choice(["", " "]).join(pick.choice(seen) for _ in range(pick.randint(2, 7)))


def _citing(pick: random.Random) -> str:
    return pick.choice(
        [
            "}, note={%s", "\\input{%s}", "\\write18{%s}", "$\\%s$", "%% %s\n@misc{x,", "{\\em %s", "}}}%s{{{",
            '"%s"#"', "@string{x=%s}", "\\\\%s^^M", "#1 %s & more", "~%s_^", "\\end{document}%s",
            "a and %s and others", "\\verb|%s|",
        ]
    ) % pick.choice(["evil", "rm", "howpublished", "url", "x", "\u00e9", "\u03b1"])  # fmt: skip


def _formula(pick: random.Random) -> str:
    begun = pick.choice(["=", "+", "-", "@", "\t=", "\r=", "|", "%", ";=", ',"=', "'="])
    call = pick.choice(
        [
            "cmd|' /C calc'!A0", 'HYPERLINK("https://outside.invalid/","x")', "1+1", "SUM(A1:A9)",
            "IMPORTXML(A1)", "A1\n=B2",
        ]
    )  # fmt: skip
    return begun + call


def _xml(pick: random.Random) -> str:
    return pick.choice(
        [
            "]]>", "<![CDATA[%s]]>", "<!DOCTYPE x [<!ENTITY %s SYSTEM 'file:///etc/hosts'>]>",
            "<?xml version='1.0'?>%s", "<?php %s ?>", "</title><entry><id>%s</id></entry>", "<!-- %s --",
            "--!>%s", "<x:script>%s</x:script>", "&%s;", "</feed>%s", '{"@type":"Review","x":"%s"}',
            '","ratingValue":"5","x":"%s',
        ]
    ).replace("%s", pick.choice([*RUN, "x", "lol"]))  # fmt: skip


def _terminal(pick: random.Random) -> str:
    return pick.choice(
        [
            "[bold red]%s[/]", "[link=https://outside.invalid/]%s[/link]", "[/%s]", "\\[%s]", "[%s", "%s\\",
            "[@click=app.quit]%s", "[blink]%s[/blink]", "error: %s", "no findings\n%s", "%%s %s", "{0} {%s}",
            "[[%s]]", ":%s:", "[#ff0000 on %s]x",
        ]
    ) % pick.choice(["x", "bomb", "smile", "red", "0", "/"])  # fmt: skip


def _looks(pick: random.Random) -> str:
    alike = {"a": "\u0430", "e": "\u0435", "o": "\u043e", "i": "\u0456", "c": "\u0441", "f": "\uff46", "8": "\uff18"}
    word = pick.choice(["deepinfra/fp8", "fireworks", "together", "alder/int4", "google/gemma-3-270m"])
    swapped = "".join(alike.get(each, each) if pick.random() < 0.6 else each for each in word)
    marks = "".join(chr(pick.randint(0x300, 0x36F)) for _ in range(pick.choice([0, 1, 3, 40])))
    return pick.choice([swapped, swapped.upper(), f" {swapped}", f"{swapped}  x "]) + marks


_KINDS: tuple[_Made, ...] = (
    _script, _handler, _address, _script_end, _svg, _template, _markdown, _bidi, _ansi, _control, _long, _rtl, _emoji,
    _path, _css, _entity, _citing, _formula, _xml, _terminal, _looks,
)  # fmt: skip
_UNNUMBERED = 20
"""Rounds of all kinds after which a number makes a text another."""


@cache
def payloads(how_many: int = COUNT) -> tuple[Payload, ...]:
    """Return so many payloads, no two alike, their kinds in turn: the first few are of every kind too."""
    made: dict[str, Payload] = {}
    for payload in _endless():
        if payload.text not in made:
            made[payload.text] = payload
        if len(made) == how_many:
            break
    return tuple(made.values())


def _endless() -> Iterator[Payload]:
    pick = random.Random(SEED)  # noqa: S311 - repeatable, and no secret
    for number in count():
        for make in _KINDS:
            text = make(pick)
            numbered = text if number < _UNNUMBERED else f"{text}{pick.choice(['', ' '])}{number}"
            yield Payload(make.__name__.strip("_"), numbered)
