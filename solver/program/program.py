"""`Program`: what a diagram computes, as data: mechanism, model arrays, ordered operations.

A description only: it compiles nothing and starts nothing, and can be printed, compared and sent to another machine.
`started_program.py` finds the first state and gives every scalar its address.
"""

from __future__ import annotations

from functools import cached_property

from ...blocks.light_dataclass import mutable
from ...blocks.mechanics.bodies import World
from ...blocks.ports import FRAME, SHAFT
from ..codegen.jit import EntryPoint
from ..flatten.flatten import Flat
from ..kernels import model_data as f
from ..kernels.kernel_selection import ENERGY_STATES
from ..kernels.model_data import Model
from ..mechanism.constraint_rows import ConstraintTable, constraint_table
from ..mechanism.mechanism import Mechanism
from ..mechanism.model_build import pack_model
from ..mechanism.spanning_tree import build_tree
from ..mechanism.state_names import free_states
from ..results.recorded_run import matching
from . import work_space
from .circuit_operations import join_circuits
from .evaluation_stages import DYNAMICS, KINEMATICS, POWERS, REACTIONS, WRENCHES, stage_key
from .flexible_outputs import flexible_operations
from .inverse_dynamics_operations import add_controllers
from .mechanism_operations import MechanismOperations, cylinder_outputs
from .number_range import check_finite, reporting_overflow
from .operations import Operation, copy_scalars
from .recorded_columns import Column, named_columns, output_columns, recorded_columns, signal_name
from .scalar_places import Key, Scalars
from .schedule import grouped_by_code, schedule
from .signal_operations import SampledUpdate, SignalEmitter
from .switching_functions import SwitchingFunction, crossings_of, initial_columns, standalone_operations
from .work_space import Place, data_place
from .work_space_values import InitialSections

ENERGY_RATES = stage_key("energy_rates")


@mutable
class Program:
    """Description of what one diagram computes."""

    flat: Flat
    mechanism: Mechanism
    model: Model  # with all coordinates free
    constraints: ConstraintTable  # in words
    kernels: dict[str, EntryPoint]
    inputs: int  # number of entries of Data.inputs
    driven: set[int]  # rows whose effort is wired
    given: list[Key]  # keys that kinematics needs from signals
    forces: list[Key]  # keys that force elements need from signals
    operations: list[Operation]
    updates: list[Operation]
    ordered: dict[
        str, list[Operation]
    ]  # rates, outputs, ends, updates, decisions, crossings, sides, openings, and what rates leave of two
    switches: list[SwitchingFunction]  # switching functions of the state
    sampled: list[SampledUpdate]
    columns: list[Column]
    places: dict[Key, Place]  # places of all signals
    numbers: InitialSections  # initial values of signals
    signal_units: list[str]  # units of the signals' states

    @property
    def openings(self) -> bool:
        """True if valves open with the state."""
        return any(switch.opening for switch in self.switches)

    @property
    def updated(self) -> bool:
        """True if blocks write memories at the start, and from step to step of the grid with any method."""
        blocks = self.flat.blocks.values()
        return bool(self.sampled) or any("decide" in b.instance_functions() and not b.follows for b in blocks)

    @cached_property
    def shared(self) -> int:
        """Uses of one evaluation after a step and at the start of the next: 1 updates, 2 rows as well, 0 none.

        Neither rates nor decisions may depend on what blocks write after a step. Powers of a closed mechanism compute
        the multipliers again, with other rounding: there reactions are evaluated separately.
        """
        writers = {one.block for one in self.sampled} | {key[0] for op in self.updates for key in op.makes}
        asked = (key for name in ("rates", "decisions") for op in self.ordered[name] for key in op.makes)
        if any(switch.decided for switch in self.switches) or any(key[0] in writers for key in asked):
            return 0
        closed = bool(self.constraints.rows) and any(POWERS in op.makes for op in self.ordered["rates"])
        apart = {
            name: closed and any(REACTIONS in op.makes for op in self.ordered[name])
            for name in ("updates", "outputs")
        }
        return 0 if apart["updates"] else 1 if apart["outputs"] else 2

    @property
    def trailing(self) -> int:
        """Number of energies behind the states, on which nothing depends."""
        return ENERGY_STATES if self.mechanism.rows else 0

    @property
    def param_names(self) -> list[str]:
        """Names of the parameters."""
        return self.numbers.params.names

    @property
    def memory_names(self) -> list[str]:
        """Names of the memories."""
        return self.numbers.memory.names


