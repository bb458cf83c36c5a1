"""Ropes between frames, over sheaves, and the drums that wind them."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import ClassVar

from ..block import Block, Equation, at_time
from ..block_states import State
from ..multibody_parts import Element, Part
from ..params import Integer, Param
from ..ports import Frame, In, Out, Port, Shaft
from . import sheave_friction


def natural_length_rate(take_up, strain):
    """Rate of the natural length: what the drum takes up keeps its strain, and slack has none."""
    return -take_up / (1.0 + max(strain, 0.0))


def damped_strain(natural, stretched, rate, take_up, damping):
    """The damping fades in over a strain of 1e-4, so that a rope that becomes taut gives no jerk.

    A rope of which nothing is left has no strain: no number.
    """
    if natural <= 0.0:
        return math.nan
    strain = stretched / natural - 1.0
    if strain <= 0.0:
        return strain
    strain_rate = rate / natural - stretched * natural_length_rate(take_up, strain) / (natural * natural)
    return strain + damping * strain_rate * min(strain / 1e-4, 1.0)


def rope_tension(natural, stretched, rate, take_up, EA, damping):
    """Rope tension max(EA (e + damping de/dt), 0) [N]."""
    return max(EA * damped_strain(natural, stretched, rate, take_up, damping), 0.0)


class Rope(Block):
    """A rope without mass: T = EA (e + damping de/dt), never below zero; the strain e = stretched / natural - 1.

    It runs from frame_a over `sheave_1`, `sheave_2`, ... to frame_b, `reeving` times. A drum's surface speed `take_up`
    shortens its natural length L: dL/dt = -take_up / (1 + e), since what winds on keeps its strain. Below an
    `efficiency` of 1 the tension behind each sheave (and each end block, with several falls) is 1 / efficiency of that
    before it, where the rope runs to what is behind: faded over by the slip speed, so that at rest it is the same.
    Where the ends of a segment come nearer than s = `shortest`, hook and sheave meet (two-blocked) and push each other
    apart by k s u / (1 - u), u = 1 - distance / s; what the drum then takes up stretches the rope.
    """

    family = "forces"
    frame_a = Frame("where it begins: a drum, or an anchor")
    frame_b = Frame("where it ends")
    usual = ("length", "EA", "damping")
    rare = ("slip_speed", "shortest", "stop_stiffness", "stop_dissipation")
    through = Integer(0, ge=0, le=20, doc="number of sheaves on the way; each is a frame")
    reeving = Integer(1, ge=1, le=64, doc="number of falls: the rope goes so often from end to end")
    EA = Param(1e7, "N", gt=0, doc="stiffness: force for a strain of one")
    damping = Param(0.0, "s", ge=0, doc="time constant of the rope's damping")
    length = Param(1.0, "m", gt=0, live=False, doc="natural length at the start, of all falls together")
    efficiency = Param(1.0, gt=0, le=1, doc="share of the tension that a sheave leaves; 1 without friction")
    slip_speed = Param(0.01, "m/s", gt=0, doc="speed of the rope below which friction in sheaves fades out")
    shortest = Param(
        None,
        "m",
        ge=0,
        doc="distance at which hook and sheave meet: 2 % of a segment's mean length if left out; 0: never",
    )
    stop_stiffness = Param(
        None, "N/m", gt=0, doc="k, of hook and sheave where they meet; EA / length if left out"
    )
    stop_dissipation = Param(
        0.5, "s/m", ge=0, doc="where they meet, as in contacts: the force grows by this times speed"
    )
    take_up = In(unit="m/s", default=0.0, doc="surface speed of the drum, positive when it winds up")
    tension = Out(unit="N", doc="in the rope, at frame_a where sheaves have friction")
    end_tension = Out(unit="N", doc="at frame_b, where sheaves have friction")
    loss = Out(unit="W", doc="power lost in the sheaves and the rope's damping")
    pull = Out(unit="N", doc="reeving times the tension: what all falls of a segment exert together")
    stretched = Out(unit="m", doc="length of all falls as they are")
    rate = Out(unit="m/s", doc="rate of that length")
    slack = Out(unit="m", doc="by how much the rope is longer than its way; 0 when taut")
    natural_length = Out(unit="m", doc="length without load of what is not on the drum")
    energy = Out(unit="J", doc="elastic energy of what is not on the drum")
    stop_force = Out(unit="N", doc="with which hook and sheave press on each other where they meet")
    natural = State("length", unit="m", doc="natural length")
    derived_names = ("falls",)
    fatal_rooms = ("rest",)
    own_motion: ClassVar[tuple[str, ...]] = ("stretched", "rate", "lengths", "rates")
    fed_back: ClassVar[tuple[str, ...]] = ("pull", "tension")

    @property
    def has_sheave_friction(self) -> bool:
        return self.efficiency < 1.0 and self.through + self.reeving > 1

    def ports(self) -> dict[str, Port]:
        own = super().ports()
        own |= {f"sheave_{k}": Frame("a sheave").named(f"sheave_{k}") for k in range(1, self.through + 1)}
        if not self.has_sheave_friction:
            del own["end_tension"], own["loss"]
            return own
        segments = self.through + 1
        of = "of each segment, from frame_a on"
        wide = {
            "pull": Out(segments, "N", f"tensions of all falls together, {of}"),
            "lengths": Out(segments, "m", f"length {of}"),
            "rates": Out(segments, "m/s", f"rate of the length {of}"),
        }
        return own | {name: port.named(name) for name, port in wide.items()}

    def instance_functions(self) -> dict[str, Equation]:
        own = self.functions
        return (
            own
            | sheave_friction.sheave_functions(
                self.through + 1, (natural_length_rate, damped_strain, rope_tension)
            )
            if self.has_sheave_friction
            else own
        )

    def internal_wires(self) -> dict[str, str]:
        """Length of the rope into the functions, their force into the mechanism."""
        known = self.ports()
        return {name: name for name in (*self.own_motion, *self.fed_back) if name in known}

    def derived(self) -> dict[str, tuple[float, ...]]:
        return {"falls": (float(self.reeving),)}

    def der(natural, stretched, take_up):
        return natural_length_rate(take_up, stretched / natural - 1.0)

    def out_tension(natural, stretched, rate, take_up, EA, damping):
        return rope_tension(natural, stretched, rate, take_up, EA, damping)

    def out_pull(natural, stretched, rate, take_up, EA, damping, falls):
        return falls[0] * rope_tension(natural, stretched, rate, take_up, EA, damping)

    def out_slack(natural, stretched):
        return max(natural - stretched, 0.0)

    def crossing_taut(natural, stretched, rate, take_up, damping):
        return damped_strain(natural, stretched, rate, take_up, damping)

    def crossing_damped(natural, stretched):
        return stretched / natural - 1.0001

    def room_rest(natural, length):
        return natural - 1e-3 * length

    def words_of_room(self, name: str, time: float, least: float) -> str:
        return f"all of it is wound up {at_time(time)}: less than a thousandth of its length is left off the drum"

    def out_natural_length(natural):
        return natural

    def out_energy(natural, stretched, EA):
        strain = max(stretched / natural - 1.0, 0.0)
        return 0.5 * EA * strain * strain * natural

    def parts(self) -> list[Part]:
        falls, segments = float(self.reeving), self.through + 1
        shortest = 0.02 * self.length / falls / segments if self.shortest is None else self.shortest
        stiffness = self.stop_stiffness or self.EA / self.length
        stop = (shortest, stiffness, self.stop_dissipation)
        way = ["frame_a", *(f"sheave_{k}" for k in range(1, self.through + 1)), "frame_b"]
        return [
            Element(
                "segment",
                a,
                b,
                (falls, self.EA, self.length, float(k), float(k * self.has_sheave_friction), *stop),
                ("pull",) if k == 0 else (),
            )
            for k, (a, b) in enumerate(pairwise(way))
        ]


def drum_length(W, wound):
    """Length of rope that lies on the drum, whichever way round; without `wound`, that which was wound up."""
    return abs(W) if wound >= 0.0 else W


def drum_radius(W, wound, radius, rope_diameter, turns):
    """Radius of the present layer, taken as continuous [m]: the wound rope fills pi (r^2 - radius^2) turns d of the
    drum."""
    if rope_diameter == 0.0:
        return radius
    return math.sqrt(
        max(
            radius * radius + drum_length(W, wound) * rope_diameter / (math.pi * turns),
            1e-6 * radius * radius,
        )
    )


def winding_side(W, wound):
    """-1 on a drum that was paid out and winds the other way round: its rope's end is fixed to it."""
    return -1.0 if wound >= 0.0 and W < 0.0 else 1.0


