"""Runs of FMUs in FMPy have the bits of luff's own, and end where luff would have to go on otherwise."""

from __future__ import annotations

from pathlib import Path

import fmpy
import pytest
from fmpy.fmi2 import FMU2Slave
from fmpy.validation import validate_fmu

import luff
from luff.solver.diagram.composite_types import LIBRARY
from luff.tests.conftest import about_compiling
from luff.tests.process import call
from luff.tests.shared.netlists import HELD_WAVE, SWINGING_ROD
from luff.tests.solver.fmi.fmpy_runs import equal, running
from luff.tests.systems.test_loops import TRIPLE_ROCKER
from luff.tests.systems.test_singular_positions import PARALLELOGRAM

pytestmark = about_compiling

WHOLE = [path for path in sorted(LIBRARY.glob("*.yaml")) if not luff.load(path).ports]


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.stem)
def test_library_model_gives_the_same_bits(path: Path, tmp_path: Path) -> None:
    """The same code, rounded in the same way: not a bit differs, in either version."""
    sim = luff.compile(path)
    every = 4 * sim.settings.step
    result = sim.run(stop=5 * every, output_step=every)
    for version in (2, 3):
        file = luff.export_fmu(path, tmp_path / f"{version}.fmu", fmi=version, parameters=["world.*"])
        assert validate_fmu(str(file)) == []
        rows = fmpy.simulate_fmu(
            str(file),
            stop_time=5 * every,
            output_interval=every,
            fmi_type="CoSimulation",
            output=list(result.columns),
        )
        assert len(rows) == len(result.time) == 6
        assert equal(result, rows) == []


def test_long_run_from_the_command_line(tmp_path: Path) -> None:
    """A pendulum over its whole run, with damping and one parameter changed, as a user calls it."""
    (tmp_path / "rod.yaml").write_text(SWINGING_ROD)
    told = call("export", "rod.yaml", "-o", "rod.fmu", "--set", "rod.mass=3", cwd=tmp_path).stdout
    assert told.startswith("wrote rod.fmu, ")
    result = luff.compile(tmp_path / "rod.yaml", **{"rod.mass": 3}).run()
    rows = fmpy.simulate_fmu(str(tmp_path / "rod.fmu"), fmi_type="CoSimulation")
    assert len(rows) == 101
    assert equal(result, rows) == []


def test_sampled_blocks_keep_their_steps(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Equal to luff's run at every step; a communication point between steps is refused."""
    (tmp_path / "held.yaml").write_text(HELD_WAVE)
    file = luff.export_fmu(tmp_path / "held.yaml", tmp_path / "held.fmu")
    result = luff.compile(tmp_path / "held.yaml").run()
    rows = fmpy.simulate_fmu(str(file), output_interval=1e-3, fmi_type="CoSimulation")
    assert equal(result, rows) == []
    with running(file) as (slave, _), pytest.raises(fmpy.fmi1.FMICallException):
        slave.doStep(0.0, 0.0015)
    assert "a communication step of 0.0015 s is no multiple of the step of 0.001 s" in capfd.readouterr().out


CLIPPED = """luff: 1
name: clipped
simulation: {step: 0.05, stop: 1, method: rk4, events: locate}
blocks:
  wave: {type: sine, frequency: 1 Hz}
  bound: {type: saturation, lower: -0.5, upper: 0.5}
  sum: {type: integrator}
connect: [wave.y -> bound.u, bound.y -> sum.u]
"""


def test_steps_end_where_something_changes(tmp_path: Path) -> None:
    """`events: locate` holds inside of an FMU: the same bits, and others than without."""
    (tmp_path / "clipped.yaml").write_text(CLIPPED)
    file = luff.export_fmu(tmp_path / "clipped.yaml", tmp_path / "clipped.fmu")
    rows = fmpy.simulate_fmu(str(file), output_interval=0.05, fmi_type="CoSimulation")
    assert equal(luff.compile(tmp_path / "clipped.yaml").run(), rows) == []
    without = luff.compile(luff.loads(CLIPPED.replace(", events: locate", ""))).run()
    assert equal(without, rows) == ["sum.y"]


def test_loop_that_needs_another_choice_of_states_is_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Luff chooses anew; an FMU ends, and says why and when."""
    file = luff.export_fmu(luff.loads(TRIPLE_ROCKER), tmp_path / "loop.fmu", parameters=())
    with running(file) as (slave, _), pytest.raises(fmpy.fmi1.FMICallException):
        slave.doStep(0.0, 3.0)
    told = capfd.readouterr().out
    assert "the choice of dependent coordinates has degraded after t = 0.288 s, and an FMU keeps" in told


@pytest.mark.filterwarnings("ignore:.*over-constrains:luff.ModelWarning")
def test_a_singular_position_of_a_loop_ends_it_and_is_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The links lie in one line (pi/2 - 0.7) / 9 rad/s = 0.0968 s after the start; steps of any length tell it."""
    file = luff.export_fmu(luff.loads(PARALLELOGRAM), tmp_path / "loop.fmu", parameters=())

    def go_on(slave: FMU2Slave, step: float) -> None:
        for k in range(round(0.3 / step)):
            slave.doStep(k * step, step)

    for step in (0.3, 1e-3):
        with running(file) as (slave, _), pytest.raises(fmpy.fmi1.FMICallException):
            go_on(slave, step)
        assert "a singular position of a loop comes next after t = 0.09" in capfd.readouterr().out
