"""The neutral tree -> a netlist as a person would write it."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable
from itertools import groupby
from pathlib import Path

import numpy as np

from ...blocks.errors import Mark
from ...blocks.geometry.mass_properties import Pose
from ...blocks.text.raw_types import Raw, RawMap
from ..netlist import yaml_writer as yaml
from .end_stop_stiffness import effective_joint_inertias, fastest_rate, fastest_stop, friction_width, stop_law
from .massless_links import Frames, remove_massless_links
from .robot_tree import WORLD, Body, Closure, Drive, ImportNote, Joint, Relation, Robot
from .touch_blocks import TouchBlocks
from .unique_names import UniqueNames, printable_text
from .urdf_shapes import shapes
from .written_values import (
    angle,
    axis,
    clipped,
    effort,
    force,
    formula,
    mass_properties,
    number,
    placement,
    ports,
    quantity,
    vector,
)

GROUND = "@ground"  # in wires, until all names are known
WIDTH = 110
RESOLVED = 0.5  # decay in a step that RK4 follows well
STABLE = 2.785  # decay in a step up to which RK4 is stable: end of its region on the negative real axis
UNITS = {
    "revolute": ("rad", "N*m/rad", "N*m*s/rad"),
    "prismatic": ("m", "N/m", "N*s/m"),
}


def netlist(robot: Robot, step_of: Callable[[str], float] | None = None) -> tuple[str, dict[str, str]]:
    """The text, and the blocks by the names that their joints have in the source; `robot` is reduced on the way.

    `step_of` finds from the text the step that it can take [s].
    """
    made = Text(robot, remove_massless_links(robot))
    text = made.whole()
    step = robot.step if step_of is None else step_of(text)
    if step < robot.step:
        robot.note(
            "step", f"{_time(step)} in place of {_time(robot.step)}, with which rk4 is not stable in contact"
        )
        robot.step = step
        text = made.shown()
    return text, made.joints


def starts(robot: Robot) -> dict[str, float]:
    """Start of each joint: zero, between limits that leave zero out, or where it follows another one."""
    starts = {}
    for name, joint in robot.joints().items():
        ends = [end for end in (joint.lower, joint.upper) if math.isfinite(end)]
        outside = joint.lower < joint.upper and (joint.lower > 0.0 or joint.upper < 0.0)
        starts[name] = float(f"{sum(ends) / len(ends):.4g}") if outside else 0.0
    for relation in robot.relations:
        starts[relation.follower] = float(f"{relation.at(starts.get(relation.leader, 0.0)):.4g}")
    return starts


# --- the text ------------------------------------------------------------------------------------------------------


class Text:
    """Collects blocks and wires, then joins them."""

    def __init__(self, robot: Robot, frames: Frames):
        self.robot, self.frames = robot, frames
        self.names = UniqueNames("world")
        self.felt = effective_joint_inertias(robot)
        self.starts = starts(robot)
        self.comments: dict[str, str] = {}
        self.body_names = [self._named(body.name, robot.words[0]) for body in robot.bodies]
        self.joints: dict[str, str] = {}
        self.blocks: dict[str, RawMap] = {}
        self.wires: list[str] = []
        self.inputs: RawMap = {}
        self.shared: dict[Drive, str] = {}  # port of the force of a drive of several joints
        self.ports: dict[int, UniqueNames] = {k: UniqueNames("frame_a", "frame_b") for k in self._all()}
        self.places: dict[int, dict[str, Pose]] = {k: {} for k in self._all()}

    def _all(self) -> range:
        return range(WORLD, len(self.robot.bodies))

    def _named(self, wanted: str, suffix: str = "") -> str:
        return self.names.take(wanted, suffix)

    def _origin(self, word: str, source: str, block: str, mark: Mark) -> str:
        """Comment beside a block: its place in the source, and its name there if that differs."""
        file = Path(mark.file).name
        place = f"line {mark.line}" if file == self.robot.source else f"{file}, line {mark.line}"
        return printable_text(place if source == block else f'{word} "{source}", {place}')

    def whole(self) -> str:
        for k in self._all():
            for name, pose in self.frames.get(k, {}).items():
                self.places[k][self.ports[k].take(name)] = pose
        for k, body in enumerate(self.robot.bodies):
            self._body(k, body)
        for closure in self.robot.closures:
            self._closure(closure)
        for relation in self.robot.relations:
            self._relation(relation)
        for joint in sorted({joint for drive in self.robot.drives for joint in drive.arms}):
            self._drives(joint, [drive for drive in self.robot.drives if joint in drive.arms])
        self._link_frames()
        self._touches()
        return self.shown()

    def shown(self) -> str:
        return "\n".join([*self._head(), "", *self._blocks(), "", *self._tail()]) + "\n"

    # frames

    def _port(self, k: int, pose: Pose, name: str) -> str:
        """The port of body k at a pose in its frame."""
        owner = GROUND if k == WORLD else self.body_names[k]
        if pose.identity:
            return "world.frame" if k == WORLD else f"{owner}.frame_a"
        for known, place in self.places[k].items():
            if np.array_equal(place.at, pose.at) and np.array_equal(place.R, pose.R):
                return f"{owner}.{known}"
        port = self.ports[k].take(name)
        self.places[k][port] = pose
        return f"{owner}.{port}"

    def _link_frames(self) -> None:
        """Write the frames into the links: frame_b where there is one frame alone, made for a joint."""
        if self.places[WORLD] or self.robot.grounded:
            ground = self._named("ground")
            looks = shapes(self.robot.grounded, number, placement)
            self.blocks = {ground: {"type": "rigid_link", **looks}, **self.blocks}
            self.comments[ground] = "where the model stands on the ground"
            self._put_frames(WORLD, ground)
            self.wires.insert(0, f"world.frame -- {ground}.frame_a")
        for k in range(len(self.robot.bodies)):
            self._put_frames(k, self.body_names[k])

    def _touches(self) -> None:
        """Write the collision geometry."""
        ground = next(iter(self.blocks)) if self.robot.grounded else ""
        for entries in TouchBlocks(self.robot, dict(enumerate(self.body_names)) | {WORLD: ground}).made():
            self.blocks[self._named("touch")] = entries

    def _put_frames(self, k: int, block: str) -> None:
        old = GROUND if k == WORLD else block
        places = self.places[k]
        if len(places) == 1 and not self.frames.get(k):
            port = next(iter(places))
            self.blocks[block]["frame_b"] = placement(places[port])
            self._rewire(f"{old}.{port}", f"{block}.frame_b")
            return
        if places:
            self.blocks[block]["frames"] = {port: placement(pose) for port, pose in places.items()}
        for port in places:
            self._rewire(f"{old}.{port}", f"{block}.{port}")

    def _rewire(self, old: str, new: str) -> None:
        ends = (wire.split(" -- ") for wire in self.wires)
        self.wires = [" -- ".join(new if end == old else end for end in pair) for pair in ends]

    # blocks

    def _body(self, k: int, body: Body) -> None:
        name = self.body_names[k]
        start = self._first_frame(body)
        at = body.joints[0].at if body.joints and body.joints[0].kind != "prismatic" else np.zeros(3)
        for joint in body.joints:
            if joint.kind != "prismatic" and not np.array_equal(joint.at, at):
                offset = self._named(f"{joint.name}_offset")
                self.blocks[offset] = {"type": "fixed", "at": vector(joint.at - at)}
                self.wires.append(f"{start} -- {offset}.frame_a")
                start, at = f"{offset}.frame_b", joint.at
            block = self._named(joint.name, "joint")
            self.blocks[block] = self._joint(joint, body)
            self.joints[joint.name] = block
            self.comments[block] = self._origin(self.robot.words[1], joint.name, block, joint.mark)
            self.wires.append(f"{start} -- {block}.frame_a")
            self._damper(block, joint, start)
            start = f"{block}.frame_b"
        self.blocks[name] = {
            "type": "rigid_link",
            **mass_properties(body.inertia),
            **shapes(body.looks, number, placement),
        }
        self.comments[name] = self._origin(self.robot.words[0], body.name, name, body.mark)
        self.wires.append(f"{start} -- {self._port(k, Pose(at), 'pin')}")

    def _first_frame(self, body: Body) -> str:
        """Frame at which the chain of joints to a body begins."""
        pose, first = body.pose, body.joints[0] if body.joints else None
        if first and first.kind == "free" and body.parent == WORLD:
            return "world.frame"  # its initial values say where it stands
        if first and first.kind != "prismatic" and first.at.any():
            pose = pose @ Pose(first.at)
        return self._port(body.parent, pose, first.name if first else body.name)

    def _joint(self, joint: Joint, body: Body) -> RawMap:
        raw: RawMap = {"type": joint.kind}
        if joint.kind == "free":
            initial = placement(body.pose)
            if initial and body.parent == WORLD:
                raw["initial"] = {"position" if key == "at" else key: value for key, value in initial.items()}
        if joint.kind == "spherical":
            if joint.stiffness:
                raw["stiffness"] = quantity(joint.stiffness, "N*m/rad")
            elif not self.robot.closures and not self.robot.relations:  # which may determine its orientation
                raw["coordinates"] = "quaternion"
        if joint.kind in UNITS:
            self._plain(raw, joint)
        return raw

    def _plain(self, raw: RawMap, joint: Joint) -> None:
        unit, stiffness, damping = UNITS[joint.kind]
        place = angle if unit == "rad" else lambda value: quantity(value, "m")
        raw["axis"] = axis(joint.axis)
        if joint.stiffness:
            raw["stiffness"] = quantity(joint.stiffness, stiffness)
            if joint.rest:
                raw["rest"] = place(joint.rest)
        if joint.damping:
            raw["damping"] = quantity(joint.damping, damping)
        if joint.armature:
            raw["armature"] = quantity(joint.armature, "kg*m^2" if unit == "rad" else "kg")
        felt = self.felt.get(joint.name, 1.0)
        if joint.dry_friction:
            # an effort of mu N d/2, that is of the load alone
            friction: RawMap = {
                "model": "coulomb",
                "mu_s": 1,
                "mu_k": 1,
                "load": quantity(joint.dry_friction, "N"),
                "stribeck": number(friction_width(joint, felt, self.robot.step)),
            }
            if unit == "rad":
                friction["diameter"] = "2 m"
            raw["friction"] = friction
        ends = {"lower": joint.lower, "upper": joint.upper}
        limits: RawMap = {key: place(value) for key, value in ends.items() if math.isfinite(value)}
        if joint.lower >= joint.upper:
            self.robot.note("limits", "they leave no room", joint.name, joint.mark)
        elif limits:
            law = stop_law(felt, joint.stop)
            limits["stiffness"] = quantity(law["stiffness"], stiffness)
            limits["damping"] = quantity(law["damping"], damping)
            raw["limits"] = limits
        if self.starts[joint.name]:
            follows = any(relation.follower == joint.name for relation in self.robot.relations)
            key = "guess" if self.robot.closures or follows else "initial"
            raw[key] = {"position": place(self.starts[joint.name])}

    def _damper(self, block: str, joint: Joint, start: str) -> None:
        """Damping of a ball or a free joint acts on the angular velocity, not on rates of coordinates."""
        if joint.kind not in ("spherical", "free") or not joint.damping:
            return
        damper = self._named(f"{block}_damper")
        each: list[Raw] = [number(joint.damping)] * 3
        self.blocks[damper] = {"type": "bushing", "stiffness": [0, 0, 0], "rotational_damping": each}
        if joint.kind == "free":
            self.blocks[damper]["damping"] = each
        self.wires += [f"{start} -- {damper}.frame_a", f"{block}.frame_b -- {damper}.frame_b"]

    def _relation(self, relation: Relation) -> None:
        block = self._named(relation.name)
        names = [self.joints[name] for name in (relation.follower, relation.leader) if name]
        text = formula(relation.coefficients)
        self.blocks[block] = {"type": "programmed_constraint", "joints": [*names], "relation": text}
        self.comments[block] = f"line {relation.mark.line}"

    def _drives(self, name: str, drives: list[Drive]) -> None:
        """Inputs of the netlist, and one expression for each driven joint: the sum of its drives, within its bounds."""
        joint, own = self.joints[name], [drive for drive in drives if len(drive.arms) == 1]
        common = [drive for drive in drives if len(drive.arms) > 1]
        unit = UNITS[str(self.blocks[joint]["type"])][1].partition("/")[0]
        shared = [self._shared_force(drive) for drive in common]
        signals = [self._named(one.name, "u") for one in own]
        bounds = drives[0].of_effort.get(name)
        direct = (
            not shared and len(own) == 1 and clipped(effort(own[0], name, force(own[0], "u")), bounds) == "u"
        )
        self.inputs |= {signal: {"unit": unit} if direct else {} for signal in signals}
        if direct:
            self.wires.append(f"inputs.{signals[0]} -> {joint}.effort")
            return
        inputs = ports("u", len(drives))
        forces = [*map(force, own, inputs), *inputs[len(own) :]]
        text = clipped(" + ".join(map(effort, (*own, *common), [name] * len(drives), forces)), bounds)
        needed = {
            "q": [joint] * any(one.bias[1] for one in own),
            "v": [joint] * any(one.bias[2] for one in own),
        }
        sources = [*(f"inputs.{signal}" for signal in signals), *shared]
        block = self._expression(f"{joint}_drive", text, sources, needed, unit)
        self.comments[block] = f"drives {joint}, line {drives[0].mark.line}"
        self.wires.append(f"{block}.y -> {joint}.effort")

    def _shared_force(self, drive: Drive) -> str:
        """Port of the force of a drive that several joints share."""
        if drive not in self.shared:
            signal = self._named(drive.name, "u")
            self.inputs[signal] = {}
            joints = [self.joints[joint] for joint in drive.arms]
            needed = {
                letter: joints if factor else [] for letter, factor in zip("qv", drive.bias[1:], strict=True)
            }
            block = self._expression(f"{signal}_force", force(drive, "u"), [f"inputs.{signal}"], needed)
            self.comments[block] = f"force of a drive of {' and '.join(joints)}, line {drive.mark.line}"
            self.shared[drive] = f"{block}.y"
        return self.shared[drive]

    def _expression(
        self, name: str, text: str, sources: list[str], joints: dict[str, list[str]], unit: str = ""
    ) -> str:
        """Add an expression of sources u and of the positions q and rates v of joints; its name."""
        block, wires = self._named(name), list(zip(ports("u", len(sources)), sources, strict=True))
        for letter, state in (("q", "position"), ("v", "velocity")):
            of = [f"{joint}.{state}" for joint in joints[letter]]
            wires += zip(ports(letter, len(of)), of, strict=True)
        self.blocks[block] = {"type": "expression", "inputs": [port for port, _ in wires], "expr": text}
        self.blocks[block] |= {"unit": unit} if unit else {}
        self.wires += [f"{source} -> {block}.{port}" for port, source in wires]
        return block

    def _closure(self, closure: Closure) -> None:
        block = self._named(closure.name)
        kind = {"connect": "spherical", "weld": "fixed"}[closure.kind]
        self.blocks[block] = {"type": kind, "cut": True}
        self.comments[block] = f"closes a loop: {closure.kind}, line {closure.mark.line}"
        a = self._port(closure.body_a, closure.pose_a, f"{closure.name}_a")
        b = self._port(closure.body_b, closure.pose_b, f"{closure.name}_b")
        self.wires += [f"{a} -- {block}.frame_a", f"{block}.frame_b -- {b}"]

    # sections

    def _head(self) -> list[str]:
        robot = self.robot
        doc = f"Imported from {robot.source}."
        lines = [*yaml.entry("luff", 1, 0), *yaml.entry("name", robot.name, 0), *yaml.entry("doc", doc, 0)]
        told = told_notes(robot.notes)
        if told:
            lines += ["# what this netlist does not say as the source does:"]
            for line in told:
                lines += textwrap.wrap(
                    line, WIDTH, initial_indent="# - ", subsequent_indent="#   ", break_on_hyphens=False
                )
        return lines

    def _blocks(self) -> list[str]:
        lines = [*yaml.entry("inputs", self.inputs, 0), "", "blocks:"] if self.inputs else ["blocks:"]
        if self.robot.gravity != (0.0, 0.0, -9.81):
            lines += yaml.entry("world", {"gravity": vector(self.robot.gravity)}, 2)
        for name, raw in self.blocks.items():
            comment = self.comments.get(name)
            one = yaml.entry(name, raw, 2)
            if comment and len(one) == 1 and len(one[0]) + len(comment) + 4 <= WIDTH:
                lines.append(f"{one[0]}  # {comment}")
            else:
                lines += [*([f"  # {comment}"] if comment else []), *one]
        return lines

    def _tail(self) -> list[str]:
        step = self.robot.step
        simulation = {"stop": "10 s", "step": _time(step), "output_step": _time(_near_10_ms(step))}
        lines = [*yaml.entry("connect", self.wires, 0, True), ""]
        stiff = fastest_rate(self.robot, self.felt, step) * step > RESOLVED
        if stiff or fastest_stop(self.robot, self.felt) * step > STABLE:
            simulation["method"] = "implicit"
            lines += ["# implicit: light parts with strong damping or friction, or hard stops"]
        return lines + yaml.entry("simulation", simulation, 0)


def _near_10_ms(step: float) -> float:
    return max(1, round(0.01 / step)) * step


def _time(seconds: float) -> str:
    return quantity(1e3 * seconds, "ms") if seconds < 0.5 else quantity(seconds, "s")


def told_notes(notes: list[ImportNote], most: int | None = None) -> list[str]:
    """Lines of notes, one for each reason: `actuator (2: left, right): ...`; names beyond `most` are counted."""
    first = {(note.what, note.why): k for k, note in reversed(list(enumerate(notes)))}
    ordered = sorted(notes, key=lambda note: first[note.what, note.why])
    lines = []
    for (what, why), group in groupby(ordered, key=lambda note: (note.what, note.why)):
        all_ = list(group)
        names = list(dict.fromkeys(note.name for note in all_ if note.name))
        shown = names[:most] + ([f"and {len(names) - most} more"] if most and len(names) > most else [])
        count = f"{len(all_)}" if len(all_) > 1 else ""
        inside = ": ".join(part for part in (count, ", ".join(shown)) if part)
        lines.append(printable_text(f"{what}{f' ({inside})' if inside else ''}: {why}"))
    return lines
