"""Graphics item of a block: a card with symbol, name, one parameter value and the ports."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QStaticText
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from ...blocks import Port
from ...blocks.text.raw_types import Raw, RawMap
from ...solver.diagram.netlist_diff import MOVED, REMOVED
from ..drawing.card_geometry import GRID, Anchor, Shape
from ..drawing.composite_face import EDGE as FACE_EDGE
from ..drawing.composite_face import Face
from ..drawing.inner_picture import InnerPicture
from ..drawing.polylines import End, Rect
from ..drawing.statechart_layout import Chart
from ..theme.active_theme import canvas_font, prepared, theme
from ..theme.number_format import in_print, number_text
from ..theme.symbols.symbol_painter import draw_symbol, half_height
from ..theme.symbols.symbol_table import symbol_of
from .composite_painting import NAMES_FROM, paint_names, paint_picture
from .port_item import HIT, draw_port
from .statechart_item import paint_chart

MARGIN = 14.0  # around the card: ports, halo, hovered names
RADIUS = 6.0
# pixels of the screen to a unit of the diagram below which text, ports and symbols, words of a chart are left out
TEXT_FROM, DETAIL_FROM, WORDS_FROM = 0.35, 0.3, 0.5
NAME_PIXELS, NAME_MOST, VALUE_PIXELS = 11, 22, 10  # font heights in diagram units
VALUE_FROM = 0.7  # zoom below which the value's line makes room for the name
NAME_ON_SCREEN = 9.0  # px that a name has at least, so that it can be read
LOW = 70.0  # px of a card under which an enlarged name takes the value's place
UPRIGHT = 7.0  # px between the upper edge, with its ports, and the symbol of a block that is turned
FOOT, PORTS = 4, 8  # px below the text, without and with ports below
NARROWER = (88, 78)  # per cent of a letter's width for a name that its card has no room for
BEYOND = 36.0  # px by which an enlarged name may then be wider than its card


class BlockItem(QGraphicsItem):
    def __init__(
        self,
        name: str,
        gap: Callable[[Rect], float] = lambda rect: BEYOND,
        ask: Callable[[str], object] = lambda name: None,
    ):
        """Create the item of a block; `gap` returns the free width beside a card, for a name wider than the card,
        `ask` has the picture of what is inside made."""
        super().__init__()
        self._ask = ask
        self.picture: InnerPicture | None = None  # of what is inside a composite
        self.picture_due = False  # there is none yet, or it is old
        self.name, self._gap = name, gap
        self.type_name = self.family = ""
        self.block_shape = Shape(100, 70)
        self.area = self.card()  # in coordinates of the scene
        self.block_ports: dict[str, Port] = {}
        self.wired: set[str] = set()
        self.value_line = ""
        self.problem = ""  # "", "incomplete", "warning" or "error"
        self.fate = ""  # added, removed, changed or moved, in a comparison
        self.hovered = False
        self.glowing: set[str] = set()  # ports that fit the wire being drawn
        self.faded = False
        self.out = False  # disabled
        self.active_port = ""
        self.turned = 0  # degrees, clockwise
        self.chart: Chart | None = None  # state chart of a state machine
        self.active_state = 0  # its number, at the moment that is shown; 0: none is
        self._names: dict[tuple[int, float], tuple[QStaticText, QFont]] = {}  # by font size and width
        self._value_text = QStaticText()
        self._told: tuple[object, ...] = ()  # last displayed state
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIsSelectable)
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)
        self.setZValue(10)

    def show_block(
        self,
        type_name: str,
        family: str,
        shape: Shape,
        ports: dict[str, Port],
        wired: set[str],
        value_lines: tuple[str, str],  # with the number's unit and without
        rotation: int = 0,
        chart: Chart | None = None,
    ) -> None:
        told = self.name, type_name, family, shape, ports, wired, value_lines, rotation, chart
        if told == self._told:
            return
        self._told = told
        self.prepareGeometryChange()
        self.chart = chart
        self.type_name, self.family, self.block_shape = type_name, family, shape
        self.move_to(self.x(), self.y())
        self.block_ports, self.wired, self.turned = ports, wired, rotation
        width = shape.width - 12
        self.value_line = value_line = fitted(*value_lines, width)
        self._names = {}
        self._value_text = prepared(value_line, canvas_font(VALUE_PIXELS), width)
        self.update()

    def _name_text(self, zoom: float) -> tuple[QStaticText, QFont]:
        """Static text of the block's name and its font: larger when zoomed out, then narrow, then wider than the card
        where there is room."""
        pixels = min(NAME_MOST, max(NAME_PIXELS, 2 * math.ceil(NAME_ON_SCREEN / zoom / 2)))
        beyond = 0.0 if pixels == NAME_PIXELS else min(BEYOND, self._gap(self.rect()))
        known = self._names.get((pixels, beyond))
        if known is None:
            inside = self.block_shape.width - 12
            tried = [(pixels, stretch, inside) for stretch in (100, *NARROWER)]
            tried += [(size, NARROWER[-1], inside + beyond) for size in range(pixels, NAME_PIXELS, -1)]
            font, width = canvas_font(NAME_PIXELS), inside + beyond  # elided where nothing fits
            for size, stretch, room in tried:
                narrow = canvas_font(size, stretch=stretch)
                if QFontMetricsF(narrow).horizontalAdvance(self.name) <= room:
                    font, width = narrow, room
                    break
            known = self._names[pixels, beyond] = (prepared(self.name, font, width), font)
        return known

    # ------------------------------------------------------------------ geometry

    def card(self) -> QRectF:
        return QRectF(0, 0, self.block_shape.width, self.block_shape.height)

    def boundingRect(self) -> QRectF:
        return self.card().adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN)

    def shape(self) -> QPainterPath:
        path = QPainterPath()
        path.addRect(self.card())
        return path

    def move_to(self, x: float, y: float) -> None:
        """Move the card's upper left corner."""
        self.setPos(x, y)
        self.area = QRectF(x, y, self.block_shape.width, self.block_shape.height)

    def rect(self) -> Rect:
        area = self.area
        return area.left(), area.top(), area.right(), area.bottom()

    def end(self, port: str) -> End | None:
        anchor = self.block_shape.anchors.get(port)
        return End(self.x() + anchor.x, self.y() + anchor.y, anchor.side) if anchor else None

    def unwired(self) -> tuple[End, ...]:
        """Ends at inputs without wires."""
        return tuple(
            End(self.x() + anchor.x, self.y() + anchor.y, anchor.side)
            for port, anchor in self.block_shape.anchors.items()
            if port not in self.wired and self.block_ports[port].direction == "in"
        )

    def missing_ports(self) -> list[str]:
        """Ports that wires name and the block does not have."""
        return sorted(name for name in self.wired if name not in self.block_shape.anchors)

    def missing_end(self, port: str) -> End:
        """End of a wire at a port that does not exist: a place of its own on the card's upper edge, so that the wire
        stays visible."""
        taken = [anchor.x for anchor in self.block_shape.anchors.values() if anchor.side == "top"]
        places = [float(x) for x in range(GRID, round(self.block_shape.width), GRID)]
        free = [x for x in places if all(abs(x - other) >= GRID for other in taken)] or places
        lost = self.missing_ports()
        k = lost.index(port) if port in lost else 0
        return End(self.x() + free[(2 * k + 1) * len(free) // (2 * max(len(lost), 1))], self.y(), "top")

    def port_near(self, point: QPointF, reach: float = HIT) -> str:
        """Port nearest to a point in scene coordinates, within `reach`; an empty string if there is none."""
        local = point - self.pos()
        best, nearest = reach, ""
        for name, anchor in self.block_shape.anchors.items():
            # half the weight across the side's direction: ports stand close along it
            distance = abs(anchor.x - local.x()) + abs(anchor.y - local.y())
            if max(abs(anchor.x - local.x()), abs(anchor.y - local.y())) <= reach and distance / 2 < best:
                best, nearest = distance / 2, name
        return nearest

    # ------------------------------------------------------------------ painting

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        t = theme()
        pixels = pixels_of(painter)
        accent = t.family(self.family) if self.family else t.colour("error")
        if self.faded or self.out:
            painter.setOpacity(0.35)
        self._paint_card(painter, accent)
        if pixels < DETAIL_FROM:
            return
        painter.save()
        if self.block_shape.face:
            self._paint_face(painter, self.block_shape.face, accent, pixels)
        elif self.chart:
            painter.translate((self.block_shape.width - self.chart.width) / 2, 0.0)
            paint_chart(painter, self.chart, accent, self.active_state, words=pixels >= WORDS_FROM)
        else:
            painter.translate(self.symbol_centre())
            painter.scale(self.symbol_scale(), self.symbol_scale())
            symbol = symbol_of(self.type_name, self.family)
            painter.rotate(0 if symbol.upright else self.turned)
            draw_symbol(painter, symbol, accent)
        painter.restore()
        if pixels >= TEXT_FROM:
            self.paint_text(painter)
        painter.setOpacity(0.35 if self.out else 1.0)
        self._paint_ports(painter)

    def _paint_card(self, painter: QPainter, accent: QColor) -> None:
        t = theme()
        card = self.card()
        mark = t.fate(self.fate) if self.fate else t.colour("selection")
        if self.isSelected() or self.fate:
            halo = QColor(mark)
            halo.setAlpha(90 if self.isSelected() and self.fate else 46)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(halo)
            painter.drawRoundedRect(card.adjusted(-4, -4, 4, 4), RADIUS + 4, RADIUS + 4)
        outline, width, line = t.colour("outline"), 1.0, Qt.PenStyle.SolidLine
        if self.fate:
            outline, width, line = mark, 2.0, fate_line(self.fate)
        elif self.problem:
            outline, width = t.mark(self.problem), 1.6
        elif self.isSelected():
            outline, width = mark, 1.5
        elif self.hovered:
            outline = accent
        painter.setPen(QPen(outline, width, Qt.PenStyle.DashLine if self.out else line))
        painter.setBrush(t.colour("card"))
        painter.drawRoundedRect(card, RADIUS, RADIUS)

    def _paint_face(self, painter: QPainter, face: Face, accent: QColor, pixels: float) -> None:
        near = pixels >= NAMES_FROM
        if near:
            paint_names(painter, face)
        if near and self.picture_due:
            self._ask(self.name)
        room = self.picture_room(face, zoom_of(painter) if pixels >= TEXT_FROM else 1.0)
        picture = self.picture if near else None
        if picture is None:
            picture = InnerPicture(symbol=symbol_of(self.type_name, self.family))
        paint_picture(painter, picture, room, accent, self.turned, pixels)

    def picture_room(self, face: Face, zoom: float) -> QRectF:
        """Room of the picture, between the names of ports and above the block's name, in item coordinates."""
        left, top = face.left + FACE_EDGE, face.top + FACE_EDGE
        right, bottom = self.block_shape.width - face.right - FACE_EDGE, self.text_tops(zoom)[0] - 2.0
        return QRectF(left, top, right - left, bottom - top)

    def symbol_scale(self) -> float:
        """Scale of the symbol, smaller on a low card, and where the block is turned between port and name."""
        scale = 0.82 if self.block_shape.height < LOW else 1.0
        if self.turned % 180 == 0:
            return scale
        room = self._name_top() - UPRIGHT
        return min(scale, 0.5 * room / half_height(symbol_of(self.type_name, self.family), self.turned))

    def _name_top(self) -> float:
        """Upper edge of the name where it stands highest above a value."""
        return min(self.text_tops(zoom)[0] for zoom in (VALUE_FROM, 1.0))

    def symbol_centre(self) -> QPointF:
        """Centre of the symbol in item coordinates, above the lines of text."""
        if self.turned % 180:
            return QPointF(self.block_shape.width / 2, (self._name_top() + UPRIGHT) / 2)
        lines = 24 if self.value_line else 14
        return QPointF(self.block_shape.width / 2, (self.block_shape.height - lines) / 2)

    def paint_text(self, painter: QPainter) -> None:
        """Paint the name, and the value where there is room for it."""
        t, zoom = theme(), zoom_of(painter)
        width = self.block_shape.width
        text, font = self._name_text(zoom)
        size = text.size()
        name, value = self.text_tops(zoom)
        place = QPointF((width - size.width()) / 2, name)
        if size.width() > width - 8:  # a plate over the edges of the card
            painter.setPen(QPen(t.colour("outline"), 1.0))
            painter.setBrush(t.colour("card"))
            plate = QRectF(place.x() - 4, place.y(), size.width() + 8, font.pixelSize() + 7)
            painter.drawRoundedRect(plate, RADIUS / 2, RADIUS / 2)
        painter.setFont(font)
        painter.setPen(t.colour("text"))
        painter.drawStaticText(place, text)
        if value is not None:
            painter.setFont(canvas_font(VALUE_PIXELS))
            painter.setPen(t.colour("muted"))
            painter.drawStaticText(
                QPointF((width - self._value_text.size().width()) / 2, value), self._value_text
            )

    def text_tops(self, zoom: float) -> tuple[float, float | None]:
        """Upper edges of the name and of the value line below it, in item coordinates; None where the value has no
        room."""
        text, font = self._name_text(zoom)
        pixels = font.pixelSize()
        face = self.block_shape.face
        height = self.block_shape.height - (face.bottom if face else 0.0)
        below = not face and any(anchor.side == "bottom" for anchor in self.block_shape.anchors.values())
        foot = PORTS if below else FOOT
        if not self.value_line or zoom < VALUE_FROM or (height < LOW and pixels > NAME_PIXELS + 1):
            return height - 3 - foot - pixels, None
        value = height - foot - self._value_text.size().height()
        return value - text.size().height(), value

    def _paint_ports(self, painter: QPainter) -> None:
        t = theme()
        paper = t.colour("card")
        for name, anchor in self.block_shape.anchors.items():
            port = self.block_ports.get(name)
            if port is None:
                continue
            colour, scale = t.wire(port.kind), 1.0
            if self.glowing and name in self.glowing:
                self._paint_glow(painter, anchor)
            elif self.faded or (self.glowing and name not in self.glowing):
                painter.setOpacity(0.3)
            if (
                port.direction == "out"
                and name not in self.wired
                and not self.glowing
                and name != self.active_port
            ):
                # an output that nobody reads stays in the background
                colour, scale = t.colour("outline"), 0.75
            if name == self.active_port:
                scale = 1.35
            painter.translate(anchor.x, anchor.y)
            draw_port(painter, port, anchor, colour, paper, scale)
            painter.translate(-anchor.x, -anchor.y)
            painter.setOpacity(1.0)

    def _paint_glow(self, painter: QPainter, anchor: Anchor) -> None:
        glow = theme().colour("fits")
        glow.setAlpha(90)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(glow)
        painter.drawEllipse(QPointF(anchor.x, anchor.y), 8.5, 8.5)


def zoom_of(painter: QPainter) -> float:
    """Zoom of the diagram, independent of the screen's scale factor: 1 at its own size."""
    return QStyleOptionGraphicsItem.levelOfDetailFromTransform(painter.worldTransform())


def pixels_of(painter: QPainter) -> float:
    """Device pixels per diagram unit: the level of detail that there is room for."""
    return QStyleOptionGraphicsItem.levelOfDetailFromTransform(painter.deviceTransform())


def fate_line(fate: str) -> Qt.PenStyle:
    """Pen style of a difference: dashed when removed, dotted when moved, so that colour is not the only mark."""
    lines = {REMOVED: Qt.PenStyle.DashLine, MOVED: Qt.PenStyle.DotLine}
    return lines.get(fate, Qt.PenStyle.SolidLine)


def fitted(line: str, bare: str, width: float) -> str:
    """Text that fits the width: the whole line, else the value alone, the line without a unit, or the number of values
    of a list; never a cut value."""
    metrics = QFontMetricsF(canvas_font(VALUE_PIXELS))
    key, sign, value = line.partition(" = ")
    count = f"{key}: {value.count(',') + 1} values" if value.startswith("[") else value
    lines = (line, value, bare, count, count.rpartition(": ")[2]) if sign else (line,)
    return next((one for one in lines if metrics.horizontalAdvance(one) <= width), lines[-1])


def value_line(
    raw: RawMap, parameters: Mapping[str, Raw] | None = None, unit_of: Callable[[str], str] = lambda key: ""
) -> str:
    """First scalar that the user set, as `l = 6 m`; a diagram parameter shows its value, a bare number the unit in
    which it is read."""
    for key, value in raw.items():
        if key in ("type", "initial", "doc") or isinstance(value, bool | dict) or value is None:
            continue
        if isinstance(value, list):
            if not value or any(isinstance(item, list | dict) for item in value) or len(value) > 3:
                continue
            return f"{key} = [{', '.join(map(_word, value))}]"
        word = _word(value).removeprefix("=").strip()
        if parameters and word in parameters:
            value = parameters[word]
            word = _word(value)
        unit = unit_of(key) if isinstance(value, int | float) else ""
        expression = isinstance(value, str) and value.strip().startswith("=")
        return f"{key} = {word if expression else in_print(f'{word} {unit}'.rstrip())}"
    return ""


def _word(value: Raw) -> str:
    return number_text(value) if isinstance(value, float) else str(value)
