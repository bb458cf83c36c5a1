"""Signal values on wires at one moment of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from ...blocks.text.raw_types import Raw
from ...solver.flatten.diagram import Diagram
from ..drawing.card_geometry import OUTWARD
from ..drawing.exposed_ports import innermost
from ..drawing.net_labels import LETTERS, Label
from ..drawing.polylines import Point
from ..drawing.statechart_layout import TYPE
from ..drawing.wire_nets import ends
from ..run.run_history import History
from ..theme.active_theme import CENTRED, canvas_font, theme
from ..theme.number_format import prefixed, round_off_noise, rounded, unit_words
from .block_item import BlockItem
from .port_item import SIZE
from .port_labels import EVERYWHERE, Box, LabelCollisions
from .wire_item import WireItem

PIXELS, MOST = 9, 3  # least height of the letters on the screen, numbers of one wire
BESIDE = {"trajectory": ("position",), "port": ("pressure",), "shaft": ("speed", "velocity")}
APART, BETWEEN = 2.0, 4.0  # px between a label and its value, between values on wires
ROUND = 4.0  # px of a corner
# places from the middle of a piece, in units of the way that a tag has on it
SHARES = (0.0, -0.2, 0.2, -0.35, 0.35, -0.5, 0.5)
SIDES = (0.0, -1.0, 1.0)  # of the wire: on it, then with one or the other edge on it
INSIDE = 3.0  # px from that edge to the wire
Line = tuple[int, float]  # the axis that is constant along a piece, and its coordinate
Place = tuple[Box, Line | None]  # with the piece on which it stands
FROM = 0.45  # pixels of the screen to a unit of the diagram below which they cannot be read


def value_words(
    connections: Iterable[str],
    history: History,
    time: float | None,
    inside: str = "",
    diagram: Diagram | None = None,
) -> dict[str, str]:
    """Value text by connection of a diagram, or of the composite at path `inside`, at `time` [s] or from the last row
    when it is None; with the diagram also of wires at ports of composites that are not recorded themselves."""
    words = {}
    for text in connections:
        own = [end.strip() for end in ends(text)]
        names = chain(own, (innermost(diagram, end) for end in own[:1] if diagram and "->" in text))
        paths = (".".join(filter(None, (inside, name))) for name in names)
        columns = next((c for path in paths if (c := _columns(path, history))), [])
        numbers = [history.last(c) if time is None else history.at(c, time) for c in columns[:MOST]]
        if numbers:
            peak = max(history.peak(c) for c in columns[:MOST])
            numbers = [round_off_noise(n, history.noise(c)) for n, c in zip(numbers, columns, strict=False)]
            more = ", ..." if len(columns) > MOST else ""
            unit, factor = prefixed(history.units.get(columns[0], ""), peak)
            listed = ", ".join(rounded(n * factor, 4) for n in numbers)
            words[text] = f"{listed}{more} {unit_words(unit)}".strip()
    return words


def active_states(
    blocks: Mapping[str, Raw], history: History, time: float | None, inside: str = ""
) -> dict[str, int]:
    """Number of the active state of each state machine of a diagram, or of the composite at path `inside`, at `time`
    [s] or in the last row when it is None."""
    columns = {
        name: ".".join(filter(None, (inside, name, "state")))
        for name, raw in blocks.items()
        if isinstance(raw, dict) and raw.get("type") == TYPE
    }
    known = {name: column for name, column in columns.items() if column in history.index}
    return {
        name: round(history.last(column) if time is None else history.held(column, time))
        for name, column in known.items()
    }


def _columns(reference: str, history: History) -> list[str]:
    """Result columns for a port: the signal itself, or those of a joint's trajectory, a volume's port, a shaft."""
    name = reference.strip()
    if name in history.index:
        return [name]
    vector = [f"{name}[{k}]" for k in range(MOST + 1) if f"{name}[{k}]" in history.index]
    block, _, port = name.rpartition(".")
    beside = (f"{block}.{signal}" for signal in BESIDE.get(port, ()))
    return vector or [column for column in beside if column in history.index][:1]


class NetLines:
    """Segments of wires, with the nets that they belong to."""

    def __init__(self, wires: Iterable[WireItem]):
        pieces = [(wire.net, *a, *b) for wire in wires if wire.isVisible() for a, b in pairwise(wire.points)]
        self._nets: dict[tuple[str, str], int] = {}
        self._net = np.array([self._nets.setdefault(net, len(self._nets)) for net, *_ in pieces], int)
        places = np.array([place for _, *place in pieces], float).reshape(-1, 4)
        self._low = np.minimum(places[:, :2], places[:, 2:])
        self._high = np.maximum(places[:, :2], places[:, 2:])

    def crosses(self, box: Box, net: tuple[str, str], line: Line | None = None) -> bool:
        """True if a wire of another net runs through a box; with `line`, the piece on which it stands, also if one of
        its own net does that does not run there."""
        inside = (self._low < box[2:]).all(axis=1) & (self._high > box[:2]).all(axis=1)
        own = self._net == self._nets.get(net, -1)
        if line is not None:
            axis, at = line
            own &= (np.abs(np.column_stack((self._low, self._high))[:, axis::2] - at) < 0.5).all(axis=1)
        return bool((inside & ~own).any())


class ValueTags:
    """Value tags on wires, one per signal: on a piece that is longer than the tag or with an edge on it, off blocks,
    other wires, branches and tags, within the visible area; at a wire shown as labels behind one of these, in its line.
    A wire without such a place has one while it is selected or pointed at; the others stay where they are."""

    def __init__(self) -> None:
        self.boxes: dict[str, QRectF] = {}  # tag rectangles by wire
        self._known: tuple[object, ...] = ()

    def place(
        self,
        blocks: Iterable[Box],
        wires: Mapping[str, WireItem],
        words: Mapping[str, str],
        zoom: float,
        ratio: float = 1.0,
        area: Box = EVERYWHERE,
    ) -> bool:
        """Place the tags; True if any has moved. `ratio` is the screen's device pixel ratio."""
        ways = {text: wire.points for text, wire in wires.items() if wire.isVisible()}
        said = {text: wires[text] for text in words if text in ways}
        chosen = {text for text, wire in said.items() if wire.isSelected() or wire.hovered}
        blocks = list(blocks)
        known = (zoom, ratio, area, dict(words), blocks, chosen, ways)
        if known == self._known:
            return False
        self._known, self.boxes = known, {}
        if zoom * ratio < FROM:
            return True
        labels = [box for wire in wires.values() for box in wire.words()]
        taken, lines = LabelCollisions([*blocks, *labels], area), NetLines(wires.values())
        told: set[str] = set()  # sources that have their tag

        def tell(text: str, places: Iterable[Place], anyway: bool = False) -> None:
            """Place a tag where it is free and clear, or `anyway` where it is free."""
            source = text.partition("->")[0] if "->" in text else text
            free = [] if source in told else [one for one in places if taken.free(one[0])]
            clear = (box for box, line in free if not lines.crosses(box, wires[text].net, line))
            box = next(clear, free[0][0] if free and anyway else None)
            if box is not None:
                told.add(source)
                apart = 0.0 if wires[text].labels else BETWEEN
                taken.add((box[0] - apart, box[1] - apart, box[2] + apart, box[3] + apart))
                self.boxes[text] = QRectF(box[0], box[1], box[2] - box[0], box[3] - box[1])

        sizes = {text: tag_size(words[text], letter_height(zoom)) for text in said}
        for text, wire in said.items():
            if wire.labels:
                tell(text, (_beyond(label, words[text]) for label in wire.labels), anyway=True)
        for side in SIDES:
            for text, wire in said.items():
                tell(text, () if wire.labels else _places(wire.points, sizes[text], area, ROUND, side))
        for text in chosen:
            tell(text, _places(wires[text].points, sizes[text], area, 0.0), anyway=True)
        return True

    def taken(self, words: Mapping[str, str]) -> list[Box]:
        """Rectangles in which the tags stand."""
        boxes = (box for text, box in self.boxes.items() if text in words)
        return [(box.left(), box.top(), box.right(), box.bottom()) for box in boxes]

    def paint(
        self,
        painter: QPainter,
        wires: Mapping[str, WireItem],
        words: Mapping[str, str],
        zoom: float,
        older: bool = False,
    ) -> None:
        t = theme()
        for text, box in self.boxes.items():
            labels = wires[text].labels
            painter.setFont(canvas_font(LETTERS if labels else letter_height(zoom)))
            line = Qt.PenStyle.DashLine if older else Qt.PenStyle.SolidLine
            painter.setPen(QPen(t.colour("muted") if older else t.wire(wires[text].kind), 1, line))
            painter.setBrush(t.colour("card"))
            painter.save()
            painter.translate(box.center())
            wide, high = box.width(), box.height()
            if labels and high > wide:  # upright, as its label
                painter.rotate(-90)
                wide, high = high, wide
            here = QRectF(-wide / 2, -high / 2, wide, high)
            if labels:
                painter.fillRect(here, t.colour("canvas"))  # without a line, as its label
            else:
                painter.drawRoundedRect(here, 3, 3)
            painter.setPen(t.colour("muted" if older else "text"))
            painter.drawText(here, CENTRED, words[text])
            painter.restore()


