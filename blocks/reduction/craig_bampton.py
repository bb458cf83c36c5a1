"""Craig-Bampton reduction of a finite-element body (Craig and Bampton 1968), with integrals for large motion.

The body is clamped at its first interface, the root. Its other interfaces are rigid (their nodes follow the frame) or
averaged (the frame follows its nodes by least squares). Vectors: normal modes with all interfaces clamped, static
modes of unit motions of rigid interfaces, answers to unit loads of averaged ones, and, for geometric stiffening,
answers to loads along x, y, z by mass that are uniform or linear in place: these carry membrane force.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import LuffError
from ..light_dataclass import record
from .finite_elements import TURNS, FiniteElements
from .reduced_body import ReducedBody

REPEATED = (
    1e-10  # eigenvalue of the vectors' Gram matrix, relative to one, below which they repeat each other
)
DENSE = 400  # order up to which all modes of a model are found
# error of the first frequencies that is sought, and the least and most normal modes for it
WITHIN, LEAST, MOST = 0.005, 6, 48
SHOWN = 6  # frequencies that are compared with the full model


@record
class Interface:
    """Frame of a body: its nodes, where it stands, and whether these are rigid or averaged."""

    name: str
    nodes: tuple[int, ...]
    at: tuple[float, float, float]
    averaged: bool = False


def lowest_modes(K: Any, M: Any, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Lowest eigenvalues w^2 of K v = w^2 M v and their vectors, normalised by mass."""
    from scipy import linalg
    from scipy.sparse import linalg as sparse_linalg

    n = K.shape[0]
    count = min(count, n)
    if count == 0:
        return np.zeros(0), np.zeros((n, 0))
    if n < DENSE or count > n // 3:
        w2, V = linalg.eigh(K.toarray(), M.toarray(), subset_by_index=(0, count - 1))
        return w2, V
    scale = abs(K.diagonal()).mean() / abs(M.diagonal()).mean()
    # from a start that is the same in every run
    start = np.ones(n)
    w2, V = sparse_linalg.eigsh(K.tocsc(), count, M.tocsc(), sigma=-1e-9 * scale, which="LM", v0=start)
    order = np.argsort(w2)
    return w2[order], V[:, order]


def reduced(
    model: FiniteElements,
    interfaces: Sequence[Interface],
    modes: int | None = None,
    stiffening: bool = True,
    highest: float | None = None,
) -> ReducedBody:
    """Reduce a body to `modes` normal modes beside those of its interfaces.

    Without `modes` as many as bring the first six frequencies, free and clamped, within 0.5 % of the full model, at
    most 48. `highest`: angular frequency above which modes are left out; static turns of interfaces and membrane force
    go with them.
    """
    if modes is None:
        body = reduced(model, interfaces, LEAST, stiffening, highest)
        for more in range(2 * LEAST, MOST + 1, LEAST):
            if body.report["frequency_error"] <= WITHIN or highest is not None:
                break
            body = reduced(model, interfaces, more, stiffening, highest)
        return body
    check_interfaces(model, interfaces)
    root = np.array(interfaces[0].at, float)
    T, columns = constrained_map(model, interfaces)
    K, M = (T.T @ model.stiffness @ T).tocsc(), (T.T @ model.mass_matrix @ T).tocsc()
    basis = vectors(model, interfaces, T, K, M, columns, modes, stiffening)
    U, w2 = orthonormal(basis, K, M)
    if not np.all(w2 > 0.0):
        fix = "add nodes to the first interface, or check that the elements hang together"
        raise LuffError("the body moves without strain while its first interface is clamped", fix=fix)
    if highest is not None:
        kept = w2 <= highest**2
        U, w2 = U[:, kept], w2[kept]
    body = integrated(model, interfaces, T @ U, np.sqrt(w2), root, stiffening)
    body.report.update(quality(model, interfaces, body, U, K, M))
    body.report["rigid_energy"] = model.rigid_energy()
    return body


