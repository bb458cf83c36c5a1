"""A step that is taken in parts within an FMU or a library for C: the same bits as in a run."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.tests.conftest import about_compiling
from luff.tests.process import call
from luff.tests.shared.linked_program import linked
from luff.tests.shared.netlists import TOUCHING_BOXES
from luff.tests.solver.fmi.fmpy_runs import equal
from luff.tests.solver.integrators.test_standstill import LUGRE, held_rotor

fmpy = pytest.importorskip("fmpy")
pytestmark = about_compiling

# rows of a run from C, as hexadecimal numbers
ROWS = r"""
#include "boxes.h"
#include <stdio.h>
static unsigned char room[boxes_BYTES];
static double out[boxes_OUTPUTS];
int main(void) {
    boxes *m = boxes_init(room, sizeof room);
    if (!m || boxes_start(m, out)) return 1;
    for (int row = 0; row <= 40; row++) {
        for (int k = 0; k < boxes_OUTPUTS; k++) printf("%a ", out[k]);
        printf("\n");
        for (int k = 0; k < 5; k++) if (boxes_step(m, 0, out)) return 2;
    }
    return 0;
}
"""


def test_fmu_parts_its_steps_as_a_run_does(tmp_path: Path) -> None:
    diagram = luff.loads(held_rotor(LUGRE, 0.01, 0.0, 2e-3))
    run = luff.compile(diagram).run()
    luff.export_fmu(diagram, tmp_path / "rotor.fmu")
    found = fmpy.simulate_fmu(
        str(tmp_path / "rotor.fmu"),
        stop_time=0.6,
        step_size=2e-3,
        output_interval=2e-3,
        fmi_type="CoSimulation",
    )
    name = next(n for n in found.dtype.names if n.startswith("angle"))
    # at 2 ms the slopes hold in no whole step over a change of sign: 1e9 rad without parts
    assert found[name][-1] == pytest.approx(run["angle.y"][-1], rel=1e-9)


def test_touching_boxes_in_an_fmu_have_the_rows_of_a_run(tmp_path: Path) -> None:
    diagram = luff.loads(TOUCHING_BOXES)
    result = luff.compile(diagram).run()
    file = luff.export_fmu(diagram, tmp_path / "boxes.fmu")
    rows = fmpy.simulate_fmu(
        str(file), stop_time=0.4, output_interval=0.01, fmi_type="CoSimulation", output=list(result.columns)
    )
    assert len(rows) == len(result.time) == 41
    assert equal(result, rows) == []


def test_touching_boxes_in_c_have_the_rows_of_a_run(tmp_path: Path) -> None:
    (tmp_path / "boxes.yaml").write_text(TOUCHING_BOXES)
    result = luff.compile(tmp_path / "boxes.yaml").run()
    call("export", "boxes.yaml", "-o", "boxes.a", "--target", "linux-x86_64", cwd=tmp_path)
    (tmp_path / "rows.c").write_text(ROWS)
    program = linked(tmp_path, "rows.c", "boxes.a")
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    rows = np.array([[float.fromhex(cell) for cell in line.split()] for line in done.stdout.splitlines()])
    names = re.findall(r"boxes_out_\w+ = \d+, /\* (\S+)", (tmp_path / "boxes.h").read_text())
    assert len(rows) == len(result.time) == 41
    for name, column in zip(names, rows.T, strict=True):
        np.testing.assert_array_equal(column, np.ravel(result[name]), err_msg=name)
