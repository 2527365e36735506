"""The outcomes of one night as stacked bars, each outcome with a texture of its own."""

from __future__ import annotations

from fractions import Fraction

from markupsafe import Markup

from generator.records.night import NightCounts
from generator.records.observation import Outcome
from generator.site.drawing import LEFT, RIGHT, WIDTH, About, Texture, picture, text, textured
from generator.site.tables import counted

TEXTURES = {
    Outcome.ANSWERED: Texture.PLAIN,
    Outcome.TRUNCATED: Texture.SLANT,
    Outcome.EMPTY: Texture.DOTS,
    Outcome.ERROR: Texture.FULL,
    Outcome.MISROUTED: Texture.LEVEL,
    Outcome.UNSENT: Texture.UPRIGHT,
}
NOT_ANSWERED = tuple(outcome for outcome in TEXTURES if outcome is not Outcome.ANSWERED)
_ACROSS = RIGHT - LEFT


def outcomes(name: str, counts: NightCounts) -> Markup:
    """Return the outcomes of one night: all that was planned, and below it whatever was not answered, drawn larger.

    Args:
        name: the chart's id on its page.
        counts: the night's.
    """
    found = counts_of(counts)
    rest: dict[Outcome, int] = {outcome: found[outcome] for outcome in NOT_ANSWERED}
    parts: list[Markup] = []
    y = 0
    for title, shown in (("planned", found), ("not answered, larger", rest)):
        total = sum(shown.values())
        if total:
            parts += [text(LEFT, y + 14, f"{total:,} {title}"), *_stack(shown, total, y + 20)]
            y += 48
    for index, (outcome, count) in enumerate(found.items()):
        x, top = LEFT + (index % 2) * 168, y + 20 * (index // 2)
        parts += [textured(TEXTURES[outcome], x, top + 2, 14, 12), text(x + 20, top + 13, f"{outcome} {count:,}")]
    about = About(
        name=name,
        title="Observations of the night by outcome",
        description=f"{counted(counts.planned, 'observation')} planned: "
        + ", ".join(f"{count:,} {outcome}" for outcome, count in found.items())
        + ".",
    )
    return picture(about, WIDTH, y + 60, parts)


def counts_of(counts: NightCounts) -> dict[Outcome, int]:
    """Return how many observations had each outcome, in the order of the textures."""
    return {outcome: getattr(counts, outcome) for outcome in TEXTURES}


def _stack(shown: dict[Outcome, int], total: int, y: int) -> list[Markup]:
    parts: list[Markup] = []
    x = Fraction(LEFT)
    for outcome, count in shown.items():
        if count:
            wide = Fraction(_ACROSS * count, total)
            parts.append(textured(TEXTURES[outcome], x, y, wide, 16))
            x += wide
    return parts
