"""What of a mechanism is drawn, and where it stands: shapes in the frames of rows, posed by (rows, 12) arrays.

A pose is R_WB row by row, then p_WB.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ...solver.machine import fields as arrays
from ..run.worker import poses_of
from .shapes import Shape, place


@dataclass
class Scene:
    shapes: list[Shape] = field(default_factory=list)
    frames: dict[str, tuple[int, np.ndarray]] = field(default_factory=dict)  # `block.port` -> row, point
    start: np.ndarray = field(default_factory=lambda: np.zeros((0, 12)))
    size: float = 1.0
    middle: np.ndarray = field(default_factory=lambda: np.zeros(3))

    @cached_property
    def _all_frames(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows and points of all frames."""
        rows = np.array([row for row, _ in self.frames.values()], int)
        return rows, np.array([point for _, point in self.frames.values()], float).reshape(-1, 3)

    def frames_at(self, pose: np.ndarray) -> np.ndarray:
        """Where all frames stand, (n, 3)."""
        rows, points = self._all_frames
        still = np.concatenate((np.eye(3).ravel(), np.zeros(3)))
        table = np.vstack((pose, still))[np.where((rows < 0) | (rows >= len(pose)), len(pose), rows)]
        return np.einsum("nij,nj->ni", table[:, :9].reshape(-1, 3, 3), points) + table[:, 9:]

    @cached_property
    def mesh(self) -> Any:
        from .mesh import Mesh

        return Mesh(self.shapes, self.start)


def start_pose(program: Any) -> np.ndarray:
    """The rows at the initial state."""
    model, x0 = program.model, program.x0
    n = len(model.topo)
    found = poses_of(program)
    if len(found) and np.all(np.any(found[:, :9], axis=1)):
        return found  # the search for the initial state has been there
    q, quats = np.zeros(n), {}
    for value, (kind, row, component) in zip(x0, model.state, strict=False):
        if kind == arrays.Q_STATE:
            q[row] = value
        elif kind == arrays.QUAT_STATE:
            quats.setdefault(int(row), np.zeros(4))[component] = value
    for row, entry in enumerate(program.mechanism.rows):
        # locked and driven coordinates are no states
        coordinate = entry.coordinate
        if coordinate is not None and not np.any(
            (model.state[:, arrays.ST_KIND] == arrays.Q_STATE) & (model.state[:, arrays.ST_ROW] == row)
        ):
            q[row] = coordinate.value if coordinate.value is not None else coordinate.guess
    pose = np.zeros((n, 12))
    for i in range(n):
        parent, kind = int(model.topo[i, arrays.PARENT]), int(model.topo[i, arrays.KIND])
        R, p = (pose[parent, :9].reshape(3, 3), pose[parent, 9:]) if parent >= 0 else (np.eye(3), np.zeros(3))
        Rp, pp = model.place[i, :9].reshape(3, 3), model.place[i, 9:]
        p, R = p + R @ pp, R @ Rp
        if kind == arrays.REVOLUTE:
            c, s = np.cos(q[i]), np.sin(q[i])
            R = R @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        elif kind == arrays.PRISMATIC:
            p = p + R @ np.array([0.0, 0.0, q[i]])
        elif kind == arrays.QUAT_X and i in quats:
            R = R @ rotation_of(quats[i])
        pose[i, :9], pose[i, 9:] = R.ravel(), p
    return pose


