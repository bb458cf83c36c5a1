"""Predictive control: its quadratic programs, the regulator that it becomes, bounds and limits, and what is refused."""

from __future__ import annotations

from pathlib import Path

import control
import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import nnls

import luff
from luff.blocks import LuffError
from luff.solver.estimation.quadratic_program import solve_quadratic
from luff.tests.process import call

TROLLEY = """luff: 1
name: trolley with a load
inputs: {force: {unit: N}}
outputs: {place: trolley.position, rate: trolley.velocity, swing: pin.position, swing_rate: pin.velocity}
blocks:
  trolley: {type: prismatic, axis: x, initial: {position: START}}
  cart: {type: rigid_link, mass: 500 kg}
  pin: {type: revolute, axis: y}
  load: {type: rigid_link, mass: 1 t, com: [0, 0, -5 m], inertia: [10, 10, 10]}
connect:
  - inputs.force -> trolley.effort
  - world.frame -- trolley.frame_a
  - trolley.frame_b -- cart.frame_a
  - cart.frame_a -- pin.frame_a
  - pin.frame_b -- load.frame_a
simulation: {stop: 20 s, step: STEP}
"""
LOOP = """luff: 1
blocks:
  plant: {type: ./trolley.yaml}
  goal: {type: constant, value: GOAL, unit: m}
  rest: {type: constant, value: 0, unit: rad}
  it:
    type: mpc
    model: ./model.yaml
    step: 100 ms
    order: [trolley.position, trolley.velocity, pin.position, pin.velocity]
    commands: [{input: force, deviation: 2 kN BOUNDS}]
    follow: [{signal: trolley.position, deviation: 0.5 m}, {signal: pin.position, deviation: 3 deg}]
    MORE
connect:
  - plant.place -> it.state[0]
  - plant.rate -> it.state[1]
  - plant.swing -> it.state[2]
  - plant.swing_rate -> it.state[3]
  - goal.y -> it.target[0]
  - rest.y -> it.target[1]
  - it.u -> plant.force
simulation: {stop: STOP, step: 10 ms, output_step: 100 ms}
record: ["*", it.duration]
"""


def loop(
    folder: Path,
    goal: float,
    stop: str,
    more: str = "",
    bounds: str = "",
    start: str = "0 m",
    step: str = "0.2 s",
) -> Path:
    (folder / "trolley.yaml").write_text(TROLLEY.replace("START", start).replace("STEP", step))
    (folder / "model.yaml").write_text(TROLLEY.replace("START", "0 m").replace("STEP", step))
    text = (
        LOOP.replace("GOAL", str(goal)).replace("MORE", more).replace("BOUNDS", bounds).replace("STOP", stop)
    )
    (folder / "loop.yaml").write_text(text)
    return folder / "loop.yaml"


def test_quadratic_programs_end_where_multipliers_show_the_optimum() -> None:
    """The optimum is where the gradient is a sum of active rows with weights of one sign (Kuhn and Tucker)."""
    draw = np.random.default_rng(7)
    for _ in range(20):
        n = int(draw.integers(2, 8))
        root = draw.normal(size=(n, n))
        H, g = root @ root.T + 0.1 * np.eye(n), 3 * draw.normal(size=n)
        G = np.vstack([np.eye(n), -np.eye(n), draw.normal(size=(3, n))])
        h = np.concatenate([np.full(2 * n, 0.5), draw.uniform(0.0, 1.0, 3)])
        units = 10.0 ** draw.uniform(-4, 4, n)  # of the variables: the same optimum
        found = solve_quadratic(units[:, None] * H * units, units * g, G * units, h, 25) * units
        room = h - G @ found
        assert room.min() > -1e-9
        # complementarity falls to 1e-12 of the cost: what is active has room of 1e-6 of it or less
        _, rest = nnls(G[room < 1e-5].T, -(H @ found + g))
        assert rest < 1e-5 * np.linalg.norm(g)


