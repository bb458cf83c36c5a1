"""MJCF -> the neutral tree, from the model as MuJoCo compiles it (`mjcf_files.compiled`)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ...blocks.geometry import rotations
from ...blocks.geometry.mass_properties import Inertia, Pose
from .located_xml import LARGEST, Element
from .mesh_files import MeshFiles
from .mjcf_files import ModelFiles, compiled
from .robot_tree import (
    NOISE,
    SOLIMP,
    SOLREF,
    WORLD,
    Body,
    Bounds,
    Closure,
    Drive,
    Joint,
    Relation,
    Robot,
    Surface,
    VisualShape,
    without_negative_moments,
)
from .urdf_shapes import hex_colour

KINDS = {"hinge": "revolute", "slide": "prismatic", "ball": "spherical", "free": "free"}
LEFT_OUT = {
    "sensor": "sensors are blocks of their own",
    "keyframe": "give `initial` in the netlist",
    "flex": "luff has no such bodies",
    "plugin": "belongs to another program",
}
SHOWN = 2  # the last group of geoms that MuJoCo's own viewer shows
# tables whose entries have to be finite
NUMBERS = (
    *("body_", "jnt_", "dof_", "geom_", "eq_", "actuator_", "tendon_", "wrap_", "hfield_"),
    *("qpos", "gravity", "timestep"),
)
ROUNDED = 1e-15  # m, of the place of a mesh, which MuJoCo moves to its centre
PASSIVE = ("stiffness", "damping", "frictionloss", "armature", "limited", "actfrclimited")  # of tendons
SOFT = "its springs, dampers, friction, rotors and limits are left out"
DRAWN = {"box": 3, "sphere": 1, "cylinder": 2, "capsule": 2}  # entries of a geom's size


def read_mjcf(
    root: Element, path: Path, meshes: MeshFiles, files: Iterable[Path] = (), touch: bool = False
) -> Robot:
    """Read one model; `files` are further folders from which it may take its parts; with `touch` its geoms do."""
    sources = ModelFiles.of(root, path, files)
    return MjcfReader(root, path, sources, meshes, touch).read()


class MjcfReader:
    """Converter of MuJoCo's compiled model to a robot tree; MuJoCo's body 0, the world, is `WORLD` here."""

    def __init__(
        self, root: Element, path: Path, sources: ModelFiles, meshes: MeshFiles, touch: bool = False
    ):
        self.root, self.sources, self.meshes, self.touch = root, sources, meshes, touch
        self.m = compiled(sources)
        named = self.m["model"] if root.get("model") else path.stem
        self.robot = Robot(named, path.name)
        self.joint_names: list[str] = []

    def read(self) -> Robot:
        self._finite()
        self._options()
        if len(self.m["body"]) < 2:
            raise self.root.fail("has no body", "a file that others include is not a model by itself")
        self._bodies()
        self._joints()
        self._geoms()
        self._equalities()
        for k in range(len(self.m["actuator"])):
            self._actuator(k)
        self._note_ignored()
        return self.robot

    def table(self, name: str) -> np.ndarray:
        return np.array(self.m[name], float)

    def _finite(self) -> None:
        for name, values in self.m.items():
            if name.startswith(NUMBERS):
                numbers = np.array(values, float)
                if not np.all(np.abs(numbers) <= LARGEST):
                    raise self.root.fail(f"{name}: found numbers that are none, or beyond {LARGEST:g}")

    def _options(self) -> None:
        robot = self.robot
        robot.step = self.m["timestep"]
        robot.gravity = (0.0, 0.0, 0.0) if self.m["weightless"] else tuple(self.m["gravity"])
        if not robot.step > 0.0:
            raise self.root.fail(f"option: timestep: found {robot.step:g}, expected a number above zero")
        for name, value in self.m["fluid"].items():
            if value:
                robot.note("fluid", "luff has no forces of air or water on bodies", name)

    def _bodies(self) -> None:
        m = self.m
        for k, (name, info) in enumerate(m["body"][1:], 1):
            name = name or f"body_{k}"
            body = Body(name, m["body_parentid"][k] - 1, self.sources.mark("body", name, info))
            body.pose = pose(m["body_pos"][k], m["body_quat"][k])
            R = pose((0, 0, 0), m["body_iquat"][k]).R
            J = R @ np.diag(m["body_inertia"][k]) @ R.T
            inertia = Inertia(m["body_mass"][k], np.array(m["body_ipos"][k]), (J + J.T) / 2.0)
            body.inertia, least = without_negative_moments(inertia)
            if least < -NOISE * inertia.mass:
                why = f"a principal moment of {least:.3g} kg*m^2, which no body has, is zero here"
                self.robot.note("inertia", why, name, body.mark)
            if m["body_gravcomp"][k]:
                self.robot.note("gravity compensation", "luff has none", name, body.mark)
            if m["body_mocapid"][k] >= 0:
                self.robot.note("mocap", "the body stands still", name, body.mark)
            self.robot.bodies.append(body)

    def _joints(self) -> None:
        m, taken = self.m, {name for name, _ in self.m["joint"]}
        for k, (given, info) in enumerate(m["joint"]):
            body = self.robot.bodies[m["jnt_bodyid"][k] - 1]
            name, number = given or f"{body.name}_joint", 2
            while not given and name in taken:
                name, number = f"{body.name}_joint_{number}", number + 1
            taken.add(name)
            self.joint_names.append(name)
            kind = m["mjtJoint"][str(m["jnt_type"][k])]
            tag = "freejoint" if kind == "free" else "joint"
            joint = Joint(name, KINDS[kind], self.sources.mark(tag, given, info))
            if kind != "free":
                joint.at, joint.axis = np.array(m["jnt_pos"][k]), tuple(m["jnt_axis"][k])
            self._joint_law(joint, k, kind)
            body.joints.append(joint)

    def _joint_law(self, joint: Joint, k: int, kind: str) -> None:
        """Springs, dampers, rotors, friction and stops of joint number k."""
        m, dof, plain = self.m, self.m["jnt_dofadr"][k], kind in ("hinge", "slide")

        def note(what: str, why: str) -> None:
            self.robot.note(what, why, joint.name, joint.mark)

        joint.damping, stiffness = m["dof_damping"][dof], m["jnt_stiffness"][k]
        further = [*np.ravel(m.get("jnt_stiffnesspoly", [[0.0]])[k : k + 1])]
        further += [*np.ravel(m.get("dof_dampingpoly", [[0.0]])[dof : dof + 1])]
        if any(further):
            note("nonlinear spring or damper", "only the linear part is here")
        if plain:
            joint.armature, joint.dry_friction = m["dof_armature"][dof], m["dof_frictionloss"][dof]
        elif m["dof_armature"][dof]:
            note("armature", "only revolute and prismatic joints have one")
        if kind == "free":
            if stiffness:
                note("spring of a free joint", "use a bushing")
            return
        joint.stiffness = stiffness
        if kind == "ball":
            for value, what, why in (
                (stiffness, "spring of a ball joint", "acts on the three angles here"),
                (m["dof_frictionloss"][dof], "friction of a ball joint", "luff has none"),
                (m["jnt_limited"][k], "limits of a ball joint", "luff has none"),
            ):
                if value:
                    note(what, why)
            return
        ref = self._ref(k)
        joint.rest = m["qpos_spring"][m["jnt_qposadr"][k]] - ref
        if m["jnt_limited"][k]:
            joint.lower, joint.upper = (end - ref for end in m["jnt_range"][k])
            joint.stop = self._stop(k)

    def _stop(self, k: int) -> Surface | None:
        """Softness of the limits of joint number k at the impedance that no longer grows; None if it is the default."""
        m = self.m
        solref, solimp = tuple(m["jnt_solref"][k]), tuple(m["jnt_solimp"][k][:2])
        if (solref, solimp) == (SOLREF, SOLIMP):
            return None
        shortest = 2.0 * m["timestep"] if m["refsafe"] else 0.0
        return Surface(solref=solref, solimp=(solimp[1], solimp[1]), shortest=shortest)

    def _ref(self, k: int) -> float:
        return self.m["qpos0"][self.m["jnt_qposadr"][k]]

    # looks

    def _geoms(self) -> None:
        m, touching = self.m, set()
        for k in range(len(m["geom"])):
            number = m["geom_bodyid"][k] - 1
            look = self._geom_shape(k, "world" if number == WORLD else self.robot.bodies[number].name)
            if look is not None:
                (self.robot.grounded if number == WORLD else self.robot.bodies[number].looks).append(look)
            if not self.touch and number != WORLD and (m["geom_contype"][k] or m["geom_conaffinity"][k]):
                touching.add(number)
        for number in sorted(touching):
            self.robot.note(
                "geoms", "bodies pass through each other; --touch", self.robot.bodies[number].name
            )

    def _geom_shape(self, k: int, name: str) -> VisualShape | None:
        """Geom number k as a shape; None, with a note, where it is seen in the source and not here."""
        m, kind = self.m, self.m["mjtGeom"][str(self.m["geom_type"][k])]
        material = m["geom_matid"][k]
        own = m["geom_rgba"][k]
        # MuJoCo's grey stands for none; a material colours what has no colour of its own
        rgba = m["mat_rgba"][material] if material >= 0 and own == [0.5, 0.5, 0.5, 1.0] else own
        surface = self._surface(k) if self.touch else None
        seen = rgba[3] > 0.0 and m["geom_group"][k] <= SHOWN
        if rgba[3] <= 0.0 and surface is None:
            return None
        colour = "" if rgba == [0.5, 0.5, 0.5, 1.0] else hex_colour(rgba)
        place = pose(m["geom_pos"][k], m["geom_quat"][k])
        why, look = "", None
        if not seen and surface is None:
            why = f"groups beyond {SHOWN} are those that MuJoCo's viewer hides"
        elif kind == "mesh":
            look, why = self._mesh(m["geom_dataid"][k], place, colour)
        elif kind == "plane" and surface is not None:
            look = VisualShape(kind, (), place)
        elif kind == "hfield":
            look = self._height_field(m["geom_dataid"][k], place, colour)
        elif kind not in DRAWN:
            why = f"luff draws no {kind}"
        else:
            look = VisualShape(
                kind, tuple(2.0 * half for half in m["geom_size"][k][: DRAWN[kind]]), place, colour
            )
        if why:
            self.robot.note("look of geoms" if surface is None else "geoms", why, name)
        return replace(look, surface=surface, hidden=not seen) if look and surface else look

    def _surface(self, k: int) -> Surface | None:
        """Contact properties of geom number k; None if its contype and conaffinity exclude all contacts."""
        m = self.m
        bits = int(m["geom_contype"][k]), int(m["geom_conaffinity"][k])
        if bits == (0, 0):
            return None
        mu, _, rolling = m["geom_friction"][k]
        condim, shortest = m["geom_condim"][k], 2.0 * m["timestep"] if m["refsafe"] else 0.0
        solref, (d0, d_max) = m["geom_solref"][k], m["geom_solimp"][k][:2]
        mixing = m["geom_priority"][k], m["geom_solmix"][k]
        return Surface(mu, rolling, bits, condim, *mixing, tuple(solref), (d0, d_max), shortest)

    def _mesh(self, k: int, place: Pose, colour: str) -> tuple[VisualShape | None, str]:
        """Mesh number k, whose file stands where MuJoCo's centred copy of it was; or why there is none."""
        m, scale = self.m, tuple(self.m["mesh_scale"][k])
        start = m["mesh_pathadr"][k]
        if start < 0:
            return None, "its vertices stand in no file"
        file = m["paths"][start:].partition("\0")[0]
        name, why = self.meshes.named(self.sources.path.parent / file)
        if not why and np.abs(np.array(m["refquat"][k]) - [1, 0, 0, 0]).max() > 0.0:
            why = "its file is turned by refquat"
        if not why and min(scale) <= 0.0:
            why = "its scale mirrors it"
        if why:
            return None, why
        away = -np.array(scale) * m["refpos"][k]
        own = place @ pose(m["mesh_pos"][k], m["mesh_quat"][k]).inverse() @ Pose(away)
        own.at[np.abs(own.at) < ROUNDED] = 0.0
        return VisualShape("mesh", (), own, colour, name, scale), ""

    def _height_field(self, k: int, place: Pose, colour: str) -> VisualShape:
        """Height field number k: MuJoCo's heights are shares of its third size, rows along x from the lowest y."""
        m, start = self.m, self.m["hfield_adr"][k]
        ny, nx = m["hfield_nrow"][k], m["hfield_ncol"][k]
        x, y, top, _ = m["hfield_size"][k]
        rows = top * np.array(m["hfield_data"][start : start + nx * ny]).reshape(ny, nx)
        # they are stored in single precision
        heights = tuple(tuple(float(f"{one:.7g}") for one in row) for row in rows)
        return VisualShape("height_field", (2.0 * x, 2.0 * y), place, colour, heights=heights)

    # constraints

    def _equalities(self) -> None:
        m = self.m
        for k, (given, info) in enumerate(m["equality"]):
            kind = m["mjtEq"][str(m["eq_type"][k])]
            name = given or f"{kind}_{len(self.robot.closures) + len(self.robot.relations) + 1}"
            mark = self.sources.mark(kind, given, info)
            if kind not in ("connect", "weld", "joint"):
                self.robot.note(f"{kind} equality", "luff has no such constraint", name, mark)
            elif not m["eq_active0"][k]:
                self.robot.note(f"{kind} equality", "it is not active", name, mark)
            elif kind == "joint":
                follower, leader = m["eq_obj1id"][k], m["eq_obj2id"][k]
                factors = tuple(m["eq_data"][k][: 5 if leader >= 0 else 1])
                followed = self.joint_names[leader] if leader >= 0 else ""
                self.robot.relations.append(
                    Relation(name, mark, self.joint_names[follower], followed, factors)
                )
            else:
                (a, pose_a), (b, pose_b) = self._equality_ends(k, kind)
                if any(m["body_mocapid"][end + 1] >= 0 for end in (a, b)):
                    self.robot.note(f"{kind} to a mocap body", "it would hold the model fast", name, mark)
                    continue
                self.robot.closures.append(Closure(name, kind, mark, a, b, pose_a, pose_b))

    def _equality_ends(self, k: int, kind: str) -> tuple[tuple[int, Pose], tuple[int, Pose]]:
        """The body, and the place in it, on either side of equality number k."""
        m, data, ids = self.m, self.m["eq_data"][k], (self.m["eq_obj1id"][k], self.m["eq_obj2id"][k])
        if m["mjtObj"][str(m["eq_objtype"][k])] == "site":
            a, b = ((m["site_bodyid"][s] - 1, pose(m["site_pos"][s], m["site_quat"][s])) for s in ids)
            return a, b
        if kind == "connect":
            places = Pose(np.array(data[:3])), Pose(np.array(data[3:6]))
        else:
            places = pose(data[3:6], data[6:10]), Pose(np.array(data[:3]))
        return (ids[0] - 1, places[0]), (ids[1] - 1, places[1])

    # drives

    def _actuator(self, k: int) -> None:
        """A motor or a servo of a joint or a fixed tendon: force = gain*u + b0 + b1*length + b2*rate, with
        length = gear*sum of coef*position.
        """
        m, (given, info) = self.m, self.m["actuator"][k]

        def word(kind: str) -> str:
            return m[f"mjt{kind.capitalize()}"][str(m[f"actuator_{kind}type"][k])]

        number = m["actuator_trnid"][k][0]
        coefficients: dict[int, float] = {}
        if word("trn").startswith("joint"):
            coefficients = {number: 1.0}
        elif word("trn") == "tendon":
            coefficients = self._fixed_tendon(number)
        joints = {j: self.robot.joints()[self.joint_names[j]] for j in coefficients}
        first = next(iter(joints.values()), None)
        name = given or (f"{first.name}_{'motor' if word('bias') == 'none' else 'servo'}" if first else "")
        mark = self.sources.mark("", given, info)
        plain = word("dyn") == "none" and word("gain") == "fixed" and word("bias") in ("none", "affine")
        moved = {joint.kind for joint in joints.values()}
        if not moved or not moved <= {"revolute", "prismatic"} or not plain:
            why = "motors and servos of hinges, slides and fixed tendons become blocks, others do not"
            self.robot.note("actuator", why, name, mark)
            return
        bias = m["actuator_biasprm"][k][:3] if word("bias") == "affine" else [0.0, 0.0, 0.0]
        gear, gain = m["actuator_gear"][k][0], m["actuator_gainprm"][k][0]
        bounds = {
            what: tuple(m[f"actuator_{what}range"][k]) if m[f"actuator_{what}limited"][k] else None
            for what in ("ctrl", "force")
        }
        arms = {joints[j].name: gear * coefficient for j, coefficient in coefficients.items()}
        whole: dict[str, Bounds] = {
            joint.name: tuple(m["jnt_actfrcrange"][j])
            for j, joint in joints.items()
            if m["jnt_actfrclimited"][j]
        }
        drawn = sum(arms[joint.name] * self._ref(j) for j, joint in joints.items())
        bias = (bias[0] + bias[1] * drawn, bias[1], bias[2])
        self.robot.drives.append(Drive(name, mark, arms, gain, bias, bounds["ctrl"], bounds["force"], whole))

    def _fixed_tendon(self, k: int) -> dict[int, float]:
        """Coefficients of the joints of tendon number k; none of a spatial one."""
        m, first = self.m, self.m["tendon_adr"][k]
        wraps = range(first, first + m["tendon_num"][k])
        if any(m["mjtWrap"][str(m["wrap_type"][j])] != "joint" for j in wraps):
            return {}
        return {m["wrap_objid"][j]: m["wrap_prm"][j] for j in wraps}

    def _note_tendons(self) -> None:
        """Note what of tendons is not taken over: all but the coefficients of fixed ones."""
        for k, (name, info) in enumerate(self.m["tendon"]):
            passive = any(np.any(self.m[f"tendon_{what}"][k]) for what in PASSIVE)
            fixed = self._fixed_tendon(k)
            if not fixed or passive:
                why = "the importer takes fixed tendons alone" if not fixed else SOFT
                self.robot.note("tendon", why, name, self.sources.mark("tendon", name, info))

    def _note_ignored(self) -> None:
        self._note_tendons()
        for tag, why in LEFT_OUT.items():
            for k, (name, info) in enumerate(self.m[tag]):
                named = name or (self.m["sensed"][k] if tag == "sensor" else "")
                self.robot.note(tag, why, named, self.sources.mark(tag, name, info))
        if self.touch:
            self.robot.meets_base = True
            self.robot.apart += [set(names) for names in self.m["excluded"]]
        for tag in ("pair",) if self.touch else ("pair", "exclude"):
            for name, info in self.m[tag]:
                mark = self.sources.mark(tag, name, info)
                self.robot.note("contact", "write those with a plane as contact blocks", name, mark)


def pose(at: npt.ArrayLike, q: Iterable[float]) -> Pose:
    """Pose from a position [m] and a quaternion (w, x, y, z)."""
    w, *v = q
    size = math.hypot(*v)
    if size < 1e-15:
        return Pose(np.array(at, float))
    K = rotations.skew(v)
    R = np.eye(3) + 2.0 * w * K + 2.0 * K @ K
    axis = tuple(float(x) / size for x in v)
    return Pose(np.array(at, float), R, ((axis, 2.0 * math.atan2(size, w)),))
