"""The slow obvious twin of a flexible body: sums over the mass points of its mesh, in long double."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from luff.blocks.reduction.craig_bampton import Interface, constrained_map, orthonormal, reduced, vectors
from luff.blocks.reduction.finite_elements import FiniteElements
from luff.blocks.reduction.frame_elements import BeamSection, Member, frame
from luff.blocks.reduction.reduced_body import ReducedBody

LONG = np.longdouble
Points = tuple[np.ndarray, np.ndarray]  # positions (n, 3), masses (n,)
Place = Callable[[np.ndarray], Points]  # of coordinates
BOX = BeamSection(2.1e11, 8e10, 7850.0, 0.02, 4e-4, 3e-4, 5e-4, shear_y=5 / 6, shear_z=5 / 6)


def l_shaped_boom() -> tuple[FiniteElements, list[Interface]]:
    """6 m along x, then 2 m up; interfaces at its root, corner, tip and on the way."""
    along = [(x, 0.0, 0.0) for x in np.linspace(0, 6, 13)]
    up = [(6.0, 0.0, z) for z in np.linspace(0.4, 2, 5)]
    members = [Member(k, k + 1, 0, (1.0, 0, 0) if k >= 12 else (0, 0, 1.0)) for k in range(17)]
    places = (("frame_a", 0), ("corner", 12), ("tip", 17), ("way", 5))
    nodes = np.array([*along, *up])
    return frame(nodes, members, [BOX]), [
        Interface(name, (k,), tuple(nodes[k].tolist())) for name, k in places
    ]


def body_and_shapes(
    model: FiniteElements, interfaces: Sequence[Interface], modes: int, path: Path
) -> tuple[ReducedBody, np.ndarray]:
    """Body in a file, and its shapes at the mass points (points, 3, modes), from the same steps."""
    body = reduced(model, interfaces, modes, stiffening=False)
    body.save(path)
    T, columns = constrained_map(model, interfaces)
    K, M = (T.T @ model.stiffness @ T).tocsc(), (T.T @ model.mass_matrix @ T).tocsc()
    U, _ = orthonormal(vectors(model, interfaces, T, K, M, columns, modes, False), K, M)
    return body, (model.shape @ (T @ U)).reshape(-1, 3, body.modes)


def turn(axis: str, angle: float) -> np.ndarray:
    """Rotation about x, y or z."""
    c, s = np.cos(angle), np.sin(angle)
    k = "xyz".index(axis)
    i, j = (k + 1) % 3, (k + 2) % 3
    R = np.eye(3, dtype=LONG)
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def cayley(theta: np.ndarray) -> np.ndarray:
    """Rotation C = 1 + c ([theta] + [theta]^2 / 2), c = 4 / (4 + theta^2)."""
    x, y, z = theta
    S = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], LONG)
    return np.eye(3, dtype=LONG) + 4 / (4 + theta @ theta) * (S + S @ S / 2)


def rigid_points(mass: float, com: Sequence[float], inertia: Sequence[float]) -> Points:
    """Six points with the mass, com and principal inertia of a rigid body."""
    second = sum(inertia) / 2 - np.array(inertia)
    arms = np.sqrt(second * 3 / mass)
    at = np.array([np.array(com) + sign * arms[k] * np.eye(3)[k] for k in range(3) for sign in (1, -1)])
    return at, np.full(6, mass / 6)


def equations(place: Place, q: np.ndarray, v: np.ndarray, gravity: Sequence[float]) -> Points:
    """M and the generalised force of gravity and of rates, by differences of positions in long double."""
    h = LONG(2e-4)
    columns = []
    for k in range(len(q)):
        unit = np.zeros(len(q), LONG)
        unit[k] = h
        a, b, c, d = (place(q + s * unit)[0] for s in (-2, -1, 1, 2))
        columns.append((a - 8 * b + 8 * c - d) / (12 * h))
    J, w = np.array(columns), place(q)[1]
    f = [place(q + s * h * v)[0] for s in range(-3, 4)]
    bias = (2 * f[0] - 27 * f[1] + 270 * f[2] - 490 * f[3] + 270 * f[4] - 27 * f[5] + 2 * f[6]) / (
        180 * h * h
    )
    M = np.einsum("iak,a,jak->ij", J, w, J)
    force = np.einsum("iak,a,k->i", J, w, np.array(gravity)) - np.einsum("iak,a,ak->i", J, w, bias)
    return M.astype(float), force.astype(float)
