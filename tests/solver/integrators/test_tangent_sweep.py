"""`implicit` in O(n): W with the stiffness and damping of rows alone, solved by a sweep over the tree."""

from __future__ import annotations

import json
import math
from itertools import pairwise

import numpy as np
import pytest

import luff
from luff.solver.integrators.method_table import method_of
from luff.solver.integrators.rosenbrock import ALPHA, GAMMA, GAMMAS, WEIGHTS
from luff.solver.integrators.run_data import TRIED
from luff.solver.integrators.substeps import CONVERGES
from luff.solver.kernels.model_data import H_GAMMA, O_SWEPT
from luff.solver.simulation.session import Session

COUNT = 14  # joints, for which a sweep costs less than differences
MORE = 24  # where signals are to be solved for beside it


def tree(count: int, stiffness: float = 2e3, damping: float = 2.0, more: str = "") -> str:
    """A branched tree of turning and sliding joints; its first body is free."""
    random = np.random.default_rng(count)
    blocks: dict[str, dict[str, object]] = {
        "free": {"type": "free", "initial": {"angular_velocity": [0.3, -0.2, 0.4]}},
        "hull": {"type": "rigid_link", "mass": 5.0, "inertia": [0.3, 0.4, 0.5], "com": [0.1, 0.0, 0.05]},
    }  # fmt: skip
    connect, before = ["world.frame -- free.frame_a", "free.frame_b -- hull.frame_a"], ["hull.frame_a"]
    for k in range(count):
        at = before[int(random.integers(len(before)))]
        blocks[f"j{k}"] = {
            "type": "prismatic" if k % 4 == 3 else "revolute", "axis": "xyz"[k % 3],
            "stiffness": stiffness, "damping": damping, "initial": {"position": 0.02 * (k % 3)},
        }  # fmt: skip
        blocks[f"b{k}"] = {
            "type": "rigid_link", "mass": 1.0 + 0.1 * k, "com": [0.1, 0.02, 0.03], "inertia": [0.02, 0.03, 0.04],
            "frame_b": {"at": [0.2, 0.0, 0.1]},
        }  # fmt: skip
        connect += [f"{at} -- j{k}.frame_a", f"j{k}.frame_b -- b{k}.frame_a"]
        before.append(f"b{k}.frame_b")
    settings = {"stop": "0.1 s", "step": "1 ms", "method": "implicit"}
    raw = {"luff": 1, "blocks": blocks, "connect": connect, "simulation": settings}
    if more == "filter":
        raw["blocks"]["seen"] = {"type": "transfer_function", "num": [1], "den": [1e-4, 1]}
        raw["connect"].append("j0.position -> seen.u")
    return json.dumps(raw)


def flown(
    sim: luff.Simulation, steps: int, step: float, method: str = "implicit", full: bool = False
) -> Session:
    session = sim.start(stop=1e3, step=step, method=method, output_step=1e3)
    if full:
        session.instance.model.option[O_SWEPT] = 0
        session.work = session.instance.work_vectors(method_of(method), len(session.x))
    assert session.advance(steps=steps) == "running"
    return session


def test_sweep_solves_the_equations_that_matrices_have() -> None:
    """(1/g - W) u = r with W = [0, E; -M^-1 K, -M^-1 C], by numpy."""
    sim = luff.compile(luff.loads(tree(COUNT)))
    instance, g, n = sim.instance, 3e-3, len(sim.x0)
    assert instance.model.option[O_SWEPT] == 1
    random = np.random.default_rng(1)
    x = sim.x0 + 0.2 * random.standard_normal(n)
    instance.rates(0.0, x)
    data, names = instance.data, sim.state_names
    instance.w[instance.sections.first["t"] + 2] = g
    for code, *given, _ in instance.calls["factors"]:
        getattr(code, "function", code)(*given)
    right = random.standard_normal(n)
    data.dx[:n] = right
    for code, *given, _ in instance.calls["solves"]:
        getattr(code, "function", code)(*given)
    assert data.scalar[H_GAMMA] == g
    found = data.dx[:n].copy()

    M = np.asarray(sim.mass_matrix(x))
    rates = [names.index(name) for name in sim.rate_names]
    f = sim.derivative(0.0, x)
    W = np.zeros((n, n))
    for column in rates:  # dq/dt is linear in the rates
        there = x.copy()
        there[column] += 1.0
        moved = sim.derivative(0.0, there) - f
        rest = [j for j in range(n) if j not in rates]
        W[rest, column] = moved[rest]
    for k in range(COUNT):
        i, position = sim.rate_names.index(f"j{k}.velocity"), names.index(f"j{k}.position")
        W[rates, position] -= 2e3 * np.linalg.inv(M)[:, i]
        W[rates, rates[i]] -= 2.0 * np.linalg.inv(M)[:, i]
    np.testing.assert_allclose(found, np.linalg.solve(np.eye(n) / g - W, right), rtol=1e-9, atol=1e-13)


