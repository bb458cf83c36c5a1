"""Columns of the arrays of `Data`, the work space of one evaluation.

A table names the columns of one array, a column a line: symbol of the books, meaning, unit, and its width where that
is not 1. Vectors and wrenches are in world axes unless said otherwise. Conventions of frames and units:
`model_data.py`, by which kernels read all names.
"""

from __future__ import annotations

from ..codegen.column_layout import Columns

# Data.row (n, DATA_COLUMNS): coordinate, body and joint of a row
column = Columns()
Q = column()  # q: coordinate [rad, m]
V = column()  # v: its rate [rad/s, m/s]
QDD = column()  # qdd: its acceleration, given on DRIVEN rows [rad/s^2, m/s^2]
DRIVE = column()  # effort of drives [N m, N]; so are all efforts
SERVO = column()  # effort of servo constraints
TAU = column()  # tau: sum of all efforts
ANCHOR_Q = column()  # q at the anchor (position_projection)
ANCHOR_V = column()  # v at the anchor; of dependent rows v_d - K v_i
SPRING_EFFORT = column()
DAMPER_EFFORT = column()
STOP_EFFORT = column()  # of end stops, and of bands between joints
FRICTION_EFFORT = column()
R_WB = column(9)  # axes of the body, row by row
p_WB = column(3)  # origin of the row [m]
AXIS = column(3)  # s: axis of the joint
p_parent = column(3)  # from the parent's origin to the row's [m]
TWIST = column(6)  # w_WB and velocity of the row's origin [rad/s, m/s]
VELOCITY_PRODUCT = column(6)  # c: acceleration relative to the parent at zero qdd [rad/s^2, m/s^2]
MASS = column()  # m [kg]
FIRST_MOMENT = column(3)  # h = m (p_com - p_WB) [kg m]
INERTIA = column(6)  # J about the row's origin [kg m^2]
BIAS_WRENCH = column(6)  # gyroscopic and centrifugal wrench less the external one [N m, N]
WRENCH_EXT = column(6)  # external wrench [N m, N]
IA = column(6)  # I_A: J of the articulated inertia, torque = J alpha + H a, force = H^T alpha + M a
IA_H = column(9)  # I_A: H, row by row
IA_M = column(6)  # I_A: M
pA = column(6)  # p_A: bias force of the articulated inertia
U = column(6)  # U = I_A s
D_INV = column()  # 1 / D, D = s . U + rotor
u = column()  # u = tau - s . p_A
ACC = column(6)  # acceleration of the row [rad/s^2, m/s^2]
REACTION = column(6)  # wrench of the parent on the row's body and all that it carries [N m, N]
ACC_BIAS = column(6)  # acceleration of the row at zero qdd of the FREE rows
BRISTLE = column()  # z: deflection of the friction bristles [rad, m]
BRISTLE_RATE = column()  # z'
GRIP = column()  # effort against the motion over the normal force: mu lever
NORMAL = column()  # N: normal force of a joint with friction [N]
LOAD = column(3)  # R: force across the axis without friction [N]
ANCHOR_A = column()  # at the anchor, of dependent rows: qdd_d - K qdd_i
COS = column()  # cos q of a REVOLUTE row
SIN = column()  # sin q of a REVOLUTE row
STOP_DEPTH = column()  # > 0 while an end stop pushes; between stops -(distance to the nearer)
STOP_BEYOND = column()  # depth in a stop less STOP_WIDTH
DELTA_EFFORT = column()  # Delta-Q (delta_q)
HELD = column()  # 1 while a release locks the row, else 0
DATA_COLUMNS = column.count
# widths of pose, of body, of I_A with p_A
R_WB_COLUMNS, BODY_COLUMNS, IA_COLUMNS = AXIS - R_WB, BIAS_WRENCH - MASS, U - IA
# second use of the columns of I_A where no articulated inertia is needed
COMPOSITE = IA  # composite body (m, h, J) of the mass matrix (10)
MOTION = IA  # motion of the row at a unit rate of the single freedom (6)
FREEDOM_RATE = U  # rate of the coordinate at a unit rate of the single freedom

# state[:, ST_KIND]: the column of Data.row where the state is kept; a quaternion (Data.quat) and a bristle across an
# element (Data.element_out) have none there, and are tagged by columns that are no state
Q_STATE = Q
V_STATE = V
QUAT_STATE = QDD
BRISTLE_STATE = BRISTLE
SLIP_STATE = DRIVE

