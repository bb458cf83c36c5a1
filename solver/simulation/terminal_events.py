"""Runs that end before their time: by `stop_when`, well, or by a line of `assert:` that does not hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...blocks.errors import Problem
from ...blocks.stop_conditions import NAME, Condition, Conditions
from ..integrators.run_data import AT_ENDS, ENDS

if TYPE_CHECKING:
    from .instance import Instance


def terminal_event(run: Instance) -> Condition | None:
    """The condition that ends a run where it stands; one that was asserted before the others."""
    first, count = int(run.number[AT_ENDS]), int(run.number[ENDS])
    block = run.program.flat.blocks.get(NAME)
    if not count or not isinstance(block, Conditions) or not run.w[first : first + count].any():
        return None
    met = [one for one, value in zip(block.conditions, run.w[first : first + count], strict=True) if value]
    return next((one for one in met if one.asserted), met[0])


def event_words(condition: Condition, time: float) -> str:
    return f"ended at t = {time:.9g} s: {condition.text}"


def assertion_failure(condition: Condition, time: float) -> Problem:
    return Problem(f'"{condition.text}" does not hold at t = {time:.9g} s', condition.path)
