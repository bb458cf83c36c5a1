"""Each gesture drives the document and undoes exactly."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from PySide6.QtCore import QMimeData, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QDropEvent, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from luff.gui.canvas.canvas_protocol import BLOCK_MIME
from luff.gui.document.document import toggle_enabled
from luff.gui.theme.active_theme import theme
from luff.tests.gui.conftest import let_go
from luff.tests.gui.driver import Canvas
from luff.tests.shared.netlists import TWO_LINKS

SHIFT, ALT = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier


def undo_gives_back(canvas: Canvas, text: str = TWO_LINKS) -> None:
    """Undo everything: the very text of the file; redo: the text after the edit."""
    edited = canvas.document.diagram.to_yaml()
    assert edited != text
    while canvas.document.undo.canUndo():
        canvas.document.undo.undo()
    assert canvas.document.diagram.to_yaml() == text
    while canvas.document.undo.canRedo():
        canvas.document.undo.redo()
    assert canvas.document.diagram.to_yaml() == edited


def test_drag_moves_block_on_the_grid(canvas: Canvas) -> None:
    canvas.drag(canvas.middle("fore"), (canvas.middle("fore")[0] + 43, canvas.middle("fore")[1] + 158))
    x, y, _ = canvas.document.place("fore")
    assert (x % 10, y % 10) == (0, 0)
    assert (x, y) == (880, 360)
    assert canvas.document.diagram.to_yaml() == TWO_LINKS.replace("fore: [840, 200]", "fore: [880, 360]")
    undo_gives_back(canvas)


def test_alt_lets_go_of_the_grid(canvas: Canvas) -> None:
    start = canvas.middle("fore")
    canvas.drag(start, (start[0] + 43, start[1] + 57), ALT)
    assert canvas.document.place("fore")[:2] == (883, 257)
    undo_gives_back(canvas)


def test_drag_near_another_block_aligns_with_it(canvas: Canvas) -> None:
    canvas.document.move({"reference": (3, 0)})  # off the grid, so that a guide is no grid line
    canvas.scene.sync()
    start = canvas.middle("controller")
    canvas.press(start)
    canvas.move((start[0] - 20, start[1] + 130))
    canvas.move((start[0] - 196, start[1] + 130))
    assert any(guide.upright for guide in canvas.view.guides)
    canvas.release((start[0] - 196, start[1] + 130))
    assert canvas.document.place("controller")[0] == canvas.document.place("reference")[0]
    assert not canvas.view.guides


def test_escape_calls_a_move_off(canvas: Canvas) -> None:
    start = canvas.middle("fore")
    canvas.press(start)
    canvas.move((start[0] + 100, start[1] + 100))
    canvas.key(Qt.Key.Key_Escape)
    canvas.release((start[0] + 100, start[1] + 100))
    assert canvas.document.diagram.to_yaml() == TWO_LINKS
    assert canvas.scene.blocks["fore"].pos() == QPointF(840, 200)
    assert not canvas.document.undo.canUndo()


def test_click_selects_shift_extends_and_click_on_paper_deselects(canvas: Canvas) -> None:
    canvas.click(canvas.middle("upper"))
    canvas.click(canvas.middle("fore"), SHIFT)
    assert canvas.scene.selected_blocks() == ["upper", "fore"]
    canvas.click(canvas.middle("fore"), SHIFT)
    assert canvas.scene.selected_blocks() == ["upper"]
    canvas.click((500, 500))
    assert canvas.scene.selectedItems() == []


def test_rubber_band_selects_blocks_it_touches_and_wires_it_holds(canvas: Canvas) -> None:
    canvas.drag((400, 180), (1000, 300))
    assert canvas.scene.selected_blocks() == ["upper", "elbow", "fore"]
    assert canvas.scene.selected_wires() == [
        "upper.frame_b -- elbow.frame_a",
        "elbow.frame_b -- fore.frame_a",
    ]
    assert canvas.document.diagram.to_yaml() == TWO_LINKS


@pytest.mark.parametrize("by_clicks", [False, True])
def test_wire_between_ports(canvas: Canvas, by_clicks: bool) -> None:
    start, end = canvas.port("controller.effort"), canvas.port("elbow.effort")
    if by_clicks:
        canvas.click(start)
        canvas.move((start[0] + 80, start[1] + 30))
        canvas.click(end)
    else:
        canvas.drag(start, end)
    assert canvas.document.diagram.connections[-1] == "controller.effort -> elbow.effort"
    assert canvas.view.gesture is None
    undo_gives_back(canvas)


def test_wire_drawn_backwards_points_from_output_to_input(canvas: Canvas) -> None:
    canvas.drag(canvas.port("elbow.effort"), canvas.port("controller.effort"))
    assert canvas.document.diagram.connections[-1] == "controller.effort -> elbow.effort"


def test_wire_with_clicked_corner_keeps_it(canvas: Canvas) -> None:
    canvas.click(canvas.port("controller.effort"))
    canvas.move((560, 520))
    canvas.click((560, 520))
    canvas.click(canvas.port("elbow.effort"))
    wire = canvas.scene.wires["controller.effort -> elbow.effort"]
    assert any(y == 520 for _, y in wire.points)
    assert canvas.document.route("controller.effort -> elbow.effort") == [(560.0, 520.0)]
    undo_gives_back(canvas)


def test_unfit_wire_says_the_netlists_sentence_and_edits_nothing(canvas: Canvas) -> None:
    said: list[str] = []
    canvas.view.message.connect(said.append)
    start, end = canvas.port("controller.effort"), canvas.port("upper.frame_a")
    canvas.press(start)
    canvas.move(end)
    sentence = canvas.document.can_connect("controller.effort", "upper.frame_a")
    assert sentence.startswith("upper.frame_a: is a frame and cannot be wired to controller.effort")
    assert canvas.view.hint.text() == sentence
    canvas.release(end)
    assert said == [sentence]
    assert canvas.document.diagram.to_yaml() == TWO_LINKS
    assert canvas.view.gesture is None


def test_fitting_ports_glow_while_a_wire_is_drawn(canvas: Canvas) -> None:
    canvas.press(canvas.port("controller.effort"))
    canvas.move((500, 500))
    assert canvas.scene.blocks["elbow"].glowing == {"effort"}
    assert canvas.scene.blocks["upper"].faded
    canvas.key(Qt.Key.Key_Escape)
    assert not any(item.glowing or item.faded for item in canvas.scene.blocks.values())


def test_wire_dropped_on_a_wire_joins_its_node(canvas: Canvas) -> None:
    canvas.document.add_block("rigid_link", 640, 400, name="spare")
    canvas.scene.sync()
    wire = canvas.scene.wires["upper.frame_b -- elbow.frame_a"]
    (x1, y1), (x2, _) = wire.points[0], wire.points[-1]
    canvas.drag(canvas.port("spare.frame_a"), (x1 + 0.7 * (x2 - x1), y1))
    assert canvas.document.diagram.connections[-1] == "spare.frame_a -- elbow.frame_a"


@pytest.mark.parametrize("beside", [0, 8])
def test_a_block_of_the_canvas_dropped_on_a_wire_goes_into_it(canvas: Canvas, beside: int) -> None:
    canvas.document.add_block("fixed", 640, 450, name="spare")
    canvas.scene.sync()
    count = canvas.document.undo.count()
    wire = "upper.frame_b -- elbow.frame_a"
    (x1, y1), (x2, _) = canvas.scene.wires[wire].points[0], canvas.scene.wires[wire].points[-1]
    canvas.drag(canvas.middle("spare"), ((x1 + x2) / 2, y1 + beside))
    connections = canvas.document.diagram.connections
    assert wire not in connections
    assert connections[-2:] == ["upper.frame_b -- spare.frame_a", "spare.frame_b -- elbow.frame_a"]
    assert canvas.port("spare.frame_a")[1] == y1
    assert canvas.document.undo.count() == count + 1
    canvas.document.undo.undo()
    assert wire in canvas.document.diagram.connections
    assert canvas.document.place("spare")[:2] == (640, 450)


def test_a_block_that_does_not_fit_a_wire_says_so(canvas: Canvas) -> None:
    canvas.document.add_block("gain", 640, 450, name="spare")
    canvas.scene.sync()
    said: list[str] = []
    canvas.view.message.connect(said.append)
    wire = "upper.frame_b -- elbow.frame_a"
    (x1, y1), (x2, _) = canvas.scene.wires[wire].points[0], canvas.scene.wires[wire].points[-1]
    canvas.drag(canvas.middle("spare"), ((x1 + x2) / 2, y1))
    assert wire in canvas.document.diagram.connections
    assert said == [f"spare does not fit into {wire}"]


def test_a_wired_block_moved_over_a_wire_keeps_its_own(canvas: Canvas) -> None:
    before = list(canvas.document.diagram.connections)
    wire = canvas.scene.wires["upper.frame_b -- elbow.frame_a"]
    (x1, y1), (x2, _) = wire.points[0], wire.points[-1]
    canvas.drag(canvas.middle("reference"), ((x1 + x2) / 2, y1))
    assert canvas.document.diagram.connections == before


def test_wire_dropped_in_the_air_offers_blocks_and_connects(canvas: Canvas) -> None:
    canvas.drag(canvas.port("fore.frame_b"), (1100, 420))
    insert = canvas.view.quick_insert
    assert insert.isVisible()
    insert.field.setText("frame_sensor")
    insert._search("frame_sensor")
    insert.accept()
    assert "fore.frame_b -- frame_sensor.frame_b" in canvas.document.diagram.connections  # what is watched
    undo_gives_back(canvas)


@pytest.mark.parametrize(("off", "straight"), [(-30, True), (10, True), (120, False)])
def test_a_block_dropped_about_level_is_wired_straight(canvas: Canvas, off: int, straight: bool) -> None:
    x, y = canvas.port("fore.frame_b")
    canvas.drag((x, y), (x + 200, y + off))
    QTest.keyClicks(canvas.view.quick_insert.field, "revolute")
    QTest.keyClick(canvas.view.quick_insert.field, Qt.Key.Key_Return)
    points = canvas.scene.wires["fore.frame_b -- revolute.frame_a"].points
    assert (len(points) == 2) == straight
    assert (canvas.port("revolute.frame_a")[1] == y) == straight
    undo_gives_back(canvas)


def test_a_joint_tells_a_controller_what_it_measures(canvas: Canvas) -> None:
    canvas.view.quick_insert.open(QPointF(840, 460), "pd", "elbow.trajectory")
    canvas.view.quick_insert.accept()
    assert "elbow.trajectory -> pd.measured" in canvas.document.diagram.connections


@pytest.mark.parametrize("gap", [30, 200])
def test_names_of_ports_cover_no_block(canvas: Canvas, gap: int, monkeypatch) -> None:
    """Beside a near block a port's name is left out; where there is room it stands."""
    canvas.document.move(
        {"elbow": (canvas.port("upper.frame_b")[0] + gap - canvas.port("elbow.frame_a")[0], 0)}
    )
    canvas.scene.sync()
    canvas.scene.select(["elbow"])
    said: list[str] = []
    monkeypatch.setattr(QPainter, "drawText", lambda painter, *what: said.append(str(what[-1])))
    canvas.view.viewport().grab()
    assert ("frame_a" in said) == (gap == 200)
    assert "effort" in said
    # small names, each of its own place
    assert len(said) == len(set(said))


