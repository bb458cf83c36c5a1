"""Drive trains: motor, gear with its rotor, brake. Torques and speeds are signals; the effort goes to a joint.

What they share with the blocks that have shafts (`rotation.py`) stands in their bases.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from .block import Block, Equation, State
from .errors import Problem
from .params import Choice, Param
from .ports import In, Out, Port
from .signal_params import Rows
from .splines import fit, piecewise
from .tables import order_problem


def current_rate(x, voltage, speed, resistance, inductance, constant):
    return (voltage - resistance * x - constant * speed) / inductance


def torque_of_current(x, constant):
    return constant * x


def the_state(x):
    return x


def torque_rate(x, command, speed, lag, knots, coefficients):
    """Towards the share of what the curve allows at this speed; the curve is held beyond its ends."""
    at = min(max(abs(speed), knots[0]), knots[len(knots) - 1])
    most, _, _ = piecewise(knots, coefficients, 1, 0, at, at)
    return (min(max(command, -1.0), 1.0) * most - x) / lag


class MotorBlock(Block, abstract=True):
    """What motors share, whatever their torque acts on."""

    family = "drives"
    model = Choice("dc", ["dc", "curve"], doc="a DC motor at a voltage, or a command between -1 and 1")
    resistance = Param(1.0, gt=0, doc="dc: R [ohm]")
    inductance = Param(0.01, gt=0, doc="dc: L [H]; steps well below L / R are needed")
    constant = Param(0.1, "N*m", gt=0, doc="dc: k, torque per ampere, which is also volts per rad/s")
    curve = Rows(doc="curve: rows [speed, greatest torque], the same both ways, held beyond its ends")
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
        yield from order_problem([row[0] for row in self.curve], ".curve")

    def derived(self) -> dict[str, tuple[float, ...]]:
        rows = self.curve if self.model == "curve" else ((0.0, 0.0), (1.0, 0.0))
        knots = tuple(float(row[0]) for row in rows)
        return {"knots": knots, "coefficients": fit(knots, [row[1:] for row in rows], "linear")}


class Motor(MotorBlock):
    """A motor: L di/dt = V - R i - k w with the torque k i; or, with a curve, T dM/dt = command M_max(|w|) - M."""

    speed = In(unit="rad/s", doc="speed of the rotor")
    torque = Out(unit="N*m", doc="torque on the rotor")
    current = Out(doc="dc: current [A]")

    def instance_functions(self) -> dict[str, Equation]:
        if self.model == "dc":
            return {"der": current_rate, "out_torque": torque_of_current, "out_current": the_state}
        return {"der": torque_rate, "out_torque": the_state}


def beyond_play(twist, backlash):
    """How far the teeth are beyond the play; negative within it."""
    return abs(twist) - 0.5 * backlash


def tooth_torque(twist, rate, stiffness, damping, backlash):
    """Torque on the joint's side of the teeth: spring and damper outside of the backlash, and never against it."""
    beyond = beyond_play(twist, backlash)
    if beyond <= 0.0:
        return 0.0
    side = 1.0 if twist > 0.0 else -1.0
    torque = stiffness * beyond + damping * rate * side
    # only teeth with play can part
    return side * (max(torque, 0.0) if backlash > 0.0 else torque)


class Torsion(Block, abstract=True):
    """What twists: a spring and a damper outside of a play."""

    family = "drives"
    stiffness = Param(1e5, "N*m/rad", gt=0, doc="k, torque over the twist, on the driven side")
    damping = Param(100.0, "N*m*s/rad", ge=0, doc="of the twist")
    backlash = Param(0.0, "rad", ge=0, doc="play of the driven side while the other stands")
    twist = State(0.0, unit="rad")

    def crossing_teeth(twist, backlash):
        return beyond_play(twist, backlash)

    def out_twist_angle(twist):
        return twist


def loss_factor(load, speed, fade, losses):
    """By which the driving side feels more, or less, than its share of the torque behind the teeth."""
    # power flows to the driven side where the load is against the speed
    way = math.tanh(speed / fade) * (1.0 if load > 0.0 else -1.0)
    return 0.5 * (losses[0] + losses[1]) + 0.5 * (losses[0] - losses[1]) * way


