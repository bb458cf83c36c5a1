"""The linearly implicit method on its own: inputs that depend on time, and equations whose rows must change places."""

from __future__ import annotations

import math
import re
from itertools import pairwise

import numpy as np
import pytest

import luff
from luff.solver.integrators import rosenbrock
from luff.solver.integrators.run_data import PARTED, TRIED
from luff.tests.conftest import about_compiling

GAMMA = 0.435866521508459  # Rang and Angermann (2005), table 1


def test_a_step_of_an_equation_with_time_in_it_is_the_textbook_s() -> None:
    """y' = -k y^3 + sin(w t): all terms count, h df/dt over the step among them; it drops out of linear equations."""
    k, w, h, start = 3.0, 4.0, 0.2, 1.2
    text = f"""
luff: 1
blocks:
  f: {{type: expression, inputs: [v], expr: "-{k}*v^3 + sin({w}*t)"}}
  y: {{type: integrator, initial: {start}}}
connect: [f.y -> y.u, y.y -> f.v]
simulation: {{stop: {h}, step: {h}, method: implicit}}
"""
    end = luff.compile(luff.loads(text)).run()["y.y"][-1]

    def f(t: float, y: float) -> float:
        return -k * y**3 + math.sin(w * t)

    # Hairer and Wanner II, eq. IV.7.4a: k_i = h f(t + alpha_i h, y + a k) + gamma_i h^2 df/dt + h J sum gamma_ij k_j
    A, G, b = rosenbrock.ALPHA, rosenbrock.GAMMAS, rosenbrock.WEIGHTS
    J, change = -3 * k * start**2, f(h, start) - f(0, start)
    stages = np.zeros(4)
    for i in range(4):
        right = h * f(A[i].sum() * h, start + A[i] @ stages) + G[i].sum() * h * change
        stages[i] = (right + h * J * (G[i, :i] @ stages[:i])) / (1 - h * GAMMA * J)
    # the slope by a difference of 1e-8, which counts by the method's own error
    assert end == pytest.approx(start + b @ stages, rel=1e-8)


@pytest.mark.parametrize("order", ["first, second, third", "third, second, first", "second, first, third"])
def test_equations_whose_rows_must_change_places_are_solved(order: str) -> None:
    """1/(h gamma) - df/dx with a zero where elimination begins, whichever state comes first.

    One step of the textbook's formula, with k of each stage found by numpy, is the known answer.
    """
    h = 0.1
    a = 1.0 / (h * GAMMA)
    J = np.array([[a, 2.0, -1.0], [3.0, a, 0.5], [-2.0, 1.0, a]])
    names = ("first", "second", "third")
    rates = {
        name: " + ".join(f"({float(J[i, j])!r})*{other}" for j, other in enumerate(names))
        for i, name in enumerate(names)
    }
    # so small that differences of the rates lose nothing to rounding: the zero is one to 1e-14
    pushes = 1e-6 * np.array([1.0, -2.0, 0.5])
    lines = [f"  {name}: {{type: integrator}}" for name in order.split(", ")]
    inputs = "inputs: [first, second, third]"
    lines += [
        f'  rate_{name}: {{type: expression, {inputs}, expr: "{rates[name]} + ({float(push)!r})"}}'
        for name, push in zip(names, pushes, strict=True)
    ]
    wires = [f"rate_{name}.y -> {name}.u" for name in names]
    wires += [f"{name}.y -> rate_{other}.{name}" for name in names for other in names]
    blocks = "\n".join(lines)
    text = f"luff: 1\nblocks:\n{blocks}\nconnect: [{', '.join(wires)}]\n"
    text += f"simulation: {{stop: {h}, step: {h}, method: implicit}}\n"
    result = luff.compile(luff.loads(text)).run()

    A, G, b = rosenbrock.ALPHA, rosenbrock.GAMMAS, rosenbrock.WEIGHTS
    k = np.zeros((4, 3))
    for i in range(4):
        right = h * (J @ (A[i] @ k) + pushes) + h * J @ (G[i, :i] @ k[:i])
        k[i] = np.linalg.solve(np.eye(3) - h * GAMMA * J, right)
    wanted = b @ k
    found = [result[f"{name}.y"][-1] for name in names]
    assert np.all(np.isfinite(found))
    np.testing.assert_allclose(found, wanted, rtol=1e-9)


