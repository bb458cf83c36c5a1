"""A hull in water: decay, response to waves, heel and energy against A, B, C, F and hydrostatics directly."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

import luff
from luff.blocks.environment.floating_body import FloatingBody, matrix
from luff.blocks.environment.radiation_memory import cached_resonators, response
from luff.blocks.environment.wamit_files import coefficients
from luff.tests.blocks.bench import make

G, RHO = 9.81, 1025.0
MASS = np.diag([8200.0, 8200.0, 8200.0, 9000.0, 12000.0, 14000.0])
C = np.zeros((6, 6))
C[2, 2], C[3, 3], C[4, 4], C[2, 4], C[4, 2] = 4e4, 5e4, 6e4, 3e3, 3e3
MOOR = np.diag([2e3, 2e3, 0.0, 0.0, 0.0, 4e3])
# memory by which the tables are made: four resonators that couple surge with pitch, sway with roll, heave with pitch
INFINITE = np.diag([800.0, 2500.0, 3000.0, 2000.0, 2500.0, 1500.0])
INFINITE[1, 3] = INFINITE[3, 1] = -600.0
INFINITE[2, 4] = INFINITE[4, 2] = 300.0
DIRECTIONS = (
    (1.4, 2.6, 9000.0, (0.0, 0.0, 1.0, 0.0, 0.3, 0.0)),
    (0.9, 3.9, 5000.0, (0.0, 1.0, 0.0, -0.5, 0.0, 0.2)),
    (1.8, 5.0, 2500.0, (1.0, 0.0, 0.0, 0.0, 0.4, 0.0)),
    (1.1, 7.0, 1500.0, (0.0, 0.0, 0.0, 0.6, 0.0, 0.3)),
)
W = np.linspace(0.2, 6.0, 40)
FORCE = np.array([3e3, 5e3, 2e4, 4e3, 5e3, 1e3]) * np.exp(1j * np.array([1.5, 1.2, 0.1, 1.6, -1.4, 0.9]))


def memory(w: np.ndarray) -> np.ndarray:
    modes = np.array([[a, b, c, *d] for a, b, c, d in DIRECTIONS])
    return response(modes, w)


def added(w: np.ndarray) -> np.ndarray:
    return INFINITE + memory(w).imag / w[:, None, None]


def wave_force(w: np.ndarray) -> np.ndarray:
    """X(w) per metre (n, 6)."""
    return FORCE * np.exp(-0.25 * w * w)[:, None] * np.exp(-0.2j * w)[:, None]


def tables() -> dict[str, list[list[float]]]:
    A, B, finer = added(W), memory(W).real, np.linspace(0.2, 6.0, 79)
    pairs = [
        (i, j) for i in range(6) for j in range(6) if abs(B[:, i, j]).max() > 0.0 or INFINITE[i, j] != 0.0
    ]
    return {
        "radiation": [
            [float(w), i + 1, j + 1, float(A[k, i, j]), float(B[k, i, j])]
            for k, w in enumerate(W)
            for i, j in pairs
        ],
        "excitation": [
            [float(w), 0.0, i + 1, float(abs(X[i])), float(np.angle(X[i]))]
            for w, X in zip(finer, wave_force(finer), strict=True)
            for i in range(6)
        ],
        "restoring": [[i + 1, j + 1, float(C[i, j])] for i, j in np.argwhere(C).tolist()],
        "mooring": [[i + 1, i + 1, float(MOOR[i, i])] for i in (0, 1, 5)],
    }


HULL = """
luff: 1
blocks:
  sea: {type: free, initial: START}
  hull: {type: rigid_link, mass: 8200, inertia: [9000, 12000, 14000]}
  water: {type: floating_body, water: 1025, volume: 8.0, VALUES}
  energy: {type: energy_sensor}
