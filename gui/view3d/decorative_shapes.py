"""Decorative shapes: lattices, hook blocks and hulls. Pure numpy: no Qt."""

from __future__ import annotations

import itertools

import numpy as np

from .solid_faces import Faces, box, frame_about, prism, tube

MOST_PANELS = 24
CHORD = 0.035  # half thickness of the chords, in units of the lattice's larger side
# a hull from above: its stern is a straight edge, its bow a point
PLAN = np.array([[-0.5, -0.5], [0.15, -0.5], [0.38, -0.3], [0.5, 0.0], [0.38, 0.3], [0.15, 0.5], [-0.5, 0.5]])
KEEL = np.array([0.86, 0.72])  # length and width of the keel, in units of the deck's


def lattice(size: tuple[float, ...]) -> Faces:
    """Four chords of a lattice along x, split where diagonals meet them."""
    half = CHORD * max(size[1:])
    square = half * np.array([[0.0, -1.0, -1.0], [0.0, 1.0, -1.0], [0.0, 1.0, 1.0], [0.0, -1.0, 1.0]])
    faces: Faces = []
    for chord in _chords(size):
        faces += tube([square + point for point in chord])
    return faces


def diagonals(size: tuple[float, ...]) -> list[np.ndarray]:
    """Diagonals of a lattice: one zigzag chain per side, from chord to chord."""
    chords = _chords(size)
    chains = []
    for a, b in itertools.pairwise([*chords, chords[0]]):
        odd = np.arange(len(a))[:, None] % 2 == 1
        chains.append(np.where(odd, b, a))
    return chains


def _chords(size: tuple[float, ...]) -> list[np.ndarray]:
    """Joint points of the four chords, in order about x."""
    length, width, depth = size
    panels = int(np.clip(round(length / max(width, depth)), 2, MOST_PANELS))
    x = np.linspace(-0.5 * length, 0.5 * length, panels + 1)
    corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]
    return [np.column_stack((x, np.full(len(x), y * width), np.full(len(x), z * depth))) for y, z in corners]


def hook(height: float) -> Faces:
    """Hook block hanging from the origin: cheeks with a sheave between them, and the hook below."""
    cheeks = [
        face + np.array([0.0, side * 0.09 * height, -0.24 * height])
        for side in (-1.0, 1.0)
        for face in box((0.34 * height, 0.05 * height, 0.48 * height))
    ]
    axis = np.array([0.0, 0.14 * height, 0.0])
    pin = np.array([0.0, 0.0, -0.24 * height])
    shank = prism(
        np.array([0.0, 0.0, -0.46 * height]), np.array([0.0, 0.0, -0.66 * height]), 0.05 * height, 12
    )
    return [*cheeks, *prism(pin - axis, pin + axis, 0.11 * height, 24), *shank, *_bow(height)]


def _bow(height: float) -> Faces:
    """Curved part of the hook, from the shank, open towards x."""
    radius, angles = 0.14 * height, np.radians(np.linspace(90.0, 350.0, 10))
    middle = np.array([0.0, 0.0, -0.8 * height])
    rings = []
    for k, angle in enumerate(angles):
        out = np.array([np.cos(angle), 0.0, np.sin(angle)])
        u, v, _ = frame_about(np.array([-np.sin(angle), 0.0, np.cos(angle)]))
        thick = 0.055 * height * (1.0 - 0.5 * k / (len(angles) - 1))
        turns = 2 * np.pi * np.arange(8) / 8
        rings.append(
            middle + radius * out + thick * (np.outer(np.cos(turns), u) + np.outer(np.sin(turns), v))
        )
    return tube(rings)


def hull(size: tuple[float, ...]) -> Faces:
    """Ship's hull, its bow towards x."""
    length, width, depth = size
    deck = np.column_stack((PLAN * [length, width], np.full(len(PLAN), 0.5 * depth)))
    keel = np.column_stack((PLAN * [length, width] * KEEL, np.full(len(PLAN), -0.5 * depth)))
    return tube([keel, deck])
