"""Forces in joints, supports and constraints against auxiliary generalised speeds and the summation of wrenches."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import luff
from luff.tests.shared import random_trees
from luff.tests.shared.compile_text import outputs, plain
from luff.tests.shared.random_trees import SIZE, Limb, netlist, trees
from luff.tests.systems.reaction_methods import Link, Step, Tree, Vector, turn
from luff.tests.systems.test_programmed import ellipse

HERE = Path(__file__).resolve()
SLOW = settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
X, Y, Z = np.eye(3)
HOME = (np.eye(3), np.zeros(3))


def close(found: Vector, wanted: Vector, scale: float, what: str = "") -> None:
    """To 1e-9 of the largest force or torque of the model."""
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9 * max(1.0, scale), err_msg=what)


# --- random trees ----------------------------------------------------------------------------------------------------


def pose(placed: random_trees.Placed) -> tuple[Vector, Vector]:
    R = np.eye(3)
    for axis, angle in placed.rotate:
        R = R @ turn(random_trees.AXES[axis], angle)
    return R, np.array(placed.at)


def inverse(frame: tuple[Vector, Vector]) -> tuple[Vector, Vector]:
    return frame[0].T, -frame[0].T @ frame[1]


def after(a: tuple[Vector, Vector], b: tuple[Vector, Vector]) -> tuple[Vector, Vector]:
    return a[0] @ b[0], a[1] + a[0] @ b[1]


def link_of(limb: Limb, limbs: list[Limb]) -> Link:
    near = pose(limbs[limb.parent].frames[limb.perch]) if limb.parent >= 0 else HOME
    steps: list[Step] = []
    if limb.kind == "fixed":
        near = after(near, inverse(pose(limb.at)) if limb.flipped else pose(limb.at))
    elif limb.kind == "free":
        # slides along the axes of frame_a, seen from the turned frame; then the turn's own rates
        R, _ = pose(random_trees.Placed(np.zeros(3), limb.turn))
        near = after(near, (R, np.zeros(3)))
        steps += [Step(True, R.T @ e, limb.q[k], limb.v[k]) for k, e in enumerate(np.eye(3))]
        steps += [Step(False, e, 0.0, limb.v[3 + k]) for k, e in enumerate(np.eye(3))]
    else:
        one = SIZE[limb.kind] == 1
        rest, drive = (limb.rest, limb.effort) if one else (0.0, 0.0)
        for k, axis in enumerate(limb.axes):
            effort = drive - limb.stiffness * (limb.q[k] - rest) - limb.damping * limb.v[k]
            sign = -1.0 if limb.flipped else 1.0
            steps.append(Step(limb.kind == "prismatic", sign * axis, limb.q[k], limb.v[k], effort))
        if limb.flipped:
            steps.reverse()
    entry = pose(limb.frames[limb.entry]) if limb.entry != "frame_a" else HOME
    return Link(limb.parent, near, steps, inverse(entry), limb.mass, limb.com, limb.inertia)


@SLOW
@given(trees(largest=6), st.sampled_from(["world", "a", "b"]))
def test_both_methods_find_what_random_trees_report(limbs: list[Limb], axes: str) -> None:
    gravity = np.array([1.0, 2.0, -9.81])
    assume(random_trees.Twin(limbs, gravity).condition() < 1e4)
    tree = Tree([link_of(limb, limbs) for limb in limbs], gravity)
    diagram = netlist(limbs, gravity)
    values = plain(diagram, **{f"{limb.name}.resolve": axes for limb in limbs}).evaluate()
    constraint, total = tree.by_auxiliary_speeds(), tree.by_summation()
    scale = max(abs(wrench).max() for wrench in total)
    for limb, held, whole, placed in zip(limbs, constraint, total, tree.placed, strict=True):
        near, far = placed.near, placed.joint
        if limb.kind == "fixed" and limb.flipped:
            near = near.go(near.R @ pose(limb.at)[1])
            near.R = near.R @ pose(limb.at)[0]
        elif limb.kind == "fixed":
            R = near.R @ pose(limb.at)[0].T
            near = near.go(-(R @ pose(limb.at)[1]))
            near.R = R
        elif limb.kind == "free":
            near.R = near.R @ pose(random_trees.Placed(np.zeros(3), limb.turn))[0].T
        a, b = (far, near) if limb.flipped else (near, far)
        R = {"world": np.eye(3), "a": a.R, "b": b.R}[axes]
        for kind, wrench in (("constraint", held), ("total", whole)):
            force, torque = wrench[:3], wrench[3:]
            if limb.flipped:  # on the near body, at its own frame
                force, torque = -force, -(torque + np.cross(far.p - near.p, force))
            close(outputs(values, f"{limb.name}.{kind}_force"), R.T @ force, scale, f"{kind} {limb.kind}")
            close(outputs(values, f"{limb.name}.{kind}_torque"), R.T @ torque, scale, f"{kind} {limb.kind}")


# --- the crane on a vessel -------------------------------------------------------------------------------------------


def vessel_crane(q: Vector, u: Vector, tau: Vector) -> Tree:
    """Cibicik and Egeland, table I, eq. 53 to 56 and 73; roll, pitch and yaw first, as in eq. 51."""
    k = 8e7
    base = [Step(False, e, q[i], u[i], -k * q[i] ** 3) for i, e in ((2, Z), (1, Y), (0, X))]
    rod = 30.0 * 2.0**2 / 12
    luff_frame = turn(Z, math.pi / 2) @ turn(X, math.pi / 2)
    links = [
        Link(-1, HOME, base, HOME, 1200.0, 2.5 * Z, 1200.0 * 25.0 / 12 * np.eye(3)),
        Link(
            0,
            (np.eye(3), 5.0 * Z),
            [Step(False, Z, q[3], u[3], tau[0])],
            HOME,
            30.0,
            Z,
            np.diag([rod, rod, 0.1 * rod]),
        ),
        Link(
            1,
            (luff_frame, 2.0 * Z),
            [Step(False, Z, q[4], u[4], tau[1])],
            HOME,
            30.0,
            X,
            np.diag([0, rod, rod]),
        ),
        Link(
            2,
            (np.eye(3), 2.0 * X),
            [Step(False, Z, q[5], u[5], tau[2])],
            HOME,
            30.0,
            X,
            np.diag([0, rod, rod]),
        ),
    ]
    return Tree(links, np.array([0, 0, -9.81]))


def slewing(tree: Tree) -> tuple[Vector, Vector, float]:
    """Constraint force and torque of the slewing joint in frame 2 and in frame 1, and the largest of them."""
    wrench = tree.by_auxiliary_speeds()[1]
    frames = [
        np.concatenate([R.T @ wrench[:3], R.T @ wrench[3:]])
        for R in (tree.placed[1].body.R, tree.placed[0].body.R)
    ]
    return frames[0], frames[1], float(abs(wrench).max())


def test_the_paper_s_method_finds_the_reference_reactions() -> None:
    for case in json.loads((HERE.parents[1] / "data" / "vessel_crane.json").read_text()):
        tree = vessel_crane(*(np.array(case[name]) for name in ("q", "u", "tau")))
        # the chain turns yaw first
        order = [2, 1, 0, 3, 4, 5]
        # the other engine solves 42 equations of mixed scale, to a residual of 2e-9
        np.testing.assert_allclose(tree.ud[order], case["udot"], rtol=1e-8)
        for found, name in zip(slewing(tree), ("slew_in_frame2", "slew_in_frame1"), strict=False):
            np.testing.assert_allclose(found, case[name], atol=1e-8 * abs(np.array(case[name])).max())


@pytest.mark.parametrize("seed", range(6))
def test_slewing_bearing_and_pivot_of_the_crane_on_a_vessel(seed: int) -> None:
    rng = np.random.default_rng(seed)
    q, u = np.r_[rng.uniform(-0.3, 0.3, 3), rng.uniform(-3, 3, 3)], rng.uniform(-1, 1, 6)
    path = HERE.parents[2] / "library" / "crane_vessel.yaml"
    sims = {axes: plain(luff.load(path), **{"slew.resolve": axes}) for axes in ("b", "a", "world")}
    names = [
        "vessel.phi",
        "vessel.theta",
        "vessel.psi",
        *(f"{name}.position" for name in ("slew", "inner_luff", "outer_luff")),
    ]
    state = dict(zip(names, q, strict=True)) | dict(
        zip(
            [f"{n}_rate" if "vessel" in n else n.replace("position", "velocity") for n in names],
            u,
            strict=True,
        )
    )
    values = {
        axes: sim.evaluate(0.0, [state[name] for name in sim.state_names]) for axes, sim in sims.items()
    }
    tau = outputs(values["b"], "pd.effort")
    tree = vessel_crane(q, u, tau)
    in_2, in_1, scale = slewing(tree)
    world = tree.by_auxiliary_speeds()
    for axes, wanted in (("b", in_2), ("a", in_1), ("world", world[1])):
        found = np.r_[
            outputs(values[axes], "slew.constraint_force"), outputs(values[axes], "slew.constraint_torque")
        ]
        close(found, wanted, scale, axes)
    # the pivot of the vessel, in its axes; and the whole of the slewing joint, drive included
    R = tree.placed[0].body.R
    close(outputs(values["b"], "vessel.constraint_force"), R.T @ world[0][:3], abs(world[0]).max())
    total = tree.by_summation()[1]
    close(outputs(values["a"], "flange.total_torque"), R.T @ total[3:], scale)
    assert R[:, 2] @ total[3:] == pytest.approx(tau[0], rel=1e-9)


# --- supports and constraints ----------------------------------------------------------------------------------------

SUPPORTED = """
luff: 1
name: a mast on an elastic base
blocks:
  world: {gravity: [0.5, -0.3, -9.81]}
  base: {type: base_support, mass: 300, com: [0.1, -0.05, 0.2], inertia: [40, 50, 60, 3, -2, 4],
    frame_b: {at: [0.1, 0.2, 0.5]},
    supports: [{at: [1, 1, -0.2], stiffness: [2e4, 3e4, 9e4], damping: [100, 200, 300]},
               {at: [-1, 0.8, -0.2], stiffness: [2e4, 3e4, 8e4], damping: [100, 200, 300]},
               {at: [0.1, -1, -0.3], stiffness: [4e4, 3e4, 7e4], damping: [50, 0, 300]}],
    initial: {x: 0.03, y: -0.02, z: -0.05, psi: 0.2, theta: -0.1, phi: 0.15,
              x_rate: 0.3, y_rate: 0.1, z_rate: -0.2, psi_rate: 0.5, theta_rate: 0.4, phi_rate: -0.3}}
  slew: {type: revolute, axis: z, initial: {position: 0.7, velocity: -0.6}, damping: 20, resolve: world}
  mast: {type: rigid_link, mass: 80, com: [0.4, 0, 1.5], inertia: [60, 60, 8, 1, 2, -1]}
