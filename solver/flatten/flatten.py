"""Flat netlist: leaf blocks with converted values, the wires between them, every width and place."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from typing import TYPE_CHECKING, cast

from ...blocks.block import Block
from ...blocks.errors import CompileError, LuffError, Mark, NetlistError, Problem, in_order
from ...blocks.light_dataclass import mutable, record
from ...blocks.multibody_parts import Part, Vec
from ..diagram.run_settings import InitialSettings, SimulationSettings
from ..diagram.spelling_repair import Findings
from ..diagram.view_section import View
from ..netlist.wire_syntax import End, parse_end
from ..netlist.yaml_writer import SECTIONS
from .block_code_errors import method_error
from .connect import connect, exposed_signals, resolve_end
from .connection_checks import check_connections
from .connectivity import Node
from .elaboration import Elaboration
from .hierarchy import HierarchyLevel
from .instantiate import instantiate
from .lint import lint
from .planar_motion import in_plane, restrict_to_plane
from .port_widths import size_ports
from .sections import convert_sections
from .stop_condition_wiring import wire_conditions
from .unit_checks import check_units

if TYPE_CHECKING:
    from ..diagram.netlist_document import Netlist
    from ..results.recorded_run import PlotEntry


@record
class PortRef:
    """A port of a leaf block; `block` is its full, dotted name."""

    block: str
    port: str

    def __str__(self) -> str:
        return f"{self.block}.{self.port}"


@record
class Bond:
    """Acausal connection."""

    a: PortRef
    b: PortRef
    kind: str  # frame, hydraulic or shaft
    mark: Mark | None = None


@record
class Wire:
    """A causal connection; the k-th source element drives the k-th target element."""

    source: PortRef
    source_elements: tuple[int, ...]
    target: PortRef
    target_elements: tuple[int, ...]
    kind: str  # signal or trajectory
    mark: Mark | None = None


@mutable
class Flat:
    """A netlist without nesting, expressions, units or open widths."""

    name: str
    doc: str
    netlist: str  # the text, for the result file
    blocks: dict[str, Block]
    bonds: list[Bond]
    wires: list[Wire]
    widths: dict[tuple[str, str], int]  # of every causal port, by (block, port)
    units: dict[tuple[str, str], str]  # of ports that declare none, as far as their wires tell
    initial: InitialSettings
    simulation: SimulationSettings
    record: list[str]
    plots: list[PlotEntry]
    normals: dict[Node, Vec] = field(default_factory=dict)  # of the plane of motion in each frame
    view: View | None = None  # from where the mechanism is looked at
    marks: dict[str, Mark] = field(default_factory=dict)  # by path: blocks.slew.axis, connect[3]
    warnings: list[Problem] = field(default_factory=list)
    outputs: dict[str, PortRef] = field(default_factory=dict)  # signals for scripts, by their names there
    output_elements: dict[str, tuple[int, ...]] = field(
        default_factory=dict
    )  # of those that take some of a port
    exposed: dict[str, PortRef] = field(default_factory=dict)  # causal ports of composites: `boom.tip`

    def parts_of(self, block: Block) -> list[Part]:
        """Parts of a block, of this netlist or with other values, without coordinates that leave the plane of
        motion.
        """
        return in_plane(block.name, block.parts(), self.normals) if self.normals else block.parts()

    def parts(self) -> dict[str, list[Part]]:
        """Parts of all blocks by their names."""
        return {name: self.parts_of(block) for name, block in self.blocks.items()}

    def mark(self, path: str) -> Mark | None:
        """The place of an entry, or of what encloses it."""
        while path and path not in self.marks:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self.marks.get(path)

    def located(self, problem: Problem) -> Problem:
        """The problem with its place in the file, found by the block or section that its path begins with."""
        return problem.at(self._place(problem.path))

    def remark(self, note: str) -> Problem:
        """A warning; the block which it concerns is its first word, or there is none."""
        named = re.match(r"([\w.\[\]]+):?\s+", note)
        if named is None or not self._owner(named[1]):
            return Problem(note, severity="warning", mark=self._mark_of(note))
        return self.located(Problem(note[named.end() :], named[1], severity="warning"))

    def _mark_of(self, note: str) -> Mark | None:
        """The place of a block that a sentence names, or else of how the netlist is run, or of its blocks."""
        words = sorted(re.findall(r"\w[\w.]*\w", note), key=len, reverse=True)
        places = (self.mark(f"blocks.{word}") for word in words if self._owner(word))
        rest = (self.mark(section) for section in ("simulation", "blocks"))
        return next((mark for mark in itertools.chain(places, rest) if mark is not None), None)

    @contextmanager
    def telling_places(self) -> Iterator[None]:
        """Context in which errors get the place in the file that they are about."""
        try:
            yield
        except LuffError as error:
            error.replace_problems(map(self.located, error.problems))
            raise
        except Exception as error:
            problem = method_error(error)
            if problem is None:
                raise
            raise CompileError(self.located(problem)) from error

    def _place(self, path: str) -> Mark | None:
        path = path.partition(",")[0].removeprefix("blocks.")
        section = path.partition(".")[0].partition("[")[0]
        if section in SECTIONS and section not in self.blocks:
            return self.mark(path)
        return self.mark(f"blocks.{path}") if self._owner(path) else None

    def _owner(self, path: str) -> str:
        """The block that a path leads into; empty if there is none."""
        while path and path not in self.blocks:
            path = path.rpartition(".")[0]
        return path


def elaborate(
    diagram: Netlist, overrides: Mapping[str, object] | None = None, alone: bool = False
) -> Elaboration:
    """Elaborate a netlist in passes over one record; each is made as far as mistakes let it."""
    made = Elaboration.of(diagram, alone)
    instantiate(made, overrides or {})
    connect(made)
    size_ports(made)
    check_connections(made)
    restrict_to_plane(made)
    convert_sections(made)
    lint(made)
    wire_conditions(made)
    return made


def flatten(diagram: Netlist, overrides: Mapping[str, object] | None = None) -> Flat:
    """Take a diagram apart; raises every mistake at once. `overrides`: raw values by path, {"king.mass": "9 t"}."""
    made = elaborate(diagram, overrides, alone=True)
    if made.diagnostics.errors:
        raise NetlistError(in_order(made.diagnostics.errors))
    assert made.simulation is not None
    assert made.initial is not None
    wires = [
        Wire(
            _ref(wire.source),
            _elements(made, wire.source),
            _ref(wire.target),
            _elements(made, wire.target),
            wire.kind,
            wire.mark,
        )
        for wire in made.wires
    ]
    marks: dict[str, Mark] = {}
    _collect(made.top, marks)
    return Flat(
        name=diagram.name,
        doc=diagram.doc,
        netlist=diagram.to_yaml(),
        blocks=made.blocks,
        bonds=[Bond(_ref(bond.a), _ref(bond.b), bond.kind, bond.mark) for bond in made.bonds],
        wires=wires,
        widths=made.widths,
        units=_units(made.blocks, wires),
        initial=made.initial,
        simulation=made.simulation,
        record=list(diagram.record),
        normals=made.normals,
        plots=cast("list[PlotEntry]", [*diagram.plots]),  # checked above
        view=made.view,
        marks=marks,
        warnings=in_order([problem for problem in made.diagnostics.problems if problem.severity != "error"]),
        outputs=_outputs(made, diagram.outputs),
        output_elements=_output_elements(made, diagram.outputs),
        exposed={name: PortRef(block, port) for name, block, port in exposed_signals(made.top)},
    )


def check(diagram: Netlist) -> Findings:
    """Find every mistake that shows without compiling."""
    try:
        made = elaborate(diagram)
    except LuffError as error:
        return Findings(error.problems)
    units = check_units(made)
    found = made.diagnostics
    return Findings(in_order(found.problems), found.hide, units)


def unit_problems(diagram: Netlist) -> list[Problem]:
    """Warnings of units alone, which no run asks for."""
    made = elaborate(diagram, alone=True)
    before = len(made.diagnostics.problems)
    check_units(made)
    return made.diagnostics.problems[before:]


def _outputs(made: Elaboration, listed: Mapping[str, str]) -> dict[str, PortRef]:
    places = {name: resolve_end(made.top, parse_end(target)) for name, target in listed.items()}
    return {name: PortRef(place[1], place[2].name) for name, place in places.items() if place is not None}


def _output_elements(made: Elaboration, listed: Mapping[str, str]) -> dict[str, tuple[int, ...]]:
    """Elements of outputs that take some of their port; NetlistError for one that is not there."""
    picked: dict[str, tuple[int, ...]] = {}
    for name, target in listed.items():
        end = parse_end(target)
        place = resolve_end(made.top, end)
        if end.elements is None or place is None:
            continue
        width = made.width(End(place[1], place[2].name))
        if max(end.elements) >= width:
            mistake = f"found {target}, expected an element from 0 to {width - 1}"
            raise NetlistError(Problem(mistake, f"outputs.{name}", mark=made.diagram.mark(f"outputs.{name}")))
        picked[name] = end.elements
    return picked


def _ref(end: End) -> PortRef:
    return PortRef(end.block, end.port)


def _elements(made: Elaboration, end: End) -> tuple[int, ...]:
    return end.elements if end.elements is not None else tuple(range(made.width(end)))


def _units(blocks: dict[str, Block], wires: list[Wire]) -> dict[tuple[str, str], str]:
    declared = {
        (name, key): port.unit for name, block in blocks.items() for key, port in block.ports().items()
    }
    units: dict[tuple[str, str], str] = {}
    for wire in wires:
        ends = [(wire.source.block, wire.source.port), (wire.target.block, wire.target.port)]
        for here, there in (ends, ends[::-1]):
            unit = declared[there]
            if declared[here] is None and unit is not None:
                units.setdefault(here, unit)
    return units


def _collect(level: HierarchyLevel, marks: dict[str, Mark]) -> None:
    """Add line and column of all entries of a level, by full path, to `marks`."""
    for path, mark in level.document.marks() if level.document else ():
        marks[level.full_path(path)] = mark
    for inner in level.levels.values():
        _collect(inner, marks)
