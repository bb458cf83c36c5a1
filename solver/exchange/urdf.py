"""URDF -> the neutral tree. Link frames are the joints' frames, as in luff, so numbers stay as they are."""

from __future__ import annotations

import math
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np

from ...blocks.errors import LuffError, Problem, did_you_mean
from ...blocks.geometry import rotations
from ...blocks.geometry.mass_properties import Inertia, Pose
from .located_xml import Element
from .mesh_files import MeshFiles
from .robot_tree import NOISE, WORLD, Body, Joint, Relation, Robot, without_negative_moments
from .urdf_shapes import FRICTION, Visuals

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
LEFT_OUT = {
    "transmission": "drives are blocks of their own",
    "gazebo": "belongs to another simulator",
    "ros2_control": "belongs to another program",
    "sensor": "sensors are blocks of their own",
}


def read_urdf(root: Element, source: Path, meshes: MeshFiles, floating: bool, touch: bool = False) -> Robot:
    robot = Robot(root.name or "robot", source.name, ("link", "joint"))
    links = _by_name(root, "link")
    joints = _by_name(root, "joint")
    if not links:
        raise root.fail("has no link", "a xacro file becomes URDF by `xacro robot.xacro > robot.urdf`")
    parent_joint = _parents(joints, links)
    order = _outward_order(root, links, joints, parent_joint)
    number = {name: k for k, name in enumerate(order)}
    visuals = Visuals(root, source, meshes, _origin)
    for name in order:
        joint = parent_joint.get(name)
        link = links[name]
        if joint is None:
            body = Body(name, WORLD, link.mark)
            if floating:
                base = "floating_base" if "floating_base" not in joints else "free_base"
                body.joints = [Joint(base, "free", link.mark)]
        else:
            parent = number[_end(joint, "parent", links)]
            body = Body(name, parent, link.mark, pose=_origin(joint))
            body.joints = _joints(joint)
        body.inertia = _inertia(robot, link)
        left_out = partial(robot.note, "visual geometry", name=link.name)
        body.looks = list(visuals.of(link, left_out))
        if touch:
            left_out = partial(robot.note, "collision geometry", name=link.name)
            body.looks = list(visuals.touched(link, body.looks, left_out))
        robot.bodies.append(body)
    for joint in joints.values():
        _mimic(robot, joint)
    if touch:
        robot.note("friction of collision geometry", f"URDF has none: {FRICTION} here")
    _not_taken(robot, root, links, joints, touch)
    return robot


def _by_name(root: Element, tag: str) -> dict[str, Element]:
    # gazebo and transmission elements nest others of the same tags; the robot's own stand at the top
    elements: dict[str, Element] = {}
    problems = []
    for element in root.all(tag):
        name = element.required("name")
        if name in elements:
            message = f"is there twice, first in line {elements[name].mark.line}"
            problems.append(Problem(message, str(element), "rename one of them", element.mark))
        elements[name] = element
    if problems:
        raise LuffError(problems)
    return elements


def _end(joint: Element, tag: str, links: dict[str, Element]) -> str:
    end = joint.first(tag)
    if end is None:
        raise joint.fail(f"has no <{tag} link=...>")
    name = end.required("link")
    if name not in links:
        message = f'{tag}: there is no link "{name}"'
        raise LuffError(Problem(message, str(joint), did_you_mean(name, links), end.mark))
    return name


def _parents(joints: dict[str, Element], links: dict[str, Element]) -> dict[str, Element]:
    """The joint that carries each link."""
    carried: dict[str, Element] = {}
    for joint in joints.values():
        child = _end(joint, "child", links)
        if child in carried:
            fix = "URDF knows trees only; close loops in the netlist"
            raise joint.fail(f'carries "{child}", which {carried[child]} carries already', fix)
        carried[child] = joint
    return carried


def _outward_order(
    root: Element, links: dict[str, Element], joints: dict[str, Element], parent_joint: dict[str, Element]
) -> list[str]:
    """Links, each behind the one that carries it; branches in the order of their joints."""
    children: dict[str, list[str]] = {name: [] for name in links}
    for joint in joints.values():
        children[_end(joint, "parent", links)].append(_end(joint, "child", links))
    roots = [name for name in links if name not in parent_joint]
    if len(roots) != 1:
        mistake = (
            f"{len(roots)} links without a parent: {', '.join(roots[:6])}" if roots else "a ring of links"
        )
        raise root.fail(f"found {mistake}, expected one root", "join the others to it by fixed joints")
    order, waiting = [], roots
    while waiting:
        name = waiting.pop()
        order.append(name)
        waiting += reversed(children[name])
    if len(order) < len(links):
        lost = links[next(name for name in links if name not in set(order))]
        raise lost.fail("is part of a ring of joints, expected a tree", "remove one joint of the ring")
    return order


