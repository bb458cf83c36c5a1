"""Joint reaction arrows from recorded signals. Pure numpy: no Qt."""

from __future__ import annotations

import numpy as np

from ..run.run_history import History
from .scene_model import Scene, frame_at
from .scene_shapes import Arrow, place

NEAR = 0.02  # s: rows this near to a picture are looked at
NOISE = 1e-9  # N, N*m
LONGEST = 0.2  # of the mechanism's size: the arrow of the largest force so far
KINDS = {"forces": "total_force", "torques": "total_torque"}


class Reactions:
    """Reaction arrows of one run; forces and torques have one scale each, which only shrinks during the run."""

    def __init__(self, scene: Scene, history: History):
        self.scene, self.history = scene, history
        self.largest = dict.fromkeys(KINDS, 0.0)
        self.names = {
            kind: [
                block
                for block in scene.resolved
                if f"{block}.frame_b" in scene.frames and f"{block}.{signal}[0]" in history.index
            ]
            for kind, signal in KINDS.items()
        }

    def arrows(self, kind: str, time: float, pose: np.ndarray) -> list[Arrow]:
        """Arrows of joint forces or torques on the body of frame_b, at frame_b, at `time` [s]."""
        blocks = self.names[kind]
        columns = [f"{block}.{KINDS[kind]}[{k}]" for block in blocks for k in range(3)]
        times, values = self.history.read(columns, time - NEAR, time + NEAR)
        if not len(times):
            return []
        row = int(np.abs(times - time).argmin())
        if abs(times[row] - time) > NEAR:
            return []
        vectors = np.array([value[row] for value in values]).reshape(-1, 3)
        lengths = np.linalg.norm(vectors, axis=1)
        self.largest[kind] = max(self.largest[kind], float(lengths.max(initial=0.0)))
        if not np.isfinite(self.largest[kind]) or self.largest[kind] < NOISE:
            return []
        scale = LONGEST * self.scene.size / self.largest[kind]
        arrows = []
        for block, vector in zip(blocks, vectors, strict=True):
            frame = self.scene.resolved[block]
            R = np.eye(3) if frame == "world" else frame_at(self.scene, pose, frame)[0]
            at = place(pose, *self.scene.frames[f"{block}.frame_b"])
            arrows.append(Arrow(at, scale * (R @ vector), double=kind == "torques"))
        return arrows