def test_errors_are_those_of_the_whole_jacobian_and_fall_with_order_3() -> None:
    sim = luff.compile(luff.loads(tree(COUNT)))
    n = len(sim.x0)
    true = flown(sim, 4000, 1e-5, "rk4").x[:n]
    ends = [flown(sim, count, 0.04 / count) for count in (20, 40, 80)]
    errors = [float(np.linalg.norm(session.x[:n] - true)) for session in ends]
    assert all(math.log2(a / b) == pytest.approx(3.0, abs=0.35) for a, b in pairwise(errors))
    whole = float(np.linalg.norm(flown(sim, 80, 5e-4, full=True).x[:n] - true))
    assert errors[-1] == pytest.approx(whole, rel=0.5)
    assert ends[-1].instance.real[TRIED] == 80  # no step is divided


def test_what_is_stiff_comes_to_rest_at_long_steps() -> None:
    """h k / c of 1 and h c / J of 50, far beyond what explicit steps bear: what the springs held is lost."""
    sim = luff.compile(luff.loads(tree(COUNT, stiffness=1e6, damping=1e3)))
    session = flown(sim, 200, 1e-3)
    n = len(sim.x0)
    bent = [
        session.x[k] for k, name in enumerate(sim.state_names) if name.endswith("position") and name[0] == "j"
    ]
    assert np.isfinite(session.x[:n]).all()
    # of 0.04 at the start; the spin of 0.6 rad/s pulls with some 0.1 N at them
    assert max(map(abs, bent)) < 1e-6


def test_a_filter_that_sees_the_tree_follows_it() -> None:
    """Its time constant is a tenth of the step: its slopes along the tree's motion count, not its own alone."""
    sim = luff.compile(luff.loads(tree(MORE, more="filter")))
    assert sim.instance.model.option[O_SWEPT] == 1
    session, whole = flown(sim, 50, 1e-3), flown(sim, 50, 1e-3, full=True)
    seen = next(k for k, name in enumerate(sim.state_names) if name.startswith("seen"))
    np.testing.assert_allclose(session.x[seen], whole.x[seen], rtol=2e-3)
    assert session.instance.real[TRIED] <= 2 * 50


def test_steps_that_what_is_left_out_would_spoil_are_divided() -> None:
    """Springs let go that are stiff beyond all steps: 80 kJ, which dampers take within 0.1 ms."""
    sim = luff.compile(luff.loads(tree(COUNT, stiffness=1e8, damping=1e4)))
    session = flown(sim, 20, 1e-3)
    spins = [session.x[k] for k, name in enumerate(sim.state_names) if "angular_velocity" in name]
    # 0.54 rad/s at the start; a step of 1 ms that is not divided leaves 300, one of 0.1 ms by the whole Jacobian 1.7
    assert np.linalg.norm(spins) < 5.0
    assert session.instance.real[TRIED] > 20


def controlled(gain: float) -> luff.Simulation:
    """Two joints with stiff control, one of them behind a fast filter."""
    raw = json.loads(tree(MORE))
    raw["blocks"] |= {
        "lag": {"type": "transfer_function", "num": [1], "den": [1e-4, 1]},
        "p0": {"type": "gain", "k": -gain}, "p5": {"type": "gain", "k": -gain}, "d5": {"type": "gain", "k": -gain / 50},
        "sum": {"type": "sum", "signs": "++"},
    }  # fmt: skip
    raw["connect"] += [
        "j0.position -> lag.u", "lag.y -> p0.u", "p0.y -> j0.effort", "j5.position -> p5.u", "j5.velocity -> d5.u",
        "p5.y -> sum.u1", "d5.y -> sum.u2", "sum.y -> j5.effort",
    ]  # fmt: skip
    return luff.compile(luff.loads(json.dumps(raw)))


