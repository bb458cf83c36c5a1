"""Parts of which multibody blocks consist: a flat list that the solver turns into rows.

A frame is named by a port of the block, or by any other text for a node inside it. Ports that a part names
(`effort="effort"`) are read from, or written to, the block's own signal ports.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import NamedTuple

import numpy as np

from .light_dataclass import record
from .reduction.reduced_body import ReducedBody

Vec = tuple[float, ...]


@record
class Body:
    """Mass at a frame; com in the frame, inertia about the com [xx, yy, zz, xy, xz, yz] in the frame's axes."""

    frame: str
    mass: float
    com: Vec = (0.0, 0.0, 0.0)
    inertia: Vec = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    name: str = ""


@record
class Offset:
    """Two frames of one rigid body: where b stands in a; a may be one of another block, whose full name is `of`."""

    frame_a: str
    frame_b: str
    at: Vec = (0.0, 0.0, 0.0)
    turn: np.ndarray = field(default_factory=lambda: np.eye(3), compare=False)
    of: str = ""


@record
class Limits:
    """Smooth end stops: no effort inside, stiffness and damping fading in over `width` outside; they never pull."""

    lower: float = -np.inf
    upper: float = np.inf
    stiffness: float = 0.0
    damping: float = 0.0
    width: float = 1e-3


@record
class Friction:
    """Friction of one coordinate; `load` is a force, or None for the joint's own reaction.

    `lever` makes its effort of a friction force: the radius of a journal, 1 on a slide.
    """

    model: str
    mu_s: float
    mu_k: float
    stribeck: float
    sigma_0: float
    sigma_1: float
    sigma_2: float
    gamma: float
    lever: float
    load: float | None
    state: float = 0.0  # initial bristle deflection


# of a coordinate, what moves nothing by itself; `effort` is a wire's matter
IDLE = ("name", "rate", "prismatic", "axis", "guess", "rest", "effort", "modal")


@record
class Coordinate:
    """Degree of freedom of a joint: b turns about, or slides along, `axis` of the frame before it."""

    name: str  # as in the state's name: `position`, `x`, `psi[1]`
    rate: str
    prismatic: bool
    axis: Vec
    value: float | None = None  # given initial value; None when it is to be solved for
    speed: float | None = None
    guess: float = 0.0
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0
    cubic: float = 0.0  # stiffness on the cube of the coordinate
    armature: float = 0.0  # inertia of a rotor that turns with the coordinate, as the coordinate feels it
    limits: Limits | None = None
    friction: Friction | None = None
    effort: str = ""  # input port that drives it
    follow: str = ""  # trajectory input that prescribes it
    locked: bool = False
    modal: bool = False  # of a mode of a flexible body, normalised by mass

    @property
    def units(self) -> tuple[str, str]:
        """SI units of the coordinate and of its rate."""
        if self.modal:
            return "kg^0.5*m", "kg^0.5*m/s"
        return ("m", "m/s") if self.prismatic else ("rad", "rad/s")

    @property
    def loaded(self) -> bool:
        """True if a force acts along it or its motion is prescribed: it is then worth a row, even where it closes a
        loop."""
        acts = (key for key in vars(self) if key not in IDLE)
        return any(getattr(self, key) != getattr(Coordinate, key) for key in acts)


def split_index(name: str) -> tuple[str, int]:
    """Port and element of a coordinate by its name: `position[2]` -> (`position`, 2)."""
    if not name.endswith("]"):
        return name, 0
    base, _, index = name[:-1].partition("[")
    return base, int(index)


class HeldAxis(NamedTuple):
    """Coordinate of a joint that a plane holds: slides or turns, along or about an axis of frame_a at the start, behind
    so many of the joint's coordinates.
    """

    prismatic: bool
    axis: Vec
    behind: int


@record
class Joint:
    """A chain of coordinates from frame_a to frame_b; without coordinates a weld.

    A quaternion joint has no chain: three translations along frame_a's axes, then a free rotation.
    """

    kind: str
    frame_a: str
    frame_b: str
    coordinates: tuple[Coordinate, ...] = ()
    quaternion: tuple[float, ...] | None = None  # initial orientation
    spin: Vec | None = None  # initial angular velocity, axes of b
    cut: bool = False
    name: str = ""  # within the block; "" is the block's own joint
    resolve: str = ""  # frame in whose axes its wrenches are reported; "" is frame_b, "world" the world's
    hold: str = ""  # output port that is 1 while all its freedoms are locked, 0 while they are free
    held: bool = False  # locked at the start
    normal: Vec | None = None  # of the plane in which the model moves, in frame_a; None in space
    held_axes: tuple[HeldAxis, ...] = ()  # of coordinates that leave this plane


