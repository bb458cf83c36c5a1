"""A mouse on a canvas, in coordinates of the diagram."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from luff.gui.canvas.view import CanvasView
from luff.gui.document.document import Document
from luff.gui.window.analyses.analysis_panel import AnalysisPanel
from luff.gui.window.analyses.panel_table import PANELS
from luff.gui.window.dialogs.work_dialog import WorkDialog
from luff.gui.window.main_window import Window

LONG = 600_000  # ms until a wait is given up: no machine is that slow, and a wait that ends costs nothing
LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


class Canvas:
    """A canvas at scale 1, and the mouse on it in coordinates of the diagram."""

    def __init__(self, document: Document, view: CanvasView):
        self.document, self.view, self.scene = document, view, view.canvas

    def at(self, x: float, y: float) -> QPoint:
        return self.view.mapFromScene(QPointF(x, y))

    def port(self, reference: str) -> tuple[float, float]:
        block, _, port = reference.partition(".")
        end = self.scene.blocks[block].end(port)
        assert end is not None, f"{reference} is not on the canvas"
        return end.x, end.y

    def middle(self, name: str) -> tuple[float, float]:
        left, top, right, bottom = self.scene.blocks[name].rect()
        return (left + right) / 2, (top + bottom) / 2

    def press(
        self, place: tuple[float, float], button: Qt.MouseButton = LEFT, keys: Qt.KeyboardModifier = NONE
    ) -> None:
        QTest.mousePress(self.view.viewport(), button, keys, self.at(*place))

    def move(
        self, place: tuple[float, float], button: Qt.MouseButton = LEFT, keys: Qt.KeyboardModifier = NONE
    ) -> None:
        pixel = QPointF(self.at(*place))
        event = QMouseEvent(
            QEvent.Type.MouseMove, pixel, self.view.viewport().mapToGlobal(pixel), button, button, keys
        )
        QApplication.sendEvent(self.view.viewport(), event)

    def release(
        self, place: tuple[float, float], button: Qt.MouseButton = LEFT, keys: Qt.KeyboardModifier = NONE
    ) -> None:
        QTest.mouseRelease(self.view.viewport(), button, keys, self.at(*place))

    def click(self, place: tuple[float, float], keys: Qt.KeyboardModifier = NONE) -> None:
        self.press(place, keys=keys)
        self.release(place, keys=keys)

    def drag(
        self, start: tuple[float, float], end: tuple[float, float], keys: Qt.KeyboardModifier = NONE
    ) -> None:
        self.press(start, keys=keys)
        for part in (0.3, 0.7, 1.0):
            self.move(
                (start[0] + part * (end[0] - start[0]), start[1] + part * (end[1] - start[1])), keys=keys
            )
        self.release(end, keys=keys)

    def double_click(self, place: tuple[float, float]) -> None:
        QTest.mouseDClick(self.view.viewport(), LEFT, NONE, self.at(*place))

    def key(self, key: Qt.Key, keys: Qt.KeyboardModifier = NONE) -> None:
        QTest.keyClick(self.view, key, keys)


def dialog_of(window: Window, key: str) -> WorkDialog:
    """The dialog that a menu entry opens."""
    window.actions_[key].trigger()
    return next(child for child in window.findChildren(WorkDialog) if child.isVisible())


def panel_of(window: Window, key: str) -> AnalysisPanel:
    """The panel that a menu entry opens, which is in front."""
    window.actions_[key].trigger()
    QApplication.processEvents()
    panel = window.analyses.panels[PANELS[key]]
    assert window.panels.is_visible(panel.title)
    return panel


def answered(form: WorkDialog | AnalysisPanel, qtbot) -> str:
    """Text of the form once its work is done."""
    QTest.mouseClick(form.begin, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(form.begin.isEnabled, timeout=LONG)
    return form.said.text()


def run_to_end(window: Window, qtbot, sim: object) -> None:
    window.runner.compiler = lambda diagram: sim
    window.running.on_run()
    # and until the window has heard of it
    qtbot.waitUntil(
        lambda: window.runner.state == "finished" and not window.running._clock.isActive(), timeout=LONG
    )
    window.deck.tick(force=True)  # what the next tick of the window would draw
