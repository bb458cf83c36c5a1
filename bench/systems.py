"""Trees to measure with, written for luff, MuJoCo and Pinocchio from the same numbers."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

import luff

AXES = {"x": np.eye(3)[0], "y": np.eye(3)[1], "z": np.eye(3)[2]}


@dataclass
class Limb:
    """A link on the joint that carries it; turns and slides follow one another in the order of `moves`."""

    name: str
    parent: int  # -1: the world
    at: tuple[float, float, float]  # of the joint in the parent's frame; the origin where that is the world
    moves: str  # one letter a coordinate: xyz slide, XYZ turn
    mass: float
    com: tuple[float, float, float]
    inertia: tuple[float, float, float]

    def coordinates(self) -> list[str]:
        return [f"{self.name}_{k}" for k in range(len(self.moves))]


def chain(n: int) -> list[Limb]:
    """A hanging chain of n turning links, axes changing from link to link."""
    rng = np.random.default_rng(n)
    limbs = []
    for k in range(n):
        mass = rng.uniform(0.5, 1.5)
        at = (0.0, 0.0, -0.2) if k else (0.0, 0.0, 0.0)
        com = (rng.uniform(-0.01, 0.01), rng.uniform(-0.01, 0.01), -0.1)
        limbs.append(
            Limb(f"l{k}", k - 1, at, "XY"[k % 2], mass, com, (0.005 * mass, 0.006 * mass, 0.002 * mass))
        )
    return limbs


def crane() -> list[Limb]:
    """A crane on a vessel, 18 coordinates: sea, slewing, luffing, knuckle, telescope, rope, hoist, load, camera."""
    return [
        Limb("vessel", -1, (0, 0, 0), "xyzZYX", 2e5, (0, 0, 1), (2e6, 8e6, 9e6)),
        Limb("king", 0, (5, 0, 3), "Z", 5e3, (0, 0, 2), (8e3, 8e3, 2e3)),
        Limb("boom", 1, (0.5, 0, 4), "Y", 3e3, (4, 0, 0), (500, 16e3, 16e3)),
        Limb("jib", 2, (8, 0, 0), "Y", 1500, (2, 0, 0), (200, 3e3, 3e3)),
        Limb("slide", 3, (4, 0, 0), "x", 500, (1, 0, 0), (50, 300, 300)),
        Limb("rope", 4, (2, 0, 0), "XY", 50, (0, 0, -2), (70, 70, 1)),
        Limb("hoist", 5, (0, 0, -4), "z", 100, (0, 0, -0.2), (5, 5, 5)),
        Limb("load", 6, (0, 0, -0.5), "ZYX", 2e3, (0, 0, -0.5), (800, 900, 1000)),
        Limb("camera", 3, (1, 0, 0.5), "ZY", 20, (0.1, 0, 0), (0.2, 0.3, 0.3)),
    ]


def start(limbs: list[Limb]) -> tuple[np.ndarray, np.ndarray]:
    """Positions and rates to begin with."""
    rng = np.random.default_rng(1)
    n = sum(len(limb.moves) for limb in limbs)
    return rng.uniform(-0.3, 0.3, n), rng.uniform(-0.1, 0.1, n)


# --- luff -----------------------------------------------------------------------------------------------------------


def netlist(limbs: list[Limb], driven: tuple[str, ...] = ()) -> luff.Diagram:
    """One revolute or prismatic a coordinate; six signal blocks for each driven limb's first coordinate."""
    blocks: dict[str, dict[str, object]] = {}
    connect: list[str] = []
    q, v = start(limbs)
    k = 0
    for limb in limbs:
        near = "world.frame" if limb.parent < 0 else f"{limbs[limb.parent].name}.{limb.name}"
        for name, move in zip(limb.coordinates(), limb.moves, strict=True):
            kind = "prismatic" if move.islower() else "revolute"
            initial = {"position": q[k], "velocity": v[k]}
            blocks[name] = {"type": kind, "axis": move.lower(), "initial": initial}
            connect.append(f"{near} -- {name}.frame_a")
            near, k = f"{name}.frame_b", k + 1
        frames = {
            child.name: {"at": child.at}
            for child in limbs
            if child.parent >= 0 and limbs[child.parent] is limb
        }
        blocks[limb.name] = {
            "type": "rigid_link",
            "mass": limb.mass,
            "com": limb.com,
            "inertia": limb.inertia,
        }
        blocks[limb.name]["frames"] = frames
        connect.append(f"{near} -- {limb.name}.frame_a")
    for name in driven:
        drive(blocks, connect, f"{name}_0")
    text = {
        "luff": 1,
        "name": "tree",
        "blocks": blocks,
        "connect": connect,
        "record": [f"{limbs[0].name}_0.position"],
    }
    return luff.loads(json.dumps(text))


