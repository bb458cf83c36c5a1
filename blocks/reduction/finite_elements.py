"""Finite-element model of a body: stiffness, and mass as points that its elements carry."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from ..light_dataclass import mutable

TURNS = 3  # degrees of freedom of a node, from here on: turns


@mutable
class FiniteElements:
    """Linear model of a free body; n nodes of 3 (displacements) or 6 (then turns) degrees of freedom, g mass points.

    Every integral over the mass is a sum over the same points, so that mass matrix and integrals of second order are
    consistent. SI units.
    """

    nodes: np.ndarray  # (n, 3): positions
    per_node: int  # degrees of freedom of a node
    stiffness: Any  # K, sparse (n per_node, n per_node)
    weights: np.ndarray  # (g,): masses of the points [kg]
    points: np.ndarray  # (g, 3): their positions
    shape: Any  # N, sparse (3 g, n per_node): displacements of the points
    # (n, m), (n, k) -> (m, k, k): products v^T K_sigma(u_j) v, the geometric stiffness under the stress of each linear
    # solution u_j; None where that is not known
    stress_products: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None
    # (n per_node, m) -> (s, 6, m): stresses xx, yy, zz, xy, xz, yz of linear solutions at the nodes `surface`
    surface_stress: Callable[[np.ndarray], np.ndarray] | None = None
    surface: np.ndarray | None = None  # (s,): nodes on the surface at which stresses are known
    # surface to draw: triangles between nodes
    triangles: np.ndarray | None = None
    lines: np.ndarray | None = None  # members to draw, by their end nodes
    # sparse (12 members, n per_node): force and moment at both ends of each member, in its axes
    end_forces: Any = None
    members: np.ndarray | None = None  # (members, MEMBER_COLUMNS) of a frame

    @cached_property
    def mass_matrix(self) -> Any:
        """M = N^T diag(w) N, sparse."""
        from scipy import sparse

        return (self.shape.T @ sparse.diags(np.repeat(self.weights, 3)) @ self.shape).tocsr()

    def rigid_motions(self, at: np.ndarray) -> np.ndarray:
        """Six rigid motions about a point (n per_node, 6): turns about x, y, z, then displacements."""
        arm, count = self.nodes - at, len(self.nodes)
        R = np.zeros((count, self.per_node, 6))
        for k, axis in enumerate(np.eye(3)):
            R[:, :3, k] = np.cross(axis, arm)
            R[:, k, 3 + k] = 1.0
            if self.per_node > TURNS:
                R[:, TURNS + k, k] = 1.0
        return R.reshape(-1, 6)

    def dofs(self, nodes: np.ndarray, count: int = 0) -> np.ndarray:
        """Degrees of freedom of nodes, the first `count` of each or all."""
        return (self.per_node * np.asarray(nodes)[:, None] + np.arange(count or self.per_node)).ravel()

    def rigid_energy(self) -> float:
        """Largest strain energy of a rigid motion, relative to that of unit strain: rounding of a sound model."""
        R = self.rigid_motions(self.nodes.mean(axis=0))
        size = np.linalg.norm(R, axis=0)
        force = abs(self.stiffness @ (R / size)).max(axis=0)
        return float(force.max() / abs(self.stiffness).max())