# Data.scalar (SCALARS,)
column = Columns()
KINETIC = column()  # kinetic energy [J]
GRAVITY = column()  # potential energy of gravity [J]
ELASTIC = column()  # potential energy of springs [J]
DRIVE_POWER = column()  # power that drives put in [W]
DISSIPATION = column()  # power that dampers take out [W]
FRICTION_POWER = column()  # power that friction takes out [W]
CONSTRAINT_POWER = column()  # power of moving or violated constraints [W]
VIOLATION = column()  # largest residual of a constraint so far
TIME_S = column()  # time [s]
LOOP_OPEN = column()  # 1 if Newton did not close a loop
COUPLING_MAX = column()  # max |K|
COUPLING_LIMIT = column()  # value of it at which independent coordinates are chosen anew
ANCHOR_TIME = column()  # time of the anchor [s]
FRICTION_JAM = column()  # 1 + first row whose load and friction have no balance, else 0
END_STOPS = column()  # fingerprint of the set of end stops and contacts that touch
STATICS = column()  # 1 in statics
DETERMINANT = column()  # det at the anchor of the block of Phi_d nearest to zero, up to sign; 0 at first
DETERMINANT_MAX = column()  # its largest magnitude so far
SINGULAR = column()  # 1 if a singular position is near (loop_blocks.note_determinant)
EVALUATIONS = column()  # evaluations since the start of the run
ROUNDS = column()  # corrections of Newton's method in them
H_GAMMA = column()  # g = h gamma of an implicit step [s]
IMPACT_WORK = column()  # work of prescribed motions in the impact just computed [J]
IMPACT_LOSS = column()  # energy lost in it [J]
SCALARS = column.count

# Data.con (c, CON_COLUMNS): constraint
column = Columns()
PHI = column()  # Phi: residual
PHI_T = column()  # its partial derivative by time
PHI_RATE = column()  # Phi'
PHI_BIAS = column()  # Phi'' at zero qdd of the FREE rows
MULTIPLIER = column()  # lambda
WRENCH_CONSTRAINT = column(3)  # torque on b, at frame b's origin, of a unit multiplier
FORCE_CONSTRAINT = column(3)  # force on b of a unit multiplier
SLOPE = column(3)  # derivative of a relation by x, y, z: efforts of a unit multiplier on its joints
CON_COLUMNS = column.count

# Data.tie (t, TIE_COLUMNS): pair of constrained frames
column = Columns()
R_WA = column(9)  # axes of a, row by row
p_WTIE = column(3)  # origin of b [m]
GAP = column(3)  # p_WB - p_WA [m]
GAP_RATE = column(3)  # its rate as seen from a [m/s]
GAP_BIAS = column(3)  # its second rate as seen from a at zero qdd of the FREE rows [m/s^2]
TIE_COLUMNS = column.count

# Data.target (k, TARGET_COLUMNS): what a constraint follows; (t, 1, 0) for relations
column = Columns()
TARGET = column()  # value
TARGET_RATE = column()  # its rate
TARGET_ACC = column()  # its second rate
TARGET_COLUMNS = column.count

# rows of Data.part (PARTITION_ROWS, n + c): lists of row or constraint numbers
column = Columns()
INDEPENDENT = column()  # rows whose coordinates are states
DEPENDENT = column()  # rows whose coordinates follow from constraints
ACTIVE = column()  # independent constraints, those on positions first; then the redundant ones
FORCE_INDEPENDENT = column()  # rows of the equations of motion that are solved
FORCE_DEPENDENT = column()  # rows whose equations give the multipliers
PIVOT = column()  # row exchanges of `factor`
PIVOT_REDUCED = column()  # row exchanges of `reduced`
LOADED = column()  # rows with friction under their own reaction
PIVOT_LOADED = column()  # row exchanges of `balance`
PLACE = column()  # of each row: its place in DEPENDENT, or -1 less its place in INDEPENDENT
BLOCK = column()  # first place in DEPENDENT of each diagonal block of Phi_d, then r (loop_blocks)
CHAINED = column()  # of each place in DEPENDENT: 1 if its row of Phi_d has entries left of its block
FIRST_FREE = column()  # of each place in DEPENDENT: first place in INDEPENDENT that its row of K depends on
END_FREE = column()  # of each place in DEPENDENT: place behind the last one
PARTITION_ROWS = column.count

# Data.loop_block (r, 2): diagonal block of Phi_d
column = Columns()
BLOCK_DET = column()  # its determinant at the anchor, up to sign of the permutation
BLOCK_DET_MAX = column()  # its largest magnitude so far
LOOP_BLOCK_COLUMNS = column.count

