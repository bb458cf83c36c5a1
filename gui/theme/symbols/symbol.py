"""Vector symbols as one-line texts, in a box of 48 x 32 around the origin, y downwards.

Commands: `M x y` move, `L x y` line, `C x1 y1 x2 y2 x y` cubic, `Z` close, `O cx cy r` circle, `R x y w h` rectangle,
`A cx cy r start span` arc (degrees, counter-clockwise), `> x y angle` arrow head that points to `angle`.
Pure Python: pictures are drawn from it without Qt, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

ARITY = {"M": 2, "L": 2, "C": 6, "Z": 0, "O": 3, "R": 4, "A": 5, ">": 3}


@dataclass(frozen=True)
class Symbol:
    """Lines to stroke and areas to fill with the family's colour; `dashed` lines are auxiliary."""

    lines: str
    filled: str = ""
    dashed: str = ""


def commands(text: str) -> Iterator[tuple[str, list[float]]]:
    """Commands of a symbol's text with their numbers; raises ValueError for missing numbers."""
    words, k = text.split(), 0
    while k < len(words):
        command, count = words[k], ARITY[words[k]]
        numbers = [float(word) for word in words[k + 1 : k + 1 + count]]
        if len(numbers) < count:
            raise ValueError(f"{command} has {len(numbers)} numbers, expected {count}")
        yield command, numbers
        k += 1 + count


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
