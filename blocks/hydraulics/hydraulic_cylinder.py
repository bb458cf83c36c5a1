"""Hydraulic cylinders between two links of a mechanism."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import ClassVar

import numpy as np

from ..block import Equation
from ..block_states import State
from ..direction_params import Axis
from ..errors import Problem
from ..mechanics.bodies import Inertia, doubtful_inertia
from ..mechanics.joints import Prismatic
from ..multibody_parts import Body, Coordinate, Joint, Offset, Part, Telescope
from ..params import REQUIRED, Param, Struct, Sub
from ..ports import Frame, Hydraulic, Out, Port
from ..text.raw_types import RawMap
from .mobile_hydraulics import smooth_step
from .oil_properties import BELOW, content_of, pressure_of, stored_energy, suction_message

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


class Rod(Struct):
    """Mass properties of one half, in axes at its own pin: x as the pins, z along the rod from barrel to rod end."""

    mass = Param(REQUIRED, "kg", gt=0, doc="mass")
    com = Param((0.0, 0.0, 0.0), "m", shape=(3,), doc="centre of mass, from the half's own pin")
    inertia = Inertia(
        (0.0, 0.0, 0.0),
        "kg*m^2",
        shape=(None,),
        doc="about the com, [xx, yy, zz] or [xx, yy, zz, xy, xz, yz]",
    )


class Barrel(Rod):
    """Barrel of a cylinder, the half on frame_a."""

    length = Param(REQUIRED, "m", gt=0, doc="pin distance at position 0")


class Pressures(Struct):
    """Pressures of the chambers at the start."""

    cap = Param(None, "Pa", ge=0, doc="pressure on the cap side; what carries the load when not given")
    rod = Param(0.0, "Pa", ge=0, doc="pressure on the rod side")


class Cushion(Struct):
    """Damping at one end of the stroke: the oil that leaves passes an orifice that narrows to `area` at the end."""

    length = Param(REQUIRED, "m", gt=0, doc="stroke before the end over which it narrows")
    area = Param(REQUIRED, "m^2", gt=0, doc="open area that is left at the end")
    discharge = Param(0.65, gt=0, doc="discharge coefficient C")
    density = Param(870.0, "kg/m^3", gt=0, doc="density of the oil")


class Fluid(Struct):
    """The chambers of a double-acting cylinder."""

    bore = Param(REQUIRED, "m", gt=0, doc="diameter of the piston")
    rod = Param(REQUIRED, "m", ge=0, doc="diameter of the rod")
    stroke = Param(REQUIRED, "m", gt=0, doc="position at which the rod side is empty; the cap side is at 0")
    dead_cap = Param(1e-3, "m^3", gt=0, doc="oil on the cap side at position 0, hoses included")
    dead_rod = Param(1e-3, "m^3", gt=0, doc="oil on the rod side at full stroke, hoses included")
    bulk_modulus = Param(1.2e9, "Pa", gt=2e5, doc="effective bulk modulus of oil and walls")
    air = Param(0.001, ge=0, lt=1, doc="gas in the oil, as a share of its volume at no pressure")
    exponent = Param(1.4, ge=1, doc="polytropic exponent of that gas: 1 slow, 1.4 quick")
    leakage = Param(0.0, "m^3/s/Pa", ge=0, doc="flow past the piston over the pressure across it")
    initial = Sub(Pressures, {}, doc="pressures at the start {cap, rod}")
    cap_cushion = Sub(Cushion, doc="cushion at position 0 {length, area}")
    rod_cushion = Sub(Cushion, doc="cushion at the full stroke {length, area}")


class HydraulicCylinder(Prismatic):
    """Barrel and piston between two links: pin distance = barrel.length + position.

    The barrel end is a universal joint (its first axis is the pin, and it carries the torsion), the rod end a
    spherical one, so that every reaction is determinate (Cibicik and Egeland 2018, eq. 51 to 55).

    With `fluid` oil drives it: force = p_cap A_cap - p_rod A_rod; `damping` and `friction` are those of its seals. A
    chamber of volume V and bulk modulus K that takes in the flow Q has ds/dt = (K (Q - leak) - (K + s) dV/dt) / V, by
    which its oil V (1 + s / K) changes by Q - leak and nothing else. Its pressure p follows from s by the gas in the
    oil; it falls towards zero absolute and never below: by suction a chamber carries at most 101325 Pa times its area.
    A piston that presses into its end stop goes on displacing oil, from the dead volume; of that half is always left.
    Before a cushioned end the oil that leaves passes the open area a / u, u = 3 w^2 - 2 w^3 with w from 0 to 1 over the
    cushion's length: the piston meets density/2 (A v u / C a)^2 above its chamber's pressure; on its way back nothing.
    """

    family = "forces"
    example: ClassVar[RawMap] = {
        "barrel": {"length": 1.0, "mass": 20.0, "com": [0, 0, 0.5], "inertia": [2.0, 2.0, 0.1]},
        "piston": {"mass": 10.0, "com": [0, 0, -0.5], "inertia": [1.0, 1.0, 0.05]},
    }
    frame_a = Frame("of the link that carries the barrel; the barrel's pin")
    frame_b = Frame("of the link that the rod moves; the rod's pin")
    axis = Axis("x", doc="axis of the pins in frame_a")
    cut = None
    usual = ("barrel", "piston", "fluid")
    rare = (*Prismatic.rare, "driven", "stiffness", "rest")
    barrel = Sub(Barrel, REQUIRED, doc="the half on frame_a {length, mass, com, inertia}")
    piston = Sub(Rod, REQUIRED, doc="the half on frame_b {mass, com, inertia}")
    angle = Out(unit="rad", doc="turn of the barrel about its pin; 0 along frame_a's z (x when the pin is z)")
    tilt = Out(unit="rad", doc="lean of the barrel out of the plane across its pin")
    pin_a_force = Out(3, "N", "what the barrel end exerts on frame_a's link, in frame_a")
    pin_b_force = Out(3, "N", "what the rod end exerts on frame_b's link, in frame_b")
    fluid = Sub(Fluid, doc="oil chambers {bore, rod, stroke, ...}; the ports cap and rod instead of effort")
    cap = Hydraulic("chamber that extends it")
    rod = Hydraulic("chamber that retracts it, around the rod")
    cap_pressure = Out(unit="Pa", doc="pressure on the cap side")
    rod_pressure = Out(unit="Pa", doc="pressure on the rod side")
    force = Out(unit="N", doc="of the oil on the piston, positive when it extends")
    oil = Out(unit="m^3", doc="oil in both chambers, at no pressure")
    stored_energy = Out(unit="J", doc="of oil and gas in both chambers, over that without pressure")
    cushion_pressure = Out(
        2, "Pa", "what the cushions add to the chambers' pressures on the piston: cap, rod"
    )
    p_cap = State("cap", unit="Pa", doc="cap side: pressure s that the same liquid would have without gas")
    p_rod = State("rod", unit="Pa", doc="rod side: the same")
    derived_names = ("chamber", "cushions")
    across_ports = ("cap", "rod")
    own_outputs: ClassVar[tuple[str, ...]] = ("position", "velocity", "cap_pressure", "rod_pressure")
    fluid_ports: ClassVar[tuple[str, ...]] = (
        "cap", "rod", "cap_pressure", "rod_pressure", "force", "oil", "stored_energy",
    )  # fmt: skip

    def der(cap, rod, position, velocity, cap_pressure, rod_pressure, p_cap, p_rod, chamber):
        # areas, volumes when empty, stroke, bulk modulus, leakage, gas, its exponent
        cap_volume = chamber_volume(chamber[2], chamber[0] * position)
        rod_volume = chamber_volume(chamber[3], chamber[1] * (chamber[4] - position))
        leak = chamber[6] * (cap_pressure - rod_pressure)
        cap_area = swept_area(chamber[2], chamber[0], chamber[0] * position)
        rod_area = swept_area(chamber[3], chamber[1], chamber[1] * (chamber[4] - position))
        cap_rate = chamber[5] * (cap - leak) - (chamber[5] + p_cap) * cap_area * velocity
        rod_rate = chamber[5] * (rod + leak) + (chamber[5] + p_rod) * rod_area * velocity
        return cap_rate / cap_volume, rod_rate / rod_volume

    def out_cap_pressure(p_cap, chamber):
        return pressure_of(p_cap, chamber[5], chamber[7], chamber[8])

    def out_rod_pressure(p_rod, chamber):
        return pressure_of(p_rod, chamber[5], chamber[7], chamber[8])

    def out_cap(cap_pressure):
        return cap_pressure

    def out_rod(rod_pressure):
        return rod_pressure

    def out_force(position, cap_pressure, rod_pressure, chamber):
        # virtual work: pressure times dV/dx
        cap_area = swept_area(chamber[2], chamber[0], chamber[0] * position)
        rod_area = swept_area(chamber[3], chamber[1], chamber[1] * (chamber[4] - position))
        return cap_pressure * cap_area - rod_pressure * rod_area

    def out_oil(t, position, p_cap, p_rod, chamber):
        cap_volume = chamber_volume(chamber[2], chamber[0] * position)
        rod_volume = chamber_volume(chamber[3], chamber[1] * (chamber[4] - position))
        return cap_volume * (1.0 + p_cap / chamber[5]) + rod_volume * (1.0 + p_rod / chamber[5])

    def out_stored_energy(t, position, cap_pressure, rod_pressure, p_cap, p_rod, chamber):
        cap_volume = chamber_volume(chamber[2], chamber[0] * position)
        rod_volume = chamber_volume(chamber[3], chamber[1] * (chamber[4] - position))
        in_cap = stored_energy(cap_volume, cap_pressure, p_cap, chamber[5], chamber[7], chamber[8])
        return in_cap + stored_energy(rod_volume, rod_pressure, p_rod, chamber[5], chamber[7], chamber[8])

    def room_cap(t, cap_pressure):
        return cap_pressure + BELOW

    def room_rod(t, rod_pressure):
        return rod_pressure + BELOW

    def words_of_room(self, name: str, time: float, least: float) -> str:
        return suction_message(name, time, least)

    def ports(self) -> dict[str, Port]:
        ports = super().ports()
        for name in ("effort",) if self.fluid else self.fluid_ports:
            ports.pop(name, None)
        if not self.cushioned():
            ports.pop("cushion_pressure", None)
        return ports

    def instance_functions(self) -> dict[str, Equation]:
        if self.cushioned():
            cushions = {"out_force": cushioned_force, "out_cushion_pressure": cushion_pressures}
            return self.functions | cushions
        return self.functions if self.fluid else {}

    def cushioned(self) -> bool:
        """A cushion at one end of the stroke or at both."""
        return bool(self.fluid and (self.fluid.cap_cushion or self.fluid.rod_cushion))

    def internal_wires(self) -> dict[str, str]:
        """Force of the oil into the mechanism, motion of the rod into the equations."""
        return {"effort": "force", **{name: name for name in self.own_outputs}} if self.fluid else {}

    def areas(self) -> tuple[float, float]:
        """Areas of the cap side and the rod side [m^2]."""
        cap = math.pi / 4 * self.fluid.bore**2
        return cap, cap - math.pi / 4 * self.fluid.rod**2

    def derived(self) -> dict[str, tuple[float, ...]]:
        if not self.fluid:
            return {}
        f = self.fluid
        gas = f.air, f.exponent
        chamber = (*self.areas(), f.dead_cap, f.dead_rod, f.stroke, f.bulk_modulus, f.leakage, *gas)
        if not self.cushioned():
            return {"chamber": chamber}
        cap, rod = self.areas()
        return {
            "chamber": chamber,
            "cushions": (*cushion_law(f.cap_cushion, cap), *cushion_law(f.rod_cushion, rod)),
        }

    def oil_compressibility(self) -> dict[str, tuple[float, float, float]]:
        f = self.fluid
        return dict.fromkeys(("p_cap", "p_rod"), (f.bulk_modulus, f.air, f.exponent)) if f else {}

    def holding(self, pressure: float) -> float:
        """The state of a chamber that has this pressure."""
        return content_of(pressure, self.fluid.bulk_modulus, self.fluid.air, self.fluid.exponent)

    def state_start(self, initial: float | str) -> object:
        if initial in ("cap", "rod") and self.fluid:
            return self.holding(getattr(self.fluid.initial, str(initial)) or 0.0)
        return super().state_start(initial)

    def check(self) -> Iterable[Problem]:
        yield from super().check()
        for half, part in (("barrel", self.barrel), ("piston", self.piston)):
            yield from doubtful_inertia(part.inertia, f".{half}.inertia")
        if self.fluid and self.driven:
            yield Problem("found both fluid and driven", ".driven", "oil drives it, or a trajectory")
        if self.fluid and self.fluid.rod >= self.fluid.bore:
            mistake = f"found a rod of {self.fluid.rod:g} m in a bore of {self.fluid.bore:g} m"
            yield Problem(mistake, ".fluid.rod", "diameters: the rod is the smaller one")
        for name in ("cap_cushion", "rod_cushion"):
            cushion = self.fluid and getattr(self.fluid, name)
            if cushion and cushion.length > self.fluid.stroke:
                mistake = f"found a cushion of {cushion.length:g} m in a stroke of {self.fluid.stroke:g} m"
                yield Problem(mistake, f".fluid.{name}.length", "it is the last part of the stroke")
        position = self.initial.position if self.initial else None
        if position is None:
            return
        if self.barrel.length + position <= 0:
            fix = f"pin distance = barrel.length + position; barrel.length is {self.barrel.length:g} m"
            yield Problem(f"found a position of {position:g} m, no pin distance is left", ".initial", fix)
        lower, upper = (getattr(self.limits, name, None) for name in ("lower", "upper"))
        if (lower is not None and position < lower) or (upper is not None and position > upper):
            yield Problem(f"found a position of {position:g} m beyond the limits", ".initial", "move either")

    def pin_axes(self) -> np.ndarray:
        """R_AP of the pin's frame in frame_a: x along the pin, z as near frame_a's z as that allows."""
        pin = np.array(self.axis)
        z = np.array(X if abs(pin[2]) > 0.99 else Z)
        z = z - (z @ pin) * pin
        z /= np.linalg.norm(z)
        return np.column_stack([pin, np.cross(z, pin), z])

    def parts(self) -> list[Part]:
        position = self.initial.position if self.initial else None
        chosen = position is not None or "position" in self.guess.given
        turns = (
            Coordinate("angle", "angle_rate", False, X),
            Coordinate("tilt", "tilt_rate", False, Y),
        )
        barrel, piston = self.barrel, self.piston
        return [
            Offset("frame_a", "@pin", turn=self.pin_axes()),
            Joint("universal", "@pin", "@barrel", turns, name="pin", resolve="frame_a"),
            Body("@barrel", barrel.mass, barrel.com, barrel.inertia, name=f"{self.name}.barrel"),
            Offset("@barrel", "@mouth", (0.0, 0.0, barrel.length)),
            Joint("prismatic", "@mouth", "@rod", (self.coordinate(Z),)),
            Body("@rod", piston.mass, piston.com, piston.inertia, name=f"{self.name}.piston"),
            Joint("spherical", "@rod", "frame_b", ball(), cut=True, name="rod"),
            Telescope(
                "@pin",
                "frame_b",
                "pin",
                "",
                barrel.length,
                not chosen,
                self.fluid.stroke if self.fluid else None,
            ),
        ]


def cushion_law(cushion: Cushion | None, area: float) -> tuple[float, float]:
    """Length of a cushion [m], and its pressure over the square of the piston's speed at the end [Pa s^2/m^2]."""
    if cushion is None:
        return 1.0, 0.0
    return cushion.length, 0.5 * cushion.density * (area / (cushion.discharge * cushion.area)) ** 2


