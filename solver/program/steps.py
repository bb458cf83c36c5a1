"""Steps of an evaluation, as keys that operations can need."""

from __future__ import annotations

from .scalars import Key


def token(name: str, number: int = 0) -> Key:
    """A step of the evaluation, as a key that operations can need."""
    return ("@", name, number, 0)


KINEMATICS, DYNAMICS = token("kinematics"), token("dynamics")


WRENCHES = ("total_force", "total_torque", "constraint_force", "constraint_torque")


AT_TIME = token("time")


SENSE, SENSE_ACCELERATION = token("sense"), token("sense_acceleration")


REACTIONS, ENERGIES = token("reactions"), token("energies")


POWERS = token("powers")
