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
from ...blocks.netlist_inputs import NAME as INPUTS
from ...blocks.params import Struct
from ...blocks.text.raw_types import Raw
from ..diagram import enabled
from ..diagram.run_settings import SECTIONS as SETTINGS
from ..diagram.run_settings import InitialSettings, SimulationSettings
from ..diagram.view_section import View
from ..netlist import path_steps
from ..netlist.wire_syntax import End, parse_end
from ..netlist.yaml_writer import SECTIONS
from .block_code_errors import method_error
from .elaborate import Elaboration
from .instantiate import HierarchyLevel, Source
from .overrides import Overrides, Steps
from .port_resolution import exposed_signals, resolve_end

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
    view: View | None = None  # from where the mechanism is looked at
    marks: dict[str, Mark] = field(default_factory=dict)  # by path: blocks.slew.axis, connect[3]
    warnings: list[Problem] = field(default_factory=list)
    outputs: dict[str, PortRef] = field(default_factory=dict)  # signals for scripts, by their names there
    output_elements: dict[str, tuple[int, ...]] = field(
        default_factory=dict
    )  # of those that take some of a port
    exposed: dict[str, PortRef] = field(default_factory=dict)  # causal ports of composites: `boom.tip`

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


def flatten(diagram: Netlist, overrides: Mapping[str, object] | None = None) -> Flat:
    """Take a diagram apart; raises every mistake at once. `overrides`: raw values by path, {"king.mass": "9 t"}."""
    made = Elaboration(diagram, overrides, alone=True)
    errors = [problem for problem in made.problems if problem.severity == "error"]
    if errors:
        raise NetlistError(in_order(errors))
    assert made.simulation is not None
    assert made.initial is not None
    wires = [
        Wire(
            _ref(s.source),
            _elements(made, s.source),
            _ref(s.target),
            _elements(made, s.target),
            s.kind,
            s.mark,
        )
        for s in made.strands
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
        widths=made.widths.table(),
        units=_units(made.blocks, wires),
        initial=made.initial,
        simulation=made.simulation,
        record=list(diagram.record),
        plots=cast("list[PlotEntry]", [*diagram.plots]),  # checked above
        view=made.view,
        marks=marks,
        warnings=in_order([problem for problem in made.problems if problem.severity != "error"]),
        outputs=_outputs(made, diagram.outputs),
        output_elements=_output_elements(made, diagram.outputs),
        exposed={name: PortRef(block, port) for name, block, port in exposed_signals(made.top)},
    )


class LeafBlocks:
    """The blocks of a netlist, which are `known`, made anew one by one with other values."""

    def __init__(self, diagram: Netlist, overrides: Mapping[str, object], known: Mapping[str, Block]):
        self.diagram, self.overrides = diagram, dict(overrides)
        self._problems: list[Problem] = []
        self._top = self._level(self.overrides)
        _know(self._top, known)
        self._places: dict[str, tuple[HierarchyLevel, str, Steps] | None] = {}
        self._next = self._top  # with the last changes, where these concern all blocks

    def changed(self, changes: Mapping[str, object]) -> dict[str, Block] | None:
        """The blocks that other values may concern, made anew; None where they may concern more than blocks."""
        of_one = self._leaves(changes)
        if of_one is None:
            return self._all(changes)
        made = {level.prefix + name: level.remake_leaf(name, own) for level, name, own in of_one}
        if self._problems:
            raise NetlistError(self._problems)
        return made

    def keep(self, changes: Mapping[str, object], known: Mapping[str, Block]) -> None:
        """Count the last changes as set from now on; the blocks are these."""
        of_one = self._leaves(changes)
        for level, name, own in of_one or ():
            cls, raw, before = level.sources[name]
            level.leaves[name] = known[level.prefix + name]
            level.sources[name] = Source(cls, raw, {**before, **own})
        self.overrides |= changes
        if of_one is None:
            self._top, self._places = self._next, {}
            _know(self._top, known)

    def value(self, path: str) -> object:
        """Converted value of a parameter of the netlist, of a composite or of a block [SI]; LookupError without it."""
        steps = tuple(path_steps(path))
        return _value_at(
            self._top, steps[1:] if len(steps) > 1 and steps[0] in ("blocks", "parameters") else steps
        )

    def _leaves(
        self, changes: Mapping[str, object]
    ) -> list[tuple[HierarchyLevel, str, dict[Steps, Raw]]] | None:
        """Leaves that changes concern, with their overrides; None where they concern more."""
        found: dict[tuple[str, str], tuple[HierarchyLevel, str, dict[Steps, Raw]]] = {}
        for path, value in changes.items():
            place = self._place(path)
            if place is None:
                return None
            level, name, rest = place
            found.setdefault((level.prefix, name), (level, name, {}))[2][rest] = cast("Raw", value)
        return [*found.values()]

    def _all(self, changes: Mapping[str, object]) -> dict[str, Block] | None:
        """Make all blocks anew; None if settings or expressions of other sections depend on the changes."""
        of_sections = any(path_steps(path)[0] in SETTINGS for path in changes)
        if of_sections or _has_expressions(self._top):
            return None
        self._next = self._level({**self.overrides, **changes})
        blocks = self._next.all_leaves()
        return None if any(block.bound for block in blocks.values()) else blocks

    def _level(self, overrides: Mapping[str, object]) -> HierarchyLevel:
        problems: list[Problem] = []
        parsed = Overrides.parsed(overrides)
        parsed.of_sections(self.diagram.blocks)
        top = HierarchyLevel(self.diagram, "", self.diagram.chain(), problems.append, overrides=parsed)
        errors = [problem for problem in problems if problem.severity == "error"]
        if errors:
            raise NetlistError(in_order(errors))
        return top

    def _place(self, path: str) -> tuple[HierarchyLevel, str, Steps] | None:
        """The leaf that a path leads into, and the path within; None where it leads elsewhere."""
        if path not in self._places:
            # of two spellings of one path, the whole netlist knows which counts
            spelled = any("blocks" in path_steps(known) for known in self.overrides)
            self._places[path] = None if spelled else _leaf_at(self._top, tuple(path_steps(path)))
        return self._places[path]


