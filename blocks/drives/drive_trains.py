"""Drive trains: motor, gear with its rotor, brake. Torques and speeds are signals; the effort goes to a joint.

What they share with the blocks that have shafts (`shaft_line.py`) stands in their bases.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from ..block import Block, Equation
from ..block_states import State
from ..errors import Problem
from ..mechanics.bristle_friction import stick_force, stick_rate
from ..params import Choice, Param
from ..ports import In, Out, Port
from ..signal_params import Rows
from ..signals.piecewise_polynomials import evaluate_piecewise, fit_spline
from ..signals.table_data import knot_order_problem


def current_rate(x, voltage, speed, resistance, inductance, constant):
    return (voltage - resistance * x - constant * speed) / inductance


def torque_of_current(x, constant):
    return constant * x


def the_state(x):
    return x


def torque_rate(x, command, speed, lag, knots, coefficients):
    """Rate of a motor's torque towards the commanded share of its curve at this speed; the curve is constant beyond
    its ends."""
    at = min(max(abs(speed), knots[0]), knots[len(knots) - 1])
    most, _, _ = evaluate_piecewise(knots, coefficients, 1, 0, at, at)
    return (min(max(command, -1.0), 1.0) * most - x) / lag


class MotorBlock(Block, abstract=True):
    """Base of motors: electrical side and torque law, whatever the torque acts on."""

    family = "drives"
    model = Choice("dc", ["dc", "curve"], doc="a DC motor at a voltage, or a command between -1 and 1")
    resistance = Param(1.0, gt=0, doc="dc: R [ohm]")
    inductance = Param(0.01, gt=0, doc="dc: L [H]; steps well below L / R are needed")
    constant = Param(0.1, "N*m", gt=0, doc="dc: k, torque per ampere, which is also volts per rad/s")
    curve = Rows(
        "speed",
        "torque",
        doc="curve: rows [speed, greatest torque], the same in both directions, constant beyond its ends",
    )
    lag = Param(0.01, "s", gt=0, doc="curve: time constant T of the torque")
    voltage = In(default=0.0, doc="dc: voltage [V]")
    command = In(default=0.0, doc="curve: share of the greatest torque")
    x = State(0.0, doc="current, or torque")
    derived_names = ("knots", "coefficients")

    def ports(self) -> dict[str, Port]:
        known = super().ports()
        for name in ("command",) if self.model == "dc" else ("voltage", "current"):
            del known[name]
        return known

    def check(self) -> Iterable[Problem]:
        if self.model == "dc":
            return
        if not self.curve or len(self.curve) < 2 or any(len(row) != 2 for row in self.curve):
            fix = "for example curve: [[0, 20 N*m], [150 rad/s, 20 N*m], [300 rad/s, 0 N*m]]"
            yield Problem("found no curve, expected two rows [speed, torque] or more", ".curve", fix)
            return
        yield from knot_order_problem([row[0] for row in self.curve], ".curve")

    def derived(self) -> dict[str, tuple[float, ...]]:
        rows = self.curve if self.model == "curve" else ((0.0, 0.0), (1.0, 0.0))
        knots = tuple(float(row[0]) for row in rows)
        return {"knots": knots, "coefficients": fit_spline(knots, [row[1:] for row in rows], "linear")}


class Motor(MotorBlock):
    """A motor: L di/dt = V - R i - k w with the torque k i; or, with a curve, T dM/dt = command M_max(|w|) - M."""

    speed = In(unit="rad/s", doc="speed of the rotor")
    torque = Out(unit="N*m", doc="torque on the rotor")
    current = Out(doc="dc: current [A]")

    def instance_functions(self) -> dict[str, Equation]:
        if self.model == "dc":
            return {"der": current_rate, "out_torque": torque_of_current, "out_current": the_state}
        return {"der": torque_rate, "out_torque": the_state}


def backlash_penetration(twist, backlash):
    """Twist beyond the play, |twist| - backlash / 2 [rad]; negative within the play."""
    return abs(twist) - 0.5 * backlash


def tooth_torque(twist, rate, stiffness, damping, backlash):
    """Torque on the joint's side of the teeth: spring and damper outside of the backlash, and never against it."""
    beyond = backlash_penetration(twist, backlash)
    if beyond <= 0.0:
        return 0.0
    side = 1.0 if twist > 0.0 else -1.0
    torque = stiffness * beyond + damping * rate * side
    # only teeth with play can part
    return side * (max(torque, 0.0) if backlash > 0.0 else torque)


