"""`luff.gym.VecEnv`: many environments by the interface of Stable-Baselines3, which need not be installed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from ....blocks import RunError
from .vector_environment import VectorEnv

Indices = int | Iterable[int] | None
OF_ALL = ("reset", "step", "begin", "go_on", "render", "close")  # methods that environments in lanes share
TRUNCATED, TERMINAL = "TimeLimit.truncated", "terminal_observation"  # keys of the infos


class VecEnv:
    """Vector environment for Stable-Baselines3: `step` gives observations, rewards, ends and a list of infos.

    At the end of an episode an environment starts anew at once; its last observation is
    `infos[k]["terminal_observation"]`, and `infos[k]["TimeLimit.truncated"]` says that time ended it. Where
    Stable-Baselines3 is installed it takes this class as one of its own.

    Parameters
    ----------
    env : VectorEnv
        The environments; this class alone steps and resets them from here on.

    Examples
    --------
    >>> import luff
    >>> import numpy as np
    >>> model = luff.loads('''
    ... luff: 1
    ... inputs: {force: {unit: N}}
    ... blocks:
    ...   rail: {type: prismatic, axis: x}
    ...   cart: {type: rigid_link, mass: 1 kg}
    ... connect: [world.frame -- rail.frame_a, rail.frame_b -- cart.frame_a, inputs.force -> rail.effort]
    ... outputs: {place: rail.position}
    ... simulation: {stop: 1 s, step: 10 ms}
    ... ''')
    >>> env = luff.gym.VecEnv(luff.gym.VectorEnv(model, 4, actions={"force": (-1.0, 1.0)}))
    >>> seen = env.reset()
    >>> seen, rewards, ends, infos = env.step(np.ones((4, 1)))
    >>> seen.shape, ends.any(), infos[0]
    ((4, 1), False, {'TimeLimit.truncated': False})
    """

    def __init__(self, env: VectorEnv):
        be_known_to_stable_baselines()
        env.autoreset_mode = AutoresetMode.SAME_STEP
        env.metadata = {**env.metadata, "autoreset_mode": AutoresetMode.SAME_STEP}
        self.env, self.num_envs = env, env.num_envs
        self.observation_space, self.action_space = env.single_observation_space, env.single_action_space
        self.render_mode, self.metadata = env.render_mode, env.metadata
        self.reset_infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        self._seed: int | None = None
        self._options: dict[str, Any] = {}
        self._actions = np.zeros((self.num_envs, *(self.action_space.shape or ())))

    # --- episodes ------------------------------------------------------------------------------------------------

    def seed(self, seed: int | None = None) -> list[int]:
        """Seeds from which the next reset draws: `seed`, `seed` + 1 and so on."""
        self._seed = int(np.random.default_rng().integers(2**31)) if seed is None else int(seed)
        return [self._seed + k for k in range(self.num_envs)]

    def set_options(self, options: Mapping[str, Any] | None = None) -> None:
        """Options of the next reset, as `VectorEnv.reset` takes them, for all environments."""
        if options is not None and not isinstance(options, Mapping):
            fix = '{"state": rows} starts each at a row of its own'
            raise RunError("found a list, expected a mapping for all environments", path="options", fix=fix)
        self._options = dict(options or {})

    def reset(self) -> np.ndarray:
        """Start all environments; returns the observations, a row for each."""
        seen, infos = self.env.reset(seed=self._seed, options=self._options)
        self._seed, self._options = None, {}
        self.reset_infos = self._rows(infos)
        return seen

    def step_async(self, actions: np.ndarray) -> None:
        """Take the actions of the next step."""
        self._actions = np.asarray(actions)

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Observations, rewards, ends of episodes, and infos of a control step."""
        seen, rewards, terminated, truncated, infos = self.env.step(self._actions)
        ends = terminated | truncated
        told: list[dict[str, Any]] = [{TRUNCATED: False} for _ in range(self.num_envs)]
        if ends.any():
            last: Any = infos["final_obs"]
            words, begun = self._rows(infos["final_info"]), self._rows(infos)
            for k in np.flatnonzero(ends).tolist():
                told[k] = {**words[k], TERMINAL: last[k], TRUNCATED: bool(truncated[k] and not terminated[k])}
                self.reset_infos[k] = begun[k]
        return seen, rewards.astype(np.float32), ends, told

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Hold each action for one control step."""
        self.step_async(actions)
        return self.step_wait()

    def close(self) -> None:
        """End the environments."""
        self.env.close()

    def _rows(self, infos: Any) -> list[dict[str, Any]]:
        """Infos of each environment of Gymnasium's mapping of arrays."""
        rows: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for name, values in infos.items():
            if name.startswith(("_", "final_")):
                continue
            own = self._rows(values) if isinstance(values, Mapping) else values
            for k in np.flatnonzero(infos.get(f"_{name}", np.ones(self.num_envs, bool))).tolist():
                rows[k][name] = own[k]
        return rows

    # --- single environments -------------------------------------------------------------------------------------

    def has_attr(self, attr_name: str) -> bool:
        """True if the environments have an attribute."""
        return hasattr(self.env.envs[0], attr_name)

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """Attribute of each environment."""
        if attr_name == "render_mode":
            return [self.render_mode for _ in self._places(indices)]
        return [getattr(self.env.envs[k], attr_name) for k in self._places(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set an attribute of each environment: `randomise`, say, for the episodes to come."""
        for k in self._places(indices):
            setattr(self.env.envs[k], attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Indices = None, **named: Any) -> list[Any]:
        """Answers of a method of each environment."""
        if method_name in OF_ALL:
            raise RunError("environments in lanes go together", path=method_name, fix=f"call {method_name}()")
        return [getattr(self.env.envs[k], method_name)(*args, **named) for k in self._places(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: Indices = None) -> list[bool]:
        """False for each environment: none is in a wrapper of Gymnasium."""
        return [False for _ in self._places(indices)]

    def _places(self, indices: Indices) -> Sequence[int]:
        """Numbers of environments."""
        if indices is None:
            return range(self.num_envs)
        return [indices] if isinstance(indices, int) else [*indices]

    # --- pictures ------------------------------------------------------------------------------------------------

    def get_images(self) -> Sequence[np.ndarray | None]:
        """Picture of each environment; None without a render mode."""
        pictures: Any = self.env.render() if self.render_mode else None
        return [None] * self.num_envs if pictures is None else pictures

    def render(self, mode: str | None = None) -> np.ndarray | None:
        """All pictures in one, (height, width, 3); None without a render mode."""
        pictures = [each for each in self.get_images() if each is not None]
        if not pictures:
            return None
        across = math.ceil(math.sqrt(len(pictures)))
        pictures += [np.zeros_like(pictures[0])] * (-len(pictures) % across)
        rows = [np.concatenate(pictures[k : k + across], axis=1) for k in range(0, len(pictures), across)]
        return np.concatenate(rows)

    # --- wrappers of Stable-Baselines3 ---------------------------------------------------------------------------

    @property
    def unwrapped(self) -> VecEnv:
        """This environment."""
        return self

    def getattr_depth_check(self, name: str, already_found: bool) -> str | None:
        """Name of this class if it has an attribute that was found in a wrapper already."""
        hidden = already_found and hasattr(self, name)
        return f"{type(self).__module__}.{type(self).__name__}" if hidden else None


def be_known_to_stable_baselines() -> None:
    """Let Stable-Baselines3, if it is installed, take `VecEnv` as a class of its own."""
    try:
        theirs: Any = import_module("stable_baselines3.common.vec_env")
    except ImportError:
        return
    theirs.VecEnv.register(VecEnv)