@record
class FlexibleBody:
    """Body reduced from finite elements; joints of the kind `flexible` lead from `frame` to its further interfaces."""

    frame: str  # of its first interface
    frames: tuple[str, ...]  # of all interfaces, in the order of those of `reduced`
    reduced: ReducedBody = field(compare=False)
    digest: str  # of its file and of what was taken of it
    ratios: tuple[float, ...]  # damping ratios of the first modes; of those beyond it the last
    stiffening: bool = False  # geometric stiffening by membrane strains
    limit: float = 0.0  # bound of its frequencies by scaled mass [rad/s], 0 without


@record
class Element:
    """A force between two frames; `values` are its parameters, `inputs` signal ports that it reads, in order.

    kind: `line` (stiffness, damping, free length), `bushing` (translational and rotational stiffness and damping,
    offset of rest), `wrench` (applied force or torque), `touch_...` (`Touch`), `band` (`Band`).
    """

    kind: str
    frame_a: str
    frame_b: str
    values: Vec = ()
    inputs: tuple[str, ...] = ()
    name: str = ""  # of the ports deflection_<name> and force_<name> of a bushing within the block
    bristle: int = 0  # number of deflections of the bristle across that are states


@record
class Band(Element):
    """Expression of b's origin in a's axes, or of joints, less its target, between two edges, which are `values`."""

    relation: ast.expr = field(default_factory=lambda: ast.Constant(0.0))
    target: tuple[str, int] = ("target", 0)  # trajectory port and element
    constants: Mapping[str, float] = field(default_factory=dict)
    joints: tuple[str, ...] = ()  # whose coordinates are x, y, z, instead of b's origin
    trajectories: tuple[str, ...] = ()  # ports whose trajectories the expression names


@record
class Heights:
    """Nodes of a height field, rows along x from the lowest y."""

    size: tuple[int, int]  # number of nodes along x and y
    digest: str  # of the nodes
    nodes: np.ndarray = field(compare=False)  # rows of `Model.height`


@record
class Solid:
    """Shape that touches others: a convex core about the origin of its frame, swept by a ball of radius `rounding`.

    kind: `sphere`, `capsule` (core along z), `box`, `plane` (z < 0), `cylinder` (about z), `hull`, `height_field`
    and `surface` (triangles in `loops`, in `faces` balls around them), which only distances know. A `height_field` lies
    below its surface; its half extents are those of the grid and a bound of sqrt(1 + slope^2).
    """

    kind: str
    half: Vec = (0.0, 0.0, 0.0)  # half extents of the core [m]
    rounding: float = 0.0  # [m]
    bound: float = 0.0  # largest distance of a surface point from the origin [m]
    corners: tuple[Vec, ...] = ()  # of the core [m]
    edges: tuple[Vec, ...] = ()  # start, span and radius: columns of `Model.edge`
    faces: tuple[Vec, ...] = ()  # outward normal and distance of a hull's faces
    loops: tuple[tuple[int, ...], ...] = ()  # corners of each face, counter-clockwise
    heights: Heights | None = None
    miss: float = (
        0.0  # largest distance of a hull with few corners from that of its mesh, within which it lies [m]
    )


@record
class SolidPair(Element):
    """Two shapes at the origins and in the axes of two frames, whose nodes bear the names of the shapes."""

    solid_a: Solid = field(default_factory=lambda: Solid("plane"))
    solid_b: Solid = field(default_factory=lambda: Solid("sphere"))


@record
class Touch(SolidPair):
    """Force between two shapes; kind: the kernel of the pair, as `family_of` names it."""


@record
class Distance(SolidPair):
    """Least distance of two shapes; kind: `clearance`."""


@record
class LinearSpring:
    """A spring and damper whose stretch is linear in coordinates of one joint of the block, or of all (None)."""

    joint: str | None
    coefficients: Mapping[str, float]  # by name of the coordinate
    stiffness: float
    damping: float = 0.0
    name: str = ""  # of the ports deflection_<name> and force_<name>
    element: int = 0  # of those ports