def make_program(flat: Flat) -> Program:
    """Describe what flat blocks compute: arrays and operations, without machine code."""
    with flat.telling_places(), reporting_overflow(flat):
        return _described(flat)


def _described(flat: Flat) -> Program:
    """Program of a flat netlist."""
    mechanism = tree_of(flat)
    table = constraint_table(mechanism)
    scalars = Scalars(flat.widths, wire_sources(flat), flat.blocks)
    mechanics = mechanics_of(flat, mechanism, table, scalars)
    model = packed(flat, mechanics)
    emitter = signal_emitter(flat, scalars)
    add_controllers(mechanics, emitter)
    mechanical = [*mechanics.switches()]
    switches = [*emitter.switches, *(switch for switch, _ in mechanical)]
    crossings = [*emitter.crossings, *crossings_of(mechanical, KINEMATICS, len(emitter.switches), scalars)]
    operations = [*mechanics.operations, *emitter.operations]
    columns = output_columns(flat, operations)
    columns = recorded_columns(flat, [*columns, *named_columns(flat, columns)])
    return Program(
        flat=flat,
        mechanism=mechanism,
        model=model,
        constraints=table,
        kernels=mechanics.kernels,
        inputs=mechanics.inputs,
        driven=mechanics.driven_by_signal,
        given=mechanics.given,
        forces=mechanics.forces,
        operations=operations,
        updates=emitter.updates,
        ordered=scheduled_tables(operations, emitter, columns, crossings, bool(mechanism.rows)),
        switches=switches,
        sampled=emitter.sampled,
        columns=columns,
        places=scalars.place,
        numbers=numbers_of(scalars, emitter, switches),
        signal_units=emitter.state_units,
    )


def tree_of(flat: Flat) -> Mechanism:
    """Mechanism from the blocks' parts and frames."""
    parts = {name: block.parts() for name, block in flat.blocks.items()}
    bonds = [((b.a.block, b.a.port), (b.b.block, b.b.port)) for b in flat.bonds if b.kind == FRAME]
    return build_tree(parts, bonds, busy_blocks(flat))


def mechanics_of(
    flat: Flat, mechanism: Mechanism, table: ConstraintTable, scalars: Scalars
) -> MechanismOperations:
    """Operations around the kernels, and those that sum flows and torques."""
    mechanics = MechanismOperations(
        mechanism, scalars, flat.blocks, table=table, delta_q=flat.simulation.gpme_delta_q
    )
    mechanics.operations += join_circuits(flat, scalars)
    if mechanism.rows:
        mechanics.build()
    mechanics.operations += flexible_operations(mechanism, scalars)
    mechanics.operations += scalars.outputs(cylinder_outputs(mechanism))
    return mechanics


def packed(flat: Flat, mechanics: MechanismOperations) -> Model:
    """`Model` of the mechanism with all coordinates free."""
    world = flat.blocks["world"]
    assert isinstance(world, World)
    mechanism = mechanics.mechanism
    model = pack_model(
        mechanism, world.gravity, free_states(mechanism), mechanics.first_input, mechanics.table
    )
    check_finite(flat, model)
    return model


def signal_emitter(flat: Flat, scalars: Scalars) -> SignalEmitter:
    """Emitter with all blocks added."""
    emitter = SignalEmitter(scalars, flat.simulation.step)
    for block in flat.blocks.values():
        emitter.add(block)
    return emitter


