"""Studies: what a result depends on beside the netlist, and values that are drawn with units."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import luff
from luff.solver.flatten.diagram import Diagram
from luff.solver.flatten.flatten import flatten
from luff.solver.studies import load

# what a result depends on beside the netlist


USER_BLOCK = """\
from luff.blocks import Block, Frame
from luff.blocks.multibody_parts import Body
from study_helper import mass

class StudyBody(Block):
    \"\"\"A point mass.\"\"\"
    family = "bodies"
    frame_a = Frame("at its centre")
    def parts(self): return [Body("frame_a", {k} * mass(), (0.0, 0.0, 0.0))]
"""
WITH_BLOCK = """\
luff: 1
blocks:
  files: [mine.py]
  world: {gravity: [0, 0, 0]}
  push: {type: constant, value: 600, unit: N}
  slide: {type: prismatic, axis: x}
  body: {type: study_body}
connect: [world.frame -- slide.frame_a, slide.frame_b -- body.frame_a, push.y -> slide.effort]
simulation: {stop: 10 ms, step: 1 ms}
"""
GAINS = """\
luff: 1
model: ./model.yaml
variants: {list: {first: {}}}
tables: [{title: t, columns: [{metric: final, of: slide.acceleration}]}]
"""


def test_changed_block_file_and_what_it_imports_make_a_study_run_again(tmp_path: Path) -> None:
    """As a process, from start to end: the second run must show the new number, the third take what is there."""
    (tmp_path / "lib").mkdir()
    block, helper = tmp_path / "mine.py", tmp_path / "lib" / "study_helper.py"
    block.write_text(USER_BLOCK.format(k="2.0"))
    helper.write_text("def mass(): return 10.0\n")
    (tmp_path / "model.yaml").write_text(WITH_BLOCK)
    (tmp_path / "gains.yaml").write_text(GAINS)
    command = [sys.executable, "-m", "luff", "study", "gains.yaml", "--allow-code", "-j", "1"]
    environment = {**os.environ, "PYTHONPATH": str(helper.parent), "PYTHONDONTWRITEBYTECODE": "1"}

    def told() -> str:
        done = subprocess.run(
            command, cwd=tmp_path, check=True, capture_output=True, text=True, env=environment
        )
        return done.stdout

    out = told()
    assert "| first | 30 |" in out
    assert "1 run, 0 there before" in out
    assert "0 run, 1 there before" in told()
    block.write_text(USER_BLOCK.format(k="3.0"))
    out = told()
    assert "| first | 20 |" in out
    assert "1 run" in out
    helper.write_text("def mass(): return 100.0\n")
    out = told()
    assert "| first | 2 |" in out
    assert "0 run, 1 there before" in told()


WEIGHED = """\
luff: 1
parameters: {g: 9.81 m/s^2, l: 2 m, load_mass: 2 t}
blocks:
  torque: {type: constant, value: =g*load_mass*l, unit: N*m}
simulation: {stop: 2 ms, step: 1 ms}
"""


@pytest.mark.parametrize(
    "variants",
    [
        "{random: {count: 3, draw: {load_mass: {uniform: [1 t, 3 t]}}}}",
        "{random: {count: 3, draw: {load_mass: {normal: [2 t, 100 kg]}}}}",
        "{random: {count: 3, draw: {load_mass: {log_uniform: [1000, 3000]}}}}",
        "{grid: {load_mass: [1 t, 1500, 3000 kg]}}",
    ],
)
def test_drawn_and_gridded_values_are_quantities_in_expressions(tmp_path: Path, variants: str) -> None:
    (tmp_path / "model.yaml").write_text(WEIGHED)
    path = tmp_path / "study.yaml"
    path.write_text(f"luff: 1\nmodel: ./model.yaml\nvariants: {variants}\n")
    study = load(path)
    diagram = Diagram.load(study.model)
    torques = [
        flatten(diagram, study.overrides(one)).blocks["torque"].values["value"] for one in study.variants
    ]
    # 1 to 3 t at 2 m
    assert len(set(torques)) == 3
    assert all(9.81 * 2.0 * 1000.0 <= torque <= 9.81 * 2.0 * 3000.0 * (1 + 1e-12) for torque in torques)


def test_drawn_value_of_another_unit_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.yaml").write_text(WEIGHED)
    path = tmp_path / "study.yaml"
    path.write_text(
        "luff: 1\nmodel: ./model.yaml\nvariants: {random: {count: 2, draw: {l: {uniform: [1 s, 2 s]}}}}\n"
    )
    with pytest.raises(luff.LuffError, match=r"found .*kg\*m\^2/s|expected a quantity in N\*m"):
        load(path)
