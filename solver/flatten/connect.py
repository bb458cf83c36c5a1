"""Second pass of the elaboration: wires of all levels, from leaf to leaf.

Ends of wires and entries of `ports:` and `outputs:` are resolved through the nesting. A wire that cannot be followed
may be what its blocks lack: nothing more is told of these.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import NoReturn

from ...blocks.errors import ConnectError, LuffError, Mark, Problem, Suggestion, did_you_mean
from ...blocks.netlist_inputs import NAME as INPUTS
from ...blocks.netlist_inputs import OUTSIDE
from ...blocks.ports import SIGNAL, TRAJECTORY, Port
from ...blocks.text.did_you_mean import KnownWords
from ..diagram import enabled
from ..diagram.implicit_inputs import operated_ports
from ..diagram.port_compatibility import check_pair, wire_sign, with_rates
from ..netlist.section_structure import section
from ..netlist.wire_syntax import End, WireText, parse_end, parse_wire, with_sign
from .elaboration import CausalWire, Elaboration, LeafBond
from .hierarchy import HierarchyLevel

DIGITS = "0123456789"
Place = tuple[
    HierarchyLevel, str, Port
]  # the level, the full name of the block (empty if that is wrong), and the port


def connect(made: Elaboration) -> None:
    """Follow the wires of all levels, and those that inputs of the netlist stand for."""
    _connect_level(made, made.top)
    for name in made.diagram.feeds:
        table = name + OUTSIDE
        if table in made.blocks:
            made.wires.append(CausalWire(End(table, "y"), End(INPUTS, table), SIGNAL, None))
    if INPUTS in made.blocks:
        for name, end in operated_ports(made.diagram.data).items():  # ports that inputs feed without a wire
            if end.block in made.blocks:
                made.wires.append(CausalWire(End(INPUTS, name), end, SIGNAL, None))
            else:
                made.diagnostics.ports.add((end.block, end.port))
    _check_exposed_ports(made.top)


def _connect_level(made: Elaboration, level: HierarchyLevel) -> None:
    seen: dict[tuple[str, str], int] = {}
    for k, text in enumerate(section(level.diagram.data, "connect", list)):
        if not isinstance(text, str):
            level.diagnostics.suppress_text(str(text), level.names, level.prefix)
            continue
        try:
            wire = parse_wire(text)
        except LuffError as error:
            level.diagnostics.suppress_text(text, level.names, level.prefix)
            _refuse(level, k, None, LuffError([_signed(level, text, one) for one in error.problems]))
            continue
        if {wire.a.block.partition(".")[0], wire.b.block.partition(".")[0]} & level.disabled:
            continue
        try:
            _connect(made, level, k, wire)
        except LuffError as error:
            _suppress_ends(level, wire)
            _refuse(level, k, wire, error)
        pair = (str(wire.a), str(wire.b)) if str(wire.a) < str(wire.b) else (str(wire.b), str(wire.a))
        if wire.sign == "--" and pair in seen:
            message = f"{wire.a} -- {wire.b} is here twice, the first time as connection {seen[pair] + 1}"
            place = f"connect[{k}]"
            level.report(Problem(message, place, "remove one", severity="warning", spare=place))
        seen.setdefault(pair, k)
    for inner in level.levels.values():
        _connect_level(made, inner)


def _refuse(level: HierarchyLevel, k: int, wire: WireText | None, error: LuffError) -> None:
    for problem in error.problems:
        end = wire.b if wire and problem.path == str(wire.b) else wire.a if wire else None
        problem = replace(problem.at(path=f"connect[{k}]"), spare=f"connect[{k}]")
        level.report(problem, _mark(level, k, end))


def _signed(level: HierarchyLevel, text: str, problem: Problem) -> Problem:
    """Problem of a wire without a right sign, with the one that its ends take."""
    with contextlib.suppress(LuffError):
        sign, wires = with_sign(text)
        for wire in wires:
            a, b = resolve_end(level, wire.a), resolve_end(level, wire.b)
            if a is not None and b is not None and wire.sign == wire_sign(a[2]):
                check_pair(wire.a, wire.sign, wire.b, a[2], b[2])
                return replace(problem, fix=Suggestion(sign, wire.sign, True, problem.fix))
    return problem


def _suppress_ends(level: HierarchyLevel, wire: WireText) -> None:
    """A wire that leads nowhere: whatever its two blocks need may be what it was to bring."""
    for end in (wire.a, wire.b):
        block = end.block.partition(".")[0]
        meant = block if block in level.names else level.known_blocks.near(block)
        if meant is None:
            level.diagnostics.everything = True
        else:
            level.diagnostics.blocks.add(level.prefix + meant)


def _mark(level: HierarchyLevel, k: int, end: End | None) -> Mark | None:
    return level.document and level.document.scalar_mark(f"connect[{k}]", end.column if end else 0)


def _connect(made: Elaboration, level: HierarchyLevel, k: int, wire: WireText) -> None:
    places, problems = [], []
    for end in (wire.a, wire.b):
        try:
            places.append(resolve_end(level, end, drives=end is wire.b and wire.sign == "->"))
        except LuffError as error:
            problems += error.problems
    if problems:
        raise ConnectError(problems)
    a, b = places
    if a is None or b is None:
        _suppress_ends(level, wire)
        return
    try:
        check_pair(wire.a, wire.sign, wire.b, a[2], b[2])
    except ConnectError as error:
        known = a[0].ports
        ports_of = lambda block: known.get(block, {})  # noqa: E731
        raise ConnectError(
            [with_rates(wire.a, a[2], b[2], ports_of, one) for one in error.problems]
        ) from None
    if not a[1] or not b[1]:  # a block with mistakes: its wires are checked, but lead nowhere
        for (_, name, port), end in ((a, wire.a), (b, wire.b)):
            made.diagnostics.ports.add((name or level.prefix + end.block, port.name or end.port))
        return
    ends = [End(name, port.name, end.elements) for (_, name, port), end in ((a, wire.a), (b, wire.b))]
    mark = _mark(level, k, None)
    if a[2].acausal:
        made.bonds.append(LeafBond(ends[0], ends[1], a[2].kind, mark))
    else:
        made.wires.append(CausalWire(ends[0], ends[1], a[2].kind, mark))


# ends within the nesting


def resolve_end(level: HierarchyLevel, end: End, drives: bool = False) -> Place | None:
    """The level, block and port that an end stands for; None if that block is wrong.

    Where a wire `drives` it, inputs that have a wire are not proposed in place of one that is not there.
    """
    block, port = end.block, end.port
    if "." in block:
        readable = _readable(level, block, port)
        if readable is not None:
            return readable
        block, port = _exposed(level, block, port)
    if block in level.wrong:
        known = level.wrong[block]
        if port not in known and block in level.certain:
            _no_port(end, str(level.diagram.blocks[block]["type"]), known, driven=_driven(level, end, drives))
        return (level, "", known[port]) if port in known else None
    if block == "world" and "world" not in level.leaves:
        if port != "frame":
            _no_port(end, "world", ["frame"])
        return level, "world", Port("frame", name="frame")
    if block in level.leaves:
        ports = level.ports[block]
        if port not in ports:
            leaf = level.leaves[block]
            _no_port(end, leaf.type_name, ports, leaf.class_ports, _driven(level, end, drives))
        return level, level.prefix + block, ports[port]
    if block in level.levels:
        return _through(level, end, block, port, drives)
    if block in level.disabled:
        raise LuffError(Problem(enabled.disabled_blocks(block), str(end), enabled.BACK))
    raise LuffError(
        Problem(f'there is no block "{block}"', str(end), did_you_mean(block, level.known_blocks))
    )


def _readable(level: HierarchyLevel, block: str, port: str) -> Place | None:
    """An output of a block at any depth: whoever reads it changes nothing inside."""
    *outer, leaf = block.split(".")
    for name in outer:
        if name not in level.levels:
            return None
        level = level.levels[name]
    wrong = leaf in level.wrong
    declared = (level.wrong if wrong else level.ports).get(leaf, {}).get(port)
    if declared is None or declared.acausal or declared.direction != "out":
        return None
    return level, "" if wrong else level.prefix + leaf, declared


def _exposed(level: HierarchyLevel, block: str, port: str) -> tuple[str, str]:
    """`outer.inner.port`, where outer lists it in its `ports:`."""
    outer, _, inner = block.partition(".")
    below = level.levels.get(outer)
    if below is None:
        return outer, port
    name = below.exposed_as.get(f"{inner}.{port}")
    if name is not None:
        return outer, name
    fix = f"add a line like `{port}: {inner}.{port}` to the `ports:` of {below.diagram.name or outer}"
    message = f"{block}.{port} lies inside a nested netlist, which does not list it in its ports"
    raise LuffError(Problem(message, f"{block}.{port}", fix))


def _through(level: HierarchyLevel, end: End, block: str, port: str, drives: bool) -> Place | None:
    inner = level.levels[block]
    ports = {**inner.diagram.ports, **inner.diagram.outputs}
    if port in inner.diagram.inputs:
        given = inner.ports.get(INPUTS)
        return (inner, inner.prefix + INPUTS, given[port + OUTSIDE]) if given else None
    if port not in ports:
        _no_port(end, level.types[block], inner.known_ports, driven=_driven(level, end, drives))
    try:
        return resolve_end(inner, parse_end(str(ports[port])))
    except LuffError:
        return None  # told where the inner netlist's ports are checked


def _driven(level: HierarchyLevel, end: End, drives: bool) -> Collection[str]:
    """Inputs of an end's block that take no further wire, for a wire that drives."""
    return level.driven.get(end.block, ()) if drives else ()


