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
MODAL = 6  # modal coordinate of a flexible body: no joint, its children none
FACE = 7  # interface of a flexible body: its frame moves with the modal coordinates

# topo[:, MODE]
FREE = 0  # qdd is solved for
DRIVEN = 1  # qdd is given (welds: zero)

# element[:, E_KIND]: forces between frames a and b
LINE = 0  # spring-damper along the line a-b
BUSHING = 1  # springs and dampers along and about a's axes
CONTACT = 2  # sphere about b's origin on the plane z = 0 of a
SUPPORT = 3  # spring-damper along a's z axis, push only
TOUCH = 4  # two shapes, each at the origin and in the axes of its frame
CLEARANCE = 5  # two shapes as well, whose distance is measured: no force
FORCE_WORLD = 6  # force on b from a signal, in W
FORCE_B = 7  # force on b from a signal, in b
TORQUE_WORLD = 8  # torque on b from a signal, in W
TORQUE_B = 9  # torque on b from a signal, in b
SEGMENT = 10  # segment of a rope from a to b
BAND = 11  # expression of p_AB or of joints between two edges: ideal force there
FLUID = 12  # added mass of the fluid at b
RAIL = 13  # wheel or roller at b on the rail along a's x axis

# solid[:, SO_KIND]: convex core of a shape, swept by a ball of its rounding
SPHERE = 0  # a point
CAPSULE = 1  # a segment of its z axis
BOX = 2
PLANE = 3  # the half-space z < 0
CYLINDER = 4  # about its z axis
HULL = 5  # polyhedron of corners, edges and faces
HEIGHT_FIELD = 6  # below a surface over the x-y plane
SURFACE = 7  # triangles in Model.loop, with balls around them in Model.face

# touch[:, TO_FAMILY]: kernel of a pair
FLAT_FAMILY = 0  # spheres, capsules, boxes, planes
ROUND_FAMILY = 1  # a cylinder with one of these, or another cylinder
HULL_FAMILY = 2  # a hull with any but a cylinder
MIXED_FAMILY = 3  # a cylinder with a hull
CLEARANCE_FAMILY = 4  # any two, whose distance is measured
GROUND_FAMILY = 5  # a height field with any but a cylinder
ROUND_GROUND_FAMILY = 6  # a height field with a cylinder

# constraint[:, C_KIND]
POINT = 0  # component of p_AB along an axis of a is zero, or a target
ALIGN = 1  # axis of a and axis of b are at right angles
RELATION = 2  # expression of positions and targets is zero; from here on in the order of what is constrained
VELOCITY_RELATION = 3  # expression of positions, rates and targets is zero
ACCELERATION_RELATION = 4  # expression of positions, rates, accelerations and targets is zero

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
EMBEDDED = 2  # articulated bodies, loops eliminated on the way (loop_embedding)

# store[:, S_KIND]: what S_FIRST to S_LAST count
OF_ROWS = 0
OF_SPRINGS = 1
OF_ELEMENTS = 2

# Model.topo (n, 6): topology of the tree
column = Columns()
PARENT = column()  # parent row, -1 for the world
KIND = column()  # tag of the joint
MODE = column()  # FREE or DRIVEN
QUAT = column()  # number of the quaternion of a QUAT_ row, the body of a MODAL one, the interface of a FACE
SHIFT = column()  # 1 if the row's origin differs from its parent's
BRANCHED = column()  # 1 if a row other than the next one hangs on it

# Model.segment (s, 4): run of rows that forward and backward passes take in one go; rigid trees have one
column = Columns()
SEG_FIRST = column()  # first row
SEG_LAST = column()  # row behind its last
SEG_FACE = column()  # FACE row before its first, -1 without
SEG_BODY = column()  # flexible body on its last row, -1 without

# Model.flex (b, FLEX_COLUMNS): flexible body, clamped to its row
column = Columns()
X_ROW = column()  # row that carries it
X_FIRST = column()  # first of its MODAL rows
X_COUNT = column()  # number of modes
X_FACE = column()  # first of its interfaces in `interface`
X_FACES = column()  # number of interfaces
X_STRAINS = column()  # number of membrane strains
X_PARITIES = column()  # 2 where its modes are even or odd, else 1
FLEX_COLUMNS = column.count

# Model.interface (f, 2): interface of a flexible body
column = Columns()
FACE_ROW = column()  # its row
FACE_BODY = column()  # its body

