"""Forces between frames: springs, bushings, and forces given by signals."""

from __future__ import annotations

from ..block import Block
from ..multibody_parts import Element, Part
from ..params import Choice, Param
from ..ports import Frame, In, Out


class LineSpring(Block):
    """Spring and damper along the line between two frames: force = stiffness (length - free_length) + damping rate."""

    family = "forces"
    frame_a, frame_b = Frame("one end"), Frame("other end")
    stiffness = Param(1000.0, "N/m", ge=0, doc="stiffness")
    damping = Param(0.0, "N*s/m", ge=0, doc="damping along the line")
    free_length = Param(0.0, "m", ge=0, doc="length at which it is free")
    length = Out(unit="m", doc="distance between the frames")
    rate = Out(unit="m/s", doc="rate of the length")
    force = Out(unit="N", doc="tension, positive when it pulls")

    def parts(self) -> list[Part]:
        return [Element("line", "frame_a", "frame_b", (self.stiffness, self.damping, self.free_length))]


class Bushing(Block):
    """Elastic mount: forces and torques along frame_a's axes, linear in the offset and small turn of b against a."""

    family = "forces"
    frame_a, frame_b = Frame("one side; its axes are the bushing's"), Frame("other side")
    stiffness = Param((1e5, 1e5, 1e5), "N/m", shape=(3,), ge=0, doc="translational stiffness")
    damping = Param((0.0, 0.0, 0.0), "N*s/m", shape=(3,), ge=0, doc="translational damping")
    rotational_stiffness = Param((0.0, 0.0, 0.0), "N*m/rad", shape=(3,), ge=0, doc="about x, y, z")
    rotational_damping = Param((0.0, 0.0, 0.0), "N*m*s/rad", shape=(3,), ge=0, doc="about x, y, z")
    deflection = Out(3, "m", "origin of b in frame_a")
    force = Out(3, "N", "force on b, world axes")
    torque = Out(3, "N*m", "torque on b at frame_b, world axes")

    def parts(self) -> list[Part]:
        values = (*self.stiffness, *self.damping, *self.rotational_stiffness, *self.rotational_damping)
        return [Element("bushing", "frame_a", "frame_b", values)]


class AppliedForce(Block):
    """A force given by signals, acting at frame_b."""

    family = "forces"
    frame_b = Frame("where the force acts")
    force = In(3, "N", doc="components of the force")
    resolve = Choice("world", ["world", "b"], doc="axes of the components")

    def parts(self) -> list[Part]:
        return [Element(f"force_{self.resolve}", "", "frame_b", (), ("force",))]


class AppliedTorque(Block):
    """A torque given by signals on the body of frame_b."""

    family = "forces"
    frame_b = Frame("the body that it acts on")
    torque = In(3, "N*m", doc="components of the torque")
    resolve = Choice("world", ["world", "b"], doc="axes of the components")

    def parts(self) -> list[Part]:
        return [Element(f"torque_{self.resolve}", "", "frame_b", (), ("torque",))]
