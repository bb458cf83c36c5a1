"""MJCF -> the neutral tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from ...blocks.errors import did_you_mean
from ...blocks.geometry.inertia import Pose
from .mesh_files import MeshFiles
from .mjcf_classes import Classes, Compiler, with_includes
from .mjcf_looks import GeomLooks
from .mjcf_mass import Masses
from .robot import NOISE, WORLD, Body, Closure, Joint, Look, Relation, Robot, without_negative_moments
from .stops import felt_inertias
from .xml import Element

KINDS = {"hinge": "revolute", "slide": "prismatic", "ball": "spherical", "free": "free"}
TOP_LEFT_OUT = {
    "actuator": "drives are blocks of their own",
    "sensor": "sensors are blocks of their own",
    "tendon": "luff has none yet",
    "keyframe": "give `initial` in the netlist",
    "deformable": "luff has no such bodies",
    "extension": "belongs to another program",
}
MOST_REPLICAS = 1000
MOST_BODIES = 3000  # replicas multiply
MOST_PLACES = 50_000  # of elements and replicas, for the same reason
BODY_LEFT_OUT = ("composite", "flexcomp", "plugin")


@dataclass(frozen=True)
class Place:
    """Where the walk through the bodies is: frames and replicas nest inside a body."""

    body: int = WORLD
    frame: Pose = field(default_factory=Pose)
    inherited: str = ""  # the childclass around
    suffix: str = ""  # of names in a replica


def read_mjcf(root: Element, path: Path, meshes: MeshFiles) -> Robot:
    with_includes(root, path.parent, {path.resolve()})
    return Reader(root, path, meshes).read()


class Reader:
    def __init__(self, root: Element, path: Path, meshes: MeshFiles):
        self.root = root
        self.compiler, self.classes = Compiler.of(root), Classes(root)
        self.masses = Masses(self.compiler, self.classes, root, path.parent)
        self.looks = GeomLooks(self.masses, self.classes, root, meshes)
        self.robot = Robot(root.get("model") or path.stem, path.name)
        self.grounded: list[tuple[Pose, Element]] = []  # geoms of the world
        self.geoms: list[list[tuple[Pose, Element]]] = []  # of each body
        self.inertials: list[tuple[Pose, Element] | None] = []
        self.numbers: dict[str, int] = {"world": WORLD}
        self.sites: dict[str, tuple[int, Pose]] = {}
        self.joint_names: set[str] = set()
        self.mocap: set[int] = set()
        self.places = 0
        # by joint: time constant and damping ratio of its spring
        self.timed: dict[str, tuple[float, float]] = {}

    def read(self) -> Robot:
        self._options()
        for world in self.root.all("worldbody"):
            self._inside(world, Place(inherited=world.get("childclass")))
        if not self.robot.bodies:
            raise self.root.fail("has no body", "a file that others include is no model of its own")
        self._weigh()
        self._show()
        self._time_springs()
        for equality in self.root.all("equality"):
            for element in equality.children:
                self._equality(self.classes.full(element, ""))
        self._not_taken()
        return self.robot

    def _options(self) -> None:
        robot = self.robot
        robot.step = 2e-3  # where the file says nothing
        for option in self.root.all("option"):
            if option.get("gravity"):
                robot.gravity = option.vector("gravity")
            robot.step = option.number("timestep", robot.step)
            if robot.step <= 0.0:
                raise option.fail(f"timestep: found {robot.step:g}, expected a number above zero")
            for name in ("density", "viscosity", "wind"):
                if any(option.numbers(name, 1, 3) or []):
                    robot.note("fluid", "luff has no forces of air or water on bodies", name, option.mark)
            flag = option.first("flag")
            if flag is not None and flag.get("gravity") == "disable":
                robot.gravity = (0.0, 0.0, 0.0)

    # bodies

    def _inside(self, element: Element, place: Place) -> None:
        """What stands in a body, a frame or a replica."""
        for child in element.children:
            self._count(child)
            if child.tag == "body":
                self._body(child, place)
            elif child.tag == "frame":
                inner = place.frame @ self.compiler.pose(child)
                inherited = child.get("childclass") or place.inherited
                self._inside(child, replace(place, frame=inner, inherited=inherited))
            elif child.tag == "replicate":
                for copy in self._replicas(child, place):
                    self._inside(child, copy)
            elif child.tag in ("joint", "freejoint"):
                self._joint(child, place)
            elif child.tag in ("geom", "inertial", "site"):
                self._attached(child, place)
            elif child.tag in BODY_LEFT_OUT:
                self.robot.note(child.tag, "luff has no such bodies", child.name, child.mark)
            elif child.tag == "attach":
                fix = "save the model whole from MuJoCo (mj_saveLastXML) and import that"
                raise child.fail("attaches another model, which luff does not read", fix)

    def _count(self, element: Element) -> None:
        self.places += 1
        if self.places > MOST_PLACES:
            raise element.fail(f"its replicas make more than {MOST_PLACES} elements", "use fewer")

    def _replicas(self, element: Element, place: Place) -> Iterator[Place]:
        count = int(element.number("count"))
        if not 1 <= count <= MOST_REPLICAS:
            raise element.fail(f"count: found {count}, expected 1 to {MOST_REPLICAS}")
        step = Pose.of(element.vector("offset"), self.compiler.turns(element))
        frame = Pose()
        for k in range(count):
            self._count(element)
            name = f"{element.get('sep')}{k:0{len(str(count - 1))}d}"
            yield replace(place, frame=place.frame @ frame, suffix=name + place.suffix)
            frame = frame @ step

    def _body(self, element: Element, place: Place) -> None:
        number = len(self.robot.bodies)
        if number >= MOST_BODIES:
            raise element.fail(f"found more than {MOST_BODIES} bodies")
        name = (element.name or f"body_{number + 1}") + (place.suffix if element.name else "")
        if element.name and name in self.numbers:
            raise element.fail("there is a body of this name already", "rename one of them")
        self.numbers[name] = number
        pose = place.frame @ self.compiler.pose(element)
        self.robot.bodies.append(Body(name, place.body, element.mark, pose))
        self.geoms.append([])
        self.inertials.append(None)
        if element.number("gravcomp"):
            self.robot.note("gravity compensation", "luff has none", name, element.mark)
        if element.flag("mocap", False):
            self.mocap.add(number)
            self.robot.note("mocap", "the body stands still", name, element.mark)
        inherited = element.get("childclass") or place.inherited
        self._inside(element, Place(number, Pose(), inherited, place.suffix))

    def _attached(self, element: Element, place: Place) -> None:
        if element.tag == "inertial":
            if place.body != WORLD:
                self.inertials[place.body] = place.frame, element
            return
        full = self.classes.full(element, place.inherited)
        if element.tag == "site":
            if element.name:
                self.sites[element.name + place.suffix] = place.body, place.frame @ self.compiler.pose(full)
        else:
            geoms = self.grounded if place.body == WORLD else self.geoms[place.body]
            geoms.append((place.frame, full))

    def _weigh(self) -> None:
        """Masses of all bodies, now that the geoms of each are known."""
        how = self.compiler.from_geoms
        for body, geoms, inertial in zip(self.robot.bodies, self.geoms, self.inertials, strict=True):
            if inertial is not None and how != "true":
                frame, element = inertial
                body.inertia = self.masses.inertial(element).seen_from(frame)
            elif how != "false":
                body.inertia = self.masses.of_geoms(geoms)
            found, least = without_negative_moments(self.masses.bounded(body.inertia))
            if least < -NOISE * found.mass:
                why = f"a principal moment of {least:.3g} kg*m^2, which no body has, is zero here"
                self.robot.note("inertia", why, body.name, body.mark)
            body.inertia = found
            if geoms:
                self.robot.note("geoms", "bodies pass through each other", body.name)
        total = sum(body.inertia.mass for body in self.robot.bodies)
        if self.compiler.total_mass > 0.0 and total > 0.0:
            for body in self.robot.bodies:
                body.inertia = body.inertia.scaled(self.compiler.total_mass / total)

    def _show(self) -> None:
        for body, geoms in zip(self.robot.bodies, self.geoms, strict=True):
            body.looks = self._looks(geoms, body.name)
        self.robot.grounded = self._looks(self.grounded, "world")

    def _looks(self, geoms: list[tuple[Pose, Element]], name: str) -> list[Look]:
        leave = partial(self.robot.note, "look of geoms", name=name)
        found = (self.looks.of(frame, geom, leave) for frame, geom in geoms)
        return [look for look in found if look is not None]

    # joints

    def _joint(self, element: Element, place: Place) -> None:
        if place.body == WORLD:
            raise element.fail("found a joint of the world", "put it into a body")
        body = self.robot.bodies[place.body]
        free = element.tag == "freejoint"
        full = element if free else self.classes.full(element, place.inherited)
        kind = "free" if free else full.get("type") or "hinge"
        if kind not in KINDS:
            message = f'type: found "{kind}", expected {", ".join(KINDS)}'
            raise element.fail(message, did_you_mean(kind, KINDS, listed=True))
        name = self._joint_name(element, body, place)
        joint = Joint(name, KINDS[kind], element.mark)
        body.joints.append(joint)
        if kind == "free" and body.parent != WORLD:
            raise element.fail("found a free joint in a body that another one carries", "use it at the top")
        if free:
            return
        if kind != "free":
            joint.at = place.frame.at + place.frame.R @ full.vector("pos")
            joint.axis = tuple((place.frame.R @ full.vector("axis", (0.0, 0.0, 1.0))).tolist())
            if not any(joint.axis):
                raise element.fail("axis: found a direction of no length")
        self._law(joint, full, kind)

    def _joint_name(self, element: Element, body: Body, place: Place) -> str:
        name = element.name + place.suffix if element.name else f"{body.name}_joint"
        stem, count = name, 2
        while name in self.joint_names:
            name, count = f"{stem}_{count}", count + 1
        self.joint_names.add(name)
        return name

    def _law(self, joint: Joint, full: Element, kind: str) -> None:
        """Springs, dampers, friction and stops."""
        note, turns = self.robot.note, kind in ("hinge", "ball")
        stiffness, damping = (full.numbers(name, 1, 3) or [0.0] for name in ("stiffness", "damping"))
        if any(stiffness[1:]) or any(damping[1:]):
            note("nonlinear spring or damper", "only the linear part is here", joint.name, full.mark)
        time, ratio = full.numbers("springdamper", 2) or (0.0, 0.0)
        if time > 0.0 and ratio > 0.0:
            self.timed[joint.name] = time, ratio
        if full.number("armature") and kind in ("hinge", "slide"):
            joint.armature = full.number("armature")
        elif full.number("armature"):
            note("armature", "only revolute and prismatic joints have one", joint.name, full.mark)
        if kind == "free":
            joint.damping = damping[0]
            if stiffness[0]:
                note("spring of a free joint", "use a bushing", joint.name, full.mark)
            return
        joint.stiffness, joint.damping = stiffness[0], damping[0]
        ref = full.number("ref")
        rest = full.number("springref") - ref
        joint.rest = self.compiler.angle(rest) if turns else rest
        friction = full.number("frictionloss")
        if kind == "ball":
            if joint.stiffness:
                note("spring of a ball joint", "acts on the three angles here", joint.name, full.mark)
            if friction:
                note("friction of a ball joint", "luff has none", joint.name, full.mark)
        else:
            joint.dry_friction = friction
        if not self._limited(full):
            return
        lower, upper = full.numbers("range", 2) or [0.0, 0.0]
        if kind == "ball":
            note("limits of a ball joint", "luff has none", joint.name, full.mark)
            return
        ends = (lower - ref, upper - ref)
        joint.lower, joint.upper = (self.compiler.angle(end) if turns else end for end in ends)

    def _limited(self, full: Element) -> bool:
        limited = full.get("limited") or "auto"
        if limited == "auto":
            return self.compiler.auto_limits and bool(full.get("range"))
        return limited == "true"

    def _time_springs(self) -> None:
        """`springdamper`: stiffness and damping from what the joint feels, inertias of rotors included."""
        felt = felt_inertias(self.robot) if self.timed else {}
        for body in self.robot.bodies:
            for joint in body.joints:
                if joint.name in self.timed and joint.name in felt:
                    time, ratio = self.timed[joint.name]
                    joint.stiffness = felt[joint.name] / (time * ratio) ** 2
                    joint.damping = 2.0 * felt[joint.name] / time
                elif joint.name in self.timed:
                    self.robot.note("springdamper", "of a ball joint", joint.name, joint.mark)

    # constraints

    def _equality(self, element: Element) -> None:
        count = len(self.robot.closures) + len(self.robot.relations) + 1
        name = element.name or f"{element.tag}_{count}"
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
        """One joint as a polynomial of another, both counted from where the file draws them."""
        joints = self.robot.joints()
        ends = [element.needed("joint1"), element.get("joint2")]
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
        """Where a weld holds b in a: as the file says, or as they stand."""
        given = element.numbers("relpose", 7)
        if not given or not any(given[3:]):
            return in_a
        inner = Element("weld", {"quat": " ".join(map(repr, given[3:]))}, element.mark)
        return Pose.of(tuple(given[:3]), self.compiler.turns(inner))

    def _site(self, element: Element, key: str) -> tuple[int, Pose]:
        name = element.needed(key)
        if name not in self.sites:
            raise element.fail(f'{key}: there is no site "{name}"', did_you_mean(name, self.sites))
        return self.sites[name]

    def _number(self, element: Element, name: str) -> int:
        if name not in self.numbers:
            raise element.fail(f'there is no body "{name}"', did_you_mean(name, self.numbers))
        return self.numbers[name]

    def _zero(self, number: int) -> Pose:
        """Where a body stands in the world, with all joints at zero."""
        pose = Pose()
        while number != WORLD:
            body = self.robot.bodies[number]
            number, pose = body.parent, body.pose @ pose
        return pose

    def _not_taken(self) -> None:
        for tag, why in TOP_LEFT_OUT.items():
            for section in self.root.all(tag):
                for element in section.children:
                    what = tag if tag in ("actuator", "sensor", "tendon", "keyframe") else element.tag
                    self.robot.note(what, why, element.name or element.get("joint"), element.mark)
        for section in self.root.all("contact"):
            for element in section.children:
                self.robot.note(
                    "contact", "write those with a plane as contact blocks", element.name, element.mark
                )
