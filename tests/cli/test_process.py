"""The command line as a process: what it imports, how it dies, what it leaves behind."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.tests.conftest import hours_as_plain_python
from luff.tests.process import INTERRUPTIBLE, PATIENCE, luff_command, wait_for

ROOT = Path(luff.__file__).resolve().parent
DEMO = ROOT / "library" / "crane_demo.yaml"
PENDULUM = ROOT / "library" / "templates" / "pendulum.yaml"
ENDLESS = ["--stop", "1e6", "--step", "1e-3", "--output-step", "0.1"]
STARTED: list[subprocess.Popen[str]] = []

posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


def luff_process(*arguments: object, cwd: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        luff_command(*arguments),
        cwd=cwd,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **INTERRUPTIBLE,
    )
    STARTED.append(process)
    return process


@pytest.fixture(autouse=True)
def no_survivors() -> Iterator[None]:
    """A test that fails leaves no endless run behind."""
    yield
    while STARTED:
        process = STARTED.pop()
        process.kill()
        process.communicate()


def python(code: str, cwd: Path) -> str:
    done = subprocess.run([sys.executable, "-c", code], cwd=cwd, check=True, text=True, capture_output=True)
    return done.stdout.strip()


def wait_for_rows(path: Path, rows: int, process: subprocess.Popen[str]) -> None:
    """Until the file holds that many rows; it must be readable at every look."""
    wait_for(lambda: path.exists() and len(luff.read(path).time) >= rows, process)


@pytest.fixture(scope="module")
def compiled() -> None:
    """Kernels and the pendulum are compiled before anything is killed."""
    luff.compile(PENDULUM).run(stop=0.01)


# --- imports -------------------------------------------------------------------------------------------------------


def loaded(words: list[str], names: list[str], cwd: Path) -> str:
    """Those of the modules, or of what begins with their names and a dot, that a command imports."""
    code = f"""
