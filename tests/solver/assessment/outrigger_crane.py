"""A crane on four outriggers, and the load at which it tips by moments."""

from __future__ import annotations

import math
from pathlib import Path

STAND = """
luff: 1
parameters: {load: 1 t, reach: 6 m, azimuth: 90 deg}
blocks:
  stand:
    type: base_support
    mass: 20 t
    com: [0, 0, 1]
    inertia: [60 t*m^2, 110 t*m^2, 130 t*m^2]
    one_sided: true
    supports:
      - {at: [3, 2, 0], stiffness: [1e9, 1e9, 4e9], damping: [1e6, 1e6, 1e6]}
      - {at: [3, -2, 0], stiffness: [1e9, 1e9, 4e9], damping: [1e6, 1e6, 1e6]}
      - {at: [-3, 2, 0], stiffness: [1e9, 1e9, 4e9], damping: [1e6, 1e6, 1e6]}
      - {at: [-3, -2, 0], stiffness: [1e9, 1e9, 4e9], damping: [1e6, 1e6, 1e6]}
  slew: {type: fixed, rotate: [[z, =azimuth]]}
  boom: {type: rigid_link, frame_b: {at: [=reach, 0, 2]}}
  root: {type: section_sensor, of: boom, section: {shape: box, width: 0.3, height: 0.3, thickness: 8 mm}, ALLOW}
  weight: {type: rigid_link, mass: =load}
connect:
  - world.frame -- stand.frame_a
  - stand.frame_b -- slew.frame_a
  - slew.frame_b -- boom.frame_a
  - boom.frame_b -- weight.frame_a
simulation: {stop: 0.1 s, step: 1 ms}
"""


def stand(tmp_path: Path, allowable: str = "") -> Path:
    path = tmp_path / "crane.yaml"
    path.write_text(STAND.replace(", ALLOW", allowable))
    return path


def tipping_load(reach: float, azimuth: float, reserve: float = 1.0) -> float:
    """20 t in the middle of 6 m by 4 m, and a load at reach: moments about each edge."""
    x, y = reach * math.cos(azimuth), reach * math.sin(azimuth)
    loads = [math.inf]
    for half, along in ((3.0, x), (3.0, -x), (2.0, y), (2.0, -y)):
        if along > half:
            # all weight counts as if it stood in the middle: (m + P) half / (P along) is the reserve
            loads.append(20e3 * half / (reserve * along - half))
    return min(loads)