def wound_turns(W, wound, radius):
    """Turns of the rope on the bare drum's radius, where it is known how much there is."""
    return abs(W) / (2.0 * math.pi * radius) if wound >= 0.0 else 0.0


def missing_turn_length(W, wound, radius, least_turns):
    """Length of rope by which the least turns are gone short of; below zero while they are on the drum."""
    return min(2.0 * math.pi * radius * least_turns, wound) - W if wound >= 0.0 else -1.0


def last_turn_force(W, rate, wound, radius, least_turns, stop_stiffness, stop_dissipation):
    """Force of the stop at the least turns, at the drum's surface, against paying out [N]."""
    short = missing_turn_length(W, wound, radius, least_turns)
    if short <= 0.0:
        return 0.0
    return stop_stiffness * short * max(1.0 - stop_dissipation * rate, 0.0)


class Drum(Block, abstract=True):
    """Base of winches, whatever turns their drums."""

    family = "forces"
    rare = ("least_turns", "stop_stiffness", "stop_dissipation")
    radius = Param(0.2, "m", gt=0, doc="of the bare drum, to the middle of the rope")
    rope_diameter = Param(0.0, "m", ge=0, doc="d, by which layers grow; 0 for a drum with one layer")
    turns = Param(20.0, gt=0, doc="turns of the rope in a layer, for `rope_diameter`")
    wound = Param(
        None,
        "m",
        ge=0,
        doc="length of rope on the drum at the start; without it the drum has rope without end",
    )
    least_turns = Param(
        3.0, ge=0, doc="that have to stay on the drum: there a stop begins (no later than at `wound`)"
    )
    stop_stiffness = Param(
        1e6, "N/m", gt=0, doc="of this stop: force at the drum's surface over length of rope"
    )
    stop_dissipation = Param(
        0.5, "s/m", ge=0, doc="of this stop, as in contacts: its force grows by this times speed"
    )
    tension = In(unit="N", default=0.0, doc="of the rope")
    take_up = Out(unit="m/s", doc="surface speed, for the rope")
    torque = Out(unit="N*m", doc="of the rope and the stop on the drum")
    layer_radius = Out(unit="m", doc="at which the rope winds")
    length = Out(unit="m", doc="of rope on the drum; without `wound`, of what was wound up")
    turns_left = Out(doc="turns of the rope on the bare drum's radius; 0 without `wound`")
    stop_force = Out(unit="N", doc="of the stop at the least turns, at the drum's surface")
    W = State("wound", unit="m", doc="length on the drum; below zero where it winds the other way round")

    def state_start(self, initial: float | str) -> object:
        return self.wound or 0.0

    def internal_wires(self) -> dict[str, str]:
        """Equations read the radius at which the rope winds, and the force of the stop."""
        return {name: name for name in ("layer_radius", "stop_force")}

    def out_torque(W, tension, wound, layer_radius, stop_force):
        return (stop_force - tension * winding_side(W, wound)) * layer_radius

    def out_layer_radius(W, wound, radius, rope_diameter, turns):
        return drum_radius(W, wound, radius, rope_diameter, turns)

    def out_length(W, wound):
        return drum_length(W, wound)

    def out_turns_left(W, wound, radius):
        return wound_turns(W, wound, radius)

    def room_turns(W, wound, radius, least_turns):
        return 1e-6 * radius - missing_turn_length(W, wound, radius, least_turns)

    def room_rope(W, wound, radius):
        return W + 1e-6 * radius if wound >= 0.0 else 1.0

    def crossing_end(W, wound):
        return W if wound >= 0.0 else 1.0

    def words_of_room(self, name: str, time: float, least: float) -> str:
        if name == "rope":
            return f"its drum is empty {at_time(time)}, and winds the rope the other way round from there on"
        turns = f"the least turns ({self.least_turns:g})"
        return f"fewer than {turns} are left on its drum {at_time(time)}, and the stop holds it"


