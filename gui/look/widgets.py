"""Small widgets that the platform draws badly or has not: names that may be long, boxes to tick, short choices."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QActionGroup, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QCheckBox, QLabel, QMenu, QToolButton

from .icons import icon
from .theme import theme

BOX = 14


class ElidedLabel(QLabel):
    """Shows the two ends of a text that has no room, and all of it in its tooltip."""

    def minimumSizeHint(self) -> QSize:
        return QSize(80, super().minimumSizeHint().height())

    def shown(self) -> str:
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideMiddle, self.width())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(
            self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.shown()
        )


class CheckBox(QCheckBox):
    """A box whose outline shows on dark panels too."""

    def sizeHint(self) -> QSize:
        return QSize(BOX + 4, BOX + 4)

    def hitButton(self, pos) -> bool:  # type: ignore[no-untyped-def]
        return self.rect().contains(pos)

    def paintEvent(self, event: QPaintEvent) -> None:
        t, painter = theme(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(1.5, (self.height() - BOX) / 2 + 0.5, BOX - 1, BOX - 1)
        edge = "accent" if self.hasFocus() or self.isChecked() else "muted"
        painter.setPen(QPen(t.colour(edge), 1.6 if self.hasFocus() else 1))
        painter.setBrush(t.colour("accent" if self.isChecked() else "field"))
        painter.drawRoundedRect(box, 3, 3)
        if self.isChecked():
            painter.setPen(QPen(t.colour("accent_text"), 1.8))
            corners = ((3.2, 6.8), (5.6, 9.4), (10.0, 4.0))
            painter.drawPolyline(QPolygonF([box.topLeft() + QPointF(x, y) for x, y in corners]))


class Choice(QToolButton):
    """One of a few words, behind an icon."""

    chosen = Signal(str)

    def __init__(self, icon_name: str, words: list[str], tip: str):
        super().__init__()
        self.setIcon(icon(icon_name))
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setAccessibleName(tip)
        self._tip = tip
        self._group = QActionGroup(self)
        menu = QMenu(self)
        for word in words:
            action = self._group.addAction(menu.addAction(word))
            action.setCheckable(True)
        self.setMenu(menu)
        self._group.triggered.connect(lambda action: self.setCurrentText(action.text()))
        self._current = ""
        self.setCurrentText(words[0])

    def currentText(self) -> str:
        return self._current

    def setCurrentText(self, word: str) -> None:
        if word == self._current:
            return
        self._current = word
        for action in self._group.actions():
            action.setChecked(action.text() == word)
        self.setToolTip(f"{self._tip}: {word.lower()}")
        self.chosen.emit(word)