def test_dragged_segment_is_kept_in_the_layout_and_survives_a_reload(
    canvas: Canvas, make_canvas: Callable
) -> None:
    text = "controller.effort -> shoulder.effort"
    wire = canvas.scene.wires[text]
    piece = next(
        k
        for k, (a, b) in enumerate(itertools.pairwise(wire.points))
        if a[0] == b[0] and 0 < k < len(wire.points) - 2
    )
    (x, y1), (_, y2) = wire.points[piece], wire.points[piece + 1]
    canvas.drag((x, (y1 + y2) / 2), (x + 40, (y1 + y2) / 2))
    assert any(px == x + 40 for px, _ in wire.points)
    assert canvas.document.route(text)
    undo_gives_back(canvas)
    again = make_canvas(canvas.document.diagram.to_yaml())
    assert again.scene.wires[text].points == wire.points


def test_double_click_gives_a_dragged_wire_back_to_the_router(canvas: Canvas) -> None:
    text = "upper.frame_b -- elbow.frame_a"
    canvas.document.drag_wire(text, [(560.0, 240.0), (560.0, 340.0), (600.0, 340.0), (600.0, 240.0)])
    canvas.scene.sync()
    before = canvas.document.diagram.to_yaml()
    canvas.double_click((580, 340))
    assert canvas.document.route(text) == []
    canvas.document.undo.undo()
    assert canvas.document.diagram.to_yaml() == before


