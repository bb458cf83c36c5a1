"""Inputs of an FMU: those that the netlist declares, and open inputs of blocks, each driven by a constant that the
importer sets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ...blocks.errors import LuffError, did_you_mean
from ...blocks.netlist_inputs import NAME, Inputs
from ...blocks.ports import ANY, SIGNAL
from ...blocks.signals.joystick import Operated
from ..flatten.diagram import Diagram
from ..flatten.flatten import Flat
from ..program.started_program import Started
from ..simulation.inputs_outputs import io_signals

BLOCK = "fmu_input_{}"


@dataclass
class Input:
    """Scalar input: its name outside, its place in a run, and the constant that stands there if it is a block's."""

    name: str
    unit: str
    default: float
    doc: str = ""
    block: str = ""
    place: tuple[str, int] = ("p", 0)


def declared_inputs(program: Started) -> list[Input]:
    """Inputs that `inputs:` of the netlist lists, element by element."""
    block = program.flat.blocks.get(NAME)
    if not isinstance(block, Inputs):
        return []
    signals, given = io_signals(program), program.sections.part(program.work_space, "mem")
    return [
        Input(
            name,
            signals.units[name],
            float(given[k]),
            block.free[name.partition("[")[0]].doc,
            place=("mem", k),
        )
        for k, name in enumerate(signals.inputs)
    ]


def not_exported(diagram: Diagram, flat: Flat) -> Iterator[str]:
    """Yield, in words, the parts of an operator's stand that an exported model lacks, and their replacements."""
    given = flat.blocks.get(NAME)
    free = given.free if isinstance(given, Inputs) else {}
    operated = [block for block in flat.blocks.values() if isinstance(block, Operated)]
    hands = [f"{block.name}_{port}" for block in operated for port in block.from_outside]
    if names := [name for name in hands if name in free]:
        yield f"no joystick is read there, and no drive is kept or replayed; inputs instead: {', '.join(names)}"
    if count := len(diagram.dashboard):
        items = (
            f"the {count} items of the dashboard stay" if count > 1 else "the one item of the dashboard stays"
        )
        yield f"{items} in luff: there, inputs and parameters move the model"


@contextmanager
def with_inputs(diagram: Diagram, names: Sequence[str]) -> Iterator[list[Input]]:
    """The diagram with a constant at each of these ports; as it was afterwards."""
    added: list[Input] = []
    try:
        for name in dict.fromkeys(names):
            one = _input(diagram, name, BLOCK.format(len(added)))
            diagram.add_block(one.block, {"type": "constant", "value": one.default, "unit": one.unit or "1"})
            added.append(one)
            diagram.connect(f"{one.block}.y", name)
        yield added
    finally:
        for one in added:  # with its wire
            diagram.remove_block(one.block)


def _input(diagram: Diagram, name: str, block: str) -> Input:
    owner, _, port_name = name.rpartition(".")
    if owner not in diagram.blocks:
        fix = did_you_mean(owner, diagram.blocks)
        raise LuffError(f'there is no block "{owner}"', path=f"--input {name}", fix=fix)
    ports = {
        key: port
        for key, port in diagram.block_ports(owner).items()
        if port.direction == "in" and port.kind == SIGNAL
    }
    port = ports.get(port_name)
    if port is None:
        fix = did_you_mean(port_name, ports, listed=True) if ports else "it has none"
        raise LuffError(f'{owner} has no signal input "{port_name}"', path=f"--input {name}", fix=fix)
    if port.width not in (1, ANY):
        raise LuffError("this input has several elements", path=f"--input {name}", fix="name a scalar input")
    for wire in diagram.connections:
        if wire.replace(" ", "").endswith(f"->{name}"):
            raise LuffError("this input is wired already", path=f"--input {name}", fix="take the wire away")
    return Input(name, port.unit or "", float(port.default or 0.0), port.doc, block)
