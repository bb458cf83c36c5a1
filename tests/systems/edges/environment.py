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


@edge(
    "splash_zone",
    """
  r: {type: prismatic, axis: z, initial: {position: 6}}
  dry: {type: rigid_link, mass: 100}
  over: {type: splash_zone, height: 1, area: 1, volume: 1, added_mass: 100}
  f: {type: prismatic, axis: z, initial: {position: -0.5}}
  floats: {type: rigid_link, mass: 500}
  still: {type: splash_zone, height: 1, area: 1, volume: 1, added_mass: 0, water: 1000}
  s: {type: prismatic, axis: z, initial: {position: -1}}
  sinks: {type: rigid_link, mass: 2000}
  under: {type: splash_zone, height: 1, area: 2, volume: 1, added_mass: 500, water: 1000, drag: 4}
  b: {type: prismatic, axis: z, initial: {position: -9}}
  bare: {type: rigid_link, mass: 300}
  deep: {type: splash_zone, rows: [[0, 0, 0, 0], [1, 0, 700, 0]]}
""",
    "world.frame -- r.frame_a, r.frame_b -- dry.frame_a, dry.frame_a -- over.frame_b, world.frame -- f.frame_a,"
    " f.frame_b -- floats.frame_a, floats.frame_a -- still.frame_b, world.frame -- s.frame_a,"
    " s.frame_b -- sinks.frame_a, sinks.frame_a -- under.frame_b, world.frame -- b.frame_a, b.frame_b -- bare.frame_a,"
    " bare.frame_a -- deep.frame_b",
    step=5e-3,
)
def loads_above_in_and_below_the_surface(r: R) -> Answers:
    t = r.time
    yield "above it falls freely", r["r.position"], 6 - 4.905 * t**2, 1e-9
    yield "at its draught it stays", r["f.position"], -0.5, 1e-9
    # (2000 + 500) v' = 1000 g - 4000 v^2
    end = np.sqrt(9.81 / 4)
    # implicit is of second order: (h / 0.4 s)^2 / 12
    yield "below it sinks", r["s.velocity"], -end * np.tanh(t * end * 4 / 2.5), 5e-5
    yield "with its water alone", r["b.position"], -9 - 0.5 * 2.943 * t**2, 1e-9
