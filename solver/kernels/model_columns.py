"""Columns of the arrays of `Model`, constant in a run, and tags: values of columns that hold a kind, law or method.

A table names the columns of one array, a column a line: symbol of the books, meaning, unit, and its width where that
is not 1. Conventions of frames and units: `model_data.py`, by which kernels read all names.
"""

from __future__ import annotations

from ..codegen.column_layout import Columns

LINEAR = 3  # offset of the linear part in a spatial vector

# tags: values of the columns KIND, MODE, E_KIND, C_KIND, F_LAW, S_KIND and of options

# topo[:, KIND]: joint of the row; it turns about, or slides along, its own z axis
REVOLUTE = 0
PRISMATIC = 1
WELD = 2
QUAT_X = 3  # the three rates of a quaternion joint, in body axes: QUAT_Y and QUAT_Z follow a QUAT_X row
QUAT_Y = 4
QUAT_Z = 5

# topo[:, MODE]
FREE = 0  # qdd is solved for
DRIVEN = 1  # qdd is given (welds: zero)

# element[:, E_KIND]: forces between frames a and b
LINE = 0  # spring-damper along the line a-b
BUSHING = 1  # springs and dampers along and about a's axes
CONTACT = 2  # sphere about b's origin on the plane z = 0 of a
SUPPORT = 3  # spring-damper along a's z axis, push only
FORCE_WORLD = 4  # force on b from a signal, in W
FORCE_B = 5  # force on b from a signal, in b
TORQUE_WORLD = 6  # torque on b from a signal, in W
TORQUE_B = 7  # torque on b from a signal, in b
SEGMENT = 8  # segment of a rope from a to b
HULL = 9  # added mass of the fluid at b

# constraint[:, C_KIND]
POINT = 0  # component of p_AB along an axis of a is zero, or a target
ALIGN = 1  # axis of a and axis of b are at right angles
RELATION = 2  # expression of positions and time is zero
VELOCITY_RELATION = 3  # expression of positions, rates and time is zero

# row[:, FRICTION + F_LAW]: friction law of a joint (kernels/joint_friction.py)
FRICTIONLESS = 0
VISCOUS = 1
COULOMB = 2
DAHL = 3
LUGRE = 4
ELASTOPLASTIC = 5

# option[O_METHOD]: stabilisation of constraints
REDUCED = 0  # independent coordinates are the states, dependent ones follow by Newton
BAUMGARTE = 1  # all coordinates are states; feedback of residuals
PROJECTED = 2  # all coordinates are states; projection after each step

# option[O_SOLVER]: linear equations of constrained dynamics
DENSE = 0  # reduced mass matrix
SCHUR = 1  # articulated bodies, Schur complement of the multipliers

# store[:, S_KIND]: what S_FIRST to S_LAST count
OF_ROWS = 0
OF_SPRINGS = 1
OF_ELEMENTS = 2

# Model.topo (n, 6): topology of the tree
column = Columns()
PARENT = column()  # parent row, -1 for the world
KIND = column()  # tag of the joint
MODE = column()  # FREE or DRIVEN
QUAT = column()  # number of the quaternion of a QUAT_ row
SHIFT = column()  # 1 if the row's origin differs from its parent's
BRANCHED = column()  # 1 if a row other than the next one hangs on it

# Model.row (n, MODEL_COLUMNS): joint frame, body, coordinate and friction of a row
column = Columns()
R_PJ = column(9)  # joint frame in the parent's body, row by row
p_PJ = column(3)  # origin of the joint frame in the parent's body [m]
BODY_MASS = column()  # m [kg]
BODY_FIRST_MOMENT = column(3)  # m p_com, in B [kg m]
BODY_INERTIA = column(6)  # J about the row's origin, in B: xx yy zz xy xz yz [kg m^2]
COORDINATE = column(10)  # block of the coordinate's columns below
FRICTION = column(10)  # block of the friction columns below
MODEL_COLUMNS = column.count

