"""States and memories of blocks, kept from step to step."""

from __future__ import annotations

from .light_dataclass import record


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
