"""Loops that run through singular positions: the IFToMM benchmark's published end, a parallelogram's constant speed."""

from __future__ import annotations

import math

import numpy as np
import pytest

import luff
from luff.solver.simulation import singular_positions

from ..conftest import hours_as_plain_python, sized

pytestmark = pytest.mark.filterwarnings("ignore:.*over-constrains:luff.ModelWarning")
LINKS = "mass: 1 kg, com: [0, 0, 0.5], inertia: [0.083333333333333333, 0.083333333333333333, 0]"
BAR = f"{{type: rigid_link, {LINKS}, frame_b: {{at: [0, 0, 1]}}}}"
# two four-bars that share a crank, all links 1 m and 1 kg: both become singular each time the links lie in one line
DOUBLE = f"""
luff: 1
name: iftomm_two_four_bars
blocks:
  world: {{gravity: [0, 0, -9.81]}}
  g1: {{type: fixed, at: [1, 0, 0]}}
  g2: {{type: fixed, at: [2, 0, 0]}}
  j0: {{type: revolute, axis: y, initial: {{position: 0, velocity: 1 rad/s}}}}
  j1: {{type: revolute, axis: y}}
  j2: {{type: revolute, axis: y}}
  p0: {{type: revolute, axis: y}}
  p1: {{type: revolute, axis: y}}
  p2: {{type: revolute, axis: y}}
  p3: {{type: revolute, axis: y}}
  a: {BAR}
  b: {BAR}
  c: {BAR}
  r: {{type: rigid_link, mass: 1 kg, com: [0.5, 0, 0], inertia: [0, 0.083333333333333333, 0.083333333333333333],
    frame_b: {{at: [1, 0, 0]}}}}
  s: {{type: rigid_link, mass: 1 kg, com: [0.5, 0, 0], inertia: [0, 0.083333333333333333, 0.083333333333333333],
    frame_b: {{at: [1, 0, 0]}}}}
  tip: {{type: frame_sensor}}
connect:
  - world.frame -- j0.frame_a
  - world.frame -- g1.frame_a
  - world.frame -- g2.frame_a
  - g1.frame_b -- j1.frame_a
  - g2.frame_b -- j2.frame_a
  - j0.frame_b -- a.frame_a
  - j1.frame_b -- b.frame_a
  - j2.frame_b -- c.frame_a
  - a.frame_b -- p0.frame_a
  - p0.frame_b -- r.frame_a
  - r.frame_b -- p1.frame_a
  - p1.frame_b -- b.frame_b
  - b.frame_b -- p2.frame_a
  - p2.frame_b -- s.frame_a
  - s.frame_b -- p3.frame_a
  - p3.frame_b -- c.frame_b
  - a.frame_b -- tip.frame_b
simulation: {{stop: 10 s, step: 1 ms, method: rk4}}
"""
# without gravity the links of a parallelogram turn at a constant speed, and its coupler never turns
PARALLELOGRAM = f"""
luff: 1
blocks:
  world: {{gravity: [0, 0, 0]}}
  g1: {{type: fixed, at: [2, 0, 0]}}
  j0: {{type: revolute, axis: y, initial: {{position: 0.7, velocity: 9 rad/s}}}}
  j1: {{type: revolute, axis: y, guess: {{position: 0.7}}}}
  p0: {{type: revolute, axis: y, guess: {{position: -0.7}}}}
  p1: {{type: revolute, axis: y}}
  a: {BAR}
  b: {BAR}
  r: {{type: rigid_link, mass: 3 kg, com: [1, 0, 0], inertia: [0, 1, 1], frame_b: {{at: [2, 0, 0]}}}}
connect:
  - world.frame -- j0.frame_a
  - world.frame -- g1.frame_a
  - g1.frame_b -- j1.frame_a
  - j0.frame_b -- a.frame_a
  - j1.frame_b -- b.frame_a
  - a.frame_b -- p0.frame_a
  - p0.frame_b -- r.frame_a
  - r.frame_b -- p1.frame_a
  - p1.frame_b -- b.frame_b
simulation: {{stop: 3 s, step: 1 ms, method: rk4, output_step: 1 ms}}
"""


def told(result: luff.Result) -> list[str]:
    return [str(note) for note in result.remarks if "singular position" in str(note)]


