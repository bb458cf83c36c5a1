"""Neutral tree between the readers of all formats and the writer. SI units, radians."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from ...blocks.errors import Mark
from ...blocks.geometry.mass_properties import Inertia, Pose

WORLD = -1  # parent of what stands on the ground
NOISE = 1e-12  # m^2, a moment of inertia over the mass, below which it is rounding


def without_negative_moments(inertia: Inertia) -> tuple[Inertia, float]:
    """The nearest inertia that luff takes, and the least principal moment that was found."""
    moments, axes = np.linalg.eigh(inertia.about_com)
    if moments[0] >= -1e-10 * max(moments[2], 0.0):
        return inertia, float(moments[0])
    J = (axes * np.maximum(moments, 0.0)) @ axes.T
    return Inertia(inertia.mass, inertia.com, (J + J.T) / 2.0), float(moments[0])


@dataclass
class Joint:
    """`revolute`, `prismatic`, `spherical`, `free` or `fixed`, at a point of its body's frame, axis in that frame."""

    name: str
    kind: str
    mark: Mark
    at: np.ndarray = field(default_factory=lambda: np.zeros(3))
    axis: tuple[float, ...] = (0.0, 0.0, 1.0)
    lower: float = -math.inf
    upper: float = math.inf
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0
    dry_friction: float = 0.0  # Coulomb's, force or torque
    armature: float = 0.0  # inertia of a rotor, as the joint feels it
    stop: Surface | None = None  # softness of its limits where it is not MuJoCo's default


SOLREF, SOLIMP = (0.02, 1.0), (0.9, 0.95)  # MuJoCo's defaults
IMPEDANCES = (1e-4, 1.0 - 1e-4)  # mjMINIMP, mjMAXIMP


@dataclass(frozen=True)
class Surface:
    """Contact properties of shapes: friction, contype and conaffinity, MuJoCo's softness."""

    mu: float = 1.0
    rolling: float = 0.0  # lever of the resistance to rolling [m]
    bits: tuple[int, int] = (1, 1)  # contype and conaffinity
    condim: int = 3  # of the contact: friction from 3, rolling resistance from 6
    priority: int = 0  # of a pair the higher one alone counts
    share: float = 1.0  # weight of its softness in that of a pair
    # time constant [s] and damping ratio, or -stiffness and -damping over mass
    solref: tuple[float, float] = SOLREF
    solimp: tuple[float, float] = SOLIMP  # impedance at no depth, and where it no longer grows
    shortest: float = 0.0  # least time constant [s]: two steps of the source

    def meets(self, other: Surface) -> bool:
        """True if shapes of both surfaces touch."""
        return bool(self.bits[0] & other.bits[1] or other.bits[0] & self.bits[1])

    def paired(self, other: Surface) -> Surface:
        """Contact properties of a pair, mixed as by MuJoCo: those of the higher priority, or the larger friction and
        condim, and softness by `share`.
        """
        if self.priority != other.priority:
            return max(self, other, key=lambda one: one.priority)
        # MuJoCo takes weights below mjMINVAL for none, and equal parts of two such
        weights = [one.share if one.share >= 1e-15 else 0.0 for one in (self, other)]
        w = weights[0] / sum(weights) if any(weights) else 0.5

        def mixed(one: tuple[float, float], two: tuple[float, float]) -> tuple[float, float]:
            return w * one[0] + (1.0 - w) * two[0], w * one[1] + (1.0 - w) * two[1]

        (a, b), (c, d) = self.solref, other.solref
        solref = mixed(self.solref, other.solref) if min(a, c) > 0.0 else (min(a, c), min(b, d))
        return Surface(
            max(self.mu, other.mu),
            max(self.rolling, other.rolling),
            condim=max(self.condim, other.condim),
            solref=solref,
            solimp=mixed(self.solimp, other.solimp),
            shortest=self.shortest,
        )

    def sink(self, weight: float) -> float:
        """Depth r [m] at which a body rests in free fall g [m/s^2]: (1 - d) g = d k r.

        d is MuJoCo's impedance at no depth, k [1/s^2] its stiffness over mass. Infinite without stiffness.
        """
        constant, ratio = self.solref
        if (constant > 0.0) != (ratio > 0.0):  # both forms at once: MuJoCo takes its default
            constant, ratio = SOLREF
        lowest, highest = IMPEDANCES
        d0, d_max = (min(max(one, lowest), highest) for one in self.solimp)
        if constant > 0.0:
            k = d0 / (d_max * max(constant, self.shortest) * ratio) ** 2
        else:
            k = -constant * d0 / d_max**2
        return (1.0 - d0) * weight / (d0 * k) if k > 0.0 else math.inf