def test_control_of_few_joints_counts_beside_the_sweep() -> None:
    """Errors fall with order 3 to what the whole Jacobian has; at gains beyond all explicit steps nothing grows."""
    sim = controlled(2e4)
    assert sim.program.model.option[O_SWEPT] == 1
    n = len(sim.x0)
    true = flown(sim, 8000, 5e-6, "rk4").x[:n]
    errors = [float(np.linalg.norm(flown(sim, count, 0.04 / count).x[:n] - true)) for count in (40, 80, 160)]
    assert math.log2(errors[1] / errors[2]) == pytest.approx(3.0, abs=0.5)
    whole = float(np.linalg.norm(flown(sim, 160, 2.5e-4, full=True).x[:n] - true))
    assert errors[-1] == pytest.approx(whole, rel=0.5)
    stiff = controlled(1e9)
    ends = flown(stiff, 300, 1e-3), flown(stiff, 300, 1e-3, full=True)
    place = list(stiff.state_names).index("j5.position")
    assert abs(ends[0].x[place]) < 1e-5
    assert np.isfinite(ends[0].x).all()
    # parts, where control at first asks for 2e7 N m, are no more than three for one
    assert ends[0].instance.real[TRIED] < 3 * ends[1].instance.real[TRIED]


def test_one_step_with_the_correction_is_that_of_the_whole_jacobian() -> None:
    """Control of 1e5 N m/rad against 2e3 of the springs: off by what weight and speed are in a step of 1 ms."""
    sim = controlled(1e5)
    one, whole = flown(sim, 1, 1e-3), flown(sim, 1, 1e-3, full=True)
    n = len(sim.x0)
    moved = whole.x[:n] - sim.x0
    np.testing.assert_allclose(one.x[:n] - sim.x0, moved, rtol=0.0, atol=1e-2 * abs(moved).max())
    kept = [k for k, name in enumerate(sim.state_names) if name.endswith("position")]
    np.testing.assert_allclose(
        one.x[kept] - sim.x0[kept], moved[kept], rtol=0.0, atol=1e-2 * abs(moved[kept]).max()
    )


@pytest.mark.parametrize("change", ["limits", "friction", "all fed back", "spring to the ground", "loop"])
def test_what_is_stiff_elsewhere_has_the_whole_jacobian(change: str) -> None:
    raw = json.loads(tree(COUNT))
    blocks, connect = raw["blocks"], raw["connect"]
    if change == "limits":
        blocks["j0"]["limits"] = {"lower": -1.0, "upper": 1.0}
    elif change == "friction":
        blocks["j0"]["friction"] = {"model": "lugre", "mu_s": 0.2, "mu_k": 0.1, "load": 10.0, "diameter": 0.1}
    elif change == "all fed back":
        for k in range(COUNT):
            blocks[f"p{k}"] = {"type": "gain", "k": -1e5}
            connect += [f"j{k}.position -> p{k}.u", f"p{k}.y -> j{k}.effort"]
    elif change == "spring to the ground":
        blocks["line"] = {"type": "line_spring", "stiffness": 1e6, "free_length": 0.1}
        connect += ["world.frame -- line.frame_a", "hull.frame_a -- line.frame_b"]
    else:
        blocks["ball"] = {"type": "spherical", "cut": True}
        connect += ["world.frame -- ball.frame_a", "ball.frame_b -- hull.frame_a"]
    program = luff.compile(luff.loads(json.dumps(raw))).program
    assert program.model.option[O_SWEPT] == 0
    assert not program.ordered["solves"]


def together(
    *texts: str, more: dict[str, dict[str, object]] | None = None, wires: list[str] | None = None
) -> str:
    """Mechanisms beside each other, with a number behind each name."""
    whole = json.loads(texts[0])
    whole["blocks"], whole["connect"] = dict(more or {}), list(wires or [])
    for number, text in enumerate(texts):
        raw = json.loads(text)
        whole["blocks"] |= {f"{name}_{number}": block for name, block in raw["blocks"].items()}
        for wire in raw["connect"]:
            ends = [end.partition(".") for end in wire.split()]
            named = (name if name in ("--", "->", "world") else f"{name}_{number}" for name, _, _ in ends)
            whole["connect"].append(
                " ".join(name + dot + port for name, (_, dot, port) in zip(named, ends, strict=True))
            )
    return json.dumps(whole)


