"""Programs that differ from one in numbers of its blocks: the netlist is not read again, only the first state is made.

What is proved of a first of them (`proves`) is that nothing but these numbers, and what the start makes of them, hangs
on what was set: all arrays, names and notes have the bits of a program that is made of the netlist.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from threading import Lock

import numpy as np

from ...blocks.block import Block
from ...blocks.conditions import NAME as CONDITIONS
from ..flat.flatten import Flat
from ..mechanism.homes import Numbers
from ..program.program import Program
from ..program.signals import spread
from ..program.started import Started, start_program, started
from ..table.places import Slots
from .live import Live, same_bits

BETWEEN = (
    "name", "bonds", "wires", "widths", "units", "initial", "simulation", "record", "plots", "outputs",
)  # fmt: skip
Place = tuple[str, str]  # a block, and one of its parameters


class Variants:
    """Programs like one that is started."""

    def __init__(self, program: Started):
        self.program = program
        self._told = _beside_numbers(program.flat)
        self._live = Live(program.described, starts=True)

    def with_numbers(self, changes: Mapping[str, object]) -> Started | None:
        """With these values of blocks; None where the netlist has to be read again, to take them or to refuse them."""
        if any(self._live.set(path, value) is None for path, value in changes.items()):
            return self._refused()
        return start_program(self._described(replace(self.program.flat, blocks=dict(self._live.blocks))))

    def of(self, flat: Flat) -> Started | None:
        """Of a netlist that was read with other values; None where more than numbers of its blocks differs."""
        same = _same_between(self.program.flat, flat) and self._told == _beside_numbers(flat)
        if not same or self._live.replace(flat.blocks) is None:
            return self._refused()
        return start_program(self._described(flat))

    def _refused(self) -> None:
        self._live = Live(self.program.described, starts=True)  # the other one may have some of what was set

    def _described(self, flat: Flat) -> Program:
        live, base = self._live, self.program.described
        params, states = base.numbers.params, base.numbers.states
        return replace(
            base,
            flat=flat,
            mechanism=Numbers(live.mechanism).mechanism,
            model=type(live.model)(*(array.copy() for array in live.model)),
            numbers=replace(
                base.numbers,
                params=Slots(params.names, live.params.tolist(), params.at),
                states=Slots(states.names, _first_values(flat, states), states.at),
            ),
        )


def _first_values(flat: Flat, states: Slots) -> list[float]:
    """Of the states of signals."""
    values = list(states.values)
    for name, block in flat.blocks.items():
        for word, state in block.states.items():
            first, count = states.at.get(f"{name}.{word}", (0, 0))
            if count:
                values[first : first + count] = spread(block.state_start(state.initial), count)
    return values


def _same_between(a: Flat, b: Flat) -> bool:
    """Whether two netlists differ in their blocks alone, and not in those that end a run."""
    return all(getattr(a, name) == getattr(b, name) for name in BETWEEN) and (
        a.blocks.keys() == b.blocks.keys() and _ends(a) == _ends(b)
    )


def _beside_numbers(flat: Flat) -> list[object]:
    """Of each block what its values do not say: code of the user's own, what it may do, what the files hold."""
    return [(type(one), one.given, one.allow_code, [*one.reads()]) for one in flat.blocks.values()]


def _ends(flat: Flat) -> object:
    return flat.blocks[CONDITIONS].values if CONDITIONS in flat.blocks else None


class Near:
    """Starts netlists that were made of one text: where two ways give the same bits, the shorter one from then on.

    What is proved so is a set of parameters, by the second netlist that has other values of them.
    """

    def __init__(self) -> None:
        self._turn = Lock()
        self._variants: Variants | None = None
        self._proved: set[Place] = set()
        self._strange = 0  # netlists in a row that differ in more than numbers
        self._apart: set[Place] = set()  # among which is one that is not proved so

    def started(self, flat: Flat) -> Started:
        with self._turn:
            return self._started(flat)

    def _started(self, flat: Flat) -> Started:
        if self._variants is None:
            return self._met(started(flat))
        changed = {*_changed(self._variants.program.flat.blocks, flat.blocks)}
        if changed & self._apart:
            return started(flat)
        if changed <= self._proved:
            made, whole = self._variants.of(flat), None
        else:
            whole = started(flat)
            made = self._variants.of(flat)
        if made is None:
            return self._met(whole or started(flat))
        self._strange = 0
        if whole is not None:
            known = self._proved if alike(made, whole) else self._apart
            known |= changed - self._proved
        return whole or made

    def _met(self, whole: Started) -> Started:
        """One of another structure, which others may follow: one that comes alone is let pass."""
        self._strange += 1
        if self._variants is None or not self._proved or self._strange > 1:
            self._proved = self._proved if self._variants and self._variants.program.like(whole) else set()
            self._variants = Variants(whole)
        return whole


@lru_cache(8)
def near(text: str) -> Near:
    """Of the netlists that this process starts, those of one text."""
    return Near()


def started_near(flat: Flat) -> Started:
    """As `started`, in less time for one of many that differ in numbers."""
    return near(flat.netlist).started(flat)


def _changed(before: Mapping[str, Block], after: Mapping[str, Block]) -> Iterator[Place]:
    for name, block in after.items():
        old = before[name].values if name in before else {}
        yield from ((name, key) for key, value in block.values.items() if key not in old or old[key] != value)


def alike(a: Started, b: Started) -> bool:
    """Whether two programs are the same to the last bit."""
    if not a.like(b) or (a.sampled, a.notes, a.state_names) != (b.sampled, b.notes, b.state_names):
        return False
    return all(same_bits(ours, theirs) for ours, theirs in zip(_arrays(a), _arrays(b), strict=True))


def _arrays(program: Started) -> list[np.ndarray]:
    origin = [] if program.origin is None else [program.origin.jac, program.origin.state]
    return [program.work_space, program.x0, program.params, *origin, *program.data, *program.model]
