"""Values of a parameter: lists and both ways of ranges, which all commands, files and fields read alike."""

from __future__ import annotations

import pytest

from luff.blocks.errors import LuffError
from luff.solver.studies.value_ranges import values_of


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("6 m to 12 m in 3", ["6 m", "9 m", "12 m"]),
        ("6 to 12 m in 2", ["6 m", "12 m"]),
        ("1 to 4 in 4", [1.0, 2.0, 3.0, 4.0]),
        ("1234567 to 2345678 in 2", [1234567.0, 2345678.0]),
        ("1234567 N to 2345678.5 N in 2", ["1234567 N", "2345678.5 N"]),
        ("500 kg to 2 t in 2", ["0.5 t", "2 t"]),
        ("1 m to 100 m in 3 log", ["1 m", "10 m", "100 m"]),
        ("0deg:90deg:45deg", ["0 deg", "45 deg", "90 deg"]),
        ("1:3:1", [1, 2, 3]),
        ("6m,8m", ["6m", "8m"]),
        ([1, 2], [1, 2]),
    ],
)
def test_lists_and_ranges_are_read(text: object, values: list[object]) -> None:
    assert values_of(text, "x") == values


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("6 to 12 m", "FROM to TO in COUNT"),
        ("6m:8m", "FROM:TO:STEP"),
        ("6 m to 12 kg in 2", "ends of one kind"),
        ("0 to 2 in 3 log", "one sign"),
        ("1 to 2 in 1", "2 to 1000"),
        ("8m:6m:1m", "upwards"),
    ],
)
def test_what_is_no_range_is_told(text: str, words: str) -> None:
    with pytest.raises(LuffError, match=words):
        values_of(text, "x")