BOOM = """
luff: 1
blocks:
  plan: {type: motion_law, unit: rad, end_value: 60 deg, start: 0.02 s, duration: 1 s}
  slew: {type: revolute, axis: z, driven: true}
  boom: {type: rfem_link, length: 8 m, section: {shape: box, width: 0.16 m, height: 0.24 m, thickness: 6 mm},
    E: 200 GPa, divisions: 2, damping: 4 ms}
  load: {type: rigid_link, mass: 150}
connect: [world.frame -- slew.frame_a, slew.frame_b -- boom.frame_a, boom.frame_b -- load.frame_a,
  plan.y -> slew.follow]
simulation: {stop: 1 s, step: 10 ms, method: implicit}
"""


def test_smooth_motion_is_taken_in_whole_steps() -> None:
    """A boom that bends and, a million times less, twists quickly: the bits of steps that are never divided."""
    sim = luff.compile(luff.loads(BOOM))
    divided, whole = sim.start(), sim.start()
    whole.instance.number[PARTED] = 0
    for _ in range(100):
        divided.step()
        whole.step()
    assert np.ptp(divided.x) > 0.1
    np.testing.assert_array_equal(divided.x, whole.x)


def stored_oil(scale: float) -> str:
    """Oil in a neck of 50 ml, stiff to 10 bar and soft beyond, in m^3 / scale: it settles at the bend."""
    full = 5e-5 * scale * (1 + 1e6 / 1.4e9)
    stiff, soft = 1.4e9 / 5e-5 / scale, 1e10 / scale
    return f"""
luff: 1
blocks:
  oil: {{type: integrator, initial: {full - 2e-9 * scale!r}}}
  more: {{type: expression, inputs: [oil], expr: "oil - ({full!r})"}}
  p: {{type: expression, inputs: [more], expr: "1e6 + min({stiff!r}*more, {soft!r}*more)"}}
  flow: {{type: expression, inputs: [p], expr: "{1e-9 * scale!r}*(1e6 + 2e3*t - p)"}}
connect: [oil.y -> more.oil, more.y -> p.more, p.y -> flow.p, flow.y -> oil.u]
simulation: {{stop: 20 ms, step: 1 ms, method: implicit}}
"""


def test_small_states_have_slopes_of_their_own_size() -> None:
    """In m^3 or in cm^3: a nudge of 1.5e-8 m^3 reached over the bend, and was off by 1.3e-4 of the pressure."""
    metres, centimetres = (luff.compile(luff.loads(stored_oil(scale))).run()["p.y"] for scale in (1.0, 1e6))
    np.testing.assert_allclose(metres, centimetres, rtol=1e-9)  # rounding of the volume is 2e-13
    assert metres[-1] > 1e6  # beyond the bend


CART = """
luff: 1
blocks:
  slide: {type: prismatic, axis: x, stiffness: 400, damping: 4, initial: {position: 0.1}}
  cart: {type: rigid_link, mass: 2}
  pin: {type: revolute, axis: -y, initial: {position: 0.8, velocity: 1.0}}
  rod: {type: rigid_link, mass: 1, com: [0, 0, -0.5]}
connect: [world.frame -- slide.frame_a, slide.frame_b -- cart.frame_a, cart.frame_b -- pin.frame_a,
  pin.frame_b -- rod.frame_a]
simulation: {stop: 1 s, step: 10 ms, method: implicit}
"""


