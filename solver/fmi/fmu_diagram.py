"""A picture of a diagram for the FMU's importer: cards where the canvas has them, and lines from card to card.

Drawn without Qt: an export needs no window. Wires are straight here; the canvas leads them round the cards.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from ...blocks.errors import LuffError
from ..diagram.composite_types import type_in_words
from ..netlist.wire_syntax import WireText, parse_wire

if TYPE_CHECKING:
    from ..diagram.netlist_document import Netlist

WIDTH, HEIGHT = 120.0, 50.0  # of a card, in the units of the canvas
COLUMN, ROW = 190.0, 90.0  # from card to card where the netlist has no layout
COLOURS = {"--": "#3c6e71", "->": "#5c677d"}
TEXT = 11.0  # height of names
LARGEST = 14.0  # inches
DOTS = 80  # to the inch
Corners = dict[str, tuple[float, float]]


def picture(diagram: Netlist) -> bytes:
    """A PNG; equal diagrams give equal bytes."""
    from matplotlib.figure import Figure
    from matplotlib.patches import FancyBboxPatch

    wires = wires_of(diagram)
    places = block_corners(diagram, wires)
    xs, ys = zip(*places.values(), strict=True)
    left, right, top, bottom = min(xs) - 20, max(xs) + WIDTH + 20, min(ys) - 20, max(ys) + HEIGHT + 20
    scale = min(1.0 / 72.0, LARGEST / max(right - left, bottom - top))  # inches
    size = 72.0 * scale * TEXT
    figure = Figure(dpi=DOTS)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.axis("off")
    for wire in wires:
        a, b = (_middle(places[end.block]) for end in (wire.a, wire.b))
        shape = {
            "arrowstyle": "-|>" if wire.sign == "->" else "-",
            "color": COLOURS[wire.sign],
            "shrinkA": 0,
            "shrinkB": 0,
        }
        # cards cover what lies below them: the head of an arrow stands at the edge
        axes.annotate("", _border(a, b), a, arrowprops=shape, zorder=1)
    for name, (x, y) in places.items():
        kind = type_in_words(diagram.blocks.get(name))
        card = FancyBboxPatch(
            (x, y),
            WIDTH,
            HEIGHT,
            "round,pad=0,rounding_size=6",
            facecolor="white",
            edgecolor="#3c4450",
            zorder=2,
        )
        axes.add_patch(card)
        middle = _middle((x, y))
        axes.text(*middle, _short(name), ha="center", va="bottom", fontsize=size, zorder=3)
        axes.text(
            *middle, _short(kind), ha="center", va="top", fontsize=0.75 * size, color="#5c677d", zorder=3
        )
    figure.set_size_inches(scale * (right - left), scale * (bottom - top))
    axes.set(xlim=(left, right), ylim=(bottom, top))  # y downwards, as on the canvas
    stream = io.BytesIO()
    figure.savefig(stream, format="png", metadata={"Software": None})
    return stream.getvalue()


def wires_of(diagram: Netlist) -> list[WireText]:
    wires = []
    for text in diagram.connections:
        try:
            wires.append(parse_wire(text))
        except LuffError:
            continue  # told where the diagram is compiled
    return wires


def block_corners(diagram: Netlist, wires: list[WireText]) -> Corners:
    """Left upper corners: those of the layout, and for what has none a column for each wire from the ground."""
    names = ["world", *diagram.blocks, *(end.block for wire in wires for end in (wire.a, wire.b))]
    places: Corners = {}
    for name, place in diagram.layout.items():
        if name in names and isinstance(place, list) and len(place) >= 2:
            x, y = place[:2]
            if isinstance(x, int | float) and isinstance(y, int | float):
                places[name] = (float(x), float(y))
    below = max((y for _, y in places.values()), default=-ROW) + ROW
    used: dict[int, int] = {}
    for name, column in _columns(list(dict.fromkeys(names)), wires).items():
        if name not in places:
            row = used[column] = used.get(column, -1) + 1
            places[name] = (COLUMN * column, below + ROW * row)
    return places


def _columns(names: list[str], wires: list[WireText]) -> dict[str, int]:
    """Column of each block: its number of wires from the first one that reaches it."""
    beside: dict[str, list[str]] = {name: [] for name in names}
    for wire in wires:
        beside[wire.a.block].append(wire.b.block)
        if wire.sign == "--":
            beside[wire.b.block].append(wire.a.block)
    columns: dict[str, int] = {}
    for first in names:
        if first in columns:
            continue
        columns[first], todo = 0, [first]
        for name in todo:
            for other in beside[name]:
                if other not in columns:
                    columns[other] = columns[name] + 1
                    todo.append(other)
    return columns


def _middle(place: tuple[float, float]) -> tuple[float, float]:
    return place[0] + 0.5 * WIDTH, place[1] + 0.5 * HEIGHT


def _border(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    """Point at which the line from a to b, both centres of cards, meets the card of b."""
    dx, dy = a[0] - b[0], a[1] - b[1]
    reach = max(2.0 * abs(dx) / WIDTH, 2.0 * abs(dy) / HEIGHT, 1.0)
    return b[0] + dx / reach, b[1] + dy / reach


def _short(text: str) -> str:
    return text if len(text) <= 19 else f"{text[:17]}..."
