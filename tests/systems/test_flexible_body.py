"""Bodies reduced from finite elements, in trees and loops: against sums over mass points, closed forms, `rfem_link`."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import luff
from luff.solver.analysis.step_advice import state_matrix
from luff.solver.kernels import model_data as f
from luff.tests.conftest import about_compiling, hours_as_plain_python
from luff.tests.shared import flexible_twin as twin
from luff.tests.shared.flexible_models import LINK, STEEL, beam, double_pendulum, link, model

A, B = (100.0, [0.1, -0.2, 0.3], [30.0, 20, 15]), (40.0, [0.5, 0.1, 0], [3.0, 2, 1.5])
C, D = (70.0, [0, 0.1, -0.7], [3.0, 5, 4]), (25.0, [0, 0, 0.2], [2.0, 2, 2])
RIDER = (15.0, [0.1, 0, 0], [1.0, 1, 1])
JOINTS = ("slew", "luffing", "hinge", "pin", "slide")


def branching_tree(folder: Path) -> luff.Simulation:
    """Slew and luffing joint, a boom of three further interfaces with a double pendulum, a slide and a load on them."""
    blocks = {
        "slew": {"type": "revolute", "axis": "z"},
        "post": {"type": "rigid_link", "frame_b": {"at": [0.2, 0, 1.0]}},
        "luffing": {"type": "revolute", "axis": "y"},
        "rider": link(*RIDER),
        "boom": {"type": "flexible_body", "file": "boom.npz", "damping": {"ratio": 0.01}},
        "hinge": {"type": "revolute", "axis": "y"},
        "A": link(*A, [0.3, 0, -0.5]),
        "pin": {"type": "revolute", "axis": "x"},
        "B": link(*B),
        "arm": {"type": "rigid_link", "frame_b": {"at": [0, 0.1, 0]}},
        "slide": {"type": "prismatic", "axis": "x"},
        "C": link(*C),
        "D": link(*D),
    }
    connect = [
        "world.frame -- slew.frame_a", "slew.frame_b -- post.frame_a", "post.frame_b -- luffing.frame_a",
        "luffing.frame_b -- boom.frame_a", "luffing.frame_b -- rider.frame_a", "boom.corner -- hinge.frame_a",
        "hinge.frame_b -- A.frame_a", "A.frame_b -- pin.frame_a", "pin.frame_b -- B.frame_a",
        "boom.tip -- arm.frame_a", "arm.frame_b -- slide.frame_a", "slide.frame_b -- C.frame_a",
        "boom.way -- D.frame_a",
    ]  # fmt: skip
    return model(folder, blocks, connect, simulation={"stop": "10 ms", "step": "10 us"})


def positions_of_points(body: Any, points: np.ndarray, weights: np.ndarray, phi: np.ndarray) -> twin.Place:
    """Positions of all mass points of `branching_tree` by its coordinates: five joints, then the modes."""

    def place(q: np.ndarray) -> twin.Points:
        joint, eta = q[:5], q[5:]
        R1 = twin.turn("z", joint[0])
        R2, p2 = R1 @ twin.turn("y", joint[1]), R1 @ np.array([0.2, 0, 1], twin.LONG)
        found = [((points + phi.astype(twin.LONG) @ eta) @ R2.T + p2, weights)]

        def add(one: tuple[Any, ...], R: np.ndarray, p: np.ndarray) -> None:
            at, mass = twin.rigid_points(*one)
            found.append((at @ R.T + p, mass))

        def face(name: str) -> twin.Points:
            k = body.names.index(name)
            return R2 @ twin.cayley(body.turns[k].astype(twin.LONG) @ eta), p2 + R2 @ (
                body.at[k] + body.shifts[k].astype(twin.LONG) @ eta
            )

        add(RIDER, R2, p2)
        R, p = face("corner")
        R = R @ twin.turn("y", joint[2])
        add(A, R, p)
        add(B, R @ twin.turn("x", joint[3]), p + R @ np.array([0.3, 0, -0.5]))
        R, p = face("tip")
        add(C, R, p + R @ np.array([joint[4], 0.1, 0]))
        add(D, *face("way"))
        return np.concatenate([at for at, _ in found]), np.concatenate([mass for _, mass in found])

    return place


@pytest.mark.parametrize("size", [0.02, 0.3])
def test_accelerations_are_those_of_the_mass_points(tmp_path: Path, size: float) -> None:
    """Of a branching tree, deflections of up to a tenth of its length. The twin's differences err by h^4 = 2e-15, times
    the condition of the mass matrix, 3e4.
    """
    elements, interfaces = twin.l_shaped_boom()
    body, phi = twin.body_and_shapes(elements, interfaces, 4, tmp_path / "boom.npz")
    sim = branching_tree(tmp_path)
    names = sim.state_names
    modes = [f"boom.mode[{k}]" for k in range(body.modes)]
    coordinates = [*(f"{one}.position" for one in JOINTS), *modes]
    rates = [*(f"{one}.velocity" for one in JOINTS), *(f"boom.mode_rate[{k}]" for k in range(body.modes))]
    rng = np.random.default_rng(3)
    q, v = rng.normal(size=(2, len(coordinates))).astype(twin.LONG)
    q[5:] *= size
    place = positions_of_points(body, elements.points, elements.weights, phi)
    M, force = twin.equations(place, q, v, (0, 0, -9.81))
    w = body.frequencies
    force[5:] -= w * w * q[5:].astype(float) + 2 * 0.01 * w * v[5:].astype(float)
    x = np.zeros(len(names))
    x[[names.index(name) for name in coordinates]] = q.astype(float)
    x[[names.index(name) for name in rates]] = v.astype(float)
    found = np.asarray(sim.derivative(0.0, x))[[names.index(name) for name in rates]]
    expected = np.linalg.solve(M, force)
    assert abs(found - expected).max() < 1e-10 * abs(expected).max()
    assert abs(found - expected)[:5].max() < 1e-10 * abs(expected)[:5].max()
    # mass matrix in the order of the coordinates' rows
    rows = [name for name in sim.instance.program.mechanism.coordinate_names() if name]
    order = [rows.index(name) for name in coordinates]
    assert abs(sim.mass_matrix(x)[np.ix_(order, order)] - M).max() < 1e-13 * abs(M).max()
    # what bodies need at these accelerations is what acts on them: inverse dynamics
    bias = sim.bias(x)[order] + force - twin.equations(place, q, v, (0, 0, -9.81))[1]
    assert abs(M @ found - bias).max() < 1e-10 * abs(bias).max()


def momenta(sim: luff.Simulation) -> tuple[np.ndarray, np.ndarray]:
    """Momentum and angular momentum about the world's origin at the last evaluation."""
    m, d = sim.instance.model, sim.instance.data
    linear, angular = np.zeros(3), np.zeros(3)
    for i, row in enumerate(d.row):
        w, v, h, p = (row[c : c + 3] for c in (f.TWIST, f.TWIST + 3, f.FIRST_MOMENT, f.p_WB))
        xx, yy, zz, xy, xz, yz = row[f.INERTIA : f.INERTIA + 6]
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        P, L = row[f.MASS] * v + np.cross(w, h), J @ w + np.cross(h, v)
        for b in np.flatnonzero(m.flex[:, f.X_ROW] == i):
            R, rate = row[f.R_WB : f.R_WB + 9].reshape(3, 3), d.modal[b, f.ETA_RATE]
            c = 6 * m.flex[b, f.X_FACES]
            L = L + R @ (d.modal_columns[b, :, c : c + 3].T @ rate)
            P = P + R @ (d.modal_columns[b, :, c + 3 : c + 6].T @ rate)
        linear, angular = linear + P, angular + L + np.cross(p, P)
    return linear, angular


