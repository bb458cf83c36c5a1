"""`luff.gym`: netlists as Gymnasium environments (the extra `gym`), single or vectorised."""

from .environment import Env
from .stable_baselines import VecEnv
from .vector_environment import VectorEnv

__all__ = ["Env", "VecEnv", "VectorEnv"]
