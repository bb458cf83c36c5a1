"""Card geometry: port anchors and card size. Pure Python: no Qt.

Acausal ports stand left (frame_a) and right (the others); those of a composite as the inner ports they stand for.
Beside them signals enter and leave below, so that a controller placed under its joint closes its loop on the shortest
way; trajectories and pure inputs enter above. A block of signals alone reads from left to right. A quarter turn moves
every side on, clockwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...blocks import Port
from ...blocks.ports import TRAJECTORY
from .composite_face import FOOT, GRID, LINE, Face, depth, face, least_size, row_offsets

SIDES = ("left", "top", "right", "bottom")
OUTWARD = {"left": (-1, 0), "top": (0, -1), "right": (1, 0), "bottom": (0, 1)}
NEAR_WORLD = ("frame_a", "cap", "supply", "tank")
HOUSING = "housing"  # housing port of a drive: on the left, but not an input of the chain
LAST = ("sensors", "constraints")  # families that end a chain


@dataclass(frozen=True)
class Anchor:
    """Port position relative to the card's top left corner."""

    side: str
    x: float
    y: float
    solid: bool = False  # drawn filled: an input, or where the side nearer the world is wired


@dataclass(frozen=True)
class Shape:
    width: float
    height: float
    anchors: dict[str, Anchor] = field(default_factory=dict)
    face: Face | None = None  # of a composite


def home_side(name: str, port: Port, mechanical: bool, has_outputs: bool, last: bool) -> str:
    """Side of a port on an unrotated block; `last` marks a block at the end of a chain, such as a sensor."""
    if port.acausal:
        return "left" if last or name in (*NEAR_WORLD, HOUSING) else "right"
    if not mechanical:
        return "left" if port.direction == "in" else "right"
    if port.direction == "out":
        return "bottom"
    return "top" if port.kind == TRAJECTORY or not has_outputs else "bottom"


def arrange(
    ports: Mapping[str, Port],
    name: str,
    rotation: int = 0,
    family: str = "",
    inner: Mapping[str, str] | None = None,
    least: tuple[float, float] = (0.0, 0.0),
) -> Shape:
    """Shape of a card. `inner` maps a composite's ports to the names of the ports they expose; `least` is the
    minimum size for what is drawn."""
    inner = inner or {}
    frames = [inner.get(key, key) for key, port in ports.items() if port.acausal]
    mechanical = bool(frames)
    last = family in LAST or frames == ["frame_b"]
    two_way = frames == ["a", "b"]  # from a to b, as orifices and pumps
    has_outputs = any(port.direction == "out" for port in ports.values())
    sides: dict[str, list[str]] = {side: [] for side in SIDES}
    turns = round(rotation / 90) % 4
    for key, port in ports.items():
        of = inner.get(key, key)
        home = home_side(of, port, mechanical, has_outputs, last or (two_way and of == "a"))
        sides[SIDES[(SIDES.index(home) + turns) % 4]].append(key)
    for members in sides.values():
        # inputs first, so that they never stand between outputs
        members.sort(key=lambda key: ports[key].direction == "out")
    if turns >= 2:
        for members in sides.values():
            members.reverse()
    across = max(_span(len(sides["top"])), _span(len(sides["bottom"])))
    down = max(_span(len(sides["left"])), _span(len(sides["right"])))
    words = min(_up(7 * len(name) + 24), 180)
    composite = family == "composites"
    if composite:
        wide, high = least_size(sides)
        least = max(least[0], wide), max(least[1], high)
    width = max(100 if mechanical else 80, across, words, _up(least[0]))
    # with ports above and below, a symbol and two lines of text stand between them
    height = max(80 if mechanical or turns % 2 else 60, down, _up(least[1]))
    anchors = {}
    for side, members in sides.items():
        length = height if side in ("left", "right") else width
        offsets = _offsets(len(members), length)
        if composite and members:
            offsets = _beside_names(side, sides, length)
        for key, offset in zip(members, offsets, strict=True):
            x = {"left": 0.0, "right": width}.get(side, offset)
            y = {"top": 0.0, "bottom": height}.get(side, offset)
            port = ports[key]
            solid = inner.get(key, key) in NEAR_WORLD if port.acausal else port.direction == "in"
            anchors[key] = Anchor(side, x, y, solid)
    # in the order of the declaration, which is the order of tooltips and lists
    anchors = {key: anchors[key] for key in ports}
    if not composite:
        return Shape(width, height, anchors)
    places = {
        side: {key: (anchors[key].x, anchors[key].y) for key in members} for side, members in sides.items()
    }
    return Shape(width, height, anchors, face(places, width, height))


def _beside_names(side: str, sides: Mapping[str, list[str]], length: float) -> list[float]:
    """Offsets of a composite's ports along a side, clear of the card's name and of the names of other sides."""
    members = sides[side]
    if side in ("top", "bottom"):
        row = row_offsets(members)
        first = round((length - row[-1]) / 2 / GRID + 1e-9) * GRID
        return [first + offset for offset in row]
    above, below, column = depth(sides["top"]), FOOT + depth(sides["bottom"]), 2 * GRID * (len(members) - 1)
    half = LINE / 2
    # in the middle of the card, as those of its neighbours, or of what is free
    first = round((length - column) / 2 / GRID + 1e-9) * GRID
    if first - half < above or first + column + half > length - below:
        first = round((above + (length - above - below - column) / 2) / GRID + 1e-9) * GRID
    return [float(max(GRID, first) + 2 * GRID * k) for k in range(len(members))]


def _up(length: float, step: int = 20) -> int:
    return int(-(-length // step) * step)


def _pitch(count: int) -> int:
    return 2 * GRID if count <= 6 else GRID


def _span(count: int) -> int:
    return _up(_pitch(count) * count + 10)


def _offsets(count: int, length: float) -> list[float]:
    pitch = _pitch(count)
    first = (length - pitch * (count - 1)) / 2
    first = round(first / GRID + 1e-9) * GRID
    return [first + pitch * k for k in range(count)]
