"""Flexible links: beams cut into rigid elements with springs between them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from .block import Block
from .bodies import Placement, placed
from .errors import Problem
from .params import Either, Flag, Integer, Param, Rotations, Struct, Sub, SubMap
from .parts import Body, Constant, Coordinate, Joint, Offset, Sensor, StoredEnergy, Vec
from .ports import Frame, Out, Port
from .sections import Section

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
FIRST_BENDING = 1.8751040687119611  # least root of cos(b) cosh(b) = -1: a clamped and free beam


class TipPlacement(Struct):
    """Where frame_b stands."""

    at = Param(
        None, "m", shape=(3,), doc="position in frame_a before any deformation; the link's end if left out"
    )
    rotate = Rotations(doc="turns [[axis, angle], ...], each about the axes already turned")


class DampingRatio(Struct):
    """Damping by its effect."""

    ratio = Param(ge=0, lt=1, doc="damping ratio of the link's first bending mode, clamped at frame_a")


class Deformation(Struct):
    """Angles and rates at the start, one per spring, from frame_a on."""

    psi = Param(None, "rad", shape=(None,), doc="turns about z")
    theta = Param(None, "rad", shape=(None,), doc="turns about y")
    phi = Param(None, "rad", shape=(None,), doc="twists about x")
    psi_rate = Param(None, "rad/s", shape=(None,), doc="rates of psi")
    theta_rate = Param(None, "rad/s", shape=(None,), doc="rates of theta")
    phi_rate = Param(None, "rad/s", shape=(None,), doc="rates of phi")


class RfemLink(Block):
    """A beam along x as n + 1 rigid elements and n springs: stiffness E I/d about z and y, G J/d about x, d = length/n.

    The elements at the ends have length d/2, those between d; each spring turns by Rz(psi) Ry(theta) Rx(phi).
    (Modified rigid finite element method: Wittbrodt, Adamiec-Wojcik and Wojciech, Dynamics of Flexible Multibody
    Systems, 2006.) Errors fall with n^-2. Section forces are what the outer part exerts on the inner one.
    """

    family = "bodies"
    example = {"length": 2.0, "section": {"shape": "box", "width": 0.1, "height": 0.1, "thickness": 0.004}}
    frame_a = Frame("the link's start; rides on the first element")
    frame_b = Frame("the link's end, unless placed; rides on the last element")
    tip_deflection = Out(3, "m", "of frame_b's origin against the undeformed link, in frame_a")
    tip_rotation = Out(3, "rad", "psi, theta, phi of the last element in frame_a")
    psi = Out(unit="rad", doc="turn about z of each spring", first=1)
    theta = Out(unit="rad", doc="turn about y of each spring", first=1)
    phi = Out(unit="rad", doc="twist about x of each spring", first=1)
    bending_moment_z = Out(unit="N*m", doc="about z at each spring", first=1)
    bending_moment_y = Out(unit="N*m", doc="about y at each spring", first=1)
    torsion = Out(unit="N*m", doc="torque about x at each spring", first=1)
    axial = Out(unit="N", doc="force along x at each spring, positive in tension", first=1)
    shear_y = Out(unit="N", doc="force along y at each spring, in the axes of the element behind it", first=1)
    shear_z = Out(unit="N", doc="force along z at each spring, in the axes of the element behind it", first=1)
    stored_energy = Out(unit="J", doc="elastic energy of all springs")

    length = Param(unit="m", gt=0, doc="along x")
    section = Sub(Section, {}, doc="{shape, width, height, diameter, thickness, flange} or {A, I_y, I_z, J}")
    E = Param(2.1e11, "Pa", gt=0, doc="Young's modulus; steel")
    G = Param(8.1e10, "Pa", gt=0, doc="shear modulus; steel")
    rho = Param(7850.0, "kg/m^3", gt=0, doc="density; steel")
    divisions = Integer(4, ge=1, le=1000, doc="number of springs")
    damping = Either(
        0.0,
        Param(0.0, "s", ge=0, doc="damping over stiffness"),
        Param(unit="N*m*s/rad", shape=(3,), ge=0, doc="of each spring, about z, y, x"),
        Sub(DampingRatio, {"ratio": 0.0}, doc="{ratio}"),
        doc="a time (damping over stiffness), [psi, theta, phi] of each spring, or {ratio}",
    )
    frame_b_place = Sub(TipPlacement, {}, key="frame_b", doc="where frame_b stands {at, rotate}")
    frames = SubMap(
        Placement, doc="further frames by name, in frame_a before any deformation; each becomes a port"
    )
    rigid = Flag(doc="one rigid body of the same mass, com and inertia")
    initial = Sub(Deformation, doc="start {psi, theta, phi, psi_rate, theta_rate, phi_rate}")

    def ports(self) -> dict[str, Port]:
        own = super().ports()
        if self.rigid:
            own = {name: port for name, port in own.items() if not port.first}
        own = {
            name: replace(port, width=self.divisions) if port.first else port for name, port in own.items()
        }
        return own | {name: Frame(f"frame {name}").named(name) for name in self.frames}

    def check(self) -> Iterable[Problem]:
        yield from self.section.problems()
        for name in self.frames.keys() & self.class_ports.keys():
            yield Problem(
                f'there is already a port "{name}"', f".frames.{name}", "choose another name", key=True
            )
        for name, angles in vars(self.initial or Deformation({})).items():
            if name != "given" and angles is not None and len(angles) != self.divisions:
                found = f"found {len(angles)} entries, expected {self.divisions}: one for each division"
                yield Problem(found, f".initial.{name}")

    # --- numbers ---------------------------------------------------------------------------------------------------

    def mass_properties(self) -> tuple[float, Vec, Vec]:
        """Of the whole undeformed link: mass, com in frame_a, inertia about the com."""
        return self.piece(self.length)

    def piece(self, length: float) -> tuple[float, Vec, Vec]:
        """Mass, com and inertia about the com of a length of the beam that starts at its frame."""
        A, I_y, I_z, _ = self.section.constants()
        mass, line = self.rho * A * length, self.rho * length
        across = mass * length**2 / 12.0
        six = (line * (I_y + I_z), line * I_y + across, line * I_z + across, 0.0, 0.0, 0.0)
        return mass, (0.5 * length, 0.0, 0.0), six

    def stiffness(self) -> Vec:
        """Of each spring about z, y, x."""
        _, I_y, I_z, J = self.section.constants()
        d = self.length / self.divisions
        return self.E * I_z / d, self.E * I_y / d, self.G * J / d

    def spring_damping(self) -> Vec:
        """Of each spring about z, y, x."""
        if isinstance(self.damping, tuple):
            return self.damping
        time = self.damping
        if isinstance(time, DampingRatio):
            time = 2.0 * time.ratio / self.first_bending()
        return tuple(time * k for k in self.stiffness())

    def first_bending(self) -> float:
        """Circular frequency of the first bending mode of an Euler-Bernoulli beam clamped at frame_a [rad/s]."""
        A, I_y, I_z, _ = self.section.constants()
        return (FIRST_BENDING / self.length) ** 2 * math.sqrt(self.E * min(I_y, I_z) / (self.rho * A))

    # --- parts -----------------------------------------------------------------------------------------------------

    def parts(self) -> list[Any]:
        tip = self.values["frame_b"]
        at = (self.length, 0.0, 0.0) if tip.at is None else tip.at
        last = self.element_at(self.length)
        sensor = Sensor("straight tip", "tip", "a", ("tip_deflection", "tip_rotation"))
        ends = [
            Offset("frame_a", "straight tip", at),
            self.riding(last, "tip", at),
            placed("frame_b", _turned(tip), "tip"),
        ]
        frames = []
        for name, place in self.frames.items():
            element = self.element_at(place.at[0])
            frames += [
                self.riding(element, f"place of {name}", place.at),
                placed(name, _turned(place), f"place of {name}"),
            ]
        if self.rigid:
            return [
                Body("frame_a", *self.mass_properties()),
                *ends,
                *frames,
                sensor,
                Constant("stored_energy", 0, 0.0),
            ]
        return [*self.chain(), *ends, *frames, sensor, StoredEnergy()]

    def element_at(self, x: float) -> int:
        """The element over a point of the undeformed link; 0 is the one at frame_a."""
        if self.rigid:
            return 0
        return min(max(math.floor(x * self.divisions / self.length + 0.5), 0), self.divisions)

    def start_of(self, element: int) -> float:
        return (element - 0.5) * self.length / self.divisions if element else 0.0

    def riding(self, element: int, node: str, at: Vec) -> Offset:
        """A node that rides on an element, placed as if the link were straight."""
        x = at[0] - self.start_of(element)
        return Offset(f"element {element}" if element else "frame_a", node, (x, at[1], at[2]))

    def chain(self) -> list[Any]:
        n, d = self.divisions, self.length / self.divisions
        found: list[Any] = [Body("frame_a", *self.piece(d / 2))]
        for k in range(1, n + 1):
            start, joint = f"element {k}", f"spring {k}"
            before = f"element {k - 1}" if k > 1 else "frame_a"
            found.append(Offset(before, joint, (d if k > 1 else d / 2, 0.0, 0.0)))
            found.append(Joint("elastic", joint, start, self.turns(k), name=str(k)))
            found.append(Body(start, *self.piece(d if k < n else d / 2)))
        return found

    def turns(self, k: int) -> tuple[Coordinate, ...]:
        start = vars(self.initial) if self.initial else {}

        def given(name: str) -> float | None:
            values = start.get(name)
            return None if values is None else values[k - 1]

        return tuple(
            Coordinate(
                f"{name}[{k}]",
                f"{name}_rate[{k}]",
                False,
                axis,
                value=given(name),
                speed=given(f"{name}_rate"),
                stiffness=stiffness,
                damping=damping,
            )
            for name, axis, stiffness, damping in zip(
                ("psi", "theta", "phi"), (Z, Y, X), self.stiffness(), self.spring_damping(), strict=True
            )
        )


def _turned(place: Any) -> Placement:
    """A placement at its own node."""
    return Placement({"at": (0.0, 0.0, 0.0), "rotate": place.rotate})
