"""Units of recorded signals as the window shows them: a signal without one has that of the port it is wired to."""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING

from ...blocks.text.quantity import unit as parsed
from ...solver.results.recorded_run import signal_of

if TYPE_CHECKING:
    from ...solver.flatten.flatten import Flat
    from ...solver.simulation.simulation import Simulation

Element = tuple[str, str, int]  # block, port and element
ALIKE = {"measured": "target", "effort": "feedforward"}  # ports of a controller whose elements have one unit
PARTS = {".rate": "/s", ".acceleration": "/s^2"}  # of a trajectory
SAME = {
    "sum",
    "saturation",
    "dead_zone",
    "quantizer",
    "switch",
    "delay",
    "unit_delay",
    "rate_limit",
    "zero_order_hold",
}  # whose output has the unit of its inputs
OVER = {"integrator": "*s", "derivative": "/s"}  # from the unit of `u` to that of `y`
# names of their products
SHORT = ("rad", "rad/s", "rad/s^2", "m", "m/s", "m/s^2", "J", "kg", "N", "m^3", "m^3/s")
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


def element_units(flat: Flat) -> dict[Element, str]:
    """Units of elements of ports that declare none, as far as wires tell, and a controller's target by what it
    measures, its feedforward by its effort."""
    known: dict[Element, str] = {}
    declared = {
        (name, key): port.unit for name, block in flat.blocks.items() for key, port in block.ports().items()
    }

    links: dict[Element, list[Element]] = {}
    for wire in flat.wires:
        for i, j in zip(wire.source_elements, wire.target_elements, strict=False):
            ends = (wire.source.block, wire.source.port, i), (wire.target.block, wire.target.port, j)
            for here, there in (ends, ends[::-1]):
                links.setdefault(here, []).append(there)
    waiting: deque[tuple[Element, str]] = deque()

    def take(element: Element, unit: str) -> None:
        if unit and element not in known and declared.get(element[:2]) is None:
            known[element] = unit
            waiting.append((element, unit))

    for here, others in links.items():
        for other in others:
            take(other, declared.get(here[:2]) or "")
    while waiting:  # units of wires are those of more outputs, and these of more wires
        here, unit = waiting.popleft()
        for other in links.get(here, ()):
            take(other, unit)
        block, port, k = here
        computed = computed_unit(flat.blocks[block].type_name, port, unit)
        for key, follows in ((ALIKE.get(port, ""), unit), ("y", computed)):
            if (block, key) in declared:
                take((block, key, k), follows)
    return known


def computed_unit(type_name: str, port: str, unit: str) -> str:
    """Unit of the output `y` that follows from that of one input; empty where it does not."""
    if type_name in SAME:
        return unit if port.startswith("u") else ""
    if type_name not in OVER or port != "u":
        return ""
    made = f"({unit}){OVER[type_name]}"
    return next((short for short in SHORT if parsed(short) == parsed(made)), made.replace(f"({unit})", unit))
