"""Equality constraints of MJCF: bodies or sites that are joined, joints that follow one another."""

from __future__ import annotations

import numpy as np

from ...blocks.errors import did_you_mean
from ...blocks.geometry.mass_properties import Pose
from .located_xml import Element
from .mjcf_attach import Kit
from .robot_tree import WORLD, Closure, Relation, Robot


class Equalities:
    """The part of a reader that knows all bodies; `prefix` is that of the names of an attached model."""

    root: Element
    robot: Robot
    kit: Kit
    prefix: str
    numbers: dict[str, int]
    sites: dict[str, tuple[int, Pose]]
    joint_names: set[str]
    mocap: set[int]

    def read_equalities(self) -> None:
        for equality in self.root.all("equality"):
            for element in equality.children:
                self._equality(self.kit.classes.full(element, ""))

    def _equality(self, element: Element) -> None:
        number = len(self.robot.closures) + len(self.robot.relations) + 1
        name = self.prefix + element.name if element.name else f"{element.tag}_{number}"
        if self.prefix and not self._whole(element):
            return  # it holds what was not attached
        if element.tag not in ("connect", "weld", "joint"):
            self.robot.note(f"{element.tag} equality", "luff has no such constraint", name, element.mark)
            return
        if not element.flag("active", True):
            self.robot.note(f"{element.tag} equality", "it is not active", name, element.mark)
            return
        if element.tag == "joint":
            self._joint_equality(element, name)
            return
        if element.get("site1"):
            (a, pose_a), (b, pose_b) = (self._site(element, key) for key in ("site1", "site2"))
        else:
            a = self._number(element, element.needed("body1"))
            b = self._number(element, element.get("body2") or "world")
            in_a = self._zero(a).inverse() @ self._zero(b)  # b's frame in a, with all joints at zero
            if element.tag == "connect":
                anchor = np.array(element.vector("anchor"))
                pose_a, pose_b = Pose(anchor), Pose(in_a.R.T @ (anchor - in_a.at))
            else:
                pose_a, pose_b = self._relative(element, in_a), Pose()
        if self.mocap & {a, b}:
            self.robot.note(
                f"{element.tag} to a mocap body", "it would hold the model fast", name, element.mark
            )
            return
        self.robot.closures.append(Closure(name, element.tag, element.mark, a, b, pose_a, pose_b))

    def _joint_equality(self, element: Element, name: str) -> None:
        """Add a joint as a polynomial of another, both counted from the pose in which the file draws them."""
        joints = self.robot.joints()
        ends = [self.prefix + element.needed("joint1")]
        ends.append(self.prefix + element.get("joint2") if element.get("joint2") else "")
        for end in filter(None, ends):
            if end not in joints:
                raise element.fail(f'there is no joint "{end}"', did_you_mean(end, joints))
            if joints[end].kind not in ("revolute", "prismatic"):
                raise element.fail(f'"{end}" is {joints[end].kind}, expected a hinge or a slide')
        if ends[0] == ends[1]:
            raise element.fail(f'found "{ends[0]}" as both joints', "name two joints")
        given = element.numbers("polycoef", 1, 5) or []
        factors = (*given, *(0.0, 1.0, 0.0, 0.0, 0.0)[len(given) :])
        factors = factors if ends[1] else factors[:1]
        self.robot.relations.append(Relation(name, element.mark, ends[0], ends[1], factors))

    def _relative(self, element: Element, in_a: Pose) -> Pose:
        """Pose of b in a that a weld holds: as the file says, or as they stand."""
        given = element.numbers("relpose", 7)
        if not given or not any(given[3:]):
            return in_a
        inner = Element("weld", {"quat": " ".join(map(repr, given[3:]))}, element.mark)
        return Pose.of(tuple(given[:3]), self.kit.compiler.turns(inner))

    def _site(self, element: Element, key: str) -> tuple[int, Pose]:
        name = self.prefix + element.needed(key)
        if name not in self.sites:
            raise element.fail(f'{key}: there is no site "{name}"', did_you_mean(name, self.sites))
        return self.sites[name]

    def _whole(self, element: Element) -> bool:
        """True if everything that an equality names was attached."""
        known = {"body": self.numbers, "site": self.sites, "joint": self.joint_names}
        named = ((kind, element.get(f"{kind}{k}")) for kind in known for k in (1, 2))
        return all(self.prefix + name in known[kind] for kind, name in named if name and name != "world")

    def _number(self, element: Element, name: str) -> int:
        name = name if name == "world" else self.prefix + name
        if name not in self.numbers:
            raise element.fail(f'there is no body "{name}"', did_you_mean(name, self.numbers))
        return self.numbers[name]

    def _zero(self, number: int) -> Pose:
        """Pose of a body in the world with all joints at zero."""
        pose = Pose()
        while number != WORLD:
            body = self.robot.bodies[number]
            number, pose = body.parent, body.pose @ pose
        return pose
