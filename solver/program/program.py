"""`Program`: what a diagram computes, as data: mechanism, model arrays, operations in their order.

A description alone: it compiles nothing and starts nothing, and can be printed, compared and sent to another machine.
`started.py` finds the first state, and gives every scalar its address.
"""

from __future__ import annotations

from functools import cached_property

from ...blocks.mechanics.bodies import World
from ...blocks.ports import FRAME, SHAFT
from ...blocks.record import mutable
from ..flat.flatten import Flat
from ..kernels.chosen import ENERGY_STATES
from ..machine import fields as f
from ..machine.fields import Model
from ..machine.jit import EntryPoint
from ..mechanism.constraint_table import ConstraintTable, constraint_table
from ..mechanism.mechanism import Mechanism
from ..mechanism.model import pack
from ..mechanism.spanning import build
from ..mechanism.states import free_states
from ..result.recorded import matching
from ..table import places
from ..table.operations import Operation, copy
from ..table.places import Place, cell
from ..table.schedule import grouped, schedule
from .circuits import join_circuits
from .columns import Column, base_name, named_columns, output_columns, recorded
from .elastic import elastic_operations
from .mechanics import Mechanics, cylinder_outputs
from .model_control import add_controllers
from .numbers import Numbers
from .overflow import check_finite, telling_overflow
from .scalars import Key, Scalars
from .signals import Emitter, Sampled
from .steps import DYNAMICS, KINEMATICS, POWERS, REACTIONS, WRENCHES, token
from .switches import SwitchingFunction, alone, columns_of, crossings_of

ENERGY_RATES = token("energy_rates")


@mutable
class Program:
    """What one diagram computes."""

    flat: Flat
    mechanism: Mechanism
    model: Model  # with all coordinates free
    constraints: ConstraintTable  # in words
    kernels: dict[str, EntryPoint]
    inputs: int  # numbers that signals hand to the mechanism
    driven: set[int]  # rows whose effort is wired
    given: list[Key]  # what kinematics needs from signals
    forces: list[Key]  # what signals give to elements
    operations: list[Operation]
    updates: list[Operation]
    ordered: dict[
        str, list[Operation]
    ]  # rates, outputs, ends, updates, decisions, crossings, sides, openings, and what rates leave of two
    switches: list[SwitchingFunction]  # what changes its piece with the state
    sampled: list[Sampled]
    columns: list[Column]
    places: dict[Key, Place]  # of all signals
    numbers: Numbers  # what signals begin with
    signal_units: list[str]  # of their states

    @property
    def openings(self) -> bool:
        """Whether valves open with the state."""
        return any(switch.opening for switch in self.switches)

    @property
    def updated(self) -> bool:
        """Whether blocks write memories at the start, and from step to step of the grid with any method."""
        blocks = self.flat.blocks.values()
        return bool(self.sampled) or any("decide" in b.instance_functions() and not b.follows for b in blocks)

    @cached_property
    def shared(self) -> int:
        """What one evaluation, after a step and at the start of the next, serves: 1 updates, 2 rows as well, 0 nothing.

        Neither the rates nor what is decided may hang on what blocks write after a step. Powers of a closed mechanism
        find multipliers again, which rounds them otherwise: reactions there are evaluated apart.
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
        """Energies behind the states, on which nothing depends."""
        return ENERGY_STATES if self.mechanism.rows else 0

    @property
    def param_names(self) -> list[str]:
        return self.numbers.params.names

    @property
    def memory_names(self) -> list[str]:
        return self.numbers.memory.names


def make_program(flat: Flat) -> Program:
    """Describe what flat blocks compute: arrays and operations, with no machine code."""
    with flat.telling_places(), telling_overflow(flat):
        return _described(flat)


def _described(flat: Flat) -> Program:
    mechanism = tree_of(flat)
    table = constraint_table(mechanism)
    scalars = Scalars(flat.widths, wire_sources(flat), flat.blocks)
    mechanics = mechanics_of(flat, mechanism, table, scalars)
    model = packed(flat, mechanics)
    emitter = emitted(flat, scalars)
    add_controllers(mechanics, emitter)
    mechanical = [*mechanics.switches()]
    switches = [*emitter.switches, *(switch for switch, _ in mechanical)]
    crossings = [*emitter.crossings, *crossings_of(mechanical, KINEMATICS, len(emitter.switches), scalars)]
    operations = [*mechanics.operations, *emitter.operations]
    columns = output_columns(flat, operations)
    columns = recorded(flat, [*columns, *named_columns(flat, columns)])
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
        ordered=in_order(operations, emitter, columns, crossings, bool(mechanism.rows)),
        switches=switches,
        sampled=emitter.sampled,
        columns=columns,
        places=scalars.place,
        numbers=numbers_of(scalars, emitter, switches),
        signal_units=emitter.state_units,
    )


def tree_of(flat: Flat) -> Mechanism:
    """The mechanism that the blocks' parts and frames make."""
    parts = {name: block.parts() for name, block in flat.blocks.items()}
    bonds = [((b.a.block, b.a.port), (b.b.block, b.b.port)) for b in flat.bonds if b.kind == FRAME]
    return build(parts, bonds, busy_blocks(flat))


