"""A wheel or trolley that travels along a flexible girder: the place of contact moves over the girder's elements."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from ..block import Block, Equation, at_time
from ..errors import Problem, wrong_type
from ..geometry.link_stations import Station
from ..geometry.rotations import angles_of_rotation
from ..multibody_parts import AtRest, Element, Part, Sensor, Vec
from ..params import BlockName, Flag, Param
from ..ports import Frame, In, Out, Port
from ..text.generated_functions import function_from
from ..text.raw_types import RawMap
from .flexible_links import RfemLink

MOTION = (
    "position",
    "rotation",
    "velocity",
    "spin",
)  # of each node, in the order in which a sensor tells them
# of each station: where it stands, and wrenches about it on either side of its weld
SECTION = ("station", "beyond_force", "beyond_torque", "before_force", "before_torque")
# what `contact` holds: the segment, the place in it, the force on the trolley, its arm about the girder's axis, and
# place, speed, load, side force, both gaps and the energy
SEGMENT, PLACE, FORCE, ARM, TOLD = 0, 1, 2, 5, 8
WIDTH = 15


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def subtract(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def x_axis(rotation):
    """The x axis of an element: R = Rz(psi) Ry(theta) Rx(phi)."""
    c = math.cos(rotation[1])
    return c * math.cos(rotation[0]), c * math.sin(rotation[0]), -math.sin(rotation[1])


def z_axis(rotation):
    """z axis of a frame by its rotation angles (z, y, x)."""
    cz, sz = math.cos(rotation[0]), math.sin(rotation[0])
    cx, sx, sy = math.cos(rotation[2]), math.sin(rotation[2]), math.sin(rotation[1])
    return cz * sy * cx + sz * sx, sz * sy * cx - cz * sx, math.cos(rotation[1]) * cx


def linear_combination(a, p, b, t, c, q, d, u):
    """Linear combination a p + b t + c q + d u of four vectors."""
    return (
        a * p[0] + b * t[0] + c * q[0] + d * u[0],
        a * p[1] + b * t[1] + c * q[1] + d * u[1],
        a * p[2] + b * t[2] + c * q[2] + d * u[2],
    )


def segment_at(point, positions, rotations):
    """The segment that the planes across the girder at its nodes shut the point in; an end's where it is beyond it."""
    n = len(positions) - 1
    whole = subtract(positions[n], positions[0])
    k = int(min(max(n * dot(subtract(point, positions[0]), whole) / dot(whole, whole), 0.0), n - 1.0))
    for _ in range(n):
        if k > 0 and dot(subtract(point, positions[k]), x_axis(rotations[k])) < 0.0:
            k -= 1
        elif k < n - 1 and dot(subtract(point, positions[k + 1]), x_axis(rotations[k + 1])) >= 0.0:
            k += 1
        else:
            break
    return k


def hermite(x, d, p, t, q, u):
    """Hermite's cubic from p to q with the directions t and u there, at the share x of its length d."""
    y = 1.0 - x
    return linear_combination(
        y * y * (1.0 + 2.0 * x), p, d * x * y * y, t, x * x * (3.0 - 2.0 * x), q, -d * x * x * y, u
    )


def hermite_derivative(x, d, p, t, q, u):
    """First derivative by x of the cubic Hermite polynomial on a segment of length d."""
    y = 1.0 - x
    return linear_combination(
        -6.0 * x * y, p, d * y * (1.0 - 3.0 * x), t, 6.0 * x * y, q, d * x * (3.0 * x - 2.0), u
    )


def hermite_second_derivative(x, d, p, t, q, u):
    """Second derivative by x of the cubic Hermite polynomial on a segment of length d."""
    return linear_combination(
        12.0 * x - 6.0, p, d * (6.0 * x - 4.0), t, 6.0 - 12.0 * x, q, d * (6.0 * x - 2.0), u
    )