def rotation_of(quaternion: np.ndarray) -> np.ndarray:
    norm = float(np.linalg.norm(quaternion)) or 1.0
    w, x, y, z = quaternion / norm
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def scene_of(sim: Any) -> Scene:
    """Everything drawable of a compiled diagram."""
    program = sim.program
    mechanism, blocks = program.mechanism, program.flat.blocks
    scene = Scene(start=start_pose(program))
    frames: dict[str, list[tuple[str, int, np.ndarray]]] = {}
    for (block, port), index in mechanism.frame_index.items():
        row, pose = mechanism.frames[index]
        frames.setdefault(block, []).append((port, row, pose.p))
        scene.frames[f"{block}.{port}"] = (row, pose.p)
    everywhere = [place(scene.start, row, p) for row, p in scene.frames.values()] or [np.zeros(3)]
    low, high = np.min(everywhere, axis=0), np.max(everywhere, axis=0)
    scene.size = float(max(np.linalg.norm(high - low), 0.1))
    scene.middle = (low + high) / 2
    thin = scene.size * 0.018
    joints = {joint.block: joint for joint in mechanism.joints}
    for name, block in blocks.items():
        own = frames.get(name, [])
        if not own or name == "world":
            continue
        if block.family == "bodies":
            scene.shapes += _links(name, own, mechanism, thin)
        elif block.family == "joints" and name in joints:
            scene.shapes += _joint(name, joints[name], own, scene, mechanism, thin)
        elif len(own) >= 2:
            kind = (
                "rod" if "cylinder" in block.type_name else "spring" if "spring" in block.type_name else "tie"
            )
            ends = own[:2]
            scene.shapes.append(
                Shape(
                    name,
                    block.family,
                    kind,
                    [row for _, row, _ in ends],
                    np.array([p for _, _, p in ends]),
                    size=thin,
                )
            )
    return scene


def _links(name: str, own: list[tuple[str, int, np.ndarray]], mechanism: Any, thin: float) -> list[Shape]:
    """A rigid body: from its first frame to each other one. A flexible one bends through its elements."""
    bodies = [(row, part, pose) for block, part, row, pose in mechanism.bodies if block == name]
    first = next((f for f in own if f[0] == "frame_a"), own[0])
    rows = {row for _, row, _ in own} | {row for row, _, _ in bodies}
    shapes = []
    if len(rows) > 1:
        last = next((f for f in own if f[0] == "frame_b"), own[-1])
        middle = [(row, pose.R @ np.asarray(part.com) + pose.p) for row, part, pose in bodies]
        chain = [(first[1], first[2]), *middle, (last[1], last[2])]
        shapes.append(
            Shape(
                name, "bodies", "link", [row for row, _ in chain], np.array([p for _, p in chain]), size=thin
            )
        )
        return shapes
    for port, row, point in own:
        if port != first[0] and np.linalg.norm(point - first[2]) > 1e-9:
            shapes.append(
                Shape(name, "bodies", "link", [first[1], row], np.array([first[2], point]), size=thin)
            )
    for row, part, pose in bodies:
        if part.mass > 0:
            com = pose.R @ np.asarray(part.com) + pose.p
            shapes.append(Shape(name, "bodies", "mass", [row], np.array([com]), size=thin * 1.1))
            far = min((np.linalg.norm(com - p) for _, _, p in own), default=0.0)
            if not any(shape.kind == "link" for shape in shapes) and far > 1e-9:
                shapes.append(
                    Shape(name, "bodies", "link", [first[1], row], np.array([first[2], com]), size=thin)
                )
    return shapes


def _joint(name: str, joint: Any, own: list, scene: Scene, mechanism: Any, thin: float) -> list[Shape]:
    row, pose = mechanism.frames[joint.frame_b]
    coordinates = joint.part.coordinates
    if not coordinates:
        return []
    axis = pose.R @ np.asarray(coordinates[0].axis)
    if len(coordinates) > 1 or joint.part.quaternion is not None:
        kind = "ball" if joint.part.quaternion is None else "mass"
    else:
        kind = "slide" if coordinates[0].prismatic else "pin"
    found = [Shape(name, "joints", kind, [row], np.array([pose.p]), axis, thin * 1.5)]
    if kind == "slide":
        a_row, a_pose = mechanism.frames[joint.frame_a]
        found.append(
            Shape(name, "joints", "tie", [a_row, row], np.array([a_pose.p, pose.p]), size=thin * 0.6)
        )
    return found