class Geared(Torsion, abstract=True):
    """Teeth with a ratio and a loss each way."""

    ratio = Param(
        100.0, doc="N: turns of the driving side for one of the driven; negative turns the other way"
    )
    efficiency = Param(1.0, gt=0, le=1, doc="share of the power that arrives on the driven side")
    back_efficiency = Param(
        None, ge=0, le=1, doc="when the driven side drives; 2 - 1 / efficiency if not given"
    )
    fade = Param(
        1.0, "rad/s", gt=0, doc="speed of the driving side over which the two efficiencies fade over"
    )
    derived_names = ("losses",)

    def check(self) -> Iterable[Problem]:
        if self.ratio == 0.0:
            yield Problem("found a ratio of 0, expected another number", ".ratio")

    def derived(self) -> dict[str, tuple[float, ...]]:
        """Factors on the driving side's share of the torque: driving, and driven."""
        back = self.back_efficiency
        if back is None:
            back = max(2.0 - 1.0 / self.efficiency, 0.0)
        return {"losses": (1.0 / self.efficiency, float(back))}


class Gear(Geared):
    """A rotor behind a gear: I dw/dt = T - M loss / N - d w, twist' = w / N - velocity, M = k twist, on the joint.

    N is the ratio, M the torque on the joint. `loss` is 1 / efficiency where the rotor drives the joint, and the
    efficiency backwards where the joint drives the rotor, faded over by the speed. In the backlash there is no torque.
    A stiff gear reflects I N^2 to the joint.
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

    def der(twist, w, torque, velocity, ratio, inertia, stiffness, damping, backlash, bearing, fade, losses):
        rate = w / ratio - velocity
        load = tooth_torque(twist, rate, stiffness, damping, backlash) / ratio
        return rate, (torque - load * loss_factor(load, w, fade, losses) - bearing * w) / inertia

    def out_effort(twist, w, velocity, ratio, stiffness, damping, backlash):
        return tooth_torque(twist, w / ratio - velocity, stiffness, damping, backlash)

    def out_speed(w):
        return w


def bristle_rate(z, velocity, torque, sticking, stribeck, stiffness):
    """Of LuGre's bristles: they bend with the motion until they carry what the brake can."""
    most = torque * (1.0 + (sticking - 1.0) * math.exp(-((velocity / stribeck) ** 2)))
    return velocity - stiffness * abs(velocity) * z / most


def gripped_rate(z, velocity, closed, torque, sticking, stribeck, stiffness):
    """The same where faces touch; opened below 1 % they part, and the bristles straighten within some 10 ms."""
    grip = min(max(100.0 * closed, 0.0), 1.0)
    return grip * bristle_rate(z, velocity, torque, sticking, stribeck, stiffness) - (1.0 - grip) * 100.0 * z


def bristle_torque(z, velocity, closed, torque, sticking, stribeck, stiffness, damping):
    """Along with the motion, where it is closed that far."""
    rate = bristle_rate(z, velocity, torque, sticking, stribeck, stiffness)
    return min(max(closed, 0.0), 1.0) * (stiffness * z + damping * rate)


class Bristles(Block, abstract=True):
    """What brakes and clutches share: faces that stick, and slip at a torque."""

    family = "drives"
    torque = Param(100.0, "N*m", gt=0, doc="that it carries, closed, while it slips")
    sticking = Param(1.0, ge=1, doc="times that torque, from rest")
    stribeck = Param(0.1, "rad/s", gt=0, doc="speed over which it falls to the torque of slipping")
    stiffness = Param(1e5, "N*m/rad", gt=0, doc="k, closed, before it slips")
    damping = Param(0.0, "N*m*s/rad", ge=0, doc="c, closed, before it slips")
    closed = In(default=1.0, doc="1 closed, 0 open; between them, that share of the torque")
    z = State(0.0, unit="rad", doc="deflection of the bristles")
    example = {"stiffness": 10.0}


class Brake(Bristles):
    """A brake that sticks: z' = v - k |v| z / M(v), effort = -closed (k z + c z'), at most M = torque (LuGre).

    Open, its bristles straighten, so that it closes on a shaft at rest without moving it.
    """

    velocity = In(unit="rad/s", doc="of the shaft that it holds")
    effort = Out(unit="N*m", doc="torque on the shaft")

    def der(z, velocity, closed, torque, sticking, stribeck, stiffness):
        return gripped_rate(z, velocity, closed, torque, sticking, stribeck, stiffness)

    def out(z, velocity, closed, torque, sticking, stribeck, stiffness, damping):
        return -bristle_torque(z, velocity, closed, torque, sticking, stribeck, stiffness, damping)
