"""Text of a vector symbol, in a box of 48 x 32 around the origin, y downwards.

Commands: `M x y` move, `L x y` line, `C x1 y1 x2 y2 x y` cubic, `Z` close, `O cx cy r` circle, `R x y w h` rectangle,
`A cx cy r start span` arc (degrees, counter-clockwise), `> x y angle` arrow head that points to `angle`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

ARITY = {"M": 2, "L": 2, "C": 6, "Z": 0, "O": 3, "R": 4, "A": 5, ">": 3}


def commands(text: str) -> Iterator[tuple[str, list[float]]]:
    """Commands of a symbol's text with their numbers; raises ValueError for numbers that are missing or not finite."""
    words, k = text.split(), 0
    while k < len(words):
        command, count = words[k], ARITY[words[k]]
        numbers = [float(word) for word in words[k + 1 : k + 1 + count]]
        if len(numbers) < count:
            raise ValueError(f"{command} has {len(numbers)} numbers, expected {count}")
        if not all(map(math.isfinite, numbers)):
            raise ValueError(f"{command} has {numbers}, expected finite numbers")
        yield command, numbers
        k += 1 + count


def is_symbol(text: str) -> bool:
    """True if a text can be drawn."""
    try:
        return bool(list(commands(text)))
    except (KeyError, ValueError):
        return False
