"""Stiffness of end stops, and the integrator that damping needs: both follow from the inertia that a joint feels.

A stop is a critically damped spring of 20 ms on the inertia that the joint feels while all others move freely
(`1 / inv(M)_ii`), with all joints at zero. Where an MJCF says how soft its limits are, it gives way under a load as
far as there.
"""

from __future__ import annotations

import math

import numpy as np

from ...blocks.geometry.mass_properties import Pose
from .robot_tree import WORLD, Joint, Robot, Surface

TIME = 0.02  # s, of a stop
SMOOTH = 0.1  # rad/s or m/s over which dry friction changes sign, at least


def effective_joint_inertias(robot: Robot) -> dict[str, float]:
    """`1 / inv(M)_ii` of every revolute and prismatic joint, by name."""
    names, M = mass_matrix(robot)
    if not names:
        return {}
    # a part without mass behind it must not spoil the others
    scale = np.sqrt(np.maximum(np.diag(M), 1e-12))
    inverse = np.linalg.pinv(M / np.outer(scale, scale), rcond=1e-12, hermitian=True)
    felt = scale**2 / np.maximum(np.diag(inverse), 1.0)
    return {name: float(value) for name, value in zip(names, felt, strict=True) if name}


def mass_matrix(robot: Robot) -> tuple[list[str], np.ndarray]:
    """Mass matrix with all joints at zero: sum of J^T M J over the bodies, and rotors; only plain joints have names."""
    names: list[str] = []
    rotors: list[float] = []
    rows: list[
        np.ndarray
    ] = []  # motion of the world's origin (angular; linear) for a unit rate of each freedom
    chains: list[list[int]] = []
    places: list[Pose] = []
    for body in robot.bodies:
        outer = Pose() if body.parent == WORLD else places[body.parent]
        place = outer @ body.pose
        chain = [] if body.parent == WORLD else list(chains[body.parent])
        for joint in body.joints:
            for twist in _twists(joint, place):
                chain.append(len(rows))
                rows.append(twist)
                rotors.append(joint.armature)
                names.append(joint.name if joint.kind in ("revolute", "prismatic") else "")
        places.append(place)
        chains.append(chain)
    M = np.diag(np.array(rotors, float))
    for body, chain, place in zip(robot.bodies, chains, places, strict=True):
        mass = body.inertia.seen_from(place)
        if not chain or mass.mass == 0.0:
            continue
        J = np.array([rows[k] for k in chain])
        angular, linear = J[:, :3], J[:, 3:] + np.cross(J[:, :3], mass.com)
        M[np.ix_(chain, chain)] += angular @ mass.about_com @ angular.T + mass.mass * linear @ linear.T
    return names, M


def _twists(joint: Joint, place: Pose) -> list[np.ndarray]:
    at = place.at + place.R @ joint.at
    axis = place.R @ np.array(joint.axis, float)
    axis = axis / max(float(np.linalg.norm(axis)), 1e-300)
    turns = [np.concatenate([n, np.cross(at, n)]) for n in place.R.T]
    slides = [np.concatenate([np.zeros(3), n]) for n in place.R.T]
    return {
        "revolute": [np.concatenate([axis, np.cross(at, axis)])],
        "prismatic": [np.concatenate([np.zeros(3), axis])],
        "spherical": turns,
        "free": [*turns, *slides],
        "fixed": [],
    }[joint.kind]


def friction_width(joint: Joint, inertia: float, step: float) -> float:
    """Speed over which dry friction changes sign: wide enough for the slope to be resolved in a step or two."""
    return max(SMOOTH, _two_digits(10.0 * joint.dry_friction * step / max(inertia, 1e-12)))


def fastest_rate(robot: Robot, felt: dict[str, float], step: float) -> float:
    """Largest decay rate by dampers and the slope of friction [1/s]."""
    rates = [0.0]
    for drive in robot.drives:
        for joint, arm in drive.arms.items():
            inertia = max(felt.get(joint, math.inf), 1e-12)
            spring, damper = (abs(arm * arm * factor) / inertia for factor in drive.bias[1:])
            rates.append(max(damper, math.sqrt(spring)))
    for body in robot.bodies:
        for joint in body.joints:
            if joint.name in felt:
                slope = 10.0 * joint.dry_friction / friction_width(joint, felt[joint.name], step)
                rates.append((joint.damping + slope) / max(felt[joint.name], 1e-12))
    return max(rates)


def fastest_stop(robot: Robot, felt: dict[str, float]) -> float:
    """Largest decay rate at a stop that an MJCF gives, with the damping of its joint [1/s]: the faster of two roots."""
    rates = [0.0]
    for joint in (joint for body in robot.bodies for joint in body.joints):
        if joint.stop and joint.name in felt:
            own = 1.0 / stop_time(joint.stop)
            half = own + 0.5 * joint.damping / max(felt[joint.name], 1e-12)
            rates.append(half + math.sqrt(half * half - own * own))
    return max(rates)


def stop_law(inertia: float, stop: Surface | None = None) -> dict[str, float]:
    """Stiffness and damping of a stop at a joint that feels this inertia."""
    time = stop_time(stop)
    return {
        "stiffness": _two_digits(max(inertia, 1e-9) / time**2),
        "damping": _two_digits(2.0 * max(inertia, 1e-9) / time),
    }


def stop_time(stop: Surface | None) -> float:
    """Time constant of a stop [s]: sqrt(r / a), r the depth that an acceleration a holds; `TIME` where none does."""
    depth = stop.sink(1.0) if stop else math.inf
    return math.sqrt(depth) if math.isfinite(depth) else TIME


def _two_digits(value: float) -> float:
    return float(f"{value:.2g}")
