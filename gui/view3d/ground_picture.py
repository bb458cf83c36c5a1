"""Ground of a picture: its grid with the axes of the world, and the shadows on it or on water."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QPainter, QPen

from ..theme.active_theme import theme
from .axes_gizmo import AXES
from .camera import NEAR, UP, Camera
from .depth_image import DepthImage, word_of
from .face_arrays import CONTACT, LIGHT_FROM, areas_of
from .scene_model import Scene
from .scene_shapes import grid
from .sea_surface import Surface

RATIO, SAMPLES = 0.5, 2  # pixels a point of a shadow: it is soft, and quick; and samples of such a pixel
PLAIN = 170 / 255  # opacity of shadows cast from above CONTACT, in units of the others
LIFT = 1e-3  # of these over the ground, in units of the mechanism's size


def paint_grid(painter: QPainter, scene: Scene, camera: Camera, width: int, height: int) -> None:
    """Grid of the ground, fainter outwards; the axes of the view's frame in it in their colours."""
    R_WV = UP[camera.up]
    step, count, middle = grid(scene.size, scene.middle @ R_WV)
    along = np.arange(-count, count + 1)
    for axis in (0, 1):
        places = middle[axis] + along * step
        ends = np.full((len(along), 2, 3), scene.ground)
        ends[:, :, axis] = places[:, None]
        ends[:, :, 1 - axis] = middle[1 - axis] + count * step * np.array([-1, 1])
        # the line through the origin is the other axis
        own = QColor(AXES[int(np.abs(R_WV[:, 1 - axis]).argmax())])
        flat, seen = _before_the_eye(ends @ R_WV.T, camera, width, height)
        for k in np.flatnonzero(seen).tolist():
            through = abs(places[k]) < 1e-9 * step
            colour = QColor(own) if through else theme().colour("grid")
            colour.setAlphaF((0.55 if through else 1.0) * (1.0 - 0.75 * abs(int(along[k])) / count))
            painter.setPen(QPen(colour, 1))
            painter.drawLine(QPointF(*flat[k, 0]), QPointF(*flat[k, 1]))


def _before_the_eye(
    ends: np.ndarray, camera: Camera, width: int, height: int
) -> tuple[np.ndarray, np.ndarray]:
    """Ends of lines (n, 2, 3) in the picture (n, 2, 2), cut where they pass the eye; and of which anything is seen."""
    depth = camera.local(ends.reshape(-1, 3))[:, 2].reshape(-1, 2) - NEAR * camera.distance
    seen = np.any(depth > 0, axis=1)
    share = np.clip(depth / np.where(depth == depth[:, ::-1], 1.0, depth - depth[:, ::-1]), 0.0, 1.0)
    share = np.where(depth < 0, share, 0.0)[..., None]
    cut = ends + share * (ends[:, ::-1] - ends)
    return camera.project(cut.reshape(-1, 3), width, height)[:, :2].reshape(-1, 2, 2), seen


def step_of(scene: Scene, camera: Camera) -> float:
    """Distance of the lines of the grid [m]."""
    return grid(scene.size, scene.middle @ UP[camera.up])[0]


def length_text(length: float) -> str:
    """A round length with the unit that keeps its number short."""
    for unit, name in ((1.0, "m"), (1e-2, "cm"), (1e-3, "mm")):
        if length >= 0.999 * unit:
            return f"{length / unit:g} {name}"
    return f"{length * 1e3:g} mm"


def paint_shadow(
    painter: QPainter,
    scene: Scene,
    camera: Camera,
    vertices: np.ndarray,
    width: int,
    height: int,
    surface: Surface | None = None,
) -> None:
    """Shadows on the ground, or on the water where no body is before it; darker below surfaces that are close to it."""
    # in the view's frame; the sea is that of the world
    R_WV = UP[camera.up if surface is None else "z"]
    quads = vertices.reshape(-1, 4, 3) @ R_WV
    areas = areas_of(vertices) @ R_WV
    level = np.full(quads.shape[:2], scene.ground) if surface is None else surface.level(quads)
    heights = np.maximum(quads[:, :, 2:] - level[:, :, None], 0.0)
    over = np.any(heights > 0, axis=1)[:, 0]
    near = over & (areas[:, 2] > 0) & (heights.min(axis=1)[:, 0] < CONTACT * scene.size)
    cast = quads - heights / LIGHT_FROM[2] * LIGHT_FROM
    feet = quads.copy()
    cast[:, :, 2] = level if surface is None else surface.level(cast)
    feet[:, :, 2] = level + LIFT * scene.size
    picture = DepthImage(camera, width, height, RATIO, SAMPLES)
    if surface is not None:
        _paint_flat(picture, vertices, 0)  # a shadow beyond a body is not seen
    black = QColor("black")
    for fallen, dark in ((cast[over & (areas @ LIGHT_FROM > 0)], PLAIN), (feet[near], 1.0)):
        opacity = dark * (0.2 if theme().name == "light" else 0.6)
        _paint_flat(picture, fallen.reshape(-1, 3) @ R_WV.T, word_of(black, opacity))
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    picture.paint(painter)


def _paint_flat(picture: DepthImage, corners: np.ndarray, word: int) -> None:
    """Paint faces in one colour."""
    count = len(corners)
    picture.faces(corners, np.zeros(count), np.zeros(count // 4, np.int64), np.array([[word]]))
