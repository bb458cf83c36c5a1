"""Ctrl-C at moments at which a command has something to tidy up, or to tell."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

import luff
from luff import RunError
from luff.tests.conftest import about_compiling
from luff.tests.process import INTERRUPTIBLE, PATIENCE, luff_command, wait_for
from luff.tests.shared.netlists import SWINGING_ROD

OPTIMISE = {
    "model": "./rod.yaml",
    "set": {"simulation.stop": "20 ms"},
    "optimise": {
        "parameters": {"rod.mass": {"lower": 1, "upper": 2}},
        "minimise": {"metric": "peak", "of": "pin.position"},
        "method": "local",
        "evaluations": 5,
    },
}
FIT = {
    "model": "./rod.yaml",
    "fit": {
        "parameters": {"rod.mass": {"lower": 1, "upper": 2}},
        "data": [{"file": {"time": [0.0, 0.01], "a": [0.0, 0.1]}, "signals": {"pin.position": "a"}}],
    },
}


@pytest.mark.parametrize("how", ["told", "interrupted"])
@pytest.mark.parametrize("kind", ["optimise", "fit"])
def test_a_search_that_is_stopped_before_its_first_step_says_so(
    kind: str, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first runs are made before any search begins; no traceback of an inner error comes of them."""
    (tmp_path / "rod.yaml").write_text(SWINGING_ROD)
    monkeypatch.chdir(tmp_path)

    def progress(runs: int, words: str) -> bool:
        if how == "interrupted":
            raise KeyboardInterrupt
        return False

    with pytest.raises(RunError, match=r"^the search was stopped before its first step$"):
        getattr(luff, kind)(OPTIMISE if kind == "optimise" else FIT, progress=progress)


GLOBAL = {**OPTIMISE["optimise"], "method": "global", "generations": 1000, "population": 4}


def test_a_search_that_is_stopped_in_its_first_generation_has_the_best_of_its_population(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rod.yaml").write_text(SWINGING_ROD)
    monkeypatch.chdir(tmp_path)
    told: list[str] = []

    def progress(runs: int, words: str) -> bool:
        told.append(words)
        return not words

    found = luff.optimise({**OPTIMISE, "optimise": GLOBAL}, "rod.json", progress=progress)
    assert isinstance(found, luff.Optimum)
    assert found.status == "interrupted"
    assert told[-1] == f"generation 0 of at most 1000, best {found.value:.4g} rad"
    assert len(found.searches[0]["population"]) == 5  # SciPy's least
    assert luff.read("rod.json").as_dict() == found.as_dict()
    on = luff.optimise(
        {**OPTIMISE, "optimise": GLOBAL}, "rod.json", progress=lambda _, words: "n 1 " not in words
    )
    assert on.status == "interrupted"  # what was written was no end
    assert on.value <= found.value


def test_a_search_that_is_interrupted_prints_and_writes_the_best_so_far(tmp_path: Path) -> None:
    (tmp_path / "rod.yaml").write_text(SWINGING_ROD)
    (tmp_path / "task.yaml").write_text(json.dumps({"luff": 1, **OPTIMISE, "optimise": GLOBAL}))
    process = subprocess.Popen(
        luff_command("optimise", "task.yaml"),
        cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **INTERRUPTIBLE,
    )  # fmt: skip
    journal = tmp_path / "task.json.part"
    wait_for(lambda: journal.is_file() and "generation" in journal.read_text(), process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 3, (out, err)
    assert "| rod.mass" in out
    assert "wrote task.json" in out
    assert err == "luff: the search was stopped: this is the best so far; the same command continues it\n"
    assert json.loads((tmp_path / "task.json").read_text())["status"] == "interrupted"


def test_a_search_that_is_interrupted_leaves_the_finished_result_of_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rod.yaml").write_text(SWINGING_ROD)
    monkeypatch.chdir(tmp_path)
    few = {**OPTIMISE, "optimise": {**GLOBAL, "generations": 1}}
    assert luff.optimise(few, "rod.json").file == Path("rod.json")
    before = Path("rod.json").read_text()
    assert json.loads(before)["status"] == "finished"
    for task, fresh in ((few, True), ({**OPTIMISE, "optimise": GLOBAL}, False)):
        found = luff.optimise(task, "rod.json", progress=lambda _, words: not words, fresh=fresh)
        assert (found.status, found.file) == ("interrupted", None)
        assert Path("rod.json").read_text() == before


@about_compiling
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("words", ["rod.fmu", "rod.a", "rod.html"])
def test_an_export_that_is_interrupted_leaves_nothing(words: str, number: int, tmp_path: Path) -> None:
    """Ended as soon as it has a folder of its own for the time being."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    (tmp_path / "rod.yaml").write_text(SWINGING_ROD)
    process = subprocess.Popen(
        luff_command("export", "rod.yaml", "-o", words),
        cwd=tmp_path, env={**os.environ, "TMPDIR": str(temporary)}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, **INTERRUPTIBLE,
    )  # fmt: skip
    until = time.monotonic() + PATIENCE
    while not any(temporary.iterdir()) and process.poll() is None:
        assert time.monotonic() < until
        time.sleep(1e-3)
    if process.poll() is None:
        process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)
    assert "Traceback" not in err
    assert not [*temporary.iterdir()], err
    assert {path.name for path in tmp_path.iterdir()} <= {"temporary", "rod.yaml", words, "rod.h"}
    if process.returncode != 0:  # it may have been done already
        assert process.returncode == 3, (out, err)
        assert err.endswith(
            "the export was ended by Ctrl-C\n" if number == signal.SIGINT else "ended by SIGTERM\n"
        )
