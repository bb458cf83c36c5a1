"""Faces, edges, lines and water of a mechanism in a picture with hidden ones hidden."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np
from PySide6.QtGui import QColor

from ..theme.active_theme import theme
from .camera import UP
from .depth_image import DepthImage, word_of
from .face_arrays import Mesh, areas_of, shade, units_of
from .scene_model import Scene
from .scene_shapes import SPRING, TIE, Line, points_of
from .sea_surface import Surface
from .shades import SHADES, colour_named, shades_of, water_colours, width_of
from .solid_faces import coil

EDGE, RIM = 0.9, 2.0  # px of an edge, and of a rim about what is selected
OVER, BEHIND = 4e-4, -0.02  # edges are over the faces that they bound and rims behind, in target's distances
DASH, DASHED = 9.0, 0.62  # px from dash to dash, and share that is drawn
LEAST = 1.0 / 512.0  # share of the water that changes no level of a colour
FADED = 0.22  # opacity of another pose or another run


def paint_solids(
    picture: DepthImage,
    scene: Scene,
    vertices: np.ndarray,
    colours: Sequence[str],
    selected: Collection[str],
    outlined: bool = False,
) -> None:
    """Faces of a scene with its edges; smooth surfaces are shaded smoothly. Selected blocks have a colour of their own,
    or where faces keep theirs (`outlined`) a rim in it."""
    mesh, smoothing = scene.mesh, scene.smoothing
    looks, names = _looks(mesh, colours, selected)
    tables = [shades_of(name, chosen and not outlined, theme().name) for name, chosen in names]
    areas = areas_of(vertices)
    light = _light(picture, smoothing.normals(areas))
    picture.faces(vertices, light, looks, np.array([own for own, _ in tables]).reshape(-1, SHADES))
    towards = ((picture.camera.eye - vertices[::4]) * areas).sum(axis=1) > 0
    shown = towards[smoothing.sides].any(axis=1)
    edges, ends = smoothing.edges[shown], smoothing.ends[shown]
    dark = np.array([edge for _, edge in tables]).reshape(-1, SHADES)
    levels = np.rint((SHADES - 1) * np.clip(light[edges], 0.0, 1.0)).astype(int)
    lines = np.stack((vertices[edges], vertices[ends]), axis=1).reshape(-1, 3)
    if outlined:
        chosen = np.array([own for _, own in names], bool)[looks[edges // 4]]
        _outline(picture, lines[np.repeat(chosen, 2)], EDGE)
    picture.lines(lines, dark[looks[edges // 4], levels], EDGE, OVER)


def _outline(picture: DepthImage, lines: np.ndarray, width: np.ndarray | float) -> None:
    """Rim in the colour of what is selected around lines of a width, behind what they bound."""
    words = np.full(len(lines) // 2, word_of(theme().colour("selection")), np.int64)
    picture.lines(lines, words, np.asarray(width) + 2.0 * RIM, BEHIND)


def _light(picture: DepthImage, normals: np.ndarray) -> np.ndarray:
    """Brightness of surfaces with these normals in the world."""
    R_WV = UP[picture.camera.up]
    return shade(normals @ R_WV, picture.camera.axes()[2] @ R_WV)


def _looks(
    mesh: Mesh, colours: Sequence[str], selected: Collection[str]
) -> tuple[np.ndarray, list[tuple[str, bool]]]:
    """Number of each face's look, and the looks: a colour, and whether it is of a selected block."""
    known: dict[tuple[str, bool], int] = {}
    chosen = [block in selected for block in mesh.blocks] if selected else [False] * len(mesh.blocks)
    numbers = [known.setdefault(look, len(known)) for look in zip(colours, chosen, strict=True)]
    return np.array(numbers, np.int64), list(known)


def paint_faded(picture: DepthImage, vertices: np.ndarray) -> None:
    """Faces in one colour, plainly shaded."""
    light = np.repeat(_light(picture, units_of(areas_of(vertices))), 4)
    own, _ = shades_of(theme().colour("muted").name(), False, theme().name)
    picture.faces(vertices, light, np.zeros(len(vertices) // 4, np.int64), own[None])


def paint_lines(
    picture: DepthImage, lines: Iterable[Line], pose: np.ndarray, selected: Collection[str], every: str = ""
) -> None:
    """Lines by their kind: springs as coils, ties dashed; `every` is the colour of all, beside selected rims."""
    ends: list[np.ndarray] = [np.zeros((0, 2, 3))]
    words, widths = [], []
    for line in lines:
        chosen = line.block in selected
        colour = theme().colour("selection") if chosen and not every else colour_named(every or line.colour)
        points = points_of(line, pose)
        if line.kind == SPRING and np.linalg.norm(points[1] - points[0]) > 1e-9:
            points = coil(points[0], points[1], line.size)
        pieces = np.stack((points[:-1], points[1:]), axis=1)
        if line.kind == TIE:
            pieces = _dashes(picture, points)
        ends.append(pieces)
        words += [word_of(colour)] * len(pieces)
        widths += [width_of(line, chosen and not every)] * len(pieces)
        if chosen and every:
            _outline(picture, pieces.reshape(-1, 3), width_of(line, False))
    picture.lines(np.concatenate(ends).reshape(-1, 3), np.array(words, np.int64), np.array(widths), OVER)


def _dashes(picture: DepthImage, points: np.ndarray) -> np.ndarray:
    """Dashes along a polyline, (n, 2, 3), evenly spaced in the picture."""
    flat = picture.camera.project(points, picture.width, picture.height)[:, :2]
    steps = np.linalg.norm(np.diff(flat, axis=0), axis=1)
    count = int(np.clip(np.ceil(steps.sum() / DASH), 1, 400)) if np.all(np.isfinite(steps)) else 1
    along = np.concatenate(([0.0], np.cumsum(steps)))
    if along[-1] <= 0.0:
        return np.stack((points[:-1], points[1:]), axis=1)
    starts = along[-1] * np.arange(count) / count
    at = np.column_stack((starts, starts + DASHED * along[-1] / count))
    return np.stack([np.interp(at, along, axis) for axis in points.T], axis=-1)


def paint_trace(picture: DepthImage, trace: np.ndarray, colour: QColor) -> None:
    """Way of a frame up to now."""
    if len(trace) > 1:
        points = trace[:: max(1, len(trace) // 1500)]
        if (len(trace) - 1) % max(1, len(trace) // 1500):
            points = np.concatenate((points, trace[-1:]))
        ends = np.stack((points[:-1], points[1:]), axis=1).reshape(-1, 3)
        picture.lines(ends, np.full(len(points) - 1, word_of(colour)), 1.8)


def paint_water(picture: DepthImage, surface: Surface) -> None:
    """Water over what is beyond its surface, piece by piece, the furthest first, fainter with its depth."""
    pieces, camera = surface.pieces(), picture.camera
    depth = camera.local(pieces.reshape(-1, 3))[:, 2].reshape(pieces.shape[:3])
    # without perspective the eye is as far away as with it
    before = np.maximum(depth - (camera.reach - camera.distance), 0.0)
    seen = surface.water.seen(before, camera.distance)
    colours = water_colours(surface, seen)
    shown = ((seen > LEAST).any(axis=2) & (depth > 0.0).any(axis=2)).ravel()
    order = np.flatnonzero(shown)[np.argsort(-depth.mean(axis=2).ravel()[shown], kind="stable")]
    picture.veils(pieces.reshape(-1, 12)[order].reshape(-1, 3), colours.reshape(-1, 16)[order].reshape(-1, 4))