def cushion_pressures(position, velocity, chamber, cushions):
    """Pressures density/2 (A v u / C a)^2 that cushions add on the piston's cap and rod side [Pa]."""
    cap = smooth_step(cushions[0] - position, cushions[0]) * min(velocity, 0.0)
    rod = smooth_step(position - chamber[4] + cushions[2], cushions[2]) * max(velocity, 0.0)
    return cushions[1] * cap * cap, cushions[3] * rod * rod


def cushioned_force(position, velocity, cap_pressure, rod_pressure, chamber, cushions):
    """Force of the oil on the piston with the pressures of its cushions [N]."""
    cap, rod = cushion_pressures(position, velocity, chamber, cushions)
    cap_area = swept_area(chamber[2], chamber[0], chamber[0] * position)
    rod_area = swept_area(chamber[3], chamber[1], chamber[1] * (chamber[4] - position))
    return cap_pressure * cap_area - rod_pressure * rod_area + cap * chamber[0] - rod * chamber[1]


def chamber_volume(dead, swept):
    """Volume V [m^3] of a chamber, from its dead volume and what the piston has swept; less than none in its stop.

    V = dead + swept down to half the dead volume, from there on smoothly towards none.
    """
    left = swept + 0.5 * dead
    return 0.5 * dead + left if left >= 0.0 else 0.5 * dead * math.exp(2.0 * left / dead)


def swept_area(dead, area, swept):
    """dV/dx [m^2] of a chamber: the piston's area, as long as half the dead volume is left."""
    left = swept + 0.5 * dead
    return area if left >= 0.0 else area * math.exp(2.0 * left / dead)


def ball() -> tuple[Coordinate, ...]:
    """Ball joint of the rod end as turns Rz Ry Rx; used only where it closes no loop."""
    turns = (("psi", Z), ("theta", Y), ("phi", X))
    return tuple(Coordinate(f"rod_{name}", f"rod_{name}_rate", False, axis) for name, axis in turns)
