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
from typer.testing import CliRunner

import luff
from luff.cli import app
from luff.tests.conftest import about_compiling
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


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What the commands below call is kept already: on a full disk they have no code to write."""
    folder = tmp_path_factory.mktemp("compiled")
    shutil.copy(PENDULUM, folder)
    for words in ("run pendulum.yaml --stop 0.1", "static pendulum.yaml", "linearize pendulum.yaml"):
        call(*words.split(), cwd=folder)


def full_at(size: int, **environment: object) -> dict[str, Any]:
    """No file grows beyond this size: what a write to a full disk is, for those that may not fill one."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    given = {name: str(value) for name, value in environment.items()}
    return {"preexec_fn": limit, "env": {"PYTHONDONTWRITEBYTECODE": "1", **given}}


@about_compiling
def test_full_disk_at_what_is_compiled(here: Path) -> None:
    limited = full_at(64, LUFF_CACHE_DIR=here / "cache")
    done = call("run", "pendulum.yaml", "--stop", "0.1", "-q", cwd=here, code=3, **limited)
    assert done.stderr.startswith(f"cannot keep what is compiled in {here / 'cache'}")
    assert "File too large (make room there, or set LUFF_CACHE_DIR to another folder)" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("name", ["a.h5", "a.csv"])
def test_full_disk_at_the_creation_of_a_result(name: str, here: Path, compiled: None) -> None:
    done = call("run", "pendulum.yaml", "--stop", "0.1", "-q", "-o", name, cwd=here, code=3, **full_at(4096))
    stream = "a.h5" if name == "a.h5" else "a.partial.h5"
    assert done.stderr == f"{stream}: cannot write results: File too large\n"
    assert files(here) == []


def test_full_disk_in_a_run_keeps_what_was_written(here: Path, compiled: None) -> None:
    words = ("run", "pendulum.yaml", "--stop", "100", "-q", "-o", "a.h5")
    done = call(*words, cwd=here, code=3, **full_at(1 << 20))
    assert "a.h5: cannot write results: File too large" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    kept = luff.read(here / "a.h5")
    assert f"{len(kept.time)} rows are kept" in done.stderr
    assert (kept.status, len(kept.time) > 100) == ("failed", True)


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
    assert done.stderr == "a.svg: cannot save the figure: File too large\n"
    assert (here / "a.svg").read_text() == "mine"
    assert files(here) == ["a.h5", "a.svg"]


@pytest.mark.parametrize("words", ["static pendulum.yaml -o s.json", "linearize pendulum.yaml -o s.npz"])
def test_full_disk_at_an_answer_in_a_file(words: str, here: Path, compiled: None) -> None:
    done = call(*words.split(), "-q", cwd=here, code=3, **full_at(64))
    assert "s." in done.stderr
    assert done.stderr.rstrip().endswith(("File too large", "(the old file is untouched)"))
    assert files(here) == []


def test_full_disk_in_a_study_keeps_the_runs(here: Path, compiled: None) -> None:
    # a run's file fits, that of the study does not
    words = ("study", "study.yaml", "-j", "1", "-o", "a.h5", "--set", "simulation.output_step=1ms")
    done = call(*words, "-q", cwd=here, code=3, **full_at(250_000))
    assert done.stderr == "a.h5: cannot write results: File too large (the runs are kept in a.h5.parts)\n"
    assert files(here) == ["a.h5.parts"]
    done = call(*words, "--json", cwd=here)
    assert {variant["status"] for variant in json.loads(done.stdout)["variants"]} == {"kept"}


def test_full_disk_at_the_runs_of_a_study(here: Path, compiled: None) -> None:
    done = call("study", "study.yaml", "-q", "-j", "1", "-o", "a.h5", cwd=here, code=3, **full_at(4096))
    assert "cannot write results: File too large" in done.stderr


# --- Ctrl-C ---------------------------------------------------------------------------------------------------------

ENDLESS = ["--stop", "1e6", "--step", "1e-3", "--output-step", "0.1"]
# modules in the order in which `luff run` imports them, which -X importtime tells one by one; an interrupt before the
# first line of luff is the interpreter's own affair
MOMENTS = [
    "typer",
    "luff.cli",
    "numpy",
    pytest.param("llvmlite", marks=about_compiling),
    "luff.solver.program.program",
    "luff.solver.simulation.session",
    "h5py",
]


@pytest.mark.parametrize("moment", MOMENTS)
def test_ctrl_c_before_a_run_ends_the_process_at_once(moment: str, here: Path, compiled: None) -> None:
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


