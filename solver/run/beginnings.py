"""What starting a run has found, kept for the next start of the same program: it costs a copy of the work space."""

from __future__ import annotations

import numpy as np

from .compiled import Compiled
from .instance import Instance
from .stepping import Stepping, kept

FOUND = ("notes", "_stiff", "_odd", "_weightless", "_balance", "worst_violation", "energy_start", "_rows")


class Beginning:
    """An instance that stands at the start and never runs, and what was found there."""

    def __init__(self, session: Stepping):
        self.program, self.x0 = session.instance.program, session.sim.x0.copy()
        self.instance: Instance = session.instance.twin()
        self.x: np.ndarray = session.x.copy()
        self.found: dict[str, object] = {name: kept(getattr(session, name)) for name in FOUND}

    def fits(self, sim: Compiled) -> bool:
        """Whether a start would find the same: what is set makes another program, and states may be written."""
        return self.program is sim.program and self.x0.tobytes() == sim.x0.tobytes()

    def give(self, session: Stepping) -> None:
        """Put a session there, which has its instance."""
        session.instance.put(self.instance.memories)
        session.x[:] = self.x
        vars(session).update({name: kept(value) for name, value in self.found.items()})
