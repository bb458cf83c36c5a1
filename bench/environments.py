"""Environments of Gymnasium beside MuJoCo's `rollout`: `python -m luff.bench.environments` writes
results/environments.md, and the tables of docs/learning.md and docs/speed.md.

All hold an action for a control step of 50 ms, five steps of RK4, on the trolley of docs/learning.md, and give what is
observed after it. `rollout` is given the actions of all control steps at once and gives the states; the environments
are asked one control step after the other, and reckon a reward.
"""

from __future__ import annotations

import argparse
import re
import statistics
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import luff
from luff.bench.report import keep, show
from luff.bench.timing import machine_words, race, ratio

PAGE = Path(luff.__file__).parent / "docs" / "learning.md"
HOLD, SIZE = 5, 0.01  # steps of a control step; [s]
COUNTS = (64, 256)  # environments side by side
ROLLOUT = "rollout"
HEAD = [
    "| environments | `luff.gym.VectorEnv` | over rollout | `luff.gym.Env` | over rollout | `mujoco.rollout` |",
    "|--:|--:|--:|--:|--:|--:|",
]
TROLLEY = f"""
<mujoco>
  <option timestep="{SIZE}" integrator="RK4"><flag contact="disable" constraint="disable"/></option>
  <worldbody>
    <body>
      <inertial pos="0 0 0" mass="5" diaginertia="1e-9 1e-9 1e-9"/>
      <joint name="rail" type="slide" axis="1 0 0" damping="2"/>
      <body>
        <inertial pos="0 0 -1" mass="2" diaginertia="1e-9 1e-9 1e-9"/>
        <joint name="rope" type="hinge" axis="0 1 0"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="rail"/></actuator>
</mujoco>
"""


def about() -> dict[str, Any]:
    return {
        "actions": {"force": (-30, 30)},
        "observations": ["place", "speed", "angle", "rate"],
        "reward": lambda y, u: -(y["place"] ** 2 + 5 * y["angle"] ** 2 + 1e-4 * u["force"] ** 2),
        "duration": 1e5,
    }


class Contest:
    """The same number of environments, each way; a turn is that many control steps of each."""

    def __init__(self, count: int):
        text = re.findall(r"^```yaml[^\n]*\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)[0]
        sim = luff.compile(luff.loads(text))
        self.actions = np.random.default_rng(1).uniform(-3, 3, (count, 1))
        self._vector = luff.gym.VectorEnv(sim, count, **about())
        self._alone = luff.gym.Env(sim, **about())
        for env in (self._vector, self._alone):
            env.reset(seed=0, options={"parameters": {"rope.initial.position": 0.3}})
        mujoco: Any = import_module("mujoco")
        self._rollout: Any = import_module("mujoco.rollout").rollout
        self._model = mujoco.MjModel.from_xml_string(TROLLEY)
        self._data = mujoco.MjData(self._model)
        self._data.qpos[1] = 0.3
        self._states = np.tile(self._kept(mujoco), (count, 1))

    def _kept(self, mujoco: Any) -> np.ndarray:
        kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
        state = np.zeros(mujoco.mj_stateSize(self._model, kind))
        mujoco.mj_getState(self._model, self._data, state, kind)
        return state

    def vector(self, steps: int) -> np.ndarray:
        return [self._vector.step(self.actions)[0] for _ in range(steps)][-1]

    def alone(self, steps: int) -> None:
        action = self.actions[0]
        for _ in range(steps * len(self.actions)):
            self._alone.step(action)

    def rollout(self, steps: int) -> np.ndarray:
        control = np.repeat(self.actions[:, None], HOLD * steps, axis=1)
        states, _ = self._rollout(self._model, self._data, self._states, control)
        return states

    def same(self, steps: int) -> float:
        """The largest distance of the two engines after some control steps, of all states."""
        ours = self.vector(steps)[:, [0, 2, 1, 3]]
        return float(np.abs(self.rollout(steps)[:, -1, 1:5] - ours).max())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=15)
    args = parser.parse_args()
    table = [*HEAD]
    apart = 0.0
    for count in COUNTS:
        contest = Contest(count)
        apart = max(apart, contest.same(20))
        times = race({"vector": contest.vector, "alone": contest.alone, ROLLOUT: contest.rollout}, args.turns)
        second = {name: f"{count / statistics.median(spent):,.0f}" for name, spent in times.items()}
        over = {name: f"{1 / ratio(times, name, ROLLOUT):.1f}" for name in times}
        cells = [second["vector"], over["vector"], second["alone"], over["alone"], second[ROLLOUT]]
        table.append(f"| {count} | {' | '.join(cells)} |")
    words = machine_words()
    lines = ["# Environments side by side", "", f"`python -m luff.bench.environments` on {words}", ""]
    lines += table
    lines += ["", "Control steps a second, by processor time."]
    lines += [f"After 1 s the states of both engines are {apart:.0e} apart at most."]
    keep("environments.md", lines)
    for page in ("docs/speed.md", "docs/learning.md"):
        show(page, table)


if __name__ == "__main__":
    main()
