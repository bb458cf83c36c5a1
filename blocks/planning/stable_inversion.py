"""Stable inversion of an overhead crane: where its carriage must go, so that the load follows a trajectory."""

from __future__ import annotations

import math
from collections.abc import Iterable

from ..block import Block
from ..block_states import State
from ..errors import Problem
from ..params import Choice, Param
from ..ports import TRAJECTORY, In, Out


def cable(sines, rates, length):
    """g of eq. 6 (the load beside the carriage), its Jacobian (row by row), and gamma of eq. 7."""
    sx, cx, sy, cy = sines
    wx, wy = rates
    at = (length * sx * cy, length * sy)
    J = (length * cx * cy, -length * sx * sy, 0.0, length * cy)
    gamma_x = -length * (sx * cy * (wx * wx + wy * wy) + 2.0 * cx * sy * wx * wy)
    return at, J, (gamma_x, -length * sy * wy * wy)


def sines_of(theta):
    return math.sin(theta[0]), math.cos(theta[0]), math.sin(theta[1]), math.cos(theta[1])


def sway_accelerations(sines, theta_rate, target, length, mass, damping, beta, gravity):
    """Second rates of the sway: the internal dynamics of eq. 12, driven by the acceleration of the output."""
    sx, cx, sy, cy = sines
    wx, wy = theta_rate
    _, J, gamma = cable(sines, theta_rate, length)
    # M_AU = m J, so that M_UU - beta M_AU^T J = m (h^2 [cy^2, 1] - beta J^T J)
    h_2 = length * length
    a = mass * (h_2 * cy * cy - beta * J[0] * J[0])
    b = -mass * beta * J[0] * J[1]
    d = mass * (h_2 - beta * (J[1] * J[1] + J[3] * J[3]))
    # F_U - C_U - M_AU^T (output's acceleration - beta gamma)
    ax, ay = target[0][2] - beta * gamma[0], target[1][2] - beta * gamma[1]
    weight, spin = mass * gravity * length, mass * h_2 * sy * cy
    right_x = -weight * sx * cy + 2.0 * spin * wx * wy - damping * wx - mass * J[0] * ax
    right_y = -weight * cx * sy - spin * wx * wx - damping * wy - mass * (J[1] * ax + J[3] * ay)
    below = a * d - b * b
    return (d * right_x - b * right_y) / below, (a * right_y - b * right_x) / below


def load_motion(sines, rates, accelerations, length):
    """The load beside the carriage, its rate and its acceleration."""
    at, J, gamma = cable(sines, rates, length)
    (wx, wy), (ax, ay) = rates, accelerations
    return at, (J[0] * wx + J[1] * wy, J[3] * wy), (J[0] * ax + J[1] * ay + gamma[0], J[3] * ay + gamma[1])


def carriage_motion(target, beside, share):
    """Eq. 13: the carriage's values, rates and accelerations with which a point of the cable is on the target.

    The point hangs at `share` of the length. As printed, the rate (second line) takes the unstarred sway; all three
    lines take that of the internal dynamics.
    """
    at, rate, acceleration = beside
    x, y = target
    return (
        (x[0] - share * at[0], x[1] - share * rate[0], x[2] - share * acceleration[0]),
        (y[0] - share * at[1], y[1] - share * rate[1], y[2] - share * acceleration[1]),
    )


