"""The neutral tree as luff needs it: no freedom twice, bodies without mass as frames, joints that carry none held."""

from __future__ import annotations

from ...blocks.geometry.mass_properties import Pose
from .robot_tree import WORLD, Body, Closure, Joint, Robot
from .urdf_shapes import moved_shape

Frames = dict[int, dict[str, Pose]]  # by number of the body that carries them


def drop_free_joints(robot: Robot) -> None:
    """Hang a free body that a connect or weld holds on what holds it: the same motion, without six coordinates."""
    for k, body in enumerate(robot.bodies):
        if (
            body.parent != WORLD
            or [joint.kind for joint in body.joints] != ["free"]
            or body.joints[0].damping
        ):
            continue
        holding = [one for one in robot.closures if _closure_holds(robot, one, k)]
        if holding:
            _hang_on_closure(robot, k, min(holding, key=lambda one: one.kind != "weld"))
    _put_in_order(robot)


def _closure_holds(robot: Robot, closure: Closure, k: int) -> bool:
    """Says whether a closure joins body k to one that k does not carry."""
    ends = (closure.body_a, closure.body_b)
    other = ends[ends[0] == k]
    while other not in (k, WORLD):
        other = robot.bodies[other].parent
    return k in ends and other != k


def _hang_on_closure(robot: Robot, k: int, closure: Closure) -> None:
    body, at_a = robot.bodies[k], closure.body_a == k
    own, its = (closure.pose_a, closure.pose_b) if at_a else (closure.pose_b, closure.pose_a)
    other = closure.body_b if at_a else closure.body_a
    why = f"{closure.name} carries the body instead, with the same motion"
    robot.note("free joint", why, body.joints[0].name, body.joints[0].mark)
    if closure.kind == "weld":
        body.pose, body.joints = its @ own.inverse(), []
    else:
        R = robot.at_zero(other).R.T @ robot.at_zero(k).R  # as they are drawn
        body.pose = Pose(its.at - R @ own.at, R)
        body.joints = [Joint(closure.name, "spherical", closure.mark, at=own.at)]
    body.parent = other
    robot.closures.remove(closure)


def _put_in_order(robot: Robot) -> None:
    """Parents before their children."""
    order: list[int] = []
    waiting = [WORLD]
    while waiting:
        k = waiting.pop()
        order += [k] if k != WORLD else []
        waiting += reversed(robot.children(k))
    new = {WORLD: WORLD, **{old: k for k, old in enumerate(order)}}
    robot.bodies = [robot.bodies[k] for k in order]
    for body in robot.bodies:
        body.parent = new[body.parent]
    for closure in robot.closures:
        closure.body_a, closure.body_b = new[closure.body_a], new[closure.body_b]


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
        if body.inertia.mass > 0.0 or body.inertia.about_com.any() or moves or stands:
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
    """A joint with neither mass nor moment of inertia behind it has no equation of motion."""
    mass = [body.inertia.mass for body in robot.bodies]
    turning = [body.inertia.about_com.any() for body in robot.bodies]
    for k in range(len(robot.bodies) - 1, -1, -1):
        parent = robot.bodies[k].parent
        if parent != WORLD:
            mass[parent] += mass[k]
            turning[parent] |= turning[k]
    for k, body in enumerate(robot.bodies):
        moving = [joint for joint in body.joints if joint.kind != "fixed"]
        turns = turning[k] and all(joint.kind in ("revolute", "spherical") for joint in moving)
        if mass[k] == 0.0 and not turns and moving:
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
    for drive in robot.drives:
        drive.arms = {name: arm for name, arm in drive.arms.items() if name in left}
    robot.drives = [drive for drive in robot.drives if drive.arms]