def mechanics_of(flat: Flat, mechanism: Mechanism, table: ConstraintTable, scalars: Scalars) -> Mechanics:
    """Operations around the kernels, and those that add up flows and torques."""
    mechanics = Mechanics(mechanism, scalars, flat.blocks, table=table, delta_q=flat.simulation.gpme_delta_q)
    mechanics.operations += join_circuits(flat, scalars)
    if mechanism.rows:
        mechanics.build()
    mechanics.operations += elastic_operations(mechanism, scalars)
    mechanics.operations += scalars.outputs(cylinder_outputs(mechanism))
    return mechanics


def packed(flat: Flat, mechanics: Mechanics) -> Model:
    """The arrays of the mechanism, with all coordinates free."""
    world = flat.blocks["world"]
    assert isinstance(world, World)
    mechanism = mechanics.mechanism
    model = pack(mechanism, world.gravity, free_states(mechanism), mechanics.first_input, mechanics.table)
    check_finite(flat, model)
    return model


def emitted(flat: Flat, scalars: Scalars) -> Emitter:
    emitter = Emitter(scalars, flat.simulation.step)
    for block in flat.blocks.values():
        emitter.add(block)
    return emitter


def numbers_of(scalars: Scalars, emitter: Emitter, switches: list[SwitchingFunction]) -> Numbers:
    """What was handed out while the operations were written."""
    return Numbers(
        params=emitter.params, memory=emitter.memory, states=emitter.states, work=emitter.work,
        sides=columns_of(switches), constants=[*scalars.constants],
        signals=scalars.signals, packed=scalars.packed,
    )  # fmt: skip


def in_order(
    operations: list[Operation],
    emitter: Emitter,
    columns: list[Column],
    crossings: list[Operation],
    moving: bool,
) -> dict[str, list[Operation]]:
    """The operations of each table, in an order that computes before it uses."""
    rates = rate_keys(operations)
    if moving:
        energies = energy_rates(operations)
        operations = [*operations, energies]
        rates = [DYNAMICS, *rates, *energies.makes]
    goals = {
        "rates": rates,
        "outputs": [column.key for column in columns],
        "ends": whole(emitter.ends, "@end"),
        "updates": [(sampled.block, "@update", 0, 0) for sampled in emitter.sampled],
        "decisions": whole(emitter.decisions, "@decide"),
    }
    more = {"ends": emitter.ends, "updates": emitter.updates, "decisions": emitter.decisions}
    ordered = {
        name: grouped(schedule([*operations, *more.get(name, ())], wanted)) for name, wanted in goals.items()
    }
    openings = [
        made for made, switch in zip(emitter.crossings, emitter.switches, strict=True) if switch.opening
    ]
    ordered["crossings"] = grouped(schedule([*operations, *crossings], wanted_of(crossings)))
    ordered["sides"] = grouped(alone(crossings))
    ordered["openings"] = grouped(schedule([*operations, *openings], wanted_of(openings)))
    known = {id(operation) for operation in ordered["rates"]}
    for name in ("updates", "outputs"):
        ordered[f"late_{name}"] = [operation for operation in ordered[name] if id(operation) not in known]
    return ordered


def rate_keys(operations: list[Operation]) -> list[Key]:
    return [key for operation in operations for key in operation.makes if key[1].startswith("@der")]


def energy_rates(operations: list[Operation]) -> Operation:
    """The powers of a mechanism are rates of its energies."""
    told = any(POWERS in operation.makes for operation in operations)
    pairs = [((places.POWERS, j), cell("scalar", f.DRIVE_POWER + j)) for j in range(ENERGY_STATES)]
    return copy(ENERGY_RATES, (POWERS if told else DYNAMICS,), pairs)


def wanted_of(operations: list[Operation]) -> list[Key]:
    return [key for operation in operations for key in operation.makes]


def whole(operations: list[Operation], port: str) -> list[Key]:
    """The keys that stand for all elements of a block."""
    return [key for operation in operations for key in operation.makes if key[1] == port]


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


def wire_sources(flat: Flat) -> dict[tuple[str, str, int], tuple[str, str, int]]:
    return {
        (wire.target.block, wire.target.port, to): (wire.source.block, wire.source.port, at)
        for wire in flat.wires
        for at, to in zip(wire.source_elements, wire.target_elements, strict=True)
    }