# behind COORDINATE: spring, damper, stops, rotor of a coordinate (SI: rad or m)
column = Columns()
STIFFNESS = column()  # k [N/m, N m/rad]
DAMPING = column()  # c [N s/m, N m s/rad]
REST = column()  # q at which the spring is free
LOWER = column()  # lower stop
UPPER = column()  # upper stop
STOP_STIFFNESS = column()  # of the stops, 0 without stops
STOP_DAMPING = column()  # of the stops
STOP_WIDTH = column()  # depth over which a stop fades in
CUBIC = column()  # k_3 of the force -(k + k_3 e^2) e
ARMATURE = column()  # inertia of the rotor, added to D [kg, kg m^2]

# behind FRICTION: friction of a coordinate
column = Columns()
F_LAW = column()  # tag of the law
F_MU_S = column()  # mu_s: static coefficient
F_MU_K = column()  # mu_k: kinetic coefficient
F_STRIBECK = column()  # v_s: Stribeck velocity [rad/s, m/s]
F_SIGMA_0 = column()  # sigma_0: stiffness of the bristles [1/rad, 1/m]
F_SIGMA_1 = column()  # sigma_1: damping of the bristles [s/rad, s/m]
F_SIGMA_2 = column()  # sigma_2: viscous coefficient [s/rad, s/m]
F_GAMMA = column()  # exponent of Dahl's law
F_LEVER = column()  # effort per mu N: d/2 of a pin [m], 1 of a slide
F_LOAD = column()  # N: given normal force [N]; negative: the joint's own reaction

# Model.frame_place (f, FRAME_COLUMNS): frame F on the body of a row
column = Columns()
R_BF = column(9)  # row by row
p_BF = column(3)  # [m]
FRAME_COLUMNS = column.count

# Model.constant (CONSTANTS,)
column = Columns()
G = column(3)  # gravity in W [m/s^2]
ALPHA = column()  # alpha of Baumgarte [1/s]
BETA = column()  # beta of Baumgarte [1/s]
CONSTANTS = column.count

# Model.spring (s, 2): linear spring over neighbouring coordinates
column = Columns()
SP_FIRST = column()  # first row
SP_LAST = column()  # last row

# Model.spring_value (s, SPRING_COLUMNS)
column = Columns()
SP_STIFFNESS = column()  # k
SP_DAMPING = column()  # c
SP_COEFFICIENTS = column(6)  # stretch per coordinate of each of up to six rows
SPRING_COLUMNS = column.count

# Model.element (e, 4): force element between frames
column = Columns()
E_KIND = column()  # tag
E_FRAME_A = column()  # frame a
E_FRAME_B = column()  # frame b
E_INPUT = column()  # first of its entries in Data.inputs

# Model.element_value (e, VALUE_COLUMNS): of a HULL, at b's origin, in b's axes; the widest element
column = Columns()
A_J = column(6)  # torque by angular acceleration: xx yy zz xy xz yz [kg m^2]
A_H = column(9)  # torque by linear acceleration, row by row [kg m]
A_M = column(6)  # force by linear acceleration [kg]
VALUE_COLUMNS = column.count

# Model.element_value: of a LINE
column = Columns()
L_STIFFNESS = column()  # k [N/m]
L_DAMPING = column()  # c [N s/m]
L_LENGTH = column()  # free length [m]

# Model.element_value: of a BUSHING, along and about a's axes
column = Columns()
B_STIFFNESS = column(3)  # [N/m]
B_DAMPING = column(3)  # [N s/m]
B_TURN_STIFFNESS = column(3)  # [N m/rad]
B_TURN_DAMPING = column(3)  # [N m s/rad]

# Model.element_value: of a SUPPORT, along a's axes
column = Columns()
S_STIFFNESS = column(3)  # [N/m]
S_DAMPING = column(3)  # [N s/m]
S_GRIP = column()  # mu: limit force across over push
S_CREEPS = column()  # 1: LuGre's law across, 0: elasto-plastic

