"""Rows stand in the order in which one sets them; what one hardly ever sets is behind a fold at the end."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

import luff
from luff.blocks.parameter_order import by_need
from luff.blocks.registry import block_class
from luff.gui.properties.property_groups import Group, More
from luff.gui.properties.property_rows import Row
from luff.gui.properties.table_editors import TableEditor
from luff.gui.window.main_window import Window
from luff.solver.diagram.block_reference import describe_block

MODEL = """\
luff: 1
blocks:
  link: {type: rigid_link}
  pin: {type: revolute}
  body: {type: flexible_body}
  cylinder: {type: hydraulic_cylinder}
"""


@pytest.fixture(autouse=True)
def _as_first_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(More, "opened", {})


def more_of(window: Window, block: str) -> More:
    window.view.canvas.select([block])
    QApplication.processEvents()
    more = window.properties.more
    assert more is not None
    return more


def test_required_parameters_come_first_then_usual_ones_and_rare_ones_last() -> None:
    names = [entry["name"] for entry in describe_block("hydraulic_cylinder")["parameters"]]
    assert names[:3] == ["barrel", "piston", "fluid"]
    assert set(names[-4:]) <= set(block_class("hydraulic_cylinder").rare)
    barrel = next(
        one for one in describe_block("hydraulic_cylinder")["parameters"] if one["name"] == "barrel"
    )
    assert [one["name"] for one in barrel["parameters"]] == ["mass", "length", "com", "inertia"]


def test_the_order_of_what_a_netlist_holds_stays_that_of_the_declarations() -> None:
    cls = block_class("motion_law")
    assert list(by_need(cls.params, cls))[:2] == ["end_value", "duration"]
    assert list(cls.params)[:2] == ["start", "law"]  # by which numbers are packed


def test_a_class_puts_only_its_own_parameters_in_order() -> None:
    with pytest.raises(TypeError, match=r"Odd has no parameters \['gian'\] to put in order"):
        type("Odd", (luff.Block,), {"__doc__": "y = u", "usual": ("gian",)})


def test_rare_rows_are_folded_until_asked_for_and_stay_as_they_were_left(make_window) -> None:
    window = make_window(MODEL)
    more = more_of(window, "pin")
    (cut,) = (row for row in more.rows if row.keys == ("cut",))
    assert not cut.isVisible()
    assert "Resolved in" in more.button.toolTip()
    more.button.click()
    assert cut.isVisible()
    more_of(window, "link")
    assert more_of(window, "pin").button.isChecked()


def test_a_fold_is_open_where_one_of_its_rows_is_set_and_for_a_problem_in_it(make_window) -> None:
    window = make_window(MODEL)
    window.document.set_value("pin.armature", 2.0)
    assert more_of(window, "pin").button.isChecked()
    assert not more_of(window, "link").button.isChecked()
    window.properties.focus_row(("pseudo_inertia",))
    assert more_of(window, "link").button.isChecked()


def test_groups_that_one_usually_sets_are_open(make_window) -> None:
    window = make_window(MODEL)
    more_of(window, "cylinder")
    groups = {row.keys[0]: row.button.isChecked() for row in window.properties.rows if isinstance(row, Group)}
    assert groups["barrel"]
    assert groups["fluid"]
    assert not groups["limits"]


def test_what_makes_a_contact_or_a_support_stiff_is_in_sight(make_window) -> None:
    window = make_window(
        MODEL.replace("  link:", "  c: {type: contact}\n  base: {type: base_support}\n  link:")
    )
    assert not more_of(window, "base").button.isChecked()
    (supports,) = (row for row in window.properties.rows if row.keys == ("supports",))
    assert isinstance(supports.editor, TableEditor)
    heads = supports.editor.table.horizontalHeader()
    assert heads.isVisible()
    assert supports.editor.columns[1] == "stiffness"
    assert supports.y() < next(row.y() for row in window.properties.rows if row.keys == ("com",))
    window.view.canvas.select(["c"])
    QApplication.processEvents()
    (law,) = (row for row in window.properties.rows if row.keys == ("law",))
    assert isinstance(law, Group)
    assert next(row for row in law.rows if row.keys == ("law", "stiffness")).isVisible()


def test_a_file_without_which_a_block_does_nothing_is_said_to_be_required(make_window) -> None:
    window = make_window(MODEL)
    more_of(window, "body")
    (file,) = (row for row in window.properties.rows if row.keys == ("file",))
    assert isinstance(file, Row)
    assert file.label.property("role") != "muted"
    assert file.label.toolTip().split("<br>")[1] == "required"
    window.document.check()
    (missing,) = (one for one in window.document.problems if one.message == "no file is named")
    assert missing.incomplete
    (mass,) = (row for row in _inner(window, "cylinder", "barrel") if row.keys[-1] == "mass")
    assert mass.label.toolTip().split("<br>")[1] == "required, in kg"


def _inner(window: Window, block: str, group: str) -> list[Row | Group]:
    more_of(window, block)
    (own,) = (row for row in window.properties.rows if isinstance(row, Group) and row.keys == (group,))
    return own.rows
