"""Forces of statics along the coordinates of a mechanism, their stiffness, and moves that keep its loops closed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..kernels import model_data as f
from ..kernels.model_data import Data, Model
from ..mechanism.mass_matrix import reduced_mass
from ..mechanism.mechanism import Mechanism
from ..mechanism.support_polygon import support_polygons
from .assembly import Assembler
from .coordinate_partition import lengths_of, pivots
from .static_loads import StaticLoads, StaticRopes, refuse_bands
from .tangent_stiffness import Efforts, Tangent, tangent

PROBE = 1e-6  # [rad or m] step of differences


class StaticForces:
    """Unbalanced forces along the coordinates that are neither held nor driven, and their derivatives."""

    def __init__(
        self,
        assembler: Assembler,
        held: np.ndarray,
        follow: Callable[[Model, Data, float], None] = lambda m, d, share: None,
    ):
        from ..kernels.kernel_selection import applied_force_kernels, element_kernels
        from ..kernels.static_balance import forces_at_rest, static_balance

        self.assembler, self.held = assembler, held
        self.model, self.data = assembler.model, assembler.data
        self.mechanism: Mechanism = assembler.mechanism
        self.data.scalar[f.STATICS] = 1.0
        self.ropes = StaticRopes(self.model)
        refuse_bands(self.mechanism)
        kinds = {placed.part.kind for placed in self.mechanism.elements}
        if "support" in kinds:
            kinds.add("bushing")  # supports that pull and do not slide, where the search begins
        loads = StaticLoads(self.mechanism)
        # rope tensions are written to the inputs of signals, and both are applied at once
        self._sweeps = (
            forces_at_rest,
            *element_kernels(kinds).values(),
            lambda m, d: follow(m, d, self.share),
            *([self.ropes.pull] if len(self.ropes.segments) else []),
            *applied_force_kernels(kinds).values(),
            *([loads.push] if loads.laws else []),
            static_balance,
        )
        self.share = 1.0  # fraction of the loads that act
        self.open = assembler.free & ~held
        self.standing = support_polygons(self.mechanism)
        self.efforts = Efforts(self.model)

    def forces(self) -> np.ndarray:
        """Unbalanced effort F along every row in statics [N, N m]."""
        for sweep in self._sweeps:
            sweep(self.model, self.data)
        return self.data.row[:, f.TAU].copy()

    def reduced(self) -> tuple[np.ndarray, np.ndarray]:
        """F along the independent rows (F_i + K^T F_d), and along all rows."""
        r = self.forces()
        if not len(self.dependent):
            return r[self.independent], r
        return r[self.independent] + self.coupling().T @ r[self.dependent], r

    def coupling(self) -> np.ndarray:
        """K: rates of the dependent rows at unit rates of the independent ones."""
        jac = self.assembler.enabled_jacobian()[self.active]
        if not len(self.dependent):
            return np.zeros((0, len(self.independent)))
        return -np.linalg.solve(jac[:, self.dependent], jac[:, self.independent])

    def split(self) -> None:
        """Partition the open rows into independent and dependent ones."""
        index = np.flatnonzero(self.open)
        jac = self.assembler.evaluate()[1]
        lengths = lengths_of(self.model, jac[:, index], self.assembler.kinds, index)
        picked = pivots(jac[:, index], np.zeros(len(jac)), np.ones(len(index)), lengths)
        self.active = np.array([i for i, _ in picked], int)
        self.dependent = np.array(sorted(index[j] for _, j in picked), int)
        self.independent = np.array([i for i in index if i not in set(self.dependent.tolist())], int)

    def step(self, change: np.ndarray) -> None:
        """Move the independent rows by `change` and close the loops."""
        rows = np.zeros(len(self.open), bool)
        rows[self.independent] = True
        self.assembler.move(rows, change)
        if len(self.dependent):
            self.assembler.close(self.active, self.dependent)

    def stiffness(self) -> np.ndarray:
        """K = -dF/dz by central differences."""
        n = len(self.independent)
        K = np.zeros((n, n))
        kept = self.data.q.copy(), self.data.quat.copy()
        for k in range(n):
            unit = np.zeros(n)
            unit[k] = PROBE
            sides = []
            for way in (unit, -unit):
                self.step(way)
                sides.append(self.reduced()[0])
                self.data.q[:], self.data.quat[:] = kept
            K[:, k] = (sides[1] - sides[0]) / (2 * PROBE)
        return K

    def tangent(self, F: np.ndarray, r: np.ndarray) -> Tangent:
        """Stiffness, mass matrix and force sizes at the present position, as eigenvalues with bounds."""
        K = self.stiffness()
        self.reduced()
        coupling = self.coupling()
        size = self.efforts.sizes(self.data)
        reach = 1.0 + abs(self.data.row[:, f.p_WB : f.p_WB + 3]).max(initial=0.0)
        far = np.full(len(K), reach)
        far = np.maximum(far, abs(self.data.q[self.independent]))
        M = reduced_mass(self.model, self.data, self.independent, self.dependent, coupling)
        sizes = size[self.independent] + abs(coupling).T @ size[self.dependent]
        return tangent(K, M, sizes, far, PROBE)