def test_without_bounds_it_is_the_linear_quadratic_regulator(tmp_path: Path) -> None:
    """With intervals of one sample and a long horizon, for motions so small that the model is linear."""
    path = loop(tmp_path, 0.0, "1 s", "horizon: 15 s\n    intervals: 150", start="1 mm", step="20 ms")
    result = luff.compile(path).run()
    M, m, r, J, T = 500.0, 1000.0, 5.0, 10.0, 0.1
    mass = np.array([[M + m, -m * r], [-m * r, J + m * r * r]])
    F = np.zeros((5, 5))
    F[:2, 2:4], F[2:4, :2] = np.eye(2), np.linalg.solve(mass, np.diag([0, -m * 9.81 * r]))
    F[2:4, 4] = np.linalg.solve(mass, [1, 0])
    flow = expm(F * T)
    Q = np.diag([1 / 0.5**2, 1 / np.radians(3) ** 2, 0, 0])
    K, _, _ = control.dlqr(flow[:4, :4], flow[:4, 4:], T * Q, [[T / 2000.0**2]])
    names = ("trolley.position", "pin.position", "trolley.velocity", "pin.velocity")
    states = np.column_stack([result[f"plant.{name}"] for name in names])
    # from the second sample on; the poles leave e^-7 of the horizon's end, Runge-Kutta steps of 20 ms 1e-8
    np.testing.assert_allclose(
        result["it.u"][1:-1], -states[1:-1] @ K[0], rtol=2e-3, atol=1e-3 * abs(result["it.u"]).max()
    )


def test_bounds_and_limits_are_kept_and_the_load_ends_at_rest(tmp_path: Path) -> None:
    limits = "limits: [{signal: pin.position, lower: -4 deg, upper: 4 deg}, {signal: trolley.velocity, upper: 1.2 m/s}]"
    more = f"horizon: 6 s\n    intervals: 30\n    {limits}"
    path = loop(tmp_path, 8.0, "20 s", more, ", lower: -1 kN, upper: 1 kN, rate: 5000")
    done = call("run", path.name, "-o", "run.npz", "--quiet", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    result = luff.read(tmp_path / "run.npz")
    force, swing = result["it.u"], result["plant.pin.position"]
    assert force.max() == pytest.approx(1000, rel=1e-6)
    assert abs(force).max() <= 1000
    assert abs(np.diff(force)).max() <= 500 * (1 + 1e-6)  # 5 kN/s over 0.1 s
    # limits hold at the ends of intervals of 0.2 s: in between the swing, of 2.4 rad/s, goes at most 3 % beyond
    assert abs(swing).max() < np.radians(4) * 1.05
    assert abs(swing).max() > np.radians(4) * 0.98
    assert result["plant.trolley.velocity"].max() < 1.2 * 1.05
    assert result["it.slack"].max() < 0.05
    assert abs(result["plant.trolley.position"][-1] - 8) < 0.02
    assert abs(swing[-20:]).max() < np.radians(0.5)
    assert (result["it.duration"][2:] > 0).all()


@pytest.mark.parametrize(("lower", "size"), [("0 m", 0.5), ("1 mm", 1e-3)])
def test_a_limit_that_is_exceeded_by_many_sizes_is_come_back_to(
    tmp_path: Path, lower: str, size: float
) -> None:
    """From 1 m below a limit whose size is its bound, or where that is zero the deviation that is followed."""
    more = f"horizon: 6 s\n    intervals: 30\n    limits: [{{signal: trolley.position, lower: {lower}}}]"
    path = loop(tmp_path, 3.0, "4 s", more, ", lower: -1 kN, upper: 1 kN", start="-1 m")
    result = luff.compile(path).run()
    beyond = result["it.slack"][1] * size
    # the plan counts to the end of its first interval, 0.3 s away: 1 kN moves 500 kg by 0.09 m at most
    assert 0.91 <= beyond <= 1.0 + 1e-3
    assert result["plant.trolley.position"][-1] > 0.0
    assert result["it.slack"][-1] * size < 1e-3


def test_runs_have_the_same_bits_and_its_time_is_recorded_where_it_is_named(tmp_path: Path) -> None:
    path = loop(tmp_path, 1.0, "1 s")
    one, other = luff.compile(path).run(), luff.compile(path).run()
    assert one["it.u"].tobytes() == other["it.u"].tobytes()
    path.write_text(path.read_text().replace('record: ["*", it.duration]\n', ""))
    assert "it.duration" not in luff.compile(path).run()


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "pin.velocity]",
            "pin.speed]",
            r"it\.order: found .* expected all states of the model \(its states are",
        ),
        ("input: force", "input: push", "the model has no input push of width 1"),
        (
            "deviation: 2 kN",
            "deviation: 2 m",
            r"it\.commands\[0\].deviation: found a unit other than that of force, N",
        ),
        ("signal: pin.position", "signal: pin.place", "no such state or signal"),
        ("deviation: 2 kN", "deviation: 2 kN, lower: 3, upper: 1", "bounds that leave nothing"),
    ],
)
def test_what_does_not_fit_the_model_is_refused(tmp_path: Path, old: str, new: str, told: str) -> None:
    path = loop(tmp_path, 1.0, "0.2 s")
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(LuffError, match=told):
        luff.compile(path).run()
