"""`Program`: a compiled diagram, before it runs. Flat blocks -> mechanism, model arrays, tables of operations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...blocks import CompileError, Port
from ...blocks.errors import Problem, did_you_mean
from ...blocks.inputs import NAME as INPUTS
from ...blocks.inputs import OUTSIDE, Inputs
from ...blocks.mechanics.bodies import World
from ...blocks.ports import FRAME, SHAFT, TRAJECTORY
from ..diagram.settings import APART, nearest_multiple
from ..flat.flatten import Flat, PortRef
from ..integrators.together import called_in_runs, load_together
from ..kernels.chosen import ENERGY_STATES
from ..machine import fields as f
from ..machine.fields import Data, Model, new_data
from ..machine.jit import Unit
from ..mechanism.constraint_table import Table as ConstraintTable
from ..mechanism.constraint_table import constraint_table
from ..mechanism.friction_notes import friction_notes
from ..mechanism.model import pack
from ..mechanism.spanning import Mechanism, build
from ..mechanism.states import free_states
from ..result.recorded import matching
from ..start.partition import RankReport
from ..start.start import Fed, Origin, Start, begin, bend_feet, load_initial
from ..start.statics import StaticReport
from ..table.operations import Operation, Table, copy, table_of
from ..table.places import Place, Sections, cell
from ..table.schedule import grouped, schedule
from .circuits import join_circuits
from .cylinder_outputs import cylinder_outputs
from .elastic import elastic_operations
from .mechanics import Mechanics
from .model_control import add_controllers
from .overflow import check_finite, telling_overflow
from .plainly import filled, run_plainly, sections_of
from .pressures import carry_loads
from .scalars import Key, Scalars
from .signals import Emitter, Sampled
from .steps import DYNAMICS, KINEMATICS, POWERS, WRENCHES, token
from .switches import Switch, alone, columns_of, crossings_of

ENERGY_RATES = token("energy_rates")


@dataclass
class Column:
    """One recorded scalar."""

    name: str
    unit: str
    key: Key
    top: bool = False  # the name is one of `inputs:` or `outputs:`


@dataclass
class Program:
    """Everything about one diagram that a run needs; `Instance` makes arrays of its own from it."""

    flat: Flat
    mechanism: Mechanism
    model: Model
    data: Data
    state_names: list[str]
    state_units: list[str]
    x0: np.ndarray
    params: np.ndarray
    param_names: list[str]
    memory_names: list[str]
    sampled: list[Sampled]
    columns: list[Column]
    mechanical: int  # number of mechanical states
    table: ConstraintTable  # constraints in words
    report: RankReport | None  # their rank; None for a tree
    static: StaticReport | None
    origin: Origin | None
    driven: set[int]  # rows whose effort is wired
    notes: list[str]  # what was found at the start
    kernels: dict[str, Unit]
    sections: Sections
    work_space: np.ndarray  # with all numbers that are known before a run
    tables: dict[str, Table]  # rates, outputs, ends, updates, decisions, crossings, sides, openings
    switches: list[Switch]  # what changes its piece with the state
    record: np.ndarray  # places of the recorded columns
    places: dict[Key, Place]  # of all signals
    constants: list[str]
    trailing: int  # energies behind the states, on which nothing depends

    @property
    def openings(self) -> bool:
        """Whether valves open with the state."""
        return any(switch.opening for switch in self.switches)

    def like(self, other: Program) -> bool:
        """Whether the other program differs in numbers alone."""
        return (
            all(_same_table(table, other.tables[name]) for name, table in self.tables.items())
            and self.sections.first == other.sections.first
            and len(self.columns) == len(other.columns)
            and all(
                a.shape == b.shape
                for a, b in zip((*self.model, *self.data), (*other.model, *other.data), strict=True)
            )
            and np.array_equal(self.model.option, other.model.option)
        )


def _same_table(a: Table, b: Table) -> bool:
    codes = [[call.code for call in table.calls] for table in (a, b)]
    return codes[0] == codes[1] and np.array_equal(a.places, b.places)


def make_program(flat: Flat) -> Program:
    """Compile flat blocks to arrays and tables of operations (not to machine code)."""
    with flat.telling_places(), telling_overflow(flat):
        return _made(flat)


def _made(flat: Flat) -> Program:
    parts = {name: block.parts() for name, block in flat.blocks.items()}
    bonds = [((b.a.block, b.a.port), (b.b.block, b.b.port)) for b in flat.bonds if b.kind == FRAME]
    mechanism = build(parts, bonds, busy_blocks(flat))
    table = constraint_table(mechanism)
    scalars = Scalars(flat.widths, wire_sources(flat), flat.blocks)
    mechanics = Mechanics(mechanism, scalars, flat.blocks, table=table, delta_q=flat.simulation.gpme_delta_q)
    mechanics.operations += join_circuits(flat, scalars)
    if mechanism.rows:
        mechanics.build()
    mechanics.operations += elastic_operations(mechanism, scalars)
    mechanics.operations += scalars.outputs(cylinder_outputs(mechanism))
    states = free_states(mechanism)
    world = flat.blocks["world"]
    assert isinstance(world, World)
    model = pack(mechanism, world.gravity, states, mechanics.first_input, table)
    check_finite(flat, model)
    if table.rows or flat.initial.solve == "static":
        load_together(called_in_runs(mechanics.kernels, flat.simulation.method, flat.simulation.events))
        fed = fed_at_start(mechanics, emitted(flat, scalars, 0))
        start = begin(mechanism, table, fed, model, flat.simulation, flat.initial)
    else:
        data = new_data(model, mechanism.quats, mechanics.inputs, len(table.targets))
        load_initial(states, data, model)
        bend_feet(states, model, data)
        start = Start(states, model, data)
    states, model = start.states, start.model

    emitter = emitted(flat, scalars, len(states.names))
    add_controllers(mechanics, emitter, start)
    carry_loads(mechanics, emitter, start)
    mechanical = [*mechanics.switches()]
    crossings = [*emitter.crossings, *crossings_of(mechanical, KINEMATICS, len(emitter.switches), scalars)]
    switches = [*emitter.switches, *(switch for switch, _ in mechanical)]
    operations = [*mechanics.operations, *emitter.operations]
    columns = output_columns(flat, operations)
    columns = recorded(flat, [*columns, *named_columns(flat, columns)])
    x0 = np.array([*states.initial, *emitter.states.values], float)
    goals = goals_of(operations, emitter, columns, len(x0), bool(mechanism.rows))
    ordered = {
        name: grouped(schedule([*operations, *getattr(emitter, name, ())], wanted))
        for name, wanted in goals.items()
    }
    ordered["crossings"] = grouped(schedule([*operations, *crossings], wanted_of(crossings)))
    ordered["sides"] = grouped(alone(crossings))
    openings = [
        made for made, switch in zip(emitter.crossings, emitter.switches, strict=True) if switch.opening
    ]
    ordered["openings"] = grouped(schedule([*operations, *openings], wanted_of(openings)))
    trailing = ENERGY_STATES if mechanism.rows else 0
    emitter.sides.values[:] = columns_of(switches)
    sections = sections_of(scalars, emitter, start.data, len(x0) + trailing, emitter.work)
    return Program(
        flat=flat,
        mechanism=mechanism,
        model=model,
        data=start.data,
        table=table,
        report=start.report,
        static=start.static,
        origin=start.origin,
        driven=mechanics.driven_by_signal,
        notes=[
            *start.notes,
            *friction_notes(mechanism, model, start.data, states, flat.simulation),
            *held_in_vain(flat, bool(table.rows)),
            *sampling_notes(emitter.sampled, flat.simulation.step),
        ],
        state_names=[*states.names, *emitter.states.names],
        state_units=[*states.units, *emitter.state_units],
        x0=x0,
        params=np.array(emitter.params.values),
        param_names=emitter.params.names,
        memory_names=emitter.memory.names,
        sampled=emitter.sampled,
        columns=columns,
        mechanical=len(states.names),
        kernels=mechanics.kernels,
        sections=sections,
        work_space=filled(sections, scalars, emitter, emitter.work),
        tables={name: table_of(found, sections) for name, found in ordered.items()},
        switches=switches,
        record=np.array([sections.at(scalars.at(column.key)) for column in columns], np.int64),
        places=scalars.place,
        constants=[*scalars.constants],
        trailing=trailing,
    )


def fed_at_start(mechanics: Mechanics, emitter: Emitter) -> Fed:
    """What the first state needs of the signals: those that kinematics reads, run once before anything is compiled."""

    def fill(model: Model, data: Data) -> None:
        operations = [*mechanics.operations, *emitter.operations, *emitter.updates]
        updates = []
        for sampled in emitter.sampled:
            key = (sampled.block, "@update", 0, 0)
            if not any(KINEMATICS in operation.makes for operation in schedule(operations, [key])):
                updates.append(key)
        ordered = schedule(operations, [*updates, *mechanics.given])
        run_plainly(ordered, mechanics.scalars, emitter, model, data, ())

    return Fed(mechanics.inputs, mechanics.driven_by_signal, bool(mechanics.given), fill)


def goals_of(
    operations: list[Operation], emitter: Emitter, columns: list[Column], states: int, moving: bool
) -> dict[str, list[Key]]:
    """What each table has to compute; the powers of a mechanism are rates of its energies."""
    rates: list[Key] = [
        key for operation in operations for key in operation.makes if key[1].startswith("@der")
    ]
    if moving:
        told = any(POWERS in operation.makes for operation in operations)
        pairs = [(("dx", states + j), cell("scalar", f.DRIVE_POWER + j)) for j in range(ENERGY_STATES)]
        operations.append(copy(ENERGY_RATES, (POWERS if told else DYNAMICS,), pairs))
        rates = [DYNAMICS, *rates, ENERGY_RATES]
    return {
        "rates": rates,
        "outputs": [column.key for column in columns],
        "ends": whole(emitter.ends, "@end"),
        "updates": [(sampled.block, "@update", 0, 0) for sampled in emitter.sampled],
        "decisions": whole(emitter.decisions, "@decide"),
    }


def wanted_of(operations: list[Operation]) -> list[Key]:
    return [key for operation in operations for key in operation.makes]


def whole(operations: list[Operation], port: str) -> list[Key]:
    """The keys that stand for all elements of a block."""
    return [key for operation in operations for key in operation.makes if key[1] == port]


def sampling_notes(sampled: list[Sampled], step: float) -> Iterator[str]:
    """Sampled blocks run at whole steps: say where that is not the period they were given."""
    for one in sampled:
        period = nearest_multiple(one.period, step)
        if one.period > 0.0 and abs(period - one.period) > APART * step:
            yield f"{one.block} samples every {period:g} s, not every {one.period:g} s: the step is {step:g} s"


def held_in_vain(flat: Flat, closed: bool) -> Iterator[str]:
    """`hold` keeps values where something is solved for: at rest, or in closing loops."""
    solve, names = flat.initial.solve, flat.initial.hold
    if names and solve != "static" and not (closed and solve == "assemble"):
        fix = "write initial: {solve: static, hold: [...]}"
        yield f"{names[0]}: `hold` holds nothing, for nothing is solved for ({fix})"


def busy_blocks(flat: Flat) -> set[str]:
    """Blocks of which more than the frames and what they transmit is wired, recorded by name or plotted."""
    busy = {wire.target.block for wire in flat.wires}
    busy |= {wire.source.block for wire in flat.wires if wire.source.port not in WRENCHES}
    busy |= {end.block for bond in flat.bonds if bond.kind == SHAFT for end in (bond.a, bond.b)}
    named = [base_name(text) for plot in flat.plots for text in plot["y"]]
    named += [glob for glob in flat.record if glob != "*"]
    for name, block in flat.blocks.items():
        own = [
            port for port, kind in block.ports().items() if kind.direction == "out" and port not in WRENCHES
        ]
        if any(matching(glob, [f"{name}.{port}" for port in own]) for glob in named):
            busy.add(name)
    return busy


def emitted(flat: Flat, scalars: Scalars, first_state: int) -> Emitter:
    emitter = Emitter(scalars, first_state, flat.simulation.step)
    for block in flat.blocks.values():
        emitter.add(block)
    return emitter


def wire_sources(flat: Flat) -> dict[tuple[str, str, int], tuple[str, str, int]]:
    return {
        (wire.target.block, wire.target.port, to): (wire.source.block, wire.source.port, at)
        for wire in flat.wires
        for at, to in zip(wire.source_elements, wire.target_elements, strict=True)
    }


def output_columns(flat: Flat, operations: list[Operation]) -> list[Column]:
    """Every scalar of every output port that something computes, in the order of blocks and ports."""
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
                    columns.append(Column(label, unit_of(port, part), key))
    return columns


def named_columns(flat: Flat, columns: list[Column]) -> Iterator[Column]:
    """What `inputs:` and `outputs:` of the netlist name, under these names."""
    inputs = flat.blocks.get(INPUTS)
    names = [*inputs.entries] if isinstance(inputs, Inputs) else []
    named = {name: PortRef(INPUTS, name) for name in names} | flat.outputs
    for name, ref in named.items():
        for column in columns:
            if column.key[:2] == (ref.block, ref.port) and column.key[3] == 0:
                yield replace(column, name=name + column.name.removeprefix(str(ref)), top=True)


def unit_of(port: Port, part: int) -> str:
    unit = port.unit or ""
    if part == 0 or port.unit is None:
        return unit
    return (unit or "1") + ("/s" if part == 1 else "/s^2")


def recorded(flat: Flat, columns: list[Column]) -> list[Column]:
    """The columns that `record` and `outputs` name; a glob that matches nothing is an error."""
    columns = [
        c for c in columns if not c.key[0].endswith(OUTSIDE)
    ]  # what feeds an input has the input's name
    chosen: set[str] = set()
    problems = []
    for k, glob in enumerate(flat.record):
        hits = {*matching(glob, [c.name for c in columns])}
        hits |= {c.name for c in columns if matching(glob, [base_name(c.name)])}
        if not hits and glob != "*":
            fix = did_you_mean(glob, {base_name(c.name) for c in columns})
            problems.append(Problem(f'no signal matches "{glob}"', f"record[{k}]", fix))
        chosen |= hits
    if problems:
        raise CompileError(problems)
    asked = {(ref.block, ref.port) for ref in flat.outputs.values()}
    return [c for c in columns if c.name in chosen or c.key[:2] in asked]


def unseen_plots(program: Program) -> Iterator[Problem]:
    """Plots of what is no signal, or is not recorded: the model runs, the plot will not be drawn."""
    names = {column.name for column in program.columns}
    names |= {base_name(name) for name in names} | {"time"}
    for k, plot in enumerate(program.flat.plots):
        for name in (plot.get("x", "time"), *plot["y"]):
            if not matching(name, names):
                message, path = f'no recorded signal matches "{name}"', f"plots[{k}]"
                fix = did_you_mean(name, names)
                yield program.flat.located(Problem(message, path, fix, severity="warning"))


def base_name(column: str) -> str:
    return column.partition("[")[0]
