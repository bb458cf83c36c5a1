"""Reader of MJCF into the neutral tree."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from pathlib import Path

from ...blocks.errors import did_you_mean
from ...blocks.geometry.mass_properties import Inertia, Pose
from .end_stop_stiffness import effective_joint_inertias
from .located_xml import Element
from .mesh_files import MeshFiles
from .mjcf_attach import Kit, named_body, sub_model
from .mjcf_defaults import with_includes
from .mjcf_equality import Equalities
from .robot_tree import NOISE, WORLD, Body, Joint, Robot, VisualShape, without_negative_moments

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
Geom = tuple[Kit, Pose, Element]  # how its file is read, the frame around it, itself with its defaults


@dataclass(frozen=True)
class BodyScope:
    """Present place in the walk through the bodies: frames and replicas nest inside a body."""

    body: int = WORLD
    frame: Pose = field(default_factory=Pose)
    inherited: str = ""  # the childclass around
    suffix: str = ""  # of names in a replica


def read_mjcf(root: Element, path: Path, meshes: MeshFiles) -> Robot:
    with_includes(root, path.parent, {path.resolve()})
    return Reader(root, path, meshes).read()


class Reader(Equalities):
    def __init__(self, root: Element, path: Path, meshes: MeshFiles):
        self.root, self.meshes = root, meshes
        self.chain = (path.resolve(),)  # of the files of models that are attached to one another
        self.prefix = ""  # of all names in what is attached
        self.kit = Kit.of(root, path, meshes)
        self.robot = Robot(root.get("model") or path.stem, path.name)
        self.grounded: list[Geom] = []  # of the world
        self.geoms: list[list[Geom]] = []  # of each body
        self.inertials: list[Geom | None] = []
        self.kits: list[Kit] = []  # of each body
        self.numbers: dict[str, int] = {"world": WORLD}
        self.sites: dict[str, tuple[int, Pose]] = {}
        self.joint_names: set[str] = set()
        self.mocap: set[int] = set()
        self.places = count()
        # by joint: time constant and damping ratio of its spring
        self.timed: dict[str, tuple[float, float]] = {}
        self.attached: list[Reader] = []

    def read(self) -> Robot:
        self._options()
        for world in self.root.all("worldbody"):
            self._inside(world, BodyScope(inherited=world.get("childclass")))
        if not self.robot.bodies:
            raise self.root.fail("has no body", "a file that others include is not a model by itself")
        self._weigh()
        self._show()
        self._time_springs()
        for part in (self, *self.attached):
            part.read_equalities()
            part._not_taken()
        return self.robot

    def _attach(self, element: Element, place: BodyScope) -> None:
        """A body of another model, or all that stands in its world, with the prefix in its names."""
        part = copy(self)
        part.root, path = sub_model(self.root, element, self.chain)
        part.chain, part.prefix = (*self.chain, path), self.prefix + element.needed("prefix")
        part.kit = Kit.of(part.root, path, self.meshes)
        self.attached.append(part)
        body, inner = named_body(part.root, element), replace(place, inherited="")
        if body is not None:
            part._body(body, inner)
            return
        for world in part.root.all("worldbody"):
            part._inside(world, replace(inner, inherited=world.get("childclass")))

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

    def _inside(self, element: Element, place: BodyScope) -> None:
        """Read the children of a body, a frame or a replica."""
        for child in element.children:
            self._count(child)
            if child.tag == "body":
                self._body(child, place)
            elif child.tag == "frame":
                inner = place.frame @ self.kit.compiler.pose(child)
                inherited = child.get("childclass") or place.inherited
                self._inside(child, replace(place, frame=inner, inherited=inherited))
            elif child.tag == "replicate":
                for replica in self._replicas(child, place):
                    self._inside(child, replica)
            elif child.tag in ("joint", "freejoint"):
                self._joint(child, place)
            elif child.tag in ("geom", "inertial", "site"):
                self._attached(child, place)
            elif child.tag in BODY_LEFT_OUT:
                self.robot.note(child.tag, "luff has no such bodies", child.name, child.mark)
            elif child.tag == "attach":
                self._attach(child, place)

    def _count(self, element: Element) -> None:
        if next(self.places) >= MOST_PLACES:
            raise element.fail(f"its replicas make more than {MOST_PLACES} elements", "use fewer")

    def _replicas(self, element: Element, place: BodyScope) -> Iterator[BodyScope]:
        replicas = int(element.number("count"))
        if not 1 <= replicas <= MOST_REPLICAS:
            raise element.fail(f"count: found {replicas}, expected 1 to {MOST_REPLICAS}")
        step = Pose.of(element.vector("offset"), self.kit.compiler.turns(element))
        frame = Pose()
        for k in range(replicas):
            self._count(element)
            name = f"{element.get('sep')}{k:0{len(str(replicas - 1))}d}"
            yield replace(place, frame=place.frame @ frame, suffix=name + place.suffix)
            frame = frame @ step

    def _body(self, element: Element, place: BodyScope) -> None:
        number = len(self.robot.bodies)
        if number >= MOST_BODIES:
            raise element.fail(f"found more than {MOST_BODIES} bodies")
        name = self._name(element, place) if element.name else f"body_{number + 1}"
        if element.name and name in self.numbers:
            raise element.fail("there is a body of this name already", "rename one of them")
        self.numbers[name] = number
        pose = place.frame @ self.kit.compiler.pose(element)
        self.robot.bodies.append(Body(name, place.body, element.mark, pose))
        self.geoms.append([])
        self.inertials.append(None)
        self.kits.append(self.kit)
        if element.number("gravcomp"):
            self.robot.note("gravity compensation", "luff has none", name, element.mark)
        if element.flag("mocap", False):
            self.mocap.add(number)
            self.robot.note("mocap", "the body stands still", name, element.mark)
        inherited = element.get("childclass") or place.inherited
        self._inside(element, BodyScope(number, Pose(), inherited, place.suffix))

    def _name(self, element: Element, place: BodyScope) -> str:
        return self.prefix + element.name + place.suffix

    def _attached(self, element: Element, place: BodyScope) -> None:
        if element.tag == "inertial":
            if place.body != WORLD:
                self.inertials[place.body] = self.kit, place.frame, element
            return
        full = self.kit.classes.full(element, place.inherited)
        if element.tag == "site":
            if element.name:
                self.sites[self._name(element, place)] = (
                    place.body,
                    place.frame @ self.kit.compiler.pose(full),
                )
        else:
            geoms = self.grounded if place.body == WORLD else self.geoms[place.body]
            geoms.append((self.kit, place.frame, full))

    def _weigh(self) -> None:
        """Masses of all bodies, now that the geoms of each are known."""
        each = zip(self.robot.bodies, self.geoms, self.inertials, self.kits, strict=True)
        for body, geoms, inertial, kit in each:
            how = kit.compiler.from_geoms
            if inertial is not None and how != "true":
                own, frame, element = inertial
                body.inertia = own.masses.inertial(element).seen_from(frame)
            elif how != "false":
                body.inertia = sum((own.masses.of_geom(frame, geom) for own, frame, geom in geoms), Inertia())
            mended, least = without_negative_moments(kit.masses.bounded(body.inertia))
            if least < -NOISE * mended.mass:
                why = f"a principal moment of {least:.3g} kg*m^2, which no body has, is zero here"
                self.robot.note("inertia", why, body.name, body.mark)
            body.inertia = mended
            if geoms:
                self.robot.note("geoms", "bodies pass through each other", body.name)
        total = sum(body.inertia.mass for body in self.robot.bodies)
        wanted = self.kit.compiler.total_mass
        if wanted > 0.0 and total > 0.0:
            for body in self.robot.bodies:
                body.inertia = body.inertia.scaled(wanted / total)

    def _show(self) -> None:
        for body, geoms in zip(self.robot.bodies, self.geoms, strict=True):
            body.looks = self._looks(geoms, body.name)
        self.robot.grounded = self._looks(self.grounded, "world")

    def _looks(self, geoms: list[Geom], name: str) -> list[VisualShape]:
        leave = partial(self.robot.note, "look of geoms", name=name)
        looks = (kit.looks.of(frame, geom, leave) for kit, frame, geom in geoms)
        return [look for look in looks if look is not None]

    # joints

    def _joint(self, element: Element, place: BodyScope) -> None:
        if place.body == WORLD:
            raise element.fail("found a joint of the world", "put it into a body")
        body = self.robot.bodies[place.body]
        free = element.tag == "freejoint"
        full = element if free else self.kit.classes.full(element, place.inherited)
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

    def _joint_name(self, element: Element, body: Body, place: BodyScope) -> str:
        name = self._name(element, place) if element.name else f"{body.name}_joint"
        stem, number = name, 2
        while name in self.joint_names:
            name, number = f"{stem}_{number}", number + 1
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
        joint.rest = self.kit.compiler.angle(rest) if turns else rest
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
        joint.lower, joint.upper = (self.kit.compiler.angle(end) if turns else end for end in ends)

    def _limited(self, full: Element) -> bool:
        limited = full.get("limited") or "auto"
        if limited == "auto":
            return self.kit.compiler.auto_limits and bool(full.get("range"))
        return limited == "true"

    def _time_springs(self) -> None:
        """`springdamper`: stiffness and damping from what the joint feels, inertias of rotors included."""
        felt = effective_joint_inertias(self.robot) if self.timed else {}
        for body in self.robot.bodies:
            for joint in body.joints:
                if joint.name in self.timed and joint.name in felt:
                    time, ratio = self.timed[joint.name]
                    joint.stiffness = felt[joint.name] / (time * ratio) ** 2
                    joint.damping = 2.0 * felt[joint.name] / time
                elif joint.name in self.timed:
                    self.robot.note("springdamper", "of a ball joint", joint.name, joint.mark)

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