@about_compiling
def test_differences_of_the_slopes_cost_no_order() -> None:
    """The same step with exact derivatives, in plain Python: equal ends, and order 3."""
    sim = luff.compile(luff.loads(CART))

    def exact(h: float) -> np.ndarray:
        x, n = sim.x0.copy(), len(sim.x0)
        for _ in range(round(1.0 / h)):
            W = np.eye(n) / (h * GAMMA) - sim.jacobian(0.0, x)
            u = np.zeros((4, n))
            for s in range(4):
                rate = sim.derivative(0.0, x + rosenbrock.A[s, :s] @ u[:s])
                u[s] = np.linalg.solve(W, rate + rosenbrock.C[s, :s] / h @ u[:s])
            x = x + rosenbrock.M @ u
        return x

    def compiled(h: float) -> np.ndarray:
        session = sim.start(step=h)
        session.advance(steps=round(1.0 / h))
        return session.x[: len(sim.x0)]

    ends = [compiled(h) for h in (0.01, 0.005, 0.0025)]
    # slopes by differences are good for 1e-8, and count by the method's own error of 1e-4
    np.testing.assert_allclose(ends[0], exact(0.01), rtol=0.0, atol=1e-11)
    falls = [np.linalg.norm(b - a) for a, b in pairwise(ends)]
    assert math.log2(falls[0] / falls[1]) == pytest.approx(3.0, abs=0.05)


ROUNDED = """
luff: 1
blocks:
  wave: {type: sine, frequency: 30 rad/s}
  rest: {type: expression, inputs: [u], expr: "(u + 0.1) - u - 0.1"}
  grown: {type: integrator}
connect: [wave.y -> rest.u, rest.y -> grown.u]
simulation: {stop: 1 s, step: 1 ms, method: implicit}
"""


def filling(scale: float) -> str:
    """An empty vessel whose pressure grows with the square of what it holds: y' = scale (1 - 4e6 (y / scale)^2)."""
    return f"""
luff: 1
blocks:
  flow: {{type: expression, inputs: [held], expr: "{scale!r}*(1 - 4e6*(held/({scale!r}))*abs(held/({scale!r})))"}}
  oil: {{type: integrator}}
connect: [flow.y -> oil.u, oil.y -> flow.held]
simulation: {{stop: 20 ms, step: 1 ms, method: implicit}}
"""


@pytest.mark.parametrize(("scale", "off"), [(1e-6, 1e-4), (1e6, 1e-9)])
def test_parts_of_a_step_do_not_follow_from_the_unit(scale: float, off: float) -> None:
    """At y = 0 the slope is none, and a whole step would be thrown: y = scale 5e-4 tanh(2e3 t) is met in parts of it.

    A motion of 1e-8 counted as none in any unit: for 1e-6 the same oil was off by another 1.5 %. Nudges, which are
    1.5e-12 at least, reach over 3e-3 of it there, and leave 1e-5.
    """
    ones, others = (luff.compile(luff.loads(filling(size))).run()["oil.y"] / size for size in (1.0, scale))
    np.testing.assert_allclose(others, ones, rtol=off)
    np.testing.assert_allclose(
        ones, 5e-4 * np.tanh(2.0 * np.arange(21)), rtol=5e-3
    )  # of a rest that is stiff


def test_what_rounding_moves_asks_for_no_parts() -> None:
    """A controller that stands at its target integrates 1e-17: steps are whole, as those of the method alone."""
    sim = luff.compile(luff.loads(ROUNDED))
    divided, whole = sim.start(), sim.start()
    whole.instance.number[PARTED] = 0
    for _ in range(100):
        divided.step()
        whole.step()
    assert 0.0 < abs(divided.x[0]) < 1e-15
    np.testing.assert_array_equal(divided.x, whole.x)


def falling_chain(count: int, unlike: str = "") -> str:
    """A straight chain of 10 m that is let go at 60 degrees; only its joints near the end turn against each other."""
    length = 10.0 / count
    blocks, wires, last = [], [], "world.frame"
    for k in range(count):
        start = ", initial: {position: 60 deg}" if k == 0 else ""
        blocks.append(f"  j{k}: {{type: revolute, axis: y{start}{unlike if k == count - 1 else ''}}}")
        blocks.append(
            f"  b{k}: {{type: rigid_link, mass: 1, com: [0, 0, {-length / 2!r}], "
            f"inertia: [{length**2 / 12!r}, {length**2 / 12!r}, 1e-4], frame_b: {{at: [0, 0, {-length!r}]}}}}"
        )
        wires += [f"  - {last} -- j{k}.frame_a", f"  - j{k}.frame_b -- b{k}.frame_a"]
        last = f"b{k}.frame_b"
    text = "\n".join(["luff: 1", "blocks:", *blocks, "connect:", *wires])
    return f"{text}\nsimulation: {{stop: 0.2 s, step: 10 ms, method: implicit}}\n"


