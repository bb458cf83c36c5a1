"""Extremes and percentiles at the edges of their laws: of nothing, of one sign, beyond their bins, never begun."""

from __future__ import annotations

import numpy as np

from .edge import edge
from .joints import Answers, R


@edge(
    "peak",
    """
  low: {type: constant, value: -2}
  down: {type: ramp, offset: 1, slope: -3}
  wave: {type: sine, frequency: 6 rad/s}
  on: {type: constant, value: 1}
  flat: {type: peak}
  falls: {type: peak}
  swings: {type: peak}
  late: {type: peak, start: 0.5}
  never: {type: peak, start: 10}
  anew: {type: peak}
""",
    "low.y -> flat.u, down.y -> falls.u, wave.y -> swings.u, down.y -> late.u, wave.y -> never.u, wave.y -> anew.u,"
    " on.y -> anew.reset",
)
def peaks_of_what_falls_and_of_what_never_begins(r: R) -> Answers:
    t = r.time
    down, wave = 1 - 3 * t, np.sin(6 * t)
    begun = t > 0.5 - 1e-9
    yield "a constant below zero", [r["flat.y"], r["flat.least"]], -2.0, 0.0
    yield "its magnitude", r["flat.magnitude"], 2.0, 0.0
    yield "is met at once", r["flat.time"], 0.0, 0.0
    yield "what falls is greatest first", [r["falls.y"], r["falls.time"]], [[1.0], [0.0]], 0.0
    yield "and least now", r["falls.least"], down, 1e-12
    yield "greater below zero", r["falls.magnitude"], np.maximum(1.0, -down), 1e-12
    yield "greatest of all steps", r["swings.y"], np.maximum.accumulate(wave), 1e-12
    yield "least of all steps", r["swings.least"], np.minimum.accumulate(wave), 1e-12
    yield "from its start", r["late.y"], np.where(begun, -0.5, down), 1e-12
    yield "when it was met", r["late.time"][begun], 0.5, 1e-12
    yield "not yet begun", [r["never.y"], r["never.least"]], [wave, wave], 1e-12
    yield "anew at each step", [r["anew.y"], r["anew.least"]], [wave, wave], 1e-12


@edge(
    "percentile",
    """
  zero: {type: constant, value: 0}
  tiny: {type: constant, value: -0.0009}
  low: {type: constant, value: -2}
  huge: {type: constant, value: 500}
  deep: {type: constant, value: -500}
  wave: {type: sine, frequency: 6.283185307179586 rad/s}
  jump: {type: step, start: 0.5, offset: -1, height: 3}
  of_zero: {type: percentile, smallest: 0.001, largest: 100}
  of_tiny: {type: percentile, smallest: 0.001, largest: 100}
  of_low: {type: percentile, smallest: 0.001, largest: 100}
  of_huge: {type: percentile, smallest: 0.001, largest: 100}
  of_deep: {type: percentile, smallest: 0.001, largest: 100}
  least: {type: percentile, share: 1e-9, accuracy: 0.001}
  most: {type: percentile, share: 0.999999999, accuracy: 0.001}
  half: {type: percentile, share: 0.5}
  never: {type: percentile, start: 10}
""",
    "zero.y -> of_zero.u, tiny.y -> of_tiny.u, low.y -> of_low.u, huge.y -> of_huge.u, deep.y -> of_deep.u,"
    " wave.y -> least.u, wave.y -> most.u, jump.y -> half.u, wave.y -> never.u",
)
def percentiles_of_nothing_and_beyond_their_bins(r: R) -> Answers:
    t = r.time
    wave = np.sin(2 * np.pi * t)
    yield "of nothing", r["of_zero.y"], 0.0, 0.0
    yield "too small to count", r["of_tiny.y"], 0.0, 0.0
    # each by its accuracy
    yield "below zero", r["of_low.y"], -2.0, 0.02
    yield "above the bins", r["of_huge.y"], 100.0, 1.0
    yield "below them", r["of_deep.y"], -100.0, 1.0
    yield "nearly none of the steps: the least", r["least.y"], np.minimum.accumulate(wave), 1e-3
    yield "nearly all: the greatest", r["most.y"], np.maximum.accumulate(wave), 1e-3
    # both values for 50 of the first 100 steps: then it is the lower one still, and a step later the upper one
    jump = r["jump.y"]
    exact = [np.quantile(jump[: k + 1], 0.5, method="inverted_cdf") for k in range(len(jump))]
    yield "the least value of half of the steps", r["half.y"], exact, 0.02
    yield "not yet begun", r["never.y"], wave, 0.01
