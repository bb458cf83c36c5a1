"""Traces of frames: the ways of several at once, up to the moment that is shown."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..run.run_history import Poses
from .scene_model import Scene
from .scene_shapes import places


class FrameTraces:
    """Ways of the chosen frames, one point for each frame of a film; they grow with it."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._ways = np.zeros((0, 0, 3))  # by frame, with room to grow
        self._count, self._skip = 0, 1  # of the film's frames that are known, and how it was thinned

    def choose(self, names: Sequence[str]) -> None:
        self.names = [*dict.fromkeys(names)]
        self.forget()

    def forget(self) -> None:
        """Forget the ways, of another film or another mechanism."""
        self._count = 0

    def extend(self, scene: Scene, poses: Poses) -> np.ndarray:
        """Read what has come to the film; returns the new points, (n, 3) [m]."""
        count = len(poses.frames)
        if self._count > count or self._skip != poses.skip:
            self._count, self._skip = 0, poses.skip  # another film, or a thinned one
        if self._ways.shape[0] != len(self.names) or self._ways.shape[1] < count:
            known = self._ways[:, : self._count] if self._count else np.zeros((len(self.names), 0, 3))
            room = np.empty((len(self.names), 2 * count - known.shape[1], 3))
            self._ways = np.concatenate((known, room), axis=1)
        fresh = poses.frames[self._count : count]
        for k, name in enumerate(self.names):
            self._ways[k, self._count : count] = places(fresh, *scene.frames[name])
        more = self._ways[:, self._count : count].reshape(-1, 3)
        self._count = count
        return more

    def up_to(self, k: int) -> list[np.ndarray]:
        """Ways up to frame k of the film."""
        return [*self._ways[: len(self.names), : min(k + 1, self._count)]]
