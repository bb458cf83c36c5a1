"""Loops that run through singular positions: the IFToMM benchmark's published end, a parallelogram's constant speed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

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


@pytest.mark.parametrize("power", [1, 2])
def test_a_zero_is_foretold_by_three_values(power: int) -> None:
    h, ahead = 1e-3, 3e-2
    values = [5.0 * (ahead + k * h) ** power for k in range(3)]
    time, order = singular_positions.zero_of(values[0], values[1], values[2], h)
    assert order == power
    assert time == pytest.approx(ahead, rel=1e-9)  # the quotients are exact for polynomials of second order


@pytest.mark.parametrize("values", [(1.0, 2.0, math.nan), (1.0, math.inf, 3.0), (1e200, 2e250, 3e300)])
def test_a_run_that_diverges_foretells_no_zero(values: tuple[float, float, float]) -> None:
    assert all(map(math.isnan, singular_positions.zero_of(*values, 1e-3)))


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


BASE, PLATE, ARM, ROD, APART = (
    0.2,
    0.15,
    0.3,
    0.7,
    0.04,
)  # m: radii of base and platform, lengths, half of a pair
DAMPING, START = 0.05, 0.3


def delta() -> str:
    """Delta robot whose motors are wired and off: arms, six rods on crossed pins and ball joints, a platform."""
    lean = math.asin((BASE + ARM * math.cos(START) - PLATE) / ROD)
    ends = f"frames: {{a: {{at: [{ARM}, {-APART}, 0]}}, b: {{at: [{ARM}, {APART}, 0]}}}}"
    across = 0.17 * ROD**2 / 12.0
    rod = f"mass: 0.17, com: [0, 0, {-ROD / 2}], inertia: [{across!r}, {across!r}, 0], "
    rod += f"frame_b: {{at: [0, 0, {-ROD}], rotate: [[y, {-lean!r} rad]]}}"
    blocks, wires, frames = ["off: {type: constant, value: 0}"], [], []
    for k in range(3):
        blocks += [
            f"turn{k}: {{type: fixed, rotate: [[z, {120 * k} deg]]}}",
            f"out{k}: {{type: fixed, at: [{BASE}, 0, 0]}}",
            f"q{k}: {{type: revolute, axis: y, damping: {DAMPING}, initial: {{position: {START}}}}}",
            f"arm{k}: {{type: rigid_link, mass: 0.4, com: [{ARM / 2}, 0, 0], inertia: [0, 0.003, 0.003], {ends}}}",
        ]
        wires += [
            f"world.frame -- turn{k}.frame_a",
            f"turn{k}.frame_b -- out{k}.frame_a",
            f"out{k}.frame_b -- q{k}.frame_a",
            f"q{k}.frame_b -- arm{k}.frame_a",
            f"off.y -> q{k}.effort",
        ]
        for side, y in (("a", -APART), ("b", APART)):
            name, around = f"{k}{side}", math.radians(120 * k)
            x = [
                PLATE * math.cos(around) - y * math.sin(around),
                PLATE * math.sin(around) + y * math.cos(around),
            ]
            frames.append(f"p{name}: {{at: [{x[0]!r}, {x[1]!r}, 0]}}")
            blocks += [
                f"u{name}: {{type: revolute, axis: y, guess: {{position: {lean - START!r}}}}}",
                f"w{name}: {{type: revolute, axis: x}}",
                f"rod{name}: {{type: rigid_link, {rod}}}",
                f"ball{name}: {{type: spherical{', cut: true' if name != '0a' else ''}}}",
            ]
            wires += [
                f"arm{k}.{side} -- u{name}.frame_a",
                f"u{name}.frame_b -- w{name}.frame_a",
                f"w{name}.frame_b -- rod{name}.frame_a",
                f"rod{name}.frame_b -- ball{name}.frame_a",
                f"ball{name}.frame_b -- plate.p{name}",
            ]
    blocks.append(
        f"plate: {{type: rigid_link, mass: 1.2, inertia: [4e-3, 4e-3, 6e-3], frames: {{{', '.join(frames)}}}}}"
    )
    return (
        "luff: 1\nblocks:\n  " + "\n  ".join(blocks) + "\nconnect:\n  - " + "\n  - ".join(wires)
        + "\nsimulation: {stop: 1.2 s, step: 0.2 ms, method: rk4}\n"
    )  # fmt: skip


def delta_by_hand(stop: float) -> float:
    """Angle of the arms of the symmetric fall by Lagrange's equation of its one freedom, with complex steps."""

    def parts(angle: complex) -> tuple[complex, complex]:
        q = np.complex128(angle)
        c, s = np.cos(q), np.sin(q)
        wide = BASE + ARM * c - PLATE
        high = np.sqrt(ROD**2 - wide * wide)
        z = -ARM * s - high
        slope = -ARM * c - wide * ARM * s / high  # dz/dq
        ax, az = -ARM * s, -ARM * c  # of the elbows
        rods = 0.17 / 3.0 * (ax * ax + az * az + az * slope + slope * slope)
        mass = 3.0 * (0.4 * (ARM / 2) ** 2 + 0.003) + 6.0 * rods + 1.2 * slope * slope
        weight = 3.0 * 0.4 * (-ARM * s / 2.0) + 6.0 * 0.17 * 0.5 * (z - ARM * s) + 1.2 * z
        return mass, 9.81 * weight

    def rates(t: float, y: np.ndarray) -> list[float]:
        q, v = map(float, y)
        (mass, _), (bent, force) = parts(complex(q)), parts(q + 1e-30j)
        dm, dV = bent.imag / 1e-30, force.imag / 1e-30
        return [v, float((-0.5 * dm * v * v - dV - 3.0 * DAMPING * v) / mass.real)]

    found = solve_ivp(rates, (0.0, stop), [START, 0.0], method="DOP853", rtol=1e-12, atol=1e-13)
    return float(found.y[0, -1])


@hours_as_plain_python
def test_a_delta_robot_falls_through_the_position_in_which_its_rods_are_parallel() -> None:
    """Beside the motors' angles det Phi_d vanishes like tau^3 there, as the platform has three freedoms when they are
    held; beside other coordinates like tau, and a run must not keep to drives.
    """
    sim = luff.compile(luff.loads(delta()))
    run = sim.run()
    assert told(run) == []
    q = np.array([run[f"q{k}.position"][-1] for k in range(3)])
    # each passage by a polynomial of order six over six steps, in which the arms turn by 1 deg
    assert q == pytest.approx(delta_by_hand(1.2), abs=1e-6)
    # it was passed, down and up again
    angle = run["q0.position"]
    parallel = math.acos((PLATE - BASE) / ARM)
    assert np.count_nonzero(np.diff(np.sign(angle - parallel))) >= 2
