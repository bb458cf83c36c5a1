"""The canvas half of docs/tutorial.md, by mouse and keys, in the order and with the words of the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit

import luff
from luff.gui.run.run_thread import PAUSED
from luff.tests.gui.driver import LONG
from luff.tests.gui.user import User

PAGE = Path(luff.__file__).parent / "docs" / "tutorial.md"
CONTROL = Qt.KeyboardModifier.ControlModifier
MOVED = 0.02  # s of the model: enough to see that it goes on


@pytest.fixture
def reader(make_window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> User:
    """Who has saved `boom.yaml` and opened it."""
    text = re.search(r"`boom\.yaml`:\n\n```yaml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert text
    window = make_window(text[1], tmp_path / "boom.yaml")
    window.tabs.resize(1440, 900)
    QApplication.processEvents()
    window.view.resetTransform()
    return User(window, monkeypatch, tmp_path)


def empty_place(user: User, dy: float) -> tuple[float, float]:
    box = user.canvas.scene.content_rect()
    return box.center().x(), box.bottom() + dy


def insert(user: User, place: tuple[float, float], word: str) -> str:
    """`/` at a place, a word, Return: the new block."""
    view, before = user.window.view, set(user.canvas.scene.blocks)
    view.centerOn(QPointF(*place))
    user.canvas.click(place)
    user.canvas.move(place, button=Qt.MouseButton.NoButton)
    user.canvas.key(Qt.Key.Key_Slash)
    QTest.keyClicks(view.quick_insert.field, word)
    QTest.keyClick(view.quick_insert.field, Qt.Key.Key_Return)
    QApplication.processEvents()
    (name,) = set(user.canvas.scene.blocks) - before
    assert user.canvas.scene.selected_blocks() == [name]  # its properties are on the right
    return name


def choose(user: User, text: str, key: str) -> None:
    box = user.row(key).findChild(QComboBox)
    assert isinstance(box, QComboBox)
    box.setFocus()
    line = box.lineEdit()
    if line is None:
        QTest.keyClicks(box, text)
        return
    line.selectAll()
    QTest.keyClicks(line, text)
    QTest.keyClick(line, Qt.Key.Key_Return)


def build(user: User) -> None:
    """Steps 1 to 3."""
    joint = insert(user, empty_place(user, 80), "uni")
    assert joint == "universal"
    for axis, way in (("axis_a", "y"), ("axis_b", "x")):
        choose(user, way, axis)
    insert(user, empty_place(user, 80), "rigid_link")
    user.canvas.key(Qt.Key.Key_F2)
    name = QApplication.focusWidget()
    assert isinstance(name, QLineEdit)
    name.selectAll()
    QTest.keyClicks(name, "load")
    QTest.keyClick(name, Qt.Key.Key_Return)
    user.types("500 kg", "mass")
    for k, number in enumerate(("0", "0", "-4")):
        user.types(number, "com", part=k)
    user.window.view.fit()
    user.window.view.resetTransform()
    for a, b in (("boom.frame_b", "universal.frame_a"), ("universal.frame_b", "load.frame_a")):
        user.canvas.drag(user.canvas.port(a), user.canvas.port(b))


def test_what_the_page_says_of_the_canvas_holds(reader: User, qtbot) -> None:
    window = reader.window
    build(reader)
    blocks = window.document.diagram.blocks
    assert window.document.diagram.connections[2:] == [
        "boom.frame_b -- universal.frame_a",
        "universal.frame_b -- load.frame_a",
    ]
    assert (blocks["universal"]["axis_a"], blocks["universal"]["axis_b"]) == ("y", "x")
    window.document.check()
    assert window.document.problems == []

    # 4: an empty place shows the diagram, whose run is to last until it has been stopped
    reader.canvas.click(empty_place(reader, 80))
    reader.types("60", "stop")
    bar = window.running.bar.speed
    assert bar.currentText() == "As fast as possible"
    bar.setFocus()
    QTest.keyClicks(bar, "Real")
    assert bar.currentText() == "Real time"
    QTest.keyClick(window, Qt.Key.Key_Return, CONTROL)
    can = window.actions_  # the window hears of the run's states a moment later than the run itself
    qtbot.waitUntil(lambda: window.runner.time > MOVED and can["pause"].isEnabled(), timeout=LONG)
    QTest.keyClick(window, Qt.Key.Key_P, CONTROL)
    qtbot.waitUntil(lambda: window.runner.state == PAUSED and can["run"].isEnabled(), timeout=LONG)
    held = window.runner.time
    QTest.keyClick(window, Qt.Key.Key_Return, CONTROL)
    qtbot.waitUntil(lambda: window.runner.time > held + MOVED, timeout=LONG)
    window.deck.tick(force=True)
    assert len(window.deck.panes[0].curves) == 1

    # 5: a mass while it runs
    reader.select("load")
    reader.types("900 kg", "mass")
    since = window.runner.time
    qtbot.waitUntil(lambda: window.runner.time > since + MOVED, timeout=LONG)
    assert window.runner.active
    assert blocks["load"]["mass"] == "900 kg"
    QTest.keyClick(window, Qt.Key.Key_Z, CONTROL)
    assert window.document.diagram.blocks["load"]["mass"] == "500 kg"
    QTest.keyClick(window, Qt.Key.Key_Return, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: not window.runner.active, timeout=LONG)

    # 6: saved; what was there before is as it was
    before = window.document.path.read_text("utf-8").splitlines()
    QTest.keyClick(window, Qt.Key.Key_S, CONTROL)
    after = window.document.path.read_text("utf-8").splitlines()
    assert not window.isWindowModified()
    assert [line for line in before if line not in after] == [
        "simulation: {stop: 5 s, step: 1 ms, method: rk4}"
    ]
