"""A wire shown as two labels of one name: by its menu, undone, saved, painted, and a wire again."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage, QPainter

from luff.gui.canvas import wire_item
from luff.gui.canvas.wire_item import WireItem, box_of
from luff.gui.document.document import Document
from luff.gui.document.labelled_wires import labelled_wires
from luff.gui.drawing.composite_face import GRID
from luff.gui.drawing.net_labels import Label
from luff.gui.drawing.polylines import End
from luff.gui.theme import active_theme
from luff.gui.window.main_window import Window
from luff.solver.flatten.diagram import Diagram
from luff.tests.gui.user import User

WIRE = "controller.effort -> shoulder.effort"


def toggle(window: Window) -> None:
    window.view.canvas.select([], [WIRE])
    window.actions_["labels"].trigger()
    window.view.canvas.sync()


@pytest.mark.parametrize(("zoom", "read"), [(0.49, False), (0.51, True)])
def test_a_label_has_its_words_only_where_they_can_be_read(
    make_canvas, zoom: float, read: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(wire_item, "paint_label", lambda painter, label, colour, words: asked.append(words))
    canvas = make_canvas(
        "luff: 1\nblocks: {a: {type: gain}, b: {type: gain}}\nconnect: [a.y -> b.u]\n"
        "layout: {a: [0, 0], b: [300, 0], wires: {a.y -> b.u: labels}}\n"
    )
    canvas.view.zoom_by(zoom / canvas.view.zoom())
    canvas.view.centerOn(canvas.scene.blocks["a"])
    asked.clear()
    canvas.view.viewport().grab()
    assert set(asked) == {read}


def test_labels_of_neighbouring_ports_lie_side_by_side() -> None:
    labels = [Label("wind.mean", End(0.0, y, "right")) for y in (0.0, float(GRID))]
    assert not box_of(labels[0]).intersects(box_of(labels[1]))
    image = QImage(80, 30, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(0.0, 10.5)
    for label in labels:
        wire_item.paint_label(painter, label, active_theme.theme().colour("text"))
    painter.end()
    assert image.pixelColor(40, 14).alpha() > 200  # the edge of the first
    assert not any(image.pixelColor(x, 15).alpha() for x in range(80))  # paper between the two


def test_wire_becomes_labels_and_a_wire_again(user: User, tmp_path: Path) -> None:
    window = user.window
    wire = window.view.canvas.wires[WIRE]
    before = list(wire.points)
    toggle(window)
    assert [label.text for label in wire.labels] == ["controller.effort", "controller.effort"]
    assert wire.points == []
    assert window.view.canvas.wire_at(box_of(wire.labels[1]).center()) is wire
    saved = tmp_path / "labels.yaml"
    window.document.save(saved)
    opened = Document(Diagram.load(saved))
    assert labelled_wires(opened, WIRE)
    opened.close()
    window.document.undo.undo()
    window.view.canvas.sync()
    assert (wire.labels, wire.points) == ((), before)
    window.document.undo.redo()
    toggle(window)
    assert (wire.labels, wire.points) == ((), before)
    assert "labels" not in window.document.diagram.to_yaml()


def test_the_index_of_the_scene_forgets_a_wire_by_the_box_that_it_had(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Elsewhere it would keep a pointer to it, and a window ends without a word once the wire is gone."""
    wire, boxes = user.window.view.canvas.wires[WIRE], []
    change = WireItem.prepareGeometryChange

    def noted(item: WireItem) -> None:
        if item is wire:
            boxes.append(item.boundingRect())
        change(item)

    monkeypatch.setattr(WireItem, "prepareGeometryChange", noted)
    for _ in range(2):
        before = wire.boundingRect()
        boxes.clear()
        toggle(user.window)
        assert boxes[0] == before != wire.boundingRect()


def test_labels_are_copied_with_their_blocks(user: User) -> None:
    toggle(user.window)
    canvas = user.window.view.canvas
    canvas.select(["controller", "shoulder"])
    user.window.actions_["duplicate"].trigger()
    copies = [
        text for text in user.window.document.diagram.connections if text.endswith(".effort") and "2" in text
    ]
    assert len(copies) == 1
    assert labelled_wires(user.window.document, copies[0])


def test_labels_are_painted_in_both_themes(user: User) -> None:
    shown = []
    for name in ("light", "dark"):
        with active_theme.holder.lent(name):
            for _ in range(2):
                shown.append(painted(user))
                toggle(user.window)
    assert len(set(shown)) == 4


def painted(user: User) -> bytes:
    """The picture around both ports."""
    canvas = user.window.view.canvas
    area = canvas.content_rect()
    image = QImage(area.size().toSize(), QImage.Format.Format_RGB32)
    image.fill(0)
    painter = QPainter(image)
    canvas.render(painter, source=area)
    painter.end()
    return bytes(image.constBits())


def test_double_click_on_a_label_shows_the_wire(user: User) -> None:
    toggle(user.window)
    place = box_of(user.window.view.canvas.wires[WIRE].labels[0]).center()
    user.canvas.double_click((place.x(), place.y()))
    assert not labelled_wires(user.window.document, WIRE)


def test_a_label_has_its_value_beside_it(user: User) -> None:
    toggle(user.window)
    view, wire = user.window.view, user.window.view.canvas.wires[WIRE]
    view.show_values({WIRE: "1.5 N*m"})
    view.viewport().grab()
    box = view.tags.boxes[WIRE]
    near = [box_of(label).adjusted(-4, -4, 4, 4) for label in wire.labels]
    assert sum(box.intersects(place) for place in near) == 1
    assert not any(box.intersects(box_of(label)) for label in wire.labels)


def test_block_dropped_on_a_label_goes_into_the_wire(user: User) -> None:
    toggle(user.window)
    place = box_of(user.window.view.canvas.wires[WIRE].labels[0]).center()
    user.window.view.insert("gain", QPointF(place))
    assert WIRE not in user.window.document.diagram.connections
