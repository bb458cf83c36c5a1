"""Hidden blocks in wires, through which an analysis adds something to a signal: y = u + value."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ...blocks import Block, LuffError
from ...blocks.errors import Problem, did_you_mean
from ...blocks.netlist_inputs import NAME as INPUTS
from ...blocks.netlist_inputs import Inputs
from ...blocks.params import Param
from ...blocks.ports import ANY, TRAJECTORY, In, Out, Port
from ...blocks.signal_params import PerElement
from .flatten import Flat, PortRef, Wire

PARTS = ("", ".rate", ".acceleration")


class SignalProbe(Block, abstract=True):
    """A signal with something added: y = u + value."""

    u, y = In(ANY, default=0.0), Out(ANY)
    value = PerElement(0.0, doc="what is added")
    default: float | None = 0.0

    def ports(self) -> dict[str, Port]:
        return {"u": In(ANY, default=self.default).named("u"), "y": Out(ANY).named("y")}

    def out(u, value):
        return u + value


class TrajectoryProbe(Block, abstract=True):
    """A trajectory with something added to each of its three parts."""

    u, y = In(ANY, kind=TRAJECTORY), Out(ANY, kind=TRAJECTORY)
    value = PerElement(0.0, doc="what is added to the value")
    rate = PerElement(0.0, doc="what is added to the rate")
    acceleration = PerElement(0.0, doc="what is added to the acceleration")

    def out(u, value, rate, acceleration):
        return u[0] + value, u[1] + rate, u[2] + acceleration


class SignalGain(Block, abstract=True):
    """A signal whose changes are multiplied: y = around + factor (u - around)."""

    u, y = In(), Out()
    factor = Param(1.0, doc="by which a change of the signal is multiplied")
    around = Param(0.0, doc="signal that passes as it is")

    def out(u, factor, around):
        return around + factor * (u - around)


@dataclass(frozen=True)
class PerturbedScalar:
    """Scalar that is perturbed: its name, the parameter that does it, and the column that shows its value."""

    name: str
    param: str
    column: str


@dataclass(frozen=True)
class SignalPart:
    """Port, part and elements that a name such as `pd.target.rate[1]` stands for."""

    block: str
    port: str
    part: int
    elements: tuple[int, ...]


def has_outputs_alone(ports: Iterable[Port]) -> bool:
    """True for the ports of a source."""
    return all(port.direction == "out" and not port.acausal for port in ports)


def causal_ports(flat: Flat) -> dict[str, tuple[str, str, int]]:
    """Names that may be perturbed, without indices: block, port and part of each."""
    ports = {}
    for name, block in flat.blocks.items():
        for port_name, port in block.ports().items():
            if not port.acausal:
                for part in range(3 if port.kind == TRAJECTORY else 1):
                    ports[f"{name}.{port_name}{PARTS[part]}"] = (name, port_name, part)
    for name, ref in flat.exposed.items():
        for end in PARTS:
            if f"{ref}{end}" in ports:
                ports[name + end] = ports[f"{ref}{end}"]
    inputs = flat.blocks.get(INPUTS)
    if isinstance(inputs, Inputs):  # by the name that the netlist gives them
        ports |= {name: (INPUTS, name, 0) for name in inputs.entries}
    return ports


def find_signal_part(flat: Flat, name: str) -> SignalPart:
    known = causal_ports(flat)
    match = re.fullmatch(r"(.*?)(?:\[(\d+)\])?", name)
    base, index = match.groups() if match else (name, None)
    if base not in known:
        fix = did_you_mean(base, known)
        raise LuffError(Problem("there is no such signal to use as an input", name, fix))
    block, port_name, part = known[base]
    port = flat.blocks[block].ports()[port_name]
    width = flat.widths.get((block, port_name), port.width) or 1
    if index is None:
        return SignalPart(block, port_name, part, tuple(range(width)))
    element = int(index)
    if not 0 <= element < width:
        raise LuffError(Problem(f"found element {index}, expected 0 to {width - 1}", name))
    return SignalPart(block, port_name, part, (element,))


def with_probes(flat: Flat, names: Sequence[str]) -> tuple[Flat, list[PerturbedScalar]]:
    """A copy of the netlist with a probe before each named input port, and behind each named output port."""
    blocks, wires, widths = dict(flat.blocks), list(flat.wires), dict(flat.widths)
    made: dict[tuple[str, str], str] = {}
    taps: list[PerturbedScalar] = []
    for name in names:
        place = find_signal_part(flat, name)
        port = flat.blocks[place.block].ports()[place.port]
        width = flat.widths.get((place.block, place.port), port.width) or 1
        key = (place.block, place.port)
        if key not in made:
            probe = made[key] = f"@{place.block}.{place.port}"
            blocks[probe] = make_probe(probe, port, width)
            widths[probe, "u"] = widths[probe, "y"] = width
            wires = wires_through_probe(wires, key, probe, port, width)
        param = f"{made[key]}.{('value', 'rate', 'acceleration')[place.part]}"
        index = [f"[{element}]" if width > 1 else "" for element in place.elements]
        base = re.sub(r"\[\d+\]$", "", name)
        for element, shown in zip(place.elements, index, strict=True):
            inner = f"[{element}]" if width > 1 else ""
            taps.append(
                PerturbedScalar(base + shown, param + inner, f"{made[key]}.y{PARTS[place.part]}{inner}")
            )
    twice = [tap.name for k, tap in enumerate(taps) if tap in taps[:k]]
    if twice:
        raise LuffError(Problem("this input is named twice", twice[0], "name it once"))
    return replace(flat, blocks=blocks, wires=wires, widths=widths), taps


def with_block(flat: Flat, name: str, block: Block) -> Flat:
    """A copy with this block of one input and one output in the wire at a scalar port, or at one element of a port."""
    place = find_signal_part(flat, name)
    port = flat.blocks[place.block].ports()[place.port]
    if len(place.elements) != 1 or port.kind == TRAJECTORY:
        raise LuffError(Problem("found a vector or a trajectory, expected a single signal", name))
    widths = {**flat.widths, (block.name, "u"): 1, (block.name, "y"): 1}
    wires = wires_through_block(flat.wires, place, block.name, port)
    return replace(flat, blocks={**flat.blocks, block.name: block}, wires=wires, widths=widths)


def make_probe(name: str, port: Port, width: int) -> Block:
    zeros = (0.0,) * width if width > 1 else 0.0
    if port.kind == TRAJECTORY:
        return TrajectoryProbe(name, dict.fromkeys(("value", "rate", "acceleration"), zeros))
    probe = SignalProbe(name, {"value": zeros})
    if port.direction == "in":
        probe.default = port.default
    return probe


def wires_through_probe(
    wires: list[Wire], key: tuple[str, str], probe: str, port: Port, width: int
) -> list[Wire]:
    """The wires, led through the probe."""
    whole = tuple(range(width))
    here = PortRef(*key)
    if port.direction == "in":
        spliced = [replace(w, target=PortRef(probe, "u")) if w.target == here else w for w in wires]
        return [*spliced, Wire(PortRef(probe, "y"), whole, here, whole, port.kind)]
    spliced = [replace(w, source=PortRef(probe, "y")) if w.source == here else w for w in wires]
    return [*spliced, Wire(here, whole, PortRef(probe, "u"), whole, port.kind)]


def wires_through_block(wires: Sequence[Wire], place: SignalPart, block: str, port: Port) -> list[Wire]:
    """Wires with one element of a port led through a block of one input u and one output y."""
    here, element = PortRef(place.block, place.port), place.elements[0]
    incoming = port.direction == "in"
    made: list[Wire] = []
    for wire in wires:
        if here != (wire.target if incoming else wire.source):
            made.append(wire)
            continue
        pairs = list(zip(wire.source_elements, wire.target_elements, strict=True))
        led = [pair for pair in pairs if pair[1 if incoming else 0] == element]
        for some, through in (([pair for pair in pairs if pair not in led], False), (led, True)):
            if not some:
                continue
            sources, targets = (tuple(elements) for elements in zip(*some, strict=True))
            one = replace(wire, source_elements=sources, target_elements=targets)
            if through and incoming:
                one = replace(one, target=PortRef(block, "u"), target_elements=(0,))
            elif through:
                one = replace(one, source=PortRef(block, "y"), source_elements=(0,) * len(some))
            made.append(one)
    if incoming:
        return [*made, Wire(PortRef(block, "y"), (0,), here, (element,), port.kind)]
    return [*made, Wire(here, (element,), PortRef(block, "u"), (0,), port.kind)]


def with_same_partition(flat: Flat, dependent: tuple[str, ...]) -> Flat:
    """A copy whose constraints are solved for the same coordinates, whatever its wires suggest."""
    if not dependent:
        return flat
    simulation = copy.copy(flat.simulation)
    simulation.constraints = copy.copy(simulation.constraints)
    simulation.constraints.dependent = dependent
    return replace(flat, simulation=simulation)
