"""Camera of the 3-D view, orbiting with perspective, and the extent of a motion. Pure numpy: no Qt."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from math import cos, sin

import numpy as np

FIELD = 0.52  # rad, vertical
FILLED = 0.84  # share of the picture that the fitted points fill
HIGHEST = 1.55  # rad
NEAREST = 1e-3  # m, of the eye from its target
NEAR = 0.02  # least depth that is projected, in units of the target's distance
# by the axis of the world that points upwards in pictures: R_WV, V the frame of the view, whose z axis that is
UP = {
    "z": np.eye(3),
    "y": np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]),
    "x": np.array([[0, 0, 1.0], [0, 1, 0], [-1, 0, 0]]),
    "-z": np.diag([1.0, -1, -1]),
    "-y": np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]),
    "-x": np.array([[0, 0, -1.0], [0, 1, 0], [1, 0, 0]]),
}
VIEWS = {
    "iso": (-0.9, 0.32),
    "front": (-np.pi / 2, 0.0),
    "side": (0.0, 0.0),
    "top": (-np.pi / 2, HIGHEST),
    "back": (np.pi / 2, 0.0),
    "left": (np.pi, 0.0),
    "bottom": (-np.pi / 2, -HIGHEST),
}
PARALLEL = 100.0  # further away is the eye of a parallel projection, in units of the target's distance
AROUND = (
    -0.9,
    -0.55,
    -1.25,
    0.6,
    2.3,
    -2.3,
)  # azimuths from which a mechanism may show itself, the first preferred
_CUBE = np.array([way for way in itertools.product((-1.0, 0.0, 1.0), repeat=3) if any(way)])
WAYS = _CUBE / np.linalg.norm(_CUBE, axis=1)[:, None]
SEEN = 1e-9  # m; tolerance for a point outside of the hull


def angles(towards: np.ndarray, up: str = "z") -> tuple[float, float]:
    """Azimuth and elevation [rad] of a camera that looks against the direction `towards`, in W, with `up` upwards."""
    x, y, z = map(float, towards @ UP[up])
    elevation = np.clip(np.arctan2(z, np.hypot(x, y)), -HIGHEST, HIGHEST)
    return float(np.arctan2(y, x)), float(elevation)


@dataclass
class Camera:
    """Eye on a sphere about its target; azimuth and elevation are those of the view's frame V (`UP`)."""

    azimuth: float = VIEWS["iso"][0]
    elevation: float = VIEWS["iso"][1]
    distance: float = 5.0
    target: np.ndarray = field(default_factory=lambda: np.zeros(3))
    up: str = "z"  # axis of the world
    parallel: bool = False  # projection without perspective, as large as it would be at the target

    def axes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Unit vectors of the camera in the world: right, up, and towards the eye."""
        ca, sa = cos(self.azimuth), sin(self.azimuth)
        ce, se = cos(self.elevation), sin(self.elevation)
        towards = np.array([ce * ca, ce * sa, se])
        right, R_WV = np.array([-sa, ca, 0.0]), UP[self.up]
        return R_WV @ right, R_WV @ np.array([-se * ca, -se * sa, ce]), R_WV @ towards

    @property
    def reach(self) -> float:
        """Distance of the eye from the target [m]."""
        return self.distance * (1.0 + PARALLEL * self.parallel)

    @property
    def eye(self) -> np.ndarray:
        return self.target + self.reach * self.axes()[2]

    def scale(self, depth: np.ndarray, height: float) -> np.ndarray:
        """Scale at depths in front of the eye [px/m]."""
        if self.parallel:
            return np.full(np.shape(depth), self.pixels_per_metre(height))
        return self.pixels_per_metre(height) * self.distance / depth

    def project(self, points: np.ndarray, width: float, height: float) -> np.ndarray:
        """Project points, (n, 3) -> (n, 3): pixel x and y, and depth in front of the eye [m]."""
        right, up, depth = self.local(points).T
        scale = self.scale(np.maximum(depth, NEAR * self.distance), height)
        return np.column_stack((width / 2 + scale * right, height / 2 - scale * up, depth))

    def local(self, points: np.ndarray) -> np.ndarray:
        """Points in the camera's axes, (n, 3) -> (n, 3): right and up from the target, depth before the eye [m]."""
        local = (np.asarray(points, float) - self.target) @ np.column_stack(self.axes())
        local[:, 2] = self.reach - local[:, 2]
        return local

    def unproject(self, x: float, y: float, depth: float, width: float, height: float) -> np.ndarray:
        """Inverse of `project`: the world point behind a pixel at a depth [m]."""
        right, up, towards = self.axes()
        scale = self.scale(np.asarray(depth), height)
        return self.eye - depth * towards + (x - width / 2) / scale * right + (height / 2 - y) / scale * up

    def pixels_per_metre(self, height: float) -> float:
        """Scale at the target's distance [px/m]."""
        return height / (2 * self.distance * np.tan(FIELD / 2))

    def shows(
        self, points: np.ndarray, width: float, height: float, top: float = 0.0, bottom: float = 0.0
    ) -> bool:
        """True if all points are in the picture below its `top` and above its `bottom` pixels."""
        x, y, depth = self.project(points, width, height).T
        return bool(np.all((depth > 0.0) & (x >= 0.0) & (x <= width) & (y >= top) & (y <= height - bottom)))

    def misses(self, points: np.ndarray, width: float, height: float, top: float = 0.0) -> bool:
        """True if nothing that the points span is in the picture below its `top` pixels, or less than a pixel of it:
        all lie behind the eye, or outside of one of the four planes through the picture's edges."""
        right, up, depth = self.local(points).T
        scale = self.pixels_per_metre(height) * (depth if self.parallel else self.distance)
        x, y = scale * right, scale * up
        outside = (
            depth <= 0.0,
            x < -width / 2 * depth,
            x > width / 2 * depth,
            y < -height / 2 * depth,
            y > (height / 2 - top) * depth,
        )
        if any(side.all() for side in outside):
            return True
        seen = self.project(points, width, height)[:, :2]
        return bool((depth > 0.0).all() and (np.ptp(seen, axis=0) < 1.0).all())

    def orbit(self, dx: float, dy: float) -> None:
        self.azimuth -= 0.008 * dx
        self.elevation = float(np.clip(self.elevation + 0.008 * dy, -HIGHEST, HIGHEST))

    def pan(self, dx: float, dy: float, height: float) -> None:
        right, up, _ = self.axes()
        scale = 1.0 / self.pixels_per_metre(height)
        self.target = self.target - right * dx * scale + up * dy * scale

    def zoom(self, factor: float, about: np.ndarray | None = None) -> None:
        """Come nearer by a factor; `about`, a point in W that keeps its place in the picture, else the target."""
        before = self.distance
        self.distance = float(np.clip(before / factor, NEAREST, 1e6))
        if about is not None:
            self.target = about + (self.target - about) * (self.distance / before)

    def centre(self, point: np.ndarray) -> None:
        """Turn about a point from now on, and have it in the middle; its size in the picture stays."""
        depth = float(self.local(point[None])[0, 2])
        if not self.parallel:
            self.distance = max(depth, NEAREST)
        self.target = point

    def look_from(self, view: str) -> None:
        self.azimuth, self.elevation = VIEWS[view]

    def look_at(self, eye: np.ndarray, target: np.ndarray) -> None:
        """Set the camera from the eye's position and its target."""
        away = eye - target
        self.azimuth, self.elevation = angles(away, self.up)
        self.distance, self.target = float(np.linalg.norm(away)), target

    def fit(
        self, points: np.ndarray, width: float, height: float, top: float = 0.0, bottom: float = 0.0
    ) -> None:
        """Fit all points into the picture below its `top` and above its `bottom` pixels, as large as possible, with the
        view direction kept."""
        if not len(points):
            return
        right, up, towards = self.axes()
        local = np.stack([points @ axis for axis in (right, up, towards)], axis=1)
        low, high = local.min(axis=0), local.max(axis=0)
        middle = (low + high) / 2
        # a point is in the picture where its offset is within a slope times its depth: two planes an axis bound the eye
        whole = FILLED * np.tan(FIELD / 2) * np.array([width / max(height, 1.0), 1.0])
        above, below = (whole * [1.0, max(1.0 - 2.0 * rim / max(height, 1.0), 0.2)] for rim in (top, bottom))
        near = (local[:, 2:] - middle[2]) * (not self.parallel)
        high_end = (above * near + local[:, :2]).max(axis=0)
        low_end = (below * near - local[:, :2]).max(axis=0)
        # a small mechanism is not viewed from inside
        needed = ((high_end + low_end) / (above + below)).max()
        self.distance = float(max(needed, 0.6 * (high - low).max(), NEAREST))
        offset = (high_end - low_end + self.distance * (below - above)) / 2
        self.target = np.column_stack((right, up, towards)) @ np.array([*offset, middle[2]])

    def show_most(self, *poses: np.ndarray, first: float = AROUND[0]) -> None:
        """Turn to the side that shows the largest extent of the mechanism, of several poses of that which shows least;
        the side at azimuth `first` where sides hardly differ. Poses without points, or with some that are no numbers,
        count for nothing."""
        known = [points for points in poses if len(points) and np.isfinite(points).all()]
        if not known:
            return
        shown = []
        for azimuth in AROUND:
            self.azimuth, self.elevation = azimuth, VIEWS["iso"][1]
            right, up, _ = self.axes()
            extent = min(np.ptp(points @ right) * np.ptp(points @ up) for points in known)
            shown.append(extent * (1.15 if azimuth == first else 1.0))
        self.azimuth = AROUND[int(np.argmax(shown))]

    @property
    def stands_around(self) -> bool:
        """True if it looks from one of the sides that `show_most` chooses from."""
        return self.azimuth in AROUND and self.elevation == VIEWS["iso"][1] and not self.parallel


class MotionExtent:
    """Extreme points in 26 directions of all points added: a tighter hull than a box."""

    def __init__(self) -> None:
        self.points = np.zeros((0, 3))
        self._reach = np.full(len(WAYS), -np.inf)

    def add(self, points: np.ndarray, room: float) -> bool:
        """Add points; True if any lies outside. The hull then grows by an extra margin `room`, so that it grows
        rarely."""
        if not len(points) or not np.all(np.isfinite(points)):
            return False
        heights = WAYS @ points.T
        furthest = heights.argmax(axis=1)
        reach = heights[np.arange(len(WAYS)), furthest]
        wider = reach > self._reach + SEEN
        if not wider.any():
            return False
        known = self.points if len(self.points) else np.zeros((len(WAYS), 3))
        self.points = np.where(wider[:, None], points[furthest] + room * WAYS, known)
        self._reach = np.where(wider, reach + room, self._reach)
        return True
