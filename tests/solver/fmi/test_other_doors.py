"""Memories, and joints in a relation: an FMU, a batch and a session that goes back give the bits of one run."""

from __future__ import annotations

from pathlib import Path

import fmpy
import numpy as np
import pytest

import luff
from luff.solver.batch.batch import batch
from luff.tests.conftest import about_compiling
from luff.tests.systems.test_joint_relations import ARM

pytestmark = about_compiling
MEMORIES = """
luff: 1
name: memories
blocks:
  wave: {type: sine, frequency: 7 rad/s, amplitude: 2, phase: 1 rad}
  last: {type: unit_delay, sample_time: 20 ms, initial: 0.5}
  whole: {type: quantizer, interval: 0.3}
  held: {type: zero_order_hold, sample_time: 30 ms}
  above: {type: relay, lower: -1, upper: 0.5, high: 2, low: -1}
  late: {type: delay, delay: 33 ms}
  slow: {type: rate_limit, rising: 3}
  rises: {type: edge, edge: either}
  count: {type: counter}
  since: {type: timer, duration: 70 ms}
  hold: {type: latch}
  gone: {type: pulse, start: 0.3 s, duration: 0.1 s, period: 0.4 s}
  lever: {type: joystick, axes: [x], dead_band: 0.2, expo: 0.4, scale: 2, rate: 9}
  press: {type: joystick_buttons, buttons: [1], toggle: true}
  all: {type: sum, signs: "++++++++++++"}
  once: {type: integrator}
connect:
  - wave.y -> last.u
  - wave.y -> whole.u
  - wave.y -> held.u
  - wave.y -> above.u
  - wave.y -> late.u
  - wave.y -> slow.u
  - wave.y -> rises.u
  - wave.y -> count.u
  - wave.y -> since.u
  - wave.y -> hold.set
  - late.y -> hold.reset
  - rises.y -> all.u7
  - count.y -> all.u8
  - since.y -> all.u9
  - hold.y -> all.u10
  - wave.y -> lever.u
  - gone.y -> lever.lost
  - wave.y -> press.u
  - gone.y -> press.lost
  - lever.y -> all.u11
  - press.y -> all.u12
  - last.y -> all.u1
  - whole.y -> all.u2
  - held.y -> all.u3
  - above.y -> all.u4
  - late.y -> all.u5
  - slow.y -> all.u6
  - all.y -> once.u
simulation: {stop: 1 s, step: 10 ms}
"""
MODELS = {
    "memories": (MEMORIES, "wave.amplitude", [2.0, 1.3], 0.01),
    "relation": (ARM.replace("METHOD", "reduced"), "three.mass", [1.0, 1.4], 0.01),
}


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str, list[float], float]:
    netlist, changed, values, rows = MODELS[request.param]
    path = tmp_path / "model.yaml"
    path.write_text(netlist)
    return path, changed, values, rows


@pytest.mark.filterwarnings("ignore::luff.ModelWarning")
def test_fmu_batch_and_restored_session_give_the_bits_of_a_run(
    model: tuple[Path, str, list[float], float], tmp_path: Path
) -> None:
    path, changed, values, every = model
    sim = luff.compile(path)
    result = sim.run()
    file = luff.export_fmu(path, tmp_path / "model.fmu")
    rows = fmpy.simulate_fmu(
        str(file), stop_time=sim.settings.stop, output_interval=every, fmi_type="CoSimulation"
    )
    apart = [name for name in result.columns if not np.array_equal(np.ravel(result[name]), rows[name])]
    assert not apart, "in the FMU"

    many = batch(sim, {changed: values})
    for k, value in enumerate(values):
        alone = luff.compile(path, **{changed: value}).run()
        assert all(np.array_equal(many[name][k], alone[name]) for name in alone.columns), "in the batch"

    session = sim.start()
    steps = round(0.4 / sim.settings.step)
    session.advance(steps=steps)
    mark = session.snapshot()
    ahead = [session.step().copy() for _ in range(steps)]
    session.restore(mark)
    assert all(np.array_equal(session.step(), row) for row in ahead), "after going back"
