"""Wires of a large diagram at rest: routed anew in slices between events, as they run when its file is opened again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication

REST = 300  # ms after the last edit
SLICE = 0.005  # s of routing between two events: a sixth of a frame of 30 a second


class RestRouting(QObject):
    def __init__(self, parent: QObject, route: Callable[[], Iterator[None]]):
        """Routing that goes on where `route` yields; it is begun anew after each edit."""
        super().__init__(parent)
        self._route = route
        self._work: Iterator[None] | None = None
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._go_on)

    @property
    def waiting(self) -> bool:
        """True until all wires are routed."""
        return self._timer.isActive()

    def begin(self) -> None:
        self._work = None
        self._timer.start(REST)

    def stop(self) -> None:
        self._work = None
        self._timer.stop()

    def _go_on(self) -> None:
        if QApplication.mouseButtons() != Qt.MouseButton.NoButton:  # no wire moves under the hand
            self._timer.start(REST)
            return
        if self._work is None:
            self._work = self._route()
        end = time.perf_counter() + SLICE
        for _ in self._work:
            if time.perf_counter() > end:
                self._timer.start(0)
                return
        self._work = None
