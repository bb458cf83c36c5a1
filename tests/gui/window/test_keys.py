"""Keys as the window gets them: Qt finds focus and shortcut, as it does for a user."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit

from luff.gui.window import file_actions
from luff.gui.window.dialogs.find_dialog import FindDialog
from luff.gui.window.help_dialogs import Reference
from luff.gui.window.main_window import Window
from luff.tests.gui.driver import LONG
from luff.tests.shared.netlists import TWO_LINKS

KEY, NONE = Qt.Key, Qt.KeyboardModifier.NoModifier
CTRL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)


@pytest.fixture
def window(make_window: Callable[..., Window], tmp_path, qtbot) -> Window:
    window = make_window(TWO_LINKS, tmp_path / "arm.yaml")
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is window.tabs, timeout=LONG)
    window.view.setFocus()
    return window


def press(window: Window, key: Qt.Key, keys: Qt.KeyboardModifier = NONE) -> None:
    handle = window.tabs.windowHandle()
    assert handle is not None
    QTest.keyClick(handle, key, keys)


def texts(window: Window) -> str:
    return window.document.diagram.to_yaml()


@pytest.mark.parametrize("key", [KEY.Key_Delete, KEY.Key_Backspace])
def test_delete_and_undo_and_redo(window: Window, key: Qt.Key) -> None:
    window.view.canvas.select(["elbow", "fore"])
    press(window, key)
    without = texts(window)
    assert set(window.document.diagram.blocks) == {"shoulder", "upper", "reference", "controller"}
    press(window, KEY.Key_Z, CTRL)
    assert texts(window) == TWO_LINKS
    press(window, KEY.Key_Z, CTRL | SHIFT)
    assert texts(window) == without
    press(window, KEY.Key_Z, CTRL)
    press(window, KEY.Key_Y, CTRL)
    assert texts(window) == without


def test_copy_cut_paste_duplicate_and_select_all(window: Window) -> None:
    press(window, KEY.Key_A, CTRL)
    canvas = window.view.canvas
    assert set(canvas.selected_blocks()) == set(canvas.blocks)
    assert set(canvas.selected_wires()) == set(canvas.wires)
    canvas.select(["upper", "elbow"])
    press(window, KEY.Key_C, CTRL)
    press(window, KEY.Key_V, CTRL)
    assert {"upper2", "elbow2"} <= set(window.document.diagram.blocks)
    assert canvas.selected_blocks() == ["upper2", "elbow2"]
    press(window, KEY.Key_D, CTRL)
    assert {"upper3", "elbow3"} <= set(window.document.diagram.blocks)
    press(window, KEY.Key_X, CTRL)
    assert not {"upper3", "elbow3"} & set(window.document.diagram.blocks)
    for _ in range(3):
        press(window, KEY.Key_Z, CTRL)
    assert texts(window) == TWO_LINKS


def test_arrows_rotate_rename_and_tab(window: Window) -> None:
    canvas = window.view.canvas
    canvas.clearSelection()
    press(window, KEY.Key_Tab)
    first = canvas.selected_blocks()
    press(window, KEY.Key_PageDown)
    assert canvas.selected_blocks() != first
    press(window, KEY.Key_PageUp)
    assert canvas.selected_blocks() == first
    canvas.select(["fore"])
    press(window, KEY.Key_Right)
    press(window, KEY.Key_Down, SHIFT)
    press(window, KEY.Key_Left, ALT)
    assert window.document.place("fore")[:2] == (849, 250)
    press(window, KEY.Key_R)
    assert window.document.place("fore")[2] == 90
    press(window, KEY.Key_F2)
    field = window.properties.name_field
    assert QApplication.focusWidget() is field
    QTest.keyClicks(field, "hand")
    press(window, KEY.Key_Return)
    QApplication.processEvents()
    assert "hand" in window.document.diagram.blocks
    assert QApplication.focusWidget() is window.view
    press(window, KEY.Key_F2)
    QTest.keyClicks(window.properties.name_field, "upper")  # which is taken
    press(window, KEY.Key_Return)
    QApplication.processEvents()
    assert QApplication.focusWidget() is window.properties.name_field
    QTest.keyClicks(window.properties.name_field, "other")
    press(window, KEY.Key_Escape)
    assert QApplication.focusWidget() is window.view
    assert canvas.selected_blocks() == ["hand"]
    assert window.properties.subject == ("block", "hand")
    while window.document.undo.canUndo():
        press(window, KEY.Key_Z, CTRL)
    assert texts(window) == TWO_LINKS


def test_shift_f10_opens_the_menu_of_what_has_the_focus(window: Window) -> None:
    window.view.canvas.select(["fore"])
    asked: list[QPoint] = []
    window.view.menu_wanted.disconnect()
    window.view.menu_wanted.connect(asked.append)
    press(window, KEY.Key_F10, SHIFT)
    area = window.view.viewport()
    place = window.view.canvas.blocks["fore"].sceneBoundingRect().center()
    assert asked == [area.mapToGlobal(window.view.mapFromScene(place))]
    tree = window.signal_tree.tree
    window.panels.show("Signals")
    tree.setFocus()
    tree.customContextMenuRequested.disconnect()
    tree.customContextMenuRequested.connect(asked.append)
    press(window, KEY.Key_F10, SHIFT)
    assert len(asked) == 2


def test_escape_drops_the_selection_then_goes_up(window: Window, tmp_path) -> None:
    window.view.canvas.select(["upper", "elbow"])
    window.editing.on_group()
    window.document.rename("subsystem", "limb")
    window.view.canvas.sync()
    window.view.canvas.select(["limb"])
    press(window, KEY.Key_Return)
    assert len(window.levels) == 2
    window.view.zoom_by(0.5)
    window.view.canvas.select(["upper"])
    press(window, KEY.Key_Escape)
    assert window.view.canvas.selectedItems() == []
    assert len(window.levels) == 2
    press(window, KEY.Key_Escape)
    assert len(window.levels) == 1
    assert window.zoom_label.text() == f"{window.view.zoom() * 100:.0f} %"
    window.editing.open_block("limb")
    press(window, KEY.Key_Up, ALT)
    assert len(window.levels) == 1


def test_group_asks_nothing_and_undoes(window: Window) -> None:
    window.view.canvas.select(["upper", "elbow"])
    press(window, KEY.Key_G, CTRL)
    diagram = window.document.diagram
    assert list(diagram.at_level(("subsystem",)).blocks) == ["upper", "elbow"]
    assert window.view.canvas.selected_blocks() == ["subsystem"]
    press(window, KEY.Key_G, CTRL | Qt.KeyboardModifier.ShiftModifier)
    assert "subsystem" not in diagram.blocks
    assert set(window.view.canvas.selected_blocks()) == {"upper", "elbow"}
    press(window, KEY.Key_Z, CTRL)
    press(window, KEY.Key_Z, CTRL)
    assert texts(window) == TWO_LINKS


def test_levels_have_one_history(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaving a subsystem asks nothing, and undo goes to the level of the edit."""
    monkeypatch.setattr(file_actions, "save_discard_cancel", lambda *_: pytest.fail("asked"))
    window.view.canvas.select(["upper", "elbow"])
    press(window, KEY.Key_G, CTRL)
    grouped = texts(window)
    press(window, KEY.Key_Return)
    assert [level.label for level in window.levels] == ["", "subsystem"]
    assert not window.view.canvas.blocks.keys() ^ {"upper", "elbow"}
    window.document.set_value("upper.mass", "3 kg")
    press(window, KEY.Key_A, CTRL)
    press(window, KEY.Key_G, CTRL)
    press(window, KEY.Key_Return)
    window.document.set_value("elbow.damping", 2)
    inner = texts(window)
    press(window, KEY.Key_Escape)
    press(window, KEY.Key_Escape)
    press(window, KEY.Key_Escape)
    assert len(window.levels) == 1
    assert window.isWindowModified()
    window.document.set_value("shoulder.damping", 1)
    press(window, KEY.Key_Z, CTRL)
    assert (texts(window), len(window.levels)) == (inner, 1)
    press(window, KEY.Key_Z, CTRL)  # elbow.damping
    assert [level.label for level in window.levels[1:]] == ["subsystem", "subsystem"]
    press(window, KEY.Key_Z, CTRL)  # the inner group
    press(window, KEY.Key_Z, CTRL)  # upper.mass
    assert (texts(window), len(window.levels)) == (grouped, 2)
    press(window, KEY.Key_Z, CTRL)  # the group, in which one stands
    assert (texts(window), len(window.levels)) == (TWO_LINKS, 1)
    for _ in range(5):
        press(window, KEY.Key_Y, CTRL)
    assert window.document.diagram.value("shoulder.damping") == 1
    assert not [problem for problem in window.document.diagram.check() if problem.severity == "error"]


