"""Resolution of wire ends and of entries of `ports:` and `outputs:` within the nesting."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import NoReturn

from ...blocks.errors import LuffError, Problem, did_you_mean
from ...blocks.netlist_inputs import NAME as INPUTS
from ...blocks.netlist_inputs import OUTSIDE
from ...blocks.ports import SIGNAL, TRAJECTORY, Port
from ...blocks.text.did_you_mean import KnownWords
from ..diagram import enabled
from ..netlist.wire_syntax import End, parse_end
from .instantiate import HierarchyLevel

Place = tuple[
    HierarchyLevel, str, Port
]  # the level, the full name of the block (empty if that is wrong), and the port


def resolve_end(level: HierarchyLevel, end: End) -> Place | None:
    """The level, block and port that an end stands for; None if that block is wrong."""
    block, port = end.block, end.port
    if "." in block:
        readable = _readable(level, block, port)
        if readable is not None:
            return readable
        block, port = _exposed(level, block, port)
    if block in level.wrong:
        known = level.wrong[block]
        if port not in known and block in level.certain:
            _no_port(end, str(level.diagram.blocks[block]["type"]), known)
        return (level, "", known[port]) if port in known else None
    if block == "world" and "world" not in level.leaves:
        if port != "frame":
            _no_port(end, "world", ["frame"])
        return level, "world", Port("frame", name="frame")
    if block in level.leaves:
        ports = level.ports[block]
        if port not in ports:
            _no_port(end, level.leaves[block].type_name, ports, level.leaves[block].class_ports)
        return level, level.prefix + block, ports[port]
    if block in level.levels:
        return _through(level, end, block, port)
    if block in level.out:
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


def _through(level: HierarchyLevel, end: End, block: str, port: str) -> Place | None:
    inner = level.levels[block]
    ports = {**inner.diagram.ports, **inner.diagram.outputs}
    if port in inner.diagram.inputs:
        given = inner.ports.get(INPUTS)
        return (inner, inner.prefix + INPUTS, given[port + OUTSIDE]) if given else None
    if port not in ports:
        _no_port(end, level.types[block], inner.known_ports)
    try:
        return resolve_end(inner, parse_end(str(ports[port])))
    except LuffError:
        return None  # told where the inner netlist's ports are checked


def _no_port(
    end: End, owner: str, known: Iterable[str] | KnownWords, hidden: Collection[str] = ()
) -> NoReturn:
    fix = did_you_mean(end.port, known) or "it has no ports"
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


def check_exposed_ports(level: HierarchyLevel) -> None:
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
        check_exposed_ports(inner)


def _check_output(target: str, port: Port) -> None:
    if (port.kind, port.direction) not in ((SIGNAL, "out"), (TRAJECTORY, "out")):
        kind = port.kind if port.acausal else f"{port.kind} {port.direction}put"
        fix = "take a signal output; a frame_sensor measures frames"
        raise LuffError(Problem(f"{target} is a {kind}, expected an output", fix=fix))
