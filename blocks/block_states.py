"""What a block keeps from step to step: states and memories; and its equivalent for small signals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .light_dataclass import record

if TYPE_CHECKING:
    from .block import Block


@record
class State:
    """A continuous state; `initial` is a number or the name of the parameter that holds it.

    `width` is the name of a method where it follows from the parameters.
    """

    initial: float | str = 0.0
    width: int | str = 1
    unit: str = ""
    doc: str = ""


@record
class Memory:
    """Numbers that are constant within a step and written by `update` after it.

    `size` counts the entries of one element; the name of a method `size(self, step)` where it depends on the step. An
    instance that gives 0 has none.
    """

    initial: float | str = 0.0
    size: int | str = 1
    doc: str = ""


@record
class Echo:
    """Small-signal equivalent of a block with memories or steps.

    y is the sum of share times u(t - delay), `shares` of (share, delay); or what it was at the last multiple of
    `sample_time`. `by` is the block with states, whose names begin with `held`, that says more of what happens there
    (`signals/continuous_equivalents.py`).
    """

    shares: tuple[tuple[float, float], ...] = ()
    sample_time: float | None = None
    by: Block | None = None