# Data.cluster_work (w, CLUSTER_COLUMNS + w) of w rows of the largest cluster: elimination of a cluster (loop_embedding)
column = Columns()
CL_FORCE = column(6)  # F: wrench on the base at a unit acceleration of the row
CL_TAU = column()  # effort of the row less the bias force
CL_SIGMA = column()  # acceleration of the row at zero accelerations of the independent ones
CL_SOLVE = column(7)  # of each independent row: U and u, then D^-1 U and D^-1 u
CL_CARRIED = column()  # M N; one column an independent row, to the end
CLUSTER_COLUMNS = column.count

# layers of Data.coupling (LAYERS, r, f - r): dependent rows by independent ones
column = Columns()
NOW = column()  # K: rates of dependent rows at unit rates of independent ones
FORCES = column()  # L of N = [1; L], orthogonal to the constraint forces
ANCHOR = column()  # K at the anchor
CARRIED = column()  # (M J)_d: momenta of dependent rows at unit rates of independent ones
LAYERS = column.count

# Data.element_out (e, ELEMENT_COLUMNS): force element
column = Columns()
TORQUE_ON_B = column(3)  # [N m]
FORCE_ON_B = column(3)  # [N]
# LINE: length, rate, tension; BUSHING, SUPPORT, RAIL: p_AB in a; CONTACT, TOUCH: depth [m]
DEFLECTION = column(3)
STORED = column()  # stored energy [J]
POWER_LOST = column()  # [W]
POWER_IN = column()  # power of the signal's force [W]
FORCE_IN_A = column(3)  # force on b in a [N]
MARGIN = column()  # positive while a CONTACT, SUPPORT or TOUCH pushes
MEETING = column()  # two-blocking force of a rope, at its first segment [N]
SLIP = column(
    7
)  # bristle in a [m]: two entries across; of a TOUCH three across, one of spin, three of rolling
SLIP_RATE = column(7)  # its rate [m/s]
ADDED = column(
    6
)  # FLUID: J of the fluid at the row's origin, torque = J alpha + H a, force = H^T alpha + M a
ADDED_H = column(9)  # FLUID: H, row by row
ADDED_M = column(6)  # FLUID: M
ADDED_BIAS = column(6)  # FLUID: its wrench at zero ACC [N m, N]
ELEMENT_COLUMNS = column.count
TOUCHING = DEFLECTION + 1  # 1 while a CONTACT or TOUCH touches, behind its depth
# second use of the columns for a SUPPORT
FOOT_GAP = MEETING  # height of the foot above the ground that it left; negative while it presses [m]
PAD_PRESSURE = ADDED  # normal force over the area of the pad [Pa]
PAD_BEARING = ADDED + 1  # that over the pressure that the soil is rated for
PAD_SINKAGE = ADDED + 2  # depth of the foot below frame_a [m]
SETTLED_PART = 2  # component of the bristle of a SUPPORT that is the settlement
SETTLEMENT = SLIP + SETTLED_PART  # sinkage that stays, a state [m]
# second use of the columns for a RAIL; its bristle: sideways, ahead
WHEEL_LOAD = ADDED  # N: load of the wheel on the rail [N]
CREEP_SIDE = ADDED + 1  # creep force against its motion sideways [N]
CREEP_AHEAD = ADDED + 2  # creep force against its motion ahead [N]
GUIDE_FORCE = ADDED + 3  # force of the guide on b along a's y axis [N]
GRIP_USED = ADDED + 4  # creep force over mu N
SIDE_SPEED = ADDED + 5  # velocity of b against a, to the left of the direction in which it rolls [m/s]
ROLL_SPEED = ADDED_H  # velocity of b against a in that direction [m/s]
GUIDE_MARGIN = ADDED_H + 1  # positive while the guide pushes, of the left and the right side (2)
GUIDE_LOST = ADDED_H + 3  # power lost in the dampers of load and guide [W]
# second use of the columns for a TOUCH
RUBBING = DEFLECTION + 2  # magnitude of the friction force [N]
PRESSURE_CENTRE = FORCE_IN_A  # centre of pressure in W [m] (3)
TOUCH_NORMAL = MEETING  # sum of the normal forces of all features [N]
# second use of the columns for a CLEARANCE
GAP_BETWEEN = DEFLECTION  # distance of two shapes [m]
GAP_BETWEEN_RATE = DEFLECTION + 1  # its rate [m/s]
POINT_ON_A = FORCE_IN_A  # closest point of a in W [m] (3)
POINT_ON_B = SLIP  # closest point of b in W [m] (3)
# second use of the columns for a SEGMENT
ROPE_LENGTH = DEFLECTION  # length of the whole rope, at its first segment [m]
ROPE_RATE = DEFLECTION + 1  # its rate, at its first segment [m/s]
SEGMENT_LENGTH = MARGIN  # [m]
SEGMENT_RATE = DEFLECTION + 2  # [m/s]
SEGMENT_DIRECTION = FORCE_IN_A  # unit vector from a to b (3)
# second use of the columns for a BAND; SIDE, LEFT and SINCE are memories
BAND_GAP = DEFLECTION  # Phi
BAND_RATE = DEFLECTION + 1  # Phi'
BAND_ACC = DEFLECTION + 2  # Phi''
BAND_FORCE = FORCE_IN_A  # lambda
BAND_FREE = FORCE_IN_A + 1  # Phi'' with lambda = 0 of all bands
BAND_SINCE = FORCE_IN_A + 2  # time at which the edge LEFT was left [s]
BAND_SIDE = SLIP  # edge that acts: 1 upper, -1 lower, 0 none
BAND_LEFT = SLIP + 1  # edge that was left at the start of the present step, or 0
BAND_SLOPE = ADDED  # g, derivative of Phi by x, y, z (3)
BAND_BIAS = ADDED + 3  # Phi'' at zero second rates of x, y, z
BAND_SPEED = ADDED + 4  # g . (x', y', z'): Phi' without that of targets
BAND_SIZE = ADDED + 5  # sum |g_k x_k|: size of the terms of Phi
BAND_TERMS = ADDED_H  # size of the terms of Phi''
BAND_DIRECTION = ADDED_H + 1  # force on b of a unit multiplier, in W (3)