class StableInversion(Block):
    """A plan for the carriage of an overhead crane, with which the load on its cable follows a target.

    With the load at (x, y, z) from the carriage, theta_X = atan2(x, -z) and theta_Y = asin(y / h). The sway comes from
    internal dynamics in which not the load but the point at beta h of the cable is on the target. About rest they are
    (1 - beta) m h^2 s^2 + c s + m g h = 0, which is stable for beta < 1 and c > 0. Forces of the drives come from the
    carriage's own equations. (Stable inversion of a 4-DOF overhead crane by output redefinition, eq. 1 to 14.)
    """

    family = "planning"
    target = In(2, "m", kind=TRAJECTORY, doc="where the load is to be: x and y")
    command = Out(2, "m", kind=TRAJECTORY, doc="where the carriage must be: x and y")
    effort = Out(2, "N", doc="forces of the drives on the carriage, for feed-forward")
    sway = Out(2, "rad", kind=TRAJECTORY, doc="theta_X and theta_Y that are to be expected")
    length = Param(1.0, "m", gt=0, doc="h: from the carriage to the load's centre of mass")
    mass = Param(1.0, "kg", gt=0, doc="m: of the load")
    damping = Param(1e-3, "N*m*s/rad", doc="c: viscous damping of each sway angle; greater than 0")
    beta = Param(0.9999, doc="where the redefined output hangs, as a share of the length; less than 1")
    carriage_mass = Param(
        (0.0, 0.0), "kg", shape=(2,), ge=0, doc="M_X, M_Y: what moves along x, and along y, without the load"
    )
    carriage_damping = Param(
        (0.0, 0.0), "N*s/m", shape=(2,), ge=0, doc="c_X, c_Y: viscous friction of the carriage"
    )
    gravity = Param(9.81, "m/s^2", gt=0, doc="acceleration of free fall")
    on_target = Choice(
        "load",
        ["load", "redefined"],
        doc="what the command puts on the target: the load, or the point at beta h",
    )
    theta = State(0.0, width=2, unit="rad", doc="theta_X and theta_Y")
    theta_rate = State(0.0, width=2, unit="rad/s", doc="their rates")
    derived_names = ("share",)

    def check(self) -> Iterable[Problem]:
        if self.beta >= 1.0:
            why = "at 1 the load itself is the output: at rest the cable cannot move it, and its equations are singular"
            if self.beta > 1.0:
                why = "above 1 the internal dynamics is an inverted pendulum, and grows without bound"
            yield Problem(
                f"found {self.beta:g}, expected less than 1: {why}", ".beta", "0.9999 is close enough"
            )
        elif self.beta <= 0.0:
            why = "at 0 the carriage itself is on the target, and nothing is planned"
            yield Problem(f"found {self.beta:g}, expected more than 0: {why}", ".beta", "0.9999 is usual")
        if self.damping <= 0.0:
            why = (
                "without damping errors of the internal dynamics never decay, with negative damping they grow"
            )
            fix = "measure how the load's swing decays"
            yield Problem(f"found {self.damping:g}, expected more than 0: {why}", ".damping", fix)

    def derived(self) -> dict[str, tuple[float, ...]]:
        return {"share": (1.0 if self.on_target == "load" else self.beta,)}

    def der(target, theta, theta_rate, length, mass, damping, beta, gravity):
        return theta_rate, sway_accelerations(
            sines_of(theta), theta_rate, target, length, mass, damping, beta, gravity
        )

    def out(
        target,
        theta,
        theta_rate,
        length,
        mass,
        damping,
        beta,
        gravity,
        share,
        carriage_mass,
        carriage_damping,
    ):
        sines = sines_of(theta)
        acceleration = sway_accelerations(sines, theta_rate, target, length, mass, damping, beta, gravity)
        beside = load_motion(sines, theta_rate, acceleration, length)
        command = carriage_motion(target, beside, share[0])
        # eq. 14: M_AA qdd_A + M_AU qdd_U + C_A, with M_AU = m J and C_A = m gamma + [c_X, c_Y] qd_A
        x, y = command
        effort = (
            carriage_mass[0] * x[2] + mass * (x[2] + beside[2][0]) + carriage_damping[0] * x[1],
            carriage_mass[1] * y[2] + mass * (y[2] + beside[2][1]) + carriage_damping[1] * y[1],
        )
        sway = (theta[0], theta_rate[0], acceleration[0]), (theta[1], theta_rate[1], acceleration[1])
        return command, effort, sway
