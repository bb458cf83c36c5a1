"""Order of the methods across bends and jumps at states, and what it costs to locate them.

    python -m luff.bench.events

Slopes of the error over four steps, each half as long as the one before, as `located / not located`; and the time of a
run with `events: locate`, where nothing changes its piece, as a ratio to the same run without.
"""

from __future__ import annotations

import time

import numpy as np

import luff
from luff.tests.solver.integrators.test_event_location import CASES, ORDER, end_of, exact

CALM = """
luff: 1
blocks:
  arm: {type: revolute, axis: y, damping: 0.1, limits: {lower: -3, upper: 3}, initial: {position: 1}}
  a: {type: rigid_link, mass: 1, com: [0, 0, -1], inertia: [0.1, 0.1, 0.1], frame_b: {at: [0, 0, -1]}}
  knee: {type: revolute, axis: y, damping: 0.1, limits: {lower: -3, upper: 3}, initial: {position: 0}}
  b: {type: rigid_link, mass: 1, com: [0, 0, -1], inertia: [0.1, 0.1, 0.1]}
connect: [world.frame -- arm.frame_a, arm.frame_b -- a.frame_a, a.frame_b -- knee.frame_a, knee.frame_b -- b.frame_a]
simulation: {stop: 20, step: 1e-3, output_step: 1}
"""


def slope(name: str, method: str, events: str) -> float:
    text, rates, start, bends, longest = CASES[name]
    sim = luff.compile(luff.loads(text))
    wanted = exact(rates, start, bends, sim.settings.stop)
    steps = longest[method] / np.array([1.0, 2.0, 4.0, 8.0])
    errors = [abs(end_of(sim, method, float(h), events)[: len(wanted)] - wanted).max() for h in steps]
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


def cost() -> float:
    sim = luff.compile(luff.loads(CALM))
    spent = {"step": 1e9, "locate": 1e9}
    for _ in range(7):
        for events in spent:
            session = sim.start(events=events)
            began = time.perf_counter()
            session.advance(steps=session.steps)
            spent[events] = min(spent[events], time.perf_counter() - began)
    return spent["locate"] / spent["step"]


def main() -> None:
    print("| | " + " | ".join(CASES) + " |\n|" + "---|" * (len(CASES) + 1))
    for method in ORDER:
        cells = [f"{slope(n, method, 'locate'):.2f} / {slope(n, method, 'step'):.2f}" for n in CASES]
        print(f"| `{method}` | " + " | ".join(cells) + " |")
    print(f"\nA run in which nothing switches: {cost():.2f} times as long with `events: locate`.")


if __name__ == "__main__":
    main()
