"""Build a two-link arm with a PD controller by mouse and keyboard alone, run it, save it, open it again.

Run by `test_session.py` in a process of its own with a display; prints what it saw as JSON. Events enter through the
window as the platform delivers them: Qt itself finds the widget, the focus and the shortcut.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, QPointF, QSettings, QStandardPaths, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QWidget

from luff.gui.app import application
from luff.gui.properties.property_groups import Group
from luff.gui.properties.property_rows import Row
from luff.gui.window.main_window import Window
from luff.tests.gui.driver import LONG

LEFT, NONE, CTRL = (
    Qt.MouseButton.LeftButton,
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ControlModifier,
)


class Hand:
    """One mouse and one keyboard, on a window."""

    def __init__(self, window: Window):
        self.window = window

    @property
    def handle(self):
        handle = self.window.tabs.windowHandle()
        assert handle is not None
        return handle

    def point(self, widget: QWidget, at: QPoint | None = None) -> QPoint:
        return widget.mapTo(self.window.tabs, at or widget.rect().center())

    def on_canvas(self, x: float, y: float) -> QPoint:
        view = self.window.view
        return view.viewport().mapTo(self.window.tabs, view.mapFromScene(QPointF(x, y)))

    def port(self, reference: str) -> QPoint:
        block, _, port = reference.partition(".")
        end = self.window.view.canvas.blocks[block].end(port)
        assert end is not None, reference
        return self.on_canvas(end.x, end.y)

    def click(self, at: QPoint) -> None:
        QTest.mouseMove(self.handle, at)
        QTest.mouseClick(self.handle, LEFT, NONE, at)
        settle()

    def drag(self, start: QPoint, end: QPoint) -> None:
        QTest.mouseMove(self.handle, start)
        QTest.mousePress(self.handle, LEFT, NONE, start)
        for k in (1, 2, 3, 4):
            QTest.mouseMove(self.handle, start + (end - start) * k / 4)
            settle()
        QTest.mouseRelease(self.handle, LEFT, NONE, end)
        settle()

    def type(self, text: str) -> None:
        press: Any = QTest.keyClick
        for letter in text:
            press(self.handle, letter)

    def key(self, key: Qt.Key, keys: Qt.KeyboardModifier = NONE) -> None:
        QTest.keyClick(self.handle, key, keys)
        settle()

    def insert(self, words: str, name: str, x: float, y: float) -> None:
        """Point, type, Return; then name it in the panel."""
        self.click(self.on_canvas(x, y))
        self.type(words)
        self.key(Qt.Key.Key_Return)
        self.key(Qt.Key.Key_F2)
        self.type(name)
        self.key(Qt.Key.Key_Return)
        assert name in self.window.document.diagram.blocks, (name, list(self.window.document.diagram.blocks))

    def fill(self, block: str, **values: str) -> None:
        """Click the block, then each field, and type."""
        left, top, right, _ = self.window.view.canvas.blocks[block].rect()
        self.click(self.on_canvas((left + right) / 2, top + 14))
        for key, text in values.items():
            fields = row_of(self.window.properties.rows, key.split("__")).findChildren(QLineEdit)
            for field, part in zip(fields, text.split(), strict=False):
                self.window.properties.ensureWidgetVisible(field)
                settle()
                self.click(self.point(field))
                self.key(Qt.Key.Key_A, CTRL)
                self.type(part.replace("_", " "))
                self.key(Qt.Key.Key_Return)

    def in_dialog(self, path: Path, order: Callable[[], None]) -> None:
        """Give an order that opens a file dialog, and answer the dialog by keyboard."""

        def answer() -> None:
            dialog = QApplication.activeModalWidget()
            handle = dialog.windowHandle() if isinstance(dialog, QFileDialog) else None
            if dialog is None or handle is None or not handle.isExposed():
                QTimer.singleShot(50, answer)
                return
            field = dialog.findChild(QLineEdit, "fileNameEdit")
            assert field is not None
            field.setFocus()
            QTest.keyClick(handle, Qt.Key.Key_A, CTRL)
            press: Any = QTest.keyClick
            for letter in str(path):
                press(handle, letter)
            QTest.keyClick(handle, Qt.Key.Key_Return)

        QTimer.singleShot(50, answer)
        order()
        settle()


def row_of(rows: list[Row | Group], keys: list[str]) -> QWidget:
    row = next(row for row in rows if row.keys[-1] == keys[0])
    if len(keys) == 1:
        return row
    assert isinstance(row, Group)
    if not row.button.isChecked():
        row.button.click()
        settle()
    return row_of(row.rows, keys[1:])


def settle() -> None:
    for _ in range(3):
        QApplication.processEvents()


def wait_until(done: Callable[[], object], what: str, seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while not done():
        QTest.qWait(20)
        assert time.monotonic() < end, f"waited in vain: {what}"


def show(window: Window) -> None:
    """In front, and the one that gets the keys."""
    window.tabs.show()
    assert QTest.qWaitForWindowExposed(window.tabs, LONG)
    window.activateWindow()
    wait_until(lambda: QApplication.activeWindow() is window.tabs, "the window to become active")
    settle()


def build(hand: Hand) -> None:
    window = hand.window
    window.view.resetTransform()
    window.view.centerOn(450, 180)
    settle()
    hand.insert("revolute", "shoulder", 180, 60)
    hand.insert("rigid", "upper", 380, 60)
    hand.insert("revolute", "elbow", 580, 60)
    hand.insert("rigid", "fore", 780, 60)
    hand.insert("sine", "reference", 100, 260)
    hand.insert("pd", "controller", 320, 260)
    for a, b in [
        ("shoulder.frame_b", "upper.frame_a"),
        ("upper.frame_b", "elbow.frame_a"),
        ("elbow.frame_b", "fore.frame_a"),
        ("reference.trajectory", "controller.target"),
        ("shoulder.trajectory", "controller.measured"),
        ("controller.effort", "shoulder.effort"),
    ]:
        hand.drag(hand.port(a), hand.port(b))
    hand.fill("shoulder", axis="y")
    hand.fill("upper", mass="2_kg", com="0.5 0 0", inertia="[0.01,_0.17,_0.17]", frame_b__at="1_m 0 0")
    hand.fill("elbow", axis="y", damping="0.5")
    hand.fill("fore", mass="1_kg", com="0.4 0 0", inertia="[0.005,_0.05,_0.05]")
    hand.fill("reference", amplitude="0.5", unit="rad")
    hand.fill("controller", kp="400", kd="60")
    # the paper: the settings of the run
    hand.click(hand.on_canvas(620, 330))
    row = row_of(window.properties.rows, ["stop"]).findChild(QLineEdit)
    assert row is not None
    hand.click(hand.point(row))
    hand.type("2")
    hand.key(Qt.Key.Key_Return)


def restores_a_panel_in_front() -> bool:
    """True if a panel of the window before, which stands behind others of a new page, comes to the front."""
    before = Window()  # its panels are those of the window that was closed
    show(before)
    before.panels.show("Dashboard")
    settle()
    known = [*Window.open_windows]
    before.actions_["new"].trigger()
    settle()
    page = next(one for one in Window.open_windows if one not in known)
    wait_until(lambda: page.view.isVisible(), "the new page")
    settle()
    page.actions_["optimise"].trigger()
    wait_until(lambda: page.panels.is_visible("Optimise"), "the panel in front")
    settle()  # none of those that were restored comes before it
    seen = page.panels.is_visible("Optimise")
    page.close()
    before.close()
    return seen


def main(folder: Path) -> None:
    path = folder / "arm.yaml"
    window = Window()
    window.tabs.resize(1400, 900)
    show(window)
    hand = Hand(window)
    build(hand)
    pane = window.deck.panes[0]
    hand.drag(hand.port("shoulder.position"), hand.point(pane))
    window.document.check()
    problems = [str(problem) for problem in window.document.problems]
    assert not problems, problems
    hand.key(Qt.Key.Key_Return, CTRL)
    assert window.runner.active, window.log.toPlainText()
    wait_until(lambda: not window.runner.active, "the run")
    assert window.runner.state == "finished", window.log.toPlainText()
    window.deck.tick(force=True)
    times, values = window.deck.panes[0].curves["shoulder.position"].getData()
    assert times is not None
    assert values is not None
    hand.in_dialog(path, lambda: hand.key(Qt.Key.Key_S, CTRL))
    assert path.is_file()
    assert not window.isWindowModified()
    text = window.document.diagram.to_yaml()
    window.actions_["optimise"].trigger()
    settle()
    window.panels.show("Dashboard")
    other = Window()
    show(other)
    window.close()
    show(other)
    second = Hand(other)
    second.in_dialog(path, lambda: second.key(Qt.Key.Key_O, CTRL))
    report = {
        "platform": QApplication.platformName(),
        "time": float(times[-1]),
        "position": float(values[-1]),
        "range": [float(values.min()), float(values.max())],
        "same_text": other.document.diagram.to_yaml() == text == path.read_text(),
        "blocks": list(other.document.diagram.blocks),
        "connections": other.document.diagram.connections,
    }
    report["restored"] = restores_a_panel_in_front()
    other.close()
    print("REPORT " + json.dumps(report))


if __name__ == "__main__":
    place = Path(sys.argv[1])
    QStandardPaths.setTestModeEnabled(True)
    QSettings.setDefaultFormat(QSettings.Format.IniFormat)
    with tempfile.TemporaryDirectory() as settings:
        QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, settings)
        application()
        main(place)
