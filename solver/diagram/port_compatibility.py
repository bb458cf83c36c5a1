"""Compatibility of two ports: the one check, with one message, for canvas and netlist."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from ...blocks.errors import ConnectError, Problem, Suggestion
from ...blocks.ports import ANY, FRAME, HYDRAULIC, SHAFT, SIGNAL, TRAJECTORY, Port
from ...blocks.text.quantity import compatible, unit
from ..netlist.wire_syntax import ACAUSAL, CAUSAL, End, WireText

_WORDS = {
    FRAME: "a frame",
    HYDRAULIC: "a hydraulic port",
    SHAFT: "a shaft",
    SIGNAL: "a signal",
    TRAJECTORY: "a trajectory",
}


def wire_sign(port: Port) -> str:
    """The sign that joins ports of this kind."""
    return ACAUSAL if port.acausal else CAUSAL


def described(port: Port) -> str:
    return _WORDS[port.kind] + ("" if port.acausal else f" {port.direction}put")


def check_pair(a: End, sign: str, b: End, port_a: Port, port_b: Port) -> None:
    """Raise ConnectError unless the two ports fit; widths that still depend on wires are left for later."""
    problem = (
        _kinds(a, b, port_a, port_b) or _sign(a, sign, b, port_a) or _picks(a, port_a) or _picks(b, port_b)
    )
    if problem is None and not port_a.acausal:
        problem = (
            _directions(a, b, port_a, port_b) or _units(a, b, port_a, port_b) or _widths(a, b, port_a, port_b)
        )
    if problem is None and (a.block, a.port) == (b.block, b.port):
        problem = Problem("is wired to itself", str(a), "wire it to another port")
    if problem is not None:
        raise ConnectError(problem)


def check_wire(
    ends: tuple[End, End],
    ports: tuple[Port, Port],
    wires_at: Callable[[End], Iterable[tuple[str, WireText]]],
    ports_of: Callable[[str], Mapping[str, Port]],
) -> None:
    """Raise ConnectError unless two ports, in either order, fit and may have a further wire beside those at the
    target; `ports_of` gives those of a block."""
    (source, target), (port, other) = ends, ports
    if (port.direction, other.direction) == ("in", "out"):
        source, target, port, other = target, source, other, port
    try:
        check_pair(source, wire_sign(port), target, port, other)
    except ConnectError as error:
        raise ConnectError(
            [with_rates(source, port, other, ports_of, one) for one in error.problems]
        ) from None
    for text, wire in wires_at(target):
        _check_taken(text, wire, source, target, other)


def _check_taken(text: str, wire: WireText, source: End, target: End, port: Port) -> None:
    """Refuse a wire that is there already, or a second one into an input."""
    if port.acausal:
        if {str(source), str(target)} == {str(wire.a), str(wire.b)}:
            raise ConnectError(Problem(f"is wired to {source} already", str(target)))
    elif str(wire.b) == str(target):
        taken, wanted = wire.b.elements, target.elements
        if taken is None or wanted is None or set(taken) & set(wanted):
            fix = f"remove the connection {text}, or add the signals with a sum block"
            raise ConnectError(Problem(f"has a wire already: {text}", str(target), fix))


def _kinds(a: End, b: End, port_a: Port, port_b: Port) -> Problem | None:
    if port_a.kind == port_b.kind:
        return None
    fix = ""
    kinds = {port_a.kind, port_b.kind}
    if kinds == {SIGNAL, TRAJECTORY}:
        reader = port_b if port_b.direction == "in" else port_a
        if reader.kind == TRAJECTORY:
            fix = "a trajectory also carries rate and acceleration: take it from motion_law, path or make_trajectory"
        else:
            fix = "split_trajectory gives the value, rate and acceleration; mux, demux and switch take kind: trajectory"
    elif kinds == {FRAME, SHAFT}:
        fix = "a revolute joint between two frames has the port shaft; a rack leads to a prismatic one"
    elif SHAFT in kinds:
        fix = "shafts are wired to shafts; torque_source and speed_source lead from signals to a shaft"
    elif FRAME in kinds:
        fix = "frames are wired to frames; use frame_sensor to measure, applied_force to act"
    message = f"is {described(port_b)} and cannot be wired to {a}, {described(port_a)}"
    return Problem(message, str(b), fix)


def with_rates(
    a: End, port_a: Port, port_b: Port, ports_of: Callable[[str], Mapping[str, Port]], problem: Problem
) -> Problem:
    """Problem of a signal that is wired where a trajectory is read, with the one that its block gives beside it."""
    if (port_a.kind, port_b.kind, port_a.direction) != (SIGNAL, TRAJECTORY, "out"):
        return problem
    beside = ports_of(a.block).items()
    given = [name for name, port in beside if (port.kind, port.direction) == (TRAJECTORY, "out")]
    if len(given) != 1:
        return problem
    near = f"{a.block}.{given[0]}"
    words = f"take {near}, which also carries rate and acceleration"
    return replace(problem, fix=Suggestion(str(a), near, False, words))


def _sign(a: End, sign: str, b: End, port: Port) -> Problem | None:
    right = wire_sign(port)
    if sign == right:
        return None
    return Problem(
        f"is {_WORDS[port.kind]}: found {sign} to {b}, expected {right}",
        str(a),
        f"write {a} {right} {b}",
    )


def _directions(a: End, b: End, port_a: Port, port_b: Port) -> Problem | None:
    if (port_a.direction, port_b.direction) == ("out", "in"):
        return None
    if (port_a.direction, port_b.direction) == ("in", "out"):
        message = f"is an input and {b} an output: the arrow points the wrong way"
        return Problem(message, str(a), f"write {b} -> {a}")
    return Problem(f"is an {port_b.direction}put like {a}: a wire leads from an output to an input", str(b))


def _picks(end: End, port: Port) -> Problem | None:
    if end.elements is None:
        return None
    if port.acausal:
        return Problem(f"is {_WORDS[port.kind]}, it has no elements", str(end), "remove the [ ]")
    last = port.width - 1
    if port.width != ANY and end.elements[-1] > last:
        message = f"has {_count(port.width)}: [{end.elements[-1]}] is beyond the last"
        return Problem(message, str(end), f"elements count from 0 to {last}")
    return None


def _units(a: End, b: End, port_a: Port, port_b: Port) -> Problem | None:
    if port_a.unit is None or port_b.unit is None:
        return None
    if compatible(unit(port_a.unit).dimension, unit(port_b.unit).dimension):
        return None
    shown = [port.unit or "a plain number" for port in (port_a, port_b)]
    message = f"takes {shown[1]}, {a} gives {shown[0]}"
    return Problem(message, str(b), "check what is wired, or convert with a gain block")


def _widths(a: End, b: End, port_a: Port, port_b: Port) -> Problem | None:
    wide = [
        port.width if end.elements is None else len(end.elements) for end, port in ((a, port_a), (b, port_b))
    ]
    return None if ANY in wide else width_problem(a, b, *wide)


def width_problem(a: End, b: End, wide_a: int, wide_b: int) -> Problem | None:
    """The mistake of joining different widths."""
    if wide_a == wide_b:
        return None
    message = f"takes {_count(wide_b)}, {a} gives {_count(wide_a)}"
    fix = f"pick elements, for example {a}[0], or use mux and demux"
    if wide_b == 1 and a.elements is None:
        fix = Suggestion(str(a), f"{a}[0]", False, fix)
    return Problem(message, str(b), fix)


def _count(width: int) -> str:
    return "1 element" if width == 1 else f"{width} elements"
