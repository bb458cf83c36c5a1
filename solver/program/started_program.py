"""`Started`: a program with its first state and an address for every scalar. Starting compiles and runs kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cached_property

import numpy as np

from ...blocks.light_dataclass import mutable
from ...blocks.multibody_parts import AtRest
from ..codegen.source_functions import Function
from ..diagram.run_settings import APART, nearest_multiple
from ..flatten.flatten import Flat
from ..initial.assembly import given_values
from ..initial.coordinate_partition import RankReport, rows_called
from ..initial.initial_state import (
    AssembledOrigin,
    InitialState,
    SignalDemands,
    assemble_start,
    begin_unassembled,
    begins_unassembled,
    load_initial,
    preload_feet,
)
from ..initial.static_report import StaticReport, Way
from ..integrators.preload import entry_points_of_run, load_entry_points
from ..kernels import model_data as f
from ..kernels.model_data import Data, Model, all_data, new_data
from ..mechanism.components import all_models, places_into
from ..mechanism.friction_advice import friction_warnings
from ..mechanism.state_names import free_states, places_of
from .evaluation_stages import DYNAMICS, KINEMATICS, SENSE, has_step, own_key
from .initial_pressures import load_carrying_pressures
from .interpreter import Evaluation, interpret
from .inverse_dynamics_operations import check_controllers
from .number_range import reporting_overflow
from .operations import CallTable, Key, Operation, table_of
from .program import Moved, Program, make_program, position_of
from .schedule import makers, scheduled
from .signal_operations import SampledUpdate
from .work_space import Sections


@mutable
class StartedComponent(Moved):
    """A component with its first state."""

    data: Data
    origin: AssembledOrigin | None  # of one with constraints, to return to


@mutable
class Started(Program):
    """Everything that a run of one diagram needs; `Instance` makes its own arrays from it."""

    components: Sequence[StartedComponent]  # type: ignore[reportIncompatibleVariableOverride]
    described: Program  # what was started
    starts: Sequence[InitialState]  # of each component
    data: Data  # of all components
    state_names: list[str]
    state_units: list[str]
    x0: np.ndarray
    params: np.ndarray
    mechanical: int  # number of mechanical states
    report: RankReport | None  # rank of all constraints; None for trees
    static: StaticReport | None
    notes: list[str]  # what was found at the start
    sections: Sections
    work_space: np.ndarray  # work space with the initial numbers
    tables: dict[str, CallTable]  # tables of all operations
    record: np.ndarray  # places of the recorded columns
    begun: bool = True  # False if the first state was found with other numbers

    @property
    def closed(self) -> bool:
        """True if there are constraints."""
        return any(one.origin is not None for one in self.components)

    def like(self, other: Started) -> bool:
        """True if the other program differs in numbers only."""
        return self.tables is other.tables or (
            all(_same_table(table, other.tables[name]) for name, table in self.tables.items())
            and self.sections.first == other.sections.first
            and len(self.columns) == len(other.columns)
            and len(self.components) == len(other.components)
            and all(_same_shapes(a, b) for a, b in zip(self.components, other.components, strict=True))
        )


def _same_shapes(a: StartedComponent, b: StartedComponent) -> bool:
    shapes = zip((*a.model, *a.data), (*b.model, *b.data), strict=True)
    return np.array_equal(a.model.option, b.model.option) and all(
        one.shape == two.shape for one, two in shapes
    )


def _same_table(a: CallTable, b: CallTable) -> bool:
    """True if two tables have the same code and places."""
    codes = [[call.code for call in table.calls] for table in (a, b)]
    return codes[0] == codes[1] and np.array_equal(a.places, b.places)


def started(flat: Flat) -> Started:
    """Describe and start what flat blocks compute."""
    return start_program(make_program(flat))


def start_program(program: Program, starts: Sequence[InitialState] = ()) -> Started:
    """Find the first state, those of the mechanisms where they are not known yet; the program stays as it is."""
    with program.flat.telling_places(), reporting_overflow(program.flat):
        return _started(program, starts or first_states(program))


def _started(program: Program, starts: Sequence[InitialState]) -> Started:
    for one, start in zip(program.components, starts, strict=True):
        check_controllers(one.mechanism, one.table, start)
    names, units, initial = ordered_states(program, starts)
    signals = load_carrying_pressures(program, starts)
    x0 = np.array([*initial, *signals], float)
    numbers, each = program.numbers, [start.data for start in starts]
    for data in each:
        data.scalar[[f.EVALUATIONS, f.ROUNDS]] = 0.0  # they count from the start on
    sections = numbers.sections(each, len(names), program.trailing)
    described = {field.name: getattr(program, field.name) for field in fields(Program)}
    model = all_models([start.model for start in starts], [one.spans for one in program.components])
    return Started(
        **{**described, "model": model, "components": begun(program, starts)},
        described=program,
        starts=starts,
        data=all_data(each, len(names)),
        state_names=[*names, *numbers.states.names],
        state_units=[*units, *program.signal_units],
        x0=x0,
        params=np.array(numbers.params.values),
        mechanical=len(names),
        report=all_reports(starts),
        static=all_at_rest(program, starts),
        notes=all_notes(program, starts),
        sections=sections,
        work_space=numbers.filled(sections),
        tables={name: table_of(ordered, sections) for name, ordered in program.ordered.items()},
        record=np.array([sections.at(program.places[column.key]) for column in program.columns], np.int64),
    )


def begun(program: Program, starts: Sequence[InitialState]) -> list[StartedComponent]:
    return [
        StartedComponent(
            **{field.name: getattr(one, field.name) for field in fields(Moved) if field.name != "model"},
            model=start.model, data=start.data, origin=start.origin,
        )
        for one, start in zip(program.components, starts, strict=True)
    ]  # fmt: skip


def ordered_states(
    program: Program, starts: Sequence[InitialState]
) -> tuple[list[str], list[str], list[float]]:
    """Names, units and first values of all mechanical states; models learn where theirs stand."""
    each = [start.states for start in starts]
    places = places_of(each, [one.mechanism for one in program.components], position_of(program.flat))
    places_into([start.model for start in starts], places)
    for start in starts:
        if start.origin is not None:
            start.origin.state[:] = start.model.state
    told: list[tuple[int, str, str, float]] = []
    for states, own in zip(each, places, strict=True):
        for k, place in enumerate(own.tolist()):
            told.append((place, states.names[k], states.units[k], states.initial[k]))
    told.sort()
    return [name for _, name, _, _ in told], [unit for _, _, unit, _ in told], [value for *_, value in told]


def first_states(program: Program) -> list[InitialState]:
    """Assembled, or at rest, where there is something to solve for; else as they are given."""
    flat = program.flat
    check_names(program)
    whole = Model(*(array.copy() for array in program.model))
    models = [one.of(whole) for one in program.components]
    starts: list[InitialState | None] = [None] * len(models)
    feeding = StartSignals(program, starts)
    for number in start_order(program):
        one, model = program.components[number], models[number]
        if one.table.rows or flat.initial.solve == "static":
            load_entry_points(
                entry_points_of_run([one.kernels], flat.simulation.method, flat.simulation.events)
            )
            way = begin_unassembled if begins_unassembled(model, flat.initial) else assemble_start
            fed = feeding.of(number)
            starts[number] = way(one.mechanism, one.table, fed, model, flat.simulation, flat.initial)
            continue
        states = free_states(one.mechanism)
        sizes = (len(one.table.targets), 0, one.table.depth, len(one.table.choices))
        data = new_data(model, one.mechanism.quats, one.inputs, *sizes)
        load_initial(states, data, model)
        preload_feet(states, model, data)
        starts[number] = InitialState(states, model, data, blind=flat.initial.solve != "static")
    return [start for start in starts if start is not None]


def check_names(program: Program) -> None:
    """Dependent coordinates that the netlist names exist."""
    names = program.mechanism.coordinate_names()
    for name in program.flat.simulation.constraints.dependent or () if program.constraints.rows else ():
        rows_called(name, names)


def start_order(program: Program) -> list[int]:
    """Components in an order in which each finds those started that its own start hangs on."""
    count = len(program.components)
    if count == 1:
        return [0]
    before = started_before(program)
    order = [k for k in range(count) if before[k] <= {k}]
    while len(order) < count:
        known, left = {*order}, [k for k in range(count) if k not in order]
        order += [k for k in left if before[k] <= {*known, k}] or left
    return order


def started_before(program: Program) -> list[set[int]]:
    """Components that the kinematics of each one reads."""
    number_of = {own_key(KINEMATICS, one.number): one.number for one in program.components}
    maker = makers(program.operations)
    return [
        {number_of[key] for op in scheduled(maker, one.given) for key in op.makes if key in number_of}
        for one in program.components
    ]


def fed_blocks(program: Program) -> set[str]:
    """Blocks whose numbers the first states of the mechanisms hang on, beside those of the mechanisms themselves."""
    feeding = StartSignals(program, [None] * len(program.components))
    static = program.flat.initial.solve == "static"
    asked = [one.number for one in program.components if one.table.rows or static]
    return {block for number in asked for block in feeding.of(number).blocks}


def linked_at_start(program: Program) -> bool:
    """True if the first state of a mechanism depends on another mechanism."""
    count = len(program.components)
    return count > 1 and any(before - {k} for k, before in enumerate(started_before(program)))


class StartSignals:
    """Signals that the first state of a component needs: those that kinematics reads, run once as plain Python,
    with all components that were started before."""

    def __init__(self, program: Program, starts: Sequence[InitialState | None]):
        self.program, self.starts = program, starts
        self.maker = makers([*program.operations, *program.updates])

    @cached_property
    def updates(self) -> list[Key]:
        """Updates of sampled blocks that see no motion."""
        return self._motionless_keys((one.block, "@update", 0, 0) for one in self.program.sampled)

    def _motionless_keys(self, keys: Iterable[Key]) -> list[Key]:
        """Keys whose operations do not depend on the motion."""
        return [key for key in keys if not has_step(self._made(key), KINEMATICS)]

    def _made(self, key: Key) -> set[Key]:
        """Keys of all operations that a key needs, itself included."""
        return made_for(self.maker, key)

    def of(self, number: int) -> SignalDemands:
        """Demands of a component at its first state: inputs, driven coordinates, and the function that fills them."""
        one, numbers = self.program.components[number], self.program.numbers
        # a search for rest feels forces too
        forces = self._motionless_keys(one.forces) if self.program.flat.initial.solve == "static" else []
        ordered = scheduled(self.maker, [*self.updates, *one.given, *forces])

        def fill(model: Model, data: Data) -> None:
            models, each, x = self._present_components(number, model, data, ordered)
            interpret(ordered, numbers, models, each, x)

        follow, placed = self._forces_by_place(one)
        return SignalDemands(
            one.inputs, one.driven, bool(one.given), fill, follow, numbers.owners([*ordered, *placed])
        )

    def _forces_by_place(self, one: Moved) -> tuple[Callable[[Model, Data, float], None], list[Operation]]:
        """Forces that signals give by where bodies are, as the run has them at t = 0 with all at rest: wind, say.

        Signals that hang on accelerations or reactions are left out: at rest nobody knows them yet.
        """
        # blocks that say what they exert at rest are asked for it there (`initial/static_loads.py`)
        told = {placed.block for placed in one.mechanism.others_of(AtRest)}
        felt = (key for key in applied_inputs(one) if self.maker[key].label.rpartition(".")[0] not in told)
        made = {key: self._made(key) for key in felt}
        keys = [key for key in made if has_step(made[key], KINEMATICS) and not has_step(made[key], DYNAMICS)]
        if not keys:
            return (lambda m, d, share: None), []
        # bodies stand where the search has put them: what is left is what sensors see there, and signals
        ordered = [
            each for each in scheduled(self.maker, keys) if has_step(each.makes, SENSE) or not moves(each)
        ]
        places = [key[2] for key in keys]

        made: list[tuple[Data, Evaluation]] = []  # for the data of the present search

        def follow(m: Model, d: Data, share: float) -> None:
            if not made or made[0][0] is not d:
                models, each, x = self._present_components(one.number, m, d, ordered)
                made[:] = [(d, Evaluation(ordered, self.program.numbers, models, each, x, compiled=True))]
            evaluation = made[0][1]
            evaluation.run()
            d.inputs[places] = share * evaluation.data[one.number].inputs[places]

        return follow, ordered

    def _present_components(
        self, number: int, model: Model, data: Data, ordered: Sequence[Operation]
    ) -> tuple[list[Model], list[Data | None], list[float]]:
        """Models and data of the components whose kernels run, or whose numbers are read, and their states, while one
        of them is started."""
        asked = {each.component for each in ordered} | {
            int(entry[0].partition("@")[2] or 0)
            for each in ordered
            for entry in each.entries
            if isinstance(entry, tuple)
        }
        models, each, x = list[Model](), list[Data | None](), list[float]()
        for one, start in zip(self.program.components, self.starts, strict=True):
            if one.number == number:
                models.append(model)
                each.append(data)
            elif one.number not in asked:
                models.append(one.model)
                each.append(None)
            elif start is None:
                models.append(one.model)
                sizes = (len(one.table.targets), 0, one.table.depth, len(one.table.choices))
                each.append(new_data(one.model, one.mechanism.quats, one.inputs, *sizes))
            else:
                state = start.model.state.copy()
                state[:, f.ST_AT] = len(x) + np.arange(len(state))
                models.append(start.model._replace(state=state))
                each.append(Data(*(array.copy() for array in start.data)))
                x += start.states.initial
        return models, each, x


def left_out_of_statics(program: Program) -> list[str]:
    """Forces of signals that a search for rest leaves out: efforts of drives in joints that nothing holds, forces that
    hang on accelerations.
    """
    mechanism = program.mechanism
    held, names = (
        given_values(mechanism, tuple(program.flat.initial.hold)).positions,
        mechanism.coordinate_names(),
    )
    driven = sorted({names[row] for row in program.driven if not held[row]})
    return [
        *(f"the effort that signals give {name}" for name in driven),
        *(
            f"the force that signals give {name}, since it hangs on accelerations"
            for name in blocks_with_unknown_forces(program)
        ),
    ]


def signal_forces(program: Program) -> list[str]:
    """Blocks whose forces follow from signals at a place: a search for rest takes them as at t = 0."""
    maker = makers([*program.operations, *program.updates])
    keys = [key for one in program.components for key in applied_inputs(one)]
    without = blocks_with_unknown_forces(program)
    return [
        name
        for name in dict.fromkeys(maker[key].label.rpartition(".")[0] for key in keys)
        if name not in without
    ]


def blocks_with_unknown_forces(program: Program) -> list[str]:
    """Blocks whose forces hang, by signals, on accelerations or reactions."""
    maker = makers([*program.operations, *program.updates])
    keys = [
        key
        for one in program.components
        for key in applied_inputs(one)
        if has_step(made_for(maker, key), DYNAMICS)
    ]
    return list(dict.fromkeys(maker[key].label.rpartition(".")[0] for key in keys))


def applied_inputs(one: Moved) -> list[Key]:
    """Inputs of elements of a component that are forces or moments as signals give them."""
    elements = one.model.element
    firsts = elements[
        (elements[:, f.E_KIND] >= f.FORCE_WORLD) & (elements[:, f.E_KIND] < f.SEGMENT), f.E_INPUT
    ]
    inputs = {int(first) + k for first in firsts for k in range(3)}
    return [key for key in one.forces if key[2] in inputs]


def made_for(maker: Mapping[Key, Operation], key: Key) -> set[Key]:
    """Keys of all operations that a key needs, itself included."""
    return {made for operation in scheduled(maker, [key]) for made in operation.makes}


def moves(operation: Operation) -> bool:
    """True for a kernel of a whole mechanism."""
    return operation.code is not None and not isinstance(operation.code, Function) and operation.work is None


def all_reports(starts: Sequence[InitialState]) -> RankReport | None:
    """Reports of all components, those without constraints too; None where no component has any."""
    reports = [start.report or RankReport(free_rows(start.model), 0, 0) for start in starts]
    if len(starts) == 1 or not any(start.report for start in starts):
        return starts[0].report
    counts = np.sum([(one.free, one.constraints, one.rank) for one in reports], axis=0).tolist()
    whole = RankReport(*counts)
    for one in reports:
        whole.repeated += one.repeated
        whole.internal += one.internal
    return whole


def free_rows(model: Model) -> int:
    return int(np.sum(model.topo[:, f.MODE] == f.FREE))


def all_at_rest(program: Program, starts: Sequence[InitialState]) -> StaticReport | None:
    """Static reports of all components as one; of motions about their equilibria that which is slowest, or grows."""
    found = [
        (one, start.static) for one, start in zip(program.components, starts, strict=True) if start.static
    ]
    if len(starts) == 1 or not found:
        return starts[0].static
    reports = [report for _, report in found]
    whole = StaticReport(max(one.iterations for one in reports), max(one.residual for one in reports))
    shares = [one.followed for one in reports if one.followed is not None]
    whole.followed = min(shares) if shares else None
    ways = [
        (not report.unstable, report.slowest.rate, one, report.slowest)
        for one, report in found
        if report.slowest
    ]
    if ways:
        _, _, chosen, way = min(ways, key=lambda each: each[:2])
        count = len(program.mechanism.rows)
        whole.slowest = Way(
            way.name, way.rate, np.zeros(count), np.zeros(count), np.zeros(count, way.counted.dtype)
        )
        whole.slowest.rows[chosen.rows] = way.rows
        for _, _, one, own in ways:
            whole.slowest.inertia[one.rows], whole.slowest.counted[one.rows] = own.inertia, own.counted
    for one in reports:
        whole.held |= one.held
        whole.supports |= one.supports
        whole.neutral += one.neutral
        whole.unstable += one.unstable
        whole.undecided += one.undecided
        whole.left += one.left
        whole.sliding = whole.sliding or one.sliding
    return whole


def all_notes(program: Program, starts: Sequence[InitialState]) -> list[str]:
    """Notes on the start of each component, and on all."""
    return [*(note for start in starts for note in start.notes), *model_warnings(program, starts)]


def model_warnings(program: Program, starts: Sequence[InitialState]) -> Iterator[str]:
    """Warnings on mechanisms that cannot move, on friction, `hold` and sampling."""
    flat = program.flat
    reports = [start.report for start in starts]
    stuck = [report is not None and report.free > 0 and report.rank == report.free for report in reports]
    if all(stuck) and not any(one.given for one in program.components):
        yield "nothing moves: the constraints leave no degree of freedom"
    for one, start in zip(program.components, starts, strict=True):
        yield from friction_warnings(one.mechanism, start.model, start.data, start.states, flat.simulation)
    yield from useless_hold(flat, bool(program.constraints.rows))
    yield from sampling_notes(program.sampled, flat.simulation.step)


def sampling_notes(sampled: list[SampledUpdate], step: float) -> Iterator[str]:
    """Notes on sampled blocks whose period is no multiple of the step."""
    for one in sampled:
        period = nearest_multiple(one.period, step)
        if one.period > 0.0 and abs(period - one.period) > APART * step:
            yield f"{one.block} samples every {period:g} s, not every {one.period:g} s: the step is {step:g} s"


def useless_hold(flat: Flat, closed: bool) -> Iterator[str]:
    """Warning of a `hold` without effect: it acts in statics and loop closure only."""
    solve, names = flat.initial.solve, flat.initial.hold
    if names and solve != "static" and not (closed and solve == "assemble"):
        fix = "write initial: {solve: static, hold: [...]}"
        yield f"{names[0]}: `hold` has no effect: this start solves for nothing ({fix})"
