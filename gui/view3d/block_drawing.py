"""Default drawings of blocks that declare no shape. Pure numpy: no Qt."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...blocks.block import Block
from ...blocks.environment.sea_spectrum import Sea
from ...blocks.hydraulics.hydraulic_cylinder import HydraulicCylinder
from ...blocks.mechanics.elastic_supports import BaseSupport
from ...blocks.mechanics.flexible_body import FlexibleBodyBlock
from ...blocks.mechanics.joints import Fixed
from ...blocks.mechanics.moving_platform import Platform
from ...blocks.mechanics.pads import Pad
from ...blocks.mechanics.plane_contact import Contact
from ...blocks.mechanics.rail_wheel import GuideRoller, RailWheel
from ...blocks.mechanics.ropes import Rope
from ...blocks.mechanics.strength_sensor import StrengthSensor
from ...solver.flatten.flatten import Flat
from ...solver.mechanism.mechanism import Mechanism, TreeJoint
from .body_faces import THICK, Frames, Piece, draw
from .face_arrays import units_of
from .flexible_drawing import draw_flexible
from .rope_drawing import draw_rope, drum_of
from .scene_shapes import SPRING, TIE, Drawing, Line, Skin, in_row
from .solid_faces import ball, prism, round_prism
from .support_drawing import draw_base, draw_deck, draw_pad, draw_ship, draw_strut

BESIDE = 0.3  # half width of a joint, in units of the distance to the next frame on its bodies
ALONG = 0.8  # cosine
TOGETHER = 0.1  # frames this near are at one place, in units of `thin`


@dataclass
class Stage:
    """Mechanism at its initial state: frames, bodies and joints by block."""

    flat: Flat
    mechanism: Mechanism
    start: np.ndarray
    axes: Mapping[str, np.ndarray]  # R of each frame `block.port` in its row
    frames: Mapping[str, Frames]
    pieces: Mapping[str, list[Piece]]
    joints: Mapping[str, TreeJoint]
    thin: float  # half the width of what has no size of its own

    def draw(self, name: str, block: Block) -> Drawing:
        own, thin = self.frames[name], self.thin
        if isinstance(block, BaseSupport) and self.pieces[name]:
            return draw_base(name, block, self.pieces[name][0], own, self.axes[f"{name}.frame_a"], thin)
        if isinstance(block, FlexibleBodyBlock):
            bent = self._flexible(name, block)
            if bent is not None:
                return bent
        if block.family == "bodies":
            return draw(name, block, self.pieces[name], own, thin)
        if isinstance(block, HydraulicCylinder) and len(self.pieces[name]) == 2:
            return _cylinder(name, block, self.pieces[name], thin)
        if isinstance(block, Rope):
            return draw_rope(name, block, own, drum_of(self.flat, name), self.start, thin)
        if isinstance(block, Contact):
            return self._contact(name, block)
        if isinstance(block, Pad):
            return self._pad(name, block, "frame_b", "frame_a")
        if isinstance(block, RailWheel | GuideRoller):
            return self._rail_wheel(name, block)
        if block.family == "joints":
            return self._joint(name, block)
        return _between(name, block, own, thin)

    def _flexible(self, name: str, block: FlexibleBodyBlock) -> Drawing | None:
        body = next((one for one in self.mechanism.flexible if one.block == name), None)
        if body is None:
            return None
        sensors = [one for one in self.flat.blocks.values() if isinstance(one, StrengthSensor)]
        limits = [one.allowable for one in sensors if one.body is block and one.allowable is not None]
        return draw_flexible(name, body, min(limits, default=None), self.thin)

    def _joint(self, name: str, block: Block) -> Drawing:
        if name not in self.joints:
            return Drawing()
        joint, frames = self.joints[name], self.mechanism.frames
        if isinstance(block, Fixed):
            index = self.mechanism.frame_index
            (row, a), (other, b) = (frames[index[name, port]] for port in ("frame_a", "inner"))
            return draw_strut(name, row, a.p, b.p, self.thin) if row == other else Drawing()
        if isinstance(block, Platform):
            row, pose = frames[joint.frame_b]
            stood = [place.p for on, place in frames if on == row]
            afloat = any(isinstance(other, Sea) for other in self.flat.blocks.values())
            return (draw_ship if afloat else draw_deck)(name, row, pose.p, pose.R, np.array(stood), self.thin)
        return _joint(name, joint, self.mechanism, self._width(joint), self._turns_along(joint))

    def _width(self, joint: TreeJoint) -> float:
        """Half the width of what a joint is drawn for: less between frames that are close together."""
        near = self.thin / BESIDE
        for frame in (joint.frame_a, joint.frame_b):
            row, pose = self.mechanism.frames[frame]
            away = np.linalg.norm(self._points.get(row, np.zeros((0, 3))) - pose.p, axis=1)
            near = min(near, away[away > TOGETHER * self.thin].min(initial=np.inf))
        return max(BESIDE * near, 0.5 * self.thin)

    def _turns_along(self, joint: TreeJoint) -> bool:
        """True if a body of a joint that turns lies along its axis, as a king post does."""
        axes = [np.asarray(one.axis) for one in joint.part.coordinates if not one.prismatic]
        for frame in (joint.frame_a, joint.frame_b):
            row, pose = self.mechanism.frames[frame]
            ways = units_of(self._points.get(row, np.zeros((0, 3))) - pose.p)
            if len(axes) == 1 and np.any(abs(ways @ (pose.R @ axes[0])) > ALONG):
                return True
        return False

    @cached_property
    def _points(self) -> dict[int, np.ndarray]:
        """Places of the frames on each moving row, in the row's frame."""
        points: dict[int, list[np.ndarray]] = defaultdict(list)
        for row, pose in self.mechanism.frames:
            if row >= 0:
                points[row].append(pose.p)
        return {row: np.array(own) for row, own in points.items()}

    def _contact(self, name: str, block: Contact) -> Drawing:
        row, point = next((row, point) for port, row, point in self.frames[name] if port == "of")
        if block.radius > 0:
            sphere = ball(point, block.radius, self.thin)
            return Drawing([Skin(name, block.family, sphere, row, edges=False, back=block.radius)])
        return self._pad(name, block, "of", "plane")

    def _pad(self, name: str, block: Block, foot: str, ground: str) -> Drawing:
        """Pad at the frame of port `foot`, across the z axis of that of port `ground`."""
        row, point = next((row, point) for port, row, point in self.frames[name] if port == foot)
        plane = next(on for port, on, _ in self.frames[name] if port == ground)
        R = self.axes[f"{name}.{ground}"]
        R = R if plane < 0 else self.start[plane, :9].reshape(3, 3) @ R
        return draw_pad(row, point, in_row(self.start, row, R[:, 2]), name, block.family, self.thin)

    def _rail_wheel(self, name: str, block: RailWheel | GuideRoller) -> Drawing:
        """Wheel that stands on its point of contact, about y of frame_b; of rollers the two, about z."""
        row, point = next((row, point) for port, row, point in self.frames[name] if port == "frame_b")
        _, y, z = self.axes[f"{name}.frame_b"].T
        if isinstance(block, RailWheel):
            radius, half, places = block.radius, 0.25 * block.radius * y, [point + block.radius * z]
        else:
            beside = (block.play + 2.0 * self.thin) * y
            radius, half, places = self.thin, self.thin * z, [point + beside, point - beside]
        discs = [round_prism(at - half, at + half, radius, self.thin) for at in places]
        return Drawing([Skin(name, block.family, disc, row) for disc in discs])