def _know(level: HierarchyLevel, known: Mapping[str, Block]) -> None:
    for name in level.leaves:
        level.leaves[name] = known.get(level.prefix + name, level.leaves[name])
    for inner in level.levels.values():
        _know(inner, known)


def _leaf_at(level: HierarchyLevel, path: Steps) -> tuple[HierarchyLevel, str, Steps] | None:
    head, rest = str(path[0]), path[1:]
    if not rest or head in (*SECTIONS, INPUTS) or rest[0] == enabled.KEY:
        return None
    if head in level.leaves:
        return level, head, rest
    inner = level.levels.get(head)
    return None if inner is None or rest[0] in inner.diagram.parameters else _leaf_at(inner, rest)


def _value_at(level: HierarchyLevel, path: Steps) -> object:
    head, rest = str(path[0]) if path else "", path[1:]
    if not rest:
        if head not in level.diagram.parameters:
            raise LookupError(head)
        return level.scope.parameter(head).value
    if head not in level.leaves:
        return _value_at(level.levels[head], rest)
    return entry_at(level.leaves[head].values, rest)


def entry_at(value: object, path: Steps) -> object:
    """Converted entry inside of a group, a mapping or a list; LookupError if there is none."""
    for step in path:
        if isinstance(value, Struct) and step in value.params:
            value = getattr(value, str(step))
        elif isinstance(value, Mapping | tuple) and isinstance(value, tuple) == isinstance(step, int):
            value = value[step]  # type: ignore[index]
        else:
            raise LookupError(step)
    return value


def _has_expressions(level: HierarchyLevel) -> bool:
    """True if a section beside blocks and parameters holds an expression, here or below."""
    own = {key: value for key, value in level.diagram.data.items() if key not in ("blocks", "parameters")}
    texts = [own[key] for key in own if key not in ("name", "doc", "connect", "files", "layout")]
    return _expressed(texts) or any(map(_has_expressions, level.levels.values()))


def _expressed(raw: object) -> bool:
    if isinstance(raw, dict):
        return any(map(_expressed, raw.values()))
    if isinstance(raw, list | tuple):
        return any(map(_expressed, raw))
    return isinstance(raw, str) and "=" in raw


def check(diagram: Netlist) -> list[Problem]:
    """Find every mistake that shows without compiling."""
    try:
        return in_order(Elaboration(diagram).problems)
    except LuffError as error:
        return error.problems


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
        width = made.widths.port(End(place[1], place[2].name)) or 1
        if max(end.elements) >= width:
            mistake = f"found {target}, expected an element from 0 to {width - 1}"
            raise NetlistError(Problem(mistake, f"outputs.{name}", mark=made.diagram.mark(f"outputs.{name}")))
        picked[name] = end.elements
    return picked


def _ref(end: End) -> PortRef:
    return PortRef(end.block, end.port)


def _elements(made: Elaboration, end: End) -> tuple[int, ...]:
    return end.elements if end.elements is not None else tuple(range(made.widths.port(end) or 1))


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