class Torsion(Block, abstract=True):
    """Base of torsional elements: a spring and a damper outside of a play."""

    family = "drives"
    stiffness = Param(1e5, "N*m/rad", gt=0, doc="k, torque over the twist, on the driven side")
    damping = Param(100.0, "N*m*s/rad", ge=0, doc="of the twist")
    backlash = Param(0.0, "rad", ge=0, doc="play of the driven side while the other stands")
    twist = State(0.0, unit="rad")

    def crossing_teeth(twist, backlash):
        return backlash_penetration(twist, backlash)

    def out_twist_angle(twist):
        return twist


def tooth_friction(load, losses):
    """The most that rubbing teeth take on the driving side, against its motion forwards and backwards."""
    driving, driven = abs(load) * (losses[0] - 1.0), abs(load) * (1.0 - losses[1])
    # power flows to the driven side where the load is against the motion
    return (driving, driven) if load > 0.0 else (driven, driving)


def tooth_friction_torque(z, speed, load, ratio, stiffness, damping, losses):
    """Torque of the friction between the teeth against the driving side: it sticks, as stiff as the teeth are there."""
    ahead, back = tooth_friction(load, losses)
    squared = ratio * ratio
    return stick_force(z, speed, stiffness / squared, damping / squared, ahead, back)


def rubbed_rate(z, speed, load, ratio, stiffness, losses):
    ahead, back = tooth_friction(load, losses)
    return stick_rate(z, speed, stiffness / (ratio * ratio), ahead, back)


LOCKED = -0.1  # efficiency backwards of a gear that locks, at most: it holds a tenth more than its load


class Geared(Torsion, abstract=True):
    """Teeth with a ratio and a loss each way.

    The loss is friction of the teeth, in proportion to what they carry: it sticks at rest, and slides beyond. A gear
    whose efficiency backwards is 0 or less locks: no load on the driven side turns it.
    """

    usual = ("ratio", "efficiency")
    rare = ("back_efficiency",)
    ratio = Param(
        100.0, doc="N: turns of the driving side for one of the driven; negative turns the other way"
    )
    efficiency = Param(1.0, gt=0, le=1, doc="share of the power that arrives on the driven side")
    back_efficiency = Param(
        None, ge=0, le=1, doc="when the driven side drives, 0 locks; 2 - 1 / efficiency if not given"
    )
    z = State(0.0, unit="rad", doc="deflection of the teeth's friction, on the driving side")
    derived_names = ("losses",)

    def check(self) -> Iterable[Problem]:
        if self.ratio == 0.0:
            yield Problem("found a ratio of 0, expected another number", ".ratio")

    def derived(self) -> dict[str, tuple[float, ...]]:
        """Factors on the driving side's share of the torque: driving, and driven."""
        back = 2.0 - 1.0 / self.efficiency if self.back_efficiency is None else float(self.back_efficiency)
        return {"losses": (1.0 / self.efficiency, back if back > 0.0 else min(back, LOCKED))}


class Gear(Geared):
    """A rotor behind a gear: I dw/dt = T - M / N - R - d w, twist' = w / N - velocity, M = k twist, on the joint.

    N is the ratio, M the torque on the joint, R the friction of the teeth: while it slides, M / N + R is M / N over the
    efficiency where the rotor drives the joint, and M / N times the efficiency backwards where the joint drives the
    rotor; at rest it sticks. In the backlash there is no torque. A stiff gear reflects I N^2 to the joint.
    """

    inertia = Param(1e-3, "kg*m^2", gt=0, doc="I of rotor, brake disc and fast gears")
    bearing = Param(0.0, "N*m*s/rad", ge=0, doc="d, viscous friction of the rotor")
    initial_speed = Param(0.0, "rad/s", doc="of the rotor, at the start")
    torque = In(unit="N*m", default=0.0, doc="of the motor and the brake, on the rotor")
    velocity = In(unit="rad/s", doc="of the joint")
    effort = Out(unit="N*m", doc="M, torque on the joint")
    speed = Out(unit="rad/s", doc="of the rotor")
    twist_angle = Out(unit="rad", doc="by which the rotor is ahead of the joint, on its side")
    w = State("initial_speed", unit="rad/s")
    example = {"stiffness": 2.0, "damping": 0.1, "inertia": 1.0, "ratio": 3.0}

    def der(twist, z, w, torque, velocity, ratio, inertia, stiffness, damping, backlash, bearing, losses):
        rate = w / ratio - velocity
        load = tooth_torque(twist, rate, stiffness, damping, backlash) / ratio
        friction = tooth_friction_torque(z, w, load, ratio, stiffness, damping, losses)
        slip = rubbed_rate(z, w, load, ratio, stiffness, losses)
        return rate, slip, (torque - load - friction - bearing * w) / inertia

    def out_effort(twist, w, velocity, ratio, stiffness, damping, backlash):
        return tooth_torque(twist, w / ratio - velocity, stiffness, damping, backlash)

    def out_speed(w):
        return w


