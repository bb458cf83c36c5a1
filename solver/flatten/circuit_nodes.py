"""Nodes of oil and of shafts: at each one port gives the pressure or the speed that all ports of the node share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol

from ...blocks import Block
from ...blocks.class_checks import words_of
from ...blocks.errors import Problem
from ...blocks.light_dataclass import record
from ...blocks.ports import HYDRAULIC, SHAFT

Port = tuple[str, str]  # block, port


class PortNamed(Protocol):
    @property
    def block(self) -> str: ...
    @property
    def port(self) -> str: ...


class CircuitWire(Protocol):
    """A wire between two ports of a circuit."""

    @property
    def a(self) -> PortNamed: ...
    @property
    def b(self) -> PortNamed: ...
    @property
    def kind(self) -> str: ...


@record
class CircuitWording:
    """Words for the mistakes of one kind of circuit."""

    shared: str  # what a node has once
    between: str  # what parts two that give it
    giver: str  # what a node without it needs
    port: str
    partners: str  # what an open port may be wired to


WORDS = {
    HYDRAULIC: CircuitWording(
        "pressure",
        "put an orifice between them",
        "insert a volume, whose oil gives the node its pressure",
        "hydraulic port",
        "a tank, a supply or a volume",
    ),
    SHAFT: CircuitWording(
        "speed",
        "put a shaft_spring, a gearbox or a clutch between them",
        "wire a shaft_inertia to it, whose speed is that of the node",
        "shaft",
        "a shaft_inertia, or the shaft of a joint",
    ),
}


def circuit_problems(
    blocks: Mapping[str, Block], bonds: Iterable[CircuitWire], excused: Callable[[str, str], bool]
) -> Iterator[Problem]:
    """Yield a problem for each wrong node, its port as path; a node with an `excused` port may miss a wire."""
    bonds = [*bonds]
    for kind, words in WORDS.items():
        for node in circuit_nodes(blocks, bonds, kind):
            giving, taking = givers_and_takers(blocks, node)
            problem = _fault(blocks, words, giving, taking)
            if problem is not None and (len(giving) > 1 or not any(excused(*port) for port in node)):
                yield problem


def givers_and_takers(blocks: Mapping[str, Block], node: list[Port]) -> tuple[list[Port], list[Port]]:
    """The ports of a node that give what it shares, and those that take it."""
    giving = [port for port in node if port[1] in blocks[port[0]].across_ports]
    return giving, [port for port in node if port not in giving]


def circuit_nodes(blocks: Mapping[str, Block], bonds: Iterable[CircuitWire], kind: str) -> list[list[Port]]:
    """Ports of a kind that are wired together, each node in the order of the blocks."""
    ports = [
        (name, port)
        for name, block in blocks.items()
        for port, declared in block.ports().items()
        if declared.kind == kind
    ]
    first: dict[Port, Port] = {port: port for port in ports}

    def find(port: Port) -> Port:
        while first[port] != port:
            port = first[port]
        return port

    for bond in bonds:
        if bond.kind == kind:
            first[find((bond.b.block, bond.b.port))] = find((bond.a.block, bond.a.port))
    together: dict[Port, list[Port]] = defaultdict(list)
    for port in ports:
        together[find(port)].append(port)
    return list(together.values())


def _fault(
    blocks: Mapping[str, Block], words: CircuitWording, giving: list[Port], taking: list[Port]
) -> Problem | None:
    """Problem of a node; None if it is right."""
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
        message = f"nothing gives the {words.shared} where it meets {others}"
        return Problem(message, where, words.giver, incomplete=True)
    if not _reads(blocks[taking[0][0]], taking[0][1]):
        return None
    fix = f"wire it to {words.partners}"
    return Problem(f"nothing is wired to this {words.port}", where, fix, incomplete=True)


def _reads(block: Block, port: str) -> bool:
    """True if the block reads the port and has no default for it."""
    read = any(port in words_of(f) for f in block.instance_functions().values())
    return read and block.ports()[port].default is None
