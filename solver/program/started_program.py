"""`Started`: a program with its first state and an address for every scalar. Starting compiles and runs kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields

import numpy as np

from ...blocks.light_dataclass import mutable
from ..diagram.run_settings import APART, nearest_multiple
from ..flatten.flatten import Flat
from ..initial.coordinate_partition import RankReport, rows_called
from ..initial.initial_state import (
    AssembledOrigin,
    InitialState,
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
from .evaluation_stages import KINEMATICS, own_key
from .initial_pressures import load_carrying_pressures
from .inverse_dynamics_operations import check_controllers
from .number_range import reporting_overflow
from .operations import CallTable, table_of
from .program import Moved, Program, make_program, position_of
from .schedule import makers, scheduled
from .signal_operations import SampledUpdate
from .start_signals import StartSignals
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
    whole.errors = np.zeros(len(program.mechanism.rows))
    for one, report in found:
        if report.errors is not None:
            whole.errors[one.rows] = report.errors
    for one in reports:
        whole.held |= one.held
        whole.held_errors |= one.held_errors
        whole.supports |= one.supports
        whole.support_errors |= one.support_errors
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
