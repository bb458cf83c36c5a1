"""Linear models against SymPy, state-space theory and small runs of the model itself."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.signal
import sympy as sp

import luff
from luff.solver.analysis.linearise import linearise
from luff.solver.analysis.operating_point import OperatingPoint
from luff.solver.analysis.static_residual import StaticResidual
from luff.solver.analysis.steady_state import equilibrium

LIBRARY = Path(luff.__file__).parent / "library"

CART = """
luff: 1
blocks:
  rail: {type: prismatic, axis: x, damping: 0.7, initial: {position: 0.2, velocity: 0.4}}
  cart: {type: rigid_link, mass: 3}
  pin: {type: revolute, axis: -y, damping: 0.05, initial: {position: 0.6, velocity: -1.3}}
  bob: {type: rigid_link, mass: 2, com: [0, 0, -0.7], inertia: [0.01, 0.02, 0.01]}
  drive: {type: pd, kp: 40, kd: 9}
  wish: {type: motion_law, unit: m, end_value: 1, duration: 4}
connect:
  - world.frame -- rail.frame_a
  - rail.frame_b -- cart.frame_a
  - cart.frame_b -- pin.frame_a
  - pin.frame_b -- bob.frame_a
  - wish.y -> drive.target
  - rail.trajectory -> drive.measured
  - drive.effort -> rail.effort
simulation: {stop: 1 s, step: 1 ms}
"""


def cart_by_sympy(kp: float, kd: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A, the column of a force on the cart, and the row of the cart's acceleration, from Lagrange's equations."""
    s, a, v, w, f = sp.symbols("s a v w f")
    q, qd = sp.Matrix([s, a]), sp.Matrix([v, w])
    m_c, m, h, J, g = 3, 2, sp.Rational(7, 10), sp.Rational(2, 100), sp.Rational(981, 100)
    kinetic = (
        m_c * v**2 / 2 + m * ((v + h * sp.cos(a) * w) ** 2 + (h * sp.sin(a) * w) ** 2) / 2 + J * w**2 / 2
    )
    potential = -m * g * h * sp.cos(a)
    M = sp.hessian(kinetic, list(qd))
    momentum_rate = sp.Matrix([kinetic]).jacobian(qd).jacobian(q) * qd
    forces = sp.Matrix([f - sp.Rational(7, 10) * v - kp * s - kd * v, -sp.Rational(5, 100) * w])
    right = sp.Matrix([kinetic - potential]).jacobian(q).T - momentum_rate + forces
    qdd = M.LUsolve(right)
    rates = sp.Matrix([v, w, *qdd])
    at = {s: 0.2, a: 0.6, v: 0.4, w: -1.3, f: 0}
    numbers = lambda expression: np.array(expression.subs(at).evalf(), float)  # noqa: E731
    state = [s, a, v, w]
    return (
        numbers(rates.jacobian(state)),
        numbers(rates.diff(f)).ravel(),
        numbers(qdd[:1, :].jacobian(state)).ravel(),
    )


@pytest.fixture(scope="module")
def cart() -> luff.Simulation:
    return luff.compile(luff.loads(CART))


def test_linear_model_of_a_moving_cart_is_that_of_sympy(cart: luff.Simulation) -> None:
    lin = linearise(
        cart, inputs=["rail.effort", "drive.target.rate"], outputs=["rail.acceleration", "pin.position"]
    )
    A, b, c = cart_by_sympy(kp=40, kd=9)
    assert lin.state_names == ["rail.position", "pin.position", "rail.velocity", "pin.velocity"]
    # extrapolated differences: rounding over steps of 1e-3 to 1e-5
    close = {"rtol": 1e-8, "atol": 1e-8 * np.abs(A).max()}
    np.testing.assert_allclose(lin.A, A, **close)
    np.testing.assert_allclose(lin.B[:, 0], b, **close)
    # the rate of the target acts through the gain kd on the same force
    np.testing.assert_allclose(lin.B[:, 1], 9 * b, **close)
    np.testing.assert_allclose(lin.C, [c, [0, 1, 0, 0]], **close)
    np.testing.assert_allclose(lin.D, [[b[2], 9 * b[2]], [0, 0]], **close)
    assert lin.error < 1e-7
    assert lin.notes == []
    assert lin.u[0] == pytest.approx(40 * (0 - 0.2) + 9 * (0 - 0.4))