import sys
sys.argv = ["luff", *{words}]
from luff.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code
print([name for name in {names} if any(f"{{module}}.".startswith(f"{{name}}.") for module in sys.modules)])
"""
    return python(code, cwd).splitlines()[-1]


@pytest.mark.parametrize("words", [["--help"], ["run", "--help"], ["--version"]])
def test_help_imports_nothing_heavy(words: list[str], tmp_path: Path) -> None:
    heavy = ["numba", "numpy", "scipy", "matplotlib", "h5py", "pint", "sympy", "PySide6", "luff.gui"]
    assert loaded(words, heavy, tmp_path) == "[]"


def test_check_imports_only_what_it_needs(tmp_path: Path) -> None:
    heavy = ["numba", "scipy", "h5py", "matplotlib", "pint", "rich", "importlib.metadata"]
    assert loaded(["check", str(PENDULUM)], heavy, tmp_path) == "[]"


def test_headless_run_imports_no_qt(tmp_path: Path, compiled: None) -> None:
    words = ["run", str(PENDULUM), "--stop", "0.01", "-q", "-o", "a.h5", "--plot", "a.png"]
    assert loaded(words, ["PySide6", "pyqtgraph", "luff.gui"], tmp_path) == "[]"


def test_run_without_files_imports_neither_hdf5_nor_plots(tmp_path: Path, compiled: None) -> None:
    # scipy.linalg comes with numba's code generators, which nothing needs that is compiled already
    words = ["run", str(PENDULUM), "--stop", "0.01", "-q"]
    assert loaded(words, ["h5py", "matplotlib", "scipy.linalg", "pint", "rich"], tmp_path) == "[]"


# --- pipes ---------------------------------------------------------------------------------------------------------


@posix
def test_reader_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    process = luff_process("schema", cwd=tmp_path)
    assert process.stdout is not None
    assert process.stdout.readline() == "{\n"
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(PATIENCE) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_full_disk_behind_stdout_is_one_line(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "luff", "blocks"]
        done = subprocess.run(command, cwd=tmp_path, text=True, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 3
    assert done.stderr.startswith("luff: cannot write the output: ")
    assert len(done.stderr.splitlines()) == 1


@posix
def test_progress_bar_is_drawn_on_a_terminal(tmp_path: Path, compiled: None) -> None:
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "luff", "run", str(PENDULUM), *ENDLESS]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=theirs) as process:
        os.close(theirs)
        drawn = b""
        while b"x real time" not in drawn:
            drawn += os.read(ours, 4096)
        process.terminate()
        # on to the end: a terminal that nobody reads fills up, and holds who writes to it
        with contextlib.suppress(OSError):
            while more := os.read(ours, 4096):
                drawn += more
        assert process.wait(PATIENCE) == 3
    os.close(ours)
    assert b"of 1e+06 s" in drawn


# --- ends ----------------------------------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_killed_run_leaves_a_readable_file(seed: int, tmp_path: Path, compiled: None) -> None:
    rows = random.Random(seed).randrange(2, 3000)
    path = tmp_path / "a.h5"
    process = luff_process("run", PENDULUM, *ENDLESS, "-q", "-o", path, cwd=tmp_path)
    wait_for_rows(path, rows, process)
    process.kill()
    process.communicate()
    result = luff.read(path)
    assert result.status == "interrupted"
    assert len(result.time) >= rows
    np.testing.assert_allclose(result.time, 0.1 * np.arange(len(result.time)), rtol=1e-12, atol=0)
    # what is there is what an undisturbed run computes, to the last bit
    again = luff.compile(PENDULUM).run(stop=0.1 * (rows - 1), step=1e-3, output_step=0.1)
    np.testing.assert_array_equal(result.table[:rows], again.table)


@posix
@pytest.mark.parametrize(("number", "name"), [(signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM")])
def test_interrupted_run_keeps_its_rows_and_says_where(
    number: int, name: str, tmp_path: Path, compiled: None
) -> None:
    path = tmp_path / "a.h5"
    process = luff_process("run", PENDULUM, *ENDLESS, "-o", path, cwd=tmp_path)
    wait_for_rows(path, 5, process)
    process.send_signal(number)
    _, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 3
    result = luff.read(path)
    assert result.status == "interrupted"
    assert name in result.message
    assert f"luff: {len(result.time)} rows are kept in {path}" in told
    assert "Traceback" not in told


@posix
def test_interrupted_run_to_csv_writes_it_and_cleans_up(tmp_path: Path, compiled: None) -> None:
    process = luff_process("run", PENDULUM, *ENDLESS, "--json", "-o", "a.csv", cwd=tmp_path)
    wait_for_rows(tmp_path / "a.partial.h5", 5, process)
    process.send_signal(signal.SIGINT)
    printed, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 3
    found = json.loads(printed)
    assert (found["status"], found["files"]) == ("interrupted", ["a.csv"])
    assert told == ""
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
    assert len(luff.read(tmp_path / "a.csv").time) == found["rows"]


@posix
def test_killed_run_to_csv_leaves_the_partial_file(tmp_path: Path, compiled: None) -> None:
    process = luff_process("run", PENDULUM, *ENDLESS, "-q", "-o", "a.csv", cwd=tmp_path)
    wait_for_rows(tmp_path / "a.partial.h5", 5, process)
    process.kill()
    process.communicate()
    assert [path.name for path in tmp_path.iterdir()] == ["a.partial.h5"]
    assert len(luff.read(tmp_path / "a.partial.h5").time) >= 5


# --- memory --------------------------------------------------------------------------------------------------------


@hours_as_plain_python
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads /proc")
def test_memory_stays_flat_while_rows_are_streamed(tmp_path: Path, compiled: None) -> None:
    command = [sys.executable, Path(__file__).with_name("memory_script.py"), "300000"]
    done = subprocess.run(command, cwd=tmp_path, check=True, text=True, capture_output=True)
    found = json.loads(done.stdout)
    assert found["rows"] == 300_001
    assert found["file_megabytes"] > 40
    # kept rows would grow it by the size of the file; buffers of two chunks, 4 MB each, come and go
    assert found["end_megabytes"] - found["start_megabytes"] < found["file_megabytes"] / 3
