"""Programs that differ from one in numbers of its blocks: the netlist is not read again, only the first state is made.

What is proved of a first of them (`proves`) is that nothing but these numbers, and what the start makes of them, hangs
on what was set: all arrays, names and notes have the bits of a program that is made of the netlist.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..mechanism.homes import Numbers
from ..program.program import Program
from ..program.started import Started, start_program
from ..table.places import Slots
from .live import Live, same_bits


class Variants:
    """Programs like one that is started."""

    def __init__(self, program: Started):
        self.program = program
        self._live = Live(program.described, starts=True)

    def with_numbers(self, changes: Mapping[str, object]) -> Started | None:
        """With these values of blocks; None where the netlist has to be read again, to take them or to refuse them."""
        for path, value in changes.items():
            if self._live.set(path, value) is None:
                self._live = Live(self.program.described, starts=True)  # which has some of them
                return None
        return start_program(self._described())

    def _described(self) -> Program:
        live, base = self._live, self.program.described
        params = base.numbers.params
        return replace(
            base,
            flat=replace(base.flat, blocks=dict(live.blocks)),
            mechanism=Numbers(live.mechanism).mechanism,
            model=type(live.model)(*(array.copy() for array in live.model)),
            numbers=replace(base.numbers, params=Slots(params.names, live.params.tolist(), params.at)),
        )


def alike(a: Started, b: Started) -> bool:
    """Whether two programs are the same to the last bit."""
    if not a.like(b) or (a.sampled, a.notes, a.state_names) != (b.sampled, b.notes, b.state_names):
        return False
    return all(same_bits(ours, theirs) for ours, theirs in zip(_arrays(a), _arrays(b), strict=True))


def _arrays(program: Started) -> list[np.ndarray]:
    origin = [] if program.origin is None else [program.origin.jac, program.origin.state]
    return [program.work_space, program.x0, program.params, *origin, *program.data, *program.model]
