"""Sequences: both at once, nothing to wait for, exactly so long; targets that are reached already, or lie behind."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import luff

from .edge import Compared, edge

R = luff.Result
Answers = Iterator[Compared]
ROUND = 1e-12


@edge(
    "latch edge counter timer",
    """
  p: {type: pulse, period: 0.5, duration: 0.25}
  off: {type: latch, initial: 1}
  on: {type: latch, wins: set}
  turns: {type: edge, edge: either}
  none: {type: edge, edge: rising, initial: 1}
  count: {type: counter, upper: 2}
  both: {type: counter, initial: 5}
  least: {type: counter, lower: -1}
  zero: {type: constant, value: 0}
  at: {type: constant, value: 0.5}
  never: {type: counter}
  at_once: {type: timer, duration: 0}
  too_short: {type: timer, duration: 0.25}
  just: {type: timer, duration: 0.1875}
  stays: {type: timer, kind: off_delay, duration: 0.25}
  pulse: {type: timer, kind: pulse, duration: 0.25}
  nothing: {type: timer, kind: pulse, duration: 0}
""",
    "p.y -> off.set, p.y -> off.reset, p.y -> on.set, p.y -> on.reset, p.y -> turns.u, at.y -> none.u, p.y -> count.u,"
    " p.y -> both.u, p.y -> both.down, zero.y -> least.u, p.y -> least.down, at.y -> never.u, p.y -> at_once.u,"
    " p.y -> too_short.u, p.y -> just.u, p.y -> stays.u, p.y -> pulse.u, p.y -> nothing.u",
    stop=2.0,
    step=0.0625,
    coarse=False,
)
def sequences_that_meet(r: R) -> Answers:
    # the first row is before the first decision
    t = r.time[1:]
    p = (t % 0.5 < 0.25).astype(float)
    yield "reset wins", r["off.y"][1:], 0.0, 0.0
    yield "set wins", r["on.y"][1:], 1.0, 0.0
    yield "each turn", r["turns.y"][1:], t % 0.25 == 0, 0.0
    yield "0.5 is not true", r["none.y"], 0.0, 0.0
    yield "nor counted", r["never.y"], 0.0, 0.0
    yield "limit above", r["count.y"][1:], np.minimum(t // 0.5 + 1, 2), 0.0
    yield "up and down", r["both.y"], 5.0, 0.0
    yield "limit below", r["least.y"][1:], -1.0, 0.0
    yield "no delay", r["at_once.y"][1:], p, 0.0
    yield "true for less", r["too_short.y"], 0.0, 0.0
    yield "true for just so long", r["just.y"][1:], t % 0.5 == 0.1875, 0.0
    yield "false for less", r["stays.y"][1:], 1.0, 0.0
    yield "as long as its input", r["pulse.y"][1:], p, 0.0
    yield "no pulse", r["nothing.y"], 0.0, 0.0


@edge(
    "trajectory_limiter",
    """
  there: {type: constant, value: 3}
  back: {type: constant, value: -2}
  near: {type: constant, value: 1e-9}
  fast: {type: constant, value: -7}
  stays: {type: trajectory_limiter, initial: 3}
  goes: {type: trajectory_limiter, initial: 3, speed: 2, acceleration: 4, jerk: 16}
  bit: {type: trajectory_limiter, speed: 2, acceleration: 4, jerk: 16}
  held: {type: trajectory_limiter, of: speed, speed: 2, acceleration: 4, jerk: 16}
  a: {type: split_trajectory}
  b: {type: split_trajectory}
  c: {type: split_trajectory}
  d: {type: split_trajectory}
""",
    "there.y -> stays.u, back.y -> goes.u, near.y -> bit.u, fast.y -> held.u, stays.y -> a.u, goes.y -> b.u,"
    " bit.y -> c.u, held.y -> d.u",
    stop=4.0,
    step=0.05,
)
def limits_on_the_way_back_and_nowhere(r: R) -> Answers:
    yield "there already", r["a.value"], 3.0, 0.0
    # 5 back: 2.5 s of travel at most, with 0.5 + 0.25 s for the change of speed: 3.25 s
    yield "back", r["b.value"][r.time >= 3.25], -2.0, ROUND
    yield "middle", r["b.value"][np.argmin(abs(r.time - 1.625))], 0.5, 2 * 0.05
    yield "limit backwards", r["b.rate"].min(), -2.0, ROUND
    yield "a bit", r["c.value"][-1], 1e-9, 1e-24
    yield "speed beyond its limit", r["d.rate"][r.time >= 0.8], -2.0, ROUND
    yield "on and on", r["d.value"][-1], -2.0 * (4 - 0.375), ROUND


def states(first: str, second: str, leave: str) -> str:
    """A chart of three states with the values 0, 1 and 2, and how it leaves the first."""
    return (
        f"{{type: state_machine, inputs: [u], outputs: {{y: {{}}}}, "
        f"states: {{a: {{entry: {{y: 0}}}}, b: {{entry: {{y: {first}}}}}, c: {{entry: {{y: {second}}}}}}}, "
        f"transitions: [{leave}]}}"
    )


@edge(
    "state_machine",
    f"""
  one: {{type: constant}}
  both: {states("1", "2", "{from: a, to: b, when: u > 0}, {from: a, to: c, when: u > 0, priority: 1}")}
  order: {states("1", "2", "{from: a, to: b, when: u > 0}, {from: a, to: c, when: u > 0}")}
  equal: {states("1", "2", "{from: a, to: b, when: u > 1}, {from: a, to: c, when: u >= 1}")}
  chain: {states("1", "2*y + 1", "{from: a, to: b, when: u > 0}, {from: b, to: c, after: 0}")}
  swings: {states("1", "2", "{from: a, to: b, after: 0.25}, {from: b, to: a, after: 0.25}")}
  early: {states("1", "2", "{from: a, to: b, after: 0.25, when: t < 0.25}")}
""",
    ", ".join(f"one.y -> {name}.u" for name in ("both", "order", "equal", "chain", "swings", "early")),
    stop=2.0,
    step=0.0625,
    coarse=False,
)
def charts_whose_guards_meet(r: R) -> Answers:
    t = r.time[1:]  # the first row is before the first decision
    yield "priority 1 before none", r["both.y"][1:], 2.0, 0.0
    yield "the order of the file", r["order.y"][1:], 1.0, 0.0
    yield "equal is not greater", r["equal.y"][1:], 2.0, 0.0
    yield "two at one instant, the second with what the first left", r["chain.y"][1:], 3.0, 0.0
    yield "exactly so long", r["swings.y"][1:], t // 0.25 % 2, 0.0
    yield "too late for its guard", r["early.y"][1:], 0.0, 0.0
