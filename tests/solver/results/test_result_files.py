"""Results in the formats of other programs, read back by those programs' own readers where there are any."""

import csv
import re
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.io import loadmat, savemat

import luff
from luff.blocks.errors import LuffError, RunError
from luff.cli.console import UsageError
from luff.cli.run_outputs import Outputs
from luff.solver.results import file_formats, recorded_run
from luff.solver.results.file_columns import columns_with_units
from luff.solver.results.file_formats import FORMATS, STREAMED, listed_suffixes, suffixes
from luff.solver.results.result import Result, read_result
from luff.tests.process import call

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


@pytest.mark.parametrize("extension", sorted({*suffixes()} - {".csv"}))
def test_whole_result_survives(result: Result, tmp_path: Path, extension: str) -> None:
    result.save(tmp_path / f"run{extension}")
    back = read_result(tmp_path / f"run{extension}")
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
    back = read_result(tmp_path / "run.csv")
    assert (back.columns, back.units) == (result.columns, result.units)


@given(arrays(float, st.tuples(st.integers(0, 4), st.just(3))))
def test_csv_keeps_every_bit(tmp_path_factory: pytest.TempPathFactory, table: np.ndarray) -> None:
    path = tmp_path_factory.getbasetemp() / "bits.csv"
    Result(np.arange(len(table)) / 3, ["a", "v[0]", "v[1]"], table).save(path)
    back = read_result(path)
    np.testing.assert_array_equal(back.time, np.arange(len(table)) / 3)
    np.testing.assert_array_equal(back.table, table)
    np.testing.assert_array_equal(np.signbit(back.table[table == 0]), np.signbit(table[table == 0]))


def test_long_results_are_written_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded_run, "ROWS", 7)
    long = Result(np.arange(50.0), ["a", "b"], np.arange(100.0).reshape(50, 2))
    for extension in ("h5", "csv", "parquet"):
        long.save(tmp_path / f"run.{extension}")
        np.testing.assert_array_equal(read_result(tmp_path / f"run.{extension}").table, long.table)


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
    back = read_result(tmp_path / "run.mat")
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
    with pytest.raises(
        LuffError, match=r'run\.hd5: .*found "\.hd5", expected \.h5, \.csv, \.mat, \.npz or \.parquet'
    ):
        result.save(tmp_path / "run.hd5")
    with pytest.raises(LuffError, match=r'found "\.txt", expected \.h5, \.csv, \.mat, \.npz or \.parquet'):
        read_result(tmp_path / "run.txt")
    with pytest.raises(LuffError, match=r"add \.h5"):
        result.save(tmp_path / "run")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("extension", [one.suffix[1:] for one in FORMATS])
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
        read_result(path)
    path.write_text("\n1,two\n")
    with pytest.raises(RunError, match="other"):
        read_result(path)
    path.unlink()
    with pytest.raises(RunError, match="no such file"):
        read_result(path)


def test_parquet_is_a_table_with_units_that_other_programs_read(result: Result, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    result.save(tmp_path / "run.parquet")
    table = parquet.read_table(tmp_path / "run.parquet")
    assert table.column_names == ["time", *COLUMNS]
    assert set(table.schema.types) == {pyarrow.float64()}
    np.testing.assert_array_equal(table["boom.psi[2]"], result.table[:, 2])
    units = {field.name: (field.metadata or {}).get(b"unit", b"").decode() for field in table.schema}
    assert units == {
        "time": "s",
        "boom.psi[1]": "rad",
        "boom.psi[2]": "rad",
        "pd": "",
        "slew.position": "rad",
    } | {"pd.out": "N*m"}
    # without what luff tells of it, it is any program's table
    parquet.write_table(table.replace_schema_metadata(None), tmp_path / "other.parquet")
    with pytest.raises(RunError, match="a Parquet file, but not a result of luff"):
        read_result(tmp_path / "other.parquet")
    values, unit = columns_with_units(tmp_path / "other.parquet", "a table")["pd.out"]
    np.testing.assert_array_equal(values, result["pd.out"])
    assert unit == "N*m"


def test_missing_package_of_a_format_is_told_before_anything_is_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_formats, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"Parquet needs pyarrow \(pip install 'luff\[data\]'\)"):
        Outputs([tmp_path / "run.parquet"], None)