def test_find_shows_the_block(window: Window) -> None:
    press(window, KEY.Key_F, CTRL)
    (dialog,) = window.findChildren(FindDialog)
    QTest.keyClicks(dialog.field, "elb")
    QTest.keyClick(dialog.field, KEY.Key_Return)
    assert window.view.canvas.selected_blocks() == ["elbow"]


def test_new_open_save(window: Window, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    window.document.add_block("gain", 0, 600)
    press(window, KEY.Key_S, CTRL)
    assert "gain" in (tmp_path / "arm.yaml").read_text()
    assert not window.isWindowModified()
    other = tmp_path / "other.yaml"
    other.write_text(TWO_LINKS)
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(other)], ""))
    press(window, KEY.Key_O, CTRL)
    assert [w.document.path for w in Window.open_windows] == [tmp_path / "arm.yaml", other]
    window.activateWindow()
    press(window, KEY.Key_N, CTRL)
    assert len(Window.open_windows) == 3
    assert Window.open_windows[-1].document.path is None


def test_zoom_and_fit(window: Window) -> None:
    view = window.view
    press(window, KEY.Key_0, CTRL)
    assert view.zoom() == pytest.approx(1.0)
    press(window, KEY.Key_Plus, CTRL)
    assert view.zoom() == pytest.approx(1.25)
    press(window, KEY.Key_Minus, CTRL)
    assert view.zoom() == pytest.approx(1.0)
    view.zoom_by(3.0)
    press(window, KEY.Key_Space)
    seen = view.mapToScene(view.viewport().rect()).boundingRect()
    assert seen.contains(view.canvas.content_rect())


