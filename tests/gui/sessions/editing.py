"""Edit a model in a window: levels, mends, files that others change, quick hands.

Run by `test_sessions.py` in a process of its own with a display: `editing.py NAME FOLDER FILES`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QInputDialog, QMessageBox, QPushButton

from luff.gui.window.analyses.panel_table import PANELS
from luff.gui.window.dialogs.compare_view import SideBySide
from luff.gui.window.dialogs.connect_dialog import ConnectDialog
from luff.gui.window.main_window import Window
from luff.tests.gui.sessions.real_window import CTRL, WholeHand, dialogs, in_window, to_front
from luff.tests.gui.window.session_script import settle, wait_until

SHIFT = Qt.KeyboardModifier.ShiftModifier


def levels(hand: WholeHand) -> dict[str, Any]:
    """Ctrl+G, into the subsystem, an edit, out, back through all of it by undo, and a block of its own file."""
    window = hand.window
    document = window.document
    before = document.diagram.to_yaml()
    hand.click_block("upper")
    hand.click_block("elbow", CTRL)
    hand.key(Qt.Key.Key_G, CTRL)
    asked = len(dialogs())
    (name,) = window.view.canvas.selected_blocks()
    hand.picture("grouped")
    hand.double_click(hand.block(name))
    wait_until(lambda: len(window.levels) == 2, "the level")
    hand.picture("inside")
    hand.fill("upper", mass="3_kg")
    hand.click(hand.on_canvas(0, -200))
    hand.key(Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    asked += len(dialogs())
    levels_after = len(window.levels)
    edited = document.diagram.to_yaml()
    hand.key(Qt.Key.Key_Z, CTRL)
    where = len(window.levels)  # undo shows where it works
    hand.key(Qt.Key.Key_Z, CTRL)
    undone = document.root.diagram.to_yaml()
    out = len(window.levels)
    hand.key(Qt.Key.Key_Z, CTRL | SHIFT)
    hand.key(Qt.Key.Key_Z, CTRL | SHIFT)
    again = window.top.diagram.to_yaml()
    while len(window.levels) > 1:
        hand.key(Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    hand.key(Qt.Key.Key_S, CTRL)
    path = window.top.path
    assert path is not None
    saved = path.read_text()
    hand.click_block(name)
    hand.in_dialog(hand.folder / "arm_half.yaml", lambda: hand.menu("Edit", "Save as Block"))
    hand.key(Qt.Key.Key_S, CTRL)
    return {
        "asked": asked,
        "levels": [levels_after, where, out],
        "undone": undone == before,
        "again": again == edited == saved,
        "edited": edited,
        "type": window.top.diagram.blocks[name]["type"],
    }


def mends(hand: WholeHand) -> dict[str, Any]:
    """Click each mend that Problems offers, then one at a field and one in the menu of a block."""
    window = hand.window
    document = window.document
    window.panels.show("Problems")
    clicked = []
    for text in (
        'Use "axis"',
        'Use "0.5 m"',
        "Create Parameter payload...",
        'Use "joint.total_torque[0]"',
        "Wire...",
        "Insert a Delay",  # once all else is right: before, nothing compiles
    ):
        wait_until(lambda text=text: text in offered(hand), text)
        hand.picture(f"mend_{len(clicked)}")
        if text.startswith("Create"):
            QTimer.singleShot(300, lambda: answer(hand, "40 kg"))
        hand.button(text, window.problems.tree)
        if text == "Wire...":  # two outputs fit
            wait_until(lambda: window.findChildren(ConnectDialog), "the question")
            hand.picture("mend_wire")
            hand.types(window.findChildren(ConnectDialog)[0], "reference.tr")
        clicked.append(text)
        settle()
    hand.picture("mended")
    wait_until(lambda: not window.problems._rows, "no problems")
    mended = document.diagram.to_yaml()
    steps = document.undo.count()
    # one more fault: beside its field, and in the menu of its block
    hand.fill("load", mass="2_m")
    row = next(row for row in window.properties.rows if row.keys == ("mass",))
    at_field = row.mend.text()
    hand.picture("mend_field")
    hand.press(row.mend)
    by_field = document.diagram.blocks["load"]["mass"]
    hand.key(Qt.Key.Key_Z, CTRL)  # with the focus where the mend has left it
    wait_until(lambda: window.problems._rows, "the problem")
    hand.right_click(hand.block("load"), 'Use "2 kg"', picture="mend_menu")
    by_menu = document.diagram.blocks["load"]["mass"]
    hand.key(Qt.Key.Key_Z, CTRL)
    hand.key(Qt.Key.Key_Z, CTRL)
    for _ in range(steps):
        hand.key(Qt.Key.Key_Z, CTRL)
    return {
        "clicked": clicked,
        "mended": mended,
        "field": [at_field, by_field],
        "menu": by_menu,
        "undone": document.diagram.to_yaml() == document.path.read_text(),
    }


def offered(hand: WholeHand) -> list[str]:
    return [one.text() for one in hand.window.problems.tree.findChildren(QPushButton) if one.isVisible()]


def answer(hand: WholeHand, text: str) -> None:
    """Type into the small question that is open, and Return."""
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, QInputDialog)
    hand.types(dialog, text)


def outside(hand: WholeHand) -> dict[str, Any]:
    """Another program writes the file: followed; then with changes here: Compare and take, Keep Mine, Reload."""
    window = hand.window
    path = window.top.path
    assert path is not None
    text = path.read_text()
    mass = lambda: window.document.diagram.blocks["upper"]["mass"]  # noqa: E731
    path.write_text(text.replace("mass: 2 kg", "mass: 7 kg"))
    wait_until(lambda: mass() == "7 kg", "the file to be followed")
    bar = window.outside.bar
    followed = [mass(), bar.isVisible(), window.isWindowModified()]
    hand.fill("fore", mass="4_kg")
    path.write_text(text.replace("mass: 2 kg", "mass: 8 kg"))
    wait_until(bar.isVisible, "the question")
    hand.picture("asked")
    hand.press(bar.compare)
    (shown,) = window.findChildren(SideBySide)
    wait_until(shown.isVisible, "the comparison")
    to_front(shown)
    hand.picture("compared")
    lines = [line.text(0) for line in shown.lines]
    item = next(line for line in shown.lines if "upper" in line.text(0) and "mass" in line.text(0))
    hand.press(shown.list.viewport(), shown.list.visualItemRect(item).center())
    hand.press(shown.take)
    taken = [mass(), window.document.diagram.blocks["fore"]["mass"]]
    QTest.keyClick(shown.windowHandle(), Qt.Key.Key_Escape)
    settle()
    to_front(window.tabs)
    hand.press(bar.keep)
    kept = [
        bar.isVisible(),
        mass(),
        window.document.diagram.blocks["fore"]["mass"],
        window.isWindowModified(),
    ]
    path.write_text(text.replace("mass: 2 kg", "mass: 9 kg"))
    wait_until(bar.isVisible, "the question again")
    hand.press(bar.reload)
    reloaded = [mass(), window.document.diagram.blocks["fore"]["mass"], window.isWindowModified()]
    hand.key(Qt.Key.Key_Z, CTRL)
    return {
        "followed": followed,
        "lines": lines,
        "taken": taken,
        "kept": kept,
        "reloaded": reloaded,
        "undone": [mass(), window.document.diagram.blocks["fore"]["mass"]],
    }


def hands(hand: WholeHand) -> dict[str, Any]:
    """Tab behind a block, a wire's menu, values on wires in real time, minimap, large 3-D view, a line of 31 blocks."""
    window = hand.window
    document, view = window.document, window.view

    def wires(word: str) -> list[str]:
        return [wire for wire in document.diagram.connections if word in wire]

    hand.click_block("fore")
    hand.key(Qt.Key.Key_Tab)
    hand.picture("tab")
    hand.type("fixed")
    hand.key(Qt.Key.Key_Return)
    behind = wires("fixed")
    hand.key(Qt.Key.Key_Z, CTRL)
    window.view.setFocus()
    hand.key(Qt.Key.Key_Space)
    effort = "controller.effort -> shoulder.effort"
    hand.right_click(hand.wire(effort), "Plot", picture="wire_menu")
    plotted = document.diagram.plots[0]["y"]
    hand.right_click(
        hand.wire("shoulder.total_torque[1] -> half.u"), "Element of shoulder.total_torque", "[2]"
    )
    element = wires("total_torque")
    hand.right_click(hand.wire(effort), "Insert Block")
    hand.type("gain")
    hand.key(Qt.Key.Key_Return)
    inserted = wires("gain")
    hand.key(Qt.Key.Key_Z, CTRL)
    hand.click(hand.point(window.running.bar.speed))
    hand.type("Real")
    hand.key(Qt.Key.Key_Return)
    paced = window.running.speed.currentText()
    hand.key(Qt.Key.Key_Return, CTRL)
    wait_until(lambda: window.runner.time > 0.3 and bool(view.values), "values on wires in real time")
    first = dict(view.values)
    hand.picture("values")
    wait_until(lambda: view.values[effort] != first[effort], "another value")
    live = [paced, window.runner.active, first[effort].endswith("N·m"), len(first)]
    hand.key(Qt.Key.Key_Return, CTRL | SHIFT)
    wait_until(lambda: not window.runner.active, "the end")
    hand.key(Qt.Key.Key_F11)
    hand.picture("large")
    large = [window.view3d.width() > 0.9 * window.width(), view.isVisible()]
    hand.key(Qt.Key.Key_F11)
    large.append(view.isVisible())
    hand.in_dialog(hand.folder / "chain.yaml", lambda: hand.key(Qt.Key.Key_O, CTRL))
    chain = window.tabs.current
    assert isinstance(chain, Window)
    wait_until(chain.view.isVisible, "the other tab")
    hand.key(Qt.Key.Key_L, CTRL | SHIFT)
    hand.key(Qt.Key.Key_Space)
    hand.picture("folded")
    area = chain.view.canvas.content_rect()
    small = chain.view.minimap.isVisible()
    for _ in range(6):
        hand.key(Qt.Key.Key_Plus, CTRL)
    hand.picture("minimap")
    return {
        "behind": behind,
        "plotted": plotted,
        "element": element,
        "inserted": inserted,
        "live": live,
        "large": large,
        "blocks": len(chain.document.diagram.blocks),
        "aspect": area.width() / area.height(),
        "readable": chain.view.zoom(),
        "minimap": [small, chain.view.minimap.isVisible()],
    }


