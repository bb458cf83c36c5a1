"""Wires without a mouse, and a model that is made by keys alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QPushButton, QWidget

from luff.gui.document.element_assignment import fitting, references
from luff.gui.window.dialogs.connect_dialog import ConnectDialog
from luff.gui.window.main_window import Window
from luff.tests.gui.driver import LONG
from luff.tests.gui.user import User

KEY, NONE = Qt.Key, Qt.KeyboardModifier.NoModifier
CTRL, ALT, SHIFT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ShiftModifier,
)


class Keys:
    """A keyboard: what is pressed goes where the focus is, as Qt finds it."""

    def __init__(self, window: Window, qtbot):
        self.window, self.qtbot = window, qtbot

    def into(self, top: QWidget) -> None:
        top.activateWindow()
        self.qtbot.waitUntil(lambda: QApplication.activeWindow() is top.window(), timeout=LONG)

    def press(self, key: Qt.Key, keys: Qt.KeyboardModifier = NONE) -> None:
        top = QApplication.activeWindow()
        handle = top.windowHandle() if top is not None else None
        assert handle is not None
        QTest.keyClick(handle, key, keys)
        QApplication.processEvents()

    def type(self, words: str) -> None:
        field = QApplication.focusWidget()
        assert field is not None
        QTest.keyClicks(field, words)

    def insert(self, words: str) -> None:
        self.press(KEY.Key_Slash)
        self.type(words)
        self.press(KEY.Key_Return)

    def wire(self, dialog: ConnectDialog, a: str, b: str) -> None:
        assert QApplication.focusWidget() is dialog.start.field
        self.type(a)
        self.press(KEY.Key_Return)
        assert QApplication.focusWidget() is dialog.goal.field
        self.type(b)
        self.press(KEY.Key_Return)


@pytest.fixture
def keys(make_window: Callable[..., Window], qtbot) -> Keys:
    found = Keys(make_window(), qtbot)
    found.into(found.window)
    return found


def test_a_pendulum_is_built_run_and_plotted_by_keys_alone(keys: Keys, qtbot) -> None:
    window, document = keys.window, keys.window.document
    assert QApplication.focusWidget() is window.view
    keys.insert("revolute")
    keys.press(KEY.Key_F2)
    keys.type("pin")
    keys.press(KEY.Key_Return)
    keys.press(KEY.Key_1, ALT)  # back to the canvas
    assert QApplication.focusWidget() is window.view
    keys.insert("rigid")
    # without a pointer on the canvas blocks come where they are seen
    view = window.view
    seen = view.mapToScene(view.viewport().rect()).boundingRect()
    for name in ("pin", "rigid_link"):
        assert seen.contains(view.canvas.blocks[name].sceneBoundingRect()), name
    keys.press(KEY.Key_L, CTRL)
    (dialog,) = window.findChildren(ConnectDialog)
    keys.into(dialog)
    keys.wire(dialog, "pin.frame_b", "rigid_link frame_a")
    assert document.diagram.connections == ["world.frame -- pin.frame_a", "pin.frame_b -- rigid_link.frame_a"]
    keys.press(KEY.Key_Escape)
    keys.into(window)
    for block, field, words in (
        ("pin", "axis", "y"),
        ("rigid_link", "mass", "2"),
        ("rigid_link", "com", "1"),
    ):
        keys.press(KEY.Key_F, CTRL)
        found = next(w for w in QApplication.topLevelWidgets() if w.windowTitle() == "Find")
        keys.into(found)
        keys.type(block)
        keys.press(KEY.Key_Return)
        keys.into(window)
        keys.press(KEY.Key_Return)  # to its properties
        row = next(row for row in window.properties.rows if row.keys[-1] == field)
        for _ in range(40):
            if row.isAncestorOf(QApplication.focusWidget()):
                break
            keys.press(KEY.Key_Tab)
        keys.type(words)
        keys.press(KEY.Key_Return)
        keys.press(KEY.Key_1, ALT)
    assert document.diagram.blocks["pin"]["axis"] == "y"
    assert document.diagram.blocks["rigid_link"] == {"type": "rigid_link", "mass": 2, "com": [1, 0, 0]}
    keys.press(KEY.Key_Return, CTRL)
    qtbot.waitUntil(lambda: window.runner.state in ("finished", "failed"), timeout=LONG)
    assert window.runner.state == "finished", window.log.toPlainText()
    keys.press(KEY.Key_6, ALT)
    assert QApplication.focusWidget() is window.signal_tree.field
    keys.type("pin.position")
    keys.press(KEY.Key_Tab)
    keys.press(KEY.Key_Down)
    keys.press(KEY.Key_Return)
    assert document.diagram.plots == [{"y": ["pin.position"]}]
    (curve,) = window.deck.panes[0].curves.values()
    assert len(curve.getData()[1]) > 100


def test_only_ports_that_fit_are_offered_and_words_narrow_them(user: User) -> None:
    window = user.window
    ports = fitting(window.document, "reference.y")
    assert "controller.feedforward" in ports
    assert not any(port.endswith(("frame_a", "target", ".y")) for port in ports)
    assert fitting(window.document, "nothing.y") == []
    user.select("fore")
    dialog = ConnectDialog(window)
    dialog.show()
    assert dialog.start.word() == "fore.frame_a"  # of what is selected first
    dialog.start.field.setText("reference y")
    assert dialog.start.word() == "reference.y"
    assert [dialog.goal.list.item(k).text() for k in range(dialog.goal.list.count())] == ports
    dialog.goal.field.setText("feed")
    QTest.keyClick(dialog.goal.field, KEY.Key_Return)
    assert "reference.y -> controller.feedforward" in window.document.diagram.connections
    dialog.start.field.setText("no such port")
    assert (dialog.start.word(), dialog.goal.word(), dialog.button.isEnabled()) == ("", "", False)
    QTest.keyClick(dialog.goal.field, KEY.Key_Return)
    assert window.document.undo.count() == 1
    dialog.close()


def test_what_a_controller_measures_is_what_it_drives(make_window: Callable[..., Window]) -> None:
    text = (
        "luff: 1\nblocks:\n  slew: {type: revolute}\n  luff: {type: revolute}\n  law: {type: motion_law}\n"
        "  drive: {type: pd}\nconnect: [drive.effort -> luff.effort]\n"
    )
    document = make_window(text).document
    motions = ["luff.trajectory", "slew.trajectory", "law.y"]
    assert [port for port in fitting(document, "drive.measured") if port in motions] == motions
    assert [port for port in fitting(document, "drive.target") if port in motions] == motions[::-1]
    document.connect_ports("law.y", "drive.target")
    assert [port for port in fitting(document, "drive.measured") if port in motions] == motions


def test_an_input_is_offered_free_signals_first_and_reactions_last(
    make_window: Callable[..., Window],
) -> None:
    text = (
        "luff: 1\nblocks:\n  pin: {type: revolute}\n  rod: {type: rigid_link, mass: 1, com: [1, 0, 0]}\n"
        "  three: {type: constant, value: [1, 2, 3]}\n  one: {type: constant, value: 1}\n"
        "  used: {type: constant, value: 1}\n  double: {type: gain, k: 2}\n  s: {type: sum}\n"
        "connect: [world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a, used.y -> double.u]\n"
    )
    ports = fitting(make_window(text).document, "s.u2")
    kinds = ["one.y", "three.y", "pin.position", "used.y", "pin.total_force[0]", "pin.total_force"]
    assert sorted(kinds, key=ports.index) == kinds


def test_a_port_of_one_element_is_listed_once(make_window: Callable[..., Window]) -> None:
    text = (
        "luff: 1\nblocks:\n  pd: {type: pd}\n  pin: {type: revolute}\n  three: {type: constant, value: [1, 2, 3]}\n"
        "connect: [pd.effort -> pin.effort]\n"
    )
    listed = [word for word in references(make_window(text).document) if word.startswith(("pd.m", "three.y"))]
    assert listed == ["pd.measured", "three.y", "three.y[0]", "three.y[1]", "three.y[2]"]


def test_wires_are_reached_by_tab_and_taken_away(user: User) -> None:
    view, canvas = user.window.view, user.window.view.canvas
    user.select(*list(canvas.blocks)[-1:])
    QTest.keyClick(view, KEY.Key_PageDown)
    (wire,) = canvas.selected_wires()
    assert canvas.selected_blocks() == []
    user.menu("delete")
    assert wire not in user.window.document.diagram.connections


def test_the_menu_key_asks_for_what_is_selected(user: User) -> None:
    view = user.window.view
    shown: list[list[str]] = []

    def look() -> None:
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        shown.append([action.text() for action in menu.actions()])
        menu.close()

    def ask() -> None:
        """In the middle of the view, as Qt tells it of the key."""
        QTimer.singleShot(0, view, look)
        middle = view.viewport().rect().center()
        reason = QContextMenuEvent.Reason.Keyboard
        QApplication.sendEvent(
            view.viewport(), QContextMenuEvent(reason, middle, view.viewport().mapToGlobal(middle))
        )

    user.select("fore")
    ask()
    assert "Open" in shown[-1]
    assert view.canvas.selected_blocks() == ["fore"]
    user.select()
    ask()
    assert any("Insert" in text for text in shown[-1])


def test_each_panel_takes_the_keys(user: User, qtbot) -> None:
    window = user.window
    Keys(window, qtbot).into(window)
    ways = window.actions_.menus["go_to"].actions()
    titles = [dock.windowTitle().partition(" (")[0] for dock in window.panels.docks.values()]  # Problems (1)
    assert [way.text() for way in ways][1:] == titles
    assert len({way.shortcut().toString() for way in ways[:10]}) == 10
    for way, dock in zip(ways[1:], window.panels.docks.values(), strict=True):
        way.trigger()
        QApplication.processEvents()
        focus = QApplication.focusWidget()
        assert focus is not None
        assert dock.isAncestorOf(focus), f"{way.text()}: {focus}"
    expected = (
        ("Plots", window.deck.panes[0]), ("3-D View", window.view3d.canvas), ("Studies", window.study_panel.table),
        ("Blocks", window.palette_.field), ("Canvas", window.view),
    )  # fmt: skip
    for title, widget in expected:
        next(way for way in ways if way.text() == title).trigger()
        QApplication.processEvents()
        assert QApplication.focusWidget() is widget, title


def test_the_ways_to_begin_come_after_the_canvas(keys: Keys) -> None:
    window = keys.window
    seen = []
    for _ in range(len(window.welcome.findChildren(QPushButton))):
        keys.press(KEY.Key_Tab)
        seen.append(QApplication.focusWidget())
    assert seen == window.welcome.findChildren(QPushButton)


def test_signals_of_the_unit_come_first_and_loops_last(make_window: Callable[..., Window]) -> None:
    window = make_window(
        "luff: 1\nblocks:\n  base: {type: revolute}\n  arm: {type: rigid_link, mass: 1, com: [1, 0, 0]}\n"
        "  long: {type: constant, value: 3 m}\n  plain: {type: constant, value: 1}\n  k: {type: gain}\n"
        "  s: {type: sum}\n  pd: {type: pd, kp: 1, kd: 0}\n"
        "connect:\n  - world.frame -- base.frame_a\n  - base.frame_b -- arm.frame_a\n  - s.y -> base.effort\n"
        "  - base.trajectory -> pd.measured\n  - base.total_torque[0] -> pd.feedforward\n"
        "  - plain.y -> k.u\n"
    )
    window.document.check()
    # the sum's output is a torque by its wire, the controller's by what it is fed forward
    ports = fitting(window.document, "s.u2")
    kinds = ["pd.effort", "plain.y", "long.y", "s.y"]
    assert sorted(kinds, key=ports.index) == kinds
    assert ports[-1] == "s.y"
    window.document.rename("plain", "given")  # what wires told is known by other names until the next check
    dialog = ConnectDialog(window, "s.u2")
    last = dialog.goal.list.item(dialog.goal.list.count() - 1)
    assert last.text() == "s.y – closes a loop"
    dialog.goal.list.setCurrentItem(last)
    assert dialog.goal.word() == "s.y"
