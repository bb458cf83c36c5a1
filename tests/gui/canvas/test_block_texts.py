"""What a card says: name and value, one above the other at every zoom."""

from __future__ import annotations

from functools import partial

import pytest
from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QFontMetricsF, QPainter

from luff.blocks.ports import FRAME, TRAJECTORY
from luff.gui.canvas.block_item import (
    BEYOND,
    NAME_ON_SCREEN,
    NARROWER,
    VALUE_FROM,
    VALUE_PIXELS,
    fitted,
    value_line,
)
from luff.gui.canvas.port_item import glyph
from luff.gui.document.following_units import number_unit
from luff.gui.theme.active_theme import canvas_font
from luff.gui.theme.symbols.symbol_painter import half_height
from luff.gui.theme.symbols.symbol_table import symbol_of
from luff.tests.gui.driver import Canvas


@pytest.mark.parametrize("zoom", [0.7, 0.75, 0.8, 1.0, 1.25, 2.0])
def test_value_stands_under_the_name(canvas: Canvas, zoom: float) -> None:
    told = 0
    for item in canvas.scene.blocks.values():
        name, value = item.text_tops(zoom)
        text, _ = item._name_text(zoom)
        assert name + text.size().height() <= item.block_shape.height
        if value is not None:
            told += 1
            assert name + text.size().height() <= value
            assert value + item._value_text.size().height() <= item.block_shape.height
    assert told


@pytest.mark.parametrize("value", ["", ", axis: z, damping: 3"])
def test_words_keep_off_ports_below(make_canvas, value: str) -> None:
    """A trajectory's two arrows reach furthest into the card."""
    canvas = make_canvas(
        f"luff: 1\nblocks: {{slew: {{type: revolute{value}}}}}\nconnect: [world.frame -- slew.frame_a]\n"
    )
    item = canvas.scene.blocks["slew"]
    assert item.block_shape.anchors["trajectory"].side == "bottom"
    name, below = item.text_tops(1.0)
    assert (below is None) == (not value)
    last = item._name_text(1.0)[0] if below is None else item._value_text
    arrows = item.block_shape.height + glyph(TRAJECTORY, "bottom").boundingRect().top()
    assert (name if below is None else below) + last.size().height() <= arrows


def test_an_enlarged_name_keeps_off_the_block_beside_it(make_canvas) -> None:
    names = ("moment_sensor", "tension_sensor")  # hardly shorter than their cards
    text = (
        "luff: 1\nblocks: {moment_sensor: {type: gain}, tension_sensor: {type: gain}, apart: {type: gain}}\n"
    )
    canvas = make_canvas(
        text + "layout: {moment_sensor: [0, 0], tension_sensor: [130, 0], apart: [600, 0]}\n"
    )
    first, second = (canvas.scene.blocks[name] for name in names)
    gap = second.x() - first.x() - first.block_shape.width
    assert 0 < gap < BEYOND
    for item in (first, second):
        width = item._name_text(0.45)[0].size().width()
        assert item._name_text(0.45)[0].text() == item.name
        assert (width - item.block_shape.width) / 2 < gap / 2  # each has its half
    # where there is room the name is larger
    before = first._name_text(0.45)[1].pixelSize()
    canvas.document.move({"tension_sensor": (200.0, 0.0)})
    canvas.scene.sync()
    assert first._name_text(0.45)[1].pixelSize() > before


def test_an_enlarged_name_is_narrow_before_it_leaves_its_card(make_canvas) -> None:
    """With a neighbour far away: it would be as large and wider than the card."""
    canvas = make_canvas("luff: 1\nblocks: {slew_position: {type: gain}}\n")
    item = canvas.scene.blocks["slew_position"]
    text, font = item._name_text(0.55)
    assert font.stretch() in NARROWER
    assert 0.55 * font.pixelSize() >= NAME_ON_SCREEN
    assert text.text() == "slew_position"
    assert text.size().width() <= item.block_shape.width - 12
    assert item._name_text(1.0)[1].stretch() in (0, 100)


