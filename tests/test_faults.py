"""What goes wrong around a command (disks, files, streams, signals): one clear sentence, the documented exit code."""

from __future__ import annotations

import json
import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import luff
from luff.tests.process import INTERRUPTIBLE, call, luff_command

ROOT = Path(luff.__file__).resolve().parent
PENDULUM = ROOT / "library" / "templates" / "pendulum.yaml"
STUDY = """\
luff: 1
name: lengths
model: ./pendulum.yaml
variants: {grid: {simulation.stop: [0.5 s, 0.6 s, 0.7 s]}}
tables: [{title: T, columns: [{of: pin.position}]}]
"""

posix = pytest.mark.skipif(os.name != "posix", reason="limits, signals and special files of POSIX")
pytestmark = posix


@pytest.fixture
def here(tmp_path: Path) -> Path:
    shutil.copy(PENDULUM, tmp_path)
    (tmp_path / "study.yaml").write_text(STUDY)
    return tmp_path


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".yaml")


# --- a disk that takes no more --------------------------------------------------------------------------------------


def full_at(size: int) -> dict[str, Any]:
    """No file grows beyond this size: what a write to a full disk is, for those that may not fill one."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return {"preexec_fn": limit, "env": {"PYTHONDONTWRITEBYTECODE": "1"}}


@pytest.mark.parametrize("name", ["a.h5", "a.csv"])
def test_full_disk_at_the_creation_of_a_result(name: str, here: Path) -> None:
    done = call("run", "pendulum.yaml", "--stop", "0.1", "-q", "-o", name, cwd=here, code=3, **full_at(4096))
    stream = "a.h5" if name == "a.h5" else "a.partial.h5"
    assert done.stderr == f"{stream}: cannot write results: File too large\n"
    assert files(here) == []


def test_full_disk_in_a_run_keeps_what_was_written(here: Path) -> None:
    words = ("run", "pendulum.yaml", "--stop", "100", "-q", "-o", "a.h5")
    done = call(*words, cwd=here, code=3, **full_at(1 << 20))
    assert "a.h5: cannot write results: File too large" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    kept = luff.read(here / "a.h5")
    assert f"{len(kept)} rows are kept" in done.stderr
    assert (kept.status, len(kept) > 100) == ("failed", True)


def test_full_disk_at_what_is_made_of_a_result_keeps_its_rows(here: Path) -> None:
    words = (
        "run",
        "pendulum.yaml",
        "--stop",
        "5",
        "--output-step",
        "0.1",
        "-q",
        "-o",
        "a.h5",
        "--plot",
        "a.svg",
    )
    call(*words, cwd=here)
    room = (here / "a.h5").stat().st_size
    assert room > (here / "a.svg").stat().st_size > 4096
    (here / "a.svg").write_text("mine")
    done = call("plot", "a.h5", "-o", "a.svg", cwd=here, code=3, **full_at(4096))
    assert done.stderr == "a.svg: cannot save the plot: File too large\n"
    assert (here / "a.svg").read_text() == "mine"
    assert files(here) == ["a.h5", "a.svg"]


@pytest.mark.parametrize("words", ["static pendulum.yaml -o s.json", "linearize pendulum.yaml -o s.npz"])
def test_full_disk_at_an_answer_in_a_file(words: str, here: Path) -> None:
    done = call(*words.split(), "-q", cwd=here, code=3, **full_at(64))
    assert "s." in done.stderr
    assert done.stderr.rstrip().endswith(("File too large", "(the old file is untouched)"))
    assert files(here) == []


def test_full_disk_in_a_study_keeps_the_runs(here: Path) -> None:
    # a run's file fits, that of the study does not
    words = ("study", "study.yaml", "-j", "1", "-o", "a.h5", "--set", "simulation.output_step=1ms")
    done = call(*words, "-q", cwd=here, code=3, **full_at(250_000))
    assert done.stderr == "a.h5: cannot write results: File too large (the runs are kept in a.h5.parts)\n"
    assert files(here) == ["a.h5.parts"]
    done = call(*words, "--json", cwd=here)
    assert {variant["status"] for variant in json.loads(done.stdout)["variants"]} == {"kept"}


def test_full_disk_at_the_runs_of_a_study(here: Path) -> None:
    done = call("study", "study.yaml", "-q", "-j", "1", "-o", "a.h5", cwd=here, code=3, **full_at(4096))
    assert "cannot write results: File too large" in done.stderr


# --- Ctrl-C ---------------------------------------------------------------------------------------------------------

ENDLESS = ["--stop", "1e6", "--step", "1e-3", "--output-step", "0.1"]
# modules in the order in which `luff run` imports them, which -X importtime tells one by one
MOMENTS = [
    "luff",
    "typer",
    "luff.cli",
    "numpy",
    "numba",
    "luff.solver.program",
    "luff.solver.session",
    "h5py",
]


@pytest.mark.parametrize("moment", MOMENTS)
def test_ctrl_c_before_a_run_ends_the_process_at_once(moment: str, here: Path) -> None:
    words = luff_command("run", "pendulum.yaml", *ENDLESS, "-o", "a.h5")
    command = [words[0], "-X", "importtime", *words[1:]]
    with subprocess.Popen(command, cwd=here, stderr=subprocess.PIPE, text=True, **INTERRUPTIBLE) as process:
        assert process.stderr is not None
        try:
            assert any(line.split()[-1] == moment for line in process.stderr)
            process.send_signal(signal.SIGINT)
            told = [line for line in process.stderr if not line.startswith("import time:")]
        finally:
            process.kill()
    if process.returncode == 3:  # the run had begun meanwhile: it keeps its rows, and says so
        assert "ended by Ctrl-C" in told[0]
        assert "rows are kept" in told[1]
    else:
        assert (told, process.returncode) == ([], -signal.SIGINT)  # 130 in a shell
        assert files(here) in ([], ["a.h5"])


def test_shell_sees_130(here: Path) -> None:
    # the shell itself ignores SIGINT and passes it on to nobody: the process sends it to itself
    script = "import os, signal, luff.__main__ as m; m.settle_signals(); os.kill(os.getpid(), signal.SIGINT)"
    words = ["sh", "-c", '"$0" -c "$1"; echo $?', sys.executable, script]
    done = subprocess.run(words, cwd=here, capture_output=True, text=True, **INTERRUPTIBLE)
    assert (done.stdout.strip(), done.stderr) == ("130", "")


# --- streams --------------------------------------------------------------------------------------------------------


def shell(line: str, here: Path) -> subprocess.CompletedProcess[str]:
    """`luff` in a line of bash, which ends with the code of its first command."""
    command = (
        f'luff() {{ {" ".join(map(shlex.quote, luff_command()))} "$@"; }}; {line}; exit ${{PIPESTATUS[0]}}'
    )
    return subprocess.run(["bash", "-c", command], cwd=here, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("luff schema | head -0", 0),
        ("luff schema | head -1 > /dev/null", 0),
        ("luff schema >&-", 0),
        ("luff schema >&- 2>&- <&-", 0),
        ("luff check pendulum.yaml nothing.yaml | head -0", 1),
        ("luff check nothing.yaml 2>&1 | head -0", 1),
        ("luff check nothing.yaml >&- 2>&-", 1),
        ("luff check nothing.yaml 2>/dev/full", 1),
        ("luff schema >/dev/full 2>&1", 3),
    ],
)
def test_streams_that_are_gone_change_no_exit_code(line: str, code: int, here: Path) -> None:
    done = shell(line, here)
    assert done.returncode == code, done
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_result_is_whole_when_all_streams_are_closed(here: Path) -> None:
    done = shell("luff run pendulum.yaml --stop 0.1 -o a.h5 -o a.csv <&- >&- 2>&-", here)
    assert done.returncode == 0
    result = luff.read(here / "a.h5")
    assert (result.status, len(result)) == ("finished", len(luff.read(here / "a.csv")))
