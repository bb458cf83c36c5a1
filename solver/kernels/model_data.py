"""`Model` and `Data`: all that a kernel sees. `Model` is constant in a run, `Data` is the work space of one evaluation.

Rows are one-coordinate joints, parents before children; row i also stands for the body that it carries. Kernels read
`d.row[i, f.TAU]` with `from . import model_data as f`: columns are named in `model_columns.py` and `data_columns.py`,
one by one with meaning and unit.

Conventions: SI units, world axes W unless said otherwise. `R_WB` takes components in B to W, `p_PQ` points from P to
Q. Spatial vectors are (angular; linear) at the origin of their row. Accelerations are those of the row's origin less
gravity: a body at rest accelerates upwards by g. No kernel reads of `Data` what it, or a kernel that runs before it in
the same evaluation, did not write; but `touch_idle`, `touch_near` and `touch_gap` tell what an earlier one found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..codegen.array_structs import F1, F2, F3, I1, I2, bundled
from ..codegen.jit import entry_point

# kernels read all columns as names of this module
from .data_columns import *  # noqa: F403
from .data_columns import (
    ACTIVE,
    CLUSTER_COLUMNS,
    CON_COLUMNS,
    DATA_COLUMNS,
    ELEMENT_COLUMNS,
    ELIMINATION_COLUMNS,
    JOINT_COLUMNS,
    LANE,
    LANES,
    LAYERS,
    LOOP_BLOCK_COLUMNS,
    MODAL_ROWS,
    PARTITION_ROWS,
    QDD,
    SCALARS,
    SENSOR_COLUMNS,
    SLOT,
    STAND_COLUMNS,
    STRAIN_COLUMNS,
    STRETCH_COLUMNS,
    TANGENT_COLUMNS,
    TARGET_COLUMNS,
    TIE_COLUMNS,
    TOUCH_GAP_COLUMNS,
    TOUCH_POINT_COLUMNS,
    TOUCH_SUMS,
    VARIABLES,
    VIOLATION,
    Q,
    V,
)
from .model_columns import *  # noqa: F403
from .model_columns import (
    ALPHA,
    BAND,
    BODY_MASS,
    CL_END,
    CL_FIRST,
    COORDINATE,
    DENSE,
    E_KIND,
    EMBEDDED,
    FREE,
    FRICTION,
    HEIGHT_FIELD,
    HULL_FAMILY,
    MIXED_FAMILY,
    MODE,
    O_FRICTION,
    O_SOLVER,
    O_SWEPT,
    R_PJ,
    S_OF,
    SO_BOUND,
    SO_CORNERS,
    SO_EDGES,
    SO_HALF,
    SO_KIND,
    SO_NODES_X,
    TO_A,
    TO_B,
    TO_FAMILY,
    X_FACES,
    G,
)

# widths of the arrays of Data that blocks read and results record
WIDTHS = {
    "row": DATA_COLUMNS, "quat": 4, "element_out": ELEMENT_COLUMNS, "spring_out": STRETCH_COLUMNS,
    "joint_out": JOINT_COLUMNS, "sensor_out": SENSOR_COLUMNS, "target": TARGET_COLUMNS, "con": CON_COLUMNS,
    "tie": TIE_COLUMNS, "tangent": TANGENT_COLUMNS,
}  # fmt: skip


@bundled
class Model(NamedTuple):
    """Constants of a mechanism: n rows, f frames, e force elements, s springs or sensors, j joints, k cut joints,
    c constraints, t ties, x states, o operations of relations. Columns: `model_columns.py`.
    """

    topo: I2  # (n, 6): topology
    row: F2  # (n, MODEL_COLUMNS): joint frame, mass properties, coordinate and friction
    frame_row: I1  # (f,): row that carries the frame, -1 for the world
    frame_place: F2  # (f, FRAME_COLUMNS): R_BF, p_BF
    constant: F1  # (CONSTANTS,): gravity, Baumgarte's alpha and beta
    element: I2  # (e, ELEMENT_ROW_COLUMNS): kind and frames of force elements
    element_value: F2  # (e, VALUE_COLUMNS): their parameters, columns by kind
    touch: I2  # (p, TOUCH_COLUMNS): pairs of shapes that touch
    stand: I2  # (w, 2): these shapes on their bodies
    solid: I2  # (s, SOLID_ROW_COLUMNS): forms of these shapes
    solid_value: F2  # (s, SOLID_COLUMNS): their sizes
    corner: F2  # (v, 3): corners of their cores, in the axes of the shape [m]
    edge: F2  # (k, EDGE_COLUMNS): edges of their cores
    face: F2  # (g, FACE_COLUMNS): faces of hulls
    face_loop: I2  # (g, 2): their corners in `loop`
    loop: I1  # (l,): numbers of corners
    height: F2  # (h, HEIGHT_COLUMNS): nodes of height fields
    spring: I2  # (s, SP_ROWS + w): rows of linear springs
    spring_value: F2  # (s, SP_COEFFICIENTS + w): their parameters
    joint: I2  # (j, 6): joints of the tree
    sensor: I2  # (s, 3): frames of sensors
    state: I2  # (x, 4): mechanical states, in the order of the state vector
    constraint: I2  # (c, CONSTRAINT_COLUMNS): scalar constraints
    tie: I2  # (t, 2): pairs of constrained frames
    way: F2  # (t, n): 1 if row i lies between b and the world, -1 between a and the world, 0 on both or neither
    constraint_value: F1  # (c,): value of a POINT component at the start, where it counts from there
    tape: I2  # (o, 2): operation and argument (holonomic_expression)
    tape_value: F1  # constants of the operations
    moved: I1  # rows that change a constraint, constraint after constraint
    cluster: I2  # (g, 3): rows whose loops share joints; empty without constraints
    member: I2  # (n, 2): their rows
    cut: I2  # (k, 4): joints that close loops
    bushing: F2  # (j + k, 2): weights of reactions that are not unique
    store: I2  # (z, 4): stored energies that blocks report
    option: I1  # (OPTIONS,): methods and counts
    segment: I2  # (s, 4): runs of rows between the interfaces of flexible bodies
    flex: I2  # (b, FLEX_COLUMNS): flexible bodies
    interface: I2  # (f, 2): their interfaces
    modal_inertia: F3  # (b, modes, MODAL_INERTIA): integrals of first order
    modal_pairs: F3  # (b modes / 4, modes, 36): J_2 (6 each) and A (3 each) of four modes j, with each mode i
    face_shape: F3  # (f, 6, modes): turn and displacement of the interfaces
    # (b, w, w), w = 6 faces + 6: products over the modes of the shapes at interfaces (6 each), 0 (3) and C_t (3)
    shape_products: F3
    # membrane strains c . eta + eta . G eta / 2 of each body, s its largest number in any; modes by parity, at most p
    membrane_order: I2  # (2 b, p): mode at each place, its own parities behind each other
    membrane_parity: I2  # (b, s): 1 where a strain couples even with odd modes
    membrane_mode: F3  # (2 b, s, p): c of each strain
    stress_stiffness: F3  # (2 b s, p / 4, 4 p): G of each strain, by fours of columns

    @property
    def place(self) -> np.ndarray:
        """R_PJ and p_PJ of every row (n, 12)."""
        return self.row[:, R_PJ:BODY_MASS]

    @property
    def body(self) -> np.ndarray:
        """Mass, first moment and inertia of every row's body (n, 10)."""
        return self.row[:, BODY_MASS:COORDINATE]

    @property
    def coordinate(self) -> np.ndarray:
        """Spring, damper, stops and rotor of every coordinate (n, 10)."""
        return self.row[:, COORDINATE:FRICTION]

    @property
    def gravity(self) -> np.ndarray:
        """g in W [m/s^2]."""
        return self.constant[G:ALPHA]