def check_interfaces(model: FiniteElements, interfaces: Sequence[Interface]) -> None:
    """LuffError for interfaces without nodes, with shared ones, or that hold no frame."""
    if not interfaces:
        raise LuffError("found no interface, expected the frame to which the body is clamped")
    if interfaces[0].averaged:
        raise LuffError(
            f'the first interface, "{interfaces[0].name}", is averaged; the body is clamped there'
        )
    seen: dict[int, str] = {}
    for one in interfaces:
        arm = (
            model.nodes[list(one.nodes)] - np.mean(model.nodes[list(one.nodes)], axis=0)
            if one.nodes
            else np.zeros((0, 3))
        )
        least = np.linalg.svd(arm, compute_uv=False)[1] if len(arm) > 2 else 0.0
        reach = float(np.ptp(model.nodes, axis=0).max())
        if not one.nodes or ((model.per_node == TURNS or one.averaged) and not least > 1e-9 * reach):
            raise LuffError(
                f'the interface "{one.name}" has {len(one.nodes)} nodes',
                fix="a frame follows at least three nodes that are not on one line, or a node of beams",
            )
        for node in one.nodes:
            if seen.setdefault(node, one.name) != one.name and not one.averaged:
                raise LuffError(f'the interfaces "{seen[node]}" and "{one.name}" share the node {node}')


def constrained_map(
    model: FiniteElements, interfaces: Sequence[Interface], free: bool = False
) -> tuple[Any, dict[int, int]]:
    """u = T z: inner degrees of freedom, then (turn; displacement) of each rigid interface, of the root where it is
    `free`; and the first column of each.
    """
    from scipy import sparse

    n = model.per_node * len(model.nodes)
    slave = np.zeros(n, bool)
    for one in interfaces:
        if not one.averaged:
            slave[model.dofs(np.array(one.nodes))] = True
    inner = np.flatnonzero(~slave)
    rows, cols, values = [inner], [np.arange(len(inner))], [np.ones(len(inner))]
    columns: dict[int, int] = {}
    at = len(inner)
    for k, one in enumerate(interfaces):
        if one.averaged or (k == 0 and not free):
            continue
        dofs = model.dofs(np.array(one.nodes))
        R = model.rigid_motions(np.array(one.at))[dofs]
        rows.append(np.repeat(dofs, 6))
        cols.append(np.tile(at + np.arange(6), len(dofs)))
        values.append(R.ravel())
        columns[k] = at
        at += 6
    parts = (np.concatenate(each) for each in (values, rows, cols))
    entries, i, j = parts
    return sparse.csr_matrix((entries, (i, j)), (n, at)), columns


def averaging(model: FiniteElements, one: Interface) -> tuple[np.ndarray, np.ndarray]:
    """Degrees of freedom, and (turn; displacement) of a frame by them: the best rigid motion of its nodes."""
    dofs = model.dofs(np.array(one.nodes), TURNS)
    return dofs, np.linalg.pinv(model.rigid_motions(np.array(one.at))[dofs])


def vectors(
    model: FiniteElements,
    interfaces: Sequence[Interface],
    T: Any,
    K: Any,
    M: Any,
    columns: dict[int, int],
    modes: int,
    stiffening: bool,
) -> np.ndarray:
    """Vectors of the reduction in the coordinates of T."""
    from scipy.sparse import linalg as sparse_linalg

    total, inner = K.shape[0], K.shape[0] - 6 * len(columns)
    _, V = lowest_modes(K[:inner, :inner], M[:inner, :inner], modes)
    basis = [np.vstack([V, np.zeros((total - inner, V.shape[1]))])]
    if columns:
        X = -sparse_linalg.splu(K[:inner, :inner].tocsc()).solve(K[:inner, inner:].toarray())
        basis.append(np.vstack([X, np.eye(total - inner)]))
    loads: list[np.ndarray] = []
    for one in interfaces:
        if one.averaged:
            dofs, C = averaging(model, one)
            load = np.zeros((len(model.nodes) * model.per_node, 6))
            load[dofs] = C.T
            loads.append(T.T @ load)
    if stiffening and model.stress_products is not None:
        arm = model.points - np.array(interfaces[0].at)
        for profile in (np.ones(len(arm)), *arm.T):
            force = np.zeros((len(arm), 3, 3))
            force[:] = np.eye(3)
            load = model.shape.T @ (force * (model.weights * profile)[:, None, None]).reshape(-1, 3)
            loads.append(T.T @ load)
    if loads:
        basis.append(sparse_linalg.splu(K).solve(np.hstack(loads)))
    return np.hstack(basis)


def orthonormal(basis: np.ndarray, K: Any, M: Any) -> tuple[np.ndarray, np.ndarray]:
    """Combinations with U^T M U = 1, U^T K U = diag(w^2), and w^2; vectors that repeat others are dropped."""
    from scipy import linalg

    size = np.sqrt(np.einsum("ij,ij->j", basis, M @ basis))
    basis = basis[:, size > 0.0] / size[size > 0.0]
    for _ in range(2):  # the first leaves errors of rounding over REPEATED
        s, V = linalg.eigh(basis.T @ (M @ basis))
        kept = s > REPEATED
        basis = basis @ (V[:, kept] / np.sqrt(s[kept]))
    w2, V = linalg.eigh(basis.T @ (K @ basis))
    return basis @ V, w2


