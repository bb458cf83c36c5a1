"""Faces of bodies: declared shapes, else tapered booms between their frames; beams by their cross-sections. No Qt."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ...blocks.block import Block
from ...blocks.errors import LuffError
from ...blocks.geometry.body_shapes import BOUNDLESS, FIELD, MESHES, Files, Shape, colour_of
from ...blocks.geometry.cross_sections import Section
from ...blocks.geometry.height_fields import heights_in
from ...blocks.mechanics.bodies import ShapedBlock
from ...blocks.mechanics.flexible_links import RfemLink
from ...blocks.multibody_parts import Body
from .decorative_shapes import diagonals, hook, hull, lattice
from .scene_shapes import BAR, Drawing, Line, Skin
from .solid_faces import Faces, ball, box, capsule, cylinder, prism, round_prism, sides_of

FAMILY = "bodies"
THICK = 1.5  # from the axis of a boom to its edges where it is thickest, in units of `thin`
ROUND = ("sphere", "capsule", "cylinder")
MOST_FACES = 4000  # limit of a mesh's faces; finer meshes are coarsened by vertex clustering
EDGES_UP_TO = 400  # faces: beyond, edges would blacken a mesh
Frames = list[tuple[str, int, np.ndarray]]  # port, row, point
Bent = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]  # corners of a face, and their rows


@dataclass
class Piece:
    """Body of the mechanism with the pose of its frame in the row's frame."""

    row: int
    part: Body
    R: np.ndarray
    p: np.ndarray

    @property
    def com(self) -> np.ndarray:
        """Centre of mass in the row's frame [m]."""
        return self.R @ np.asarray(self.part.com) + self.p

    def put(self, faces: Faces) -> Faces:
        return [face @ self.R.T + self.p for face in faces]


def declared_shapes(name: str, block: Block, pieces: list[Piece], thin: float = 0.0) -> Drawing:
    """Shapes that the netlist declares for the block, with sides for parts of the half width `thin`."""
    drawing = Drawing()
    if not isinstance(block, ShapedBlock) or not pieces:
        return drawing
    shapes = [shape for shape in block.shapes_by_path().values() if not shape.hidden]
    place = (
        _bent_corners(block, pieces) if shapes and isinstance(block, RfemLink) and not block.rigid else None
    )
    for shape in shapes:
        drawing.skins.append(
            _declared_mesh(name, shape, faces_of(shape, block.meshes, thin), pieces[0], place)
        )
        drawing.lines += _bars(name, shape, pieces[0], place)
    return drawing


def has_round_shape(block: Block) -> bool:
    """True if the netlist declares a shape for the block whose number of sides follows the size at which it is seen."""
    shapes = block.shapes_by_path().values() if isinstance(block, ShapedBlock) else ()
    return any(shape.kind in ROUND for shape in shapes)


def draw(name: str, block: Block, pieces: list[Piece], own: Frames, thin: float) -> Drawing:
    """Default drawing of a body block; `own` are its frames, the one nearest to the world first."""
    if isinstance(block, RfemLink):
        return Drawing([_beam(name, block, pieces, thin)] if pieces else [])
    return Drawing(_booms(name, pieces, own, thin))


# --- shapes of the netlist -----------------------------------------------------------------------------------------


def _declared_mesh(name: str, shape: Shape, faces: Faces, piece: Piece, place: Bent | None) -> Skin:
    R, p = shape.pose()
    faces = [face @ R.T + p for face in faces]
    colour, edges = colour_of(shape) or FAMILY, shape.kind in ROUND or len(faces) <= EDGES_UP_TO
    if place is None:
        return Skin(name, colour, piece.put(faces), piece.row, edges)
    placed = [place(face) for face in faces]
    return Skin(name, colour, [face for face, _ in placed], [rows for _, rows in placed], edges)


def _bars(name: str, shape: Shape, piece: Piece, place: Bent | None) -> list[Line]:
    """Diagonals of a lattice shape."""
    if shape.kind != "lattice":
        return []
    R, p = shape.pose()
    lines = []
    for chain in diagonals(shape.sizes()):
        points = chain @ R.T + p
        put, rows = place(points) if place else (piece.put([points])[0], np.full(len(points), piece.row))
        lines.append(Line(name, colour_of(shape) or FAMILY, BAR, rows.tolist(), put))
    return lines


