"""Rigid bodies and joints of a netlist, at the pose at which luff assembles it: what other engines are given."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import yaml

import luff
from luff.blocks.geometry.rotations import rotation_of_turns

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
Place = tuple[str, np.ndarray]  # body, or "" for the world, and point in its axes
Result = tuple[dict[str, float], float]  # signals at the end by name, and time of the run [s]
THIN = 1e-12  # kg m^2 for a moment of inertia of zero, which some engines refuse


@dataclass
class RigidBody:
    """Body at the start: mass properties in its own axes, pose and motion of its frame_a in the world."""

    mass: float
    com: np.ndarray
    inertia: np.ndarray  # (3,) principal, about the centre of mass
    R: np.ndarray
    p: np.ndarray
    v: np.ndarray
    w: np.ndarray

    def world(self, point: np.ndarray) -> np.ndarray:
        """Place in the world of a point of the body."""
        return self.p + self.R @ point


@dataclass
class RigidJoint:
    """Revolute, prismatic, universal or spherical joint from body a to body b: its place and axes in the world."""

    name: str
    kind: str
    a: str
    b: str
    place: np.ndarray
    axis: np.ndarray  # of a universal joint the one fixed in a
    other: np.ndarray  # of a universal joint the axis fixed in b


@dataclass
class RigidModel:
    """Bodies, joints, springs (two places, stiffness, damping, free length), constant efforts and watched points."""

    gravity: np.ndarray
    stop: float
    bodies: dict[str, RigidBody] = field(default_factory=dict)
    joints: list[RigidJoint] = field(default_factory=list)
    springs: list[tuple[Place, Place, float, float, float]] = field(default_factory=list)
    efforts: dict[str, float] = field(default_factory=dict)  # of joints
    watched: dict[str, Place] = field(default_factory=dict)  # of frame sensors

    def world(self, place: Place) -> np.ndarray:
        body, point = place
        return self.bodies[body].world(point) if body else point

    def angle(self, joint: RigidJoint) -> float:
        """Angle [rad] of a revolute joint at the start, within half a turn, without turned frames."""
        a, b = (self.bodies[end].R if end else np.eye(3) for end in (joint.a, joint.b))
        R = b @ a.T
        twice = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
        return float(np.arctan2(joint.axis @ twice, np.trace(R) - 1.0))


def number(value: Any) -> float:
    """Value in SI of `1 kg`."""
    return float(str(value).split()[0])


def rigid_model(path: Path) -> RigidModel:
    """Read a netlist of rigid links, joints, line springs and constant efforts."""
    document = yaml.safe_load(path.read_text("utf-8"))
    blocks: dict[str, dict[str, Any]] = document["blocks"]
    found = RigidModel(np.array(blocks["world"]["gravity"], float), 0.0)
    read_bodies(found, document)
    ends: dict[str, str] = {}  # what is wired to a frame
    sources: dict[str, str] = {}  # and to an input
    for wire in document["connect"]:
        if " -- " in wire:
            a, b = wire.split(" -- ")
            ends[a], ends[b] = b, a
        else:
            source, target = wire.split(" -> ")
            sources[target] = source.split(".")[0]
    for name, raw in blocks.items():
        kind = raw.get("type", "")
        near, far = (place_of(blocks, ends.get(f"{name}.{port}", "")) for port in ("frame_a", "frame_b"))
        if kind in ("revolute", "prismatic", "universal", "spherical"):
            a, b = near[0], far[0]
            axis, other = (
                (found.bodies[end].R if end else np.eye(3)) @ np.array(AXES[raw.get(key, usual)])
                # frame_b's body: frames of the other one may be turned
                for end, key, usual in (
                    (a, "axis_a", "x") if kind == "universal" else (b or a, "axis", "z"),
                    (b, "axis_b", "y"),
                )
            )
            found.joints.append(RigidJoint(name, kind, a, b, found.world(far if b else near), axis, other))
            if f"{name}.effort" in sources:
                found.efforts[name] = number(blocks[sources[f"{name}.effort"]]["value"])
        elif kind == "line_spring":
            stiffness, damping, length = (
                number(raw.get(key, 0)) for key in ("stiffness", "damping", "free_length")
            )
            found.springs.append((near, far, stiffness, damping, length))
        elif kind == "frame_sensor":
            found.watched[name] = far
    return found


def sensed_axes(angles: Iterable[float]) -> np.ndarray:
    """R = Rz(psi) Ry(theta) Rx(phi) from the angles of a frame sensor."""
    return rotation_of_turns(zip((AXES[axis] for axis in "zyx"), angles, strict=True))


def read_bodies(model: RigidModel, document: dict[str, Any]) -> None:
    """Add all rigid links, with what a sensor on each tells of it at the start."""
    blocks: dict[str, dict[str, Any]] = document["blocks"]
    links = [name for name, raw in blocks.items() if raw.get("type") == "rigid_link"]
    sensors = {f"at_{name}": {"type": "frame_sensor"} for name in links}
    wires = [*document["connect"], *(f"{name}.frame_a -- at_{name}.frame_b" for name in links)]
    watched = {**document, "blocks": blocks | sensors, "connect": wires}
    sim = luff.compile(luff.loads(yaml.safe_dump(watched, sort_keys=False)))
    at = sim.evaluate(0.0, sim.x0)
    model.stop = float(sim.settings.stop)
    for name in links:

        def vector(signal: str, name: str = name) -> np.ndarray:
            return np.array([at[f"at_{name}.{signal}[{k}]"] for k in range(3)])

        raw = blocks[name]
        model.bodies[name] = RigidBody(
            number(raw["mass"]), np.array(raw["com"], float), np.array(raw["inertia"], float),
            sensed_axes(vector("rotation")), vector("position"), vector("velocity"), vector("angular_velocity"),
        )  # fmt: skip


def place_of(blocks: dict[str, dict[str, Any]], frame: str) -> Place:
    """Body and point of a frame; a block `fixed` stands in the world."""
    block, _, port = frame.partition(".")
    raw = blocks.get(block, {})
    if raw.get("type") == "rigid_link":
        frames = {"frame_a": {}, "frame_b": raw.get("frame_b", {}), **raw.get("frames", {})}
        return block, np.array(frames[port].get("at", [0, 0, 0]), float)
    return "", np.array(raw.get("at", [0, 0, 0]), float)