@hours_as_plain_python
@pytest.mark.parametrize(("limit", "step", "moved"), [(None, 2e-5, 1e-12), (1000.0, 5e-4, 1e-11)])
def test_a_tumbling_body_keeps_energy_and_momentum(
    tmp_path: Path, limit: float | None, step: float, moved: float
) -> None:
    """Without gravity, with a hinged link on its tip, at 5 rad/s; with scaled mass by steps of the slow motion. What
    the step loses of both falls with its fourth order or better.
    """
    beam(tmp_path / "rod.npz", 1.0, modes=4, highest=2e4)
    blocks = {
        "world": {"gravity": [0, 0, 0]},
        "float": {
            "type": "free",
            "initial": {"velocity": [0.3, 0.1, -0.2], "angular_velocity": [3.0, -2, 4]},
        },
        "rod": {"type": "flexible_body", "file": "rod.npz"} | ({"frequency_limit": limit} if limit else {}),
        "hinge": {"type": "revolute", "axis": "y", "initial": {"velocity": 2.0}},
        "load": link(1.0, [0.2, 0, 0.1], [0.01, 0.02, 0.03]),
    }
    connect = [
        "world.frame -- float.frame_a", "float.frame_b -- rod.frame_a", "rod.tip -- hinge.frame_a",
        "hinge.frame_b -- load.frame_a",
    ]  # fmt: skip
    sim = model(tmp_path, blocks, connect, simulation={"stop": "0.1 s"})
    lost, drift = [], []
    for h in (2 * step, step):
        session = sim.start(stop=0.1, step=h)
        sim.derivative(0.0, session.x[: len(sim.x0)])
        before = momenta(sim)
        session.advance(steps=round(0.1 / h))
        sim.derivative(0.0, session.x[: len(sim.x0)])
        drift.append(max(abs(a - b).max() / abs(b).max() for a, b in zip(momenta(sim), before, strict=True)))
        energy = sim.run(step=h).quality["energy"]
        lost.append(abs(energy["residual"]) / energy["start"]["kinetic"])
    assert lost[1] < 2e-9
    assert lost[1] < lost[0] / 10
    assert drift[1] < moved
    assert drift[1] < drift[0] / 10


