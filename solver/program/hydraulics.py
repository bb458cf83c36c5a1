"""From hydraulic connections to scalars: at each node one port gives the pressure, and takes the sum of the flows."""

from __future__ import annotations

import inspect
from collections import defaultdict

from ...blocks import Block, CompileError
from ...blocks.errors import Problem
from ...blocks.ports import HYDRAULIC
from ..flat.flatten import Flat
from ..table.operations import TOTAL, Operation
from .scalars import Key, Scalars

Port = tuple[str, str]  # block, port


def join_circuit(flat: Flat, scalars: Scalars) -> list[Operation]:
    """Tell every hydraulic port what it reads; returns the operations that add up flows."""
    problems: list[Problem] = []
    operations: list[Operation] = []
    for node in nodes(flat):
        giving = [port for port in node if port[1] in pressure_ports(flat.blocks[port[0]])]
        taking = [port for port in node if port not in giving]
        problem = _fault(flat, giving, taking)
        if problem is not None:
            problems.append(problem)
        elif giving:
            for block, port in taking:
                scalars.source_of[block, port, 0] = (*giving[0], 0)
            operations += _sum(scalars, giving[0], taking)
    if problems:
        raise CompileError(problems)
    for name, block in flat.blocks.items():
        for port, source in internal_wires(block).items():
            for element in range(scalars.width(name, source)):
                scalars.source_of[name, port, element] = (name, source, element)
    return operations


def pressure_ports(block: Block) -> tuple[str, ...]:
    return getattr(block, "pressure_ports", ())


def internal_wires(block: Block) -> dict[str, str]:
    """Inputs of a block that its own outputs feed."""
    return getattr(block, "internal_wires", dict)()


def nodes(flat: Flat) -> list[list[Port]]:
    """Hydraulic ports that are wired together, each node in the order of the blocks."""
    ports = [
        (name, port) for name, block in flat.blocks.items() for port, kind in block.ports().items()
        if kind.kind == HYDRAULIC
    ]  # fmt: skip
    first: dict[Port, Port] = {port: port for port in ports}

    def find(port: Port) -> Port:
        while first[port] != port:
            port = first[port]
        return port

    for bond in flat.bonds:
        if bond.kind == HYDRAULIC:
            first[find((bond.b.block, bond.b.port))] = find((bond.a.block, bond.a.port))
    found: dict[Port, list[Port]] = defaultdict(list)
    for port in ports:
        found[find(port)].append(port)
    return list(found.values())


def _fault(flat: Flat, giving: list[Port], taking: list[Port]) -> Problem | None:
    """What is wrong with a node."""
    if len(giving) > 1:
        first, second = (".".join(port) for port in giving[:2])
        fix = "put an orifice between them"
        return Problem(f"{first} and {second} both give the pressure of one node", second, fix)
    if giving:
        return None
    where = ".".join(taking[0])
    if len(taking) > 1:
        others = ", ".join(".".join(port) for port in taking[1:])
        fix = "insert a volume, whose oil gives the node its pressure"
        return Problem(f"nothing gives the pressure where it meets {others}", where, fix)
    if not _reads(flat.blocks[taking[0][0]], taking[0][1]):
        return None
    return Problem(
        "nothing is wired to this hydraulic port", where, "wire it to a tank, a supply or a volume"
    )


def _reads(block: Block, port: str) -> bool:
    return any(port in inspect.signature(f).parameters for f in block.instance_functions().values())


def _sum(scalars: Scalars, port: Port, taking: list[Port]) -> list[Operation]:
    """The flow into a port is what all others let out."""
    block, name = port
    flows: list[Key] = [(*other, 0, 0) for other in taking]
    key: Key = (block, f"flow into {name}", 0, 0)
    scalars.source_of[block, name, 0] = key[:3]
    if not flows:
        scalars.place[key] = scalars.constant(0.0)
        return []
    entries = (scalars.at(key), len(flows), *(scalars.at(flow) for flow in flows))
    return [Operation((key,), tuple(flows), TOTAL, entries, label=f"{block}.{name}")]