def test_arrows_nudge_and_merge_into_one_step(canvas: Canvas) -> None:
    canvas.click(canvas.middle("fore"))
    for _ in range(3):
        canvas.key(Qt.Key.Key_Right)
    canvas.key(Qt.Key.Key_Down, SHIFT)
    assert canvas.document.place("fore")[:2] == (870, 250)
    assert canvas.document.undo.count() == 1
    undo_gives_back(canvas)


def test_r_turns_the_selection_by_quarters(canvas: Canvas) -> None:
    canvas.click(canvas.middle("upper"))
    canvas.key(Qt.Key.Key_R)
    assert canvas.document.place("upper")[2] == 90
    canvas.scene.sync()
    assert canvas.scene.blocks["upper"].block_shape.anchors["frame_a"].side == "top"
    undo_gives_back(canvas)
    for _ in range(3):
        canvas.key(Qt.Key.Key_R)
    assert canvas.document.diagram.to_yaml() == TWO_LINKS


def test_typing_inserts_a_block_at_the_cursor(canvas: Canvas) -> None:
    canvas.move((700, 500), button=Qt.MouseButton.NoButton)
    canvas.key(Qt.Key.Key_S)
    insert = canvas.view.quick_insert
    assert insert.isVisible()
    assert insert.field.text() == "s"
    QTest.keyClicks(insert.field, "pherical")
    QTest.keyClick(insert.field, Qt.Key.Key_Return)
    assert canvas.document.diagram.blocks["spherical"] == {"type": "spherical"}
    left, top, right, bottom = canvas.scene.blocks["spherical"].rect()
    assert left < 700 < right
    assert top < 500 < bottom
    undo_gives_back(canvas)


