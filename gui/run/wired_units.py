"""Units of recorded signals as the window shows them: a signal without one has that of the port it is wired to."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...solver.analysis.analysis_units import unit_of
from ...solver.flatten.unit_flow import Element, UnitFlow
from ...solver.results.recorded_run import signal_of

if TYPE_CHECKING:
    from ...solver.flatten.flatten import Flat
    from ...solver.simulation.simulation import Simulation

PARTS = {".rate": "/s", ".acceleration": "/s^2"}  # of a trajectory
ELEMENT = re.compile(r"\[(\d+)\]$")


def wired_units(sim: Simulation) -> dict[str, str]:
    """Units by column of a run; a controller's effort in newtons where it drives a cylinder."""
    flat = sim.program.flat
    known, named = element_units(flat), {**flat.exposed, **flat.outputs}

    def of_port(name: str) -> str:
        signal, element = signal_of(name), ELEMENT.search(name)
        for part, over in PARTS.items():
            if signal.endswith(part):
                own = of_port(name.replace(part, ""))
                return own + over if own else ""
        block, _, port = str(named.get(signal, signal)).rpartition(".")
        k = int(element[1]) if element else 0
        picked = flat.output_elements.get(signal, ())
        return known.get((block, port, picked[k] if picked else k), "")

    return {name: unit or of_port(name) for name, unit in sim.units.items()}


def units_of_names(sim: Simulation) -> Callable[[str], str]:
    """Units of signals, states and numbers by their names, also where only the wires tell them."""
    wired, scope = wired_units(sim), sim.diagram.scope()
    return lambda name: wired.get(name) or unit_of(sim, scope, name)


def element_units(flat: Flat) -> dict[Element, str]:
    """Units of elements of ports, as far as they are declared or wires and the laws of blocks tell."""
    joined = (
        ((wire.source.block, wire.source.port, i), (wire.target.block, wire.target.port, j))
        for wire in flat.wires
        for i, j in zip(wire.source_elements, wire.target_elements, strict=False)
    )
    return {
        element: known.unit for element, known in UnitFlow(flat.blocks, flat.widths, joined).known.items()
    }