def test_an_output_is_perturbed_wherever_it_leads(cart: luff.Simulation) -> None:
    """Behind the sensor: rate and position of the cart as the controller sees them."""
    lin = linearise(cart, inputs=["rail.trajectory", "rail.trajectory.rate"], outputs=["drive.effort"])
    np.testing.assert_allclose(lin.D, [[-40, -9]], rtol=1e-9)


def test_linearising_leaves_the_model_as_it_was(cart: luff.Simulation) -> None:
    before = cart.derivative(0.0, cart.x0)
    linearise(cart, x=cart.x0 + 0.1, inputs=["rail.effort"])
    np.testing.assert_array_equal(cart.derivative(0.0, cart.x0), before)


def test_state_space_block_comes_out_as_it_went_in() -> None:
    text = """
luff: 1
blocks:
  e: {type: constant, value: [0.3, -2]}
  plant: {type: state_space, A: [[-1, 2], [-3, -4]], B: [[1, 0], [0.5, 2]], C: [[1, 1]], D: [[0, 0.25]]}
connect: [e.y -> plant.u]
simulation: {stop: 1 s, step: 1 ms}
"""
    sim = luff.compile(luff.loads(text))
    lin = linearise(sim, x="equilibrium", inputs=["e.y[0]", "e.y[1]"], outputs=["plant.y"])
    A, B = np.array([[-1.0, 2], [-3, -4]]), np.array([[1, 0], [0.5, 2]])
    np.testing.assert_allclose(lin.x, -np.linalg.solve(A, B @ [0.3, -2]), rtol=1e-9)
    for found, wanted in ((lin.A, A), (lin.B, B), (lin.C, [[1, 1]]), (lin.D, [[0, 0.25]])):
        np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-11)
    system = scipy.signal.StateSpace(lin.A, lin.B, lin.C, lin.D)
    poles = sorted(np.linalg.eigvals(system.A), key=np.imag)
    np.testing.assert_allclose(poles, sorted(np.roots([1, 5, 10]), key=np.imag), rtol=1e-9)


def test_small_runs_follow_the_linear_model() -> None:
    """A lag drives a pendulum: the difference of two runs is the linear response, to second order."""
    text = """
luff: 1
blocks:
  pin: {type: revolute, axis: y, damping: 0.3}
  bob: {type: rigid_link, mass: 2, com: [0, 0, -0.7], inertia: [0.01, 0.02, 0.01]}
  lag: {type: transfer_function, num: [1.0], den: [0.2, 1.0]}
  e: {type: constant, value: EFFORT}
connect: [world.frame -- pin.frame_a, pin.frame_b -- bob.frame_a, e.y -> lag.u, lag.y -> pin.effort]
simulation: {stop: 3 s, step: 1 ms}
"""
    sim = luff.compile(luff.loads(text.replace("EFFORT", "0")))
    lin = linearise(sim, x="equilibrium", inputs=["e.y"], outputs=["pin.position"])
    small = 1e-3
    time = np.linspace(0, 3, 301)
    _, y = scipy.signal.step((lin.A, lin.B, lin.C, lin.D), T=time)
    sim.set("e.value", small)
    run = sim.run(output_step=0.01)
    # the next term of sin is cubic: (1e-3 / 13.7)^2 / 6 of the response, far below the integrator's and SciPy's 1e-8
    np.testing.assert_allclose(run["pin.position"], small * y, atol=1e-7 * small)


