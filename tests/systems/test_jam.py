"""Bodies that friction alone holds: a drawer that jams, by the closed form, a crate on a slope or floor, a drum."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.tests.conftest import PLAIN

DRAWER = """
luff: 1
blocks:
  world: {{gravity: [0, 0, 0]}}
  slide: {{type: free}}
  drawer: {{type: rigid_link, mass: 10, inertia: [1, 1, 1], frame_b: {{at: [0, {e}, 0]}},
           shape: {{kind: box, size: [{length}, 0.4, 0.2], round: 1 mm}}}}
  walls:
    type: fixture
    shapes:
      left: {{kind: box, size: [9, 0.1, 1], at: [0, 0.251, 0], round: 1 mm}}
      right: {{kind: box, size: [9, 0.1, 1], at: [0, -0.251, 0], round: 1 mm}}
  rub: {{type: touch, of: [drawer], against: [walls], law: {{stiffness: 1e6, dissipation: 2}}, friction: {{mu: {mu}}}}}
  ahead: {{type: constant, value: [1, 0, 0]}}
  rising: {{type: expression, inputs: [n], expr: "50*min(t/0.5, 1)*n", unit: N}}
  pull: {{type: applied_force}}
connect: [world.frame -- slide.frame_a, slide.frame_b -- drawer.frame_a, drawer.frame_b -- pull.frame_b,
          ahead.y -> rising.n, rising.y -> pull.force]
simulation: {{stop: 1 s, step: 0.2 ms, output_step: 0.1 s}}
"""


def test_drawer_jams_where_twice_friction_times_eccentricity_exceeds_its_length(seed: int, many: int) -> None:
    """Two corners bear N = F e / l each, and hold where F <= 2 mu N: 2 mu e >= l; play and rounding are 1 % of it."""
    jams = 0
    for draw in range(seed, seed + (1 if PLAIN else 8) * many):
        rng = np.random.default_rng(draw)
        length, mu = rng.uniform(0.4, 1.0), rng.uniform(0.2, 0.6)
        share = rng.choice([rng.uniform(0.4, 0.95), rng.uniform(1.05, 2.0)])
        text = DRAWER.format(e=share * length / (2.0 * mu), length=length, mu=mu)
        found = luff.compile(luff.loads(text)).run(stop=0.01 if PLAIN else 1.0)
        if PLAIN:
            continue
        held = found.quality.get("held_by_friction", [])
        print(f"seed {draw}: 2 mu e / l = {share}: {held}")
        if share > 1.0:
            jams += 1
            assert [one["body"] for one in held] == ["drawer"]
            # friction acts across the normals, but for the turn in the play
            assert held[0]["share"] == pytest.approx(1.0, abs=1e-3)
            assert abs(found["slide.velocity"][-1]).max() < 1e-4
        else:
            assert not held
            assert found["slide.velocity"][-1, 0] > 0.1


SLOPE = """
luff: 1
blocks:
  free: {type: free, initial: {position: [0, 0, 0.2495]}}
  crate: {type: rigid_link, mass: 100, inertia: [8, 8, 8], shape: {kind: box, size: [1, 1, 0.5], round: 5 mm}}
  floor: {type: fixture, shape: {kind: plane}}
  world: {gravity: [GRAVITY, 0, -9]}
  stand: {type: touch, of: [crate], against: [floor], law: {stiffness: 2e5, dissipation: 3}, friction: {mu: 0.4}}
connect: [world.frame -- free.frame_a, free.frame_b -- crate.frame_a]
simulation: {stop: 3, step: 1 ms, output_step: 0.1}
"""


@pytest.mark.parametrize(("gravity", "sticks"), [(0.0, False), (3.0, True), (4.0, False)])
def test_run_tells_the_share_that_friction_carries_of_a_crate_that_sticks(
    gravity: float, sticks: bool, tmp_path: Path
) -> None:
    """3 / |(3, 9)| on a slope on which it holds; nothing on a floor, or where it slides."""
    (tmp_path / "crate.yaml").write_text(SLOPE.replace("GRAVITY", str(gravity)))
    words = [sys.executable, "-m", "luff", "run", "crate.yaml"]
    out = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    told = re.search(
        r"touch: crate does not slip: friction alone carries (\d+) % of its load \(stand\), however hard that pulls",
        out,
    )
    assert (told is not None) == sticks
    if told is not None:
        # whole percents, and what its rocking at 3 s adds to its weight
        assert int(told[1]) == pytest.approx(100.0 * 3.0 / 90.0**0.5, abs=1.5)


CRATE = "{kind: box, size: [1, 1, 0.5], round: 5 mm}"


@pytest.mark.parametrize(
    ("changes", "slips"),
    [
        ({"0.2495]": "0.2495], angular_velocity: [0, 0, 10]"}, True),
        ({"0.2495": "0.4999", CRATE: "{kind: sphere, size: 1 m}", "0.4}": "0.4, rolling: 0.01}"}, True),
        ({}, False),
    ],
)
def test_spin_and_rolling_slip_though_friction_along_the_slope_is_within_its_limit(
    changes: dict[str, str], slips: bool
) -> None:
    """Slide and spin share mu N, resistance to rolling is a share of it; the crate that stands is one to compare."""
    text = SLOPE.replace("GRAVITY", "2").replace("stop: 3", "stop: 0.01 s" if PLAIN else "stop: 0.5 s")
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    found = luff.compile(luff.loads(text)).run()
    if PLAIN:
        return
    assert ("held_by_friction" not in found.quality) == slips
    assert (abs(found["free.velocity"][-1, 0]) > 0.1) == slips
