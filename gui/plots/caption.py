"""The line above a plot: its title, its curves, and their values at the cursor. Nothing covers the curves."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import (
    QApplication,
    QGraphicsItem,
    QGraphicsSceneMouseEvent,
    QStyleOptionGraphicsItem,
    QWidget,
)

from .paper import WHITE

SAMPLE, SPACE, BETWEEN, MARGIN = 16.0, 5.0, 14.0, 4.0  # px: line, line to word, entry to entry, edge

GOES_ON = -3  # in place of an entry's index: what stands below it


@dataclass
class Entry:
    name: str
    pen: QPen
    value: str = ""
    hidden: bool = False


class Caption(QGraphicsItem):
    """Flows over as many lines as it needs; a click on a curve's name hides or shows the curve."""

    def __init__(self, on_click: Callable[[int], None]):
        super().__init__()
        self.on_click = on_click
        self.title, self.moment = "", ""
        self.entries: list[Entry] = []
        self.width = 300.0
        self.paper = WHITE
        self.font, self.bold = QFont(QApplication.font()), QFont(QApplication.font())
        self.font.setPointSizeF(9)
        self.bold.setPointSizeF(9.5)
        self.bold.setBold(True)

    def show_text(self, title: str, entries: list[Entry]) -> None:
        self.prepareGeometryChange()
        self.title, self.entries = title, entries
        self.update()

    def show_values(self, moment: str, values: list[str]) -> None:
        """At the cursor; empty words take them away."""
        self.prepareGeometryChange()
        self.moment = moment
        for entry, value in zip(self.entries, values, strict=True):
            entry.value = value
        self.update()

    def lie_over(self, item: pg.PlotItem, most: float = math.inf) -> None:
        """Above a plot, from its left axis on; nothing where it would take more than `most` of the plot's height."""
        left = item.getAxis("left").width()
        self.setPos(left, 0)
        self.prepareGeometryChange()
        self.width = max(60.0, item.size().width() - left)
        height = self.boundingRect().height()
        self.setVisible(height <= most * item.size().height())
        height = height if self.isVisible() else 0.0
        if item.layout.rowMinimumHeight(0) != height:
            item.layout.setRowFixedHeight(0, height)

    def boundingRect(self) -> QRectF:
        bottom = max((box.bottom() for box, *_ in self._boxes()), default=0.0)
        return QRectF(0, 0, self.width, bottom + 3 if bottom else 0.0)

    def _boxes(self) -> list[tuple[QRectF, int, str]]:
        """Each word's place, the index of its entry (below zero: none), and its text."""
        metrics, bold = QFontMetricsF(self.font), QFontMetricsF(self.bold)
        height = metrics.height() + 3
        words = [(-1, self.title, bold.horizontalAdvance(self.title))] if self.title else []
        if self.moment:
            words.append(
                (-2, self.moment, max(metrics.horizontalAdvance(w) for w in (self.moment, "t = 00.00 s")))
            )
        for k, entry in enumerate(self.entries):
            # a value that grows by a digit must not move its neighbours
            room = metrics.horizontalAdvance("  -0.00000 mm") if self.moment else 0.0
            text = f"{entry.name}  {entry.value}" if entry.value else entry.name
            for part, line in enumerate(self._lines(text, metrics)):
                wide = max(metrics.horizontalAdvance(line), metrics.horizontalAdvance(entry.name) + room)
                words.append((k if part == 0 else GOES_ON, line, SAMPLE + SPACE + wide))
        boxes, x, y = [], MARGIN, 2.0
        for k, text, wide in words:
            if x > MARGIN and (k == GOES_ON or x + wide > self.width - MARGIN):
                x, y = MARGIN, y + height
            boxes.append((QRectF(x, y, min(wide, self.width - x), height), k, text))
            x += wide + BETWEEN
        return boxes

    def _lines(self, text: str, metrics: QFontMetricsF) -> list[str]:
        """Values that have no room on a line are parted between their kinds, and those where there is a comma."""
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
        metrics = QFontMetricsF(self.font)
        for box, k, text in self._boxes():
            painter.setFont(self.bold if k == -1 else self.font)
            entry = self.entries[k] if k >= 0 else None
            painter.setPen(QColor(self.paper.muted if entry and entry.hidden else self.paper.ink))
            words = box.adjusted(SAMPLE + SPACE, 0, 0, 0) if entry or k == GOES_ON else box
            if words is not box:
                text = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, words.width() + 1)
            painter.drawText(words, flags, text)
            if entry:
                pen = QPen(entry.pen)
                pen.setWidthF(2.0)
                pen.setColor(QColor(self.paper.muted) if entry.hidden else entry.pen.color())
                painter.setPen(pen)
                middle = box.center().y()
                painter.drawLine(QPointF(box.left(), middle), QPointF(box.left() + SAMPLE, middle))

    def mousePressEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        left = event.button() == Qt.MouseButton.LeftButton
        for box, k, _ in self._boxes():
            if left and k >= 0 and box.contains(event.pos()):
                self.on_click(k)
                event.accept()
                return
        event.ignore()
