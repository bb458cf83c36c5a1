"""Terminal events: runs ended early by `stop_when`, or failed by a line of `assert:`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...blocks.errors import Problem
from ...blocks.stop_conditions import NAME, Condition, Conditions
from ..integrators.run_data import AT_ENDS, ENDS

if TYPE_CHECKING:
    from .instance import Instance


def terminal_event(run: Instance) -> Condition | None:
    """Condition that ends the run at its present state, asserted ones first, or None."""
    first, count = int(run.number[AT_ENDS]), int(run.number[ENDS])
    block = run.program.flat.blocks.get(NAME)
    if not count or not isinstance(block, Conditions) or not run.w[first : first + count].any():
        return None
    met = [one for one, value in zip(block.conditions, run.w[first : first + count], strict=True) if value]
    return next((one for one in met if one.asserted), met[0])


def event_words(condition: Condition, time: float) -> str:
    """Terminal event in words."""
    return f"ended at t = {time:.9g} s: {condition.text}"


def assertion_failure(condition: Condition, time: float) -> Problem:
    """Problem of an assertion that does not hold."""
    return Problem(f'"{condition.text}" does not hold at t = {time:.9g} s', condition.path)
