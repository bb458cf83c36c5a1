"""Drive trains by their shafts: inertias, what twists between them, what drives and holds them.

At its ports of the kind shaft a block either gives the speed (`across_ports`) and receives the sum of the torques on
the port, or receives the speed and gives the torque that it exerts. Functions name a port for what they receive, and
`out_<port>` returns what they give. A revolute joint gives the speed of its port `shaft`. A housing that is not wired
stands still.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..block import Block, Equation
from ..block_states import State
from ..errors import Problem
from ..params import Flag, Param
from ..ports import In, Out, Port, Shaft
from .drive_trains import (
    Bristles,
    Geared,
    MotorBlock,
    Torsion,
    backlash_penetration,
    bristle_rate,
    bristle_torque,
    current_rate,
    rubbed_rate,
    the_state,
    tooth_friction_torque,
    tooth_torque,
    torque_of_current,
    torque_rate,
)


class ShaftBlock(Block, abstract=True):
    """Base of the blocks of a shaft line."""

    family = "drives"


def turning_rate(shaft, w, inertia, bearing):
    """dw/dt of a rotor [rad/s^2]."""
    return (shaft - bearing * w) / inertia


class ShaftInertia(ShaftBlock):
    """A rotor or flywheel: I dw/dt = torques - d w; all that is wired to its shaft turns at its speed.

    With `with_angle` it has the output `angle`, whose rate is w: one more state, so that the shaft is in
    equilibrium only where it stands still. Without it a shaft that turns steadily is in equilibrium.
    """

    across_ports = ("shaft",)
    shaft = Shaft("turns with it")
    speed = Out(unit="rad/s", doc="w")
    energy = Out(unit="J", doc="of its motion")
    loss = Out(unit="W", doc="in its bearing")
    angle = Out(unit="rad", doc="turned since the start, from initial_angle on; with_angle alone gives it")
    inertia = Param(1.0, "kg*m^2", gt=0, doc="I about the axis")
    bearing = Param(0.0, "N*m*s/rad", ge=0, doc="d, viscous friction")
    initial_speed = Param(0.0, "rad/s", doc="at the start")
    with_angle = Flag(doc="count the angle")
    initial_angle = Param(0.0, "rad", doc="at the start, with_angle")
    w = State("initial_speed", unit="rad/s")
    turned = State("initial_angle", unit="rad", doc="angle")

    def __init__(self, name: str, values: dict[str, object], given: frozenset[str] = frozenset()):
        super().__init__(name, values, given)
        if not self.with_angle:
            self.__dict__["states"] = {"w": ShaftInertia.states["w"]}

    def ports(self) -> dict[str, Port]:
        ports = super().ports()
        return ports if self.with_angle else {name: port for name, port in ports.items() if name != "angle"}

    def instance_functions(self) -> dict[str, Equation]:
        if self.with_angle:
            return self.functions
        return {name: work for name, work in self.functions.items() if name != "out_angle"} | {
            "der": turning_rate
        }

    def der(shaft, w, inertia, bearing):
        return (shaft - bearing * w) / inertia, w

    def out_shaft(w):
        return w

    def out_angle(turned):
        return turned

    def out_speed(w):
        return w

    def out_energy(w, inertia):
        return 0.5 * inertia * w * w

    def out_loss(w, bearing):
        return bearing * w * w


def spring_torque(twist, stiffness, backlash):
    """Torque of the spring alone, of teeth or of a shaft [N m]; its energy is half of it times the twist beyond the
    play."""
    beyond = max(backlash_penetration(twist, backlash), 0.0)
    return stiffness * beyond if twist > 0.0 else -stiffness * beyond


def spring_energy(twist, stiffness, backlash):
    torque = spring_torque(twist, stiffness, backlash)
    return 0.5 * torque * torque / stiffness


class ShaftSpring(Torsion):
    """A shaft that twists: twist' = a - b, torque = k twist + c twist' from a to b, outside of its backlash."""

    repeats = {"b": "torque", "a": "-torque"}
    a = Shaft("one end")
    b = Shaft("other end")
    torque = Out(unit="N*m", doc="from a to b")
    twist_angle = Out(unit="rad", doc="by which a is ahead of b")
    energy = Out(unit="J", doc="elastic energy")
    loss = Out(unit="W", doc="in its damping")
    initial_twist = Param(0.0, "rad", doc="at the start")
    twist = State("initial_twist", unit="rad")
    example = {"stiffness": 2.0, "damping": 0.1}

    def der(a, b):
        return a - b

    def out_torque(a, b, twist, stiffness, damping, backlash):
        return tooth_torque(twist, a - b, stiffness, damping, backlash)

    def out_energy(twist, stiffness, backlash):
        return spring_energy(twist, stiffness, backlash)

    def out_loss(a, b, twist, stiffness, damping, backlash):
        torque = tooth_torque(twist, a - b, stiffness, damping, backlash)
        return (torque - spring_torque(twist, stiffness, backlash)) * (a - b)


def tooth_spring_torque(z, ratio, stiffness):
    """Torque of the spring alone in the friction of the teeth, on their driving side."""
    return stiffness / (ratio * ratio) * z


class Gearbox(Geared):
    """Gears between a and b: twist' = a / N - b, torque M = k twist + c twist' on b, -M / N - R on a.

    N is the ratio: a turns N times for one turn of b. R is the friction of the teeth: while it slides, M / N + R is
    M / N over the efficiency where a drives b, and M / N times the efficiency backwards where b drives a; at rest it
    sticks. In the backlash there is no torque. It has no inertia: wire a shaft_inertia to its fast side. Its housing is
    the ground.
    """

    repeats = {"b": "torque"}
    a = Shaft("fast side, of a motor")
    b = Shaft("slow side, of a load")
    torque = Out(unit="N*m", doc="M, on b")
    twist_angle = Out(unit="rad", doc="by which a is ahead of b, on b's side")
    energy = Out(unit="J", doc="elastic energy, of the friction that sticks too")
    loss = Out(unit="W", doc="in the teeth and their damping")
    example = {"stiffness": 2.0, "damping": 0.1, "ratio": 3.0}

    def der(a, b, twist, z, ratio, stiffness, damping, backlash, losses):
        rate = a / ratio - b
        load = tooth_torque(twist, rate, stiffness, damping, backlash) / ratio
        return rate, rubbed_rate(z, a, load, ratio, stiffness, losses)

    def out_torque(a, b, twist, ratio, stiffness, damping, backlash):
        return tooth_torque(twist, a / ratio - b, stiffness, damping, backlash)

    def out_a(a, b, twist, z, ratio, stiffness, damping, backlash, losses):
        load = tooth_torque(twist, a / ratio - b, stiffness, damping, backlash) / ratio
        return -load - tooth_friction_torque(z, a, load, ratio, stiffness, damping, losses)

    def out_energy(twist, z, ratio, stiffness, backlash):
        return spring_energy(twist, stiffness, backlash) + 0.5 * tooth_spring_torque(z, ratio, stiffness) * z

    def out_loss(a, b, twist, z, ratio, stiffness, damping, backlash, losses):
        rate = a / ratio - b
        torque = tooth_torque(twist, rate, stiffness, damping, backlash)
        load = torque / ratio
        friction = tooth_friction_torque(z, a, load, ratio, stiffness, damping, losses) * a
        stored = tooth_spring_torque(z, ratio, stiffness) * rubbed_rate(z, a, load, ratio, stiffness, losses)
        return friction - stored + (torque - spring_torque(twist, stiffness, backlash)) * rate


def relative_current_rate(x, voltage, shaft, housing, resistance, inductance, constant):
    return current_rate(x, voltage, shaft - housing, resistance, inductance, constant)


def relative_torque_rate(x, command, shaft, housing, lag, knots, coefficients):
    return torque_rate(x, command, shaft - housing, lag, knots, coefficients)


def power_of_torque(x, shaft, housing):
    return x * (shaft - housing)


def power_of_current(x, shaft, housing, constant):
    return torque_of_current(x, constant) * (shaft - housing)


class ShaftMotor(MotorBlock):
    """A motor between a shaft and its housing: L di/dt = V - R i - k w with the torque k i; or a curve, as `motor`."""

    repeats = {"shaft": "torque", "housing": "-torque"}
    shaft = Shaft("that it turns; it has no inertia of its own")
    housing = Shaft("that bears its torque; stands still when open", default=0.0)
    torque = Out(unit="N*m", doc="torque on the shaft")
    current = Out(doc="dc: current [A]")
    power = Out(unit="W", doc="that the shaft gets")

    def instance_functions(self) -> dict[str, Equation]:
        if self.model == "dc":
            return {
                "der": relative_current_rate,
                "out_torque": torque_of_current,
                "out_current": the_state,
                "out_power": power_of_current,
            }
        return {
            "der": relative_torque_rate,
            "out_torque": the_state,
            "out_power": power_of_torque,
        }


class ShaftBrake(Bristles):
    """A brake between a shaft and its housing: it sticks up to its torque, by the law of `brake`."""

    repeats = {"shaft": "effort", "housing": "-effort"}
    shaft = Shaft("that it holds")
    housing = Shaft("that bears its torque; stands still when open", default=0.0)
    effort = Out(unit="N*m", doc="torque on the shaft")
    loss = Out(unit="W", doc="power that it takes; negative while its bristles spring back")

    def der(shaft, housing, z, closed, torque, sticking, stribeck, stiffness, creeps):
        return bristle_rate(z, shaft - housing, closed, torque, sticking, stribeck, stiffness, creeps)

    def out_effort(shaft, housing, z, closed, torque, sticking, stribeck, stiffness, damping, creeps):
        slip = shaft - housing
        return -bristle_torque(z, slip, closed, torque, sticking, stribeck, stiffness, damping, creeps)

    def out_loss(shaft, housing, z, closed, torque, sticking, stribeck, stiffness, damping, creeps):
        slip = shaft - housing
        return slip * bristle_torque(z, slip, closed, torque, sticking, stribeck, stiffness, damping, creeps)


class Clutch(Bristles):
    """A clutch: closed it joins two shafts, slips at its torque and sticks below it, by the law of `brake`."""

    repeats = {"b": "effort", "a": "-effort"}
    a = Shaft("one side")
    b = Shaft("other side")
    effort = Out(unit="N*m", doc="torque from a to b")
    slip = Out(unit="rad/s", doc="speed of a over that of b")
    loss = Out(unit="W", doc="power that it takes; negative while its bristles spring back")

    def der(a, b, z, closed, torque, sticking, stribeck, stiffness, creeps):
        return bristle_rate(z, a - b, closed, torque, sticking, stribeck, stiffness, creeps)

    def out_effort(a, b, z, closed, torque, sticking, stribeck, stiffness, damping, creeps):
        return bristle_torque(z, a - b, closed, torque, sticking, stribeck, stiffness, damping, creeps)

    def out_slip(a, b):
        return a - b

    def out_loss(a, b, z, closed, torque, sticking, stribeck, stiffness, damping, creeps):
        slip = a - b
        return slip * bristle_torque(z, slip, closed, torque, sticking, stribeck, stiffness, damping, creeps)


class TorqueSource(ShaftBlock):
    """A torque that a signal gives, between a shaft and its housing; it also tells the speed."""

    repeats = {"housing": "-shaft"}
    shaft = Shaft("that it turns")
    housing = Shaft("that bears its torque; stands still when open", default=0.0)
    torque = In(unit="N*m", default=0.0, doc="torque on the shaft")
    speed = Out(unit="rad/s", doc="of the shaft against the housing")
    power = Out(unit="W", doc="that the shaft gets")

    def out_shaft(torque):
        return torque

    def out_speed(shaft, housing):
        return shaft - housing

    def out_power(shaft, housing, torque):
        return torque * (shaft - housing)


class SpeedSource(ShaftBlock):
    """A speed that a signal gives, whatever torque that takes."""

    across_ports = ("shaft",)
    shaft = Shaft("turns at that speed")
    speed = In(unit="rad/s", doc="of the shaft")
    torque = Out(unit="N*m", doc="that it gives to keep the speed")
    power = Out(unit="W", doc="that the shaft gets")

    def out_shaft(speed):
        return speed

    def out_torque(t, shaft):
        return -shaft

    def out_power(t, shaft, speed):
        return -shaft * speed


class Rack(ShaftBlock):
    """A rack and its pinion: speed = velocity / r, effort = torques / r; wire both signals to a prismatic joint."""

    across_ports = ("shaft",)
    shaft = Shaft("of the pinion")
    velocity = In(unit="m/s", doc="of the slide")
    effort = Out(unit="N", doc="on the slide")
    speed = Out(unit="rad/s", doc="of the pinion")
    radius = Param(0.1, "m", doc="r of the pinion; negative where it turns the other way")

    def check(self) -> Iterable[Problem]:
        if self.radius == 0.0:
            yield Problem("found a radius of 0, expected another number", ".radius")

    def out_shaft(velocity, radius):
        return velocity / radius

    def out_speed(velocity, radius):
        return velocity / radius

    def out_effort(shaft, radius):
        return shaft / radius
