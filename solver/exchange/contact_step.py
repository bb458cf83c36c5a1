"""Step of an imported model whose shapes touch: at most that at which RK4 is stable while bodies rest."""

from __future__ import annotations

import math
from pathlib import Path

from ...blocks.errors import LuffError
from ..analysis.touch_advice import touch_advice
from ..diagnostics.step_error import round_to_125
from ..flatten.diagram import Diagram
from ..simulation.simulation import Simulation


def contact_step(text: str, folder: Path, step: float) -> float:
    """Longest step up to `step` at which RK4 is stable in light contact, a round number if shorter [s].

    That of the source stays where the netlist takes another method, or does not compile yet.
    """
    try:
        sim = Simulation(Diagram.from_yaml(text, base=folder))
    except LuffError:
        return step
    if sim.settings.method != "rk4":
        return step
    longest = min((advice.light_step for advice in touch_advice(sim).values()), default=math.inf)
    return round_to_125(longest) if longest < step else step
