"""A camera that goes with a frame: it follows it, or looks out of it. Pure numpy: nothing here knows Qt."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .camera import HIGHEST, Camera
from .model import Scene
from .shapes import places

NEAR = 0.25  # of the mechanism's size, from where a frame is followed
AHEAD = 1.0  # m in front of the eye, where what looks out of a frame has its target


@dataclass
class Mount:
    """The frame at its middle, wherever it goes; or with `inside` the eye in the frame, looking along its x axis.

    What the mouse does in between stays: turns, distances, and how far the frame is from the middle.
    """

    frame: str  # block.port
    inside: bool = False
    _place: np.ndarray | None = field(
        default=None, repr=False, compare=False
    )  # of the frame, when it was shown last
    _heading: tuple[float, float] = field(default=(0.0, 0.0), repr=False, compare=False)

    def carry(self, camera: Camera, scene: Scene, pose: np.ndarray) -> bool:
        """Take the camera to where the frame is in a pose; false where the mechanism has no such frame."""
        if self.frame not in scene.frames:
            return False
        row, point = scene.frames[self.frame]
        place = places([pose], row, point)[0]
        first = self._place is None
        if self.inside:
            heading = _heading(pose, row, scene.axes[self.frame])
            if first:
                camera.azimuth, camera.elevation = heading
                camera.distance = AHEAD
            else:
                camera.azimuth += heading[0] - self._heading[0]
                camera.elevation += heading[1] - self._heading[1]
            camera.elevation = float(np.clip(camera.elevation, -HIGHEST, HIGHEST))
            self._heading = heading
            camera.target = place - camera.distance * camera.axes()[2]
        else:
            if first:
                camera.distance = max(NEAR * scene.size, 0.1)
                camera.target = place.copy()
            else:
                camera.target = camera.target + place - self._place
        self._place = place
        return True


def _heading(pose: np.ndarray, row: int, axes: np.ndarray) -> tuple[float, float]:
    """Azimuth and elevation of a camera that looks along the first of a frame's axes, given in those of its row."""
    x, y, z = pose[row, :9].reshape(3, 3) @ axes[:, 0] if 0 <= row < len(pose) else axes[:, 0]
    return float(np.arctan2(-y, -x)), float(np.arctan2(-z, np.hypot(x, y)))