connect: [world.frame -- sea.frame_a, sea.frame_b -- hull.frame_a, hull.frame_a -- water.frame_b]
simulation: {stop: STOP, step: 10 ms, output_step: 20 ms}
"""


def hull(stop: float, start: str = "{}", more: str = "") -> luff.Simulation:
    values = ", ".join(f"{name}: {rows}" for name, rows in tables().items())
    text = HULL.replace("START", start).replace("STOP", str(stop)).replace("VALUES", values + more)
    return luff.compile(luff.loads(text))


def decay(x0: np.ndarray, t: np.ndarray, D: np.ndarray, Q: np.ndarray) -> np.ndarray:
    """Free decay of the linear equations with the memory that made the tables (n, 6)."""
    n, lift = len(DIRECTIONS), 8200.0 * G
    a, b, c = (np.array([each[k] for each in DIRECTIONS]) for k in range(3))
    d = np.array([each[3] for each in DIRECTIONS])
    M = MASS + INFINITE
    K = C + MOOR
    assert math.isclose(lift, RHO * 8.0 * G)

    def rates(_t: float, s: np.ndarray) -> np.ndarray:
        x, v, w, p = s[:6], s[6:12], s[12 : 12 + n], s[12 + n :]
        load = -K @ x - D @ v - Q * abs(v) * v - d.T @ (c * p)
        return np.concatenate([v, np.linalg.solve(M, load), p, d @ v - a * p - b * w])

    start = np.concatenate([x0, np.zeros(6 + 2 * n)])
    return solve_ivp(rates, (0.0, t[-1]), start, "DOP853", t, rtol=1e-10, atol=1e-13).y[:6].T


def test_free_decay_of_six_axes_is_that_of_the_tables() -> None:
    """Small motions: at a hundredth of a radian what is not linear is 1e-4 of it."""
    D, Q = np.diag([0.0, 0.0, 0.0, 3e3, 0.0, 500.0]), np.array([0.0, 0.0, 0.0, 8e4, 0.0, 0.0])
    start = "{position: [0.01, 0.01, 0.02], rotate: [[x, 0.01], [y, 0.008]]}"
    sim = hull(20.0, start, ", damping: [[4, 4, 3e3], [6, 6, 500]], quadratic: [0, 0, 0, 8e4, 0, 0]")
    found = sim.run()
    x = found["water.displacement"]
    expected = decay(x[0], found.time, D, Q)
    scale = abs(expected).max(axis=0)
    for axis in range(5):
        # the fit's error is 0.05 %
        assert abs(x[:, axis] - expected[:, axis]).max() < 0.01 * scale[axis], axis
    assert found.quality["newton_euler_residual"] < 1e-9


def test_radiation_is_passive_and_creates_no_energy() -> None:
    """Stored and lost energies of the memory are those that the hull gives, and no motion gains."""
    data = tables()["radiation"]
    rows = tuple(tuple(map(float, row)) for row in data)
    found = cached_resonators(rows, None)
    assert found.error < 1e-3
    np.testing.assert_allclose(found.infinite, INFINITE, atol=1e-3 * INFINITE.max())
    # any frequency, also far from the table's
    K = response(found.modes, np.geomspace(1e-3, 1e3, 200))
    assert np.linalg.eigvalsh(K.real).min() >= -1e-12 * abs(K).max()
    result = hull(20.0, "{position: [0.1, 0.1, 0.2], rotate: [[x, 0.1], [y, 0.08]]}").run(
        step=5e-3, output_step=5e-3
    )
    v, load = result["sea.velocity"], result["water.radiation_force"]
    v = np.concatenate([v, result["water.angular_velocity"]], axis=1)
    loss, stored = result["water.radiation_loss"], result["water.radiation_energy"]
    assert loss.min() >= 0.0
    assert stored.min() >= 0.0
    given = -np.sum(load * v, axis=1)
    h = result.time[1]
    # trapezoidal rule, steps of 5 ms at 2.6 rad/s: (w h)^2 / 12 = 1e-5
    work = np.concatenate([[0.0], np.cumsum(0.5 * h * (given[1:] + given[:-1]))])
    lost = np.concatenate([[0.0], np.cumsum(0.5 * h * (loss[1:] + loss[:-1]))])
    assert abs(work - stored - lost).max() < 1e-4 * lost[-1]
    x = result["water.displacement"]
    whole = result["energy.kinetic"] + stored + 0.5 * np.einsum("ki,ij,kj->k", x, C + MOOR, x)
    assert (np.diff(whole) <= 2e-4 * whole[0]).all()
    # Euler's angles of a turn of 0.1 rad make the torques of C half a per cent wrong
    assert whole[-1] < 0.1 * whole[0]


# heaving hemisphere, Hulme (1982), J. Fluid Mech. 121, table 1: K a, and A and B / w over 2/3 pi rho a^3
HEMISPHERE = (
    (0.05, 0.8764, 0.1036), (0.1, 0.8627, 0.1816), (0.2, 0.7938, 0.2793), (0.3, 0.7157, 0.3254), (0.4, 0.6452, 0.3410),
    (0.5, 0.5861, 0.3391), (0.6, 0.5381, 0.3271), (0.7, 0.4999, 0.3098), (0.8, 0.4698, 0.2899), (0.9, 0.4464, 0.2691),
    (1.0, 0.4284, 0.2484), (1.2, 0.4047, 0.2096), (1.4, 0.3924, 0.1756), (1.6, 0.3871, 0.1469), (1.8, 0.3864, 0.1229),
    (2.0, 0.3884, 0.1031), (2.5, 0.3988, 0.0674), (3.0, 0.4111, 0.0452), (4.0, 0.4322, 0.0219), (5.0, 0.4471, 0.0116),
    (6.0, 0.4574, 0.0066), (7.0, 0.4647, 0.0040), (8.0, 0.4700, 0.0026), (9.0, 0.4740, 0.0017), (10.0, 0.4771, 0.0012),
)  # fmt: skip


def test_memory_of_a_hemisphere_has_its_published_added_mass_and_damping() -> None:
    """A table that ends at K a = 10 gives the added mass at infinite frequency too: half of what it displaces."""
    Ka, A, B = np.array(HEMISPHERE).T
    w, m = np.sqrt(G * Ka), 2.0 / 3.0 * math.pi * RHO
    rows = [[float(x), 3, 3, float(a), float(b)] for x, a, b in zip(w, A * m, B * m * w, strict=True)]
    found = cached_resonators(tuple(tuple(map(float, row)) for row in rows), None)
    K = response(found.modes, w)[:, 2, 2]
    np.testing.assert_allclose(K.real / (m * w), B, atol=0.01 * B.max())
    np.testing.assert_allclose((found.infinite[2, 2] + K.imag / w) / m, A, atol=0.01 * A.max())
    assert found.infinite[2, 2] == pytest.approx(0.5 * m, rel=0.01)
    more = f"volume: {m / RHO!r}, restoring: [[3, 3, {RHO * G * math.pi!r}]], radiation: {rows}"
    text = f"""