def test_long_chain_is_taken_in_whole_steps() -> None:
    """Joints that hardly move have slopes that differences do not find, and nothing hangs on them."""
    sim = luff.compile(luff.loads(falling_chain(100)))
    session = sim.start()
    assert session.advance(steps=10) == "running"
    assert session.instance.real[TRIED] <= 2 * 10  # 256 parts a step, at most, were tried before
    # as good as a step of a tenth, by another method: one second of fall turns it by some rad
    true = sim.start(method="rk4", step=1e-4)
    true.advance(steps=1000)
    n, names = len(sim.x0), list(sim.state_names)
    turned = [k for k, name in enumerate(names) if name.endswith(".position")]
    rates = [k for k, name in enumerate(names) if name.endswith(".velocity")]
    # order 3 at 10 ms, of 0.09 rad
    np.testing.assert_allclose(session.x[turned], true.x[turned], atol=2e-3)
    # rates are off by what swings, undamped, at up to 250 rad/s: no step of 10 ms follows that
    fastest = abs(np.linalg.eigvals(np.asarray(sim.jacobian(0.1, true.x[:n])))).max()
    off = abs(session.x[rates] - true.x[rates]).max()
    assert off < 2e-3 * fastest
    # shorter steps follow it: order 3
    errors = []
    for step in (2.5e-3, 1.25e-3):
        short = sim.start(step=step)
        short.advance(steps=round(0.1 / step))
        errors.append(abs(short.x[rates] - true.x[rates]).max())
    assert errors[1] < 2e-3
    assert math.log2(errors[0] / errors[1]) == pytest.approx(3.0, abs=0.1)


def test_steps_that_are_divided_often_are_told() -> None:
    """Oil whose flow opens and shuts with its pressure costs many parts; whole steps are not remarked upon."""
    session = luff.compile(luff.loads(filling(1.0).replace("stop: 20 ms", "stop: 2 ms"))).start()
    while session.advance() == "running":
        pass
    assert session.instance.real[TRIED] > 2 * 2
    (told,) = [str(remark) for remark in session.remarks if "parts on average" in str(remark)]
    parts = float(re.search(r"split into ([\d.]+) parts", told)[1])  # type: ignore[index]
    shorter = float(re.search(r"try a step of ([\d.]+) ms", told)[1])  # type: ignore[index]
    whole_number = 1e3 * session.step_size / shorter
    assert whole_number == pytest.approx(round(whole_number), rel=1e-5)  # digits that are told
    assert 1 / 1.5 < round(whole_number) / parts < 1.5  # about as dear
    whole = luff.compile(luff.loads(BOOM)).start(stop=0.2)
    while whole.advance() == "running":
        pass
    assert not [remark for remark in whole.remarks if "parts on average" in str(remark)]


@pytest.mark.filterwarnings("ignore::luff.ModelWarning")
@pytest.mark.parametrize("rate", [240.0, 300.0, 500.0, 1000.0])
def test_growth_that_a_step_would_turn_round_is_followed_in_substeps(rate: float) -> None:
    """x' = a x: beyond h a = 2.29 the step is divided, and z of a part is below 0.57, where R(z) is e^z to 0.5 %.

    Parts of h a between 1.43 and 2.29 would decay, and two halves of the step with them.
    """
    h, start = 0.01, 1e-3
    text = f"""
luff: 1
blocks:
  x: {{type: integrator, initial: {start}}}
  a: {{type: gain, k: {rate}}}
connect: [x.y -> a.u, a.y -> x.u]
simulation: {{stop: {h}, step: {h}, method: implicit}}
"""
    end = float(luff.compile(luff.loads(text)).run()["x.y"][-1])
    # each part multiplies by R(z) within 0.5 % of e^z, and has a z of 0.28 at least
    assert math.log(end / start) == pytest.approx(rate * h, abs=0.005 * rate * h / 0.28)
