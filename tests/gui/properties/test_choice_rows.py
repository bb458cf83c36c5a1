"""Rows follow the choice beside them: those that it does not use are out of sight, those that it needs are marked."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QLineEdit

from luff.gui.properties.property_groups import Group
from luff.gui.properties.property_rows import Row
from luff.gui.window.main_window import Window

MODEL = """\
luff: 1
blocks:
  boom: {type: rfem_link}
  link: {type: rigid_link}
  law: {type: motion_law}
"""


def rows(window: Window, block: str, group: str = "") -> dict[str, Row]:
    """Rows in sight, by key."""
    window.view.canvas.select([block])
    QApplication.processEvents()
    found = window.properties.rows
    if group:
        (own,) = (row for row in found if isinstance(row, Group) and row.keys == (group,))
        found = own.rows
    return {row.keys[-1]: row for row in found if isinstance(row, Row) and not row.isHidden()}


def required(shown: dict[str, Row]) -> set[str]:
    fields = {key: row.findChild(QLineEdit) for key, row in shown.items()}
    return {
        key
        for key, field in fields.items()
        if field is not None and "required" in (field.placeholderText(), field.toolTip().rpartition(" ")[2])
    }


def test_a_section_shows_the_sizes_of_its_shape_and_says_which_it_needs(make_window) -> None:
    window = make_window(MODEL)
    numbers = rows(window, "boom", "section")
    assert numbers.keys() == {"shape", "A", "I_y", "I_z", "J", "shear_y", "shear_z"}
    assert required(numbers) == {"A", "I_y", "I_z", "J"}
    window.document.set_value("boom.section.shape", "box")
    box = rows(window, "boom", "section")
    assert box.keys() == {"shape", "width", "height", "thickness"}
    assert required(box) == {"width", "height", "thickness"}
    assert box["width"].label.toolTip().split("<br>")[1] == "required, in m"
    assert box["width"].label.property("role") != "muted"


def test_what_is_set_stays_in_sight_until_it_is_taken_back(make_window) -> None:
    window = make_window(MODEL)
    window.document.set_value("boom.section.shape", "tube")
    window.document.set_value("boom.section.diameter", 0.2)
    window.document.set_value("boom.section.shape", "box")
    assert "diameter" in rows(window, "boom", "section")
    window.document.unset_value("boom.section.diameter")
    assert "diameter" not in rows(window, "boom", "section")


def test_a_shape_shows_what_its_kind_takes_and_needs_a_size_once_it_is_given(make_window) -> None:
    window = make_window(MODEL)
    shape = rows(window, "link", "shape")
    assert not {"file", "heights", "scale"} & shape.keys()
    assert not required(shape)  # a link needs no shape
    window.document.set_value("link.shape.kind", "box")
    assert required(rows(window, "link", "shape")) == {"size"}
    window.document.set_value("link.shape.kind", "mesh")
    mesh = rows(window, "link", "shape")
    assert (required(mesh), "size" in mesh) == ({"file"}, False)
    window.document.undo.undo()
    window.document.undo.undo()
    assert not required(rows(window, "link", "shape"))


def test_a_motion_shows_the_ramps_of_its_law(make_window) -> None:
    window = make_window(MODEL)
    for law, ramps in (("poly5", set()), ("trapezoidal", {"ramp"}), ("s_curve", {"ramp", "rounding"})):
        window.document.set_value("law.law", law)
        assert rows(window, "law").keys() & {"ramp", "rounding"} == ramps
