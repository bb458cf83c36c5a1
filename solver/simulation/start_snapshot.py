"""Start of a run kept for the next one with the same program, step and method."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .stepping import Stepping, copied

if TYPE_CHECKING:
    from .compiled_model import Compiled

OF_START = ("notes", "_stiff", "_odd", "_weightless", "_balance", "worst_violation", "energy_start", "_rows")


class StartSnapshot:
    """Instance at its start that never runs, with the findings there: reused by the next start."""

    def __init__(self, session: Stepping):
        self.program, self.x0 = session.instance.program, session.sim.x0.copy()
        self.instance = session.instance.twin()
        self.x: np.ndarray = session.x.copy()
        self.attributes: dict[str, object] = {name: copied(getattr(session, name)) for name in OF_START}

    def fits(self, sim: Compiled) -> bool:
        """True if a new start would give the same: program and initial state are unchanged."""
        return self.program is sim.program and self.x0.tobytes() == sim.x0.tobytes()

    def give(self, session: Stepping) -> None:
        """Put a session, which has its own instance, to this start."""
        session.instance.put(self.instance.memories)
        session.x[:] = self.x
        vars(session).update({name: copied(value) for name, value in self.attributes.items()})
