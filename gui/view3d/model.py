"""What of a mechanism is drawn, and where it stands. Pure numpy: no Qt."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ...blocks.block import Block
from ...blocks.bodies import World
from ...blocks.contact import Contact
from ...blocks.cylinder import HydraulicCylinder
from ...blocks.ropes import Rope
from ...solver.mechanism.spanning import Mechanism, TreeJoint
from ...solver.run.compiled import Compiled
from .bodies import Frames, Piece, draw, given
from .mesh import IDENTITY, Mesh
from .poses import start_pose
from .shapes import ROPE, SPRING, TIE, Drawing, Line, Skin, place
from .solids import SIDES, ball, prism

THIN = 0.018  # of the size of the mechanism: half the width of what has no size of its own


@dataclass
class Scene:
    skins: list[Skin] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    frames: dict[str, tuple[int, np.ndarray]] = field(default_factory=dict)  # `block.port` -> row, point
    axes: dict[str, np.ndarray] = field(default_factory=dict)  # of the frames, in their rows
    resolved: dict[str, str] = field(
        default_factory=dict
    )  # by joint: the frame in whose axes its wrenches are
    start: np.ndarray = field(default_factory=lambda: np.zeros((0, 12)))
    size: float = 1.0
    middle: np.ndarray = field(default_factory=lambda: np.zeros(3))
    gravity: np.ndarray = field(default_factory=lambda: np.zeros(3))

    @property
    def empty(self) -> bool:
        return not self.skins and not self.lines

    @cached_property
    def mesh(self) -> Mesh:
        return Mesh(self.skins)

    @cached_property
    def _all_frames(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows and points of all frames."""
        rows = np.array([row for row, _ in self.frames.values()], int)
        return rows, np.array([point for _, point in self.frames.values()], float).reshape(-1, 3)

    def frames_at(self, pose: np.ndarray) -> np.ndarray:
        """Where all frames stand, (n, 3)."""
        rows, points = self._all_frames
        table = np.vstack((pose, IDENTITY))[np.where((rows < 0) | (rows >= len(pose)), len(pose), rows)]
        return np.einsum("nij,nj->ni", table[:, :9].reshape(-1, 3, 3), points) + table[:, 9:]

    def points_at(self, pose: np.ndarray) -> np.ndarray:
        """All that has to be in view."""
        return np.concatenate((self.frames_at(pose), self.mesh.vertices(pose)))


def scene_of(sim: Compiled) -> Scene:
    """Everything drawable of a compiled diagram."""
    program = sim.program
    mechanism, blocks = program.mechanism, program.flat.blocks
    scene = Scene(start=start_pose(program))
    frames: dict[str, Frames] = defaultdict(list)
    for (block, port), index in mechanism.frame_index.items():
        row, pose = mechanism.frames[index]
        if port in blocks[block].ports():
            frames[block].append((port, row, pose.p))
            scene.frames[f"{block}.{port}"] = (row, pose.p)
            scene.axes[f"{block}.{port}"] = pose.R
    world = blocks.get("world")
    if isinstance(world, World):
        scene.gravity = np.array(world.gravity, float)
    pieces: dict[str, list[Piece]] = defaultdict(list)
    for block, part, row, pose in mechanism.bodies:
        pieces[block].append(Piece(row, part, pose.R, pose.p))
    said = {name: given(name, block, pieces[name]) for name, block in blocks.items()}
    _measure(scene, [skin for skins in said.values() for skin in skins])
    joints = {joint.block: joint for joint in mechanism.joints if not joint.part.name}
    scene.resolved = {
        name: joint.part.resolve
        if joint.part.resolve == "world"
        else f"{name}.{joint.part.resolve or 'frame_b'}"
        for name, joint in joints.items()
    }
    thin = scene.size * THIN
    for name, block in blocks.items():
        if not frames[name] or name == "world":
            continue
        if said[name]:
            found = Drawing(said[name])
        elif block.family == "bodies":
            found = draw(name, block, pieces[name], frames[name], thin)
        elif isinstance(block, HydraulicCylinder) and len(pieces[name]) == 2:
            found = _cylinder(name, block, pieces[name], thin)
        elif block.family == "joints":
            found = _joint(name, joints[name], mechanism, thin) if name in joints else Drawing()
        else:
            found = _between(name, block, frames[name], thin)
        scene.skins += found.skins
        scene.lines += found.lines
    return scene


