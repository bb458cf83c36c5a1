"""Numbers while a run is paused, and numbers of the diagram that a slider turns."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QSlider

import luff
from luff.gui.canvas.element_chooser import element_box
from luff.gui.canvas.wire_item import box_of
from luff.gui.canvas.wire_values import NetLines, value_words
from luff.gui.run.run_history import History
from luff.gui.run.wired_units import wired_units
from luff.solver.flatten.diagram import Diagram
from luff.tests.gui.driver import LONG
from luff.tests.gui.fake_run import FakeSim
from luff.tests.gui.user import User
from luff.tests.shared.netlists import TWO_LINKS


def test_wires_say_their_values_while_the_run_is_paused(user: User, qtbot) -> None:
    window = user.window
    names = ["shoulder.position", "controller.effort", "reference.trajectory[0]", "reference.trajectory[1]"]
    window.runner.compiler = lambda diagram: FakeSim(names)
    user.menu("step")
    qtbot.waitUntil(lambda: window.runner.state == "paused" and bool(window.view.values), timeout=LONG)
    wire = "controller.effort -> shoulder.effort"
    words = window.view.values
    history = window.runner.history
    assert (
        words[wire] == f"{history.last('controller.effort'):.4g} {history.units['controller.effort']}".strip()
    )
    assert words["shoulder.trajectory -> controller.measured"].startswith(
        f"{history.last('shoulder.position'):.4g}"
    )
    assert words["reference.trajectory -> controller.target"].count(",") == 1
    assert "world.frame -- shoulder.frame_a" not in words
    # the tag is painted where the wire is
    before = window.view.viewport().grab().toImage()
    window.view.show_values({})
    assert window.view.viewport().grab().toImage() != before
    user.menu("run")
    qtbot.waitUntil(lambda: window.runner.state == "finished", timeout=LONG)
    assert window.view.values == {}


@pytest.mark.parametrize("model", ["crane_gpme", "crane_offshore"])
def test_tags_cover_no_block_and_no_other_tag(make_canvas, model: str) -> None:
    library = Path(luff.__file__).parent / "library"
    canvas = make_canvas((library / f"{model}.yaml").read_text(), library)
    view, scene = canvas.view, canvas.scene
    words = {text: "-123.4, 567.8, 901.2 N*m" for text in scene.wires if "->" in text}
    blocks = [
        QRectF(*item.rect()[:2], item.block_shape.width, item.block_shape.height)
        for item in scene.blocks.values()
    ]
    counts = []
    for zoom in (0.44, 0.46, 0.7, 1.0, 2.0):
        view.resetTransform()
        view.scale(zoom, zoom)
        view.show_values(words)
        view.viewport().grab()
        tags = list(view.tags.boxes.values())
        counts.append(len(tags))
        assert not any(tag.intersects(other) for k, tag in enumerate(tags) for other in [*blocks, *tags[:k]])
        sources = [text.partition("->")[0] for text in view.tags.boxes]
        assert len(sources) == len(set(sources))
        assert all(zoom * tag.height() > 9 for tag in tags)
    assert counts[0] == 0
    assert counts[1] <= counts[3] == counts[4] > 0
    # a wire that is selected has one where it had none, and the others stay
    view.resetTransform()
    view.scale(0.5, 0.5)
    view.viewport().grab()
    before = dict(view.tags.boxes)
    for text in words:
        scene.select([], [text])
        view.viewport().grab()
        assert before.items() <= view.tags.boxes.items()
        assert view.tags.boxes.keys() - before.keys() <= {text}


@pytest.mark.parametrize("model", ["tower_crane", "crane_knuckle_boom"])
def test_tags_cover_no_label_and_no_element(make_canvas, model: str) -> None:
    library = Path(luff.__file__).parent / "library"
    canvas = make_canvas((library / f"{model}.yaml").read_text(), library)
    wires = canvas.scene.wires.values()
    boxes = [label.box for wire in wires for label in wire.labels]
    labels = [QRectF(QPointF(*box[:2]), QPointF(*box[2:])) for box in boxes]
    labels += [element_box(*element) for wire in wires for element in wire.elements]
    assert labels
    for words in ("0", "729.1 kN", "0, -0.317, 0 m/s"):
        canvas.view.show_values({text: words for text in canvas.scene.wires if "->" in text})
        canvas.view.viewport().grab()
        assert canvas.view.tags.boxes
        assert not any(tag.intersects(label) for tag in canvas.view.tags.boxes.values() for label in labels)


@pytest.mark.parametrize("model", ["tower_crane", "luffing_circuit"])
def test_tags_are_whole_where_the_diagram_fits_the_window(make_canvas, model: str) -> None:
    library = Path(luff.__file__).parent / "library"
    view = make_canvas((library / f"{model}.yaml").read_text(), library).view
    for width, height in ((2000, 500), (700, 1400)):
        view.resize(width, height)
        view.fit()
        view.show_values({text: "0, -0.317, 0 m/s" for text in view.canvas.wires if "->" in text})
        view.viewport().grab()
        seen = view.mapToScene(view.viewport().rect()).boundingRect()
        assert view.tags.boxes
        assert all(seen.contains(box) for box in view.tags.boxes.values())


def test_a_node_says_its_pressure_and_a_moment_its_own_values() -> None:
    history = History(["oil.pressure", "a.y"], {"oil.pressure": "Pa"})
    history.append(np.array([0.0, 1.0]), np.array([[1e5, 1.0], [3e5, 2.0]]))
    wires = ["pump.out -- oil.port", "a.y -> b.u", "c.frame -- d.frame"]
    assert value_words(wires, history, None) == {wires[0]: "300 kPa", wires[1]: "2"}
    assert value_words(wires, history, 0.5) == {wires[0]: "200 kPa", wires[1]: "1.5"}


def test_a_port_of_a_composite_says_the_value_of_what_it_stands_for() -> None:
    diagram = Diagram.from_yaml(
        """
        luff: 1
        blocks:
          arm:
            type:
              blocks: {rod: {type: {blocks: {a: {type: gain}}, ports: {y: a.y}}}}
              ports: {out: rod.y}
          b: {type: gain}
        connect: [arm.out -> b.u]
        """
    )
    history = History(["arm.rod.a.y"], {"arm.rod.a.y": "m"})
    history.append(np.array([0.0]), np.array([[2.0]]))
    assert value_words(diagram.connections, history, None, "", diagram) == {"arm.out -> b.u": "2 m"}
    assert value_words(diagram.connections, history, None) == {}


def test_a_number_without_a_unit_has_that_of_the_port_that_it_is_wired_to() -> None:
    diagram = Diagram.from_yaml(
        """
        luff: 1
        blocks:
          goal: {type: step}
          p: {type: gain, k: 5000}
          r: {type: revolute, axis: z}
          load: {type: rigid_link, mass: 1 kg, inertia: [1, 1, 1]}
          deaf: {type: gain}
        connect:
          - goal.y -> p.u
          - p.y -> r.effort
          - p.y -> deaf.u
          - world.frame -- r.frame_a
          - r.frame_b -- load.frame_a
        """
    )
    units = wired_units(luff.Simulation(diagram))
    assert units["r.position"] == "rad"
    history = History(["p.y", "deaf.y"], units)
    history.append(np.array([0.0]), np.array([[5000.0, 3.0]]))
    wires = ["p.y -> r.effort", "deaf.y -> scope.u"]
    assert value_words(wires, history, None) == {wires[0]: "5 kN·m", wires[1]: "3"}


def test_a_value_keeps_off_wires_of_other_nets_where_there_is_room(make_canvas) -> None:
    """The middle of the wire from a to b is where that from c to d crosses it."""
    canvas = make_canvas(
        "luff: 1\nblocks: {a: {type: gain}, b: {type: gain}, c: {type: gain}, d: {type: gain}}\n"
        "connect: [a.y -> b.u, c.y -> d.u]\n"
        "layout: {a: [0, 0], b: [500, 0], c: [250, -200, 90], d: [250, 200, 90]}\n"
    )
    canvas.view.show_values({"a.y -> b.u": "1.25 m", "c.y -> d.u": "2 m"})
    canvas.view.viewport().grab()
    lines = NetLines(canvas.scene.wires.values())
    assert len(canvas.view.tags.boxes) == 2
    for text, box in canvas.view.tags.boxes.items():
        assert not lines.crosses(
            (box.left(), box.top(), box.right(), box.bottom()), canvas.scene.wires[text].net
        )
    middle = canvas.scene.wires["a.y -> b.u"].middle()
    assert lines.crosses((middle.x() - 9, middle.y() - 4, middle.x() + 9, middle.y() + 4), ("", ""))


def test_a_value_stands_beside_its_wire_where_another_one_is_near(make_canvas) -> None:
    canvas = make_canvas(
        "luff: 1\nblocks: {a: {type: gain}, b: {type: gain}, c: {type: gain}, d: {type: gain}}\n"
        "connect: [a.y -> b.u, c.y -> d.u]\nlayout: {a: [0, 0], b: [500, 300], c: [0, 600], d: [500, 600]}\n"
    )
    text, near = "a.y -> b.u", canvas.scene.wires["c.y -> d.u"]
    at = next(x1 for (x1, _), (x2, _) in pairwise(canvas.scene.wires[text].points) if x1 == x2)
    near.show_points([(at + 16.0, 0.0), (at + 16.0, 340.0)])
    canvas.scene.wires[text].show_points([(at - 4.0, 40.0), (at, 40.0), (at, 330.0), (at + 4.0, 330.0)])
    canvas.view.show_values({text: "123.4 kN·m"})
    canvas.view.viewport().grab()
    box = canvas.view.tags.boxes[text]
    assert box.left() < at < box.right() < at + 16.0
    near.show_points([(at + 16.0, 0.0), (at + 16.0, 340.0), (at - 16.0, 340.0), (at - 16.0, 0.0)])
    canvas.view.viewport().grab()
    assert not canvas.view.tags.boxes
    canvas.scene.select([], [text])  # over the other one
    canvas.view.viewport().grab()
    assert text in canvas.view.tags.boxes


def test_a_wire_shown_as_labels_has_its_value_in_the_line_of_one(make_canvas) -> None:
    """Rows as near as ports are, each beside its own label."""
    library = Path(luff.__file__).parent / "library"
    canvas = make_canvas((library / "tower_crane.yaml").read_text(), library)
    wires = {text: wire for text, wire in canvas.scene.wires.items() if text.startswith("wind.")}
    canvas.view.show_values(dict.fromkeys(wires, "0, -0.317, 0 m/s"))
    canvas.view.viewport().grab()
    boxes = canvas.view.tags.boxes
    assert {text.partition(" ")[0] for text in boxes} == {text.partition(" ")[0] for text in wires}
    for text, box in boxes.items():
        label = box_of(wires[text].labels[0])  # at the sensor
        assert (box.top(), box.bottom()) == (label.top(), label.bottom())
        assert 0.0 < box.left() - label.right() < 4.0


def test_a_value_that_a_wire_is_too_short_for_is_told_on_demand(make_canvas) -> None:
    """It would cover the arrow and the edge of a card."""
    canvas = make_canvas(
        "luff: 1\nblocks: {a: {type: gain}, b: {type: gain}, c: {type: gain}}\n"
        "connect: [a.y -> b.u, b.y -> c.u]\nlayout: {a: [0, 0], b: [150, 0], c: [600, 0]}\n"
    )
    short, long = "a.y -> b.u", "b.y -> c.u"
    words = "-123.4, 567.8, 901.2 kN·m"
    assert canvas.scene.wires[short].points[-1][0] - canvas.scene.wires[short].points[0][0] < 120

    def told() -> dict[str, QRectF]:
        canvas.view.show_values({short: words, long: words})
        canvas.view.viewport().grab()
        return canvas.view.tags.boxes

    assert set(told()) == {long}
    (x1, _), (x2, _) = canvas.scene.wires[long].points[0], canvas.scene.wires[long].points[-1]
    assert x1 < told()[long].left()
    assert told()[long].right() < x2


@pytest.mark.parametrize(("more", "told"), [(-20.0, False), (4.0, False), (12.0, True)])
def test_a_value_stands_on_no_piece_that_is_hardly_longer(make_canvas, more: float, told: bool) -> None:
    """Its ends would stand on the round corners of the wire, 4 px each."""
    canvas = make_canvas(
        "luff: 1\nblocks: {a: {type: gain}, b: {type: gain}}\nconnect: [a.y -> b.u]\n"
        "layout: {a: [0, 0], b: [800, 60]}\n"
    )
    text = "a.y -> b.u"
    wire = canvas.scene.wires[text]
    words = {text: "-123.4, 567.8, 901.2 kN·m"}
    canvas.view.show_values(words)
    canvas.view.viewport().grab()
    wide = canvas.view.tags.boxes[text].width()
    x, y = wire.points[0]
    first, second = x + 30.0, x + 30.0 + wide + more
    # the other pieces are shorter than the words, or lower
    wire.show_points(
        [
            (x, y),
            (first, y),
            (first, y + 10.0),
            (second, y + 10.0),
            (second, y + 20.0),
            (second + 30.0, y + 20.0),
        ]
    )
    canvas.view.viewport().grab()
    assert (text in canvas.view.tags.boxes) == told


def test_a_value_covers_no_branch_of_its_net(make_canvas) -> None:
    canvas = make_canvas(
        "luff: 1\nblocks: {a: {type: gain}, b: {type: gain}, c: {type: gain}}\n"
        "connect: [a.y -> b.u, a.y -> c.u]\nlayout: {a: [0, 0], b: [500, 0], c: [500, 200]}\n"
    )
    text, other = "a.y -> b.u", canvas.scene.wires["a.y -> c.u"]
    (x1, y), (x2, _) = canvas.scene.wires[text].points[0], canvas.scene.wires[text].points[-1]
    branch = (x1 + x2) / 2
    other.show_points([(x1, y), (branch, y), (branch, 230.0), (x2, 230.0)])
    canvas.view.show_values({text: "1.25 m"})
    canvas.view.viewport().grab()
    box = canvas.view.tags.boxes[text]
    assert not box.left() < branch < box.right()


def test_a_value_makes_way_for_a_wire_that_says_nothing(make_canvas) -> None:
    """Its place depends on all wires that are seen, not on those with values alone."""
    canvas = make_canvas(
        "luff: 1\nblocks: {a: {type: gain}, b: {type: gain}, c: {type: gain}, d: {type: gain}}\n"
        "connect: [a.y -> b.u, c.y -> d.u]\n"
        "layout: {a: [0, 0], b: [500, 0], c: [250, -200, 90], d: [250, 200, 90]}\n"
    )
    text, other = "a.y -> b.u", canvas.scene.wires["c.y -> d.u"]
    crossing, other_way = other.points, [(250.0, 400.0), (350.0, 400.0)]
    other.show_points(other_way)
    canvas.view.show_values({text: "1.25 m"})
    canvas.view.viewport().grab()
    alone = canvas.view.tags.boxes[text]
    other.show_points(crossing)
    canvas.view.viewport().grab()
    assert canvas.view.tags.boxes[text] != alone
    other.show_points(other_way)
    canvas.view.viewport().grab()
    assert canvas.view.tags.boxes[text] == alone


def test_shafts_say_their_speed() -> None:
    history = History(["rotor.speed", "joint.velocity"], {"rotor.speed": "rad/s", "joint.velocity": "rad/s"})
    history.append(np.array([0.0, 1.0]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    wires = ["motor.shaft -- rotor.shaft", "gearbox.b -- joint.shaft", "gearbox.a -- spring.b"]
    assert value_words(wires, history, None) == {wires[0]: "3 rad/s", wires[1]: "4 rad/s"}


def test_a_slider_turns_a_parameter_of_the_diagram_in_a_run(
    make_window, qtbot, tmp_path, monkeypatch
) -> None:
    text = TWO_LINKS.replace("kp: 100", "kp: =gain").replace("{l1: 1 m}", "{l1: 1 m, gain: 100}")
    window = make_window(text, tmp_path / "arm.yaml")
    user = User(window, monkeypatch, tmp_path)
    user.select()
    table = user.row("parameters").editor.table
    table.setCurrentCell(1, 0)
    user.chooses("Add a Slider for gain")
    user.right_click(user.row("parameters"), QPoint(5, 5))
    slider = window.controls.rows["gain"].findChild(QSlider)
    told: list[tuple[str, object]] = []
    monkeypatch.setattr(window.runner, "set", lambda path, raw: told.append((path, raw)))
    window.runner.compiler = lambda diagram: FakeSim(["shoulder.position"])
    user.menu("step")
    qtbot.waitUntil(lambda: window.runner.state == "paused", timeout=LONG)
    slider.setFocus()
    for _ in range(3):
        QTest.keyClick(slider, Qt.Key.Key_PageUp)
    value = window.document.diagram.data["parameters"]["gain"]
    assert value > 100
    assert told[-1] == ("gain", value)
    assert window.running.note.text() == ""  # nothing waits for the next run
    assert "gain: " in window.document.diagram.to_yaml()
    user.menu("undo")  # all of a drag
    assert window.document.diagram.to_yaml() == text
    assert told[-1] == ("gain", 100)
    # a name that is new needs a new run
    window.document.set_parameter("other", 1)
    assert "next run" in window.running.note.text()
    window.document.set_section("parameters", {"l1": "1 m"})
    assert "gain" not in window.controls.rows
    QApplication.processEvents()


NESTED = """\
luff: 1
blocks:
  wave: {type: sine, amplitude: 2}
  filter:
    type:
      blocks: {double: {type: gain, k: 2}, lag: {type: gain}}
      connect: [double.y -> lag.u]
      ports: {u: double.u, y: lag.y}
