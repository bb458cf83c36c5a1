"""`luff.gym.Env`: a netlist as a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ....blocks import RunError
from ....blocks.errors import did_you_mean
from ...flatten.diagram import Diagram
from ...simulation.compile_diagram import compile
from ...simulation.given_state import GivenState
from ...simulation.run_state import poses
from ...simulation.script_values import Time, seconds
from ...simulation.simulation import Simulation
from .spaces import FREE, Actions, Bounds, as_float32, box, named_places, whole_steps

try:
    import gymnasium
except ImportError:
    raise RunError("environments need Gymnasium", fix='pip install "luff[gym]"') from None

Signals = dict[str, float]
Why = dict[str, str]


class Env(gymnasium.Env[np.ndarray, np.ndarray]):
    """Gymnasium environment: actions are inputs of the netlist, observations its outputs, in SI units.

    `actions` gives the bounds of each input; inputs left out keep their defaults. With `normalise` an action goes from
    -1 to 1 between them. `observations` are outputs, by default all, or a mapping with their bounds. `reward` and
    `terminated` get the outputs by name, and `reward` the actions too. An action holds for `control_step` (the
    netlist's output step); an episode is truncated after `duration` (its stop time). `randomise` draws the start of
    each episode: it gets a generator and returns values by path, of parameters (`load.mass`) or of first states
    (`rope.position`), which are cheaper: nothing is solved for.
    With `render_mode="rgb_array"`, `render()` returns pictures.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        model: Simulation | Diagram | str | Path,
        actions: Mapping[str, Bounds],
        observations: Mapping[str, Bounds] | Sequence[str] | None = None,
        reward: Callable[[Signals, Signals], float] | None = None,
        terminated: Callable[[Signals], bool] | None = None,
        control_step: Time | None = None,
        duration: Time | None = None,
        randomise: Callable[[np.random.Generator], Mapping[str, object]] | None = None,
        normalise: bool = False,
        render_mode: str | None = None,
    ):
        # a simulation of its own: parameters of an episode must not reach other runs
        self.sim = sim = model.twin() if isinstance(model, Simulation) else compile(model)
        self.reward, self.terminated, self.randomise = reward, terminated, randomise
        self.actions = Actions(actions, sim.inputs, normalise)
        named = (
            observations
            if isinstance(observations, Mapping)
            else dict.fromkeys(observations or sim.outputs, FREE)
        )
        self.observations = named_places(named, sim.outputs, "output")
        settings = sim.settings
        held = seconds("control_step", control_step, settings.output_step)
        self.hold = whole_steps(held, settings.step, "control_step")
        stop = seconds("duration", duration, settings.stop)
        self.steps = whole_steps(stop, self.hold * settings.step, "duration")
        self.session = sim.start(stop=(self.steps * self.hold + 1) * settings.step)
        self.session.brief = True
        self.action_space = self.actions.space
        self.observation_space = box([*named.values()])
        self.metadata = {**self.metadata, "render_fps": fps(self)}
        self.render_mode = known_mode(render_mode, self.metadata)
        self._done = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, dict[str, object]] | None = None
    ) -> tuple[np.ndarray, dict[str, object]]:
        """Start an episode.

        `options={"parameters": {...}}` sets parameters first; `options={"state": x0}` starts at a state, as
        `Simulation.start` takes it, and nothing is solved for.
        """
        super().reset(seed=seed)
        outputs, drawn = self.begin(**start_options(options))
        return self._observation(outputs), {"time": 0.0, "parameters": drawn}

    def begin(
        self, parameters: Mapping[str, Any] | None = None, state: GivenState | None = None
    ) -> tuple[np.ndarray, dict[str, object]]:
        """Start with drawn and given values; returns all outputs, and the values by path of parameter or state."""
        drawn: dict[str, Any] = dict(self.randomise(self.np_random)) if self.randomise else {}
        drawn |= parameters or {}
        begun = {name: drawn.pop(name) for name in [*drawn] if name in self.sim.state_names}
        if drawn:
            self.sim.set(drawn)
        if state is None or isinstance(state, Mapping):
            begun |= state or {}
            drawn |= begun
            state = begun or None
        self._done, self.session.x0 = 0, state
        return self.session.reset(), drawn

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, object]]:
        """Hold the action for one control step."""
        self.session.inputs[self.actions.places] = self.actions.given(action, self.actions.space.shape)
        outputs, why = self.go_on()
        info: dict[str, object] = {**why}
        self._done += 1
        signals = dict(zip(self.sim.outputs, outputs.tolist(), strict=True))
        inputs = dict(zip(self.sim.inputs, self.session.inputs.tolist(), strict=True))
        reward = float(self.reward(signals, inputs)) if self.reward else 0.0
        ended = bool(why) or bool(self.terminated is not None and self.terminated(signals))
        info |= {"time": self.session.time}
        return self._observation(outputs), reward, ended, self._done >= self.steps, info

    def go_on(self) -> tuple[np.ndarray, Why]:
        """Outputs after one control step, and the reason if the run ended: by a condition (`ended`) or a failure
        (`failed`).

        A failure ends the episode, not the training.
        """
        session = self.session
        try:
            outputs = session.step(steps=self.hold)
        except RunError as error:
            if session.status != "failed":
                raise
            return session.outputs, {"failed": str(error)}
        return outputs, {} if session.status == "running" else {"ended": session.message}

    def poses(self) -> np.ndarray:
        """R_WB and p_WB of all rows."""
        return poses(self.session.instance.data.row)

    def _observation(self, outputs: np.ndarray) -> np.ndarray:
        """Observation from the outputs."""
        return as_float32(outputs[self.observations])


def start_options(options: Mapping[str, Any] | None) -> dict[str, Any]:
    """Options of a reset: `parameters` and `state`; RunError for others."""
    known = ("parameters", "state")
    for name in options or {}:
        if name not in known:
            raise RunError(
                f'a reset has no option "{name}"', path="options", fix=did_you_mean(name, known, listed=True)
            )
    return dict(options or {})


def fps(env: Env) -> int:
    """Frames per second of real-time films of an environment."""
    return max(1, round(1.0 / (env.hold * env.session.step_size)))


def known_mode(mode: str | None, metadata: Mapping[str, Any]) -> str | None:
    """Check a render mode."""
    modes = metadata["render_modes"]
    if mode is not None and mode not in modes:
        expected = ", ".join([*modes, "None"])
        raise RunError(f'found "{mode}", expected {expected}', path="render_mode")
    return mode