def test_cantilever_bends_and_vibrates_as_its_beam(tmp_path: Path) -> None:
    """Tip deflection under a force and its own weight; the first frequencies of Euler and Bernoulli."""
    length, load, weight = 1.0, 100.0, STEEL["rho"] * STEEL["A"] * 9.81
    beam(tmp_path / "rod.npz", length)
    blocks = {
        "rod": {"type": "flexible_body", "file": "rod.npz", "damping": {"ratio": 0.02}},
        "F": {"type": "constant", "value": [0, 0, -load]},
        "push": {"type": "applied_force"},
        "tip": {"type": "frame_sensor"},
    }
    connect = [
        "world.frame -- rod.frame_a",
        "rod.tip -- push.frame_b",
        "rod.tip -- tip.frame_b",
        "F.y -> push.force",
    ]
    sim = model(
        tmp_path, blocks, connect, initial={"solve": "static"}, simulation={"stop": "2 ms", "step": "10 us"}
    )
    EI = STEEL["E"] * STEEL["I_y"]
    down = load * length**3 / (3 * EI) + weight * length**4 / (8 * EI)
    result = sim.run()
    z = np.asarray(result["tip.position"])[:, 2]
    # linear theory: the tension of a beam that bends by 1 % of its length changes nothing in the first order
    assert abs(z[0] + down) < 1e-4 * down
    assert abs(z - z[0]).max() < 1e-9 * down  # at rest
    # without load the modes are those of the beam: 1.875^2 and 4.694^2 sqrt(EI/m) about both axes
    free = model(tmp_path, {"world": {"gravity": [0, 0, 0]}, "rod": blocks["rod"]}, connect[:1])
    found = luff.modes(free)
    roots = np.array([1.87510407, 4.69409113]) ** 2
    expected = sorted(
        root * np.sqrt(STEEL["E"] * I / (STEEL["rho"] * STEEL["A"]))
        for root in roots
        for I in (1.3e-8, 2.6e-8)
    )
    # rotary inertia of a beam with r/L = 0.008 lowers the second ones by 0.07 %
    assert np.allclose(np.sort(found.frequencies)[:4], expected, rtol=2e-3)
    assert np.allclose(found.damping[:4], 0.02, rtol=1e-6)


