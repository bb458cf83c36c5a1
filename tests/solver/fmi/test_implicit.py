"""A step that is taken in parts within an FMU: the same bits as in a run."""

from __future__ import annotations

from pathlib import Path

import pytest

import luff
from luff.tests.solver.integrators.test_standstill import LUGRE, held_rotor

fmpy = pytest.importorskip("fmpy")


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