def card_with_ports(item: BlockItem) -> Box:
    """Rectangle of a block's card including the ports that stick out, on the sides that have some."""
    left, top, right, bottom = item.rect()
    sides = {anchor.side for anchor in item.block_shape.anchors.values()}
    out = {side: SIZE * (side in sides) for side in OUTWARD}
    return left - out["left"], top - out["top"], right + out["right"], bottom + out["bottom"]


def letter_height(zoom: float) -> int:
    """Height of the letters: constant on screen when zoomed out."""
    return round(PIXELS / max(FROM, min(zoom, 1.0)))


def tag_size(words: str, pixels: int) -> tuple[float, float]:
    return QFontMetricsF(canvas_font(pixels)).horizontalAdvance(words) + 8.0, pixels + 6.0


def _beyond(label: Label, words: str) -> Place:
    """Rectangle of a tag beyond a label's end, in its line and as high as it."""
    left, top, right, bottom = label.box
    (dx, dy), long = OUTWARD[label.end.side], tag_size(words, LETTERS)[0]
    if label.upright:
        start = bottom + APART if dy > 0 else top - APART - long
        return (left, start, right, start + long), None
    start = right + APART if dx > 0 else left - APART - long
    return (start, top, start + long, bottom), None


def _places(
    points: Sequence[Point], size: tuple[float, float], area: Box, round_: float, side: float = 0.0
) -> Iterator[Place]:
    """Candidate rectangles along a route, longest piece first, on it or at a `side` of it; none on a piece that ends
    within one or `round_` px beyond, unless that is zero."""
    (wide, high), (left, top, right, bottom) = size, area
    pieces = sorted(pairwise(points), key=lambda p: -abs(p[0][0] - p[1][0]) - abs(p[0][1] - p[1][1]))
    for (x1, y1), (x2, y2) in pieces:
        level = y1 == y2
        free = abs(x2 - x1) + abs(y2 - y1) - (wide if level else high) - 2.0 * round_
        if round_ and free < 0.0:
            continue
        reach = free / (abs(x2 - x1) + abs(y2 - y1)) if round_ else 1.0
        aside = side * ((high if level else wide) / 2 - INSIDE)
        for share in SHARES:
            part = 0.5 + reach * share
            x, y = x1 + part * (x2 - x1) - wide / 2, y1 + part * (y2 - y1) - high / 2
            x, y = (x, y + aside) if level else (x + aside, y)
            x, y = min(max(x, left), right - wide), min(max(y, top), bottom - high)
            yield (x, y, x + wide, y + high), ((1, y1) if level else (0, x1))
