"""Starter models: those of `luff new`, and two that show the canvas."""

from __future__ import annotations

from ..theme.block_catalog import LIBRARY

OWN = {
    "two_link_arm": """luff: 1
name: two-link arm
blocks:
  shoulder: {type: revolute, axis: y, initial: {position: -30 deg}}
  upper_arm:
    type: rigid_link
    mass: 2 kg
    com: [0.5, 0, 0]
    inertia: [0.01, 0.17, 0.17]
    frame_b: {at: [1, 0, 0]}
  elbow: {type: revolute, axis: y, damping: 0.5 N*m*s/rad}
  forearm:
    type: rigid_link
    mass: 1 kg
    com: [0.4, 0, 0]
    inertia: [0.005, 0.054, 0.054]
    frame_b: {at: [0.8, 0, 0]}
  reference: {type: sine, amplitude: 0.5, frequency: 0.5 Hz, unit: rad}
  controller: {type: pd, kp: 400, kd: 60}
connect:
  - world.frame -- shoulder.frame_a
  - shoulder.frame_b -- upper_arm.frame_a
  - upper_arm.frame_b -- elbow.frame_a
  - elbow.frame_b -- forearm.frame_a
  - reference.trajectory -> controller.target
  - shoulder.trajectory -> controller.measured
  - controller.effort -> shoulder.effort
simulation: {stop: 10 s, step: 1 ms}
plots: [{title: Shoulder, y: [reference.y, shoulder.position]}]
""",
    "signal_chain": """luff: 1
name: signal chain
blocks:
  source: {type: step, start: 1 s}
  lag: {type: transfer_function, num: [1], den: [0.5, 1]}
connect:
  - source.y -> lag.u
simulation: {stop: 5 s, step: 1 ms}
plots: [{title: Step response, y: [source.y, lag.y]}]
""",
}


def templates() -> dict[str, str]:
    """Template texts by name; the empty template is omitted."""
    templates = {
        path.stem: path.read_text(encoding="utf-8") for path in sorted((LIBRARY / "templates").glob("*.yaml"))
    }
    templates.pop("empty", None)
    return {**templates, **OWN}
