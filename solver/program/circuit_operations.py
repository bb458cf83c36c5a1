"""Oil circuits and shafts as scalars: at each node one port gives the common pressure or speed and takes the sum of the
flows or torques of all others.
"""

from __future__ import annotations

from ..flatten.circuit_nodes import WORDS, Port, circuit_nodes, givers_and_takers
from ..flatten.flatten import Flat
from .operations import TOTAL, Operation
from .scalar_places import Key, Scalars


def join_circuits(flat: Flat, scalars: Scalars) -> list[Operation]:
    """Connect every port of a circuit to its source; returns the operations that sum flows and torques."""
    operations: list[Operation] = []
    for kind in WORDS:
        for node in circuit_nodes(flat.blocks, flat.bonds, kind):
            giving, taking = givers_and_takers(flat.blocks, node)
            if giving:
                operations += _joined(flat, scalars, giving[0], taking)
    for name, block in flat.blocks.items():
        for port, source in block.internal_wires().items():
            for element in range(scalars.width(name, source)):
                scalars.source_of[name, port, element] = (name, source, element)
    return operations


def _joined(flat: Flat, scalars: Scalars, giver: Port, taking: list[Port]) -> list[Operation]:
    """Connect the ports of a node: all read the giver, which takes the negative sum of the others."""
    block, port = giver
    source, target = flat.blocks[block].stand_ins.get(port, (port, port))
    for name, reader in taking:
        scalars.source_of[name, reader, 0] = (block, source, 0)
    if target != port and not taking:
        return []
    added: list[Key] = [(*other, 0, 0) for other in taking]
    wired = scalars.source_of.get((block, target, 0))
    added += [(*wired, 0)] if wired is not None else []
    key: Key = (block, f"into {port}", 0, 0)
    scalars.source_of[block, target, 0] = key[:3]
    if not added:
        scalars.place[key] = scalars.constant(0.0)
        return []
    entries = (scalars.at(key), len(added), *(scalars.at(one) for one in added))
    return [Operation((key,), tuple(added), TOTAL, entries, label=f"{block}.{port}")]
