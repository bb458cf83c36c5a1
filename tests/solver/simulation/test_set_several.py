"""Several parameters at once: what stands between them may be wrong, what comes of them may not."""

from __future__ import annotations

import pytest

import luff

MODEL = """
luff: 1
blocks:
  ramp: {type: ramp, slope: 1}
  most: {type: saturation, lower: 0, upper: 1}
  sum: {type: integrator}
connect: [ramp.y -> most.u, most.y -> sum.u]
simulation: {stop: 4, step: 10 ms}
"""


def test_two_bounds_move_past_each_other_together() -> None:
    sim = luff.compile(luff.loads(MODEL))
    with pytest.raises(luff.LuffError):
        sim.set("most.lower", 2.0)  # above the upper one, for as long as that stands
    assert sim.run()["most.y"].max() == 1.0  # nothing was kept of it
    sim.set({"most.lower": 2.0, "most.upper": 3.0})
    found = sim.run()["most.y"]
    assert (found.min(), found.max()) == (2.0, 3.0)


def test_what_is_wrong_in_the_end_is_refused_as_a_whole() -> None:
    sim = luff.compile(luff.loads(MODEL))
    with pytest.raises(luff.LuffError):
        sim.set({"most.lower": 2.0, "ramp.slope": 5.0})
    assert sim.overrides == {}
    assert sim.run()["ramp.y"][-1] == pytest.approx(4.0)


def test_a_run_under_way_sees_all_of_them() -> None:
    sim = luff.compile(luff.loads(MODEL))
    session = sim.start()
    session.advance(steps=100)
    sim.set({"most.lower": 2.0, "most.upper": 3.0})
    session.advance(steps=100)
    assert session.take()[1][-1][session.columns.index("most.y")] == pytest.approx(2.0)


def test_one_and_none() -> None:
    sim = luff.compile(luff.loads(MODEL))
    sim.set({})
    sim.set({"ramp.slope": 2.0})
    assert sim.overrides == {"ramp.slope": 2.0}
