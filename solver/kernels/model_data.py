"""`Model` and `Data`: all that a kernel sees. Rows are one-coordinate joints, parents before children.

`Model` is constant during a run (parameters may be set between steps); `Data` is work space, and no kernel reads in
it what it, or a kernel named before it in the same evaluation, did not write. World axes unless said otherwise;
spatial vectors are (angular; linear), taken at the origin of their row. Accelerations are the ordinary ones of the
row's origin with gravity taken off, so that bodies at rest accelerate upwards by g.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..codegen.array_structs import F1, F2, F3, I1, I2, bundled
from ..codegen.column_layout import check_columns, columns
from ..codegen.jit import entry_point

LINEAR = 3  # where the linear part of a spatial vector begins

# topo columns
PARENT, KIND, MODE, QUAT, SHIFT, BRANCHED = range(6)
# topo[:, KIND]: a row turns about, or slides along, its own z axis; QUAT_Y and QUAT_Z follow a QUAT_X row
REVOLUTE, PRISMATIC, WELD, QUAT_X, QUAT_Y, QUAT_Z = range(6)
# topo[:, MODE]: FREE rows are solved for; DRIVEN rows have their acceleration given (welds: zero)
FREE, DRIVEN = range(2)
# coordinate columns
STIFFNESS, DAMPING, REST, LOWER, UPPER, STOP_STIFFNESS, STOP_DAMPING, STOP_WIDTH, CUBIC, ARMATURE = range(10)
# spring columns, and columns of its values: by how much each of up to six rows stretches it
SP_FIRST, SP_LAST = range(2)
SP_STIFFNESS, SP_DAMPING, SP_COEFFICIENTS, SPRING_COLUMNS = columns(
    SP_STIFFNESS=1, SP_DAMPING=1, SP_COEFFICIENTS=6
)
# element columns and kinds
E_KIND, E_FRAME_A, E_FRAME_B, E_INPUT = range(4)
LINE, BUSHING, CONTACT, SUPPORT, FORCE_WORLD, FORCE_B, TORQUE_WORLD, TORQUE_B, SEGMENT = range(9)
# columns of element_value: of a line, and of a bushing along and about a's axes
L_STIFFNESS, L_DAMPING, L_LENGTH = range(3)
B_STIFFNESS, B_DAMPING, B_TURN_STIFFNESS, B_TURN_DAMPING, VALUE_COLUMNS = columns(
    B_STIFFNESS=3, B_DAMPING=3, B_TURN_STIFFNESS=3, B_TURN_DAMPING=3
)
# the same of a support that pushes alone, of a contact (Hunt and Crossley's law), and of a segment of a rope
S_STIFFNESS, S_DAMPING, S_GRIP, S_CREEPS = 0, 3, 6, 7
H_STIFFNESS, H_EXPONENT, H_DAMPING, H_RADIUS, H_FRICTION, H_ACROSS, H_ACROSS_DAMPING, H_CREEPS = range(8)
R_FALLS, R_EA, R_LENGTH, R_NUMBER, R_PULL, R_SHORTEST, R_STOP, R_DISSIPATION = range(8)
# columns of frame_place
R_BF, p_BF, FRAME_COLUMNS = columns(R_BF=9, p_BF=3)
# joint columns
J_FIRST, J_LAST, J_REVERSED, J_FRAME_A, J_FRAME_B, J_RESOLVE = range(6)
# sensor columns; axes: 0 world, 1 a, 2 b
S_FRAME_A, S_FRAME_B, S_AXES = range(3)
# constraint columns and kinds: a component of p_B - p_A in a's axes, two axes at right angles, relations; C_JOINTS is
# the first of three columns
C_KIND, C_FRAME_A, C_FRAME_B, C_AXIS_A, C_AXIS_B, C_TARGET, C_FIRST, C_LAST, C_SERVO, C_JOINTS = range(10)
C_TIE, CONSTRAINT_COLUMNS = 12, 13
POINT, ALIGN, RELATION, VELOCITY_RELATION = range(4)
# tie columns
T_FRAME_A, T_FRAME_B = range(2)
# cut columns
CUT_RESOLVE, CUT_FRAME_B, CUT_FIRST, CUT_LAST = range(4)
# bushing columns
ON_TORQUE, ON_FORCE = range(2)
# friction columns and laws; the lever makes an effort of a coefficient; a load below zero is the joint's own reaction
F_LAW, F_MU_S, F_MU_K, F_STRIBECK, F_SIGMA_0, F_SIGMA_1, F_SIGMA_2, F_GAMMA, F_LEVER, F_LOAD = range(10)
FRICTIONLESS, VISCOUS, COULOMB, DAHL, LUGRE, ELASTOPLASTIC = range(6)
# option entries, and how constraints are kept and solved
O_METHOD, O_SOLVER, O_FRICTION, O_QUATS, O_SERVO, O_MODEL_TANGENTS, OPTIONS = range(7)
REDUCED, BAUMGARTE, PROJECTED = range(3)
DENSE, SCHUR = range(2)
# columns of Model.row: where the joint frame stands in the parent's body, mass properties of the row's body about its
# origin, springs and stops, friction
R_PJ, p_PJ, BODY_MASS, BODY_FIRST_MOMENT, BODY_INERTIA, COORDINATE, FRICTION, MODEL_COLUMNS = columns(
    R_PJ=9, p_PJ=3, BODY_MASS=1, BODY_FIRST_MOMENT=3, BODY_INERTIA=6, COORDINATE=10, FRICTION=10
)
# entries of Model.constant: gravity, Baumgarte's constants
G, ALPHA, BETA, CONSTANTS = columns(G=3, ALPHA=1, BETA=1)
# columns of Data.row
(
    Q, V, QDD, DRIVE, SERVO, TAU, ANCHOR_Q, ANCHOR_V,
    SPRING_EFFORT, DAMPER_EFFORT, STOP_EFFORT, FRICTION_EFFORT,
    R_WB, p_WB, AXIS, p_parent, TWIST, VELOCITY_PRODUCT, MASS, FIRST_MOMENT, INERTIA, BIAS_WRENCH, WRENCH_EXT,
    IA, IA_H, IA_M, pA, U, D_INV, u, ACC, REACTION, ACC_BIAS,
    BRISTLE, BRISTLE_RATE, GRIP, NORMAL, LOAD, ANCHOR_A, COS, SIN, STOP_DEPTH, STOP_BEYOND,
    DELTA_EFFORT, DATA_COLUMNS,
) = columns(
    Q=1, V=1, QDD=1, DRIVE=1, SERVO=1, TAU=1, ANCHOR_Q=1, ANCHOR_V=1,
    SPRING_EFFORT=1, DAMPER_EFFORT=1, STOP_EFFORT=1, FRICTION_EFFORT=1,
    R_WB=9, p_WB=3, AXIS=3, p_parent=3, TWIST=6, VELOCITY_PRODUCT=6, MASS=1, FIRST_MOMENT=3, INERTIA=6,
    BIAS_WRENCH=6, WRENCH_EXT=6, IA=6, IA_H=9, IA_M=6, pA=6, U=6, D_INV=1, u=1, ACC=6, REACTION=6, ACC_BIAS=6,
    BRISTLE=1, BRISTLE_RATE=1, GRIP=1, NORMAL=1, LOAD=3, ANCHOR_A=1, COS=1, SIN=1, STOP_DEPTH=1, STOP_BEYOND=1,
    DELTA_EFFORT=1,
)  # fmt: skip
R_WB_COLUMNS, BODY_COLUMNS, IA_COLUMNS = AXIS - R_WB, BIAS_WRENCH - MASS, U - IA
# the same columns where no articulated inertia is needed: the composite body (mass, mass * com, inertia); the body's
# motion at a unit rate of a mechanism's one freedom, and the rate of the row in it
COMPOSITE, MOTION, FREEDOM_RATE = IA, IA, U
# state columns; a state's kind is the column of Data.row where it is kept, its component the column of its rate, but
# quaternions have an array of their own, what sticks across an element (its number as row) stands in Data.element_out,
# and both have the number of a column that is no state; last, the place in the state vector
ST_KIND, ST_ROW, ST_COMPONENT, ST_AT = range(4)
Q_STATE, V_STATE, QUAT_STATE, BRISTLE_STATE, SLIP_STATE = Q, V, QDD, BRISTLE, DRIVE
# entries of Data.scalar: energies and powers, the largest residual of a constraint so far, and what the run loop reads
(
    KINETIC, GRAVITY, ELASTIC, DRIVE_POWER, DISSIPATION, FRICTION_POWER, CONSTRAINT_POWER, VIOLATION,
    TIME_S, LOOP_OPEN, COUPLING_MAX, COUPLING_LIMIT, ANCHOR_TIME, FRICTION_JAM, END_STOPS, STATICS,
    DETERMINANT, DETERMINANT_MAX, SINGULAR, EVALUATIONS, ROUNDS, SCALARS,
) = range(22)  # fmt: skip
# columns of Data.con, and of Data.tie
PHI, PHI_T, PHI_RATE, PHI_BIAS, MULTIPLIER, WRENCH_CONSTRAINT, FORCE_CONSTRAINT, SLOPE, CON_COLUMNS = columns(
    PHI=1, PHI_T=1, PHI_RATE=1, PHI_BIAS=1, MULTIPLIER=1, WRENCH_CONSTRAINT=3, FORCE_CONSTRAINT=3, SLOPE=3
)
R_WA, p_WTIE, GAP, GAP_RATE, GAP_BIAS, TIE_COLUMNS = columns(R_WA=9, p_WTIE=3, GAP=3, GAP_RATE=3, GAP_BIAS=3)
# rows of Data.part, and layers of Data.coupling
(
    INDEPENDENT, DEPENDENT, ACTIVE, FORCE_INDEPENDENT, FORCE_DEPENDENT, PIVOT, PIVOT_REDUCED, LOADED, PIVOT_LOADED,
    PARTITION_ROWS,
) = range(10)  # fmt: skip
NOW, FORCES, ANCHOR, CARRIED, LAYERS = range(5)
# columns of what the mechanism reports: element_out, spring_out, joint_out (in b), sensor_out
(
    TORQUE_ON_B, FORCE_ON_B, DEFLECTION, STORED, POWER_LOST, POWER_IN, FORCE_IN_A, MARGIN, MEETING, SLIP, SLIP_RATE,
    ELEMENT_COLUMNS,
) = columns(
    TORQUE_ON_B=3, FORCE_ON_B=3, DEFLECTION=3, STORED=1, POWER_LOST=1, POWER_IN=1, FORCE_IN_A=3, MARGIN=1, MEETING=1,
    SLIP=2, SLIP_RATE=2
)  # fmt: skip
STRETCH, SPRING_FORCE, STRETCH_COLUMNS = columns(STRETCH=1, SPRING_FORCE=1)
(
    TOTAL_FORCE,
    TOTAL_TORQUE,
    CONSTRAINT_FORCE,
    CONSTRAINT_TORQUE,
    NORMAL_FORCE,
    REQUIRED_EFFORT,
    JOINT_COLUMNS,
) = columns(
    TOTAL_FORCE=3, TOTAL_TORQUE=3, CONSTRAINT_FORCE=3, CONSTRAINT_TORQUE=3, NORMAL_FORCE=1, REQUIRED_EFFORT=1
)
SENSED, SENSED_ANGLES, SENSED_VELOCITY, SENSED_SPIN, SENSED_ACC, SENSED_SPIN_ACC, SENSOR_COLUMNS = columns(
    SENSED=3, SENSED_ANGLES=3, SENSED_VELOCITY=3, SENSED_SPIN=3, SENSED_ACC=3, SENSED_SPIN_ACC=3
)
# columns of Data.target
TARGET, TARGET_RATE, TARGET_ACC, TARGET_COLUMNS = range(4)
# columns of the arrays of Data
WIDTHS = {
    "row": DATA_COLUMNS, "quat": 4, "element_out": ELEMENT_COLUMNS, "spring_out": STRETCH_COLUMNS,
    "joint_out": JOINT_COLUMNS, "sensor_out": SENSOR_COLUMNS, "target": TARGET_COLUMNS, "con": CON_COLUMNS,
    "tie": TIE_COLUMNS,
}  # fmt: skip
TOUCHING = DEFLECTION + 1  # of a contact, behind its depth
# of a segment of a rope: length and rate of the whole rope, at its first segment; length, rate and direction of its own
ROPE_LENGTH, ROPE_RATE, SEGMENT_LENGTH, SEGMENT_RATE, SEGMENT_DIRECTION = (
    DEFLECTION,
    DEFLECTION + 1,
    MARGIN,
    DEFLECTION + 2,
    FORCE_IN_A,
)
# columns of Model.store, and what it adds up
S_OF, S_FIRST, S_LAST, S_KIND = range(4)
OF_ROWS, OF_SPRINGS, OF_ELEMENTS = range(3)
# how many efforts share a sweep when the accelerations that each of them causes are computed, and columns of each
LANES = 6
LANE_WRENCH, LANE_ACC, LANE = columns(LANE_WRENCH=6, LANE_ACC=6)

# variables of a relation, and columns of a slot of its stack: value, gradient, upper triangle of the Hessian
VARIABLES = 7
SLOT = 1 + VARIABLES + VARIABLES * (VARIABLES + 1) // 2

check_columns(globals())


@bundled
class Model(NamedTuple):
    """Constants of the mechanism: n rows, f frames, e force elements, j joints, s sensors, c constraints."""

    topo: (
        I2  # (n, 6): parent row or -1, kind, mode, quaternion number, 1 where the origin leaves the parent's, 1 where a
        #     row other than the next one hangs on it
    )
    row: F2  # (n, MODEL_COLUMNS): R_PJ (PLACE), p_PJ [m] (PLACE_AT); mass, mass * com, inertia about the row's origin
    #          (BODY_...); columns of the coordinate and of its friction
    frame_row: I1  # (f,): row that carries the frame, -1 for the world
    frame_place: F2  # (f, 12): R_BF row by row, p_BF [m] in the body frame of that row
    constant: F1  # (5,): gravity [m/s^2], Baumgarte's alpha and beta [1/s]
    element: I2  # (e, 4): kind, frame a, frame b, first input
    element_value: F2  # (e, 12): parameters of the element
    spring: I2  # (s, 2): first and last row of the coordinates that a linear spring couples
    spring_value: F2  # (s, 8): stiffness, damping, and by how much each of up to six rows stretches it
    joint: (
        I2  # (j, 6): first row, last row, 1 when walked from b to a, frame a, frame b, frame of the outputs
    )
    sensor: I2  # (s, 3): frame a or -1, frame b, axes
    state: I2  # (x, 4): kind, row, component of each mechanical state, and its place in the state vector
    # (c, 13): kind, frame a, frame b, axes, target, first and last operation, row of the drive or -1, rows of the
    # joints whose coordinates are x, y and z of a relation, -1 where there is none; tie
    constraint: I2
    tie: I2  # (t, 2): frames a and b of constraints
    way: F2  # (t, n): how each row carries a tie: 1 on b's way to the world, -1 on a's, 0 on both or neither
    constraint_value: F1  # (c,) value of the component at the start where it counts from there
    tape: I2  # (o, 2): operations of relations
    tape_value: F1  # their constants
    cut: I2  # (k, 4): frame of the outputs and frame b of a joint that closes a loop, its first constraint and the one
    #         after its last
    # (j + k, 2): square roots of what torques [1/m] and forces of each joint weigh where reactions are not unique
    bushing: F2
    store: (
        I2  # (z, 4): number of a sum of stored energies; first and last row, spring or element; which of them
    )
    option: (
        I1  # (OPTIONS,): method, solver, numbers of rows with friction, of free joints and of constraints that drives
        #     realise; 1 where numbers of the model carry tangents
    )

    @property
    def place(self) -> np.ndarray:
        return self.row[:, R_PJ:BODY_MASS]

    @property
    def body(self) -> np.ndarray:
        return self.row[:, BODY_MASS:COORDINATE]

    @property
    def coordinate(self) -> np.ndarray:
        return self.row[:, COORDINATE:FRICTION]

    @property
    def gravity(self) -> np.ndarray:
        return self.constant[G:ALPHA]


@bundled
class Data(NamedTuple):
    """Work space of one evaluation.

    Columns of `row`: coordinate, rate and acceleration (given on DRIVEN rows); efforts of drives, of servo
    constraints, of all; coordinate and rate at the anchor (of dependent rows: the part of it that the others do not
    explain, and in ANCHOR_A that of its acceleration); efforts of spring, damper, stop, friction; R_WB (POSE) and
    p_WB (POSITION); the row's axis; the arm from the parent's origin; angular velocity and velocity of the origin
    (TWIST); acceleration that velocities alone give relative to the parent (BIAS); mass, mass * com (MOMENT) and
    inertia; gyroscopic and centrifugal wrench less the external one (WRENCH); that one (OUTER); articulated inertia:
    J (ART), H by rows (ART_H), M (ART_M), torque = J alpha + H a, force = H^T alpha + M a, and its bias wrench;
    articulated inertia times axis (GAIN), 1 / (axis . that) (INV_D), effort left for the row (LEFT); acceleration
    (ACC); wrench of the parent on the row's body and all that it carries (REACTION); acceleration without that of
    the free rows (FREE_ACC). Friction: deflection of the bristles and its rate, effort against the motion per
    normal force (GRIP), normal force, load without it. Cosine and sine of the coordinate where it turns. What
    is positive while an end stop pushes (between the stops: how far the next one is, negative), and how far the
    coordinate is beyond the depth over which it fades in. What Delta-Q adds to the efforts (DELTA_EFFORT).
    """

    x: F1  # state vector
    dx: F1  # its rates
    row: F2  # (n, DATA_COLUMNS)
    quat: F2  # (free joints or 1, 4): orientation w x y z
    inputs: F1  # (k,): signals that force elements read
    # (e, ELEMENT_COLUMNS): wrench on b, deflection, energy, power lost, power put in, force in a; of what pushes alone,
    # what is positive while it does, its bristle across (SLIP) and the rate of that; of a rope, at its first segment,
    # the force between blocks that meet
    element_out: F2
    spring_out: F2  # (s, 2): stretch of each linear spring, force against it
    # (j + k, JOINT_COLUMNS), in b: force, torque, their part by constraint alone, normal force, required effort
    joint_out: F2
    # (s, SENSOR_COLUMNS): position, psi theta phi, velocity, spin, acceleration, angular acceleration
    sensor_out: F2
    # (SCALARS,): energies, powers and violation, time, 1 where a loop is open, largest entry of the coupling and its
    # limit, anchor's time, 1 + the first row whose load and friction find no balance, a number for the set of end stops
    # that touch, 1 in statics; since the run's start evaluations, and corrections that closed loops in them
    scalar: F1
    target: F2  # (k, 3): value, rate and acceleration of what constraints follow; (t, 1, 0) for relations
    # (c, CON_COLUMNS): residual, its rate without motion, its rate, its second rate without free rows; multiplier;
    # wrench of a unit multiplier on b, at frame b's origin; its efforts on the joints of a relation
    con: F2
    # (t, TIE_COLUMNS): R_WA (9), p_WB, p_WB - p_WA, its rate as a sees it, and the second rate without free rows
    tie: F2
    jac: F2  # (c, n): Jacobian
    response: F2  # (r + 2 k, n): what unit multipliers leave for each row (Schur complement), or the accelerations that
    #               they cause; those that unit efforts on k rows with friction cause, also in trees; and the
    #               multipliers that these call for
    sweep: F2  # (n, LANES * LANE) where these are found, side by side in six lanes: wrenches (6), accelerations (6)
    # (PARTS, n + c): rows that are states, rows that constraints give, constraints that are independent (those on
    # positions first), behind them the others; the same two for equations of motion; pivots of the factor and of the
    # reduced mass matrix; rows whose friction goes with their own reaction, and pivots of that
    part: I2
    coupling: F3  # (4, r, f - r): rates of the dependent rows from the independent ones; efforts; rates at the anchor;
    #               momenta of the dependent rows that unit rates of the independent ones cause
    factor: F2  # (r, r) LU of the dependent columns
    mass: F2  # (n, n): mass matrix; neither it nor the reduced one in trees and long chains
    reduced: F2  # (f - r, f - r): reduced mass matrix
    effort: (
        F1  # (n,): right-hand side of the reduced equations; efforts, then the accelerations that they cause
    )
    balance: F2  # (k, k): balance of the loads of k rows with friction
    answers: F2  # (3 k, k): what unit efforts on these rows add to their loads
    pushes: F2  # (3 k, c): what unit multipliers add to them, in the order of the partition
    # of e constraints that others imply: (e, c) multipliers that push nothing, in the order of the partition;
    # (e, 6 (j + k)) torques and forces that they cause in all joints, weighed; (e, e) factor of their products
    self_stress: F2
    stress_wrench: F2
    sharing: F2
    solve: F1  # (n + c,) scratch
    stack: F2  # (s, SLOT) scratch of relations
    variables: F2  # (2, VARIABLES) their variables, and rates of these
    store_out: F1  # energy in the springs of each block that reports it
    work: F1  # work space of one controller: see kernels/inverse_dynamics.py
    system: F2  # its equations

    @property
    def q(self) -> np.ndarray:
        return self.row[:, Q]

    @property
    def v(self) -> np.ndarray:
        return self.row[:, V]

    @property
    def qdd(self) -> np.ndarray:
        return self.row[:, QDD]

    @property
    def energy(self) -> np.ndarray:
        return self.scalar[: VIOLATION + 1]


kernel = entry_point(Model, Data)


# what components hold of the arrays of `Data`, and what is asked of all of them at once
SHARED = (
    "row", "quat", "inputs", "element_out", "spring_out", "joint_out", "sensor_out", "scalar", "target", "con", "tie",
    "store_out",
)  # fmt: skip


def all_data(each: Sequence[Data], states: int) -> Data:
    """The data of all components behind each other; what they solve with is left out."""
    if len(each) == 1:
        return each[0]
    arrays = {}
    for name, array in zip(each[0]._fields, each[0], strict=True):
        shared = [getattr(data, name) for data in each]
        arrays[name] = np.concatenate(shared) if name in SHARED else np.zeros((0,) * array.ndim, array.dtype)
    return Data(**{**arrays, "x": np.zeros(states), "dx": np.zeros(states)})


def new_data(model: Model, quats: int, inputs: int, targets: int = 0, rank: int = 0, depth: int = 1) -> Data:
    """Zeroed work space for a model; `rank` independent constraints, relations of `depth` stack slots."""
    n, c, zeros = len(model.topo), len(model.constraint), np.zeros
    free = int(np.sum(model.topo[:, MODE] == FREE)) if n else 0
    extra = c - rank
    dense = rank > 0 and model.option[O_SOLVER] == DENSE
    rubbing = int(model.option[O_FRICTION])
    rows, own = (n, free - rank) if dense else (0, 0)
    answers = 0 if dense else rank + 2 * rubbing
    data = Data(
        x=zeros(len(model.state)),
        dx=zeros(len(model.state)),
        row=zeros((n, DATA_COLUMNS)),
        quat=zeros((max(quats, 1), 4)),
        inputs=zeros(max(inputs, 1)),
        element_out=zeros((len(model.element), WIDTHS["element_out"])),
        spring_out=zeros((len(model.spring), WIDTHS["spring_out"])),
        joint_out=zeros((len(model.joint) + len(model.cut), WIDTHS["joint_out"])),
        sensor_out=zeros((len(model.sensor), WIDTHS["sensor_out"])),
        scalar=zeros(SCALARS),
        target=zeros((max(targets, 1), WIDTHS["target"])),
        con=zeros((c, WIDTHS["con"])),
        tie=zeros((len(model.tie), WIDTHS["tie"])),
        jac=zeros((c, n)),
        response=zeros((answers, n)),
        sweep=zeros((n if answers else 0, LANES * LANE)),
        part=zeros((PARTITION_ROWS, n + c), np.int64),
        coupling=zeros((LAYERS, rank, free - rank)),
        factor=zeros((rank, rank)),
        mass=zeros((rows, rows)),
        reduced=zeros((own, own)),
        effort=zeros(rows),
        balance=zeros((rubbing, rubbing)),
        answers=zeros((3 * rubbing, rubbing)),
        pushes=zeros((3 * rubbing, c)),
        self_stress=zeros((extra, c)),
        stress_wrench=zeros((extra, 6 * len(model.bushing))),
        sharing=zeros((extra, extra)),
        solve=zeros(n + c),
        stack=zeros((depth, SLOT)),
        variables=zeros((2, VARIABLES)),
        store_out=zeros(1 + int(model.store[:, S_OF].max(initial=-1))),
        work=zeros(1),
        system=zeros((0, 0)),
    )
    data.quat[:, 0] = 1.0
    data.part[ACTIVE, :c] = np.arange(c)
    return data
