"""Robots of Gymnasium on the ground, beside MuJoCo, in one run: `python -m luff.bench.touching_robots [NAME ...]`.

Each is imported with its collision geometry, as `luff import --touch` does. A step of luff is that of the imported file
(rk4 with four evaluations, or implicit); MuJoCo takes its file's integrator at the same step.
"""

from __future__ import annotations

import sys
import time
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import luff
from luff.blocks.multibody_parts import Touch

mujoco: Any = import_module("mujoco")  # its names are not to be seen without running it
ROBOTS = ("hopper", "pusher_v5", "ant", "half_cheetah", "humanoid")
SETTLED, STEPS, ROUNDS = 1.0, 1000, 4  # s until they lie; steps of a round, of which the fastest counts


def row(name: str, path: Path) -> str:
    """One line of the table."""
    sim = luff.compile(luff.import_model(path, touch=True))
    step, method = sim.settings.step, sim.settings.method
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.timestep = step
    data = mujoco.MjData(model)
    session = sim.start(stop=1e6)
    session.advance(steps=round(SETTLED / step))
    mujoco.mj_step(model, data, nstep=round(SETTLED / step))
    times: list[tuple[float, float]] = []
    for _ in range(ROUNDS):
        began = time.process_time()
        session.advance(steps=STEPS)
        between = time.process_time()
        mujoco.mj_step(model, data, nstep=STEPS)
        times.append((between - began, time.process_time() - between))
    assert np.isfinite(session.x).all()
    ours, theirs = (1e6 * min(column) / STEPS for column in zip(*times, strict=True))
    pairs = sum(isinstance(placed.part, Touch) for placed in sim.program.mechanism.elements)
    cells = (f"`{name}`", f"{1e3 * step:g} ms, {method}", pairs, f"{ours:.3g} us", f"{theirs:.3g} us")
    return f"| {' | '.join(map(str, cells))} | {ours / theirs:.2g} |"


def main(wanted: list[str]) -> None:
    folder = Path(str(import_module("gymnasium").__file__)).parent / "envs" / "mujoco" / "assets"
    print("| robot | step | pairs | luff | MuJoCo | ratio |\n|---|---|---:|---:|---:|---:|")
    for name in wanted or ROBOTS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what the import does not take over
            print(row(name, folder / f"{name}.xml"), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