def _measure(scene: Scene, skins: list[Skin]) -> None:
    """Size and middle: of frames and given shapes, by which all that has no size of its own is drawn."""
    places = np.concatenate((scene.frames_at(scene.start), Mesh(skins).vertices(scene.start)))
    if len(places):
        low, high = places.min(axis=0), places.max(axis=0)
        scene.size = float(max(np.linalg.norm(high - low), 0.1))
        scene.middle = (low + high) / 2


def _cylinder(name: str, block: HydraulicCylinder, pieces: list[Piece], thin: float) -> Drawing:
    """Barrel and rod, each along z of its own half from its own pin."""
    barrel, piston = pieces
    radius = max(0.58 * block.fluid.bore, 0.5 * thin) if block.fluid else 0.8 * thin
    rod = max(0.5 * block.fluid.rod, 0.25 * thin) if block.fluid else 0.4 * thin
    length = block.barrel.length
    z = np.array([0.0, 0.0, 1.0])
    reach = min(block.fluid.stroke, length) if block.fluid else 0.9 * length
    outer = prism(0 * z, 0.94 * length * z, radius, SIDES)
    inner = prism(-reach * z, 0 * z, rod, SIDES)
    colour = "#c9ced4"  # chrome
    return Drawing(
        [
            Skin(name, block.family, barrel.put(outer), barrel.row),
            Skin(name, colour, piston.put(inner), piston.row, edges=False),
        ]
    )


def _joint(name: str, joint: TreeJoint, mechanism: Mechanism, thin: float) -> Drawing:
    row, pose = mechanism.frames[joint.frame_b]
    coordinates = joint.part.coordinates
    if not coordinates or joint.part.quaternion is not None:
        return Drawing()
    size = 1.25 * thin
    first, *others = coordinates
    if others:
        return Drawing([Skin(name, "joints", ball(pose.p, size), row, edges=False)])
    axis = pose.R @ np.asarray(first.axis)
    if not first.prismatic:
        return Drawing(
            [
                Skin(
                    name,
                    "joints",
                    prism(pose.p - 1.5 * size * axis, pose.p + 1.5 * size * axis, size, SIDES),
                    row,
                )
            ]
        )
    a_row, a_pose = mechanism.frames[joint.frame_a]
    slide = prism(pose.p - 1.4 * size * axis, pose.p + 1.4 * size * axis, 1.3 * size, 4)
    guide = Line(name, "joints", TIE, [a_row, row], np.array([a_pose.p, pose.p]), size=0.6 * thin)
    return Drawing([Skin(name, "joints", slide, row)], [guide])


def _between(name: str, block: Block, own: Frames, thin: float) -> Drawing:
    """Forces, constraints and sensors between frames."""
    if isinstance(block, Contact):
        of = next((frame for frame in own if frame[0] == "of"), None)
        if of is None or block.radius == 0:
            return Drawing()
        return Drawing([Skin(name, block.family, ball(of[2], block.radius), of[1], edges=False)])
    if len(own) < 2:
        return Drawing()
    kind = ROPE if isinstance(block, Rope) else SPRING if "spring" in block.type_name else TIE
    if isinstance(block, Rope):
        order = ["frame_a", *(f"sheave_{k}" for k in range(1, block.through + 1)), "frame_b"]
        own = sorted(own, key=lambda frame: order.index(frame[0]))
    else:
        own = own[:2]
    points = np.array([point for _, _, point in own])
    lines = [Line(name, block.family, kind, [row for _, row, _ in own], points, size=1.4 * thin)]
    sheaves = own[1:-1] if kind == ROPE else []
    return Drawing(
        [Skin(name, block.family, ball(point, 0.8 * thin), row, edges=False) for _, row, point in sheaves],
        lines,
    )


def frame_at(scene: Scene, pose: np.ndarray, name: str) -> tuple[np.ndarray, np.ndarray]:
    """R_WF and p_WF of a frame."""
    row, point = scene.frames[name]
    R = scene.axes[name]
    if 0 <= row < len(pose):
        R = pose[row, :9].reshape(3, 3) @ R
    return R, place(pose, row, point)
