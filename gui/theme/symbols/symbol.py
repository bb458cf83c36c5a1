"""Vector symbols as one-line texts (`blocks/text/symbol_text.py`), and as SVG. Pure Python: no Qt."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from ....blocks.text.symbol_text import commands


@dataclass(frozen=True)
class Symbol:
    """Lines to stroke and areas to fill with the family's colour; `dashed` lines are auxiliary.

    An `upright` one, of letters or a graph, does not turn with its block.
    """

    lines: str
    filled: str = ""
    dashed: str = ""
    upright: bool = False


def outlines(symbol: Symbol, colour: str = "currentColor") -> Iterator[str]:
    """SVG elements of a symbol around the origin: areas, lines, dashed lines."""
    for text, fill, dash in (
        (symbol.filled, 0.2, ""),
        (symbol.lines, 0.0, ""),
        (symbol.dashed, 0.0, "3 2.5"),
    ):
        if text:
            dashes = f' stroke-dasharray="{dash}"' if dash else ""
            yield (
                f'<path d="{outline(text)}" fill="{colour}" fill-opacity="{fill}" stroke="{colour}"'
                f' stroke-width="1.4" stroke-linecap="round" stroke-linejoin="round"{dashes}/>'
            )


def outline(text: str) -> str:
    """Symbol text as SVG path data."""
    steps = []
    for command, n in commands(text):
        if command in "MLCZ":
            steps.append(command + " ".join(f"{value:g}" for value in n))
        elif command == "R":
            steps.append(f"M{n[0]:g} {n[1]:g}h{n[2]:g}v{n[3]:g}h{-n[2]:g}Z")
        elif command == "O":
            steps.append(_arc(n[0], n[1], n[2], 0.0, 360.0))
        elif command == "A":
            steps.append(_arc(*n))
        else:
            steps.append(_head(*n))
    return "".join(steps)


def _arc(cx: float, cy: float, r: float, start: float, span: float) -> str:
    """Arc as cubic Bezier segments of at most 90 degrees, counter-clockwise on screen (y downwards)."""
    pieces = max(1, math.ceil(abs(span) / 90.0))
    step = math.radians(span / pieces)
    reach = 4.0 / 3.0 * math.tan(step / 4.0) * r
    a = math.radians(start)
    steps = [f"M{cx + r * math.cos(a):.3g} {cy - r * math.sin(a):.3g}"]
    for _ in range(pieces):
        b = a + step
        numbers = (
            cx + r * math.cos(a) - reach * math.sin(a), cy - r * math.sin(a) - reach * math.cos(a),
            cx + r * math.cos(b) + reach * math.sin(b), cy - r * math.sin(b) + reach * math.cos(b),
            cx + r * math.cos(b), cy - r * math.sin(b),
        )  # fmt: skip
        steps.append("C" + " ".join(f"{value:.3g}" for value in numbers))
        a = b
    return "".join(steps)


def _head(x: float, y: float, angle: float, size: float = 4.0) -> str:
    """Arrow head as SVG path data: two short barbs that meet in (x, y)."""
    steps = ""
    for turn in (150, -150):
        way = math.radians(angle + turn)
        steps += f"M{x:g} {y:g}L{x + size * math.cos(way):.3g} {y - size * math.sin(way):.3g}"
    return steps