connect: [wave.y -> filter.u]
"""


def test_a_subsystem_has_values_and_sliders_of_a_run(make_window, qtbot, tmp_path, monkeypatch) -> None:
    window = make_window(NESTED, tmp_path / "nested.yaml")
    user = User(window, monkeypatch, tmp_path)
    told: list[tuple[str, object]] = []
    monkeypatch.setattr(window.runner, "set", lambda path, raw: told.append((path, raw)))
    window.runner.compiler = lambda diagram: FakeSim(["wave.y", "filter.double.y"])
    user.menu("step")
    qtbot.waitUntil(lambda: window.runner.state == "paused" and bool(window.view.values), timeout=LONG)
    window.editing.open_block("filter")
    window.running.show_moment(None)
    last = window.runner.history.last("filter.double.y")
    assert window.view.values["double.y -> lag.u"].split()[0] == f"{last:.4g}"
    assert "wave.y -> filter.u" in window.levels[0].view.values
    # a slider of a block in here acts on the run
    window.properties.slider_wanted.emit("double.k")
    slider = window.controls.rows["filter.double.k"].findChild(QSlider)
    slider.setFocus()
    QTest.keyClick(slider, Qt.Key.Key_PageUp)
    value = window.document.diagram.value("double.k")
    assert value > 2
    assert told == [("filter.double.k", value)]
    assert window.running.note.text() == ""
    window.pop_to(0)  # it stays when its level is left
    QTest.keyClick(slider, Qt.Key.Key_PageUp)
    assert told[-1][0] == "filter.double.k"
    assert told[-1][1] > value
    user.menu("undo")
    assert window.top.diagram.to_yaml() == NESTED
    window.top.rename("filter", "smooth")
    assert not window.controls.rows  # no parameter has the name by now
    QApplication.processEvents()


def test_wires_say_their_values_while_a_run_keeps_to_the_clock(user: User, qtbot) -> None:
    window = user.window
    window.runner.compiler = lambda diagram: FakeSim(["controller.effort"])
    window.running.speed.setCurrentText("Real time")
    user.menu("run")
    wire = "controller.effort -> shoulder.effort"
    qtbot.waitUntil(lambda: window.runner.state == "running" and wire in window.view.values, timeout=LONG)
    user.menu("stop")
    qtbot.waitUntil(lambda: not window.runner.active, timeout=LONG)
    assert window.view.values == {}


def test_a_run_under_way_takes_a_parameter_of_the_diagram() -> None:
    sim = luff.compile(luff.Diagram.from_yaml("""\
luff: 1
parameters: {k: 4 N/m}
blocks: {slide: {type: prismatic, axis: x, stiffness: =k}, mass: {type: rigid_link, mass: 1 kg}}
connect: [world.frame -- slide.frame_a, slide.frame_b -- mass.frame_a]
"""))  # fmt: skip
    before = sim.derivative(0.0, [0.1, 0.0])
    sim.set("k", "9 N/m")
    after = sim.derivative(0.0, [0.1, 0.0])
    assert (before[1], after[1]) == (pytest.approx(-0.4), pytest.approx(-0.9))


def test_what_rounding_leaves_of_a_zero_is_none() -> None:
    names = ["wind.y[0]", "wind.y[1]"]
    history = History(names, dict.fromkeys(names, "m/s"))
    history.append(np.array([0.0]), np.array([[-1.941e-17, -0.317]]))
    assert value_words(["wind.y -> a.u"], history, None) == {"wind.y -> a.u": "0, -0.317 m/s"}
    history.append(np.array([1.0, 2.0]), np.array([[1e5, np.nan], [1.26e-16, 2e-5]]))
    assert value_words(["wind.y -> a.u"], history, None) == {"wind.y -> a.u": "0, 2e-5 m/s"}
