"""Signals by name, their units, and what is said of a name that is not there."""

from collections.abc import Mapping

import numpy as np
import pytest

from luff.blocks.errors import LuffError
from luff.solver.results.recorded_run import UnknownSignalError, matching
from luff.solver.results.result import Result

COLUMNS = ["slew.position", "slew.velocity", "boom.psi[1]", "boom.psi[2]", "tip.y[0]", "tip.y[1]"]
UNITS = {
    "slew.position": "rad",
    "slew.velocity": "rad/s",
    "boom.psi": "rad",
    "tip.y[0]": "m",
    "tip.y[1]": "rad",
}


@pytest.fixture
def result() -> Result:
    time = np.linspace(0, 2, 5)
    return Result(time, COLUMNS, np.arange(30.0).reshape(5, 6), UNITS)


def test_result_gives_scalars_vectors_and_elements(result: Result) -> None:
    assert result.names == ["slew.position", "slew.velocity", "boom.psi", "tip.y"]
    assert [*result] == result.names
    assert result.columns == COLUMNS
    np.testing.assert_array_equal(result["slew.velocity"], [1, 7, 13, 19, 25])
    np.testing.assert_array_equal(result["boom.psi"], [[2, 3], [8, 9], [14, 15], [20, 21], [26, 27]])
    np.testing.assert_array_equal(result["boom.psi[2]"], result["boom.psi"][:, 1])
    np.testing.assert_array_equal(result["time"], result.time)


def test_result_gives_the_elements_of_a_vector_that_lie_apart() -> None:
    result = Result(np.zeros(1), ["a[0]", "b", "a[1]"], np.array([[1.0, 2.0, 3.0]]))
    np.testing.assert_array_equal(result["a"], [[1, 3]])


def test_result_is_a_mapping_of_its_signals(result: Result) -> None:
    assert isinstance(result, Mapping)
    assert len(result) == len(dict(result)) == 4
    assert [*result.keys()] == [*result] == result.names
    assert [name for name, _ in result.items()] == result.names
    assert [values.shape for values in result.values()] == [(5,), (5,), (5, 2), (5, 2)]
    assert result.get("slew.positon") is None
    np.testing.assert_array_equal(result.get("boom.psi[2]", 0.0), result["boom.psi[2]"])
    assert result == result
    assert result != Result(result.time, COLUMNS, result.table, UNITS)
    assert len({result, result}) == 1
    assert Result(np.zeros(2), [], np.zeros((2, 0)))  # of no signals, but a result


def test_result_knows_units_by_signal_and_by_column(result: Result) -> None:
    assert result.units["time"] == "s"
    assert result.units["boom.psi"] == result.units["boom.psi[2]"] == "rad"
    assert (result.units["tip.y[0]"], result.units["tip.y[1]"]) == ("m", "rad")
    assert result.units["tip.y"] == ""  # its elements differ


def test_unknown_name_is_a_key_error_with_a_suggestion(result: Result) -> None:
    with pytest.raises(UnknownSignalError, match=r'slew\.positon: .*did you mean "slew\.position"') as caught:
        result["slew.positon"]
    assert isinstance(caught.value, KeyError)
    assert isinstance(caught.value, LuffError)
    assert "slew.positon" not in result
    assert {"slew.position", "boom.psi", "boom.psi[1]", "time"} == {
        name for name in ("slew.position", "boom.psi", "boom.psi[1]", "time", "boom.psi[3]") if name in result
    }


@pytest.mark.parametrize(
    ("pattern", "columns"),
    [
        ("slew.*", ["slew.position", "slew.velocity"]),
        ("boom.psi", ["boom.psi[1]", "boom.psi[2]"]),
        ("boom.psi[2]", ["boom.psi[2]"]),
        ("*.y[1]", ["tip.y[1]"]),
        ("t?p.y", ["tip.y[0]", "tip.y[1]"]),
    ],
)
def test_match_takes_names_and_globs(result: Result, pattern: str, columns: list[str]) -> None:
    assert result.match(pattern) == columns


def test_match_refuses_a_glob_that_covers_nothing(result: Result) -> None:
    with pytest.raises(UnknownSignalError, match="king"):
        result.match("king.*")


def test_brackets_are_not_wild() -> None:
    assert matching("a[1]*", ["a1", "a[1]", "a[1].b"]) == ["a[1]", "a[1].b"]


def test_rms_of_a_sine_is_its_amplitude_over_root_two() -> None:
    # uneven steps: an average over samples would lean towards the dense half
    time = np.concatenate((np.linspace(0, np.pi, 2000)[:-1], np.linspace(np.pi, 2 * np.pi, 300)))
    table = np.column_stack((3 * np.sin(time), -3 + 0 * time, 4 * np.cos(time)))
    result = Result(time, ["a", "v[0]", "v[1]"], table)
    # the trapezoid's error over whole periods is of the order (pi/300)^2 = 1e-4
    assert result.rms("a") == pytest.approx(3 / np.sqrt(2), rel=1e-4)
    np.testing.assert_allclose(result.rms("v"), [3, 4 / np.sqrt(2)], rtol=1e-4)
    np.testing.assert_allclose(result.maximum("v"), [-3, 4], rtol=1e-12)
    np.testing.assert_allclose(result.minimum("v"), [-3, -4], rtol=1e-12)
    np.testing.assert_allclose(result.peak("v"), [3, 4], rtol=1e-12)
    assert isinstance(result.rms("a"), float)


def test_rms_of_one_row_is_its_magnitude() -> None:
    assert Result(np.zeros(1), ["a"], np.array([[-2.0]])).rms("a") == 2.0


@pytest.mark.parametrize("columns", [["a", "a"], ["a", "a[0]"]])
def test_result_refuses_names_that_stand_for_two_things(columns: list[str]) -> None:
    with pytest.raises(ValueError, match="two columns have one name"):
        Result(np.zeros(1), columns, np.zeros((1, 2)))


def test_result_refuses_a_table_of_the_wrong_shape() -> None:
    with pytest.raises(ValueError, match="3 rows, 2 columns"):
        Result(np.zeros(3), ["a", "b"], np.zeros((3, 1)))


def test_result_shows_itself_in_one_line(result: Result) -> None:
    assert repr(result) == "<Result finished: 4 signals, 5 rows, 0 to 2 s>"
