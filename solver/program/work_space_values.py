"""What signals begin with: the first values of their sections of the work space, and how much room they take."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field, replace

import numpy as np

from ...blocks.light_dataclass import mutable
from ..kernels.model_data import Data
from .operations import Operation
from .work_space import FLOATS, SIGNAL_STATES, Sections, Slots


@mutable
class InitialSections:
    """Sections of the work space that do not depend on the start of the mechanism."""

    params: Slots = field(default_factory=Slots)
    memory: Slots = field(default_factory=Slots)
    states: Slots = field(default_factory=Slots)
    work: Slots = field(default_factory=Slots)  # of controllers
    sides: list[float] = field(default_factory=list)
    constants: list[str] = field(default_factory=list)
    signals: int = 0
    packed: int = 0  # room for what is packed for functions that read arrays

    def with_work(self, values: list[float]) -> InitialSections:
        """The same with more work space behind."""
        return replace(self, work=Slots(list(self.work.names), [*self.work.values, *values]))

    def sections(self, each: Sequence[Data | None], mechanical: int, trailing: int = 0) -> Sections:
        """All sections, with the states of the mechanisms and what trails behind all states; components that are not
        there have none."""
        own = {
            number: {name: getattr(data, name).size for name in FLOATS}
            for number, data in enumerate(each)
            if data is not None
        }
        states = mechanical + len(self.states.values)
        sizes = {
            "t": 2,
            "x": states + trailing,
            "dx": states + trailing,
            "lowest": states + trailing,
            "highest": states + trailing,
            "s": self.signals,
            "v": self.packed,
        }
        sizes |= {name: len(values) for name, values in self._first_values().items()}
        return Sections(sizes, own, mechanical, states)

    def filled(self, sections: Sections) -> np.ndarray:
        """A work space with all numbers that are known before a run."""
        w = np.zeros(sections.total)
        for name, values in self._first_values().items():
            sections.part(w, name)[:] = values
        return w

    def owners(self, operations: Iterable[Operation]) -> set[str]:
        """Blocks of whose numbers some operations are given any."""
        slots = {"p": self.params, "mem": self.memory, SIGNAL_STATES: self.states}
        read = (entry for each in operations for entry in each.entries if isinstance(entry, tuple))
        known = ((slots[name].names, k) for name, k in read if name in slots)
        return {names[k].rpartition(".")[0] for names, k in known if k < len(names)}  # an array may be empty

    def _first_values(self) -> dict[str, list[float]]:
        return {
            "p": self.params.values, "mem": self.memory.values, "work": self.work.values, "g": self.sides,
            "c": [float(text) for text in self.constants],
        }  # fmt: skip
