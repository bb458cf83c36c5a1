"""Integrators: declared orders, stiffness, agreement with SciPy's."""

from __future__ import annotations

import math

import numpy as np
import pytest

import luff
from luff.solver.integrators import rosenbrock

SMOOTH = """
luff: 1
blocks:
  one: {type: revolute, axis: y, damping: 0.2, initial: {position: 1, velocity: 0.5}}
  a: {type: rigid_link, mass: 1, com: [0, 0, -1], inertia: [0.1, 0.1, 0.1], frame_b: {at: [0, 0, -1]}}
  two: {type: universal, initial: {alpha: -0.4, beta: 0.3}}
  b: {type: rigid_link, mass: 0.5, com: [0, 0, -0.7], inertia: [0.02, 0.03, 0.02]}
  sine: {type: sine, amplitude: 3, frequency: 2.5}
  lag: {type: transfer_function, num: [1], den: [0.3, 1]}
connect: [world.frame -- one.frame_a, one.frame_b -- a.frame_a, a.frame_b -- two.frame_a, two.frame_b -- b.frame_a,
          sine.y -> lag.u, lag.y -> one.effort]
simulation: {stop: 1, step: 0.01, rtol: 1e-12, atol: 1e-13}
"""


def end_of(
    sim: luff.Simulation, method: str, step: float | None = None, stop: float | None = None
) -> np.ndarray:
    """The last state of a run, energies included."""
    session = sim.start(stop=stop, method=method, step=step)
    while session.advance() == "running":
        pass
    assert session.status == "finished", session.message
    return session.x


@pytest.fixture(scope="module")
def smooth() -> tuple[luff.Simulation, np.ndarray]:
    sim = luff.compile(luff.loads(SMOOTH))
    return sim, end_of(sim, "dop853")


def test_adaptive_integrators_agree(smooth: tuple[luff.Simulation, np.ndarray]) -> None:
    sim, end = smooth
    # both were asked for 1e-12 a step of their own; a hundred of them, error growth about tenfold
    np.testing.assert_allclose(end_of(sim, "radau"), end, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("method", "order"), [("euler", 1), ("heun", 2), ("implicit", 3), ("rk4", 4)])
def test_error_falls_with_the_declared_order(
    smooth: tuple[luff.Simulation, np.ndarray], method: str, order: int
) -> None:
    sim, end = smooth
    steps = 1 / np.array([80, 160, 320, 640])
    errors = [np.abs(end_of(sim, method, h) - end).max() for h in steps]
    slope = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    # asymptotic only as h goes to zero: a fit at finite steps is off by a tenth or so
    assert slope == pytest.approx(order, abs=0.15)


# --- the linearly implicit one ----------------------------------------------------------------------------------------


def test_implicit_satisfies_the_order_conditions_of_w_methods() -> None:
    """Hairer and Wanner II, section IV.7: up to order 3, whatever stands for the Jacobian."""
    A, G, b = rosenbrock.ALPHA, rosenbrock.GAMMAS, rosenbrock.WEIGHTS
    a, c = A.sum(axis=1), G.sum(axis=1)
    conditions = {
        "b": (b.sum(), 1),
        "b a": (b @ a, 1 / 2),
        "b g": (b @ c, 0),
        "b a a": (b @ a**2, 1 / 3),
        "b A a": (b @ A @ a, 1 / 6),
        "b A g": (b @ A @ c, 0),
        "b G a": (b @ G @ a, 0),
        "b G g": (b @ G @ c, 0),
    }
    for name, (found, wanted) in conditions.items():
        assert found == pytest.approx(wanted, abs=1e-15), name  # sixteen printed digits


