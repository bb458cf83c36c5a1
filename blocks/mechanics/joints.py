"""Joints: chains of one-coordinate freedoms between frame_a (nearer the world) and frame_b."""

from __future__ import annotations

import math
from collections.abc import Iterable

from ..block import Block
from ..direction_params import Axis, Rotations
from ..errors import Problem
from ..geometry import rotations
from ..multibody_parts import Coordinate, Element, Joint, Limits, Part, Vec
from ..params import Choice, Flag, Param, Struct, Sub
from ..ports import TRAJECTORY, Frame, In, Out, Port, Shaft
from .bodies import placed
from .friction_params import BRISTLED, FrictionLaw, friction_part, friction_problems

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


class JointBlock(Block, abstract=True):
    """Base of joints: two frames, the wrench that they transmit, and the wish to be cut in a loop."""

    family = "joints"
    frame_a = Frame("nearer the world")
    frame_b = Frame("further out")
    total_force = Out(3, "N", "all that a's side exerts on b's body at frame_b")
    total_torque = Out(3, "N*m", "all that a's side exerts on b's body at frame_b")
    constraint_force = Out(3, "N", "total less drive, friction, spring and limit")
    constraint_torque = Out(3, "N*m", "total less drive, friction, spring and limit")
    rare = ("cut", "resolve")
    cut = Flag(doc="cut the loop here")
    resolve = Choice(
        "b", ["world", "a", "b"], doc="axes of the forces and torques; they are taken at frame_b"
    )

    @property
    def axes(self) -> str:
        """The part's `resolve`."""
        return {"world": "world", "a": "frame_a", "b": "frame_b"}[self.resolve]

    def joint(
        self,
        kind: str,
        *coordinates: Coordinate,
        quaternion: tuple[float, ...] | None = None,
        spin: Vec | None = None,
    ) -> list[Part]:
        return [
            Joint(kind, "frame_a", "frame_b", coordinates, quaternion, spin, cut=self.cut, resolve=self.axes)
        ]


class Fixed(JointBlock):
    """A weld: frame_b stands still in frame_a, at `at`, turned by `rotate`."""

    at = Param((0.0, 0.0, 0.0), "m", shape=(3,), doc="position of frame_b in frame_a")
    rotate = Rotations(doc="turns [[axis, angle], ...] from frame_a to frame_b")

    def parts(self) -> list[Part]:
        weld = Joint("fixed", "inner", "frame_b", cut=self.cut, resolve=self.axes)
        return [placed("inner", self, "frame_a"), weld]


def unit_variants(unit: str) -> dict[str, str]:
    rate = f"{unit}/s"
    effort, stiffness = ("N*m", "N*m/rad") if unit == "rad" else ("N", "N/m")
    return {
        "q": unit,
        "qd": rate,
        "qdd": f"{unit}/s^2",
        "effort": effort,
        "k": stiffness,
        "c": f"{stiffness}*s",
    }


def limits_struct(unit: str) -> type[Struct]:
    of = unit_variants(unit)
    stiff = 1e5 if unit == "rad" else 1e6

    class LimitLaw(Struct):
        """Smooth end stops: they push and never pull, from `width` on as a spring from the limit on."""

        lower = Param(None, of["q"], doc="lower end stop")
        upper = Param(None, of["q"], doc="upper end stop")
        stiffness = Param(stiff, of["k"], gt=0, doc="stiffness of the stop")
        damping = Param(stiff / 100, of["c"], ge=0, doc="damping of the stop")
        width = Param(1e-3, of["q"], gt=0, doc="depth over which the stop fades in")

    return LimitLaw


def initial_struct(unit: str) -> type[Struct]:
    class Initial(Struct):
        """Initial values; those that are not given are solved for."""

        position = Param(None, unit, doc="position, kept")
        velocity = Param(None, f"{unit}/s", doc="velocity, kept")

    return Initial


def guess_struct(unit: str) -> type[Struct]:
    class Guess(Struct):
        """Position at which the search for the start begins."""

        position = Param(0.0, unit, doc="position to start from")

    return Guess


def degrees_meant(initial: Struct | None, guess: Struct | None) -> Iterable[Problem]:
    """Yield warnings of start angles that look like degrees without their unit."""
    for name, group in (("initial", initial), ("guess", guess)):
        angle = getattr(group, "position", None)
        if angle is not None:
            yield from rotations.degrees_meant(angle, f".{name}.position")


