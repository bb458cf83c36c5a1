"""`Program`: what a diagram computes, as data: mechanism, model arrays, ordered operations.

A description only: it compiles nothing and starts nothing, and can be printed, compared and sent to another machine.
`started_program.py` finds the first state and gives every scalar its address.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from ...blocks import CompileError
from ...blocks.errors import Problem
from ...blocks.light_dataclass import mutable
from ...blocks.mechanics.bodies import World
from ...blocks.ports import FRAME, SHAFT
from ..codegen.jit import EntryPoint
from ..flatten.flatten import Flat
from ..kernels import model_data as f
from ..kernels.kernel_selection import ENERGY_STATES
from ..kernels.model_data import Model
from ..mechanism.components import (
    Component,
    Spans,
    all_mechanisms,
    all_models,
    all_tables,
    firsts_of,
    places_into,
    spans_of,
)
from ..mechanism.constraint_rows import ConstraintTable, constraint_table
from ..mechanism.mechanism import Mechanism
from ..mechanism.model_build import pack_model
from ..mechanism.spanning_tree import build_tree
from ..mechanism.state_names import free_states, places_of
from ..results.recorded_run import matching
from . import work_space
from .band_checks import check_bands
from .circuit_operations import join_circuits
from .evaluation_stages import DYNAMICS, KINEMATICS, POWERS, REACTIONS, WRENCHES, own_key, stage_key
from .feeding_forward import accelerations_seen
from .flexible_outputs import flexible_operations
from .impact_operations import add_impacts, releases
from .implicit_solution import implicit_solution
from .inverse_dynamics_operations import add_controllers
from .mechanism_operations import MechanismOperations, cylinder_outputs, energy_outputs
from .number_range import check_finite, reporting_overflow
from .operations import TOTAL, Operation, copy_scalars
from .planar_loads import held_loads
from .recorded_columns import (
    Column,
    exposed_columns,
    named_columns,
    output_columns,
    recorded_columns,
    signal_name,
)
from .scalar_places import Key, Scalars
from .schedule import grouped_by_code, schedule
from .signal_operations import SampledUpdate, SignalEmitter
from .switching_functions import SwitchingFunction, crossings_of, initial_columns, standalone_operations
from .tip_velocity_operations import add_tip_jacobians
from .work_space import Place, data_place, of_component
from .work_space_values import InitialSections

ENERGY_RATES = stage_key("energy_rates")


@mutable
class Moved(Component):
    """A component, and what signals mean to it."""

    kernels: dict[str, EntryPoint]
    inputs: int  # numbers that signals hand to it
    driven: set[int]  # its rows whose effort is wired
    given: list[Key]  # what its kinematics needs from signals
    forces: list[Key]  # what signals give to its elements


@mutable
class Program:
    """Description of what one diagram computes."""

    flat: Flat
    components: Sequence[Moved]  # mechanisms that share nothing
    mechanism: Mechanism  # all of them, one behind the other
    model: Model  # with all coordinates free
    constraints: ConstraintTable  # in words
    operations: list[Operation]
    updates: list[Operation]
    ordered: dict[
        str, list[Operation]
    ]  # rates, outputs, ends, updates, decisions, crossings, sides, openings, what rates leave of two, after steps,
    # implicit steps
    switches: list[SwitchingFunction]  # what changes its piece with the state
    sampled: list[SampledUpdate]
    columns: list[Column]
    places: dict[Key, Place]  # places of all signals
    numbers: InitialSections  # initial values of signals
    signal_units: list[str]  # units of the signals' states

    @property
    def driven(self) -> set[int]:
        """Rows whose effort is wired."""
        return {one.spans.rows + row for one in self.components for row in one.driven}

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
        closed = [one.number for one in self.components if one.table.rows]
        made = {
            name: {key for op in self.ordered[name] for key in op.makes}
            for name in ("rates", "updates", "outputs")
        }
        asked = [k for k in closed if own_key(POWERS, k) in made["rates"]]
        apart = {
            name: any(own_key(REACTIONS, k) in made[name] for k in asked) for name in ("updates", "outputs")
        }
        return 0 if apart["updates"] else 1 if apart["outputs"] else 2

    @property
    def releases(self) -> list[str]:
        """Blocks whose decisions may change the state: releases, which close by an impact."""
        return [joint.block for one in self.components for joint in releases(one.mechanism)]

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
    trees = trees_of(flat)
    scalars = Scalars(flat.widths, wire_sources(flat), flat.blocks, accelerations_seen(flat, trees))
    circuits = join_circuits(flat, scalars)
    each = [mechanics_of(flat, k, trees, scalars) for k in range(len(trees))]
    check_bands(flat, trees, [one.table for one in each])
    for one in each:
        one.collect_outputs()
    for one in each:
        build_mechanics(one)
    spans = spans_of(trees, [one.table for one in each], [one.inputs for one in each])
    mechanism = all_mechanisms(flat.parts(), trees, spans)
    models = packed(flat, each)
    components = components_of(each, models, spans)
    emitter = signal_emitter(flat, scalars)
    for one, model in zip(each, models, strict=True):
        add_controllers(one, emitter)
        add_tip_jacobians(one, emitter)
        add_impacts(one, model, emitter)
    # the edges of bands push by what dynamics leaves
    mechanical = [
        (one.key(DYNAMICS if one.banded else KINEMATICS), switch, place)
        for one in each
        for switch, place in one.switches()
    ]
    switches = [*emitter.switches, *(switch for _, switch, _ in mechanical)]
    crossings = [*emitter.crossings, *crossings_of(mechanical, len(emitter.switches), scalars)]
    operations = [
        *circuits,
        *(made for one in each for made in one.operations),
        *energy_outputs([one for one in each if one.mechanism.rows], scalars),
        *held_loads(each, models, scalars, emitter.params),
        *emitter.operations,
    ]
    columns = output_columns(flat, operations)
    columns = recorded_columns(
        flat, [*columns, *named_columns(flat, columns), *exposed_columns(flat, columns)]
    )
    ordered = {
        **scheduled_tables(operations, emitter, columns, crossings, components),
        **after_steps(flat, components),
    }
    ordered |= implicit_tables(ordered["rates"], components, len(emitter.states.values))
    return Program(
        flat=flat,
        components=components,
        mechanism=mechanism,
        model=all_models(models, spans),
        constraints=all_tables([one.table for one in each], spans),
        operations=operations,
        updates=emitter.updates,
        ordered=ordered,
        switches=switches,
        sampled=emitter.sampled,
        columns=columns,
        places=scalars.place,
        numbers=numbers_of(scalars, emitter, switches),
        signal_units=emitter.state_units,
    )


def trees_of(flat: Flat) -> list[Mechanism]:
    """The mechanisms that the blocks' parts and frames make."""
    parts = flat.parts()
    bonds = [((b.a.block, b.a.port), (b.b.block, b.b.port)) for b in flat.bonds if b.kind == FRAME]
    return build_tree(parts, bonds, blocks_with_used_signals(flat))


