"""Tangent stiffness K of statics: eigenvalues against the mass matrix M, each with an error bound.

K v = lambda M v has eigenvalues in 1/s^2 whatever the units of the coordinates, and their signs are those of K
(Sylvester). A force F_i is known to `noise_i`, the rounding of all forces that act along coordinate i. Entries of K are
differences over 2 h, so that to first order (Wilkinson 1965, ch. 2) |d lambda| <= sum_i |v_i| noise_i sum_j |v_j| / h.
An eigenvalue within its bound has no known sign.

Feet that slide make K unsymmetric: their friction has no potential. Where v^T K v > 0 for all v no motion diverges
(Bendixson 1902); where it is not, the eigenvalues of M^-1 K itself decide: a real one below zero diverges, a complex
pair grows or decays by the damping, which statics do not know. Left vectors w take the place of v in the bound:
|d lambda| <= sum_i |w_i| noise_i sum_j |v_j| / (h |w^T M v|).
"""

from __future__ import annotations

import numpy as np

from ...blocks.light_dataclass import mutable
from ..kernels import model_data as f
from ..kernels.model_data import Data, Model
from ..mechanism.support_polygon import frame_pose

ROUNDING = 64.0 * np.finfo(float).eps  # of a sum along a tree, relative to the sum of magnitudes
LIGHT = 1e-8  # [s^2] mass over stiffness given to coordinates that move no mass


class Efforts:
    """Sums of the magnitudes of all forces [N] or moments [N m] outboard of each row, without cancellation."""

    def __init__(self, model: Model):
        parent = model.topo[:, f.PARENT]
        n = len(parent)
        self.outboard = np.eye(n, dtype=bool)  # [i, b]: body b is carried by row i
        for b in range(n):
            i = parent[b]
            while i >= 0:
                self.outboard[i, b] = True
                i = parent[i]
        self.model = model
        self.slides = model.topo[:, f.KIND] == f.PRISMATIC

    def sizes(self, d: Data) -> np.ndarray:
        """Magnitude sum along every row, its own spring, stop and drive included."""
        m, row = self.model, d.row
        origin = row[:, f.p_WB : f.p_WB + 3]
        weight = row[:, f.MASS] * np.linalg.norm(m.gravity)
        com = (
            origin
            + row[:, f.FIRST_MOMENT : f.FIRST_MOMENT + 3]
            / np.where(row[:, f.MASS] > 0.0, row[:, f.MASS], np.inf)[:, None]
        )
        outer = row[:, f.WRENCH_EXT : f.WRENCH_EXT + 6]
        bodies = [*range(len(row)), *range(len(row))]
        points = [*com, *origin]
        pushes = [*weight, *np.linalg.norm(outer[:, 3:], axis=1)]
        turns = [*np.zeros(len(row)), *np.linalg.norm(outer[:, :3], axis=1)]
        for e, out in enumerate(d.element_out):
            force = float(np.linalg.norm(out[f.FORCE_ON_B : f.FORCE_ON_B + 3]))
            torque = float(np.linalg.norm(out[f.TORQUE_ON_B : f.TORQUE_ON_B + 3]))
            for number in m.element[e, [f.E_FRAME_A, f.E_FRAME_B]].tolist():
                if number >= 0 and m.frame_row[number] >= 0:
                    bodies.append(int(m.frame_row[number]))
                    points.append(frame_pose(m, d, number)[1])
                    pushes.append(force)
                    turns.append(torque)
        push, turn = np.array(pushes), np.array(turns)
        hangs = self.outboard[:, bodies]
        lever = np.linalg.norm(np.array(points).reshape(1, -1, 3) - origin[:, None, :], axis=2)
        acting = np.where(self.slides[:, None], push, push * lever + turn)
        own = abs(row[:, f.SPRING_EFFORT : f.FRICTION_EFFORT]).sum(axis=1)
        return np.where(hangs, np.nan_to_num(acting, nan=np.inf), 0.0).sum(axis=1) + own