class OneCoordinate(JointBlock, abstract=True):
    """Revolute and prismatic: one coordinate, driven by an effort or by a trajectory."""

    unit = "rad"
    # parameters that the two kinds declare in their own units
    stiffness: Param
    damping: Param
    rest: Param
    armature: Param
    limits: Param
    friction_law: Param
    initial: Param
    guess: Param
    rare = (*JointBlock.rare, "armature", "guess")
    axis = Axis("z", doc="axis of the joint, the same in both frames")
    driven = Flag(doc="prescribe the motion by `follow` and report the effort that it needs")
    prescribing = ("follow",)

    def ports(self) -> dict[str, Port]:
        ports = super().ports()
        law = self.friction_law
        if law is None or law.model == "none":
            del ports["friction_power"]
        if law is None or law.model not in BRISTLED:
            del ports["bristle"]
        del ports["effort" if self.driven else "follow"]
        if self.driven:
            ports.pop("shaft", None)
        else:
            del ports["required_effort"]
        return ports

    def check(self) -> Iterable[Problem]:
        limits = self.limits
        if limits and limits.lower is not None and limits.upper is not None and limits.lower >= limits.upper:
            same = limits.lower == limits.upper
            mistake = f"found lower {limits.lower:g} {'equal to' if same else 'above'} upper {limits.upper:g}"
            fix = "leave room between them; a joint that cannot move is `fixed`" if same else "swap them"
            yield Problem(mistake, ".limits", fix)
        yield from friction_problems(self.friction_law)
        if self.unit == "rad":
            yield from degrees_meant(self.initial, self.guess)
        if self.driven and self.initial is not None:
            message = "is not used: a driven joint starts where `follow` puts it"
            yield Problem(message, ".initial", "remove it", severity="warning", key=True)

    def coordinate(self, axis: tuple[float, ...]) -> Coordinate:
        initial, limits = self.initial, self.limits
        stops = None
        if limits:
            lower = -math.inf if limits.lower is None else limits.lower
            upper = math.inf if limits.upper is None else limits.upper
            stops = Limits(lower, upper, limits.stiffness, limits.damping, limits.width)
        return Coordinate(
            "position",
            "velocity",
            self.unit == "m",
            axis,
            value=initial.position if initial else None,
            speed=initial.velocity if initial else None,
            guess=self.guess.position,
            stiffness=self.stiffness,
            damping=self.damping,
            rest=self.rest,
            armature=self.armature,
            limits=stops,
            friction=friction_part(self.friction_law, slides=self.unit == "m"),
            effort="" if self.driven else "effort",
            follow="follow" if self.driven else "",
        )

    def parts(self) -> list[Part]:
        return self.joint(self.type_name, self.coordinate(self.axis))


class Revolute(OneCoordinate):
    """A pin: frame_b turns about `axis` by `position`."""

    unit = "rad"
    across_ports = ("shaft",)
    stand_ins = {"shaft": ("velocity", "effort")}
    shaft = Shaft("turns with b against a; its torques add to the effort")
    effort = In(unit="N*m", default=0.0, doc="torque of the drive on b about the axis")
    follow = In(unit="rad", kind=TRAJECTORY, doc="angle, rate and acceleration to follow")
    position = Out(unit="rad", doc="angle of b in a")
    velocity = Out(unit="rad/s", doc="rate of the angle")
    acceleration = Out(unit="rad/s^2", doc="second rate of the angle")
    trajectory = Out(
        unit="rad",
        kind=TRAJECTORY,
        doc="angle, rate and, for other mechanisms, acceleration (else zero)",
    )
    normal_force = Out(unit="N", doc="resultant of the constraint force across the axis")
    friction = Out(unit="N*m", doc="friction torque on b about the axis")
    friction_power = Out(unit="W", doc="friction torque times velocity; positive while bristles spring back")
    bristle = Out(unit="rad", doc="deflection of the bristles")
    required_effort = Out(unit="N*m", doc="torque that the prescribed motion needs")
    stiffness = Param(0.0, "N*m/rad", ge=0, doc="of a torsion spring")
    damping = Param(0.0, "N*m*s/rad", ge=0, doc="viscous damping")
    rest = Param(0.0, "rad", doc="angle at which the spring is free")
    armature = Param(0.0, "kg*m^2", ge=0, doc="inertia of a geared rotor as the joint feels it: I N^2")
    limits = Sub(limits_struct("rad"), doc="end stops {lower, upper, stiffness, damping, width}")
    friction_law = Sub(FrictionLaw, key="friction", doc="friction {model, mu_s, mu_k, ...}")
    initial = Sub(initial_struct("rad"), doc="start {position, velocity}")
    guess = Sub(guess_struct("rad"), {}, doc="where the search for the start begins {position}")


