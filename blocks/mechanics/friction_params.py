"""Friction of a joint: the parameters that revolute and prismatic share."""

from __future__ import annotations

from collections.abc import Iterable

from .. import multibody_parts
from ..errors import Problem
from ..params import Choice, Either, Param, Struct

BRISTLED = ("dahl", "lugre", "elastoplastic")  # laws with a state
LAWS = ("none", "viscous", "coulomb", *BRISTLED)


class FrictionLaw(Struct):
    """Effort = -mu N on a slide, -mu N d/2 on a pin; N is the load, v the speed, z the deflection of bristles.

    viscous: mu = sigma_2 v. coulomb: mu = g(v) tanh(10 v / stribeck), smooth through zero, so that a load creeps where
    it would stick; g(v) = mu_k + (mu_s - mu_k) exp(-(v / stribeck)^2). dahl: mu = sigma_0 z, dz/dt = v |r|^gamma
    sgn(r), r = 1 - sigma_0 z sgn(v) / mu_s. lugre: mu = sigma_0 z + sigma_1 dz/dt + sigma_2 v, dz/dt = v - sigma_0 |v|
    z / g(v). elastoplastic: z sticks below 95 % of g(v) / sigma_0, where dz/dt = v, and slips beyond; sigma_0 z +
    sigma_1 v is at most g(v), and mu has sigma_2 v besides. With `load: reaction` N is the joint's own constraint force
    across its axis, on pins and slides alike, found together with the accelerations; the moment that a slide carries
    counts for nothing.
    """

    model = Choice("lugre", LAWS, doc="law of friction")
    mu_s = Param(0.2, ge=0, doc="static coefficient of friction")
    mu_k = Param(0.15, ge=0, doc="kinetic coefficient of friction")
    stribeck = Param(0.1, gt=0, doc="Stribeck velocity, rad/s or m/s")
    sigma_0 = Param(200.0, gt=0, doc="bristle stiffness over normal force, 1/rad or 1/m")
    sigma_1 = Param(0.5, ge=0, doc="bristle damping over normal force, s/rad or s/m")
    sigma_2 = Param(0.01, ge=0, doc="viscous coefficient over normal force, s/rad or s/m")
    gamma = Param(1.0, gt=0, doc="exponent of the Dahl curve")
    diameter = Param(0.05, "m", gt=0, doc="diameter of a revolute joint's journal; a slide has none")
    load = Either(
        "reaction",
        Choice("reaction", ["reaction"], doc="the joint's own reaction"),
        Param(0.0, "N", ge=0, doc="a given normal force"),
        doc="normal force: `reaction`, or a force such as 500 N",
    )


def friction_problems(law: FrictionLaw | None) -> Iterable[Problem]:
    """Parameters that the law divides by, and those that are probably not meant."""
    if law is None:
        return
    if law.given and "model" not in law.given:
        mistake = f"found {', '.join(sorted(law.given))} and no model: {law.model} is taken"
        fix = f"write model: {', '.join(LAWS)}"
        yield Problem(mistake, ".friction", fix, severity="warning")
    divisors = {"lugre": ("mu_s", "mu_k"), "elastoplastic": ("mu_s", "mu_k"), "dahl": ("mu_s",)}.get(
        law.model, ()
    )
    for name in divisors:
        if getattr(law, name) == 0.0:
            mistake = f"found 0, expected more than 0: {law.model} divides by it"
            yield Problem(mistake, f".friction.{name}", "use model: viscous, or none")
    if law.model in ("coulomb", "lugre", "elastoplastic") and law.mu_k > law.mu_s:
        mistake = f"found mu_k {law.mu_k:g} above mu_s {law.mu_s:g}: friction grows with speed"
        yield Problem(mistake, ".friction.mu_k", "swap them if that is not meant", severity="warning")


def friction_part(law: FrictionLaw | None, slides: bool) -> multibody_parts.Friction | None:
    if law is None or law.model == "none":
        return None
    load = None if law.load == "reaction" else law.load
    return multibody_parts.Friction(
        law.model,
        law.mu_s,
        law.mu_k,
        law.stribeck,
        law.sigma_0,
        law.sigma_1,
        law.sigma_2,
        law.gamma,
        1.0 if slides else 0.5 * law.diameter,
        load,
    )
