"""Results in the formats of other programs, read back by those programs' own readers where there are any."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.io import loadmat

from luff.blocks.errors import LuffError, RunError
from luff.solver.result import export
from luff.solver.result.result import Result, read

COLUMNS = ["slew.position", "boom.psi[1]", "boom.psi[2]", "pd", "pd.out"]
UNITS = {"slew.position": "rad", "boom.psi": "rad", "pd.out": "N*m"}


@pytest.fixture
def result() -> Result:
    rng = np.random.default_rng(3)
    return Result(
        time=np.linspace(0, 1, 11),
        columns=COLUMNS,
        table=rng.standard_normal((11, 5)) * 10.0 ** rng.integers(-300, 300, (11, 5)),
        units=UNITS,
        quality={"energy": np.float64(1e-12), "ranks": np.arange(3)},
        parameters={"king.mass": 9e3, "king.com": [0, 0, 1.5]},
        netlist="luff: 1\nname: Kran für Öl\n",
        version="0.1.0",
        status="failed",
        message="slew.velocity is not finite",
        plots=[{"title": "Slew", "y": ["slew.position"]}],
    )


@pytest.mark.parametrize("extension", ["h5", "npz", "mat"])
def test_whole_result_survives(result: Result, tmp_path: Path, extension: str) -> None:
    result.save(tmp_path / f"run.{extension}")
    back = read(tmp_path / f"run.{extension}")
    np.testing.assert_array_equal(back.time, result.time)
    np.testing.assert_array_equal(back.table, result.table)
    assert back.quality == {"energy": 1e-12, "ranks": [0, 1, 2]}
    for name in ("columns", "units", "parameters", "netlist", "version", "status", "message", "plots"):
        assert getattr(back, name) == getattr(result, name), name


def test_csv_has_time_first_dotted_names_and_units(result: Result, tmp_path: Path) -> None:
    result.save(tmp_path / "run.csv")
    with (tmp_path / "run.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == [
        "time [s]",
        "slew.position [rad]",
        "boom.psi[1] [rad]",
        "boom.psi[2] [rad]",
        "pd",
        "pd.out [N*m]",
    ]
    assert len(rows) == 11
    back = read(tmp_path / "run.csv")
    assert (back.columns, back.units) == (result.columns, result.units)


@given(arrays(float, st.tuples(st.integers(0, 4), st.just(3))))
def test_csv_keeps_every_bit(tmp_path_factory: pytest.TempPathFactory, table: np.ndarray) -> None:
    path = tmp_path_factory.getbasetemp() / "bits.csv"
    Result(np.arange(len(table)) / 3, ["a", "v[0]", "v[1]"], table).save(path)
    back = read(path)
    np.testing.assert_array_equal(back.time, np.arange(len(table)) / 3)
    np.testing.assert_array_equal(back.table, table)
    np.testing.assert_array_equal(np.signbit(back.table[table == 0]), np.signbit(table[table == 0]))


def test_long_results_are_written_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "_ROWS", 7)
    long = Result(np.arange(50.0), ["a", "b"], np.arange(100.0).reshape(50, 2))
    for extension in ("h5", "csv"):
        long.save(tmp_path / f"run.{extension}")
        np.testing.assert_array_equal(read(tmp_path / f"run.{extension}").table, long.table)


def test_mat_nests_structs_where_dots_were(result: Result, tmp_path: Path) -> None:
    result.save(tmp_path / "run.mat")
    content = loadmat(tmp_path / "run.mat", simplify_cells=True)
    np.testing.assert_array_equal(content["time"], result.time)
    signals = content["signals"]
    np.testing.assert_array_equal(signals["slew"]["position"], result["slew.position"])
    np.testing.assert_array_equal(signals["boom"]["psi"], result["boom.psi"])
    # `pd` is a signal and the beginning of another
    np.testing.assert_array_equal(signals["pd"]["value"], result["pd"])
    np.testing.assert_array_equal(signals["pd"]["out"], result["pd.out"])
    assert content["units"]["slew"]["position"] == "rad"
    assert content["info"]["netlist"] == result.netlist
    assert content["info"]["status"] == "failed"


def test_mat_makes_names_that_matlab_takes(tmp_path: Path) -> None:
    names = ["1st.out put", "_x.y", "a-b.c", "a_b.c", "ä.b", "p.q", "p"]
    whole = Result(np.zeros(1), names, np.arange(7.0)[None])
    whole.save(tmp_path / "run.mat")
    back = read(tmp_path / "run.mat")
    assert back.columns == names
    np.testing.assert_array_equal(back.table, whole.table)
    signals = loadmat(tmp_path / "run.mat", simplify_cells=True)["signals"]
    assert signals == {
        "x1st": {"out_put": 0},
        "x_x": {"y": 1},
        "a_b": {"c": 2, "c_": 3},
        "x_": {"b": 4},
        "p": {"q": 5, "value": 6},
    }


def test_unknown_extension_names_the_known_ones(result: Result, tmp_path: Path) -> None:
    with pytest.raises(LuffError, match=r'run\.hd5: .*found "\.hd5", expected \.h5, \.csv, \.mat, \.npz'):
        result.save(tmp_path / "run.hd5")
    with pytest.raises(LuffError, match=r"expected \.h5, \.npz, \.mat, \.csv"):
        read(tmp_path / "run.txt")
    with pytest.raises(LuffError, match=r"add \.h5"):
        result.save(tmp_path / "run")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("extension", ["h5", "csv", "mat", "npz"])
def test_failed_save_keeps_the_earlier_file(result: Result, tmp_path: Path, extension: str) -> None:
    path = tmp_path / f"run.{extension}"
    path.mkdir()  # a folder in the way cannot be replaced
    with pytest.raises(RunError, match=rf"run\.{extension}: cannot"):
        result.save(path)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("extension", ["csv", "npz"])
def test_read_refuses_what_is_no_result(tmp_path: Path, extension: str) -> None:
    path = tmp_path / f"other.{extension}"
    if extension == "csv":
        path.write_text("x,y\n1,2\n")
    else:
        np.savez(path, x=np.zeros(2))
    with pytest.raises(RunError, match="other"):
        read(path)
    path.write_text("\n1,two\n")
    with pytest.raises(RunError, match="other"):
        read(path)
    path.unlink()
    with pytest.raises(RunError, match="no such file"):
        read(path)