def test_palette_drop_inserts_where_it_falls(canvas: Canvas) -> None:
    data = QMimeData()
    data.setData(BLOCK_MIME, b"gain")
    place = QPointF(canvas.at(800, 500))
    event = QDropEvent(
        place, Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    canvas.view.dropEvent(event)
    assert canvas.document.diagram.blocks["gain"] == {"type": "gain"}
    undo_gives_back(canvas)


def test_wheel_zooms_at_the_cursor_and_space_fits(canvas: Canvas) -> None:
    place = QPointF(canvas.at(840, 200))
    canvas.view.zoom_by(1.7, place)
    assert canvas.view.zoom() == pytest.approx(1.7)
    found = canvas.view.mapToScene(place.toPoint())
    # to a pixel of the screen: scroll bars count whole ones
    assert abs(found.x() - 840) < 2
    assert abs(found.y() - 200) < 2
    QTest.keyPress(canvas.view, Qt.Key.Key_Space)
    QTest.keyRelease(canvas.view, Qt.Key.Key_Space)
    seen = canvas.view.mapToScene(canvas.view.viewport().rect()).boundingRect()
    assert seen.contains(canvas.scene.content_rect())


def test_a_resize_fits_again_until_a_hand_zooms_or_pans(canvas: Canvas) -> None:
    view = canvas.view
    view.fit()

    def resized(width: int, height: int) -> tuple[float, bool]:
        """Zoom after a resize, and true if all is seen."""
        view.resize(width, height)
        for _ in range(3):
            QApplication.processEvents()
        seen = view.mapToScene(view.viewport().rect()).boundingRect()
        return view.zoom(), seen.contains(view.canvas.content_rect())

    small, whole = resized(500, 300)
    assert whole
    canvas.click(canvas.middle("fore"))  # selects, and moves nothing of the picture
    large, whole = resized(1100, 650)
    assert whole
    assert large > 1.5 * small  # by about 1100 / 500
    view.zoom_by(1.3)
    assert resized(600, 400)[0] == pytest.approx(1.3 * large)
    view.fit()
    assert resized(500, 300) == (pytest.approx(small), True)
    view.scroll_by(-900, 0)
    assert resized(520, 320)[0] == pytest.approx(small)


def test_middle_button_pans(canvas: Canvas) -> None:
    before = canvas.view.mapToScene(0, 0)
    middle = Qt.MouseButton.MiddleButton
    canvas.press((500, 500), middle)
    canvas.move((560, 470), middle)
    after = canvas.view.mapToScene(0, 0)
    assert (after.x() - before.x(), after.y() - before.y()) == (-60, 30)
    canvas.release((500, 500), middle)
    assert canvas.document.diagram.to_yaml() == TWO_LINKS


def test_second_button_calls_a_wire_off(canvas: Canvas) -> None:
    canvas.press(canvas.port("controller.effort"))
    canvas.move((500, 500))
    canvas.press((500, 500), Qt.MouseButton.RightButton)
    assert canvas.view.gesture is None
    assert canvas.document.diagram.to_yaml() == TWO_LINKS


def test_tooltip_of_a_port_names_kind_and_unit(canvas: Canvas) -> None:
    text = canvas.view.tooltip_at(QPointF(*canvas.port("shoulder.effort")))
    assert "effort" in text
    assert "N·m" in text


def test_names_of_ports_show_for_the_selected_block_and_under_the_cursor(canvas: Canvas) -> None:
    before = canvas.view.grab().toImage()
    canvas.scene.select(["elbow"])
    x, y = canvas.port("elbow.frame_b")
    box = QRectF(x + 9, y - 12, 40, 10)  # beside the port, over its wire

    def ink(image: QImage) -> int:
        area = QRect(canvas.at(box.left(), box.top()), canvas.at(box.right(), box.bottom()))
        part, paper = image.copy(area), theme().colour("canvas").lightness()
        pixels = [part.pixelColor(i, j) for i in range(part.width()) for j in range(part.height())]
        return sum(abs(colour.lightness() - paper) > 60 for colour in pixels)

    selected = canvas.view.grab().toImage()
    assert ink(selected) > ink(before) + 20
    canvas.scene.select([])
    canvas.move((x, y), button=Qt.MouseButton.NoButton)
    assert canvas.scene.blocks["elbow"].active_port == "frame_b"
    assert ink(canvas.view.grab().toImage()) > ink(before) + 20


def test_wire_under_way_ends_with_its_block(canvas: Canvas) -> None:
    """Begun by a click on a port; then the block goes, by key or menu, and another port is clicked."""
    canvas.click(canvas.port("fore.frame_b"))
    assert canvas.view.gesture is not None
    canvas.document.remove(["fore"])
    canvas.scene.sync()
    assert canvas.view.gesture is None
    after = canvas.document.diagram.to_yaml()
    canvas.click(canvas.port("elbow.frame_b"))
    canvas.view.cancel_gesture()
    assert canvas.document.diagram.to_yaml() == after


def test_a_block_out_of_effect_is_grey_with_its_wires_and_comes_back(canvas: Canvas) -> None:
    document, scene = canvas.document, canvas.scene
    before = document.diagram.to_yaml()
    toggle_enabled(document, ["controller"])
    scene.sync()
    assert scene.blocks["controller"].out
    own = {text for text in scene.wires if "controller." in text}
    assert own
    assert {text for text, wire in scene.wires.items() if wire.out} == own
    assert own <= set(document.diagram.connections)
    toggle_enabled(document, ["controller"])
    scene.sync()
    assert not scene.blocks["controller"].out
    assert not any(wire.out for wire in scene.wires.values())
    assert document.diagram.to_yaml() == before
    assert document.undo.count() == 2


def test_a_button_that_a_test_leaves_pressed_is_let_go(canvas: Canvas) -> None:
    canvas.press((500, 0))
    QTest.mousePress(canvas.view.viewport(), Qt.MouseButton.RightButton)
    let_go()
    assert QApplication.mouseButtons() == Qt.MouseButton.NoButton


@pytest.mark.parametrize("port", ["shoulder.effort", "elbow.frame_a", "elbow.frame_b"])
def test_the_hint_of_a_wire_stands_beside_the_card_of_its_port(canvas: Canvas, port: str) -> None:
    canvas.press(canvas.port("controller.effort"))
    canvas.move(canvas.port(port))
    hint = canvas.view.hint
    assert hint.isVisibleTo(canvas.view)
    area = canvas.scene.blocks[port.partition(".")[0]].sceneBoundingRect()
    # the card without its rim, ports and margins of the view's pixels
    symbol = canvas.view.mapFromScene(area).boundingRect().adjusted(12, 12, -12, -12)
    assert not hint.geometry().intersects(symbol)


def test_the_hint_of_a_wire_that_does_not_fit_names_the_port_that_does_and_covers_no_block(
    canvas: Canvas,
) -> None:
    x, y = canvas.port("controller.target")
    canvas.document.add_block(
        "constant", x - 150, y - 30
    )  # where the hint of a port on the left side would lie
    canvas.scene.sync()
    canvas.press(canvas.port("constant.y"))
    canvas.move((x, y))
    hint = canvas.view.hint
    assert "take constant.trajectory, which also carries rate and acceleration" in hint.text()
    for name in ("constant", "controller"):
        left, top, right, bottom = canvas.scene.blocks[name].rect()
        card = canvas.view.mapFromScene(QRectF(left, top, right - left, bottom - top)).boundingRect()
        assert not hint.geometry().intersects(card.adjusted(1, 1, -1, -1)), name
    assert not hint.geometry().contains(canvas.at(x, y))
