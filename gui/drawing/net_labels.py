"""Net labels: a wire shown as two tags of one name, each at its port, without a line. Pure Python: no Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...blocks.text.raw_types import Raw
from ...solver.netlist.section_structure import LABELS
from .card_geometry import OUTWARD
from .polylines import End, Point, Rect
from .wire_nets import element_of, ends

SHOWN = LABELS  # value in `layout: wires:` for a labelled wire
LEAD = 4.0  # px from the port to its label: no line of a wire is as near to a block
HIGH, LETTERS = 9.0, 9  # px of a label across, less than ports are apart, and of its letters
WIDE = 0.58 * LETTERS  # px of a letter, about
MOST = 28  # letters


@dataclass(frozen=True)
class Label:
    text: str
    end: End

    @property
    def lead(self) -> list[Point]:
        return [(self.end.x, self.end.y), self.end.stub(LEAD)]

    @property
    def upright(self) -> bool:
        return self.end.side in ("top", "bottom")

    @property
    def box(self) -> Rect:
        (x, y), (dx, dy) = self.end.stub(LEAD), OUTWARD[self.end.side]
        long, half = WIDE * len(self.text) + 8.0, HIGH / 2
        if self.upright:
            return x - half, min(y, y + dy * long), x + half, max(y, y + dy * long)
        return min(x, x + dx * long), y - half, max(x, x + dx * long), y + half


def labels(connection: str, net: tuple[str, str], start: End, end: End) -> tuple[Label, Label]:
    """Labels at both ends with the net's name; the far one also names the vector element."""
    name, element = ".".join(net), element_of(net[1])
    if len(name) > MOST:
        name = f"{name[: MOST - 3 - len(element)]}...{element}"
    into = element_of(ends(connection)[1]) if "->" in connection else ""
    return Label(name, start), Label(f"{name} {into}".strip(), end)


def corners_of(layout: Mapping[str, Raw], connection: str) -> tuple[Point, ...]:
    """Stored corners of a dragged wire; empty if there are none or the entry is malformed."""
    wires = layout.get("wires")
    points = wires.get(connection) if isinstance(wires, dict) else None
    pairs = [p for p in points if isinstance(p, list) and len(p) == 2] if isinstance(points, list) else []
    return tuple(
        (float(x), float(y)) for x, y in pairs if isinstance(x, int | float) and isinstance(y, int | float)
    )


def is_labelled(layout: Mapping[str, Raw], connection: str) -> bool:
    wires = layout.get("wires")
    return isinstance(wires, dict) and wires.get(connection) == SHOWN
