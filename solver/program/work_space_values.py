"""Initial values of the work space's sections for signals, and their sizes."""

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
    work: Slots = field(default_factory=Slots)  # work space of controllers
    sides: list[float] = field(default_factory=list)
    constants: list[str] = field(default_factory=list)
    signals: int = 0
    packed: int = 0  # size of the section `v`

    def with_work(self, values: list[float]) -> InitialSections:
        """Copy with more controller work space behind."""
        return replace(self, work=Slots(list(self.work.names), [*self.work.values, *values]))

    def sections(self, each: Sequence[Data | None], mechanical: int, trailing: int = 0) -> Sections:
        """Return all sections of the work space; states of components without data are left out.

        `trailing` numbers stand behind all states.
        """
        own = {
            number: {name: getattr(data, name).size for name in FLOATS}
            for number, data in enumerate(each)
            if data is not None
        }
        states = mechanical + len(self.states.values)
        sizes = {
            "t": 3,
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
        """Work space with all initial numbers."""
        w = np.zeros(sections.total)
        for name, values in self._first_values().items():
            sections.part(w, name)[:] = values
        return w

    def owners(self, operations: Iterable[Operation]) -> set[str]:
        """Blocks whose numbers some operations read."""
        slots = {"p": self.params, "mem": self.memory, SIGNAL_STATES: self.states}
        read = (entry for each in operations for entry in each.entries if isinstance(entry, tuple))
        known = ((slots[name].names, k) for name, k in read if name in slots)
        return {names[k].rpartition(".")[0] for names, k in known if k < len(names)}  # an array may be empty

    def _first_values(self) -> dict[str, list[float]]:
        """Initial values by section."""
        return {
            "p": self.params.values, "mem": self.memory.values, "work": self.work.values, "g": self.sides,
            "c": [float(text) for text in self.constants],
        }  # fmt: skip