def test_mechanisms_beside_each_other_have_sweeps_of_their_own() -> None:
    """One of them has a stop, and the whole Jacobian; a filter reads both, and acts on neither."""
    stopped = json.loads(tree(3))
    stopped["blocks"]["j0"]["limits"] = {"lower": -1.0, "upper": 1.0}
    texts = tree(45), json.dumps(stopped), tree(50)
    filters: dict[str, dict[str, object]] = {
        "both": {"type": "sum", "signs": "++"}, "seen": {"type": "transfer_function", "num": [1], "den": [1e-2, 1]},
    }  # fmt: skip
    wires = ["j0_0.position -> both.u1", "j0_1.position -> both.u2", "both.y -> seen.u"]
    sim = luff.compile(luff.loads(together(*texts, more=filters, wires=wires)))
    assert [one.model.option[O_SWEPT] for one in sim.program.components] == [1, 0, 1]
    session, whole = flown(sim, 20, 1e-3), flown(sim, 20, 1e-3, full=True)
    for number, text in enumerate(texts):
        alone = luff.compile(luff.loads(text))
        expected = flown(alone, 20, 1e-3)
        places = [sim.state_names.index(name.replace(".", f"_{number}.", 1)) for name in alone.state_names]
        # slopes found by differences, in other groups: good for 1e-8 of what moves in a step
        np.testing.assert_allclose(session.x[places], expected.x[: len(places)], rtol=0.0, atol=1e-8)
    seen = sim.state_names.index("seen.x")
    assert session.x[seen] == pytest.approx(whole.x[seen], rel=2e-3)


def test_signals_between_mechanisms_are_solved_for_beside_their_sweeps() -> None:
    """A stiff drive pulls a joint of one tree after that of another: the column of each is taken by a difference."""
    blocks: dict[str, dict[str, object]] = {
        "off": {"type": "sum", "signs": "+-"},
        "drive": {"type": "gain", "k": 1e7},
        "rub": {"type": "gain", "k": -1e4},
        "both": {"type": "sum", "signs": "++"},
    }
    wires = [
        "j1_0.position -> off.u1", "j1_1.position -> off.u2", "off.y -> drive.u", "j1_1.velocity -> rub.u",
        "drive.y -> both.u1", "rub.y -> both.u2", "both.y -> j1_1.effort",
    ]  # fmt: skip
    sim = luff.compile(luff.loads(together(tree(MORE), tree(MORE), more=blocks, wires=wires)))
    assert [one.model.option[O_SWEPT] for one in sim.program.components] == [1, 1]
    session, whole = flown(sim, 100, 1e-3), flown(sim, 100, 1e-3, full=True)
    a, b = (sim.state_names.index(f"j1_{k}.position") for k in (0, 1))
    # its damper, at rest, lets it lag by 1 ms: a joint turns by less than 1 rad/s
    assert abs(session.x[a] - session.x[b]) < 1e-3
    assert abs(session.x - whole.x)[[a, b]].max() < 1e-4


def test_lanes_and_single_runs_are_the_same() -> None:
    sim = luff.compile(luff.loads(tree(COUNT)))
    masses = [1.5, 2.0, 3.0]
    table = luff.batch(sim, {"b3.mass": masses}, outputs=["j3.position"], stop=0.01)
    for row, mass in zip(table["j3.position"], masses, strict=True):
        alone = luff.compile(luff.loads(tree(COUNT)), **{"b3.mass": mass}).run(stop=0.01)
        np.testing.assert_array_equal(np.ravel(row)[-1], alone["j3.position"][-1])


def test_growth_is_bounded_where_iterations_converge() -> None:
    """y' = (a + b) y with a in W and b left out, |b| <= CONVERGES |1/(h gamma) - a|, a and a + b on the left.

    The stability function from the coefficients, on a grid of a and on the edge of the disc of b and the imaginary axis
    of a + b, where |R|, analytic in b, is largest.
    """
    size = np.geomspace(1e-2, 1e4, 200)[:, None, None]
    a = -size * np.exp(1j * np.linspace(-np.pi / 2, np.pi / 2, 91))[None, :, None]
    radius = CONVERGES * abs(1.0 / GAMMA - a)
    edge = radius * np.exp(1j * np.linspace(0.0, 2.0 * np.pi, 181))
    chord = -a.real + 1j * np.linspace(-1.0, 1.0, 181) * np.sqrt(np.maximum(radius**2 - a.real**2, 0.0))
    for b, inside in ((edge, (a + edge).real <= 0.0), (chord, (radius >= -a.real) & (chord == chord))):
        stages: list[np.ndarray] = []
        for i in range(4):
            right = (a + b) * (1.0 + sum(ALPHA[i, j] * stages[j] for j in range(i)))
            right = right + a * sum(GAMMAS[i, j] * stages[j] for j in range(i))
            stages.append(right / (1.0 - GAMMA * a))
        growth = abs(1.0 + sum(WEIGHTS[i] * stages[i] for i in range(4)))
        assert growth[inside].max() < 1.0 + 1e-3