def faces_of(shape: Shape, files: Files, thin: float = 0.0) -> Faces:
    """Faces of a shape in the shape's own frame [m], round ones as seen beside parts of the half width `thin`.

    Empty for a plane, and for a file that cannot be read, which the check reports.
    """
    sizes = shape.sizes()
    if shape.kind == BOUNDLESS:
        return []
    if shape.kind in MESHES:
        try:
            vertices, faces = clustered_mesh(*files.triangles(shape))
        except LuffError:
            return []  # the check has told it
        return list(vertices[faces])
    if shape.kind == FIELD:
        try:
            return height_faces(heights_in(shape, files), sizes)
        except LuffError:
            return []
    if shape.kind == "box":
        return box(sizes)
    if shape.kind in ("lattice", "hull"):
        return lattice(sizes) if shape.kind == "lattice" else hull(sizes)
    if shape.kind == "hook":
        return hook(sizes[0])
    sides = sides_of(0.5 * sizes[0], thin)
    if shape.kind == "cylinder":
        return cylinder(sizes[0], sizes[1], sides)
    return capsule(sizes[0], sizes[1] if shape.kind == "capsule" else 0.0, sides)


def height_faces(heights: np.ndarray, size: tuple[float, ...], most: int = MOST_FACES) -> Faces:
    """Quadrangles between the nodes of a grid of heights, rows along x, its middle at the origin; of at most about
    `most` where it is finer.
    """
    step = max(1, math.ceil(math.sqrt((heights.shape[0] - 1) * (heights.shape[1] - 1) / most)))
    rows, columns = (np.unique(np.r_[0:count:step, count - 1]) for count in heights.shape)
    x, y = (
        size[k] * (numbers / (count - 1) - 0.5)
        for k, (numbers, count) in enumerate(zip((columns, rows), reversed(heights.shape), strict=True))
    )
    points = np.dstack((*np.meshgrid(x, y), heights[np.ix_(rows, columns)]))
    around = points[:-1, :-1], points[:-1, 1:], points[1:, 1:], points[1:, :-1]
    return list(np.stack(around, axis=2).reshape(-1, 4, 3))


def clustered_mesh(
    vertices: np.ndarray, faces: np.ndarray, most: int = MOST_FACES
) -> tuple[np.ndarray, np.ndarray]:
    """Mesh of at most `most` triangles by vertex clustering: vertices in one grid cell become one."""
    kept, triangles = clustered(vertices, faces, most)
    return vertices[kept], triangles


def clustered(
    vertices: np.ndarray, faces: np.ndarray, most: int = MOST_FACES
) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the vertices that `clustered_mesh` keeps, and triangles between these."""
    if len(faces) <= most:
        return np.arange(len(vertices)), faces
    cells, low = 64, vertices.min(axis=0)
    largest = (vertices.max(axis=0) - low).max()
    while cells >= 4:
        keys = np.floor((vertices - low) / (largest / cells)).astype(int)
        _, first, number = np.unique(_codes(keys, cells + 1), return_index=True, return_inverse=True)
        merged = number[faces]
        whole = (
            (merged[:, 0] != merged[:, 1]) & (merged[:, 1] != merged[:, 2]) & (merged[:, 0] != merged[:, 2])
        )
        _, at = np.unique(_codes(merged[whole], len(first)), return_index=True)
        triangles = merged[whole][at]
        if len(triangles) <= most:
            return first, triangles
        cells = cells * 3 // 4
    return np.arange(len(vertices)), faces


def _codes(numbers: np.ndarray, below: int) -> np.ndarray:
    """One number for each row of three from 0 on, in the rows' order: sorting these is faster than sorting rows."""
    return (numbers[:, 0] * below + numbers[:, 1]) * below + numbers[:, 2]


