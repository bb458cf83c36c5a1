"""Every way in which canvas, menus and plots edit a document: one step, undone to the very text."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QFileDialog,
    QToolBar,
)

from luff.gui.canvas.canvas_protocol import BLOCK_MIME
from luff.gui.window.actions import specs
from luff.gui.window.dialogs.connect_dialog import ConnectDialog
from luff.tests.gui.driver import LEFT, NONE
from luff.tests.gui.user import Edits, User, undoes_exactly

# actions of the menus that leave the document as it is
READING = """
    new open recent examples save save_as save_result open_result import export export_animation export_page
    export_diagram export_netlist export_fmu export_ssp export_library open_study save_study vary close quit
    undo redo tour
    copy select_all find commands compare
    fit zoom_in zoom_out zoom_one minimap up docks go_to large_view reset_panels dark preferences
    run pause step stop reset recording
    plan fit_parameters optimise static modes linearise response margins locus sensitivity buckling assess load_chart
    reference
    shortcuts about next_tab previous_tab to_window
"""

edit = Edits()

# ---------------------------------------------------------------------- canvas


def pick(user: User, menu: str, text: str) -> None:
    next(action for action in user.window.actions_.menus[menu].actions() if action.text() == text).trigger()


@edit
def align(user: User) -> None:
    user.select("reference", "controller", "fore")
    pick(user, "align", "Top Edges")


@edit
def distribute(user: User) -> None:
    user.select("world", "shoulder", "fore")
    pick(user, "align", "Distribute Horizontally")


@edit
def drag_of_several_blocks(user: User) -> None:
    user.select("elbow", "fore")
    x, y = user.canvas.middle("fore")
    user.canvas.drag((x, y), (x + 40, y + 100))


@edit
def drag_without_the_grid(user: User) -> None:
    x, y = user.canvas.middle("fore")
    user.canvas.drag((x, y), (x + 43, y + 57), Qt.KeyboardModifier.AltModifier)


@edit
def wire_onto_a_wire(user: User) -> None:
    user.canvas.drag(user.canvas.port("fore.frame_b"), user.wire_place("world.frame -- shoulder.frame_a"))


@edit
def wire_into_the_air(user: User) -> None:
    user.canvas.drag(user.canvas.port("elbow.frame_b"), (800, 450))
    field = user.window.view.quick_insert.field
    QTest.keyClicks(field, "frame_sensor")
    QTest.keyClick(field, Qt.Key.Key_Return)


@edit
def connect(user: User) -> None:
    user.menu("connect")
    dialog = user.window.findChild(ConnectDialog)
    assert dialog is not None
    dialog.start.field.setText("fore.frame_b")
    dialog.goal.field.setText("world.frame")
    dialog.button.click()
    dialog.reject()


@edit
def labels(user: User) -> None:
    user.select(wires=("upper.frame_b -- elbow.frame_a",))
    user.menu("labels")


@edit
def segment_of_a_wire(user: User) -> None:
    x, y = user.wire_place("upper.frame_b -- elbow.frame_a")
    user.canvas.drag((x, y), (x, y + 60))


@edit
def double_click_on_paper(user: User) -> None:
    user.canvas.double_click((500, 480))
    insert = user.window.view.quick_insert
    QTest.keyClicks(insert.field, "sphe")
    row = insert.list.visualItemRect(insert.list.item(0))
    QTest.mouseClick(insert.list.viewport(), LEFT, NONE, row.center())


@edit
def drop_from_the_palette(user: User) -> None:
    data = QMimeData()
    data.setData(BLOCK_MIME, b"gain")
    user.drop(user.window.view, data, QPoint(300, 300))


@edit
def activation_in_the_palette(user: User) -> None:
    tree = user.window.palette_.tree
    head = tree.topLevelItem(0)
    assert head is not None
    tree.setCurrentItem(head.child(0))
    QTest.keyClick(tree, Qt.Key.Key_Return)


@edit
def search_in_the_palette(user: User) -> None:
    QTest.keyClicks(user.window.palette_.field, "spherical")
    QTest.keyClick(user.window.palette_.field, Qt.Key.Key_Return)


@edit
def delete_of_a_wire(user: User) -> None:
    user.canvas.click(user.wire_place("upper.frame_b -- elbow.frame_a"))
    user.menu("delete")


@edit
def menu_of_a_wire(user: User) -> None:
    user.chooses("Delete")
    user.right_click_canvas(user.wire_place("upper.frame_b -- elbow.frame_a"))


@edit
def menu_of_a_block(user: User) -> None:
    user.chooses("Duplicate")
    user.right_click_canvas(user.canvas.middle("elbow"))


@edit
def menu_of_a_port(user: User) -> None:
    user.answers("hand")
    user.chooses("Make It a Port of the Diagram...")
    user.right_click_canvas(user.canvas.port("fore.frame_b"))


@edit
def name_in_the_panel(user: User) -> None:
    user.select("elbow")
    field = user.window.properties.name_field
    assert field is not None
    field.selectAll()
    QTest.keyClicks(field, "wrist")
    QTest.keyClick(field, Qt.Key.Key_Return)


# ---------------------------------------------------------------------- menus


@edit
def cut(user: User) -> None:
    user.select("controller")
    user.menu("cut")


@edit
def paste(user: User) -> None:
    user.select("controller")
    user.menu("copy")
    user.menu("paste")


@edit
def duplicate(user: User) -> None:
    user.select("upper", "elbow")
    user.menu("duplicate")


@edit
def delete(user: User) -> None:
    user.select("upper", "reference", wires=("elbow.frame_b -- fore.frame_a",))
    user.menu("delete")


@edit
def rename(user: User) -> None:
    user.select("fore")
    user.menu("rename")
    field = user.window.properties.name_field
    assert field is not None
    QTest.keyClicks(field, "hand")
    QTest.keyClick(field, Qt.Key.Key_Return)


@edit
def rotate(user: User) -> None:
    user.select("fore", "elbow")
    user.menu("rotate")


@edit
def note(user: User) -> None:
    user.select("upper", "elbow")
    user.menu("note")


@edit
def group(user: User) -> None:
    user.select("upper", "elbow")
    user.menu("group")


@edit.in_steps(2)
def ungroup(user: User) -> None:
    group(user)
    user.menu("ungroup")


@edit.in_steps(2)
def save_as_block(user: User) -> None:
    group(user)
    user.patch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(user.folder / "limb"), ""))
    user.menu("save_as_block")


@edit
def effect(user: User) -> None:
    user.select("fore", "elbow")
    user.menu("effect")


@edit
def arrange(user: User) -> None:
    user.menu("arrange")


# ---------------------------------------------------------------------- plots


@edit
def output_dragged_onto_a_plot(user: User) -> None:
    pane = user.window.deck.panes[1]
    viewport = user.window.view.viewport()
    goal = viewport.mapFromGlobal(pane.mapToGlobal(pane.rect().center()))
    x, y = user.canvas.port("shoulder.velocity")
    user.canvas.press((x, y))
    for part in (0.5, 1.0):
        place = user.window.view.mapToScene(user.canvas.at(x, y) + (goal - user.canvas.at(x, y)) * part)
        user.canvas.move((place.x(), place.y()))
    QTest.mouseRelease(viewport, LEFT, NONE, goal)


@edit
def output_plotted_by_its_menu(user: User) -> None:
    user.chooses("Plot")
    user.right_click_canvas(user.canvas.port("shoulder.velocity"))


@edit
def signal_double_clicked(user: User) -> None:
    window = user.window
    window.panels.show("Signals")
    window.signal_tree.show_signals(["shoulder.velocity"], {})
    tree = window.signal_tree.tree
    head = tree.topLevelItem(0)
    assert head is not None
    tree.expandAll()
    tree.setCurrentItem(head.child(0) if head.childCount() else head)
    QTest.keyClick(tree, Qt.Key.Key_Return)


@edit
def plot_added(user: User) -> None:
    bar = user.window.deck.findChild(QToolBar)
    assert bar is not None
    next(action for action in bar.actions() if action.text() == "Add Plot").trigger()


@edit
def plot_removed(user: User) -> None:
    user.chooses("Remove Plot")
    user.pane_menu(0)


@edit
def plot_titled(user: User) -> None:
    user.answers("Angles")
    user.chooses("Title...")
    user.pane_menu(1)


@edit
def plot_over_a_signal(user: User) -> None:
    user.chooses("Horizontal Axis", "shoulder.position")
    user.pane_menu(0)


@edit
def plot_with_another_signal(user: User) -> None:
    user.chooses("Add Signal", "elbow", "velocity")
    user.pane_menu(0)
    assert "elbow.velocity" in user.window.deck.panes[0].spec.y


@edit
def plot_without_a_signal(user: User) -> None:
    user.chooses("Remove Signal", "shoulder.position")
    user.pane_menu(0)


@pytest.mark.parametrize("name", edit)
def test_edit_is_one_step_that_undoes_to_the_very_text(name: str, user: User) -> None:
    undoes_exactly(user, edit[name], edit.steps.get(name, 1))


def test_every_action_of_the_menus_is_known_to_edit_or_not() -> None:
    keys = {spec.key for spec in specs()}
    assert keys - set(READING.split()) <= set(edit)
    assert not set(READING.split()) & set(edit)