@hours_as_plain_python
def test_double_pendulum_of_flexible_links_against_rigid_finite_elements(tmp_path: Path) -> None:
    """Dropped from the level, bent by 14 mm: against `rfem_link` of 6 and 12 divisions, extrapolated. Without
    stiffening the tension of the load is missing, and the deflection is half as large again.
    """
    beam(tmp_path / "link.npz", 1.5, LINK, 30, modes=4)
    section = {"A": LINK["A"], "I_y": LINK["I_y"], "I_z": LINK["I_z"], "J": LINK["J"]}
    run = {"stop": "0.5 s", "output_step": "10 ms"}

    def tip(kind: dict[str, Any], end: str, step: str) -> np.ndarray:
        return np.asarray(
            model(tmp_path, *double_pendulum(kind, end), simulation={**run, "step": step}).run()[
                "tip.position"
            ]
        )

    chain = {
        "type": "rfem_link",
        "length": 1.5,
        "section": section,
        **{key: LINK[key] for key in ("E", "G", "rho")},
    }
    coarse, fine = (
        tip({**chain, "divisions": n}, "frame_b", step) for n, step in ((6, "100 us"), (12, "25 us"))
    )
    expected = (4 * fine - coarse) / 3
    body = {"type": "flexible_body", "file": "link.npz"}
    found = tip(body, "tip", "20 us")
    assert abs(found - expected).max() < 2e-5  # m, half the last extrapolation's change of 4e-5
    assert abs(tip({**body, "stiffening": False}, "tip", "20 us") - expected).max() > 1e-4


@hours_as_plain_python
def test_motion_is_the_same_whichever_interface_the_tree_meets(tmp_path: Path) -> None:
    """The netlist's frame_a is the last one that the tree meets: the same space of motions, its modes found anew."""
    beam(tmp_path / "rod.npz", modes=4, highest=2e4)
    found = []
    for near, far in (("frame_a", "tip"), ("tip", "frame_a")):
        blocks = {
            "pin": {"type": "spherical"},
            "turned": {"type": "fixed", "rotate": [["z", "0 deg" if near == "frame_a" else "180 deg"]]},
            "rod": {"type": "flexible_body", "file": "rod.npz", "stiffening": False},
            "load": link(2.0, [0, 0, 0], [0.01, 0.01, 0.01]),
            "end": {"type": "frame_sensor"},
        }
        connect = [
            "world.frame -- pin.frame_a", "pin.frame_b -- turned.frame_a", f"turned.frame_b -- rod.{near}",
            f"rod.{far} -- load.frame_a", f"rod.{far} -- end.frame_b",
        ]  # fmt: skip
        sim = model(
            tmp_path, blocks, connect, simulation={"stop": "0.1 s", "step": "20 us", "output_step": "5 ms"}
        )
        found.append(np.asarray(sim.run()["end.position"]))
    # the tangent of another end is the reference of small deflections: (3 mm / 1 m)^2 of a metre
    assert abs(found[0] - found[1]).max() < 1e-5
    assert abs(found[0] - found[0][0]).max() > 0.03


@about_compiling
def test_lanes_and_duals(tmp_path: Path) -> None:
    """Runs side by side have the bits of single runs; derivatives are those that differences tend to."""
    elements, interfaces = twin.l_shaped_boom()
    twin.body_and_shapes(elements, interfaces, 4, tmp_path / "boom.npz")
    sim = branching_tree(tmp_path)
    masses, outputs = [15.0, 16.0, 17.0, 18.0, 15.0], ["hinge.position", "boom.mode[0]"]
    one, side = (
        luff.batch(sim, {"rider.mass": masses}, outputs, stop=1e-3, lanes=lanes) for lanes in (False, True)
    )
    for name in outputs:
        assert np.array_equal(one[name], side[name])
    x = 0.1 * np.random.default_rng(5).normal(size=len(sim.state_names))
    found = sim.jacobian(0.0, x)

    def difference(h: float) -> np.ndarray:
        ways = h * np.eye(len(x))
        return np.array([(sim.derivative(0.0, x + w) - sim.derivative(0.0, x - w)) / (2 * h) for w in ways]).T

    coarse, fine = difference(1e-5), difference(5e-6)
    expected, size = (4 * fine - coarse) / 3, abs(fine).max(axis=1, keepdims=True)
    assert (abs(found - expected) / size).max() < 1e-6  # rounding of the differences


