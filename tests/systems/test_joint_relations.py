"""Joints that keep a relation to each other, against Lagrange's equations with one multiplier, derived by SymPy."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import luff
from luff.blocks import LuffError
from luff.solver.diagnostics.energy_balance import worst_balance
from luff.solver.kernels.model_data import DENSE, O_SOLVER, SCHUR

# An arm of two turns and a slide: the second turn follows the first one along a parabola.
ARM = """
luff: 1
blocks:
  a: {type: revolute, axis: y, initial: {position: 0.4, velocity: 1.2}}
  one: {type: rigid_link, mass: 3, com: [0.5, 0, 0], inertia: [0.1, 0.2, 0.2], frame_b: {at: [1, 0, 0]}}
  b: {type: revolute, axis: y}
  two: {type: rigid_link, mass: 2, com: [0.4, 0, 0], inertia: [0.1, 0.15, 0.15], frame_b: {at: [0.8, 0, 0]}}
  c: {type: prismatic, axis: x, initial: {position: 0.1, velocity: 0.3}, stiffness: 400, rest: 0.1}
  three: {type: rigid_link, mass: 1, inertia: [0.1, 0.1, 0.1]}
  gear: {type: programmed_constraint, joints: [a, b], relation: "y - 0.3 + 2*x + 0.5*x^2"}
  energy: {type: energy_sensor}
connect:
  - world.frame -- a.frame_a
  - a.frame_b -- one.frame_a
  - one.frame_b -- b.frame_a
  - b.frame_b -- two.frame_a
  - two.frame_b -- c.frame_a
  - c.frame_b -- three.frame_a
simulation: {stop: 1 s, step: 1 ms, output_step: 10 ms, constraints: {method: METHOD}}
"""
NAMES = "a", "b", "c"


def by_lagrange(q: list[float], rates: list[float]) -> np.ndarray:
    """Accelerations of a, b and c, and the multiplier."""
    a, b, c, da, db, _dc = symbols = sympy.symbols("a b c da db dc")
    where, motion = sympy.Matrix(symbols[:3]), sympy.Matrix(symbols[3:])

    def along(turn: sympy.Expr) -> sympy.Matrix:
        return sympy.Matrix([sympy.cos(turn), -sympy.sin(turn)])

    masses = (3, along(a) / 2), (2, along(a) + 0.4 * along(a + b)), (1, along(a) + (0.8 + c) * along(a + b))
    kinetic = 0.1 * da**2 + (0.15 + 0.1) / 2 * (da + db) ** 2
    potential = 200 * (c - 0.1) ** 2
    for mass, r in masses:
        v = r.jacobian(where) * motion
        kinetic += mass * v.dot(v) / 2
        potential += 9.81 * mass * r[1]
    lagrange = kinetic - potential
    momenta = sympy.Matrix([lagrange]).jacobian(motion)
    rest = (momenta.jacobian(where) * motion).T - sympy.Matrix([lagrange]).jacobian(where)
    at = dict(zip(symbols, [*q, *rates], strict=True))
    M, h = np.array(momenta.jacobian(motion).subs(at), float), np.array(rest.subs(at), float)[0]
    slope = np.array([[2.0 + q[0], 1.0, 0.0]])
    whole = np.block([[M, -slope.T], [slope, np.zeros((1, 1))]])
    return np.linalg.solve(whole, [*-h, -(rates[0] ** 2)])


@pytest.mark.parametrize("method", ["reduced", "projected", "baumgarte"])
@pytest.mark.parametrize("solver", [DENSE, SCHUR])
def test_joints_in_a_relation_accelerate_as_lagrange_says(
    method: str, solver: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("luff.solver.initial.initial_state.cheapest_solver", lambda *_: solver)
    sim = luff.compile(luff.loads(ARM.replace("METHOD", method)))
    assert sim.program.model.option[O_SOLVER] == solver
    values = sim.evaluate()
    q, v, acceleration = (
        [float(values[f"{name}.{what}"]) for name in NAMES]
        for what in ("position", "velocity", "acceleration")
    )
    assert q[1] == pytest.approx(0.3 - 2.0 * q[0] - 0.5 * q[0] ** 2, abs=1e-14)
    assert v[1] == pytest.approx(-(2.0 + q[0]) * v[0], abs=1e-14)
    expected = by_lagrange(q, v)
    # rounding of a system of four
    assert [*acceleration, float(values["gear.multiplier"])] == pytest.approx(expected, rel=1e-11)
    sim.instance.rates(0.0, sim.x0)
    sim.instance.kernel("reactions")
    assert worst_balance(sim.instance).residual < 1e-12


def test_a_relation_between_joints_takes_no_energy() -> None:
    drift = {}
    for step in (2.0, 1.0):
        text = ARM.replace("METHOD", "reduced").replace("step: 1 ms", f"step: {step} ms", 1)
        result = luff.compile(luff.loads(text)).run()
        total = result["energy.total"]
        drift[step] = float(np.ptp(total))
        assert float(np.ptp(result["a.position"])) > 0.5  # it moves
        assert np.max(np.abs(result["gear.violation"])) < 1e-12
    # of fourth order, or better: what is left is the integrator's
    assert drift[1.0] < 1e-6
    assert drift[1.0] < drift[2.0] / 8.0


def test_a_drive_that_realises_a_relation_makes_the_joint_follow() -> None:
    text = ARM.replace("METHOD", "reduced").replace('x^2"', 'x^2", realised_by: [b]')
    values = luff.compile(luff.loads(text)).evaluate()
    x, v, a = (float(values[f"a.{what}"]) for what in ("position", "velocity", "acceleration"))
    # the first joint feels no effort of its own, so that it moves otherwise than under the ideal relation
    assert float(values["b.acceleration"]) == pytest.approx(-(2.0 + x) * a - v * v, rel=1e-12)
    assert abs(a - by_lagrange([x, float(values["b.position"]), 0.1], [v, -(2.0 + x) * v, 0.3])[0]) > 0.1


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("[a, b]", "[a, d]", '"d" is not a joint with one coordinate'),
        ("[a, b]", "[a, b, c, gear]", "expected at most 3"),
        ("2*x + 0.5*x^2", "2*z", "z"),
        (', relation: "y - 0.3 + 2*x + 0.5*x^2"', ", components: [x]", "no relation"),
        ("[a, b]", "[a, b], plane: {at: [1, 0, 0]}", "no plane"),
    ],
)
def test_a_relation_that_cannot_be_is_told(old: str, new: str, told: str) -> None:
    assert old in ARM
    with pytest.raises(LuffError) as caught:
        luff.compile(luff.loads(ARM.replace("METHOD", "reduced").replace(old, new)))
    assert told in str(caught.value)
    assert "gear" in str(caught.value)


def test_a_prescribed_joint_is_refused_in_a_relation() -> None:
    text = ARM.replace("METHOD", "reduced").replace(
        "a: {type: revolute, axis: y, initial: {position: 0.4, velocity: 1.2}}",
        "a: {type: revolute, axis: y, driven: true}\n  law: {type: motion_law, end_value: 1, duration: 1 s, unit: rad}",
    )
    diagram = luff.loads(text)
    diagram.connect("law.y", "a.follow")
    with pytest.raises(LuffError, match='"a" is prescribed by a trajectory'):
        luff.compile(diagram)