def mechanics_of(
    flat: Flat, number: int, trees: Sequence[Mechanism], scalars: Scalars
) -> MechanismOperations:
    """Operations of one component's mechanics, and the places that they write."""
    mechanism = trees[number]
    alone, delta_q = len(trees) == 1, flat.simulation.gpme_delta_q
    name = "mechanism" if alone or not mechanism.joints else f"mechanism of {mechanism.joints[0].block}"
    table = constraint_table(mechanism)
    return MechanismOperations(mechanism, scalars, flat.blocks, number, name, table=table, delta_q=delta_q)


def build_mechanics(mechanics: MechanismOperations) -> None:
    """The operations of one component."""
    if mechanics.mechanism.rows:
        mechanics.build()
    mechanics.operations += flexible_operations(mechanics)
    mechanics.operations += mechanics.outputs_of(cylinder_outputs(mechanics.mechanism))


def packed(flat: Flat, each: Sequence[MechanismOperations]) -> list[Model]:
    """The arrays of each component, with all coordinates free."""
    world = flat.blocks["world"]
    assert isinstance(world, World)
    models, states, problems = [], [], list[Problem]()
    for one in each:
        states.append(free_states(one.mechanism))
        try:
            models.append(pack_model(one.mechanism, world.gravity, states[-1], one.first_input, one.table))
            check_finite(flat, models[-1])
        except CompileError as error:
            problems += error.problems
    if problems:
        raise CompileError(problems)
    places_into(models, places_of(states, [one.mechanism for one in each], position_of(flat)))
    return models