# Data.stand_at (w, STAND_COLUMNS): shape on a body, of those that touch
column = Columns()
STAND_AT = column(3)  # its origin in W [m]
STAND_NORMAL = column(3)  # outward normal of a plane in W
STAND_LISTED = column(3)  # STAND_AT when `touch_near` was made [m]
STAND_LISTED_NORMAL = column(3)  # STAND_NORMAL then
STAND_COLUMNS = column.count

# Data.touch_gap (pairs, TOUCH_GAP_COLUMNS): pairs with a hull that were far apart in an earlier evaluation
column = Columns()
GAP_LEFT = column()  # way by which the gap exceeded what counts as far, 0 if it did not [m]
GAP_AT = column(3)  # origin of shape b in the axes of shape a then [m]
GAP_AXES = column(9)  # axes of shape b in those of shape a then
TOUCH_GAP_COLUMNS = column.count

# Data.touch_sum (1, TOUCH_SUMS): sums over the features of one pair, in the axes of shape a, its origin the reference
column = Columns()
SUM_NORMAL = column()  # N = sum f [N]
SUM_MOMENT = column(3)  # sum f x [N m]
SUM_FORCE = column(3)  # sum f n [N]
SUM_TORQUE = column(3)  # sum f x cross n, with the gradients of weights [N m]
SUM_SPREAD = column()  # sum f (r^2 + curvature depth), r from the origin of shape b [N m^2]
SUM_STORED = column()  # elastic energy [J]
SUM_LOST = column()  # power lost to dissipation [W]
SUM_DEPTH = column()  # largest depth so far [m]
SUM_COUNT = column()  # features that touch
SUM_FINGERPRINT = column()  # their share of END_STOPS
SUM_TOWARDS = column(3)  # normal of the nearest corner so far, from a to b; zero without one
TOUCH_SUMS = column.count

# Data.touch_point (features, TOUCH_POINT_COLUMNS): features that touch, of the pair at hand
column = Columns()
POINT_AT = column(3)  # place in the axes of shape a [m]
POINT_FORCE = column()  # f [N]
TOUCH_POINT_COLUMNS = column.count

# Data.spring_out (s, STRETCH_COLUMNS): linear spring
column = Columns()
STRETCH = column()  # e [m, rad]
SPRING_FORCE = column()  # -(k e + c e')
STRETCH_COLUMNS = column.count

# Data.joint_out (j + k, JOINT_COLUMNS): wrench on b's body at b's origin, in the outputs' frame
column = Columns()
TOTAL_FORCE = column(3)  # [N]
TOTAL_TORQUE = column(3)  # [N m]
CONSTRAINT_FORCE = column(3)  # without the efforts along the joint's freedoms [N]
CONSTRAINT_TORQUE = column(3)  # [N m]
NORMAL_FORCE = column()  # resultant across the axis of a one-coordinate joint [N]
REQUIRED_EFFORT = column()  # effort that a drive has to add [N m, N]
JOINT_COLUMNS = column.count