def corrections(hand: WholeHand) -> dict[str, Any]:
    """Files that dialogs propose, what closing asks, files of a search, the route of a wire, what a full undo says."""
    window = hand.window
    wait_until(window.actions_["modes"].isEnabled, "the model to compile")
    before = {text: wire.points for text, wire in window.view.canvas.wires.items()}
    hand.runs()
    film = hand.proposed(lambda: hand.menu("File", "Export", "Animation"))
    hand.fill("upper", mass="4_kg")
    bar = window.running.bar
    older = bar.note.text()
    hand.picture("older")
    hand.click(hand.on_canvas(0, 300))
    hand.key(Qt.Key.Key_Z, CTRL)
    again = bar.note.text()
    said = window.message_label.text()
    hand.click_block("upper")
    hand.fill("upper", mass="5_kg")
    after = window.message_label.text()
    hand.menu("Study", "Optimise")
    panel = window.analyses.panels[PANELS["optimise"]]
    offered = Path(panel.file.text()).name
    hand.menu("File", "Import")
    wait_until(lambda: bool(dialogs()), "the dialog")
    (dialog,) = dialogs()
    hand.types(dialog, str(hand.folder / "robot.urdf"))
    wait_until(lambda: window.tabs.current is not window, "the imported diagram")
    imported = window.tabs.current
    assert isinstance(imported, Window)
    settle()
    stays = len(dialogs())
    question = hand.with_dialog(QMessageBox, lambda: hand.key(Qt.Key.Key_W, CTRL), lambda box: box.text())
    hand.window = imported
    first = hand.proposed(lambda: hand.key(Qt.Key.Key_S, CTRL))
    hand.in_dialog(hand.folder / "again.yaml", lambda: hand.key(Qt.Key.Key_S, CTRL))
    routes = {text: wire.points for text, wire in imported.view.canvas.wires.items()}
    hand.key(Qt.Key.Key_W, CTRL)
    hand.window = window
    hand.in_dialog(hand.folder / "again.yaml", lambda: hand.key(Qt.Key.Key_O, CTRL))
    other = window.tabs.current
    assert isinstance(other, Window)
    wait_until(other.view.isVisible, "the file")
    settle()
    reloaded = {text: wire.points for text, wire in other.view.canvas.wires.items()}
    return {
        "film": film.name,
        "older": [older, again],
        "said": [said, after],
        "offered": offered,
        "stays": stays,
        "question": question,
        "first": [str(first.parent), first.name],
        "same_routes": routes == reloaded,
        "drawn": len(before),
    }


SESSIONS = {one.__name__: one for one in (levels, mends, outside, hands, corrections)}

if __name__ == "__main__":
    name, folder, *files = sys.argv[1:]
    in_window(files, Path(folder), SESSIONS[name])
