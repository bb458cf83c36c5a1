"""From circuits of oil and of shafts to scalars: at each node one port gives the pressure or the speed that all ports
of the node share, and takes the sum of the flows or the torques that the others give.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from dataclasses import dataclass

from ...blocks import Block, CompileError
from ...blocks.errors import Problem
from ...blocks.ports import HYDRAULIC, SHAFT
from ..flat.flatten import Flat
from ..table.operations import TOTAL, Operation
from .scalars import Key, Scalars

Port = tuple[str, str]  # block, port


@dataclass(frozen=True)
class Words:
    """How the mistakes of one kind of circuit are told."""

    shared: str  # what a node has once
    between: str  # what parts two that give it
    giver: str  # what a node without it needs
    port: str
    partners: str  # what an open port may be wired to


WORDS = {
    HYDRAULIC: Words(
        "pressure",
        "put an orifice between them",
        "insert a volume, whose oil gives the node its pressure",
        "hydraulic port",
        "a tank, a supply or a volume",
    ),
    SHAFT: Words(
        "speed",
        "put a shaft_spring, a gearbox or a clutch between them",
        "wire a shaft_inertia to it, whose speed is that of the node",
        "shaft",
        "a shaft_inertia, or the shaft of a joint",
    ),
}


def join_circuits(flat: Flat, scalars: Scalars) -> list[Operation]:
    """Tell every port of a circuit what it reads; returns the operations that add up flows and torques."""
    problems: list[Problem] = []
    operations: list[Operation] = []
    for kind, words in WORDS.items():
        for node in nodes(flat, kind):
            giving = [port for port in node if port[1] in flat.blocks[port[0]].across_ports]
            taking = [port for port in node if port not in giving]
            problem = _fault(flat, words, giving, taking)
            if problem is not None:
                problems.append(problem)
            elif giving:
                operations += _joined(flat, scalars, giving[0], taking)
    if problems:
        raise CompileError(problems)
    for name, block in flat.blocks.items():
        for port, source in block.internal_wires().items():
            for element in range(scalars.width(name, source)):
                scalars.source_of[name, port, element] = (name, source, element)
    return operations


def nodes(flat: Flat, kind: str) -> list[list[Port]]:
    """Ports of a kind that are wired together, each node in the order of the blocks."""
    ports = [
        (name, port)
        for name, block in flat.blocks.items()
        for port, found in block.ports().items()
        if found.kind == kind
    ]
    first: dict[Port, Port] = {port: port for port in ports}

    def find(port: Port) -> Port:
        while first[port] != port:
            port = first[port]
        return port

    for bond in flat.bonds:
        if bond.kind == kind:
            first[find((bond.b.block, bond.b.port))] = find((bond.a.block, bond.a.port))
    found: dict[Port, list[Port]] = defaultdict(list)
    for port in ports:
        found[find(port)].append(port)
    return list(found.values())


def _fault(flat: Flat, words: Words, giving: list[Port], taking: list[Port]) -> Problem | None:
    """What is wrong with a node."""
    if len(giving) > 1:
        first, second = (".".join(port) for port in giving[:2])
        return Problem(
            f"{first} and {second} both give the {words.shared} of one node", second, words.between
        )
    if giving:
        return None
    where = ".".join(taking[0])
    if len(taking) > 1:
        others = ", ".join(".".join(port) for port in taking[1:])
        return Problem(f"nothing gives the {words.shared} where it meets {others}", where, words.giver)
    if not _reads(flat.blocks[taking[0][0]], taking[0][1]):
        return None
    return Problem(f"nothing is wired to this {words.port}", where, f"wire it to {words.partners}")


def _reads(block: Block, port: str) -> bool:
    """Whether a port means anything to its block while nothing is wired to it."""
    read = any(port in inspect.signature(f).parameters for f in block.instance_functions().values())
    return read and block.ports()[port].default is None


def _joined(flat: Flat, scalars: Scalars, giver: Port, taking: list[Port]) -> list[Operation]:
    """All read what the giver gives; what flows into it, or turns it, is what all others let out."""
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