@bundled
class Data(NamedTuple):
    """Work space of one evaluation; columns: `data_columns.py`.

    Sizes as in `Model`; r independent constraints, f FREE rows, k rows with friction (in `joint_out`: cut joints),
    e redundant constraints (in `element_out`: elements).
    """

    x: F1  # (x,): state vector
    dx: F1  # (x,): its rates
    row: F2  # (n, DATA_COLUMNS): rows and their bodies
    quat: F2  # (quaternion joints or 1, 4): orientation w x y z
    inputs: F1  # signals that force elements read
    element_out: F2  # (e, ELEMENT_COLUMNS): force elements
    stand_at: F2  # (w, STAND_COLUMNS): shapes that touch
    # (1 + p,): end of the list of pairs that may touch, 0 if there is none; their numbers from 1 on
    touch_near: F1
    touch_idle: F1  # (p,): 1 where `element_out` has what it has of a pair that is far
    touch_gap: F2  # (p or 0 without hulls, TOUCH_GAP_COLUMNS): pairs that were far apart
    touch_sum: F2  # (1, TOUCH_SUMS): sums over the features of one pair of shapes
    touch_point: F2  # (features, TOUCH_POINT_COLUMNS): those that touch
    touch_edge: F1  # (edges,): numbers of those of solid a that may touch, of the pair at hand
    spring_out: F2  # (s, STRETCH_COLUMNS): linear springs
    joint_out: F2  # (j + k, JOINT_COLUMNS): reactions of joints, cut joints last
    sensor_out: F2  # (s, SENSOR_COLUMNS): sensors
    scalar: F1  # (SCALARS,): energies, powers, flags
    target: F2  # (targets or 1, TARGET_COLUMNS): inputs of constraints
    con: F2  # (c, CON_COLUMNS): constraints
    tie: F2  # (t, TIE_COLUMNS): pairs of constrained frames
    jac: F2  # (c, n): J, Jacobian of the constraints
    # (r + 2 k, n): Y^T = J L^-T or F M^-1 of unit multipliers; accelerations of unit friction efforts; the multipliers
    # that keep the constraints under these
    response: F2
    sweep: F2  # (n, LANES * LANE): lanes of unit_effort_accelerations
    part: I2  # (PARTITION_ROWS, n + c): partition of rows and constraints, pivots
    coupling: F3  # (LAYERS, r, f - r): K and its relatives
    loop_block: F2  # (r, 2): determinants of the diagonal blocks of Phi_d
    factor: F2  # (r, r): factors of Phi_d, of J J^T or of the Schur complement
    mass: F2  # (n, n): M; with EMBEDDED that of one cluster; empty with SCHUR
    reduced: F2  # (f - r, f - r): reduced mass matrix; with EMBEDDED that of one cluster; empty with SCHUR
    cluster_work: F2  # (w, CLUSTER_COLUMNS + w): elimination of a cluster; empty without EMBEDDED
    effort: F1  # (n,): right-hand side of the reduced equations; efforts, then their accelerations
    balance: F2  # (2 k, k): Newton matrix 1 + G of the loads of k rows with friction, and G, change by the loads [-]
    answers: F2  # (3 k, k): C, change of these loads by unit friction efforts
    pushes: F2  # (3 k, c): W, change of these loads by unit multipliers, in partition order
    self_stress: F2  # (e, c): multipliers of self-stresses, in partition order
    stress_wrench: F2  # (e, 6 (j + k)): W^(1/2) N, weighted wrenches of self-stresses in all joints
    sharing: F2  # (e, e): factors of N^T W N
    solve: F1  # (n + c,): scratch of solvers
    stack: F2  # (depth, SLOT): scratch of relations
    choice: F1  # (choices or 1,): numbers whose sign decides which argument a min or max of a relation takes
    variables: F2  # (3, VARIABLES): variables of a relation; their first and second rates
    # (b, 2 b + 6) of b bands: their responses A; an augmented matrix; z, basic, side, q and the size of its terms of a
    # complementarity problem
    band: F2
    kick: F1  # (n,): qdd without bands, while an impact is computed; empty without bands
    store_out: F1  # energy in the springs of each block that reports it [J]
    tangent: F2  # (n or 0, TANGENT_COLUMNS): equations of implicit steps, with O_SWEPT
    work: F1  # work space of one controller (inverse_dynamics)
    system: F2  # its equations
    modal: F3  # (b, MODAL_ROWS, modes): flexible bodies
    eta_by_parity: F2  # (2 b, p): eta, even modes and odd ones
    sags: F3  # (2 b, s, p): G eta of each membrane strain
    membrane_strain: F2  # (b s, STRAIN_COLUMNS): membrane strains
    pair_sums: F2  # (b, 6 modes): sum eta_i J_2,ij
    spin_sums: F2  # (2 b, 3 modes): sum eta_i A_ij, and behind it sum eta_i' A_ij
    # (b or 2 b with O_SWEPT, modes, w): of each mode its columns B at the interfaces (6 each), C (6) and effort
    modal_columns: F3
    gram: F3  # (b, w, w): their products
    face_turn: F2  # (f, 4): turn of the interfaces
    face_inertia: F3  # (b, 6 faces, 6 faces): L of the articulated inertia L L^T on each interface
    face_factor: F3  # (b, 6 faces, 6 faces): L D L^T of 1 + L^T E L
    face_half: F3  # (b, 6 faces, w): [N, L^T Y, L^T r] with N = 1 + L^T E L, and its elimination
    face_solve: F3  # (b, 6 faces, ELIMINATION_COLUMNS): elimination of the modes

    @property
    def q(self) -> np.ndarray:
        """Coordinates (n,) [rad, m]."""
        return self.row[:, Q]

    @property
    def v(self) -> np.ndarray:
        """Rates of the coordinates (n,) [rad/s, m/s]."""
        return self.row[:, V]

    @property
    def qdd(self) -> np.ndarray:
        """Accelerations of the coordinates (n,) [rad/s^2, m/s^2]."""
        return self.row[:, QDD]

    @property
    def energy(self) -> np.ndarray:
        """Energies [J], powers [W] and the largest residual: scalars up to VIOLATION."""
        return self.scalar[: VIOLATION + 1]


