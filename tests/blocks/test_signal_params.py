"""Parameters of signal blocks: what they accept, and what they say about the rest."""

import inspect
import math
from typing import Any

import pytest

from luff.blocks import LuffError, Param
from luff.blocks.expression_scope import Scope
from luff.blocks.signal_params import Frequency, Numbers, PerElement, Rows, UnitName
from luff.blocks.text.data_files import read_rows
from luff.blocks.text.generated_functions import function_from

SCOPE = Scope({"g": "9.81 m/s^2", "h": "1 m", "w": "3 rad/s"})


def read(param: Param, raw: Any) -> Any:
    return param.convert(raw, SCOPE, "here")


def test_frequency_knows_cycles_from_angles() -> None:
    assert read(Frequency(), 3) == read(Frequency(), "=w") == read(Frequency(), "3 rad/s") == 3.0
    assert read(Frequency(), "2 Hz") == read(Frequency(), "0.002kHz") == pytest.approx(4 * math.pi, rel=1e-15)
    assert read(Frequency(), "60 rpm") == pytest.approx(2 * math.pi, rel=1e-15)


@pytest.mark.parametrize("raw", ["=sqrt(g/h)", "2 1/s", "3 m"])
def test_frequency_asks_back_where_a_factor_is_open(raw: str) -> None:
    with pytest.raises(LuffError, match="expected a quantity in rad/s"):
        read(Frequency(), raw)


def test_per_element_takes_one_or_many() -> None:
    assert read(PerElement(), "2 kN") == 2000.0
    assert read(PerElement(), ["2 kN", 3]) == (2000.0, 3.0)
    assert read(PerElement(optional=True), None) is None
    assert read(PerElement(unit="m", ge=0), "2 mm") == 0.002
    with pytest.raises(LuffError, match=r"here\[1\]: found -1, expected a number >= 0"):
        read(PerElement(ge=0), [0, -1])
    with pytest.raises(LuffError, match="found nothing, expected a number or a list of numbers"):
        read(PerElement(), None)


def test_numbers_rows_and_unit_names() -> None:
    assert read(Numbers(), {"k": "3 mm", "w": "=w"}) == {"k": 0.003, "w": 3.0}
    assert read(Rows(), [[0, "1 mm"], [1, "=h"]]) == ((0.0, 0.001), (1.0, 1.0))
    assert read(UnitName(), "N*m/rad") == "N*m/rad"
    for param, raw, message in [
        (Numbers(), [1], "a mapping from names to numbers"),
        (Numbers(), {"2k": 1}, "found the name '2k'"),
        (Rows(), [1, 2], "a list of rows of numbers"),
        (UnitName(), "kN", "which is 1000 SI units"),
        (UnitName(), "banana", 'unknown unit "banana"'),
    ]:
        with pytest.raises(LuffError, match=message):
            read(param, raw)


def test_files_are_read_however_they_separate(tmp_path: Any) -> None:
    (tmp_path / "a.csv").write_text(
        "\ufefftime, y\n# a remark\n0, 1\n\n2;\t3 # another\n4 5\n", encoding="utf-8"
    )
    assert read_rows(tmp_path, "a.csv").value.rows == ((0, 1), (2, 3), (4, 5))
    (tmp_path / "b.csv").write_text("time, y\nzero, 1\n")
    with pytest.raises(LuffError, match=r"b\.csv:2: expected numbers, found something else"):
        read_rows(tmp_path, "b.csv")
    with pytest.raises(LuffError, match=r'cannot read "c\.csv"'):
        read_rows(tmp_path, "c.csv")
    (tmp_path / "d.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(LuffError, match=r'cannot read "d\.csv"'):
        read_rows(tmp_path, "d.csv")


def test_a_file_that_changes_is_read_again(tmp_path: Any) -> None:
    import os

    path = tmp_path / "a.csv"
    path.write_text("1 2\n")
    assert read_rows(tmp_path, "a.csv").value.rows == ((1, 2),)
    path.write_text("3 4\n")
    os.utime(path, ns=(1, 1))
    assert read_rows(tmp_path, "a.csv").value.rows == ((3, 4),)


def test_functions_from_text_keep_their_source_and_are_shared() -> None:
    source = "def out(u):\n    return math.sqrt(u)\n"
    function = function_from(source)
    assert function(4.0) == 2.0
    assert inspect.getsource(function) == source
    assert function_from(source) is function