def position_of(flat: Flat) -> dict[str, int]:
    """Place of each block in the netlist."""
    return {name: number for number, name in enumerate(flat.blocks)}


def components_of(
    each: Sequence[MechanismOperations], models: Sequence[Model], spans: Sequence[Spans]
) -> list[Moved]:
    return [
        Moved(
            number=one.number, mechanism=one.mechanism, table=one.table, model=model, spans=span, first=first,
            kernels=one.kernels, inputs=one.inputs, driven=one.driven_by_signal, given=one.given, forces=one.forces,
        )
        for one, model, span, first in zip(each, models, spans, firsts_of(models), strict=True)
    ]  # fmt: skip


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
    components: Sequence[Moved],
) -> dict[str, list[Operation]]:
    """Operations of each table, in an order that computes before it uses."""
    rates = rate_keys(operations)
    moving = [one.number for one in components if one.mechanism.rows]
    if moving:
        energies = energy_rates(operations, moving)
        operations = [*operations, *energies]
        rates = [*(own_key(DYNAMICS, k) for k in moving), *rates, *wanted_of(energies)]
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


def after_steps(flat: Flat, components: Sequence[Moved]) -> dict[str, list[Operation]]:
    """Operations of closed mechanisms once a step is taken."""
    closed = [one for one in components if one.table.rows]
    projected = closed if flat.simulation.constraints.method == "projected" else []

    def each(name: str, components: Sequence[Moved]) -> list[Operation]:
        return [
            Operation((own_key(stage_key(name), one.number),), (), one.kernels[name], component=one.number)
            for one in components
        ]

    return {"settles": each("settle", closed), "projections": each("project", projected)}


def implicit_tables(
    rates: Sequence[Operation], components: Sequence[Moved], signal_states: int
) -> dict[str, list[Operation]]:
    """Factors and solutions of the equations of implicit steps of the mechanisms that sweeps solve; notes which these
    are in their models.
    """
    swept = implicit_solution(rates, [one.model for one in components], signal_states).swept
    if not swept:
        return {"factors": [], "solves": []}
    from ..kernels.tangent_sweep import factor_tangent, solve_tangent

    for k in swept:
        components[k].model.option[f.O_SWEPT] = 1
    length = stage_key("h gamma")
    places = [of_component(data_place("scalar", f.H_GAMMA), k) for k in swept]

    def each(name: str, code: EntryPoint) -> list[Operation]:
        return [Operation((own_key(stage_key(name), k),), (), code, component=k) for k in swept]

    return {
        "factors": [
            copy_scalars(length, (), [(place, work_space.H_GAMMA) for place in places]),
            *each("factors", factor_tangent),
        ],
        "solves": each("solves", solve_tangent),
    }


def rate_keys(operations: list[Operation]) -> list[Key]:
    """Keys of all rates of states."""
    return [key for operation in operations for key in operation.makes if key[1].startswith("@der")]


def energy_rates(operations: list[Operation], moving: Sequence[int]) -> list[Operation]:
    """The powers of all mechanisms are rates of their energies."""
    made = {key for operation in operations for key in operation.makes}
    told = [own_key(POWERS, k) in made for k in moving]
    needs = tuple(own_key(POWERS if asked else DYNAMICS, k) for k, asked in zip(moving, told, strict=True))
    places_of_powers = [
        [of_component(data_place("scalar", f.DRIVE_POWER + j), k) for k in moving]
        for j in range(ENERGY_STATES)
    ]
    if len(moving) == 1:
        pairs = [((work_space.POWERS, j), power) for j, (power,) in enumerate(places_of_powers)]
        return [copy_scalars(ENERGY_RATES, needs, pairs)]
    return [
        Operation(
            (stage_key("energy_rates", j),),
            needs,
            TOTAL,
            ((work_space.POWERS, j), len(powers), *powers),
            label="energies",
        )
        for j, powers in enumerate(places_of_powers)
    ]


def wanted_of(operations: list[Operation]) -> list[Key]:
    """Keys that the operations make."""
    return [key for operation in operations for key in operation.makes]


def element_keys(operations: list[Operation], port: str) -> list[Key]:
    """Keys that stand for all elements of a block."""
    return [key for operation in operations for key in operation.makes if key[1] == port]


def blocks_with_used_signals(flat: Flat) -> set[str]:
    """Names of blocks with a signal that is wired, recorded by name or plotted; frames and reactions do not count."""
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
