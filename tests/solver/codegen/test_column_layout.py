"""Columns of the kernels' arrays by name and width."""

from __future__ import annotations

import pytest

import luff
from luff.solver.codegen.column_layout import check_columns, columns
from luff.solver.kernels import model_data


def test_columns_follow_each_other_without_gaps() -> None:
    # by hand: a begins at 0, b behind one column, c behind four, and five columns are all
    assert columns(a=1, b=3, c=1) == (0, 1, 4, 5)
    check_columns({"a": 0, "b": 1, "c": 4})


def test_names_in_another_order_than_declared_are_refused() -> None:
    second, first, _ = columns(first=2, second=1)
    with pytest.raises(NameError, match=r"column first was declared at 0, and its name stands for 2"):
        check_columns({"first": first, "second": second})
    check_columns({})  # what was refused is not asked again


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
