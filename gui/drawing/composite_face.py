"""Face of a composite: names of its ports inside the card, and the room that they leave for a picture.

Names beside ports at the left and right are horizontal. Those at the top and bottom are too while their row is short;
else they stand upright. Pure Python: no Qt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

GRID = 10
LETTERS = 9  # px, height of the font
NARROW, WIDE = "ijltfrI1.", "mwMW"
LONGEST = 84.0  # px of a name; longer ones are elided
LINE = 11.0  # px, height of a line of names
BEYOND_PORT = 7.0  # px from a port to its name
GAP = 8.0  # px between names of a row
ROW = 280.0  # px of a row of horizontal names at most
PICTURE = (66.0, 40.0)  # px, least room of the picture
FOOT = 28.0  # px of the card's name and value
EDGE = 5.0  # px
ALONG = ("left", "right")


@dataclass(frozen=True)
class PortName:
    """Box of a port's name in card coordinates [px]; the text begins at the port."""

    port: str
    side: str
    left: float
    top: float
    right: float
    bottom: float
    upright: bool = False


@dataclass(frozen=True)
class Face:
    """Names and insets of a composite's card [px]: what they leave is the picture's and the name's."""

    names: tuple[PortName, ...]
    left: float
    top: float
    right: float
    bottom: float


def name_width(name: str) -> float:
    """Width of a port's name [px], estimated for a common font; text that needs more is elided to it."""
    letters = sum(3.9 if letter in NARROW else 9.0 if letter in WIDE else 5.8 for letter in name)
    return min(letters + 2.0, LONGEST)


def is_upright(names: Sequence[str]) -> bool:
    """True if the row of names at the top or bottom is too long for horizontal text."""
    return sum(map(name_width, names)) + GAP * (len(names) - 1) > ROW


def row_offsets(names: Sequence[str]) -> list[float]:
    """Places of ports along the top or bottom from the first one [px], on the grid, far enough for their names."""
    places = [0.0]
    for one, other in pairwise(names):
        apart = 2 * GRID if is_upright(names) else (name_width(one) + name_width(other)) / 2 + GAP
        places.append(places[-1] + -(-apart // GRID) * GRID)
    return places[: len(names)]


def depth(names: Sequence[str]) -> float:
    """Height that the names at the top or bottom take inside the card [px]."""
    if not names:
        return 0.0
    return BEYOND_PORT + (max(map(name_width, names)) if is_upright(names) else LINE)


def column(names: Sequence[str]) -> float:
    """Width that the names at the left or right take inside the card [px]."""
    return BEYOND_PORT + max(map(name_width, names)) if names else 0.0


def least_size(sides: Mapping[str, Sequence[str]]) -> tuple[float, float]:
    """Least width and height of a card with these ports [px]."""
    rows = [row_offsets(sides[side])[-1] + 2 * GRID for side in ("top", "bottom") if sides[side]]
    ends = [
        (name_width(sides[side][0]) + name_width(sides[side][-1])) / 2
        for side in ("top", "bottom")
        if sides[side] and not is_upright(sides[side])
    ]
    across = max(rows, default=0.0) + max(ends, default=0.0)
    width = max(column(sides["left"]) + PICTURE[0] + 2 * EDGE + column(sides["right"]), across)
    lines = max(len(sides[side]) for side in ALONG)
    body = max(PICTURE[1] + EDGE, 2 * GRID * (lines - 1) + LINE + 3.0)
    return width, depth(sides["top"]) + body + FOOT + depth(sides["bottom"])


def face(sides: Mapping[str, Mapping[str, tuple[float, float]]], width: float, height: float) -> Face:
    """Face of a card; `sides` has the places of the ports by side."""
    names = []
    for side, ports in sides.items():
        upright = side not in ALONG and is_upright([*ports])
        deep = depth([*ports]) - BEYOND_PORT
        for port, (x, y) in ports.items():
            half = (LINE if upright else name_width(port)) / 2
            if side in ALONG:
                start = BEYOND_PORT if side == "left" else width - BEYOND_PORT - name_width(port)
                box = (start, y - LINE / 2, start + name_width(port), y + LINE / 2)
            else:
                start = BEYOND_PORT if side == "top" else height - BEYOND_PORT - deep
                box = (x - half, start, x + half, start + deep)
            names.append(PortName(port, side, *box, upright))
    around = {side: (column if side in ALONG else depth)([*ports]) for side, ports in sides.items()}
    return Face(tuple(names), around["left"], around["top"], around["right"], around["bottom"])
