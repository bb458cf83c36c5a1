"""Units of recorded signals as the window shows them: a signal without one has that of the port it is wired to."""

from __future__ import annotations

import re
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
}
OVER = {"integrator": "*s", "derivative": "/s"}  # from the unit of `u` to that of `y`
SHORT = (
    "rad",
    "rad/s",
    "rad/s^2",
    "m",
    "m/s",
    "m/s^2",
    "J",
    "kg",
    "N",
    "m^3",
    "m^3/s",
)  # names of their products
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

    def unit_at(block: str, port: str, k: int) -> str | None:
        own = declared.get((block, port))
        return known.get((block, port, k)) if own is None else own

    before = -1
    while len(known) > before:  # units of wires are those of more outputs, and these of more wires
        before = len(known)
        for wire in flat.wires:
            for i, j in zip(wire.source_elements, wire.target_elements, strict=False):
                ends = (wire.source.block, wire.source.port, i), (wire.target.block, wire.target.port, j)
                for here, there in (ends, ends[::-1]):
                    unit = unit_at(*there)
                    if declared.get(here[:2]) is None and unit:
                        known.setdefault(here, unit)
        for (block, port, k), unit in list(known.items()):
            if declared.get((block, ALIKE.get(port, "")), "") is None:
                known.setdefault((block, ALIKE[port], k), unit)
            computed = computed_unit(flat.blocks[block].type_name, port, unit)
            if computed and declared.get((block, "y"), "") is None:
                known.setdefault((block, "y", k), computed)
    return known


def computed_unit(type_name: str, port: str, unit: str) -> str:
    """Unit of the output `y` that follows from that of one input; empty where it does not."""
    if type_name in SAME:
        return unit if port.startswith("u") else ""
    if type_name not in OVER or port != "u":
        return ""
    made = f"({unit}){OVER[type_name]}"
    return next((short for short in SHORT if parsed(short) == parsed(made)), made.replace(f"({unit})", unit))
