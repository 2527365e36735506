"""A text without the thinking in front of it, in every form in which models are known to leave it there.

1. Thinking stands in front of the answer: one block after another, each between the marks of one form. A block ends
   where its marks balance or, where they never do, with the last closing mark.
2. A block that is never closed runs to the end.
3. A chat template may have opened the block: then a closing mark stands without an opening one, and everything before
   it is thinking. Within a line, a space or a quotation mark in front of it says that the text only mentions the mark.
4. What comes after is the answer, word for word, whatever marks it mentions.

Sources of the forms: the reasoning parsers of vLLM and SGLang and the chat templates of the models named below, as of
2026.
"""

from __future__ import annotations

import re

_FORMS = (
    # DeepSeek, Qwen, GLM, MiniMax, Nemotron and most others; EXAONE Deep; fine-tuned models; Seed-OSS.
    *((f"<{name}>", f"</{name}>") for name in ("think", "thinking", "thought", "reason", "reasoning", "seed:think")),
    # Magistral and Ministral.
    (r"\[THINK\]", r"\[/THINK\]"),
    # Kimi of the first two generations, and of the third.
    ("◁think▷", "◁/think▷"),
    (r"<\|open\|>think<\|sep\|>", r"<\|close\|>think<\|sep\|>"),
    # OpenThinker, Command A Reasoning, Apertus, Gemma 4.
    (r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"),
    (r"<\|START_THINKING\|>", r"<\|END_THINKING\|>"),
    (r"<\|inner_prefix\|>", r"<\|inner_suffix\|>"),
    (r"<\|channel>thought", r"<channel\|>"),
    # gpt-oss: whatever comes before the channel of the answer.
    (
        r"(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)[^<|]{0,80}<\|message\|>",
        r"(?:<\|end\|>)?(?:<\|start\|>assistant)?<\|channel\|>final[^<|]{0,80}<\|message\|>",
    ),
)
"""Opening and closing mark of each form."""

# No case but that of ASCII letters is folded, so that no other letter passes for one of a mark.
_FLAGS = re.IGNORECASE | re.ASCII
# What a mark begins with comes first: a text full of other brackets, or of the other marks, is passed over fast.
_OPENING = re.compile(rf"(?=[<\[◁][trs|])(?:{'|'.join(f'({opening})' for opening, _ in _FORMS)})", _FLAGS)
_CLOSING = re.compile(rf"(?=[<\[◁][/|c])(?:{'|'.join(closing for _, closing in _FORMS)})", _FLAGS)
_MORE_CLOSINGS = re.compile(rf"(?:\s*(?:{_CLOSING.pattern}))*", _FLAGS)
_MARKS = tuple(re.compile(f"({opening})|{closing}", _FLAGS) for opening, closing in _FORMS)
_SPACE = re.compile(r"\s*")
_NEXT_LINE = re.compile(r"[ \t]*\r?\n\s*\S")
_SETTING_OFF = frozenset(" \t`'\"\u201c\u2018\u00ab(")

# What is left of gpt-oss's channels where a server drops the marks and keeps their names.
_BARE_ANALYSIS = "analysis"
_BARE_FINAL = "assistantfinal"


def without_thinking(content: str) -> str:
    """Return a text without the thinking in front of it; white space around the answer may stay."""
    place = _after_blocks(content, 0)
    if content.startswith(_BARE_ANALYSIS, place):
        _, final, answer = content[place:].partition(_BARE_FINAL)
        return answer if final else content[place:]
    opening = _OPENING.search(content, place)
    limit = opening.start() if opening else len(content)
    for closing in _CLOSING.finditer(content, place, limit):
        if not _is_mentioned(content, place, closing):
            more = _MORE_CLOSINGS.match(content, closing.end())
            return content[_after_blocks(content, more.end() if more else closing.end()) :]
    return content[place:]


def _after_blocks(content: str, place: int) -> int:
    """Return where the blocks that begin at a place have ended."""
    place = _after_space(content, place)
    while opening := _OPENING.match(content, place):
        place = _after_space(content, _end(content, opening))
    return place


def _end(content: str, opening: re.Match[str]) -> int:
    """Return where the block ends that an opening mark begins."""
    marks = _MARKS[(opening.lastindex or 1) - 1]
    depth, end = 0, len(content)
    for mark in marks.finditer(content, opening.start()):
        if mark[1] is not None:
            depth += 1
            continue
        depth, end = depth - 1, mark.end()
        if not depth:
            break
    return end


def _after_space(content: str, place: int) -> int:
    found = _SPACE.match(content, place)
    return found.end() if found else place


def _is_mentioned(content: str, place: int, closing: re.Match[str]) -> bool:
    """True where the text from a place on talks of a closing mark instead of ending its thinking with it."""
    before = content[closing.start() - 1] if closing.start() > place else ""
    return before in _SETTING_OFF and _NEXT_LINE.match(content, closing.end()) is None