class Winch(Drum):
    """A drum: take_up = r w, torque = -T r, and r grows with the rope wound on: r^2 = radius^2 + W d / (pi turns).

    With `wound` it has an end: a stop holds the drum at the least turns, and a drum that is driven on until it is
    empty winds its rope the other way round.
    """

    velocity = In(unit="rad/s", doc="of the drum, positive when it winds up")

    def der(velocity, layer_radius):
        return velocity * layer_radius

    def out_take_up(W, velocity, wound, layer_radius):
        return winding_side(W, wound) * velocity * layer_radius

    def out_stop_force(
        W, velocity, wound, layer_radius, radius, least_turns, stop_stiffness, stop_dissipation
    ):
        rate = velocity * layer_radius
        return last_turn_force(W, rate, wound, radius, least_turns, stop_stiffness, stop_dissipation)


class ShaftWinch(Drum):
    """A drum on a shaft: take_up = r w, with -T r on the shaft; r grows with the rope wound on, as in `winch`.

    It has no inertia: wire its shaft to that of a `shaft_inertia`, and a motor, a brake or a gearbox there too.
    """

    repeats = {"shaft": "torque"}
    family = "drives"
    shaft = Shaft("of the drum; a positive speed winds up")

    def der(shaft, layer_radius):
        return shaft * layer_radius

    def out_take_up(W, shaft, wound, layer_radius):
        return winding_side(W, wound) * shaft * layer_radius

    def out_stop_force(W, shaft, wound, layer_radius, radius, least_turns, stop_stiffness, stop_dissipation):
        rate = shaft * layer_radius
        return last_turn_force(W, rate, wound, radius, least_turns, stop_stiffness, stop_dissipation)
