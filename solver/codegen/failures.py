"""Errors of the compiler that its user may give a class of its own: the compiler imports nothing of luff."""

from __future__ import annotations

from collections.abc import Callable


def _runtime_error(message: str, fix: str) -> Exception:
    return RuntimeError(f"{message} ({fix})")


not_kept: Callable[..., Exception] = _runtime_error  # object code that cannot be written: message, and `fix`
