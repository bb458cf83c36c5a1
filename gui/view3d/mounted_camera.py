"""Camera attached to a frame: it follows the frame or looks out of it. Pure numpy: no Qt."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...blocks.errors import LuffError, Problem, did_you_mean
from ...blocks.text.raw_types import Raw, RawMap
from ...solver.diagram.view_section import CAB, FOLLOW, FREE, SIDES, TIP, View
from .camera import HIGHEST, Camera, angles
from .scene_model import Scene
from .scene_shapes import place as placed

NEAR = 0.25  # distance of a following camera, in units of the mechanism's size
AHEAD = 1.0  # m in front of the eye, where what looks out of a frame has its target
FIRST = {CAB: (1.0, 0.0, 0.0), TIP: (0.0, 0.0, -1.0)}  # initial view direction in a frame: ahead, left, up


@dataclass
class MountedCamera:
    """Camera attached to a frame: `follow` keeps the frame centred; a `cab` eye looks along its x axis, a `tip` eye
    down, with x upwards in the picture.

    Mouse changes persist: turns, distance, and the frame's offset from the centre.
    """

    frame: str  # block.port
    camera: str = FOLLOW
    to: np.ndarray | None = field(default=None, repr=False, compare=False)  # see `View`
    eye: np.ndarray | None = field(default=None, repr=False, compare=False)
    # the frame's last position in the world [m]
    place: np.ndarray | None = field(default=None, repr=False, compare=False)
    heading: tuple[float, float] = field(default=(0.0, 0.0), repr=False, compare=False)

    def carry(self, camera: Camera, scene: Scene, pose: np.ndarray) -> bool:
        """Move the camera with the frame in a pose; False if the mechanism has no such frame."""
        if self.frame not in scene.frames:
            return False
        row, point = scene.frames[self.frame]
        place, first = placed(pose, row, point), self.place is None
        if self.camera == FOLLOW:
            if self.place is not None:
                camera.target = camera.target + place - self.place
            else:
                self._begin_to_follow(camera, place, max(NEAR * scene.size, 0.1))
        else:
            heading = self._heading(pose, row, scene.axes[self.frame], camera.up)
            if first:
                left, up = _yaw_pitch(FIRST[self.camera] if self.to is None else self.to)
                camera.azimuth, camera.elevation = heading[0] + left, heading[1] - up
                camera.distance = AHEAD
            else:
                camera.azimuth += heading[0] - self.heading[0]
                camera.elevation += heading[1] - self.heading[1]
            camera.elevation = float(np.clip(camera.elevation, -HIGHEST, HIGHEST))
            self.heading = heading
            camera.target = place - camera.distance * camera.axes()[2]
        self.place = place
        return True

    def _begin_to_follow(self, camera: Camera, place: np.ndarray, distance: float) -> None:
        to = np.zeros(3) if self.to is None else self.to
        if self.eye is not None:
            camera.look_at(place + self.eye, place + to)
        else:
            camera.distance, camera.target = distance, place + to

    def _heading(self, pose: np.ndarray, row: int, axes: np.ndarray, upwards: str) -> tuple[float, float]:
        """Azimuth and elevation [rad] of the frame's x axis in the world; a tip camera's elevation is zero. `axes`
        is R of the frame in its row, `upwards` the axis of the world that is."""
        ahead = pose[row, :9].reshape(3, 3) @ axes[:, 0] if 0 <= row < len(pose) else axes[:, 0]
        azimuth, elevation = angles(-ahead, upwards)
        return azimuth, 0.0 if self.camera == TIP else elevation


def _yaw_pitch(to: np.ndarray | tuple[float, float, float]) -> tuple[float, float]:
    """Yaw to the left and pitch upwards [rad] of a direction given as (ahead, left, up)."""
    ahead, left, up = to
    return float(np.arctan2(left, ahead)), float(np.arctan2(up, np.hypot(ahead, left)))


def frame_of(scene: Scene, name: str) -> str:
    for known in (name, *(f"{name}.{side}" for side in SIDES)):
        if known in scene.frames:
            return known
    raise LuffError(Problem("there is no such frame", name, did_you_mean(name, scene.frames)))


def requested_view(scene: Scene, side: str, follow: str, inside: str) -> View | None:
    """Requested view, else the netlist's; None if a side view is requested."""
    if follow or inside:
        camera = CAB if inside else FOLLOW
        return View({"camera": camera, "of": inside or follow, "from": None, "to": None, "up": scene.up})
    return None if side else scene.first_view


def apply_view(camera: Camera, view: View, scene: Scene) -> MountedCamera | None:
    """Set the camera from a `view:`; return its attachment, None for a fixed camera."""
    eye, to = (None if at is None else np.array(at, float) for at in (view.eye, view.to))
    if view.camera != FREE:
        return MountedCamera(frame_of(scene, view.of), view.camera, to, eye)
    if eye is not None and to is not None:  # as was checked
        camera.look_at(eye, to)
    return None


def kept(camera: Camera, mount: MountedCamera | None) -> RawMap:
    """Camera as a `view:` section of the netlist."""
    up: RawMap = {} if camera.up == "z" else {"up": camera.up}
    if mount is None or mount.place is None:
        return {"camera": FREE, **_axis_ends(camera, np.zeros(3)), **up}
    if mount.camera == FOLLOW:
        return {"camera": FOLLOW, "of": mount.frame, **_axis_ends(camera, mount.place), **up}
    left, high = camera.azimuth - mount.heading[0], mount.heading[1] - camera.elevation
    to = np.array([np.cos(high) * np.cos(left), np.cos(high) * np.sin(left), np.sin(high)])
    return {"camera": mount.camera, "of": mount.frame, "to": _rounded(to, 4), **up}


def _axis_ends(camera: Camera, origin: np.ndarray) -> RawMap:
    digits = 3 - int(np.floor(np.log10(camera.distance)))
    eye = camera.target + camera.distance * camera.axes()[2]
    return {"from": _rounded(eye - origin, digits), "to": _rounded(camera.target - origin, digits)}


def _rounded(at: np.ndarray, digits: int) -> list[Raw]:
    return [float(round(x, digits)) + 0.0 for x in at.tolist()]