class Prismatic(OneCoordinate):
    """A slide: frame_b moves along `axis` by `position`."""

    unit = "m"
    effort = In(unit="N", default=0.0, doc="force of the drive on b along the axis")
    follow = In(unit="m", kind=TRAJECTORY, doc="position, rate and acceleration to follow")
    position = Out(unit="m", doc="position of b in a along the axis")
    velocity = Out(unit="m/s", doc="rate of the position")
    acceleration = Out(unit="m/s^2", doc="second rate of the position")
    trajectory = Out(
        unit="m",
        kind=TRAJECTORY,
        doc="position, rate and, for other mechanisms, acceleration (else zero)",
    )
    normal_force = Out(unit="N", doc="resultant of the constraint force across the axis")
    friction = Out(unit="N", doc="friction force on b along the axis")
    friction_power = Out(unit="W", doc="friction force times velocity; positive while bristles spring back")
    bristle = Out(unit="m", doc="deflection of the bristles")
    required_effort = Out(unit="N", doc="force that the prescribed motion needs")
    stiffness = Param(0.0, "N/m", ge=0, doc="of a spring along the axis")
    damping = Param(0.0, "N*s/m", ge=0, doc="viscous damping")
    rest = Param(0.0, "m", doc="position at which the spring is free")
    armature = Param(
        0.0, "kg", ge=0, doc="inertia of a geared rotor as the joint feels it: I N^2, N in rad/m"
    )
    limits = Sub(limits_struct("m"), doc="end stops {lower, upper, stiffness, damping, width}")
    friction_law = Sub(FrictionLaw, key="friction", doc="friction {model, mu_s, mu_k, ...}")
    initial = Sub(initial_struct("m"), doc="start {position, velocity}")
    guess = Sub(guess_struct("m"), {}, doc="where the search for the start begins {position}")


def angles_struct(names: tuple[str, ...]) -> type[Struct]:
    members: dict[str, Param] = {name: Param(None, "rad", doc=f"angle {name}") for name in names}
    members |= {f"{name}_rate": Param(None, "rad/s", doc=f"rate of {name}") for name in names}
    return type("Angles", (Struct,), {"__doc__": "Angles and rates at the start.", **members})


def angles_guess_struct(names: tuple[str, ...]) -> type[Struct]:
    members = {name: Param(0.0, "rad", doc=f"angle {name} to start from") for name in names}
    return type("AnglesGuess", (Struct,), {"__doc__": "Angles at which the search begins.", **members})


class Universal(JointBlock):
    """A Hooke joint: a turn `alpha` about axis_a (fixed in a), then `beta` about axis_b (fixed in b)."""

    rare = (*JointBlock.rare, "guess")
    axis_a = Axis("x", doc="axis fixed in frame_a")
    axis_b = Axis("y", doc="axis fixed in frame_b")
    stiffness = Param(0.0, "N*m/rad", ge=0, doc="of a torsion spring on either axis")
    damping = Param(0.0, "N*m*s/rad", ge=0, doc="viscous damping on either axis")
    initial = Sub(angles_struct(("alpha", "beta")), doc="start {alpha, beta, alpha_rate, beta_rate}")
    guess = Sub(
        angles_guess_struct(("alpha", "beta")), {}, doc="where the search for the start begins {alpha, beta}"
    )
    alpha = Out(unit="rad", doc="turn about axis_a")
    beta = Out(unit="rad", doc="turn about axis_b")
    alpha_rate = Out(unit="rad/s", doc="rate of alpha")
    beta_rate = Out(unit="rad/s", doc="rate of beta")

    def check(self) -> Iterable[Problem]:
        if abs(sum(a * b for a, b in zip(self.axis_a, self.axis_b, strict=True))) > 1e-9:
            yield Problem(
                "found axes that are not at right angles", ".axis_b", "for example axis_a: x, axis_b: y"
            )

    def parts(self) -> list[Part]:
        return self.joint("universal", *angle_chain(self, ("alpha", self.axis_a), ("beta", self.axis_b)))


