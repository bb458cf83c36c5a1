"""Models with events within their steps, to compare what a run tells of its error with the error that it has."""

from __future__ import annotations

import numpy as np

import luff

SLIDE = "  slide: {type: prismatic, axis: %s}\n  body: {type: rigid_link, mass: 10 kg}"
ON_SLIDE = "world.frame -- slide.frame_a, slide.frame_b -- body.frame_a"
COULOMB = "{model: coulomb, mu_s: 0.2, mu_k: 0.2, stribeck: 0.01, load: 100 N}"
RAIL = """
  rail: {type: prismatic, axis: z, initial: {position: -0.9 m}}
  load: {type: rigid_link, mass: 100 kg}
  it: {type: rope, length: 1 m, EA: %s N, damping: %s}"""
ON_RAIL = "world.frame -- rail.frame_a, rail.frame_b -- load.frame_a, world.frame -- it.frame_a,"
ON_RAIL += " load.frame_a -- it.frame_b"

# blocks, wires, end [s], step [s]
CASES: dict[str, tuple[str, str, float, float]] = {
    "end stop": (
        SLIDE % "z, initial: {position: 1 m}, limits: {lower: 0, upper: 2 m, stiffness: 1e6, damping: 300}",
        ON_SLIDE, 3.0, 1e-3,
    ),
    "pendulum, stop": (
        ("  pin: {type: revolute, axis: y, initial: {position: 60 deg},\n"
        "    limits: {lower: -20 deg, upper: 120 deg, stiffness: 5e5, damping: 50}}\n"
        "  rod: {type: rigid_link, mass: 20, com: [0, 0, -0.8]}"),
        "world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a", 4.0, 2e-3,
    ),
    "rope snatches": (RAIL % ("2e5", "1 ms"), ON_RAIL, 2.0, 1e-3),
    "stiff rope": (RAIL % ("2e6", "0.1 ms"), ON_RAIL, 2.0, 2e-3),
    "ball on a plane": (
        ("  free: {type: free, initial: {position: [0, 0, 1]}}\n"
        "  ball: {type: rigid_link, mass: 2 kg, inertia: [0.01, 0.01, 0.01]}\n"
        "  it: {type: contact, radius: 0.1 m, law: {stiffness: 1e5, dissipation: 0.2}}"),
        "world.frame -- free.frame_a, free.frame_b -- ball.frame_a, world.frame -- it.plane, ball.frame_a -- it.of",
        2.0, 1e-3,
    ),
    "Coulomb friction": (
        SLIDE % f"x, stiffness: 4000, initial: {{position: 0.1}}, friction: {COULOMB}", ON_SLIDE, 3.0, 1e-3,
    ),
    "saturation": (
        ("  i: {type: integrator}\n  v: {type: integrator, initial: 3}\n"
        '  f: {type: expression, inputs: [a, b], expr: "-100*a - 2*b"}\n'
        "  sat: {type: saturation, lower: -5, upper: 5}"),
        "v.y -> i.u, i.y -> f.a, v.y -> f.b, f.y -> sat.u, sat.y -> v.u", 5.0, 1e-2,
    ),
    "backlash": (
        ("  motor: {type: shaft_inertia, inertia: 0.1}\n  wheel: {type: shaft_inertia, inertia: 1}\n"
        "  gear: {type: gearbox, ratio: 5, stiffness: 2e4, damping: 5, backlash: 0.02}\n"
        '  drive: {type: torque_source}\n  swing: {type: expression, expr: "5*sin(2*pi*t)"}'),
        "motor.shaft -- gear.a, gear.b -- wheel.shaft, drive.shaft -- motor.shaft, swing.y -> drive.torque", 4.0, 2e-3,
    ),
}  # fmt: skip
MORE = {"end stop, 1/4": ("end stop", 4), "stiff rope, 1/4": ("stiff rope", 4)}  # the same with shorter steps
NAMES = [*CASES, *MORE]
MOTION = ("position", "velocity", "position[2]", "velocity[2]", "speed", "y", "twist_angle")
FINER = 64  # times: what is taken as true


def told_and_true(name: str) -> tuple[float, float]:
    """What `step_error` says; and the RMS error over the run of the worst motion, over its range."""
    case, share = MORE.get(name, (name, 1))
    blocks, wires, stop, longest = CASES[case]
    step = longest / share
    text = f"luff: 1\nblocks:\n{blocks}\nconnect: [{wires}]\nsimulation: {{stop: {stop}, step: {step!r}}}\n"
    sim = luff.compile(luff.loads(text))
    result, true = sim.run(), sim.run(step=step / FINER, output_step=step)
    worst = 0.0
    for signal in result.units:
        if signal.partition(".")[2] not in MOTION or signal.startswith(("f.", "swing.", "sat.")):
            continue
        off = float(np.sqrt(np.mean((result[signal] - true[signal]) ** 2)))
        worst = max(worst, off / max(float(np.ptp(true[signal])), 1e-300))
    return result.quality["step_error"]["estimate"], worst