def face_capacity(velocity, closed, torque, sticking, stribeck):
    """The most that faces carry at this speed, closed so far."""
    grown = 1.0 + (sticking - 1.0) * math.exp(-((velocity / stribeck) ** 2))
    return min(max(closed, 0.0), 1.0) * torque * grown


def bristle_rate(z, velocity, closed, torque, sticking, stribeck, stiffness, creeps):
    """Rate of the bristle deflection z between two faces; it decays within some 10 ms when they part."""
    most = face_capacity(velocity, closed, torque, sticking, stribeck)
    if creeps[0] > 0.0 and most > 0.0:
        return velocity - stiffness * abs(velocity) * z / most
    return stick_rate(z, velocity, stiffness, most, most)


def bristle_torque(z, velocity, closed, torque, sticking, stribeck, stiffness, damping, creeps):
    """Torque of the bristles, damping included, along the motion; at most what the faces carry (LuGre: from rest)."""
    most = face_capacity(velocity, closed, torque, sticking, stribeck)
    if creeps[0] > 0.0:
        rate = bristle_rate(z, velocity, closed, torque, sticking, stribeck, stiffness, creeps)
        most = face_capacity(0.0, closed, torque, sticking, stribeck)
        return min(max(stiffness * z + damping * rate, -most), most)
    return stick_force(z, velocity, stiffness, damping, most, most)


class Bristles(Block, abstract=True):
    """Base of brakes and clutches: faces that stick, and slip at a torque."""

    family = "drives"
    model = Choice(
        "elastoplastic", ["elastoplastic", "lugre"], doc="what is held stays, or slips at every load (LuGre)"
    )
    torque = Param(100.0, "N*m", gt=0, doc="that it carries, closed, while it slips")
    sticking = Param(1.0, ge=1, doc="times that torque, from rest")
    stribeck = Param(
        0.1, "rad/s", gt=0, doc="for sticking above 1: speed over which it falls to the torque of slipping"
    )
    stiffness = Param(1e5, "N*m/rad", gt=0, doc="k, before it slips")
    damping = Param(0.0, "N*m*s/rad", ge=0, doc="c, before it slips")
    closed = In(default=1.0, doc="1 closed, 0 open; between them, that share of the torque")
    z = State(0.0, unit="rad", doc="deflection of the bristles")
    derived_names = ("creeps",)
    example = {"stiffness": 10.0}

    def derived(self) -> dict[str, tuple[float, ...]]:
        return {"creeps": (float(self.model == "lugre"),)}


class Brake(Bristles):
    """A brake that sticks: effort = -(k z + c v), and never more than M = closed torque; z' = v until it slips.

    What it holds with less than 95 % of M does not move on, however the load swings (elasto-plastic bristle). Open, its
    bristles straighten, so that it closes on a shaft at rest without moving it. `sticking` raises M near rest.
    """

    velocity = In(unit="rad/s", doc="of the shaft that it holds")
    effort = Out(unit="N*m", doc="torque on the shaft")

    def der(z, velocity, closed, torque, sticking, stribeck, stiffness, creeps):
        return bristle_rate(z, velocity, closed, torque, sticking, stribeck, stiffness, creeps)

    def out(z, velocity, closed, torque, sticking, stribeck, stiffness, damping, creeps):
        return -bristle_torque(z, velocity, closed, torque, sticking, stribeck, stiffness, damping, creeps)
