"""A card shows the ports that matter: usual ones, used ones, and one for the rest."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication, QMenu

from luff.gui.canvas.block_item import NAME_ON_SCREEN, fitted, value_line
from luff.gui.canvas.port_labels import Box, LabelCollisions, paint_port_names, port_name_height
from luff.gui.canvas.wire_item import WireItem
from luff.gui.drawing.card_geometry import Anchor
from luff.gui.drawing.exposed_ports import MORE
from luff.gui.theme.active_theme import canvas_font
from luff.tests.gui.driver import Canvas


def test_joint_shows_usual_and_used_ports_and_folds_the_rest(canvas: Canvas) -> None:
    shown = set(canvas.scene.blocks["elbow"].block_ports)
    assert shown == {"frame_a", "frame_b", "effort", "position", "velocity", "trajectory", MORE}
    canvas.document.add_block("gain", 620, 420)
    canvas.document.connect_ports("elbow.normal_force", "gain.u")
    canvas.scene.sync()
    assert set(canvas.scene.blocks["elbow"].block_ports) == {*shown, "normal_force"}
    canvas.document.undo.undo()
    canvas.scene.sync()
    assert set(canvas.scene.blocks["elbow"].block_ports) == shown


def choose(name: str) -> None:
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    next(action for action in menu.actions() if action.text() == name).trigger()
    menu.close()


def test_wire_drawn_from_more_asks_which_output_and_shows_it(canvas: Canvas) -> None:
    canvas.document.add_block("gain", 620, 420)
    canvas.scene.sync()
    canvas.press(canvas.port(f"elbow.{MORE}"))
    choose("friction")
    canvas.click(canvas.port("gain.u"))
    assert "elbow.friction -> gain.u" in canvas.document.diagram.connections
    assert "friction" in canvas.scene.blocks["elbow"].block_ports


def test_wire_drawn_to_more_asks_which_output(canvas: Canvas) -> None:
    canvas.document.add_block("gain", 620, 420)
    canvas.scene.sync()
    canvas.drag(canvas.port("gain.u"), canvas.port(f"elbow.{MORE}"))
    choose("acceleration")
    assert "elbow.acceleration -> gain.u" in canvas.document.diagram.connections


def test_shaft_of_a_joint_hides_behind_more_until_a_wire_is_drawn_to_it(canvas: Canvas) -> None:
    canvas.document.add_block("gearbox", 620, 420)
    canvas.scene.sync()
    assert "shaft" not in canvas.scene.blocks["elbow"].block_ports
    assert set(canvas.scene.blocks["gearbox"].block_ports) >= {"a", "b"}
    canvas.drag(canvas.port("gearbox.b"), canvas.port(f"elbow.{MORE}"))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert [action.text() for action in menu.actions()] == ["shaft"]  # the outputs fit no shaft
    choose("shaft")
    assert "gearbox.b -- elbow.shaft" in canvas.document.diagram.connections
    assert "shaft" in canvas.scene.blocks["elbow"].block_ports
    assert canvas.scene.wires["gearbox.b -- elbow.shaft"].kind == "shaft"
    assert "gearbox.b -- elbow.shaft" in canvas.document.diagram.to_yaml()


def test_shaft_is_drawn_from_more_and_fits_nothing_but_shafts(canvas: Canvas) -> None:
    canvas.document.add_block("shaft_motor", 620, 420)
    canvas.scene.sync()
    canvas.press(canvas.port(f"elbow.{MORE}"))
    choose("shaft")
    glowing = {(name, port) for name, item in canvas.scene.blocks.items() for port in item.glowing}
    assert glowing >= {("shaft_motor", "shaft"), ("shaft_motor", "housing")}
    assert not {port for _, port in glowing} & {"voltage", "torque", "frame_a", "frame_b", "effort"}
    canvas.click(canvas.port("shaft_motor.shaft"))
    wires = canvas.document.diagram.connections
    assert "elbow.shaft -- shaft_motor.shaft" in wires


def test_names_of_ports_show_while_the_mouse_is_anywhere_on_the_block(canvas: Canvas) -> None:
    x, y = canvas.middle("fore")
    left, top, _, _ = canvas.scene.blocks["fore"].rect()

    def beside():
        corner, far = canvas.at(left - 60, top), canvas.at(left - 8, top + 80)
        return canvas.view.viewport().grab().toImage().copy(corner.x(), corner.y(), far.x() - corner.x(), 80)

    canvas.move((x, y + 300), button=Qt.MouseButton.NoButton)
    plain = beside()
    canvas.move((x, y), button=Qt.MouseButton.NoButton)
    assert beside() != plain


def test_names_of_ports_are_as_large_on_the_screen_from_afar(canvas: Canvas) -> None:
    anchors = canvas.scene.blocks["shoulder"].block_shape.anchors
    assert port_name_height(anchors.values(), 1.0) == 9
    assert port_name_height(anchors.values(), 0.6) == 15  # 9 px on the screen
    # 20 px from port to port: names of neighbours stay apart
    assert port_name_height(anchors.values(), 0.45) == 18
    assert port_name_height([Anchor("top", 10, 0), Anchor("top", 20, 0)], 0.45) == 9


def test_values_on_cards_are_never_cut_names() -> None:
    assert value_line({"type": "path", "shape": "circle"}) == "shape = circle"
    assert value_line({"type": "rigid_link", "mass": "=load_mass"}) == "mass = load_mass"
    assert value_line({"type": "rigid_link", "mass": "=load"}, {"load": "10 t"}) == "mass = 10 t"
    # a bare number has the unit in which it is read, an expression its own
    units = {"mass": "kg"}.get
    assert value_line({"type": "rigid_link", "mass": 10}, {}, units) == "mass = 10 kg"
    assert value_line({"type": "rigid_link", "mass": "=load"}, {"load": 10.0}, units) == "mass = 10 kg"
    assert value_line({"type": "rigid_link", "mass": "10 t"}, {}, units) == "mass = 10 t"
    assert value_line({"type": "rigid_link", "mass": "=2*load"}, {}, units) == "mass = 2*load"
    assert fitted("shape = circle", "shape = circle", 30) == "circle"
    assert fitted("shape = circle", "shape = circle", 300) == "shape = circle"
    assert fitted("kp = [2e7, 2e7, 1e7]", "kp = [2e7, 2e7, 1e7]", 90) == "[2e7, 2e7, 1e7]"
    assert fitted("kp = [2e7, 2e7, 1e7]", "kp = [2e7, 2e7, 1e7]", 75) == "kp: 3 values"
    assert fitted("kp = [2e7, 2e7, 1e7]", "kp = [2e7, 2e7, 1e7]", 50) == "3 values"


def test_names_of_blocks_can_be_read_at_45_percent(canvas: Canvas) -> None:
    item = canvas.scene.blocks["controller"]
    text, font = item._name_text(0.45)
    pixels = font.pixelSize()
    assert 0.45 * pixels >= NAME_ON_SCREEN - 1  # a point of size is rounded
    assert text.text() == "controller"  # whole
    canvas.view.resetTransform()
    canvas.view.scale(0.45, 0.45)
    canvas.view.centerOn(QPointF(*canvas.middle("controller")))
    assert canvas_font(pixels).pixelSize() == pixels


def test_what_is_between_a_block_and_the_mechanism_is_not_drawn(canvas: Canvas) -> None:
    canvas.document.add_block("girder_path", 620, 420)
    shown = canvas.document.shown_ports("girder_path")
    assert MORE in shown
    assert not {"contact", "position_0", "force_1"} & {*shown, *shown[MORE].doc.split(", ")}
    assert "gap" in canvas.document.folded_ports("girder_path")
    assert "force_1" not in canvas.document.folded_ports("girder_path")


def test_names_of_ports_give_way_to_wires(canvas: Canvas, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name stands above its own wire; where another wire or a value is there, below; between two it is left out."""
    x, y = canvas.port("fore.frame_a")

    def painted(*others: float, values: tuple[Box, ...] = ()) -> list[float]:
        """Heights above the port at which its name is painted, with wires that far above it."""
        places: list[float] = []
        wires = [WireItem("world.frame -- fore.frame_a") for _ in range(1 + len(others))]
        for wire, above in zip(wires, (0.0, *others), strict=True):
            wire.show_points([(x - 60.0, y - above), (x - 10.0, y - above)], ())
        picture = QImage(400, 400, QImage.Format.Format_ARGB32)
        painter = QPainter(picture)
        free = LabelCollisions.free

        def noted(taken: LabelCollisions, box: Box) -> bool:
            answer = free(taken, box)
            if answer and box[2] < x:
                places.append(y - (box[1] + box[3]) / 2)
            return answer

        monkeypatch.setattr(LabelCollisions, "free", noted)
        paint_port_names(painter, {"fore": canvas.scene.blocks["fore"]}, {}, ["fore"], 1.0, wires, values)
        monkeypatch.undo()
        painter.end()
        return places

    above, below, between = painted(), painted(6.0), painted(6.0, -6.0)
    assert len(above) == len(below) == 1
    assert above[0] > 0.0 > below[0]
    assert between == []
    (aside,) = painted(values=((x - 80.0, y - 14.0, x, y - 1.0),))
    assert aside < 0.0
    *_, off = painted(values=((x - 80.0, y - 8.0, x, y + 8.0),))  # on the wire: beyond it
    assert off > 8.0
