"""Sensors: they read the mechanism and weigh nothing."""

from __future__ import annotations

from ..block import Block
from ..multibody_parts import EnergySensor as EnergyPart
from ..multibody_parts import Part, Sensor
from ..params import Choice
from ..ports import Frame, Out


class FrameSensor(Block):
    """Position, orientation and motion of frame_b, against frame_a or, when that is not wired, the world."""

    family = "sensors"
    frame_a, frame_b = Frame("reference; the world when not wired"), Frame("what is watched")
    resolve = Choice("a", ["world", "a", "b"], doc="axes of the outputs")
    position = Out(3, "m", "of frame_b's origin")
    rotation = Out(3, "rad", "psi, theta, phi of R = Rz(psi) Ry(theta) Rx(phi)")
    velocity = Out(3, "m/s", "of frame_b's origin")
    angular_velocity = Out(3, "rad/s", "of frame_b")
    acceleration = Out(3, "m/s^2", "of frame_b's origin in the world")
    angular_acceleration = Out(3, "rad/s^2", "of frame_b in the world")

    def parts(self) -> list[Part]:
        return [Sensor("frame_a", "frame_b", self.resolve)]


class EnergySensor(Block):
    """Energies of the whole mechanism, and what was put in and lost since the start."""

    family = "sensors"
    kinetic = Out(unit="J", doc="kinetic energy")
    potential = Out(unit="J", doc="of gravity and springs")
    total = Out(unit="J", doc="kinetic and potential energy")

    def parts(self) -> list[Part]:
        return [EnergyPart()]
