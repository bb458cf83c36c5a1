"""A bead on a wire: functions of relations, and their derivatives, against SymPy's.

With phi(x, y, t) = 0 the second rate of phi gives one equation for the accelerations, and the force along its gradient
the other: a = g + lambda grad phi / m.
"""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import luff

BEAD = """
luff: 1
blocks:
  world: {gravity: [0, -9.81, 0]}
  across: {type: prismatic, axis: x, initial: {position: 0.6, velocity: 1.7}}
  up: {type: prismatic, axis: y, guess: {position: GUESS}}
  bead: {type: rigid_link, mass: 2, inertia: [1, 1, 1]}
  wire: {type: programmed_constraint, relation: "RELATION"}
connect:
  - world.frame -- across.frame_a
  - across.frame_b -- up.frame_a
  - up.frame_b -- bead.frame_a
  - bead.frame_b -- wire.frame
"""
WIRES = [
    "y - sin(1.3*x + 2*t)",
    "y - cos(1.3*x - t)",
    "y - tan(0.7*x + 0.2*t)",
    "y - asin(x/2)",
    "y - acos(x/2)",
    "y - atan(2*x)",
    "y - sqrt(1 + x*t + x^2)",
    "y - exp(0.5*x - t)",
    "y - log(1 + 2*x)",
    "y - tanh(1.3*x - t)",
    "y - abs(2*x)*x",
    "y - abs(x - 2)*x",
    "y - 1/(1 + x^2)",
    "y - (2 + x + t)^3.5",
    "x*y^2 - 0.6*(1 + t)",
    "y*cos(x*y - 0.5) - 1 + t*x",
]


@pytest.mark.parametrize("relation", WIRES, ids=lambda wire: wire.replace(" ", ""))
def test_a_bead_on_a_wire_accelerates_as_the_wire_s_derivatives_say(relation: str) -> None:
    x, y, t = symbols = sympy.symbols("x y t", real=True)
    phi = sympy.sympify(relation.replace("^", "**"), locals={"x": x, "y": y, "t": t, "abs": sympy.Abs})
    guess = float(sympy.nsolve(phi.subs({x: 0.6, t: 0}), y, 0.9))
    # so far off that Newton has something to do
    text = BEAD.replace("RELATION", relation).replace("GUESS", str(1.05 * guess))
    values = luff.compile(luff.loads(text)).evaluate()

    def at(term: sympy.Expr) -> float:
        return float(term.subs({x: 0.6, y: guess, t: 0}).doit().evalf())

    px, py, pt = (at(sympy.diff(phi, s)) for s in symbols)
    vx, vy = 1.7, -(px * 1.7 + pt) / py
    rates = dict(zip(symbols, (vx, vy, 1.0), strict=True))
    bias = sum(at(sympy.diff(phi, a, b)) * rates[a] * rates[b] for a in symbols for b in symbols)
    # [1 0 -px/m; 0 1 -py/m; px py 0] (ax, ay, lambda) = (0, -g, -bias)
    A = np.array([[1, 0, -px / 2], [0, 1, -py / 2], [px, py, 0]])
    ax, ay, _ = np.linalg.solve(A, [0.0, -9.81, -bias])
    assert values["up.position"] == pytest.approx(guess, rel=1e-11)
    assert values["up.velocity"] == pytest.approx(vy, rel=1e-10, abs=1e-10)
    assert values["across.acceleration"] == pytest.approx(ax, rel=1e-9, abs=1e-9)
    assert values["up.acceleration"] == pytest.approx(ay, rel=1e-9, abs=1e-9)