def numbers_of(
    scalars: Scalars, emitter: SignalEmitter, switches: list[SwitchingFunction]
) -> InitialSections:
    """Initial sections, once all operations are written."""
    return InitialSections(
        params=emitter.params, memory=emitter.memory, states=emitter.states, work=emitter.work,
        sides=initial_columns(switches), constants=[*scalars.constants],
        signals=scalars.signals, packed=scalars.packed,
    )  # fmt: skip


def scheduled_tables(
    operations: list[Operation],
    emitter: SignalEmitter,
    columns: list[Column],
    crossings: list[Operation],
    moving: bool,
) -> dict[str, list[Operation]]:
    """Operations of each table, in an order that computes before it uses."""
    rates = rate_keys(operations)
    if moving:
        energies = energy_rates(operations)
        operations = [*operations, energies]
        rates = [DYNAMICS, *rates, *energies.makes]
    goals = {
        "rates": rates,
        "outputs": [column.key for column in columns],
        "ends": element_keys(emitter.ends, "@end"),
        "updates": [(sampled.block, "@update", 0, 0) for sampled in emitter.sampled],
        "decisions": element_keys(emitter.decisions, "@decide"),
    }
    more = {"ends": emitter.ends, "updates": emitter.updates, "decisions": emitter.decisions}
    ordered = {
        name: grouped_by_code(schedule([*operations, *more.get(name, ())], wanted))
        for name, wanted in goals.items()
    }
    openings = [
        made for made, switch in zip(emitter.crossings, emitter.switches, strict=True) if switch.opening
    ]
    ordered["crossings"] = grouped_by_code(schedule([*operations, *crossings], wanted_of(crossings)))
    ordered["sides"] = grouped_by_code(standalone_operations(crossings))
    ordered["openings"] = grouped_by_code(schedule([*operations, *openings], wanted_of(openings)))
    known = {id(operation) for operation in ordered["rates"]}
    for name in ("updates", "outputs"):
        ordered[f"late_{name}"] = [operation for operation in ordered[name] if id(operation) not in known]
    return ordered


def rate_keys(operations: list[Operation]) -> list[Key]:
    """Keys of all rates of states."""
    return [key for operation in operations for key in operation.makes if key[1].startswith("@der")]


def energy_rates(operations: list[Operation]) -> Operation:
    """Operation that copies the powers of the mechanism to the rates of its energies."""
    told = any(POWERS in operation.makes for operation in operations)
    pairs = [((work_space.POWERS, j), data_place("scalar", f.DRIVE_POWER + j)) for j in range(ENERGY_STATES)]
    return copy_scalars(ENERGY_RATES, (POWERS if told else DYNAMICS,), pairs)


def wanted_of(operations: list[Operation]) -> list[Key]:
    """Keys that the operations make."""
    return [key for operation in operations for key in operation.makes]


def element_keys(operations: list[Operation], port: str) -> list[Key]:
    """Keys that stand for all elements of a block."""
    return [key for operation in operations for key in operation.makes if key[1] == port]


def busy_blocks(flat: Flat) -> set[str]:
    """Blocks with more than frames and wrenches wired, recorded by name or plotted."""
    busy = {wire.target.block for wire in flat.wires}
    busy |= {wire.source.block for wire in flat.wires if wire.source.port not in WRENCHES}
    busy |= {end.block for bond in flat.bonds if bond.kind == SHAFT for end in (bond.a, bond.b)}
    named = [signal_name(text) for plot in flat.plots for text in plot["y"]]
    named += [glob for glob in flat.record if glob != "*"]
    for name, block in flat.blocks.items():
        own = [
            port for port, kind in block.ports().items() if kind.direction == "out" and port not in WRENCHES
        ]
        if any(matching(glob, [f"{name}.{port}" for port in own]) for glob in named):
            busy.add(name)
    return busy


def wire_sources(flat: Flat) -> dict[tuple[str, str, int], tuple[str, str, int]]:
    """Output element behind each wired input element."""
    return {
        (wire.target.block, wire.target.port, to): (wire.source.block, wire.source.port, at)
        for wire in flat.wires
        for at, to in zip(wire.source_elements, wire.target_elements, strict=True)
    }
