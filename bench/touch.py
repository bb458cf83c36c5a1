"""Shapes that touch beside MuJoCo, at equal sink and in one run: `python -m luff.bench.touch`.

Boxes of a tonne on a plane, one above the other. luff takes rk4 with four evaluations a step; MuJoCo its implicitfast
integrator, elliptic cones and a stiffness that is matched by the sink of a single box.
"""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any

import numpy as np

import luff

mujoco: Any = import_module("mujoco")  # its names are not to be seen without running it
MASS, G, STEP, STIFFNESS = 1000.0, 9.81, 1e-3, 5e6
SINK = MASS * G / (4.0 * STIFFNESS)
STEPS = 3000


def netlist(count: int) -> str:
    """Boxes of a metre above each other."""
    inertia = [MASS / 6.0] * 3
    bodies = "".join(
        f"  f{k}: {{type: free, initial: {{position: [0, 0, {0.5 + 1.0 * k}]}}}}\n"
        f"  b{k}: {{type: rigid_link, mass: {MASS}, inertia: {inertia},"
        " shape: {kind: box, size: [1, 1, 1], round: 0.02}}\n"
        for k in range(count)
    )
    wires = ", ".join(f"world.frame -- f{k}.frame_a, f{k}.frame_b -- b{k}.frame_a" for k in range(count))
    names = ", ".join(f"b{k}" for k in range(count))
    return (
        f"luff: 1\nblocks:\n  ground: {{type: fixture, shape: {{kind: plane}}}}\n{bodies}"
        f"  pile: {{type: touch, among: [{names}, ground], law: {{stiffness: {STIFFNESS}, dissipation: 3}},"
        f" friction: {{mu: 0.4}}}}\nconnect: [{wires}]\nsimulation: {{stop: 100, step: {STEP}, output_step: 1}}\n"
    )


def peer(count: int, stiffness: float) -> tuple[Any, Any]:
    """The same boxes in MuJoCo; critical damping of its contacts."""
    bodies = "".join(
        f'<body pos="0 0 {0.5 + k}"><freejoint/><geom type="box" size=".5 .5 .5" mass="{MASS}"/></body>'
        for k in range(count)
    )
    solref = f"{-stiffness} {-2.0 * stiffness**0.5}"
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{STEP}" cone="elliptic" integrator="implicitfast"/>'
        f'<default><geom friction="0.4 0.005 0.0001" solref="{solref}" solimp="0.9 0.9 0.01"/></default>'
        f'<worldbody><geom type="plane" size="9 9 1"/>{bodies}</worldbody></mujoco>'
    )
    return model, mujoco.MjData(model)


def matched_stiffness() -> float:
    """Stiffness of MuJoCo's contacts at which a box sinks in as in luff."""
    stiffness = 1e4
    for _ in range(4):
        model, data = peer(1, stiffness)
        for _ in range(3000):
            mujoco.mj_step(model, data)
        stiffness *= (0.5 - data.qpos[2]) / SINK
    return stiffness


def main() -> None:
    stiffness = matched_stiffness()
    print("| boxes | luff, us a step | MuJoCo, us a step | ratio | sink of the lowest, mm: luff | MuJoCo |")
    print("|---:|---:|---:|---:|---:|---:|")
    for count in (1, 3, 8):
        sim = luff.compile(luff.loads(netlist(count)))
        model, data = peer(count, stiffness)
        times: list[tuple[float, float]] = []
        session = sim.start()
        for _ in range(4):
            began = time.process_time()
            session.advance(steps=STEPS)
            between = time.process_time()
            for _ in range(STEPS):
                mujoco.mj_step(model, data)
            times.append((between - began, time.process_time() - between))
        ours, theirs = (1e6 * min(column) / STEPS for column in zip(*times, strict=True))
        at = sim.state_names.index("f0.position[2]")
        sinks = 0.5 - float(np.array(session.x)[at]), 0.5 - float(data.qpos[2])
        print(
            f"| {count} | {ours:.3g} | {theirs:.3g} | {ours / theirs:.2g} |"
            f" {1e3 * sinks[0]:.3g} | {1e3 * sinks[1]:.3g} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
