"""`luff.gym.VectorEnv`: many environments of one netlist by Gymnasium's vector API, stepped in SIMD lanes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector import VectorEnv as Base
from gymnasium.vector.utils import batch_space

from ....blocks import RunError
from ...codegen.transforms.entry_point_variants import LANES
from ...flatten.diagram import Diagram
from ...simulation.compile_diagram import compile
from ...simulation.given_state import GivenState
from ...simulation.script_values import Time
from ...simulation.simulation import Simulation
from .environment import Env, fps, known_mode, start_options
from .environment_lanes import EnvironmentLanes
from .spaces import Bounds, as_float32

Arrays = dict[str, np.ndarray]
Infos = dict[str, object]
Seeds = int | Sequence[int | None] | None
MASK = "reset_mask"


class VectorEnv(Base[np.ndarray, np.ndarray, np.ndarray]):
    """Vector environment of `num_envs` environments as `Env` makes them, with the same arguments.

    `reward` and `terminated` get an array for each name, with a number for each environment. Environments in lanes have
    the bits of single ones. `threads` share the groups. With `lanes=False` each steps by itself.
    """

    def __init__(
        self,
        model: Simulation | Diagram | str | Path,
        num_envs: int,
        actions: Mapping[str, Bounds],
        observations: Mapping[str, Bounds] | Sequence[str] | None = None,
        reward: Callable[[Arrays, Arrays], np.ndarray] | None = None,
        terminated: Callable[[Arrays], np.ndarray] | None = None,
        control_step: Time | None = None,
        duration: Time | None = None,
        randomise: Callable[[np.random.Generator], Mapping[str, object]] | None = None,
        normalise: bool = False,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int = 1,
        lanes: bool = True,
        render_mode: str | None = None,
    ):
        if num_envs < 1:
            raise RunError(f"found {num_envs} environments, expected at least one", path="num_envs")
        sim = model if isinstance(model, Simulation) else compile(model)
        about = (actions, observations, None, None, control_step, duration, randomise, normalise)
        self.envs = [Env(sim, *about) for _ in range(num_envs)]
        self.num_envs, self.reward, self.terminated = num_envs, reward, terminated
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        first = self._first = self.envs[0]
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode, "render_fps": fps(first)}
        self.render_mode = known_mode(render_mode, self.metadata)
        self.single_action_space, self.single_observation_space = first.action_space, first.observation_space
        self.action_space = batch_space(first.action_space, num_envs)
        self.observation_space = batch_space(first.observation_space, num_envs)
        self._pool = ThreadPoolExecutor(threads) if threads > 1 and num_envs > LANES else None
        self._env_lanes = EnvironmentLanes(self.envs, lanes, self._pool)
        self._inputs, self._outputs = self._env_lanes.inputs, self._env_lanes.outputs
        self._signals = [
            dict(zip(names, table, strict=True))
            for names, table in ((first.sim.inputs, self._inputs), (first.sim.outputs, self._outputs))
        ]
        self._over = np.ones(num_envs, bool)  # mask of environments at the end of an episode
        self._begun = False

    metadata: dict[str, Any] = Env.metadata

    # --- Gymnasium's calls ------------------------------------------------------------------------------------------

    def reset(
        self, *, seed: Seeds = None, options: dict[str, object] | None = None
    ) -> tuple[np.ndarray, Infos]:
        """Start all environments, or those of `options={"reset_mask": ...}`.

        From a seed n their seeds are n, n + 1 and so on. `options={"parameters": {...}}` sets parameters of each first;
        `options={"state": x0}` starts them at states: a row for each environment, or by name a number or one for each.
        """
        options = dict(options or {})
        mask = np.asarray(options.pop(MASK, np.ones(self.num_envs, bool)))
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
            raise RunError(f"expected {self.num_envs} booleans, at least one of them true", path=MASK)
        if not (self._begun or mask.all()):
            raise RunError("found a mask in the first reset, which resets all environments", path=MASK)
        self._begun = True
        seeds = [*self._seeds(seed)]
        given = start_options(options)
        states, infos = self._start_states(given.pop("state", None)), Infos()
        for k in np.flatnonzero(mask).tolist():
            if seeds[k] is not None:
                super(Env, self.envs[k]).reset(seed=seeds[k])
            self._begin(k, infos, states[k], **given)
        return self._observations(), infos

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, Infos]:
        """Hold each action for one control step. Environments at their end start anew as `autoreset_mode` says."""
        if not self._begun:
            raise RunError("found a step before the first reset()")
        infos: Infos = {}
        given = self._first.actions.given(actions, self.action_space.shape or ())
        self._inputs[self._first.actions.places] = given.T
        over, going = self._over, ~self._over
        again = bool(over.any())
        if again and self.autoreset_mode != AutoresetMode.NEXT_STEP:
            fix = f'reset it: env.reset(options={{"{MASK}": ...}})'
            raise RunError(f"environment {int(np.argmax(over))} is at the end of its episode", fix=fix)
        ends = self._env_lanes.step(going if again else None)
        inputs, outputs = (dict(signals) for signals in self._signals)
        rewards = self._user_answers(self.reward, "reward", float, outputs, inputs)
        ended = self._user_answers(self.terminated, "terminated", bool, outputs)
        ages = self._env_lanes.ages
        times, cut = self._first.hold * ages * self._first.session.step_size, ages >= self._first.steps
        for k, why in ends.items():
            ended[k], times[k] = True, self.envs[k].session.time
            infos = self._add_info(infos, why, k)
        if again:
            rewards[over], ended[over], cut[over] = 0.0, False, False
        self._over = ended | cut
        infos |= {"time": times, "_time": going}
        if again:
            self._restart(over, infos)
        elif self.autoreset_mode == AutoresetMode.SAME_STEP and self._over.any():
            infos = self._end(infos)
        return self._observations(), rewards, ended, cut, infos

    def poses(self) -> list[tuple[np.ndarray, float]]:
        """Poses of the bodies of each environment, and its time [s]."""
        times = self._first.hold * self._env_lanes.ages * self._first.session.step_size
        return [(self._env_lanes.poses(k), time) for k, time in enumerate(times.tolist())]

    def close_extras(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    # --- helpers ----------------------------------------------------------------------------------------------------

    def _seeds(self, seed: Seeds) -> Iterator[int | None]:
        """Seed of each environment."""
        if seed is None or isinstance(seed, int):
            yield from (None if seed is None else seed + k for k in range(self.num_envs))
            return
        if len(seed) != self.num_envs:
            raise RunError(f"found {len(seed)} seeds, expected {self.num_envs}", path="seed")
        yield from seed

    def _start_states(self, given: object) -> list[GivenState | None]:
        """Start of each environment of rows, or of numbers by name."""
        count = self.num_envs
        if given is None:
            return [None] * count
        if isinstance(given, Mapping):
            columns = {
                name: np.broadcast_to(np.asarray(value), (count,)).tolist() for name, value in given.items()
            }
            return [{name: column[k] for name, column in columns.items()} for k in range(count)]
        table = np.asarray(given, float)
        if table.shape != (count, len(self._first.sim.x0)):
            expected = (count, len(self._first.sim.x0))
            raise RunError(f"found states of shape {table.shape}, expected {expected}", path="state")
        return [*table]

    def _begin(
        self,
        k: int,
        infos: Infos,
        state: GivenState | None = None,
        parameters: Mapping[str, object] | None = None,
    ) -> None:
        """Start one environment."""
        drawn = self._env_lanes.begin(k, parameters or {}, state)
        self._over[k] = False
        infos |= self._add_info(infos, {"time": 0.0, "parameters": drawn}, k)

    def _restart(self, places: np.ndarray, infos: Infos) -> None:
        """Start the environments at `places`."""
        for k in np.flatnonzero(places).tolist():
            self._begin(k, infos)

    def _end(self, infos: Infos) -> Infos:
        """Restart ended environments at once; their last observations go into the infos, as in Gymnasium."""
        over, seen = np.flatnonzero(self._over).tolist(), self._observations()
        last: Infos = {}
        for k in over:
            last = self._add_info(last, {name: infos[name][k] for name in infos if name[0] != "_"}, k)  # type: ignore[index]
        final = np.full(self.num_envs, None, dtype=object)
        for k in over:
            final[k] = seen[k]
        ended = self._over.copy()
        infos |= {"final_obs": final, "_final_obs": ended, "final_info": last, "_final_info": ended.copy()}
        self._restart(ended, infos)
        return infos

    def _user_answers(
        self, function: Callable[..., np.ndarray] | None, name: str, kind: type, *about: Arrays
    ) -> np.ndarray:
        """Answer of a user's function for all environments."""
        if function is None:
            return np.zeros(self.num_envs, kind)
        fix = "it gets an array for each name: write np.where for if, & for and, | for or"
        try:
            answer = np.asarray(function(*about))
        except ValueError as error:
            raise RunError(str(error), path=name, fix=fix) from error
        if answer.shape not in ((), (self.num_envs,)):
            shape = (self.num_envs,)
            raise RunError(f"found numbers of shape {answer.shape}, expected {shape}", path=name, fix=fix)
        return answer.astype(kind) if answer.shape else np.full(self.num_envs, answer, kind)

    def _observations(self) -> np.ndarray:
        """Observations of all environments."""
        return as_float32(self._outputs[self._first.observations].T)
