"""Work space of a diagram: one flat array of numbers in sections, with a place for every scalar.

A place is a section and an offset, so that operations can be written before the sizes are known. Sections: `t` the
time, one within the step under way and h gamma of an implicit step, `x` states, `dx` their rates and the powers, `p`
parameters, `mem` memories, `s` signals, `g` switching functions, `c` constants, `v` what is packed for a function that
reads arrays, `work` that of controllers, and the arrays of `Data` by their names: `row` those of all components
(`mechanism/components.py`), whose first begins there too, `row@1` those of the next one.

The states of signals follow those of the mechanism, whose number only a start determines: their places are in the
parts `x of signals` and `dx of signals`, and the powers of the mechanism in `powers`, behind all rates, their integrals
in `x of energies`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

import numpy as np

from ...blocks.light_dataclass import mutable
from ..codegen.array_structs import fields_of
from ..codegen.memory_arena import LINE
from ..kernels.model_data import WIDTHS, Data

Place = tuple[str, int]
TIME: Place = ("t", 0)
DURING: Place = ("t", 1)  # a time within the step under way
H_GAMMA: Place = ("t", 2)  # h gamma of an implicit step [s]
SIGNAL_STATES, SIGNAL_RATES, POWERS = "x of signals", "dx of signals", "powers"
ENERGIES = "x of energies"
FLOATS = tuple(
    name for name, kind in fields_of(Data) if kind[0] == "f" and name not in ("x", "dx", "work", "system")
)
SECTIONS = ("t", "x", "dx", "p", "mem", "s", "g", "c", "v", "work", "lowest", "highest", *FLOATS)


def data_place(array: str, row: int, column: int = 0) -> Place:
    """Place of an entry of an array of `Data`."""
    return array, row * WIDTHS.get(array, 1) + column


def of_component(place: Place, number: int) -> Place:
    """Place in the arrays of a component, by its number."""
    return (f"{place[0]}@{number}", place[1]) if number and place[0] in FLOATS else place


@mutable
class Slots:
    """Places of one section, with names and initial values."""

    names: list[str] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    at: dict[str, tuple[int, int]] = field(default_factory=dict)  # first place and number of places, by name

    def add(self, name: str, values: Iterable[float]) -> int:
        """Allocate named places; returns the first."""
        first, new = len(self.values), [float(value) for value in values]
        self.names += [name] if len(new) == 1 else [f"{name}[{k}]" for k in range(len(new))]
        self.values += new
        self.at[name] = first, len(new)
        return first


@mutable
class Sections:
    """First place of each section, at a cache line, once all sizes are known; `own`: sizes of what components hold of
    the arrays of `Data`.
    """

    sizes: dict[str, int]
    own: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    mechanical: int = 0  # states of all mechanisms
    states: int = 0  # and with those of signals
    first: dict[str, int] = field(init=False)
    total: int = field(init=False)

    def __post_init__(self) -> None:
        self.first, at = {}, 0
        for name in SECTIONS:
            self.first[name] = begin = at
            for number, sizes in self.own.items() if name in FLOATS else ():
                self.first[f"{name}@{number}"] = begin
                begin += sizes[name]
            size = begin - at if name in FLOATS and self.own else self.sizes.get(name, 0)
            self.sizes[name] = size
            at += -(-size // LINE) * LINE
        self.total = at
        self.first[SIGNAL_STATES] = self.first["x"] + self.mechanical
        self.first[SIGNAL_RATES] = self.first["dx"] + self.mechanical
        self.first[POWERS] = self.first["dx"] + self.states
        self.first[ENERGIES] = self.first["x"] + self.states

    def at(self, place: Place) -> int:
        """Address of a place in the work space."""
        return self.first[place[0]] + place[1]

    def part(self, w: np.ndarray, name: str) -> np.ndarray:
        """View of a section."""
        return w[self.first[name] : self.first[name] + self.sizes.get(name, 0)]

    def of(self, w: np.ndarray, name: str, number: int) -> np.ndarray:
        """Part of an array of `Data` that a component holds."""
        first = self.first[f"{name}@{number}"]
        return w[first : first + self.own[number][name]]
