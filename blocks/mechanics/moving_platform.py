"""Ground that moves as it is told: decks, shaking tables, motion bases."""

from __future__ import annotations

from ..multibody_parts import Coordinate, Part
from ..ports import TRAJECTORY, Frame, In, Out
from .joints import JointBlock, X, Y, Z

# input, axis and coordinate of each motion, in the order of the chain
MOTIONS = (
    ("surge", "x", X),
    ("sway", "y", Y),
    ("heave", "z", Z),
    ("yaw", "psi", Z),
    ("pitch", "theta", Y),
    ("roll", "phi", X),
)


class Platform(JointBlock):
    """A deck that moves as prescribed: slides along frame_a's x, y, z, then R = Rz(yaw) Ry(pitch) Rx(roll).

    Each motion comes with its rate and acceleration, so that what stands on the deck feels them exactly; one that is
    not wired stays zero. What moves the deck is as strong as it has to be: `total_force` and `total_torque`.
    """

    frame_a = Frame("what it moves against: the world, or another deck")
    frame_b = Frame("the deck")
    # all of it is a drive's: nothing is a constraint's alone, and nothing may be cut
    constraint_force = None
    constraint_torque = None
    cut = None
    prescribing = ("surge", "sway", "heave", "roll", "pitch", "yaw")
    surge = In(unit="m", kind=TRAJECTORY, default=0.0, doc="along x")
    sway = In(unit="m", kind=TRAJECTORY, default=0.0, doc="along y")
    heave = In(unit="m", kind=TRAJECTORY, default=0.0, doc="along z")
    roll = In(unit="rad", kind=TRAJECTORY, default=0.0, doc="about x, the last turn")
    pitch = In(unit="rad", kind=TRAJECTORY, default=0.0, doc="about y, the second turn")
    yaw = In(unit="rad", kind=TRAJECTORY, default=0.0, doc="about z, the first turn")
    x = Out(unit="m", doc="surge as it is")
    y = Out(unit="m", doc="sway as it is")
    z = Out(unit="m", doc="heave as it is")
    psi = Out(unit="rad", doc="yaw as it is")
    theta = Out(unit="rad", doc="pitch as it is")
    phi = Out(unit="rad", doc="roll as it is")
    x_rate = Out(unit="m/s", doc="rate of surge")
    y_rate = Out(unit="m/s", doc="rate of sway")
    z_rate = Out(unit="m/s", doc="rate of heave")
    psi_rate = Out(unit="rad/s", doc="rate of yaw")
    theta_rate = Out(unit="rad/s", doc="rate of pitch")
    phi_rate = Out(unit="rad/s", doc="rate of roll")

    def parts(self) -> list[Part]:
        chain = [
            Coordinate(name, f"{name}_rate", name in "xyz", axis, follow=motion)
            for motion, name, axis in MOTIONS
        ]
        return self.joint("platform", *chain)
