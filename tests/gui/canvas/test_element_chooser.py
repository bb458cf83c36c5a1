"""Elements of vector ports: drawn by hand, found by name, said on the wire, and changed in the panel."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox

import luff
from luff.gui.canvas.element_chooser import element_box
from luff.gui.document.element_assignment import fitting, references
from luff.gui.window.dialogs.connect_dialog import ConnectDialog
from luff.solver.flatten.diagram import Diagram
from luff.tests.gui.driver import Canvas

TWO_JOINTS = """\
luff: 1
blocks:
  shoulder: {type: revolute, axis: y}
  upper: {type: rigid_link, mass: 2, com: [0.5, 0, 0], frames: {frame_b: {at: [1, 0, 0]}}}
  elbow: {type: revolute, axis: y}
  fore: {type: rigid_link, mass: 1, com: [0.5, 0, 0]}
  pd: {type: pd, kp: KP, kd: 1}
connect:
  - world.frame -- shoulder.frame_a
  - shoulder.frame_b -- upper.frame_a
  - upper.frame_b -- elbow.frame_a
  - elbow.frame_b -- fore.frame_a
layout:
  world: [20, 200]
  shoulder: [140, 200]
  upper: [340, 200]
  elbow: [540, 200]
  fore: [740, 200]
  pd: [400, 420]
