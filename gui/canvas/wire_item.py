"""Graphics item of a wire: rounded corners, labels, jumps over other nets, dots where its own net branches."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPainterPathStroker, QPen, QPolygonF
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from ...blocks.ports import FRAME, HYDRAULIC, SHAFT, TRAJECTORY
from ..drawing.card_geometry import OUTWARD
from ..drawing.net_labels import HIGH, LETTERS, Label
from ..drawing.occupied_tracks import Tracks
from ..drawing.polylines import Point, Rect
from ..drawing.wire_nets import junctions
from ..theme.active_theme import CENTRED, canvas_font, theme
from .block_item import pixels_of
from .element_chooser import element_box, element_tags, paint_elements
from .port_item import REACH

CORNER, JUMP, DOT = 4.0, 4.0, 3.0
WIDTHS = {FRAME: 2.0, HYDRAULIC: 2.0, SHAFT: 2.0, TRAJECTORY: 1.2}
TIP = 4.0  # px, length of a label's tip
WASH = 0.1  # share of its colour in the paper behind the words of a label
LABELS_FROM = 0.5  # pixels of the screen to a unit of the diagram from which a label's text can be read
APART = 9  # px between two jumps of one wire, or they are drawn as one
CLEAR = JUMP + REACH  # px between a jump and a port's centre within which it would lie on the port's glyph
NEAR_WIRE = 10.0  # px beside a wire within which a block is dropped that goes into it


class WireItem(QGraphicsItem):
    def __init__(self, connection: str):
        super().__init__()
        self.connection = connection
        self.kind = "signal"
        self.net: tuple[str, str] = ("", "")
        self.points: list[Point] = []
        self.jumps: dict[int, list[float]] = {}  # piece -> where on it
        self.dots: list[Point] = []
        self.elements: list[tuple[str, Point]] = []  # element labels at vector ports, with their positions
        self.problem = ""
        self.fate = ""  # added, removed, changed or moved, in a comparison
        self.out = False  # disabled, with one of its blocks
        self.labels: tuple[Label, ...] = ()  # instead of a line
        self.extent = (0.0, 0.0, 0.0, 0.0)  # left, top, right, bottom of its points
        self.hovered = self.faded = False
        self._path = QPainterPath()
        self._lines: list[QLineF] = []
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIsSelectable)
        self.setZValue(5)

    def middle(self) -> QPointF | None:
        """Middle of the longest segment in scene coordinates; None before it is laid."""
        pieces = [QLineF(*a, *b) for a, b in itertools.pairwise(self.points)]
        return max(pieces, key=QLineF.length).center() if pieces else None

    def words(self) -> list[Rect]:
        """Rectangles of its labels and of the elements beside its ports."""
        boxes = [label.box for label in self.labels]
        for text, place in self.elements:
            box = element_box(text, place)
            boxes.append((box.left(), box.top(), box.right(), box.bottom()))
        return boxes

    def show_points(self, points: list[Point], labels: tuple[Label, ...] = ()) -> None:
        """Set the route of the wire, or two labels instead of a line."""
        if (points, labels) == (self.points, self.labels):
            return
        self.prepareGeometryChange()  # the scene takes it out of its index by the box that it had
        self.points, self.labels = points, labels
        xs, ys = [x for x, _ in points], [y for _, y in points]
        self.extent = (min(xs), min(ys), max(xs), max(ys)) if points else (0.0, 0.0, 0.0, 0.0)
        self.jumps = {}
        self._rebuild()

    def show_crossings(self, jumps: dict[int, list[float]], dots: list[Point]) -> None:
        if jumps == self.jumps and dots == self.dots:
            return
        self.prepareGeometryChange()
        self.jumps, self.dots = jumps, dots
        self._rebuild()

    def show_elements(self, elements: list[tuple[str, Point]]) -> None:
        if elements != self.elements:
            self.prepareGeometryChange()
            self.elements = elements
            self.update()

    def _rebuild(self) -> None:
        self._path = rounded(self.points, self.jumps)
        for label in self.labels:
            self._path.addPath(rounded(label.lead))
        self._lines = [QLineF(*a, *b) for way in self.painted_lines() for a, b in itertools.pairwise(way)]
        self.update()

    def painted_lines(self) -> list[list[Point]]:
        """Polylines to paint: the route, or the leads of the two labels."""
        return [label.lead for label in self.labels] or [self.points]

    def lines(self) -> list[QLineF]:
        return self._lines if self.isVisible() else []

    def path(self) -> QPainterPath:
        return self._path

    def boundingRect(self) -> QRectF:
        box = self._path.controlPointRect().adjusted(-6, -6, 6, 6)
        for text, place in self.elements:
            box |= element_box(text, place)
        for label in self.labels:
            box |= box_of(label)
        return box

    def shape(self) -> QPainterPath:
        stroker = QPainterPathStroker()
        stroker.setWidth(10)
        shape = stroker.createStroke(self._path)
        for label in self.labels:
            shape.addRect(box_of(label))
        return shape

    def colour(self) -> QColor:
        t = theme()
        if self.fate:
            return t.fate(self.fate)
        if self.problem:
            return t.mark(self.problem)
        return t.colour("selection") if self.isSelected() else t.wire(self.kind)

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        colour = self.colour()
        if self.faded or self.out:
            painter.setOpacity(0.35)
        if self.isSelected() or self.hovered or self.fate:
            marked = self.isSelected() or self.fate
            halo = QColor(colour) if marked else theme().colour("outline")
            halo.setAlpha(120 if self.isSelected() and self.fate else 60)
            painter.setPen(
                QPen(halo, 7, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
            )
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPath(self._path)
        stroke_wire(painter, self._path, self.kind, colour, theme().colour("canvas"))
        if self.dots:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            for x, y in self.dots:
                painter.drawEllipse(QPointF(x, y), DOT, DOT)

        paint_elements(painter, self.elements, colour)
        words = pixels_of(painter) >= LABELS_FROM
        for label in self.labels:
            paint_label(painter, label, colour, words)

    def distance(self, point: QPointF) -> float:
        """Distance of a scene point to the wire's line [px]; 0 on one of its labels."""
        if any(box_of(label).contains(point) for label in self.labels):
            return 0.0
        return min((_distance(piece, point) for piece in itertools.pairwise(self.points)), default=math.inf)

    def piece_near(self, point: QPointF, reach: float = 5.0) -> int:
        """Index of the wire's segment near a scene point; -1 if none."""
        return piece_at(self.points, point, reach)