def test_signals_are_settled_before_anything_is_loaded(here: Path) -> None:
    """Until then a Ctrl-C ends in a traceback of the interpreter."""
    script = (
        "import __future__, os, io, signal, sys; there = set(sys.modules)\n"
        "import luff.__main__ as m; print(sorted(set(sys.modules) - there))\n"
        "m.settle_signals(); print(signal.getsignal(signal.SIGINT) is signal.SIG_DFL, sorted(set(sys.modules) - there))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=here, capture_output=True, text=True, **INTERRUPTIBLE
    )
    loaded = "['luff', 'luff.__main__', 'luff.version']"
    assert (done.stdout.splitlines(), done.stderr) == ([loaded, f"True {loaded}"], "")


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
        ("luff check pendulum.yaml nothing.yaml | head -0", 2),
        ("luff check nothing.yaml 2>&1 | head -0", 2),
        ("luff check nothing.yaml >&- 2>&-", 2),
        ("luff check nothing.yaml 2>/dev/full", 2),
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
    assert (result.status, len(result.time)) == ("finished", len(luff.read(here / "a.csv").time))


# --- names and files that are none ----------------------------------------------------------------------------------

LONG_NAME = "n" * 300


@pytest.fixture
def odd(here: Path) -> Path:
    """A folder with all that is no file, under the extensions of files."""
    for suffix in (".yaml", ".csv", ".py", ".h5", ".npz", ".png"):
        os.mkfifo(here / f"pipe{suffix}")
        (here / f"loop{suffix}").symlink_to(f"loop{suffix}")
        (here / f"device{suffix}").symlink_to("/dev/zero")
        (here / f"folder{suffix}").mkdir()
    return here


# a name as YAML writes it, and what is said of it
ODD = {
    "pipe": "is a pipe",
    "device": "is a device",
    "folder": "is a folder",
    "loop": "circle",
    LONG_NAME: "too long",
    "nul\\0": "a character that no file name can hold",
}
NAMED = {  # by what a netlist names
    "composite": ('blocks: {{a: {{type: "./{}.yaml"}}}}', "blocks.a.type"),
    "table": ('blocks: {{a: {{type: table, file: "{}.csv"}}}}', "blocks.a.file"),
    "blocks": ('blocks: {{files: ["{}.py"]}}', "blocks.files"),
}