def test_every_suffix_of_a_format_saves_reads_and_streams(result: Result, tmp_path: Path) -> None:
    """Of a run too: what is streamed under a name is read under it."""
    for suffix in suffixes():
        path = tmp_path / f"run{suffix.upper()}"
        result.save(path)
        np.testing.assert_array_equal(luff.read(path).table, result.table)
        run = luff.compile(
            luff.loads("luff: 1\nblocks: {s: {type: sine}}\nsimulation: {stop: 0.1, step: 0.05}\n")
        )
        name = tmp_path / f"streamed{suffix}"
        assert len(run.run(output=name).time) == len(luff.read(name).time) == 3


def test_formats_are_told_in_one_place() -> None:
    """Lists of suffixes, which a new format would be missing in, stand nowhere else."""
    root = Path(luff.__file__).resolve().parent
    suffix = r"\.(?:h5|csv|mat|npz|hdf5|parquet)\b"
    several = re.compile(rf"(?<![\w]){suffix}[`\"']?(?:,| or| \*|\)?;;)[^\n]*?(?<![\w]){suffix}")
    listing = {}
    for room in ("blocks", "solver", "cli", "gui"):
        for path in (root / room).rglob("*.py"):
            lines = [line.strip() for line in path.read_text("utf-8").splitlines() if several.search(line)]
            listing |= {path.relative_to(root).as_posix(): lines} if lines else {}
    # of linear models; docstrings that say what each carries
    allowed = {
        "solver/analysis/linearise.py",
        "cli/analysis_commands.py",
        "cli/exchange_commands.py",
        "solver/read_any.py",
        "gui/plots/plot_export.py",
    }
    allowed |= {"solver/results/file_formats.py", "solver/results/result.py"}
    assert listing.keys() <= allowed, {name: listing[name] for name in listing.keys() - allowed}


def test_pages_name_every_format() -> None:
    page = (Path(luff.__file__).resolve().parent / "docs" / "cli.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\.\w+)`(?:, `(\.\w+)`)? \| (\w+) \|", page, re.MULTILINE)
    assert [(*filter(None, row[:2]),) for row in rows] == [one.suffixes for one in FORMATS]
    assert [row[2] for row in rows] == [one.name for one in FORMATS]
    assert listed_suffixes().startswith(STREAMED.suffix)


def test_damaged_mat_ends_no_process(tmp_path: Path) -> None:
    """Of the type of its numbers, for which scipy has a table; it reads beyond its end."""
    savemat(tmp_path / "a.mat", {"time": np.arange(11.0)})
    data = bytearray((tmp_path / "a.mat").read_bytes())
    data[176] = 0xFF
    (tmp_path / "bad.mat").write_bytes(data)
    code = "import luff\ntry: luff.read('bad.mat')\nexcept luff.LuffError as error: print(error)"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout[:40]) == (0, "bad.mat: not a result that luff wrote: V")


def test_results_of_a_newer_format_are_refused(result: Result, tmp_path: Path) -> None:
    """By all commands and by `luff.read`, in every format that says which it is; the version that wrote it is named."""
    result.save(tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        file.attrs["luff_format"] = 2
        file.attrs["version"] = "9.1"
    for words in (("plot", "a.h5"), ("export", "a.h5", "-o", "a.csv"), ("animate", "a.h5", "-o", "a.html")):
        said = call(*words, cwd=tmp_path, code=3).stderr
        assert "found format 2, of luff 9.1, expected format 1: a newer luff has written it" in said, words
    with h5py.File(tmp_path / "s.h5", "w") as file:
        file.attrs["luff_study"] = 2
    with pytest.raises(RunError, match="found format 2, expected format 1"):
        luff.read(tmp_path / "s.h5")


@pytest.mark.parametrize("suffix", [".mat", ".npz", ".parquet"])
def test_a_newer_format_is_refused_in(
    suffix: str, result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = file_formats.format_of("a" + suffix).load()
    monkeypatch.setattr(module, "FORMAT", 2)
    result.save(tmp_path / f"a{suffix}")
    monkeypatch.undo()
    with pytest.raises(RunError, match=r"found format 2, of luff 0\.1\.0, expected format 1"):
        luff.read(tmp_path / f"a{suffix}")
