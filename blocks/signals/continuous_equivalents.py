"""Blocks with states that linear models see in place of sampled ones: their rates are what a memory becomes less what
it is. States named `held_now` are written before anything looks at them, all others together, in the order of a run.
Those named `held_own` go on by themselves: at a start they are what the block starts with. Those named `held_last` are
written behind all others of the sample.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..block import Block, Equation
from ..block_states import State
from ..ports import ANY, In, Out, Port
from .discretised_systems import DISCRETE, flat_matrices, row_of


class ContinuousDelay(Block, abstract=True):
    """A signal that is handed on at the next sample."""

    u, y = In(ANY), Out(ANY)
    held_now = State(width=ANY)
    held_next = State(width=ANY)

    def der(u, held_now, held_next):
        return held_next - held_now, u - held_next

    def out(held_now):
        return held_now


class ContinuousSystem(Block, abstract=True):
    """A sampled linear system: held_own becomes A held_now + B u, and held_now what held_own was.

    With direct feed-through `held` is y, else y follows from held_now. All are as wide as the greater of both: matrices
    have rows and columns of zeros for what there is not.
    """

    y = Out(ANY)
    held_now = State("start", width="most")
    held = State(width="most")
    held_own = State("start", width="most")
    derived_names = DISCRETE

    def __init__(
        self, name: str, matrices: Sequence[np.ndarray], direct: bool, start: tuple[float, ...] = (0.0,)
    ):
        super().__init__(name, {})
        self.matrices, self.direct, self.start = matrices, direct, start

    def most(self) -> int:
        return max(self.matrices[2].shape)

    def state_start(self, initial: float | str) -> object:
        if initial != "start":
            return initial
        order = len(self.matrices[0])
        start = self.start * order if len(self.start) == 1 else self.start
        return start + (0.0,) * (self.most() - order)

    def width(self) -> int:
        return len(self.matrices[2])

    def ports(self) -> dict[str, Port]:
        return {"u": In(self.matrices[1].shape[1]).named("u"), **super().ports()}

    def derived(self) -> dict[str, tuple[float, ...]]:
        n = self.most()
        columns = (n, self.matrices[1].shape[1]) * 2
        wide = [np.zeros((n, count)) for count in columns]
        for whole, matrix in zip(wide, self.matrices, strict=True):
            whole[: matrix.shape[0], : matrix.shape[1]] = matrix
        return flat_matrices(*wide)

    def instance_functions(self) -> dict[str, Equation]:
        return {"der": system_change, "out": held_output if self.direct else state_output}


def system_change(i, inputs, ad, bd, cd, dd, held_now, held, held_own):
    shown = row_of(cd, i, held_now) + row_of(dd, i, inputs)
    later = row_of(ad, i, held_now) + row_of(bd, i, inputs)
    return held_own[i] - held_now[i], shown - held[i], later - held_own[i]


def held_output(i, held):
    return held[i]


def state_output(i, cd, held_now):
    return row_of(cd, i, held_now)
