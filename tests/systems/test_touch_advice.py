"""What is told of shapes that touch: longest steps, depths, pairs that never met, and mistakes in a netlist."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import luff

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


def test_info_names_the_longest_step_of_a_crate_on_a_plane(tmp_path: Path) -> None:
    """Flat on four corners w^2 = 4 k / m; on one corner of the core, pressed along any line, k (1/m + r^2 / J)."""
    (tmp_path / "crate.yaml").write_text(crate())
    told = json.loads(command(tmp_path, "info", "crate.yaml", "--json").stdout)["advice"]["touches"]["it"]
    half = 0.495, 0.495, 0.245
    flat, corner = 4.0 / 1000.0, 1.0 / 1000.0 + (half[0] ** 2 + half[1] ** 2) / 200.0
    tilt = 4.0 * half[0] ** 2 / 200.0
    side = 4.0 * half[0] ** 2 / 200.0  # on a side face its corners tilt it about z
    rate = math.sqrt(2e5 * max(flat, corner, tilt, side))
    assert told["rate"] == pytest.approx(rate, rel=1e-9)
    # an undamped swing is stable for rk4 up to h w = 2 sqrt(2)
    assert told["largest_rk4_step"] == pytest.approx(math.sqrt(8.0) / rate, rel=1e-6)
    assert told["speed"] is None


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
        ("round: 0.005", "round: 0.3", r"crate: found 0\.3 m, expected less than half of the smallest size"),
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
