"""`luff.gym.Env`: a netlist as an environment of Gymnasium (the extra `gym`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from ...blocks import RunError
from ...blocks.errors import did_you_mean
from ..flat.opening import Diagram
from .simulation import Simulation, compile

try:
    import gymnasium
    from gymnasium import spaces
except ImportError:
    raise RunError("environments need Gymnasium", fix='pip install "luff[gym]"') from None

Bounds = tuple[float, float]
Signals = dict[str, float]
FREE: Bounds = (-np.inf, np.inf)


class Env(gymnasium.Env[np.ndarray, np.ndarray]):
    """Actions are inputs of the netlist, observations its outputs, both in SI units.

    `actions` gives the bounds of each input; those left out keep their defaults. `observations` are outputs, all by
    default, in a mapping with their bounds. `reward` and `terminated` get the outputs by name, and `reward` the actions
    too. An action holds for `control_step` (the netlist's output step); an episode is cut off after `duration` (its
    stop time). `randomise` draws parameters for each episode: it gets a generator and returns values by path.
    """

    metadata = {"render_modes": []}

    def __init__(
        self,
        model: Simulation | Diagram | str | Path,
        actions: Mapping[str, Bounds],
        observations: Mapping[str, Bounds] | Sequence[str] | None = None,
        reward: Callable[[Signals, Signals], float] | None = None,
        terminated: Callable[[Signals], bool] | None = None,
        control_step: float | None = None,
        duration: float | None = None,
        randomise: Callable[[np.random.Generator], Mapping[str, object]] | None = None,
    ):
        # one of its own: what an episode sets is not for the runs of others
        self.sim = sim = model.twin() if isinstance(model, Simulation) else compile(model)
        self.reward, self.terminated, self.randomise = reward, terminated, randomise
        self.actions = known(actions, sim.inputs, "input")
        named = (
            observations
            if isinstance(observations, Mapping)
            else dict.fromkeys(observations or sim.outputs, FREE)
        )
        self.observations = known(named, sim.outputs, "output")
        settings = sim.settings
        self.hold = whole(control_step or settings.output_step, settings.step, "control_step")
        stop = settings.stop if duration is None else duration
        self.steps = whole(stop, self.hold * settings.step, "duration")
        self.session = sim.start(stop=(self.steps * self.hold + 1) * settings.step)
        self.action_space = box([*actions.values()])
        self.observation_space = box([*named.values()])
        self._done = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, dict[str, object]] | None = None
    ) -> tuple[np.ndarray, dict[str, object]]:
        """To the start; `options={"parameters": {...}}` sets parameters first."""
        super().reset(seed=seed)
        drawn = dict(self.randomise(self.np_random)) if self.randomise else {}
        drawn |= (options or {}).get("parameters", {})
        for path, value in drawn.items():
            self.sim.set(path, value)
        self._done = 0
        outputs = self.session.reset()
        return self._seen(outputs), {"time": 0.0, "parameters": drawn}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, object]]:
        """Hold the action for one control step."""
        given = np.asarray(action, float)
        if given.shape != self.action_space.shape:
            raise RunError(f"found an action of shape {given.shape}, expected {self.action_space.shape}")
        self.session.inputs[self.actions] = given
        info: dict[str, object] = {}
        ended = False
        try:
            outputs = self.session.step(steps=self.hold)
        except RunError as error:
            if self.session.status != "failed":
                raise
            # it ends the episode, not the training
            ended, info["failed"] = True, str(error)
            outputs = self.session.outputs
        self._done += 1
        signals = dict(zip(self.sim.outputs, outputs.tolist(), strict=True))
        inputs = dict(zip(self.sim.inputs, self.session.inputs.tolist(), strict=True))
        reward = float(self.reward(signals, inputs)) if self.reward else 0.0
        ended = ended or bool(self.terminated is not None and self.terminated(signals))
        info |= {"time": self.session.time}
        return self._seen(outputs), reward, ended, self._done >= self.steps, info

    def _seen(self, outputs: np.ndarray) -> np.ndarray:
        return outputs[self.observations].astype(np.float32)


def known(wanted: Mapping[str, object], names: list[str], what: str) -> np.ndarray:
    """Places of the named signals."""
    for name in wanted:
        if name not in names:
            fix = did_you_mean(name, names) if names else f"declare it in `{what}s:` of the netlist"
            raise RunError(f'the netlist has no {what} "{name}"', fix=fix)
    return np.array([names.index(name) for name in wanted], np.int64)


def box(bounds: Sequence[Bounds]) -> spaces.Box:
    low, high = np.array(bounds, np.float32).reshape(-1, 2).T
    if not np.all(low < high):
        raise RunError("found bounds that leave nothing between them, expected (low, high)")
    return spaces.Box(low, high, dtype=np.float32)


def whole(time: float, step: float, name: str) -> int:
    """How many steps a time is."""
    steps = round(time / step)
    if steps < 1 or abs(steps * step - time) > 1e-6 * step:
        raise RunError(f"found {time:g} s, expected a multiple of {step:g} s", path=name)
    return steps
