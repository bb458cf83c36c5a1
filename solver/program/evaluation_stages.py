"""Stages of an evaluation (kinematics, dynamics, reactions, ...) as keys that operations need."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from .scalar_places import Key, Output
from .work_space import Place, of_component


def stage_key(name: str, number: int = 0) -> Key:
    """Key of a stage of the evaluation."""
    return ("@", name, number, 0)


KINEMATICS, DYNAMICS = stage_key("kinematics"), stage_key("dynamics")


APPLIED_FORCES = stage_key("applied_forces alone")  # first part of DYNAMICS, where signals give forces
RIM_SLIP = stage_key("rim_slip alone")  # the part behind it, where shafts turn wheels on rails


WRENCHES = ("total_force", "total_torque", "constraint_force", "constraint_torque")


AT_TIME = stage_key("time")


SENSE, SENSE_ACCELERATION = stage_key("sense"), stage_key("sense_acceleration")


CLEARANCE = stage_key("clearance")


REACTIONS, ENERGIES = stage_key("reactions"), stage_key("energies")


POWERS = stage_key("powers")


def own_key(key: Key, number: int) -> Key:
    """Key of a step in the evaluation of a component, by its number."""
    return (f"@{number}", *key[1:]) if number and key[0] == "@" else key


def own_output(output: Output, number: int) -> Output:
    """An output of a component, told as if it were the only one."""
    places: tuple[Place, ...] = tuple(of_component(place, number) for place in output.places)
    return replace(output, places=places, need=own_key(output.need, number)) if number else output


def has_step(keys: Iterable[Key], step: Key) -> bool:
    """True if keys hold this step of any component."""
    return any(key[1:] == step[1:] and key[0].startswith("@") for key in keys)
