"""Units of what analyses tell of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...blocks.scope import Scope
from ...blocks.text.quantity import spelled

if TYPE_CHECKING:
    from ..run.simulation import Simulation


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


def per(unit: str, other: str) -> str:
    """A unit over another one."""
    if not other:
        return unit
    return f"{unit or '1'}/{f'({other})' if set(other) & set('*/ ') else other}"