def test_rows_that_a_release_holds_stand_still() -> None:
    """A load on a branch is let go after 10 ms: before it moves with the branch, and falls by itself behind it."""
    raw = json.loads(tree(COUNT))
    raw["blocks"] |= {
        "hook": {"type": "release", "time": "9.5 ms"},
        "load": {"type": "rigid_link", "mass": 3.0},
    }
    raw["blocks"]["load"]["inertia"] = [0.1, 0.2, 0.3]
    raw["connect"] += ["b5.frame_b -- hook.frame_a", "hook.frame_b -- load.frame_a"]
    sim = luff.compile(luff.loads(json.dumps(raw)))
    assert sim.program.model.option[O_SWEPT] == 1
    n, names = len(sim.x0), list(sim.state_names)
    held = flown(sim, 90, 1e-4)
    spins = [k for k, name in enumerate(names) if name.startswith("hook.") and "velocity" in name]
    assert len(spins) == 6
    np.testing.assert_array_equal(held.x[spins], 0.0)
    true = flown(sim, 4000, 5e-6, "rk4").x[:n]
    errors = [float(np.linalg.norm(flown(sim, count, 0.02 / count).x[:n] - true)) for count in (200, 400)]
    assert math.log2(errors[0] / errors[1]) == pytest.approx(3.0, abs=0.35)


def carts(count: int) -> str:
    """Masses on springs and dampers under a force of time, each on a rail of its own."""
    blocks: dict[str, dict[str, object]] = {
        "push": {"type": "expression", "inputs": [], "expr": "30*sin(40*t) + 5"}
    }
    wires = []
    for k in range(count):
        slide = {"type": "prismatic", "axis": "x", "stiffness": 400.0, "damping": 40.0 + k}
        blocks[f"slide{k}"] = {**slide, "initial": {"position": 0.1, "velocity": 0.5}}
        blocks[f"cart{k}"] = {"type": "rigid_link", "mass": 2.0}
        wires += [f"world.frame -- slide{k}.frame_a", f"slide{k}.frame_b -- cart{k}.frame_a"]
        wires.append(f"push.y -> slide{k}.effort")
    return json.dumps({"luff": 1, "blocks": blocks, "connect": wires})


@pytest.mark.parametrize("count", [1, 5])
def test_energies_of_a_step_are_those_of_the_textbook(count: int) -> None:
    """Work of the force and of the damper.

    Their rows of the Jacobian: by columns, at the start of the step; of several mechanisms by a difference about the
    last stage. A W-method takes either.
    """
    sim, h, m, k = luff.compile(luff.loads(carts(count))), 0.02, 2.0, 400.0
    n, wanted = len(sim.x0), np.zeros(2)
    for damping in (40.0 + number for number in range(count)):
        y = np.array([0.1, 0.5, 0.0, 0.0])

        def f(t: float, y: np.ndarray, c: float = damping) -> np.ndarray:
            force = 30.0 * math.sin(40.0 * t) + 5.0
            return np.array([y[1], (force - k * y[0] - c * y[1]) / m, force * y[1], c * y[1] ** 2])

        J = np.array([[0, 1, 0, 0], [-k / m, -damping / m, 0, 0], [0, 5.0, 0, 0], [0, damping, 0, 0]])
        stages = np.zeros((4, 4))
        for _ in range(1 if count == 1 else 2):
            for i in range(4):
                right = h * f(ALPHA[i].sum() * h, y + ALPHA[i] @ stages)
                right += h * J @ (GAMMAS[i, :i] @ stages[:i]) + GAMMAS[i].sum() * h * (f(h, y) - f(0.0, y))
                stages[i] = np.linalg.solve(np.eye(4) - h * GAMMA * J, right)
            J[2:, 1] = 30.0 * math.sin(40.0 * h) + 5.0, 2.0 * damping * (y + ALPHA[3] @ stages)[1]
        wanted += (WEIGHTS @ stages)[2:]
    session = flown(sim, 1, h)
    assert session.instance.real[TRIED] == 1
    # slopes by differences: 1.5e-8 of a motion of 0.1
    np.testing.assert_allclose(session.x[n : n + 2], wanted, rtol=1e-7)


@pytest.mark.parametrize(("text", "step"), [(carts(1), 1e-3), (carts(5), 1e-3), (tree(COUNT), 1e-3)])
def test_energies_are_balanced_with_order_3(text: str, step: float) -> None:
    """What springs and masses lose and the force puts in is what dampers take."""
    sim = luff.compile(luff.loads(text))
    n, errors = len(sim.x0), []
    for size in (step, step / 2):
        session = flown(sim, round(0.08 / size), size)
        ends = [sum(sim.instance.energy(t, x).values()) for t, x in ((0.0, sim.x0), (0.08, session.x[:n]))]
        errors.append(abs(ends[1] - ends[0] + session.x[n + 1] - session.x[n]))
    assert math.log2(errors[0] / errors[1]) == pytest.approx(3.0, abs=0.2)
