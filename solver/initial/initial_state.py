"""First state of a mechanism with constraints: assembly, choice of states, work space."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

import numpy as np

from ...blocks import CompileError, LuffError
from ...blocks.errors import Problem
from ...blocks.light_dataclass import mutable
from ..diagram.run_settings import InitialSettings, SimulationSettings
from ..kernels import model_data as f
from ..kernels.model_data import Data, Model, new_data
from ..mechanism.constraint_rows import ConstraintTable
from ..mechanism.cylinder_geometry import aim_barrels
from ..mechanism.massless_coordinates import massless_rows
from ..mechanism.mechanism import Mechanism
from ..mechanism.self_stress import bushing_weights
from ..mechanism.state_names import States, free_states, states_of
from .assembly import KEPT, AssembledStart, Assembler, given_values
from .coordinate_partition import Partition, RankReport, choose_partition, over_constrained
from .loop_blocks import is_divisible, write_blocks
from .row_masks import FixedRows, elastic_rows
from .servo_rank import check_servo_rank
from .singular_start import check_start_rank
from .static_equilibrium import Statics
from .static_report import StaticReport

METHODS = {"reduced": f.REDUCED, "baumgarte": f.BAUMGARTE, "projected": f.PROJECTED}
MASSES = [f.BODY_MASS, f.BODY_INERTIA + 2]
GROWN = 8.0  # growth of the coupling at which the dependent coordinates are chosen anew


@mutable
class AssembledOrigin:
    """Assembled start of a mechanism with loops, for resets."""

    assembled: AssembledStart
    partition: Partition
    jac: np.ndarray
    state: np.ndarray


@mutable
class InitialState:
    """States, model and data of the start, ready to run."""

    states: States
    model: Model
    data: Data
    report: RankReport | None = None
    static: StaticReport | None = None
    origin: AssembledOrigin | None = None
    notes: list[str] = field(default_factory=list)
    blind: bool = False  # True if masses, springs, friction and gravity have no part in it


@mutable
class SignalDemands:
    """Demands of signals on the mechanism: number of inputs, driven rows, and functions that fill the data."""

    inputs: int
    driven: set[int]  # rows whose effort is wired
    moved: bool  # True if kinematics needs signals
    fill: Callable[[Model, Data], None]  # what kinematics needs, at t = 0
    follow: Callable[[Model, Data, float], None]  # a share of the position-dependent forces (wind) at t = 0
    blocks: set[str]  # blocks whose numbers enter these


def assemble_start(
    mechanism: Mechanism,
    table: ConstraintTable,
    fed: SignalDemands,
    model: Model,
    settings: SimulationSettings,
    initial: InitialSettings,
) -> InitialState:
    """First state: assemble, analyse the rank, choose the partition."""
    all_states = free_states(mechanism)
    scratch = new_data(
        model, mechanism.quats, fed.inputs, len(table.targets), 0, table.depth, len(table.choices)
    )
    fed.fill(model, scratch)
    load_initial(all_states, scratch, model)
    aim_barrels(mechanism, model, scratch)
    given = given_values(mechanism, tuple(initial.hold))
    assembler = Assembler(mechanism, table, model, scratch)
    method = METHODS[settings.constraints.method]
    assembled, static = find_start(assembler, given, initial.solve, method, fed.follow)
    problem = assembler.no_number()
    if problem is not None:
        raise CompileError(problem)
    jac = scratch.jac[: len(table.rows)].copy()
    wished = settings.constraints.dependent or ()
    partition, report = choose_partition(
        mechanism, table, model, jac, given, wished, fed.driven, method == f.REDUCED
    )
    check_rank_report(report, settings)
    check_start_rank(assembler, partition)
    free = int(np.sum(model.topo[:, f.MODE] == f.FREE))
    model.option[f.O_METHOD] = method
    model.option[f.O_SOLVER] = chosen_solver(mechanism, model, free, report, partition.active)
    model.constant[[f.ALPHA, f.BETA]] = settings.constraints.alpha, settings.constraints.beta
    states = reduced_states(mechanism, partition) if method == f.REDUCED else free_states(mechanism)
    data = new_data(
        *(model, mechanism.quats, fed.inputs, len(table.targets), len(partition.active), table.depth),
        choices=len(table.choices),
    )
    data.target[:] = scratch.target  # dragging keeps constraints where they start
    write_start(model, data, assembled, partition, jac)
    check_servo_rank(mechanism, table, model, data, partition)
    states.set_initial(data, model)
    preload_feet(states, model, data)
    model = model._replace(state=states.array)
    origin = AssembledOrigin(assembled, partition, jac, model.state.copy()) if table.rows else None
    sharing = bushing_weights(mechanism, table, model, data, settings.constraints.bushing_length)
    model = model._replace(bushing=sharing.weights)
    notes = [
        *assembled.notes,
        *(static.notes() if static else []),
        *over_constrained(report.repeated, sharing.words()),
    ]
    return InitialState(states, model, data, report, static, origin, notes)


def begins_unassembled(model: Model, initial: InitialSettings) -> bool:
    """True if the first state follows from positions alone: no statics, no servo constraints."""
    return initial.solve != "static" and not model.option[f.O_SERVO]


def begin_unassembled(
    mechanism: Mechanism,
    table: ConstraintTable,
    fed: SignalDemands,
    model: Model,
    settings: SimulationSettings,
    initial: InitialSettings,
) -> InitialState:
    """First state without numbers: masses as 1 or 0, no springs, friction or gravity.

    It is the same for all models of equal form, so that variants share it. Rates that constraints leave open are
    chosen by masses: where anything moves, the start is found with them.
    """
    states = free_states(mechanism)
    if any(rate for (kind, *_), rate in zip(states.table, states.initial, strict=True) if kind == f.V_STATE):
        return assemble_start(mechanism, table, fed, model, settings, initial)
    seen = model._replace(
        constant=np.zeros_like(model.constant),
        row=model.row.copy(),
        element_value=np.zeros_like(model.element_value),
        spring_value=np.zeros_like(model.spring_value),
    )
    seen.row[:, f.BODY_MASS :] = 0.0
    seen.row[:, MASSES] = masses_of(model)
    start = assemble_start(mechanism, table, fed, seen, settings, initial)
    if start.data.row[:, f.V].any():
        return assemble_start(mechanism, table, fed, model, settings, initial)
    start.model, start.blind = with_numbers(start.model, model), True
    return start


def masses_of(model: Model) -> np.ndarray:
    """1 where a row carries a mass, and where it has inertia about its own axis, else 0."""
    return np.sign(model.row[:, MASSES])


def with_numbers(model: Model, other: Model) -> Model:
    """Model with the masses, springs, friction and gravity of `other`."""
    constant = model.constant.copy()
    constant[: f.ALPHA] = other.constant[: f.ALPHA]
    arrays = (other.row.copy(), other.element_value.copy(), other.spring_value.copy())
    return model._replace(constant=constant, row=arrays[0], element_value=arrays[1], spring_value=arrays[2])


def chosen_solver(
    mechanism: Mechanism, model: Model, free: int, report: RankReport, active: np.ndarray
) -> int:
    """Solver of the constrained dynamics: the cheaper one that can; CompileError if none can."""
    # the articulated-body algorithm needs a mass behind every row
    bare = bool(massless_rows(mechanism, model.topo, model.body))
    responses = bool(model.option[f.O_FRICTION]) or bool(model.option[f.O_SERVO])
    # sharing of redundant reactions needs the torques in all joints as well
    shared = report.rank < report.constraints and bool(model.option[f.O_FRICTION])
    # a release locks rows in the articulated-body algorithm alone
    held = [joint.block for joint in mechanism.joints if joint.part.hold]
    # backward passes of single constraints end at flexible bodies
    if report.rank > 0 and (bare or shared or len(model.flex) > 0):
        if held:
            mistake = (
                "a row without mass, a flexible body, or friction in an over-constrained loop, in the mechanism of "
                "this release"
            )
            raise CompileError(Problem(mistake, held[0], "give each link a mass, or take the friction out"))
        return f.DENSE
    if held:
        return f.SCHUR
    embedded = not responses and not model.option[f.O_ADDED] and is_divisible(model, active)
    return cheapest_solver(free, report.rank, responses, cluster_sizes(model) if embedded else None)


def cluster_sizes(model: Model) -> np.ndarray:
    """Number of rows of each cluster of loops, and of each row of the tree."""
    return model.cluster[:, f.CL_END] - model.cluster[:, f.CL_FIRST]


def cheapest_solver(n: int, r: int, responses: bool, clusters: np.ndarray | None) -> int:
    """Solver of n FREE rows with r independent constraints, by cost models in nanoseconds fitted on a desktop.

    `responses`: friction and servo constraints need full responses to unit multipliers, not backward passes alone.
    `clusters`: rows of each cluster of loops, None where loops cannot be embedded.
    """
    if r == 0:
        return f.SCHUR  # no independent constraint: the tree's own passes, no system to solve
    i = n - r
    schur = 100 * n + 35 * n * r + r**3 if responses else 45 * n + 13 * n * r + 35 * r + r**3
    dense = 30 * n + 3 * n**2 + 1.7 * n * i * r + i**3 / 3
    costs = {f.SCHUR: schur, f.DENSE: dense}
    if clusters is not None:
        loops = clusters[clusters > 1]
        costs[f.EMBEDDED] = 60.0 * np.sum(clusters) + np.sum(20.0 * loops**2 + 0.3 * loops**3)
    return min(costs, key=lambda solver: costs[solver])


def preload_feet(states: States, model: Model, data: Data) -> None:
    """Deflect the bristles of supports as statics leaves them: each foot stands where the base is at zero.

    Soil below pads has settled under their loads.
    """
    from ..kernels.frame_kinematics import frame_axes, frame_position
    from ..kernels.kinematics import positions
    from ..kernels.unilateral_contacts import first_loading

    kinds = model.element[:, f.E_KIND]
    feet = [
        k for k, (kind, e, _) in enumerate(states.table) if kind == f.SLIP_STATE and kinds[e] == f.SUPPORT
    ]
    if feet:
        positions(model, data)
    for k in feet:
        _, e, component = states.table[k]
        a, b = model.element[e, f.E_FRAME_A], model.element[e, f.E_FRAME_B]
        gap = np.subtract(frame_position(model, data, b), frame_position(model, data, a))
        along = np.reshape(frame_axes(model, data, a), (3, 3)).T @ gap
        if component < f.SETTLED_PART:
            states.initial[k] = float(along[component])
        elif along[2] < 0.0:
            depth, stiffness = -along[2], model.element_value[e, f.S_STIFFNESS + 2]
            states.initial[k] = float(depth - first_loading(model.element_value, e, depth) / stiffness)


def load_initial(states: States, data: Data, model: Model) -> None:
    """Initial values and guesses into the work space."""
    for (kind, row, component), value in zip(states.table, states.initial, strict=True):
        if kind == f.QUAT_STATE:
            data.quat[model.topo[row, f.QUAT], component] = value
        elif kind != f.SLIP_STATE:
            data.row[row, kind] = value


def find_start(
    assembler: Assembler,
    given: FixedRows,
    solve: str,
    method: int,
    follow: Callable[[Model, Data, float], None] = lambda m, d, share: None,
) -> tuple[AssembledStart, StaticReport | None]:
    """Close loops, find the equilibrium if `solve` asks for it, then satisfy the programmed constraints."""
    table, d = assembler.table, assembler.data
    count = len(table.rows)
    relative, programmed = np.zeros(count, bool), np.zeros(count, bool)
    relative[table.relative] = True
    for first, last in table.programs.values():
        programmed[first:last] = True
    if solve == "none":
        assembler.evaluate()
        zero_relative_components(assembler)
        phi, _ = assembler.evaluate()
        if method != f.BAUMGARTE and abs(phi).max(initial=0.0) > KEPT:
            fix = "use solve: assemble, or method: baumgarte"
            raise CompileError(
                f"the start is off its constraints: {assembler.residual_words()}", path="initial", fix=fix
            )
        return AssembledStart(d.q.copy(), d.v.copy(), d.quat.copy()), None
    report = None
    # loops close by their joints: elastic rows move in statics alone
    stiff = FixedRows(given.positions | elastic_rows(assembler.mechanism), given.rates)
    if solve == "static":
        assembler.enabled = ~programmed
        assembler.assemble(stiff)
        rates = d.v.copy()
        report = Statics(assembler, given.positions, follow).solve()
        d.v[:] = rates
        stiff = given = FixedRows(
            np.ones_like(given.positions) if method == f.BAUMGARTE else given.positions, given.rates
        )
    assembler.enabled = ~relative
    notes: list[str] = []
    try:
        assembled = assembler.assemble(stiff)
        notes += assembled.notes
    except LuffError as error:
        # Baumgarte's method may start off the programmed constraints, never off its loops
        if method != f.BAUMGARTE:
            raise
        notes.append(f"the run begins off its constraints: {error.problems[0].message}")
        assembler.enabled = ~programmed
        assembler.assemble(stiff)
    zero_relative_components(assembler)
    assembler.enabled = np.ones(count, bool)
    if method == f.BAUMGARTE:
        open_rates(assembler, stiff)
    elif relative.any():
        assembler.assemble(stiff)
    return AssembledStart(d.q.copy(), d.v.copy(), d.quat.copy(), notes), report


def open_rates(assembler: Assembler, given: FixedRows) -> None:
    """Let open rates follow the programmed constraints from the start (Baumgarte's method), if these are satisfied."""
    d = assembler.data
    phi, _ = assembler.evaluate()
    if abs(phi).max(initial=0.0) > KEPT:
        return
    before = d.v.copy()
    try:
        assembler.assemble(given)
    except LuffError:
        d.v[:] = before


def zero_relative_components(assembler: Assembler) -> None:
    """Set the zero of components that count from the start to their present value."""
    rows, model, d = assembler.table.relative, assembler.model, assembler.data
    if rows:
        assembler.evaluate()
        model.constraint_value[rows] += d.con[rows, f.PHI] + d.target[model.constraint[rows, f.C_TARGET], 0]


def check_rank_report(report: RankReport, settings: SimulationSettings) -> None:
    """CompileError for overdetermined systems, and for redundant constraints if these are to be refused."""
    if report.rank > report.free:
        raise CompileError("more constraints than coordinates")
    if report.redundant and settings.constraints.redundant == "refuse":
        raise CompileError(
            "redundant constraints: " + "; ".join(report.redundant),
            path="simulation.constraints.redundant",
            fix="remove one, or free a direction",
        )


def reduced_states(mechanism: Mechanism, partition: Partition) -> States:
    """States: independent coordinates and rates; of dependent ones those that only constraints of higher order give."""
    free = np.concatenate([partition.independent, partition.dependent[partition.kinematic :]])
    return states_of(mechanism, free, partition.dependent[partition.holonomic : partition.kinematic])


def write_start(
    model: Model, data: Data, assembled: AssembledStart, partition: Partition, jac: np.ndarray
) -> None:
    """Write coordinates, partition and anchor to the work space."""
    data.q[:], data.v[:], data.quat[:] = assembled.q, assembled.v, assembled.quat
    set_partition(model, data, partition, jac)


def coupling_at(data: Data, jac: np.ndarray) -> np.ndarray:
    """K = -Phi_d^-1 Phi_i of the partition in the work space at the Jacobian J, block by block."""
    r, i = data.coupling.shape[1], data.coupling.shape[2]
    coupling = np.zeros((r, i))
    active, dependent, independent = (
        data.part[f.ACTIVE, :r],
        data.part[f.DEPENDENT, :r],
        data.part[f.INDEPENDENT, :i],
    )
    first = k = 0
    while first < r:
        end = data.part[f.BLOCK, k + 1]
        rows, free = jac[active[first:end]], slice(*data.part[f.FIRST_FREE : f.END_FREE + 1, first])
        right = rows[:, independent[free]] + rows[:, dependent[:first]] @ coupling[:first, free]
        coupling[first:end, free] = -np.linalg.solve(rows[:, dependent[first:end]], right)
        k, first = k + 1, end
    return coupling


def set_partition(model: Model, data: Data, partition: Partition, jac: np.ndarray) -> None:
    """Write the partition and K at the anchor to the work space."""
    rest = np.setdiff1d(np.arange(len(model.constraint)), partition.active)
    # constraints that signals read come first
    rest = rest[np.argsort(model.constraint[rest, f.C_TARGET] < 0, kind="stable")]
    for row, chosen in (
        (f.INDEPENDENT, partition.independent),
        (f.DEPENDENT, partition.dependent),
        (f.ACTIVE, np.concatenate([partition.active, rest])),
        (f.FORCE_INDEPENDENT, partition.force_independent),
        (f.FORCE_DEPENDENT, partition.force_dependent),
    ):
        data.part[row, : len(chosen)] = chosen
    rows = partition.active, partition.dependent, partition.independent
    write_blocks(model, data, *rows, partition.blocks)
    coupling = coupling_at(data, jac)
    data.row[:, f.ANCHOR_Q], data.row[:, f.ANCHOR_V], data.row[:, f.ANCHOR_A] = data.q, data.v, 0.0
    data.row[partition.dependent, f.ANCHOR_V] -= coupling @ data.v[partition.independent]
    data.scalar[f.ANCHOR_TIME] = data.scalar[f.TIME_S]
    data.coupling[f.ANCHOR] = data.coupling[f.NOW] = coupling
    largest = float(abs(coupling).max(initial=0.0))
    data.scalar[[f.LOOP_OPEN, f.COUPLING_MAX, f.COUPLING_LIMIT]] = 0.0, largest, GROWN * max(largest, 1.0)
    data.scalar[[f.DETERMINANT, f.DETERMINANT_MAX, f.SINGULAR]] = 0.0
