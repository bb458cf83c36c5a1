"""Contact of a body with a plane: it pushes, and never pulls."""

from __future__ import annotations

from collections.abc import Iterable

from ..block import Block
from ..errors import Problem
from ..multibody_parts import Element, Part
from ..params import Choice, Param, Struct, Sub
from ..ports import Frame, Out


class ContactLaw(Struct):
    """Contact law: force = stiffness depth^exponent (1 + dissipation rate)."""

    stiffness = Param(1e7, "N/m", ge=0, doc="force at a depth of 1 m; with an exponent of 1.5 in N/m^1.5")
    exponent = Param(1.0, ge=1, le=3, doc="1 for a soft layer, 1.5 for a sphere (Hertz)")
    dissipation = Param(
        0.3, "s/m", ge=0, doc="c: a slow impact at a speed v comes back with about 1 - 2 c v / 3"
    )


class ContactFriction(Struct):
    """Friction along the plane, up to mu times the normal force: a bristle that sticks, and slips at its limit."""

    mu = Param(0.0, ge=0, doc="coefficient of friction")
    model = Choice(
        "elastoplastic", ["elastoplastic", "lugre"], doc="what is held stays, or slips at every load (LuGre)"
    )
    stiffness = Param(
        None,
        "N/m",
        gt=0,
        doc="along the plane before it slips; as that of `law` at a depth of 1 mm if left out",
    )
    damping = Param(None, "N*s/m", ge=0, doc="the same; 1 ms times the stiffness if left out")


class Contact(Block):
    """A sphere (a point, without a radius) against a plane: f = k s^n (1 + c ds/dt) at a depth s, and no pull.

    The law of Hunt and Crossley (1975). The elastic energy k s^(n+1) / (n+1) comes back but for what c takes. Along the
    plane it sticks up to mu f, and slides beyond; what it leaves, it forgets within some 10 ms.
    """

    usual = ("radius", "law")
    family = "forces"
    plane = Frame("a frame on the plane, whose z leaves it")
    of = Frame("the point, or the centre of the sphere, that meets the plane")
    radius = Param(0.0, "m", ge=0, doc="radius of the sphere")
    law = Sub(ContactLaw, {}, doc="how the surface gives way {stiffness, exponent, dissipation}")
    friction = Sub(ContactFriction, {}, doc="friction along the plane {mu, model, stiffness, damping}")
    force = Out(3, "N", "force on the body of `of`, world axes")
    normal_force = Out(unit="N", doc="its part across the plane")
    depth = Out(unit="m", doc="how deep the sphere is in the plane; negative above it")
    touching = Out(doc="1 where they touch, else 0")

    def check(self) -> Iterable[Problem]:
        if self.law.stiffness == 0.0:
            yield Problem(
                "found a stiffness of 0: this contact would exert no force",
                ".law.stiffness",
                severity="warning",
            )

    def parts(self) -> list[Part]:
        law, friction = self.law, self.friction
        values = (
            law.stiffness, law.exponent, law.dissipation, self.radius,
            friction.mu, *self.tangential_law(), friction.model == "lugre",
        )  # fmt: skip
        return [Element("contact", "plane", "of", tuple(map(float, values)), bristle=2 * (friction.mu > 0.0))]

    def tangential_law(self) -> tuple[float, float]:
        """Stiffness and damping along the plane."""
        law, friction = self.law, self.friction
        stiffness = friction.stiffness or law.exponent * law.stiffness * 1e-3 ** (law.exponent - 1.0)
        return stiffness, 1e-3 * stiffness if friction.damping is None else friction.damping
