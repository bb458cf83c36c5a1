"""`luff study`: what it prints, its exit codes, and its end by Ctrl-C."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from luff.cli import app
from luff.solver.studies import read_study
from luff.tests.process import INTERRUPTIBLE, luff_command
from luff.tests.shared.studies import ENDLESS, VARIANTS, written


def luff(*words: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["study", *map(str, words)])
    return done.exit_code, done.stdout, done.stderr


def test_list_runs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, _ = luff(written(tmp_path, VARIANTS), "--list", "--set", "mass=2kg")
    assert (code, out.splitlines()) == (
        0,
        ["springs: 3 variants of model.yaml", "  soft", "  stiff", "  torn"],
    )
    code, out, _ = luff(written(tmp_path, VARIANTS), "--list", "--json", "--set", "mass=2kg")
    assert json.loads(out)["variants"][1] == {
        "name": "stiff",
        "changes": {"stiffness": "4 N/m", "mass": "2kg"},
    }
    assert not (tmp_path / "study.h5").exists()


@pytest.mark.parametrize("command", ["check", "run", "info"])
def test_commands_for_models_point_to_luff_study(command: str, tmp_path: Path) -> None:
    file = written(tmp_path, VARIANTS)
    done = CliRunner().invoke(app, [command, str(file)])
    assert done.exit_code == 1
    assert f"run it with `luff study {file}`" in done.stderr + done.stdout


def test_study_prints_tables_and_fails_with_its_variant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path, VARIANTS)
    code, out, err = luff(path, "-j", 2)
    assert code == 3
    assert "| soft | 540 |" in out
    assert "3 variants: 2 run, 0 there before, 1 failed" in out
    assert "luff: torn failed: " in err
    # again: what is done is done, and what failed may have had its reason elsewhere
    code, out, _ = luff(path, "--json", "-r", tmp_path / "report")
    told = json.loads(out)
    assert (code, told["status"]) == (3, "failed")
    assert [variant["status"] for variant in told["variants"]] == ["kept", "kept", "failed"]
    assert (tmp_path / "report" / "study.md").is_file()
    assert all(Path(file).is_file() for file in told["files"])


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (
            ["--set", "masss=2"],
            2,
            '--set masss: there is nothing named "masss" to set (did you mean "mass"?)',
        ),
        (["--set", "mass=2 m"], 2, "--set: the model refuses what is set: "),
        (["-o", "results.csv"], 2, 'results.csv: found ".csv", expected .h5'),
        (["-o", "nowhere/results.h5"], 2, "the folder nowhere does not exist"),
    ],
)
def test_mistake_of_the_command_is_one(
    words: list[str], code: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found, _, err = luff(written(tmp_path, VARIANTS), *words)
    assert (found, message in err) == (code, True), err


def test_mistake_of_the_study_is_one(tmp_path: Path) -> None:
    code, _, err = luff(written(tmp_path, "variants: {list: {wrong: {masss: 1}}}\n"))
    assert code == 1
    assert "study.yaml:4:27: " in err


def test_file_of_something_else_is_left_alone(tmp_path: Path) -> None:
    path = written(tmp_path, "")
    (tmp_path / "study.h5").write_text("mine")
    code, _, err = luff(path, "-o", tmp_path / "study.h5", "--fresh")
    assert code == 3
    assert "cannot read results" in err
    assert (tmp_path / "study.h5").read_text() == "mine"


def test_ctrl_c_keeps_what_is_done(tmp_path: Path) -> None:
    path, output = written(tmp_path, ENDLESS), tmp_path / "study.h5"
    command = luff_command("study", path, "-o", output, "-j", 1)
    pipes = {"stderr": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes, **INTERRUPTIBLE) as process:
        assert process.stderr is not None
        # the first line: nothing else is said, no warning of Python's either
        assert process.stderr.readline().startswith("1/2 short: finished")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    assert process.returncode == 3
    assert "stopped with 1 left to run; the same command continues it" in err
    assert list(read_study(output)) == ["short"]


def test_assertion_that_fails_in_a_variant_ends_as_in_a_run(tmp_path: Path) -> None:
    """With 4, not 3, where nothing else failed."""
    (tmp_path / "model.yaml").write_text("""
luff: 1
parameters: {a: 1}
blocks: {u: {type: ramp, slope: =a}}
simulation: {stop: 1, step: 0.1}
assert: [u.y below 1.5]
""")
    study = tmp_path / "study.yaml"
    study.write_text("luff: 1\nname: two\nmodel: ./model.yaml\nvariants: {grid: {a: [1, 2]}}\n")
    code, out, err = luff(study, "-o", tmp_path / "two.h5", "-j", 1)
    assert code == 4
    assert "1 run" in out
    assert '"u.y below 1.5" does not hold' in err
