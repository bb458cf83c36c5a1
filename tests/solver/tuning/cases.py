"""Models with hidden parameters, and measurements of them with noise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from luff.solver.tuning.concurrent_searches import ConcurrentSearches
from luff.solver.tuning.search_journal import SearchEnd

OSCILLATOR = """\
luff: 1
name: oscillator
parameters: {k: 90 N/m}
blocks:
  rail: {type: prismatic, axis: x, stiffness: =k, damping: 1.5 N*s/m, initial: {position: 0.1}}
  body: {type: rigid_link, mass: 2 kg}
connect: [world.frame -- rail.frame_a, rail.frame_b -- body.frame_a]
simulation: {stop: 4 s, step: 5 ms, output_step: 20 ms}
"""
TASK = """\
luff: 1
name: spring and damper
model: ./oscillator.yaml
fit:
  parameters:
    k: {lower: 40 N/m, upper: 200 N/m, start: 90}
    rail.damping: {lower: 0.1, upper: 10, scale: log, start: 2}
  data:
    - file: measured.csv
      signals: {rail.position: {column: place, unit: mm, deviation: 2 mm}}
"""
HIDDEN = {"k": 110.0, "rail.damping": 0.9}
NOISE = 0.002  # m


def position(t: np.ndarray, k: float, c: float, m: float = 2.0, x: float = 0.1) -> np.ndarray:
    """Closed form of m x'' + c x' + k x = 0 from rest."""
    a = c / (2.0 * m)
    w = np.sqrt(k / m - a * a)
    return x * np.exp(-a * t) * (np.cos(w * t) + a / w * np.sin(w * t))


def write(folder: Path, seed: int, late: float = 0.0, task: str = TASK, noise: float = NOISE) -> Path:
    """The model, what was measured of the hidden one, and the task."""
    draw = np.random.default_rng(seed)
    t = np.sort(draw.uniform(0.05, 3.8, 200))  # at times of its own
    place = position(t + late, HIDDEN["k"], HIDDEN["rail.damping"]) + draw.normal(0.0, noise, len(t))
    rows = "\n".join(f"{a!r},{1e3 * b!r}" for a, b in zip(t.tolist(), place.tolist(), strict=True))
    (folder / "measured.csv").write_text("time [s],place [mm]\n" + rows + "\n")
    (folder / "oscillator.yaml").write_text(OSCILLATOR)
    (folder / "task.yaml").write_text(task)
    return folder / "task.yaml"


def one_by_one(self: ConcurrentSearches[Any]) -> Iterator[SearchEnd]:
    """Stands for `ConcurrentSearches.ends`: each search to its end, and then the next."""
    for search in self._searches:
        yield search(self._evaluate)
