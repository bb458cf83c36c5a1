"""Finding on all levels, bringing blocks in line, and one parameter of many blocks."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu

from luff.gui.window.dialogs.find_dialog import FindDialog
from luff.gui.window.main_window import Window
from luff.tests.shared.netlists import TWO_LINKS

KEY = Qt.Key
LIBRARY = Path(__file__).parents[3] / "library"


def find(window: Window, words: str) -> FindDialog:
    window.actions_["find"].trigger()
    dialog = next(dialog for dialog in window.findChildren(FindDialog) if dialog.isVisible())
    QTest.keyClicks(dialog.field, words)
    return dialog


def hits(dialog: FindDialog) -> list[tuple[str, str]]:
    items = [dialog.list.topLevelItem(k) for k in range(dialog.list.topLevelItemCount())]
    return [(item.text(0), item.text(2)) for item in items if item is not None]


def crane(make_window) -> Window:
    window = make_window()
    window.files.open_path(LIBRARY / "crane_knuckle_boom.yaml")
    QApplication.processEvents()
    return window


def test_find_leads_into_composites_and_back(make_window) -> None:
    window = crane(make_window)
    dialog = find(window, "outer cylinder")
    assert hits(dialog)[0] == ("outer.cylinder", "block")
    QTest.keyClick(dialog.field, KEY.Key_Return)
    assert [level.label for level in window.levels] == ["", "outer"]
    assert window.view.canvas.selected_blocks() == ["cylinder"]
    # another composite: the level that does not lead there is left
    dialog = find(window, "king.post")
    QTest.keyClick(dialog.field, KEY.Key_Return)
    assert [level.label for level in window.levels] == ["", "king"]
    dialog = find(window, "pd")
    QTest.keyClick(dialog.field, KEY.Key_Return)
    assert len(window.levels) == 1
    assert window.view.canvas.selected_blocks() == ["pd"]


def test_find_shows_signals_and_parameters_with_units_and_values(make_window) -> None:
    window = crane(make_window)
    dialog = find(window, "outer position")
    assert ("outer.cylinder.position", "signal") in hits(dialog)
    dialog.field.selectAll()
    QTest.keyClicks(dialog.field, "barrel length")
    assert {
        ("inner.cylinder.barrel.length", "parameter"),
        ("outer.cylinder.barrel.length", "parameter"),
    } <= set(hits(dialog))
    dialog.field.selectAll()
    QTest.keyClicks(dialog.field, "outer.length")
    assert hits(dialog) == [("outer.length", "parameter")]  # as it is given, not the default behind it
    dialog.field.selectAll()
    QTest.keyClicks(dialog.field, "no such thing")
    assert hits(dialog) == []
    QTest.keyClick(dialog.field, KEY.Key_Return)  # leads nowhere, and stays
    assert dialog.isVisible()


def test_find_leads_to_the_field_of_a_parameter(make_window) -> None:
    window = make_window(TWO_LINKS)
    window.activateWindow()
    dialog = find(window, "upper.frame_b.at")
    assert hits(dialog) == [("upper.frame_b.at", "parameter")]
    QTest.keyClick(dialog.field, KEY.Key_Return)
    QApplication.processEvents()
    assert window.view.canvas.selected_blocks() == ["upper"]
    focus = window.focusWidget()
    assert isinstance(focus, QLineEdit)
    (group,) = [row for row in window.properties.rows if row.keys == ("frame_b",)]
    assert group.button.isChecked()
    assert group.isAncestorOf(focus)
    # the netlist's own parameters
    dialog = find(window, "l1")
    assert hits(dialog)[0] == ("l1", "parameter")
    QTest.keyClick(dialog.field, KEY.Key_Return)
    assert window.view.canvas.selected_blocks() == []


def test_down_key_chooses_among_hits(make_window) -> None:
    window = make_window(TWO_LINKS)
    dialog = find(window, "e")
    first, second = hits(dialog)[:2]
    QTest.keyClick(dialog.field, KEY.Key_Down)
    QTest.keyClick(dialog.field, KEY.Key_Return)
    assert window.view.canvas.selected_blocks() == [second[0].partition(".")[0]]
    assert first != second


def bring_in_line(window: Window, names: list[str], text: str) -> None:
    window.view.canvas.select(names)
    next(action for action in window.actions_.menus["align"].actions() if action.text() == text).trigger()


@pytest.mark.parametrize(
    ("text", "side", "extreme"),
    [("Left Edges", 0, min), ("Right Edges", 2, max), ("Top Edges", 1, min), ("Bottom Edges", 3, max)],
)
def test_aligned_blocks_share_an_edge(make_window, text: str, side: int, extreme) -> None:
    window = make_window(TWO_LINKS)
    document = window.document
    names = ["controller", "fore"]
    goal = extreme(document.card(name)[side] for name in names)
    bring_in_line(window, names, text)
    edges = [document.card(name)[side] for name in names]
    # cards are of any size, and stand on the grid
    assert edges[0] == pytest.approx(edges[1], abs=5.0 + 1e-9)
    if side in (0, 2):  # another block stands where the upper edges would meet: both go where there is room
        assert edges[0] == pytest.approx(goal, abs=5.0 + 1e-9)
    document.undo.undo()
    assert document.diagram.to_yaml() == TWO_LINKS


def test_aligned_blocks_never_lie_over_each_other(make_window) -> None:
    window = make_window(TWO_LINKS)
    bring_in_line(window, ["shoulder", "upper", "elbow", "fore"], "Left Edges")
    document = window.document
    # so it stands in the file, too: what is shown is not moved apart only for the eye
    assert all(document._given_place(name) == document.place(name) for name in document.block_names())
    boxes = [document.card(name) for name in document.block_names()]
    for k, a in enumerate(boxes):
        for b in boxes[k + 1 :]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_distributed_blocks_have_even_gaps(make_window) -> None:
    window = make_window(TWO_LINKS)
    document = window.document
    names = ["shoulder", "upper", "elbow", "fore"]
    document.move({"upper": (-40.0, 0.0)})
    window.view.canvas.select(names)
    before = {name: document.card(name) for name in names}
    menu: QMenu = window.actions_.menus["align"]
    next(action for action in menu.actions() if action.text() == "Distribute Horizontally").trigger()
    cards = [document.card(name) for name in names]
    gaps = [b[0] - a[2] for a, b in pairwise(cards)]
    assert max(gaps) - min(gaps) <= 10.0 + 1e-9  # a step of the grid
    assert cards[0] == before["shoulder"]
    assert cards[-1] == before["fore"]


def test_one_parameter_of_many_blocks_is_one_step(make_window) -> None:
    window = make_window(TWO_LINKS)
    window.view.canvas.select(["upper", "fore"])
    rows = {row.keys[0]: row for row in window.properties.rows}
    assert {"mass", "com", "frame_b"} <= set(rows)
    field = rows["mass"].editor.findChild(QLineEdit)
    assert field.placeholderText() == "several"  # 2 kg and 1 kg
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "7")
    QTest.keyClick(field, KEY.Key_Return)
    diagram = window.document.diagram
    assert diagram.value("upper.mass") == diagram.value("fore.mass")
    assert str(diagram.value("fore.mass")).startswith("7")
    assert window.document.undo.count() == 1
    window.document.undo.undo()
    assert diagram.to_yaml() == TWO_LINKS
    # what only some of them have is not offered
    window.view.canvas.select(["upper", "elbow"])
    assert "mass" not in {row.keys[0] for row in window.properties.rows}


def test_blocks_help_is_in_the_context_menu(user) -> None:
    from PySide6.QtCore import QTimer

    from luff.gui.window.help_dialogs import Reference

    user.select("elbow")
    user.chooses("Block Reference")
    user.right_click_canvas(user.canvas.middle("elbow"))
    (page,) = user.window.findChildren(Reference)
    assert page.list.currentItem().text() == "revolute"
    QTimer.singleShot(0, page.close)


def test_find_comes_so_near_that_its_hit_can_be_read(make_window) -> None:
    window = crane(make_window)
    window.view.scale(0.2 / window.view.zoom(), 0.2 / window.view.zoom())
    dialog = find(window, "pd")
    QTest.keyClick(dialog.field, KEY.Key_Return)
    assert window.view.zoom() == pytest.approx(1.0)
    item = window.view.canvas.blocks["pd"]
    shown = window.view.mapToScene(window.view.viewport().rect()).boundingRect()
    assert shown.contains(item.mapRectToScene(item.boundingRect()))
    window.view.scale(2.0, 2.0)  # what is near enough stays
    dialog = find(window, "pd")
    QTest.keyClick(dialog.field, KEY.Key_Return)
    assert window.view.zoom() == pytest.approx(2.0)
