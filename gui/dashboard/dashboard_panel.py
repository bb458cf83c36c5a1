"""Dashboard panel: items in rows, problems of input devices, timing of the run."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import QPoint, QRectF, QSize, QSizeF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QMenu,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ...blocks import LuffError
from ...solver.diagram.dashboard_section import HANDS
from ...solver.results.file_formats import FORMATS
from ..document import dial_edits
from ..run.dashboard_state import DashboardState
from ..run.dial_gestures import DialGestures
from ..theme.dial_painting import paint, size_of
from ..theme.small_widgets import ElidedLabel, laid, set_style_property
from .dial_dialog import EntryDialog

GAP = 6
LENGTHS = (1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7)  # scales of the usual length, down to the least readable one
SHARES = sorted(itertools.product(LENGTHS, LENGTHS), key=math.prod, reverse=True)  # of width, height
EMPTY = "Levers, knobs, gauges and lamps in front of the model: Add..."
ELSEWHERE = "All items stand on the canvas"
DRIVES = ";;".join(one.line for one in FORMATS)


class DialWidget(QWidget):
    def __init__(self, board: DashboardState, k: int):
        super().__init__()
        self.board, self.k, self.hand = board, k, DialGestures(board, k)
        dial = board.dials[k]
        self.setFixedSize(self.size_at(1.0, 1.0))
        self.setAccessibleName(f"{dial.kind} {dial.title or dial.of}".replace("_", " "))
        self.setToolTip(f"{dial.of}" + (f" [{dial.unit}]" if dial.unit else ""))
        if dial.kind in HANDS:
            self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        board.moved.connect(self.update)

    def size_at(self, wide: float, high: float) -> QSize:
        """Size at the given shares of the item's usual width and height; text keeps its height."""
        width, height = size_of(self.board.dials[self.k])
        return QSize(int(wide * width), int(high * height))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        shown = self.board.shown(self.k, self.hasFocus())
        paint(painter, QRectF(self.rect()), self.board.dials[self.k], shown)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or not self.hand.grip(event.position()):
            event.ignore()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.hand.pull(event.position(), QSizeF(self.size()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.hand.release_dial()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.setAccepted(self.hand.turn(event.angleDelta().y() / 120))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.hand.press(event):
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if not self.hand.let_go(event):
            super().keyReleaseEvent(event)


def row_layout(sizes: Sequence[QSize], width: int) -> tuple[list[QPoint], int]:
    """Positions of cards in rows of a given width, and the total height [px]."""
    places: list[QPoint] = []
    x = y = GAP
    high = 0
    for size in sizes:
        if x + size.width() + GAP > width and x > GAP:
            x, y, high = GAP, y + high + GAP, 0
        places.append(QPoint(x, y))
        x, high = x + size.width() + GAP, max(high, size.height())
    return places, y + high + GAP if sizes else 0


class Rows(QScrollArea):
    """Scroll area of dashboard items in rows; items shrink if only then all are visible."""

    def __init__(self) -> None:
        super().__init__()
        self.dials: list[DialWidget] = []
        self.sheet = QWidget()
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(self.sheet)

    def show_dials(self, dials: list[DialWidget]) -> None:
        for old in self.dials:
            old.hide()
            old.deleteLater()
        self.dials = dials
        for dial in dials:
            dial.setParent(self.sheet)
            dial.show()
        self.lay_out()

    def lay_out(self) -> None:
        """Lay the items out at the largest size at which all fit; below the least size, with a scroll bar."""
        room = self.maximumViewportSize()
        sizes = next(
            (sizes for sizes in self._sizes() if row_layout(sizes, room.width())[1] <= room.height()), None
        )
        if sizes is None:
            room, sizes = room - QSize(self.verticalScrollBar().sizeHint().width(), 0), [*self._sizes()][-1]
        places, high = row_layout(sizes, room.width())
        for dial, size, place in zip(self.dials, sizes, places, strict=True):
            dial.setFixedSize(size)
            dial.move(place)
        self.sheet.setMinimumHeight(high)

    def _sizes(self) -> Iterator[list[QSize]]:
        """Item sizes at each allowed scale, largest first."""
        for wide, high in SHARES:
            yield [dial.size_at(wide, high) for dial in self.dials]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.lay_out()


class Dashboard(QWidget):
    message = Signal(str)
    wanted_on_canvas = Signal(int)

    def __init__(self, board: DashboardState):
        super().__init__()
        self.board = board
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.rows = Rows()
        self.empty = QLabel(EMPTY, self.rows.sheet)
        self.empty.setProperty("role", "muted")
        self.empty.move(GAP, GAP)
        self.empty.resize(QSize(420, 20))
        self.status = ElidedLabel()
        self.status.setAccessibleName("State of the operator's devices")
        head = laid(QHBoxLayout(), margins=(6, 4, 6, 0))
        for text, tip, slot in (
            ("Add...", "Add an item to the dashboard", self._add),
            ("Keep...", "Save what the operator did in the last run, to repeat it", self._keep),
        ):
            button = QToolButton()
            button.setText(text)
            button.setToolTip(tip)
            button.clicked.connect(slot)
            head.addWidget(button)
        head.addWidget(self.status, 1)
        laid(QVBoxLayout(self), head, (self.rows, 1), margins=(0, 0, 0, 0))
        self._lost = ""
        board.changed.connect(self._show)
        board.runner.operated.connect(self._on_devices)
        self._clock = QTimer(self, interval=500)
        self._clock.timeout.connect(self._show_status)
        self._clock.start()
        self._show()

    def _show(self) -> None:
        here = [k for k, dial in enumerate(self.board.dials) if dial.at is None]
        self.rows.show_dials([DialWidget(self.board, k) for k in here])
        self.empty.setText(ELSEWHERE if self.board.dials else EMPTY)
        self.empty.setVisible(not here)

    # --- words ---------------------------------------------------------------------------------------------------

    def _on_devices(self, words: str) -> None:
        self._lost = words
        if words:
            self.message.emit(words)
        self._show_status()

    def _show_status(self) -> None:
        punctual = self.board.runner.lateness_text
        text = self._lost or (f"Real time: {punctual}" if punctual else "")
        if text != self.status.text():
            self.status.setText(text)
            set_style_property(self.status, "role", "warning" if self._lost else "muted")

    # --- edits ---------------------------------------------------------------------------------------------------

    def _add(self) -> None:
        self.edit(None)

    def edit(self, k: int | None) -> None:
        """Open the dialog of item k, or of a new item when k is None."""
        if self.board.document is not None:
            EntryDialog(self, self.board.document, k).open()

    def remove(self, k: int) -> None:
        if self.board.document is not None:
            dial_edits.remove(self.board.document, [k])

    def take_back(self, k: int) -> None:
        """Move an item from the canvas back to the panel."""
        if self.board.document is not None:
            dial_edits.put(self.board.document, {k: None}, "back to dashboard")

    def menu_of(self, k: int) -> QMenu:
        """Context menu of an item in the panel or on the canvas."""
        menu = QMenu(self)
        menu.addAction("Edit...", lambda: self.edit(k))
        if self.board.dials[k].at is None:
            menu.addAction("Put on Canvas", lambda: self.wanted_on_canvas.emit(k))
        else:
            menu.addAction("Back to Dashboard", lambda: self.take_back(k))
        menu.addAction("Remove", lambda: self.remove(k))
        return menu

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        at = next((dial for dial in self.rows.dials if dial.underMouse()), None)
        menu = QMenu(self) if at is None else self.menu_of(at.k)
        menu.addSeparator()
        menu.addAction("Add...", self._add)
        menu.exec(event.globalPos())

    # --- what was done -------------------------------------------------------------------------------------------

    def _keep(self) -> None:
        if self.board.runner.done is None or self.board.runner.active:
            self.message.emit("Run the model, and stop it: then what was done can be saved")
            return
        name, _ = QFileDialog.getSaveFileName(self, "Keep What Was Done", "drive.h5", DRIVES)
        if name:
            self.keep(Path(name))

    def keep(self, path: Path) -> None:
        done = self.board.runner.done
        if done is None:
            return
        try:
            done.drive.save(path)
        except LuffError as error:
            self.message.emit(str(error))
            return
        lacks = f"; changes of {', '.join(sorted(done.unkept))} are not in it" if done.unkept else ""
        self.message.emit(f"Saved {path.name}{lacks}")

    # --- keys ----------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Offer a key to all items that declare it, wherever they are and whichever has the focus."""
        if not any(hand.press(event, own=False) for hand in self._hands()):
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if not any(hand.let_go(event, own=False) for hand in self._hands()):
            super().keyReleaseEvent(event)

    def _hands(self) -> list[DialGestures]:
        return [DialGestures(self.board, k) for k in range(len(self.board.dials))]
