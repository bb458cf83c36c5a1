"""`Model` and `Data`: all that a kernel sees. Rows are one-coordinate joints, parents before children.

`Model` is constant during a run (parameters may be set between steps); `Data` is work space, and no kernel reads in
it what it, or a kernel named before it in the same evaluation, did not write. World axes unless said otherwise;
spatial vectors are (angular; linear), taken at the origin of their row. Accelerations are the ordinary ones of the
row's origin with gravity taken off, so that bodies at rest accelerate upwards by g.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .arrays import F1, F2, F3, I1, I2, bundled
from .jit import unit

# topo columns
PARENT, KIND, MODE, QUAT, SHIFT, BRANCHED = range(6)
# topo[:, KIND]: a row turns about, or slides along, its own z axis; QUAT_Y and QUAT_Z follow a QUAT_X row
REVOLUTE, PRISMATIC, WELD, QUAT_X, QUAT_Y, QUAT_Z = range(6)
# topo[:, MODE]: FREE rows are solved for; DRIVEN rows have their acceleration given (welds: zero)
FREE, DRIVEN = range(2)
# coordinate columns
STIFFNESS, DAMPING, REST, LOWER, UPPER, STOP_STIFFNESS, STOP_DAMPING, STOP_WIDTH, CUBIC, ARMATURE = range(10)
# spring columns; its coefficients stand behind stiffness and damping in spring_value
SP_FIRST, SP_LAST = range(2)
SP_COEFFICIENTS = 2
# element columns and kinds
E_KIND, E_FRAME_A, E_FRAME_B, E_INPUT = range(4)
LINE, BUSHING, CONTACT, FORCE_WORLD, FORCE_B, TORQUE_WORLD, TORQUE_B, SEGMENT = range(8)
# joint columns
J_FIRST, J_LAST, J_REVERSED, J_FRAME_A, J_FRAME_B, J_RESOLVE = range(6)
# sensor columns; axes: 0 world, 1 a, 2 b
S_FRAME_A, S_FRAME_B, S_AXES = range(3)
# constraint columns and kinds: a component of p_B - p_A in a's axes, two axes at right angles, relations
C_KIND, C_FRAME_A, C_FRAME_B, C_AXIS_A, C_AXIS_B, C_TARGET, C_FIRST, C_LAST, C_SERVO, C_TIE = range(10)
POINT, ALIGN, RELATION, VELOCITY_RELATION = range(4)
# tie columns
T_FRAME_A, T_FRAME_B = range(2)
# cut columns
CUT_RESOLVE, CUT_FRAME_B, CUT_FIRST, CUT_LAST = range(4)
# friction columns and laws; the lever makes an effort of a coefficient; a load below zero is the joint's own reaction
F_LAW, F_MU_S, F_MU_K, F_STRIBECK, F_SIGMA_0, F_SIGMA_1, F_SIGMA_2, F_GAMMA, F_LEVER, F_LOAD = range(10)
FRICTIONLESS, VISCOUS, COULOMB, DAHL, LUGRE = range(5)
# option entries, and how constraints are kept and solved
O_METHOD, O_SOLVER, O_FRICTION, O_DELTA_Q, O_QUATS, O_SERVO = range(6)
REDUCED, BAUMGARTE, PROJECTED = range(3)
DENSE, SCHUR = range(2)
# energy entries, and the largest residual of a constraint so far
KINETIC, GRAVITY, ELASTIC, DRIVE_POWER, DISSIPATION, FRICTION_POWER, CONSTRAINT_POWER, VIOLATION = range(8)


# columns of Model.row: where the joint frame stands in the parent's body, mass properties, springs and stops, friction
PLACE, BODY, COORDINATE, FRICTION = 0, 12, 22, 32
MODEL_COLUMNS = 42
# entries of Model.constant after gravity
ALPHA, BETA = 3, 4
# columns of Data.row
Q, V, QDD, DRIVE, SERVO, TAU, ANCHOR_Q, ANCHOR_V, PASSIVE = range(9)
POSE, AXIS, ARM, TWIST, BIAS, INERTIA, WRENCH, OUTER = 12, 24, 27, 30, 36, 42, 52, 58
ART, ART_WRENCH, GAIN, ACC, REACTION, FREE_ACC = 64, 85, 91, 99, 105, 111
BRISTLE, BRISTLE_RATE, GRIP, NORMAL, LOAD, ANCHOR_A, COS, SIN = 117, 118, 119, 120, 121, 124, 125, 126
DATA_COLUMNS = 127
# state columns; a state's kind is the column of Data.row where it is kept, its component the column of its rate, but
# quaternions have an array of their own
ST_KIND, ST_ROW, ST_COMPONENT = range(3)
Q_STATE, V_STATE, QUAT_STATE, BRISTLE_STATE = Q, V, 2, BRISTLE
# entries of Data.scalar after the energies
CLOCK, OPEN, WORN, WORN_LIMIT, ANCHOR_TIME, JAMMED, STOPS = range(8, 15)
# columns of Data.con, and of Data.tie
PHI, PHI_T, PHI_RATE, PHI_BIAS, MULTIPLIER, PUSH = range(6)
AXES_A, AT, GAP, GAP_RATE, GAP_BIAS = 0, 9, 12, 15, 18
# rows of Data.part, and layers of Data.coupling
INDEPENDENT, DEPENDENT, ACTIVE, FORCE_INDEPENDENT, FORCE_DEPENDENT, PIVOT = range(6)
PIVOT_REDUCED, LOADED, PIVOT_LOADED = range(6, 9)
NOW, FORCES, ANCHOR, CARRIED = range(4)
# columns of the arrays of Data
WIDTHS = {
    "row": DATA_COLUMNS, "quat": 4, "element_out": 15, "spring_out": 2, "joint_out": 14, "sensor_out": 18, "target": 3,
    "con": 11, "tie": 21,
}  # fmt: skip
# columns of joint_out and element_out
NORMAL_FORCE, REQUIRED_EFFORT = 12, 13
DEFLECTION, STORED, LOST, PUT_IN, FORCE_IN_A = 6, 9, 10, 11, 12
TOUCHING = 7  # of a contact, behind its depth
# columns of Model.store, and what it adds up
S_OF, S_FIRST, S_LAST, S_KIND = range(4)
OF_ROWS, OF_SPRINGS, OF_ELEMENTS = range(3)
# how many efforts share a sweep when the accelerations that each of them causes are asked for, and columns of each
LANES, LANE = 6, 12


@bundled
class Model(NamedTuple):
    """Constants of the mechanism: n rows, f frames, e force elements, j joints, s sensors, c constraints."""

    topo: (
        I2  # (n, 6): parent row or -1, kind, mode, quaternion number, 1 where the origin leaves the parent's, 1 where a
        #     row other than the next one hangs on it
    )
    row: F2  # (n, 42): R_PJ, p_PJ [m] (12); mass, mass * com, inertia about the row's origin (10); coordinate (10);
    #          friction (10)
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
    state: I2  # (x, 3): kind, row, component of each mechanical state, in the order of the state vector
    # (c, 10): kind, frame a, frame b, axes, target, first and last operation, row of the drive or -1, tie
    constraint: I2
    tie: I2  # (t, 2): frames a and b of constraints
    way: F2  # (t, n): how each row carries a tie: 1 on b's way to the world, -1 on a's, 0 on both or neither
    constraint_value: F1  # (c,) value of the component at the start where it counts from there
    tape: I2  # (o, 2): operations of relations
    tape_value: F1  # their constants
    cut: I2  # (k, 4): frame of the outputs and frame b of a joint that closes a loop, its first constraint and the one
    #         after its last
    store: (
        I2  # (z, 4): number of a sum of stored energies; first and last row, spring or element; which of them
    )
    option: (
        I1  # (6,): method, solver, number of rows with friction, 1 for forces of damping as they are printed,
        #     numbers of free joints and of constraints that drives realise
    )

    @property
    def place(self) -> np.ndarray:
        return self.row[:, PLACE:BODY]

    @property
    def body(self) -> np.ndarray:
        return self.row[:, BODY:COORDINATE]

    @property
    def coordinate(self) -> np.ndarray:
        return self.row[:, COORDINATE:FRICTION]

    @property
    def gravity(self) -> np.ndarray:
        return self.constant[:3]


@bundled
class Data(NamedTuple):
    """Work space of one evaluation.

    Columns of `row`: coordinate, rate and acceleration (given on DRIVEN rows); efforts of drives, of servo
    constraints, of all; coordinate and rate at the anchor (of dependent rows: the part of it that the others do not
    explain, and in ANCHOR_A that of its acceleration); efforts of spring, damper, stop, friction (PASSIVE); R_WB
    and p_WB (POSE); the row's axis; the arm from the parent's origin; angular velocity and velocity of the origin
    (TWIST); acceleration that velocities alone give relative to the parent (BIAS); mass, mass * com and inertia
    (INERTIA); what velocities ask for less the external wrench (WRENCH), which is OUTER; articulated inertia J (6) H
    (9) M (6), torque = J alpha + H a, force = H^T alpha + M a (ART), and its bias wrench; articulated inertia times
    axis, 1 / (axis . that), effort left for the row (GAIN); acceleration (ACC); wrench of the parent on the row's
    body and all that it carries (REACTION); acceleration without that of the free rows (FREE_ACC). Friction: deflection
    of the bristles and its rate, effort against the motion per normal force (GRIP), normal force, load without it (3).
    Cosine and sine of the coordinate where it turns.
    """

    x: F1  # state vector
    dx: F1  # its rates
    row: F2  # (n, 127)
    quat: F2  # (free joints or 1, 4): orientation w x y z
    inputs: F1  # (k,): signals that force elements read
    element_out: (
        F2  # (e, 15): wrench on b (6), deflection (3), energy, power lost, power put in, force in a (3)
    )
    spring_out: F2  # (s, 2): stretch of each linear spring, force against it
    joint_out: (
        F2  # (j + k, 14): total force, torque, constraint force, torque (in b), normal force, required effort
    )
    sensor_out: F2  # (s, 18): position, psi theta phi, velocity, spin, acceleration, angular acceleration
    scalar: F1  # (15,): energies, powers and violation, time, 1 where a loop is open, wear of the coupling, limit,
    #             anchor's time, 1 + the first row whose load and friction find no balance, a number for the set of
    #             end stops that touch
    target: F2  # (k, 3): value, rate and acceleration of what constraints follow; (t, 1, 0) for relations
    con: F2  # (c, 11): residual, its rate without motion, its rate, its second rate without free rows; multiplier;
    #          wrench of a unit multiplier on b, at frame b's origin
    tie: F2  # (t, 21): R_WA (9), p_WB, p_WB - p_WA, its rate as a sees it, and the second rate without free rows
    jac: F2  # (c + r + 2 k, n): Jacobian; below it, for the Schur complement, what unit multipliers leave for each row,
    #          or the accelerations that they cause, those that unit efforts on k rows with friction cause (also in
    #          trees), and the multipliers that these call for
    sweep: F2  # (n, 72) where these are found, side by side in six lanes: wrenches (6), accelerations (6)
    part: I2  # (9, n + c): rows that are states, rows that constraints give, constraints that are independent (those
    #           on positions first), behind them the others; the same two for equations of motion; pivots of the factor
    #           and of the reduced mass matrix; rows whose friction goes with their own reaction, and pivots of that
    coupling: F3  # (4, r, f - r): rates of the dependent rows from the independent ones; efforts; rates at the anchor;
    #               momenta of the dependent rows that unit rates of the independent ones cause
    factor: F2  # (r, r) LU of the dependent columns
    mass: F2  # (n + f - r + 7 k + 1, n): mass matrix, reduced mass matrix (neither for trees and long chains); for k
    #           rows with friction the balance of their loads (k), the loads that unit efforts (3 k) and unit
    #           multipliers (3 k) add; scratch (1)
    solve: F1  # (n + c,) scratch
    stack: F2  # (s, 36) scratch of relations
    variables: F2  # (2, 7) their variables, and rates of these
    store_out: F1  # energy in the springs of each block that reports it
    work: F1  # work space of one controller: see kernels/inverse.py
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
        return self.scalar[:8]


kernel = unit(Model, Data)


def new_data(model: Model, quats: int, inputs: int, targets: int = 0, rank: int = 0, depth: int = 1) -> Data:
    """Zeroed work space for a model; `rank` independent constraints, relations of `depth` stack slots."""
    n, c, zeros = len(model.topo), len(model.constraint), np.zeros
    free = int(np.sum(model.topo[:, MODE] == FREE)) if n else 0
    dense = rank > 0 and model.option[O_SOLVER] == DENSE
    rubbing = int(model.option[O_FRICTION])
    own = (n + free - rank if dense else 0) + 7 * rubbing
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
        scalar=zeros(15),
        target=zeros((max(targets, 1), WIDTHS["target"])),
        con=zeros((c, WIDTHS["con"])),
        tie=zeros((len(model.tie), WIDTHS["tie"])),
        jac=zeros((c + answers, n)),
        sweep=zeros((n if answers else 0, LANES * LANE)),
        part=zeros((9, n + c), np.int64),
        coupling=zeros((4, rank, free - rank)),
        factor=zeros((rank, rank)),
        mass=zeros((own + 1, n) if own else (0, 0)),
        solve=zeros(n + c),
        stack=zeros((depth, 36)),
        variables=zeros((2, 7)),
        store_out=zeros(1 + int(model.store[:, S_OF].max(initial=-1))),
        work=zeros(1),
        system=zeros((0, 0)),
    )
    data.quat[:, 0] = 1.0
    data.part[ACTIVE, :c] = np.arange(c)
    return data