class Spherical(JointBlock):
    """A ball joint: R = Rz(psi) Ry(theta) Rx(phi); a quaternion is never singular, angles are at theta = 90 deg.

    With `coordinates: quaternion` the states are `orientation` and `angular_velocity`, psi and phi are reported within
    half a turn, and `damping` acts on the angular velocity.
    """

    rare = (*JointBlock.rare, "guess")
    coordinates = Choice(
        "angles",
        ["angles", "quaternion"],
        doc="states: psi, theta, phi, which lock at theta = 90 deg, or a unit quaternion, which never does",
    )
    stiffness = Param(0.0, "N*m/rad", ge=0, doc="of a torsion spring on each angle")
    damping = Param(0.0, "N*m*s/rad", ge=0, doc="viscous damping on each angle, or on the angular velocity")
    initial = Sub(angles_struct(("psi", "theta", "phi")), doc="start {psi, theta, phi, psi_rate, ...}")
    guess = Sub(
        angles_guess_struct(("psi", "theta", "phi")),
        {},
        doc="where the search for the start begins {psi, theta, phi}",
    )
    psi = Out(unit="rad", doc="first turn, about z")
    theta = Out(unit="rad", doc="second turn, about the new y")
    phi = Out(unit="rad", doc="third turn, about the new x")
    psi_rate = Out(unit="rad/s", doc="rate of psi")
    theta_rate = Out(unit="rad/s", doc="rate of theta")
    phi_rate = Out(unit="rad/s", doc="rate of phi")
    orientation = Out(4, "", "unit quaternion w, x, y, z from b to a")
    angular_velocity = Out(3, "rad/s", "of b against a, in frame_b")

    def ports(self) -> dict[str, Port]:
        ports = super().ports()
        if self.coordinates == "angles":
            del ports["orientation"], ports["angular_velocity"]
        return ports

    def check(self) -> Iterable[Problem]:
        if self.coordinates != "angles" and self.stiffness > 0.0:
            fix = "take coordinates: angles, or put a `bushing` beside the joint"
            yield Problem(
                "its spring acts on each angle, and none of them is a coordinate", ".stiffness", fix
            )

    def parts(self) -> list[Part]:
        if self.coordinates == "angles":
            return self.joint("spherical", *angle_chain(self, ("psi", Z), ("theta", Y), ("phi", X)))
        names = ("psi", "theta", "phi")
        given = [getattr(self.initial, name) if self.initial else None for name in names]
        angles = [
            getattr(self.guess, name) if angle is None else angle
            for name, angle in zip(names, given, strict=True)
        ]
        rates = [getattr(self.initial, f"{name}_rate") if self.initial else None for name in names]
        turn = rotations.rotation_of_turns(list(zip((Z, Y, X), angles, strict=True)))
        # rates that are left open are solved for, where a loop asks for them
        known = any(rate is not None for rate in rates)
        spin = rotations.angular_velocity(angles, [rate or 0.0 for rate in rates]) if known else None
        joint = self.joint("spherical", quaternion=tuple(rotations.quaternion(turn)), spin=spin)
        if self.damping == 0.0:
            return joint
        return [*joint, Element("bushing", "frame_a", "frame_b", (*[0.0] * 9, *[self.damping] * 3))]


def angle_chain(
    block: Universal | Spherical, *turns: tuple[str, tuple[float, ...]]
) -> tuple[Coordinate, ...]:
    initial = block.initial
    return tuple(
        Coordinate(
            name,
            f"{name}_rate",
            False,
            axis,
            value=getattr(initial, name) if initial else None,
            speed=getattr(initial, f"{name}_rate") if initial else None,
            guess=getattr(block.guess, name),
            stiffness=block.stiffness,
            damping=block.damping,
        )
        for name, axis in turns
    )


class FreeInitial(Struct):
    """Place and motion at the start."""

    position = Param((0.0, 0.0, 0.0), "m", shape=(3,), doc="origin of frame_b in frame_a")
    rotate = Rotations(doc="turns from frame_a to frame_b")
    velocity = Param((0.0, 0.0, 0.0), "m/s", shape=(3,), doc="of frame_b's origin, in frame_a")
    angular_velocity = Param((0.0, 0.0, 0.0), "rad/s", shape=(3,), doc="of b, in frame_b")


class Free(JointBlock):
    """Six freedoms: frame_b floats in frame_a; a quaternion holds its orientation, so nothing ever locks."""

    initial = Sub(
        FreeInitial,
        {},
        doc="start {position, rotate, velocity, angular_velocity}; a search for rest begins there",
    )
    position = Out(3, "m", "origin of frame_b in frame_a")
    orientation = Out(4, "", "unit quaternion w, x, y, z from b to a")
    velocity = Out(3, "m/s", "of frame_b's origin, in frame_a")
    angular_velocity = Out(3, "rad/s", "of b against a, in frame_b")

    def parts(self) -> list[Part]:
        initial = self.initial
        # rates that are left open are solved for, where a loop asks for them
        velocity = initial.velocity if "velocity" in initial.given else (None, None, None)
        spin = initial.angular_velocity if "angular_velocity" in initial.given else None
        slides = tuple(
            Coordinate(f"position[{k}]", f"velocity[{k}]", True, axis, initial.position[k], velocity[k])
            for k, axis in enumerate((X, Y, Z))
        )
        turn = tuple(rotations.quaternion(rotations.rotation_of_turns(initial.rotate)))
        return self.joint("free", *slides, quaternion=turn, spin=spin)
