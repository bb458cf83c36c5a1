"""Garbage collection of cycles in the window's thread only.

Python collects in whichever thread happens to allocate. In one that compiles or runs a model it would end objects of Qt
(a canvas that was closed, a menu) away from their own thread, with timers still set: the process dies at their next
tick.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QCoreApplication, QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication

PERIOD = 250  # ms between looks at what has gathered
FULL = 120  # looks between full collections, where those of the young are due as often


class Collector(QObject):
    """Garbage collector on a timer in the Qt thread, with Python's own thresholds."""

    def __init__(self, app: QCoreApplication):
        super().__init__(app)
        self.setObjectName("collector")
        gc.disable()
        self._looks = 0
        self._timer = QTimer(self, interval=PERIOD)
        self._timer.timeout.connect(self.collect_if_due)
        self._timer.start()

    def collect_if_due(self) -> None:
        """Collect what is due; older generations, which take longer than a frame, wait until no button is held."""
        self._looks += 1
        held = QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton
        young, middle, old = (n > most for n, most in zip(gc.get_count(), gc.get_threshold(), strict=True))
        if old and self._looks >= FULL and not held:
            self._looks = 0
            gc.collect()
        elif young or middle:
            gc.collect(1 if middle and not held else 0)


def collect_here() -> None:
    """Move cyclic garbage collection to the application's thread, from now on."""
    app = QCoreApplication.instance()
    if app is not None and app.findChild(QObject, "collector") is None:
        Collector(app)
