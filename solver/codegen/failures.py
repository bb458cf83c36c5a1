"""Hook for the exception class of compiler errors: this package imports nothing of luff."""

from __future__ import annotations

from collections.abc import Callable


def _runtime_error(message: str, fix: str) -> Exception:
    """RuntimeError with message and fix."""
    return RuntimeError(f"{message} ({fix})")


not_kept: Callable[..., Exception] = _runtime_error  # makes the error of object code that cannot be written
