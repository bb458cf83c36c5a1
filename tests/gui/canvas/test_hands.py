"""What the hands do on the canvas: a wire's menu, Tab behind a block, the minimap, names in words."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from luff.gui.canvas.view import CanvasView
from luff.gui.canvas.wire_item import NEAR_WIRE
from luff.gui.theme.block_catalog import builtin
from luff.gui.window.docks.block_palette import NAME
from luff.tests.gui.driver import LEFT, LONG, NONE
from luff.tests.gui.user import TEXT, User

KEY = Qt.Key
VECTOR = """\
luff: 1
blocks:
  both: {type: constant, value: [1, 2, 3]}
  one: {type: gain}
connect: ["both.y[0] -> one.u"]
"""


def words(menu: QMenu) -> list[str]:
    return [action.text().replace("&", "").partition("\t")[0] for action in menu.actions()]


def middle_of(user: User, wire: str) -> tuple[float, float]:
    """Place on a wire away from its ports."""
    user.window.view.canvas.sync()
    place = user.window.view.canvas.wires[wire].middle()
    assert place is not None
    return place.x(), place.y()


def test_menu_of_a_wire_plots_and_inserts(user: User) -> None:
    signals = [text for text in user.window.document.diagram.connections if "effort" in text]
    wire = signals[0]
    user.window.panels.show("Problems")
    user.chooses("Plot")
    user.right_click_canvas(middle_of(user, wire))
    QApplication.processEvents()
    assert user.window.panels.is_visible("Plots")
    source, target = wire.split(" -> ")
    assert source in user.window.top.diagram.plots[0]["y"]
    user.menu("undo")
    user.chooses("Insert Block...")
    user.right_click_canvas(middle_of(user, wire))
    insert = user.window.view.quick_insert
    assert insert.isVisible()
    QTest.keyClicks(insert.field, "gain")
    QTest.keyClick(insert.field, KEY.Key_Return)
    wires = user.window.document.diagram.connections
    assert wire not in wires
    assert {f"{source} -> gain.u", f"gain.y -> {target}"} <= set(wires)
    user.menu("undo")
    user.chooses("Insert Block...")
    user.right_click_canvas(middle_of(user, wire))
    QTest.keyClicks(insert.field, "rigid_link")
    QTest.keyClick(insert.field, KEY.Key_Return)
    assert wire in user.window.document.diagram.connections
    assert "does not fit" in user.window.message_label.text()
    user.menu("undo")
    assert user.window.document.diagram.to_yaml() == TEXT


def test_menu_of_a_wire_takes_elements(make_window) -> None:
    window = make_window(VECTOR)
    menu = QMenu(window)
    window.editing.wire_menu(menu, "both.y[0] -> one.u")
    inner = next(action.menu() for action in menu.actions() if action.text() == "Element of both.y")
    assert isinstance(inner, QMenu)
    assert words(inner) == ["All", "[0]", "[1]", "[2]"]
    assert [action.isChecked() for action in inner.actions()] == [False, True, False, False]
    inner.actions()[3].trigger()
    assert window.document.diagram.connections == ["both.y[2] -> one.u"]
    assert window.view.canvas.selected_wires() == ["both.y[2] -> one.u"]
    menu.close()


def test_tab_inserts_behind_the_selected_block(user: User) -> None:
    view, document = user.window.view, user.window.document
    user.select("fore")
    QTest.keyClick(view, KEY.Key_Tab)
    field = view.quick_insert.field
    assert view.quick_insert.isVisible()
    QTest.keyClicks(field, "revolute")
    QTest.keyClick(field, KEY.Key_Return)
    assert "fore.frame_b -- revolute.frame_a" in document.diagram.connections
    assert view.canvas.selected_blocks() == ["revolute"]
    assert document.card("revolute")[0] > document.card("fore")[2]
    QTest.keyClick(view, KEY.Key_Tab)
    QTest.keyClicks(field, "rigid_link")
    QTest.keyClick(field, KEY.Key_Return)
    assert "revolute.frame_b -- rigid_link.frame_a" in document.diagram.connections
    user.menu("undo")
    user.menu("undo")
    assert document.diagram.to_yaml() == TEXT
    user.select("fore")
    QTest.keyClick(view, KEY.Key_Tab)
    QTest.keyClicks(field, "gain")
    QTest.keyClick(field, KEY.Key_Return)
    assert "it is not wired" in user.window.message_label.text()


@pytest.mark.parametrize(
    ("free", "word", "expected"),
    [
        (True, "pd", {"pd.effort -> shoulder.effort", "shoulder.trajectory -> pd.measured"}),
        (False, "pd", {"shoulder.trajectory -> pd.measured"}),  # driven by another
        (True, "brake", {"brake.effort -> shoulder.effort", "shoulder.velocity -> brake.velocity"}),
    ],
)
def test_tab_behind_a_joint_amid_a_chain_wires_its_drive(
    user: User, free: bool, word: str, expected: set[str]
) -> None:
    document = user.window.document
    if free:
        document.remove([], ["controller.effort -> shoulder.effort"])
    before, text = set(document.diagram.connections), document.diagram.to_yaml()
    user.select("shoulder")
    QTest.keyClick(user.window.view, KEY.Key_Tab)
    QTest.keyClicks(user.window.view.quick_insert.field, word)
    QTest.keyClick(user.window.view.quick_insert.field, KEY.Key_Return)
    assert set(document.diagram.connections) - before == expected
    assert f"{word} is wired to shoulder." in user.window.message_label.text()
    user.menu("undo")
    assert document.diagram.to_yaml() == text


def test_tab_in_the_insert_list_chooses_and_inserts_nothing(user: User) -> None:
    view, document = user.window.view, user.window.document
    user.select("fore")
    QTest.keyClick(view, KEY.Key_Tab)
    insert = view.quick_insert
    QTest.keyClick(insert.field, KEY.Key_Tab)
    QTest.keyClick(insert.field, KEY.Key_Tab)
    assert insert.isVisible()
    assert insert.list.currentRow() == 2
    QTest.keyClick(insert.field, KEY.Key_Backtab)
    assert insert.list.currentRow() == 1
    assert document.diagram.to_yaml() == TEXT
    wanted = insert.list.item(1).data(Qt.ItemDataRole.UserRole)
    QTest.keyClick(insert.field, KEY.Key_Return)
    assert document.diagram.blocks[view.canvas.selected_blocks()[0]]["type"] == wanted


def test_the_block_that_usually_follows_stands_first(user: User) -> None:
    """So that Tab and Return draw a chain of joints and links."""
    view, document = user.window.view, user.window.document
    before = set(document.diagram.blocks)
    user.select("fore")
    for _ in range(4):
        QTest.keyClick(view, KEY.Key_Tab)
        QTest.keyClick(view.quick_insert.field, KEY.Key_Return)
    new = [raw["type"] for name, raw in document.diagram.blocks.items() if name not in before]
    assert new == ["revolute", "rigid_link"] * 2
    assert "revolute2.frame_b -- rigid_link2.frame_a" in document.diagram.connections
    view.quick_insert.open(QPointF(0, 0), "", "shoulder.trajectory")
    assert view.quick_insert.list.item(0).data(Qt.ItemDataRole.UserRole) == "pd"
    view.quick_insert.dismiss()


def offered(view: CanvasView) -> list[str]:
    """Types in the list of blocks to insert."""
    items = (view.quick_insert.list.item(k) for k in range(view.quick_insert.list.count()))
    return [item.data(Qt.ItemDataRole.UserRole) for item in items]


@pytest.mark.parametrize(
    ("port", "first", "missing"),
    [
        ("elbow.effort", ["pd", "pid"], {"rigid_link", "revolute", "motion_law"}),  # N*m
        ("controller.target", ["motion_law", "path", "make_trajectory"], {"step", "rigid_link"}),
        ("elbow.position", ["gain", "sum", "integrator"], {"rigid_link", "constant", "world"}),
        ("fore.frame_b", ["revolute", "prismatic"], {"gain", "world"}),
    ],
)
def test_a_wire_that_ends_in_the_air_offers_what_fits_its_port(
    user: User, port: str, first: list[str], missing: set[str]
) -> None:
    view = user.window.view
    view.quick_insert.open(QPointF(0, 0), "", port)
    types = offered(view)
    assert types[: len(first)] == first
    assert not missing & set(types)
    QTest.keyClicks(view.quick_insert.field, "rigid_link")  # by name everything is found
    assert "rigid_link" in offered(view)


def test_what_usually_follows_stands_first_among_what_a_word_finds_alike(user: User) -> None:
    view = user.window.view
    view.quick_insert.open(QPointF(0, 0), "plan", "controller.target")
    assert offered(view)[:2] == ["motion_law", "path"]  # as without a word
    view.quick_insert.open(QPointF(0, 0), "path", "controller.target")
    assert offered(view)[0] == "path"
    view.quick_insert.open(QPointF(0, 0), "gain", "fore.frame_b")
    assert offered(view)[0] == "gain"  # by name, though it does not fit


@pytest.mark.parametrize(
    ("port", "block", "expected"),
    [
        ("elbow.trajectory", "pd", {"elbow.trajectory -> pd.measured", "pd.effort -> elbow.effort"}),
        ("elbow.effort", "pd", {"elbow.trajectory -> pd.measured", "pd.effort -> elbow.effort"}),
        ("shoulder.trajectory", "pd", {"shoulder.trajectory -> pd.measured"}),  # driven by another
        ("elbow.position", "gain", {"elbow.position -> gain.u"}),
        ("reference.trajectory", "pd", {"reference.trajectory -> pd.target"}),
    ],
)
def test_a_drive_at_the_end_of_a_wire_closes_its_loop(
    user: User, port: str, block: str, expected: set[str]
) -> None:
    document, box = user.window.document, user.window.view.quick_insert
    before, text = set(document.diagram.connections), document.diagram.to_yaml()
    box.open(QPointF(300, 400), "", port)
    QTest.keyClicks(box.field, block)
    QTest.keyClick(box.field, KEY.Key_Return)
    assert set(document.diagram.connections) - before == expected
    user.menu("undo")
    assert document.diagram.to_yaml() == text


def test_a_block_that_is_asked_for_over_the_selected_one_stands_behind_it(user: User) -> None:
    view, document = user.window.view, user.window.document
    place = view.mapToScene(view.viewport().rect().center())
    view.pointed, view.cursor_place = True, QPointF(place.x(), place.y() + 400)
    view.centerOn(view.cursor_place)
    user.select()
    for word in ("sine", "gain", "integrator"):
        QTest.keyClicks(view, "/")
        QTest.keyClicks(view.quick_insert.field, word)
        QTest.keyClick(view.quick_insert.field, KEY.Key_Return)
        (name,) = view.canvas.selected_blocks()
        view.cursor_place = view.canvas.blocks[name].sceneBoundingRect().center()  # it is under the pointer
    assert {"sine.y -> gain.u", "gain.y -> integrator.u"} <= set(document.diagram.connections)
    cards = [document.card(name) for name in ("sine", "gain", "integrator")]
    assert all(left[2] < right[0] for left, right in pairwise(cards))
    free = view.canvas.blocks["sine"].sceneBoundingRect().bottomLeft() + QPointF(-150, 150)
    view.cursor_place = free  # aside: a block of its own
    QTest.keyClicks(view, "/")
    assert (view.quick_insert.reference, view.quick_insert.place) == ("", free)


def test_a_new_block_that_is_seen_scrolls_nothing(user: User) -> None:
    view = user.window.view
    area = view.viewport().rect()
    for at in (area.bottomLeft() + QPoint(120, -60), area.topRight() + QPoint(-80, 60)):
        before = view.mapToScene(area.center())
        view.quick_insert.open(view.mapToScene(at))
        QTest.keyClicks(view.quick_insert.field, "gain")
        QTest.keyClick(view.quick_insert.field, KEY.Key_Return)
        assert view.mapToScene(area.center()) == before
        (name,) = view.canvas.selected_blocks()
        seen = view.mapToScene(area).boundingRect()
        assert seen.contains(view.canvas.blocks[name].sceneBoundingRect())


def inserted(user: User, word: str, dx: float) -> str:
    """Block of a name that is typed at a free place."""
    view = user.window.view
    view.quick_insert.open(QPointF(200 + dx, 200))
    QTest.keyClicks(view.quick_insert.field, word)
    QTest.keyClick(view.quick_insert.field, KEY.Key_Return)
    (name,) = view.canvas.selected_blocks()
    return name


def test_a_first_joint_stands_on_the_world(make_window, monkeypatch, tmp_path) -> None:
    window = make_window()
    user = User(window, monkeypatch, tmp_path)
    wires = lambda: window.document.diagram.connections  # noqa: E731
    inserted(user, "gain", 0)
    assert inserted(user, "revolute", 300) == "revolute"
    assert wires() == ["world.frame -- revolute.frame_a"]
    assert window.document.undo.count() == 2  # the wire comes with its block
    assert inserted(user, "revolute", 600) == "revolute2"
    assert len(wires()) == 1  # it may close a loop, or begin another mechanism
    user.menu("undo")
    user.menu("undo")
    assert wires() == []
    inserted(user, "rigid_link", 300)
    inserted(user, "revolute", 600)
    assert wires() == []  # the mechanism has begun with the body


def test_escape_leads_from_the_properties_to_the_canvas(user: User) -> None:
    window = user.window
    window.activateWindow()
    user.select("shoulder")
    user.canvas.key(KEY.Key_Return)
    assert window.properties.isAncestorOf(QApplication.focusWidget())
    field = user.row("damping").editor.field
    field.setFocus()
    QTest.keyClicks(field, "12")
    QTest.keyClick(field, KEY.Key_Escape)  # first the text comes back
    assert (field.text(), QApplication.focusWidget()) == ("", field)
    QTest.keyClick(field, KEY.Key_Escape)
    assert QApplication.focusWidget() is window.view
    assert window.view.canvas.selected_blocks() == ["shoulder"]


def test_a_click_shows_the_properties_in_a_narrow_window(user: User, qtbot) -> None:
    window = user.window
    window.tabs.resize(1270, 680)
    qtbot.waitUntil(window.panels._strip.isVisible, timeout=LONG)
    window.panels.show("Palette")
    qtbot.waitUntil(lambda: window.panels.is_visible("Palette"), timeout=LONG)
    qtbot.waitUntil(lambda: not window.panels.is_visible("Properties"), timeout=LONG)
    assert window.panels.is_visible("Plots")  # and the 3-D view is behind it
    assert not window.panels.is_visible("3-D View")
    window.view.centerOn(window.view.canvas.blocks["shoulder"])
    place = user.canvas.middle("shoulder")
    user.canvas.drag(place, (place[0] + 20, place[1]))
    assert window.panels.is_visible("Palette")  # who arranges goes on with blocks
    user.canvas.click(user.canvas.middle("shoulder"))
    qtbot.waitUntil(lambda: window.panels.is_visible("Properties"), timeout=LONG)


def test_a_port_is_dropped_on_plots_that_another_panel_hides(user: User) -> None:
    window = user.window
    window.panels.show("Problems")
    QApplication.processEvents()
    before = window.top.diagram.to_yaml()
    window.editing.plot_port("elbow.velocity", window.palette_.mapToGlobal(QPoint(20, 20)))
    assert window.top.diagram.to_yaml() == before
    assert "dropped on a plot" in window.message_label.text()
    window.editing.plot_port("elbow.velocity", window.problems.mapToGlobal(QPoint(20, 20)))
    assert any("elbow.velocity" in plot["y"] for plot in window.top.diagram.plots)
    QApplication.processEvents()
    assert window.panels.is_visible("Plots")


def test_an_input_dropped_outside_the_canvas_says_what_plots_show(user: User) -> None:
    view, said = user.window.view, user.window.message_label
    end = view.canvas.blocks["elbow"].end("effort")
    assert end is not None
    QTest.mousePress(view.viewport(), LEFT, NONE, view.mapFromScene(QPointF(end.x, end.y)))
    QTest.mouseRelease(view.viewport(), LEFT, NONE, view.viewport().rect().bottomLeft() + QPoint(50, 60))
    assert said.text() == "elbow.effort is an input: plots show outputs, such as the one wired to it"
    assert view.gesture is None


@pytest.mark.parametrize(
    ("block", "port"), [("world", "frame"), ("upper", "frame_b"), ("controller", "effort")]
)
def test_a_chain_goes_on_at_the_port_away_from_the_world(user: User, block: str, port: str) -> None:
    user.select(block)
    QTest.keyClick(user.window.view, KEY.Key_Tab)
    assert user.window.view.quick_insert.reference == f"{block}.{port}"


def test_minimap_is_there_while_the_diagram_does_not_fit(user: User) -> None:
    view = user.window.view
    view.resize(900, 600)
    view.fit()
    minimap = view.minimap
    assert minimap.isHidden()
    view.zoom_by(4.0)
    assert not minimap.isHidden()
    before = minimap.seen()
    QTest.mouseClick(minimap, LEFT, NONE, minimap.rect().topLeft())
    after = minimap.seen()
    assert after.center().x() < before.center().x()
    assert after.size() == before.size()
    user.menu("minimap")
    assert minimap.isHidden()
    user.menu("minimap")
    assert not minimap.isHidden()


def test_minimap_lies_over_no_block_where_a_corner_is_free(user: User) -> None:
    view = user.window.view
    view.resize(900, 600)
    view.fit()
    view.zoom_by(4.0)
    block = next(iter(view.canvas.blocks.values()))
    middle = block.area.center()
    for _ in range(4):
        at = view.minimap.geometry().center()
        shift = view.viewport().rect().center() - at
        scale = view.transform().m11()
        view.centerOn(middle + QPointF(shift) / scale)  # the block lies where the map was
        below = view.mapToScene(view.minimap.geometry()).boundingRect()
        assert not below.intersects(block.area)


def test_palette_has_names_in_words_above_those_of_netlists(user: User) -> None:
    tree = user.window.palette_.tree
    heads = [tree.topLevelItem(k) for k in range(tree.topLevelItemCount())]
    rows = [head.child(k) for head in heads if head for k in range(head.childCount())]
    names = {row.data(0, NAME): row.text(0) for row in rows}
    assert names["rigid_link"] == "Rigid link"
    assert (names["pd"], names["rfem_link"]) == ("PD", "RFEM link")
    assert {entry.label for entry in builtin()} <= names.keys()
    row = next(row for row in rows if row.data(0, NAME) == "rigid_link")
    assert tree.visualItemRect(row).height() >= 2 * tree.fontMetrics().height()


def test_names_of_ports_follow_the_pointer_through_a_drop(user: User) -> None:
    canvas = user.canvas
    canvas.drag(canvas.port("reference.y"), canvas.port("controller.feedforward"))
    assert "reference.y -> controller.feedforward" in user.window.document.diagram.connections
    assert user.window.view.pointed_at == "controller"


@pytest.mark.parametrize("spot", ["elbow.frame_b", "elbow", "elbow.frame_b -- fore.frame_a"])
def test_nothing_stays_marked_when_the_pointer_leaves_the_canvas(user: User, spot: str) -> None:
    canvas, view = user.canvas, user.window.view
    scene = view.canvas
    place_of = (
        middle_of if " -- " in spot else (lambda _, at: canvas.port(at) if "." in at else canvas.middle(at))
    )
    canvas.move(place_of(user, spot), button=Qt.MouseButton.NoButton)
    marked = lambda: [  # noqa: E731
        item for item in (*scene.blocks.values(), *scene.wires.values())
        if item.hovered or getattr(item, "active_port", "")
    ]  # fmt: skip
    assert len(marked()) == 1
    QApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
    assert marked() == []
    assert (view.pointed_at, view.viewport().cursor().shape()) == ("", Qt.CursorShape.ArrowCursor)


def test_the_nearest_of_several_wires_is_under_the_pointer(user: User) -> None:
    scene = user.canvas.scene
    for text, wire in scene.wires.items():
        for (x1, y1), (x2, y2) in pairwise(wire.points):
            point = QPointF((x1 + x2) / 2, (y1 + y2) / 2)
            found = scene.wire_at(point, NEAR_WIRE)
            assert found is not None, text
            assert found.distance(point) == 0.0, (text, found.connection)