# Model.face_shape (f, 6, modes): turn [rad] (3) and displacement [m] (3) of an interface by each mode, in body axes
FACE_TURN, FACE_SHIFT = 0, 3

# Model.modal_inertia (b, modes, 12), body axes: of each mode at zero deformation
column = Columns()
J_1 = column(6)  # J_1: change of the inertia about the clamp
C_R = column(3)  # C_r: angular momentum about the clamp at a unit rate
C_T = column(3)  # C_t: momentum at a unit rate
MODAL_INERTIA = column.count

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

# Model.spring (s, SP_ROWS + w): linear spring over up to w coordinates
column = Columns()
SP_COUNT = column()  # number of its rows
SP_ROWS = column()  # first of them, others behind it; -1 beyond the last

# Model.spring_value (s, SP_COEFFICIENTS + w)
column = Columns()
SP_STIFFNESS = column()  # k
SP_DAMPING = column()  # c
SP_COEFFICIENTS = column()  # stretch per coordinate of its first row, of others behind it

# Model.element (e, ELEMENT_ROW_COLUMNS): force element between frames
column = Columns()
E_KIND = column()  # tag
E_FRAME_A = column()  # frame a
E_FRAME_B = column()  # frame b
E_INPUT = column()  # first of its entries in Data.inputs
E_FIRST = column()  # first operation of a BAND in Model.tape, -1 of others
E_LAST = column()  # operation behind its last
E_JOINTS = column(3)  # rows of the coordinates x, y, z of a BAND between joints, -1 without
ELEMENT_ROW_COLUMNS = column.count

# Model.element_value (e, VALUE_COLUMNS): of a FLUID, at b's origin, in b's axes
column = Columns()
A_J = column(6)  # torque by angular acceleration: xx yy zz xy xz yz [kg m^2]
A_H = column(9)  # torque by linear acceleration, row by row [kg m]
A_M = column(6)  # force by linear acceleration [kg]
A_SHARED = column()  # 1: of all this the share in Data.inputs, whose rate stands behind it; 0: all

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
S_SETTLING = column()  # time constant of sinkage that stays [s]; 0: no pad on soil, and no columns behind it
S_AREA = column()  # area of the pad [m^2]
S_BEARING = column()  # pressure that the soil is rated for [Pa]
CURVE_POINTS = 8  # number of pairs behind: POINTS of `blocks/mechanics/pads.py`
S_CURVE = column(2 * CURVE_POINTS)  # pairs (sinkage [m], force [N]) of first loading; the widest element
VALUE_COLUMNS = column.count

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

# Model.element_value: of a RAIL
column = Columns()
W_STIFFNESS = column()  # k of the load, along a's z axis [N/m]
W_DAMPING = column()  # c of the load [N s/m]
W_BRISTLE = column()  # stiffness of the bristle [N/m]
W_GRIP = column()  # mu: limit of the creep force over the load
W_CREEPAGE = column()  # xi_0: creepage at which the tangent of the law at zero reaches mu N
W_EXPONENTIAL = column()  # 1: exponential law of creep, 0: linear
W_DRIVEN = column()  # 1: its rim runs at the speed in Data.inputs; 0: it rolls freely
W_COS = column()  # cosine of the angle about z from b's x axis to the direction in which it rolls
W_SIN = column()  # its sine
W_PLAY = column()  # play of the guide on either side [m]
W_GUIDE = column()  # stiffness of the guide [N/m], 0 without
W_GUIDE_DAMPING = column()  # damping of the guide [N s/m]
W_PULLS = column()  # 1 while a search for rest lets the rail pull too

# Model.element_value: of a TOUCH (Hunt and Crossley 1975 at each feature that touches)
column = Columns()
T_STIFFNESS = column()  # k of k s^n [N/m^n]
T_EXPONENT = column()  # n
T_DAMPING = column()  # c of 1 + c s' [s/m]
T_FRICTION = column()  # mu: limit force across over normal force
T_ACROSS = column()  # stiffness of the bristle [N/m]
T_ACROSS_DAMPING = column()  # its damping [N s/m]
T_SPIN = column()  # radius of the friction torque over the radius of gyration of the pressure
T_ROLLING = column()  # resistance to rolling over mu: its lever over T_ROLLING_RADIUS and mu
T_ROLLING_RADIUS = column()  # radius at which the bristle of rolling bends [m]
T_DIVIDES = column()  # 1 if steps are divided in which features meet or part, else 0

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