connect:
  - world.frame -- base.frame_a
  - base.frame_b -- slew.frame_a
  - slew.frame_b -- mast.frame_a
"""


def six(xx: float, yy: float, zz: float, xy: float = 0.0, xz: float = 0.0, yz: float = 0.0) -> Vector:
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def test_supports_carry_the_base_and_all_upon_it() -> None:
    sim = plain(SUPPORTED)
    values = sim.evaluate()
    slides, turns = ("x", "y", "z"), ("psi", "theta", "phi")
    steps = [
        Step(name in slides, axis, values[f"base.{name}"], values[f"base.{name}_rate"])
        for name, axis in zip((*slides, *turns), (X, Y, Z, Z, Y, X), strict=True)
    ]
    base = Link(-1, HOME, steps, HOME, 300.0, np.array([0.1, -0.05, 0.2]), six(40, 50, 60, 3, -2, 4))
    mast = Link(0, (np.eye(3), np.array([0.1, 0.2, 0.5])), [Step(False, Z, 0.7, -0.6, 12.0)], HOME, 80.0,
                np.array([0.4, 0, 1.5]), six(60, 60, 8, 1, 2, -1))  # fmt: skip
    gravity = np.array([0.5, -0.3, -9.81])
    still = Tree([base, mast], gravity)
    # each support: -k (T r - r) - c d/dt(T r)
    R, p = still.placed[0].body.R, still.placed[0].body.p
    w, v = still.placed[0].body.w, np.array([values[f"base.{name}_rate"] for name in slides])
    block = sim.program.flat.blocks["base"]
    for k, support in enumerate(block.values["supports"], 1):
        r = np.array(support.at)
        point = p + R @ r
        force = -np.array(support.stiffness) * (point - r) - np.array(support.damping) * (
            v + np.cross(w, R @ r)
        )
        close(outputs(values, f"base.force_{k}"), force, abs(force).max())
        base.pushes.append((point, force, np.zeros(3)))
    tree = Tree([base, mast], gravity)
    rates = dict(zip(sim.state_names, sim.derivative(0.0, sim.x0), strict=True))
    found = [rates[f"base.{name}_rate"] for name in (*slides, *turns)] + [rates["slew.velocity"]]
    np.testing.assert_allclose(found, tree.ud, rtol=1e-9)
    total, held = tree.by_summation(), tree.by_auxiliary_speeds()
    scale = abs(total[1]).max()
    close(np.r_[outputs(values, "slew.total_force"), outputs(values, "slew.total_torque")], total[1], scale)
    close(
        np.r_[outputs(values, "slew.constraint_force"), outputs(values, "slew.constraint_torque")],
        held[1],
        scale,
    )
    # nothing but the supports holds the base
    assert abs(total[0]).max() < 1e-9 * scale


@pytest.mark.parametrize("drive", ["", "A", "B"])
def test_a_programmed_constraint_pushes_with_what_it_reports(drive: str) -> None:
    """Its force at the point, or its drive's effort, moves the open chain as luff moves the constrained one."""
    text = ellipse(0.5)
    if drive:
        text = text.replace("constants:", f"realised_by: [{drive}], constants:")
    text = text.replace("{type: revolute,", "{type: revolute, resolve: world,")
    sim = plain(text)
    values = sim.evaluate()
    q, v, a = (
        [values[f"{joint}.{what}"] for joint in "AB"] for what in ("position", "velocity", "acceleration")
    )
    effort = {joint: values["path.effort"] if joint == drive else 0.0 for joint in "AB"}
    steps = [Step(False, Z, q[k], v[k], effort[joint] - 0.5 * v[k]) for k, joint in enumerate("AB")]
    upper = Link(-1, HOME, steps[:1], HOME, 3.0, 0.4 * X, np.diag([0.05, 0.2, 0.2]))
    lower = Link(0, (np.eye(3), X), steps[1:], HOME, 2.0, np.array([0.6, 0.1, 0]), np.diag([0.05, 0.2, 0.2]))
    gravity = np.array([0, -9.81, 0])
    open_chain = Tree([upper, lower], gravity)
    tip = open_chain.placed[1].body.go(open_chain.placed[1].body.R @ (1.2 * X)).p
    if not drive:
        gradient = np.array([2 * tip[0] / 1.9**2, 2 * tip[1] / 1.1**2, 0.0])
        lower.pushes.append((tip, values["path.multiplier"] * gradient, np.zeros(3)))
    tree = Tree([upper, lower], gravity)
    assert abs(tree.ud - open_chain.ud).max() > (0.1 if not drive else -1.0)
    np.testing.assert_allclose(a, tree.ud, rtol=1e-9)
    for joint, total, held in zip("AB", tree.by_summation(), tree.by_auxiliary_speeds(), strict=True):
        scale = abs(total).max()
        for kind, wrench in (("total", total), ("constraint", held)):
            close(
                np.r_[outputs(values, f"{joint}.{kind}_force"), outputs(values, f"{joint}.{kind}_torque")],
                wrench,
                scale,
            )


