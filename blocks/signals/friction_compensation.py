"""Friction compensation: what a joint's friction takes, estimated and added to its drive's effort."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import ClassVar

from ..block import Block, Equation
from ..block_states import State
from ..errors import Problem
from ..params import Choice, Param
from ..ports import ANY, In, Out
from ..signal_params import PerElement
from ..text.raw_types import RawMap


def outside(velocity, dead_zone):
    """Velocity beyond the dead zone; continuous at its edges."""
    if velocity > dead_zone:
        return velocity - dead_zone
    if velocity < -dead_zone:
        return velocity + dead_zone
    return 0.0


def lever_of(diameter):
    """Effort over friction force: d/2 on a pin; 1 on a slide, which has no diameter (NaN)."""
    if diameter > 0.0:
        return 0.5 * diameter
    return 1.0


def stribeck_curve(v, mu_s, mu_k, stribeck):
    return mu_k + (mu_s - mu_k) * math.exp(-((v / stribeck) ** 2))


def load_rate(normal_force, load, load_time):
    return (normal_force - load) / load_time


def lugre_bristle(v, z, error, mu_s, mu_k, stribeck, sigma_0, gain):
    # Canudas de Wit, Olsson, Astrom and Lischinsky (1995), section IV: the observer is driven by the position error
    return v - sigma_0 * abs(v) * z / stribeck_curve(v, mu_s, mu_k, stribeck) + gain * error


def dahl_bristle(v, z, error, mu_s, sigma_0, gamma, gain):
    r = 1.0 - sigma_0 * z * math.copysign(1.0, v) / mu_s
    return v * math.copysign(abs(r) ** gamma, r) + gain * error


def lugre_der(
    velocity, normal_force, error, z, load, mu_s, mu_k, stribeck, sigma_0, gain, dead_zone, load_time
):  # fmt: skip
    v = outside(velocity, dead_zone)
    rate = lugre_bristle(v, z, error, mu_s, mu_k, stribeck, sigma_0, gain)
    return rate, load_rate(normal_force, load, load_time)


def lugre_friction(
    velocity, error, z, load, mu_s, mu_k, stribeck, sigma_0, sigma_1, sigma_2, gain, dead_zone, diameter
):  # fmt: skip
    v = outside(velocity, dead_zone)
    rate = lugre_bristle(v, z, error, mu_s, mu_k, stribeck, sigma_0, gain)
    return (sigma_0 * z + sigma_1 * rate + sigma_2 * v) * load * lever_of(diameter)


def lugre_effort(
    feedforward, velocity, error, z, load, mu_s, mu_k, stribeck, sigma_0, sigma_1, sigma_2, gain, dead_zone,
    diameter,
):  # fmt: skip
    friction = lugre_friction(
        velocity, error, z, load, mu_s, mu_k, stribeck, sigma_0, sigma_1, sigma_2, gain, dead_zone, diameter
    )
    return feedforward + friction


def dahl_der(velocity, normal_force, error, z, load, mu_s, sigma_0, gamma, gain, dead_zone, load_time):
    rate = dahl_bristle(outside(velocity, dead_zone), z, error, mu_s, sigma_0, gamma, gain)
    return rate, load_rate(normal_force, load, load_time)


def dahl_friction(z, load, sigma_0, diameter):
    return sigma_0 * z * load * lever_of(diameter)


def dahl_effort(feedforward, z, load, sigma_0, diameter):
    return feedforward + dahl_friction(z, load, sigma_0, diameter)


def coulomb_der(normal_force, load, load_time):
    return 0.0, load_rate(normal_force, load, load_time)


def coulomb_friction(velocity, load, mu_s, mu_k, stribeck, dead_zone, diameter):
    v = outside(velocity, dead_zone)
    mu = stribeck_curve(v, mu_s, mu_k, stribeck) * math.tanh(10.0 * v / stribeck)
    return mu * load * lever_of(diameter)


def coulomb_effort(feedforward, velocity, load, mu_s, mu_k, stribeck, dead_zone, diameter):
    return feedforward + coulomb_friction(velocity, load, mu_s, mu_k, stribeck, dead_zone, diameter)


def nothing(z, load):
    return 0.0, 0.0


def feedforward_alone(feedforward):
    return feedforward


def no_friction(z):
    return 0.0 * z


LAWS: dict[str, tuple[Equation, Equation, Equation]] = {
    "none": (nothing, feedforward_alone, no_friction),
    "lugre": (lugre_der, lugre_effort, lugre_friction),
    "dahl": (dahl_der, dahl_effort, dahl_friction),
    "coulomb": (coulomb_der, coulomb_effort, coulomb_friction),
}


class FrictionCompensation(Block):
    """Friction compensation: effort = feedforward + mu N d/2 on a pin, feedforward + mu N on a slide.

    mu follows the joint's own laws (LuGre, Dahl, Coulomb: `friction` of a joint) at v, what of the velocity is beyond
    the dead zone. N is the normal force after a lag, dN/dt = (normal_force - N) / load_time: a reaction hangs on the
    effort, and without a lag one would ask for the other. The bristle is observed: dz/dt of the law + gain * error
    (Canudas de Wit, Olsson, Astrom and Lischinsky, 1995); inside the dead zone it keeps its deflection.
    """

    family = "control"
    example: ClassVar[RawMap] = {"diameter": "60 mm"}
    feedforward = In(ANY, default=0.0, doc="effort of the controller, to which the estimate is added")
    velocity = In(ANY, doc="of the joint, measured; or planned")
    normal_force = In(ANY, "N", doc="of the joint: its own reaction across its axis")
    error = In(ANY, default=0.0, doc="position planned less measured, which corrects the bristle")
    effort = Out(ANY, doc="for the joint's drive")
    friction = Out(ANY, doc="the estimate that is added")
    model = Choice("lugre", tuple(LAWS), doc="law of friction; none: nothing is added")
    mu_s = PerElement(0.2, gt=0, doc="static coefficient of friction")
    mu_k = PerElement(0.15, gt=0, doc="kinetic coefficient of friction; dahl has none")
    stribeck = PerElement(0.1, gt=0, doc="Stribeck velocity, rad/s or m/s; dahl has none")
    sigma_0 = PerElement(200.0, gt=0, doc="bristle stiffness over normal force, 1/rad or 1/m")
    sigma_1 = PerElement(0.5, ge=0, doc="lugre: bristle damping over normal force, s/rad or s/m")
    sigma_2 = PerElement(0.01, ge=0, doc="lugre: viscous coefficient over normal force, s/rad or s/m")
    gamma = PerElement(1.0, gt=0, doc="dahl: exponent")
    diameter = PerElement(None, "m", gt=0, doc="diameter of a pin; a slide has none")
    dead_zone = PerElement(0.0, ge=0, doc="velocity, rad/s or m/s, up to which the joint counts as at rest")
    gain = PerElement(
        0.0, ge=0, doc="rate of the observed bristle over the error, where an error is wired, 1/s"
    )
    load_time = Param(0.01, "s", gt=0, doc="time constant of the lag on the normal force")
    initial_load = PerElement(0.0, "N", ge=0, doc="normal force at the start")
    z = State(width=ANY, doc="deflection of the bristle, observed")
    load = State("initial_load", width=ANY, doc="normal force after the lag")

    def unit_laws(self) -> Iterable[str]:
        per_normal_force = ("sigma_0*velocity*s = 1", "sigma_1*velocity = 1", "sigma_2*velocity = 1")
        speeds = ("stribeck = velocity", "dead_zone = velocity", "error = velocity*s")
        return ("effort = feedforward", "friction = effort", *speeds, *per_normal_force)

    def check(self) -> Iterable[Problem]:
        static, kinetic = ((v if isinstance(v, tuple) else (v,)) for v in (self.mu_s, self.mu_k))
        for k in range(max(len(static), len(kinetic))):
            above, below = static[k % len(static)], kinetic[k % len(kinetic)]
            if self.model != "dahl" and below > above:
                mistake = f"found mu_k {below:g} above mu_s {above:g}: friction grows with speed"
                yield Problem(mistake, ".mu_k", "swap them if that is not meant", severity="warning")
                return

    def instance_functions(self) -> dict[str, Equation]:
        der, effort, friction = LAWS[self.model]
        return {**self.functions, "der": der, "out_effort": effort, "out_friction": friction}

    def crossing_forwards(velocity, dead_zone):
        return velocity - dead_zone

    def crossing_backwards(velocity, dead_zone):
        return velocity + dead_zone
