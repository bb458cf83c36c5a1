"""`luff.gym`: netlists as environments of Gymnasium (the extra `gym`), one at a time or many side by side."""

from .environment import Env
from .vector_environment import VectorEnv

__all__ = ["Env", "VectorEnv"]