luff: 1
blocks:
  sea: {{type: prismatic, axis: z, initial: {{position: 0.01}}}}
  hull: {{type: rigid_link, mass: {m!r}}}
  water: {{type: floating_body, {more}}}
connect: [world.frame -- sea.frame_a, sea.frame_b -- hull.frame_a, hull.frame_a -- water.frame_b]
simulation: {{stop: 6, step: 0.01, output_step: 0.1}}
"""
    decaying = luff.compile(luff.loads(text)).run()
    # published numbers alone: let go from a step of force, s(t) = 2/pi int Re H(w) sin(w t) / w dw
    fine = np.linspace(1e-3, 10.0 * w[-1], 20000)
    inside, below = fine < w[-1], fine < w[0]
    A_w = m * np.where(
        inside, CubicSpline(w, A)(np.minimum(fine, w[-1])), 0.5 - (0.5 - A[-1]) * (w[-1] / fine) ** 2
    )
    B_w = m * fine * np.where(inside, np.where(below, B[0] * fine / w[0], CubicSpline(w, B)(fine)), 0.0)
    stiffness = RHO * G * math.pi
    real = (1.0 / (stiffness - fine**2 * (m + A_w) + 1j * fine * B_w)).real
    step = 2.0 / math.pi * np.trapezoid(real / fine * np.sin(np.outer(decaying.time, fine)), fine, axis=1)
    # 1 % of the table, and of the start of the integral, where B is a line
    np.testing.assert_allclose(decaying["sea.position"], 0.01 * (1.0 - stiffness * step), atol=1e-4)


def test_motion_in_a_sea_is_that_of_the_response_amplitudes() -> None:
    """x(t) = sum of Re(X / (C - w^2 (M + A) + i w B) a e^(i (w t + e))), each harmonic by itself.

    Waves of millimetres: terms of second order (the fluid's momentum in a hull that turns) are below 1 % of the surge.
    """
    more = ", damping: [[1, 1, 2e3], [2, 2, 3e3], [4, 4, 3e3], [5, 5, 4e3], [6, 6, 3e3]]"
    more += ", Hs: 0.005, Tp: 3.2, components: 12, seed: 4, highest: 2.5"
    sim = hull(120.0, "{}", more)
    found = sim.run()
    block = sim.program.flat.blocks["water"]
    assert isinstance(block, FloatingBody)
    w, a, phase = block.waves()
    D = np.diag([2e3, 3e3, 0.0, 3e3, 4e3, 3e3])
    late = found.time > 90.0
    expected = np.zeros((int(late.sum()), 6))
    elevation = np.zeros(len(found.time))
    for wk, ak, ek, A, K, X in zip(w, a, phase, added(w), memory(w), wave_force(w), strict=True):
        Z = C + MOOR - wk * wk * (MASS + A) + 1j * wk * (K.real + D)
        angle = np.exp(1j * (wk * found.time + ek))
        expected += np.real(ak * angle[late, None] * np.linalg.solve(Z, X))
        elevation += ak * angle.real
    np.testing.assert_allclose(found["water.elevation"], elevation, atol=1e-12)
    x = found["water.displacement"][late]
    for axis in range(6):
        assert abs(x[:, axis] - expected[:, axis]).max() < 0.01 * abs(expected[:, axis]).max(), axis


@pytest.mark.parametrize("heading", [-90, 0, 180, 270, 400])
def test_yaw_counts_from_the_heading_wherever_that_points(heading: int) -> None:
    """A hull that swings about its mean heading on a mooring: 0.1 cos(w t), also where psi jumps by a turn."""
    text = f"""
luff: 1
blocks:
  turn: {{type: revolute, axis: z, initial: {{position: 0.1}}}}
  hull: {{type: rigid_link, mass: 1000, inertia: [300, 300, 500], frame_b: {{rotate: [[z, {heading} deg]]}}}}
  water: {{type: floating_body, heading: {heading} deg, mooring: [[6, 6, 2000]], infinite: [[6, 6, 300]]}}
connect: [world.frame -- turn.frame_a, turn.frame_b -- hull.frame_a, hull.frame_b -- water.frame_b]
simulation: {{stop: 5 s, step: 5 ms}}
"""
    run = luff.compile(luff.loads(text)).run()
    w = math.sqrt(2000 / 800)
    np.testing.assert_allclose(run["water.displacement[5]"], 0.1 * np.cos(w * run.time), atol=1e-9)
    np.testing.assert_allclose(run["turn.position"], 0.1 * np.cos(w * run.time), atol=1e-9)


@pytest.mark.parametrize("turns", [-1, 0, 2])
def test_headings_of_waves_are_the_same_after_a_whole_turn(turns: int) -> None:
    """Tables from -90 to 90 deg; waves that run to 30 deg against the hull, and along it from just below."""
    rows = [[w, math.radians(at), 3, 1e3 + 10 * at, 0.0] for w in (0.3, 3.0) for at in (-90, 0, 90)]
    for against, size in ((30, 1300.0), (-90, 100.0), (90, 1900.0), (-1e-12, 1000.0)):
        block = make(FloatingBody, Hs=1.0, Tp=6.0, excitation=rows, heading=math.radians(50),
                     direction=math.radians(50 + against + 360 * turns))  # fmt: skip
        assert isinstance(block, FloatingBody)
        assert not [problem for problem in block.check() if problem.severity == "error"]
        assert block.excitation_force(np.array([1.0]))[0, 2] == pytest.approx(size, rel=1e-9)
    with pytest.raises(
        AssertionError, match="waves come at 100 deg against the hull, headings are -90 to 90"
    ):
        make(FloatingBody, Hs=1.0, Tp=6.0, excitation=rows, direction=math.radians(100 + 360 * turns))


def test_heel_under_a_load_is_that_of_hydrostatics() -> None:
    """W arm / (rho g V GM): a barge with its centre of mass above that of buoyancy, a small mass on its side."""
    L, B, T = 10.0, 4.0, 1.0
    volume = L * B * T
    hull_mass, load, arm = RHO * volume - 0.5, 0.5, 1.5
    # frame_b in the waterline; weight 0.8 m above it, buoyancy 0.5 m below
    water = RHO * G * np.array([L * B, L * B**3 / 12.0 - 0.5 * volume, L**3 * B / 12.0 - 0.5 * volume])
    text = f"""
luff: 1
blocks:
  sea: {{type: free}}
  hull: {{type: rigid_link, mass: {hull_mass}, com: [0, 0, 0.8], inertia: [8e4, 4e5, 4e5]}}
  side: {{type: fixed, at: [0, {arm}, 0.8]}}
  load: {{type: rigid_link, mass: {load}, inertia: [1, 1, 1]}}
  water: {{type: floating_body, volume: {volume}, buoyancy_at: [0, 0, -0.5], infinite: [[3, 3, 3e4], [4, 4, 1e4]],
          restoring: [[3, 3, {water[0]}], [4, 4, {water[1]}], [5, 5, {water[2]}]],
          mooring: [[1, 1, 100], [2, 2, 100], [6, 6, 100]]}}
connect: [world.frame -- sea.frame_a, sea.frame_b -- hull.frame_a, hull.frame_a -- water.frame_b,
          hull.frame_a -- side.frame_a, side.frame_b -- load.frame_a]
initial: {{solve: static}}
simulation: {{stop: 0.1 s, step: 5 ms}}
"""
    result = luff.compile(luff.loads(text)).run()
    GM = B**2 / 12.0 / T - 0.5 - 0.8
    heel = load * arm / (RHO * volume * GM)
    assert 1e-5 < heel < 1e-3  # terms that are not linear are below 1e-6 of it
    # it rests from the start, and stays
    # about x, towards -y where the load stands at +y
    np.testing.assert_allclose(result["water.displacement"][:, 3], -heel, rtol=1e-6)
    assert abs(result["water.displacement"][:, 2]).max() < 1e-6


def test_an_added_mass_moves_as_a_solid_one_without_weight() -> None:
    """The added mass of a rigid body of the same place and size: the same flight as that body glued on, unweighted."""
    solid = np.diag([50.0, 50.0, 50.0, 4.0, 5.0, 6.0])
    rows = [[i + 1, i + 1, float(solid[i, i])] for i in range(6)]
    text = """
luff: 1
blocks:
  world: {gravity: [0, 0, 0]}
  sea: {type: free, initial: {velocity: [1, 0.5, -0.2], angular_velocity: [0.7, -0.4, 1.1]}}
  hull: {type: rigid_link, mass: 80, com: [0.1, 0.2, -0.1], inertia: [9, 12, 14], frame_b: {at: [0.3, -0.4, 0.2]}}
  more: OTHER
  push: {type: applied_force}
  way: {type: constant, value: [30, -20, 10]}
connect: [world.frame -- sea.frame_a, sea.frame_b -- hull.frame_a, hull.frame_b -- more.PORT,
          hull.frame_a -- push.frame_b, way.y -> push.force]
record: ["sea.*"]
simulation: {stop: 2 s, step: 2 ms}
"""
    fluid = text.replace("OTHER", f"{{type: floating_body, infinite: {rows}}}").replace("PORT", "frame_b")
    glued = text.replace("OTHER", "{type: rigid_link, mass: 50, inertia: [4, 5, 6]}").replace(
        "PORT", "frame_a"
    )
    one, two = (luff.compile(luff.loads(each)).run() for each in (fluid, glued))
    for name in ("sea.position", "sea.velocity", "sea.orientation"):
        np.testing.assert_allclose(one[name], two[name], rtol=1e-10, atol=1e-10)
    assert one.quality["newton_euler_residual"] < 1e-12
    assert one.quality["energy"]["end"]["kinetic"] == pytest.approx(
        two.quality["energy"]["end"]["kinetic"], rel=1e-10
    )


def test_files_of_wamit_are_read_with_their_dimensions(tmp_path: Path) -> None:
    """A file made from the tables gives the block what the tables give."""
    length, values = 2.0, tables()
    one = [f"{2 * math.pi / w:.16e} {i} {j} {A / (RHO * length ** (3 + (i > 3) + (j > 3))):.16e} "
           f"{B / (RHO * w * length ** (3 + (i > 3) + (j > 3))):.16e}"
           for w, i, j, A, B in values["radiation"]]  # fmt: skip
    one += [f"0.0 {i + 1} {j + 1} {INFINITE[i, j] / (RHO * length ** (3 + (i > 2) + (j > 2))):.16e}"
            for i in range(6) for j in range(6)]  # fmt: skip
    three = []
    for w, heading, i, size, phase in values["excitation"]:
        X = size / (RHO * G * length ** (2 + (i > 3))) * np.exp(1j * phase)
        three.append(f"{2 * math.pi / w:.16e} {math.degrees(heading)} {i} {abs(X):.16e} {math.degrees(phase):.16e} "
                     f"{X.real:.16e} {X.imag:.16e}")  # fmt: skip
    weight, z = 8200.0, 0.4
    by_weight = C.copy()
    by_weight[3, 3] -= weight * G * z
    by_weight[4, 4] -= weight * G * z
    hst = [f"{i + 1} {j + 1} {by_weight[i, j] / (RHO * G * length ** (2 + (i > 2) + (j > 2))):.16e}"
           for i in range(6) for j in range(6)]  # fmt: skip
    for ending, lines in ((".1", one), (".3", three), (".hst", hst)):
        (tmp_path / f"barge{ending}").write_text(" WAMIT\n" + "\n".join(lines) + "\n")
    (tmp_path / "hull.yaml").write_text(
        "luff: 1\nblocks:\n  sea: {type: free}\n  hull: {type: rigid_link, mass: 8200, inertia: [9e3, 12e3, 14e3]}\n"
        f"  water: {{type: floating_body, wamit: barge, length: {length}, weight: {weight}, weight_at: [0, 0, {z}]}}\n"
        "connect: [world.frame -- sea.frame_a, sea.frame_b -- hull.frame_a, hull.frame_a -- water.frame_b]\n"
    )
    read = luff.compile(luff.load(tmp_path / "hull.yaml")).program.flat.blocks["water"]
    given = make(FloatingBody, **{k: v for k, v in values.items() if k != "mooring"}, volume=8.0,
                 infinite=[[i + 1, j + 1, float(INFINITE[i, j])] for i in range(6) for j in range(6)])  # fmt: skip
    assert isinstance(read, FloatingBody)
    assert isinstance(given, FloatingBody)
    w = np.linspace(0.5, 4.0, 9)
    np.testing.assert_allclose(read.excitation_force(w), given.excitation_force(w), rtol=1e-10, atol=1e-8)
    np.testing.assert_allclose(
        read.derived()["stiffness"], given.derived()["stiffness"], rtol=1e-9, atol=1e-6
    )
    K = [response(each.memory().modes, w) for each in (read, given)]
    np.testing.assert_allclose(K[0], K[1], rtol=1e-4, atol=1e-4 * abs(K[1]).max())
    assert coefficients((), (), (), 1.0, 1.0, 1.0).infinite is None
    np.testing.assert_array_equal(matrix([[1, 3, 5.0]])[2, 0], 5.0)


def test_what_a_table_lacks_is_told() -> None:
    wrong = "{type: floating_body, Hs: 1, Tp: 6, excitation: [[0.5, 0, 3, 1, 0], [3, 0, 3, 1, 0]], direction: 90 deg}"
    text = (
        f"luff: 1\nblocks:\n  sea: {{type: free}}\n  hull: {{type: rigid_link, mass: 1}}\n  water: {wrong}\n"
    )
    text += (
        "connect: [world.frame -- sea.frame_a, sea.frame_b -- hull.frame_a, hull.frame_a -- water.frame_b]\n"
    )
    with pytest.raises(
        luff.NetlistError, match="waves come at 90 deg against the hull, headings are 0 to 0 deg"
    ):
        luff.compile(luff.loads(text))
    twice = text.replace("[[0.5, 0, 3, 1, 0], ", "[[3, 0, 3, 2, 1], ")
    with pytest.raises(luff.NetlistError, match="found a second row of the same frequency, heading and axis"):
        luff.compile(luff.loads(twice))
    grounded = text.replace(", Hs: 1", "").replace("hull.frame_a -- water", "world.frame -- water")
    with pytest.raises(luff.CompileError, match="its frame_b is fixed to the world"):
        luff.compile(luff.loads(grounded))