def integrated(
    model: FiniteElements,
    interfaces: Sequence[Interface],
    shapes: np.ndarray,
    frequencies: np.ndarray,
    root: np.ndarray,
    stiffening: bool,
) -> ReducedBody:
    """Integrals over the mass points, motions of the interfaces and stress stiffness of orthonormal shapes."""
    w, r, m = model.weights, model.points - root, shapes.shape[1]
    phi = (model.shape @ shapes).reshape(-1, 3, m)
    weighted = w[:, None, None] * phi
    pairs = np.zeros((m, m, 3, 3))
    for k in range(3):
        for l in range(3):
            pairs[:, :, k, l] = weighted[:, k].T @ phi[:, l]
    turns, shifts = np.zeros((len(interfaces), 3, m)), np.zeros((len(interfaces), 3, m))
    for k, one in enumerate(interfaces):
        if k == 0:
            continue
        if model.per_node > TURNS and not one.averaged:
            # a rigid interface moves as its first node does
            node = one.nodes[0]
            turns[k] = shapes[model.dofs(np.array([node]))[TURNS:]]
            arm = np.array(one.at) - model.nodes[node]
            shifts[k] = shapes[model.dofs(np.array([node]), TURNS)] + np.cross(turns[k].T, arm).T
        else:
            dofs, C = averaging(model, one)
            turns[k], shifts[k] = np.split(C @ shapes[dofs], 2)
    stress = None
    if stiffening and model.stress_products is not None:
        wide = np.hstack([shapes, model.rigid_motions(root)[:, :3]])
        stress = model.stress_products(shapes, wide)
    drawn = shapes.reshape(len(model.nodes), model.per_node, m)[:, :3]
    triangles = model.triangles if model.triangles is not None else np.zeros((0, 3), int)
    return ReducedBody(
        names=tuple(one.name for one in interfaces), mass=float(w.sum()), moment=w @ r,
        second=np.einsum("g,gk,gl->kl", w, r, r), frequencies=frequencies,
        momentum=np.einsum("gkj->jk", weighted), moments=np.einsum("gk,glj->jkl", r, weighted), pairs=pairs,
        at=np.array([one.at for one in interfaces]) - root, axes=np.tile(np.eye(3), (len(interfaces), 1, 1)),
        turns=turns, shifts=shifts, points=model.nodes - root, shapes=drawn, triangles=triangles, stress=stress,
        forces=None if model.end_forces is None else (model.end_forces @ shapes).reshape(-1, 12, m),
        members=model.members,
        surface=model.surface,
        surface_stress=None if model.surface_stress is None else model.surface_stress(shapes),
    )  # fmt: skip


def quality(
    model: FiniteElements, interfaces: Sequence[Interface], body: ReducedBody, U: np.ndarray, K: Any, M: Any
) -> dict[str, float]:
    """First frequencies [rad/s] of the reduced and the full model with the same interfaces, clamped and free; and the
    modal assurance of each full mode, the share of its mass that the reduced modes represent.
    """
    w2, V = lowest_modes(K, M, SHOWN)
    T, _ = constrained_map(model, interfaces, free=True)
    free2, _ = lowest_modes(
        (T.T @ model.stiffness @ T).tocsc(), (T.T @ model.mass_matrix @ T).tocsc(), 6 + SHOWN
    )
    pairs = {
        "clamped": (body.frequencies[:SHOWN], np.sqrt(np.maximum(w2, 0.0))),
        "free": (body.free_frequencies(SHOWN), np.sqrt(np.maximum(free2[6:], 0.0))),
    }
    report: dict[str, float] = {}
    worst = 0.0
    for name, (mine, whole) in pairs.items():
        for k, (a, b) in enumerate(zip(mine.tolist(), whole.tolist(), strict=False), 1):
            report[f"{name}_{k}"], report[f"{name}_{k}_full"] = a, b
            worst = max(worst, abs(a / b - 1.0))
    shares = np.sum((U.T @ (M @ V)) ** 2, axis=0)
    report |= {f"mac_{k}": float(share) for k, share in enumerate(shares, 1)}
    report["frequency_error"] = worst
    return report
