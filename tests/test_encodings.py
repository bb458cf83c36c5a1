"""Names beyond ASCII, where the locale has ASCII alone: what is read and written is UTF-8 all the same."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import luff

ROOT = Path(luff.__file__).resolve().parent
PLAIN = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONWARNDEFAULTENCODING": "1"}
CAGE = """\
luff: 1
name: Käfig ∅
doc: Ähre
parameters: {große_masse: 2 kg}
blocks:
  gelenk_ä: {type: revolute, axis: y, damping: 0.05, initial: {position: 60 deg}}
  stab: {type: rigid_link, mass: =große_masse, com: [0, 0, -50 cm], inertia: [0.17, 0.17, 0]}
connect:
  - world.frame -- gelenk_ä.frame_a
  - gelenk_ä.frame_b -- stab.frame_a
simulation: {stop: 10 ms, step: 1 ms}
plots: [{title: Winkel ä, y: [gelenk_ä.position]}]
"""
STUDY = """\
luff: 1
name: Größen
model: ./model.yaml
variants: {grid: {große_masse: [1 kg, 2 kg]}}
tables: [{title: Größe, columns: [{metric: final, of: gelenk_ä.position}]}]
"""


def luff_in_c_locale(cwd: Path, *words: str) -> str:
    command = [sys.executable, "-m", "luff", *words]
    done = subprocess.run(command, cwd=cwd, env={**os.environ, **PLAIN}, capture_output=True)
    errors = done.stderr.decode()
    assert done.returncode == 0, errors
    # Python itself tells of every file that is opened in whatever encoding the locale has
    ours = [line for line in errors.splitlines() if "EncodingWarning" in line and "site-packages" not in line]
    assert ours == []
    return done.stdout.decode("ascii")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("model.yaml", "käfig.yaml"):
        (tmp_path / name).write_text(CAGE, encoding="utf-8")
    (tmp_path / "studie.yaml").write_text(STUDY, encoding="utf-8")
    return tmp_path


def test_run_writes_names_in_utf8_whatever_the_locale(folder: Path) -> None:
    out = luff_in_c_locale(folder, "run", "käfig.yaml", "-o", "a.csv", "-o", "a.h5", "--plot", "a.svg")
    assert out.startswith("K\\xe4fig \\u2205: 0.01 s")
    assert "gelenk_ä.position [rad]" in (folder / "a.csv").read_text(encoding="utf-8")
    assert "gelenk_ä.position" in luff.read(folder / "a.h5").names
    assert luff.read(folder / "a.h5").netlist == CAGE


def test_json_of_other_locales_is_read_as_what_it_was(folder: Path) -> None:
    assert json.loads(luff_in_c_locale(folder, "info", "model.yaml", "--json"))["name"] == "Käfig ∅"
    luff_in_c_locale(folder, "linearize", "model.yaml", "-o", "linear.json")
    assert (
        "gelenk_ä.position" in json.loads((folder / "linear.json").read_text(encoding="utf-8"))["state_names"]
    )


def test_study_hands_names_to_its_processes_and_back(folder: Path) -> None:
    luff_in_c_locale(folder, "study", "studie.yaml", "-r", "report", "-j", "1")
    page = (folder / "report" / "studie.md").read_text(encoding="utf-8")
    assert "große_masse = 1 kg" in page
    assert "Größe" in page
