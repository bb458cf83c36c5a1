"""State feedback and Kalman filters at the edges of their laws: ends of a schedule, gains of nothing and of all."""

from __future__ import annotations

import numpy as np

from .edge import edge
from .joints import Answers, R

POINTS = "[{value: 1, gain: [[2]], at: [0.5], effort_at: [1]}, {value: 2, gain: [[6]], at: [1.5], effort_at: [-3]}]"


@edge(
    "lqr",
    f"""
  place: {{type: ramp, slope: 1}}
  x: {{type: constant, value: 2}}
  it: {{type: lqr, points: {POINTS}}}
""",
    "place.y -> it.schedule, x.y -> it.state",
    stop=3.0,
    step=0.125,
)
def gain_beyond_the_ends_of_its_schedule(r: R) -> Answers:
    s = np.clip(r["place.y"], 1, 2) - 1
    law = 1 - 4 * s - (2 + 4 * s) * (2 - (0.5 + s))
    # products of numbers that are binary fractions
    yield "linear between, and held beyond", r["it.effort"], law, 0.0


@edge(
    "kalman",
    """
  y: {type: sine, amplitude: 1, frequency: 2 rad/s}
  blind: {type: kalman, A: [[0]], C: [[1]], gain: [[0]], at: 0.25}
  seeing: {type: kalman, A: [[1]], C: [[1]], gain: [[1]], measured_at: 3, at: 3, sample_time: 0.1 s}
""",
    "y.y -> blind.measured, y.y -> seeing.measured",
    stop=1.0,
    step=0.0125,
    coarse=False,
)
def gains_of_nothing_and_of_all(r: R) -> Answers:
    yield "no gain: what it began with", r["blind.estimate"], 0.25, 0.0
    samples = 0.1 * np.floor(r.time / 0.1 + 1e-9)
    yield "a gain of one: what was measured", r["seeing.estimate"], np.sin(2 * samples), 1e-14