kernel = entry_point(Model, Data)


# arrays of Data that components hold, and that are asked of all of them at once
SHARED = (
    "row", "quat", "inputs", "element_out", "spring_out", "joint_out", "sensor_out", "scalar", "target", "con", "tie",
    "choice", "store_out",
)  # fmt: skip


def all_data(each: Sequence[Data], states: int) -> Data:
    """Data of all components behind each other, without the arrays that they solve with."""
    if len(each) == 1:
        return each[0]
    arrays = {}
    for name, array in zip(each[0]._fields, each[0], strict=True):
        shared = [getattr(data, name) for data in each]
        arrays[name] = np.concatenate(shared) if name in SHARED else np.zeros((0,) * array.ndim, array.dtype)
    return Data(**{**arrays, "x": np.zeros(states), "dx": np.zeros(states)})


def flexible_data(model: Model) -> dict[str, np.ndarray]:
    """Zeroed arrays of the flexible bodies."""
    # elimination of the modes in an evaluation, and in implicit steps
    slots = 2 * len(model.flex) if model.option[O_SWEPT] else len(model.flex)
    bodies, modes = len(model.flex), model.modal_inertia.shape[1]
    faces = int(model.flex[:, X_FACES].max(initial=0))
    six, wide = 6 * faces, 4 * -(-(6 * faces + 7) // 4)
    shapes = {
        "modal": (bodies, MODAL_ROWS, modes), "pair_sums": (bodies, 6 * modes), "spin_sums": (2 * bodies, 3 * modes),
        "eta_by_parity": model.membrane_order.shape, "sags": model.membrane_mode.shape,
        "membrane_strain": (model.membrane_parity.size, STRAIN_COLUMNS),
        "modal_columns": (slots, modes, wide), "gram": (slots, wide, wide),
        "face_turn": (len(model.interface), 4), "face_inertia": (slots, six, six), "face_factor": (slots, six, six),
        "face_half": (slots, six, wide), "face_solve": (slots, six, ELIMINATION_COLUMNS),
    }  # fmt: skip
    return {name: np.zeros(shape) for name, shape in shapes.items()}


RIM_FEATURES = 8  # room for the rims and sides of two cylinders


def most_features(model: Model) -> int:
    """Largest number of features of any pair of shapes: corners of both, edges of one against edges of the other, and
    of a height field the nodes and lines that may lie below the other.
    """
    most = 0
    for pair in model.touch:
        a, b = model.solid[pair[TO_A]], model.solid[pair[TO_B]]
        corners, edges = a[SO_CORNERS] + b[SO_CORNERS], a[SO_EDGES] * b[SO_EDGES]
        nodes = 0
        if a[SO_KIND] == HEIGHT_FIELD:
            field, wide = model.solid_value[pair[TO_A]], 2.0 * model.solid_value[pair[TO_B], SO_BOUND]
            nodes = 1
            for axis in range(2):
                count = int(a[SO_NODES_X + axis])
                nodes *= min(count, int(wide * (count - 1) / (2.0 * field[SO_HALF + axis])) + 3)
            # as a peak, and two lines from it against each edge and the side
            nodes *= 1 + 2 * (int(b[SO_EDGES]) + 1)
        most = max(most, int(corners + edges + a[SO_EDGES] + b[SO_EDGES]) + nodes + RIM_FEATURES)
    return most


def pairs_with_gaps(model: Model) -> int:
    """Number of pairs of shapes if gaps are kept of some: of those with a hull."""
    families = model.touch[:, TO_FAMILY]
    return len(families) if ((families == HULL_FAMILY) | (families == MIXED_FAMILY)).any() else 0


def most_edges(model: Model) -> int:
    """Largest number of edges of any shape that touches."""
    return max((int(model.solid[pair[TO_A], SO_EDGES]) for pair in model.touch), default=0)


def solver_data(model: Model, free: int, rank: int) -> dict[str, np.ndarray]:
    """Zeroed arrays that the solver of `O_SOLVER` works with: free rows, independent constraints."""
    n, solver, zeros = len(model.topo), model.option[O_SOLVER], np.zeros
    rows = own = widest = answers = 0
    if rank > 0 and solver == DENSE:
        rows, own = n, free - rank
    elif rank > 0 and solver == EMBEDDED:
        # rows of the largest cluster
        rows = own = widest = int((model.cluster[:, CL_END] - model.cluster[:, CL_FIRST]).max(initial=0))
    else:
        answers = rank + 2 * int(model.option[O_FRICTION])
    return {
        "mass": zeros((rows, rows)), "reduced": zeros((own, own)), "effort": zeros(rows),
        "cluster_work": zeros((widest, CLUSTER_COLUMNS + widest)),
        "response": zeros((answers, n)), "sweep": zeros((n if answers else 0, LANES * LANE)),
    }  # fmt: skip


def new_data(
    model: Model, quats: int, inputs: int, targets: int = 0, rank: int = 0, depth: int = 1, choices: int = 0
) -> Data:
    """Zeroed work space for a model: `rank` independent constraints; relations with `depth` stack slots and `choices`
    between two arguments.
    """
    n, c, zeros = len(model.topo), len(model.constraint), np.zeros
    free = int(np.sum(model.topo[:, MODE] == FREE)) if n else 0
    extra = c - rank
    rubbing = int(model.option[O_FRICTION])
    bands = int(np.sum(model.element[:, E_KIND] == BAND))
    data = Data(
        x=zeros(len(model.state)),
        dx=zeros(len(model.state)),
        row=zeros((n, DATA_COLUMNS)),
        quat=zeros((max(quats, 1), 4)),
        inputs=zeros(max(inputs, 1)),
        element_out=zeros((len(model.element), WIDTHS["element_out"])),
        stand_at=zeros((len(model.stand), STAND_COLUMNS)),
        touch_near=zeros(1 + len(model.touch)),
        touch_idle=zeros(len(model.touch)),
        touch_gap=zeros((pairs_with_gaps(model), TOUCH_GAP_COLUMNS)),
        touch_sum=zeros((1, TOUCH_SUMS)),
        touch_point=zeros((most_features(model), TOUCH_POINT_COLUMNS)),
        touch_edge=zeros(most_edges(model)),
        spring_out=zeros((len(model.spring), WIDTHS["spring_out"])),
        joint_out=zeros((len(model.joint) + len(model.cut), WIDTHS["joint_out"])),
        sensor_out=zeros((len(model.sensor), WIDTHS["sensor_out"])),
        scalar=zeros(SCALARS),
        target=zeros((max(targets, 1), WIDTHS["target"])),
        con=zeros((c, WIDTHS["con"])),
        tie=zeros((len(model.tie), WIDTHS["tie"])),
        jac=zeros((c, n)),
        part=zeros((PARTITION_ROWS, n + c), np.int64),
        coupling=zeros((LAYERS, rank, free - rank)),
        loop_block=zeros((rank, LOOP_BLOCK_COLUMNS)),
        factor=zeros((rank, rank)),
        balance=zeros((2 * rubbing, rubbing)),
        answers=zeros((3 * rubbing, rubbing)),
        pushes=zeros((3 * rubbing, c)),
        self_stress=zeros((extra, c)),
        stress_wrench=zeros((extra, 6 * len(model.bushing))),
        sharing=zeros((extra, extra)),
        solve=zeros(n + c),
        stack=zeros((depth, SLOT)),
        choice=zeros(max(choices, 1)),
        variables=zeros((3, VARIABLES)),
        band=zeros((bands, 2 * bands + 6)),
        kick=zeros(n if bands else 0),
        store_out=zeros(1 + int(model.store[:, S_OF].max(initial=-1))),
        tangent=zeros((n if model.option[O_SWEPT] else 0, TANGENT_COLUMNS)),
        work=zeros(1),
        system=zeros((0, 0)),
        **solver_data(model, free, rank),
        **flexible_data(model),
    )
    data.quat[:, 0] = 1.0
    data.part[ACTIVE, :c] = np.arange(c)
    return data
