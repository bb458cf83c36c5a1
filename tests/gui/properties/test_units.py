"""Units in the panel of properties: in print, in one line, and those that follow from a block and its wires."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication, QLabel

from luff.blocks.params import Param
from luff.gui.document import grouping
from luff.gui.document.document import Document
from luff.gui.document.following_units import following_unit
from luff.gui.document.repairs import apply_repair
from luff.gui.properties.parameter_editors import LineEditor, UnitButton
from luff.gui.properties.property_groups import Group
from luff.gui.properties.property_rows import Row
from luff.gui.properties.table_editors import NameValues
from luff.gui.properties.value_text import short_default
from luff.gui.properties.vector_editors import VectorEditor
from luff.solver.flatten.diagram import Diagram
from luff.tests.gui.driver import LONG

DRIVEN = """\
luff: 1
blocks:
  pd: {type: pid, kp: 2000, kd: 100}
  turn: {type: revolute, axis: z, damping: 2 kN*m*s/rad}
  slide: {type: prismatic, axis: x}
connect:
  - turn.trajectory -> pd.measured
  - pd.effort -> turn.effort
"""


@pytest.mark.parametrize(
    ("key", "unit"), [("kp", "N*m/rad"), ("kd", "N*m*s/rad"), ("ki", "N*m/(rad*s)"), ("upper", "N*m")]
)
def test_gains_and_limits_have_the_units_of_effort_and_what_is_measured(key: str, unit: str) -> None:
    document = Document(Diagram.from_yaml(DRIVEN))
    assert following_unit(document, "pd", (key,)) == unit
    assert following_unit(document, "turn", ("damping",)) == ""
    document.connect_ports("pd.effort[1]", "slide.effort")
    assert following_unit(document, "pd", (key,)) == ""  # its elements have different ones


def test_units_are_in_print_beside_their_fields_and_follow_the_wires(make_window, qtbot) -> None:
    window = make_window(DRIVEN)

    def editor(key: str) -> LineEditor:
        row = next(row for row in window.properties.rows if row.keys == (key,))
        assert isinstance(row, Row)
        assert isinstance(row.editor, LineEditor)
        return row.editor

    window.view.canvas.select(["turn"])
    damping = editor("damping")
    assert isinstance(damping.unit, UnitButton)
    assert damping.unit.text() == "kN·m·s/rad"
    assert damping.raw == "2 kN*m*s/rad"  # the file has what was typed
    damping.field.setText("3")
    damping.field.finish()
    assert window.document.diagram.value("turn.damping") == "3 kN*m*s/rad"
    window.view.canvas.select(["pd"])
    assert (editor("kp").unit.text(), editor("kd").unit.text()) == ("N·m/rad", "N·m·s/rad")
    qtbot.waitUntil(lambda: editor("kp").unit.x() >= editor("kp").field.geometry().right(), timeout=LONG)
    window.document.remove([], ["pd.effort -> turn.effort"])
    window.properties._refresh()
    assert editor("kp").unit.isHidden()


@pytest.mark.parametrize(
    ("block", "keys", "unit"),
    [
        ("turn", ("friction", "stribeck"), "rad/s"),
        ("slide", ("friction", "stribeck"), "m/s"),
        ("turn", ("friction", "sigma_0"), "1/rad"),
        ("slide", ("friction", "sigma_2"), "s/m"),
        ("turn", ("friction", "gamma"), ""),
        ("soft", ("rotational", "stiffness"), "N*m/rad"),
        ("hard", ("rotational", "stiffness"), "N*m/rad^3"),
        ("dc", ("resistance",), "Ω"),
    ],
)
def test_units_follow_from_the_kind_of_a_block(block: str, keys: tuple[str, ...], unit: str) -> None:
    text = DRIVEN.replace(
        "connect:",
        "  soft: {type: base_support}\n  hard: {type: base_support, rotational: {law: cubic}}\n"
        "  dc: {type: motor}\nconnect:",
    )
    assert following_unit(Document(Diagram.from_yaml(text)), block, keys) == unit


def test_a_list_has_its_unit_until_it_says_one_of_its_own(make_window) -> None:
    window = make_window("luff: 1\nblocks: {bar: {type: rigid_link, mass: 1, inertia: [1, 2, 3]}}\n")
    window.view.canvas.select(["bar"])
    for key, unit, own in (("inertia", "kg·m²", ["1 t*m^2", 2, 3]), ("com", "m", ["5 cm", 0, 0])):
        row = next(row for row in window.properties.rows if row.keys == (key,))
        assert isinstance(row, Row)
        assert isinstance(row.editor, LineEditor | VectorEditor)
        assert (row.editor.unit.text(), row.editor.unit.isHidden()) == (unit, False)
        window.document.set_value(f"bar.{key}", own)
        row.refresh()
        assert row.editor.unit.isHidden()


@pytest.mark.parametrize("kind", ["revolute", "rfem_link", "gear", "hydraulic_cylinder"])
def test_numbers_begin_and_end_in_one_line_at_all_depths(make_window, kind: str) -> None:
    window = make_window(f"luff: 1\nblocks: {{one: {{type: {kind}}}}}\n")
    window.view.canvas.select(["one"])
    window.properties.setMinimumWidth(400)
    for group in window.properties.findChildren(Group):
        group.button.setChecked(True)
    QApplication.processEvents()
    numbers = [
        editor.field
        for editor in window.properties.findChildren(LineEditor)
        if editor.param.kind in ("number", "integer") and editor.isVisible()
    ]
    panel = window.properties.widget()
    assert len(numbers) > 3
    assert len({field.mapTo(panel, field.rect().topLeft()).x() for field in numbers}) == 1
    assert len({field.mapTo(panel, field.rect().topRight()).x() for field in numbers}) == 1


def test_parameters_of_the_diagram_are_shown_in_print_and_edited_as_typed(make_window) -> None:
    window = make_window("luff: 1\nparameters: {c: 1e-3 N*m*s/rad, k: =2*c}\nblocks: {u: {type: constant}}\n")
    window.view.canvas.select([])
    (values,) = window.properties.findChildren(NameValues)
    table = values.table
    delegate = table.itemDelegate()
    texts = [table.item(row, 1).text() for row in range(2)]
    assert texts == ["1e-3 N*m*s/rad", "=2*c"]
    assert [delegate.displayText(text, QLocale()) for text in texts] == ["1 mN·m·s/rad", "=2*c"]


@pytest.mark.parametrize(
    ("default", "shown"), [(1 / 3600, "1/3600"), (0.1234567891, "0.123457"), (0.25, "0.25")]
)
def test_a_default_of_many_digits_is_a_share_or_rounded(default: float, shown: str) -> None:
    assert short_default(Param(default, "1/s")) == shown


def test_a_value_of_another_kind_than_the_wires_ask_for_is_doubted_below_its_field(
    make_window, qtbot
) -> None:
    window = make_window(DRIVEN)
    window.document.connect_ports("turn.trajectory", "pd.target")
    window.view.canvas.select(["pd"])
    row = next(row for row in window.properties.rows if row.keys == ("kp",))
    assert isinstance(row, Row)
    assert isinstance(row.editor, LineEditor)
    row.editor.field.setText("10 m")
    row.editor.field.finish()
    qtbot.waitUntil(lambda: row.mend.text() == 'Use "10 N·m/rad"', timeout=LONG)
    assert row.error.property("role") == "warning"
    assert row.error.text().startswith("10 m is a length; from the wires kp is in N·m/rad")
    row.mend.click()
    assert window.document.diagram.value("pd.kp") == "10 N*m/rad"
    assert (row.mend.isHidden(), row.error.isHidden()) == (True, True)
    window.document.set_value("pd.kp", "10 m")
    window.document.check()
    (problem,) = [one for one in window.document.problems if one.severity == "warning"]
    assert apply_repair(window.document, problem)  # from the list of problems
    assert window.document.diagram.value("pd.kp") == "10 N*m/rad"


def test_units_reach_a_controller_inside_of_subsystems_and_both_ends_of_a_wire(make_window) -> None:
    window = make_window(DRIVEN)
    document = window.document
    grouping.group(document, ["pd"])
    (name,) = [one for one in document.block_names() if one not in ("world", "turn", "slide")]
    inner = document.inside(name)
    assert following_unit(inner, "pd", ("kp",)) == "N*m/rad"
    grouping.group(inner, ["pd"])
    (deeper,) = [one for one in inner.block_names() if one != "world"]
    assert following_unit(inner.inside(deeper), "pd", ("ki",)) == "N*m/(rad*s)"
    effort = next(text for text in document.diagram.connections if "turn.effort" in text)
    window.view.canvas.sync()
    window.view.canvas.select([], [effort])
    told = [label.text() for label in window.properties.findChildren(QLabel)]
    assert [text for text in told if "[N·m]" in text] == [f"{name}.effort [N·m]", "turn.effort [N·m]"]


def test_a_controller_behind_a_sum_has_units_once_the_wires_were_checked(make_window, qtbot) -> None:
    window = make_window(
        DRIVEN.replace("connect:", "  s: {type: sum}\nconnect:")
        .replace("kp: 2000", "kp: 2")
        .replace("pd.effort ->", "s.y ->")
    )
    document, card = window.document, window.view.canvas.blocks["pd"]
    document.connect_ports("pd.effort", "s.u1")
    window.view.canvas.select(["pd"])
    qtbot.waitUntil(lambda: "N·m/rad" in card.value_line, timeout=LONG)
    row = next(row for row in window.properties.rows if row.keys == ("upper",))
    assert row.editor.unit.text() == "N·m"
    document.remove([], ["s.y -> turn.effort"])
    qtbot.waitUntil(lambda: card.value_line == "kp = 2", timeout=LONG)
    assert row.editor.unit.isHidden()


def test_a_gain_has_its_unit_beside_its_field_and_the_file_keeps_its_form(make_window) -> None:
    window = make_window(DRIVEN.replace("kp: 2000", "kp: 20 MN*m/rad"))
    window.view.canvas.select(["pd"])
    (row,) = (row for row in window.properties.rows if row.keys == ("kp",))
    field = row.editor.field
    assert (field.text(), row.editor.unit.text()) == ("20", "MN·m/rad")
    for typed, raw in (
        ("30", "30 MN*m/rad"),
        ("4 kN·m/rad", "4 kN*m/rad"),
        ("5 N*m/rad", "5 N*m/rad"),
        ("6 kg·m²/(rad·s²)", "6 kg*m^2/(rad*s^2)"),
    ):
        field.setText(typed)
        field.finish()
        assert window.document.diagram.value("pd.kp") == raw
    assert (field.text(), row.editor.unit.text()) == ("6", "kg·m²/(rad·s²)")


def test_values_of_a_planner_have_the_unit_of_what_it_leads_to(make_window, qtbot) -> None:
    planner = "  plan: {type: motion_law, end_value: 1.5}\nconnect:\n  - plan.y -> pd.target"
    window = make_window(DRIVEN.replace("connect:", planner))
    window.view.canvas.select(["plan"])
    rows = {row.keys: row.editor for row in window.properties.rows}
    qtbot.waitUntil(lambda: rows[("end_value",)].unit.text() == "rad", timeout=LONG)
    assert rows[("start_value",)].unit.text() == "rad"
    window.document.set_value("plan.start_value", "90 deg")
    window.document.remove([], ["plan.y -> pd.target"])
    qtbot.waitUntil(lambda: rows[("end_value",)].unit.isHidden(), timeout=LONG)  # a bare number is no degree