def test_equilibrium_keeps_what_nothing_moves() -> None:
    text = """
luff: 1
blocks:
  slew: {type: revolute, axis: z, initial: {position: 0.4}}
  arm: {type: rigid_link, mass: 1, inertia: [1, 1, 1], frame_b: {at: [1, 0, 0]}}
  luffing: {type: revolute, axis: -y, initial: {position: 0.1}, stiffness: 400, rest: 0.5}
  boom: {type: rigid_link, mass: 10, com: [2, 0, 0], inertia: [1, 9, 9]}
connect:
  - world.frame -- slew.frame_a
  - slew.frame_b -- arm.frame_a
  - arm.frame_b -- luffing.frame_a
  - luffing.frame_b -- boom.frame_a
simulation: {stop: 1 s, step: 1 ms}
"""
    sim = luff.compile(luff.loads(text))
    x = dict(zip(sim.state_names, equilibrium(sim), strict=True))
    angle = x["luffing.position"]
    assert 400 * (0.5 - angle) == pytest.approx(10 * 9.81 * 2 * np.cos(angle), rel=1e-9)
    assert x["slew.position"] == pytest.approx(0.4, abs=1e-12)


OIL = """
luff: 1
blocks:
  hinge: {type: revolute, axis: -y, initial: {position: 0.2}, stiffness: 3e4, damping: 500}
  boom: {type: rigid_link, mass: 40, com: [1, 0, 0], inertia: [1, 20, 20]}
  feed: {type: supply, pressure: 150 bar}
  throttle: {type: orifice, area: 5 mm^2}
  store: {type: accumulator, size: 1 l, precharge: 60 bar}
  torque: {type: gain, k: 1e-3}
connect:
  - world.frame -- hinge.frame_a
  - hinge.frame_b -- boom.frame_a
  - feed.port -- throttle.a
  - throttle.b -- store.port
  - store.pressure -> torque.u
  - torque.y -> hinge.effort
simulation: {stop: 2 s, step: 0.5 ms}
"""


def test_equilibrium_of_oil_beside_angles() -> None:
    """A state near 1e10 Pa decides neither when an angle has arrived, nor what counts as no slope."""
    sim = luff.compile(luff.loads(OIL))
    x = equilibrium(sim)
    seen = sim.evaluate(0.0, x)
    # to rounding: the last step of Newton is taken too
    assert 15000 - 3e4 * x[0] == pytest.approx(40 * 9.81 * np.cos(x[0]), rel=1e-12)
    assert seen["store.pressure"] == pytest.approx(150e5, rel=1e-13)
    gas = 1e-3 * ((60e5 + 101325) / (150e5 + 101325)) ** (1 / 1.4)
    assert seen["store.gas"] == pytest.approx(gas, rel=1e-12)


def test_equilibrium_where_differences_find_none() -> None:
    """Valves that are almost shut, pressures and loops: slopes on either side of an edge are no mean of both."""
    sim = luff.compile(LIBRARY / "crane_knuckle_boom_hydraulic.yaml")
    x = equilibrium(sim)
    rates = dict(zip(sim.state_names, abs(sim.derivative(0.0, x)), strict=True))
    sizes = dict(zip(sim.state_names, np.maximum(1.0, abs(x)), strict=True))
    assert max(rates[name] / sizes[name] for name in rates) < 1e-6  # a second: what rounding of 1e7 Pa leaves


@pytest.mark.parametrize("name", ["crane_knuckle_boom", "column"])
def test_derivatives_of_resting_forces(name: str) -> None:
    """Also of what dependent rows of closed loops hand on."""
    point = OperatingPoint(luff.compile(LIBRARY / f"{name}.yaml"), 0.0, memories=True)
    point.go(np.where(np.isin(np.arange(len(point.x)), point.velocities), 0.0, point.x))
    forces = StaticResidual(point)
    J, exact = forces.jacobian(z := point.x[forces.free], forces(z), exact=False), forces.slopes()
    assert exact is not None
    assert forces.whole
    # extrapolated differences have ten digits
    np.testing.assert_allclose(exact, J, atol=1e-9 * abs(J).max())


SPRUNG = """
luff: 1
blocks:
  slide: {type: prismatic, axis: z, stiffness: 1000, damping: 10}
  body: {type: rigid_link, mass: 5}
  mean: {type: rms}
  %s
connect: [world.frame -- slide.frame_a, slide.frame_b -- body.frame_a, slide.position -> mean.u %s]
simulation: {stop: 1 s, step: 1 ms}
"""