def _cylinder(name: str, block: HydraulicCylinder, pieces: list[Piece], thin: float) -> Drawing:
    """Barrel and rod of a hydraulic cylinder, each along z of its half from its own pin."""
    barrel, piston = pieces
    radius = max(0.58 * block.fluid.bore, 0.5 * thin) if block.fluid else 0.8 * thin
    rod = max(0.5 * block.fluid.rod, 0.25 * thin) if block.fluid else 0.4 * thin
    length = block.barrel.length
    z = np.array([0.0, 0.0, 1.0])
    reach = min(block.fluid.stroke, length) if block.fluid else 0.9 * length
    outer = round_prism(0 * z, 0.94 * length * z, radius, thin)
    inner = round_prism(-reach * z, 0 * z, rod, thin)
    colour = "#c9ced4"  # chrome
    return Drawing(
        [
            Skin(name, block.family, barrel.put(outer), barrel.row),
            Skin(name, colour, piston.put(inner), piston.row, edges=False, back=0.25 * length),
        ]
    )


def _joint(name: str, joint: TreeJoint, mechanism: Mechanism, thin: float, along: bool) -> Drawing:
    row, pose = mechanism.frames[joint.frame_b]
    slides_or_turns, turns_freely = [*joint.part.coordinates], joint.part.quaternion is not None
    if bool(slides_or_turns) == turns_freely:  # six freedoms, or none
        return Drawing()
    size = (1.08 * THICK if along else 1.35) * thin  # around the edges of a post
    if turns_freely or len(slides_or_turns) > 1:
        return Drawing([Skin(name, "joints", ball(pose.p, size, thin), row, edges=False)])
    (only,) = slides_or_turns
    axis = pose.R @ np.asarray(only.axis)
    if not only.prismatic:
        hub = round_prism(pose.p - 1.5 * size * axis, pose.p + 1.5 * size * axis, size, thin)
        return Drawing([Skin(name, "joints", hub, row)])
    a_row, a_pose = mechanism.frames[joint.frame_a]
    slide = prism(pose.p - 1.4 * size * axis, pose.p + 1.4 * size * axis, 1.5 * size, 4)
    guide = Line(name, "joints", TIE, [a_row, row], np.array([a_pose.p, pose.p]), size=0.6 * thin)
    return Drawing([Skin(name, "joints", slide, row)], [guide])


def _between(name: str, block: Block, own: Frames, thin: float) -> Drawing:
    """Lines of forces, constraints and sensors between frames."""
    if len(own) < 2:
        return Drawing()
    kind = SPRING if "spring" in block.type_name else TIE
    points, rows = np.array([point for _, _, point in own[:2]]), [row for _, row, _ in own[:2]]
    # a tie to the world's own frame only says against what a block counts
    quiet = kind == TIE and any(row < 0 and not point.any() for row, point in zip(rows, points, strict=True))
    return Drawing(lines=[Line(name, block.family, kind, rows, points, size=1.4 * thin, quiet=quiet)])
