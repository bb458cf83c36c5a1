"""A window and the hands of its user: mouse, keys, menus and what they answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QInputDialog,
    QLineEdit,
    QMenu,
)

from luff.gui.properties.property_groups import Group
from luff.gui.properties.property_rows import Row
from luff.gui.window.main_window import Window
from luff.tests.gui.driver import LEFT, NONE, Canvas
from luff.tests.shared.netlists import TWO_LINKS

TEXT = (
    TWO_LINKS
    + "plots:  # what to look at\n  - {title: Drive, y: [shoulder.position, elbow.position]}\n  - {y: [fore.x]}\n"
)


class User:
    """A window with a model, and the hands of its user."""

    def __init__(self, window: Window, monkeypatch: pytest.MonkeyPatch, folder: Path):
        self.window, self.patch, self.folder = window, monkeypatch, folder
        self.canvas = Canvas(window.document, window.view)

    def select(self, *names: str, wires: tuple[str, ...] = ()) -> None:
        self.window.view.canvas.select(names, wires)

    def menu(self, key: str) -> None:
        self.window.actions_[key].trigger()

    def chooses(self, *texts: str) -> None:
        """In the next menu that opens."""

        def choose() -> None:
            menu = QApplication.activePopupWidget()
            assert isinstance(menu, QMenu)
            found = menu
            for text in texts:
                action = next(
                    a for a in found.actions() if a.text().replace("&", "").partition("\t")[0] == text
                )
                inner = action.menu()
                if isinstance(inner, QMenu):
                    found = inner
                    found.aboutToShow.emit()  # as where it opens
                else:
                    action.trigger()
            menu.close()

        QTimer.singleShot(0, self.window, choose)

    def right_click(self, widget, at: QPoint) -> None:
        event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, widget.mapToGlobal(at))
        QApplication.sendEvent(widget, event)

    def right_click_canvas(self, place: tuple[float, float]) -> None:
        self.right_click(self.window.view.viewport(), self.canvas.at(*place))

    def answers(self, text: str) -> None:
        self.patch.setattr(QInputDialog, "getText", lambda *_, **__: (text, True))

    def row(self, *keys: str) -> Row:
        found: list[Row | Group] = self.window.properties.rows
        for key in keys[:-1]:
            group = next(row for row in found if row.keys[-1] == key)
            assert isinstance(group, Group)
            group.button.setChecked(True)
            found = group.rows
        row = next(row for row in found if row.keys[-1] == keys[-1])
        assert isinstance(row, Row)
        return row

    def types(self, text: str, *keys: str, part: int = 0) -> None:
        field = self.row(*keys).findChildren(QLineEdit)[part]
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, text)
        QTest.keyClick(field, Qt.Key.Key_Return)

    def drop(self, widget, data: QMimeData, at: QPoint) -> None:
        widget.dropEvent(QDropEvent(QPointF(at), Qt.DropAction.CopyAction, data, LEFT, NONE))

    def pane_menu(self, index: int) -> None:
        pane = self.window.deck.panes[index]
        self.right_click(pane.viewport(), pane.rect().center())

    def wire_place(self, text: str) -> tuple[float, float]:
        (x1, y1), (x2, y2) = self.window.view.canvas.wires[text].points[:2]
        return (x1 + x2) / 2, (y1 + y2) / 2


class Edits(dict[str, Callable[[User], object]]):
    """Ways to edit, by name; a decorator that takes in one more."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: dict[str, int] = {}  # of undo, of those that take more than one

    def __call__(self, work: Callable[[User], object]) -> Callable[[User], object]:
        self[work.__name__] = work
        return work

    def in_steps(self, count: int) -> Callable[[Callable[[User], object]], Callable[[User], object]]:
        def take(work: Callable[[User], object]) -> Callable[[User], object]:
            self.steps[work.__name__] = count
            return self(work)

        return take


def undoes_exactly(user: User, work: Callable[[User], object], steps: int = 1) -> None:
    document = user.window.document
    work(user)
    QApplication.processEvents()
    edited = document.diagram.to_yaml()
    assert edited != TEXT
    assert "# what to look at" in edited
    assert document.undo.count() == steps
    for _ in range(steps):
        user.menu("undo")
    QApplication.processEvents()
    assert document.diagram.to_yaml() == TEXT
    assert not user.window.isWindowModified()
    for _ in range(steps):
        user.menu("redo")
    QApplication.processEvents()
    assert document.diagram.to_yaml() == edited
    shown = SimpleNamespace(blocks=set(user.canvas.scene.blocks), wires=set(user.canvas.scene.wires))
    assert shown.blocks == set(document.block_names())
    assert shown.wires == set(document.diagram.connections)
