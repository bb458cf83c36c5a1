"""What is told of shapes that touch: longest steps, depths, pairs that never met, and mistakes in a netlist."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import luff
from luff.blocks.multibody_parts import Touch

CRATE = """
luff: 1
blocks:
  free: {type: free, initial: {position: [0, 0, HEIGHT]}}
  crate: {type: rigid_link, mass: 1000, inertia: [200, 200, 200],
          shape: {kind: box, size: [1, 1, 0.5], round: ROUND}}
  floor: {type: fixture, shape: FLOOR}
  it: {type: touch, of: [crate], against: [floor], law: {stiffness: 2e5, dissipation: 0}}
connect: [world.frame -- free.frame_a, free.frame_b -- crate.frame_a]
simulation: {stop: 1, step: STEP, output_step: STEP}
"""
BOX = "{kind: box, size: [4, 4, 0.5], round: 5 mm}"


def crate(
    floor: str = "{kind: plane}", height: float = 0.6, rounding: float = 0.005, step: float = 1e-3
) -> str:
    text = CRATE.replace("FLOOR", floor).replace("HEIGHT", str(height))
    return text.replace("ROUND", str(rounding)).replace("STEP", str(step))


def command(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "luff", *words], cwd=folder, capture_output=True, text=True, check=False
    )


def touching(folder: Path, text: str) -> dict[str, float | None]:
    """Advice of `luff info` on the block `it`."""
    (folder / "crate.yaml").write_text(text)
    return json.loads(command(folder, "info", "crate.yaml", "--json").stdout)["advice"]["touches"]["it"]


HALF = 0.495, 0.495, 0.245
# flat on four corners w^2 = 4 k / m, tilting; on one corner of the core, pressed along any line, k (1/m + r^2 / J)
CORNER = 1.0 / 1000.0 + (HALF[0] ** 2 + HALF[1] ** 2 + HALF[2] ** 2) / 200.0
STIFFEST = max(4.0 / 1000.0, 4.0 * HALF[0] ** 2 / 200.0, CORNER)  # side faces tilt about z
REACH = 2.6  # of rk4: see test_rk4_is_stable_in_a_half_disc


def test_info_names_the_longest_step_of_a_crate_on_a_plane(tmp_path: Path) -> None:
    told = touching(tmp_path, crate())
    rate = math.sqrt(2e5 * STIFFEST)
    assert told["rate"] == pytest.approx(rate, rel=1e-9)
    # three at once, without dissipation and friction
    assert told["largest_rk4_step"] == pytest.approx(REACH / math.sqrt(3.0) / rate, rel=1e-9)
    assert told["light_rk4_step"] == told["largest_rk4_step"]
    assert told["speed"] is None


def test_info_takes_dissipation_at_the_depth_of_the_roundings_and_the_bristle_into_account(
    tmp_path: Path,
) -> None:
    text = crate(BOX, rounding=0.05).replace(
        "dissipation: 0}", "dissipation: 20}, friction: {mu: 0.3, damping: 900}"
    )
    told, depth = touching(tmp_path, text), 0.055
    # the least of J M^-1 J^T is that along the corner's arm; half of the energy of the hit is k s^2 / 2
    speed = depth * math.sqrt(2e5 / 1000.0)
    assert told["speed"] == pytest.approx(speed, rel=1e-9)
    half = 0.45, 0.45, 0.2
    corner = 1.0 / 1000.0 + (half[0] ** 2 + half[1] ** 2 + half[2] ** 2) / 200.0
    # a side of the floor has two corners that are near enough to meet the crate at once
    stiffest = max(4.0 * half[0] ** 2 / 200.0, 2.0 * corner)
    light = max(math.sqrt(3.0 * 2e5 * (stiffest + corner)), 3.0 * 900.0 * corner)
    assert told["light_rk4_step"] == pytest.approx(REACH / light, rel=1e-9)
    deep = 3.0 * 900.0 * corner + math.sqrt(3.0) * 2e5 * stiffest * 20.0 * depth
    assert deep > math.sqrt(3.0 * 2e5 * (stiffest * (1.0 + 20.0 * speed) + corner))
    assert told["largest_rk4_step"] == pytest.approx(REACH / deep, rel=1e-9)


def test_rk4_is_stable_in_a_half_disc() -> None:
    """|R(z)| <= 1 on its edge, and so within (maximum modulus); between samples it changes by less than 26 |dz|."""
    z = REACH * np.exp(1j * np.linspace(0.5 * np.pi, 1.5 * np.pi, 20_001))
    largest = abs(1.0 + z + z**2 / 2.0 + z**3 / 6.0 + z**4 / 24.0).max()
    assert largest + 26.0 * REACH * np.pi / 20_000 < 1.0
    y = np.linspace(0.0, REACH, 1000)
    assert (y**2 <= 8.0).all()  # on the imaginary axis |R|^2 = 1 - y^6 / 72 + y^8 / 576


def test_steps_beyond_the_longest_add_energy_and_below_do_not() -> None:
    """A crate that rests on its four corners: the swings of a disturbed rest grow, or fade."""

    def last_swing(share: float) -> float:
        longest = math.sqrt(8.0) / math.sqrt(4.0 * 2e5 / 1000.0)
        sim = luff.compile(luff.loads(crate(height=0.2379, step=share * longest)))
        return float(np.ptp(sim.run(stop=300.0 * longest)["free.position"][-20:, 2]))

    # a step of 1.05: it leaves the ground, where the law is no longer linear
    assert last_swing(0.95) < 1e-4
    assert last_swing(1.05) > 1e-3


def test_run_tells_a_depth_beyond_the_roundings_and_when() -> None:
    with pytest.warns(
        luff.ModelWarning, match=r"it: crate in floor is deeper than its roundings, 0\.01 m, at t"
    ):
        found = luff.compile(luff.loads(crate(BOX))).run()
    assert found["it.depth"].max() > 0.01
    gentle = luff.compile(luff.loads(crate(BOX, height=0.5, rounding=0.05))).run()
    assert gentle["it.depth"].max() < 0.055  # and no warning


def test_run_tells_that_cores_met_at_the_start_whenever_they_part() -> None:
    with pytest.warns(
        luff.ModelWarning, match=r"0\.01 m, at the start, by up to 0\.0[0-9]+ m: .* start them apart"
    ):
        found = luff.compile(luff.loads(crate(BOX, height=0.45))).run()
    assert found["it.depth"].min() < 0.01


def test_run_tells_pairs_that_never_met(tmp_path: Path) -> None:
    (tmp_path / "crate.yaml").write_text(crate(height=50.0))
    told = command(tmp_path, "run", "crate.yaml")
    assert "touch: never met: it: crate and floor" in told.stdout + told.stderr
    (tmp_path / "crate.yaml").write_text(crate())
    told = command(tmp_path, "run", "crate.yaml")
    assert "never met" not in told.stdout + told.stderr


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("of: [crate]", "of: [crat]", r'it\.of\[0\].*"crat" is no block with shapes.*did you mean "crate"'),
        ("of: [crate]", "of: [free]", r'"free" is a free, expected a rigid_link or a fixture'),
        ("of: [crate], against: [floor]", "of: [floor], against: [crate]", "floor is a plane.*against"),
        ("round: 0.005", "round: 0.3", r"crate\.shape\.round: found 0\.3 m, expected less than half of"),
        ("of: [crate], against: [floor]", "of: [crate]", "found no `against`"),
        ("of: [crate], against: [floor]", "among: [crate]", "no two shapes of different blocks"),
        (
            "shape: {kind: box, size: [1, 1, 0.5], round: 0.005}",
            "shape: {kind: hook, size: 1}",
            "found a hook",
        ),
        ("kind: plane", "kind: plane, size: 3", "found size of a plane"),
        (
            "dissipation: 0}",
            "dissipation: 0}, friction: {rolling: 1 mm}",
            "resistance to rolling without friction",
        ),
    ],
)
def test_mistakes_are_told_by_name(old: str, new: str, message: str) -> None:
    text = crate()
    assert old in text
    with pytest.raises(luff.LuffError, match=message):
        luff.compile(luff.loads(text.replace(old, new)))


def test_shapes_of_one_body_are_refused() -> None:
    text = crate(BOX).replace("connect: [", "connect: [crate.frame_b -- floor.frame, ")
    with pytest.raises(luff.LuffError, match="two shapes of one body"):
        luff.compile(luff.loads(text))


def test_static_search_finds_the_sink_and_what_nothing_holds(tmp_path: Path) -> None:
    text = crate(height=0.24, rounding=0.05).replace("stiffness: 2e5", "stiffness: 1e6")
    (tmp_path / "crate.yaml").write_text(text)
    found = json.loads(command(tmp_path, "static", "crate.yaml", "--json").stdout)
    assert found["positions"]["free.position[2]"] == pytest.approx(0.25 - 1000.0 * 9.81 / 4e6, rel=1e-9)
    assert set(found["neutral"]) == {"free.position[0]", "free.position[1]", "free.angular_velocity[2]"}


# an L of thickness 1/2: corners of its lower face, triangles of it, and of the sides
L_FORM = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
L_FACE = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]


def prism(thickness: float) -> list[tuple[int, int, int]]:
    """Triangles of the L, outwards; of a thickness of 0 of its face alone."""
    if thickness == 0.0:
        return L_FACE
    sides = [(k, (k + 1) % 6) for k in range(6)]
    return [
        *((c, b, a) for a, b, c in L_FACE),
        *((a + 6, b + 6, c + 6) for a, b, c in L_FACE),
        *((a, b, b + 6) for a, b in sides),
        *((a, b + 6, a + 6) for a, b in sides),
    ]


@pytest.mark.parametrize(
    ("thickness", "change", "told"),
    [
        # 3.5 of 3 square metres
        (0.5, lambda faces: faces, r"the mesh of crate is not convex: its convex hull counts, 17 % larger"),
        (
            0.5,
            lambda faces: [face[::-1] for face in faces],
            r"is not convex: its convex hull counts, 17 % larger",
        ),
        (0.5, lambda faces: faces[:-1], r"the mesh of crate is open, or its triangles face both ways"),
        (
            0.0,
            lambda faces: faces,
            r"crate\.shape: found a mesh whose points lie in one plane, expected a solid",
        ),
    ],
    ids=["closed", "inwards", "open", "flat"],
)
def test_hull_that_is_no_mesh_is_told(
    thickness: float, change: Callable[[list], list], told: str, tmp_path: Path
) -> None:
    corners = [(x, y, z) for z in (0.0, thickness) for x, y in L_FORM]
    lines = [f"v {x} {y} {z}" for x, y, z in corners]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in change(prism(thickness))]
    (tmp_path / "l.obj").write_text("\n".join(lines))
    box = "{kind: box, size: [1, 1, 0.5], round: 0.005}"
    (tmp_path / "crate.yaml").write_text(crate().replace(box, "{kind: mesh, file: l.obj}"))
    assert re.search(told, command(tmp_path, "check", "crate.yaml").stderr)


def egg(count: int) -> np.ndarray:
    """Points on an ellipsoid, evenly by the golden angle (count, 3)."""
    k = np.arange(count) + 0.5
    z, turn = 1.0 - 2.0 * k / count, np.pi * (1.0 + math.sqrt(5.0)) * k
    across = np.sqrt(1.0 - z * z)
    return np.column_stack([across * np.cos(turn), across * np.sin(turn), z]) * [0.3, 0.25, 0.2]


def test_hull_of_many_corners_touches_with_fewer_and_tells_how_far_within(tmp_path: Path) -> None:
    """Nested hulls are as far apart as their widths along any direction differ at most."""
    points = egg(300)
    faces = ConvexHull(points).simplices + 1
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in points.tolist()] + [f"f {a} {b} {c}" for a, b, c in faces]
    (tmp_path / "egg.obj").write_text("\n".join(lines))
    text = crate("{kind: plane}", 0.5).replace(
        "{kind: box, size: [1, 1, 0.5], round: 0.005}", "{kind: mesh, file: egg.obj}"
    )
    sim = luff.compile(luff.loads(text, base=tmp_path))
    (told,) = [one.message for one in sim.remarks if "many corners" in one.message]
    miss = float(told.split("up to ")[1].split()[0])
    (pair,) = [one.part for one in sim.program.mechanism.elements if isinstance(one.part, Touch)]
    assert len(pair.solid_b.corners) == 128
    n = egg(5000) / [0.3, 0.25, 0.2]
    apart = (
        (points @ n.T).max(axis=0)
        - (np.array(pair.solid_b.corners) @ n.T).max(axis=0)
        - pair.solid_b.rounding
    )
    # corners of the hull itself are rounded off, by the rounding times 1 / cos - 1 of some 6 degrees
    assert apart.min() > -1e-9
    assert 0.7 * miss < apart.max() < miss + 0.01 * pair.solid_b.rounding
    # 128 caps of a ball of 0.3 m are 5 mm high, evenly spread
    assert miss < 0.012
