"""Caption above a plot: title and curve names, in a graph with values at its cursor. It never covers the curves."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pyqtgraph as pg
from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QTransform
from PySide6.QtWidgets import (
    QApplication,
    QGraphicsItem,
    QGraphicsSceneMouseEvent,
    QStyleOptionGraphicsItem,
    QWidget,
)

from ..theme.active_theme import WHITE
from .name_cuts import cut_names, short_names, shortest_names

DOT = 8.0  # px of a point
SAMPLE, SPACE, BETWEEN, MARGIN = 16.0, 5.0, 14.0, 4.0  # px: line, line to word, entry to entry, edge

# in place of an entry's index: what stands below it, and how many more there are
GOES_ON, MORE = -3, -4
FOLDED = 1.0 / 3.0  # share of a plot's height for names while folded
NAMES = (140.0, 110.0, 85.0)  # px of a name that is cut
FEW = 2  # lines that they may have in a low plot
TITLE = 0.5  # share of a line for a title whose names do not fit
CURVES = 40  # px that curves keep beside folded names
ABOVE, UNDER = 2.0, 3.0  # px above the first line and under the last one
FEWER = "fewer"


Word = tuple[int, str, float]  # the index of its entry, its text, and how wide it is
Box = tuple[QRectF, int, str]


@dataclass
class Entry:
    name: str
    pen: QPen
    value: str = ""
    hidden: bool = False
    symbol: str = ""  # of its points, in place of a line


class Caption(QGraphicsItem):
    """Caption that wraps into lines, names in columns. Of many names it shows the first and the number of the others,
    whose click is `on_more`. A click on a curve's name toggles the curve."""

    def __init__(
        self,
        on_click: Callable[[int], None],
        on_more: Callable[[], None] = lambda: None,
        on_drag: Callable[[int], None] = lambda k: None,
    ):
        super().__init__()
        self.on_click, self.on_more, self.on_drag = on_click, on_more, on_drag
        self._pressed = GOES_ON  # what the button was pressed on
        self.folded, self.lines = True, 3
        self.few = FEW  # lines of names, wherever they may stand
        self.title, self.moment = "", ""
        self.entries: list[Entry] = []
        self.width = 300.0
        self.paper = WHITE
        self.font, self.bold = QFont(QApplication.font()), QFont(QApplication.font())
        self.font.setPointSizeF(9)
        self.bold.setPointSizeF(9.5)
        self.bold.setBold(True)
        self._known: tuple = ()  # all that the places of words depend on, and these
        self._placed: list[Box] = []

    def show_text(self, title: str, entries: list[Entry]) -> None:
        self.prepareGeometryChange()
        self.title, self.entries = title, entries
        self.update()

    def show_values(self, moment: str, values: Sequence[str]) -> None:
        """Show values at a cursor; empty texts remove them."""
        self.prepareGeometryChange()
        self.moment = moment
        for entry, value in zip(self.entries, values, strict=True):
            entry.value = value
        self.update()

    def place_above(self, item: pg.PlotItem) -> None:
        """Place the caption above a plot, aligned with its left axis."""
        left = item.getAxis("left").width()
        self.setPos(left, 0)
        self.prepareGeometryChange()
        self.width = max(60.0, item.size().width() - left)
        high, line = item.size().height(), self._line()
        kept = CURVES + item.getAxis("bottom").minimumHeight() + ABOVE + UNDER
        self.lines = max(1, int(min(max(FOLDED * high - ABOVE - UNDER, self.few * line), high - kept) / line))
        height = self.boundingRect().height()
        told = {text for _, _, text in self._boxes()}
        names = [entry.name for entry in self.entries]
        self.setToolTip("" if self.moment or told.issuperset(names) else "\n".join(names))
        if item.layout.rowMinimumHeight(0) != height:
            item.layout.setRowFixedHeight(0, height)

    def _line(self) -> float:
        return QFontMetricsF(self.font).height() + 3

    def least_height(self) -> float:
        """Height of one line of names, or of all lines that are asked for [px]."""
        if not self.folded or self.moment:
            return self.boundingRect().height()
        return ABOVE + self._line() + UNDER if self.title or self.entries else 0.0

    def boundingRect(self) -> QRectF:
        bottom = max((box.bottom() for box, *_ in self._boxes()), default=0.0)
        return QRectF(0, 0, self.width, bottom + UNDER if bottom else 0.0)

    def _boxes(self) -> list[Box]:
        """Rectangles, entry indices (negative: no entry) and texts of all words; placed anew only after changes."""
        told = [(entry.name, entry.value) for entry in self.entries]
        known = (self.title, self.moment, told, self.width, self.lines, self.folded)
        if known != self._known:
            self._known, self._placed = known, self._placed_words()
        return self._placed

    def _placed_words(self) -> list[Box]:
        """Boxes of all words; names that do not fit leave out what they share."""
        names = [entry.name for entry in self.entries]
        if self.moment:
            boxes = self._wrapped_boxes(words := self._words(names))
            fits = self._fitting_count(boxes) == len(words)
            return boxes if fits else self._wrapped_boxes(self._words(shortest_names(names)))
        words, boxes = [], []
        for short in (list, short_names, shortest_names) if self.folded else (list,):
            words = self._words(short(names))
            boxes = self._boxes_in_columns(words)
            if self._fitting_count(boxes) == len(words):
                return boxes
        return self._cut_names(shortest_names(names)) or self._folded_names(words, boxes)

    def _cut_names(self, names: Sequence[str]) -> list[Box]:
        """Boxes of names that are cut, if they can still be told apart; empty where these do not fit either."""
        wide = QFontMetricsF(self.font).horizontalAdvance
        for room in NAMES if self.folded else ():
            short = cut_names(names, lambda text, room=room: wide(text) <= room)
            boxes = self._boxes_in_columns(self._words(short)) if short else []
            if boxes and self._fitting_count(boxes) == len(boxes):
                return boxes
        return []

    def _words(self, names: Sequence[str]) -> list[Word]:
        """Words of the caption, with these names of the entries."""
        metrics, bold = QFontMetricsF(self.font), QFontMetricsF(self.bold)
        words = [(-1, self.title, bold.horizontalAdvance(self.title))] if self.title else []
        if self.moment:
            words.append((-2, self.moment, max(map(metrics.horizontalAdvance, (self.moment, "t = 00.00 s")))))
        for k, (entry, name) in enumerate(zip(self.entries, names, strict=True)):
            # a value that grows by a digit must not move its neighbours
            room = metrics.horizontalAdvance("  -0.00000 mm") if self.moment else 0.0
            text = f"{name}  {entry.value}" if entry.value else name
            for part, line in enumerate(self._lines(text, metrics)):
                wide = max(metrics.horizontalAdvance(line), metrics.horizontalAdvance(name) + room)
                words.append((k if part == 0 else GOES_ON, line, SAMPLE + SPACE + wide))
        return words

    def _folded_names(self, words: list[Word], boxes: list[Box]) -> list[Box]:
        """First lines of names and the number of the others; or all names and a word that folds them."""
        wide = QFontMetricsF(self.font).horizontalAdvance
        if not self.folded:
            return self._boxes_in_columns([*words, (MORE, FEWER, wide(FEWER))])
        if self.title:  # it leaves half of its line to names
            words = [(*words[0][:2], min(words[0][2], TITLE * self.width)), *words[1:]]
            boxes = self._boxes_in_columns(words)
            if self._fitting_count(boxes) == len(words):
                return boxes
        for count in range(max(1, self._fitting_count(self._wrapped_boxes(words))), 0, -1):
            text = f"+{len(words) - count}"
            boxes = self._boxes_in_columns([*words[:count], (MORE, text, wide(text))])
            if self._fitting_count(boxes) == count + 1:
                break
        return boxes

    def _fitting_count(self, boxes: list[Box]) -> int:
        """Number of boxes within the lines that names may use."""
        return sum(box.bottom() <= ABOVE + self.lines * self._line() for box, *_ in boxes)

    def _wrapped_boxes(self, words: list[Word]) -> list[Box]:
        """Rectangles of words in wrapped lines."""
        boxes, x, y, height = [], MARGIN, ABOVE, self._line()
        for k, text, wide in words:
            if x > MARGIN and (k == GOES_ON or x + wide > self.width - MARGIN):
                x, y = MARGIN, y + height
            boxes.append((QRectF(x, y, min(wide, self.width - x), height), k, text))
            x += wide + BETWEEN
        return boxes

    def _boxes_in_columns(self, words: list[Word]) -> list[Box]:
        """Rectangles of names: in one line, or below each other in as many columns as fit."""
        room = self.width - 2 * MARGIN
        if sum(wide for *_, wide in words) + BETWEEN * (len(words) - 1) <= room:
            return self._wrapped_boxes(words)
        cell = max((wide for k, _, wide in words if k >= 0), default=room) + BETWEEN
        columns = max(1, int((room + BETWEEN) / cell))
        boxes, place, height = [], 0, self._line()
        for k, text, wide in words:
            cells = min(columns, math.ceil((wide + BETWEEN) / cell))  # of a title that is longer than names
            place += -place % columns if place % columns + cells > columns else 0
            row, column = divmod(place, columns)
            wide = min(wide, room - column * cell)
            boxes.append((QRectF(MARGIN + column * cell, ABOVE + row * height, wide, height), k, text))
            place += cells
        return boxes

    def _lines(self, text: str, metrics: QFontMetricsF) -> list[str]:
        """Lines of an entry that is too wide: split between kinds of values, then at commas."""
        room = self.width - 2 * MARGIN - SAMPLE - SPACE
        fits = lambda line: metrics.horizontalAdvance(line) <= room  # noqa: E731
        if fits(text):
            return [text]
        lines: list[str] = []
        for kind in text.split("; "):
            line = ""
            for part in kind.split(", "):
                longer = f"{line}, {part}" if line else part
                if line and not fits(longer):
                    lines.append(line)
                    longer = part
                line = longer
            lines.append(line)
        return lines

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        for box, k, text in self._boxes():
            painter.setFont(self.bold if k == -1 else self.font)
            metrics = QFontMetricsF(painter.font())
            entry = self.entries[k] if k >= 0 else None
            faint = k == MORE or bool(entry and entry.hidden)
            painter.setPen(QColor(self.paper.muted if faint else self.paper.ink))
            words = box.adjusted(SAMPLE + SPACE, 0, 0, 0) if entry or k == GOES_ON else box
            way = Qt.TextElideMode.ElideRight if words is box else Qt.TextElideMode.ElideLeft
            text = metrics.elidedText(text, way, words.width() + 1)
            painter.drawText(words, flags, text)
            if entry:
                pen = QPen(entry.pen)
                pen.setWidthF(2.0)
                pen.setColor(QColor(self.paper.muted) if entry.hidden else entry.pen.color())
                painter.setPen(pen)
                middle = box.center().y()
                if entry.symbol:
                    place = QTransform().translate(box.left() + SAMPLE / 2, middle).scale(DOT, DOT)
                    painter.fillPath(place.map(Symbols[entry.symbol]), pen.color())
                else:
                    painter.drawLine(QPointF(box.left(), middle), QPointF(box.left() + SAMPLE, middle))

    def mousePressEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        left = event.button() == Qt.MouseButton.LeftButton
        k = next((k for box, k, _ in self._boxes() if left and box.contains(event.pos())), GOES_ON)
        self._pressed = k
        event.setAccepted(k == MORE or k >= 0)

    def mouseMoveEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        way = event.screenPos() - event.buttonDownScreenPos(Qt.MouseButton.LeftButton)
        if self._pressed >= 0 and way.manhattanLength() >= QApplication.startDragDistance():
            k, self._pressed = self._pressed, GOES_ON
            self.on_drag(k)

    def mouseReleaseEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        """Take a click, which a drag is not."""
        k, self._pressed = self._pressed, GOES_ON
        if k == MORE:
            self.on_more()
        elif k >= 0:
            self.on_click(k)
