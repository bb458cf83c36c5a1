"""A diagram taken apart down to its leaf blocks and the wires between them, with every mistake on the way."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from ...blocks.block import Block
from ...blocks.errors import ConnectError, LuffError, Mark, OpenInput, Problem, did_you_mean
from ...blocks.expression_scope import Scope
from ...blocks.light_dataclass import record
from ...blocks.multibody_parts import Part
from ...blocks.netlist_inputs import NAME as INPUTS
from ...blocks.netlist_inputs import OUTSIDE
from ...blocks.ports import FRAME, SIGNAL, Port
from ...blocks.stop_conditions import NAME as CONDITIONS
from ...blocks.stop_conditions import Conditions
from ...blocks.text.did_you_mean import KnownWords
from ...blocks.text.raw_types import Raw, RawMap
from ..diagram import run_settings
from ..diagram.dashboard_section import dials_of, unbound_dials
from ..diagram.entry_paths import expected_at, set_entry
from ..diagram.implicit_inputs import operated_ports
from ..diagram.port_compatibility import check_pair
from ..diagram.view_section import unknown_frame_problem, view_of
from ..netlist import deep_copy
from ..netlist.nested_entries import Tree
from ..netlist.section_structure import section
from ..netlist.wire_syntax import End, WireText, parse_end, parse_wire
from .circuit_nodes import circuit_problems
from .connectivity import Node, part_frames, unconnected_blocks
from .instantiate import HierarchyLevel
from .lint import input_sources, lint_warnings
from .overrides import Overrides, Steps
from .port_resolution import check_exposed_ports, exposed_signals, resolve_end
from .port_widths import CausalWire, PortWidths
from .record_patterns import unrecordable
from .stop_condition_wiring import read_conditions
from .suppressed_errors import SuppressedErrors, owning_block
from .trajectory_order import unfollowable_motions

if TYPE_CHECKING:
    from ..diagram.netlist_document import Netlist


Made = TypeVar("Made")


@record
class LeafBond:
    """An acausal connection between two leaf ports."""

    a: End
    b: End
    kind: str
    mark: Mark | None


class Elaboration:
    """Elaboration of a netlist: everything that the compiler needs, as far as it could be made; `problems` has the
    rest."""

    def __init__(self, diagram: Netlist, overrides: Mapping[str, object] | None = None, alone: bool = False):
        self.diagram = diagram
        self._alone = alone  # to be run as it is, not to be used as a block
        self._whole = alone or not diagram.ports  # no outer netlist completes it
        self.problems: list[Problem] = []
        self.bonds: list[LeafBond] = []
        self.strands: list[CausalWire] = []
        self._unclear = SuppressedErrors()  # what wires that could not be followed concern
        parsed = Overrides.parsed(overrides)
        sections = parsed.of_sections(diagram.blocks)
        self.top = HierarchyLevel(diagram, "", diagram.chain(), self.problems.append, overrides=parsed)
        self.blocks: dict[str, Block] = self.top.all_leaves()
        self._connect_level(self.top)
        self.strands += [
            CausalWire(End(name + OUTSIDE, "y"), End(INPUTS, name + OUTSIDE), SIGNAL, None)
            for name in diagram.feeds
            if name + OUTSIDE in self.blocks
        ]
        if INPUTS in self.blocks:
            self._operated_ports()
        check_exposed_ports(self.top)
        self.widths = PortWidths(self.blocks, self.strands)
        self._touched = self._unclear.spread(self.blocks, self.strands) if self._unclear else set[str]()
        self.problems += [
            problem.at(self._block_mark(problem.path))
            for problem in self.widths.problems
            if owning_block(problem.path, self.blocks) not in self._touched
        ]
        self._inputs()
        self.parts = self._parts()
        if self._whole:
            self._circuits()
            self._check_connected()
        self._sections(sections)
        stop_when = self.simulation.stop_when if self.simulation else ""
        conditions, ends = read_conditions(self.top, stop_when, self.widths)
        if alone and conditions:
            self.blocks[CONDITIONS] = Conditions(conditions)
            self.strands += ends
            self.widths.fixed[CONDITIONS, "u"] = len(ends)

    # wires

    def _connect_level(self, level: HierarchyLevel) -> None:
        seen: dict[tuple[str, str], int] = {}
        for k, text in enumerate(section(level.diagram.data, "connect", list)):
            if not isinstance(text, str):
                self._unclear.add_text(str(text), level.names, level.prefix)
                continue
            try:
                wire = parse_wire(text)
            except LuffError as error:
                self._refuse_wire(level, k, None, error)
                continue
            if {wire.a.block.partition(".")[0], wire.b.block.partition(".")[0]} & level.out:
                continue
            try:
                self._wire(level, k, wire)
            except LuffError as error:
                self._refuse_wire(level, k, wire, error)
            pair = (str(wire.a), str(wire.b)) if str(wire.a) < str(wire.b) else (str(wire.b), str(wire.a))
            if wire.sign == "--" and pair in seen:
                message = f"{wire.a} -- {wire.b} is here twice, the first time as connection {seen[pair] + 1}"
                level.report(Problem(message, f"connect[{k}]", "remove one", severity="warning"))
            seen.setdefault(pair, k)
        for inner in level.levels.values():
            self._connect_level(inner)

    def _refuse_wire(self, level: HierarchyLevel, k: int, wire: WireText | None, error: LuffError) -> None:
        if wire is None:
            text = str(section(level.diagram.data, "connect", list)[k])
            self._unclear.add_text(text, level.names, level.prefix)
        else:
            self._drop_wire(level, wire)
        for problem in error.problems:
            end = wire.b if wire and problem.path == str(wire.b) else wire.a if wire else None
            level.report(problem.at(path=f"connect[{k}]"), self._wire_mark(level, k, end))

    def _drop_wire(self, level: HierarchyLevel, wire: WireText) -> None:
        """A wire that leads nowhere: whatever its two blocks need may be what it was to bring."""
        for end in (wire.a, wire.b):
            block = end.block.partition(".")[0]
            meant = block if block in level.names else level.known_blocks.near(block)
            if meant is None:
                self._unclear.everything = True
            else:
                self._unclear.blocks.add(level.prefix + meant)

    def _wire_mark(self, level: HierarchyLevel, k: int, end: End | None) -> Mark | None:
        return level.document and level.document.scalar_mark(f"connect[{k}]", end.column if end else 0)

    def _wire(self, level: HierarchyLevel, k: int, wire: WireText) -> None:
        places, problems = [], []
        for end in (wire.a, wire.b):
            try:
                places.append(resolve_end(level, end))
            except LuffError as error:
                problems += error.problems
        if problems:
            raise ConnectError(problems)
        a, b = places
        if a is None or b is None:
            self._drop_wire(level, wire)
            return
        check_pair(wire.a, wire.sign, wire.b, a[2], b[2])
        if not a[1] or not b[1]:  # a block with mistakes: its wires are checked, but lead nowhere
            for (_, name, port), end in ((a, wire.a), (b, wire.b)):
                whole = name or level.prefix + end.block
                self._unclear.ports.add((whole, port.name or end.port))
            return
        ends = [End(name, port.name, end.elements) for (_, name, port), end in ((a, wire.a), (b, wire.b))]
        mark = self._wire_mark(level, k, None)
        if a[2].acausal:
            self.bonds.append(LeafBond(ends[0], ends[1], a[2].kind, mark))
        else:
            self.strands.append(CausalWire(ends[0], ends[1], a[2].kind, mark))

    # inputs

    def _operated_ports(self) -> None:
        """Ports that inputs of the netlist feed without a wire."""
        for name, end in operated_ports(self.diagram.data).items():
            if end.block in self.blocks:
                self.strands.append(CausalWire(End(INPUTS, name), end, SIGNAL, None))
            else:
                self._unclear.ports.add((end.block, end.port))

    def _inputs(self) -> None:
        """Check that each element of an input is driven once, or has a default."""
        driven: dict[tuple[str, str], dict[int, CausalWire]] = {}
        for strand in self.strands:
            end = strand.target
            elements = driven.setdefault((end.block, end.port), {})
            for k in end.elements or range(self.widths.port(end) or 1):
                if k in elements:
                    which = f" in its element {k}" if (self.widths.port(end) or 1) > 1 else ""
                    message = f"is driven twice{which}: by {elements[k].source} and by {strand.source}"
                    self.problems.append(
                        Problem(message, str(end), "add the signals with a sum block", strand.mark)
                    )
                    break
                elements[k] = strand
        known = {name: block.ports() for name, block in self.blocks.items()} | self.top.certain_ports()
        for name, ports in known.items():
            for port_name, port in ports.items():
                if (
                    port.direction == "in"
                    and port.default is None
                    and not self._unclear.port(name, port_name)
                ):
                    self._open_input(name, port_name, port, driven.get((name, port_name), {}))

    def _open_input(self, name: str, port_name: str, port: Port, elements: dict[int, CausalWire]) -> None:
        width = (self.widths.port(End(name, port_name)) or 1) if name in self.blocks else 1
        missing = [k for k in range(width) if k not in elements]
        if not missing or self._outside(name, port_name):
            return
        which = (
            ""
            if len(missing) == width
            else f" to its element{'s' * (len(missing) > 1)} {', '.join(map(str, missing[:8]))}"
        )
        unit = f" in {port.unit}" if port.unit else ""
        message = f"missing wire: nothing is connected{which}, and this input has no default"
        nested = port_name.endswith(
            OUTSIDE
        )  # an input of a netlist that is a block: that block is to be wired
        block = name.removesuffix(f".{INPUTS}") if nested else name
        here = f"{block}.{port_name.removesuffix(OUTSIDE)}"
        fix = OpenInput(here, f"{port.kind}{unit}")
        level, inner = self._level_of(block)
        mark = level.mark(f"blocks.{inner}", key=True)
        self.problems.append(Problem(message, here, fix, mark, incomplete=True))

    def _outside(self, name: str, port: str) -> bool:
        """True if the netlist is itself a block whose `ports:` leave this input to its user."""
        return not self._alone and (name, port) in self._exposed

    @cached_property
    def _exposed(self) -> set[tuple[str, str]]:
        ports = set()
        for target in self.diagram.ports.values():
            with contextlib.suppress(LuffError):
                place = resolve_end(self.top, parse_end(str(target)))
                if place is not None:
                    ports.add((place[1], place[2].name))
        return ports

    def _block_mark(self, path: str) -> Mark | None:
        name = path.removeprefix("blocks.")
        if name not in self.blocks:
            return None
        level, inner = self._level_of(name)
        return level.mark(f"blocks.{inner}")

    def _level_of(self, name: str) -> tuple[HierarchyLevel, str]:
        level, rest = self.top, name
        while "." in rest:
            head, _, rest = rest.partition(".")
            level = level.levels[head]
        return level, rest

    # mechanisms and circuits

    def _parts(self) -> dict[str, Sequence[Part]]:
        """Parts of the blocks without mistakes."""
        astray, parts = self.top.names_with_unknown_references(), {}
        for name, block in self.blocks.items():
            if name in astray:
                self._unclear.blocks.add(name)
                continue
            try:
                parts[name] = block.parts()
            except LuffError as error:
                self._unclear.blocks.add(name)
                self.problems += [problem.at(self._block_mark(name), name) for problem in error.problems]
        return parts

    def _check_connected(self) -> None:
        """Check that each body and each end of a rope is connected."""
        bonds = [
            ((bond.a.block, bond.a.port), (bond.b.block, bond.b.port))
            for bond in self.bonds
            if bond.kind == FRAME
        ]
        frames: set[Node] = {node for bond in bonds for node in bond}
        frames |= {
            (name, frame) for name, own in self.parts.items() for part in own for frame in part_frames(part)
        }
        excused = [node for node in frames if self._unclear.port(*node)]
        for problem in unconnected_blocks(self.parts, bonds, excused):
            located = problem.at(self._block_mark(owning_block(problem.path, self.blocks)))
            self.problems.append(replace(located, incomplete=True))

    def _circuits(self) -> None:
        """Check that each node of oil or shafts has one port that gives the shared quantity."""
        for problem in circuit_problems(self.blocks, self.bonds, self._unclear.port):
            self.problems.append(problem.at(self._block_mark(owning_block(problem.path, self.blocks))))

    # sections

    def _sections(self, overrides: Mapping[Steps, Raw]) -> None:
        raw: RawMap = {
            "simulation": deep_copy(self.diagram.simulation),
            "initial": deep_copy(self.diagram.initial),
        }
        tree = Tree(raw)
        for path, value in overrides.items():
            try:
                set_entry(tree, (), run_settings.SECTIONS, path, deep_copy(value))
            except LookupError:
                self.top.unknown_override_problem(path, expected_at(run_settings.SECTIONS, path))
        self.simulation = self._convert(run_settings.SIMULATION.group, raw["simulation"], "simulation")
        if self.simulation:
            self._check_times(self.simulation, by_hand=("simulation", "step") in overrides)
            for name, problem in (
                *lint_warnings(self.blocks, input_sources(self.strands, self.blocks), self.simulation.step),
                *unfollowable_motions(self.blocks, self.strands),
            ):
                if name not in self._touched:
                    level, inner = self._level_of(name)
                    level.report(replace(problem, path=f"blocks.{inner}{problem.path}"))
        self.initial = self._convert(run_settings.INITIAL.group, raw["initial"], "initial")
        self._convert(run_settings.PLOTS.convert, self.diagram.plots, "plots")
        self._check_dashboard_and_view()
        for k, name in enumerate(self.initial.hold if self.initial else ()):
            if not self._names_a_block(name):
                fix = did_you_mean(name, self._known_blocks)
                self.top.report(Problem(f'there is no block "{name}" to hold', f"initial.hold[{k}]", fix))
        wrong = self.top.faulty_names() | self.top.disabled_names()
        # what a composite exposes may be what a wrong block inside would give
        wrong |= {name.rpartition(".")[0] for name in wrong if "." in name}
        for problem in unrecordable(self.diagram.record, self._signals(), wrong):
            self.top.report(problem)

    def _check_dashboard_and_view(self) -> None:
        """The dashboard, and the camera."""
        dials = self._convert(dials_of, self.diagram.dashboard, "dashboard") or ()
        self.view = self._convert(view_of, self.diagram.view, "view")
        if self._whole:
            inputs, signals = self.top.input_entries, self._signals() or ()
            for problem in (
                *unbound_dials(dials, inputs, signals, self.blocks),
                *unknown_frame_problem(self.view, self.blocks),
            ):
                self.top.report(problem)

    def _signals(self) -> list[str] | None:
        """Names of what may be recorded; None where an outer netlist says that, in its own names."""
        if not self._whole:
            return None
        names = [*self.top.input_entries, *self.diagram.outputs]
        for name, block in self.blocks.items():
            names += [f"{name}.{port}" for port, kind in block.ports().items() if kind.direction == "out"]
        return [*names, *self.exposed_outputs()]

    def exposed_outputs(self) -> list[str]:
        """Names of the outputs that composites expose."""
        return [
            name
            for name, block, port in exposed_signals(self.top)
            if block in self.blocks and self.blocks[block].ports()[port].direction == "out"
        ]

    def _check_times(self, s: run_settings.SimulationSettings, by_hand: bool) -> None:
        if s.output_step is None:
            s.output_step = s.step
        elif by_hand:  # a step that is set by hand need not divide the netlist's output step
            s.output_step = run_settings.nearest_multiple(s.output_step, s.step)
        wrong = [*run_settings.time_problems(s.stop, s.step, s.output_step)]
        for problem in wrong or run_settings.time_warnings(s):
            self.top.report(problem)

    def _convert(self, convert: Callable[[object, Scope, str], Made], raw: object, path: str) -> Made | None:
        try:
            return convert(raw, self.top.scope, path)
        except LuffError as error:
            for problem in error.problems:
                self.top.report(problem)
        return None

    def _names_a_block(self, name: str) -> bool:
        """`slew`, `slew.position`, `crane.slew`."""
        while name:
            if name in self._holders:
                return True
            name = name.rpartition(".")[0]
        return False

    @cached_property
    def _holders(self) -> set[str]:
        return {*self.blocks, *(full.rpartition(".")[0] for full in self.blocks), *self.diagram.blocks}

    @cached_property
    def _known_blocks(self) -> KnownWords:
        return KnownWords(self.diagram.blocks)