# --- loops -----------------------------------------------------------------------------------------------------------


def rpsup(cut: str, seed: int) -> tuple[luff.Simulation, dict[str, float]]:
    """The loop opened at a joint, at a state of its own."""
    from luff.tests.shared.loop_cases import RPSUP

    rng = np.random.default_rng(seed)
    text = RPSUP.replace(
        "position: 0.3, velocity: 0.8", f"position: {rng.uniform(0.1, 0.5)}, velocity: {rng.uniform(-1, 1)}"
    )
    text = text.replace(
        "position: 0.4, velocity: -0.3", f"position: {rng.uniform(0.3, 0.6)}, velocity: {rng.uniform(-1, 1)}"
    )
    for joint in "RPSUQ":
        head = f"  {joint}: {{"
        text = text.replace(head, head + "resolve: world, " + ("cut: true, " if joint == cut else ""))
    text += "record: ['*']\n" if "record" not in text else ""
    sim = plain(text)
    return sim, sim.evaluate()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("cut", ["U", "S"])
def test_an_opened_loop_moves_as_the_closed_one_under_the_wrench_of_its_cut_joint(
    cut: str, seed: int
) -> None:
    """Both branches by Kane's equations, the wrench that the cut joint reports on each: accelerations and reactions."""
    sim, values = rpsup(cut, seed)
    assert [found.block for found in sim.program.mechanism.cuts] == [cut]

    def step(name: str, slides: bool, axis: Vector, q: str = "position", u: str = "velocity") -> Step:
        return Step(slides, axis, values[f"{name}.{q}"], values[f"{name}.{u}"])

    gravity = np.array([0.5, -1, -9.81])
    column = Link(
        -1, HOME, [step("R", False, Z)], HOME, 8.0, np.array([0.1, 0, 0.5]), np.diag([0.5, 0.6, 0.2])
    )
    ram = Link(0, (turn(Y, math.radians(60)), np.array([0.2, 0, 0.9])), [step("P", True, Z)], HOME, 3.0,
               np.array([0, 0.02, 0.3]), np.diag([0.1, 0.1, 0.02]))  # fmt: skip
    rail = (turn(Z, math.radians(20)), np.array([1.6, 0.3, 0.1]))
    sled = Link(
        -1,
        rail,
        [step("Q", True, np.array([0, 0.8, 0.6]))],
        HOME,
        5.0,
        np.array([0, 0, 0.1]),
        0.1 * np.eye(3),
    )
    force, torque = outputs(values, f"{cut}.total_force"), outputs(values, f"{cut}.total_torque")
    rod = [2.0, np.array([0.03, 0, 0.4]), np.diag([0.1, 0.12, 0.01])]
    if cut == "U":
        ball = [
            step("S", False, axis, name, f"{name}_rate")
            for name, axis in (("psi", Z), ("theta", Y), ("phi", X))
        ]
        links = [column, ram, Link(1, (np.eye(3), 0.6 * Z), ball, HOME, *rod), sled]
        order, near, far = ["R", "P", "S", "Q"], 2, 3
        meet = Tree(links, gravity).placed[far].body.p  # U.frame_b, on the sled
    else:
        # walked from the sled backwards: beta about y, then alpha about x
        hook = [
            Step(False, -Y, values["U.beta"], values["U.beta_rate"]),
            Step(False, -X, values["U.alpha"], values["U.alpha_rate"]),
        ]
        links = [column, ram, sled, Link(2, HOME, hook, (np.eye(3), -1.3 * Z), *rod)]
        order, near, far = ["R", "P", "Q", "U"], 1, 3
        meet = Tree(links, gravity).placed[far].body.p  # S.frame_b, on the rod
    links[far].pushes.append((meet, force, torque))
    links[near].pushes.append((meet, -force, -torque))
    tree = Tree(links, gravity)
    scale = max(abs(wrench).max() for wrench in tree.by_summation())
    for name, number in (("R", 0), ("P", 1), ("Q", tree.placed[order.index("Q")].first)):
        assert values[f"{name}.acceleration"] == pytest.approx(tree.ud[number], rel=1e-9, abs=1e-9)
    for name, total, held in zip(order, tree.by_summation(), tree.by_auxiliary_speeds(), strict=True):
        sign = -1.0 if name == "U" else 1.0  # walked backwards: the joint acts on the sled
        for kind, wrench in (("total", total), ("constraint", held)):
            found = np.r_[outputs(values, f"{name}.{kind}_force"), outputs(values, f"{name}.{kind}_torque")]
            close(sign * found, wrench, scale, f"{kind} {name}")
