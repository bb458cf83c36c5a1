"""Height fields that shapes touch: beside planes, closed forms of a ball on a sine, and their own energy."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import luff
from luff.solver.kernels import model_data as f
from luff.tests.conftest import PLAIN, hours_as_plain_python
from luff.tests.shared.hull_mesh import write_hull

G = 9.81
SHAPES = {
    "sphere": "{kind: sphere, size: 1.0}",
    "capsule": "{kind: capsule, size: [0.4, 1.6]}",
    "box": "{kind: box, size: [1.6, 1.0, 0.7], round: 0.05}",
    "cylinder": "{kind: cylinder, size: [1.0, 1.2], round: 0.05}",
    "mesh": "{kind: mesh, file: hull.obj, round: 0.05}",
}
POSES = 4 if PLAIN else 40
LAW = "law: {stiffness: 1e4, dissipation: 0.3}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the hull of 14 points."""
    path = tmp_path_factory.mktemp("ground")
    write_hull(path / "hull.obj")
    return path


def grid(size: tuple[float, float], counts: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Places of the nodes along x and y, row after row along x."""
    x, y = (np.linspace(-0.5 * w, 0.5 * w, n) for w, n in zip(size, counts, strict=True))
    return np.meshgrid(x, y)[0], np.meshgrid(x, y)[1]


def ground(size: tuple[float, float], heights: np.ndarray) -> str:
    return f"{{kind: height_field, size: {[*size]}, heights: {heights.tolist()}}}"


class Free:
    """Free body of 1 kg and 1 kg m^2 with a shape, without gravity, above a ground."""

    def __init__(self, shape: str, on: str, folder: Path, law: str = LAW):
        self.diagram = luff.loads(
            f"""
luff: 1
blocks:
  world: {{gravity: [0, 0, 0]}}
  free: {{type: free}}
  body: {{type: rigid_link, mass: 1, inertia: [1, 1, 1], shape: {shape}}}
  ground: {{type: fixture, shape: {on}}}
  it: {{type: touch, of: [body], against: [ground], {law}}}
connect: [world.frame -- free.frame_a, free.frame_b -- body.frame_a]
simulation: {{stop: 1, step: 1e-3}}
""",
            base=folder,
        )
        self.sim = luff.compile(self.diagram)
        names = self.sim.state_names
        self.places = {
            name: [names.index(f"free.{name}[{k}]") for k in range(n)]
            for name, n in (("position", 3), ("orientation", 4), ("velocity", 3), ("angular_velocity", 3))
        }

    def element(
        self, p: np.ndarray, turn: Rotation, v: np.ndarray | None = None, w: np.ndarray | None = None
    ) -> np.ndarray:
        """Outputs of the pair."""
        x = np.array(self.sim.x0)
        x[self.places["position"]] = p
        x[self.places["orientation"]] = turn.as_quat(scalar_first=True)
        if v is not None:
            x[self.places["velocity"]], x[self.places["angular_velocity"]] = v, w
        self.sim.derivative(0.0, x)
        return self.sim.instance.data.element_out[0].copy()


@pytest.mark.parametrize("kind", SHAPES)
def test_plane_field_is_a_plane_also_beyond_its_grid(kind: str, folder: Path) -> None:
    X, Y = grid((6.0, 4.0), (13, 9))
    field = Free(SHAPES[kind], ground((6.0, 4.0), 0.3 * X - 0.2 * Y + 0.1), folder)
    n = np.array([-0.3, 0.2, 1.0]) / math.sqrt(1.13)
    axis, angle = np.cross([0, 0, 1], n).tolist(), math.degrees(math.acos(n[2]))
    plane = Free(SHAPES[kind], f"{{kind: plane, at: [0, 0, 0.1], rotate: [[{axis}, {angle} deg]]}}", folder)
    rng, touching = np.random.default_rng(4), 0
    for k in range(POSES):
        turn = Rotation.from_euler("xyz", [0.2, 0.3, 0.1 * k]) if k % 3 == 0 else Rotation.random(rng=rng)
        p = rng.uniform(-4.0, 4.0, 3)
        p[2] = 0.3 * p[0] - 0.2 * p[1] + 0.1 + rng.uniform(0.1, 0.8)
        v, w = rng.normal(size=3), rng.normal(size=3)
        here, there = (one.element(p, turn, v, w) for one in (field, plane))
        touching += there[f.TOUCH_NORMAL] > 0.0
        for column, count in ((f.FORCE_ON_B, 3), (f.TORQUE_ON_B, 3), (f.STORED, 1), (f.POWER_LOST, 1)):
            # rounding of coefficients, of which the angle of a rim takes the square root
            scale = 1e-9 * (1.0 + abs(there[f.TOUCH_NORMAL]))
            assert here[column : column + count] == pytest.approx(there[column : column + count], abs=scale)
    assert touching >= 0.3 * POSES


@pytest.mark.parametrize("kind", SHAPES)
def test_force_on_hills_is_the_gradient_of_its_energy(kind: str, folder: Path) -> None:
    """Hills of 0.15 m, some 2 m wide, on a grid of 0.25 m: corners, peaks, ridges, rims and sides all push."""
    size, counts = (6.0, 5.0), (25, 21)
    X, Y = grid(size, counts)
    hills = 0.15 * np.sin(2.5 * X + 0.4) * np.cos(3.0 * Y) + 0.1 * X
    body = Free(SHAPES[kind], ground(size, hills), folder, "law: {stiffness: 1, dissipation: 0}")
    rounding = body.sim.program.mechanism.elements[0].part.solid_b.rounding  # type: ignore[attr-defined]
    rng, touching = np.random.default_rng(8), 0
    for k in range(POSES):
        turn = Rotation.from_rotvec(rng.normal(size=3) * (0.05 if k % 2 else 3.0))
        p = np.array([*rng.uniform(-2.0, 2.0, 2), 3.0])
        # down until it is a part of its rounding deep
        low, high = -2.0, 3.0
        for _ in range(30):
            p[2] = 0.5 * (low + high)
            low, high = (p[2], high) if body.element(p, turn)[f.TOUCHING] > 0.0 else (low, p[2])
        p[2] = low - 0.3 * min(rounding, 0.1)
        out = body.element(p, turn)
        touching += out[f.TOUCHING] > 0.0
        force, torque = out[f.FORCE_ON_B : f.FORCE_ON_B + 3], out[f.TORQUE_ON_B : f.TORQUE_ON_B + 3]
        h, size_of = 1e-6, float(np.linalg.norm(force))
        for axis in np.eye(3):
            moved = [body.element(p + sign * h * axis, turn)[f.STORED] for sign in (1.0, -1.0)]
            turns = [Rotation.from_rotvec(sign * h * axis) * turn for sign in (1.0, -1.0)]
            turned = [body.element(p, one)[f.STORED] for one in turns]
            # truncation of the difference and rounding, as between other shapes
            assert (moved[1] - moved[0]) / (2.0 * h) == pytest.approx(
                force @ axis, abs=1e-6 * size_of + 1e-10
            )
            assert (turned[1] - turned[0]) / (2.0 * h) == pytest.approx(
                torque @ axis, abs=1e-6 * size_of + 1e-10
            )
    assert touching == POSES


def on_sine(start: str, friction: str, stop: float, step: float) -> luff.Result:
    """A ball of 0.6 m diameter on h = -0.2 cos(k x) of a wavelength of 4 m, on a grid of 5 cm."""
    X, _ = grid((8.0, 0.4), (161, 3))
    text = f"""
luff: 1
blocks:
  free: {{type: free, initial: {{{start}}}}}
  ball: {{type: rigid_link, mass: 10, inertia: [0.36, 0.36, 0.36], shape: {{kind: sphere, size: 0.6}}}}
  bed: {{type: fixture, shape: {ground((8.0, 0.4), -0.2 * np.cos(0.5 * math.pi * X))}}}
  rolls: {{type: touch, of: [ball], against: [bed], law: {{stiffness: 1e6, dissipation: 0}}{friction}}}
  energy: {{type: energy_sensor}}
connect: [world.frame -- free.frame_a, free.frame_b -- ball.frame_a]
simulation: {{stop: {stop}, step: {step}, output_step: {step}}}
"""
    return luff.compile(luff.loads(text)).run()


CURVATURE = 0.2 * (0.5 * math.pi) ** 2  # of the hollow and of the crest [1/m]
SINK = 10.0 * G / 1e6


@hours_as_plain_python
def test_ball_rolls_to_and_fro_in_a_hollow_as_a_pendulum() -> None:
    """T = 2 pi sqrt(7/5 (1 / curvature - r) / g)."""
    radius = 0.3
    start = f"position: [0.01, 0, {-0.2 + radius - SINK + 1e-4 * CURVATURE / 2}]"
    found = on_sine(start, ", friction: {mu: 0.5}", 12.0, 2e-4)
    x, t = found["free.position"][:, 0], found.time
    crossings = np.flatnonzero((x[:-1] > 0.0) & (x[1:] <= 0.0))
    times = t[crossings] + x[crossings] / (x[crossings] - x[crossings + 1]) * (t[1] - t[0])
    period = np.polyfit(np.arange(len(times)), times, 1)[0]
    expected = 2.0 * math.pi * math.sqrt(1.4 * (1.0 / CURVATURE - radius) / G)
    assert period == pytest.approx(expected, rel=2e-3)  # the sink, 1e-4 m of 0.3 m, and the bristle's bend


@hours_as_plain_python
def test_ball_slides_through_a_hollow_with_the_force_of_its_curvature_and_keeps_its_energy() -> None:
    """Without friction: v^2 = 2 g h, and N = m (g + v^2 curvature of the centre's path), at the lowest point."""
    radius, slope = 0.3, 0.1 * math.pi
    n = np.array([-slope, 0.0, 1.0]) / math.hypot(slope, 1.0)
    # at rest on the steepest place, which is straight, and in by its weight along the normal
    at = np.array([1.0, 0.0, 0.0]) + (radius - SINK * n[2]) * n
    found = on_sine(f"position: {at.tolist()}", "", 3.0, 2e-4)
    energy, height = found["energy.total"], found["free.position"][:, 2]
    fell = at[2] - height.min()
    # feature by feature a potential; steps of 1/16 of the contact's period
    assert np.ptp(energy) < 1e-8 * 10.0 * G * fell
    lowest = np.argmin(height)
    square = float(found["free.velocity"][lowest] @ found["free.velocity"][lowest])
    # the contact stores N^2 / 2 k of 8 mJ
    assert square == pytest.approx(2.0 * G * fell, rel=1e-3)
    # deeper by N / k; the ball vibrates on its stiffness since it was let go
    force = 10.0 * (G + square / (1.0 / CURVATURE - radius))
    assert found["rolls.normal_force"][lowest] == pytest.approx(force, rel=5e-3)


@pytest.mark.parametrize(
    ("name", "features"), [("ridge", 2), ("turned", 2), ("peak", 1), ("level", 4)], ids=lambda one: str(one)
)
def test_plate_on_hills_sinks_in_by_its_weight_over_the_features_that_carry(name: str, features: int) -> None:
    """Held level by a vertical guide: two edges lie across a ridge, a peak stands below the middle of the face."""
    X, Y = grid((6.0, 6.0), (25, 25))
    heights = {
        "ridge": -0.4 * abs(X),
        "turned": -0.4 * abs(X),
        "peak": -0.4 * np.hypot(X, Y),
        "level": 0.0 * X,
    }[name]
    turn = "[[z, 20 deg]]" if name == "turned" else "[]"
    top = float(heights.max())
    text = f"""
luff: 1
blocks:
  guide: {{type: prismatic, axis: z, initial: {{position: {top + 0.25}}}}}
  plate: {{type: rigid_link, mass: 100, shape: {{kind: box, size: [2, 2, 0.5], round: 0.05, rotate: {turn}}}}}
  ground: {{type: fixture, shape: {ground((6.0, 6.0), heights)}}}
  stands: {{type: touch, of: [plate], against: [ground], law: {{stiffness: 1e5, dissipation: 10}}}}
connect: [world.frame -- guide.frame_a, guide.frame_b -- plate.frame_a]
simulation: {{stop: 3, step: 1e-3, output_step: 0.1}}
"""
    found = luff.compile(luff.loads(text)).run(stop=0.1 if PLAIN else 3.0)
    if PLAIN:
        return
    sinks = 100.0 * G / features / 1e5
    # weights of a turn by 0.2 rad and more are 1 - 2e-5, of edges across each other 1 - 0.0025
    assert found["stands.depth"][-1] == pytest.approx(sinks, rel=4e-3)
    assert found["guide.position"][-1] == pytest.approx(top + 0.25 - sinks, abs=4e-3 * sinks)


def test_heights_come_from_files_too(folder: Path) -> None:
    X, Y = grid((6.0, 4.0), (13, 9))
    heights = 0.1 * np.sin(X) + 0.05 * Y
    np.savetxt(folder / "bed.csv", heights, delimiter=",", fmt="%.17g")
    np.savez(folder / "bed.npz", heights=10.0 * heights)
    words = ["heights: " + str(heights.tolist()), "file: bed.csv", "file: bed.npz, scale: 0.1"]
    p, turn = np.array([0.7, -0.4, 0.5]), Rotation.from_rotvec([0.3, 0.1, 0.0])
    made = [
        Free(SHAPES["box"], f"{{kind: height_field, size: [6, 4], {word}}}", folder).element(p, turn)
        for word in words
    ]
    assert made[0][f.TOUCH_NORMAL] > 0.0
    for other in made[1:]:
        # a factor of ten and back
        assert other == pytest.approx(made[0], rel=1e-9, abs=1e-12)


WRONG = [
    ("size: [6, 4]", "neither heights nor file"),
    ("size: [6, 4, 2], heights: [[0, 0], [0, 0]]", r"3 numbers, expected \[x, y\]"),
    ("size: [6, 4], heights: [[0, 0], [0, 0, 0]]", "no grid of heights"),
    ("size: [6, 4], heights: [[0, 0]]", "no grid of heights"),
    ("size: [6, 4], heights: [[0, 0], [0, .nan]]", "nan|finite"),
    ("size: [6, 4], heights: [[0, 0], [0, 0]], round: 0.1", "round of a height field"),
    ("size: [6, 4], file: none.csv", "there is no such file"),
    ("size: [6, 4], file: broken.npz", "cannot read broken.npz as a height field"),
]


@pytest.mark.parametrize(("words", "message"), WRONG)
def test_heights_that_are_no_field_are_refused(words: str, message: str, folder: Path) -> None:
    (folder / "broken.npz").write_bytes(b"nothing")
    with pytest.raises(luff.LuffError, match=message):
        Free(SHAPES["box"], f"{{kind: height_field, {words}}}", folder)


def test_heights_of_another_kind_are_told_their_own(folder: Path) -> None:
    with pytest.raises(luff.LuffError, match="found heights with a box") as told:
        Free(SHAPES["box"], "{kind: box, size: [6, 4, 1], heights: [[0, 0], [0, 0]]}", folder)
    assert "kind: height_field" in str(told.value)


def test_ball_that_is_wider_than_a_hollow_is_told() -> None:
    """The bound of the curvature of h = 0.05 cos(8 x) is at least its own, 3.2 / m, and at most 1.5 times that."""
    from luff.blocks.geometry.height_fields import sharpest_hollow

    X, _ = grid((4.0, 1.0), (161, 5))
    body = Free("{kind: sphere, size: 0.3}", ground((4.0, 1.0), 0.05 * np.cos(8.0 * X)), Path())
    bend = sharpest_hollow(body.sim.program.mechanism.elements[0].part.solid_a)  # type: ignore[attr-defined]
    assert 3.2 <= bend <= 4.8
    assert not [each for each in body.diagram.check() if "hollows" in each.message]
    wide = Free("{kind: sphere, size: 1.0}", ground((4.0, 1.0), 0.05 * np.cos(8.0 * X)), Path())
    assert any("touches two places at once" in each.message for each in wide.diagram.check())


def test_bound_of_hollows_sees_diagonal_ones() -> None:
    """h = x y / 4 bends by 1/4 along its diagonal alone, at the middle."""
    from luff.blocks.geometry.height_fields import sharpest_hollow

    X, Y = grid((4.0, 4.0), (17, 17))
    body = Free("{kind: sphere, size: 0.3}", ground((4.0, 4.0), 0.25 * X * Y), Path())
    bend = sharpest_hollow(body.sim.program.mechanism.elements[0].part.solid_a)  # type: ignore[attr-defined]
    assert bend == pytest.approx(0.25, rel=1e-9)


def test_distance_from_a_height_field_is_refused(folder: Path) -> None:
    text = f"""
luff: 1
blocks:
  free: {{type: free}}
  body: {{type: rigid_link, mass: 1, inertia: [1, 1, 1], shape: {SHAPES["box"]}}}
  ground: {{type: fixture, shape: {ground((6.0, 4.0), np.zeros((3, 3)))}}}
  room: {{type: clearance, of: [body], against: [ground]}}
connect: [world.frame -- free.frame_a, free.frame_b -- body.frame_a]
"""
    with pytest.raises(luff.LuffError, match="height field, which is not convex"):
        luff.compile(luff.loads(text))


@hours_as_plain_python
@pytest.mark.parametrize("kind", ["box", "cylinder"])
def test_derivatives_on_hills_are_exact(kind: str, folder: Path) -> None:
    X, Y = grid((6.0, 5.0), (25, 21))
    hills = 0.15 * np.sin(2.5 * X + 0.4) * np.cos(3.0 * Y)
    body = Free(SHAPES[kind], ground((6.0, 5.0), hills), folder, f"{LAW}, friction: {{mu: 0.4}}")
    x = np.array(body.sim.x0)
    x[body.places["position"]] = [0.21, 0.13, 0.42 if kind == "box" else 0.6]
    x[body.places["orientation"]] = Rotation.from_rotvec([0.1, 0.2, 0.3]).as_quat(scalar_first=True)
    x[body.places["velocity"]] = [0.1, 0.0, -0.1]
    exact = body.sim.jacobian(0.0, x)
    assert abs(exact).max() > 1e3
    for k in range(len(x)):
        way = np.zeros(len(x))
        way[k] = 1e-7
        there = (
            np.array(body.sim.derivative(0.0, x + way)) - np.array(body.sim.derivative(0.0, x - way))
        ) / 2e-7
        # rounding of forces of 1 kN over the step, and its square
        np.testing.assert_allclose(exact[:, k], there, rtol=1e-5, atol=1e-3)
