"""Blocks with memories give with methods that choose their steps what they give with rk4."""

from __future__ import annotations

import numpy as np
import pytest

import luff

MODEL = """
luff: 1
blocks:
  wave: {type: sine, frequency: 7 rad/s, amplitude: 2, phase: 1 rad}
  plan: {type: motion_law, duration: 0.4}
  above: {type: relay, lower: -1, upper: 0.5, high: 2, low: -1}
  late: {type: delay, delay: 33 ms}
  shaped: {type: input_shaper, frequency: 20 rad/s}
  slow: {type: rate_limit, rising: 3}
  last: {type: unit_delay, sample_time: 20 ms}
  rises: {type: edge, edge: either}
  count: {type: counter}
  since: {type: timer, duration: 70 ms}
  hold: {type: latch}
connect:
  - plan.y -> shaped.u
  - late.y -> hold.reset
  - wave.y -> hold.set
WIRES
simulation: {stop: 1, step: 10 ms, method: METHOD}
"""
FED = ("above", "late", "slow", "last", "rises", "count", "since")
NETLIST = MODEL.replace("WIRES", "\n".join(f"  - wave.y -> {name}.u" for name in FED))


@pytest.mark.filterwarnings("ignore::luff.ModelWarning")
@pytest.mark.parametrize("method", ["dop853", "radau"])
def test_memories_are_those_of_a_fixed_step(method: str) -> None:
    """Before, what a delay and a shaper keep of the end of a step was never written, and nothing was ever decided."""
    fixed, chosen = (
        luff.compile(luff.loads(NETLIST.replace("METHOD", each))).run() for each in ("rk4", method)
    )
    for name in (*FED, "hold", "shaped"):
        one, other = fixed[f"{name}.y"], chosen[f"{name}.y"]
        # changes are decided in the middle of a fixed step, and at the beginning of one of the grid
        apart = np.abs(one - other) > 1e-9
        assert apart.sum() <= 8, name
        assert not (apart[2:] & apart[1:-1] & apart[:-2]).any(), name
    assert chosen["shaped.y"][-1] == pytest.approx(1.0, abs=1e-9)
    t = chosen.time
    # joined linearly over steps of 10 ms: w^2 h^2 / 8 of the amplitude, twice 6e-4
    assert np.abs(chosen["late.y"] - 2 * np.sin(7 * (t - 0.033) + 1))[t > 0.05].max() < 2e-3