def _bent_corners(block: RfemLink, pieces: list[Piece]) -> Bent:
    """Placement of face corners on a flexible link: each in the frame of the element's row that it lies on."""
    starts = np.array([block.start_of(k) for k in range(len(pieces))])

    def place(face: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        corners, rows = np.empty_like(face), np.empty(len(face), int)
        for k, corner in enumerate(face):
            number = min(block.piece_at(float(corner[0])), len(pieces) - 1)
            piece = pieces[number]
            corners[k] = piece.R @ (corner - [starts[number], 0.0, 0.0]) + piece.p
            rows[k] = piece.row
        return corners, rows

    return place


# --- beams ---------------------------------------------------------------------------------------------------------


def outline(section: Section, least: float) -> np.ndarray:
    """Corners of a cross-section in y and z [m], counter-clockwise about x; drawn at least `least` thick."""
    if section.shape in ("circle", "tube") or section.shape is None:
        radius = 0.5 * section.diameter if section.diameter else np.sqrt(section.A / np.pi)
        radius = max(radius, 0.5 * least)
        sides = sides_of(radius, 2.0 * least)
        angles = 2 * np.pi * np.arange(sides) / sides
        return radius * np.column_stack((np.cos(angles), np.sin(angles)))
    y, z = 0.5 * max(section.width, least), 0.5 * max(section.height, least)
    if section.shape != "i":
        return np.array([[-y, -z], [y, -z], [y, z], [-y, z]])
    web, inner = min(0.5 * section.thickness, y), z - min(section.flange, z)
    half = [[-y, -z], [y, -z], [y, -inner], [web, -inner], [web, inner], [y, inner], [y, z]]
    return np.array([*half, *[[-a, b] for a, b in reversed(half[1:])]][:12])


def _beam(name: str, block: RfemLink, pieces: list[Piece], thin: float) -> Skin:
    """Skin of a beam: the cross-section swept along the elements, two rings per element so that the skin bends at
    the springs."""
    cuts = [0.0, block.length] if block.rigid else block.piece_ends()
    rings, rows = [], []
    for piece, (start, end) in zip(pieces, pairwise(cuts), strict=False):
        # inside of the element's ends, and straight from there to the next
        inset = 0.0 if len(pieces) == 1 else 0.02 * (end - start)
        for x in (inset, end - start - inset):
            corners = outline(block.section_at(start + x), 0.5 * thin)
            ring = np.column_stack((np.zeros(len(corners)), corners))
            rings.append((ring + np.array([x, 0.0, 0.0])) @ piece.R.T + piece.p)
            rows.append(np.full(len(ring), piece.row))
    count = len(rings[0])
    sides = [(k, (k + 1) % count) for k in range(count)]
    faces = [np.array([low[a], low[b], high[b], high[a]]) for low, high in pairwise(rings) for a, b in sides]
    face_rows = [np.array([low[0], low[0], high[0], high[0]]) for low, high in pairwise(rows) for _ in sides]
    lids = [rings[0][::-1], rings[-1]]
    lid_rows = [rows[0], rows[-1]]
    if block.section.shape == "i":  # a lid that is not convex is no fan
        lids, lid_rows = [], []
    return Skin(name, FAMILY, [*faces, *lids], [*face_rows, *lid_rows], edges=len(faces) < 4 * EDGES_UP_TO)


# --- bodies without a shape ----------------------------------------------------------------------------------------


def _booms(name: str, pieces: list[Piece], own: Frames, thin: float) -> list[Skin]:
    """Tapered booms from the first frame to each other frame; a ball for a body without extent."""
    if not own:
        return []
    first = next((frame for frame in own if frame[0] == "frame_a"), own[0])
    end = next((frame[2] for frame in own if frame[0] == "frame_b" and frame[1] == first[1]), first[2])
    skins = []
    for port, row, point in own:
        main = port == "frame_b"
        start = first[2] if main else nearest(first[2], end, point)
        length = float(np.linalg.norm(point - start))
        if port != first[0] and row == first[1] and length > 1e-9:
            # an arm stands beside the boom, thinner
            faces = boom(start, point, length, thin) if main else prism(start, point, thin, 4, taper=0.8)
            skins.append(Skin(name, FAMILY, faces, row))
    if skins:
        return skins
    for piece in pieces:
        if piece.part.mass > 0:
            com = piece.com
            skins.append(Skin(name, FAMILY, ball(com, 1.3 * thin, thin), piece.row, edges=False))
            length = float(np.linalg.norm(com - first[2]))
            if piece.row == first[1] and length > 1e-9:
                skins.append(Skin(name, FAMILY, round_prism(first[2], com, 0.4 * thin, thin), piece.row))
    return skins


def nearest(a: np.ndarray, b: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Point of the segment from a to b that is nearest to `point`"""
    way = b - a
    square = float(way @ way)
    return a + (min(max(float((point - a) @ way) / square, 0.0), 1.0) if square > 0 else 0.0) * way


def boom(a: np.ndarray, b: np.ndarray, length: float, thin: float) -> Faces:
    """Tapered prism from a to b, thick at a; the thickness is limited for short booms."""
    return prism(a, b, min(THICK * thin, 0.2 * length), 4, taper=0.7)
