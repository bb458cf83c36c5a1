"""Columns of the kernels' arrays by name and width."""

from __future__ import annotations

import luff
from luff.solver.codegen.column_layout import Columns
from luff.solver.kernels import model_data


def test_columns_follow_each_other_without_gaps() -> None:
    # by hand: a begins at 0, b behind one column, c behind four, and five columns are all
    column = Columns()
    assert (column(), column(3), column(), column.count) == (0, 1, 4, 5)


def test_tables_count_by_themselves() -> None:
    first, second = Columns(), Columns()
    assert (first(2), second(), first(), second()) == (0, 0, 2, 1)


def test_arrays_of_a_model_are_as_wide_as_their_columns() -> None:
    sim = luff.loads(
        "luff: 1\nblocks:\n  pin: {type: revolute}\n  rod: {type: rigid_link, mass: 1 kg, com: [1, 0, 0]}\n"
        "connect: [world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a]\n"
    )
    program = luff.compile(sim).program
    assert program.model.row.shape[1] == model_data.MODEL_COLUMNS
    assert program.model.frame_place.shape[1] == model_data.FRAME_COLUMNS
    # the rod's mass stands where its name says, and its first moment behind it
    row = program.model.row[0]
    assert row[model_data.BODY_MASS] == 1.0
    assert row[model_data.BODY_FIRST_MOMENT : model_data.BODY_INERTIA].tolist() == [1.0, 0.0, 0.0]