def piece_at(points: list[Point], point: QPointF, reach: float) -> int:
    """Index of the segment of a polyline near a point; -1 if none."""
    distances = [_distance(piece, point) for piece in itertools.pairwise(points)]
    nearest = min(distances, default=math.inf)
    return (
        len(distances) - 1 - distances[::-1].index(nearest) if nearest <= reach else -1
    )  # the last at a corner


def _distance(piece: tuple[Point, Point], point: QPointF) -> float:
    """Distance of a point to an upright or level segment."""
    (x1, y1), (x2, y2) = piece
    dx = max(min(x1, x2) - point.x(), 0, point.x() - max(x1, x2))
    dy = max(min(y1, y2) - point.y(), 0, point.y() - max(y1, y2))
    return math.hypot(dx, dy)


def stroke_wire(painter: QPainter, path: QPainterPath, kind: str, colour: QColor, paper: QColor) -> None:
    pen = QPen(colour, WIDTHS.get(kind, 1.2))
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if kind == TRAJECTORY:
        # two lines: a broad one, and the paper's colour inside
        pen.setWidthF(4.0)
        painter.setPen(pen)
        painter.drawPath(path)
        painter.setPen(QPen(paper, 1.8))
        painter.drawPath(path)
        return
    painter.setPen(pen)
    painter.drawPath(path)


def rounded(points: list[Point], jumps: dict[int, list[float]] | None = None) -> QPainterPath:
    path = QPainterPath()
    if len(points) < 2:
        return path
    path.moveTo(*points[0])
    for k, ((x1, y1), (x2, y2)) in enumerate(itertools.pairwise(points)):
        length = abs(x1 - x2) + abs(y1 - y2)
        if not length:
            continue
        ux, uy = (x2 - x1) / length, (y2 - y1) / length
        for x in sorted((jumps or {}).get(k, ()), reverse=x2 < x1):
            _jump(path, x, y1, 1 if x2 > x1 else -1)
        if k == len(points) - 2:
            path.lineTo(x2, y2)
            continue
        x3, y3 = points[k + 2]
        after = abs(x3 - x2) + abs(y3 - y2)
        r = min(CORNER, length / 2, after / 2)
        path.lineTo(x2 - ux * r, y2 - uy * r)
        if after:
            path.quadTo(x2, y2, x2 + (x3 - x2) / after * r, y2 + (y3 - y2) / after * r)
    return path


