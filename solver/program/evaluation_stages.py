"""Stages of an evaluation (kinematics, dynamics, reactions, ...) as keys that operations need."""

from __future__ import annotations

from .scalar_places import Key


def stage_key(name: str, number: int = 0) -> Key:
    """Key of a stage of the evaluation."""
    return ("@", name, number, 0)


KINEMATICS, DYNAMICS = stage_key("kinematics"), stage_key("dynamics")


WRENCHES = ("total_force", "total_torque", "constraint_force", "constraint_torque")


AT_TIME = stage_key("time")


SENSE, SENSE_ACCELERATION = stage_key("sense"), stage_key("sense_acceleration")


REACTIONS, ENERGIES = stage_key("reactions"), stage_key("energies")


POWERS = stage_key("powers")