def test_what_nothing_hangs_on_need_not_rest() -> None:
    """A running mean of a load that hangs still goes on summing; what feeds back does not pass for that."""
    sim = luff.compile(luff.loads(SPRUNG % ("", "")))
    x = dict(zip(sim.state_names, equilibrium(sim), strict=True))
    assert x["slide.position"] == pytest.approx(-5 * 9.81 / 1000)
    sums = "sum: {type: integrator}\n  push: {type: gain, k: 0.1}"
    wires = ", slide.position -> sum.u, sum.y -> push.u, push.y -> slide.effort"
    sim = luff.compile(luff.loads(SPRUNG % (sums, wires)))
    x = dict(zip(sim.state_names, equilibrium(sim), strict=True))
    assert x["slide.position"] == pytest.approx(0.0, abs=1e-9)


def test_search_that_leaves_what_can_be_computed_says_so() -> None:
    text = """
luff: 1
blocks:
  u: {type: expression, inputs: [x], expr: sqrt(x) - 1}
  y: {type: integrator}
connect: [u.y -> y.u, y.y -> u.x]
"""
    with pytest.raises(luff.RunError, match=r"y\.x: no equilibrium was found: .* is not a number"):
        equilibrium(luff.compile(luff.loads(text)))


def test_a_falling_body_has_no_equilibrium() -> None:
    text = """
luff: 1
blocks: {slide: {type: prismatic, axis: z}, bob: {type: rigid_link, mass: 2}}
connect: [world.frame -- slide.frame_a, slide.frame_b -- bob.frame_a]
simulation: {stop: 1 s, step: 1 ms}
"""
    with pytest.raises(luff.RunError, match=r"slide\.velocity: no equilibrium was found.*-9\.81 a second"):
        equilibrium(luff.compile(luff.loads(text)))


@pytest.mark.parametrize(
    ("inputs", "outputs", "message"),
    [
        (["rail.efort"], [], r'rail\.efort: there is no such signal.*did you mean "rail\.effort"'),
        (["rail.effort[1]"], [], "found element 1, expected 0 to 0"),
        (["rail.effort", "rail.effort"], [], "this input is named twice"),
        ([], ["pin.positon"], r'there is no such output.*did you mean "pin\.position"'),
    ],
)
def test_wrong_names_are_told(
    cart: luff.Simulation, inputs: list[str], outputs: list[str], message: str
) -> None:
    with pytest.raises(luff.LuffError, match=message):
        linearise(cart, inputs=inputs, outputs=outputs)


def test_sampled_way_from_input_to_output_is_a_map() -> None:
    text = """
luff: 1
blocks: {e: {type: sine}, hold: {type: zero_order_hold}, sum: {type: integrator}}
connect: [e.y -> hold.u, hold.y -> sum.u]
simulation: {stop: 1 s, step: 1 ms}
"""
    sim = luff.compile(luff.loads(text))
    lin = linearise(sim, inputs=["e.y"])
    assert lin.period == pytest.approx(0.01)
    assert lin.B[0, 0] == pytest.approx(0.01)  # what is sampled is held for that long
    assert lin.notes[0].startswith("A, B, C, D are a map over 0.01 s")
    assert linearise(sim).period == 0.0  # nothing asks


def test_held_memories_are_told() -> None:
    text = """
luff: 1
blocks: {e: {type: motion_law, end_value: 1, duration: 1}, hold: {type: sampled_command}, shaper: {type: input_shaper}}
connect: [e.y -> hold.u, hold.y -> shaper.u]
simulation: {stop: 1 s, step: 1 ms}
"""
    lin = linearise(luff.compile(luff.loads(text)), inputs=["e.y"])
    assert lin.notes == ["hold: its memory is constant in the linear model"]


