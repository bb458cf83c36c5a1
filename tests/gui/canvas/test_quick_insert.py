"""The box that inserts a block by its name: words of other programs, and the world that a diagram has once."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from luff.gui.document.wire_splice import APART
from luff.gui.theme.block_catalog import LIBRARY
from luff.tests.gui.driver import Canvas


def rows(canvas: Canvas, text: str) -> list[str]:
    """Rows of the list where a word is typed."""
    box = canvas.view.quick_insert
    box.open(QPointF(300.0, 600.0))
    QTest.keyClicks(box.field, text)
    return [box.list.item(row).text() for row in range(box.list.count())]


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("statechart", "State machine   state_machine"),
        ("scope", "Drag a port or a wire into Plots"),
        ("nothing like it", "No block of this name"),
    ],
)
def test_a_word_of_another_program_finds_what_there_is_instead(
    canvas: Canvas, typed: str, shown: str
) -> None:
    found = rows(canvas, typed)
    assert found[0] == shown
    assert len(found) == 1


def test_the_world_that_is_there_is_selected_and_stays(canvas: Canvas) -> None:
    said: list[str] = []
    canvas.view.message.connect(said.append)
    place, steps = canvas.document.place("world"), canvas.document.undo.count()
    assert rows(canvas, "world")[0].startswith("World")
    QTest.keyClick(canvas.view.quick_insert.field, Qt.Key.Key_Return)
    assert said == ["A diagram has one world: it is selected"]
    assert canvas.scene.selected_blocks() == ["world"]
    assert (canvas.document.place("world"), canvas.document.undo.count()) == (place, steps)


def test_a_wire_drawn_from_a_frame_leads_to_the_world_that_is_there(canvas: Canvas) -> None:
    name = canvas.document.add_block("revolute", 300.0, 700.0)
    canvas.scene.sync()
    place = canvas.document.place("world")
    canvas.view.quick_insert.open(QPointF(200.0, 700.0), "world", f"{name}.frame_a")
    QTest.keyClick(canvas.view.quick_insert.field, Qt.Key.Key_Return)
    ends = {*canvas.document.diagram.connections[-1].split(" -- ")}
    assert ends == {f"{name}.frame_a", "world.frame"}
    assert canvas.document.place("world") == place


def placed(canvas: Canvas, word: str, place: tuple[float, float], reference: str = "") -> str:
    """Block of a name that is typed at a place, or at the end of a wire from a port."""
    canvas.view.quick_insert.open(QPointF(*place), word, reference)
    QTest.keyClick(canvas.view.quick_insert.field, Qt.Key.Key_Return)
    (name,) = canvas.scene.selected_blocks()
    return name


@pytest.mark.parametrize("driven", [True, False])
def test_a_planner_behind_a_drive_is_its_target_and_stands_before_it(canvas: Canvas, driven: bool) -> None:
    """As the target of a drive that drives a joint, and where the drive's effort leads nowhere yet."""
    wires = lambda: {*canvas.document.diagram.connections}  # noqa: E731
    if driven:
        canvas.scene.select(["elbow"])
        canvas.key(Qt.Key.Key_Tab)
        assert placed(canvas, "pd", (500, 600), canvas.view.quick_insert.reference) == "pd"
        assert {"elbow.trajectory -> pd.measured", "pd.effort -> elbow.effort"} <= wires()
        assert canvas.document.card("pd")[1] > canvas.document.card("elbow")[3]  # under its joint
    else:
        placed(canvas, "pd", (500, 600))
    canvas.key(Qt.Key.Key_Tab)
    box = canvas.view.quick_insert
    assert box.reference == ("pd.target" if driven else "pd.effort")
    name = placed(canvas, "motion law", (box.place.x(), box.place.y()), box.reference)
    assert f"{name}.y -> pd.target" in wires()
    assert len(canvas.scene.wires[f"{name}.y -> pd.target"].points) == 2  # straight
    assert canvas.document.card(name)[2] <= canvas.document.card("pd")[0] - APART
    before = canvas.document.diagram.to_yaml()
    canvas.key(Qt.Key.Key_Tab)  # a planner goes on with its own target
    assert box.reference == f"{name}.y"
    assert canvas.document.diagram.to_yaml() == before


