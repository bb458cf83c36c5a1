"""Units in which analyses report on a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...blocks.expression_scope import Scope
from ...blocks.text.quantity import spelled, written_unit
from ..results.display_unit import display_unit

if TYPE_CHECKING:
    from ..simulation.simulation import Simulation


Shown = Callable[
    [str], tuple[str, float]
]  # the unit in which a name is told, and how many of it one in SI is


def display_unit_of(sim: Simulation) -> Shown:
    """Units in which the netlist shows signals and numbers: those of a plot or of the number's text, else SI."""
    scope = sim.diagram.scope()

    def shown(name: str) -> tuple[str, float]:
        return display_unit(unit_of(sim, scope, name), declared_unit(sim, name))

    return shown


def declared_unit(sim: Simulation, name: str) -> str:
    """The unit in which a plot shows a signal, or in which the netlist gives a number; none where it says none."""
    for entry in sim.program.flat.plots:
        unit = entry.get("unit")
        if unit and {name, name.partition("[")[0]} & {*entry["y"]}:
            return unit
    parameters = sim.diagram.parameters
    raw: object = sim.overrides.get(name) or parameters.get(name) or sim.diagram.value(name)
    if isinstance(raw, str) and raw.startswith("="):
        raw = parameters.get(raw[1:].strip())
    return written_unit(raw) if isinstance(raw, str) else ""


def unit_of(sim: Simulation, scope: Scope, name: str) -> str:
    """The SI unit of a parameter of the netlist, of a state or signal, or of a block's number; none is one."""
    if name in scope.parameters:
        dimension = scope.quantity(f"={name}").dimension
        return "" if dimension is None else spelled(dimension)
    if name in sim.units:
        return sim.units[name]
    block, _, key = name.partition("[")[0].rpartition(".")
    blocks = sim.program.flat.blocks
    if block in blocks and key in blocks[block].params:
        return str(getattr(blocks[block].params[key], "unit", ""))
    port = blocks[block].ports().get(key) if block in blocks else None
    if port is not None:
        return port.unit or sim.program.flat.units.get((block, key), "")
    return sim.units.get(f"{block}.{key}", "")


def unit_ratio(unit: str, other: str) -> str:
    """A unit over another one."""
    if not other:
        return unit
    return f"{unit or '1'}/{f'({other})' if set(other) & set('*/ ') else other}"
