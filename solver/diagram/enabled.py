"""Blocks that are out of effect: with `enabled: false` a block and its wires stay written, and are not in the model."""

from __future__ import annotations

from ...blocks.errors import Problem
from ...blocks.text.raw_types import Raw, RawMap

KEY = "enabled"
OWN = ("type", KEY)  # entries of a block that are no parameters


def parameters_of(raw: RawMap) -> RawMap:
    return {key: value for key, value in raw.items() if key not in OWN}


def is_enabled(raw: Raw) -> bool:
    return not isinstance(raw, dict) or raw.get(KEY, True) is not False


def enabled_problem(value: Raw, path: str) -> Problem | None:
    """Problem of an entry that is neither true nor false."""
    if isinstance(value, bool):
        return None
    return Problem(f"found {value!r}, expected true or false", f"{path}.{KEY}")


def disabled_blocks(block: str) -> str:
    return f'the block "{block}" is out of effect'


BACK = "write `enabled: true`, or remove this too"
