"""`luff gui FILES` in a window of a display, with one mouse and one keyboard on all that it opens."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, QSettings, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QMenu, QPushButton, QWidget

from luff.cli import main
from luff.gui.app import application
from luff.gui.window.file_actions import Files
from luff.gui.window.main_window import Window
from luff.tests.gui.window.session_script import LEFT, NONE, Hand, settle, show, wait_until

RIGHT, CTRL = Qt.MouseButton.RightButton, Qt.KeyboardModifier.ControlModifier


class WholeHand(Hand):
    """Hand that also uses menus, dialogs and buttons, and takes pictures of the screen."""

    def __init__(self, window: Window, folder: Path):
        super().__init__(window)
        self.folder = folder

    def key(self, key: Qt.Key, keys: Qt.KeyboardModifier = NONE) -> None:
        if (
            QApplication.activeWindow() is None
        ):  # as where a window manager would bring the window to the front
            to_front(self.window.tabs)
        super().key(key, keys)

    def picture(self, name: str) -> None:
        """Picture of the whole screen."""
        settle()
        QGuiApplication.primaryScreen().grabWindow(0).save(str(self.folder / f"{name}.png"))

    def press(self, widget: QWidget, at: QPoint | None = None, button: Qt.MouseButton = LEFT) -> None:
        """Click a widget where it is on its window."""
        window = widget.window()
        place = widget.mapTo(window, at or widget.rect().center())
        assert window.rect().contains(place), (widget, place)
        assert widget.isVisible(), widget
        QTest.mouseMove(window.windowHandle(), place)
        QTest.mouseClick(window.windowHandle(), button, NONE, place)
        settle()

    def button(self, text: str, within: QWidget | None = None) -> None:
        """Click the one button in sight that says this."""
        found = [
            one
            for one in (within or self.window.tabs).findChildren(QPushButton)
            if one.isVisible() and one.text().replace("&", "") == text
        ]
        assert len(found) == 1, (text, len(found))
        self.press(found[0])

    def pick(self, *texts: str) -> None:
        """Go to entries of the menu that is open by keys, from menu to menu."""
        menu = QApplication.activePopupWidget()
        for text in texts:
            assert isinstance(menu, QMenu), text
            found = [one for one in menu.actions() if words(one.text()) == text]
            assert found, (text, [words(one.text()) for one in menu.actions()])
            action = found[0]
            assert action.isEnabled(), text
            inner = action.menu()
            while menu.activeAction() is not action:
                QTest.keyClick(menu.windowHandle(), Qt.Key.Key_Down)
            settle()
            if isinstance(inner, QMenu):
                QTest.keyClick(menu.windowHandle(), Qt.Key.Key_Right)
                wait_until(inner.isVisible, text)
                menu = inner
            else:
                QTest.keyClick(menu.windowHandle(), Qt.Key.Key_Return)
            settle()

    def menu(self, *texts: str) -> None:
        """Click an entry of the menu bar."""
        bar = self.window.menu_bar
        action = next(one for one in bar.actions() if words(one.text()) == texts[0])
        self.press(bar, bar.actionGeometry(action).center())
        wait_until(lambda: isinstance(QApplication.activePopupWidget(), QMenu), "the menu")
        self.pick(*texts[1:])

    def choose(self, order: Callable[[], None], *texts: str, picture: str = "") -> None:
        """Give an order that opens a menu and returns once it is closed, and click entries of the menu."""

        def pick() -> None:
            popup = QApplication.activePopupWidget()
            if not isinstance(popup, QMenu):
                QTimer.singleShot(20, pick)
                return
            if picture:
                self.picture(picture)
            try:
                self.pick(*texts)
            except BaseException as error:
                missed.append(error)
            while (popup := QApplication.activePopupWidget()) is not None:  # one that stays open for more
                QTest.keyClick(popup.windowHandle(), Qt.Key.Key_Escape)

        missed: list[BaseException] = []
        QTimer.singleShot(0, pick)
        order()
        settle()
        if missed:
            raise missed[0]

    def right_click(self, at: QPoint, *texts: str, picture: str = "") -> None:
        """Open the menu of what is there on the window, and click entries of it."""
        QTest.mouseMove(self.handle, at)
        self.choose(lambda: QTest.mouseClick(self.handle, RIGHT, NONE, at), *texts, picture=picture)

    def double_click(self, at: QPoint) -> None:
        QTest.mouseDClick(self.handle, LEFT, NONE, at)
        settle()

    def block(self, name: str) -> QPoint:
        left, top, right, bottom = self.window.view.canvas.blocks[name].rect()
        return self.on_canvas((left + right) / 2, (top + bottom) / 2)

    def click_block(self, name: str, keys: Qt.KeyboardModifier = NONE) -> None:
        QTest.mouseMove(self.handle, self.block(name))
        QTest.mouseClick(self.handle, LEFT, keys, self.block(name))
        settle()

    def wire(self, connection: str) -> QPoint:
        middle = self.window.view.canvas.wires[connection].middle()
        assert middle is not None
        view = self.window.view
        assert view.viewport().rect().contains(view.mapFromScene(middle)), f"{connection} is out of sight"
        return self.on_canvas(middle.x(), middle.y())

    def with_dialog(
        self, kind: type[QDialog], order: Callable[[], None], look: Callable[[Any], object]
    ) -> Any:
        """What a look at the dialog finds that an order opens; Escape closes it."""
        found: list[object] = []

        def read() -> None:
            dialog = QApplication.activeModalWidget()
            handle = dialog.windowHandle() if isinstance(dialog, kind) else None
            if handle is None or not handle.isExposed():
                QTimer.singleShot(50, read)
                return
            found.append(look(dialog))
            QTest.keyClick(handle, Qt.Key.Key_Escape)

        QTimer.singleShot(50, read)
        order()
        wait_until(lambda: bool(found), kind.__name__)
        settle()
        return found[0]

    def proposed(self, order: Callable[[], None]) -> Path:
        """File that the dialog of an order proposes."""
        return self.with_dialog(QFileDialog, order, lambda dialog: Path(dialog.selectedFiles()[0]))

    def types(self, widget: QWidget, text: str) -> None:
        """Type into what has the focus on the window of a widget, and Return."""
        top = widget.window()
        to_front(top)
        press: Any = QTest.keyClick
        for letter in text:
            press(top.windowHandle(), letter)
        QTest.keyClick(top.windowHandle(), Qt.Key.Key_Return)
        settle()

    def runs(self) -> None:
        """Ctrl+Return, and wait for the end."""
        self.window.view.setFocus()
        self.key(Qt.Key.Key_Return, CTRL)
        assert self.window.runner.active, self.window.log.toPlainText()
        wait_until(lambda: not self.window.runner.active, "the run")
        settle()
        wait_until(lambda: not self.window.running._clock.isActive(), "the window to hear of it")


def to_front(top: QWidget) -> None:
    """Wait until a window has the keyboard, which without a window manager it has to ask for."""
    top.activateWindow()
    wait_until(lambda: QApplication.activeWindow() is top, "the window in front")


def words(text: str) -> str:
    return text.replace("&", "").partition("\t")[0].removesuffix("...")


def dialogs() -> list[QWidget]:
    """Top-level windows in sight beside the one with the tabs."""
    return [one for one in QApplication.topLevelWidgets() if one.isVisible() and one.objectName() != "tabs"
            and not isinstance(one, type(Window.open_windows[-1].tabs))]  # fmt: skip


def in_window(files: list[str], folder: Path, work: Callable[[WholeHand], dict[str, Any]]) -> None:
    """Run `luff gui FILES`; print what the hand reports of its work as JSON."""

    def begin() -> None:
        try:
            window = Window.open_windows[0]
            assert isinstance(window, Window)
            show(window)
            report = work(WholeHand(window, folder))
            report["platform"] = QApplication.platformName()
            print("REPORT " + json.dumps(report), flush=True)
        except BaseException:
            traceback.print_exc()
            QGuiApplication.primaryScreen().grabWindow(0).save(str(folder / "failed.png"))
            sys.stderr.flush()
            os._exit(1)
        Files.may_close = lambda self, level: True  # type: ignore[method-assign]
        QApplication.exit()

    QSettings.setDefaultFormat(QSettings.Format.IniFormat)
    with tempfile.TemporaryDirectory() as settings:
        QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, settings)
        application()
        QTimer.singleShot(300, begin)
        sys.argv = ["luff", "gui", *files]
        main()