def drive(blocks: dict[str, dict[str, object]], connect: list[str], joint: str) -> None:
    """Follow a sine: controller, gain, limits, actuator lag and a feedforward, six blocks."""
    blocks[f"{joint}_target"] = {"type": "sine", "amplitude": 0.1, "frequency": 1.0}
    blocks[f"{joint}_pd"] = {"type": "pd", "kp": 1000.0, "kd": 200.0}
    blocks[f"{joint}_gain"] = {"type": "gain", "k": 0.5}
    blocks[f"{joint}_limit"] = {"type": "saturation", "lower": -1e4, "upper": 1e4}
    blocks[f"{joint}_lag"] = {"type": "transfer_function", "num": [1.0], "den": [0.05, 1.0]}
    blocks[f"{joint}_sum"] = {"type": "sum", "signs": "++"}
    connect += [
        f"{joint}_target.trajectory -> {joint}_pd.target",
        f"{joint}.trajectory -> {joint}_pd.measured",
        f"{joint}_pd.effort -> {joint}_gain.u",
        f"{joint}_gain.y -> {joint}_limit.u",
        f"{joint}_limit.y -> {joint}_lag.u",
        f"{joint}_lag.y -> {joint}_sum.u1",
        f"{joint}_gain.y -> {joint}_sum.u2",
        f"{joint}_sum.y -> {joint}.effort",
    ]


# --- MuJoCo ---------------------------------------------------------------------------------------------------------


def mjcf(limbs: list[Limb], step: float) -> str:
    """Contacts, constraints and all else that the tree does not need are off; several joints share one body."""
    root = ET.Element("mujoco")
    ET.SubElement(root, "compiler", angle="radian", balanceinertia="false", boundmass="0", boundinertia="0")
    option = ET.SubElement(root, "option", timestep=repr(step), integrator="RK4", gravity="0 0 -9.81")
    off = ("contact", "constraint", "equality", "limit", "frictionloss", "actuation")
    ET.SubElement(option, "flag", **dict.fromkeys(off, "disable"))
    bodies = [ET.SubElement(root, "worldbody")]
    for limb in limbs:
        body = ET.SubElement(bodies[limb.parent + 1], "body", name=limb.name, pos=words(limb.at))
        ET.SubElement(
            body,
            "inertial",
            pos=words(limb.com),
            mass=repr(float(limb.mass)),
            diaginertia=words(limb.inertia),
        )
        for name, move in zip(limb.coordinates(), limb.moves, strict=True):
            kind = "slide" if move.islower() else "hinge"
            ET.SubElement(body, "joint", name=name, type=kind, axis=words(AXES[move.lower()]))
        bodies.append(body)
    return ET.tostring(root, encoding="unicode")


def words(values: Iterable[float]) -> str:
    return " ".join(repr(float(value)) for value in values)


# --- Pinocchio ------------------------------------------------------------------------------------------------------


def pinocchio_model(limbs: list[Limb]) -> Any:
    """One joint a coordinate, of the classes made for coordinate axes."""
    import pinocchio as pin  # pyright: ignore[reportMissingImports]

    model = pin.Model()
    last: list[int] = []
    for limb in limbs:
        parent = last[limb.parent] if limb.parent >= 0 else 0
        place = pin.SE3(np.eye(3), np.array(limb.at, float))
        for name, move in zip(limb.coordinates(), limb.moves, strict=True):
            cls = getattr(pin, f"JointModel{'P' if move.islower() else 'R'}{move.upper()}")
            parent = model.addJoint(parent, cls(), place, name)
            place = pin.SE3.Identity()
        inertia = pin.Inertia(limb.mass, np.array(limb.com, float), np.diag(limb.inertia))
        model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
        last.append(parent)
    return model