@mutable
class Tangent:
    """K and M = L L^T of the independent coordinates, eigenvalues and their bounds."""

    K: np.ndarray
    L: np.ndarray
    size: np.ndarray  # magnitude sum of efforts along each coordinate [N or N m]
    noise: np.ndarray  # error of the force along each coordinate
    errors: np.ndarray  # error of the entries of each row of K
    values: np.ndarray  # ascending [1/s^2]
    vectors: np.ndarray  # columns: in coordinates, v^T M v = 1
    bounds: np.ndarray  # error bound of each eigenvalue
    falling: np.ndarray  # columns: directions that certainly diverge, the fastest first
    fastest: float  # their largest -lambda [1/s^2], 0 without one
    fluttering: np.ndarray  # columns: directions of complex pairs, and of eigenvalues whose sign is not known

    @property
    def undecided(self) -> np.ndarray:
        """Mask of eigenvalues whose sign is unknown."""
        return ~(abs(self.values) > self.bounds)

    def error(self, force: np.ndarray) -> np.ndarray:
        """Bound |dz| of the distance to rest where `force` is left, NaN if none is known.

        |dz| <= |K^-1| (|F| + noise + errors sum_j |dz_j|), without the undecided directions, along which nothing moves.
        """
        inverse = abs(self.change(np.eye(len(self.K)), 0.0))
        still, grown = inverse @ (abs(force) + self.noise), inverse @ self.errors
        whole = still.sum() / (1.0 - grown.sum()) if grown.sum() < 1.0 else np.nan
        return still + grown * whole

    def scaled(self, force: np.ndarray) -> np.ndarray:
        """L^-1 F: forces in a metric without units."""
        return np.linalg.solve(self.L, force)

    def change(self, force: np.ndarray, shift: float) -> np.ndarray:
        """dz of (K + shift M) dz = F without the undecided directions."""
        U = self.L.T @ self.vectors
        loose = U[:, self.undecided]
        K = np.linalg.solve(self.L, np.linalg.solve(self.L, self.K.T).T)
        y = self.scaled(force)
        y = y - loose @ (loose.T @ y)
        A = K + shift * np.eye(len(K))
        if loose.shape[1]:
            P = np.eye(len(K)) - loose @ loose.T
            A = P @ A @ P + loose @ loose.T
        try:
            x = np.linalg.solve(A, y)
        except np.linalg.LinAlgError:
            x = np.linalg.lstsq(A, y, rcond=None)[0]
        return np.linalg.solve(self.L.T, x - loose @ (loose.T @ x))


def tangent(K: np.ndarray, M: np.ndarray, size: np.ndarray, reach: np.ndarray, probe: float) -> Tangent:
    """Eigenvalues and bounds of K from central differences over `probe`; `reach`: lengths behind the rounding of K."""
    noise = ROUNDING * size + 2.0 * np.finfo(float).eps * (abs(K) @ reach)
    sym = 0.5 * (K + K.T)
    diagonal = np.diag(M) * 1e-10 + LIGHT * abs(np.diag(sym))
    metric = 0.5 * (M + M.T) + np.diag(np.where(np.diag(M) + diagonal > 0.0, diagonal, 1.0))
    try:
        L = np.linalg.cholesky(metric)
    except np.linalg.LinAlgError:
        L = np.diag(np.sqrt(np.maximum(np.diag(metric), 1e-300)))
    inner = np.linalg.solve(L, np.linalg.solve(L, sym.T).T)
    values, U = np.linalg.eigh(0.5 * (inner + inner.T))
    vectors = np.linalg.solve(L.T, U)
    a = abs(vectors)
    errors = noise / probe
    bounds = (a.T @ errors) * a.sum(axis=0)
    # the eigenvalue solver rounds relative to the largest eigenvalue, in a metric without units
    bounds = bounds + 4.0 * np.finfo(float).eps * abs(values).max(initial=0.0)
    falling, fastest, fluttering = np.zeros((len(K), 0)), 0.0, np.zeros((len(K), 0))
    if np.any(values < -bounds):
        falling, fastest, fluttering = diverging_directions(K, L, errors)
    return Tangent(K, L, size, noise, errors, values, vectors, bounds, falling, fastest, fluttering)


def diverging_directions(
    K: np.ndarray, L: np.ndarray, error: np.ndarray
) -> tuple[np.ndarray, float, np.ndarray]:
    """Directions of M^-1 K with a real eigenvalue below zero, the largest -lambda, and directions that are not known:
    those of complex pairs, and of real eigenvalues that are negative within their bounds.

    `error`: bound of K's entries, row by row.
    """
    values, V = np.linalg.eig(np.linalg.solve(L, np.linalg.solve(L, K.T).T))
    real, imag = np.real(values), np.imag(values)
    try:
        W = np.linalg.inv(V)
    except np.linalg.LinAlgError:  # no basis of eigenvectors: nothing is certain in any direction
        return np.zeros((len(K), 0)), 0.0, np.linalg.inv(L).T
    right, left = np.linalg.solve(L.T, V), np.linalg.solve(L.T, W.T)
    bounds = (abs(left).T @ error) * abs(right).sum(axis=0)
    rounded = 4.0 * np.finfo(float).eps * abs(values).max(initial=0.0)
    bounds += rounded * np.linalg.norm(W, axis=1) * np.linalg.norm(V, axis=0)
    paired = abs(imag) > bounds
    down = [k for k in np.argsort(real) if not paired[k] and real[k] < -bounds[k]]
    fastest = max([float(-real[k]) for k in down], default=0.0)
    unknown = (paired | (real < 0.0) | ~np.isfinite(bounds)) & (imag >= 0.0)
    unknown[down] = False
    return np.real(right[:, down]), fastest, np.real(right[:, unknown])