@record
class Sensor:
    """Watches frame_b against frame_a; axes of `resolve` (world, a or b); `outputs` are the ports that report."""

    frame_a: str
    frame_b: str
    resolve: str = "world"
    outputs: tuple[str, ...] = (
        "position",
        "rotation",
        "velocity",
        "angular_velocity",
        "acceleration",
        "angular_acceleration",
    )


@record
class SectionLoads:
    """Reports what a station of a link transmits: the weld there bears the block's name, see
    `blocks/geometry/link_stations.py`."""

    link: str


@record
class MemberLoads:
    """Reports the strength of members of a flexible body: ports `axial`, `member_stress`, `stress`, `governing`.

    A member's stress is the larger one of both ends of max(N, 0) t + max(-N, 0) c + B, with B = M_y b_y + M_z b_z of
    absolute values, or the root of the sum of their squares where the section is circular.
    """

    body: str
    members: tuple[int, ...]  # numbers in the frame
    factors: tuple[
        tuple[float, float, float, float, float], ...
    ]  # t, c, b_y, b_z and 1 of a circular section


@record
class PointStresses:
    """Reports stresses at surface vertices of a flexible body: ports `tensor`, `von_mises`, `signed`, `stress`,
    `governing`."""

    body: str
    vertices: tuple[int, ...]  # numbers in `ReducedBody.surface`


@record
class StoredEnergy:
    """Reports the elastic energy of the block's own springs at its port `stored_energy`."""


@record
class Constant:
    """Output of a part that is constant."""

    port: str
    element: int
    value: float


@record
class EnergySensor:
    """Reports the energies of the whole mechanism."""


@record
class Telescope:
    """Direction of a barrel before anything is solved: from frame_a (its pin, z along the rod) to frame_b.

    `turn` and `slide` name joints of the block: a universal one about x, then y; and the extension behind it.
    """

    frame_a: str
    frame_b: str
    turn: str
    slide: str
    length: float  # pin distance at zero extension
    aimed: bool = True  # the extension may start from the distance of the frames
    stroke: float | None = None  # extension at the other end, where it is known; one end is at zero


@record
class InverseDynamics:
    """Efforts of the named drives by the model's own inverse dynamics, into the port `effort`.

    law: `hold` (at rest in this position), `track` (with the accelerations that the input `target` asks for).
    """

    law: str
    drives: tuple[str, ...]
    target: str = ""


@record
class TipJacobian:
    """Velocity of frame_b against frame_a at unit rates of the named drives, row by row at the port `jacobian`."""

    frame_a: str
    frame_b: str
    drives: tuple[str, ...]


@record
class AtRest:
    """Forces that signals give in a run, as far as they follow from where frames stand: a search for rest feels them.

    `law` takes position and axes of each frame in the world, and returns force and torque on each.
    """

    frames: tuple[str, ...]
    law: Callable[
        [Sequence[tuple[np.ndarray, np.ndarray]]], Sequence[tuple[Sequence[float], Sequence[float]]]
    ] = field(compare=False)


@record
class Grounded:
    """A frame that is the world's when nothing is wired to it."""

    frame: str


@record
class PointConstraint:
    """Components (0, 1, 2) of b's origin in a's axes follow a trajectory input, or a relation of them stays zero."""

    frame_a: str
    frame_b: str
    components: tuple[int, ...]
    relation: ast.expr | None
    constants: dict[str, float]
    target: str
    relative: bool
    drives: tuple[str, ...] = ()  # joints that supply the force; none: along the constraint's own gradient
    joints: tuple[str, ...] = ()  # whose coordinates are x, y, z of the relation, instead of b's origin
    inputs: tuple[str, ...] = ()  # ports whose trajectories the relation names
    order: int = 0  # of the rates that the relation constrains: positions, velocities, accelerations
    rotations: tuple[int, ...] = ()  # axes of a about which b does not turn
    curved: bool = False  # slopes along these depend on velocities


Part = (
    Body
    | FlexibleBody
    | Offset
    | Joint
    | Element
    | LinearSpring
    | Sensor
    | SectionLoads
    | MemberLoads
    | PointStresses
    | StoredEnergy
    | Constant
    | EnergySensor
    | Telescope
    | InverseDynamics
    | TipJacobian
    | AtRest
    | Grounded
    | PointConstraint
)