def _origin(element: Element) -> Pose:
    origin = element.first("origin")
    if origin is None:
        return Pose()
    roll, pitch, yaw = origin.vector("rpy")
    return Pose.of(origin.vector("xyz"), ((Z, yaw), (Y, pitch), (X, roll)))


def _inertia(robot: Robot, link: Element) -> Inertia:
    element = link.first("inertial")
    if element is None:
        return Inertia()
    mass = element.first("mass")
    value = mass.number("value") if mass else 0.0
    tensor = element.first("inertia")
    six = [tensor.number(name) if tensor else 0.0 for name in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")]
    if value < 0.0 and mass:
        raise LuffError(Problem(f"found a mass of {value:g}, expected >= 0", str(link), "", mass.mark))
    J = rotations.inertia_matrix(six)
    made, least = without_negative_moments(Inertia(value, np.zeros(3), J))
    if least < -NOISE * value:
        why = f"a principal moment of {least:.3g} kg*m^2, which no body has, is zero here"
        robot.note("inertia", why, link.name, (tensor or element).mark)
    return made.seen_from(_origin(element))


def _joints(joint: Element) -> list[Joint]:
    kind = joint.required("type")
    if kind not in KINDS:
        message = f'type: found "{kind}", expected one of {", ".join(KINDS)}'
        raise joint.fail(message, did_you_mean(kind, KINDS, listed=True))
    name, mark = joint.name, joint.mark
    if kind == "fixed":
        return [Joint(name, "fixed", mark)]
    if kind == "floating":
        return [Joint(name, "free", mark)]
    axis = _axis(joint)
    dynamics = joint.first("dynamics")
    damping = dynamics.number("damping") if dynamics else 0.0
    friction = dynamics.number("friction") if dynamics else 0.0
    if kind == "planar":
        R = rotations.rotation_z_to(np.array(axis) / math.hypot(*axis))
        turns = ("prismatic", "x", R[:, 0]), ("prismatic", "y", R[:, 1]), ("revolute", "turn", R[:, 2])
        return [Joint(f"{name}_{one}", made, mark, axis=tuple(n)) for made, one, n in turns]
    lower, upper = _limits(joint, kind)
    return [
        Joint(
            name,
            "prismatic" if kind == "prismatic" else "revolute",
            mark,
            axis=axis,
            lower=lower,
            upper=upper,
            damping=damping,
            dry_friction=friction,
        )
    ]


def _mimic(robot: Robot, joint: Element) -> None:
    """Add the coupling of a joint that follows another: `multiplier` times its position, and `offset`."""
    mimic = joint.first("mimic")
    if mimic is None:
        return
    leader, plain = mimic.get("joint"), robot.joints()
    why = ""
    if leader == joint.name:
        why = "follows itself"
    elif leader not in plain:
        why = f'follows "{leader}", which is not a joint with one coordinate'
    elif joint.name not in plain or not {plain[joint.name].kind, plain[leader].kind} <= {
        "revolute",
        "prismatic",
    }:
        why = "joints of one coordinate alone follow each other"
    if why:
        robot.note("mimic", f"{why}; it moves freely here", joint.name, mimic.mark)
        return
    factors = mimic.number("offset"), mimic.number("multiplier", 1.0)
    robot.relations.append(Relation(f"{joint.name}_mimic", mimic.mark, joint.name, leader, factors))


def _axis(joint: Element) -> tuple[float, ...]:
    element = joint.first("axis")
    axis = element.vector("xyz", X) if element else X
    if not any(axis):
        raise joint.fail("found an axis of no length")
    return axis


def _limits(joint: Element, kind: str) -> tuple[float, float]:
    limit = joint.first("limit")
    if kind == "continuous" or limit is None:
        return -math.inf, math.inf
    lower, upper = limit.number("lower"), limit.number("upper")
    if lower == upper == 0.0 and not (limit.get("lower") or limit.get("upper")):
        return -math.inf, math.inf  # effort and velocity alone
    return lower, upper


def _not_taken(
    robot: Robot, root: Element, links: dict[str, Element], joints: dict[str, Element], touch: bool
) -> None:
    for joint in joints.values():
        limit = joint.first("limit")
        if limit is not None and (limit.number("effort") or limit.number("velocity")):
            robot.note("effort and velocity limit", "limit the drive that you wire", joint.name, limit.mark)
        for tag in ("safety_controller", "calibration"):
            if joint.first(tag) is not None:
                robot.note(tag.replace("_", " "), "belongs to the robot's controller", joint.name)
    for link in links.values():
        if link.first("collision") is not None and not touch:
            robot.note("collision geometry", "bodies pass through each other; --touch", link.name)
    counts = Counter(child.tag for child in root.children)
    for tag in counts:
        if tag not in ("link", "joint", "material"):
            why = LEFT_OUT.get(tag, "is not known")
            for element in root.all(tag):
                robot.note(tag, why, element.name or element.get("reference"), element.mark)
