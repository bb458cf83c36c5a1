"""Wheels of cranes and trolleys on rails, and rollers that guide them."""

from __future__ import annotations

import math

from ..block import Block, Equation
from ..multibody_parts import Element, Part, Vec
from ..params import Choice, Flag, Param, Struct, Sub
from ..ports import Frame, Out, Port, Shaft

FAR = 1e30  # play of a wheel without a guide [m]


class CreepLaw(Struct):
    """Creep force over creepage xi, sliding over rolling speed: mu N min(xi/xi_0, 1), or mu N (1 - exp(-xi/xi_0))."""

    law = Choice(
        "exponential", ["exponential", "linear"], doc="1 - exp(-xi/xi_0); or linear up to mu N, cut there"
    )
    mu = Param(0.3, ge=0, doc="greatest creep force over the load")
    creepage = Param(
        0.004, gt=0, doc="xi_0; mu N over a linear creep coefficient such as Kalker's G a b C_22 [N]"
    )
    stiffness = Param(
        1e8, "N/m", gt=0, doc="of wheel and rail along the contact: what a wheel at rest springs by"
    )


class Guide(Struct):
    """Flanges of a wheel, or rollers, on both sides of the rail's head: they push beyond the play and never pull."""

    play = Param(0.01, "m", ge=0, doc="on either side when the wheel is in the middle")
    stiffness = Param(1e7, "N/m", gt=0, doc="of the guide and what bears it, sideways")
    damping = Param(0.0, "N*s/m", ge=0, doc="while it pushes")

    def values(self) -> Vec:
        """Columns W_PLAY to W_GUIDE_DAMPING of the element."""
        return self.play, self.stiffness, self.damping


class RailWheel(Block):
    """A wheel on a straight rail: load, creep forces ahead and sideways within mu N, flanges with play.

    Load N = -k z - c dz/dt, no pull. A wheel that rolls at V and slides at s against the rail has the creepage xi =
    |s| / |V|; the creep force opposes s by the law `creep` (both directions together), as steady rolling has it. Where
    V or s change it follows over a rolled way of mu N / (k_t xi_0), k_t its stiffness; standing still it holds as a
    spring up to mu N. A skewed wheel slides sideways at V sin(skew). `driven: true` gives the wheel a shaft, whose
    torque is -r times the force ahead; without it the wheel rolls freely and has no force ahead. Statics have no strain
    along the contact: there load and flanges act alone, also against wind. Left out: spin creep, friction of flanges,
    running resistance.
    """

    family = "forces"
    frame_a = Frame("the rail: x along it, y to its left, z upwards; its top in the middle of the head")
    frame_b = Frame("on the crane, where the wheel meets the rail: x ahead, z upwards; does not turn with it")
    shaft = Shaft("of the wheel against the crane, driven; a positive speed rolls ahead")
    stiffness = Param(1e8, "N/m", gt=0, doc="k of wheel and rail, upwards")
    damping = Param(0.0, "N*s/m", ge=0, doc="c, upwards")
    creep = Sub(CreepLaw, {}, doc="creep force {law, mu, creepage, stiffness}")
    flange = Sub(Guide, doc="flanges on both sides of the rail {play, stiffness, damping}")
    skew = Param(0.0, "rad", doc="angle about z by which the wheel is mounted askew, to the left")
    driven = Flag(doc="turned by its shaft")
    radius = Param(0.3, "m", gt=0, doc="r of the wheel, driven")
    force = Out(3, "N", "on the crane, world axes")
    normal_force = Out(unit="N", doc="N")
    longitudinal_force = Out(
        unit="N", doc="creep force on the crane, in the direction in which the wheel rolls"
    )
    lateral_force = Out(unit="N", doc="creep force on the crane, to the left of that direction")
    guide_force = Out(unit="N", doc="of the flanges on the crane, to the left")
    grip_ratio = Out(doc="creep force over mu N")
    place = Out(unit="m", doc="along the rail")
    offset = Out(unit="m", doc="to the left of the rail's middle")
    lifted = Out(doc="1 where the wheel has lifted, else 0")
    rim_speed = Out(unit="m/s", doc="of the rim against the crane, driven")

    def ports(self) -> dict[str, Port]:
        ports = super().ports()
        if not self.driven:
            del ports["shaft"], ports["rim_speed"]
        return ports

    def instance_functions(self) -> dict[str, Equation]:
        return self.functions if self.driven else {}

    def internal_wires(self) -> dict[str, str]:
        return {name: name for name in (("rim_speed", "longitudinal_force") if self.driven else ())}

    def out_shaft(longitudinal_force, radius):
        return -radius * longitudinal_force

    def out_rim_speed(shaft, radius):
        return radius * shaft

    def parts(self) -> list[Part]:
        creep, driven = self.creep, float(self.driven)
        values = (
            self.stiffness, self.damping, creep.stiffness, creep.mu, creep.creepage,
            creep.law == "exponential", driven, math.cos(self.skew), math.sin(self.skew),
            *(self.flange.values() if self.flange else (FAR, 0.0, 0.0)), 0.0,
        )  # fmt: skip
        inputs = ("rim_speed",) if self.driven else ()
        return [
            Element("rail", "frame_a", "frame_b", tuple(map(float, values)), inputs, bristle=1 + self.driven)
        ]


class GuideRoller(Block):
    """Rollers on both sides of a straight rail's head: no force within their play, and none along or across the top.

    Beyond the play d they push back by k (|y| - d) + c d|y|/dt, and never pull.
    """

    family = "forces"
    frame_a = Frame("the rail: x along it, y to its left, z upwards, in the middle of the head")
    frame_b = Frame("on the crane, in the middle between the rollers")
    play = Param(0.005, "m", ge=0, doc="d, on either side when they are in the middle")
    stiffness = Param(1e7, "N/m", gt=0, doc="k of a roller and what bears it")
    damping = Param(0.0, "N*s/m", ge=0, doc="c, while it pushes")
    force = Out(3, "N", "on the crane, world axes")
    guide_force = Out(unit="N", doc="on the crane, to the left")
    place = Out(unit="m", doc="along the rail")
    offset = Out(unit="m", doc="to the left of the rail's middle")

    def parts(self) -> list[Part]:
        free = (0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0)
        values = (*free, self.play, self.stiffness, self.damping, 0.0)
        return [Element("rail", "frame_a", "frame_b", values)]