HUNG_FROM_A_HULL = """
luff: 1
blocks:
  start: {type: free, initial: {rotate: [[x, 0.11]]}}
  hull: {type: rigid_link, mass: 5e6, inertia: [2e8, 1.5e9, 1.6e9], frames: {tip: {at: [0, 26, 30]}}}
  water: {type: bushing, stiffness: [2e5, 2e5, 1e7], rotational_stiffness: [2e8, 3e9, 2e8], damping: [4e5, 4e5, 2e6]}
  swing: {type: free, initial: {position: [0, 26, 4]}}
  load: {type: rigid_link, mass: 4e4, com: [0, 0, 1.5], inertia: [1.5e5, 1.5e5, 2e5], frames: {eye: {at: [0, 0, 3]}}}
  rope: {type: rope, EA: 4e8, length: 23}
connect:
  - world.frame -- start.frame_a
  - start.frame_b -- hull.frame_a
  - world.frame -- water.frame_a
  - hull.frame_a -- water.frame_b
  - world.frame -- swing.frame_a
  - swing.frame_b -- load.frame_a
  - hull.tip -- rope.frame_a
  - load.eye -- rope.frame_b
initial: {solve: static}
"""


def test_what_cancels_is_no_kink() -> None:
    """The rope has no moment about the load's own axis: slopes of 1e-15 there, where those of the others are 8."""
    lin = luff.linearise(luff.compile(luff.loads(HUNG_FROM_A_HULL)), x="equilibrium")
    assert lin.notes == []


def test_kink_beside_a_far_stiffer_state_of_a_block_is_told() -> None:
    """States of a signal block share no rounding: 1/s bends beside slopes of 1e12/s."""
    text = """
luff: 1
blocks:
  plant: {type: state_space, A: [[-1, 0], [0, -1e12]], B: [[1], [0]], C: [[1, 0]], D: [[0]]}
  limit: {type: saturation, lower: 0, upper: 1}
connect:
  - plant.y -> limit.u
  - limit.y -> plant.u
"""
    lin = luff.linearise(luff.compile(luff.loads(text)))
    assert any("plant.x[0]" in note for note in lin.notes), lin.notes


def test_kinks_are_told() -> None:
    """At the edge of a saturation half of the signal passes."""
    text = """
luff: 1
blocks: {e: {type: constant, value: 1}, limit: {type: saturation, upper: 1}, sum: {type: integrator}}
connect: [e.y -> limit.u, limit.y -> sum.u]
simulation: {stop: 1 s, step: 1 ms}
"""
    lin = linearise(luff.compile(luff.loads(text)), inputs=["e.y"])
    assert lin.B[0, 0] == pytest.approx(0.5)
    assert lin.notes == ["e.y: the model has a kink here; the mean of both slopes was taken"]


@pytest.mark.parametrize("suffix", [".npz", ".mat", ".json"])
def test_files_hold_everything(cart: luff.Simulation, tmp_path: Path, suffix: str) -> None:
    lin = linearise(cart, inputs=["rail.effort"])
    path = tmp_path / f"cart{suffix}"
    lin.save(path)
    if suffix == ".npz":
        found = dict(np.load(path))
    elif suffix == ".mat":
        found = scipy.io.loadmat(path, squeeze_me=True)
    else:
        found = json.loads(path.read_text())
    np.testing.assert_array_equal(np.reshape(found["A"], lin.A.shape), lin.A)
    np.testing.assert_array_equal(np.reshape(found["B"], lin.B.shape), lin.B)
    assert list(found["state_names"]) == lin.state_names


def test_a_motion_without_mass_is_told_as_by_a_run() -> None:
    text = """luff: 1
blocks:
  base: {type: revolute, axis: z}
  elbow: {type: revolute, axis: z}
  hub: {type: rigid_link, mass: 10}
  arm: {type: rigid_link, mass: 1, com: [1, 0, 0], inertia: [1, 1, 1]}
connect:
  - world.frame -- base.frame_a
  - base.frame_b -- hub.frame_a
  - hub.frame_b -- elbow.frame_a
  - elbow.frame_b -- arm.frame_a
"""
    sim = luff.compile(luff.Diagram.from_yaml(text))
    idle = r"base\.velocity, elbow\.velocity can move without moving any mass: turn their axes apart"
    for ask in (luff.linearise, lambda sim: sim.run()):
        with pytest.raises(luff.LuffError, match=idle):
            ask(sim)
