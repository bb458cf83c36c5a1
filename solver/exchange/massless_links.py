"""The neutral tree as luff needs it: bodies without mass become frames, joints that carry no mass are held."""

from __future__ import annotations

from ...blocks.geometry.mass_properties import Pose
from .robot_tree import WORLD, Body, Robot
from .urdf_shapes import moved_shape

Frames = dict[int, dict[str, Pose]]  # by number of the body that carries them


def remove_massless_links(robot: Robot) -> Frames:
    """Takes bodies out of `robot.bodies`; what remains of them are the frames, by name, that are returned."""
    _hold_massless(robot)
    frames: Frames = {}
    new = {WORLD: (WORLD, Pose())}  # kept body, and where the old one's frame stands in it
    kept: list[Body] = []
    for k, body in enumerate(robot.bodies):
        parent, pose = new[body.parent]
        body.pose = pose @ body.pose
        moves = any(joint.kind != "fixed" for joint in body.joints)
        stands = parent == WORLD and body.name != "world"  # a root of that name is luff's world
        if body.inertia.mass > 0.0 or moves or stands:
            new[k] = len(kept), Pose()
            kept.append(body)
        else:
            new[k] = parent, body.pose
            if parent == WORLD:
                robot.grounded += moved_shape(body.looks, body.pose)
            else:
                kept[parent].looks += moved_shape(body.looks, body.pose)
            frames.setdefault(parent, {})[body.name] = body.pose
        body.parent = parent
    for closure in robot.closures:
        closure.body_a, at = new[closure.body_a]
        closure.pose_a = at @ closure.pose_a
        closure.body_b, at = new[closure.body_b]
        closure.pose_b = at @ closure.pose_b
    robot.bodies = kept
    return frames


def _hold_massless(robot: Robot) -> None:
    """A joint with no mass behind it has no equation of motion."""
    carried = [body.inertia.mass for body in robot.bodies]
    for k in range(len(robot.bodies) - 1, -1, -1):
        parent = robot.bodies[k].parent
        if parent != WORLD:
            carried[parent] += carried[k]
    for body, mass in zip(robot.bodies, carried, strict=True):
        moving = [joint for joint in body.joints if joint.kind != "fixed"]
        if mass == 0.0 and moving:
            for joint in moving:
                robot.note("motion", "the joint carries no mass and is held at zero", joint.name, joint.mark)
            body.joints = []
    left = robot.joints()
    for relation in list(robot.relations):
        gone = [name for name in (relation.follower, relation.leader) if name and name not in left]
        if gone:
            why = f"{gone[0]} carries no mass and is held at zero: the other one moves freely here"
            robot.note("relation between joints", why, relation.name, relation.mark)
            robot.relations.remove(relation)