def test_implicit_is_l_stable_and_stiffly_accurate() -> None:
    beta, b, one = rosenbrock.ALPHA + rosenbrock.GAMMAS, rosenbrock.WEIGHTS, np.ones(4)
    np.testing.assert_allclose(beta[3], b, atol=1e-15)
    assert rosenbrock.ALPHA[3].sum() == 1.0
    assert 1 - b @ np.linalg.solve(beta, one) == pytest.approx(0.0, abs=1e-14)
    for y in np.logspace(-2, 4, 200):
        gain = 1 + 1j * y * b @ np.linalg.solve(np.eye(4) - 1j * y * beta, one)
        assert abs(gain) <= 1 + 1e-12, y  # on the imaginary axis; the poles lie to the right


def stiff(rate: float) -> luff.Simulation:
    """Prothero and Robinson: x' = -rate (x - sin t) + cos t, started beside the solution sin t."""
    return luff.compile(
        luff.loads(
            f"""
luff: 1
blocks:
  x: {{type: integrator, initial: 1}}
  f: {{type: expression, inputs: [x], expr: "k*(sin(t) - x) + cos(t)", constants: {{k: {rate}}}}}
connect: [x.y -> f.x, f.y -> x.u]
simulation: {{stop: 1, step: 0.01}}
"""
        )
    )


def test_implicit_stays_calm_where_rk4_explodes() -> None:
    sim = stiff(1e6)
    with pytest.raises(luff.RunError, match=r"x\.x") as caught:
        sim.run(method="rk4")
    assert "implicit" in str(caught.value)
    end = end_of(sim, "implicit")[0]
    # what is left of the start after a hundred L-stable steps, and h^2 times curvature over the stiffness
    assert end == pytest.approx(math.sin(1), abs=1e-6)


def test_implicit_follows_van_der_pol_s_oscillator() -> None:
    sim = luff.compile(
        luff.loads(
            """
luff: 1
blocks:
  x: {type: integrator, initial: 2}
  v: {type: integrator, initial: 0}
  f: {type: expression, inputs: [x, v], expr: "1000*((1 - x^2)*v) - x"}
connect: [v.y -> x.u, f.y -> v.u, x.y -> f.x, v.y -> f.v]
simulation: {stop: 1, step: 0.01, rtol: 1e-11, atol: 1e-13}
"""
        )
    )
    # the slow manifold: stiffness 3000 1/s, thirty times what RK4 would bear
    np.testing.assert_allclose(end_of(sim, "implicit"), end_of(sim, "radau"), atol=1e-9)
    with pytest.raises(luff.RunError):
        sim.run(method="rk4")


def test_implicit_keeps_jumps_of_inputs_as_large_as_they_are() -> None:
    """A step in the input between, at and within steps: df/dt must not blow it up."""
    for start in (0.3, 0.305, 0.3 - 1e-12):
        sim = luff.compile(
            luff.loads(
                f"""
luff: 1
blocks:
  step: {{type: step, start: {start}}}
  lag: {{type: transfer_function, num: [1], den: [0.1, 1]}}
connect: [step.y -> lag.u]
simulation: {{stop: 1, step: 0.01}}
"""
            )
        )
        y = sim.run(method="implicit")["lag.y"]
        expected = 1 - math.exp(-(1 - start) / 0.1)
        # the jump is met to a share of a step, 0.01, which decays by exp(-7)
        assert y[-1] == pytest.approx(expected, abs=1e-4)
        assert y.max() <= 1.0
        assert y.min() >= -0.05


def test_implicit_agrees_with_rk4_on_every_joint() -> None:
    from pathlib import Path

    sim = luff.compile(luff.load(Path(__file__).parents[2] / "data" / "every_joint.yaml"))
    exact = end_of(sim, "rk4", 2.5e-4, stop=0.2)
    error = [np.abs(end_of(sim, "implicit", h, stop=0.2) - exact).max() for h in (2e-3, 1e-3)]
    assert error[1] < 1e-4 * np.abs(exact).max()
    # order 3 but for the bends of the stop, which is left: where it has faded in, and where it lets go
    assert error[0] / error[1] > 3
