"""Environments of netlists (extra `gym`): Gymnasium's `Env` and `VectorEnv`, Stable-Baselines3's `VecEnv`.

`gymnasium.make("luff.gym:Env", model=..., actions=...)` and `gymnasium.make_vec` make them by name, as does
`luff/Netlist-v0` once this module is imported.

Examples
--------
>>> import luff
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
>>> env = luff.gym.Env(model, actions={"force": (-1.0, 1.0)}, reward=lambda outputs, actions: -outputs["place"] ** 2)
>>> observation, info = env.reset(seed=0)
>>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
>>> observation.shape
(1,)
>>> import gymnasium
>>> named = gymnasium.make("luff.gym:Env", model=model, actions={"force": (-1.0, 1.0)})
>>> named.reset(seed=0, options={"state": {"rail.position": 0.5}})[0].tolist()
[0.5]
"""

from __future__ import annotations

from .gui.view3d.gym_rendering import Env, VectorEnv
from .solver.batch.gym.environment import gymnasium  # its error says how to install what is missing
from .solver.batch.gym.stable_baselines import VecEnv

__all__ = ["Env", "VecEnv", "VectorEnv"]

for _id in ("Env", "luff/Netlist-v0"):
    gymnasium.register(_id, entry_point=f"{__name__}:Env", vector_entry_point=f"{__name__}:VectorEnv")
