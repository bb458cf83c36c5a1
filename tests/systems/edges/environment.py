"""Seas and winds at the edges of their laws."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

import luff

from .edge import Compared, edge

R = luff.Result
Answers = Iterable[Compared]
EVERY = 5e-4  # what the sum of a hundred harmonics over two hours leaves of the standard deviation, and some


@edge(
    "waves",
    """
  none: {type: waves, Hs: 0}
  it: {type: waves, Hs: 3, Tp: 7, gamma: 1, seed: 4}
  same: {type: waves, Hs: 3, Tp: 7, spectrum: pierson_moskowitz, seed: 4}
  double: {type: waves, Hs: 6, Tp: 7, gamma: 1, seed: 4}
  far: {type: waves, Hs: 3, Tp: 7, gamma: 1, seed: 4, position: [0, 50], direction: 0}
  later: {type: waves, Hs: 3, Tp: 7, gamma: 1, seed: 4, fade_in: 100}
""",
    stop=3600.0,
    step=0.1,
    rows=0.5,
    coarse=False,
    methods=("rk4",),
)
def seas_of_no_height_and_of_twice_as_much(r: R) -> Answers:
    yield "none", r["none.elevation"], 0.0, 0.0
    # hundred harmonics, over an hour: beats leave some per cent of the variance
    yield "Hs / 4", r["it.elevation"].std(), 0.75, 0.02
    yield "twice", r["double.elevation"], 2 * r["it.elevation"], 1e-9
    yield "jonswap of gamma 1", r["same.elevation"], r["it.elevation"], 1e-9
    yield "along the crests nothing changes", r["far.elevation"], r["it.elevation"], 1e-9
    yield "from calm", r["later.elevation"][0], 0.0, 1e-12
    yield "and then the same", r["later.elevation"][r.time > 100.1], r["it.elevation"][r.time > 100.1], 1e-9


@edge(
    "wind",
    """
  still: {type: wind, speed: 12, intensity: 0, direction: 90 deg}
  plain: {type: wind, speed: 12, spectrum: none, direction: 180 deg}
  it: {type: wind, speed: 12, intensity: 0.2, seed: 3, direction: 30 deg, lowest: 0.01}
""",
    stop=3600.0,
    step=0.1,
    rows=0.5,
    coarse=False,
    methods=("rk4",),
)
def winds_without_gusts(r: R) -> Answers:
    yield "to the side", [r["still.along"].min(), r["still.along"].max()], 12.0, 1e-12
    yield "mean", [r["still.mean[0]"][0], r["still.mean[1]"][0], r["plain.mean[0]"][0]], [0, 12, -12], 1e-12
    yield "no spectrum", r["plain.gust[0]"], 0.0, 0.0
    yield "gusts along the wind", r["it.gust[0]"] * np.tan(np.pi / 6), r["it.gust[1]"], 1e-12
    yield "the mean of the gusts is nothing", (r["it.along"] - 12).mean(), 0.0, 0.1


@edge(
    "vessel_motion waves",
    """
  sea: {type: waves, Hs: 2, Tp: 8, seed: 1, highest: 2.5}
  unit: {type: vessel_motion, Hs: 2, Tp: 8, seed: 1, axes: [heave, pitch], highest: 2.5,
         rao: [[0.1, 1, 0, 0, 0], [3, 1, 0, 0, 0]]}
  lead: {type: vessel_motion, Hs: 2, Tp: 8, seed: 1, axes: [heave], highest: 2.5, rao: [[0.1, 1,
       3.141592653589793], [3, 1, 3.141592653589793]]}
""",
    stop=200.0,
    step=0.05,
    rows=0.5,
    coarse=False,
    methods=("rk4",),
)
def vessels_that_follow_the_sea(r: R) -> Answers:
    yield "heave of one", r["unit.heave"], r["sea.elevation"], 1e-9
    yield "its rate", r["unit.heave.rate"], r["sea.trajectory.rate"], 1e-9
    yield "pitch of none", r["unit.pitch"], 0.0, 0.0
    yield "half a turn of phase", r["lead.heave"], -r["sea.elevation"], 1e-9
    yield "the sea of both", r["unit.elevation"], r["sea.elevation"], 1e-9