def _no_port(
    end: End,
    owner: str,
    known: Iterable[str] | KnownWords,
    hidden: Collection[str] = (),
    driven: Collection[str] = (),
) -> NoReturn:
    words = known.words if isinstance(known, KnownWords) else [*known]
    fix = did_you_mean(end.port, known) or "it has no ports"
    numbered = end.port[-1:].isdigit()
    if isinstance(fix, Suggestion) and (fix.near in driven or (fix.near[-1].isdigit() and not numbered)):
        # of ports that are only numbered the first, unless a number is asked for
        free = {p if numbered else p.rstrip(DIGITS): p for p in reversed(words) if p not in driven}
        near = did_you_mean(end.port, free.values())
        fix = near if isinstance(near, Suggestion) else f"{fix.near} has a wire already"
    if end.port in hidden:
        fix = f"{owner} only has it with other parameters, for example another `driven`"
    raise LuffError(Problem(f'{owner} {end.block} has no port "{end.port}"', str(end), fix))


def exposed_signals(level: HierarchyLevel) -> Iterator[tuple[str, str, str]]:
    """Name of each causal port of the composites below, `boom.tip`, with the block and port that it stands for."""
    for name, inner in level.levels.items():
        for port in {**inner.diagram.ports, **inner.diagram.outputs, **inner.diagram.inputs}:
            try:
                place = resolve_end(level, End(name, port))
            except LuffError:
                continue  # told where it is listed
            if place is not None and place[1] and not place[2].acausal:
                yield f"{level.prefix}{name}.{port}", place[1], place[2].name
        yield from exposed_signals(inner)


