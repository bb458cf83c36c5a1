"""Fourth pass of the elaboration: inputs without a wire, frames that nothing holds, circuits without a giver."""

from __future__ import annotations

import contextlib
from dataclasses import replace

from ...blocks.errors import Addition, LuffError, OpenInput, Problem
from ...blocks.mechanics.bodies import World
from ...blocks.netlist_inputs import NAME as INPUTS
from ...blocks.netlist_inputs import OUTSIDE
from ...blocks.ports import FRAME, SIGNAL, Port
from ..netlist.wire_syntax import End, parse_end
from .circuit_nodes import circuit_problems
from .connect import resolve_end
from .connectivity import WORLD, Node, part_frames, unconnected_blocks
from .elaboration import CausalWire, Elaboration


def check_connections(made: Elaboration) -> None:
    """Check that inputs are driven once or have a default, and that circuits and frames are connected."""
    drivers = _drivers(made)
    exposed = set[tuple[str, str]]() if made.alone else _exposed(made)
    known = {name: block.ports() for name, block in made.blocks.items()} | made.top.certain_ports()
    for name, ports in known.items():
        for key, port in ports.items():
            left_open = port.direction != "in" or port.default is not None or (name, key) in exposed
            if not left_open and not made.diagnostics.suppresses_port(name, key):
                _check_driven(made, End(name, key), port, drivers.get((name, key), {}))
    _take_parts(made)
    if made.whole:
        for problem in circuit_problems(made.blocks, made.bonds, made.diagnostics.suppresses_port):
            made.report_at_block(problem)
        _check_frames(made)


def _drivers(made: Elaboration) -> dict[tuple[str, str], dict[int, CausalWire]]:
    """Wires of each input by its elements; an element that has two is told."""
    drivers: dict[tuple[str, str], dict[int, CausalWire]] = {}
    for wire in made.wires:
        end = wire.target
        elements = drivers.setdefault((end.block, end.port), {})
        for k in end.elements or range(made.width(end)):
            if k in elements:
                which = f" in its element {k}" if made.width(end) > 1 else ""
                message = f"is driven twice{which}: by {elements[k].source} and by {wire.source}"
                is_signal = made.blocks[end.block].ports()[end.port].kind == SIGNAL
                fix = Addition("add the signals with a sum block") if is_signal else "remove one of the wires"
                made.diagnostics.problems.append(Problem(message, str(end), fix, wire.mark))
                break
            elements[k] = wire
    return drivers


def _check_driven(made: Elaboration, end: End, port: Port, elements: dict[int, CausalWire]) -> None:
    width = made.width(end) if end.block in made.blocks else 1
    missing = [k for k in range(width) if k not in elements]
    if not missing:
        return
    which = (
        ""
        if len(missing) == width
        else f" to its element{'s' * (len(missing) > 1)} {', '.join(map(str, missing[:8]))}"
    )
    unit = f" in {port.unit}" if port.unit else ""
    message = f"missing wire: nothing is connected{which}, and this input has no default"
    # of an input of a netlist that is a block, that block is to be wired
    block = end.block.removesuffix(f".{INPUTS}") if end.port.endswith(OUTSIDE) else end.block
    here = f"{block}.{end.port.removesuffix(OUTSIDE)}"
    fix = OpenInput(here, f"{port.kind}{unit}")
    level, inner = made.top.holder_of(block)
    mark = level.mark(f"blocks.{inner}", key=True)
    made.diagnostics.problems.append(Problem(message, here, fix, mark, incomplete=True))


def _exposed(made: Elaboration) -> set[tuple[str, str]]:
    """Ports that the netlist's `ports:` leave to its user."""
    ports = set[tuple[str, str]]()
    for target in made.diagram.ports.values():
        with contextlib.suppress(LuffError):
            place = resolve_end(made.top, parse_end(str(target)))
            if place is not None:
                ports.add((place[1], place[2].name))
    return ports


def _take_parts(made: Elaboration) -> None:
    """Take the parts of the blocks without mistakes."""
    astray = made.top.names_with_unknown_references()
    for name, block in made.blocks.items():
        if name in astray:
            made.diagnostics.blocks.add(name)
            continue
        try:
            made.parts[name] = block.parts()
        except LuffError as error:
            made.diagnostics.blocks.add(name)
            for problem in error.problems:
                made.report_at_block(problem, name)


def _check_frames(made: Elaboration) -> None:
    """Check that each body and each end of a rope is connected."""
    bonds = [
        ((bond.a.block, bond.a.port), (bond.b.block, bond.b.port))
        for bond in made.bonds
        if bond.kind == FRAME
    ]
    frames: set[Node] = {node for bond in bonds for node in bond}
    frames |= {
        (name, frame) for name, own in made.parts.items() for part in own for frame in part_frames(part)
    }
    excused = [node for node in frames if made.diagnostics.suppresses_port(*node)]
    wired = {node for bond in bonds for node in bond}
    worlds = sorted(node for node in wired if isinstance(made.blocks.get(node[0]), World) and node != WORLD)
    names = {name for name, _ in worlds}  # what is missing is incomplete, a second world is wrong
    for problem in unconnected_blocks(made.parts, bonds, excused, worlds):
        made.report_at_block(replace(problem, incomplete=problem.path not in names))