def test_one_key_gives_the_window_to_the_3d_view_and_back(window: Window) -> None:
    docks, tabs = window.panels.docks, window.tabs
    tabs.resize(1500, 950)
    QApplication.processEvents()

    def places() -> dict[str, tuple[bool, QRect]]:
        QApplication.processEvents()
        return {key: (window.panels.is_visible(key), dock.geometry()) for key, dock in docks.items()}

    before, canvas = places(), window.view.size()
    press(window, KEY.Key_F11)
    large = places()
    assert [key for key, (shown, _) in large.items() if shown] == ["3-D View"]
    area = window.view3d.canvas.size()
    assert area.width() > 0.98 * window.width()
    assert area.height() > 0.8 * window.height()
    assert window.view3d.canvas.hasFocus()
    assert window.view3d.back.isVisible()
    press(window, KEY.Key_F11)
    assert (places(), window.view.size()) == (before, canvas)
    assert window.view.hasFocus()
    assert not window.view3d.back.isVisible()
    # a hand finds the way back, too
    press(window, KEY.Key_F11)
    window.view3d.back.click()
    assert (places(), window.view.size()) == (before, canvas)
    # what shows another panel, or the canvas, ends it too
    for end in (lambda: window.panels.show("Problems"), lambda: press(window, KEY.Key_1, ALT)):
        press(window, KEY.Key_F11)
        end()
        now = places()
        assert all(now[key] == before[key] for key in ("Palette", "Properties", "3-D View"))
        assert window.view.isVisible()
    # and a window that grows narrow meanwhile folds its panels afterwards
    press(window, KEY.Key_F11)
    tabs.resize(1280, 720)
    QApplication.processEvents()
    assert window.view3d.canvas.width() > 0.98 * window.width()
    press(window, KEY.Key_F11)
    QApplication.processEvents()
    strip = window.panels._strip
    assert strip.isVisible()
    in_sight = lambda: {key: place for key, (shown, place) in places().items() if shown}  # noqa: E731
    before = in_sight()
    press(window, KEY.Key_F11)
    assert strip.isHidden()
    press(window, KEY.Key_F11)
    assert strip.isVisible()
    assert in_sight() == before
    strip.actions()[0].trigger()
    assert docks["Properties"] in window.tabifiedDockWidgets(docks["Palette"])


def test_a_double_click_or_a_key_gives_the_window_to_one_plot_and_back(window: Window, qtbot) -> None:
    deck, tabs = window.deck, window.tabs
    tabs.resize(1280, 720)
    for names in (["pd.effort"], ["shoulder.position"], ["elbow.position"]):
        deck.add_pane(names)
    QApplication.processEvents()

    def shown() -> tuple[list[tuple[bool, QRect]], bool]:
        QApplication.processEvents()
        return [(pane.isVisible(), pane.geometry()) for pane in deck.panes], window.view.isVisible()

    def double_click(k: int) -> None:
        port = deck.panes[k].viewport()
        QTest.mouseClick(port, Qt.MouseButton.LeftButton, NONE, port.rect().center())
        QTest.mouseDClick(port, Qt.MouseButton.LeftButton, NONE, port.rect().center())

    def focus(k: int) -> None:
        tabs.activateWindow()
        qtbot.waitUntil(lambda: QApplication.activeWindow() is tabs, timeout=LONG)
        deck.panes[k].setFocus()
        deck.current = k

    before = shown()
    assert all(seen for seen, _ in before[0])
    assert before[1]
    double_click(1)
    panes, canvas = shown()
    assert [seen for seen, _ in panes] == [False, True, False, False][: len(panes)]
    assert not canvas
    large = deck.panes[1]
    assert large.width() > 0.9 * window.width()
    assert large.height() > 0.7 * window.height()
    double_click(1)
    assert shown() == before
    # by the key, in the plot that has the focus, and gets it back; what shows the canvas ends it too
    plot = deck.panes[2]
    for keys, focused in (((KEY.Key_F11,), plot), ((KEY.Key_Escape,), plot), ((KEY.Key_1, ALT), window.view)):
        focus(2)
        press(window, KEY.Key_F11)
        assert [seen for seen, _ in shown()[0]].index(True) == 2
        press(window, *keys)
        assert shown() == before
        assert focused.hasFocus()
    # a plot that is removed while it is large leaves the others
    focus(2)
    press(window, KEY.Key_F11)
    deck.remove_pane(2)
    panes, _ = shown()
    assert all(seen for seen, _ in panes)


