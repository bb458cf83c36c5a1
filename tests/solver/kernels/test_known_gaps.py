"""Gaps of hulls that an earlier evaluation found: what they leave out changes no force, and they are used."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import luff
from luff.blocks.multibody_parts import Touch
from luff.solver.kernels import model_data as f
from luff.tests.conftest import PLAIN
from luff.tests.solver.kernels.test_touch_culls import stl

ROUND = 0.001
SHAPES = {
    "one": f"{{kind: mesh, file: one.stl, round: {ROUND} m}}",
    "two": f"{{kind: mesh, file: two.stl, round: {ROUND} m}}",
    "box": f"{{kind: box, size: [0.2, 0.15, 0.1], round: {ROUND}}}",
    "drum": f"{{kind: cylinder, size: [0.15, 0.2], round: {ROUND}}}",
    "ball": "{kind: sphere, size: [0.15]}",
}


def hulls(folder: Path, rng: np.random.Generator) -> luff.Simulation:
    """Free bodies, of which two are hulls, above a floor: all touch each other."""
    for name, count in (("one", 30), ("two", 20)):
        points = rng.normal(size=(count, 3))
        stl(folder / f"{name}.stl", points / np.linalg.norm(points, axis=1)[:, None] * [0.12, 0.1, 0.08])
    blocks = [
        f"  f_{name}: {{type: free}}\n  {name}: {{type: rigid_link, mass: 1, inertia: [1, 1, 1], shape: {shape}}}"
        for name, shape in SHAPES.items()
    ]
    wires = [f"world.frame -- f_{name}.frame_a, f_{name}.frame_b -- {name}.frame_a" for name in SHAPES]
    text = f"""
luff: 1
blocks:
  floor: {{type: fixture, shape: {{kind: plane}}}}
{chr(10).join(blocks)}
  meet:
    type: touch
    among: [{", ".join(SHAPES)}, floor]
    law: {{stiffness: 2e5, dissipation: 1}}
    friction: {{mu: 0.3}}
connect: [{", ".join(wires)}]
"""
    return luff.compile(luff.loads(text, folder))


def near(sim: luff.Simulation, other: str, rng: np.random.Generator) -> np.ndarray:
    """A state in which the hull `one` and another body are apart by less than their boxes tell, the rest far away."""
    run, x, names = sim.new_instance(), np.array(sim.x0), sim.state_names
    for k, name in enumerate(SHAPES):
        x[names.index(f"f_{name}.position[0]")] = 10.0 * (k + 1)
    x[names.index("f_one.position[0]")] = 0.0
    place, turn = (names.index(f"f_{other}.{what}[0]") for what in ("position", "orientation"))
    while True:
        way = rng.normal(size=3)
        x[place : place + 3] = rng.uniform(0.1, 0.3) / np.linalg.norm(way) * way
        x[turn : turn + 4] = Rotation.random(rng=rng).as_quat(scalar_first=True)
        run.data.touch_gap[:] = 0.0
        run.rates(0.0, x)
        if (run.data.touch_gap[:, f.GAP_LEFT] > 0.0).any():
            return x


def test_known_gaps_change_no_force_as_hulls_creep(seed: int, tmp_path: Path) -> None:
    """To the bit the rates and outputs of a work space that knows nothing, through moves and turns of all sizes."""
    rng = np.random.default_rng(seed)
    sim = hulls(tmp_path, rng)
    names, used = sim.state_names, sim.new_instance()
    known, renewed, touched = 0, 0, 0
    for draw in range(1 if PLAIN else 40):
        other = list(SHAPES)[1 + draw % 4]
        x = near(sim, other, rng)
        place, turn = (names.index(f"f_{other}.{what}[0]") for what in ("position", "orientation"))
        size = 10.0 ** rng.uniform(-4, -1.7, 2)
        for _ in range(20):
            x[place : place + 3] += size[0] * rng.uniform(-1, 1, 3)
            own = Rotation.from_quat(x[turn : turn + 4], scalar_first=True)
            more = Rotation.from_rotvec(10.0 * size[1] * rng.uniform(-1, 1, 3))
            x[turn : turn + 4] = (more * own).as_quat(scalar_first=True)
            before, new = used.data.touch_gap.copy(), sim.new_instance()
            np.testing.assert_array_equal(used.rates(0.0, x).copy(), new.rates(0.0, x))
            outputs = (run.data.element_out[:, : f.SLIP] for run in (used, new))
            np.testing.assert_array_equal(*outputs)
            touched += int((new.data.element_out[:, f.TOUCHING] > 0.0).sum())
            alike = (before == used.data.touch_gap).all(axis=1)
            known += int((alike & (before[:, f.GAP_LEFT] > 0.0)).any())
            renewed += int((~alike).any())
    assert PLAIN or min(known, renewed, touched) > 50, (known, renewed, touched)


def test_kept_way_is_what_is_left_beyond_both_roundings(tmp_path: Path) -> None:
    """Beside the distance of two hulls by a search over the shares of their corners."""
    rng = np.random.default_rng(2)
    sim = hulls(tmp_path, rng)
    parts = [placed.part for placed in sim.program.mechanism.elements]
    (part,) = [each for each in parts if (each.frame_a, each.frame_b) == ("one", "two")]
    assert isinstance(part, Touch)
    a, b = (np.array(solid.corners) for solid in (part.solid_a, part.solid_b))
    for _ in range(1 if PLAIN else 3):
        run = sim.new_instance()
        run.rates(0.0, near(sim, "two", rng))
        row = run.data.touch_gap[0]
        axes, at = row[f.GAP_AXES : f.GAP_AXES + 9].reshape(3, 3), row[f.GAP_AT : f.GAP_AT + 3]
        gap = distance(a, b @ axes.T + at)
        # the search ends that much above the least distance
        assert -1e-12 < gap - 2.5 * ROUND - row[f.GAP_LEFT] < 1e-5


def distance(a: np.ndarray, b: np.ndarray) -> float:
    """Distance of the hulls of two clouds of points: a convex search over the shares of the points."""

    def apart(shares: np.ndarray) -> tuple[float, np.ndarray]:
        way = shares[: len(a)] @ a - shares[len(a) :] @ b
        return float(way @ way), 2.0 * np.concatenate((a @ way, -b @ way))

    sums = [
        {"type": "eq", "fun": lambda s: s[: len(a)].sum() - 1.0},
        {"type": "eq", "fun": lambda s: s[len(a) :].sum() - 1.0},
    ]
    start = np.concatenate((np.full(len(a), 1.0 / len(a)), np.full(len(b), 1.0 / len(b))))
    end = minimize(
        apart, start, jac=True, bounds=[(0.0, 1.0)] * len(start), constraints=sums, method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )  # fmt: skip
    return float(np.sqrt(end.fun))