@pytest.mark.parametrize(("port", "off"), [("pd.target", -70), ("pd.measured", -20), ("pd.effort", 30)])
def test_a_block_dropped_close_to_a_port_leaves_its_wire_room(canvas: Canvas, port: str, off: int) -> None:
    placed(canvas, "pd", (700, 600))
    x, y = canvas.port(port)
    name = placed(canvas, "gain" if off > 0 else "motion law", (x + off, y), port)
    (wire,) = (text for text in canvas.document.diagram.connections if f"{name}." in text)
    (x1, _), (x2, _) = canvas.scene.wires[wire].points[0], canvas.scene.wires[wire].points[-1]
    assert x2 - x1 == APART


def test_a_block_asked_for_by_key_alone_stands_behind_the_selected_one(canvas: Canvas) -> None:
    """Whatever is in the middle of the view, where the pointer is elsewhere."""
    canvas.view.centerOn(*canvas.middle("upper"))
    canvas.scene.select(["fore"])
    canvas.key(Qt.Key.Key_Slash)
    assert canvas.view.quick_insert.reference == "fore.frame_b"
    x, y = canvas.middle("upper")
    canvas.move((x, y), Qt.MouseButton.NoButton)  # over another block
    canvas.key(Qt.Key.Key_Slash)
    assert canvas.view.quick_insert.reference == ""


def types_for(canvas: Canvas, reference: str, text: str = "") -> list[str]:
    """Types offered at the end of a wire from a port."""
    box = canvas.view.quick_insert
    box.open(QPointF(300.0, 600.0), text, reference)
    return [box.list.item(row).data(Qt.ItemDataRole.UserRole) for row in range(box.list.count())]


def test_words_find_what_fits_a_port_before_what_does_not(canvas: Canvas) -> None:
    assert types_for(canvas, "controller.target", "plan")[:2] == ["motion_law", "path"]
    assert not {"world", "contact"} & {*types_for(canvas, "controller.target", "plan")}
    assert "pid" not in types_for(canvas, "controller.target", "p")  # as path and others that fit
    assert types_for(canvas, "controller.target", "contact") == ["contact"]  # asked for by name
    assert types_for(canvas, "controller.target", "zzz") == [None]


def test_a_torque_is_not_offered_first_for_an_energy(canvas: Canvas) -> None:
    energy = canvas.document.add_block("energy_sensor", 500, 600)
    found = types_for(canvas, f"{energy}.total")
    assert "saturation" in found  # of those without a unit
    assert "torque_source" not in found  # the last ones are found by name
    assert types_for(canvas, "elbow.velocity").index("speed_source") < 10  # of its unit


def test_a_copy_of_a_library_block_is_listed_once(make_canvas, tmp_path) -> None:
    ours = LIBRARY / "crane_king.yaml"
    (tmp_path / "crane_king.yaml").write_text(ours.read_text())
    canvas = make_canvas(base=tmp_path)
    assert rows(canvas, "crane king") == ["Crane king   crane_king"]
    (tmp_path / "crane_king.yaml").write_text(ours.read_text() + "# ours\n")
    assert rows(canvas, "crane king") == ["Crane king   crane_king", "Crane king   ./crane_king.yaml"]


def test_a_joint_whose_frame_is_wired_is_offered_drives_first_until_it_has_one(canvas: Canvas) -> None:
    assert types_for(canvas, "elbow.frame_a")[:2] == ["pd", "pid"]
    assert placed(canvas, "", (500, 600), "elbow.frame_b") == "pd"
    assert {"elbow.trajectory -> pd.measured", "pd.effort -> elbow.effort"} <= {
        *canvas.document.diagram.connections
    }
    assert types_for(canvas, "elbow.frame_b")[0] == "rigid_link"


def test_behind_the_world_stands_only_what_fits_it(canvas: Canvas) -> None:
    assert types_for(canvas, "world.frame", "pd") == [None]
    assert canvas.view.quick_insert.list.item(0).text() == "PD does not fit world.frame"
    assert types_for(canvas, "world.frame", "revolute")[0] == "revolute"
