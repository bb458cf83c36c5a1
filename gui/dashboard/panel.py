"""The panel of the dashboard: its items in rows, what is wrong with devices, how punctual the run is."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QResizeEvent
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
from ...solver.result.formats import FORMATS
from ..look.widgets import ElidedLabel
from ..run.board import Board
from .dial import DialWidget
from .entry import EntryDialog

GAP = 8
EMPTY = "Levers, knobs, gauges and lamps in front of the model: Add..."
DRIVES = ";;".join(one.line for one in FORMATS)


class Rows(QWidget):
    """Items beside each other, in as many rows as the width asks for."""

    def __init__(self) -> None:
        super().__init__()
        self.dials: list[DialWidget] = []

    def show_dials(self, dials: list[DialWidget]) -> None:
        for old in self.dials:
            old.hide()
            old.deleteLater()
        self.dials = dials
        for dial in dials:
            dial.setParent(self)
            dial.show()
        self.lay_out()

    def lay_out(self) -> None:
        x = y = GAP
        high = 0
        for dial in self.dials:
            if x + dial.width() + GAP > self.width() and x > GAP:
                x, y, high = GAP, y + high + GAP, 0
            dial.move(QPoint(x, y))
            x, high = x + dial.width() + GAP, max(high, dial.height())
        self.setMinimumHeight(y + high + GAP if self.dials else 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.lay_out()


class Dashboard(QWidget):
    message = Signal(str)

    def __init__(self, board: Board):
        super().__init__()
        self.board = board
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.rows = Rows()
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(self.rows)
        self.empty = QLabel(EMPTY, self.rows)
        self.empty.setProperty("role", "muted")
        self.empty.move(GAP, GAP)
        self.empty.resize(QSize(420, 20))
        self.status = ElidedLabel()
        self.status.setAccessibleName("State of the operator's devices")
        head = QHBoxLayout()
        head.setContentsMargins(6, 4, 6, 0)
        for text, tip, slot in (
            ("Add...", "Add an item to the dashboard", self._add),
            ("Keep...", "Save what the operator did in the last run, for luff run --replay", self._keep),
        ):
            button = QToolButton()
            button.setText(text)
            button.setToolTip(tip)
            button.clicked.connect(slot)
            head.addWidget(button)
        head.addWidget(self.status, 1)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addLayout(head)
        box.addWidget(area, 1)
        self._lost = ""
        board.changed.connect(self._show)
        board.runner.operated.connect(self._on_devices)
        self._clock = QTimer(self, interval=500)
        self._clock.timeout.connect(self._show_status)
        self._clock.start()
        self._show()

    def _show(self) -> None:
        self.rows.show_dials([DialWidget(self.board, k) for k in range(len(self.board.dials))])
        self.empty.setVisible(not self.board.dials)

    # --- words ---------------------------------------------------------------------------------------------------

    def _on_devices(self, words: str) -> None:
        self._lost = words
        if words:
            self.message.emit(words)
        self._show_status()

    def _show_status(self) -> None:
        punctual = self.board.runner.punctuality
        text = self._lost or (f"Real time: {punctual}" if punctual else "")
        if text != self.status.text():
            self.status.setText(text)
            self.status.setProperty("role", "warning" if self._lost else "muted")
            self.status.style().unpolish(self.status)
            self.status.style().polish(self.status)

    # --- edits ---------------------------------------------------------------------------------------------------

    def _add(self) -> None:
        self._open(None)

    def _open(self, k: int | None) -> None:
        document = self.board.document
        if document is not None:
            dialog = EntryDialog(self, document, k)
            dialog.open()

    def remove(self, k: int) -> None:
        document = self.board.document
        if document is not None:
            with document.step("remove from dashboard"):
                document.set_section(
                    "dashboard", [raw for j, raw in enumerate(document.diagram.dashboard) if j != k]
                )

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        at = next((dial for dial in self.rows.dials if dial.underMouse()), None)
        menu = QMenu(self)
        if at is not None:
            k = at.k
            menu.addAction("Edit...", lambda: self._open(k))
            menu.addAction("Remove", lambda: self.remove(k))
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
        """Keys that items declare, whichever of them has the focus."""
        if not any(dial.press(event, own=False) for dial in self.rows.dials):
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if not any(dial.let_go(event, own=False) for dial in self.rows.dials):
            super().keyReleaseEvent(event)
