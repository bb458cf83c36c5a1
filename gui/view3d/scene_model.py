"""Scene of a mechanism: its drawable parts and frames. Pure numpy: no Qt."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Set
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ...blocks.mechanics.bodies import ShapedBlock, World
from ...blocks.mechanics.constraint_blocks import ProgrammedConstraint
from ...solver.diagram.view_section import ALL, View
from ...solver.flatten.flatten import Flat
from ...solver.simulation.compiled_model import Compiled
from .apart_lines import lines_to_shapes
from .block_drawing import Stage
from .body_faces import Frames, Piece, declared_shapes, has_round_shape
from .camera import UP
from .edge_smoothing import Smoothing
from .face_arrays import IDENTITY, Mesh
from .ground_level import ground_level, level_planes
from .link_colours import colour_links
from .link_gauges import Gauge, gauges_of
from .planned import planned
from .row_poses import start_pose
from .scene_shapes import Drawing, Line, Skin, grid, place
from .sea_surface import Water, water_of
from .shape_contacts import ShapeContacts

THIN = 0.018  # half width of parts without a size, in units of the mechanism's size
SLENDER = 0.6  # factor for joints if all bodies have shapes
TINY = 1e-3  # m; what is smaller has no size by itself
WITHOUT_EXTENT, ROOM = 0.1, 0.12  # m, its size; of that shown to each side of it, some times its first joint
FACE = 0.12  # longest side of a face, in units of the mechanism's size


@dataclass
class Scene:
    skins: list[Skin] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    frames: dict[str, tuple[int, np.ndarray]] = field(default_factory=dict)  # `block.port` -> row, point
    axes: dict[str, np.ndarray] = field(default_factory=dict)  # R of the frames in their rows
    resolved: dict[str, str] = field(default_factory=dict)  # frame in whose axes each joint's wrenches are
    start: np.ndarray = field(default_factory=lambda: np.zeros((0, 12)))
    size: float = 1.0
    middle: np.ndarray = field(default_factory=lambda: np.zeros(3))
    # corners of the room about a mechanism without extent
    around: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    gauges: dict[str, list[Gauge]] = field(default_factory=dict)  # stress gauges by link
    contacts: ShapeContacts | None = None
    gravity: np.ndarray = field(default_factory=lambda: np.zeros(3))
    water: Water | None = None
    bodies: Set[str] = frozenset()  # blocks that have mass
    planes: list[float] = field(default_factory=list)  # heights of what bodies stand on [m]
    view: View | None = None  # of the netlist

    @property
    def first_view(self) -> View | None:
        """Camera of the netlist's view; None if it shows the whole mechanism."""
        return self.view if self.view is not None and self.view.camera != ALL else None

    @property
    def up(self) -> str:
        """Axis of the world that points upwards in pictures."""
        return self.view.up if self.view is not None else "z"

    @property
    def empty(self) -> bool:
        return not self.skins and not self.lines

    @property
    def stressed(self) -> bool:
        """True if stresses of its links or flexible bodies can be known."""
        return bool(self.gauges) or any(bend.stresses is not None for bend, _, _ in self.mesh.bends)

    @cached_property
    def mesh(self) -> Mesh:
        return Mesh(self.skins, FACE * self.size)

    @cached_property
    def ground(self) -> float:
        """Height of the ground in the view's frame [m]."""
        return ground_level(self.planes, self.drawn_at(self.start) @ UP[self.up][:, 2])

    @cached_property
    def smoothing(self) -> Smoothing:
        return Smoothing(self.mesh, self.mesh.vertices(self.start))

    @cached_property
    def _all_frames(self) -> tuple[np.ndarray, np.ndarray]:
        """Row indices of all frames, and their points in the row frames."""
        rows = np.array([row for row, _ in self.frames.values()], int)
        return rows, np.array([point for _, point in self.frames.values()], float).reshape(-1, 3)

    def frames_at(self, pose: np.ndarray) -> np.ndarray:
        """Origins of all frames in the world, (n, 3) [m]."""
        rows, points = self._all_frames
        table = np.vstack((pose, IDENTITY))[np.where((rows < 0) | (rows >= len(pose)), len(pose), rows)]
        return np.einsum("nij,nj->ni", table[:, :9].reshape(-1, 3, 3), points) + table[:, 9:]

    def frames_by_kind(self) -> tuple[list[str], list[str]]:
        """Names of the frames of bodies, and of joints and others but the world's, in alphabetical order, numbers by
        their size."""

        def parts(name: str) -> list[int | str]:
            return [int(word) if word.isdigit() else word for word in re.split(r"(\d+)", name)]

        names = sorted((name for name in self.frames if not name.startswith("world.")), key=parts)
        bodies = [name for name in names if name.rpartition(".")[0] in self.bodies]
        return bodies, [name for name in names if name not in bodies]

    def points_at(self, pose: np.ndarray) -> np.ndarray:
        """Points that the camera has to show: frame origins and vertices, and some room about what has no extent."""
        return np.concatenate((self.frames_at(pose), self.mesh.vertices(pose), self.around))

    def drawn_at(self, pose: np.ndarray) -> np.ndarray:
        """Vertices of all surfaces in the world, (n, 3) [m]; frame origins where there is no surface."""
        return self.mesh.vertices(pose) if self.skins else self.frames_at(pose)


