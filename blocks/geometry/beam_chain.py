"""Vibration of a straight chain of rigid pieces on springs, clamped at its start: mass matrices, modes, damping."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ..multibody_parts import Coordinate, LinearSpring, Vec
from .beam_properties import Beam

Piece = tuple[float, float, float]  # mass [kg], place x of the centre of mass [m], inertia about it [kg m^2]
# coordinates that vibrate together: hinges, slides, and their sense for a positive displacement beyond
BENDING = (("psi", "slide_y", 1.0), ("theta", "slide_z", -1.0))


def plane_mass(pieces: Sequence[Piece], hinges: Sequence[float], slides: Sequence[float] = ()) -> np.ndarray:
    """Mass matrix in the angles of hinges and the travels of slides across the axis, both given by their places x."""
    n, m = len(hinges), len(slides)
    total = np.zeros((n + m, n + m))
    for mass, x, inertia in pieces:
        arm = x - np.asarray(hinges, float)
        turn = np.concatenate([arm > 0.0, np.zeros(m)])
        shift = np.concatenate([np.maximum(arm, 0.0), x > np.asarray(slides, float)])
        total += mass * np.outer(shift, shift) + inertia * np.outer(turn, turn)
    return total


def line_mass(loads: Sequence[tuple[float, float]], springs: Sequence[float]) -> np.ndarray:
    """Mass matrix of masses (or moments of inertia) at places x, in the travels (turns) of springs along one axis."""
    total = np.zeros((len(springs), len(springs)))
    for mass, x in loads:
        moved = (x > np.asarray(springs, float)).astype(float)
        total += mass * np.outer(moved, moved)
    return total


def natural_modes(mass: np.ndarray, stiffness: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Natural frequencies w [rad/s], and M Phi with modes Phi of modal mass 1 in its columns."""
    from scipy.linalg import eigh

    squares, modes = eigh(np.diag(stiffness), mass)
    return np.sqrt(squares), mass @ modes


def bending_frequencies(beam: Beam, n: int, axis: int, shear: bool) -> np.ndarray:
    """Frequencies of a beam clamped at its start, as a chain of n divisions that bend about y (1) or z (2) [rad/s]."""
    d = beam.length / n
    springs, spans = [(k + 0.5) * d for k in range(n)], [(k * d, (k + 1) * d) for k in range(n)]
    ends = [*pairwise([0.0, *springs, beam.length])]
    pieces = [(m, a + com[0], J[axis]) for a, (m, com, J) in ((a, beam.piece(a, b)) for a, b in ends)]
    stiffness = [beam.stiffness(a, b)[0 if axis == 2 else 1] for a, b in spans]
    mass = plane_mass(pieces, springs, springs if shear else ())
    if shear:
        stiffness += [beam.sliding_stiffness(a, b)[1 if axis == 2 else 2] for a, b in spans]
        mass[range(n, 2 * n), range(n, 2 * n)] += slide_inertances(beam, springs)
    return natural_modes(mass, stiffness)[0]


def slide_inertances(beam: Beam, springs: Sequence[float]) -> list[float]:
    """Inertia that each slide lacks against lumped masses, as an armature below zero [kg].

    Of the mean of lumped and consistent masses it is a twelfth of the mass of a division. At most half of what the
    ends of both pieces beside it have at least: the kinetic energy stays positive in every position.
    """
    least = [beam.end_mass_bound(a, b) for a, b in pairwise([0.0, *springs, beam.length])]
    return [-0.5 * min(pair) for pair in pairwise(least)]


def modal_dampers(
    pieces: Sequence[tuple[float, float, Vec]],
    springs: Sequence[tuple[float, Coordinate]],
    ratios: Sequence[float],
) -> list[LinearSpring]:
    """Dampers of C = sum of 2 zeta w (M phi)(M phi)^T, one for each mode of bending in a plane, torsion and stretch.

    Modes of each of these have their own numbers; the last of the ratios is that of all beyond.

    Parameters
    ----------
    pieces : sequence
        Mass [kg], place x of the centre of mass [m] and inertia about it [kg m^2] of the rigid pieces.
    springs : sequence
        Place x [m] and coordinate of each spring.
    ratios : sequence of float
        Damping ratios zeta of the first modes.
    """
    named: dict[str, list[tuple[float, Coordinate]]] = {}
    for x, coordinate in springs:
        named.setdefault(coordinate.name.partition("[")[0], []).append((x, coordinate))
    dampers = list[LinearSpring]()

    def add(own: Sequence[Coordinate], mass: np.ndarray, senses: Sequence[float]) -> None:
        mass[range(len(own)), range(len(own))] += [c.armature for c in own]
        frequencies, momenta = natural_modes(mass, [c.stiffness for c in own])
        for k, (w, column) in enumerate(zip(frequencies.tolist(), momenta.T.tolist(), strict=True)):
            shares = {c.name: sense * p for c, sense, p in zip(own, senses, column, strict=True)}
            ratio = ratios[min(k, len(ratios) - 1)]
            dampers.append(LinearSpring(None, shares, 0.0, 2.0 * ratio * w))

    for axis, (hinge, slide, sense) in zip((2, 1), BENDING, strict=True):
        turns, travels = named[hinge], named.get(slide, [])
        moved = [(mass, x, inertia[axis]) for mass, x, inertia in pieces]
        mass = plane_mass(moved, [x for x, _ in turns], [x for x, _ in travels])
        senses = [1.0] * len(turns) + [sense] * len(travels)
        add([c for _, c in (*turns, *travels)], mass, senses)
    for name in ("phi", "stretch"):
        own = named.get(name, [])
        loads = [(inertia[0] if name == "phi" else mass, x) for mass, x, inertia in pieces]
        if own:
            add([c for _, c in own], line_mass(loads, [x for x, _ in own]), [1.0] * len(own))
    return dampers