# Data.sensor_out (s, SENSOR_COLUMNS): motion of b relative to a, in the axes of the sensor
column = Columns()
SENSED = column(3)  # p_AB [m]
SENSED_ANGLES = column(3)  # psi, theta, phi of R_AB [rad]
SENSED_VELOCITY = column(3)  # [m/s]
SENSED_SPIN = column(3)  # w_AB [rad/s]
SENSED_ACC = column(3)  # acceleration in the world [m/s^2]
SENSED_SPIN_ACC = column(3)  # angular acceleration in the world [rad/s^2]
SENSOR_COLUMNS = column.count

# Data.sweep (n, LANES * LANE): accelerations under unit efforts, several in one sweep
column = Columns()
LANE_WRENCH = column(6)  # p_A
LANE_ACC = column(6)  # acceleration
LANE = column.count
LANES = 6  # efforts in a sweep

# Data.variables (3, VARIABLES): variables of a relation
column = Columns()
PLACES = column(3)  # x, y, z
SPEEDS = column(3)  # vx, vy, vz
ACCELERATIONS = column(3)  # ax, ay, az
VARIABLES = column.count

# Data.stack (depth, SLOT): operand of a relation's expression
column = Columns()
VALUE = column()  # value
RATE = column()  # first rate along the motion
SECOND = column()  # second rate along the motion
SLOPES = column(3)  # partial derivatives by the three variables of the order that the relation constrains
SLOT = column.count

# Data.tangent (n, TANGENT_COLUMNS): equations (M + g C + g^2 K) w = r of an implicit step, g = h gamma (tangent_sweep)
column = Columns()
TAN_STIFFNESS = column()  # k of the row [N/m, N m/rad]
TAN_DAMPING = column()  # c of the row [N s/m, N m s/rad]
TAN_U = column(6)  # U = I_A s, with g C + g^2 K in I_A
TAN_D_INV = column()  # 1 / D, D = s . U + rotor + g c + g^2 k
TAN_AXIS = column(3)  # s at the start of the step
TAN_ARM = column(3)  # from the parent's origin to the row's at the start of the step [m]
TAN_QUAT = column(4)  # quaternion of a free body at the start of the step, at its first row
TAN_RIGHT_Q = column()  # right-hand side of q' = v, then unused
TAN_RIGHT_V = column()  # right-hand side of v' = qdd, then the solution
TAN_EFFORT = column()  # u = effort of the row less s . p_A
TAN_WRENCH = column(6)  # p_A on the way in, accelerations on the way out
TAN_R_WB = column(9)  # R_WB at the start of the step, at the row of a flexible body
TANGENT_COLUMNS = column.count

# rows of Data.modal (b, MODAL_ROWS, modes): flexible body at its deformation, in body axes
column = Columns()
ETA = column()  # eta: modal coordinates [kg^(1/2) m]
ETA_RATE = column()  # eta'
ETA_ACC = column()  # eta''
MODAL_BIAS = column()  # effort that each mode needs at zero accelerations
MODAL_ROWS = column.count

# columns of Data.membrane_strain (b s, STRAIN_COLUMNS): membrane strains of flexible bodies
column = Columns()
STRAIN_SUMS = column(8)  # four sums each over modes k, k + 4, ... of c . eta and eta . G eta
STRAIN_FIRST = column()  # c . eta [J^(1/2)]
STRAIN_SECOND = column()  # eta . G eta / 2 [J^(1/2)]
STRAIN_COLUMNS = column.count

# columns of Data.face_solve (b, 6 faces, ELIMINATION_COLUMNS): elimination of the modes of a flexible body, body axes
column = Columns()
Y_FACE = column(6)  # Y = X - B C^T: acceleration of the interfaces by that of the body, modes included
R_FACE = column()  # right sides of the interfaces' equations, and their solution h
P_FACE = column()  # p_A of what stands on them
Z_FACE = column(6)  # (L D)^-1 L_A^T Y with L D L^T = 1 + L_A^T E L_A
# the same of r: L^T h of the interfaces' wrenches p_A + L_A h at zero acceleration of the body
H_FACE = column()
W_FACE = column()  # wrench on what stands there
ELIMINATION_COLUMNS = column.count

# columns of Data.face_turn (f, 4): theta (3) of an interface [rad], and c = 4 / (4 + theta^2)
FACE_C = 3