# Model.element_value: of a BAND
column = Columns()
BAND_LOWER = column()  # lower edge of Phi
BAND_UPPER = column()  # upper edge of Phi

# Model.solid (s, SOLID_ROW_COLUMNS): shape that touches others; first and number of its corners, edges and faces
column = Columns()
SO_KIND = column()  # tag
SO_CORNER = column()
SO_CORNERS = column()
SO_EDGE = column()
SO_EDGES = column()
SO_FACE = column()
SO_FACES = column()
SO_HEIGHT = column()  # HEIGHT_FIELD: first row of Model.height
SO_NODES_X = column()  # and number of nodes along x
SO_NODES_Y = column()  # and along y
SOLID_ROW_COLUMNS = column.count

# Model.solid_value (s, 5)
column = Columns()
# half extents of the core along its axes [m]; HEIGHT_FIELD: those of the grid, and a bound of sqrt(1 + slope^2)
SO_HALF = column(3)
SO_ROUND = column()  # radius of the ball that sweeps the core [m]
SO_BOUND = column()  # largest distance of a surface point from the origin [m]
SOLID_COLUMNS = column.count

# Model.edge (k, 13): edge of a core, shortened at both ends by the rounding, in the axes of its shape
column = Columns()
ED_START = column(3)  # first end [m]
ED_SPAN = column(3)  # from there to the other end [m]
ED_RADIUS = column()  # radius of the ball that sweeps it [m]
ED_LOW = column(3)  # corner of the box around it where coordinates are least [m]
ED_HIGH = column(3)  # and that where they are largest [m]
EDGE_COLUMNS = column.count

# Model.face (f, 4): face of a hull's core, n . x = d, in the axes of its shape; of a SURFACE middle and radius of a
# ball around a triangle
column = Columns()
FA_NORMAL = column(3)  # n, outward unit normal
FA_DISTANCE = column()  # d [m]
FACE_COLUMNS = column.count

# Model.face_loop (f, 2): corners of a face, counter-clockwise from outside
column = Columns()
LO_FIRST = column()  # first entry of Model.loop
LO_COUNT = column()  # number of entries

# Model.height (h, HEIGHT_COLUMNS): node of a height field, row after row along x
column = Columns()
HE_COEFFICIENT = column()  # of the natural bicubic spline through the heights [m]
HE_HEIGHT = column()  # [m]
HE_PEAK = column()  # weight of the node as a corner
HE_RIDGE_X = column()  # weight of the line to the next node along x as an edge, 0 of the last in a row
HE_RIDGE_Y = column()  # and along y
HEIGHT_COLUMNS = column.count

# Model.stand (w, 2): shape on a body, of those that touch
column = Columns()
SD_FRAME = column()  # its frame
SD_SOLID = column()  # its solid

# Model.touch (p, TOUCH_COLUMNS): pair of shapes
column = Columns()
TO_ELEMENT = column()  # its force element
TO_A = column()  # solid at frame a
TO_B = column()  # solid at frame b
TO_FAMILY = column()  # tag
TO_STAND_A = column()  # row of Model.stand of a
TO_STAND_B = column()  # row of Model.stand of b
TO_BRISTLE = column()  # first state of its bristle, counted from the first of all pairs
TO_BRISTLES = column()  # number of states of its bristle
TOUCH_COLUMNS = column.count

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
C_CURVED = column()  # 1 if slopes of a relation depend on velocities
C_TIE = column()  # row of Model.tie
C_MOVED = column()  # first entry of Model.moved: rows that change it, ascending
C_MOVED_END = column()  # entry behind its last
CONSTRAINT_COLUMNS = column.count

# Model.tie (t, 2): pair of constrained frames
column = Columns()
T_FRAME_A = column()  # frame a
T_FRAME_B = column()  # frame b

# Model.cluster (g, 3): rows whose loops share joints, or one row of the tree; parents first
column = Columns()
CL_FIRST = column()  # first place in the first column of Model.member
CL_END = column()  # place behind its last
CL_BASE = column()  # row that carries them, -1 for the world

# Model.member (n, 2)
column = Columns()
CL_ROW = column()  # row at this place, cluster by cluster
CL_PLACE = column()  # place of the row of this number

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
O_PAIR_BRISTLES = (
    column()
)  # number of states of the bristles of all pairs of shapes, the last ones of Model.state
O_SWEPT = column()  # 1 if a sweep over the tree solves the equations of implicit steps (tangent_sweep)
OPTIONS = column.count