@pytest.mark.parametrize("kind", NAMED)
def test_netlist_that_names_no_file(kind: str, odd: Path) -> None:
    text, path = NAMED[kind]
    for k, name in enumerate(ODD):
        (odd / f"{k}.yaml").write_text(f"luff: 1\n{text.format(name)}\n")
    names = [f"{k}.yaml" for k in range(len(ODD))]
    done = call("check", *names, "--allow-code", cwd=odd, code=1)
    lines = done.stderr.splitlines()
    assert len(lines) == len(ODD)
    for k, (line, told) in enumerate(zip(lines, ODD.values(), strict=True)):
        assert line.startswith(f"{k}.yaml:2:")
        assert f" {path}: " in line
        assert told in line


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["check", "{}.yaml"], 1),
        (["run", "{}.yaml"], 1),
        (["study", "{}.yaml"], 1),
        (["blocks", "./{}.yaml"], 2),
        (["plot", "{}.h5"], 2),
        (["export", "{}.npz", "-o", "a.csv"], 2),
        (["run", "pendulum.yaml", "-o", "{}.h5"], 2),
        (["run", "pendulum.yaml", "--plot", "{}.png"], 2),
        (["study", "study.yaml", "-o", "{}.h5"], 2),
        (["new", "{}"], 2),
    ],
    ids=lambda words: words[0] + words[-1][-4:] if isinstance(words, list) else "",
)
def test_command_that_names_no_file(
    words: list[str], code: int, odd: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(odd)
    for name, told in ODD.items():
        if "nul" in name:  # which no argument can hold
            continue
        given = [word.format(name) for word in words]
        if name == "pipe":  # what hangs must not hang the suite
            done = call(*given, cwd=odd, code=code)
        else:
            done = CliRunner().invoke(app, given)
            assert done.exit_code == code, done
        assert told in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_name_that_is_no_text(here: Path) -> None:
    strange = os.fsencode(here) + b"/caf\xe9.yaml"
    shutil.copy(PENDULUM, strange)
    done = call("check", os.fsdecode(b"caf\xe9.yaml"), cwd=here, env={"LC_ALL": "C.UTF-8"})
    assert done.stdout == "caf\\udce9.yaml: fine\n"


def test_study_of_a_model_that_is_no_file(odd: Path) -> None:
    for name, told in ODD.items():
        (odd / "s.yaml").write_text(f'luff: 1\nmodel: "./{name}.yaml"\nvariants: {{list: {{a: {{}}}}}}\n')
        done = call("study", "s.yaml", cwd=odd, code=1)
        assert "s.yaml:2:" in done.stderr
        assert told in done.stderr


def test_file_of_blocks_that_fails_is_told_with_its_line(here: Path) -> None:
    (here / "odd.yaml").write_text("luff: 1\nblocks: {files: [mine.py]}\n")
    for code, told in (("x = 1\ny = z\n", "mine.py:2 cannot be run: NameError"), ("(", "mine.py:1 cannot")):
        (here / "mine.py").write_text(code)
        done = call("check", "odd.yaml", "--allow-code", cwd=here, code=1)
        assert told in done.stderr
        assert len(done.stderr.splitlines()) == 1


# --- texts that ask for too much ------------------------------------------------------------------------------------


def test_netlist_in_itself_with_a_mistake_of_form(here: Path) -> None:
    (here / "me.yaml").write_text(
        "luff: 1\nnonsense: 1\nblocks: {a: {type: ./me.yaml}, b: {type: ./you.yaml}}\n"
    )
    (here / "you.yaml").write_text("luff: 1\nmore: 1\nblocks: {a: {type: ./me.yaml}}\n")
    done = call("check", "me.yaml", cwd=here, code=1)
    assert len(done.stderr.splitlines()) == 3
    for told in (
        "me.yaml:2:1: nonsense: there is no",
        "me.yaml -> me.yaml",
        "you.yaml:2:1: more: there is no",
    ):
        assert told in done.stderr


DIGITS = "9" * 5000
NUMBERS = {
    "plain": "luff: 1\nblocks: {a: {type: constant, value: %s}}\n",
    "tagged": 'luff: 1\nblocks: {a: {type: constant, value: !!int "%s"}}\n',
    "negative": "luff: 1\nblocks: {a: {type: constant, value: -%s}}\n",
    "with a unit": "luff: 1\nblocks: {a: {type: constant, value: %s m}}\n",
    "fraction": "luff: 1\nblocks: {a: {type: constant, value: %s.5}}\n",
    "hexadecimal": "luff: 1\nblocks: {a: {type: constant, value: 0x%s}}\n",
    "octal": "luff: 1\nblocks: {a: {type: constant, value: 0o" + "7" * 5000 + "%.0s}}\n",
    "expression": "luff: 1\nblocks: {a: {type: constant, value: =%s}}\n",
    "exponent": "luff: 1\nblocks: {a: {type: constant, value: 1e%s}}\n",
    "element": "luff: 1\nblocks: {a: {type: constant}, b: {type: gain}}\nconnect: ['a.y[%s] -> b.u']\n",
    "name": "luff: 1\nblocks: {a: {type: constant, %s: 1}}\n",
    "version": "luff: %s\nblocks: {a: {type: constant}}\n",
    "size": "luff: 1\nblocks: {a: {type: mux, sizes: [%s]}}\n",
    "unit": "luff: 1\nblocks: {a: {type: constant, value: 1 m^%s}}\n",
}


def test_number_of_five_thousand_digits(here: Path) -> None:
    for where, text in NUMBERS.items():
        (here / f"{where}.yaml").write_text(text % DIGITS)
    done = call("check", *(f"{where}.yaml" for where in NUMBERS), cwd=here, code=1)
    assert {line.partition(".yaml:")[0] for line in done.stderr.splitlines()} == set(NUMBERS), done.stderr


def test_number_of_five_thousand_digits_in_a_command(here: Path) -> None:
    for words in (
        ["--set", f"rod.mass={DIGITS}"],
        ["--set", f"rod.com[{DIGITS}]=1"],
        ["--set", "rod.com[7]=1"],
    ):
        done = call("run", "pendulum.yaml", *words, cwd=here, code=2)
        assert done.stderr.startswith(words[0])


# --- results that promise too much ----------------------------------------------------------------------------------


@pytest.mark.parametrize("chunks", [None, (1, 2)], ids=["contiguous", "chunked"])
def test_result_that_declares_more_than_memory(chunks: Any, here: Path) -> None:
    import h5py

    call("run", "pendulum.yaml", "--stop", "0.1", "-q", "-o", "a.h5", cwd=here)
    with h5py.File(here / "a.h5", "r+") as file:
        columns = len(file["columns"])
        del file["data"]
        file.create_dataset("data", shape=(1 << 45, columns), dtype="<f8", chunks=chunks)
    done = call("plot", "a.h5", cwd=here, code=3)
    assert done.stderr == "a.h5: cannot read results: they need more memory than there is\n"


@pytest.mark.parametrize("kind", ["data of texts", "no columns", "columns of numbers", "cut off", "a group"])
def test_result_that_is_damaged(kind: str, here: Path) -> None:
    import h5py

    call("run", "pendulum.yaml", "--stop", "0.1", "-q", "-o", "a.h5", cwd=here)
    if kind == "cut off":
        os.truncate(here / "a.h5", (here / "a.h5").stat().st_size - 8192)
    else:
        name = "data" if "data" in kind or "group" in kind else "columns"
        with h5py.File(here / "a.h5", "r+") as file:
            del file[name]
            if kind == "a group":
                file.create_group(name)
            elif kind == "data of texts":
                file.create_dataset(name, data=[["a"], ["b"]], dtype=h5py.string_dtype())
            elif kind == "columns of numbers":
                file.create_dataset(name, data=[1.0, 2.0])
    done = call("plot", "a.h5", cwd=here, code=3)
    assert done.stderr.startswith("a.h5: ")
    assert len(done.stderr.splitlines()) == 1