@pytest.mark.parametrize(
    ("kp", "line"),
    [
        ("2e7", "kp = 20 MN·m/rad"),  # as the panel, whose field has 2e7
        ("2000", "kp = 2000 N·m/rad"),
        ("2e7 N*m/rad", "kp = 20 MN·m/rad"),
        ("3 kN*m/rad", "kp = 3 kN·m/rad"),
    ],
)
def test_a_gain_on_a_card_has_the_unit_of_its_wires(make_canvas, kp: str, line: str) -> None:
    canvas = make_canvas(
        f"luff: 1\nblocks:\n  drive: {{type: pd, kp: {kp}}}\n  turn: {{type: revolute}}\n"
        "connect: [turn.trajectory -> drive.measured, drive.effort -> turn.effort]\n"
    )
    document = canvas.document
    raw = document.diagram.block_entry("drive")
    assert value_line(raw, {}, partial(number_unit, document, "drive")) == line
    shown = canvas.scene.blocks["drive"].value_line
    assert shown in (line, line.removeprefix("kp = "), value_line(raw, {}))
    assert QFontMetricsF(canvas_font(VALUE_PIXELS)).horizontalAdvance(shown) <= (
        canvas.scene.blocks["drive"].block_shape.width - 12
    )


def test_a_card_without_room_for_a_unit_has_the_number_as_typed() -> None:
    line, bare = "kp = 100 kN·m/rad", "kp = 1e5"
    wide, value, short = (
        QFontMetricsF(canvas_font(VALUE_PIXELS)).horizontalAdvance(text)
        for text in (line, line.removeprefix("kp = "), bare)
    )
    assert short < value < wide
    for width, text in ((wide, line), (value, "100 kN·m/rad"), (value - 1, bare)):
        assert fitted(line, bare, width) == text


@pytest.mark.parametrize(
    ("kind", "value"), [("rigid_link", "mass: 3"), ("rigid_link", "com: [1, 0, 0]"), ("gain", "k: 2")]
)
def test_a_symbol_that_is_turned_stays_off_the_name_and_the_edge(make_canvas, kind: str, value: str) -> None:
    canvas = make_canvas(f"luff: 1\nblocks: {{one: {{type: {kind}, {value}}}}}\n")
    canvas.document.rotate(["one"])
    canvas.scene.sync()
    item = canvas.scene.blocks["one"]
    assert item.turned == 90
    half = item.symbol_scale() * half_height(symbol_of(item.type_name, item.family), item.turned)
    for zoom in (VALUE_FROM, 0.9, 1.0, 2.0):
        assert item.symbol_centre().y() + half <= item.text_tops(zoom)[0]
    assert item.symbol_centre().y() - half >= glyph(FRAME, "top").boundingRect().bottom()


@pytest.mark.parametrize("kind", ["pd", "pid"])
def test_letters_stay_upright_and_whole_on_a_turned_block(make_canvas, kind: str) -> None:
    canvas = make_canvas(f"luff: 1\nblocks: {{one: {{type: {kind}, kp: 2, kd: 1}}}}\n")
    pictures = []
    for turned in (0, 90, 180):
        item = canvas.scene.blocks["one"]
        assert item.turned == turned
        assert item.symbol_scale() > 0.8  # legible, between ports and two lines of text
        place = canvas.view.mapFromScene(item.mapToScene(item.symbol_centre()))
        pictures.append(canvas.view.viewport().grab(QRect(place.x() - 20, place.y() - 9, 41, 19)).toImage())
        canvas.document.rotate(["one"])
        canvas.scene.sync()
    assert pictures[0] == pictures[2]


def test_the_name_of_a_port_that_a_wire_passes_stands_further_out(make_canvas, monkeypatch) -> None:
    text = """luff: 1
blocks:
  j: {type: revolute, axis: y}
  pd: {type: pd, kp: 1, kd: 1}
connect: [world.frame -- j.frame_a, j.trajectory -> pd.measured]
layout: {world: [0, 0], j: [200, 0], pd: [60, 200]}
"""
    canvas = make_canvas(text)
    target = canvas.scene.blocks["pd"].end("target")
    assert target is not None
    wire = canvas.scene.wires["j.trajectory -> pd.measured"]
    assert min(x for x, _ in wire.points) < target.x - 10 < target.x  # past the port
    said: dict[str, QRectF] = {}
    paint = QPainter.drawText

    def heard(painter: QPainter, box: QRectF, *how: object) -> None:
        said[str(how[-1])] = painter.combinedTransform().mapRect(QRectF(box))
        paint(painter, box, *how)

    canvas.scene.select(["pd"])
    monkeypatch.setattr(QPainter, "drawText", heard)
    canvas.view.viewport().grab()
    assert {"target", "measured", "feedforward", "effort"} <= said.keys()
    names = canvas.view.viewportTransform().inverted()[0].mapRect(said["target"])
    assert names.right() <= min(x for x, _ in wire.points)
