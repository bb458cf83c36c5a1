"""What sticks and what it carries, over both methods and steps from a tenth of a millisecond to ten.

    python -m luff.bench.sticking

Prints the table of docs/friction.md. A step that a run refuses, with an error that says so, is shown as a dash.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import luff
from luff.tests.systems.test_stiction import GEARS, G, drift, run

STEPS = [
    ("rk4", 1e-4),
    ("rk4", 1e-3),
    ("rk4", 1e-2),
    ("implicit", 1e-4),
    ("implicit", 1e-3),
    ("implicit", 1e-2),
]
ROWS = 0.01


def closing(method: str, step: float) -> luff.Result:
    return run(
        """
  shut: {type: step, start: 0.1}
  wheel: {type: shaft_inertia, inertia: 2, initial_speed: 50}
  brake: {type: shaft_brake, torque: 150, stiffness: 1e5, damping: 100}
""",
        "shut.y -> brake.closed, brake.shaft -- wheel.shaft",
        1.2,
        step,
        method,
    )


def greatest_torque(method: str, step: float) -> str:
    return f"{np.abs(closing(method, step)['brake.effort']).max():.6g}"


def slides_for(method: str, step: float) -> str:
    result = closing(method, step)
    return f"{result.time[np.flatnonzero(result['wheel.speed'] < 0.5)[0]] - 0.1:.4g}"


def moves_on(model: str, mean: float, swing: float) -> Callable[[str, float], str]:
    return lambda method, step: f"{1e3 * drift('brake', model, mean, swing, method, step):.3g}"


def slid(method: str, step: float) -> luff.Result:
    """A block of 3 kg on one foot, grip 0.4: pushed by its weight for a second."""
    return run(
        f"""
  stand: {{type: base_support, mass: 3, inertia: [1, 1, 1], coordinates: [x, z], one_sided: true, grip: 0.4,
           supports: [{{at: [0, 0, 0], stiffness: [1e5, 0, 3e4], damping: [300, 0, 100]}}],
           initial: {{x: 0, z: {-3.0 * G / 3e4!r}}}}}
  along: {{type: pulse, height: {3.0 * G!r}, duration: 1 s}}
  none: {{type: constant, value: 0}}
  hand: {{type: mux, sizes: [1, 1, 1]}}
  shove: {{type: applied_force}}
""",
        "world.frame -- stand.frame_a, stand.frame_b -- shove.frame_b, hand.y -> shove.force, along.y -> hand.u1, "
        "none.y -> hand.u2, none.y -> hand.u3",
        6.0,
        step,
        method,
        ROWS,
    )


def comes_to(method: str, step: float) -> str:
    return f"{slid(method, step)['stand.x'][-1]:.5g}"


def stays(method: str, step: float) -> str:
    result = slid(method, step)
    return f"{1e3 * np.ptp(result['stand.x'][result.time > 4.0]):.1g}"


def account(method: str, step: float) -> str:
    energy = slid(method, step).quality.get("energy")
    assert energy is not None  # there are bodies
    return f"{energy['relative_residual']:.1g}"


def sinks(method: str, step: float) -> str:
    blocks, wires = GEARS["gear"]
    result = run(
        f"""
  joint: {{type: revolute, axis: y}}
  load: {{type: rigid_link, mass: 50, com: [1, 0, 0], inertia: [2, 2, 2]}}
  motor: {{type: constant, value: 0}}
{blocks.format("back_efficiency: 0")}""",
        f"world.frame -- joint.frame_a, joint.frame_b -- load.frame_a, {wires}",
        10.0,
        step,
        method,
        ROWS,
    )
    return f"{np.degrees(np.ptp(result['joint.position'][result.time > 7.0])):.1g}"


def stop(method: str, step: float) -> luff.Result:
    """100 kg meet a stop of 1e6 N/m and 1e4 N s/m at 3 m/s."""
    return run(
        """
  slide: {type: prismatic, axis: x, initial: {position: 0.02, velocity: -3},
          limits: {lower: 0, stiffness: 1e6, damping: 1e4}}
  mass: {type: rigid_link, mass: 100}
""",
        "world.frame -- slide.frame_a, slide.frame_b -- mass.frame_a",
        0.2,
        step,
        method,
    )


def least_push(method: str, step: float) -> str:
    return f"{100.0 * stop(method, step)['slide.acceleration'].min():.3g}"


def comes_back(method: str, step: float) -> str:
    return f"{stop(method, step)['slide.velocity'].max():.3g}"


QUESTIONS: dict[str, Callable[[str, float], str]] = {
    "brake, 50 +- 30 of 100 N m: moves on a cycle, mrad (0)": moves_on("elastoplastic", 50.0, 30.0),
    "the same with `lugre` (0.981)": moves_on("lugre", 50.0, 30.0),
    "brake, 0 +- 90 of 100 N m: moves on a cycle, mrad (0)": moves_on("elastoplastic", 0.0, 90.0),
    "brake that closes at 50 rad/s: greatest torque, N m (150)": greatest_torque,
    "the same: slides down to 0.5 rad/s for, s (0.66)": slides_for,
    "block pushed by 1 g for 1 s: comes to, m (7.36)": comes_to,
    "the same: moves later on, mm (0)": stays,
    "the same: energy that is missing, share (0)": account,
    "gear of `back_efficiency: 0`: moves from 7 to 10 s, deg (0)": sinks,
    "end stop met at 3 m/s: least force, N (0)": least_push,
    "the same: comes back with, m/s (0.91)": comes_back,
}


def answer(ask: Callable[[str, float], str], method: str, step: float) -> str:
    try:
        return ask(method, step)
    except luff.RunError:
        return "-"


def main() -> None:
    print("| | " + " | ".join(f"`{method}` {1e3 * step:g} ms" for method, step in STEPS) + " |")
    print("|---|" + "---:|" * len(STEPS))
    for name, ask in QUESTIONS.items():
        print(f"| {name} | " + " | ".join(answer(ask, method, step) for method, step in STEPS) + " |")


if __name__ == "__main__":
    main()