@hours_as_plain_python
def test_loop_with_a_flexible_coupler(tmp_path: Path) -> None:
    """Energy and all balances of a four-bar whose loop closes through a flexible body and its modes."""
    beam(tmp_path / "coupler.npz", modes=4, highest=2e4)
    rod = lambda length, mass: link(  # noqa: E731
        mass, [length / 2, 0, 0], [1e-3, mass * length**2 / 12, mass * length**2 / 12], [length, 0, 0]
    )
    blocks = {
        "world": {"gravity": [0, -9.81, 0]},
        "crank_pin": {
            "type": "revolute",
            "axis": "z",
            "initial": {"position": "60 deg", "velocity": "3 rad/s"},
        },
        "crank": rod(0.4, 1.0),
        "first": {"type": "revolute", "axis": "z", "guess": {"position": "-40 deg"}},
        "coupler": {"type": "flexible_body", "file": "coupler.npz"},
        "second": {"type": "revolute", "axis": "z"},
        "rocker": rod(0.8, 2.0),
        "post": {"type": "fixed", "at": [1.0, 0, 0]},
        "rocker_pin": {"type": "revolute", "axis": "z", "guess": {"position": "80 deg"}},
    }
    connect = [
        "world.frame -- crank_pin.frame_a", "crank_pin.frame_b -- crank.frame_a", "crank.frame_b -- first.frame_a",
        "first.frame_b -- coupler.frame_a", "coupler.tip -- second.frame_a", "second.frame_b -- rocker.frame_b",
        "world.frame -- post.frame_a", "post.frame_b -- rocker_pin.frame_a", "rocker_pin.frame_b -- rocker.frame_a",
    ]  # fmt: skip
    sim = model(
        tmp_path, blocks, connect, simulation={"stop": "0.1 s", "step": "20 us", "output_step": "1 ms"}
    )
    result = sim.run()
    quality: Any = result.quality
    assert abs(quality["energy"]["relative_residual"]) < 1e-8
    assert quality["newton_euler_residual"] < 1e-9
    assert quality["constraint_violation"] < 1e-11
    # joints follow the loop, modes only where no joint can: out of the plane
    assert not {"first.position", "second.position", "rocker_pin.position"} & {*sim.state_names}


def test_a_file_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "none.npz").write_bytes(b"nothing")
    with pytest.raises(luff.NetlistError, match=r"cannot read none\.npz as a reduced body"):
        model(
            tmp_path, {"rod": {"type": "flexible_body", "file": "none.npz"}}, ["world.frame -- rod.frame_a"]
        )


def test_two_frames_on_one_body_are_told(tmp_path: Path) -> None:
    beam(tmp_path / "rod.npz", modes=1)
    blocks = {
        "rod": {"type": "flexible_body", "file": "rod.npz"},
        "arm": {"type": "rigid_link", "frame_b": {"at": [1.0, 0, 0]}},
    }
    connect = ["world.frame -- rod.frame_a", "world.frame -- arm.frame_a", "arm.frame_b -- rod.tip"]
    with pytest.raises(luff.CompileError, match=r"two frames of this flexible body .*`fixed` joint"):
        model(tmp_path, blocks, connect)