def wheel_contact(
    position,
    velocity,
    drive,
    positions,
    rotations,
    velocities,
    spins,
    spacing,
    at,
    stiffness,
    damping,
    resistance,
    pushes,
):
    d = spacing[0]
    k = segment_at(position, positions, rotations)
    p, q, t, u = positions[k], positions[k + 1], x_axis(rotations[k]), x_axis(rotations[k + 1])
    # the place whose plane across the girder holds the trolley, by Newton's method: the curve is nearly straight
    x = min(max(dot(subtract(position, p), subtract(q, p)) / dot(subtract(q, p), subtract(q, p)), 0.0), 1.0)
    for _ in range(3):
        arm, tangent = subtract(position, hermite(x, d, p, t, q, u)), hermite_derivative(x, d, p, t, q, u)
        x += dot(arm, tangent) / (
            dot(tangent, tangent) - dot(arm, hermite_second_derivative(x, d, p, t, q, u))
        )
    arm, tangent = subtract(position, hermite(x, d, p, t, q, u)), hermite_derivative(x, d, p, t, q, u)
    length = math.sqrt(dot(tangent, tangent))
    e = tangent[0] / length, tangent[1] / length, tangent[2] / length
    z = linear_combination(1.0 - x, z_axis(rotations[k]), x, z_axis(rotations[k + 1]), 0.0, e, 0.0, e)
    y = cross(z, e)
    size = math.sqrt(dot(y, y))
    y = y[0] / size, y[1] / size, y[2] / size
    z = cross(e, y)
    # velocity of the trolley against the girder's own point there
    turn, turn_on = cross(spins[k], t), cross(spins[k + 1], u)
    v, w = velocities[k], velocities[k + 1]
    own, spin = (
        hermite(x, d, v, turn, w, turn_on),
        linear_combination(1.0 - x, spins[k], x, spins[k + 1], 0.0, e, 0.0, e),
    )
    past = subtract(subtract(velocity, own), cross(spin, arm))
    across, up = dot(arm, y) - at[0], dot(arm, z) - at[1]
    side = -stiffness[0] * across - damping[0] * dot(past, y)
    load = -stiffness[1] * up - damping[1] * dot(past, z)
    if pushes > 0.0:
        load = 0.0 if up >= 0.0 else max(load, 0.0)
        energy = 0.5 * stiffness[1] * min(up, 0.0) ** 2
    else:
        energy = 0.5 * stiffness[1] * up * up
    pull = drive - resistance * dot(past, e)
    force = linear_combination(pull, e, side, y, load, z, 0.0, e)
    changing = dot(subtract(velocity, own), tangent) + dot(arm, hermite_derivative(x, d, v, turn, w, turn_on))
    speed = d * changing / (dot(tangent, tangent) - dot(arm, hermite_second_derivative(x, d, p, t, q, u)))
    energy += 0.5 * stiffness[0] * across * across
    return (
        float(k), x, force[0], force[1], force[2], arm[0], arm[1], arm[2],
        d * (k + x), speed, load, side, across, up, energy,
    )  # fmt: skip


def force_at(k, contact):
    """Share of the contact force that acts on the girder at node k."""
    x = contact[1]
    y = 1.0 - x
    share = 0.0
    if contact[0] == k:
        share = -y * y * (1.0 + 2.0 * x)
    elif contact[0] == k - 1.0:
        share = -x * x * (3.0 - 2.0 * x)
    return share * contact[2], share * contact[3], share * contact[4]


def torque_at(k, contact, rotation, spacing):
    """The moment at node k that goes with it, by virtual work: its turn moves the place of contact too."""
    x = contact[1]
    y = 1.0 - x
    if contact[0] == k:
        lever, share = spacing[0] * x * y * y, y
    elif contact[0] == k - 1.0:
        lever, share = -spacing[0] * x * x * y, x
    else:
        return 0.0, 0.0, 0.0
    force = contact[2], contact[3], contact[4]
    bent, turned = cross(x_axis(rotation), force), cross((contact[5], contact[6], contact[7]), force)
    return (
        -lever * bent[0] - share * turned[0],
        -lever * bent[1] - share * turned[1],
        -lever * bent[2] - share * turned[2],
    )


