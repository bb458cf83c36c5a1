"""Drawings of supports: bases on springs, decks, struts of welds, pads at plane contacts. No Qt."""

from __future__ import annotations

import numpy as np

from ...blocks.mechanics.elastic_supports import BaseSupport
from .body_faces import FAMILY, Frames, Piece, boom
from .decorative_shapes import hull
from .scene_shapes import SPRING, TIE, Drawing, Line, Skin
from .solid_faces import Faces, ball, box, prism, round_prism

SLENDERNESS = 2.8  # smallest ratio of length to width of a ship
DEPTH = 1.8  # ratio of a ship's depth to its freeboard
OFFSET = "#8c9196"  # on light and dark ground alike fainter than parts
LEG = 5.0  # length of a support's spring, in units of `thin`


def draw_strut(name: str, row: int, a: np.ndarray, b: np.ndarray, thin: float) -> Drawing:
    """Strut of a weld with an offset, from the body to its frame_b; at the world, where nothing is, a dashed line."""
    if np.linalg.norm(b - a) < thin:
        return Drawing()
    if row < 0:
        return Drawing(lines=[Line(name, OFFSET, TIE, [row, row], np.array([a, b]))])
    return Drawing([Skin(name, "signals", prism(a, b, 0.4 * thin, 8), row, edges=False)])


def draw_deck(
    name: str, row: int, origin: np.ndarray, R: np.ndarray, stood: np.ndarray, thin: float
) -> Drawing:
    """Deck plate below everything mounted on it, symmetric about the origin."""
    local = (stood - origin) @ R
    reach = np.abs(local[:, :2]).max(axis=0, initial=0.0) + 4.0 * thin
    return Drawing([Skin(name, FAMILY, _plate(-reach, reach, -thin, 0.0, R, origin), row)])


def draw_ship(
    name: str, row: int, origin: np.ndarray, R: np.ndarray, stood: np.ndarray, thin: float
) -> Drawing:
    """Ship's hull, bow towards x, with its deck at the height of the lowest mount."""
    local = (stood - origin) @ R
    high = local[local[:, 2] > thin]
    if not len(high):
        return draw_deck(name, row, origin, R, stood, thin)
    width = 2.0 * (np.abs(high[:, 1]).max() + 4.0 * thin)
    # parts ahead of the shoulders would lie outside of the bow
    length = max(2.0 * (max(-high[:, 0].min(), high[:, 0].max() / 0.3) + 4.0 * thin), SLENDERNESS * width)
    above = float(high[:, 2].min())
    middle = np.array([0.0, 0.0, (1.0 - 0.5 * DEPTH) * above])
    faces = [(face + middle) @ R.T + origin for face in hull((length, width, DEPTH * above))]
    return Drawing([Skin(name, FAMILY, faces, row)])


def draw_base(
    name: str, block: BaseSupport, piece: Piece, own: Frames, R_ground: np.ndarray, thin: float
) -> Drawing:
    """Base plate across the supports, a coil at each support, and booms to what is mounted on the base."""
    feet = np.array([support.at for support in block.supports], float).reshape(-1, 3)
    skins = [_body(name, block, feet, piece, thin)]
    for port, row, point in own:
        length = float(np.linalg.norm(point - piece.p))
        if port != "frame_a" and row == piece.row and length > 2.0 * thin:
            skins.append(Skin(name, FAMILY, boom(piece.p, point, length, thin), row))
    row, origin = next((row, point) for port, row, point in own if port == "frame_a")
    lines = []
    for foot, way in zip(feet, _outwards(feet), strict=True):
        at, away = origin + R_ground @ (foot + LEG * thin * way), R_ground @ way
        plate = round_prism(at, at + 0.4 * thin * away, 1.6 * thin, thin)
        skins.append(Skin(name, FAMILY, plate, row))
        ends = np.array([at, piece.R @ foot + piece.p])
        lines.append(Line(name, block.family, SPRING, [row, piece.row], ends, size=0.9 * thin))
    return Drawing(skins, lines)


def draw_pad(row: int, at: np.ndarray, normal: np.ndarray, name: str, family: str, thin: float) -> Drawing:
    """Pad below a point that contacts a plane."""
    return Drawing([Skin(name, family, round_prism(at, at + 0.5 * thin * normal, 1.8 * thin, thin), row)])


def _body(name: str, block: BaseSupport, feet: np.ndarray, piece: Piece, thin: float) -> Skin:
    low, high = (feet.min(axis=0), feet.max(axis=0)) if len(feet) else (np.zeros(3), np.zeros(3))
    if np.all(high[:2] - low[:2] > thin):
        # supports in one layer are under the plate, those in several are at its edges
        top = max(high[2], low[2] + 1.5 * thin)
        return Skin(name, FAMILY, _plate(low[:2], high[:2], low[2], top, piece.R, piece.p), piece.row)
    mass = piece.put(ball(np.array(block.com, float), 2.0 * thin, thin))
    return Skin(name, FAMILY, mass, piece.row, edges=False)


def _plate(
    low: np.ndarray, high: np.ndarray, bottom: float, top: float, R: np.ndarray, p: np.ndarray
) -> Faces:
    size = (high[0] - low[0], high[1] - low[1], top - bottom)
    middle = np.array([*(low[:2] + high[:2]) / 2, (bottom + top) / 2])
    return [(face + middle) @ R.T + p for face in box(size)]


def _outwards(feet: np.ndarray) -> np.ndarray:
    """Unit directions from the supports to the ground: down from the lowest layer, sideways from supports above it."""
    ways = np.tile([0.0, 0.0, -1.0], (len(feet), 1))
    if len(feet):
        flat = feet * [1.0, 1.0, 0.0]
        far = np.linalg.norm(flat, axis=1)
        above = (feet[:, 2] > feet[:, 2].min() + 0.25 * np.ptp(feet[:, 2])) & (far > 0)
        ways[above] = flat[above] / far[above, None]
    return ways