"""
LIST, NUMBER = TWO_JOINTS.replace("KP", "[10, 20]"), TWO_JOINTS.replace("KP", "10")
KNUCKLE = Path(luff.__file__).parent / "library" / "crane_knuckle_boom.yaml"


@pytest.fixture
def knuckle(make_canvas: Callable[..., Canvas]) -> Canvas:
    canvas = make_canvas(KNUCKLE.read_text(), KNUCKLE.parent)
    canvas.view.resize(2400, 1600)
    canvas.view.centerOn(canvas.scene.content_rect().center())
    return canvas


@pytest.mark.parametrize("text", [LIST, NUMBER])
def test_a_drop_takes_the_next_free_element(make_canvas: Callable[..., Canvas], text: str) -> None:
    canvas = make_canvas(text)
    diagram = canvas.document.diagram
    for joint in ("shoulder", "elbow"):
        canvas.drag(canvas.port(f"{joint}.trajectory"), canvas.port("pd.measured"))
    assert diagram.connections[-2:] == [
        "shoulder.trajectory -> pd.measured[0]",
        "elbow.trajectory -> pd.measured[1]",
    ]
    for joint in ("shoulder", "elbow"):
        canvas.drag(canvas.port("pd.effort"), canvas.port(f"{joint}.effort"))
    assert diagram.connections[-2:] == ["pd.effort[0] -> shoulder.effort", "pd.effort[1] -> elbow.effort"]
    while canvas.document.undo.canUndo():
        canvas.document.undo.undo()
    assert diagram.to_yaml() == text


def test_a_second_joint_takes_the_wires_of_the_first_to_their_elements(
    make_canvas: Callable[..., Canvas],
) -> None:
    canvas = make_canvas(NUMBER)
    diagram = canvas.document.diagram
    canvas.drag(canvas.port("shoulder.trajectory"), canvas.port("pd.measured"))
    canvas.drag(canvas.port("pd.effort"), canvas.port("shoulder.effort"))
    assert diagram.connections[-2:] == [
        "shoulder.trajectory -> pd.measured",
        "pd.effort -> shoulder.effort",
    ]
    text = diagram.to_yaml()
    canvas.drag(canvas.port("elbow.trajectory"), canvas.port("pd.measured"))
    assert diagram.connections[-3:] == [
        "shoulder.trajectory -> pd.measured[0]",
        "pd.effort[0] -> shoulder.effort",
        "elbow.trajectory -> pd.measured[1]",
    ]
    canvas.document.undo.undo()
    assert diagram.to_yaml() == text


def test_the_hint_names_the_element_and_what_becomes_of_the_first_wire(
    make_canvas: Callable[..., Canvas],
) -> None:
    canvas = make_canvas(NUMBER)
    canvas.drag(canvas.port("shoulder.trajectory"), canvas.port("pd.measured"))
    assert canvas.document.diagram.connections[-1] == "shoulder.trajectory -> pd.measured"
    canvas.press(canvas.port("elbow.trajectory"))
    canvas.move(canvas.port("pd.measured"))
    assert canvas.view.hint.text() == "pd.measured[1]; the wire that is there takes pd.measured[0]"
    canvas.key(Qt.Key.Key_Escape)
    assert canvas.document.undo.count() == 1


def test_a_full_port_and_a_second_signal_say_why_they_are_refused(make_canvas: Callable[..., Canvas]) -> None:
    canvas = make_canvas(LIST.replace("connect:\n", "  third: {type: prismatic, axis: x}\nconnect:\n"))
    for joint in ("shoulder", "elbow", "third"):
        canvas.drag(canvas.port(f"{joint}.trajectory"), canvas.port("pd.measured"))
    assert len(canvas.document.diagram.connections) == 6
    assert "pd.measured" not in fitting(canvas.document, "third.trajectory")
    constants = "  a: {type: constant, value: 1}\n  b: {type: constant, value: 2}\n"
    text = f"luff: 1\nblocks:\n{constants}  k: {{type: gain, k: 2}}\n"
    canvas = make_canvas(text)
    canvas.document.connect_ports("a.y", "k.u")
    assert "k.u" not in fitting(canvas.document, "b.y")  # may be meant to be added: no second element


def test_what_is_deleted_in_the_library_can_be_drawn_again(knuckle: Canvas) -> None:
    document = knuckle.document
    wires = [text for text in document.diagram.connections if "[" in text]
    assert len(wires) == 6
    for text in (wires[1], wires[4]):
        document.remove([], [text])
        knuckle.scene.sync()
        source, target = text.split(" -> ")
        knuckle.drag(knuckle.port(source.partition("[")[0]), knuckle.port(target.partition("[")[0]))
        assert document.diagram.connections[-1] == text


def test_elements_are_found_by_name_and_drawn_by_keys(make_window) -> None:
    window = make_window(LIST)
    assert {"pd.measured[0]", "pd.measured[1]"} <= references(window.document).keys()
    assert "pd.measured[2]" not in references(window.document)
    dialog = ConnectDialog(window)
    dialog.show()
    dialog.start.field.setText("elbow.trajectory")
    dialog.goal.field.setText("pd.measured[1]")
    assert dialog.goal.word() == "pd.measured[1]"
    QTest.keyClick(dialog.goal.field, Qt.Key.Key_Return)
    assert window.document.diagram.connections[-1] == "elbow.trajectory -> pd.measured[1]"
    dialog.start.field.setText("shoulder.trajectory")
    offered = [dialog.goal.list.item(k).text() for k in range(dialog.goal.list.count())]
    assert "pd.measured[0]" in offered
    assert "pd.measured[1]" not in offered  # it has a wire
    dialog.close()


def test_each_wire_says_its_element_on_a_piece_of_its_own(knuckle: Canvas) -> None:
    wires = {text: wire for text, wire in knuckle.scene.wires.items() if "[" in text}
    boxes = {}
    for text, wire in wires.items():
        ((said, place),) = wire.elements
        assert said in text
        boxes[text] = element_box(said, place)
        assert wire.piece_near(boxes[text].center(), 1.0) >= 0, f"{text}: beside its wire"
        assert wire.boundingRect().contains(boxes[text])
        for x, y in (wire.points[0], wire.points[-1]):  # clear of the triangles
            assert not boxes[text].intersects(QRectF(x - 4, y - 4, 8, 8))
        lines = [
            piece
            for other in knuckle.scene.wires.values()
            if other is not wire
            for piece in itertools.pairwise(other.points)
        ]
        assert not any(
            boxes[text].intersects(
                QRectF(QPointF(*a), QPointF(*b)).normalized().adjusted(-0.5, -0.5, 0.5, 0.5)
            )
            for a, b in lines
        )
    for (a, box), (b, other) in itertools.combinations(boxes.items(), 2):
        assert not box.intersects(other), f"{a} and {b}"


def test_the_panel_gives_a_wire_another_element(make_window) -> None:
    wire = "elbow.trajectory -> pd.measured[1]"
    text = LIST.replace("layout:", f"  - {wire}  # kept\nlayout:")
    text = text.replace("  pd: [400, 420]\n", f"  pd: [400, 420]\n  wires: {{'{wire}': [[640, 500]]}}\n")
    window = make_window(text)
    before = window.document.diagram.to_yaml()
    window.view.canvas.select([], [wire])
    (box,) = window.properties.findChildren(QComboBox)
    assert [box.itemText(k) for k in range(box.count())] == ["all elements", "element [0]", "element [1]"]
    box.setCurrentIndex(1)
    box.activated.emit(1)
    after = "elbow.trajectory -> pd.measured[0]"
    assert window.document.diagram.connections[-1] == after
    assert window.document.route(after) == [(640.0, 500.0)]
    assert window.view.canvas.selected_wires() == [after]
    window.document.undo.undo()
    assert window.document.diagram.to_yaml() == before
    assert Diagram.from_yaml(before).connections[-1] == wire
