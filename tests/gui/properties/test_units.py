"""Units in the panel of properties: in print, in one line, and those of gains by what a controller is wired to."""

from __future__ import annotations

import pytest

from luff.gui.document.document import Document
from luff.gui.properties.parameter_editors import LineEditor, UnitButton
from luff.gui.properties.property_rows import Row
from luff.gui.properties.wired_gains import gain_unit
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


@pytest.mark.parametrize(("key", "unit"), [("kp", "N*m/rad"), ("kd", "N*m*s/rad"), ("ki", "N*m/(rad*s)")])
def test_gains_have_the_unit_of_effort_over_what_is_measured(key: str, unit: str) -> None:
    document = Document(Diagram.from_yaml(DRIVEN))
    assert gain_unit(document, "pd", key) == unit
    assert gain_unit(document, "turn", "damping") == ""
    document.connect_ports("pd.effort[1]", "slide.effort")
    assert gain_unit(document, "pd", key) == ""  # its elements have different ones


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