def scene_of(sim: Compiled) -> Scene:
    """Build the scene of a compiled diagram."""
    program = sim.program
    mechanism, blocks = program.mechanism, program.flat.blocks
    scene = Scene(start=start_pose(program), gauges=gauges_of(blocks), view=program.flat.view)
    scene.contacts = ShapeContacts(sim)
    scene.planes = level_planes(mechanism, UP[scene.up][:, 2])
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
    scene.bodies = {name for name in pieces if isinstance(blocks[name], ShapedBlock)}
    said = {name: declared_shapes(name, block, pieces[name]) for name, block in blocks.items()}
    bare = [
        piece for name, own in pieces.items() if not said[name].skins for piece in own if piece.part.mass > 0
    ]
    masses = np.array([place(scene.start, piece.row, piece.com) for piece in bare]).reshape(-1, 3)
    _measure(scene, [skin for drawing in said.values() for skin in drawing.skins], masses)
    step, count, centre = grid(scene.size, scene.middle)
    scene.water = water_of(blocks.values(), centre, step * count)
    joints = {joint.block: joint for joint in mechanism.joints if not joint.part.name}
    scene.resolved = {
        name: joint.part.resolve
        if joint.part.resolve == "world"
        else f"{name}.{joint.part.resolve or 'frame_b'}"
        for name, joint in joints.items()
    }
    shown = {name: block for name, block in blocks.items() if frames[name] and name != "world"}
    thin = THIN * scene.size * (1.0 if bare else SLENDER)
    stage = Stage(program.flat, mechanism, scene.start, scene.axes, frames, pieces, joints, thin)
    wired = {(port.block, port.port) for bond in program.flat.bonds for port in (bond.a, bond.b)}
    for name, block in blocks.items():
        if has_round_shape(block):  # the size at which it is seen is known by now
            said[name] = declared_shapes(name, block, pieces[name], thin)
    for name, block in shown.items():
        drawing = said[name] if said[name].skins else stage.draw(name, block)
        scene.skins += drawing.skins
        scene.lines += drawing.lines
        if said[name].skins and isinstance(block, ShapedBlock):
            scene.lines += lines_to_shapes(name, block, pieces[name][0], frames[name], wired)
    for name, block in blocks.items():
        if isinstance(block, ProgrammedConstraint) and f"{name}.frame" in scene.frames:
            scene.lines += _planned(scene, program.flat, name, block).lines
    colour_links(program.flat, scene.skins, scene.lines)
    return scene


def _planned(scene: Scene, flat: Flat, name: str, block: ProgrammedConstraint) -> Drawing:
    """The curve that the point is to follow, from where it starts."""
    point = place(scene.start, *scene.frames[f"{name}.frame"])
    row, p, R = -1, np.zeros(3), np.eye(3)
    if f"{name}.base" in scene.frames:
        (row, p), R = scene.frames[f"{name}.base"], scene.axes[f"{name}.base"]
    return planned(flat, name, block, point, (row, R, p), scene.start, scene.size)


def _measure(scene: Scene, skins: list[Skin], masses: np.ndarray) -> None:
    """Set the scene's size and centre from frames, masses and declared shapes; they scale everything without a size
    of its own."""
    places = np.concatenate((scene.frames_at(scene.start), Mesh(skins).vertices(scene.start), masses))
    if len(places):
        low, high = places.min(axis=0), places.max(axis=0)
        size = float(np.linalg.norm(high - low))
        scene.size, scene.middle = size, (low + high) / 2
        if size <= TINY:
            scene.size = WITHOUT_EXTENT
            scene.around = scene.middle + ROOM * scene.size * np.array([np.full(3, -1.0), np.full(3, 1.0)])


def frame_at(scene: Scene, pose: np.ndarray, name: str) -> tuple[np.ndarray, np.ndarray]:
    """R_WF and p_WF of a frame."""
    row, point = scene.frames[name]
    R = scene.axes[name]
    if 0 <= row < len(pose):
        R = pose[row, :9].reshape(3, 3) @ R
    return R, place(pose, row, point)
