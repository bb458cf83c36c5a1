"""Laws that depend on the time have no plan; an argument `t` that a law does not read is none of them."""

from __future__ import annotations

import luff
from luff.solver.planning.model_points import timed_blocks

VALVE = """
luff: 1
inputs: {u: {}}
blocks:
  supply: {type: supply, pressure: 200 bar}
  tank: {type: tank}
  valve: {type: proportional_valve}
  oil: {type: volume, size: 1 L}
  more: {type: volume, size: 1 L}
connect:
  - inputs.u -> valve.u
  - supply.port -- valve.supply
  - tank.port -- valve.tank
  - valve.a -- oil.port
  - valve.b -- more.port
"""
WAVE = """
luff: 1
blocks: {s: {type: sine}, lag: {type: integrator}}
connect: [s.y -> lag.u]
"""


def test_time_that_is_not_read_is_no_law_of_time() -> None:
    """The valve's spool declares `t`, as laws of blocks may, and is autonomous."""
    assert timed_blocks(luff.compile(luff.loads(VALVE)).program) == []
    assert timed_blocks(luff.compile(luff.loads(WAVE)).program) == ["s"]
