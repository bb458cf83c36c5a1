"""Guards of state machines that remember, and guards that become true at one located instant."""

from __future__ import annotations

import numpy as np
import pytest

import luff

# x = t, so that an instant is a level
REMEMBERING = """luff: 1
blocks:
  one: {type: constant, value: 1}
  x: {type: integrator}
  low: {type: expression, inputs: [x], expr: x > 0.3017}
  middle: {type: expression, inputs: [x], expr: 0.6011 < x < 0.62}
  high: {type: expression, inputs: [x], expr: x > 0.7003}
  came: {type: edge}
  held: {type: timer, duration: 0.1234 s}
  kept: {type: latch}
  c:
    type: state_machine
    inputs: [came, held, kept]
    outputs: {at_b: {}, at_c: {}, at_d: {}, at_e: {}}
    states:
      a: {}
      b: {entry: {at_b: t}}
      c: {entry: {at_c: t}}
      d: {entry: {at_d: t}}
      e: {entry: {at_e: t}}
    transitions:
      - {from: a, to: b, when: came}
      - {from: b, to: a, when: came, after: 1 ms}  # an edge is over with its step
      - {from: b, to: c, when: held}
      - {from: c, to: d, when: kept}
      - {from: d, to: e, when: not kept}
connect:
  - one.y -> x.u
  - x.y -> low.x
  - x.y -> middle.x
  - x.y -> high.x
  - low.y -> came.u
  - low.y -> held.u
  - middle.y -> kept.set
  - high.y -> kept.reset
  - came.y -> c.came
  - held.y -> c.held
  - kept.y -> c.kept
simulation: {stop: 1 s, step: 10 ms, events: EVENTS}
"""
INSTANTS = [0.3017, 0.3017 + 0.1234, 0.6011, 0.7003]


def entries(text: str) -> list[float]:
    result = luff.compile(luff.loads(text)).run()
    assert result["c.state"][-1] == 5.0
    return [float(result[f"c.at_{name}"][-1]) for name in "bcde"]


def test_an_edge_a_timer_and_a_latch_lead_on_where_they_change() -> None:
    assert entries(REMEMBERING.replace("EVENTS", "locate")) == pytest.approx(INSTANTS, abs=1e-9)


@pytest.mark.filterwarnings("ignore::luff.ModelWarning")
def test_on_the_grid_they_lead_on_at_the_end_of_the_step() -> None:
    # the timer began at the end of a step, and its time is no multiple of one
    wanted = [0.31, 0.44, 0.61, 0.71]
    assert entries(REMEMBERING.replace("EVENTS", "step")) == pytest.approx(wanted, abs=1e-12)


SIMULTANEOUS = """luff: 1
blocks:
  one: {type: constant, value: 1}
  x: {type: integrator}
  c:
    type: state_machine
    inputs: [x]
    outputs: {at: {}}
    states: {a: {}, b: {entry: {at: t}}, c: {entry: {at: t}}}
    transitions:
      - {from: a, to: b, when: x > 0.4017FIRST}
      - {from: a, to: c, when: 2*x > 0.8034SECOND}
  other:
    type: state_machine
    inputs: [x]
    outputs: {at: {}}
    states: {a: {}, b: {entry: {at: t}}}
    transitions: [{from: a, to: b, when: 4*x > 1.6068}]
connect: [one.y -> x.u, x.y -> c.x, x.y -> other.x]
simulation: {stop: 1 s, step: 10 ms, events: locate}
"""


@pytest.mark.parametrize(
    ("first", "second", "taken"),
    [
        (", priority: 2", ", priority: 1", 3.0),
        (", priority: 1", ", priority: 2", 2.0),
        ("", ", priority: 9", 3.0),
    ],
)
def test_of_guards_that_hold_from_one_located_instant_the_first_is_taken(
    first: str, second: str, taken: float
) -> None:
    """Twice a number is exact, and so these comparisons change together."""
    text = SIMULTANEOUS.replace("FIRST", first).replace("SECOND", second)
    result = luff.compile(luff.loads(text)).run()
    assert set(result["c.state"]) == {1.0, taken}
    assert result["c.at"][-1] == result["other.at"][-1] == pytest.approx(0.4017, abs=1e-9)
    assert np.count_nonzero(np.diff(result["c.state"])) == 1
