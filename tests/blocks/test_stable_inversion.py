"""Stable inversion against its own equations by SymPy, and what is said of wrong parameters."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import sympy as sp

from luff.blocks.planning.motion_law import MotionLaw
from luff.blocks.planning.sampled_command import SampledCommand
from luff.blocks.planning.stable_inversion import StableInversion
from luff.tests.blocks.bench import Bench, make, mistakes

VALUES = {
    "length": 0.8,
    "mass": 0.5,
    "damping": 0.03,
    "beta": 0.97,
    "carriage_mass": [5.0, 4.0],
    "carriage_damping": [2.0, 3.0],
}


def lagrange() -> Callable[..., list[float]]:
    """Forces on carriage and sway, (q, qd, qdd) -> Q, from kinetic and potential energy and dissipation."""
    q, v, a = (sp.symbols(" ".join(f"{name}{k}" for k in range(4))) for name in "qva")
    h, m, M_X, M_Y, c, c_X, c_Y, g = 0.8, 0.5, 5, 4, 0.03, 2, 3, 9.81
    load = sp.Matrix(
        [
            q[0] + h * sp.sin(q[2]) * sp.cos(q[3]),
            q[1] + h * sp.sin(q[3]),
            -h * sp.cos(q[2]) * sp.cos(q[3]),
        ]
    )
    velocity = load.jacobian(q) * sp.Matrix(v)
    kinetic = (M_X * v[0] ** 2 + M_Y * v[1] ** 2 + m * velocity.dot(velocity)) / 2
    lost = (c_X * v[0] ** 2 + c_Y * v[1] ** 2 + c * (v[2] ** 2 + v[3] ** 2)) / 2
    momentum = sp.Matrix([kinetic]).jacobian(v)
    rate = momentum.jacobian(q) * sp.Matrix(v) + momentum.jacobian(v) * sp.Matrix(a)
    forces = rate - sp.Matrix([kinetic - m * g * load[2]]).jacobian(q).T + sp.Matrix([lost]).jacobian(v).T
    return sp.lambdify([*q, *v, *a], list(forces), "math")


FORCES = lagrange()
TARGET = [(0.3, -0.2, 0.7), (-0.1, 0.4, -1.1)]


@pytest.fixture
def bench() -> Bench:
    it = Bench(make(StableInversion, **VALUES, on_target="redefined"))
    it.states["theta"][:] = 0.4, -0.3
    it.states["theta_rate"][:] = 0.9, -1.4
    return it


def test_plan_obeys_the_equations_of_the_whole_crane(bench: Bench) -> None:
    """No force acts on the sway, and the drives' are those put out: the plan is a motion of the crane itself."""
    found = bench.out(0.0, target=TARGET)
    motion = np.vstack([found["command"], found["sway"]])
    forces = FORCES(*motion.T.ravel())
    # sums of ten terms of order 10
    np.testing.assert_allclose(forces[2:], 0.0, atol=1e-12)
    np.testing.assert_allclose(forces[:2], found["effort"], rtol=1e-12)
    np.testing.assert_allclose(found["sway"][:, 2], bench.der(0.0, target=TARGET)["theta_rate"], rtol=1e-14)


def test_point_on_the_cable_is_on_the_target(bench: Bench) -> None:
    """Value, rate and acceleration of the point at beta h, by differences along the plan."""
    found = bench.out(0.0, target=TARGET)
    place = lambda q: np.array(  # noqa: E731
        [
            q[0] + 0.97 * 0.8 * math.sin(q[2]) * math.cos(q[3]),
            q[1] + 0.97 * 0.8 * math.sin(q[3]),
        ]
    )
    q, qd, qdd = np.vstack([found["command"], found["sway"]]).T
    h = 1e-3
    along = [place(q + s * qd + s * s / 2 * qdd) for s in (-h, 0.0, h)]
    value, rate, acceleration = np.array(TARGET).T
    np.testing.assert_allclose(along[1], value, atol=1e-15)
    # central differences: h^2 / 6 of third derivatives of order 100, h^2 / 12 of fourth ones of order 1000
    np.testing.assert_allclose((along[2] - along[0]) / (2 * h), rate, atol=1e-4)
    np.testing.assert_allclose((along[2] - 2 * along[1] + along[0]) / h**2, acceleration, atol=1e-3)


def test_zero_dynamics_has_the_published_poles() -> None:
    """(1 - beta) m h^2 s^2 + c s + m g h = 0 in either plane."""
    it = Bench(make(StableInversion, **VALUES))
    small, rest = 1e-6, [(0.0, 0.0, 0.0)] * 2
    A = np.zeros((4, 4))
    for k, state in enumerate(("theta", "theta", "theta_rate", "theta_rate")):
        it.states[state][k % 2] = small
        rates = it.der(0.0, target=rest)
        A[:, k] = np.concatenate([rates["theta"], rates["theta_rate"]]) / small
        it.states[state][k % 2] = 0.0
    poles = np.roots([0.03 * 0.5 * 0.64, 0.03, 0.5 * 9.81 * 0.8])
    found = sorted(np.linalg.eigvals(A), key=np.imag)
    # cubic terms are 1e-12 of the linear ones
    np.testing.assert_allclose(found, sorted(np.repeat(poles, 2), key=np.imag), rtol=1e-6)


def test_load_or_point_is_put_on_the_target(bench: Bench) -> None:
    other = Bench(make(StableInversion, **VALUES))
    other.states = bench.states
    point, load = (it.out(0.0, target=TARGET)["command"] for it in (bench, other))
    beside = np.array([0.8 * math.sin(0.4) * math.cos(-0.3), 0.8 * math.sin(-0.3)])
    np.testing.assert_allclose(point[:, 0] - load[:, 0], 0.03 * beside, rtol=1e-12)


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ({"beta": 1.0}, ".beta"),
        ({"beta": 1.2}, ".beta"),
        ({"beta": 0.0}, ".beta"),
        ({"damping": 0.0}, ".damping"),
    ],
)
def test_what_cannot_be_inverted_is_refused_with_the_reason(values: dict[str, float], path: str) -> None:
    assert mistakes(StableInversion, **values) == [path]


def test_reasons_are_in_words() -> None:
    words = {}
    for beta in (1.0, 1.2):
        block = make(StableInversion)
        block.beta = beta
        words[beta] = next(iter(block.check())).message
    assert "singular" in words[1.0]
    assert "inverted pendulum" in words[1.2]


def wave(t: float) -> list[tuple[float, float, float]]:
    return [(math.sin(3 * t), 3 * math.cos(3 * t), -9 * math.sin(3 * t))]


@pytest.mark.parametrize(("hold", "bound"), [("zero_order", 3 * 0.016), ("linear", 9 * 0.016**2 / 8 * 1.1)])
def test_sampled_command_is_off_by_no_more_than_its_order(hold: str, bound: float) -> None:
    """Rate times sample time; a straight line's sag, acceleration times T^2 / 8, and 27 T^3 / 6 at its end."""
    it = Bench(make(SampledCommand, hold=hold), step=1e-3)
    t, y = it.run(2.0, lambda t: {"u": wave(t)})
    off = np.abs(y[:, 0, 0] - np.sin(3 * t))
    assert off.max() <= bound
    assert off.max() > 0.5 * bound
    np.testing.assert_array_equal(off[::16], 0.0)


def test_unsampled_command_is_passed_on() -> None:
    it = Bench(make(SampledCommand, hold="none"))
    law = Bench(make(MotionLaw))
    t, y = it.run(1.0, lambda t: {"u": law.y(t)})
    np.testing.assert_array_equal(y, [law.y(now) for now in t])
