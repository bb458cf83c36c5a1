"""The hoisting factor of a load that is picked up, against 1 + (v/g) sqrt(k/m), by damping, slack and rope length.

    python -m luff.bench.hoisting [--write]

A rigid crane picks 5 t up from a stiff floor with one fall of rope, EA = 20 MN. Its drive reaches 0.3 m/s within a
quarter of a second. A rope that is slack long enough becomes taut at full speed; without slack the drive is still slow
when the load comes off the floor. `--write` keeps the table in bench/results/hoisting.md.
"""

from __future__ import annotations

import argparse
import math

import luff
from luff.bench.report import keep

MASS, EA, SPEED, RAMP, G = 5e3, 20e6, 0.3, 0.25, 9.81
MODEL = """
luff: 1
name: hoisting
parameters: {{length: {length}, slack: {slack}}}
blocks:
  top: {{type: fixed, at: [0, 0, =length + 0.5]}}
  slide: {{type: prismatic, axis: z, initial: {{position: 0}}}}
  body: {{type: rigid_link, mass: 5 t, frame_b: {{at: [0, 0, 0.5]}}}}
  ground: {{type: contact, radius: 0, law: {{stiffness: 1e9, dissipation: 0.5}}}}
  drum: {{type: table, data: [[0, 0], [{ramp}, {speed}]], beyond: hold}}
  winch: {{type: winch, radius: 1 m}}
  rope: {{type: rope, EA: {ea}, damping: {damping}, length: =length + slack}}
connect:
  - world.frame -- top.frame_a
  - world.frame -- slide.frame_a
  - slide.frame_b -- body.frame_a
  - world.frame -- ground.plane
  - body.frame_a -- ground.of
  - drum.y -> winch.velocity
  - rope.tension -> winch.tension
  - winch.take_up -> rope.take_up
  - top.frame_b -- rope.frame_a
  - body.frame_b -- rope.frame_b
simulation: {{stop: 3 s, step: 0.1 ms, output_step: 0.5 ms}}
"""


def factor(length: float, ratio: float, slack: float) -> float:
    """Greatest tension over weight; `ratio` is the damping ratio of the load on its rope."""
    damping = 2.0 * ratio * math.sqrt(MASS * length / EA)  # c/k = 2 ratio / w
    text = MODEL.format(length=length, slack=slack, damping=damping, ea=EA, speed=SPEED, ramp=RAMP)
    result = luff.compile(luff.loads(text)).run()
    return float(result["rope.tension"].max()) / (MASS * G)


def closed_form(length: float) -> float:
    return 1.0 + SPEED / G * math.sqrt(EA / length / MASS)


def report() -> list[str]:
    lines = [
        "# The hoisting factor",
        "",
        f"5 t on one fall of EA = 20 MN, picked up at {SPEED} m/s after {RAMP} s; share is that of the closed form's",
        "excess over 1, (factor - 1) / ((v/g) sqrt(k/m)).",
        "",
        "| rope | damping ratio | slack | closed form | simulated | share |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    cases = [(20.0, 0.0, 0.1), *((20.0, ratio, 0.1) for ratio in (0.01, 0.05, 0.2))]
    cases += [(20.0, 0.0, slack) for slack in (0.0, 0.01, 0.03, 0.3)]
    cases += [(length, 0.0, 0.1) for length in (5.0, 10.0, 40.0, 80.0)]
    for length, ratio, slack in cases:
        computed, wanted = factor(length, ratio, slack), closed_form(length)
        share = (computed - 1.0) / (wanted - 1.0)
        lines.append(
            f"| {length:g} m | {100 * ratio:g} % | {100 * slack:g} cm | {wanted:.3f} | {computed:.3f} | {share:.3f} |"
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    keep("hoisting.md", report(), given.write)


if __name__ == "__main__":
    main()