def section_sign(segment, at, contact):
    """1 where the wheel on a station's segment stands beyond the station, -1 where before it, else 0.

    The nodes carry the wheel's force F by consistent shares; between them a section lacks the element's own part. What
    lies beyond the station carries F as a whole, or nothing of it: the inner node's share comes to it, or the outer
    node's goes.
    """
    if contact[0] != segment:
        return 0.0
    return 1.0 if contact[8] >= at else -1.0


def section_force(segment, at, contact, force, force_on):
    """Force on the part beyond a station, in excess of the forces on its nodes [N]."""
    sign = section_sign(segment, at, contact)
    f = force if sign > 0.0 else force_on
    return sign * f[0], sign * f[1], sign * f[2]


def section_torque(segment, at, contact, station, p, p_on, force, force_on, torque, torque_on):
    """Moment about the station that belongs to `section_force` [N m]."""
    sign = section_sign(segment, at, contact)
    if sign > 0.0:
        t, turned = torque, cross(subtract(p, station), force)
    else:
        t, turned = torque_on, cross(subtract(p_on, station), force_on)
    return sign * (t[0] + turned[0]), sign * (t[1] + turned[1]), sign * (t[2] + turned[2])


HELPERS = (
    dot, cross, subtract, x_axis, z_axis, linear_combination, segment_at, hermite, hermite_derivative,
    hermite_second_derivative, wheel_contact, force_at, torque_at,
    section_sign, section_force, section_torque,
)  # fmt: skip


