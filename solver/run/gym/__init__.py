"""`luff.gym`: netlists as environments of Gymnasium (the extra `gym`), one at a time or many side by side."""

from .env import Env
from .vector import VectorEnv

__all__ = ["Env", "VectorEnv"]