@dataclass(frozen=True)
class VisualShape:
    """A solid or a mesh that is drawn, or touches; its size as luff has it, its file as the netlist names it."""

    kind: str
    size: tuple[float, ...]
    pose: Pose
    color: str = ""
    file: str = ""
    scale: tuple[float, ...] = (1.0, 1.0, 1.0)
    heights: tuple[tuple[float, ...], ...] = ()  # of a height field [m]
    surface: Surface | None = None  # of what touches
    hidden: bool = False


@dataclass
class Body:
    """A body, where it stands in its parent while its joints are at zero, and the joints between, outermost last."""

    name: str
    parent: int
    mark: Mark
    pose: Pose = field(default_factory=Pose)
    inertia: Inertia = field(default_factory=Inertia)
    joints: list[Joint] = field(default_factory=list)
    looks: list[VisualShape] = field(default_factory=list)


@dataclass
class Closure:
    """Two places that stay together, beside the tree: `connect` (their points) or `weld` (their frames)."""

    name: str
    kind: str
    mark: Mark
    body_a: int
    body_b: int
    pose_a: Pose
    pose_b: Pose


@dataclass
class Relation:
    """Coupling of joints: one position is a polynomial of the leader's, the constant first, or a constant."""

    name: str
    mark: Mark
    follower: str
    leader: str  # empty where there is none
    coefficients: tuple[float, ...]

    def at(self, leader: float) -> float:
        return sum(factor * leader**k for k, factor in enumerate(self.coefficients))


Bounds = tuple[float, float] | None


@dataclass(eq=False)  # two may say the same, and are two
class Drive:
    """A motor or servo of a joint, or of several: force = gain*u + b0 + b1*L + b2*L' of an input u, within bounds.

    Its length is L = sum of arm*q over its joints, the effort on each is arm*force.
    """

    name: str
    mark: Mark
    arms: dict[str, float]  # by joint
    gain: float
    bias: tuple[float, float, float]
    of_input: Bounds = None
    of_force: Bounds = None
    of_effort: dict[str, Bounds] = field(default_factory=dict)  # of all drives of a joint together, by joint


@dataclass(frozen=True)
class ImportNote:
    """Something that the netlist does not say as the source does; notes of one `what` and `why` are told together."""

    what: str
    why: str
    name: str = ""
    mark: Mark | None = None


@dataclass
class Robot:
    """A whole model; parents stand before their children."""

    name: str
    source: str
    words: tuple[str, str] = ("body", "joint")  # what the format calls a body and a joint
    gravity: tuple[float, ...] = (0.0, 0.0, -9.81)
    step: float = 1e-3
    bodies: list[Body] = field(default_factory=list)
    closures: list[Closure] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    drives: list[Drive] = field(default_factory=list)
    notes: list[ImportNote] = field(default_factory=list)
    grounded: list[VisualShape] = field(default_factory=list)  # what stands on the ground
    meets_base: bool = False  # bodies touch a parent that is welded to the world
    apart: list[set[str]] = field(default_factory=list)  # bodies, or `world`, that do not touch each other

    def note(self, what: str, why: str, name: str = "", mark: Mark | None = None) -> None:
        self.notes.append(ImportNote(what, why, name, mark))

    def joints(self) -> dict[str, Joint]:
        return {joint.name: joint for body in self.bodies for joint in body.joints}

    def children(self, parent: int) -> list[int]:
        return [k for k, body in enumerate(self.bodies) if body.parent == parent]

    def at_zero(self, number: int) -> Pose:
        """Pose of a body in the world with all joints at zero."""
        pose = Pose()
        while number != WORLD:
            body = self.bodies[number]
            number, pose = body.parent, body.pose @ pose
        return pose
