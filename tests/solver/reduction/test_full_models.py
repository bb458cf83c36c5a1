"""First frequencies of reduced bodies against full models with the same interfaces, assembled another way.

Solids by scikit-fem's own forms on the mesh as it reads it, frames by the matrices of textbooks (Przemieniecki 1968,
ch. 11), both with rigid interfaces made here. Six frequencies clamped and six free within 0.5 %, as the reduction
promises without `modes`.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import meshio
import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import eigsh

import luff
from luff.solver.reduction.lattice import lattice
from luff.tests.solver.reduction.test_reduce import plate
from luff.tests.systems.test_lattice_booms import BRACE, JIB, TUBE

COUNT = 6
PROMISED = 0.005
SHIFT = 1e4  # (rad/s)^2
E, NU, RHO = 2.1e11, 0.3, 7850.0  # steel, as luff takes a mesh to be


def rigid(places: np.ndarray, turning: bool) -> np.ndarray:
    """Displacements (n, d, 6) of points by (displacement; turn) about the origin; with turns of their own, d = 6."""
    x, y, z = places.T
    R = np.zeros((len(places), 6 if turning else 3, 6))
    R[:, 0, 0] = R[:, 1, 1] = R[:, 2, 2] = 1.0
    R[:, 0, 4], R[:, 0, 5] = z, -y
    R[:, 1, 3], R[:, 1, 5] = -z, x
    R[:, 2, 3], R[:, 2, 4] = y, -x
    if turning:
        R[:, 3:, 3:] = np.eye(3)
    return R


def frequencies(
    K: Any, M: Any, dofs: np.ndarray, places: np.ndarray, held: np.ndarray, led: np.ndarray, free: bool
) -> np.ndarray:
    """Lowest angular frequencies. `dofs` (n, d) of the nodes; those in `held`, and those in `led`, move as one rigid
    body each, the former not at all unless it is `free`.
    """
    inner = np.setdiff1d(np.arange(K.shape[0]), dofs[held | led].ravel())
    at, size = len(inner), K.shape[0]
    parts = [sparse.csr_matrix((np.ones(at), (inner, np.arange(at))), (size, at))]
    for nodes in [led, held] if free else [led]:
        columns = np.zeros((size, 6))
        columns[dofs[nodes].ravel()] = rigid(places[nodes], dofs.shape[1] > 3).reshape(-1, 6)
        parts.append(sparse.csr_matrix(columns))
    T = sparse.hstack(parts).tocsc()
    K, M = (T.T @ K @ T).tocsc(), (T.T @ M @ T).tocsc()
    rest = 6 if free else 0
    # a shift below zero, since the matrix of a free body is singular, of the size of the first elastic w^2
    w2 = np.sort(eigsh(K, COUNT + rest, M, sigma=-SHIFT, which="LM", v0=np.ones(K.shape[0]))[0])
    assert abs(w2[:rest]).max(initial=0.0) < 1e-3 * w2[rest]  # rigid motions
    return np.sqrt(w2[rest:])


def check(body: Any, full: dict[str, np.ndarray]) -> None:
    """Reduced frequencies as promised; those that luff takes for the full ones the same but for rounding of
    stiffnesses that differ by 1e7.
    """
    found = {"clamped": body.frequencies[:COUNT], "free": body.free_frequencies(COUNT)}
    for name, wanted in full.items():
        assert abs(found[name] / wanted - 1.0).max() < PROMISED
        told = np.array([body.report[f"{name}_{k}_full"] for k in range(1, COUNT + 1)])
        assert abs(told / wanted - 1.0).max() < 1e-8


def box_girder(path: Path) -> None:
    """Welded boom of 4 m, a box of 16 mm plates that tapers from 500 x 300 mm to 300 x 200 mm, with a diaphragm in its
    middle and open ends, in bricks; a file of Abaqus.
    """
    thick = 0.016
    along = np.array([0.0, 0.6, 1.3, 1.992, 2.008, 2.7, 3.4, 4.0])
    points = []
    for x in along.tolist():
        half_y, half_z = 0.15 - 0.05 * x / 4.0, 0.25 - 0.1 * x / 4.0
        sides = [np.array([-h, thick - h, h - thick, h]) for h in (half_y, half_z)]
        points += [(x, y, z) for z in sides[1] for y in sides[0]]
    at = lambda i, j, k: (i * 4 + k) * 4 + j  # noqa: E731
    around = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    cells = [
        [at(i + a, j + b, k + c) for a, b, c in around]
        for i in range(len(along) - 1)
        for j in range(3)
        for k in range(3)
        if (j, k) != (1, 1) or along[i] == 1.992
    ]
    used, flat = np.unique(np.array(cells), return_inverse=True)
    places = np.array(points)[used]
    ends = {
        "ROOT": np.flatnonzero(places[:, 0] == 0.0),
        "TIP": np.flatnonzero(places[:, 0] == 4.0),
    }
    meshio.Mesh(places, [("hexahedron", flat.reshape(-1, 8))], point_sets=ends).write(path)


def solid_frequencies(path: Path, length: float) -> dict[str, np.ndarray]:
    """Frequencies of quadratic bricks by scikit-fem, rigid at both ends."""
    fem: Any = import_module("skfem")
    elasticity: Any = import_module("skfem.models.elasticity")
    helpers: Any = import_module("skfem.helpers")
    basis = fem.Basis(fem.MeshHex.load(str(path)), fem.ElementVector(fem.ElementHex2()), intorder=4)
    K = elasticity.linear_elasticity(*elasticity.lame_parameters(E, NU)).assemble(basis)
    M = fem.BilinearForm(lambda u, v, _: RHO * helpers.dot(u, v)).assemble(basis)
    # degrees of freedom at one place are the three displacements of a node, in their order
    order = np.lexsort([*basis.doflocs.round(9)]).reshape(-1, 3)
    dofs = np.sort(order, axis=1)
    places = basis.doflocs[:, dofs[:, 0]].T
    held, led = abs(places[:, 0]) < 1e-9, abs(places[:, 0] - length) < 1e-9
    return {name: frequencies(K, M, dofs, places, held, led, name == "free") for name in ("clamped", "free")}


@pytest.mark.parametrize(("kind", "length"), [(plate, 1.0), (box_girder, 4.0)])
def test_solids_have_the_frequencies_of_the_full_model(tmp_path: Path, kind: Any, length: float) -> None:
    """Plate and welded boom. With the rule of order 4, which luff takes, the full models are the same; of order 6
    tapered bricks are up to 4e-4 stiffer.
    """
    path = tmp_path / "mesh.inp"
    kind(path)
    body = luff.reduce(path, interfaces={"frame_a": "ROOT", "tip": "TIP"})
    check(body, solid_frequencies(path, length))


def beam_matrices(start: np.ndarray, end: np.ndarray, section: dict[str, float]) -> tuple[np.ndarray, ...]:
    """Stiffness and consistent mass (12, 12) of a beam with equal second moments, rotary inertia included."""
    length = float(np.linalg.norm(end - start))
    A, I, J = section["A"], section["I_y"], section["J"]
    K, M = np.zeros((12, 12)), np.zeros((12, 12))
    rod = np.array([[1.0, -1.0], [-1.0, 1.0]])
    for places, stiff, heavy in (([0, 6], section["E"] * A, A), ([3, 9], section["G"] * J, 2.0 * I)):
        K[np.ix_(places, places)] = stiff / length * rod
        M[np.ix_(places, places)] = section["rho"] * heavy * length / 6.0 * (3.0 - abs(rod) + np.eye(2) - 1.0)
    L, L2 = length, length**2
    bend = np.array([
        [12, 6 * L, -12, 6 * L], [6 * L, 4 * L2, -6 * L, 2 * L2],
        [-12, -6 * L, 12, -6 * L], [6 * L, 2 * L2, -6 * L, 4 * L2],
    ])  # fmt: skip
    shift = np.array([
        [156, 22 * L, 54, -13 * L], [22 * L, 4 * L2, 13 * L, -3 * L2],
        [54, 13 * L, 156, -22 * L], [-13 * L, -3 * L2, -22 * L, 4 * L2],
    ])  # fmt: skip
    turn = np.array([
        [36, 3 * L, -36, 3 * L], [3 * L, 4 * L2, -3 * L, -L2],
        [-36, -3 * L, 36, -3 * L], [3 * L, -L2, -3 * L, 4 * L2],
    ])  # fmt: skip
    mass = section["rho"] * (A * L / 420.0 * shift + I / (30.0 * L) * turn)
    for places, sign in (([1, 5, 7, 11], 1.0), ([2, 4, 8, 10], -1.0)):  # v' = theta_z, w' = -theta_y
        signs = np.array([1.0, sign, 1.0, sign])
        K[np.ix_(places, places)] = section["E"] * I / L**3 * bend * np.outer(signs, signs)
        M[np.ix_(places, places)] = mass * np.outer(signs, signs)
    x = (end - start) / length
    y = np.linalg.svd(x[None])[2][1]  # any direction across: the section is round
    R = np.kron(np.eye(4), np.array([x, y, np.cross(x, y)]))
    return R.T @ K @ R, R.T @ M @ R


def test_lattice_has_the_frequencies_of_the_full_frame() -> None:
    """204 tubes."""
    given = lattice(JIB)
    nodes, sections = np.array(given["nodes"]), (TUBE, BRACE)
    size = 6 * len(nodes)
    K, M = sparse.lil_matrix((size, size)), sparse.lil_matrix((size, size))
    for first, last, kind in given["members"]:
        dofs = np.concatenate([6 * first + np.arange(6), 6 * last + np.arange(6)])
        own_K, own_M = beam_matrices(nodes[first], nodes[last], sections[kind])
        K[np.ix_(dofs, dofs)] += own_K
        M[np.ix_(dofs, dofs)] += own_M
    assert len(given["members"]) == 204
    dofs = np.arange(size).reshape(-1, 6)
    held, led = nodes[:, 0] == 0.0, nodes[:, 0] == JIB["length"]
    full = {
        name: frequencies(K.tocsc(), M.tocsc(), dofs, nodes, held, led, name == "free")
        for name in ("clamped", "free")
    }
    body = luff.reduce({"lattice": JIB}, interfaces={"frame_a": "foot", "tip": "head"})
    check(body, full)