class GirderPath(Block):
    """A wheel, or a trolley, on a flexible girder: held across it by springs, free along it, and driven by `drive`.

    The girder's axis is a cubic through its nodes (every division has one) and their directions. Where the plane
    across it holds frame_b lies the place of contact; side = -k_y y - c_y dy/dt and load = -k_z z - c_z dz/dt act
    there, y and z against `at`. The nodes on both sides feel the force by virtual work: the girder bends as under a
    load between them, and a `section_sensor` of the girder has the moment and shear of a load at the wheel itself.
    Turns of the trolley are held by other wheels or joints.
    """

    family = "forces"
    example: ClassVar[RawMap] = {"of": "girder"}
    frame_b = Frame("the trolley, where its wheel runs")
    of = BlockName(doc="the girder: an rfem_link")
    at = Param((0.0, 0.0), "m", shape=(2,), doc="y and z of the rail against the girder's axis")
    stiffness = Param((1e8, 1e8), "N/m", shape=(2,), ge=0, doc="k_y and k_z of wheel and rail")
    damping = Param((0.0, 0.0), "N*s/m", shape=(2,), ge=0, doc="c_y and c_z")
    resistance = Param(0.0, "N*s/m", ge=0, doc="against motion along the girder: force over speed")
    one_sided = Flag(False, doc="the rail only pushes up: the wheel may lift off")
    drive = In(
        unit="N", default=0.0, doc="force along the girder on the trolley; the girder feels its reaction"
    )
    contact = Out(
        WIDTH, doc="segment, place in it; force on the trolley, arm from the axis; and all that follows here"
    )
    place = Out(unit="m", doc="along the girder, from its frame_a")
    speed = Out(unit="m/s", doc="rate of it")
    load = Out(unit="N", doc="with which rail and wheel press on each other, along the girder's z")
    side = Out(unit="N", doc="along its y, on the trolley")
    gap = Out(2, "m", "y and z of the wheel against the rail")
    energy = Out(unit="J", doc="elastic energy of wheel and rail")
    position = Out(3, "m", "of the trolley, world axes")
    rotation = Out(3, "rad", "psi, theta, phi of the trolley")
    velocity = Out(3, "m/s", "of the trolley, world axes")
    derived_names = ("spacing", "pushes")
    link: RfemLink | None = None

    @property
    def nodes(self) -> int:
        if self.link is None:
            return 2
        return 2 if self.link.rigid else self.link.divisions + 1

    @property
    def distance(self) -> float:
        """Distance between two nodes [m]."""
        return self.link.length / (self.nodes - 1) if self.link is not None else 1.0

    @property
    def sections(self) -> list[tuple[int, int, float]]:
        """Stations of the girder within segments: the piece behind each, the node after it, and its place."""
        link = self.link
        if link is None:
            return []
        found = []
        for piece, (_, what) in enumerate(link.piece_seams(), 1):
            if isinstance(what, Station):
                after = sum(link.piece_at(k * self.distance) < piece for k in range(self.nodes))
                if 0 < after < self.nodes:
                    found.append((piece, after, what.at))
        return found

    def ports(self) -> dict[str, Port]:
        own = super().ports()
        own["contact"] = replace(own["contact"], inner=True)
        units = {
            "position": "m",
            "rotation": "rad",
            "velocity": "m/s",
            "spin": "rad/s",
            "force": "N",
            "torque": "N*m",
            "station": "m",
        }
        for k in range(self.nodes):
            for what in (*MOTION, "force", "torque"):
                unit = units[what]
                port = Out(3, unit, f"{what} of node {k} of the girder").named(f"{what}_{k}")
                own[port.name] = replace(port, inner=True)
        for k in range(len(self.sections)):
            for what in SECTION:
                port = Out(3, units[what.rpartition("_")[2]], f"{what} at station {k} of the girder")
                own[f"{what}_{k}"] = replace(port.named(f"{what}_{k}"), inner=True)
        own["force"] = Out(3, "N", "on the trolley, world axes").named("force")
        return own

    def look_up(self, blocks: Mapping[str, Block]) -> Iterable[Problem]:
        """Find the girder that `of` names; a mistake where it is no rfem_link."""
        link = blocks.get(self.of)
        if not isinstance(link, RfemLink):
            yield wrong_type(self.of, blocks, RfemLink, "an rfem_link")
            return
        self.link = link
        link.bound = self.bound = True

    def internal_wires(self) -> dict[str, str]:
        """Motion of the trolley and of the girder's nodes, and the forces on them."""
        motion = [f"{what}_{k}" for k in range(self.nodes) for what in MOTION]
        forces = [f"{what}_{k}" for k in range(self.nodes) for what in ("force", "torque")]
        own = ["contact", "position", "velocity", "force"]
        own += [f"{what}_{k}" for k in range(len(self.sections)) for what in SECTION]
        return {name: name for name in (*own, *motion, *forces)}

    def derived(self) -> dict[str, tuple[float, ...]]:
        return {
            "spacing": (self.distance, self.distance * (self.nodes - 1)),
            "pushes": (float(self.one_sided),),
        }

    def instance_functions(self) -> dict[str, Equation]:
        count = self.nodes
        every = {what: [f"{what}_{k}" for k in range(count)] for what in MOTION}
        inputs = ", ".join(name for names in every.values() for name in names)
        groups = ", ".join(f"({', '.join(names)})" for names in every.values())
        law = "spacing, at, stiffness, damping, resistance"
        made: dict[str, str] = {
            "out_contact": (
                f"(position, velocity, drive, {inputs}, {law}, pushes):\n"
                f"    return wheel_contact(position, velocity, drive, {groups}, {law}, pushes[0])\n"
            ),
            "out_force": "(contact):\n    return contact[2], contact[3], contact[4]\n",
            "out_gap": f"(contact):\n    return contact[{TOLD + 4}], contact[{TOLD + 5}]\n",
        }
        told = {"place": 0, "speed": 1, "load": 2, "side": 3, "energy": 6}
        made |= {f"out_{name}": f"(contact):\n    return contact[{TOLD + k}]\n" for name, k in told.items()}
        # one text for all nodes: equal texts are compiled once
        for k in range(count):
            made[f"out_force_{k}"] = f"(contact):\n    return force_at({k}.0, contact)\n"
            made[f"out_torque_{k}"] = (
                f"(contact, rotation_{k}, spacing):\n    return torque_at({k}.0, contact, rotation_{k}, spacing)\n"
            )
        for k, (_, after, at) in enumerate(self.sections):
            a, b = after - 1, after
            forces = f"force_{a}, force_{b}"
            places = f"station_{k}, position_{a}, position_{b}"
            torques = f"torque_{a}, torque_{b}"
            beyond = f"section_force({a}.0, {at!r}, contact, {forces})"
            about = f"section_torque({a}.0, {at!r}, contact, {places}, {forces}, {torques})"
            made |= {
                f"out_beyond_force_{k}": f"(contact, {forces}):\n    return {beyond}\n",
                f"out_beyond_torque_{k}": f"(contact, {places}, {forces}, {torques}):\n    return {about}\n",
                f"out_before_force_{k}": (
                    f"(beyond_force_{k}):\n    return subtract((0.0, 0.0, 0.0), beyond_force_{k})\n"
                ),
                f"out_before_torque_{k}": (
                    f"(beyond_torque_{k}):\n    return subtract((0.0, 0.0, 0.0), beyond_torque_{k})\n"
                ),
            }
        own = {role: function_from(f"def girder_{role}{text}", *HELPERS) for role, text in made.items()}
        return self.functions | own

    def room_ends(contact, spacing):
        return contact[8] + 1e-6 * spacing[0]

    def room_beyond(contact, spacing):
        return spacing[1] - contact[8] + 1e-6 * spacing[0]

    def words_of_room(self, name: str, time: float, least: float) -> str:
        end = "frame_a" if name == "ends" else "frame_b"
        return f"it runs off the girder's {end} {at_time(time)}"

    def at_rest(self, places: Sequence[tuple[np.ndarray, np.ndarray]]) -> list[tuple[Vec, Vec]]:
        """Forces on the trolley and on the nodes where nothing moves and nothing drives."""
        still = (0.0, 0.0, 0.0)
        positions = [tuple(p.tolist()) for p, _ in places]
        turned = [angles_of_rotation(R) for _, R in places]
        spacing = (self.distance,)
        contact = wheel_contact(
            positions[0], still, 0.0, positions[1:], turned[1:], [still] * self.nodes, [still] * self.nodes,
            spacing, self.at, self.stiffness, self.damping, self.resistance, float(self.one_sided),
        )  # fmt: skip
        nodes = [
            (force_at(float(k), contact), torque_at(float(k), contact, turned[k + 1], spacing))
            for k in range(self.nodes)
        ]
        return [(contact[FORCE:ARM], still), *nodes]

    def parts(self) -> list[Part]:
        parts: list[Part] = [
            Sensor("", "frame_b", "world", ("position", "rotation", "velocity")),
            Element("force_world", "", "frame_b", (), ("force",)),
        ]
        link = self.link
        if link is None:
            return parts
        nodes = [f"node {k}" for k in range(self.nodes)]
        for k, node in enumerate(nodes):
            x = k * self.distance
            parts += [
                replace(link.frame_on_piece(link.piece_at(x), node, (x, 0.0, 0.0)), of=link.name),
                Sensor("", node, "world", tuple(f"{what}_{k}" for what in MOTION)),
                Element("force_world", "", node, (), (f"force_{k}",)),
                Element("torque_world", "", node, (), (f"torque_{k}",)),
            ]
        # a pair of equal and opposite wrenches across a station's weld moves nothing, and the weld transmits it
        for k, (piece, _, x) in enumerate(self.sections):
            for side, behind in (("before", piece - 1), ("beyond", piece)):
                node = f"{side} station {k}"
                parts += [
                    replace(link.frame_on_piece(behind, node, (x, 0.0, 0.0)), of=link.name),
                    Element("force_world", "", node, (), (f"{side}_force_{k}",)),
                    Element("torque_world", "", node, (), (f"{side}_torque_{k}",)),
                ]
            parts.append(Sensor("", f"beyond station {k}", "world", (f"station_{k}",)))
        return [*parts, AtRest(("frame_b", *nodes), self.at_rest)]
