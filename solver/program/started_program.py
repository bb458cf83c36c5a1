"""`Started`: a program with its first state, and an address for every scalar. Starts run kernels, and compile them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields

import numpy as np

from ...blocks.light_dataclass import mutable
from ...blocks.multibody_parts import AtRest
from ..codegen.source_functions import Function
from ..diagram.run_settings import APART, nearest_multiple
from ..flatten.flatten import Flat
from ..initial.coordinate_partition import RankReport
from ..initial.initial_state import (
    AssembledOrigin,
    InitialState,
    SignalDemands,
    assemble_start,
    begin_blind,
    begins_blind,
    load_initial,
    preload_feet,
)
from ..initial.static_report import StaticReport
from ..integrators.preload import entry_points_of_run, load_entry_points
from ..kernels import model_data as f
from ..kernels.model_data import Data, Model, new_data
from ..mechanism.friction_advice import friction_warnings
from ..mechanism.state_names import free_states
from .evaluation_stages import DYNAMICS, KINEMATICS, SENSE
from .initial_pressures import load_carrying_pressures
from .interpreter import interpret
from .inverse_dynamics_operations import check_controllers
from .number_range import reporting_overflow
from .operations import CallTable, Operation, table_of
from .program import Program, make_program
from .scalar_places import Key
from .schedule import schedule
from .signal_operations import SampledUpdate
from .work_space import Sections


@mutable
class Started(Program):
    """Everything about one diagram that a run needs; `Instance` makes arrays of its own from it."""

    described: Program  # what was started
    start: InitialState
    data: Data
    state_names: list[str]
    state_units: list[str]
    x0: np.ndarray
    params: np.ndarray
    mechanical: int  # number of mechanical states
    report: RankReport | None  # rank of the constraints; None for a tree
    static: StaticReport | None
    origin: AssembledOrigin | None
    notes: list[str]  # what was found at the start
    sections: Sections
    work_space: np.ndarray  # with all numbers that are known before a run
    tables: dict[str, CallTable]  # of all operations in their order
    record: np.ndarray  # places of the recorded columns
    begun: bool = True  # whether the first state is that of these numbers

    def like(self, other: Started) -> bool:
        """Whether the other program differs in numbers alone."""
        return self.tables is other.tables or (
            all(_same_table(table, other.tables[name]) for name, table in self.tables.items())
            and self.sections.first == other.sections.first
            and len(self.columns) == len(other.columns)
            and all(
                a.shape == b.shape
                for a, b in zip((*self.model, *self.data), (*other.model, *other.data), strict=True)
            )
            and np.array_equal(self.model.option, other.model.option)
        )


def _same_table(a: CallTable, b: CallTable) -> bool:
    codes = [[call.code for call in table.calls] for table in (a, b)]
    return codes[0] == codes[1] and np.array_equal(a.places, b.places)


def started(flat: Flat) -> Started:
    """Describe what flat blocks compute, and start it."""
    return start_program(make_program(flat))


def start_program(program: Program, start: InitialState | None = None) -> Started:
    """Find the first state, that of the mechanism where it is not known yet; the program stays as it is."""
    with program.flat.telling_places(), reporting_overflow(program.flat):
        return _started(program, start or first_state(program))


def _started(program: Program, start: InitialState) -> Started:
    check_controllers(program.mechanism, program.constraints, start)
    signals = load_carrying_pressures(program, start)
    x0 = np.array([*start.states.initial, *signals], float)
    numbers = program.numbers
    sections = numbers.sections(start.data, len(start.states.names), program.trailing)
    described = {field.name: getattr(program, field.name) for field in fields(Program)}
    return Started(
        **{**described, "model": start.model},
        described=program,
        start=start,
        data=start.data,
        state_names=[*start.states.names, *numbers.states.names],
        state_units=[*start.states.units, *program.signal_units],
        x0=x0,
        params=np.array(numbers.params.values),
        mechanical=len(start.states.names),
        report=start.report,
        static=start.static,
        origin=start.origin,
        notes=[*start.notes, *model_warnings(program, start)],
        sections=sections,
        work_space=numbers.filled(sections),
        tables={name: table_of(ordered, sections) for name, ordered in program.ordered.items()},
        record=np.array([sections.at(program.places[column.key]) for column in program.columns], np.int64),
    )


def first_state(program: Program) -> InitialState:
    """Assembled, or at rest, where there is something to solve for; else as it is given."""
    flat, mechanism, constraints = program.flat, program.mechanism, program.constraints
    model = Model(*(array.copy() for array in program.model))
    if constraints.rows or flat.initial.solve == "static":
        load_entry_points(
            entry_points_of_run(program.kernels, flat.simulation.method, flat.simulation.events)
        )
        way = begin_blind if begins_blind(model, flat.initial) else assemble_start
        return way(mechanism, constraints, signals_at_start(program), model, flat.simulation, flat.initial)
    states = free_states(mechanism)
    data = new_data(model, mechanism.quats, program.inputs, len(constraints.targets))
    load_initial(states, data, model)
    preload_feet(states, model, data)
    return InitialState(states, model, data)


def signals_at_start(program: Program) -> SignalDemands:
    """What the first state needs of the signals: those that kinematics reads, run once as plain Python."""
    operations = [*program.operations, *program.updates]

    def still(keys: Iterable[Key]) -> list[Key]:
        """Those that do not follow the motion."""
        found = {key: schedule(operations, [key]) for key in keys}
        return [key for key in keys if not any(KINEMATICS in each.makes for each in found[key])]

    updates = still([(sampled.block, "@update", 0, 0) for sampled in program.sampled])
    # a search for rest feels forces too
    forces = still(program.forces) if program.flat.initial.solve == "static" else []
    ordered = schedule(operations, [*updates, *program.given, *forces])

    def fill(model: Model, data: Data) -> None:
        interpret(ordered, program.numbers, model, data, ())

    follow, placed = forces_by_place(program)
    blocks = program.numbers.owners([*ordered, *placed])
    return SignalDemands(program.inputs, program.driven, bool(program.given), fill, follow, blocks)


def forces_by_place(program: Program) -> tuple[Callable[[Model, Data, float], None], list[Operation]]:
    """Forces that signals give by where bodies are, as the run has them at t = 0 with all at rest: wind, for example.

    Signals that hang on accelerations or reactions are left out: at rest nobody knows them yet.
    """
    operations = [*program.operations, *program.updates]
    labels = {key: operation.label for operation in operations for key in operation.makes}
    # blocks that say what they exert at rest are asked for it there (`initial/static_loads.py`)
    told = {placed.block for placed in program.mechanism.others_of(AtRest)}
    keys = [
        key
        for key in _applied(program)
        if labels[key].rpartition(".")[0] not in told
        and KINEMATICS in (made := _made(operations, key))
        and DYNAMICS not in made
    ]
    if not keys:
        return (lambda m, d, share: None), []
    # bodies stand where the search has put them: what is left is what sensors see there, and signals
    ordered = [one for one in schedule(operations, keys) if SENSE in one.makes or not _moves(one)]
    places = [key[2] for key in keys]

    def follow(m: Model, d: Data, share: float) -> None:
        there = type(d)(*(array.copy() for array in d))
        interpret(ordered, program.numbers, m, there, ())
        d.inputs[places] = share * there.inputs[places]

    return follow, ordered


def unplaced(program: Program) -> list[str]:
    """Blocks whose forces hang, by signals, on accelerations or reactions: a search for rest leaves them out."""
    operations = [*program.operations, *program.updates]
    labels = {key: operation.label for operation in operations for key in operation.makes}
    keys = [key for key in _applied(program) if DYNAMICS in _made(operations, key)]
    return list(dict.fromkeys(labels[key].rpartition(".")[0] for key in keys))


def _applied(program: Program) -> list[Key]:
    """Inputs of elements that are forces or moments as signals give them."""
    elements = program.model.element
    firsts = elements[
        (elements[:, f.E_KIND] >= f.FORCE_WORLD) & (elements[:, f.E_KIND] != f.SEGMENT), f.E_INPUT
    ]
    inputs = {int(first) + k for first in firsts for k in range(3)}
    return [key for key in program.forces if key[2] in inputs]


def _made(operations: Sequence[Operation], key: Key) -> set[Key]:
    """All that has to be computed for it."""
    return {one for operation in schedule(operations, [key]) for one in operation.makes}


def _moves(operation: Operation) -> bool:
    """Whether it is a kernel of the whole mechanism."""
    return operation.code is not None and not isinstance(operation.code, Function) and operation.work is None


def model_warnings(program: Program, start: InitialState) -> Iterator[str]:
    """What is to be said of friction, of `hold` and of sampling."""
    flat = program.flat
    yield from friction_warnings(program.mechanism, start.model, start.data, start.states, flat.simulation)
    yield from useless_hold(flat, bool(program.constraints.rows))
    yield from sampling_notes(program.sampled, flat.simulation.step)


def sampling_notes(sampled: list[SampledUpdate], step: float) -> Iterator[str]:
    """Sampled blocks run at whole steps: say where that is not the period they were given."""
    for one in sampled:
        period = nearest_multiple(one.period, step)
        if one.period > 0.0 and abs(period - one.period) > APART * step:
            yield f"{one.block} samples every {period:g} s, not every {one.period:g} s: the step is {step:g} s"


def useless_hold(flat: Flat, closed: bool) -> Iterator[str]:
    """`hold` keeps values where something is solved for: at rest, or in closing loops."""
    solve, names = flat.initial.solve, flat.initial.hold
    if names and solve != "static" and not (closed and solve == "assemble"):
        fix = "write initial: {solve: static, hold: [...]}"
        yield f"{names[0]}: `hold` has no effect: this start solves for nothing ({fix})"