@hours_as_plain_python
@pytest.mark.parametrize("step", [1e-3, 8e-4, 1.6e-4, 5e-5])
def test_the_double_four_bar_ends_where_the_benchmark_says(step: float) -> None:
    """The end that IFToMM's library of benchmarks publishes, to its ten digits; ten singular positions come before."""
    result = luff.compile(luff.loads(DOUBLE)).run(step=step, output_step=round(0.1 / step) * step)
    end = result["tip.position"][-1]
    # each passage leaves 1e-9 of the energy, and 1e-7 m at the end
    assert end[[0, 2]] == pytest.approx([0.3284580986, 0.9445185427], abs=1e-6)
    assert result.quality["energy"]["relative_residual"] < 1e-8
    assert told(result) == []


@hours_as_plain_python
@pytest.mark.parametrize("step", [1e-3, 1e-4, 5e-5])
@pytest.mark.parametrize("method", ["rk4", "implicit"])
def test_a_parallelogram_keeps_its_speed_through_its_change_points(step: float, method: str) -> None:
    """Eight of them: 9 rad/s, where one step too near took or gave up to 44 % of the energy."""
    stop = sized(3.0, 0.5)
    sim = luff.compile(luff.loads(PARALLELOGRAM))
    result = sim.run(stop=stop, step=step, method=method, output_step=1e-3)
    wanted = 0.7 + 9.0 * result.time
    assert np.abs(result["j0.position"] - wanted).max() < 1e-6 * stop * 9.0
    assert np.abs(result["j0.position"] - result["j1.position"]).max() < 1e-9
    assert result.quality["energy"]["relative_residual"] < 1e-7
    assert told(result) == []


def test_runs_side_by_side_pass_as_single_ones_do() -> None:
    """Each speed meets the change point in another step."""
    sim = luff.compile(luff.loads(PARALLELOGRAM))
    speeds = 8.0 + 0.3 * np.arange(9)
    found = luff.batch(sim, {"j0.initial.velocity": speeds}, outputs=["j0.position"], stop=0.5)
    assert found["j0.position"][:, -1] == pytest.approx(0.7 + 0.5 * speeds, abs=1e-6)


def test_a_start_close_before_a_singular_position_is_told() -> None:
    """Without a motion to continue over it, nothing can be promised: time and loop are named."""
    near = math.pi / 2 - 2e-4
    text = PARALLELOGRAM.replace("position: 0.7", f"position: {near}").replace(
        "position: -0.7", f"position: {-near}"
    )
    with pytest.warns(luff.ModelWarning, match=r"p1: a singular position of the loop at about t = 0\.0001 s"):
        result = luff.compile(luff.loads(text)).run(stop=0.05, step=1e-4)
    assert len(told(result)) == 1


def test_energies_that_part_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A passage whose rates are off by a part in a thousand."""
    made = singular_positions.Passage.over
    monkeypatch.setattr(
        singular_positions.Passage, "over", lambda self, samples, t: 1.001 * made(self, samples, t)
    )
    with pytest.warns(luff.ModelWarning, match=r"energies of both sides differ by .* J, where .* J move"):
        luff.compile(luff.loads(DOUBLE)).run(stop=1.0)


def test_energies_that_are_no_numbers_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(singular_positions, "balance_of", lambda *_: math.nan)
    with pytest.warns(
        luff.ModelWarning, match="its energies behind it are no numbers: what follows may be another"
    ):
        luff.compile(luff.loads(PARALLELOGRAM)).run(stop=0.3)


def test_single_steps_through_a_singular_position_are_told() -> None:
    session = luff.compile(luff.loads(PARALLELOGRAM)).start(stop=0.3)
    session.step(steps=250)
    assert [note for note in session.remarks if "single steps do not pass over it" in str(note)]


@pytest.mark.parametrize(("text", "time"), [(PARALLELOGRAM, "0.09676"), (DOUBLE, "0.714")])
def test_an_adaptive_method_through_a_singular_position_tells_it(text: str, time: str) -> None:
    """Also where two loops become singular together."""
    # (pi/2 - 0.7) / 9 rad/s is 0.096755 s; the double one by its run of fixed step
    match = rf"p1: a singular position of the loop at about t = {time}\d* s; dop853 does not pass over it"
    with pytest.warns(luff.ModelWarning, match=match):
        luff.compile(luff.loads(text)).run(stop=1.0, method="dop853")
    quiet = luff.compile(luff.loads(text)).run(stop=0.05, method="dop853")
    assert told(quiet) == []
