"""A gripper lifts a block and holds it, beside MuJoCo: `python -m luff.bench.grasps FOLDER`.

FOLDER is `robotiq_2f85` of MuJoCo Menagerie. The gripper hangs on a slide above a block of 0.5 kg on a floor: it
closes at 0.2 s, rises by 0.1 m from 1 s to 2 s and hangs still. Both engines take the same scene, inputs and step; luff
imports it as `luff import --touch` does. A run takes minutes.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import luff

mujoco: Any = import_module("mujoco")  # its names are not to be seen without running it
CLOSED, RISEN, STILL, STOP = 0.2, 1.0, 2.5, 4.0  # s
WAY, SHUT = 0.1, 255.0  # m of the lift; input of the fingers
SCENE = """<mujoco model="grasp">
  <compiler autolimits="true"/>
  <option timestep="0.002" integrator="implicitfast" cone="elliptic" impratio="10"/>
  <asset><model name="gripper" file="robotiq_2f85/2f85.xml"/></asset>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <body name="block" pos="0 0 0.03">
      <freejoint name="block"/><geom name="block" type="box" size="0.02 0.02 0.03" mass="0.5"/>
    </body>
    <body name="hand" pos="0 0 0.2" quat="0 1 0 0">
      <joint name="lift" type="slide" axis="0 0 -1" damping="200"/>
      <inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>
      <attach model="gripper" body="base_mount" prefix="g_"/>
    </body>
  </worldbody>
  <actuator><position name="lift" joint="lift" kp="20000"/></actuator>
</mujoco>"""


def fingers(t: float) -> float:
    """Input of the fingers: open, then shut."""
    return SHUT if t >= CLOSED else 0.0


def lift(t: float) -> float:
    """Wanted place of the slide [m]."""
    return WAY * min(max(t - RISEN, 0.0), 1.0)


def in_luff(path: Path) -> tuple[np.ndarray, np.ndarray, float]:
    """Times, heights of the block, processor time of a step."""
    sim = luff.compile(luff.import_model(path, touch=True))
    began = time.process_time()
    found = sim.run(stop=STOP, output_step=0.01, inputs={"g_fingers_actuator": fingers, "lift_u": lift})
    spent = (time.process_time() - began) * sim.settings.step / STOP
    return found["time"], found["block_joint.position[2]"], spent


def in_mujoco(path: Path) -> tuple[np.ndarray, np.ndarray, float]:
    """The same of MuJoCo."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    rows = []
    began = time.process_time()
    for _ in range(round(STOP / model.opt.timestep)):
        data.actuator("g_fingers_actuator").ctrl = fingers(data.time)
        data.actuator("lift").ctrl = lift(data.time)
        mujoco.mj_step(model, data)
        rows.append((data.time, data.joint("block").qpos[2]))
    t, z = np.array(rows).T
    return t, z, (time.process_time() - began) / len(rows)


def main(source: str) -> None:
    """Both runs, and their table."""
    print("| engine | height at 2.5 s | at 4 s | falls by | a step |\n|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the import does not take over
        shutil.copytree(source, Path(folder) / "robotiq_2f85")
        path = Path(folder) / "scene.xml"
        path.write_text(SCENE, encoding="utf-8")
        for name, engine in (("MuJoCo", in_mujoco), ("luff", in_luff)):
            t, z, spent = engine(path)
            still, end = np.interp([STILL, STOP], t, z)
            cells = (f"{1e3 * still:.3f} mm", f"{1e3 * end:.3f} mm", f"{1e3 * (still - end):.2g} mm")
            print(f"| {name} | {' | '.join(cells)} | {1e3 * spent:.3g} ms |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