def _check_exposed_ports(level: HierarchyLevel) -> None:
    """Report every entry of `ports:` and `outputs:` that leads nowhere, here and inside."""
    listed = [("ports", *entry) for entry in level.diagram.ports.items()]
    listed += [("outputs", *entry) for entry in level.diagram.outputs.items()]
    for kind, name, target in listed:
        try:
            end = parse_end(str(target))
            if end.elements is not None and (kind == "ports" or level.prefix):
                fix = "remove the [ ]; a demux inside takes elements apart"
                raise LuffError(Problem(f"found {target}, expected a whole port", fix=fix))
            place = resolve_end(level, end)
            if kind == "outputs" and place is not None:
                _check_output(str(target), place[2])
        except LuffError as error:
            for problem in error.problems:
                level.report(replace(problem, path=f"{kind}.{name}"))
    for inner in level.levels.values():
        _check_exposed_ports(inner)


def _check_output(target: str, port: Port) -> None:
    if (port.kind, port.direction) not in ((SIGNAL, "out"), (TRAJECTORY, "out")):
        kind = port.kind if port.acausal else f"{port.kind} {port.direction}put"
        fix = "take a signal output; a frame_sensor measures frames"
        raise LuffError(Problem(f"{target} is a {kind}, expected an output", fix=fix))