def test_a_beam_that_is_clamped_at_both_ends_bends_by_its_weight(tmp_path: Path) -> None:
    """A `fixed` joint closes the loop: constraints that only modes can satisfy. w L^4 / (384 E I) in the middle."""
    nodes = [[0.05 * k, 0, 0] for k in range(21)]
    source = {"nodes": nodes, "members": [[k, k + 1] for k in range(20)], "section": STEEL}
    luff.reduce(
        source, tmp_path / "rod.npz", interfaces={"frame_a": [0], "tip": [20], "middle": [10]}, modes=6
    )
    blocks = {
        "rod": {"type": "flexible_body", "file": "rod.npz"},
        "wall": {"type": "fixed", "at": [1.0, 0, 0]},
        "middle": {"type": "frame_sensor"},
    }
    connect = [
        "world.frame -- rod.frame_a",
        "world.frame -- wall.frame_a",
        "wall.frame_b -- rod.tip",
        "rod.middle -- middle.frame_b",
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", luff.ModelWarning)
        sim = model(
            tmp_path,
            blocks,
            connect,
            initial={"solve": "static"},
            simulation={"stop": "20 us", "step": "1 us"},
        )
        z = np.asarray(sim.run()["middle.position"])[0, 2]
    expected = STEEL["rho"] * STEEL["A"] * 9.81 / (384 * STEEL["E"] * STEEL["I_y"])
    assert abs(z + expected) < 1e-3 * expected


def test_mechanisms_with_and_without_flexible_bodies_stand_beside_each_other(tmp_path: Path) -> None:
    """Each moves as alone: bodies of several sizes, stiffened or not, and a pendulum; their tables stand in one."""
    beam(tmp_path / "short.npz", modes=2)
    beam(tmp_path / "long.npz", 2.0, modes=5)
    kinds: dict[str, dict[str, Any]] = {
        "short": {"type": "flexible_body", "file": "short.npz"},
        "long": {"type": "flexible_body", "file": "long.npz", "stiffening": False},
        "rigid": link(1.0, [0.5, 0, 0], [0.01, 0.1, 0.1]),
    }

    def rates(names: list[str]) -> dict[str, float]:
        blocks = {name: kinds[name] for name in names}
        blocks |= {
            f"pin_{name}": {"type": "revolute", "axis": "y", "initial": {"velocity": 1.0}} for name in names
        }
        wires = [
            wire
            for name in names
            for wire in (f"world.frame -- pin_{name}.frame_a", f"pin_{name}.frame_b -- {name}.frame_a")
        ]
        sim = model(tmp_path, blocks, wires)
        assert len(sim.instance.model.flex) == sum("file" in kinds[name] for name in names)
        return dict(zip(sim.state_names, np.asarray(sim.derivative(0.0, sim.x0)).tolist(), strict=True))

    together = rates([*kinds])
    for name in kinds:
        for state, rate in rates([name]).items():
            assert together[state] == rate


def test_a_load_far_below_its_ball_joint_swings_as_a_pendulum(tmp_path: Path) -> None:
    """The joint leaves none of the load's 72 t m^2 to the beam: what is left is rounding, of either sign.

    w = sqrt(m g L / (m L^2 + I)); the beam gives way along itself by m w^2 L / EA, 1e-6.
    """
    stout = {"A": 1e-2, "I_y": 1e-5, "I_z": 1e-5, "J": 1e-5}
    beam(tmp_path / "beam.npz", section=stout, divisions=4, modes=2)
    blocks = {
        "beam": {"type": "flexible_body", "file": "beam.npz"},
        "ball": {"type": "spherical"},
        "load": link(500.0, [0.0, 0.0, -12.0], [100.0, 100.0, 100.0]),
    }
    wires = ["world.frame -- beam.frame_a", "beam.tip -- ball.frame_a", "ball.frame_b -- load.frame_a"]
    sim = model(tmp_path, blocks, wires, initial={"solve": "static"})
    found = np.sort(np.linalg.eigvals(state_matrix(sim)).imag)
    wanted = np.sqrt(500.0 * 9.81 * 12.0 / (500.0 * 144.0 + 100.0))
    np.testing.assert_allclose(found[found > 0.1][:2], wanted, rtol=1e-4)
    units = sim.static()["units"]
    assert units["beam.mode[0]"] == "kg^0.5*m"
    assert units["ball.theta"] == "rad"