def test_wheel_zooms_and_space_drags(window: Window) -> None:
    view = window.view
    before = view.zoom()
    place = QPointF(300, 120)
    under = view.mapToScene(place.toPoint())
    wheel = QWheelEvent(
        place,
        QPointF(view.viewport().mapToGlobal(place.toPoint())),
        QPoint(),
        QPoint(0, 240),
        Qt.MouseButton.NoButton,
        NONE,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view.viewport(), wheel)
    assert view.zoom() > 1.2 * before
    now = view.mapToScene(place.toPoint())
    # scroll bars count whole pixels
    assert abs(now.x() - under.x()) + abs(now.y() - under.y()) < 4 / view.zoom()
    handle = window.tabs.windowHandle()
    QTest.keyPress(handle, KEY.Key_Space)
    corner, left = view.mapToScene(0, 0), Qt.MouseButton.LeftButton
    QTest.mousePress(view.viewport(), left, NONE, QPoint(200, 150))
    QTest.mouseMove(view.viewport(), QPoint(230, 190))
    QTest.mouseRelease(view.viewport(), left, NONE, QPoint(230, 190))
    QTest.keyRelease(handle, KEY.Key_Space)
    moved = view.mapToScene(0, 0) - corner
    assert moved.x() * view.zoom() == pytest.approx(-30, abs=2)
    assert moved.y() * view.zoom() == pytest.approx(-40, abs=2)
    assert texts(window) == TWO_LINKS


def test_help_keys(window: Window) -> None:
    window.view.canvas.select(["elbow"])
    press(window, KEY.Key_F1)
    page = window.findChild(Reference)
    assert page is not None
    assert page.list.currentItem().text() == "revolute"
    page.close()
    window.activateWindow()
    window.view.setFocus()
    press(window, KEY.Key_Question, SHIFT)
    titles = [w.windowTitle() for w in QApplication.topLevelWidgets() if w.isVisible()]
    assert "Keys and Gestures" in titles


def test_slash_inserts_and_keys_in_a_field_stay_there(window: Window) -> None:
    press(window, KEY.Key_Slash)
    insert = window.view.quick_insert
    assert insert.isVisible()
    assert insert.field.text() == ""
    press(window, KEY.Key_Escape)
    assert not insert.isVisible()
    window.view.canvas.select(["upper"])
    row = next(row for row in window.properties.rows if row.keys[-1] == "mass")
    field = row.findChild(QLineEdit)
    assert field is not None
    field.setFocus()
    for key in (KEY.Key_Backspace, KEY.Key_R, KEY.Key_Slash, KEY.Key_Space):
        press(window, key)
    assert "upper" in window.document.diagram.blocks
    assert not insert.isVisible()
    press(window, KEY.Key_Escape)  # takes the text back
    assert field.text() == "2"
    assert texts(window) == TWO_LINKS


def types_seven_into_the_mass(window: Window) -> QLineEdit:
    """And presses no Return."""
    window.view.canvas.select(["upper"])
    row = next(row for row in window.properties.rows if row.keys[-1] == "mass")
    field = row.findChild(QLineEdit)
    assert field is not None
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "7")
    return field


def test_undo_in_a_field_takes_back_what_was_typed_then_what_was_edited(window: Window) -> None:
    field = types_seven_into_the_mass(window)
    press(window, KEY.Key_Z, CTRL)
    assert field.text() == "2"
    assert texts(window) == TWO_LINKS
    press(window, KEY.Key_Y, CTRL)
    press(window, KEY.Key_Return)
    assert window.document.diagram.value("upper.mass") == "7 kg"
    press(window, KEY.Key_Z, CTRL)
    assert (field.text(), texts(window)) == ("2", TWO_LINKS)
    press(window, KEY.Key_Y, CTRL)
    assert (field.text(), window.document.diagram.value("upper.mass")) == ("7", "7 kg")


def test_saving_counts_what_is_still_being_typed(window: Window, tmp_path) -> None:
    types_seven_into_the_mass(window)
    press(window, KEY.Key_S, CTRL)
    assert "mass: 7 kg" in (tmp_path / "arm.yaml").read_text()
    assert not window.isWindowModified()