def _jump(path: QPainterPath, x: float, y: float, direction: int) -> None:
    path.lineTo(x - direction * JUMP, y)
    box = QRectF(x - JUMP, y - JUMP, 2 * JUMP, 2 * JUMP)
    path.arcTo(box, 180 if direction > 0 else 0, -180 if direction > 0 else 180)


def box_of(label: Label) -> QRectF:
    left, top, right, bottom = label.box
    return QRectF(left, top, right - left, bottom - top)


def paint_label(painter: QPainter, label: Label, colour: QColor, words: bool = True) -> None:
    """Paint a wire label with its tip at the port, within its box, so that it does not touch the next one; its text is
    vertical above and below a block. Without `words` it is solid: no text could be read."""
    left, top, right, bottom = label.box
    middle = QPointF((left + right) / 2, (top + bottom) / 2)
    long = max(right - left, bottom - top)
    painter.save()
    painter.translate(middle)
    if label.upright:
        painter.rotate(-90)
    dx, dy = OUTWARD[label.end.side]
    towards = -dx if not label.upright else dy  # direction of the port along the text
    painter.setPen(Qt.PenStyle.NoPen)  # a line would run through letters that are as high as the label
    painter.setBrush(washed(colour) if words else colour)
    painter.drawPolygon(_outline(long, towards))
    if words:
        painter.setPen(colour)
        painter.setFont(canvas_font(LETTERS))
        shift = -towards * TIP / 2
        painter.drawText(QRectF(-long / 2 + shift, -HIGH / 2, long, HIGH), CENTRED, label.text)
    painter.restore()


def washed(colour: QColor) -> QColor:
    """Colour of cards with a little of another one: opaque, since labels of one net lie on each other."""
    pairs = zip(theme().colour("card").getRgb()[:3], colour.getRgb()[:3], strict=True)
    return QColor(*(round(paper + WASH * (ink - paper)) for paper, ink in pairs))


def _outline(long: float, towards: int) -> QPolygonF:
    a, b, half = -long / 2, long / 2, HIGH / 2
    if towards < 0:
        corners = [(a, 0.0), (a + TIP, -half), (b, -half), (b, half), (a + TIP, half)]
    else:
        corners = [(a, -half), (b - TIP, -half), (b, 0.0), (b - TIP, half), (a, half)]
    return QPolygonF([QPointF(x, y) for x, y in corners])


def show_crossings(wires: Collection[WireItem], tracks: Tracks) -> None:
    """Set jumps, junction dots and element labels of all wires."""
    nets: dict[tuple[str, str], list[WireItem]] = {}
    ends: dict[tuple[int, int], list[Point]] = {}  # of all wires, by cell: there is a port's glyph
    for wire in wires:
        nets.setdefault(wire.net, []).append(wire)
        for x, y in (wire.points[0], wire.points[-1]) if wire.points else ():
            ends.setdefault((int(x // CLEAR), int(y // CLEAR)), []).append((x, y))
    for members in nets.values():
        dots = junctions([wire.points for wire in members]) if len(members) > 1 else []
        for k, wire in enumerate(members):
            wire.show_crossings(_jumps(wire, tracks, ends), dots if k == 0 else [])
    tags = element_tags({wire.connection: wire.points for wire in wires})
    for wire in wires:
        wire.show_elements(tags.get(wire.connection, []))


def _on_port(x: float, y: float, ends: dict[tuple[int, int], list[Point]]) -> bool:
    """True if a jump at this place would lie on the glyph of a port."""
    column, row = int(x // CLEAR), int(y // CLEAR)
    near = itertools.product((column - 1, column, column + 1), (row - 1, row, row + 1))
    return any(
        abs(x - at_x) < CLEAR and abs(y - at_y) < CLEAR for cell in near for at_x, at_y in ends.get(cell, ())
    )


def _jumps(
    wire: WireItem, tracks: Tracks, ends: dict[tuple[int, int], list[Point]]
) -> dict[int, list[float]]:
    """Jumps by index of the horizontal segment: x of the crossings with other nets, but none on a port's glyph."""
    jumps = {}
    for k, ((x1, y1), (x2, y2)) in enumerate(zip(wire.points, wire.points[1:], strict=False)):
        if y1 == y2:
            places: list[float] = []
            for x, _ in tracks.crossings(y1, min(x1, x2), max(x1, x2), wire.net):
                if (not places or x - places[-1] >= APART) and not _on_port(x, y1, ends):
                    places.append(x)
            if places:
                jumps[k] = places
    return jumps