# Model.element_value: of a CONTACT (Hunt and Crossley 1975)
column = Columns()
H_STIFFNESS = column()  # k of k s^n [N/m^n]
H_EXPONENT = column()  # n
H_DAMPING = column()  # c of 1 + c s' [s/m]
H_RADIUS = column()  # radius of the sphere [m]
H_FRICTION = column()  # mu: limit force across over normal force
H_ACROSS = column()  # stiffness of the bristle across [N/m]
H_ACROSS_DAMPING = column()  # damping of the bristle across [N s/m]
H_CREEPS = column()  # 1: LuGre's law across, 0: elasto-plastic

# Model.element_value: of a SEGMENT of a rope
column = Columns()
R_FALLS = column()  # number of falls
R_EA = column()  # E A [N]
R_LENGTH = column()  # free length of the rope [m]
R_NUMBER = column()  # number of the segment in its rope, from 0
R_PULL = column()  # offset of the rope's force in Data.inputs behind E_INPUT
R_SHORTEST = column()  # length below which the blocks at its ends meet [m]
R_STOP = column()  # stiffness of that stop [N/m]
R_DISSIPATION = column()  # its dissipation, 1 - c length' [s/m]

# Model.joint (j, 6): joint of the tree
column = Columns()
J_FIRST = column()  # first row
J_LAST = column()  # last row
J_REVERSED = column()  # 1 if the tree goes from b to a
J_FRAME_A = column()  # frame a
J_FRAME_B = column()  # frame b
J_RESOLVE = column()  # frame of the outputs

# Model.sensor (s, 3)
column = Columns()
S_FRAME_A = column()  # frame a, -1 for the world
S_FRAME_B = column()  # frame b
S_AXES = column()  # axes of the outputs: 0 world, 1 a, 2 b

# Model.constraint (c, CONSTRAINT_COLUMNS)
column = Columns()
C_KIND = column()  # tag
C_FRAME_A = column()  # frame a
C_FRAME_B = column()  # frame b
C_AXIS_A = column()  # axis of a: 0, 1, 2
C_AXIS_B = column()  # axis of b: 0, 1, 2
C_TARGET = column()  # row of Data.target, -1 without
C_FIRST = column()  # first operation of a relation in Model.tape
C_LAST = column()  # operation behind its last
C_SERVO = column()  # row of the drive that realises it, -1 if ideal
C_JOINTS = column(3)  # rows of the coordinates x, y, z of a joint relation, -1 without
C_TIE = column()  # row of Model.tie
CONSTRAINT_COLUMNS = column.count

# Model.tie (t, 2): pair of constrained frames
column = Columns()
T_FRAME_A = column()  # frame a
T_FRAME_B = column()  # frame b

# Model.cut (k, 4): joint that closes a loop
column = Columns()
CUT_RESOLVE = column()  # frame of the outputs
CUT_FRAME_B = column()  # frame b
CUT_FIRST = column()  # first of its constraints
CUT_LAST = column()  # constraint behind its last

# Model.bushing (j + k, 2): square roots of the weights of a joint's reactions (redundant_reactions)
column = Columns()
ON_TORQUE = column()  # of torques [1/m]
ON_FORCE = column()  # of forces

# Model.state (x, 3): mechanical state
column = Columns()
ST_KIND = column()  # tag below
ST_ROW = column()  # row; of a SLIP_STATE the element
ST_COMPONENT = column()  # column of its rate in Data.row; component of a quaternion or of a bristle
ST_AT = column()  # place in the state vector

# Model.store (z, 4): stored energy that a block reports
column = Columns()
S_OF = column()  # entry of Data.store_out to which it adds
S_FIRST = column()  # first row, spring or element
S_LAST = column()  # last one
S_KIND = column()  # tag

# Model.option (OPTIONS,)
column = Columns()
O_METHOD = column()  # tag
O_SOLVER = column()  # tag
O_FRICTION = column()  # number of rows with friction under their own reaction
O_QUATS = column()  # number of quaternion joints
O_SERVO = column()  # number of constraints that drives realise
O_ADDED = column()  # number of hulls with added mass
O_MODEL_TANGENTS = column()  # 1 if constants of the model carry tangents (dual numbers)
OPTIONS = column.count
