"""Recorded columns: every scalar of every output port, and the names of `inputs:` and `outputs:`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...blocks import CompileError, Port
from ...blocks.errors import Problem, did_you_mean
from ...blocks.light_dataclass import mutable
from ...blocks.netlist_inputs import NAME as INPUTS
from ...blocks.netlist_inputs import OUTSIDE, Inputs
from ...blocks.ports import TRAJECTORY
from ..flatten.flatten import Flat, PortRef
from ..flatten.sections import no_signal_problem
from ..results.recorded_run import matching
from .operations import Operation
from .scalar_places import Key

PROBE = "@"  # begins the names of hidden blocks in front of ports that are cut
HELD_SHARE = "world.held_share"  # always recorded: a run tells if its plane of motion holds anything


@mutable
class Column:
    """Recorded scalar signal."""

    name: str
    unit: str
    key: Key
    top: bool = False  # named in `inputs:` or `outputs:`
    inner: bool = False  # recorded only if named
    exposed: bool = False  # under the name of a composite's port: recorded only if a name says exactly that


def output_columns(flat: Flat, operations: list[Operation]) -> list[Column]:
    """Columns of all output scalars that an operation makes, in the order of blocks and ports."""
    made = {key for operation in operations for key in operation.makes}
    columns = []
    for name, block in flat.blocks.items():
        for port_name, port in block.ports().items():
            if port.direction != "out":
                continue
            width = flat.widths.get((name, port_name), port.width)
            parts = range(3) if port.kind == TRAJECTORY else range(1)
            for part in parts:
                for element in range(width):
                    key = (name, port_name, element, part)
                    if key not in made:
                        continue
                    base = f"{name}.{port_name}" + ("", ".rate", ".acceleration")[part]
                    label = f"{base}[{element}]" if width > 1 else base
                    columns.append(Column(label, unit_of(port, part), key, inner=port.inner))
    return columns


def named_columns(flat: Flat, columns: list[Column]) -> Iterator[Column]:
    """Columns of the signals named in `inputs:` and `outputs:`, under these names."""
    inputs = flat.blocks.get(INPUTS)
    names = [*inputs.entries] if isinstance(inputs, Inputs) else []
    named = {name: PortRef(INPUTS, name) for name in names} | flat.outputs
    for name, ref in named.items():
        picked = flat.output_elements.get(name)
        for column in columns:
            if column.key[:2] != (ref.block, ref.port) or column.key[3] != 0:
                continue
            if picked is None:
                yield replace(column, name=name + column.name.removeprefix(str(ref)), top=True)
            elif column.key[2] in picked:
                index = f"[{picked.index(column.key[2])}]" if len(picked) > 1 else ""
                yield replace(column, name=name + index, top=True)


def exposed_columns(flat: Flat, columns: list[Column]) -> Iterator[Column]:
    """Columns of the outputs that composites expose, under the names of their ports."""
    names: dict[tuple[str, str], list[str]] = {}
    for name, ref in flat.exposed.items():
        names.setdefault((ref.block, ref.port), []).append(name)
    known = {column.name for column in columns}
    for column in columns:
        inner = f"{column.key[0]}.{column.key[1]}"
        for name in names.get((column.key[0], column.key[1]), ()):
            made = name + column.name.removeprefix(inner)
            if made not in known:
                yield replace(column, name=made, exposed=True)


def unit_of(port: Port, part: int) -> str:
    """Unit of a port's value, rate or acceleration."""
    unit = port.unit or ""
    if part == 0 or port.unit is None:
        return unit
    return (unit or "1") + ("/s" if part == 1 else "/s^2")


def recorded_columns(flat: Flat, columns: list[Column]) -> list[Column]:
    """Columns that `record` and `outputs` select; CompileError for a glob without a match."""
    columns = [
        c for c in columns if c.key[0].startswith(PROBE) or not c.key[0].endswith(OUTSIDE)
    ]  # the source of an input has the input's name
    chosen: set[str] = set()
    problems = []
    for k, glob in enumerate(flat.record):
        wild = "*" in glob or "?" in glob
        open_to = [c for c in columns if (glob != "*" or not c.inner) and not (wild and c.exposed)]
        hits = {*matching(glob, [c.name for c in open_to])}
        hits |= {c.name for c in open_to if matching(glob, [signal_name(c.name)])}
        if not hits and glob != "*":
            problems.append(no_signal_problem(glob, k, {signal_name(c.name) for c in columns}))
        chosen |= hits
    if problems:
        raise CompileError(problems)
    asked = {
        (ref.block, ref.port, element)
        for name, ref in flat.outputs.items()
        for element in flat.output_elements.get(name, (None,))
    }
    plotted = {name for plot in flat.plots for name in (plot.get("x", "time"), *plot["y"])}
    return [
        c
        for c in columns
        if c.name in chosen
        or c.name == HELD_SHARE
        or (c.exposed and {c.name, signal_name(c.name)} & plotted)
        or (not c.exposed and {(*c.key[:2], None), c.key[:3]} & asked)
    ]


def unplottable(flat: Flat, columns: list[Column]) -> Iterator[Problem]:
    """Warnings of plots of unknown or unrecorded signals."""
    names = {column.name for column in columns}
    names |= {signal_name(name) for name in names} | {"time"}
    for k, plot in enumerate(flat.plots):
        for name in (plot.get("x", "time"), *plot["y"]):
            if not matching(name, names):
                message, path = f'no recorded signal matches "{name}"', f"plots[{k}]"
                fix = did_you_mean(name, names)
                yield flat.located(Problem(message, path, fix, severity="warning"))


def signal_name(column: str) -> str:
    """Signal of a column, without its index."""
    return column.partition("[")[0]
